/* SPDX-License-Identifier: Apache-2.0
 *
 * How are roles kept beside a variant? A line for each function, another for each parameter.
 */
#include "ir/roles.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool ir_roles_save(const struct ir_all_roles *all, const char *path, struct base_error *error) {
    struct base_buffer text = {0};
    for (size_t i = 0; i < all->count; i++) {
        const struct ir_function_roles *function = &all->data[i];
        base_buffer_print(&text, "f %s %d %u\n", function->name, function->returns_new,
                          function->count);
        for (uint32_t p = 0; p < function->count; p++) {
            const struct ir_parameter_roles *roles = &function->parameters[p];
            base_buffer_print(&text, "p %u %u %u", roles->roles, roles->length_of,
                              roles->constant_count);
            for (uint32_t c = 0; c < roles->constant_count; c++)
                base_buffer_print(&text, " %" PRId64, roles->constants[c]);
            base_buffer_print(&text, "\n");
        }
    }
    bool good = base_write_file(path, text.data ? text.data : "", text.count, error);
    base_buffer_done(&text);
    return good;
}

static void read_parameter(const char *line, struct ir_parameter_roles *roles) {
    int used = 0;
    if (sscanf(line, "p %u %u %u%n", &roles->roles, &roles->length_of, &roles->constant_count,
               &used) != 3 ||
        roles->constant_count > IR_ROLE_CONSTANTS)
        return;
    for (uint32_t i = 0; i < roles->constant_count; i++) {
        char *end;
        roles->constants[i] = strtoll(line + used, &end, 10);
        used = (int)(end - line);
    }
}

static void read_line(const char *line, struct ir_all_roles *all, uint32_t *parameter) {
    char name[512];
    int is_new;
    struct ir_function_roles function = {0};
    if (sscanf(line, "f %511s %d %u", name, &is_new, &function.count) == 3 &&
        function.count <= IR_ROLE_PARAMETERS) {
        function.name = base_strdup(name);
        function.returns_new = is_new;
        base_push(all, function);
        *parameter = 0;
    } else if (*line == 'p' && all->count && *parameter < all->data[all->count - 1].count) {
        read_parameter(line, &all->data[all->count - 1].parameters[(*parameter)++]);
    }
}

bool ir_roles_load(const char *path, struct ir_all_roles *all, struct base_error *error) {
    char *text, *rest, *line;
    size_t size;
    uint32_t parameter = 0;
    if (!base_read_file(path, &text, &size, error))
        return false;
    for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        read_line(line, all, &parameter);
    free(text);
    return true;
}

const struct ir_function_roles *ir_roles_find(const struct ir_all_roles *all, const char *name) {
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->data[i].name, name) == 0)
            return &all->data[i];
    return NULL;
}

void ir_roles_done(struct ir_all_roles *all) {
    for (size_t i = 0; i < all->count; i++)
        free(all->data[i].name);
    base_vector_done(all);
}
