/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files of this library.
 */
#ifndef SLOWPATH_REDUNDANT_INTERNAL_H
#define SLOWPATH_REDUNDANT_INTERNAL_H

#include "redundant/redundant.h"

/* trace.c: the recording of a run; borrowed from the trace. */
struct redundant_trace {
    struct abi_recording head;
    const struct abi_nest *nests;
    const struct abi_logged *log;
};
/* False: it is invalid. */
bool redundant_read_trace(const void *trace, size_t size, struct redundant_trace *read);

/* One logged entry of the inner loop of a watched nest. */
struct redundant_instance {
    /* Of the outer loop: `began` and `turn`; `calls` lead to the inner one. */
    uint32_t watch, began, turn, calls;
    uint32_t turns;
    bool is_whole;
    BASE_VECTOR(struct abi_logged) reads;
};
struct redundant_instances {
    struct redundant_instance *data;
    size_t count, capacity;
};
void redundant_read_log(const struct redundant_trace *trace, struct redundant_instances *instances);
void redundant_instances_done(struct redundant_instances *instances);

/* place.c */
void redundant_find_place(const struct ir_facts *facts, uint32_t loop,
                          struct redundant_place *place);
void redundant_find_call(const struct ir_facts *facts, uint32_t site,
                         struct redundant_place *place);

/* growth.c: POINTS are {size, value}; the exponent of the values, from the largest sizes. False if
 * there are too few points, or they are too close together. */
struct redundant_point {
    int64_t size;
    uint64_t loads, fresh;
};
bool redundant_fit(struct redundant_point *points, size_t count, struct redundant_growth *growth);
bool redundant_is_proof(const struct redundant_growth *growth);

#endif
