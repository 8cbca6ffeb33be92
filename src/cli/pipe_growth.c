/* SPDX-License-Identifier: Apache-2.0
 *
 * How does the cost of each stage grow with the input of the pipeline, and with what the stage
 * itself reads? The recipe of a test is written at doubling sizes, each goes through the pipeline,
 * and laws are fitted to each column. Each stage also runs apart, on the pipeline's input. If the
 * whole grows faster than all stages apart, or than a stage in terms of what it reads, some stage
 * multiplies its input, and that is what the user wants to know.
 */
#include "cli/run.h"
#include "compose/compose.h"
#include "measure/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DOUBLINGS 8
#define SMALLEST 32   /* bytes */
#define MOST_COST 2e9 /* limit per run */
#define SOME 0.15     /* exponents that differ by less are equal */

struct column {
    struct measure_point points[DOUBLINGS];
    struct measure_growth law;
};

struct stage_growth {
    struct column cost, read; /* in terms of the pipeline's input */
    struct column alone;      /* cost in terms of what the stage reads */
    struct column apart;      /* cost of the stage when it reads the pipeline's input */
    double lines;             /* lines it reads at the largest size */
};

struct growing {
    struct cli_run *run;
    size_t count;  /* stages */
    size_t points; /* sizes */
    struct stage_growth *stages;
    struct column whole;
};

/* ---- the pattern ---- */

static bool repeat(const void *bytes, size_t size, struct target_pattern *pattern) {
    if (!size || size > TARGET_PIECE_BYTES)
        return false;
    *pattern = target_pattern_empty(TARGET_PATTERN_REPEAT);
    memcpy(pattern->unit.bytes, bytes, size);
    pattern->unit.size = (uint8_t)size;
    return true;
}

/* The recipe of a test; otherwise the test itself if it is small, or what was composed, repeated.
 * Returns a description, to be freed by the caller; NULL: none. */
static char *find_pattern(const struct cli_result *result, struct target_pattern *pattern) {
    const struct compose_outcome *outcome = result->run->composition;
    for (size_t i = 0; i < result->count; i++)
        if (!result->rows[i].is_kept && result->rows[i].found.law) {
            *pattern = result->rows[i].found.law->pattern;
            return base_format("the recipe of tests/%04zu.input", i + 1);
        }
    if (repeat(result->rows[0].found.input, result->rows[0].found.size, pattern))
        return base_strdup("tests/0001.input, repeated");
    if (outcome && outcome->tests.count &&
        repeat(outcome->tests.data[0].input, outcome->tests.data[0].size, pattern))
        return base_strdup("the costliest composed input, repeated");
    return NULL;
}

/* ---- growing ---- */

static void add_point(struct column *column, size_t at, double size, double cost) {
    column->points[at] = (struct measure_point){.size = (int64_t)size, .cost = cost};
}

static double count_lines(const struct target_input *text) {
    double count = 0;
    for (const char *at = text->data, *end = at + text->size; at < end; count++) {
        const char *found = memchr(at, '\n', (size_t)(end - at));
        at = found ? found + 1 : end;
    }
    return count;
}

/* Not every stage can run apart: one runs once per line, or fails on foreign input. */
static double run_apart(const struct growing *growing, size_t stage,
                        const struct target_input *input) {
    const struct cli_run *run = growing->run;
    struct abi_result result;
    struct base_error error;
    bool good = !run->description.pipeline.stages.data[stage].is_per_line &&
                target_run(target_stage(run->measuring, stage), input, 1, &result, &error) &&
                result.status == ABI_STATUS_OK;
    return good ? measure_value(run->measure, run->measuring, &result) : NAN;
}

static void measure_apart(struct growing *growing, const struct target_input *input) {
    for (size_t i = 0; i < growing->count; i++)
        add_point(&growing->stages[i].apart, growing->points, (double)input->size,
                  run_apart(growing, i, input));
}

/* Measures one size; false: it fails, or costs too much to continue. */
static bool measure_size(struct growing *growing, const struct target_pattern *pattern,
                         uint64_t bytes) {
    struct cli_run *run = growing->run;
    struct base_buffer text = {0};
    struct base_error error;
    struct abi_result *by_stage = base_alloc(growing->count * sizeof *by_stage);
    uint64_t k = target_pattern_fit(pattern, bytes);
    if (k)
        target_pattern_write(pattern, k, &text);
    struct target_input input = {text.data, text.count};
    bool good = k && cli_stop_seconds_left() > 0 &&
                target_run_stages(run->measuring, &input, by_stage, &error);
    double whole = 0;
    for (size_t i = 0; good && i < growing->count; i++) {
        struct target_input own = target_stage_input(run->measuring, &input, i);
        double cost = measure_value(run->measure, run->measuring, &by_stage[i]);
        good = by_stage[i].status == ABI_STATUS_OK;
        add_point(&growing->stages[i].cost, growing->points, (double)text.count, cost);
        add_point(&growing->stages[i].read, growing->points, (double)text.count, (double)own.size);
        add_point(&growing->stages[i].alone, growing->points, (double)own.size, cost);
        growing->stages[i].lines = count_lines(&own);
        whole += cost;
    }
    if (good)
        measure_apart(growing, &input);
    add_point(&growing->whole, growing->points, (double)text.count, whole);
    growing->points += good;
    base_buffer_done(&text);
    free(by_stage);
    return good && whole < MOST_COST / 8;
}

static bool is_ascending(const struct column *column, size_t points) {
    for (size_t i = 0; i < points; i++)
        if (isnan(column->points[i].cost))
            return false;
    for (size_t i = 1; i < points; i++)
        if (column->points[i].size <= column->points[i - 1].size)
            return false;
    return true;
}

static void fit(struct column *column, size_t points) {
    column->law = (struct measure_growth){.kind = MEASURE_GROWTH_UNCLEAR, .exponent = NAN};
    if (is_ascending(column, points))
        measure_growth_fit(column->points, points, &column->law);
}

static bool grow(struct growing *growing, const struct target_pattern *pattern) {
    for (uint64_t bytes = SMALLEST; growing->points < DOUBLINGS; bytes *= 2)
        if (!measure_size(growing, pattern, bytes))
            break;
    if (growing->points < MEASURE_GROWTH_DOUBLINGS)
        return false;
    for (size_t i = 0; i < growing->count; i++) {
        fit(&growing->stages[i].cost, growing->points);
        fit(&growing->stages[i].read, growing->points);
        fit(&growing->stages[i].alone, growing->points);
        fit(&growing->stages[i].apart, growing->points);
    }
    fit(&growing->whole, growing->points);
    return true;
}

/* ---- output ---- */

static char *law_text(const struct column *column) {
    struct base_buffer text = {0};
    measure_growth_class(&column->law, &text);
    return text.data;
}

/* "quadratic" */
static char *law_word(const struct column *column) {
    static const char *const words[][2] = {
        {"O(1)", "constant"}, {"O(n)", "linear"}, {"O(n^2)", "quadratic"}, {"O(n^3)", "cubic"}};
    char *text = law_text(column);
    for (size_t i = 0; i < BASE_COUNT(words); i++)
        if (strcmp(text, words[i][0]) == 0) {
            free(text);
            return base_strdup(words[i][1]);
        }
    return text;
}

static double exponent(const struct column *column) {
    switch (column->law.kind) {
    case MEASURE_GROWTH_BOUNDED:
        return 0;
    case MEASURE_GROWTH_UNCLEAR:
    case MEASURE_GROWTH_EXPONENTIAL:
        return NAN;
    default:
        return column->law.exponent;
    }
}

/* The costliest stage at the largest size. */
static size_t costliest(const struct growing *growing) {
    size_t best = 0, last = growing->points - 1;
    for (size_t i = 1; i < growing->count; i++)
        if (growing->stages[i].cost.points[last].cost >
            growing->stages[best].cost.points[last].cost)
            best = i;
    return best;
}

/* Bytes that the stage reads per byte of the pipeline's input, at the largest size. */
static double multiplied(const struct growing *growing, size_t stage) {
    const struct measure_point *last = &growing->stages[stage].read.points[growing->points - 1];
    return last->size ? last->cost / (double)last->size : 0;
}

/* The stage that grows fastest if each reads the pipeline's input; false: not known for all. */
static bool find_steepest_apart(const struct growing *growing, size_t *steepest) {
    for (size_t i = 0; i < growing->count; i++) {
        double own = exponent(&growing->stages[i].apart);
        if (isnan(own))
            return false;
        if (!i || own > exponent(&growing->stages[*steepest].apart))
            *steepest = i;
    }
    return true;
}

static size_t find_multiplier(const struct growing *growing, size_t hot, bool by_lines,
                              double *most) {
    const struct target_stage *stages = growing->run->description.pipeline.stages.data;
    size_t last = growing->points - 1, best = SIZE_MAX;
    for (size_t at = hot, from; (from = stages[at].from) != TARGET_FIRST; at = from) {
        const struct stage_growth *to = &growing->stages[at], *of = &growing->stages[from];
        double times = by_lines ? to->lines / of->lines
                                : to->read.points[last].cost / of->read.points[last].cost;
        if (times > *most) {
            *most = times;
            best = from;
        }
    }
    return best;
}

/* Which stage before HOT multiplies lines the most; otherwise, bytes. */
static char *explain_multiplied(const struct growing *growing, size_t hot) {
    const struct target_stage *stages = growing->run->description.pipeline.stages.data;
    double most = 1 + SOME;
    size_t best = find_multiplier(growing, hot, true, &most);
    const char *what = best == SIZE_MAX ? "bytes" : "lines";
    if (best == SIZE_MAX)
        best = find_multiplier(growing, hot, false, &most);
    return best == SIZE_MAX
               ? base_format("on what the stages before it write")
               : base_format("because stage %zu (%s) multiplies %s: it writes %.0f for each that "
                             "it reads",
                             best + 1, stages[best].text, what, most);
}

/* Is it slow only as a pipeline? NULL: no, or unknown. */
static char *explain_together(const struct growing *growing, size_t hot) {
    size_t steepest = 0;
    if (!hot || !find_steepest_apart(growing, &steepest) ||
        !(exponent(&growing->whole) > exponent(&growing->stages[steepest].apart) + SOME))
        return NULL;
    char *apart = law_word(&growing->stages[steepest].apart), *whole = law_word(&growing->whole),
         *why = explain_multiplied(growing, hot);
    char *text = base_format(
        "%s in each stage alone on this input, %s together: stage %zu (%s) is slow %s", apart,
        whole, hot + 1, growing->run->description.pipeline.stages.data[hot].text, why);
    free(apart);
    free(whole);
    free(why);
    return text;
}

/* "the whole grows as ... because ..." */
static char *explain(const struct growing *growing) {
    const struct cli_run *run = growing->run;
    size_t hot = costliest(growing);
    const struct stage_growth *stage = &growing->stages[hot];
    const char *name = run->description.pipeline.stages.data[hot].text;
    char *whole = law_text(&growing->whole), *alone = law_text(&stage->alone), *text;
    double together = exponent(&growing->whole), own = exponent(&stage->alone),
           read = exponent(&stage->read);
    if ((text = explain_together(growing, hot)))
        ;
    else if (growing->whole.law.kind == MEASURE_GROWTH_UNCLEAR)
        text = base_format("how the whole grows is unclear at these sizes; stage %zu (%s) has the "
                           "largest part of its cost",
                           hot + 1, name);
    else if (read > 1 + SOME && together > own + SOME)
        text = base_format("stage %zu (%s) costs %s of what it reads, but the whole grows as %s, "
                           "because the stages before it write n^%.2g bytes for n that they read",
                           hot + 1, name, alone, whole, read);
    else if (own > 1 + SOME && multiplied(growing, hot) > 1 + SOME)
        text =
            base_format("the whole grows as %s because stage %zu (%s) costs %s of what it reads; "
                        "the stages before it make that %.2g times as much",
                        whole, hot + 1, name, alone, multiplied(growing, hot));
    else if (own > 1 + SOME)
        text = base_format("the whole grows as %s because stage %zu (%s) costs %s of what it reads",
                           whole, hot + 1, name, alone);
    else
        text = base_format(
            "the whole grows as %s, as does what stage %zu (%s) costs, its largest part", whole,
            hot + 1, name);
    free(whole);
    free(alone);
    return text;
}

static json_t *stages_json(const struct growing *growing) {
    json_t *list = json_array();
    for (size_t i = 0; i < growing->count; i++) {
        const struct stage_growth *stage = &growing->stages[i];
        char *cost = law_text(&stage->cost), *read = law_text(&stage->read),
             *alone = law_text(&stage->alone), *apart = law_text(&stage->apart);
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:s, s:s, s:f}", "command",
                                        growing->run->description.pipeline.stages.data[i].text,
                                        "cost", cost, "reads", read, "alone", alone, "apart", apart,
                                        "reads_times", multiplied(growing, i)));
        free(apart);
        free(cost);
        free(read);
        free(alone);
    }
    return list;
}

static json_t *growth_json(const struct growing *growing, const char *what) {
    char *whole = law_text(&growing->whole), *words = explain(growing);
    json_t *json =
        json_pack("{s:s, s:s, s:s, s:I, s:o}", "of", what, "whole", whole, "words", words,
                  "largest", (json_int_t)growing->whole.points[growing->points - 1].size, "stages",
                  stages_json(growing));
    free(whole);
    free(words);
    return json;
}

json_t *cli_pipe_growth(const struct cli_result *result) {
    struct target_pattern pattern;
    if (!result->run->description.pipeline.text || !result->count ||
        result->run->description.options.tree.objects) /* the tree would have to grow, too */
        return NULL;
    char *what = find_pattern(result, &pattern);
    struct growing growing = {.run = result->run,
                              .count = result->run->description.pipeline.stages.count};
    growing.stages = base_alloc(growing.count * sizeof *growing.stages);
    json_t *json = what && grow(&growing, &pattern) ? growth_json(&growing, what) : NULL;
    free(growing.stages);
    free(what);
    return json;
}

void cli_pipe_print_growth(FILE *out, const json_t *growth) {
    const json_t *stages = json_object_get(growth, "stages"), *stage;
    size_t index;
    if (!growth)
        return;
    fprintf(out, "\ngrowth by stage, of %s, up to %lld bytes\n",
            json_string_value(json_object_get(growth, "of")),
            (long long)json_integer_value(json_object_get(growth, "largest")));
    fprintf(out, "     %-22s  %-12s  %-16s  %s\n", "", "costs", "of what it reads", "reads");
    json_array_foreach((json_t *)stages, index, stage) {
        fprintf(out, "  %zu  %-22.22s  %-12s  %-16s  %s, %.2g bytes for each of the input\n",
                index + 1, json_string_value(json_object_get(stage, "command")),
                json_string_value(json_object_get(stage, "cost")),
                json_string_value(json_object_get(stage, "alone")),
                json_string_value(json_object_get(stage, "reads")),
                json_number_value(json_object_get(stage, "reads_times")));
    }
    fprintf(out, "%s\n", json_string_value(json_object_get(growth, "words")));
}
