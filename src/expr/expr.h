/* SPDX-License-Identifier: Apache-2.0
 *
 * expr: the expressions of one trace in the engine. They are imported from shared memory (checked:
 * nothing of it is believed), simplified while they are built, evaluated on an input, and printed
 * as C. Ids are local to a pool; 0 is none.
 */
#ifndef SLOWPATH_EXPR_H
#define SLOWPATH_EXPR_H

#include "abi/trace.h"
#include "base/base.h"

struct expr_pool; /* nodes, hash-consed; cheap to empty and fill again */

struct expr_pool *expr_pool_new(void);
void expr_pool_free(struct expr_pool *pool);
void expr_pool_clear(struct expr_pool *pool);

const struct abi_node *expr_node(const struct expr_pool *pool, uint32_t id);
uint64_t expr_constant(const struct expr_pool *pool, uint32_t id); /* of a CONST node */

/* Building, with simplification (constants folded, neutral elements, double casts, comparisons
 * with constants, NOT pushed into comparisons, extract of concat, ...). */
uint32_t expr_make_constant(struct expr_pool *pool, unsigned width, uint64_t value);
uint32_t expr_make_input(struct expr_pool *pool, unsigned width, uint32_t offset);
uint32_t expr_make(struct expr_pool *pool, enum abi_op op, unsigned width, unsigned extra,
                   uint32_t a, uint32_t b, uint32_t c);
uint32_t expr_make_not(struct expr_pool *pool, uint32_t a);

/* Value of an expression for an input; bytes beyond its end are zero. The evaluator remembers
 * values per input: expr_eval_begin starts a new input. Division by zero as in SMT-LIB. */
void expr_eval_begin(struct expr_pool *pool, const uint8_t *input, size_t size);
uint64_t expr_eval(struct expr_pool *pool, uint32_t id);

/* The input bytes an expression depends on: a sorted list of offsets, borrowed until the pool is
 * cleared. */
struct expr_support {
    const uint32_t *offsets;
    uint32_t count;
};
struct expr_support expr_support(struct expr_pool *pool, uint32_t id);

/* Prints as C. NAMES gives the name of input variables ("arr[3]"); NULL: in[OFFSET]. */
typedef void expr_name(uint32_t offset, unsigned bytes, void *context, struct base_buffer *out);
void expr_print(struct expr_pool *pool, uint32_t id, expr_name *names, void *context,
                struct base_buffer *out);

/* ---- a trace, imported ---- */

struct expr_event {
    enum abi_event_kind kind;
    uint32_t site;
    uint32_t expr; /* in the pool */
    uint64_t value, cost;
};

struct expr_trace {
    struct expr_pool *pool;
    struct expr_event *events;
    size_t count, capacity;
    uint32_t run, flags, concretised;
    uint64_t cost;
};

/* Reads one trace at BYTES (at most SIZE bytes). The pool is cleared first. Wide inputs that
 * overlap with other input nodes of the trace (an int of which single bytes are read too) become
 * concatenations of bytes, so that in the pool two INPUT nodes never overlap without being equal.
 * Fails on anything that is not a well-formed trace. NEXT: bytes that the record took. */
bool expr_trace_read(struct expr_trace *trace, const void *bytes, size_t size, size_t *next,
                     struct base_error *error);
void expr_trace_done(struct expr_trace *trace);

/* The condition under which an event goes as it did: the branch condition or its negation, for a
 * switch the disjunction or conjunction over the cases, an equation for a fixed value. CASES: see
 * ir_facts; NULL for other events. */
struct expr_cases {
    const uint64_t *values;   /* of each case */
    const uint32_t *outcomes; /* which successor each goes to */
    uint32_t count;
    uint32_t default_outcome;
};
uint32_t expr_event_outcome(const struct expr_event *event, const struct expr_cases *cases);
uint32_t expr_event_condition(struct expr_pool *pool, const struct expr_event *event,
                              const struct expr_cases *cases);
/* The condition under which a switch goes to OUTCOME. */
uint32_t expr_switch_condition(struct expr_pool *pool, uint32_t expr, uint32_t outcome,
                               const struct expr_cases *cases);

#endif
