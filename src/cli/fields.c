/* SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of an input by the names of the entry: arr[3], p.x.
 */
#include "cli/cli.h"
#include "expr/expr.h"
#include "target/entry.h"

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

/* Appends .member and [index] down to the integer of so many BYTES at OFFSET; NULL when none is
 * just there. */
static const struct ir_type *name_part(const struct ir_type *type, uint64_t offset, unsigned bytes,
                                       struct base_buffer *out) {
    if (type->kind == IR_TYPE_ARRAY && type->element && type->element->size) {
        base_buffer_print(out, "[%llu]", (unsigned long long)(offset / type->element->size));
        return name_part(type->element, offset % type->element->size, bytes, out);
    }
    if (type->kind == IR_TYPE_STRUCT || type->kind == IR_TYPE_UNION)
        return name_member(type, offset, bytes, out);
    return is_integer(type) && offset == 0 && bytes == type->size ? type : NULL;
}

static void name_index(uint64_t size, uint64_t *inside, struct base_buffer *out) {
    base_buffer_print(out, "[%llu]", (unsigned long long)(*inside / size));
    *inside %= size;
}

/* Bytes that are no integer of their own: part of one, several, a bit-field. */
static void name_bytes(const char *element, uint64_t inside, unsigned bytes,
                       struct base_buffer *out) {
    if (bytes == 1)
        base_buffer_print(out, "((uint8_t *)&%s)[%llu]", element, (unsigned long long)inside);
    else if (inside)
        base_buffer_print(out, "*(int%u_t *)((char *)&%s + %llu)", bytes * 8, element,
                          (unsigned long long)inside);
    else
        base_buffer_print(out, "*(int%u_t *)&%s", bytes * 8, element);
}

/* Tells whether the integer is signed. */
static bool name_value(const struct target_field *field, uint64_t inside, unsigned bytes,
                       struct base_buffer *out) {
    size_t before = out->count;
    const struct ir_type *type = field->row, *found;
    base_buffer_print(out, "%s", field->name);
    if (field->is_array)
        name_index(type->size, &inside, out);
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

bool cli_field_name(uint32_t offset, unsigned bytes, void *context, struct base_buffer *out) {
    const struct target_fields *fields = context;
    for (size_t i = 0; i < fields->count; i++) {
        const struct target_field *field = &fields->data[i];
        uint64_t inside = offset - field->offset;
        if (offset >= field->offset && inside < field->count * field->element_size &&
            !field->is_shape)
            return name_value(field, inside, bytes, out);
    }
    return expr_name_bytes(offset, bytes, NULL, out);
}
