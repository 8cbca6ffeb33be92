/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes results as JSON where the user wants them.
 */
#include "cli/cli.h"

#include <errno.h>
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
    if (strcmp(path, "-") != 0)
        good = base_write_file(path, line, strlen(line), error);
    else if (fputs(line, stdout) < 0 || fflush(stdout) != 0) {
        good =
            errno == EPIPE || base_fail(error, BASE_USAGE,
                                        "cannot write to the standard output: %s", strerror(errno));
        clearerr(stdout); /* already reported */
    }
    free(line);
    free(text);
    return good;
}
