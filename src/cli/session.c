/* SPDX-License-Identifier: Apache-2.0
 *
 * How is the target of a suite found again? From the suite's own description, changed by the given
 * options, in the folder where the suite was made.
 */
#include "cli/session.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Names given by the user keep their meaning: they were read already, or become absolute. */
static void go_there(struct cli_session *session) {
    const char *other = session->values->given[CLI_TARGET];
    session->other = other ? realpath(other, NULL) : NULL;
    char *path = realpath(session->path, NULL);
    cli_there_go(&session->there, session->values, &session->suite, session->path);
    if (session->there.here && path) {
        free(session->path);
        session->path = path;
    } else
        free(path);
}

char *cli_session_path(const struct cli_session *session, const char *path) {
    return cli_there_path(&session->there, path);
}

static bool open_target(struct cli_session *session, struct base_error *error) {
    const char *other = session->values->given[CLI_TARGET];
    const char *weights = session->suite.weights;
    if (other)
        base_strings_add(&session->paths, session->other ? session->other : other);
    for (size_t i = 0; !other && i < session->suite.targets.count; i++)
        base_strings_add(&session->paths, session->suite.targets.data[i]);
    if (!cli_target_init(&session->description, session->values, &session->paths, error))
        return false;
    struct target_given *own = session->description.sizes;
    size_t own_count = session->description.options.size_count;
    if (session->values->given[CLI_WEIGHTS])
        weights = NULL; /* they were read already */
    if (cli_target_from_suite(&session->description, &session->description.options, session->values,
                              &session->suite, error) &&
        (!weights || measure_weights_parse(&session->weights, weights, error)))
        session->target = target_open(&session->description.options, error);
    session->description.sizes = own;
    session->description.options.size_count = own_count;
    return session->target != NULL;
}

static bool choose_measure(struct cli_session *session, struct base_error *error) {
    const char *given = session->values->given[CLI_MEASURE];
    return measure_parse(given ? given : session->suite.measure, target_facts(session->target),
                         &session->measure, error) &&
           (!given || suite_use_measure(&session->suite, &session->measure, error));
}

bool cli_session_load(struct cli_session *session, const struct cli_values *values,
                      const char *path, struct base_error *error) {
    const char *weights = values->given[CLI_WEIGHTS];
    *session = (struct cli_session){.values = values, .path = base_strdup(path)};
    measure_weights_init(&session->weights);
    return (!weights || measure_weights_parse(&session->weights, weights, error)) &&
           suite_load(path, &session->suite, error);
}

bool cli_session_start(struct cli_session *session, struct base_error *error) {
    go_there(session);
    if (!open_target(session, error) || !choose_measure(session, error))
        return false;
    measure_apply(&session->measure, &session->weights, session->target);
    return true;
}

bool cli_session_open(struct cli_session *session, const struct cli_values *values,
                      const char *path, struct base_error *error) {
    return cli_session_load(session, values, path, error) && cli_session_start(session, error);
}

void cli_session_done(struct cli_session *session) {
    measure_done(&session->measure);
    measure_weights_done(&session->weights);
    if (session->target)
        target_close(session->target);
    cli_target_done(&session->description);
    base_strings_done(&session->paths);
    suite_done(&session->suite);
    free(session->path);
    cli_there_done(&session->there);
    free(session->other);
}

/* "3", "0003", "tests/0003.input": the number, or 0. */
static size_t test_number(const char *name) {
    if (strncmp(name, "tests/", 6) == 0)
        name += 6;
    char *end;
    unsigned long long number = isdigit((unsigned char)*name) ? strtoull(name, &end, 10) : 0;
    return number && (!*end || strcmp(end, ".input") == 0) ? (size_t)number : 0;
}

bool cli_find_test(const struct suite *suite, const char *name, size_t *index,
                   struct base_error *error) {
    size_t number = test_number(name);
    if (!number || number > suite->count)
        return base_fail(error, BASE_USAGE, "there is no test '%s': the suite has %s%zu", name,
                         suite->count ? "1 to " : "", suite->count);
    *index = number - 1;
    return true;
}
