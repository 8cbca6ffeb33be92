/* SPDX-License-Identifier: Apache-2.0
 *
 * slowpath accept: makes the current costs the baseline. It is the only command that changes one;
 * it prints the changes, and is not part of a gate.
 */
#include "cli/gate.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct accepting {
    struct cli_session session;
    struct suite_replayed *results;
    struct suite_baseline before, after;
    struct base_error *error;
};

static bool measure_tests(struct accepting *work) {
    struct cli_session *session = &work->session;
    const struct suite *suite = &session->suite;
    if (!suite->count)
        return base_fail(work->error, BASE_UNTOLD,
                         "the suite has no tests: there is nothing to accept");
    work->results = base_alloc(suite->count * sizeof *work->results);
    if (!suite_replay(suite, session->target, &session->measure, 0, work->results, work->error))
        return false;
    for (size_t i = 0; i < suite->count; i++)
        if (work->results[i].verdict == SUITE_BROKEN)
            return base_fail(work->error, BASE_GATE,
                             "%s does not end well: nothing is accepted, see 'slowpath replay'",
                             suite->items[i].file);
    return cli_baseline_make(session, session->target, work->results, &work->after, work->error);
}

/* A baseline that cannot be read is replaced. */
static void read_before(struct accepting *work, const char *path) {
    struct base_error error;
    char *text;
    size_t size;
    if (access(path, F_OK) != 0 || !base_read_file(path, &text, &size, &error))
        return;
    if (!suite_baseline_parse(text, path, &work->before, &error))
        base_note("the baseline is replaced: %s", error.message);
    free(text);
}

/* Notes in the suite that there is a baseline, so that losing it is noticed. */
static bool promise(struct accepting *work) {
    json_t *root = work->session.suite.root;
    if (json_object_get(root, "accepted"))
        return true;
    json_object_set_new(root, "accepted", json_string(SUITE_BASELINE));
    char *path = base_format("%s/suite.json", work->session.path);
    bool good = cli_write_json(root, path, work->error);
    free(path);
    return good;
}

static bool accept_now(struct accepting *work) {
    char *path = base_format("%s/" SUITE_BASELINE, work->session.path);
    struct base_buffer text = {0}, changes = {0};
    read_before(work, path);
    size_t count = suite_baseline_compare(&work->before, &work->after, &changes);
    suite_baseline_print(&work->after, &text);
    bool good = base_write_file(path, text.data, text.count, work->error) && promise(work);
    if (good && count)
        printf("%s", changes.data);
    if (good)
        printf(count ? "accepted: %s/" SUITE_BASELINE " (commit it)\n"
                     : "nothing changes: %s/" SUITE_BASELINE "\n",
               work->session.values->before.data[0]);
    base_buffer_done(&text);
    base_buffer_done(&changes);
    free(path);
    return good;
}

int cli_accept(const struct cli_values *values, struct base_error *error) {
    struct accepting work = {.error = error};
    bool good = false;
    if (values->before.count != 1)
        base_fail(error, BASE_USAGE, "one suite is wanted: name its folder");
    else
        good = cli_session_open(&work.session, values, values->before.data[0], error) &&
               measure_tests(&work) && accept_now(&work);
    suite_baseline_done(&work.before);
    suite_baseline_done(&work.after);
    free(work.results);
    cli_session_done(&work.session);
    return good ? BASE_OK : (int)error->code;
}
