/* SPDX-License-Identifier: Apache-2.0
 *
 * slowpath api for one library: prepared by api.c, written and printed by api_tell.c.
 */
#ifndef SLOWPATH_CLI_API_H
#define SLOWPATH_CLI_API_H

#include "api/guards.h"
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
    struct api_teacher teacher;
    struct api_random random, for_learning;
    char *built;        /* the harness to build, before there is a suite */
    const char **paths; /* of the library and the harness */
    struct target_options options;
    struct target *target;
    struct api_runner runner;
    struct api_goals goals;
    struct api_search search;
    struct api_guards guards;
    struct api_picked picked;
    struct measure_weights weights;
    struct measure measure;
    double turns, depth, tests;

    double all_seconds, started; /* for the whole command */
    double printed;
    bool is_terminal, has_line, listens, is_stopped;
};

/* Runs the tests once more, writes the suite and prints a summary. */
bool cli_api_finish(struct cli_api *api, struct base_error *error);

/* api_build.c: turns the folders of the headers into compiler options; the command that builds a
 * file with the library, to be freed by the caller. */
void cli_api_search_headers(struct cli_api *api);
char *cli_api_command(const struct cli_api *api, const char *compiler, const char *file,
                      const char *program);

/* api_watch.c: time, progress, Ctrl-C. */
void cli_api_watch_begin(struct cli_api *api);
double cli_api_learning_seconds(const struct cli_api *api);
double cli_api_more_learning(const struct cli_api *api); /* if learning is not finished */
double cli_api_search_seconds(const struct cli_api *api);
double cli_api_seconds_left(const struct cli_api *api);
bool cli_api_goes_on(struct cli_api *api);
void cli_api_clear_line(struct cli_api *api);
bool cli_api_watch_learning(void *context, const char *doing, size_t done, size_t all);
bool cli_api_watch_search(void *context, const struct api_search *search);
bool cli_api_watch_laws(void *context, const struct api_law *law);

#endif
