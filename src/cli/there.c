/* SPDX-License-Identifier: Apache-2.0
 *
 * How are a suite's targets, headers and files found? Names in a suite are relative to the folder
 * where it was made, which is stored relative to the suite's own. Commands that run a suite go
 * there first, so that they work from any folder; names given by the user keep their meaning.
 */
#include "cli/cli.h"
#include "suite/suite.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool are_targets_in(const struct suite *suite, const char *folder) {
    bool found = true;
    for (size_t i = 0; found && i < suite->targets.count; i++) {
        const char *name = suite->targets.data[i];
        char *path = *name == '/' ? base_strdup(name) : base_format("%s/%s", folder, name);
        found = access(path, R_OK) == 0;
        free(path);
    }
    return found;
}

/* Not if the suite was moved, nor if the user names files in options: these are relative to the
 * present folder. */
void cli_there_go(struct cli_there *there, const struct cli_values *values,
                  const struct suite *suite, const char *path) {
    bool names_files = values->given[CLI_CFLAGS] || values->given[CLI_ARGS] || values->after.count;
    if (!suite->folder || names_files)
        return;
    char *folder = base_format("%s/%s", path, suite->folder), *here = realpath(".", NULL);
    if (here && are_targets_in(suite, folder) && chdir(folder) == 0)
        there->here = here;
    else
        free(here);
    free(folder);
}

char *cli_there_path(const struct cli_there *there, const char *name) {
    if (!there->here || *name == '/' || strcmp(name, "-") == 0)
        return base_strdup(name);
    return base_format("%s/%s", there->here, name);
}

void cli_there_done(struct cli_there *there) {
    free(there->here);
}
