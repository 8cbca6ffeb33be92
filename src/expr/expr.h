/* SPDX-License-Identifier: Apache-2.0
 *
 * expr: the expressions of one trace in the engine. They are imported from shared memory (and
 * checked, as that is not trusted), simplified while they are built, evaluated on an input, and
 * printed as C. Ids are local to a pool; 0 is none.
 */
#ifndef SLOWPATH_EXPR_H
#define SLOWPATH_EXPR_H

#include "abi/trace.h"
#include "base/base.h"

struct expr_pool; /* nodes, hash-consed; cheap to empty and fill again */

struct expr_pool *expr_pool_new(void);
void expr_pool_free(struct expr_pool *pool);
void expr_pool_clear(struct expr_pool *pool);

/* Forgets everything made since a mark, newest first. Constant tables stay. */
struct expr_mark {
    uint32_t nodes, items, variables;
};
struct expr_mark expr_pool_mark(const struct expr_pool *pool);
void expr_pool_back_to(struct expr_pool *pool, struct expr_mark mark);

const struct abi_node *expr_node(const struct expr_pool *pool, uint32_t id);
uint64_t expr_constant(const struct expr_pool *pool, uint32_t id); /* of a CONST node */
uint32_t expr_count(const struct expr_pool *pool);                 /* ids are below it */
/* Was there no room for a node since the pool was emptied? Then other nodes stand in for it,
 * everything made since is wrong, and no answer may be based on the pool. */
bool expr_pool_is_full(const struct expr_pool *pool);
void expr_pool_set_limit(struct expr_pool *pool, uint32_t nodes); /* not counting inputs */
/* The number of its fields that are node ids, among a, b, c in this order. */
unsigned expr_operands(enum abi_op op);
/* What an operation computes: operands and result are zero-extended, widths from 1 to 64;
 * FROM is the width of the first operand. Not for CONST, INPUT, CONCAT and TABLE. */
uint64_t expr_apply(enum abi_op op, unsigned width, unsigned from, unsigned extra, uint64_t a,
                    uint64_t b, uint64_t c);

/* The value of the bits of a float (32) or double (64). */
double expr_float_value(unsigned width, uint64_t bits);
uint64_t expr_float_bits(unsigned width, double value); /* rounded; always the same NaN */
/* The rank of a number: floats are ordered like these integers. Both zeros are 0; beyond the
 * infinities is NaN. */
static inline int64_t expr_float_key(unsigned width, uint64_t bits) {
    uint64_t sign = (uint64_t)1 << (width - 1);
    return bits & sign ? -(int64_t)(bits & (sign - 1)) : (int64_t)bits;
}
static inline uint64_t expr_float_of_key(unsigned width, int64_t key) {
    return key < 0 ? (uint64_t)1 << (width - 1) | (uint64_t)-key : (uint64_t)key;
}
static inline int64_t expr_float_infinity(unsigned width) { /* its rank */
    return width == 32 ? 0x7f800000 : 0x7ff0000000000000;
}

/* Building, with simplification (constants folded, neutral elements, double casts, comparisons
 * with constants, NOT pushed into comparisons, extract of concat, ...). */
#define EXPR_MAX_OFFSET (1u << 24) /* of an input byte */
uint32_t expr_make_constant(struct expr_pool *pool, unsigned width, uint64_t value);
uint32_t expr_make_input(struct expr_pool *pool, unsigned width, uint32_t offset);
uint32_t expr_make(struct expr_pool *pool, enum abi_op op, unsigned width, unsigned extra,
                   uint32_t a, uint32_t b, uint32_t c);
uint32_t expr_make_not(struct expr_pool *pool, uint32_t a);
/* Adds a table of COUNT elements of WIDTH bits (8, 16, 32, 64), little-endian, copied; TABLE nodes
 * name it by the number returned. Reading beyond its end gives 0. */
uint32_t expr_make_table(struct expr_pool *pool, unsigned width, uint32_t count, const void *bytes);
uint32_t expr_table_count(const struct expr_pool *pool, uint32_t table);
uint64_t expr_table_read(const struct expr_pool *pool, uint32_t table, uint64_t index);

/* Value of an expression for an input; bytes beyond its end are zero. The evaluator remembers
 * values per input: expr_eval_begin starts a new input. Division by zero as in SMT-LIB. */
void expr_eval_begin(struct expr_pool *pool, const uint8_t *input, size_t size);
uint64_t expr_eval(struct expr_pool *pool, uint32_t id);

/* Several inputs can be active at once: bank 0 is that of expr_eval, the others are for the solver,
 * so that they do not evict each other's values. */
#define EXPR_BANKS 3
void expr_bank_begin(struct expr_pool *pool, unsigned bank, const uint8_t *input, size_t size);
uint64_t expr_bank_eval(struct expr_pool *pool, unsigned bank, uint32_t id);

/* Variables are the INPUT nodes, numbered from 0 in order of creation. No byte belongs to two of
 * them: expr_make_input builds an integer that overlaps an earlier one from parts of it. The list
 * of an expression is sorted and borrowed until the pool changes. */
struct expr_variables {
    const uint32_t *numbers;
    uint32_t count;
};
uint32_t expr_variable_count(const struct expr_pool *pool);
uint32_t expr_variable_node(const struct expr_pool *pool, uint32_t number);
struct expr_variables expr_variables(struct expr_pool *pool, uint32_t id);
/* The variable of an INPUT node. */
uint32_t expr_variable_number(const struct expr_pool *pool, uint32_t id);

/* The input bytes an expression depends on: a sorted list of offsets, borrowed until the pool is
 * cleared. */
struct expr_support {
    const uint32_t *offsets;
    uint32_t count;
};
struct expr_support expr_support(struct expr_pool *pool, uint32_t id);

/* Prints C code for the expression's value at its width, or for that value as a signed number, if
 * compiled with -fwrapv -fno-strict-aliasing and <stdint.h>. NAME appends the name of an input
 * integer of that many bytes (1, 2, 4 or 8), such as "arr[3]", which must be a unary or postfix
 * expression, and returns whether C considers it signed. Without names it is in[OFFSET], or for
 * more than a byte *(int32_t *)&in[OFFSET]. EXPR_FLOAT in BYTES asks for a float or double. */
#define EXPR_FLOAT 0x80u
typedef bool expr_name(uint32_t offset, unsigned bytes, void *context, struct base_buffer *out);
bool expr_name_bytes(uint32_t offset, unsigned bytes, void *context, struct base_buffer *out);
void expr_print(struct expr_pool *pool, uint32_t id, expr_name *names, void *context,
                struct base_buffer *out);
/* The conjunction of conditions; after about LIMIT bytes the rest is "…". */
void expr_print_all(struct expr_pool *pool, const uint32_t *conditions, size_t count,
                    expr_name *names, void *context, size_t limit, struct base_buffer *out);
/* CONSTANT plus all expressions, modulo 2^64, as one sum of products: 12 + n*m - 8*n, in 64-bit
 * arithmetic. Parts that may wrap around at fewer bits get a cast, unless the GIVEN conditions
 * (NULL: none) exclude it. LIMIT: as above. */
struct expr_given {
    const uint32_t *conditions;
    size_t count;
};
void expr_print_sum(struct expr_pool *pool, uint64_t constant, const uint32_t *ids, size_t count,
                    const struct expr_given *given, expr_name *names, void *context, size_t limit,
                    struct base_buffer *out);
/* Definitions of the tables that expressions read from: table0 and so on. */
void expr_print_tables(struct expr_pool *pool, const uint32_t *ids, size_t count,
                       struct base_buffer *out);
void expr_print(struct expr_pool *pool, uint32_t id, expr_name *names, void *context,
                struct base_buffer *out);

/* ---- a trace, imported ---- */

struct expr_event {
    enum abi_event_kind kind;
    uint32_t site;
    uint32_t expr; /* in the pool */
    union {
        uint32_t calls;
        uint32_t object; /* ALLOC, FREE: see struct abi_event */
        uint32_t count;  /* OUTPUT_PLAIN */
    };
    uint64_t value, cost;
    bool is_first;   /* first of its site since its function was entered */
    uint16_t access; /* ADDRESS: see struct abi_event */
};

struct expr_trace {
    struct expr_pool *pool;
    struct expr_event *events;
    size_t count, capacity;
    uint32_t run, flags, concretised;
    uint64_t cost, calls;            /* at the end */
    uint64_t image_first, image_end; /* see struct abi_trace */
    BASE_VECTOR(bool) is_freed;      /* by object, from object 1 on */
    /* Called after an event and its expression were read, and before the next one is. Whatever it
     * adds to the pool stays as long as the event. May be NULL. */
    void (*each)(void *context, uint32_t event);
    void *context;
    struct expr_origin *origin; /* what it was read from */
};

/* Reads one trace at BYTES (at most SIZE bytes). The pool is cleared first. Wide inputs that
 * overlap with other input nodes of the trace (an int of which single bytes are read too) become
 * concatenations of bytes, so that in the pool two INPUT nodes never overlap without being equal.
 * Fails on anything that is not a well-formed trace. NEXT: bytes that the record took. */
bool expr_trace_read(struct expr_trace *trace, const void *bytes, size_t size, size_t *next,
                     struct base_error *error);
/* The same, but keeps the events that both traces start with, and what was built from them: at most
 * MOST events. *KEPT is their number. */
bool expr_trace_read_on(struct expr_trace *trace, const void *bytes, size_t size, uint32_t most,
                        uint32_t *kept, struct base_error *error);
void expr_trace_done(struct expr_trace *trace);

/* Advances COSTS (ABI_COST_COUNT of them, 0 before the first event) to the next event of a path,
 * even an unchecked one. */
static inline void expr_follow_costs(uint64_t *costs, const struct expr_event *event) {
    costs[ABI_COST_INSTRUCTIONS] = event->cost;
    if (abi_event_has_calls(event->kind))
        costs[ABI_COST_CALLS] = event->calls;
    if (event->kind == ABI_EVENT_COST && event->site < ABI_COST_COUNT)
        costs[event->site] = event->value;
}

/* The condition under which an event goes the way it did: the branch condition or its negation, for
 * a switch the disjunction or conjunction over the cases, an equation for a fixed value; 0 for an
 * event without expression. CASES: see ir_facts; NULL for other events. */
struct expr_cases {
    const uint64_t *values;   /* of each case */
    const uint32_t *outcomes; /* the successor of each case */
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
