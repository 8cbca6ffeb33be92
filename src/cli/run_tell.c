/* SPDX-License-Identifier: Apache-2.0
 *
 * The output of a search: statistics as JSON, and for people the tests, the findings, and why the
 * exploration is not complete.
 */
#include "cli/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- why it is not complete ---- */

static void add_reason(struct base_strings *reasons, uint64_t count, const char *text) {
    char *line = base_format("%llu %s", (unsigned long long)count, text);
    base_strings_add(reasons, line);
    free(line);
}

/* Where symbolic data was lost: "strtod (3 runs)". */
static void add_losses(struct base_strings *reasons, const struct search_counters *counters) {
    struct base_buffer text = {0};
    for (size_t i = 0; i < ABI_MAX_LOSSES && *counters->losses[i].name; i++)
        base_buffer_print(&text, "%s%s (%llu %s)", i ? ", " : "input data was lost in ",
                          counters->losses[i].name, (unsigned long long)counters->losses[i].runs,
                          counters->losses[i].runs == 1 ? "run" : "runs");
    if (text.count)
        base_strings_add(reasons, text.data);
    base_buffer_done(&text);
}

/* Reasons why not every path was covered, in a few words each. */
static void list_reasons(const struct cli_run *run, struct base_strings *reasons) {
    const struct search_statistics *now = &run->statistics;
    static const char *const ends[] = {[SEARCH_TIME] = "time is up (--time)",
                                       [SEARCH_RUNS] = "all runs are used up (--runs)",
                                       [SEARCH_STOPPED] = "interrupted"};
    if (now->end != SEARCH_FINISHED)
        base_strings_add(reasons, ends[now->end]);
    if (run->has_short_inputs)
        base_strings_add(reasons, "the program reads more bytes than inputs have");
    struct search_counters counters = now->counters;
    add_losses(reasons, &counters);
    if (*counters.losses[0].name)
        counters.unfollowed = 0; /* the names say this */
#define COUNTER(id, blocks, text)                                                                  \
    if ((blocks) && counters.id)                                                                   \
        add_reason(reasons, counters.id, text);
    SEARCH_COUNTERS(COUNTER)
#undef COUNTER
    if (!reasons->count)
        base_strings_add(reasons, now->frontier
                                      ? "the strategy ended before it had tried everything"
                                      : "this strategy does not try every path");
}

/* ---- JSON ---- */

static const char *const endings[] = {"finished", "time", "runs", "stopped"};

static uint64_t answers(const struct solver_statistics *solver, enum solver_stage from,
                        enum solver_stage to) {
    uint64_t sum = 0;
    for (int i = (int)from; i <= (int)to; i++)
        sum += solver->sat[i] + solver->unsat[i];
    return sum;
}

static uint64_t all_questions(const struct solver_statistics *solver) {
    return answers(solver, SOLVER_STAGE_MODEL, SOLVER_STAGE_SMT) + solver->unknown;
}

static json_t *solver_json(const struct solver_statistics *solver) {
    uint64_t smt = answers(solver, SOLVER_STAGE_SMT, SOLVER_STAGE_SMT);
    uint64_t model = answers(solver, SOLVER_STAGE_MODEL, SOLVER_STAGE_MODEL);
    uint64_t all = all_questions(solver);
    json_t *stages = json_object();
#define STAGE(id, name, text)                                                                      \
    json_object_set_new(stages, #name,                                                             \
                        json_pack("{s:I, s:I}", "sat", (json_int_t)solver->sat[SOLVER_STAGE_##id], \
                                  "unsat", (json_int_t)solver->unsat[SOLVER_STAGE_##id]));
#include "solver/stages.def"
#undef STAGE
    return json_pack("{s:I, s:I, s:I, s:I, s:f, s:f, s:o}", "model", (json_int_t)model, "theory",
                     (json_int_t)(all - solver->unknown - smt - model), "smt", (json_int_t)smt,
                     "unknown", (json_int_t)solver->unknown, "seconds", solver->seconds,
                     "smt_seconds", solver->smt_seconds, "stages", stages);
}

/* The engine's share of the workers' time in this session. */
static double outside_share(const struct cli_run *run) {
    double all = run->session_seconds * (double)run->jobs;
    double share = all > 0 ? 1 - run->target_seconds / all : 0;
    return share > 0 ? share : 0;
}

static json_t *losses_json(const struct search_counters *counters) {
    json_t *losses = json_object();
    for (size_t i = 0; i < ABI_MAX_LOSSES && *counters->losses[i].name; i++)
        json_object_set_new(losses, counters->losses[i].name,
                            json_integer((json_int_t)counters->losses[i].runs));
    return losses;
}

json_t *cli_words_json(const struct base_strings *words) {
    json_t *list = json_array();
    for (size_t i = 0; i < words->count; i++)
        json_array_append_new(list, json_string(words->data[i]));
    return list;
}

static json_t *by_size_json(const struct cli_run *run) {
    const struct search_at_size *sizes;
    size_t count = search_sizes_run(run->search, &sizes);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_pack("{s:I, s:I}", run->description.swept,
                                              (json_int_t)sizes[i].size, "paths",
                                              (json_int_t)sizes[i].paths));
    return list;
}

static json_t *reasons_json(const struct cli_run *run) {
    struct base_strings reasons = {0};
    if (!run->statistics.complete)
        list_reasons(run, &reasons);
    json_t *list = cli_words_json(&reasons);
    base_strings_done(&reasons);
    return list;
}

static json_t *cost_json(double cost) {
    return isnan(cost) ? json_null() : json_real(cost);
}

/* Over the tests that this search has found. */
static double mean_cost(const struct cli_result *result) {
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < result->count; i++)
        if (!result->rows[i].is_kept) {
            sum += result->rows[i].found.cost;
            count++;
        }
    return count ? sum / (double)count : NAN;
}

/* What the search started with, to show what it gained. */
static json_t *start_json(const struct cli_result *result) {
    const struct search_statistics *now = &result->run->statistics;
    json_t *start = json_object();
    json_object_set_new(start, "start", cost_json(now->start));
    json_object_set_new(start, "random", cost_json(now->random));
    json_object_set_new(start, "suite", cost_json(mean_cost(result)));
    return start;
}

json_t *cli_stats_json(const struct cli_result *result) {
    const struct cli_run *run = result->run;
    const struct search_statistics *now = &run->statistics;
    json_t *stats = json_object();
    json_object_set_new(stats, "seconds", json_real(now->seconds));
    json_object_set_new(stats, "build_seconds", json_real(run->target->build_seconds));
    struct search_aside aside;
    if (search_target_aside(run->target, &aside))
        json_object_set_new(stats, "build_beside_seconds", json_real(aside.seconds));
    json_object_set_new(stats, "outside_target", json_real(outside_share(run)));
#define COUNTER(id, blocks, text)                                                                  \
    json_object_set_new(stats, #id, json_integer((json_int_t)now->counters.id));
    SEARCH_COUNTERS(COUNTER)
#undef COUNTER
    json_object_set_new(stats, "losses", losses_json(&now->counters));
    if (run->description.swept)
        json_object_set_new(stats, "by_size", by_size_json(run));
    json_object_set_new(stats, "complete", json_boolean(now->within_bounds));
    json_object_set_new(stats, "complete_without_bounds", json_boolean(now->complete));
    json_object_set_new(stats, "incomplete", reasons_json(run));
    json_object_set_new(stats, "end", json_string(endings[now->end]));
    json_object_set_new(stats, "frontier", json_integer((json_int_t)now->frontier));
    json_object_set_new(stats, "jobs", json_integer((json_int_t)run->jobs));
    if (cli_ranks_count(run->ranks) > 1)
        json_object_set_new(stats, "ranks", json_integer(cli_ranks_count(run->ranks)));
    json_object_set_new(stats, "seed", json_integer((json_int_t)run->options.seed));
    json_object_set_new(stats, "start", start_json(result));
    json_object_set_new(stats, "solver", solver_json(&now->solver));
    json_t *growth = cli_growth_summary_json(search_growth(run->search));
    if (growth)
        json_object_set_new(stats, "growth", growth);
    json_t *fleet = cli_fleet_json(run);
    if (fleet)
        json_object_set_new(stats, "fleet", fleet);
    return stats;
}

/* ---- output ---- */

static const char *verdict(const struct cli_result *result, size_t index) {
    const struct search_test *found = &result->rows[index].found;
    if (result->tests[index].verified)
        return result->rows[index].is_kept ? "yes, from an earlier run" : "yes";
    if (result->rows[index].is_skipped)
        return "no: no time was left to run it again";
    if (found->is_unmeasured)
        return "no: predicted, a run would take too long";
    if (found->is_predicted && found->cost != found->predicted)
        return "NO: its cost differs from the prediction";
    return "NO: its cost differed when run again";
}

static size_t count_slow(const struct cli_result *result) {
    size_t count = 0;
    for (size_t i = 0; i < result->fault_count; i++)
        count += result->faults[i].is_slow;
    return count;
}

static const char *why_no_test(const struct cli_result *result) {
    const struct search_counters *counters = &result->run->statistics.counters;
    if (counters->cut && !result->fault_count)
        return "no path lies within the bounds";
    bool has_failed =
        counters->crashes || counters->timeouts || counters->rejected || counters->lost;
    if (!counters->runs || !has_failed)
        return "the search ended before any run did; give it more --time, or runs a shorter "
               "--limit-time";
    return "every run failed";
}

static void print_tests(FILE *out, const struct cli_result *result) {
    if (!result->count && !count_slow(result)) {
        fprintf(out, "no test: %s\n", why_no_test(result));
        return;
    }
    bool has_sizes = result->run->strategy->varies_size || result->run->description.swept;
    fprintf(out, "%-18s  %15s%s  %9s  %s\n", "test", result->run->measure_text,
            has_sizes ? "       size" : "", "decisions", "verified");
    cli_template_print_baseline(out, result->run);
    cli_faults_print(out, result, true);
    for (size_t i = 0; i < result->count; i++) {
        fprintf(out, "tests/%04zu.input   %15.15g", i + 1, result->rows[i].found.cost);
        if (has_sizes)
            fprintf(out, "  %9zu", result->rows[i].found.size);
        fprintf(out, "  %9u  %s", result->tests[i].decisions, verdict(result, i));
        cli_template_print_ratio(out, result->run, result->rows[i].found.cost);
        fputc('\n', out);
        cli_family_print(out, result->run, &result->rows[i].described);
    }
}

/* The counters that are not zero, with the words of their table. */
static void print_counters(FILE *out, const struct search_counters *counters) {
#define COUNTER(id, blocks, text)                                                                  \
    if (counters->id)                                                                              \
        fprintf(out, "  %12llu %s\n", (unsigned long long)counters->id, text);
    SEARCH_COUNTERS(COUNTER)
#undef COUNTER
}

/* "paths by n: 1 at 0, 2 at 1" */
static void print_sizes(FILE *out, const struct cli_run *run) {
    const struct search_at_size *sizes;
    size_t count = search_sizes_run(run->search, &sizes);
    if (count)
        fprintf(out, "               paths by %s:", run->description.swept);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s %llu at %lld", i ? "," : "", (unsigned long long)sizes[i].paths,
                (long long)sizes[i].size);
    if (count)
        fputc('\n', out);
}

static void print_solver(FILE *out, const struct solver_statistics *solver, double seconds) {
    uint64_t all = all_questions(solver);
    uint64_t fast = answers(solver, SOLVER_STAGE_MODEL, SOLVER_STAGE_SMT - 1);
    if (!all)
        return;
    fprintf(out,
            "  %12llu questions to the solver, %.1f%% answered before Z3; %.0f%% of the time\n",
            (unsigned long long)all, (double)fast * 100 / (double)all,
            seconds > 0 ? solver->seconds * 100 / seconds : 0);
}

static void print_pieces(FILE *out, uint64_t pieces) {
    if (pieces)
        fprintf(out, "  %12llu pieces of that done by other ranks\n", (unsigned long long)pieces);
}

static void print_reasons(FILE *out, const struct cli_run *run) {
    struct base_strings reasons = {0};
    list_reasons(run, &reasons);
    fprintf(out, "not complete");
    for (size_t i = 0; i < reasons.count; i++)
        fprintf(out, "%s%s", i ? "; " : ": ", reasons.data[i]);
    base_strings_done(&reasons);
}

static void print_ending(FILE *out, const struct cli_run *run) {
    const struct search_statistics *now = &run->statistics;
    bool proves = run->strategy->proves_worst;
    if (proves && now->within_bounds)
        fprintf(out, "%snothing %scosts more, by the oracle's bound",
                now->complete ? "complete: " : "", now->counters.cut ? "within the bounds " : "");
    else if (now->complete)
        fprintf(out, "complete: every path %swas covered",
                now->counters.strayed     ? "that follows the trace "
                : now->counters.exceeding ? "that can meet the policy "
                                          : "");
    else if (now->within_bounds)
        fprintf(out, "every path within the bounds was covered; %llu branches lie beyond",
                (unsigned long long)now->counters.cut);
    else
        print_reasons(out, run);
    if (now->frontier)
        fprintf(out, "; %zu items are left (--resume continues)", now->frontier);
    fputc('\n', out);
}

static void print_start(FILE *out, const struct cli_result *result) {
    double start = result->run->statistics.start, mean = mean_cost(result);
    if (start > 0 && mean > 0)
        fprintf(out,
                "  %12.2f times the cost of the best starting input (%.15g): the mean of "
                "the suite\n",
                mean / start, start);
}

static void print_aside(FILE *out, const struct search_target *target) {
    struct search_aside aside;
    if (!search_target_aside(target, &aside))
        return;
    if (aside.is_over)
        fprintf(out, "  %12.2f s of it the symbolic build ran in parallel\n", aside.seconds);
    else
        fprintf(
            out,
            "  the symbolic build was not finished (%u of %u functions); the next run continues "
            "it\n",
            aside.done, aside.all);
}

static void print_proposals(FILE *out, const struct cli_run *run) {
    const struct base_strings *proposals = search_proposals(run->search);
    for (size_t i = 0; i < proposals->count; i++)
        fprintf(out, "%s\n", proposals->data[i]);
}

static void print_all(FILE *out, const struct cli_result *result) {
    const struct cli_run *run = result->run;
    const struct search_statistics *now = &run->statistics;
    print_proposals(out, run);
    print_tests(out, result);
    cli_faults_print(out, result, false);
    for (size_t i = 0; i < result->count; i++)
        cli_growth_print(out, result->rows[i].found.law, run->subject->facts, i + 1);
    cli_findings_print(out, result->findings);
    cli_pipe_print(out, result);
    fprintf(out, "\n%s, %.3f s (%.0f runs/s), building %.2f s\n", run->strategy->name, now->seconds,
            now->seconds > 0 ? (double)now->counters.runs / now->seconds : 0,
            run->target->build_seconds);
    print_aside(out, run->target);
    fprintf(out, "  %11.1f%% of the time was spent outside the target\n", outside_share(run) * 100);
    print_start(out, result);
    cli_scale_print(out, search_model(run->search), run->measure_text);
    cli_growth_print_summary(out, search_growth(run->search), run->measure_text);
    print_counters(out, &now->counters);
    print_sizes(out, run);
    print_solver(out, &now->solver, now->seconds * (double)run->jobs);
    print_pieces(out, now->pieces);
    cli_fleet_print(out, run);
    cli_policy_print(out, result);
    print_ending(out, run);
    fprintf(out, "suite: %s\n", run->out);
}

/* On one screen: what was found, the best of it, and whether that is everything. */
static void print_short(FILE *out, const struct cli_result *result) {
    const struct cli_run *run = result->run;
    const struct search_statistics *now = &run->statistics;
    print_proposals(out, run);
    cli_faults_print(out, result, true);
    cli_faults_print(out, result, false);
    cli_findings_print(out, result->findings);
    cli_pipe_print(out, result);
    if (result->count)
        fprintf(out, "\n%zu test%s; the most expensive is tests/0001.input (%zu bytes): %.15g %s\n",
                result->count, result->count == 1 ? "" : "s", result->rows[0].found.size,
                result->rows[0].found.cost, run->measure_text);
    else
        fprintf(out, "no test: %s\n", why_no_test(result));
    fprintf(out, "%s, %.1f s, %llu runs, %llu different paths\n", run->strategy->name, now->seconds,
            (unsigned long long)now->counters.runs, (unsigned long long)now->counters.paths);
    cli_scale_print(out, search_model(run->search), run->measure_text);
    cli_growth_print_summary(out, search_growth(run->search), run->measure_text);
    cli_fleet_print(out, run);
    cli_policy_print(out, result);
    print_ending(out, run);
    fprintf(out, "suite: %s (%s; --verbose prints more)\n", run->out,
            json_array_size(result->findings) ? "'slowpath show' explains a finding"
                                              : "'slowpath replay' runs it again");
}

void cli_print_result(FILE *out, const struct cli_result *result) {
    bool is_screen = isatty(fileno(out)) && !result->run->values->given[CLI_VERBOSE];
    if (is_screen)
        print_short(out, result);
    else
        print_all(out, result);
}
