/* SPDX-License-Identifier: Apache-2.0
 *
 * Where are the programs of a pipeline? A name with a slash is a path; any other is searched in the
 * folders of --path, never in the shell's PATH: programs there were not built with slowpath-cc.
 */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The file of that name in the first folder that has one, or NULL. */
static char *find_in(const char *folders, const char *name) {
    for (const char *at = folders; *at;) {
        size_t length = strcspn(at, ":");
        char *path = base_format("%.*s/%s", length ? (int)length : 1, length ? at : ".", name);
        if (access(path, R_OK) == 0 && !base_is_directory(path))
            return path;
        free(path);
        at += length + (at[length] == ':');
    }
    return NULL;
}

static bool find_program(struct cli_target *target, size_t stage, const char *folders,
                         struct base_error *error) {
    const char *name = target->pipeline.stages.data[stage].words.data[0];
    bool is_path = strchr(name, '/') != NULL;
    char *path = is_path ? base_strdup(name) : folders ? find_in(folders, name) : NULL;
    if (path && access(path, R_OK) == 0) {
        base_strings_add(&target->paths, path);
        free(path);
        return true;
    }
    free(path);
    char *what =
        is_path   ? base_format("there is no program '%s'", name)
        : folders ? base_format("there is no program '%s' in --path %s", name, folders)
                  : base_format("where is '%s'? --path DIR names the folder of programs that were "
                                "built with slowpath-cc",
                                name);
    target_pipeline_blame(&target->pipeline, stage, BASE_USAGE, what, error);
    free(what);
    return false;
}

static bool check_marks(const struct target_pipeline *pipeline, struct base_error *error) {
    for (size_t i = 1; i < pipeline->stages.count; i++)
        for (size_t k = 1; k < pipeline->stages.data[i].words.count; k++)
            if (strstr(pipeline->stages.data[i].words.data[k], "@@"))
                return target_pipeline_blame(pipeline, i, BASE_USAGE,
                                             "@@ is the input: only the first program may read it",
                                             error);
    return true;
}

bool cli_pipe_find(struct cli_target *target, const struct cli_values *values, const char *text,
                   struct base_error *error) {
    if (!target_pipeline_parse(text, &target->pipeline, error) ||
        !check_marks(&target->pipeline, error))
        return false;
    for (size_t i = 0; i < target->pipeline.stages.count; i++)
        if (!find_program(target, i, values->given[CLI_PATH], error))
            return false;
    return true;
}
