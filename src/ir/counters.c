/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts and weights of blocks, where only some blocks have a counter. All that is known of the
 * others is linear: such a block runs as often as its leader, or as often as a sum of others.
 */
#include "ir/facts.h"

bool ir_has_counter(const struct ir_block *block) {
    return !block->leader && !block->sum;
}

void ir_complete_counts(const struct ir_facts *facts, uint64_t *counts) {
    for (uint32_t i = 0; i < facts->sum_count; i++) {
        const struct ir_sum *sum = &facts->sums[i];
        counts[sum->block] = 0;
        for (uint32_t t = 0; t < sum->term_count; t++)
            counts[sum->block] += counts[facts->terms[sum->first_term + t]];
    }
    for (uint32_t i = 0; i < facts->block_count; i++)
        if (facts->blocks[i].leader)
            counts[i] = counts[facts->blocks[i].leader - 1];
}

static void add_weight(uint32_t *to, uint32_t weight) {
    if (__builtin_add_overflow(*to, weight, to))
        *to = UINT32_MAX;
}

void ir_fold_weights(const struct ir_facts *facts, uint32_t *weights) {
    for (uint32_t i = 0; i < facts->block_count; i++)
        if (facts->blocks[i].leader) {
            add_weight(&weights[facts->blocks[i].leader - 1], weights[i]);
            weights[i] = 0;
        }
    for (uint32_t i = facts->sum_count; i-- > 0;) {
        const struct ir_sum *sum = &facts->sums[i];
        for (uint32_t t = 0; t < sum->term_count; t++)
            add_weight(&weights[facts->terms[sum->first_term + t]], weights[sum->block]);
        weights[sum->block] = 0;
    }
}

uint64_t ir_count_of(const struct ir_facts *facts, const uint64_t *counts, uint32_t block) {
    if (facts->blocks[block].leader)
        block = facts->blocks[block].leader - 1;
    if (!facts->blocks[block].sum)
        return counts[block];
    const struct ir_sum *sum = &facts->sums[facts->blocks[block].sum - 1];
    uint64_t count = 0;
    for (uint32_t t = 0; t < sum->term_count; t++)
        count += ir_count_of(facts, counts, facts->terms[sum->first_term + t]);
    return count;
}
