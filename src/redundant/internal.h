/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this room share.
 */
#ifndef SLOWPATH_REDUNDANT_INTERNAL_H
#define SLOWPATH_REDUNDANT_INTERNAL_H

#include "redundant/redundant.h"

/* trace.c: a run's recording; borrowed from the trace. */
struct redundant_trace {
    struct abi_recording head;
    const struct abi_nest *nests;
    const struct abi_logged *log;
};
/* False: it makes no sense. */
bool redundant_read_trace(const void *trace, size_t size, struct redundant_trace *read);

/* The inner loop of a watched nest, entered once and logged. */
struct redundant_instance {
    uint32_t watch, began, turn, calls; /* of the outer loop; the calls around the inner one */
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

/* growth.c: POINTS are {size, value}; the power that the values grow with, from the largest sizes.
 * False when there are too few, or they lie too close together. */
struct redundant_point {
    int64_t size;
    uint64_t loads, fresh;
};
bool redundant_fit(struct redundant_point *points, size_t count, struct redundant_growth *growth);
bool redundant_is_proof(const struct redundant_growth *growth);

#endif
