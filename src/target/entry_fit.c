/* SPDX-License-Identifier: Apache-2.0
 *
 * Does an entry fit the function that it names?
 *
 * Each item is checked against its parameter: an array needs a pointer to a type of known size, a
 * size needs an integer, and so on. A mismatch is reported as one line that ends with the
 * function's signature, because that is what the user has to look at next. The meaning of the
 * input's bytes is left to entry_sizes.c.
 */
#include "target/entry.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct ir_type target_byte_type = {.kind = IR_TYPE_CHAR, .name = "unsigned char", .size = 1};

/* ---- types ---- */

static bool is_integer(const struct ir_type *type) {
    return type->kind == IR_TYPE_SIGNED || type->kind == IR_TYPE_UNSIGNED ||
           type->kind == IR_TYPE_CHAR || type->kind == IR_TYPE_ENUM;
}

/* The type that a small type is promoted to in a function without prototype. */
static const struct ir_type *promoted(const struct ir_type *type) {
    static const struct ir_type whole = {.kind = IR_TYPE_SIGNED, .name = "int", .size = 4};
    static const struct ir_type twice = {.kind = IR_TYPE_FLOAT, .name = "double", .size = 8};
    if (type->kind == IR_TYPE_FLOAT)
        return type->size < twice.size ? &twice : type;
    bool is_small = type->size < whole.size && (is_integer(type) || type->kind == IR_TYPE_BOOL);
    return is_small ? &whole : type;
}

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
        type.members[i] = (struct ir_member){.name = "",
                                             .type = signature->is_old_style
                                                         ? promoted(signature->parameters[i].type)
                                                         : signature->parameters[i].type};
    return type;
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

bool target_is_raw(const struct ir_type *type) {
    if (type->kind == IR_TYPE_ARRAY)
        return target_is_raw(type->element);
    return is_integer(type) || type->kind == IR_TYPE_FLOAT || type->kind == IR_TYPE_UNION;
}

static bool is_function_pointer(const struct ir_type *type) {
    return type->kind == IR_TYPE_POINTER && type->element &&
           type->element->kind == IR_TYPE_FUNCTION;
}

/* ---- mismatches ---- */

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

/* [n][n], with as many dimensions as the type has of variable length. */
static const char *example_dimensions(const struct ir_type *type) {
    static const char all[] = "[n][n][n][n][n][n][n][n]";
    return type->variable < TARGET_DIMENSIONS
               ? all + (size_t)3 * (TARGET_DIMENSIONS - 1 - type->variable)
               : all;
}

static bool is_constant(const struct target_dimension *dimension, uint64_t *value) {
    int64_t number;
    for (uint32_t i = 0; i < dimension->count; i++)
        if (dimension->steps[i].operation == 'n')
            return false;
    bool good = target_evaluate(dimension, NULL, &number);
    *value = (uint64_t)number;
    return good;
}

/* The type has fixed dimensions; those in the entry must be equal. */
static bool fit_fixed(const struct fit *fit, const struct target_item *item, uint32_t first,
                      const struct ir_member *parameter) {
    const struct ir_type *row = item->element;
    char reason[128];
    for (uint32_t i = first; i < item->dimension_count; i++, row = row->element) {
        uint64_t count;
        if (row->kind != IR_TYPE_ARRAY)
            return does_not_fit(fit, item, parameter, "which has fewer dimensions");
        if (is_constant(&item->dimensions[i], &count) && count == row->count)
            continue;
        snprintf(reason, sizeof reason, "whose dimension %u is %" PRIu64, i + 1, row->count);
        return does_not_fit(fit, item, parameter, reason);
    }
    return true;
}

/* The number of elements is the product of the dimensions that are not in the type. */
static void multiply(struct target_entry *entry, struct target_item *item, uint32_t dimensions) {
    struct target_dimension *all = &item->elements;
    *all = (struct target_dimension){0};
    for (uint32_t i = 0; i < dimensions; i++)
        all->count += item->dimensions[i].count + (i > 0);
    all->steps = base_arena_alloc(&entry->arena, all->count * sizeof *all->steps);
    all->count = 0;
    for (uint32_t i = 0; i < dimensions; i++) {
        for (uint32_t step = 0; step < item->dimensions[i].count; step++)
            all->steps[all->count++] = item->dimensions[i].steps[step];
        if (i > 0)
            all->steps[all->count++] = (struct target_step){'*', 0};
    }
    item->inner_count = dimensions - 1;
}

static bool fit_dimensions(const struct fit *fit, struct target_item *item,
                           const struct ir_member *parameter) {
    const struct ir_type *type = parameter->type;
    uint32_t open = type->variable + 1;
    if (item->dimension_count < open)
        return misfit(fit, "'%s' lacks a dimension: '%s' has %u of variable length, write %s%s",
                      item->text, parameter->name, open, item->name, example_dimensions(type));
    if (!type->variable && item->element->kind != IR_TYPE_ARRAY)
        open = item->dimension_count; /* a plain pointer: consecutive rows */
    multiply(fit->entry, item, open);
    return fit_fixed(fit, item, open, parameter);
}

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
    return fit_dimensions(fit, item, parameter);
}

static bool fit_pointer_scalar(const struct fit *fit, struct target_item *item,
                               const struct ir_member *parameter) {
    if (is_function_pointer(parameter->type)) {
        if (fit->entry->by_name)
            return misfit(fit, "name the function to pass as '%s', or NULL", parameter->name);
        item->kind = TARGET_CALLBACK;
        return true;
    }
    const struct ir_type *to = parameter->type->element;
    bool link = target_is_link(parameter->type) && to->kind == IR_TYPE_STRUCT;
    char *declaration = spell(parameter->type, parameter->name);
    misfit(fit, "'%s' is a pointer ('%s'), write %s%s for an array%s%s", item->text, declaration,
           item->text, example_dimensions(parameter->type), link ? " or a heap shape as &" : "",
           link ? item->text : "");
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
        return does_not_fit(fit, item, parameter, "which is no pointer to a type that is known");
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

/* An argument in `...` has no type of its own, so it must be a constant. */
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
    if (!fit_rest(&fit))
        return false;
    target_heap_init(entry);
    return true;
}

/* ---- the invariant ---- */

/* Two function types are equal if their C text is, wherever they lie in memory. */
static bool is_same_type(const struct ir_type *one, const struct ir_type *other) {
    char *a = spell(one, ""), *b = spell(other, "");
    bool same = strcmp(a, b) == 0;
    free(a);
    free(b);
    return same;
}

bool target_entry_find_checked(struct target_entry *entry, const struct ir_type *type) {
    bool found = false;
    for (size_t i = 0; i < entry->items.count; i++) {
        struct target_item *item = &entry->items.data[i];
        item->is_checked = item->kind == TARGET_SHAPE && is_same_type(item->type, type);
        found |= item->is_checked;
    }
    return found;
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
        else if (byte >= ' ' && byte < 127 && byte != '?') /* no ?, to avoid trigraphs */
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
