/* SPDX-License-Identifier: Apache-2.0
 *
 * Composition as a strategy: what was composed are the inputs that the search starts from, and
 * there are no others.
 */
#include "compose/compose.h"
#include "search/core/core.h"

static bool run(struct search *search, struct base_error *error) {
    const struct search_subject *subject = &search->subject;
    const struct search_program *program = &subject->programs[0];
    for (size_t i = 0; i < subject->start_count && !search_is_over(search); i++) {
        struct abi_result result;
        double cost;
        if (!search_grant_locked(search, 1))
            break;
        if (!program->measure(program->self, &subject->starts[i], 1, &result, &cost, error))
            return false;
        search_book_measured(search, &subject->starts[i], 1, &result, &cost);
    }
    return true;
}

const struct search_strategy compose_strategy = {
    .name = "compose",
    .summary = "inputs composed from costly paths of the stages, and nothing else",
    .varies_size = true,
    .run = run};
