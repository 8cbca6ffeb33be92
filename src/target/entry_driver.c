/* SPDX-License-Identifier: Apache-2.0
 *
 * What C code calls the function with arguments made from the input? This file writes it.
 *
 * The driver is self-contained: it declares what it uses (abi/driver.h), repeats the program's
 * structs with their exact layout, and calls the function by its linker name, so that nothing in it
 * can clash with a name of the program. Locals are the user's names with the prefix `in_`.
 *
 * `clean_T` turns raw bytes into a valid T: pointers become null, and _Bool 0 or 1.
 * entry_heap_driver.c makes the objects on the heap.
 */
#include "abi/abi.h"
#include "target/entry.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct writer {
    struct base_buffer *out;
    unsigned loops; /* loop variables used so far */
};

static void print_line(struct writer *writer, int depth, const char *format, ...) BASE_PRINTF(3, 4);

static void print_line(struct writer *writer, int depth, const char *format, ...) {
    char *line = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&line, format, args) < 0)
        base_give_up("out of memory (formatting)");
    va_end(args);
    base_buffer_print(writer->out, "%*s%s\n", depth * 4, "", line);
    free(line);
}

/* A type as in a cast or sizeof; the caller frees it. */
static char *spell_type(const struct ir_type *type, const char *declarator) {
    struct base_buffer text = {0};
    ir_print_declaration(type, declarator, &text);
    return text.data;
}

/* ---- walking a struct by offsets ---- */

/* The current position: AT is a C expression for the offset from `object`. Bit-fields have no
 * address and are named through the nearest enclosing struct with a tag. */
struct place {
    const char *at, *owner_at;
    const struct ir_type *owner;
    int depth;
};

typedef void walk_part(struct writer *writer, const struct ir_type *type,
                       const struct ir_member *bits, const struct place *place);

static void walk_members(struct writer *writer, const struct ir_type *record,
                         const struct place *place, walk_part *part);

static void walk_loop(struct writer *writer, const struct ir_type *array, const struct place *place,
                      walk_part *part) {
    unsigned number = ++writer->loops;
    print_line(writer, place->depth, "for (unsigned long i%u = 0; i%u < %lu; i%u++) {", number,
               number, (unsigned long)array->count, number);
    struct place inner = *place;
    inner.at =
        base_format("%s + i%u * %lu", place->at, number, (unsigned long)array->element->size);
    inner.depth++;
    if (array->element->kind == IR_TYPE_STRUCT) {
        inner.owner = array->element;
        inner.owner_at = inner.at;
        walk_members(writer, array->element, &inner, part);
    } else if (array->element->kind == IR_TYPE_ARRAY && !target_is_raw(array->element)) {
        walk_loop(writer, array->element, &inner, part);
    } else {
        part(writer, array->element, NULL, &inner);
    }
    free((char *)inner.at);
    print_line(writer, place->depth, "}");
}

static void walk_member(struct writer *writer, const struct ir_member *member,
                        const struct place *place, walk_part *part) {
    struct place inner = *place;
    const struct ir_type *type = member->type;
    inner.at = base_format("%s + %lu", place->at, (unsigned long)member->offset);
    if (type->kind == IR_TYPE_STRUCT) {
        if (*type->name && *member->name) {
            inner.owner = type;
            inner.owner_at = inner.at;
        }
        walk_members(writer, type, &inner, part);
    } else if (type->kind == IR_TYPE_ARRAY && !target_is_raw(type)) {
        walk_loop(writer, type, &inner, part);
    } else if (!member->bit_size || *member->name) {
        part(writer, type, member->bit_size ? member : NULL, &inner);
    }
    free((char *)inner.at);
}

static void walk_members(struct writer *writer, const struct ir_type *record,
                         const struct place *place, walk_part *part) {
    for (uint32_t i = 0; i < record->member_count; i++)
        walk_member(writer, &record->members[i], place, part);
}

/* ---- making raw structs valid ---- */

static bool needs_cleaning(const struct ir_type *type) {
    if (type->kind == IR_TYPE_ARRAY)
        return needs_cleaning(type->element);
    if (type->kind == IR_TYPE_POINTER || type->kind == IR_TYPE_BOOL)
        return true;
    for (uint32_t i = 0; type->kind == IR_TYPE_STRUCT && i < type->member_count; i++)
        if (!type->members[i].bit_size && needs_cleaning(type->members[i].type))
            return true;
    return false;
}

static void clean_part(struct writer *writer, const struct ir_type *type,
                       const struct ir_member *bits, const struct place *place) {
    if (bits)
        return;
    if (type->kind == IR_TYPE_POINTER)
        print_line(writer, place->depth, "*(void **)(object + %s) = 0;", place->at);
    else if (type->kind == IR_TYPE_BOOL)
        print_line(writer, place->depth, "object[%s] &= 1;", place->at);
}

static void write_cleaner(struct writer *writer, const struct target_item *item) {
    const struct ir_type *type = item->kind == TARGET_SCALAR ? item->type : item->element;
    struct place place = {"0", "0", type, 1};
    print_line(writer, 0, "static void clean_%s(unsigned char *object) {", item->name);
    writer->loops = 0;
    if (type->kind == IR_TYPE_STRUCT)
        walk_members(writer, type, &place, clean_part);
    else if (type->kind == IR_TYPE_ARRAY)
        walk_loop(writer, type, &place, clean_part);
    else
        clean_part(writer, type, NULL, &place);
    print_line(writer, 0, "}\n");
}

/* ---- arguments ---- */

static void print_count(const struct target_entry *entry, const struct target_item *item,
                        struct base_buffer *out) {
    struct base_strings stack = {0}; /* converts the postfix steps to C text */
    for (uint32_t i = 0; i < item->elements.count; i++) {
        const struct target_step *step = &item->elements.steps[i];
        char *text;
        if (step->operation == '#') {
            text = base_format("%ldL", (long)step->value);
        } else if (step->operation == 'n') {
            text = base_format("in_%s", entry->sizes.data[step->value].name);
        } else {
            assert(stack.count >= 2);
            char *right = stack.data[--stack.count], *left = stack.data[--stack.count];
            text = base_format("(%s %c %s)", left, step->operation, right);
            free(left);
            free(right);
        }
        base_push(&stack, text);
    }
    assert(stack.count == 1);
    base_buffer_print(out, "%s", stack.data[0]);
    base_strings_done(&stack);
}

static void write_array(struct writer *writer, const struct target_entry *entry,
                        const struct target_item *item) {
    struct base_buffer count = {0};
    struct ir_type pointer = {
        .kind = IR_TYPE_POINTER, .name = "", .size = sizeof(void *), .element = item->element};
    char *local = base_format("in_%s", item->name), *declaration = spell_type(&pointer, local);
    unsigned long size = (unsigned long)item->element->size;
    print_count(entry, item, &count);
    print_line(writer, 1, "unsigned long count_%s = %s < 0 ? 0 : %s;", item->name, count.data,
               count.data);
    /* Bytes may be a string: a zero follows. */
    print_line(writer, 1, "%s = __slowpath_take_array(count_%s * %luUL, %d, \"%s\");", declaration,
               item->name, size, size == 1, item->name);
    if (needs_cleaning(item->element)) {
        print_line(writer, 1, "for (unsigned long i = 0; i < count_%s; i++)", item->name);
        print_line(writer, 2, "clean_%s((unsigned char *)%s + i * %luUL);", item->name, local,
                   size);
    }
    base_buffer_done(&count);
    free(local);
    free(declaration);
}

static void write_scalar(struct writer *writer, const struct target_item *item) {
    struct ir_type pointer = {
        .kind = IR_TYPE_POINTER, .name = "", .size = sizeof(void *), .element = item->type};
    char *local = base_format("in_%s", item->name), *declaration = spell_type(&pointer, local);
    print_line(writer, 1, "%s = __slowpath_take(%luUL, \"%s\");", declaration,
               (unsigned long)item->type->size, item->name);
    if (needs_cleaning(item->type))
        print_line(writer, 1, "clean_%s((unsigned char *)%s);", item->name, local);
    free(local);
    free(declaration);
}

static void write_link(struct writer *writer, const struct target_item *item) {
    char *local = base_format("in_%s", item->name), *declaration = spell_type(item->type, local);
    print_line(writer, 1, "%s;", declaration);
    print_line(writer, 1, "__slowpath_link((void *)&%s, %u, 0, 0);", local, item->pool);
    free(local);
    free(declaration);
}

static void write_list(struct writer *writer, const struct target_item *item, size_t number) {
    bool is_array = item->type->kind == IR_TYPE_POINTER;
    bool is_empty = !item->has_numbers && !item->has_strings && !item->has_braces;
    char *local = base_format("fixed_%zu%s", number, is_array ? (is_empty ? "[1]" : "[]") : "");
    char *declaration = spell_type(item->element, local);
    print_line(writer, 1, "%s = %s;", declaration, is_empty ? "{0}" : item->text);
    free(local);
    free(declaration);
}

static void write_string(struct writer *writer, const struct target_item *item, size_t number) {
    struct base_buffer text = {0};
    target_print_string(item->bytes, item->byte_count, &text);
    print_line(writer, 1, "char fixed_%zu[] = %s;", number, text.data);
    base_buffer_done(&text);
}

static void write_argument(struct writer *writer, const struct target_entry *entry, size_t i) {
    const struct target_item *item = &entry->items.data[i];
    switch (item->kind) {
    case TARGET_ARRAY:
        write_array(writer, entry, item);
        break;
    case TARGET_SCALAR:
        write_scalar(writer, item);
        break;
    case TARGET_SHAPE:
        write_link(writer, item);
        break;
    case TARGET_LIST:
        write_list(writer, item, i);
        break;
    case TARGET_STRING:
        write_string(writer, item, i);
        break;
    default:
        break;
    }
}

/* A number for a parameter, or for `...`, where it has the type that C gives it. */
static void print_number(const struct target_item *item, struct base_buffer *out) {
    if (item->is_real) {
        base_buffer_print(out, "%s", item->text);
        return;
    }
    if (item->type) {
        char *cast = spell_type(item->type, "");
        base_buffer_print(out, "(%s)", cast);
        free(cast);
    }
    target_print_integer(item->is_negative, item->magnitude, out);
}

static void print_argument(const struct target_entry *entry, size_t i, struct base_buffer *out) {
    const struct target_item *item = &entry->items.data[i];
    char *cast;
    switch (item->kind) {
    case TARGET_ARRAY:
    case TARGET_SHAPE:
        base_buffer_print(out, "in_%s", item->name);
        break;
    case TARGET_SCALAR:
        base_buffer_print(out, "*in_%s", item->name);
        break;
    case TARGET_SIZE:
        cast = spell_type(item->type, "");
        base_buffer_print(out, "(%s)in_%s", cast, item->name);
        free(cast);
        break;
    case TARGET_CALLBACK:
        base_buffer_print(out, "callback_%s", item->name);
        break;
    case TARGET_STRING:
    case TARGET_LIST:
        base_buffer_print(out, "%sfixed_%zu", item->kind == TARGET_STRING ? "(void *)" : "", i);
        break;
    case TARGET_NUMBER:
        print_number(item, out);
        break;
    case TARGET_NULL:
        base_buffer_print(out, "(void *)0");
        break;
    }
}

/* ---- the driver ---- */

static void write_declarations(struct writer *writer, const struct target_entry *entry,
                               const struct ir_signature *signature, const char *symbol) {
    struct base_arena arena = {0};
    struct ir_type function = target_function_type(&arena, signature, true);
    char *declaration = spell_type(&function, "__slowpath_entry");
    print_line(writer, 0, "extern %s __asm__(\"%s\");", declaration, symbol);
    free(declaration);
    for (size_t i = 0; i < entry->items.count; i++) {
        const struct target_item *item = &entry->items.data[i];
        if (item->kind != TARGET_CALLBACK)
            continue;
        char *local = base_format("callback_%s", item->name);
        declaration = spell_type(item->type->element, local);
        print_line(writer, 0, "extern %s __asm__(\"%s\");", declaration, item->name);
        free(declaration);
        free(local);
    }
    print_line(writer, 0, "");
    base_arena_done(&arena);
}

static bool uses_size(const struct target_entry *entry, uint32_t size) {
    for (size_t i = 0; i < entry->items.count; i++) {
        const struct target_item *item = &entry->items.data[i];
        for (uint32_t j = 0; j < item->elements.count; j++)
            if (item->elements.steps[j].operation == 'n' && item->elements.steps[j].value == size)
                return true;
    }
    return false;
}

static void write_helpers(struct writer *writer, const struct target_entry *entry) {
    for (size_t i = 0; i < entry->items.count; i++) {
        const struct target_item *item = &entry->items.data[i];
        if ((item->kind == TARGET_ARRAY && needs_cleaning(item->element)) ||
            (item->kind == TARGET_SCALAR && needs_cleaning(item->type)))
            write_cleaner(writer, item);
    }
    target_heap_driver(entry, writer->out);
}

/* ---- assumptions ---- */

/* An assumption may name parameters that have a name and a value, and sizes of arrays. */
static bool is_named(const struct target_item *item) {
    return *item->name && item->type && item->kind != TARGET_CALLBACK;
}

static bool is_size_alone(const struct target_entry *entry, uint32_t size) {
    for (size_t i = 0; i < entry->items.count; i++)
        if (is_named(&entry->items.data[i]) &&
            strcmp(entry->items.data[i].name, entry->sizes.data[size].name) == 0)
            return false;
    return uses_size(entry, size);
}

static void print_parameters(const struct target_entry *entry, bool with_values,
                             struct base_buffer *out) {
    base_buffer_add(out, "", 0);
    for (size_t i = 0; i < entry->items.count; i++) {
        const struct target_item *item = &entry->items.data[i];
        if (!is_named(item))
            continue;
        base_buffer_print(out, "%s", out->count ? ", " : "");
        char *spelled = spell_type(item->type, item->name);
        if (with_values)
            print_argument(entry, i, out);
        else
            base_buffer_print(out, "%s", spelled);
        free(spelled);
    }
    for (uint32_t i = 0; i < entry->sizes.count; i++)
        if (is_size_alone(entry, i))
            base_buffer_print(out, "%s%s%s", out->count ? ", " : "", with_values ? "in_" : "long ",
                              entry->sizes.data[i].name);
}

/* Each assumption is a function of its own, with parameters named as in the entry. */
static void write_assumptions(struct writer *writer, const struct target_entry *entry) {
    struct base_buffer parameters = {0};
    if (!entry->assumption_count)
        return;
    print_parameters(entry, false, &parameters);
    print_line(writer, 0, "#ifndef NULL\n#define NULL ((void *)0)\n#endif");
    print_line(writer, 0, "void slowpath_assume(int condition);");
    for (size_t i = 0; i < entry->assumption_count; i++) {
        print_line(writer, 0, "#line 1 \"--assume\"");
        print_line(writer, 0, "static int assumption_%zu(%s) { return (%s) != 0; }", i,
                   parameters.data, entry->assumptions[i]);
    }
    base_buffer_done(&parameters);
}

static void write_assuming(struct writer *writer, const struct target_entry *entry) {
    struct base_buffer values = {0};
    print_parameters(entry, true, &values);
    for (size_t i = 0; i < entry->assumption_count; i++)
        print_line(writer, 1, "slowpath_assume(assumption_%zu(%s));", i, values.data);
    base_buffer_done(&values);
}

/* The invariant is checked last, so it never sees what assumptions exclude. */
static void write_invariant(struct writer *writer, const struct target_entry *entry) {
    for (size_t i = 0; i < entry->items.count; i++) {
        if (!entry->items.data[i].is_checked)
            continue;
        print_line(writer, 1, "__slowpath_uncounted(1);");
        print_line(writer, 1, "int sound_%zu = __slowpath_invariant(in_%s) != 0;", i,
                   entry->items.data[i].name);
        print_line(writer, 1, "__slowpath_uncounted(0);");
        print_line(writer, 1, "slowpath_assume(sound_%zu);", i);
    }
}

static void declare_invariant(struct writer *writer, const struct target_entry *entry) {
    if (!entry->invariant)
        return;
    char *declaration = spell_type(entry->invariant_result, "__slowpath_invariant(void *)");
    print_line(writer, 0, "extern %s __asm__(\"%s\");", declaration, entry->invariant);
    print_line(writer, 0, "void slowpath_assume(int condition);");
    print_line(writer, 0, "void __slowpath_uncounted(int is_on);");
    free(declaration);
}

static void write_call(struct writer *writer, const struct target_entry *entry) {
    struct base_buffer arguments = {0};
    base_buffer_add(&arguments, "", 0);
    for (size_t i = 0; i < entry->items.count; i++) {
        if (i)
            base_buffer_print(&arguments, ", ");
        print_argument(entry, i, &arguments);
    }
    print_line(writer, 1, "__slowpath_entry(%s);", arguments.data);
    base_buffer_done(&arguments);
}

void target_entry_driver(const struct target_entry *entry, const struct ir_signature *signature,
                         const char *symbol, struct base_buffer *c_source) {
    struct writer writer = {.out = c_source};
    print_line(&writer, 0, "/* Calls %s with arguments made from the input. */", symbol);
    print_line(&writer, 0, "#undef linux\n#undef unix"); /* such names are free in strict C */
    print_line(&writer, 0, "void __slowpath_driver(void);");
    print_line(&writer, 0, "void *__slowpath_take(unsigned long bytes, const char *name);");
    print_line(&writer, 0,
               "void *__slowpath_take_array(unsigned long bytes, unsigned long behind, "
               "const char *name);");
    print_line(&writer, 0, "long __slowpath_size(const char *name);");
    ir_print_definitions(signature, c_source);
    write_declarations(&writer, entry, signature, symbol);
    write_helpers(&writer, entry);
    write_assumptions(&writer, entry);
    declare_invariant(&writer, entry);
    print_line(&writer, 0, "void __slowpath_driver(void) {");
    for (uint32_t i = 0; i < entry->sizes.count; i++)
        if (uses_size(entry, i))
            print_line(&writer, 1, "long in_%s = __slowpath_size(\"%s\");",
                       entry->sizes.data[i].name, entry->sizes.data[i].name);
    if (entry->heap.pools.count)
        print_line(&writer, 1, "make_objects();");
    for (size_t i = 0; i < entry->items.count; i++)
        write_argument(&writer, entry, i);
    if (entry->heap.pools.count)
        print_line(&writer, 1, "fill_objects();");
    write_assuming(&writer, entry);
    write_invariant(&writer, entry);
    write_call(&writer, entry);
    print_line(&writer, 0, "}");
}
