/* SPDX-License-Identifier: Apache-2.0
 *
 * What a run costs, as the runtime counts it, and how a trace tells of it along the path.
 */
#ifndef SLOWPATH_ABI_COSTS_H
#define SLOWPATH_ABI_COSTS_H

#include <stdint.h>

#define ABI_MAX_COUNTERS 16

/* What one run is charged with, beyond the block counters. */
struct abi_costs {
    uint64_t allocated; /* heap bytes asked for, in total */
    uint64_t allocations;
    uint64_t live; /* heap bytes not freed yet */
    uint64_t peak; /* the most that `live` was */
    uint64_t files_open;
    uint64_t files_peak;
    int64_t user[ABI_MAX_COUNTERS]; /* slowpath_count */
};

/* The costs of a path as a vector. CARRIED(identifier, "name"): every event of a trace has it.
 * TOLD(identifier, "name", field of struct abi_costs): an event of its own tells when it has
 * changed, so that a path that never allocates has no such event. */
#define ABI_COSTS(CARRIED, TOLD)                                                                   \
    CARRIED(INSTRUCTIONS, "instructions")                                                          \
    CARRIED(CALLS, "calls")                                                                        \
    TOLD(MEMORY, "memory", peak)                                                                   \
    TOLD(LIVE, "live", live)                                                                       \
    TOLD(ALLOCATED, "allocated", allocated)                                                        \
    TOLD(ALLOCATIONS, "allocations", allocations)                                                  \
    TOLD(FILES, "files", files_peak)

enum abi_cost {
#define CARRIED(id, name) ABI_COST_##id,
#define TOLD(id, name, field) ABI_COST_##id,
    ABI_COSTS(CARRIED, TOLD)
#undef CARRIED
#undef TOLD
        ABI_COST_USER, /* the first counter of slowpath_count; a value below zero has bit 63 set */
    ABI_COST_COUNT = ABI_COST_USER + ABI_MAX_COUNTERS
};

#endif
