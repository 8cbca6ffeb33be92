/* SPDX-License-Identifier: Apache-2.0
 *
 * slowpath pipe: searches a pipeline like one program. Only the target and some output differ:
 * run.c does the rest.
 */
#include "cli/cli.h"

#include <string.h>

/* Rejects options about the entry of a single program. */
static bool check_options(const struct cli_values *values, struct base_error *error) {
    static const struct {
        enum cli_option option;
        const char *name;
    } refused[] = {
        {CLI_ENTRY, "entry"}, {CLI_ASSUME, "assume"}, {CLI_ARGS, "args"}, {CLI_ARG, "arg"}};
    for (size_t i = 0; i < BASE_COUNT(refused); i++)
        if (values->given[refused[i].option])
            return base_fail(error, BASE_USAGE,
                             "--%s is for one program: a pipeline says itself how its programs are "
                             "called",
                             refused[i].name);
    if (values->before.count != 1 || values->after.count)
        return base_fail(error, BASE_USAGE,
                         "one pipeline is wanted, as one word: slowpath pipe 'a | b'");
    return true;
}

static bool asks_library(const char *what) {
    return what && strcmp(what, "off") != 0;
}

static bool check_library(const char *what, struct base_error *error) {
    static const char *const words[] = {"list", "show", "drop"};
    for (size_t i = 0; i < BASE_COUNT(words); i++)
        if (strcmp(what, words[i]) == 0)
            return true;
    return base_fail(error, BASE_USAGE, "--library %s: list, show KEY, drop [KEY] or off", what);
}

int cli_pipe(const struct cli_values *values, struct base_error *error) {
    const char *library = values->given[CLI_LIBRARY];
    if (asks_library(library))
        return check_library(library, error) && cli_pipe_library(values, error) ? BASE_OK
                                                                                : (int)error->code;
    return check_options(values, error) ? cli_run(values, error) : (int)error->code;
}
