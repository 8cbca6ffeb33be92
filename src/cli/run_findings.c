/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings of a search: their description for the suite, their time in a plain build (--time-it),
 * and the final table.
 */
#include "cli/run.h"
#include "suite/finding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TIMED_RUNS 3 /* the fastest counts */

/* ---- converting the search's data for the suite ---- */

static struct suite_law as_law(const struct search_growth_law *law) {
    return (struct suite_law){.pattern = &law->pattern,
                              .repetitions = law->repetitions,
                              .growth = &law->growth,
                              .series = law->series.data,
                              .count = law->series.count,
                              .cause = &law->cause,
                              .hottest = law->hottest,
                              .by_unit = law->by_unit,
                              .by_other = law->by_other};
}

static bool has_law(const struct search_finding *finding, const struct search_growth_law *law) {
    for (size_t i = 0; i < finding->laws.count; i++)
        if (finding->laws.data[i] == law)
            return true;
    return false;
}

/* The leader's own test comes first. */
static void list_tests(const struct cli_result *result, const struct search_finding *found,
                       struct base_strings *files) {
    for (int variants = 0; variants < 2; variants++)
        for (size_t i = 0; i < result->count; i++) {
            const struct search_growth_law *law = result->rows[i].found.law;
            bool leads = law == found->laws.data[0];
            if (leads == !!variants || !law || !has_law(found, law))
                continue;
            char *file = base_format("tests/%04zu.input", i + 1);
            base_strings_add(files, file);
            free(file);
        }
}

/* ---- seconds ---- */

static struct target *open_plain(const struct cli_run *run, struct base_error *error) {
    struct target_options options = run->description.options;
    options.kind = INSTRUMENT_PLAIN;
    options.timed = true;
    options.halt = NULL;
    return target_open(&options, error);
}

static double time_law(struct target *plain, const struct search_growth_law *law) {
    struct base_buffer bytes = {0};
    target_pattern_write(&law->pattern, law->repetitions, &bytes);
    struct target_input input = {bytes.data, bytes.count};
    double least = NAN;
    for (int i = 0; i < TIMED_RUNS; i++) {
        struct abi_result result;
        struct base_error error;
        if (target_run(plain, &input, 1, &result, &error) && result.status == ABI_STATUS_OK)
            least = fmin(least, (double)result.wall_ns / 1e9);
    }
    base_buffer_done(&bytes);
    return least;
}

/* ---- JSON ---- */

static json_t *finding_json(const struct cli_result *result, const struct search_finding *found,
                            size_t number, struct target *plain) {
    const struct search_growth_law *leader = found->laws.data[0];
    size_t variants = found->laws.count - 1;
    struct suite_law *others = base_alloc((variants + 1) * sizeof *others);
    for (size_t i = 0; i < variants; i++)
        others[i] = as_law(found->laws.data[i + 1]);
    struct suite_finding finding = {.number = number,
                                    .facts = result->run->subject->facts,
                                    .law = as_law(leader),
                                    .relative = leader->has_relative ? &leader->relative : NULL,
                                    .beside = leader->beside,
                                    .variants = others,
                                    .variant_count = variants,
                                    .seconds = plain ? time_law(plain, leader) : NAN};
    list_tests(result, found, &finding.tests);
    json_t *json = suite_finding_json(&finding);
    base_strings_done(&finding.tests);
    free(others);
    return json;
}

json_t *cli_findings_json(const struct cli_result *result) {
    const struct cli_run *run = result->run;
    const struct search_growth *growth = search_growth(run->search);
    json_t *list = json_array();
    struct base_error error;
    struct target *plain = NULL;
    if (!growth || !growth->findings.count || run->template)
        return list;
    if (run->values->given[CLI_TIME_IT] && !(plain = open_plain(run, &error)))
        base_warn("--time-it: no plain build: %s", error.message);
    for (size_t i = 0; i < growth->findings.count; i++)
        json_array_append_new(list, finding_json(result, &growth->findings.data[i], i + 1, plain));
    if (plain)
        target_close(plain);
    return list;
}

/* ---- output ---- */

static void print_row(FILE *out, const json_t *finding) {
    struct base_buffer size = {0}, where = {0};
    const json_t *second = json_object_get(finding, "one_second");
    const char *function;
    int line;
    const char *file = suite_finding_place(finding, &line, &function);
    suite_tell_size(finding, suite_number(second, "size", INFINITY), &size);
    base_buffer_print(&where, "%s", function);
    if (*file)
        base_buffer_print(&where, " (%s:%d)", file, line);
    const char *recipe = suite_text(finding, "recipe", "");
    size_t length = strcspn(recipe, "\n"); /* calls of a library: the others are for 'show' */
    fprintf(out, "%-3s  %-10s  %-10s  %-28s  %.*s%s\n", suite_text(finding, "id", ""),
            suite_text(finding, "law", ""), size.data, where.data, (int)length, recipe,
            recipe[length] ? " ..." : "");
    base_buffer_done(&size);
    base_buffer_done(&where);
}

void cli_findings_print(FILE *out, const json_t *findings) {
    size_t index;
    const json_t *finding;
    if (!json_array_size(findings))
        return;
    bool is_timed = json_is_true(
        json_object_get(json_object_get(json_array_get(findings, 0), "one_second"), "timed"));
    fprintf(out, "\n%-3s  %-10s  %-10s  %-28s  %s\n", "", "law", is_timed ? "1 s at" : "1 s at (*)",
            "where", "recipe");
    json_array_foreach((json_t *)findings, index, finding) {
        struct base_buffer cause = {0};
        size_t number;
        const json_t *step;
        print_row(out, finding);
        json_array_foreach(json_object_get(finding, "cause"), number, step) {
            base_buffer_print(&cause, "%s", number ? " x " : "");
            suite_tell_step(step, &cause);
        }
        int variants = (int)suite_number(finding, "variants", 0);
        if (variants)
            base_buffer_print(&cause, "%s%d more like it", cause.count ? "; " : "", variants);
        if (cause.count)
            fprintf(out, "     %s\n", cause.data);
        base_buffer_done(&cause);
    }
    if (!is_timed)
        fprintf(out, "     (*) at a billion instructions a second; --time-it takes the time\n");
}
