/* SPDX-License-Identifier: Apache-2.0
 *
 * A suite and the target that it was made for, opened: what replay, minimize, report and others
 * that run a suite's tests begin with.
 */
#ifndef SLOWPATH_CLI_SESSION_H
#define SLOWPATH_CLI_SESSION_H

#include "cli/cli.h"
#include "suite/suite.h"

struct cli_session {
    const struct cli_values *values;
    char *path;             /* the suite's folder, wherever we are */
    struct cli_there there; /* where the user is, if that is somewhere else */
    char *other;
    struct suite suite;
    struct cli_target description;
    struct base_strings paths;
    struct target *target;
    struct measure measure;
    struct measure_weights weights;
};

/* Loads the suite and opens its target, changed by the options given. From then on we are in the
 * folder that the suite was made in, if its target is still there. */
bool cli_session_open(struct cli_session *session, const struct cli_values *values,
                      const char *path, struct base_error *error);
/* The same in two steps: what only reads the suite needs no target. */
bool cli_session_load(struct cli_session *session, const struct cli_values *values,
                      const char *path, struct base_error *error);
bool cli_session_start(struct cli_session *session, struct base_error *error);
void cli_session_done(struct cli_session *session);
/* A file that the user named, as it is called from where we are now; the caller frees it. */
char *cli_session_path(const struct cli_session *session, const char *path);
/* The test of that name or number, from 0. */
bool cli_find_test(const struct suite *suite, const char *name, size_t *index,
                   struct base_error *error);

#endif
