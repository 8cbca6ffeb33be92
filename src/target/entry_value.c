/* SPDX-License-Identifier: Apache-2.0
 *
 * What does a value look like in C? Literals of scalars, arrays, structs and unions from their
 * bytes, and pointers by the name of the object they point to. A value without a literal in C (a
 * union whose largest member is smaller than the union, an exotic float) is left to the caller, who
 * writes bytes.
 */
#include "target/entry_program.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FULL 80 /* columns, then a list continues on the next line */

static uint64_t get_bits(const unsigned char *image, uint64_t first, uint32_t count) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < count && i < 64; i++)
        value |= (uint64_t)(image[(first + i) / 8] >> ((first + i) % 8) & 1) << i;
    return value;
}

/* The member that stands for a whole union. */
static const struct ir_member *union_member(const struct ir_type *type) {
    for (uint32_t i = 0; i < type->member_count; i++) {
        const struct ir_member *member = &type->members[i];
        if (!member->bit_size && *member->name && member->type->size == type->size &&
            member->type->kind != IR_TYPE_STRUCT && target_is_raw(member->type) &&
            target_has_literal(member->type))
            return member;
    }
    return NULL;
}

bool target_has_literal(const struct ir_type *type) {
    switch (type->kind) {
    case IR_TYPE_ARRAY:
        return target_has_literal(type->element);
    case IR_TYPE_FLOAT:
        return strcmp(type->name, "float") == 0 || strcmp(type->name, "double") == 0 ||
               strcmp(type->name, "long double") == 0;
    case IR_TYPE_UNION:
        return union_member(type) != NULL && !target_has_link(type);
    case IR_TYPE_STRUCT:
        for (uint32_t i = 0; i < type->member_count; i++)
            if (!target_has_literal(type->members[i].type))
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

static bool is_text(const struct ir_type *type, uint64_t count, const unsigned char *image) {
    if (type->kind != IR_TYPE_CHAR || !count)
        return false;
    uint64_t printable = 0;
    for (uint64_t i = 0; i < count; i++)
        printable += (image[i] >= ' ' && image[i] < 127) || image[i] == '\n' ||
                     (strcmp(type->name, "char") == 0 && image[i] == 0);
    return printable == count && image[0] != 0;
}

/* Separates two elements, with a line break if the line is full. */
static void print_comma(struct base_buffer *out) {
    size_t column = 0;
    while (column < out->count && out->data[out->count - 1 - column] != '\n')
        column++;
    base_buffer_print(out, column > FULL ? ",\n        " : ", ");
}

void target_print_elements(const struct target_program_object *object, const struct ir_type *type,
                           uint64_t count, const unsigned char *image, struct base_buffer *out) {
    if (is_text(type, count, image)) {
        while (count > 1 && image[count - 1] == 0)
            count--; /* C fills the rest with zeros */
        target_print_string((const char *)image, count, out);
        return;
    }
    base_buffer_print(out, "{");
    for (uint64_t i = 0; i < count; i++) {
        if (i)
            print_comma(out);
        target_print_value(object, type, image + i * type->size, out);
    }
    base_buffer_print(out, count ? "}" : "0}");
}

static const struct target_program_link *find_link(const struct target_program_object *object,
                                                   const unsigned char *image) {
    for (size_t i = 0; object && i < object->links.count; i++)
        if (object->image + object->links.data[i].offset == image)
            return &object->links.data[i];
    return NULL;
}

void target_print_object_name(uint32_t pool, uint32_t number, struct base_buffer *out) {
    if (pool)
        base_buffer_print(out, "object_%u_%u", pool + 1, number);
    else
        base_buffer_print(out, "object_%u", number);
}

void target_print_pointer(const struct target_heap *heap, uint32_t pool, uint32_t number,
                          struct base_buffer *out) {
    if (!number)
        base_buffer_print(out, "0");
    else if (target_pool_is_code(&heap->pools.data[pool]))
        base_buffer_print(out, "(void *)%s", heap->pools.data[pool].functions.data[number - 1]);
    else
        target_print_object_name(pool, number, out);
}

void target_print_link(const struct target_program_object *object,
                       const struct target_program_link *link, struct base_buffer *out) {
    if (object && link)
        target_print_pointer(object->heap, link->pool, link->number, out);
    else
        base_buffer_print(out, "0");
}

static void print_record(const struct target_program_object *object, const struct ir_type *type,
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
            target_print_value(object, member->type, image + member->offset, out);
    }
    base_buffer_print(out, "}");
}

void target_print_value(const struct target_program_object *object, const struct ir_type *type,
                        const unsigned char *image, struct base_buffer *out) {
    if (type->kind == IR_TYPE_ARRAY) {
        target_print_elements(object, type->element, type->count, image, out);
    } else if (type->kind == IR_TYPE_STRUCT || type->kind == IR_TYPE_UNION) {
        print_record(object, type, image, out);
    } else if (type->kind == IR_TYPE_POINTER) {
        target_print_link(object, find_link(object, image), out);
    } else {
        print_scalar(type, image, out);
    }
}

void target_print_byte_list(const unsigned char *image, uint64_t bytes, struct base_buffer *out) {
    base_buffer_print(out, "{");
    for (uint64_t i = 0; i < bytes; i++) {
        if (i)
            base_buffer_print(out, i % 16 ? ", " : ",\n        ");
        base_buffer_print(out, "%u", image[i]);
    }
    base_buffer_print(out, bytes ? "}" : "0}");
}

/* Bytes used as an object of another type, for values without a literal. */
