/* SPDX-License-Identifier: Apache-2.0
 *
 * How are the C files built that slowpath api writes? The first line of each has the command, for
 * the folder where slowpath was called: the user's options, the folders of the headers, the
 * library. It works on other machines if the names that the user gave do.
 */
#include "cli/api.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Headers are included by name. With -iquote, <strings.h> is still the system's if the library has
 * a header of that name. */
void cli_api_search_headers(struct cli_api *api) {
    struct cli_target *library = &api->description;
    for (size_t i = 0; i < api->model.folders.count; i++) {
        base_strings_add(&library->cflags, "-iquote");
        base_strings_add(&library->cflags, api->model.folders.data[i]);
    }
    library->options.cflags = (const char *const *)library->cflags.data;
    library->options.cflag_count = library->cflags.count;
}

static bool is_plain(const char *word) {
    for (; *word; word++)
        if (!isalnum((unsigned char)*word) && !strchr("_-./=+:,@%", *word))
            return false;
    return true;
}

static void add_word(struct base_buffer *out, const char *word) {
    base_buffer_print(out, " ");
    if (is_plain(word) && *word) {
        base_buffer_print(out, "%s", word);
        return;
    }
    base_buffer_print(out, "'");
    for (; *word; word++)
        base_buffer_print(out, *word == '\'' ? "'\\''" : "%c", *word);
    base_buffer_print(out, "'");
}

char *cli_api_command(const struct cli_api *api, const char *compiler, const char *file,
                      const char *program) {
    const struct target_options *library = &api->description.options;
    struct base_buffer out = {0};
    base_buffer_print(&out, "%s", compiler);
    for (size_t i = 0; i < library->cflag_count; i++)
        add_word(&out, library->cflags[i]);
    add_word(&out, file);
    for (size_t i = 0; i < library->path_count; i++)
        add_word(&out, library->paths[i]);
    base_buffer_print(&out, " -lm -o %s", program);
    bool fits = !strstr(out.data, "*/") && !strchr(out.data, '\n'); /* it goes into a comment */
    if (!fits) {
        out.count = 0;
        base_buffer_print(&out, "%s ... -o %s", compiler, program);
    }
    return out.data;
}
