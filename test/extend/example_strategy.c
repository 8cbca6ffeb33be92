/* SPDX-License-Identifier: Apache-2.0
 *
 * A strategy as small as one can be: it runs the inputs to start from, or zeros, and is done.
 */
#include "search/core/core.h"

#include <stdlib.h>

static bool run(struct search *search, struct base_error *error) {
    const struct search_subject *subject = &search->subject;
    uint8_t *zeros = base_alloc(subject->layout.bytes + 1);
    struct target_input input = {zeros, subject->layout.bytes};
    struct abi_result result;
    double cost;
    if (subject->start_count)
        input = subject->starts[0];
    const struct search_program *program = &subject->programs[0];
    bool good = program->measure(program->self, &input, 1, &result, &cost, error);
    if (good)
        search_book_measured(search, &input, 1, &result, &cost);
    free(zeros);
    return good;
}

const struct search_strategy search_strategy_example = {
    .name = "example", .summary = "the first input, and no other", .run = run};
