/* SPDX-License-Identifier: Apache-2.0
 *
 * slowpath minimize: the smallest input that still shows what a test shows. For a test with a
 * recipe that is the law: the fewest repetitions from which on the cost follows it. For any other
 * test it is the cost: bytes are removed as long as --keep percent of it remain.
 */
#include "suite/minimize.h"
#include "cli/session.h"
#include "suite/finding.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_TRIES 20000
#define SLACK 0.4 /* how far a slope may stay below the exponent */
#define STEEP 1.3

struct minimizing {
    struct cli_session session;
    const struct suite_item *item;
    double least; /* cost that must remain */
    struct base_error *error;
    bool failed;
    size_t runs;
};

static double cost_of(struct minimizing *work, const void *bytes, size_t size) {
    struct target_input input = {bytes, size};
    struct abi_result result;
    if (work->failed)
        return NAN;
    work->runs++;
    work->failed = !target_run(work->session.target, &input, 1, &result, work->error);
    if (work->failed || result.status != ABI_STATUS_OK || result.rejected)
        return NAN;
    return measure_value(&work->session.measure, work->session.target, &result);
}

/* ---- by law ---- */

static double cost_at(struct minimizing *work, const struct target_pattern *pattern, uint64_t k,
                      double *size) {
    struct base_buffer bytes = {0};
    target_pattern_write(pattern, k, &bytes);
    double cost = cost_of(work, bytes.data, bytes.count);
    *size = (double)bytes.count;
    base_buffer_done(&bytes);
    return cost;
}

/* Does the cost follow the law from K repetitions on, over two doublings? */
static bool shows_law(struct minimizing *work, const struct target_pattern *pattern, uint64_t k,
                      double least) {
    double size[3], cost[3];
    for (int i = 0; i < 3; i++)
        cost[i] = cost_at(work, pattern, k << i, &size[i]);
    for (int i = 1; i < 3; i++)
        if (!(log(cost[i] / cost[i - 1]) / log(size[i] / size[i - 1]) >= least))
            return false;
    return true;
}

static bool minimize_law(struct minimizing *work, const json_t *test, const char *recipe,
                         struct base_buffer *out) {
    struct target_pattern pattern;
    uint64_t most = (uint64_t)suite_number(test, "repetitions", 0), k = 1;
    double exponent = suite_number(json_object_get(test, "growth"), "exponent", NAN);
    double least = isfinite(exponent) ? fmax(STEEP, exponent - SLACK) : STEEP;
    if (!target_pattern_parse(recipe, &pattern))
        return base_fail(work->error, BASE_USAGE, "the recipe of %s is damaged", work->item->file);
    while (k < most && !shows_law(work, &pattern, k, least) && !work->failed)
        k += k / 4 + 1;
    if (work->failed)
        return false;
    if (k >= most)
        return base_fail(work->error, BASE_GATE, "%s does not follow its law any more",
                         work->item->file);
    target_pattern_write(&pattern, k, out);
    return true;
}

/* ---- by cost ---- */

static bool keeps_cost(void *context, const uint8_t *bytes, size_t size) {
    struct minimizing *work = context;
    return cost_of(work, bytes, size) >= work->least; /* false for NAN */
}

static bool minimize_cost(struct minimizing *work, double keep, struct base_buffer *out) {
    base_buffer_add(out, work->item->input, work->item->size);
    work->least = cost_of(work, out->data, out->count) * keep / 100;
    if (!work->failed && isnan(work->least))
        return base_fail(work->error, BASE_BROKEN, "%s does not end well", work->item->file);
    struct suite_shrinking shrinking = {keeps_cost, work, MOST_TRIES};
    if (!work->failed && out->count)
        out->count = suite_minimize(&shrinking, (uint8_t *)out->data, out->count);
    return !work->failed;
}

/* ---- the command ---- */

static bool write_out(const struct minimizing *work, const struct base_buffer *bytes) {
    const char *path = work->session.values->given[CLI_OUT];
    if (path && strcmp(path, "-") != 0) {
        char *place = cli_session_path(&work->session, path);
        bool good = base_write_file(place, bytes->data, bytes->count, work->error);
        free(place);
        return good;
    }
    return (fwrite(bytes->data, 1, bytes->count, stdout) == bytes->count && fflush(stdout) == 0) ||
           base_fail(work->error, BASE_USAGE, "cannot write the input: %s", strerror(errno));
}

static bool minimize(struct minimizing *work, const char *name) {
    struct cli_session *session = &work->session;
    struct base_buffer bytes = {0};
    size_t index;
    double keep;
    if (!cli_number(session->values, CLI_KEEP, 1, 100, &keep, work->error) ||
        !cli_find_test(&session->suite, name, &index, work->error))
        return false;
    work->item = &session->suite.items[index];
    if (session->suite.entry)
        return base_fail(work->error, BASE_USAGE,
                         "the inputs of an entry have the size of its fields: run it with a "
                         "smaller --size instead");
    if (!cli_session_start(session, work->error))
        return false;
    const json_t *test = json_array_get(json_object_get(session->suite.root, "tests"), index);
    const char *recipe = json_string_value(json_object_get(test, "recipe"));
    bool is_steep = json_is_true(json_object_get(json_object_get(test, "growth"), "superlinear"));
    bool good = recipe && is_steep ? minimize_law(work, test, recipe, &bytes)
                                   : minimize_cost(work, keep, &bytes);
    good = good && write_out(work, &bytes);
    if (good)
        base_note("%zu bytes, of %zu; %zu runs", bytes.count, work->item->size, work->runs);
    base_buffer_done(&bytes);
    return good;
}

int cli_minimize(const struct cli_values *values, struct base_error *error) {
    const struct base_strings *words = &values->before;
    struct minimizing work = {.error = error};
    if (words->count != 2)
        base_fail(error, BASE_USAGE, "a suite and one of its tests are wanted: minimize SUITE 1");
    else if (isatty(STDOUT_FILENO) && !values->given[CLI_OUT])
        base_fail(error, BASE_USAGE, "this is a terminal: --out FILE, or --out - for here");
    else if (cli_session_load(&work.session, values, words->data[0], error) &&
             minimize(&work, words->data[1]))
        error->code = BASE_OK;
    cli_session_done(&work.session);
    return (int)error->code;
}
