/* SPDX-License-Identifier: Apache-2.0
 *
 * How is one input written as a program that a person can read, compile and debug? This file writes
 * tests/0001.c: the arguments as literals, then the call.
 *
 * It decodes the input like the driver of entry_driver.c does in the target. The two must agree
 * byte for byte, and a test runs both on the same inputs. A value without a literal in C (a union
 * whose largest member is smaller than the union, an exotic float) is written as bytes.
 */
#include "target/entry_program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ON_STACK 65536 /* bytes; a larger array is static */

/* ---- names ---- */

static bool is_taken(const struct target_program *program, const char *name) {
    static const char *const words[] = {
        "auto",     "break",  "case",   "char",      "const",    "continue", "default",  "do",
        "double",   "else",   "enum",   "extern",    "float",    "for",      "goto",     "if",
        "inline",   "int",    "long",   "register",  "restrict", "return",   "short",    "signed",
        "sizeof",   "static", "struct", "switch",    "typedef",  "union",    "unsigned", "void",
        "volatile", "while",  "asm",    "typeof",    "bool",     "true",     "false",    "nullptr",
        "main",     "malloc", "calloc", "constexpr", "linux",    "unix"};
    for (size_t i = 0; i < BASE_COUNT(words); i++)
        if (strcmp(words[i], name) == 0)
            return true;
    for (size_t i = 0; i < program->entry->items.count; i++)
        if (program->entry->items.data[i].kind == TARGET_CALLBACK &&
            strcmp(program->entry->items.data[i].name, name) == 0)
            return true;
    return name[0] == '_' || strncmp(name, "in_", 3) == 0 || strncmp(name, "fixed_", 6) == 0 ||
           strncmp(name, "object_", 7) == 0 || strcmp(program->function, name) == 0;
}

/* The user's own name for a parameter if C allows it. */
static const char *local_name(struct target_program *program, const char *name) {
    return is_taken(program, name) ? base_arena_format(&program->arena, "in_%s", name) : name;
}

const char *target_spell(struct target_program *program, const struct ir_type *type,
                         const char *name) {
    struct base_buffer text = {0};
    ir_print_declaration(type, name, &text);
    const char *copy = base_arena_strdup(&program->arena, text.data);
    base_buffer_done(&text);
    return copy;
}

/* ---- taking the input ---- */

/* The next bytes of the input; zeros beyond its end. */
static unsigned char *take(struct target_program *program, uint64_t bytes) {
    unsigned char *copy = base_arena_alloc(&program->arena, bytes);
    size_t some = bytes < program->left ? bytes : program->left;
    if (some)
        memcpy(copy, program->input, some);
    program->input += some;
    program->left -= some;
    return copy;
}

void target_clean_value(const struct ir_type *type, unsigned char *image) {
    if (type->kind == IR_TYPE_POINTER)
        memset(image, 0, type->size);
    else if (type->kind == IR_TYPE_BOOL)
        image[0] &= 1;
    else if (type->kind == IR_TYPE_ARRAY && !target_is_raw(type))
        for (uint64_t i = 0; i < type->count; i++)
            target_clean_value(type->element, image + i * type->element->size);
    else if (type->kind == IR_TYPE_STRUCT)
        for (uint32_t i = 0; i < type->member_count; i++)
            if (!type->members[i].bit_size)
                target_clean_value(type->members[i].type, image + type->members[i].offset);
}

/* ---- arguments ---- */

static void print_bytes(struct target_program *program, const struct ir_type *pointer,
                        const char *name, const unsigned char *image, uint64_t bytes) {
    base_buffer_print(program->out,
                      "    static _Alignas(16) unsigned char %s_bytes[%" PRIu64 "] = ", name,
                      bytes ? bytes : 1);
    target_print_byte_list(image, bytes, program->out);
    base_buffer_print(program->out, ";\n");
    base_buffer_print(program->out, "    %s = (void *)%s_bytes;\n",
                      target_spell(program, pointer, name), name);
}

static bool print_array(struct target_program *program, const struct target_item *item,
                        const int64_t *sizes) {
    int64_t count;
    if (!target_evaluate(&item->elements, sizes, &count) || count < 0)
        return false;
    uint64_t bytes = (uint64_t)count * item->element->size;
    unsigned char *image = take(program, bytes);
    const char *name = local_name(program, item->name);
    for (int64_t i = 0; i < count; i++)
        target_clean_value(item->element, image + (uint64_t)i * item->element->size);
    if (!target_has_literal(item->element)) {
        struct ir_type pointer = {.kind = IR_TYPE_POINTER, .name = "", .element = item->element};
        print_bytes(program, &pointer, name, image, bytes);
        return true;
    }
    name = base_arena_format(&program->arena, "%s[%" PRId64 "]", name, count ? count : 1);
    base_buffer_print(program->out, "    %s%s = ", bytes > ON_STACK ? "static " : "",
                      target_spell(program, item->element, name));
    target_print_elements(NULL, item->element, (uint64_t)count, image, program->out);
    base_buffer_print(program->out, ";\n");
    return true;
}

static void print_symbolic_scalar(struct target_program *program, const struct target_item *item) {
    unsigned char *image = take(program, item->type->size);
    const char *name = local_name(program, item->name);
    target_clean_value(item->type, image);
    if (!target_has_literal(item->type)) {
        struct ir_type pointer = {.kind = IR_TYPE_POINTER, .name = "", .element = item->type};
        print_bytes(program, &pointer, name, image, item->type->size);
        return;
    }
    base_buffer_print(program->out, "    %s = ", target_spell(program, item->type, name));
    target_print_value(NULL, item->type, image, program->out);
    base_buffer_print(program->out, ";\n");
}

static void print_shape(struct target_program *program, const struct target_item *item,
                        size_t number) {
    uint32_t object =
        target_shape_follow(&program->shape, &(struct target_place){.part = (uint32_t)number});
    take(program, TARGET_CHOICE_BYTES);
    base_buffer_print(program->out, "    %s = ",
                      target_spell(program, item->type, local_name(program, item->name)));
    target_print_pointer(&program->entry->heap, item->pool, object, program->out);
    base_buffer_print(program->out, ";\n");
}

static void print_fixed(struct target_program *program, const struct target_item *item,
                        size_t number) {
    if (item->kind == TARGET_STRING) {
        base_buffer_print(program->out, "    char fixed_%zu[] = ", number);
        target_print_string(item->bytes, item->byte_count, program->out);
    } else {
        bool is_array = item->type->kind == IR_TYPE_POINTER;
        bool is_empty = !item->has_numbers && !item->has_strings && !item->has_braces;
        const char *name = base_arena_format(&program->arena, "fixed_%zu%s", number,
                                             is_array ? (is_empty ? "[1]" : "[]") : "");
        base_buffer_print(program->out, "    %s = %s", target_spell(program, item->element, name),
                          is_empty ? "{0}" : item->text);
    }
    base_buffer_print(program->out, ";\n");
}

static bool print_locals(struct target_program *program, const int64_t *sizes) {
    target_print_objects(program);
    for (size_t i = 0; i < program->entry->items.count; i++) {
        const struct target_item *item = &program->entry->items.data[i];
        if (item->kind == TARGET_ARRAY && !print_array(program, item, sizes))
            return false;
        if (item->kind == TARGET_SCALAR)
            print_symbolic_scalar(program, item);
        if (item->kind == TARGET_SHAPE)
            print_shape(program, item, i);
        if (item->kind == TARGET_STRING || item->kind == TARGET_LIST)
            print_fixed(program, item, i);
    }
    return true;
}

static void print_argument(struct target_program *program, size_t i, const int64_t *sizes) {
    const struct target_item *item = &program->entry->items.data[i];
    switch (item->kind) {
    case TARGET_SIZE:
        target_print_integer(sizes[item->size] < 0, (uint64_t)llabs(sizes[item->size]),
                             program->out);
        break;
    case TARGET_STRING:
    case TARGET_LIST:
        base_buffer_print(program->out, "%sfixed_%zu",
                          item->kind == TARGET_STRING ? "(void *)" : "", i);
        break;
    case TARGET_NULL:
        base_buffer_print(program->out, "(void *)0");
        break;
    case TARGET_NUMBER:
        if (item->is_real)
            base_buffer_print(program->out, "%s", item->text);
        else
            target_print_integer(item->is_negative, item->magnitude, program->out);
        break;
    case TARGET_CALLBACK:
        base_buffer_print(program->out, "%s%s", program->source ? "(void *)" : "", item->name);
        break;
    default:
        base_buffer_print(program->out, "%s%s",
                          item->kind == TARGET_SCALAR && !target_has_literal(item->type) ? "*" : "",
                          local_name(program, item->name));
    }
}

/* ---- the program ---- */

static void print_title(struct target_program *program, const struct ir_signature *signature,
                        const int64_t *sizes) {
    const char *file = base_basename(*signature->file ? signature->file : "FILE.c");
    base_buffer_print(program->out, "/* %s", program->function);
    for (size_t i = 0; i < program->entry->sizes.count; i++)
        base_buffer_print(program->out, "%s%s = %" PRId64, i ? ", " : " with ",
                          program->entry->sizes.data[i].name, sizes[i]);
    if (program->source)
        base_buffer_print(program->out, "; compile this file in the place of %s. */\n\n", file);
    else
        base_buffer_print(program->out, "; compile this file together with %s. */\n\n", file);
}

/* Declares the functions that objects point to. */
static void print_function_prototypes(struct target_program *program) {
    const struct target_heap *heap = &program->entry->heap;
    for (size_t i = 0; i < heap->pools.count && !program->source; i++)
        for (size_t j = 0; j < heap->pools.data[i].functions.count; j++)
            base_buffer_print(program->out, "%s;\n",
                              target_spell(program, heap->pools.data[i].type,
                                           heap->pools.data[i].functions.data[j]));
}

static void print_prototypes(struct target_program *program, const struct ir_signature *signature) {
    struct ir_type function = target_function_type(&program->arena, signature, true);
    ir_print_definitions(signature, program->out);
    if (program->source)
        base_buffer_print(program->out, "%s = (void *)%s;\n",
                          target_spell(program, &function, "(*in_call)"), signature->name);
    else
        base_buffer_print(program->out, "%s;\n",
                          target_spell(program, &function, program->function));
    bool has_shape = false;
    print_function_prototypes(program);
    for (size_t i = 0; i < program->entry->items.count; i++) {
        const struct target_item *item = &program->entry->items.data[i];
        if (item->kind == TARGET_CALLBACK && !program->source)
            base_buffer_print(program->out, "%s;\n",
                              target_spell(program, item->type->element, item->name));
        has_shape |= item->kind == TARGET_SHAPE;
    }
    if (has_shape)
        base_buffer_print(program->out, "void *malloc(unsigned long);\n"
                                        "void *calloc(unsigned long, unsigned long);\n");
}

/* Including the source brings its types and its main. Our types are local to our main, and the
 * function is called through a pointer of the matching type. */
static void print_opening(struct target_program *program, const struct ir_signature *signature) {
    if (program->source) {
        base_buffer_print(program->out,
                          "#define main main_of_the_source\n#include \"%s\"\n"
                          "#undef main\n\nint main(void) {\n",
                          program->source);
        print_prototypes(program, signature);
    } else {
        print_prototypes(program, signature);
        base_buffer_print(program->out, "\nint main(void) {\n");
    }
}

static bool print_main(struct target_program *program, const int64_t *sizes) {
    if (!print_locals(program, sizes))
        return false;
    base_buffer_print(program->out, "    %s(", program->source ? "in_call" : program->function);
    for (size_t i = 0; i < program->entry->items.count; i++) {
        base_buffer_print(program->out, "%s", i ? ", " : "");
        print_argument(program, i, sizes);
    }
    base_buffer_print(program->out, ");\n    return 0;\n}\n");
    return true;
}

bool target_entry_test_program(const struct target_entry *entry,
                               const struct ir_signature *signature, const char *source,
                               const int64_t *sizes, const void *input, size_t input_size,
                               struct base_buffer *c_source) {
    struct target_program program = {.entry = entry,
                                     .function = signature->name,
                                     .source = source,
                                     .out = c_source,
                                     .input = input,
                                     .left = input_size};
    uint64_t bytes;
    if (!target_entry_bytes(entry, sizes, &bytes))
        return false;
    target_shape_init(&program.shape, entry, sizes, input, input_size);
    print_title(&program, signature, sizes);
    print_opening(&program, signature);
    bool good = print_main(&program, sizes);
    for (size_t i = 0; i < program.objects.count; i++)
        base_vector_done(&program.objects.data[i]->links);
    base_vector_done(&program.objects);
    target_shape_done(&program.shape);
    base_arena_done(&program.arena);
    return good;
}
