/* SPDX-License-Identifier: Apache-2.0
 *
 * How many bytes of input does an entry take, what do they mean, and which sizes fit an input of a
 * given length?
 *
 * The first two are functions of the sizes. The last is their inverse for one unknown size: a
 * binary search, since lengths nearly always grow with sizes, or a scan where they do not.
 */
#include "target/entry.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- bytes ---- */

static bool apply(char operation, int64_t left, int64_t right, int64_t *value) {
    switch (operation) {
    case '+':
        return !__builtin_add_overflow(left, right, value);
    case '-':
        return !__builtin_sub_overflow(left, right, value);
    case '*':
        return !__builtin_mul_overflow(left, right, value);
    default:
        if (right == 0 || (right == -1 && left == INT64_MIN))
            return false;
        *value = left / right;
        return true;
    }
}

static bool run_steps(const struct target_dimension *dimension, const int64_t *sizes,
                      int64_t *stack) {
    uint32_t height = 0;
    for (uint32_t i = 0; i < dimension->count; i++) {
        const struct target_step *step = &dimension->steps[i];
        if (step->operation == '#') {
            stack[height++] = step->value;
        } else if (step->operation == 'n') {
            stack[height++] = sizes[step->value];
        } else {
            height--;
            if (!apply(step->operation, stack[height - 1], stack[height], &stack[height - 1]))
                return false;
        }
    }
    return true;
}

bool target_evaluate(const struct target_dimension *dimension, const int64_t *sizes,
                     int64_t *value) {
    int64_t *stack = base_alloc(dimension->count * sizeof *stack);
    bool good = run_steps(dimension, sizes, stack);
    *value = stack[0];
    free(stack);
    return good;
}

#define MAX_BYTES ((uint64_t)1 << 40)

bool target_item_bytes(const struct target_item *item, const int64_t *sizes, uint64_t *bytes) {
    int64_t count;
    *bytes = 0;
    if (item->kind == TARGET_SCALAR)
        *bytes = item->type->size;
    if (item->kind == TARGET_SHAPE)
        *bytes = TARGET_CHOICE_BYTES;
    if (item->kind != TARGET_ARRAY)
        return true;
    return target_evaluate(&item->elements, sizes, &count) && count >= 0 &&
           !__builtin_mul_overflow((uint64_t)count, item->element->size, bytes);
}

bool target_entry_bytes(const struct target_entry *entry, const int64_t *sizes, uint64_t *bytes) {
    if (!target_heap_bytes(entry, sizes, bytes) || *bytes > MAX_BYTES)
        return false;
    for (size_t i = 0; i < entry->items.count; i++) {
        uint64_t more;
        if (!target_item_bytes(&entry->items.data[i], sizes, &more) || more > MAX_BYTES)
            return false;
        *bytes += more;
        if (*bytes > MAX_BYTES)
            return false;
    }
    return true;
}

/* ---- layout ---- */

static struct target_field make_field(const struct target_item *item, uint64_t offset,
                                      uint64_t bytes) {
    bool is_link = item->kind == TARGET_SHAPE;
    const struct ir_type *row = is_link                       ? &target_choice_type
                                : item->kind == TARGET_SCALAR ? item->type
                                                              : item->element;
    const struct ir_type *type = row;
    while (type->kind == IR_TYPE_ARRAY)
        type = type->element;
    uint64_t size = type->size;
    return (struct target_field){.name = item->name,
                                 .type = type,
                                 .row = row,
                                 .element_size = size,
                                 .count = size ? bytes / size : 0,
                                 .offset = offset,
                                 .is_array = item->kind == TARGET_ARRAY,
                                 .is_signed = target_is_signed(type),
                                 .is_float = type->kind == IR_TYPE_FLOAT,
                                 .is_char = type->kind == IR_TYPE_CHAR,
                                 .is_link = is_link};
}

static bool add_dimensions(const struct target_item *item, const int64_t *sizes,
                           struct target_field *field) {
    for (uint32_t i = 1; i <= item->inner_count; i++) {
        int64_t count;
        if (!target_evaluate(&item->dimensions[i], sizes, &count) || count < 0)
            return false;
        field->inner[field->inner_count++] = (uint64_t)count;
    }
    return true;
}

bool target_entry_layout(const struct target_entry *entry, const int64_t *sizes,
                         struct target_fields *fields) {
    uint64_t offset = 0, bytes;
    if (!target_entry_bytes(entry, sizes, &bytes))
        return false;
    for (size_t i = 0; i < entry->items.count; i++) {
        const struct target_item *item = &entry->items.data[i];
        if (item->kind != TARGET_ARRAY && item->kind != TARGET_SCALAR && item->kind != TARGET_SHAPE)
            continue;
        if (!target_item_bytes(item, sizes, &bytes))
            return false;
        struct target_field field = make_field(item, offset, bytes);
        if (!add_dimensions(item, sizes, &field))
            return false;
        if (field.is_link) {
            const struct target_pool *pool = &entry->heap.pools.data[item->pool];
            field.most_objects = target_pool_objects(entry, pool, sizes);
            field.pool = item->pool;
            field.is_code = target_pool_is_code(pool);
        }
        base_push(fields, field);
        offset += bytes;
    }
    target_heap_layout(entry, sizes, offset, fields);
    return true;
}

/* ---- sizes from the length of an input ---- */

struct solve {
    const struct target_entry *entry;
    int64_t *sizes;
    size_t unknown;
    uint64_t bytes;
};

/* The input's length for one value; small invalid sizes count as too short. */
static bool length_for(const struct solve *solve, int64_t value, uint64_t *bytes) {
    solve->sizes[solve->unknown] = value;
    return target_entry_bytes(solve->entry, solve->sizes, bytes);
}

static bool reaches(const struct solve *solve, int64_t value) {
    uint64_t bytes;
    if (!length_for(solve, value, &bytes))
        return value > INT64_C(1) << 20;
    return bytes >= solve->bytes;
}

/* The smallest value with at least the input's length, if lengths grow with values. */
static int64_t search_value(const struct solve *solve) {
    int64_t low = 0, high = 1;
    while (!reaches(solve, high) && high < INT64_C(1) << 50)
        high *= 2;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (reaches(solve, middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

#define SCANNED 100000 /* values tried one by one, if lengths do not grow with them */

static bool find_value(const struct solve *solve, int64_t start, bool exact) {
    uint64_t bytes;
    if (length_for(solve, start, &bytes) && (exact ? bytes == solve->bytes : bytes >= solve->bytes))
        return true;
    for (int64_t value = 0; value < SCANNED; value++)
        if (length_for(solve, value, &bytes) && bytes == solve->bytes)
            return true;
    return false;
}

static void add_length(const struct solve *solve, int64_t value, struct base_buffer *text) {
    uint64_t bytes;
    if (value < 0 || !length_for(solve, value, &bytes))
        return;
    base_buffer_print(text, "%s%" PRIu64 " (%s=%" PRId64 ")", text->count ? " or " : "", bytes,
                      solve->entry->sizes.data[solve->unknown].name, value);
}

static bool fail_length(const struct solve *solve, int64_t near, struct base_error *error) {
    struct base_buffer lengths = {0};
    add_length(solve, near - 1, &lengths);
    add_length(solve, near, &lengths);
    if (lengths.count)
        base_fail(error, BASE_USAGE, "an input of %" PRIu64 " bytes does not fit '%s': it takes %s",
                  solve->bytes, solve->entry->text, lengths.data);
    else
        base_fail(error, BASE_USAGE, "an input of %" PRIu64 " bytes does not fit '%s'",
                  solve->bytes, solve->entry->text);
    base_buffer_done(&lengths);
    return false;
}

static bool has_shape(const struct target_entry *entry) {
    for (size_t i = 0; i < entry->items.count; i++)
        if (entry->items.data[i].kind == TARGET_SHAPE)
            return true;
    return false;
}

static bool check_length(const struct target_entry *entry, const int64_t *sizes, uint64_t bytes,
                         struct base_error *error) {
    uint64_t wanted;
    if (!target_entry_bytes(entry, sizes, &wanted))
        return base_fail(error, BASE_USAGE, "these sizes make no sense for '%s'", entry->text);
    if (wanted == bytes || has_shape(entry))
        return true;
    return base_fail(error, BASE_USAGE,
                     "an input of %" PRIu64 " bytes does not fit '%s': it takes %" PRIu64, bytes,
                     entry->text, wanted);
}

static bool fail_unknown(const struct target_entry *entry, const bool *known,
                         struct base_error *error) {
    struct base_buffer names = {0};
    for (size_t i = 0; i < entry->sizes.count; i++)
        if (!known[i])
            base_buffer_print(&names, "%s%s", names.count ? ", " : "", entry->sizes.data[i].name);
    base_fail(error, BASE_USAGE, "give all but one of these sizes of '%s' with --size: %s",
              entry->text, names.data);
    base_buffer_done(&names);
    return false;
}

/* Sizes that are not known take their default if they have one. If all have one, the first stays
 * unknown: it must be the one that varies. Returns how many are left. */
static size_t settle_unknown(struct solve *solve, const bool *known) {
    const struct target_entry *entry = solve->entry;
    size_t open = 0, count = 0;
    for (size_t i = 0; i < entry->sizes.count; i++)
        open += !known[i] && !entry->sizes.data[i].otherwise;
    for (size_t i = 0; i < entry->sizes.count; i++) {
        if (known[i])
            continue;
        solve->sizes[i] = entry->sizes.data[i].otherwise;
        if (solve->sizes[i] && (open || count))
            continue;
        solve->unknown = i;
        count++;
    }
    return count;
}

bool target_entry_solve_sizes(const struct target_entry *entry, int64_t *sizes, const bool *known,
                              uint64_t bytes, struct base_error *error) {
    struct solve solve = {.entry = entry, .sizes = sizes, .bytes = bytes};
    size_t unknown = settle_unknown(&solve, known);
    if (unknown == 0)
        return check_length(entry, sizes, bytes, error);
    if (unknown > 1)
        return fail_unknown(entry, known, error);
    int64_t near = search_value(&solve);
    return find_value(&solve, near, !has_shape(entry)) || fail_length(&solve, near, error);
}
