/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of strategies, and the two builds of a target as a strategy sees them.
 */
#include "search/core/core.h"

#include <string.h>

static const struct search_strategy *const strategies[] = {
#define STRATEGY(id) &search_strategy_##id,
    SEARCH_STRATEGIES(STRATEGY)
#undef STRATEGY
};

const struct search_strategy *search_find_strategy(const char *name) {
    for (size_t i = 0; i < BASE_COUNT(strategies); i++)
        if (strcmp(strategies[i]->name, name) == 0)
            return strategies[i];
    return NULL;
}

void search_list_strategies(struct base_buffer *names) {
    for (size_t i = 0; i < BASE_COUNT(strategies); i++)
        base_buffer_print(names, "%s%s", i ? ", " : "", strategies[i]->name);
}

static bool run_traced(void *self, const struct target_input *inputs, size_t count,
                       target_visit *visit, void *context, struct base_error *error) {
    struct search_builds *builds = self;
    if (!builds->symbolic && !builds->open(builds, builds->self, error))
        return false;
    return target_run_traced(builds->symbolic, inputs, count, visit, context, error);
}

static bool run_measured(void *self, const struct target_input *inputs, size_t count,
                         struct abi_result *results, double *costs, struct base_error *error) {
    const struct search_builds *builds = self;
    if (!target_run(builds->measuring, inputs, count, results, error))
        return false;
    for (size_t i = 0; i < count; i++)
        costs[i] = measure_value(builds->measure, builds->measuring, &results[i]);
    return true;
}

/* What cannot be opened is said by the next trace. */
static bool is_open(struct search_builds *builds) {
    struct base_error error;
    return builds->symbolic || builds->open(builds, builds->self, &error);
}

static void aim(void *self, const struct target_aim *aim) {
    struct search_builds *builds = self;
    if (is_open(builds))
        target_set_aim(builds->symbolic, aim);
}

static void force(void *self, const struct target_force *force) {
    struct search_builds *builds = self;
    if (is_open(builds))
        target_set_force(builds->symbolic, force);
}

static uint64_t *bars(void *self, size_t *count) {
    const struct search_builds *builds = self;
    return target_set_bars(builds->measuring, count);
}

static bool count(void *self, const struct target_input *input, struct abi_result *result,
                  double *cost, const uint64_t **counts, struct base_error *error) {
    const struct search_builds *builds = self;
    *counts = target_run_counted(builds->measuring, input, result, error);
    *cost = *counts ? measure_value(builds->measure, builds->measuring, result) : 0;
    return *counts != NULL;
}

static void limit(void *self, double seconds) {
    const struct search_builds *builds = self;
    target_limit_run(builds->measuring, seconds);
}

struct search_programs search_programs_of(struct search_builds *builds) {
    bool traces = builds->symbolic || builds->open;
    return (struct search_programs){.trace = traces ? run_traced : NULL,
                                    .measure = run_measured,
                                    .self = builds,
                                    .aim = traces ? aim : NULL,
                                    .force = traces ? force : NULL,
                                    .bars = bars,
                                    .count = count,
                                    .limit = limit};
}
