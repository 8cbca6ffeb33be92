/* SPDX-License-Identifier: Apache-2.0
 *
 * What is the simplest input that is as bad as this one?
 *
 * The solver's models are correct but arbitrary: 2147483647 where 3 would do. Patterns over sizes
 * only show if equal causes look equal. So values are replaced by their ranks where the cost stays
 * the same, and then each value is moved as close to zero as the cost allows, from the last element
 * to the first, until nothing changes. The measuring build decides: an input with the worst cost is
 * a worst input, whatever its path.
 */
#include "search/scale/scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INPUTS 24  /* of one size, at most, that are brought into canonical form */
#define CHOICES 96 /* values to try for one element at a time */
#define PASSES 8

struct work {
    struct search *search;
    const struct scale_trained *trained;
    size_t elements;
    uint8_t *bytes; /* CHOICES inputs */
    double costs[CHOICES];
    struct target_input inputs[CHOICES];
};

/* ---- ranks ---- */

static int compare_values(const void *a, const void *b) {
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static void rank(const int64_t *values, size_t count, int64_t low, int64_t *ranks) {
    int64_t *sorted = base_alloc((count + 1) * sizeof *sorted);
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_values);
    size_t distinct = 0;
    for (size_t i = 0; i < count; i++)
        if (!i || sorted[i] != sorted[i - 1])
            sorted[distinct++] = sorted[i];
    for (size_t i = 0; i < count; i++) {
        const int64_t *at = bsearch(&values[i], sorted, distinct, sizeof *sorted, compare_values);
        ranks[i] = at - sorted + (low > 0 ? low : 0);
    }
    free(sorted);
}

static void rank_columns(const struct scale_table *table, const int64_t *values, int64_t *ranks) {
    for (size_t c = 0, at = 0; c < table->columns.count; c++) {
        const struct scale_column *column = &table->columns.data[c];
        rank(values + at, column->count, column->low, ranks + at);
        at += column->count;
    }
}

/* ---- measuring ---- */

/* Writes VALUES as the next input to try; false when they do not fit. */
static bool put(struct work *work, const int64_t *values, size_t at) {
    size_t size = work->trained->layout.bytes;
    uint8_t *input = work->bytes + at * size;
    work->inputs[at] = (struct target_input){input, size};
    return scale_table_write(&work->trained->table, values, input);
}

static bool start_with_ranks(struct work *work, int64_t *values, struct base_error *error) {
    const struct scale_table *table = &work->trained->table;
    int64_t *forms = base_alloc(2 * (work->elements + 1) * sizeof *forms), *chosen[2];
    size_t count = 0;
    rank(values, work->elements, table->columns.count ? table->columns.data[0].low : 0, forms);
    rank_columns(table, values, forms + work->elements);
    for (size_t i = 0; i < 2; i++)
        if (put(work, forms + i * work->elements, count))
            chosen[count++] = forms + i * work->elements;
    bool good = scale_measure_all(work->search, work->inputs, count, work->costs, error);
    for (size_t i = 0; good && i < count; i++)
        if (work->costs[i] == work->trained->worst) {
            memcpy(values, chosen[i], work->elements * sizeof *values);
            break;
        }
    free(forms);
    return good;
}

/* ---- simplifying ---- */

static bool is_simpler(int64_t a, int64_t b) {
    uint64_t left = a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
    uint64_t right = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    return left < right || (left == right && a > b);
}

/* Values to try instead of VALUE, all simpler than it. */
static size_t list_choices(const struct scale_column *column, int64_t value, int64_t *choices) {
    int64_t tries[CHOICES];
    size_t count = 0, kept = 0;
    for (int64_t i = 0; i <= 8; i++) {
        tries[count++] = i;
        tries[count++] = column->low + i;
        tries[count++] = value - (value > 0 ? i : -i);
    }
    tries[count++] = -value;
    for (int64_t half = value / 2; half; half /= 2)
        tries[count++] = half;
    for (size_t i = 0; i < count && kept < CHOICES; i++)
        if (is_simpler(tries[i], value) && tries[i] >= column->low && tries[i] <= column->high)
            choices[kept++] = tries[i];
    return kept;
}

/* Replaces one value by the simplest that costs as much. */
static bool simplify_one(struct work *work, int64_t *values, size_t at,
                         const struct scale_column *column, bool *changed,
                         struct base_error *error) {
    for (;;) {
        int64_t choices[CHOICES], before = values[at], best = before;
        size_t count = list_choices(column, before, choices);
        for (size_t i = 0; i < count; i++) {
            values[at] = choices[i];
            put(work, values, i);
        }
        values[at] = before;
        if (!scale_measure_all(work->search, work->inputs, count, work->costs, error))
            return false;
        for (size_t i = 0; i < count; i++)
            if (work->costs[i] == work->trained->worst && is_simpler(choices[i], best))
                best = choices[i];
        if (best == before)
            return true;
        values[at] = best;
        *changed = true;
    }
}

static bool simplify(struct work *work, int64_t *values, struct base_error *error) {
    const struct scale_table *table = &work->trained->table;
    bool changed = true;
    for (unsigned pass = 0; changed && pass < PASSES; pass++) {
        changed = false;
        size_t at = work->elements;
        for (size_t c = table->columns.count; c-- > 0;)
            for (uint64_t i = table->columns.data[c].count; i-- > 0;)
                if (!simplify_one(work, values, --at, &table->columns.data[c], &changed, error))
                    return false;
    }
    return true;
}

/* ---- all inputs of a size ---- */

static void keep(struct scale_trained *trained, const int64_t *values) {
    size_t bytes = trained->table.elements * sizeof *values;
    for (size_t i = 0; i < trained->canonical.count; i++)
        if (memcmp(trained->canonical.data[i], values, bytes) == 0)
            return;
    int64_t *copy = base_alloc(bytes + 1);
    memcpy(copy, values, bytes);
    base_push(&trained->canonical, copy);
}

bool scale_canonical(struct search *search, struct scale_trained *trained,
                     struct base_error *error) {
    if (trained->has_canonical)
        return true;
    struct work work = {.search = search,
                        .trained = trained,
                        .elements = trained->table.elements,
                        .bytes = base_alloc(CHOICES * trained->layout.bytes + 1)};
    int64_t *values = base_alloc((work.elements + 1) * sizeof *values);
    bool good = true;
    for (size_t i = 0; good && i < trained->inputs.count && i < INPUTS; i++) {
        if (search_must_stop(search))
            break;
        scale_table_read(&trained->table, trained->inputs.data[i], values);
        good = start_with_ranks(&work, values, error);
        keep(trained, values);
        good = good && simplify(&work, values, error);
        keep(trained, values);
    }
    trained->has_canonical = true;
    free(values);
    free(work.bytes);
    return good;
}
