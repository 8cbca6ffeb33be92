/* SPDX-License-Identifier: Apache-2.0
 *
 * The results of a search for sequences of calls: the suite, the table by function, the findings
 * with their recipes.
 */
#include "cli/api.h"

#include "measure/json.h"
#include "suite/finding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 5       /* limit for printed recipes */
#define NAME_WIDTH 32 /* minimum width of names in the table */

struct row { /* of a test */
    const struct api_law *law;
    struct base_buffer input, program, recipe;
    struct abi_result result;
};
struct told {
    struct cli_api *api;
    struct row *rows;
    size_t count;
    json_t *findings;
};

static const char *name_of(const struct cli_api *api, const struct api_law *law) {
    return api->model.functions.data[law->function].signature->name;
}

/* The class of a series; "-": not measured, because one call says everything. */
static void print_class(const struct api_series *series, struct base_buffer *out) {
    if (series->count)
        measure_growth_class(&series->growth, out);
    else
        base_buffer_print(out, "-");
}

static const struct api_series *series_of(const struct api_law *law) {
    return law->verdict == API_LAW_CALLS ? &law->many : &law->one;
}

/* If not even the usual sequences were tried for lack of time, there may be something worse. */
static bool is_confirmed(const struct cli_api *api, const struct api_law *law) {
    return api_law_is_confirmed(law) && (api_law_is_finding(law) || api->search.has_tried_usual);
}

/* ---- tests ---- */

static bool make_row(struct told *told, const struct api_law *law, struct base_error *error) {
    struct row *row = &told->rows[told->count];
    struct api_sequence test;
    *row = (struct row){.law = law};
    api_law_test(law, &test);
    api_sequence_encode(&told->api->model, &test, test.count, &row->input);
    api_sequence_recipe(&told->api->model, &test, &row->recipe);
    told->count++;
    struct target_input input = {row->input.data, row->input.count};
    return target_run(told->api->target, &input, 1, &row->result, error);
}

static double cost_of(const struct row *row) {
    return (double)row->result.weighted[MEASURE_INSTRUCTIONS];
}

static int by_cost(const void *a, const void *b) {
    double x = cost_of(a), y = cost_of(b);
    return (x < y) - (x > y);
}

/* As a C program whose first line says how to build it. */
static void print_program(const struct cli_api *api, size_t number, struct row *row) {
    struct api_sequence test;
    api_law_test(row->law, &test);
    char *file = base_format("%s/tests/%04zu.c", api->out, number);
    char *command = cli_api_command(api, "cc -O2", file, "test");
    char *line = base_format("%s && time ./test %u", command, test.header.n);
    api_sequence_print(&api->model, &test, line, &row->program);
    free(line);
    free(command);
    free(file);
}

/* Rows for findings first, then for other costs; leaks are not tests. */
static bool make_rows(struct told *told, struct base_error *error) {
    const struct api_laws *laws = &told->api->picked.laws;
    told->rows = base_alloc((laws->count + 1) * sizeof *told->rows);
    for (size_t i = 0; i < laws->count && told->count < (size_t)told->api->tests; i++)
        if (!laws->data[i].leaks && laws->data[i].verdict != API_LAW_FLAT &&
            !make_row(told, &laws->data[i], error))
            return false;
    if (told->count)
        qsort(told->rows, told->count, sizeof *told->rows, by_cost);
    for (size_t i = 0; i < told->count; i++)
        print_program(told->api, i + 1, &told->rows[i]);
    return true;
}

/* ---- the suite ---- */

static json_t *test_more(const struct cli_api *api, const struct row *row) {
    const struct api_law *law = row->law;
    struct base_buffer text = {0};
    json_t *more = json_object();
    measure_growth_class(&law->one.growth, &text);
    json_object_set_new(more, "function", json_string(name_of(api, law)));
    json_object_set_new(more, "calls", json_integer(law->sequence.count));
    json_object_set_new(more, "n", json_integer(law->test_size));
    json_object_set_new(more, "one_call", json_string(text.data));
    text.count = 0;
    print_class(&law->many, &text);
    json_object_set_new(more, "n_calls", json_string(text.data));
    json_object_set_new(more, "verdict", json_string(api_law_text(law)));
    if (law->drives != IR_NONE)
        json_object_set_new(more, "size_argument", json_integer(law->drives));
    json_object_set_new(more, "sequence", json_string(row->recipe.data));
    base_buffer_done(&text);
    return more;
}

static bool is_in_harness(const struct cli_api *api, const json_t *step) {
    return strcmp(suite_text(step, "file", ""), api->built) == 0;
}

/* The harness was built in a private folder. It is left out of the path to the library; a loop of
 * it among the causes means the calls of the test. */
static void name_harness(const struct cli_api *api, json_t *finding) {
    json_t *chain = json_object_get(finding, "chain"), *cause = json_object_get(finding, "cause");
    for (size_t i = json_array_size(chain); i-- > 0;)
        if (is_in_harness(api, json_array_get(chain, i)))
            json_array_remove(chain, i);
    for (size_t i = 0; i < json_array_size(cause); i++) {
        json_t *step = json_array_get(cause, i);
        if (!is_in_harness(api, step))
            continue;
        json_object_set_new(step, "function", json_string("the test"));
        json_object_set_new(step, "file", json_string(base_basename(api->harness)));
    }
}

static void make_findings(struct told *told) {
    size_t number = 0;
    told->findings = json_array();
    for (size_t k = 0; k < told->api->picked.laws.count; k++)
        for (size_t i = 0; i < told->count; i++) {
            const struct api_law *law = told->rows[i].law;
            const struct api_series *series = series_of(law);
            if (law != &told->api->picked.laws.data[k] || !api_law_is_finding(law))
                continue;
            struct suite_finding finding = {.number = ++number,
                                            .facts = target_facts(told->api->target),
                                            .law = {.recipe = told->rows[i].recipe.data,
                                                    .repetitions = law->test_size,
                                                    .growth = &series->growth,
                                                    .series = series->points,
                                                    .count = series->count,
                                                    .cause = &law->cause,
                                                    .hottest = law->hottest},
                                            .seconds = NAN};
            char *file = base_format("tests/%04zu.input", i + 1);
            base_strings_add(&finding.tests, file);
            json_t *json = suite_finding_json(&finding);
            json_object_set_new(json, "function", json_string(name_of(told->api, law)));
            json_object_set_new(json, "verdict", json_string(api_law_text(law)));
            json_object_set_new(json, "size_is", json_string("n"));
            name_harness(told->api, json);
            json_array_append_new(told->findings, json);
            base_strings_done(&finding.tests);
            free(file);
        }
}

static json_t *law_json(const struct cli_api *api, const struct api_law *law) {
    struct base_buffer one = {0}, many = {0}, sequence = {0};
    measure_growth_class(&law->one.growth, &one);
    print_class(&law->many, &many);
    api_sequence_recipe(&api->model, &law->sequence, &sequence);
    json_t *json = json_pack("{s:s, s:s, s:s, s:s, s:b, s:s, s:b, s:b}", "function",
                             name_of(api, law), "one_call", one.data, "n_calls", many.data,
                             "verdict", api_law_text(law), "confirmed", is_confirmed(api, law),
                             "sequence", sequence.data ? sequence.data : "", "leaks", law->leaks,
                             "covered", api->picked.is_covered[law->function]);
    base_buffer_done(&one);
    base_buffer_done(&many);
    base_buffer_done(&sequence);
    return json;
}

static json_t *table_json(const struct told *told) {
    json_t *table = json_array();
    for (size_t i = 0; i < told->api->picked.laws.count; i++)
        json_array_append_new(table, law_json(told->api, &told->api->picked.laws.data[i]));
    return table;
}

/* The loops that were goals, by the n at which each makes enough iterations. */
static json_t *goals_json(const struct cli_api *api) {
    const struct ir_facts *facts = target_facts(api->target);
    json_t *list = json_array();
    for (size_t i = 0; i < api->goals.all.count; i++) {
        const struct api_goal *goal = &api->goals.all.data[i];
        const struct ir_loop *loop = &facts->loops[goal->loop];
        double reached = api->search.objectives[i].reached;
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:i, s:i, s:o, s:o}", "function",
                            api->model.functions.data[goal->function].signature->name, "file",
                            facts->strings + loop->file, "line", (int)loop->line, "depth",
                            (int)goal->nesting, "n",
                            api->picked.sizes[i] ? json_integer(api->picked.sizes[i]) : json_null(),
                            "seconds", isnan(reached) ? json_null() : json_real(reached)));
    }
    return list;
}

static json_t *stats_json(const struct cli_api *api) {
    return json_pack(
        "{s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:b}", "seconds",
        api->search.worked, "runs", (json_int_t)api->runner.runs, "sequences",
        (json_int_t)api->search.evaluations, "crashes", (json_int_t)api->search.crashes, "limited",
        (json_int_t)api->search.limited, "functions", (json_int_t)api->model.functions.count,
        "called", (json_int_t)api->model.called.count, "goals", (json_int_t)api->picked.deep,
        "covered", (json_int_t)api->picked.covered, "probes", (json_int_t)api->teacher.lesson.last,
        "bad_probes", (json_int_t)api->teacher.lesson.last_bad, "build_seconds",
        target_build_seconds(api->target), "complete", 0);
}

static json_t *words_json(const struct base_strings *words) {
    json_t *list = json_array();
    for (size_t i = 0; i < words->count; i++)
        json_array_append_new(list, json_string(words->data[i]));
    return list;
}

static json_t *options_json(const struct cli_api *api) {
    const struct target_limits *limits = &api->description.options.limits;
    return json_pack("{s:o, s:o, s:f, s:f, s:f}", "cflags", words_json(&api->description.cflags),
                     "args", json_array(), "limit_time", limits->seconds, "limit_memory",
                     (double)limits->memory / (1 << 20), "limit_file",
                     (double)limits->file_bytes / (1 << 20));
}

static bool store(struct told *told, struct base_error *error) {
    struct cli_api *api = told->api;
    const char *json = api->values->given[CLI_JSON];
    char *folder = suite_way_back(api->out);
    struct suite_test *tests = base_alloc((told->count + 1) * sizeof *tests);
    for (size_t i = 0; i < told->count; i++) {
        struct row *row = &told->rows[i];
        tests[i] =
            (struct suite_test){.input = row->input.data,
                                .size = row->input.count,
                                .cost = measure_cost_json(&api->measure, api->target, &row->result),
                                .verified = row->result.status == ABI_STATUS_OK,
                                .program = row->program.data,
                                .more = test_more(api, row)};
        json_object_del(tests[i].cost, "time");
        json_object_del(tests[i].cost, "cpu");
    }
    size_t libraries = api->description.options.path_count;
    const char **targets = base_alloc((libraries + 1) * sizeof *targets);
    memcpy(targets, api->description.options.paths, libraries * sizeof *targets);
    targets[libraries] = api->harness;
    struct suite_head head = {.targets = targets,
                              .target_count = libraries + 1,
                              .folder = folder,
                              .strategy = cli_value(api->values, CLI_SEARCH),
                              .measure = "instructions",
                              .sizes = json_object(),
                              .options = options_json(api),
                              .stats = stats_json(api),
                              .findings = json_incref(told->findings)};
    struct base_buffer no_state = {0};
    json_t *root = suite_describe(&head, tests, told->count);
    json_object_set_new(root, "functions", table_json(told));
    json_object_set_new(root, "goals", goals_json(api));
    bool good = suite_store(api->out, root, &head, tests, told->count, &no_state, error) &&
                (!json || cli_write_json(root, json, error));
    json_decref(root);
    free(tests);
    free(targets);
    free(folder);
    return good;
}

/* ---- for people ---- */

static int name_width(const struct cli_api *api) {
    size_t width = NAME_WIDTH;
    for (size_t i = 0; i < api->model.functions.count; i++) {
        const struct api_function *function = &api->model.functions.data[i];
        size_t length = strlen(function->signature->name);
        width = function->is_goal && length > width ? length : width;
    }
    return (int)width;
}

static void print_place(FILE *out, const struct cli_api *api, const struct api_law *law) {
    const struct ir_facts *facts = target_facts(api->target);
    if (law->hottest == IR_NONE) {
        fprintf(out, law->verdict == API_LAW_FLAT ? "" : "a copy or a search of the C library");
        return;
    }
    const struct ir_block *block = &facts->blocks[law->hottest];
    fprintf(out, "%s:%u", base_basename(facts->strings + block->file), block->line);
}

/* The cost of a single call that does work postponed by others. */
static void print_single(FILE *out, const struct api_law *law) {
    struct base_buffer class = {0};
    measure_growth_class(&law->one.growth, &class);
    bool is_known = law->one.growth.kind >= MEASURE_GROWTH_SUBLINEAR;
    fprintf(out, "  one call in n costs %s", is_known ? class.data : "more");
    base_buffer_done(&class);
}

static void print_law(FILE *out, const struct cli_api *api, const struct api_law *law) {
    struct base_buffer one = {0}, many = {0};
    measure_growth_class(&law->one.growth, &one);
    print_class(&law->many, &many);
    fprintf(out, "%-*s %-10s %-10s %-22s ", name_width(api), name_of(api, law), one.data, many.data,
            api_law_text(law));
    print_place(out, api, law);
    if (law->drives != IR_NONE)
        fprintf(out, "  by its argument %u", law->drives + 1);
    if (law->one.memory > API_GROWS && law->verdict != API_LAW_FLAT)
        fprintf(out, "  in O(n^%.0f) memory", law->one.memory);
    if (law->verdict == API_LAW_AMORTISED)
        print_single(out, law);
    if (law->leaks)
        fprintf(out, "  leaves memory behind");
    if (!is_confirmed(api, law))
        fprintf(out, "  not confirmed");
    fputc('\n', out);
    base_buffer_done(&one);
    base_buffer_done(&many);
}

static bool has_law(const struct cli_api *api, size_t function) {
    for (size_t i = 0; i < api->picked.laws.count; i++)
        if (api->picked.laws.data[i].function == function)
            return true;
    return false;
}

static bool is_destroyer(const struct cli_api *api, size_t function) {
    for (size_t i = 0; i < api->model.types.count; i++)
        if (api->model.types.data[i].destroyer == function)
            return true;
    return false;
}

/* There was time, but no way to make what it needs. */
static bool was_never_called(const struct cli_api *api, size_t function) {
    return api->search.has_tried_usual && api->search.objectives &&
           !api->search.objectives[api->goals.all.count + function].count;
}

static const char *why_no_law(const struct cli_api *api, size_t number) {
    const struct api_function *function = &api->model.functions.data[number];
    return function->why_not           ? function->why_not
           : function->is_avoided      ? "sequences that call it crash"
           : is_destroyer(api, number) ? "sequences end with it anyway"
           : was_never_called(api, number)
               ? "no call of it came about: is what makes its handles understood? see --show-api"
               : "there was no time, or none of its sequences was clean: see --time";
}

static void print_table(FILE *out, const struct cli_api *api) {
    int width = name_width(api);
    fprintf(out, "%-*s %-10s %-10s %-22s %s\n", width, "function", "one call", "n calls", "",
            "hottest");
    for (size_t i = 0; i < api->picked.laws.count; i++)
        print_law(out, api, &api->picked.laws.data[i]);
    for (size_t i = 0; i < api->model.functions.count; i++) {
        const struct api_function *function = &api->model.functions.data[i];
        if (!function->is_goal || has_law(api, i))
            continue;
        fprintf(out, "%-*s %s%s\n", width, function->signature->name,
                function->why_not ? "not called: " : "no law: ", why_no_law(api, i));
    }
}

static void print_recipes(FILE *out, const struct told *told) {
    const char *calls = api_law_text(&(struct api_law){.verdict = API_LAW_CALLS});
    size_t index;
    const json_t *finding;
    json_array_foreach(told->findings, index, finding) {
        if (index == SHOWN)
            break;
        bool by_calls = strcmp(suite_text(finding, "verdict", ""), calls) == 0;
        fprintf(out, "\n%s  %s, %s%s\n%s", suite_text(finding, "id", ""),
                suite_text(finding, "function", ""), suite_text(finding, "law", ""),
                by_calls ? " for n calls" : "", suite_text(finding, "recipe", ""));
    }
    size_t count = json_array_size(told->findings);
    if (count > SHOWN)
        fprintf(out, "\n%zu more: slowpath show %s F%d\n", count - SHOWN, told->api->out,
                SHOWN + 1);
}

static void print_summary(FILE *out, const struct told *told) {
    const struct cli_api *api = told->api;
    double seconds = base_seconds() - api->search.started;
    fprintf(out,
            "\n%zu of %zu functions called; %llu sequences, %.0f a second; %zu of %zu loops nested "
            "%.0f deep and more make %.0f turns each\n",
            api->model.called.count, api->model.functions.count,
            (unsigned long long)api->search.evaluations,
            (double)api->search.evaluations / fmax(api->search.worked, 1e-9), api->picked.covered,
            api->picked.deep, api->depth, api->turns);
    fprintf(
        out,
        "misuse: %zu of %zu first probes, %zu of %zu after learning, %llu of %llu sequences "
        "crashed, %llu took too long or too much memory; %zu of %zu candidates were not clean\n",
        api->teacher.lesson.first_bad, api->teacher.lesson.first, api->teacher.lesson.last_bad,
        api->teacher.lesson.last, (unsigned long long)api->search.crashes,
        (unsigned long long)api->search.evaluations, (unsigned long long)api->search.limited,
        api->picked.unclean, api->picked.candidates);
    if (api->goals.given_up)
        fprintf(out, "%zu more loops were not looked for\n", api->goals.given_up);
    fprintf(out, "%zu tests in %s (%.1f s)\n", told->count, api->out, seconds);
}

bool cli_api_finish(struct cli_api *api, struct base_error *error) {
    struct told told = {.api = api};
    const char *json = api->values->given[CLI_JSON];
    FILE *out = json && strcmp(json, "-") == 0 ? stderr : stdout;
    bool good = make_rows(&told, error);
    if (good) {
        make_findings(&told);
        good = store(&told, error);
    }
    if (good) {
        print_table(out, api);
        print_recipes(out, &told);
        print_summary(out, &told);
    }
    for (size_t i = 0; i < told.count; i++) {
        base_buffer_done(&told.rows[i].input);
        base_buffer_done(&told.rows[i].program);
        base_buffer_done(&told.rows[i].recipe);
    }
    json_decref(told.findings);
    free(told.rows);
    return good;
}
