/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a finding back from suite.json, for output. The file is not trusted: members that are
 * missing or of another type count as empty, and nothing here fails.
 */
#include "suite/finding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *suite_text(const json_t *object, const char *name, const char *otherwise) {
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : otherwise;
}

double suite_number(const json_t *object, const char *name, double otherwise) {
    const json_t *value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

const json_t *suite_find_finding(const json_t *root, const char *name) {
    const json_t *list = json_object_get(root, "findings"), *finding;
    size_t index;
    if (*name == 'F' || *name == 'f')
        name++;
    json_array_foreach((json_t *)list, index, finding) {
        const char *id = suite_text(finding, "id", "F");
        if (*name && strcmp(id + (*id != 0), name) == 0)
            return finding;
    }
    return NULL;
}

void suite_tell_step(const json_t *step, struct base_buffer *out) {
    const char *kind = suite_text(step, "kind", "step");
    const char *function = suite_text(step, "function", "?");
    const char *file = suite_text(step, "file", "");
    int line = (int)suite_number(step, "line", 0);
    bool is_call = strcmp(kind, "call") == 0 || strcmp(kind, "recursion") == 0;
    if (is_call)
        base_buffer_print(out, "%s of %s", kind, function);
    else
        base_buffer_print(out, "%s in %s", suite_text(step, "library", kind), function);
    if (*file && line)
        base_buffer_print(out, " (%s:%d)", file, line);
}

const char *suite_finding_place(const json_t *finding, int *line, const char **function) {
    const json_t *cause = json_object_get(finding, "cause"),
                 *at = json_object_get(finding, "hottest");
    size_t count = json_array_size(cause);
    if (count)
        at = json_array_get(cause, count - 1);
    *line = (int)suite_number(at, "line", 0);
    *function = suite_text(at, "function", "(not located)");
    return suite_text(at, "file", "");
}

void suite_tell_size(const json_t *finding, double size, struct base_buffer *out) {
    static const char *const units[] = {"bytes", "KB", "MB", "GB", "TB", "PB"};
    const char *what = suite_text(finding, "size_is", "");
    size_t unit = 0;
    double bytes = size;
    if (*what && size < 1e18) {
        base_buffer_print(out, "%s = %.0f", what, size);
        return;
    }
    while ((bytes >= 10000 || (bytes >= 1024 && fmod(bytes, 1024) == 0)) &&
           unit + 1 < BASE_COUNT(units)) {
        bytes /= 1024;
        unit++;
    }
    if (!(bytes < 1e9))
        base_buffer_print(out, "never");
    else
        base_buffer_print(out, bytes < 10 && unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}
