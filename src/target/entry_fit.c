/* SPDX-License-Identifier: Apache-2.0
 *
 * Does an entry fit the function that it names, and what do the bytes of its input mean?
 *
 * Each item is held against the parameter at its place: an array needs a pointer to something with
 * a size, a size needs an integer, and so on. A misfit is one line that ends with the function's
 * real signature, because that is what the user has to look at next. After the check, the
 * number of bytes and the layout of the input are plain functions of the sizes.
 */
#include "target/entry.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct ir_type target_byte_type = {.kind = IR_TYPE_CHAR, .name = "unsigned char", .size = 1};

/* ---- types ---- */

struct ir_type target_function_type(struct base_arena *arena, const struct ir_signature *signature,
                                    bool bare) {
    struct ir_type type = {.kind = IR_TYPE_FUNCTION,
                           .name = "",
                           .element = signature->result,
                           .members = signature->parameters,
                           .member_count = signature->parameter_count,
                           .is_variadic = signature->is_variadic};
    if (!bare)
        return type;
    type.members = base_arena_alloc(arena, type.member_count * sizeof *type.members);
    for (uint32_t i = 0; i < type.member_count; i++)
        type.members[i] = (struct ir_member){.name = "", .type = signature->parameters[i].type};
    return type;
}

static bool is_integer(const struct ir_type *type) {
    return type->kind == IR_TYPE_SIGNED || type->kind == IR_TYPE_UNSIGNED ||
           type->kind == IR_TYPE_CHAR || type->kind == IR_TYPE_ENUM;
}

static bool is_number(const struct ir_type *type) {
    return is_integer(type) || type->kind == IR_TYPE_BOOL || type->kind == IR_TYPE_FLOAT;
}

static bool is_record(const struct ir_type *type) {
    return type->kind == IR_TYPE_STRUCT || type->kind == IR_TYPE_UNION;
}

bool target_is_signed(const struct ir_type *type) {
    if (type->kind == IR_TYPE_ENUM)
        return target_is_signed(type->element);
    if (type->kind == IR_TYPE_CHAR)
        return strcmp(type->name, "unsigned char") != 0;
    return type->kind == IR_TYPE_SIGNED || type->kind == IR_TYPE_FLOAT;
}

bool target_is_link(const struct ir_type *type) {
    return type->kind == IR_TYPE_POINTER && type->element &&
           type->element->kind == IR_TYPE_STRUCT && type->element->count;
}

bool target_is_raw(const struct ir_type *type) {
    if (type->kind == IR_TYPE_ARRAY)
        return target_is_raw(type->element);
    return is_integer(type) || type->kind == IR_TYPE_FLOAT || type->kind == IR_TYPE_UNION;
}

static bool is_function_pointer(const struct ir_type *type) {
    return type->kind == IR_TYPE_POINTER && type->element &&
           type->element->kind == IR_TYPE_FUNCTION;
}

/* ---- misfits ---- */

struct fit {
    struct target_entry *entry;
    const struct ir_signature *signature;
    struct base_error *error;
};

static bool misfit(const struct fit *fit, const char *format, ...) BASE_PRINTF(2, 3);

static bool misfit(const struct fit *fit, const char *format, ...) {
    char problem[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(problem, sizeof problem, format, args);
    va_end(args);
    struct ir_type function = target_function_type(NULL, fit->signature, false);
    struct base_buffer declaration = {0};
    ir_print_declaration(&function, fit->signature->name, &declaration);
    base_fail(fit->error, BASE_TARGET, "entry '%s': %s: %s", fit->entry->text, problem,
              declaration.data);
    base_buffer_done(&declaration);
    return false;
}

static char *spell(const struct ir_type *type, const char *name) {
    struct base_buffer out = {0};
    ir_print_declaration(type, name, &out);
    return out.data;
}

/* "'x' does not fit 'int *p', REASON". */
static bool does_not_fit(const struct fit *fit, const struct target_item *item,
                         const struct ir_member *parameter, const char *reason) {
    char *declaration = spell(parameter->type, parameter->name);
    misfit(fit, "'%s' does not fit '%s', %s", item->text, declaration, reason);
    free(declaration);
    return false;
}

/* ---- one item against one parameter ---- */

static bool fit_array(const struct fit *fit, struct target_item *item,
                      const struct ir_member *parameter) {
    const struct ir_type *type = parameter->type;
    if (type->kind != IR_TYPE_POINTER)
        return does_not_fit(fit, item, parameter, "which is no pointer");
    const struct ir_type *element = type->element ? type->element : &target_byte_type;
    if (element->kind == IR_TYPE_FUNCTION)
        return does_not_fit(fit, item, parameter, "a function: name one of the target, or NULL");
    if (!element->size)
        return does_not_fit(fit, item, parameter, "whose elements have no known size");
    const struct ir_type *inner = element;
    while (inner->kind == IR_TYPE_ARRAY)
        inner = inner->element;
    if (inner->kind == IR_TYPE_POINTER)
        return does_not_fit(fit, item, parameter, "whose elements are pointers");
    item->element = element;
    return true;
}

static bool fit_pointer_scalar(const struct fit *fit, struct target_item *item,
                               const struct ir_member *parameter) {
    if (is_function_pointer(parameter->type)) {
        if (fit->entry->by_name)
            return misfit(fit, "name the function to pass as '%s', or NULL", parameter->name);
        item->kind = TARGET_CALLBACK;
        return true;
    }
    bool link = target_is_link(parameter->type);
    char *declaration = spell(parameter->type, parameter->name);
    misfit(fit, "'%s' is a pointer ('%s'), write %s[n] for an array%s%s", item->text, declaration,
           item->text, link ? " or a heap shape as &" : "", link ? item->text : "");
    free(declaration);
    return false;
}

static bool fit_scalar(const struct fit *fit, struct target_item *item,
                       const struct ir_member *parameter) {
    const struct ir_type *type = parameter->type;
    if (type->kind == IR_TYPE_POINTER)
        return fit_pointer_scalar(fit, item, parameter);
    if (is_number(type) || type->kind == IR_TYPE_ARRAY || (is_record(type) && type->count))
        return true;
    return does_not_fit(fit, item, parameter, "which cannot be symbolic");
}

static bool fit_shape(const struct fit *fit, struct target_item *item,
                      const struct ir_member *parameter) {
    if (!target_is_link(parameter->type))
        return does_not_fit(fit, item, parameter, "which is no pointer to a known struct");
    item->element = parameter->type->element;
    return true;
}

static bool fit_string(const struct fit *fit, struct target_item *item,
                       const struct ir_member *parameter) {
    const struct ir_type *type = parameter->type;
    if (type->kind != IR_TYPE_POINTER || (type->element && type->element->kind != IR_TYPE_CHAR))
        return does_not_fit(fit, item, parameter, "which is no pointer to characters");
    return true;
}

static bool fit_list(const struct fit *fit, struct target_item *item,
                     const struct ir_member *parameter) {
    const struct ir_type *type = parameter->type;
    if (type->kind != IR_TYPE_POINTER && !(is_record(type) && type->count))
        return does_not_fit(fit, item, parameter, "which is no array");
    const struct ir_type *element = type->kind == IR_TYPE_POINTER ? type->element : type;
    item->element = element ? element : &target_byte_type;
    if (is_number(item->element) && (item->has_strings || item->has_braces))
        return does_not_fit(fit, item, parameter, "whose elements are numbers");
    if (item->element->kind == IR_TYPE_POINTER && (item->has_numbers || item->has_braces))
        return does_not_fit(fit, item, parameter, "whose elements are pointers");
    if (!item->element->size || item->element->kind == IR_TYPE_FUNCTION)
        return does_not_fit(fit, item, parameter, "whose elements have no known size");
    return true;
}

static bool in_range(const struct target_item *item, const struct ir_type *type) {
    if (type->kind == IR_TYPE_BOOL)
        return item->magnitude <= 1 && !item->is_negative;
    bool is_signed = target_is_signed(type);
    if (type->size >= 8 && !item->is_negative)
        return !is_signed || type->size > 8 || item->magnitude <= INT64_MAX;
    uint64_t half = UINT64_C(1) << ((type->size >= 8 ? 8 : type->size) * 8 - 1);
    if (item->is_negative && item->magnitude)
        return is_signed && item->magnitude <= half;
    return is_signed ? item->magnitude < half : item->magnitude <= half * 2 - 1;
}

static bool fit_number(const struct fit *fit, struct target_item *item,
                       const struct ir_member *parameter) {
    const struct ir_type *type = parameter->type;
    if (type->kind == IR_TYPE_POINTER && !item->is_real && !item->magnitude) {
        item->kind = TARGET_NULL;
        return true;
    }
    if (!is_number(type))
        return does_not_fit(fit, item, parameter, "which is no number");
    if (type->kind == IR_TYPE_FLOAT)
        return true;
    if (item->is_real)
        return does_not_fit(fit, item, parameter, "which is an integer");
    return in_range(item, type) ||
           does_not_fit(fit, item, parameter, "which cannot hold that number");
}

static bool fit_item(const struct fit *fit, struct target_item *item,
                     const struct ir_member *parameter) {
    item->type = parameter->type;
    switch (item->kind) {
    case TARGET_ARRAY:
        return fit_array(fit, item, parameter);
    case TARGET_SIZE:
        return is_integer(item->type) ||
               does_not_fit(fit, item, parameter, "which is no integer and so no size");
    case TARGET_SCALAR:
    case TARGET_CALLBACK:
        return fit_scalar(fit, item, parameter);
    case TARGET_SHAPE:
        return fit_shape(fit, item, parameter);
    case TARGET_STRING:
        return fit_string(fit, item, parameter);
    case TARGET_LIST:
        return fit_list(fit, item, parameter);
    case TARGET_NUMBER:
        return fit_number(fit, item, parameter);
    case TARGET_NULL:
        return item->type->kind == IR_TYPE_POINTER ||
               does_not_fit(fit, item, parameter, "which is no pointer");
    }
    return false;
}

/* ---- all items ---- */

static void name_items(struct target_entry *entry, const struct ir_signature *signature) {
    for (uint32_t i = 0; i < signature->parameter_count; i++) {
        struct target_item item = {.kind = TARGET_SCALAR, .name = signature->parameters[i].name};
        if (!*item.name)
            item.name = base_arena_format(&entry->arena, "p%u", i + 1);
        item.text = item.name = base_arena_strdup(&entry->arena, item.name);
        base_push(&entry->items, item);
    }
}

static bool fit_count(const struct fit *fit) {
    uint32_t wanted = fit->signature->parameter_count;
    size_t given = fit->entry->items.count;
    if (given == wanted || (given > wanted && fit->signature->is_variadic))
        return true;
    if (!wanted)
        return misfit(fit, "%s takes no parameters", fit->signature->name);
    return misfit(fit, "%s takes %s%u parameter%s", fit->signature->name,
                  fit->signature->is_variadic ? "at least " : "", wanted, wanted == 1 ? "" : "s");
}

/* What goes to `...` has no type of its own, so it must be fixed. */
static bool fit_rest(const struct fit *fit) {
    for (size_t i = fit->signature->parameter_count; i < fit->entry->items.count; i++) {
        const struct target_item *item = &fit->entry->items.data[i];
        if (item->kind != TARGET_NUMBER && item->kind != TARGET_STRING && item->kind != TARGET_NULL)
            return misfit(fit, "'%s' does not fit '...', only numbers, strings and NULL do",
                          item->text);
    }
    return true;
}

bool target_entry_check(struct target_entry *entry, const struct ir_signature *signature,
                        struct base_error *error) {
    struct fit fit = {entry, signature, error};
    if (entry->by_name && !entry->items.count)
        name_items(entry, signature);
    if (!fit_count(&fit))
        return false;
    for (uint32_t i = 0; i < signature->parameter_count; i++)
        if (!fit_item(&fit, &entry->items.data[i], &signature->parameters[i]))
            return false;
    return fit_rest(&fit);
}

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

static bool run_steps(const struct target_item *item, const int64_t *sizes, int64_t *stack) {
    uint32_t height = 0;
    for (uint32_t i = 0; i < item->step_count; i++) {
        const struct target_step *step = &item->steps[i];
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

bool target_evaluate(const struct target_item *item, const int64_t *sizes, int64_t *value) {
    int64_t *stack = base_alloc(item->step_count * sizeof *stack);
    bool good = run_steps(item, sizes, stack);
    *value = stack[0];
    free(stack);
    return good;
}

/* Bytes of a stream that one object of this type takes, without the selector that announces it. */
static uint64_t stream_bytes(const struct ir_type *type) {
    uint64_t bytes = 0;
    if (target_is_link(type))
        return 1;
    if (type->kind == IR_TYPE_POINTER)
        return 0;
    if (type->kind == IR_TYPE_ARRAY)
        return type->count * stream_bytes(type->element);
    if (type->kind != IR_TYPE_STRUCT)
        return type->size;
    for (uint32_t i = 0; i < type->member_count; i++)
        bytes += stream_bytes(type->members[i].type);
    return bytes;
}

struct struct_set {
    const struct ir_type **data;
    size_t count, capacity;
};

static void reach_structs(const struct ir_type *type, bool is_object, struct struct_set *set) {
    while (type->kind == IR_TYPE_ARRAY)
        type = type->element;
    if (target_is_link(type)) {
        type = type->element;
        is_object = true;
    }
    if (type->kind != IR_TYPE_STRUCT)
        return;
    for (size_t i = 0; is_object && i < set->count; i++)
        if (set->data[i] == type)
            return;
    if (is_object)
        base_push(set, type);
    for (uint32_t i = 0; i < type->member_count; i++)
        reach_structs(type->members[i].type, false, set);
}

static uint64_t largest_object(const struct ir_type *type) {
    struct struct_set set = {0};
    uint64_t largest = 0;
    reach_structs(type, true, &set);
    for (size_t i = 0; i < set.count; i++)
        if (stream_bytes(set.data[i]) > largest)
            largest = stream_bytes(set.data[i]);
    base_vector_done(&set);
    return largest;
}

#define MAX_BYTES ((uint64_t)1 << 40)

/* Each object takes its members; every selector but the first one is a member of some object. */
static bool shape_bytes(const struct target_item *item, const int64_t *sizes, uint64_t *bytes) {
    int64_t objects = sizes[item->size];
    return objects >= 0 &&
           !__builtin_mul_overflow((uint64_t)objects, largest_object(item->element), bytes) &&
           !__builtin_add_overflow(*bytes, (uint64_t)1, bytes);
}

static bool item_bytes(const struct target_item *item, const int64_t *sizes, uint64_t *bytes) {
    int64_t count;
    *bytes = 0;
    if (item->kind == TARGET_SCALAR)
        *bytes = item->type->size;
    if (item->kind == TARGET_SHAPE)
        return shape_bytes(item, sizes, bytes);
    if (item->kind != TARGET_ARRAY)
        return true;
    return target_evaluate(item, sizes, &count) && count >= 0 &&
           !__builtin_mul_overflow((uint64_t)count, item->element->size, bytes);
}

bool target_entry_bytes(const struct target_entry *entry, const int64_t *sizes, uint64_t *bytes) {
    *bytes = 0;
    for (size_t i = 0; i < entry->items.count; i++) {
        uint64_t more;
        if (!item_bytes(&entry->items.data[i], sizes, &more) || more > MAX_BYTES)
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
    bool is_shape = item->kind == TARGET_SHAPE;
    const struct ir_type *type = item->kind == TARGET_SCALAR ? item->type : item->element;
    while (type->kind == IR_TYPE_ARRAY)
        type = type->element;
    uint64_t size = is_shape ? 1 : type->size;
    return (struct target_field){.name = item->name,
                                 .type = type,
                                 .element_size = size,
                                 .count = size ? bytes / size : 0,
                                 .offset = offset,
                                 .is_array = item->kind == TARGET_ARRAY,
                                 .is_signed = target_is_signed(type),
                                 .is_float = type->kind == IR_TYPE_FLOAT,
                                 .is_char = type->kind == IR_TYPE_CHAR,
                                 .is_shape = is_shape};
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
        if (!item_bytes(item, sizes, &bytes))
            return false;
        base_push(fields, make_field(item, offset, bytes));
        offset += bytes;
    }
    return true;
}

/* ---- sizes from the length of an input ---- */

struct solve {
    const struct target_entry *entry;
    int64_t *sizes;
    size_t unknown;
    uint64_t bytes;
};

/* The length for one value; sizes that make no sense count as too short when they are small. */
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

/* The smallest value whose length is at least that of the input, if lengths grow with values. */
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

#define SCANNED 100000 /* values tried one by one, for lengths that do not grow with them */

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

bool target_entry_solve_sizes(const struct target_entry *entry, int64_t *sizes, const bool *known,
                              uint64_t bytes, struct base_error *error) {
    struct solve solve = {.entry = entry, .sizes = sizes, .bytes = bytes};
    size_t unknown = 0;
    for (size_t i = 0; i < entry->sizes.count; i++)
        if (!known[i]) {
            solve.unknown = i;
            unknown++;
        }
    if (unknown == 0)
        return check_length(entry, sizes, bytes, error);
    if (unknown > 1)
        return fail_unknown(entry, known, error);
    int64_t near = search_value(&solve);
    return find_value(&solve, near, !has_shape(entry)) || fail_length(&solve, near, error);
}

/* ---- constants ---- */

void target_print_string(const char *bytes, size_t count, struct base_buffer *out) {
    base_buffer_print(out, "\"");
    for (size_t i = 0; i < count; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        if (byte == '"' || byte == '\\')
            base_buffer_print(out, "\\%c", byte);
        else if (byte == '\n')
            base_buffer_print(out, "\\n");
        else if (byte >= ' ' && byte < 127 && byte != '?') /* ?: no trigraphs */
            base_buffer_print(out, "%c", byte);
        else if (byte == '?')
            base_buffer_print(out, "%s", i && bytes[i - 1] == '?' ? "\\?" : "?");
        else
            base_buffer_print(out, "\\%03o", byte);
    }
    base_buffer_print(out, "\"");
}

void target_print_integer(bool is_negative, uint64_t magnitude, struct base_buffer *out) {
    if (is_negative && magnitude == UINT64_C(1) << 63)
        base_buffer_print(out, "(-9223372036854775807 - 1)");
    else
        base_buffer_print(out, "%s%" PRIu64 "%s", is_negative && magnitude ? "-" : "", magnitude,
                          magnitude > INT64_MAX ? "u" : "");
}
