/* SPDX-License-Identifier: Apache-2.0
 *
 * What does a suite store about a finding? Its law with the evidence, the factors and the path
 * between them, the smallest input that shows it, its cost at round sizes, and a harmless relative
 * and how it differs. Everything follows from measurements; values derived only from the law are
 * marked.
 */
#include "suite/finding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SETTLED 0.4 /* a local slope this close to the exponent shows the law */
#define STEEP 1.3

/* ---- predictions of a law ---- */

/* Is the law in terms of the even size? Calls have no pattern. */
static bool is_even(const struct suite_law *law) {
    return law->pattern && !law->growth->in_bytes;
}

static double even(const struct suite_law *law, double size) {
    return is_even(law) ? target_pattern_even(law->pattern, size) : size;
}

static double last_even(const struct suite_law *law) {
    return even(law, (double)law->series[law->count - 1].size);
}

static double by_law(const struct suite_law *law, double size) {
    double cost = law->series[law->count - 1].cost, last = last_even(law);
    if (law->growth->kind == MEASURE_GROWTH_EXPONENTIAL)
        return cost * pow(law->growth->factor, even(law, size) - last);
    double exponent = isfinite(law->growth->exponent) ? law->growth->exponent : 1;
    return cost * pow(even(law, size) / last, exponent);
}

bool suite_cost_at(const struct suite_law *law, int64_t size, struct measure_point *point) {
    for (size_t i = law->count; i-- > 0;)
        if (law->series[i].size <= size && law->series[i].size > size / 2) {
            *point = law->series[i];
            return true;
        }
    *point = (struct measure_point){size, law->count ? by_law(law, (double)size) : NAN};
    return false;
}

double suite_size_for(const struct suite_law *law, double cost) {
    if (!law->count)
        return NAN;
    double ratio = cost / law->series[law->count - 1].cost, last = last_even(law);
    double exponent = isfinite(law->growth->exponent) ? law->growth->exponent : 1;
    double size = law->growth->kind == MEASURE_GROWTH_EXPONENTIAL
                      ? last + log(ratio) / log(law->growth->factor)
                      : last * pow(ratio, 1 / exponent);
    return fmax(1, is_even(law) ? target_pattern_uneven(law->pattern, size) : size);
}

static double local_slope(const struct suite_law *law, size_t index) {
    const struct measure_point *point = &law->series[index];
    return log(point->cost / point[-1].cost) /
           log(even(law, (double)point->size) / even(law, (double)point[-1].size));
}

size_t suite_find_smallest(const struct suite_law *law) {
    size_t at = law->count ? law->count - 1 : 0;
    double exponent = law->growth->exponent;
    double least = isfinite(exponent) ? fmax(STEEP, exponent - SETTLED) : STEEP;
    while (at > 0 && law->series[at - 1].size > 0 && local_slope(law, at) >= least)
        at--;
    return at;
}

/* ---- what differs ---- */

static void tell_piece(const char *name, const struct target_piece *has,
                       const struct target_piece *lacks, struct base_buffer *out) {
    if (memcmp(has, lacks, sizeof *has) == 0)
        return;
    base_buffer_print(out, "%s%s ", out->count ? ", " : "", name);
    target_piece_print(has, out);
    base_buffer_print(out, ", not ");
    target_piece_print(lacks, out);
}

void suite_tell_difference(const struct target_pattern *pattern,
                           const struct target_pattern *relative, struct base_buffer *out) {
    if (pattern->kind != relative->kind)
        base_buffer_print(out, "%s, not %s", target_pattern_kind_name(pattern),
                          target_pattern_kind_name(relative));
#define PIECE(id) tell_piece(#id, &pattern->id, &relative->id, out);
    TARGET_PATTERN_PIECES(PIECE)
#undef PIECE
    if (pattern->copies != relative->copies)
        base_buffer_print(out, "%swritten %s", out->count ? ", " : "",
                          pattern->copies == 2 ? "twice, not once" : "once, not twice");
    if (pattern->letters != relative->letters)
        base_buffer_print(out, "%snumbers in %s", out->count ? ", " : "",
                          pattern->letters ? "letters" : "digits");
}

/* ---- JSON ---- */

static json_t *taken(struct base_buffer *text) {
    json_t *json = json_string(text->data ? text->data : "");
    base_buffer_done(text);
    return json;
}

static json_t *number(double value) {
    if (!isfinite(value))
        return json_null();
    return fabs(value) < 0x1p53 && value == floor(value) ? json_integer((json_int_t)value)
                                                         : json_real(value);
}

/* Keeps only significant digits. */
static json_t *rounded(double value) {
    return isfinite(value) ? json_real(round(value * 1000) / 1000) : json_null();
}

static json_t *step_json(const struct ir_facts *facts, const struct measure_step *step,
                         bool is_factor) {
    json_t *json =
        json_pack("{s:s, s:s, s:s, s:i, s:o, s:o}", "kind", measure_step_name(step->kind),
                  "function", facts->strings + facts->functions[step->function].name, "file",
                  facts->strings + step->file, "line", (int)step->line, "count",
                  number(step->count), "grows", rounded(is_factor ? step->adds : step->grows));
    if (step->library)
        json_object_set_new(json, "library", json_string(step->library));
    return json;
}

static json_t *steps_json(const struct suite_finding *finding, bool factors_only) {
    json_t *list = json_array();
    const struct measure_cause *cause = finding->law.cause;
    for (size_t i = 0; i < cause->count; i++)
        if (!factors_only || cause->steps[i].adds > 0)
            json_array_append_new(list, step_json(finding->facts, &cause->steps[i], factors_only));
    return list;
}

static json_t *place_json(const struct suite_finding *finding, const struct suite_law *law) {
    const struct ir_facts *facts = finding->facts;
    const struct measure_cause *cause = law->cause;
    if (law->hottest != IR_NONE) {
        const struct ir_block *block = &facts->blocks[law->hottest];
        return json_pack("{s:s, s:s, s:i}", "function",
                         facts->strings + facts->functions[block->function].name, "file",
                         facts->strings + block->file, "line", (int)block->line);
    }
    if (!cause->count)
        return json_null();
    const struct measure_step *step = &cause->steps[cause->count - 1];
    return json_pack("{s:s, s:s, s:i}", "function",
                     facts->strings + facts->functions[step->function].name, "file",
                     facts->strings + step->file, "line", (int)step->line);
}

static json_t *series_json(const struct suite_law *law) {
    json_t *list = json_array();
    for (size_t i = 0; i < law->count; i++)
        json_array_append_new(list, json_pack("[I, o]", (json_int_t)law->series[i].size,
                                              number(law->series[i].cost)));
    return list;
}

static json_t *costs_json(const struct suite_law *law) {
    static const int64_t sizes[] = {1 << 10, 1 << 16, 1 << 20};
    json_t *list = json_array();
    for (size_t i = 0; i < BASE_COUNT(sizes); i++) {
        struct measure_point point;
        bool measured = suite_cost_at(law, sizes[i], &point);
        json_array_append_new(list,
                              json_pack("{s:I, s:o, s:b}", "size", (json_int_t)point.size, "cost",
                                        number(measured ? point.cost : round(point.cost)),
                                        "measured", measured));
    }
    return list;
}

static json_t *recipe_json(const struct target_pattern *pattern) {
    struct base_buffer text = {0};
    target_pattern_print(pattern, &text);
    return taken(&text);
}

static json_t *class_json(const struct measure_growth *growth) {
    struct base_buffer text = {0};
    measure_growth_class(growth, &text);
    return taken(&text);
}

static json_t *shell_json(const struct target_pattern *pattern, uint64_t repetitions) {
    struct base_buffer text = {0};
    target_pattern_shell(pattern, repetitions, &text);
    return taken(&text);
}

static json_t *smallest_json(const struct suite_law *law) {
    if (!law->count)
        return json_null();
    const struct measure_point *point = &law->series[suite_find_smallest(law)];
    uint64_t k = target_pattern_fit(law->pattern, (uint64_t)point->size);
    return json_pack("{s:I, s:I, s:o, s:o}", "size", (json_int_t)point->size, "repetitions",
                     (json_int_t)k, "cost", number(point->cost), "shell",
                     shell_json(law->pattern, k));
}

static json_t *relative_json(const struct suite_finding *finding) {
    struct base_buffer differs = {0};
    if (!finding->relative || !finding->law.pattern)
        return json_null();
    suite_tell_difference(finding->law.pattern, finding->relative, &differs);
    return json_pack("{s:o, s:I, s:o, s:o}", "recipe", recipe_json(finding->relative), "size",
                     (json_int_t)finding->beside.size, "cost", number(finding->beside.cost),
                     "differs", taken(&differs));
}

static json_t *variants_json(const struct suite_finding *finding) {
    json_t *list = json_array();
    for (size_t i = 0; i < finding->variant_count; i++) {
        const struct suite_law *law = &finding->variants[i];
        json_array_append_new(list,
                              json_pack("{s:o, s:o, s:o, s:o}", "law", class_json(law->growth),
                                        "recipe", recipe_json(law->pattern), "hottest",
                                        place_json(finding, law), "series", series_json(law)));
    }
    return list;
}

static void print_power(const char *name, double exponent, struct base_buffer *out) {
    double whole = round(exponent);
    if (fabs(exponent - whole) > 0.25)
        base_buffer_print(out, "%s^%.1f", name, exponent);
    else if (whole == 1)
        base_buffer_print(out, "%s", name);
    else
        base_buffer_print(out, "%s^%.0f", name, whole);
}

/* A law in two parameters: the repetitions of each of the two pieces. */
static json_t *parameters_json(const struct suite_law *law) {
    struct base_buffer text = {0};
    if (!(law->by_unit > 0) || !(law->by_other > 0))
        return NULL;
    base_buffer_print(&text, "O(");
    print_power("a", law->by_unit, &text);
    base_buffer_print(&text, "*");
    print_power("b", law->by_other, &text);
    base_buffer_print(&text, ")");
    return json_pack("{s:o, s:s, s:s, s:o, s:o}", "law", taken(&text), "a",
                     "how often the unit comes", "b", "how often the other piece comes",
                     "exponent_a", rounded(law->by_unit), "exponent_b", rounded(law->by_other));
}

/* Identifies the cause by functions, not lines, so that edits elsewhere do not change it. */
static json_t *fingerprint_json(const struct suite_finding *finding) {
    const struct measure_cause *cause = finding->law.cause;
    struct base_hash hash;
    char text[33];
    base_hash_init(&hash);
    for (size_t i = 0; i < cause->count; i++) {
        const struct measure_step *step = &cause->steps[i];
        const struct ir_function *function = &finding->facts->functions[step->function];
        if (!(step->adds > 0))
            continue;
        base_hash_add_text(&hash, measure_step_name(step->kind));
        base_hash_add_text(&hash, finding->facts->strings + function->name);
        base_hash_add_text(&hash, step->library ? step->library : "");
    }
    base_hash_done(&hash, text);
    text[16] = 0;
    return json_string(text);
}

static void add_time(const struct suite_finding *finding, json_t *json) {
    const struct suite_law *law = &finding->law;
    double rate = SUITE_RATE;
    bool is_timed = isfinite(finding->seconds) && finding->seconds > 0 && law->count;
    if (is_timed) {
        rate = law->series[law->count - 1].cost / finding->seconds;
        json_object_set_new(json, "seconds",
                            json_pack("{s:I, s:f}", "size",
                                      (json_int_t)law->series[law->count - 1].size, "seconds",
                                      finding->seconds));
    }
    json_object_set_new(json, "one_second",
                        json_pack("{s:o, s:b}", "size", number(round(suite_size_for(law, rate))),
                                  "timed", is_timed));
}

static void add_law(const struct suite_finding *finding, json_t *json) {
    const struct suite_law *law = &finding->law;
    json_object_set_new(json, "law", class_json(law->growth));
    json_object_set_new(json, "name", json_string(measure_growth_name(law->growth)));
    json_object_set_new(json, "exponent", rounded(law->growth->exponent));
    json_object_set_new(json, "doublings", rounded(law->growth->doublings));
    if (law->growth->kind == MEASURE_GROWTH_EXPONENTIAL && law->pattern) {
        double bytes = (double)target_pattern_size(law->pattern, 2) -
                       (double)target_pattern_size(law->pattern, 1);
        json_object_set_new(json, "factor", rounded(law->growth->factor));
        json_object_set_new(json, "factor_per_repetition",
                            rounded(pow(law->growth->factor, bytes)));
    }
    json_t *parameters = parameters_json(law);
    if (parameters)
        json_object_set_new(json, "parameters", parameters);
    json_object_set_new(json, "series", series_json(law));
}

json_t *suite_finding_json(const struct suite_finding *finding) {
    const struct suite_law *law = &finding->law;
    json_t *json = json_object(), *tests = json_array();
    char id[32];
    snprintf(id, sizeof id, "F%zu", finding->number);
    for (size_t i = 0; i < finding->tests.count; i++)
        json_array_append_new(tests, json_string(finding->tests.data[i]));
    json_object_set_new(json, "id", json_string(id));
    add_law(finding, json);
    json_object_set_new(json, "cause", steps_json(finding, true));
    json_object_set_new(json, "chain", steps_json(finding, false));
    json_object_set_new(json, "hottest", place_json(finding, law));
    json_object_set_new(json, "recipe",
                        law->pattern ? recipe_json(law->pattern) : json_string(law->recipe));
    json_object_set_new(json, "repetitions", json_integer((json_int_t)law->repetitions));
    if (law->pattern) {
        json_object_set_new(json, "shell", shell_json(law->pattern, law->repetitions));
        json_object_set_new(json, "smallest", smallest_json(law));
    }
    json_object_set_new(json, "linear_relative", relative_json(finding));
    json_object_set_new(json, "cost_at", costs_json(law));
    add_time(finding, json);
    json_object_set_new(json, "tests", tests);
    json_object_set_new(json, "variants", json_integer((json_int_t)finding->variant_count));
    json_object_set_new(json, "variant_list", variants_json(finding));
    json_object_set_new(json, "fingerprint", fingerprint_json(finding));
    return json;
}
