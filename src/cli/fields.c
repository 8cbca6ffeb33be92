/* SPDX-License-Identifier: Apache-2.0
 *
 * Names the bytes of an input as in the entry: arr[3], p.x.
 */
#include "cli/cli.h"
#include "expr/expr.h"
#include "target/entry.h"

#include <stdio.h>
#include <stdlib.h>

static bool is_integer(const struct ir_type *type) {
    switch (type->kind) {
    case IR_TYPE_BOOL:
    case IR_TYPE_SIGNED:
    case IR_TYPE_UNSIGNED:
    case IR_TYPE_CHAR:
    case IR_TYPE_ENUM:
        return type->size <= 8;
    default:
        return false;
    }
}

static const struct ir_type *name_part(const struct ir_type *type, uint64_t offset, unsigned bytes,
                                       struct base_buffer *out);

static const struct ir_type *name_member(const struct ir_type *type, uint64_t offset,
                                         unsigned bytes, struct base_buffer *out) {
    for (uint32_t i = 0; i < type->member_count; i++) {
        const struct ir_member *member = &type->members[i];
        if (member->bit_size || offset < member->offset ||
            offset - member->offset >= member->type->size)
            continue;
        size_t before = out->count;
        base_buffer_print(out, "%s%s", *member->name ? "." : "", member->name);
        const struct ir_type *found = name_part(member->type, offset - member->offset, bytes, out);
        if (found)
            return found;
        out->count = before;
    }
    return NULL;
}

/* BYTES of an expr_name, for an integer or a float or double. */
static unsigned size_of(unsigned bytes) {
    return bytes & ~EXPR_FLOAT;
}

static bool is_wanted(const struct ir_type *type, unsigned bytes) {
    bool is_kind = bytes & EXPR_FLOAT ? type->kind == IR_TYPE_FLOAT : is_integer(type);
    return is_kind && type->size == size_of(bytes);
}

/* Appends .member and [index] down to the number of BYTES at OFFSET; NULL if there is none exactly
 * there. */
static const struct ir_type *name_part(const struct ir_type *type, uint64_t offset, unsigned bytes,
                                       struct base_buffer *out) {
    if (type->kind == IR_TYPE_ARRAY && type->element && type->element->size) {
        base_buffer_print(out, "[%llu]", (unsigned long long)(offset / type->element->size));
        return name_part(type->element, offset % type->element->size, bytes, out);
    }
    if (type->kind == IR_TYPE_STRUCT || type->kind == IR_TYPE_UNION)
        return name_member(type, offset, bytes, out);
    return offset == 0 && is_wanted(type, bytes) ? type : NULL;
}

static void name_index(uint64_t size, uint64_t *inside, struct base_buffer *out) {
    base_buffer_print(out, "[%llu]", (unsigned long long)(*inside / size));
    *inside %= size;
}

/* a[n][m]: the dimensions that are not in the type. */
static void name_element(const struct target_field *field, uint64_t *inside,
                         struct base_buffer *out) {
    for (uint32_t outer = 0; outer <= field->inner_count; outer++) {
        uint64_t size = field->row->size;
        for (uint32_t i = outer; i < field->inner_count; i++)
            size *= field->inner[i];
        name_index(size, inside, out);
    }
}

/* Bytes that are not one number: part of one, several, a bit-field. */
static void name_bytes(const char *element, uint64_t inside, unsigned bytes,
                       struct base_buffer *out) {
    char type[16];
    if (bytes & EXPR_FLOAT)
        snprintf(type, sizeof type, "%s", size_of(bytes) == 4 ? "float" : "double");
    else
        snprintf(type, sizeof type, "int%u_t", bytes * 8);
    if (bytes == 1)
        base_buffer_print(out, "((uint8_t *)&%s)[%llu]", element, (unsigned long long)inside);
    else if (inside)
        base_buffer_print(out, "*(%s *)((char *)&%s + %llu)", type, element,
                          (unsigned long long)inside);
    else
        base_buffer_print(out, "*(%s *)&%s", type, element);
}

/* Returns whether the integer is signed. */
static bool name_value(const struct target_field *field, uint64_t inside, unsigned bytes,
                       struct base_buffer *out) {
    size_t before = out->count;
    const struct ir_type *type = field->row, *found;
    base_buffer_print(out, "%s", field->name);
    if (field->is_array)
        name_element(field, &inside, out);
    for (; type->kind == IR_TYPE_ARRAY; type = type->element)
        name_index(type->element->size, &inside, out);
    char *element = base_strdup(out->data + before);
    found = name_part(type, inside, bytes, out);
    if (!found) {
        out->count = before;
        name_bytes(element, inside, bytes, out);
    }
    free(element);
    return found ? target_is_signed(found) : bytes > 1;
}

/* l->next->v; for a struct inside an object, like the parts of a struct. */
static bool name_part_of_object(const struct target_shape *shape, uint32_t offset, unsigned bytes,
                                bool *is_signed, struct base_buffer *out) {
    struct target_place place;
    struct base_buffer name = {0};
    uint64_t inside;
    if (!target_shape_find(shape, offset, &place, &inside) ||
        !target_shape_name(shape, &place, &name)) {
        base_buffer_done(&name);
        return false;
    }
    const struct ir_type *type = target_shape_type(shape, &place), *found;
    size_t before = out->count;
    base_buffer_print(out, "%s", name.data);
    found = name_part(type, inside, bytes, out);
    if (!found) {
        out->count = before;
        name_bytes(name.data, inside, bytes, out);
    }
    *is_signed = found ? target_is_signed(found) : bytes > 1;
    base_buffer_done(&name);
    return true;
}

bool cli_link_name(uint32_t offset, int64_t value, void *context, struct base_buffer *out) {
    const struct cli_names *names = context;
    struct target_place place;
    uint64_t inside;
    if (!names->shape || !target_shape_find(names->shape, offset, &place, &inside) || inside ||
        target_shape_type(names->shape, &place)->kind != IR_TYPE_POINTER)
        return false;
    if (value < 0)
        return target_shape_name(names->shape, &place, out);
    return target_shape_name_target(names->shape, &place, (uint32_t)value, out);
}

bool cli_field_name(uint32_t offset, unsigned bytes, void *context, struct base_buffer *out) {
    const struct cli_names *names = context;
    const struct target_fields *fields = names->fields;
    bool is_signed;
    if (names->shape && name_part_of_object(names->shape, offset, bytes, &is_signed, out))
        return is_signed;
    for (size_t i = 0; i < fields->count; i++) {
        const struct target_field *field = &fields->data[i];
        uint64_t inside = offset - field->offset;
        if (offset >= field->offset && inside < field->count * field->element_size &&
            !field->is_link)
            return name_value(field, inside, bytes, out);
    }
    return expr_name_bytes(offset, bytes, NULL, out);
}
