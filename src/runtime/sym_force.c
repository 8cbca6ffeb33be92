/* SPDX-License-Identifier: Apache-2.0
 *
 * Forced runs: a script gives the directions of the first branches, or of those at certain times; a
 * policy those of all others, regardless of values. The trace then says which conditions an input
 * must meet to take this path by itself.
 *
 * A policy looks at the latest decisions of the path, or of the branch's own site, or of that site
 * since its function was entered, where each call or recursion starts anew.
 */
#include "runtime/symbolic.h"

#include <string.h>

static RUNTIME_STATE uint64_t recent[ABI_MAX_HISTORY]; /* ring buffer of the path's decisions */
static RUNTIME_STATE uint32_t made;                    /* number of decisions so far */
RUNTIME_STATE struct runtime_sites runtime_sites;
static RUNTIME_STATE uint32_t next_time; /* next entry of a script of times */

void runtime_sym_open_force(void) {
    runtime_sites.at = runtime_sym_reserve(NULL, RUNTIME_SITES * sizeof *runtime_sites.at);
}

void runtime_sym_begin_force(void) {
    made = next_time = 0;
    runtime_sites.epoch++;
}

static struct runtime_site *site_at(uint32_t number) {
    return &runtime_sites.at[number & (RUNTIME_SITES - 1)];
}

/* The newest HISTORY decisions, with a 1 above them that marks their number. */
static uint64_t newest(uint64_t bits, uint32_t history) {
    uint64_t limit = (uint64_t)1 << history;
    return bits >= limit ? (bits & (limit - 1)) | limit : bits;
}

static uint64_t make_key(const struct abi_policy *policy, uint32_t number) {
    uint32_t history = policy->history < ABI_MAX_HISTORY ? policy->history : ABI_MAX_HISTORY;
    uint64_t key = abi_extend_key(0, number);
    const struct runtime_site *site = site_at(number);
    if (policy->memory == ABI_MEMORY_SITE)
        return abi_extend_key(key, newest(site->all, history));
    if (policy->memory == ABI_MEMORY_FRAME)
        return abi_extend_key(key, newest(site->in_frame, history));
    for (uint32_t i = 1; i <= history && i <= made; i++)
        key = abi_extend_key(key, recent[(made - i) % ABI_MAX_HISTORY]);
    return key;
}

static uint64_t add_decision(uint64_t bits, bool direction) {
    return bits << 1 | direction | (bits & (uint64_t)1 << 63);
}

static enum abi_direction ask_policy(const struct abi_policy *policy, uint32_t site) {
    const struct abi_rule *rules =
        (const struct abi_rule *)((const char *)runtime.control + ABI_OFFSET_RULES);
    uint64_t key = make_key(policy, site);
    uint32_t mask = policy->rule_slots - 1;
    for (uint32_t i = 0; i <= mask; i++) {
        const struct abi_rule *rule = &rules[(key + i) & mask];
        if (!rule->is_used)
            break;
        if (rule->key == key)
            return (enum abi_direction)rule->direction;
    }
    return ABI_DIRECTION_FREE;
}

static enum abi_direction ask_times(const struct abi_control *control) {
    const uint64_t *times = (const uint64_t *)((const char *)control + ABI_OFFSET_SCRIPT);
    uint64_t now = abi_timed(__slowpath_sym_cost, 0);
    while (next_time < control->force_count && times[next_time] < now)
        next_time++;
    if (next_time == control->force_count || times[next_time] >> 2 != now >> 2)
        return ABI_DIRECTION_FREE;
    return (enum abi_direction)(times[next_time] & 3);
}

bool runtime_sym_decide(bool condition, uint32_t branch, uint32_t site) {
    const struct abi_control *control = runtime.control;
    enum abi_direction direction = ABI_DIRECTION_FREE;
    if (control->is_timed)
        direction = ask_times(control);
    else if (branch < control->force_count)
        direction = (enum abi_direction)((const uint8_t *)control + ABI_OFFSET_SCRIPT)[branch];
    if (direction == ABI_DIRECTION_FREE && control->policy.rule_slots)
        direction = ask_policy(&control->policy, site);
    if (direction != ABI_DIRECTION_FREE)
        condition = direction == ABI_DIRECTION_TRUE;
    recent[made++ % ABI_MAX_HISTORY] = (uint64_t)site << 1 | condition;
    struct runtime_site *known = site_at(site);
    known->all = add_decision(known->all, condition);
    known->in_frame = add_decision(known->in_frame, condition);
    return condition;
}
