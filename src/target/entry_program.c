/* SPDX-License-Identifier: Apache-2.0
 *
 * How does one input look as a program that a person can read, compile and debug? This file
 * writes tests/0001.c: the arguments as literals, then the call.
 *
 * The input is decoded here as the driver of entry_driver.c does it in the target; the two must
 * agree byte for byte, and a test runs both on the same inputs. A value that C has no literal
 * for (a union whose largest member is not the whole, an exotic float) is written as bytes.
 */
#include "target/entry.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FULL 80        /* columns, after which a list goes on in the next line */
#define ON_STACK 65536 /* bytes; a larger array is static */

/* A pointer inside an object: where, and to which object or function of a pool. */
struct link {
    uint64_t offset;
    uint32_t pool, number;
};

struct object {
    const struct ir_type *type;
    const struct target_heap *heap;
    uint32_t pool, number;
    uint64_t bytes;
    unsigned char *image;
    BASE_VECTOR(struct link) links;
};

struct program {
    const struct target_entry *entry;
    const char *function;
    const char *source; /* included; NULL: linked */
    struct base_buffer *out;
    const unsigned char *input;
    size_t left;
    struct base_arena arena;
    struct target_shape shape;
    BASE_VECTOR(struct object *) objects;
};

/* ---- names ---- */

static bool is_taken(const struct program *program, const char *name) {
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

/* The user's own name for a parameter where C allows it. */
static const char *local_name(struct program *program, const char *name) {
    return is_taken(program, name) ? base_arena_format(&program->arena, "in_%s", name) : name;
}

static const char *spell(struct program *program, const struct ir_type *type, const char *name) {
    struct base_buffer text = {0};
    ir_print_declaration(type, name, &text);
    const char *copy = base_arena_strdup(&program->arena, text.data);
    base_buffer_done(&text);
    return copy;
}

/* ---- taking the input ---- */

/* The next bytes of the input; zero beyond its end. */
static unsigned char *take(struct program *program, uint64_t bytes) {
    unsigned char *copy = base_arena_alloc(&program->arena, bytes);
    size_t some = bytes < program->left ? bytes : program->left;
    if (some)
        memcpy(copy, program->input, some);
    program->input += some;
    program->left -= some;
    return copy;
}

/* Raw bytes made a valid value: pointers null, _Bool 0 or 1. */
static void clean(const struct ir_type *type, unsigned char *image) {
    if (type->kind == IR_TYPE_POINTER)
        memset(image, 0, type->size);
    else if (type->kind == IR_TYPE_BOOL)
        image[0] &= 1;
    else if (type->kind == IR_TYPE_ARRAY && !target_is_raw(type))
        for (uint64_t i = 0; i < type->count; i++)
            clean(type->element, image + i * type->element->size);
    else if (type->kind == IR_TYPE_STRUCT)
        for (uint32_t i = 0; i < type->member_count; i++)
            if (!type->members[i].bit_size)
                clean(type->members[i].type, image + type->members[i].offset);
}

static uint64_t get_bits(const unsigned char *image, uint64_t first, uint32_t count) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < count && i < 64; i++)
        value |= (uint64_t)(image[(first + i) / 8] >> ((first + i) % 8) & 1) << i;
    return value;
}

static void set_bits(unsigned char *image, uint64_t first, uint32_t count, uint64_t value) {
    for (uint32_t i = 0; i < count && i < 64; i++) {
        unsigned char mask = (unsigned char)(1u << ((first + i) % 8));
        image[(first + i) / 8] &= (unsigned char)~mask;
        if (value >> i & 1)
            image[(first + i) / 8] |= mask;
    }
}

/* ---- objects on the heap ---- */

/* All that something leads to. */
static void list_objects(struct program *program) {
    const struct target_heap *heap = &program->entry->heap;
    for (uint32_t i = 0; i < heap->pools.count; i++)
        for (uint32_t j = 1; j <= program->shape.objects; j++) {
            if (!program->shape.names[i][j])
                continue;
            struct object *object = base_arena_alloc(&program->arena, sizeof *object);
            const struct target_pool *pool = &heap->pools.data[i];
            uint64_t more = pool->more ? (uint64_t)program->shape.sizes[heap->elements] : 0;
            object->type = pool->type;
            object->heap = heap;
            object->pool = i;
            object->number = j;
            object->bytes = pool->size + more * pool->more;
            object->image = base_arena_alloc(&program->arena, object->bytes + 1);
            base_push(&program->objects, object);
        }
}

static void fill_bits(struct object *object, const struct target_column *part,
                      const unsigned char *from) {
    uint64_t value = 0, bytes = part->type->size;
    memcpy(&value, from, bytes < sizeof value ? bytes : sizeof value);
    if (part->type->kind == IR_TYPE_BOOL)
        value &= 1;
    set_bits(object->image, part->offset * 8 + part->bits->bit_offset, part->bits->bit_size, value);
}

static void fill_element(struct program *program, struct object *object,
                         const struct target_column *part, const struct target_place *place) {
    const struct target_shape *shape = &program->shape;
    uint64_t at = target_shape_offset(shape, place), bytes = target_column_bytes(part);
    uint64_t to = part->offset + place->element * part->stride;
    unsigned char *copy = base_arena_alloc(&program->arena, bytes + 1);
    if (part->kind == TARGET_LINK) {
        uint32_t which = target_shape_follow(shape, place);
        if (part->is_in_union && target_shape_is_link(shape, place))
            memset(object->image + to, 0, sizeof(void *));
        if (which)
            base_push(&object->links, (struct link){to, part->pool, which});
        return;
    }
    if (at < shape->size)
        memcpy(copy, shape->input + at, bytes < shape->size - at ? bytes : shape->size - at);
    if (part->kind == TARGET_BITS) {
        fill_bits(object, part, copy);
    } else {
        memcpy(object->image + to, copy, bytes);
        clean(part->type, object->image + to);
    }
}

static void fill_object(struct program *program, struct object *object) {
    const struct target_pool *pool = &program->entry->heap.pools.data[object->pool];
    struct target_place place = {.pool = object->pool, .object = object->number};
    for (place.part = 0; place.part < pool->parts.count; place.part++) {
        const struct target_column *part = &pool->parts.data[place.part];
        uint64_t count = target_column_count(program->entry, part, program->shape.sizes);
        for (place.element = 0; place.element < count; place.element++)
            fill_element(program, object, part, &place);
    }
}

/* ---- values as C ---- */

static bool has_literal(const struct ir_type *type);

/* The member that stands for a whole union. */
static const struct ir_member *union_member(const struct ir_type *type) {
    for (uint32_t i = 0; i < type->member_count; i++) {
        const struct ir_member *member = &type->members[i];
        if (!member->bit_size && *member->name && member->type->size == type->size &&
            member->type->kind != IR_TYPE_STRUCT && target_is_raw(member->type) &&
            has_literal(member->type))
            return member;
    }
    return NULL;
}

static bool has_literal(const struct ir_type *type) {
    switch (type->kind) {
    case IR_TYPE_ARRAY:
        return has_literal(type->element);
    case IR_TYPE_FLOAT:
        return strcmp(type->name, "float") == 0 || strcmp(type->name, "double") == 0 ||
               strcmp(type->name, "long double") == 0;
    case IR_TYPE_UNION:
        return union_member(type) != NULL && !target_has_link(type);
    case IR_TYPE_STRUCT:
        for (uint32_t i = 0; i < type->member_count; i++)
            if (!has_literal(type->members[i].type))
                return false;
        return true;
    default:
        return true;
    }
}

static void print_float(const struct ir_type *type, const unsigned char *image,
                        struct base_buffer *out) {
    char text[64];
    long double value = 0;
    float single = 0;
    double twice = 0;
    if (type->size == sizeof single) {
        memcpy(&single, image, sizeof single);
        value = single;
    } else if (type->size == sizeof twice) {
        memcpy(&twice, image, sizeof twice);
        value = twice;
    } else {
        memcpy(&value, image, sizeof value);
    }
    const char *sign = signbit(value) ? "-" : "";
    if (isnan(value) || isinf(value)) {
        base_buffer_print(out, "%s%s", sign,
                          isnan(value) ? "__builtin_nan(\"\")" : "__builtin_inf()");
        return;
    }
    int digits = type->size == 4 ? 9 : type->size == 8 ? 17 : 21;
    snprintf(text, sizeof text, "%.*Lg", digits, value);
    if (type->size == 8) { /* 0.1, not 0.10000000000000001 */
        char shorter[64];
        snprintf(shorter, sizeof shorter, "%.15g", twice);
        if (strtod(shorter, NULL) == twice)
            strcpy(text, shorter);
    }
    base_buffer_print(out, "%s%s%s", text, strpbrk(text, ".e") ? "" : ".0",
                      type->size == 4   ? "f"
                      : type->size == 8 ? ""
                                        : "L");
}

static void print_wide(bool is_signed, const unsigned char *image, struct base_buffer *out) {
    uint64_t halves[2];
    memcpy(halves, image, sizeof halves);
    base_buffer_print(out, "(%s)((unsigned __int128)0x%" PRIx64 "u << 64 | 0x%" PRIx64 "u)",
                      is_signed ? "__int128" : "unsigned __int128", halves[1], halves[0]);
}

static void print_bits(bool is_signed, uint64_t value, uint32_t bits, struct base_buffer *out) {
    if (bits > 64 || bits == 0)
        bits = 64;
    bool is_negative = is_signed && value >> (bits - 1) & 1;
    if (is_negative && bits < 64)
        value |= ~UINT64_C(0) << bits;
    target_print_integer(is_negative, is_negative ? -value : value, out);
}

static void print_character(char value, struct base_buffer *out) {
    if (value == '\'' || value == '\\')
        base_buffer_print(out, "'\\%c'", value);
    else
        base_buffer_print(out, "'%c'", value);
}

static void print_scalar(const struct ir_type *type, const unsigned char *image,
                         struct base_buffer *out) {
    if (type->kind == IR_TYPE_FLOAT)
        print_float(type, image, out);
    else if (type->size > 8)
        print_wide(target_is_signed(type), image, out);
    else if (type->kind == IR_TYPE_CHAR && strcmp(type->name, "char") == 0 && image[0] >= ' ' &&
             image[0] < 127)
        print_character((char)image[0], out);
    else
        print_bits(target_is_signed(type), get_bits(image, 0, (uint32_t)type->size * 8),
                   (uint32_t)type->size * 8, out);
}

static void print_value(const struct object *object, const struct ir_type *type,
                        const unsigned char *image, struct base_buffer *out);

static bool is_text(const struct ir_type *type, uint64_t count, const unsigned char *image) {
    if (type->kind != IR_TYPE_CHAR || !count)
        return false;
    uint64_t printable = 0;
    for (uint64_t i = 0; i < count; i++)
        printable += (image[i] >= ' ' && image[i] < 127) || image[i] == '\n' ||
                     (strcmp(type->name, "char") == 0 && image[i] == 0);
    return printable == count && image[0] != 0;
}

/* Between two elements: goes on in the next line where this one is full. */
static void print_comma(struct base_buffer *out) {
    size_t column = 0;
    while (column < out->count && out->data[out->count - 1 - column] != '\n')
        column++;
    base_buffer_print(out, column > FULL ? ",\n        " : ", ");
}

static void print_elements(const struct object *object, const struct ir_type *type, uint64_t count,
                           const unsigned char *image, struct base_buffer *out) {
    if (is_text(type, count, image)) {
        while (count > 1 && image[count - 1] == 0)
            count--; /* C fills up with zeros */
        target_print_string((const char *)image, count, out);
        return;
    }
    base_buffer_print(out, "{");
    for (uint64_t i = 0; i < count; i++) {
        if (i)
            print_comma(out);
        print_value(object, type, image + i * type->size, out);
    }
    base_buffer_print(out, count ? "}" : "0}");
}

static const struct link *find_link(const struct object *object, const unsigned char *image) {
    for (size_t i = 0; object && i < object->links.count; i++)
        if (object->image + object->links.data[i].offset == image)
            return &object->links.data[i];
    return NULL;
}

/* The name of an object in the program. */
static void print_object_name(uint32_t pool, uint32_t number, struct base_buffer *out) {
    if (pool)
        base_buffer_print(out, "object_%u_%u", pool + 1, number);
    else
        base_buffer_print(out, "object_%u", number);
}

/* What a pointer into a pool leads to. */
static void print_target(const struct target_heap *heap, uint32_t pool, uint32_t number,
                         struct base_buffer *out) {
    if (!number)
        base_buffer_print(out, "0");
    else if (target_pool_is_code(&heap->pools.data[pool]))
        base_buffer_print(out, "(void *)%s", heap->pools.data[pool].functions.data[number - 1]);
    else
        print_object_name(pool, number, out);
}

static void print_link(const struct object *object, const struct link *link,
                       struct base_buffer *out) {
    print_target(object ? object->heap : NULL, link ? link->pool : 0, link ? link->number : 0, out);
}

static void print_record(const struct object *object, const struct ir_type *type,
                         const unsigned char *image, struct base_buffer *out) {
    const struct ir_member *whole = type->kind == IR_TYPE_UNION ? union_member(type) : NULL;
    bool is_first = true;
    base_buffer_print(out, "{");
    for (uint32_t i = 0; i < type->member_count; i++) {
        const struct ir_member *member = &type->members[i];
        bool skip = (whole && member != whole) || (member->bit_size && !*member->name) ||
                    (!member->type->size && member->type->kind != IR_TYPE_POINTER);
        if (skip)
            continue;
        if (!is_first)
            print_comma(out);
        is_first = false;
        if (*member->name)
            base_buffer_print(out, ".%s = ", member->name);
        if (member->bit_size)
            print_bits(target_is_signed(member->type),
                       get_bits(image, member->offset * 8 + member->bit_offset, member->bit_size),
                       member->bit_size, out);
        else
            print_value(object, member->type, image + member->offset, out);
    }
    base_buffer_print(out, "}");
}

/* OBJECT, if any, is what IMAGE is part of: it knows where its pointers go. */
static void print_value(const struct object *object, const struct ir_type *type,
                        const unsigned char *image, struct base_buffer *out) {
    if (type->kind == IR_TYPE_ARRAY) {
        print_elements(object, type->element, type->count, image, out);
    } else if (type->kind == IR_TYPE_STRUCT || type->kind == IR_TYPE_UNION) {
        print_record(object, type, image, out);
    } else if (type->kind == IR_TYPE_POINTER) {
        print_link(object, find_link(object, image), out);
    } else {
        print_scalar(type, image, out);
    }
}

/* ---- arguments ---- */

static void print_byte_list(const unsigned char *image, uint64_t bytes, struct base_buffer *out) {
    base_buffer_print(out, "{");
    for (uint64_t i = 0; i < bytes; i++) {
        if (i)
            base_buffer_print(out, i % 16 ? ", " : ",\n        ");
        base_buffer_print(out, "%u", image[i]);
    }
    base_buffer_print(out, bytes ? "}" : "0}");
}

/* Bytes that are used as an object of another type: for what has no literal. */
static void print_bytes(struct program *program, const struct ir_type *pointer, const char *name,
                        const unsigned char *image, uint64_t bytes) {
    base_buffer_print(program->out,
                      "    static _Alignas(16) unsigned char %s_bytes[%" PRIu64 "] = ", name,
                      bytes ? bytes : 1);
    print_byte_list(image, bytes, program->out);
    base_buffer_print(program->out, ";\n");
    base_buffer_print(program->out, "    %s = (void *)%s_bytes;\n", spell(program, pointer, name),
                      name);
}

static bool print_array(struct program *program, const struct target_item *item,
                        const int64_t *sizes) {
    int64_t count;
    if (!target_evaluate(&item->elements, sizes, &count) || count < 0)
        return false;
    uint64_t bytes = (uint64_t)count * item->element->size;
    unsigned char *image = take(program, bytes);
    const char *name = local_name(program, item->name);
    for (int64_t i = 0; i < count; i++)
        clean(item->element, image + (uint64_t)i * item->element->size);
    if (!has_literal(item->element)) {
        struct ir_type pointer = {.kind = IR_TYPE_POINTER, .name = "", .element = item->element};
        print_bytes(program, &pointer, name, image, bytes);
        return true;
    }
    name = base_arena_format(&program->arena, "%s[%" PRId64 "]", name, count ? count : 1);
    base_buffer_print(program->out, "    %s%s = ", bytes > ON_STACK ? "static " : "",
                      spell(program, item->element, name));
    print_elements(NULL, item->element, (uint64_t)count, image, program->out);
    base_buffer_print(program->out, ";\n");
    return true;
}

static void print_symbolic_scalar(struct program *program, const struct target_item *item) {
    unsigned char *image = take(program, item->type->size);
    const char *name = local_name(program, item->name);
    clean(item->type, image);
    if (!has_literal(item->type)) {
        struct ir_type pointer = {.kind = IR_TYPE_POINTER, .name = "", .element = item->type};
        print_bytes(program, &pointer, name, image, item->type->size);
        return;
    }
    base_buffer_print(program->out, "    %s = ", spell(program, item->type, name));
    print_value(NULL, item->type, image, program->out);
    base_buffer_print(program->out, ";\n");
}

/* Elements one by one: of a row, and of a flexible array. */
static void print_row(struct program *program, const struct object *object,
                      const struct target_column *part) {
    uint64_t count = target_column_count(program->entry, part, program->shape.sizes);
    for (uint64_t i = 0; i < count; i++) {
        const unsigned char *image = object->image + part->offset + i * part->stride;
        struct ir_type pointer = {.kind = IR_TYPE_POINTER, .name = "", .element = part->type};
        base_buffer_print(program->out, "    *(%s)((char *)", spell(program, &pointer, ""));
        print_object_name(object->pool, object->number, program->out);
        base_buffer_print(program->out, " + %" PRIu64 ") = ", part->offset + i * part->stride);
        print_value(object, part->type, image, program->out);
        base_buffer_print(program->out, ";\n");
    }
}

static void print_rows(struct program *program, const struct object *object) {
    const struct target_pool *pool = &program->entry->heap.pools.data[object->pool];
    for (size_t i = 0; i < pool->parts.count; i++)
        if (!pool->parts.data[i].count)
            print_row(program, object, &pool->parts.data[i]);
}

static void print_object_bytes(struct program *program, const struct object *object) {
    base_buffer_print(program->out, "    __builtin_memcpy(");
    print_object_name(object->pool, object->number, program->out);
    base_buffer_print(program->out, ", (unsigned char[])");
    print_byte_list(object->image, object->type->size, program->out);
    base_buffer_print(program->out, ", %" PRIu64 ");\n", object->type->size);
    for (size_t i = 0; i < object->links.count; i++) {
        base_buffer_print(program->out, "    *(void **)((char *)");
        print_object_name(object->pool, object->number, program->out);
        base_buffer_print(program->out, " + %" PRIu64 ") = ", object->links.data[i].offset);
        print_link(object, &object->links.data[i], program->out);
        base_buffer_print(program->out, ";\n");
    }
}

static bool is_row(const struct object *object) {
    const struct target_pool *pool = &object->heap->pools.data[object->pool];
    return pool->more && pool->size < object->type->size;
}

static void print_object(struct program *program, const struct object *object) {
    if (is_row(object)) {
        print_rows(program, object);
    } else if (has_literal(object->type)) {
        base_buffer_print(program->out, "    *");
        print_object_name(object->pool, object->number, program->out);
        base_buffer_print(program->out, " = (%s)", spell(program, object->type, ""));
        print_value(object, object->type, object->image, program->out);
        base_buffer_print(program->out, ";\n");
        print_rows(program, object);
    } else {
        print_object_bytes(program, object);
        print_rows(program, object);
    }
}

/* Objects may point to one another, so all of them exist before the first one is filled. */
static void print_objects(struct program *program) {
    list_objects(program);
    for (size_t i = 0; i < program->objects.count; i++) {
        struct object *object = program->objects.data[i];
        struct base_buffer name = {0};
        struct ir_type pointer = {.kind = IR_TYPE_POINTER, .name = "", .element = object->type};
        fill_object(program, object);
        print_object_name(object->pool, object->number, &name);
        base_buffer_print(program->out, "    %s = ", spell(program, &pointer, name.data));
        if (object->bytes == object->type->size)
            base_buffer_print(program->out, "malloc(sizeof *%s);\n", name.data);
        else
            base_buffer_print(program->out, "calloc(1, %" PRIu64 ");\n", object->bytes);
        base_buffer_done(&name);
    }
    for (size_t i = 0; i < program->objects.count; i++)
        print_object(program, program->objects.data[i]);
}

static void print_shape(struct program *program, const struct target_item *item, size_t number) {
    uint32_t object =
        target_shape_follow(&program->shape, &(struct target_place){.part = (uint32_t)number});
    take(program, TARGET_CHOICE_BYTES);
    base_buffer_print(program->out,
                      "    %s = ", spell(program, item->type, local_name(program, item->name)));
    print_target(&program->entry->heap, item->pool, object, program->out);
    base_buffer_print(program->out, ";\n");
}

static void print_fixed(struct program *program, const struct target_item *item, size_t number) {
    if (item->kind == TARGET_STRING) {
        base_buffer_print(program->out, "    char fixed_%zu[] = ", number);
        target_print_string(item->bytes, item->byte_count, program->out);
    } else {
        bool is_array = item->type->kind == IR_TYPE_POINTER;
        bool is_empty = !item->has_numbers && !item->has_strings && !item->has_braces;
        const char *name = base_arena_format(&program->arena, "fixed_%zu%s", number,
                                             is_array ? (is_empty ? "[1]" : "[]") : "");
        base_buffer_print(program->out, "    %s = %s", spell(program, item->element, name),
                          is_empty ? "{0}" : item->text);
    }
    base_buffer_print(program->out, ";\n");
}

static bool print_locals(struct program *program, const int64_t *sizes) {
    print_objects(program);
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

static void print_argument(struct program *program, size_t i, const int64_t *sizes) {
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
                          item->kind == TARGET_SCALAR && !has_literal(item->type) ? "*" : "",
                          local_name(program, item->name));
    }
}

/* ---- the program ---- */

static void print_title(struct program *program, const struct ir_signature *signature,
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

/* Functions that objects point to. */
static void print_function_prototypes(struct program *program) {
    const struct target_heap *heap = &program->entry->heap;
    for (size_t i = 0; i < heap->pools.count && !program->source; i++)
        for (size_t j = 0; j < heap->pools.data[i].functions.count; j++)
            base_buffer_print(
                program->out, "%s;\n",
                spell(program, heap->pools.data[i].type, heap->pools.data[i].functions.data[j]));
}

static void print_prototypes(struct program *program, const struct ir_signature *signature) {
    struct ir_type function = target_function_type(&program->arena, signature, true);
    ir_print_definitions(signature, program->out);
    if (program->source)
        base_buffer_print(program->out, "%s = (void *)%s;\n",
                          spell(program, &function, "(*in_call)"), signature->name);
    else
        base_buffer_print(program->out, "%s;\n", spell(program, &function, program->function));
    bool has_shape = false;
    print_function_prototypes(program);
    for (size_t i = 0; i < program->entry->items.count; i++) {
        const struct target_item *item = &program->entry->items.data[i];
        if (item->kind == TARGET_CALLBACK && !program->source)
            base_buffer_print(program->out, "%s;\n",
                              spell(program, item->type->element, item->name));
        has_shape |= item->kind == TARGET_SHAPE;
    }
    if (has_shape)
        base_buffer_print(program->out, "void *malloc(unsigned long);\n"
                                        "void *calloc(unsigned long, unsigned long);\n");
}

/* With the source come its own types and its own main. Ours are local to our main, and the function
 * is called through a pointer that knows them. */
static void print_opening(struct program *program, const struct ir_signature *signature) {
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

static bool print_main(struct program *program, const int64_t *sizes) {
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
    struct program program = {.entry = entry,
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
