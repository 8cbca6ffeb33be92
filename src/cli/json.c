/* SPDX-License-Identifier: Apache-2.0
 *
 * Results as JSON, where the user wants them.
 */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

bool cli_try_json(const char *path, struct base_error *error) {
    return !path || strcmp(path, "-") == 0 || base_try_file(path, error);
}

bool cli_write_json(const json_t *root, const char *path, struct base_error *error) {
    char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    if (!text)
        return base_fail(error, BASE_USAGE, "a name is not UTF-8: no JSON can be written");
    char *line = base_format("%s\n", text);
    bool good = true;
    if (strcmp(path, "-") == 0)
        fputs(line, stdout);
    else
        good = base_write_file(path, line, strlen(line), error);
    free(line);
    free(text);
    return good;
}
