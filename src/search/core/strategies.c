/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of strategies.
 */
#include "search/core/core.h"

#include <string.h>

static const struct search_strategy *const strategies[] = {
#define STRATEGY(id) &search_strategy_##id,
#include "search/strategies.def"
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
