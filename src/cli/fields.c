/* SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of an input by the names of the entry: arr[3], p.x.
 */
#include "cli/cli.h"
#include "target/entry.h"

/* Appends .member and [index] down to the value at OFFSET; false when none is just there. */
static bool name_part(const struct ir_type *type, uint64_t offset, unsigned bytes,
                      struct base_buffer *out) {
    if (type->kind == IR_TYPE_ARRAY && type->element && type->element->size) {
        base_buffer_print(out, "[%llu]", (unsigned long long)(offset / type->element->size));
        return name_part(type->element, offset % type->element->size, bytes, out);
    }
    if (type->kind != IR_TYPE_STRUCT)
        return offset == 0 && bytes == type->size;
    for (uint32_t i = 0; i < type->member_count; i++) {
        const struct ir_member *member = &type->members[i];
        if (member->bit_size || offset < member->offset ||
            offset - member->offset >= member->type->size)
            continue;
        base_buffer_print(out, ".%s", member->name);
        return name_part(member->type, offset - member->offset, bytes, out);
    }
    return false;
}

static bool name_value(const struct target_field *field, uint64_t inside, unsigned bytes,
                       struct base_buffer *out) {
    base_buffer_print(out, "%s", field->name);
    if (field->is_array)
        base_buffer_print(out, "[%llu]", (unsigned long long)(inside / field->element_size));
    return !field->is_shape && name_part(field->type, inside % field->element_size, bytes, out);
}

void cli_field_name(uint32_t offset, unsigned bytes, void *context, struct base_buffer *out) {
    const struct target_fields *fields = context;
    for (size_t i = 0; i < fields->count; i++) {
        const struct target_field *field = &fields->data[i];
        uint64_t inside = offset - field->offset;
        if (offset < field->offset || inside >= field->count * field->element_size)
            continue;
        size_t before = out->count;
        if (name_value(field, inside, bytes, out))
            return;
        out->count = before;
        base_buffer_print(out,
                          bytes == 1 ? "((unsigned char *)%s%s)[%llu]" : "bytes(%s%s, %llu, %u)",
                          field->is_array || field->is_shape ? "" : "&", field->name,
                          (unsigned long long)inside, bytes);
        return;
    }
    base_buffer_print(out, "in[%u]", offset);
}
