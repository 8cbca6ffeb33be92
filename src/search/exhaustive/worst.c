/* SPDX-License-Identifier: Apache-2.0
 *
 * Of all inputs that take one path, which costs most? Where the path leaves the size of an
 * allocation or the length of a copy open, they differ in cost. The solver finds the costliest
 * whose memory a run may still have.
 */
#include "search/core/family.h"
#include "search/exhaustive/exhaustive.h"

static bool is_priced(const struct search_prices *prices, uint32_t costs) {
    for (unsigned i = 0; i < ABI_COST_COUNT; i++)
        if (costs >> i & 1 && prices->of[i] != 0)
            return true;
    return false;
}

void exhaustive_find_worst(const struct search *search, const struct search_program *program,
                           struct solver *solver, struct search_walk *walk, uint32_t open,
                           uint8_t *input) {
    const struct search_subject *subject = &search->subject;
    const struct search_prices prices = search_find_prices(subject, program);
    struct search_family family;
    double scale;
    int64_t cost;
    if (!is_priced(&prices, open) || !search_walk_import(walk))
        return;
    search_family_read(&family, walk);
    uint32_t measure = search_family_measure(&family, &prices, &scale);
    if (measure)
        search_find_extreme(
            &(struct search_extreme){
                .family = &family,
                .solver = solver,
                .layout = &subject->layout,
                .is_quick = true,
                .also =
                    subject->run_memory ? search_family_within(&family, subject->run_memory) : 0,
                .input = input,
                .size = subject->layout.bytes},
            measure, true, &cost);
    search_family_done(&family);
}
