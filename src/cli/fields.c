/* SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of an input by the names of the entry: arr[3], p.x, and bounds on them.
 */
#include "cli/cli.h"
#include "solver/solver.h"
#include "target/entry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

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

/* ---- ranges ---- */

static const struct target_field *find_field(const char *name, size_t length,
                                             const struct target_fields *fields) {
    for (size_t i = 0; i < fields->count; i++)
        if (strlen(fields->data[i].name) == length &&
            strncmp(fields->data[i].name, name, length) == 0)
            return &fields->data[i];
    return NULL;
}

static bool read_number(const char *text, const char *until, int64_t *value) {
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 0);
    return end != text && end == until && !errno;
}

static bool no_field(const char *text, size_t length, const struct target_fields *fields,
                     struct base_error *error) {
    struct base_buffer names = {0};
    for (size_t i = 0; i < fields->count; i++)
        base_buffer_print(&names, "%s%s", i ? ", " : "", fields->data[i].name);
    base_fail(error, BASE_USAGE, "--range %s: the input has no field '%.*s' (it has %s)", text,
              (int)length, text, names.count ? names.data : "none");
    base_buffer_done(&names);
    return false;
}

static bool is_integer(const struct target_field *field) {
    switch (field->type->kind) {
    case IR_TYPE_BOOL:
    case IR_TYPE_SIGNED:
    case IR_TYPE_UNSIGNED:
    case IR_TYPE_CHAR:
    case IR_TYPE_ENUM:
        return !field->is_shape && field->element_size <= 8;
    default:
        return false;
    }
}

static bool fits(const struct target_field *field, int64_t low, int64_t high) {
    unsigned width = (unsigned)field->element_size * 8;
    if (width >= 64)
        return field->is_signed || low >= 0;
    int64_t least = field->is_signed ? -((int64_t)1 << (width - 1)) : 0;
    int64_t most = ((int64_t)1 << (field->is_signed ? width - 1 : width)) - 1;
    return low >= least && high <= most;
}

bool cli_parse_range(const char *text, const struct target_fields *fields,
                     struct cli_ranges *ranges, struct base_error *error) {
    const char *equals = strchr(text, '='), *dots = equals ? strstr(equals + 1, "..") : NULL;
    int64_t low, high;
    if (!dots || !read_number(equals + 1, dots, &low) ||
        !read_number(dots + 2, text + strlen(text), &high) || low > high)
        return base_fail(error, BASE_USAGE, "--range %s: write NAME=LOW..HIGH, such as arr=0..9",
                         text);
    const struct target_field *field = find_field(text, (size_t)(equals - text), fields);
    if (!field)
        return no_field(text, (size_t)(equals - text), fields, error);
    if (!is_integer(field))
        return base_fail(error, BASE_USAGE, "--range %s: '%s' is not made of integers", text,
                         field->name);
    if (!fits(field, low, high))
        return base_fail(error, BASE_USAGE, "--range %s: more than an element of %llu bytes holds",
                         text, (unsigned long long)field->element_size);
    for (uint64_t i = 0; i < field->count; i++)
        base_push(ranges, (struct solver_range){
                              .offset = (uint32_t)(field->offset + i * field->element_size),
                              .width = (uint32_t)field->element_size * 8,
                              .low = low,
                              .high = high,
                              .is_signed = field->is_signed});
    return true;
}
