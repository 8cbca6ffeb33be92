/* SPDX-License-Identifier: Apache-2.0
 *
 * measure: what is counted, and what it is called. The costs of a run are the runtime's own numbers
 * (heap, files, user counters) and sums of block counts with weights. This library makes the
 * weights and names the sums.
 */
#ifndef SLOWPATH_MEASURE_H
#define SLOWPATH_MEASURE_H

#include "target/target.h"

/* Raised whenever the same run of the same program would count something different. */
#define MEASURE_COUNTERS 1

/* The sums that every run is reported with, and the weight vector each is computed from. */
enum measure_vector { MEASURE_INSTRUCTIONS, MEASURE_WEIGHTED, MEASURE_CALLS, MEASURE_CHOSEN };

/* The weights of instructions in `weighted`: by opcode and, for calls, by the called function. */
struct measure_weights {
    uint32_t opcode[128];
    struct base_map functions; /* weight of a call to this function, in place of a call's */
};
void measure_weights_init(struct measure_weights *weights); /* call 10, everything else 1 */
/* Reads "call=10,load=2,malloc()=50", or "@FILE" with one such item per line. */
bool measure_weights_parse(struct measure_weights *weights, const char *text,
                           struct base_error *error);
void measure_weights_done(struct measure_weights *weights);

enum measure_kind {
    MEASURE_BY_VECTOR, /* a weight vector's sum */
    MEASURE_BY_COST,   /* a number of struct abi_costs */
    MEASURE_BY_USER,   /* a counter of slowpath_count */
    MEASURE_BY_TIME
};

/* One term of a measure such as instructions+0.5*memory. */
struct measure_term {
    double factor;
    enum measure_kind kind;
    uint32_t index; /* the vector, or the byte offset into abi_costs */
    char *name;
};

struct measure {
    char *text; /* as the user wrote it */
    struct measure_term *terms;
    size_t term_count, term_capacity;
    uint32_t *chosen; /* weights of calls:f or block:FILE:LINE; NULL when no term needs them */
};

/* Parses a measure against a target's facts; says what is wrong and what would be right. */
bool measure_parse(const char *text, const struct ir_facts *facts, struct measure *measure,
                   struct base_error *error);
/* Hands all weight vectors to the target. */
void measure_apply(const struct measure *measure, const struct measure_weights *weights,
                   struct target *target);
double measure_value(const struct measure *measure, const struct target *target,
                     const struct abi_result *result);
/* Adds the factor of every cost that is known during a run to FACTORS, which has one per enum
 * abi_cost; false if the measure also has other terms. */
bool measure_so_far(const struct measure *measure, double *factors);
/* What one execution of each block adds to the measure, from the second number on; the first is for
 * each byte touched by a library function. The caller frees them. *IS_WHOLE: apart from heap costs
 * the measure has no other terms. */
double *measure_block_prices(const struct measure *measure, const struct measure_weights *weights,
                             const struct ir_facts *facts, bool *is_whole);
/* Warns about a counter of the measure that no run has counted yet; true: there was none. */
bool measure_check_counters(const struct measure *measure, const struct target *target);
void measure_done(struct measure *measure);

const char *measure_status_name(uint32_t status);

/* ---- profiles: block counts summed over runs, by function, line and loop ---- */

struct measure_profile {
    const struct ir_facts *facts;
    uint64_t *counts; /* slots */
    uint32_t slot_count;
};
void measure_profile_init(struct measure_profile *profile, const struct ir_facts *facts);
void measure_profile_add(struct measure_profile *profile, const uint64_t *counts);
void measure_profile_print(const struct measure_profile *profile, FILE *out, unsigned rows);
bool measure_profile_callgrind(const struct measure_profile *profile, const char *command,
                               const char *path, struct base_error *error);
void measure_profile_done(struct measure_profile *profile);

#endif
