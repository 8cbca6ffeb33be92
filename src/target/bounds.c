/* SPDX-License-Identifier: Apache-2.0
 *
 * Bounds on the fields of an input, as the user writes them: NAME=LOW..HIGH.
 */
#include "target/entry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
        return !field->is_link && field->element_size <= 8;
    default:
        return false;
    }
}

/* The range of values that an element can hold, within int64_t. */
static int64_t least_of(const struct target_field *field) {
    unsigned width = (unsigned)field->element_size * 8;
    return !field->is_signed ? 0 : width >= 64 ? INT64_MIN : -((int64_t)1 << (width - 1));
}

static int64_t most_of(const struct target_field *field) {
    unsigned width = (unsigned)field->element_size * 8 - field->is_signed;
    return width >= 63 ? INT64_MAX : ((int64_t)1 << width) - 1;
}

static bool fits(const struct target_field *field, int64_t low, int64_t high) {
    return low >= least_of(field) && high <= most_of(field);
}

/* LOW..HIGH; either end may be left out. */
static bool read_bounds(const char *text, const char *dots, const struct target_field *field,
                        int64_t *low, int64_t *high) {
    const char *end = dots + strlen(dots);
    *low = least_of(field);
    *high = most_of(field);
    return (text != dots || dots + 2 != end) && (text == dots || read_number(text, dots, low)) &&
           (dots + 2 == end || read_number(dots + 2, end, high)) && *low <= *high;
}

static bool fail_bound(const char *text, struct base_error *error) {
    return base_fail(error, BASE_USAGE,
                     "--range %s: write NAME=LOW..HIGH, such as arr=0..9, or NAME=LOW..", text);
}

bool target_parse_bound(const char *text, const struct target_fields *fields,
                        const struct target_field **found, int64_t *low, int64_t *high,
                        struct base_error *error) {
    const char *equals = strchr(text, '='), *dots = equals ? strstr(equals + 1, "..") : NULL;
    if (!dots)
        return fail_bound(text, error);
    const struct target_field *field = find_field(text, (size_t)(equals - text), fields);
    if (!field)
        return no_field(text, (size_t)(equals - text), fields, error);
    if (!is_integer(field))
        return base_fail(error, BASE_USAGE, "--range %s: '%s' is not made of integers", text,
                         field->name);
    if (!read_bounds(equals + 1, dots, field, low, high))
        return fail_bound(text, error);
    if (!fits(field, *low, *high))
        return base_fail(error, BASE_USAGE, "--range %s: more than an element of %llu bytes holds",
                         text, (unsigned long long)field->element_size);
    *found = field;
    return true;
}
