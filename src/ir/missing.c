/* SPDX-License-Identifier: Apache-2.0
 *
 * What does one say about a function that is not there? The names that come nearest to it.
 */
#include "ir/missing.h"

#include <stdlib.h>
#include <string.h>

#define FEW 3
#define MISSING "no function '"

struct near_name {
    const char *name;
    size_t distance;
};

static int nearer(const void *a, const void *b) {
    const struct near_name *left = a, *right = b;
    if (left->distance != right->distance)
        return left->distance < right->distance ? -1 : 1;
    return strcmp(left->name, right->name);
}

static void list_names(const struct near_name *names, size_t count, struct base_buffer *text) {
    for (size_t i = 0; i < count && i < FEW; i++)
        base_buffer_print(text, "%s%s", i ? ", " : "", names[i].name);
}

bool ir_fail_missing(const char *function, const struct base_strings *present,
                     struct base_error *error) {
    size_t limit = base_near_distance(function), near = 0;
    struct near_name *names = base_alloc(present->count * sizeof *names);
    for (size_t i = 0; i < present->count; i++) {
        names[i].name = present->data[i];
        names[i].distance = base_edit_distance(function, names[i].name);
        near += names[i].distance <= limit;
    }
    qsort(names, present->count, sizeof *names, nearer);
    struct base_buffer text = {0};
    list_names(names, near ? near : present->count, &text);
    if (near)
        base_fail(error, BASE_TARGET, MISSING "%s' in the target; did you mean %s?", function,
                  text.data);
    else if (present->count)
        base_fail(error, BASE_TARGET, MISSING "%s' in the target; it has %s%s", function, text.data,
                  present->count > FEW ? ", \u2026" : "");
    else
        base_fail(error, BASE_TARGET, MISSING "%s' in the target; it has none with a body",
                  function);
    base_buffer_done(&text);
    free(names);
    return false;
}

bool ir_is_missing(const struct base_error *error) {
    return error->code == BASE_TARGET && strncmp(error->message, MISSING, strlen(MISSING)) == 0;
}
