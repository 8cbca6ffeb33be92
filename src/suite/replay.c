/* SPDX-License-Identifier: Apache-2.0
 *
 * Does every test still cost the same? Costs are counts, so any difference comes from the program;
 * only a cost above the tolerance is a failure.
 */
#include "suite/suite.h"

#include <stdlib.h>

/* The parts of a sum may have been recorded even if the sum was not. */
static bool recorded_cost(const struct suite_item *item, const struct measure *measure,
                          double *cost) {
    const json_t *whole = json_object_get(item->all, measure->text);
    *cost = json_number_value(whole);
    bool good = true;
    for (size_t i = 0; !whole && i < measure->term_count; i++) {
        const json_t *part = json_object_get(item->all, measure->terms[i].name);
        *cost += measure->terms[i].factor * json_number_value(part);
        good = good && json_is_number(part);
    }
    return good;
}

bool suite_use_measure(struct suite *suite, const struct measure *measure,
                       struct base_error *error) {
    for (size_t i = 0; i < suite->count; i++)
        if (!recorded_cost(&suite->items[i], measure, &suite->items[i].cost))
            return base_fail(error, BASE_USAGE,
                             "--measure %s: the suite has no such cost of %s to compare with; run "
                             "the search with this measure",
                             measure->text, suite->items[i].file);
    suite->measure = measure->text;
    return true;
}

static enum suite_verdict judge(const struct suite_item *item, const struct suite_replayed *now,
                                double threshold) {
    if (now->result.status != ABI_STATUS_OK || now->result.rejected)
        return SUITE_BROKEN;
    if (now->cost == item->cost)
        return SUITE_SAME;
    if (now->cost < item->cost)
        return SUITE_CHEAPER;
    return now->cost > item->cost * (1 + threshold / 100) ? SUITE_EXCEEDED : SUITE_DEARER;
}

bool suite_replay(const struct suite *suite, struct target *target, const struct measure *measure,
                  double threshold, struct suite_replayed *results, struct base_error *error) {
    struct target_input *inputs = base_alloc(suite->count * sizeof *inputs);
    struct abi_result *raw = base_alloc(suite->count * sizeof *raw);
    for (size_t i = 0; i < suite->count; i++)
        inputs[i] = (struct target_input){suite->items[i].input, suite->items[i].size};
    bool good = !suite->count || target_run(target, inputs, suite->count, raw, error);
    for (size_t i = 0; good && i < suite->count; i++) {
        results[i] = (struct suite_replayed){.result = raw[i],
                                             .cost = measure_value(measure, target, &raw[i])};
        results[i].verdict = judge(&suite->items[i], &results[i], threshold);
    }
    free(inputs);
    free(raw);
    return good;
}
