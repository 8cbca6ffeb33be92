/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports how a cost grows: for each test written from a recipe its law with the evidence, the
 * recipe, a shell command, the place where the cost is spent and the nearest linear relative; and
 * if nothing was superlinear, a note with the steepest rate.
 */
#include "cli/run.h"

#include <math.h>
#include <stdlib.h>

/* ---- JSON ---- */

static json_t *recipe_json(const struct target_pattern *pattern) {
    struct base_buffer text = {0};
    target_pattern_print(pattern, &text);
    json_t *json = json_string(text.data);
    base_buffer_done(&text);
    return json;
}

static json_t *count_json(double count) {
    return count < 0x1p60 && count == floor(count) ? json_integer((json_int_t)count)
                                                   : json_real(count);
}

static json_t *number_or_null(double number) {
    return isfinite(number) ? json_real(number) : json_null();
}

static json_t *law_json(const struct search_growth_law *law) {
    struct base_buffer class = {0};
    json_t *series = json_array();
    for (size_t i = 0; i < law->series.count; i++)
        json_array_append_new(series,
                              json_pack("{s:I, s:o}", "size", (json_int_t)law->series.data[i].size,
                                        "cost", count_json(law->series.data[i].cost)));
    measure_growth_class(&law->growth, &class);
    json_t *json = json_pack("{s:s, s:s, s:o, s:o, s:f, s:b, s:o}", "class", class.data, "law",
                             measure_growth_name(&law->growth), "exponent",
                             number_or_null(law->growth.exponent), "slope",
                             number_or_null(law->growth.slope), "doublings", law->growth.doublings,
                             "superlinear", measure_is_superlinear(&law->growth), "series", series);
    if (law->growth.factor > 0)
        json_object_set_new(json, "factor", json_real(law->growth.factor));
    base_buffer_done(&class);
    return json;
}

static json_t *place_json(const struct ir_facts *facts, uint32_t block) {
    if (block == IR_NONE)
        return json_null();
    const struct ir_block *hot = &facts->blocks[block];
    return json_pack("{s:s, s:s, s:i}", "function",
                     facts->strings + facts->functions[hot->function].name, "file",
                     facts->strings + hot->file, "line", (int)hot->line);
}

json_t *cli_growth_json(const struct search_growth_law *law, const struct ir_facts *facts) {
    if (!law)
        return NULL;
    struct base_buffer shell = {0};
    target_pattern_shell(&law->pattern, law->repetitions, &shell);
    json_t *json = json_object(), *relative = json_null();
    json_object_set_new(json, "growth", law_json(law));
    json_object_set_new(json, "recipe", recipe_json(&law->pattern));
    json_object_set_new(json, "repetitions", json_integer((json_int_t)law->repetitions));
    json_object_set_new(json, "shell", json_string(shell.data ? shell.data : ""));
    json_object_set_new(json, "hottest", place_json(facts, law->hottest));
    if (law->has_relative)
        relative = json_pack("{s:o, s:I, s:o}", "recipe", recipe_json(&law->relative), "size",
                             (json_int_t)law->beside.size, "cost", count_json(law->beside.cost));
    json_object_set_new(json, "linear_relative", relative);
    base_buffer_done(&shell);
    return json;
}

json_t *cli_growth_summary_json(const struct search_growth *growth) {
    if (!growth)
        return NULL;
    return json_pack("{s:I, s:I, s:I, s:I, s:f}", "patterns", (json_int_t)growth->patterns, "grown",
                     (json_int_t)growth->grown, "superlinear", (json_int_t)growth->superlinear,
                     "exploding", (json_int_t)growth->exploding, "steepest_rate", growth->rate);
}

/* ---- output ---- */

static void print_law(FILE *out, const struct search_growth_law *law) {
    struct base_buffer class = {0};
    size_t count = law->series.count, shown = count < 6 ? count : 6;
    measure_growth_class(&law->growth, &class);
    fprintf(out, "  %s", class.data);
    if (law->growth.kind == MEASURE_GROWTH_POWER)
        fprintf(out, " (exponent %.2f over %.0f doublings)", law->growth.exponent,
                law->growth.doublings);
    for (size_t i = count - shown; i < count; i++)
        fprintf(out, "%s%lld: %.6g", i == count - shown ? "; bytes: cost " : ", ",
                (long long)law->series.data[i].size, law->series.data[i].cost);
    fputc('\n', out);
    base_buffer_done(&class);
}

/* Bytes touched by library functions are not counted per block. */
static void print_place(FILE *out, const struct ir_facts *facts,
                        const struct search_growth_law *law) {
    uint32_t block = law->hottest;
    if (block == IR_NONE && law->cause.count)
        fprintf(out, "  spent in library memory and string functions\n");
    else if (block != IR_NONE)
        fprintf(out, "  spent in %s (%s:%u)\n",
                facts->strings + facts->functions[facts->blocks[block].function].name,
                facts->strings + facts->blocks[block].file, facts->blocks[block].line);
}

static void print_recipe(FILE *out, const char *label, const struct target_pattern *pattern) {
    struct base_buffer text = {0};
    target_pattern_print(pattern, &text);
    fprintf(out, "  %s %s", label, text.data);
    base_buffer_done(&text);
}

void cli_growth_print(FILE *out, const struct search_growth_law *law, const struct ir_facts *facts,
                      size_t number) {
    struct base_buffer shell = {0};
    if (!law)
        return;
    fprintf(out, "\ntests/%04zu.input grows as\n", number);
    print_law(out, law);
    print_place(out, facts, law);
    print_recipe(out, "recipe:", &law->pattern);
    target_pattern_shell(&law->pattern, law->repetitions, &shell);
    fprintf(out, "\n  shell:  %s\n", shell.data ? shell.data : "true");
    if (law->has_relative) {
        print_recipe(out, "linear: ", &law->relative);
        fprintf(out, " (%lld bytes: %.6g)\n", (long long)law->beside.size, law->beside.cost);
    }
    base_buffer_done(&shell);
}

void cli_growth_print_summary(FILE *out, const struct search_growth *growth, const char *measure) {
    if (!growth)
        return;
    fprintf(out, "%llu patterns were run, %llu of them grown over doublings; ",
            (unsigned long long)growth->patterns, (unsigned long long)growth->grown);
    if (growth->superlinear)
        fprintf(out, "superlinear in %llu place%s\n", (unsigned long long)growth->superlinear,
                growth->superlinear == 1 ? "" : "s");
    else if (growth->rate > 0)
        fprintf(out, "none was superlinear: the steepest costs %.4g %s per byte\n", growth->rate,
                measure);
    else
        fprintf(out, "none was superlinear\n");
}
