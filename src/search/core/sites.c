/* SPDX-License-Identifier: Apache-2.0
 *
 * Which outcomes does a switch have? The facts, laid out as tables by block.
 */
#include "search/core/walk.h"

#include <stdlib.h>

static void split_cases(struct search_sites *sites, uint32_t number) {
    const struct ir_switch *from = &sites->facts->switches[number];
    uint32_t most = from->default_outcome;
    for (uint32_t i = from->first_case; i < from->first_case + from->case_count; i++) {
        sites->values[i] = sites->facts->cases[i].value;
        sites->outcomes[i] = sites->facts->cases[i].outcome;
        if (sites->outcomes[i] > most)
            most = sites->outcomes[i];
    }
    sites->outcome_counts[number] = most + 1;
    sites->cases[number] =
        (struct expr_cases){sites->values + from->first_case, sites->outcomes + from->first_case,
                            from->case_count, from->default_outcome};
}

void search_sites_init(struct search_sites *sites, const struct ir_facts *facts) {
    *sites = (struct search_sites){.facts = facts};
    sites->switch_of = base_alloc(facts->block_count * sizeof *sites->switch_of);
    sites->cases = base_alloc(facts->switch_count * sizeof *sites->cases);
    sites->outcome_counts = base_alloc(facts->switch_count * sizeof *sites->outcome_counts);
    sites->values = base_alloc(facts->case_count * sizeof *sites->values);
    sites->outcomes = base_alloc(facts->case_count * sizeof *sites->outcomes);
    for (uint32_t i = 0; i < facts->block_count; i++)
        sites->switch_of[i] = IR_NONE;
    for (uint32_t i = 0; i < facts->switch_count; i++) {
        sites->switch_of[facts->switches[i].block] = i;
        split_cases(sites, i);
    }
}

void search_sites_done(struct search_sites *sites) {
    free(sites->switch_of);
    free(sites->cases);
    free(sites->outcome_counts);
    free(sites->values);
    free(sites->outcomes);
}
