/* SPDX-License-Identifier: Apache-2.0
 *
 * Does every test still cost what it did? Costs are counts, so any difference is a difference of
 * the program; only what costs more than the tolerance is a failure.
 */
#include "suite/suite.h"

#include <stdlib.h>

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
