/* SPDX-License-Identifier: Apache-2.0
 *
 * A suite and its target, opened: the start of replay, minimize, report and other commands that run
 * a suite's tests.
 */
#ifndef SLOWPATH_CLI_SESSION_H
#define SLOWPATH_CLI_SESSION_H

#include "cli/cli.h"
#include "suite/suite.h"

struct cli_session {
    const struct cli_values *values;
    char *path;             /* the suite's folder, relative to the current one */
    struct cli_there there; /* the user's folder, if that is a different one */
    char *other;
    struct suite suite;
    struct cli_target description;
    struct base_strings paths;
    struct target *target;
    struct measure measure;
    struct measure_weights weights;
};

/* Loads the suite and opens its target, changed by the given options. From then on the current
 * folder is the one where the suite was made, if its target still exists. */
bool cli_session_open(struct cli_session *session, const struct cli_values *values,
                      const char *path, struct base_error *error);
/* The same in two steps: commands that only read the suite need no target. */
bool cli_session_load(struct cli_session *session, const struct cli_values *values,
                      const char *path, struct base_error *error);
bool cli_session_start(struct cli_session *session, struct base_error *error);
void cli_session_done(struct cli_session *session);
/* A file named by the user, relative to the current folder; the caller frees it. */
char *cli_session_path(const struct cli_session *session, const char *path);
/* The test with that name or number, as an index from 0. */
bool cli_find_test(const struct suite *suite, const char *name, size_t *index,
                   struct base_error *error);

#endif
