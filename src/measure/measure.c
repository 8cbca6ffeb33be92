/* SPDX-License-Identifier: Apache-2.0
 *
 * The names of measures, sums of them, and costs as JSON. A new measure that is a number of the
 * runtime is one row of the table below.
 */
#include "measure/weights.h"

#include "measure/json.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct named {
    const char *name;
    enum measure_kind kind;
    uint32_t index;
    const char *meaning;
};

static const struct named measures[] = {
    {"instructions", MEASURE_BY_VECTOR, MEASURE_INSTRUCTIONS, "IR instructions"},
    {"weighted", MEASURE_BY_VECTOR, MEASURE_WEIGHTED, "IR instructions by weight (calls 10)"},
    {"calls", MEASURE_BY_VECTOR, MEASURE_CALLS, "functions called"},
    {"memory", MEASURE_BY_COST, offsetof(struct abi_costs, peak), "peak live heap bytes"},
    {"allocated", MEASURE_BY_COST, offsetof(struct abi_costs, allocated), "heap bytes in total"},
    {"allocations", MEASURE_BY_COST, offsetof(struct abi_costs, allocations), "heap requests"},
    {"files", MEASURE_BY_COST, offsetof(struct abi_costs, files_peak), "open files at peak"},
    {"time", MEASURE_BY_TIME, 0, "wall time in nanoseconds (never the same twice)"},
};

static uint32_t *chosen_vector(struct measure *measure, const struct ir_facts *facts) {
    if (!measure->chosen)
        measure->chosen = base_alloc(((size_t)facts->block_count + 1) * sizeof *measure->chosen);
    return measure->chosen;
}

static void nearest_functions(const struct ir_facts *facts, const char *name,
                              struct base_buffer *out) {
    size_t best = base_near_distance(name) + 1;
    for (uint32_t i = 0; i < facts->function_count; i++) {
        const char *candidate = facts->strings + facts->functions[i].name;
        size_t distance = base_edit_distance(name, candidate);
        if (distance < best) {
            best = distance;
            out->count = 0;
            base_buffer_print(out, "; did you mean %s?", candidate);
        }
    }
}

static bool choose_calls(struct measure *measure, const struct ir_facts *facts, const char *name,
                         struct base_error *error) {
    uint32_t found = measure_choose_calls(facts, name, 1, chosen_vector(measure, facts));
    if (found > 1)
        base_note(
            "calls:%s counts all %u functions of that name; calls:%s.1 counts the second only",
            name, found, name);
    if (found)
        return true;
    struct base_buffer near = {0};
    nearest_functions(facts, name, &near);
    base_fail(error, BASE_USAGE, "--measure calls:%s: the target has no such function%s", name,
              near.count ? near.data : "");
    base_buffer_done(&near);
    return false;
}

static bool choose_block(struct measure *measure, const struct ir_facts *facts, char *place,
                         struct base_error *error) {
    char *colon = strrchr(place, ':'), *end = NULL;
    unsigned long line = colon ? strtoul(colon + 1, &end, 10) : 0;
    if (!colon || end == colon + 1 || *end || line == 0)
        return base_fail(error, BASE_USAGE, "--measure block:%s: write block:FILE.c:LINE", place);
    *colon = 0;
    if (measure_choose_block(facts, place, (uint32_t)line, chosen_vector(measure, facts)))
        return true;
    return base_fail(error, BASE_USAGE,
                     "--measure block:%s:%lu: there is no code with bitcode on that line", place,
                     line);
}

static bool parse_name(struct measure *measure, struct measure_term *term, char *name,
                       const struct ir_facts *facts, struct base_error *error) {
    for (size_t i = 0; i < BASE_COUNT(measures); i++)
        if (strcmp(measures[i].name, name) == 0) {
            term->kind = measures[i].kind;
            term->index = measures[i].index;
            return true;
        }
    if (strncmp(name, "count:", 6) == 0 && name[6]) {
        term->kind = MEASURE_BY_USER;
        return true;
    }
    bool calls = strncmp(name, "calls:", 6) == 0, block = strncmp(name, "block:", 6) == 0;
    if (!calls && !block)
        return base_fail(error, BASE_USAGE,
                         "--measure: '%s' is not known; there are instructions, weighted, calls, "
                         "calls:FUNCTION, memory, allocated, allocations, files, count:NAME, "
                         "block:FILE:LINE, time",
                         name);
    if (measure->chosen)
        return base_fail(error, BASE_USAGE,
                         "--measure: only one calls:FUNCTION or block:FILE:LINE at a time");
    term->kind = MEASURE_BY_VECTOR;
    term->index = MEASURE_CHOSEN;
    return calls ? choose_calls(measure, facts, name + 6, error)
                 : choose_block(measure, facts, name + 6, error);
}

static bool parse_term(struct measure *measure, char *text, const struct ir_facts *facts,
                       struct base_error *error) {
    struct measure_term term = {.factor = 1.0};
    char *end;
    if (isdigit((unsigned char)*text) || *text == '.') {
        term.factor = strtod(text, &end);
        if (*end != '*')
            return base_fail(error, BASE_USAGE, "--measure: write 0.5*NAME instead of '%s'", text);
        text = end + 1;
    }
    term.name = base_strdup(text);
    if (measure->term_count == measure->term_capacity)
        measure->terms = base_grow(measure->terms, &measure->term_capacity, sizeof *measure->terms);
    bool good = parse_name(measure, &term, text, facts, error);
    measure->terms[measure->term_count++] = term;
    return good;
}

bool measure_parse(const char *text, const struct ir_facts *facts, struct measure *measure,
                   struct base_error *error) {
    *measure = (struct measure){.text = base_strdup(text)};
    char *copy = base_strdup(text), *state = NULL;
    bool good = *text && text[0] != '+' && text[strlen(text) - 1] != '+';
    if (!good)
        base_fail(error, BASE_USAGE, "--measure: '%s' is not a measure", text);
    for (char *term = strtok_r(copy, "+", &state); good && term; term = strtok_r(NULL, "+", &state))
        good = parse_term(measure, term, facts, error);
    free(copy);
    if (!good)
        measure_done(measure);
    return good;
}

/* The cost along a path that a term speaks of; ABI_COST_COUNT: none. */
static enum abi_cost cost_of(const struct measure_term *term) {
    if (term->kind == MEASURE_BY_VECTOR && term->index == MEASURE_INSTRUCTIONS)
        return ABI_COST_INSTRUCTIONS;
    if (term->kind == MEASURE_BY_VECTOR && term->index == MEASURE_CALLS)
        return ABI_COST_CALLS;
#define CARRIED(id, name)
#define TOLD(id, name, field)                                                                      \
    if (term->kind == MEASURE_BY_COST && term->index == offsetof(struct abi_costs, field))         \
        return ABI_COST_##id;
    ABI_COSTS(CARRIED, TOLD)
#undef CARRIED
#undef TOLD
    return ABI_COST_COUNT;
}

bool measure_so_far(const struct measure *measure, double *factors) {
    bool all = true;
    for (size_t i = 0; i < measure->term_count; i++) {
        enum abi_cost cost = cost_of(&measure->terms[i]);
        if (cost == ABI_COST_COUNT)
            all = false;
        else
            factors[cost] += measure->terms[i].factor;
    }
    return all;
}

static bool is_of_heap(const struct measure_term *term) {
    switch (cost_of(term)) {
    case ABI_COST_MEMORY:
    case ABI_COST_LIVE:
    case ABI_COST_ALLOCATED:
    case ABI_COST_ALLOCATIONS:
        return true;
    default:
        return false;
    }
}

double *measure_block_prices(const struct measure *measure, const struct measure_weights *weights,
                             const struct ir_facts *facts, bool *is_whole) {
    size_t count = (size_t)facts->block_count + 1;
    double *prices = base_alloc(count * sizeof *prices);
    *is_whole = true;
    for (size_t i = 0; i < measure->term_count; i++) {
        const struct measure_term *term = &measure->terms[i];
        if (term->kind != MEASURE_BY_VECTOR) {
            *is_whole &= is_of_heap(term);
            continue;
        }
        bool is_chosen = term->index == MEASURE_CHOSEN;
        uint32_t *made =
            is_chosen ? NULL
                      : measure_make_vector((enum measure_vector)term->index, weights, facts);
        const uint32_t *vector = is_chosen ? measure->chosen : made;
        for (size_t k = 0; vector && k < count; k++)
            prices[k] += term->factor * vector[k];
        free(made);
    }
    return prices;
}

void measure_done(struct measure *measure) {
    for (size_t i = 0; i < measure->term_count; i++)
        free(measure->terms[i].name);
    free(measure->terms);
    free(measure->chosen);
    free(measure->text);
    *measure = (struct measure){0};
}

void measure_apply(const struct measure *measure, const struct measure_weights *weights,
                   struct target *target) {
    const struct ir_facts *facts = target_facts(target);
    for (int vector = MEASURE_INSTRUCTIONS; vector <= MEASURE_CALLS; vector++) {
        uint32_t *values = measure_make_vector((enum measure_vector)vector, weights, facts);
        target_set_weights(target, (uint32_t)vector, values);
        free(values);
    }
    if (measure->chosen)
        target_set_weights(target, MEASURE_CHOSEN, measure->chosen);
}

static double user_value(const struct target *target, const struct abi_result *result,
                         const char *name) {
    char counter[ABI_NAME_SIZE];
    for (uint32_t i = 0; target_counter_name(target, i, counter); i++)
        if (strcmp(counter, name) == 0)
            return (double)result->costs.user[i];
    return 0;
}

static bool check_counter(const struct target *target, const char *name) {
    char counter[ABI_NAME_SIZE], best[ABI_NAME_SIZE] = "";
    size_t distance = base_near_distance(name);
    for (uint32_t i = 0; target_counter_name(target, i, counter); i++) {
        size_t apart = base_edit_distance(counter, name);
        if (!apart)
            return true;
        if (apart <= distance) {
            distance = apart - 1;
            memcpy(best, counter, sizeof best);
        }
    }
    base_warn("no run has counted anything as '%s' (slowpath_count)%s%s%s", name,
              *best ? "; did you mean count:" : "", best, *best ? "?" : "");
    return false;
}

bool measure_check_counters(const struct measure *measure, const struct target *target) {
    bool good = true;
    for (size_t i = 0; i < measure->term_count; i++)
        if (measure->terms[i].kind == MEASURE_BY_USER)
            good = check_counter(target, measure->terms[i].name + strlen("count:")) && good;
    return good;
}

static double term_value(const struct measure_term *term, const struct target *target,
                         const struct abi_result *result) {
    uint64_t value = 0;
    switch (term->kind) {
    case MEASURE_BY_VECTOR:
        return (double)result->weighted[term->index];
    case MEASURE_BY_COST:
        memcpy(&value, (const char *)&result->costs + term->index, sizeof value);
        return (double)value;
    case MEASURE_BY_USER:
        return term->name ? user_value(target, result, term->name + strlen("count:")) : 0;
    case MEASURE_BY_TIME:
        break;
    }
    return (double)result->wall_ns;
}

double measure_value(const struct measure *measure, const struct target *target,
                     const struct abi_result *result) {
    double sum = 0;
    for (size_t i = 0; i < measure->term_count; i++)
        sum += measure->terms[i].factor * term_value(&measure->terms[i], target, result);
    return sum;
}

/* ---- JSON ---- */

static json_t *number(double value) {
    return value == (double)(json_int_t)value ? json_integer((json_int_t)value) : json_real(value);
}

json_t *measure_cost_json(const struct measure *measure, const struct target *target,
                          const struct abi_result *result) {
    json_t *cost = json_object();
    for (size_t i = 0; i < BASE_COUNT(measures); i++) {
        struct measure_term term = {.kind = measures[i].kind, .index = measures[i].index};
        if (measures[i].kind != MEASURE_BY_TIME)
            json_object_set_new(cost, measures[i].name, number(term_value(&term, target, result)));
    }
    char counter[ABI_NAME_SIZE];
    for (uint32_t i = 0; target_counter_name(target, i, counter); i++) {
        char *name = base_format("count:%s", counter);
        json_object_set_new(cost, name, json_integer(result->costs.user[i]));
        free(name);
    }
    json_object_set_new(cost, measure->text, number(measure_value(measure, target, result)));
    json_object_set_new(cost, "time", json_integer((json_int_t)result->wall_ns));
    json_object_set_new(cost, "cpu", json_integer((json_int_t)result->cpu_ns));
    return cost;
}

const char *measure_status_name(uint32_t status) {
    static const char *const names[] = {"not run", "ok",      "crash",        "timeout",
                                        "memory",  "endless", "out of bounds"};
    return status < BASE_COUNT(names) ? names[status] : "unknown";
}
