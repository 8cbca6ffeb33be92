/* SPDX-License-Identifier: Apache-2.0
 *
 * One library from the command line: what api.c prepares, api_tell.c writes and prints.
 */
#ifndef SLOWPATH_CLI_API_H
#define SLOWPATH_CLI_API_H

#include "api/pick.h"
#include "cli/cli.h"
#include "suite/suite.h"

struct cli_api {
    const struct cli_values *values;
    struct cli_target description; /* of the library */
    char *out, *harness;
    struct target_description library;
    struct api_model model;
    struct api_checker checker;
    struct api_lesson lesson;
    struct api_random random;
    struct target *target;
    struct api_runner runner;
    struct api_goals goals;
    struct api_search search;
    struct api_picked picked;
    struct measure_weights weights;
    struct measure measure;
    double turns, depth, tests;
    double seconds; /* of the search */
};

/* Runs the tests once more, writes the suite and says what there is. */
bool cli_api_finish(struct cli_api *api, struct base_error *error);

#endif
