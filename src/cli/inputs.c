/* SPDX-License-Identifier: Apache-2.0
 *
 * Inputs from files: a file is one input, a folder has one per file.
 */
#include "cli/cli.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static int is_shown(const struct dirent *item) {
    return item->d_name[0] != '.';
}

static bool read_one(struct cli_inputs *inputs, const char *path, struct base_error *error) {
    struct cli_input input = {.name = base_strdup(path)};
    bool good = base_read_file(path, &input.data, &input.size, error);
    base_push(inputs, input);
    return good;
}

bool cli_inputs_read(struct cli_inputs *inputs, const char *path, struct base_error *error) {
    if (!base_is_directory(path))
        return read_one(inputs, path, error);
    struct dirent **items;
    int count = scandir(path, &items, is_shown, alphasort);
    bool good = count >= 0 || base_fail(error, BASE_USAGE, "cannot read the folder '%s'", path);
    for (int i = 0; i < count; i++) {
        char *file = base_format("%s/%s", path, items[i]->d_name);
        if (good && !base_is_directory(file))
            good = read_one(inputs, file, error);
        free(file);
        free(items[i]);
    }
    if (count >= 0)
        free(items);
    return good;
}

/* DIR/queue and DIR/NAME/queue, as written by AFL++. */
static bool read_queues(struct cli_inputs *inputs, const char *path, bool deeper,
                        struct base_error *error) {
    struct dirent **items;
    int count = scandir(path, &items, is_shown, alphasort);
    bool good = true;
    for (int i = 0; i < count; i++) {
        char *folder = base_format("%s/%s", path, items[i]->d_name);
        if (good && base_is_directory(folder)) {
            if (strcmp(items[i]->d_name, "queue") == 0)
                good = cli_inputs_read(inputs, folder, error);
            else if (deeper)
                good = read_queues(inputs, folder, false, error);
        }
        free(folder);
        free(items[i]);
    }
    if (count >= 0)
        free(items);
    return good;
}

/* In AFL's folders, only the files in queues are inputs. */
bool cli_seeds_read(struct cli_inputs *inputs, const char *path, struct base_error *error) {
    if (base_is_directory(path) && !read_queues(inputs, path, true, error))
        return false;
    return inputs->count || cli_inputs_read(inputs, path, error);
}

void cli_inputs_done(struct cli_inputs *inputs) {
    for (size_t i = 0; i < inputs->count; i++) {
        free(inputs->data[i].name);
        free(inputs->data[i].data);
    }
    base_vector_done(inputs);
}
