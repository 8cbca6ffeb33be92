/* SPDX-License-Identifier: Apache-2.0
 *
 * The walk: a run of the symbolic build, step by step. This is the only reader of traces.
 *
 * A trace is opened where it lies in shared memory, and its steps are read one after another:
 * decisions, fixed values, assumptions, allocations, calls and loops, output, losses. Identifying
 * the path of a run needs no expressions, so every trace first gets a cheap walk;
 * search_walk_import then brings in the expressions, checked and simplified, for the steps of later
 * walks. An imported trace is a copy and outlives the visit.
 *
 * Nothing in a trace is trusted: the target may have overwritten it.
 */
#ifndef SLOWPATH_SEARCH_WALK_H
#define SLOWPATH_SEARCH_WALK_H

#include "search/search.h"

/* ---- sites: what the facts say about switches, laid out for lookup ---- */

struct search_sites {
    const struct ir_facts *facts;
    uint32_t *switch_of; /* by block: number of its switch, or IR_NONE */
    struct expr_cases *cases;
    uint64_t *values;
    uint32_t *outcomes, *outcome_counts;
};
void search_sites_init(struct search_sites *sites, const struct ir_facts *facts);
void search_sites_done(struct search_sites *sites);

/* ---- steps ---- */

enum search_step_kind {
    /* decisions: the path could have gone on in another direction */
    SEARCH_BRANCH,
    SEARCH_SWITCH,
    SEARCH_VALUE,  /* an address, or the operand of an operation without expression, was fixed */
    SEARCH_BOUNDS, /* an access through a symbolic address was within its object, or it was not */
    SEARCH_LINK,   /* a pointer of the input leads to an object, or it does not */
    /* what holds on this path */
    SEARCH_ASSUMPTION,
    SEARCH_REFUSAL,    /* an assumption is false: the run ended here */
    SEARCH_ALLOCATION, /* of an object whose size depends on the input, or later than one: all
                          others are in the costs */
    SEARCH_FREE,
    SEARCH_AMOUNT, /* a cost (its `site`) grows by an amount that depends on the input */
    SEARCH_OUTPUT, /* bytes written to a descriptor; only if target_set_output asks for it */
    SEARCH_LOSS,   /* something symbolic became concrete without a decision */
    SEARCH_CALL,   /* these five only in traces with loops */
    SEARCH_RETURN,
    SEARCH_LOOP,
    SEARCH_TURN, /* a loop has taken a back edge */
    SEARCH_LEAVE,
    SEARCH_NOTHING /* not a step: the trace is broken */
};

struct search_step {
    enum search_step_kind kind;
    uint32_t site;    /* a block; of output the descriptor, of a loss its number */
    uint32_t expr;    /* in the walk's pool; 0: none, or they were not imported */
    uint32_t depth;   /* decisions before it */
    uint32_t object;  /* of an allocation and its free: the same number, from 1 on */
    uint32_t count;   /* of output: its bytes; EXPR only for a single byte */
    uint64_t value;   /* concrete, in this run; of output the bytes, the first one lowest */
    uint64_t outcome; /* of a decision: which way it went, or the value that was fixed */
    uint32_t span; /* of a fixed value: it is one of this many from `outcome` on, 1 or an object */
    const struct expr_cases *cases; /* of a switch */
    bool is_address;                /* of a fixed value */
    uint16_t access; /* of an address: which load or store of its block, from 1 on; 0: not known */
    uint32_t place;  /* of an address: bytes from the start of its object, or UINT32_MAX */
    bool is_first;   /* of its site since its function was entered */
};

static inline bool search_is_decision(const struct search_step *step) {
    return step->kind <= SEARCH_LINK;
}

/* ---- the walk ---- */

struct search_walk {
    const struct search_sites *sites;
    struct expr_trace trace; /* the expressions, once they are imported */
    bool has_exprs;
    bool has_conditions;
    BASE_VECTOR(uint32_t) conditions; /* of each event, if they were imported too */
    double until;                   /* traces that take longer to import are refused; 0: none are */
    bool is_broken;                 /* there is no trace, or an invalid step ended the walk */
    uint32_t next;                  /* the event to read next */
    uint32_t depth;                 /* decisions so far */
    uint32_t losses;                /* so far: a bit for each number */
    uint64_t costs[ABI_COST_COUNT]; /* what the run has cost up to the last step; see abi/costs.h */
    /* Of the trace as it lies in shared memory; valid during the visit. */
    const void *record;
    size_t size;
    const struct abi_event *events;
    uint32_t event_count, flags;
    uint64_t cost, calls; /* of the whole run */
};
void search_walk_init(struct search_walk *walk, const struct search_sites *sites);
void search_walk_done(struct search_walk *walk);
/* Opens a new trace at its first step. False when it is not a trace. */
bool search_walk_open(struct search_walk *walk, const void *trace, size_t size);
/* Brings in the expressions and goes back to the first step. False when they are malformed. */
bool search_walk_import(struct search_walk *walk);
/* The same for a trace that begins like the last imported one: what was made of the first events,
 * including their conditions, is kept. Keeps at most MOST events; *KEPT becomes how many. */
bool search_walk_import_on(struct search_walk *walk, uint32_t most, uint32_t *kept);
/* Back to the first step of a trace that was imported. */
void search_walk_rewind(struct search_walk *walk);
/* The next step; false behind the last one. */
bool search_walk_next(struct search_walk *walk, struct search_step *step);
/* Skips to an event known from another trace with the same beginning: so many decisions and these
 * losses precede it. What the run has cost there is known only after the next step. */
static inline void search_walk_go_to(struct search_walk *walk, uint32_t event, uint32_t depth,
                                     uint32_t losses) {
    walk->next = event;
    walk->depth = depth;
    walk->losses = losses;
}
/* The end of the part of the input that the run has read, as far as it is symbolic. */
uint32_t search_walk_input_end(const struct search_walk *walk);

static inline bool search_walk_is_truncated(const struct search_walk *walk) {
    return walk->flags & ABI_TRACE_TRUNCATED;
}

/* Does it not depend on the input? */
static inline bool search_is_constant(const struct expr_pool *pool, uint32_t id) {
    return !id || expr_node(pool, id)->op == ABI_OP_CONST;
}
/* What a step requires of the input, or for a refusal what it would take to go on; 0: nothing. */
uint32_t search_condition(struct search_walk *walk, const struct search_step *step);

/* EXPR is one of SPAN values from FIRST on. */
uint32_t search_make_within(struct expr_pool *pool, uint32_t expr, uint64_t first, uint32_t span);

/* Iterates over the other directions at a branch, switch, bounds check or link; start with all
 * zeros. */
struct search_alternative {
    uint64_t outcome;
    uint32_t condition; /* what it requires of the input */
    uint32_t next;
};
bool search_next_alternative(struct search_walk *walk, const struct search_step *step,
                             struct search_alternative *alternative);

/* Runs one input in the symbolic build and imports its trace. *HAS_TRACE: there is one, of a run
 * that ended. RESULT is that of the symbolic build, which also says when an access left its object.
 */
bool search_follow(const struct search_program *program, struct search_walk *walk,
                   const struct target_input *input, bool *has_trace, struct abi_result *result,
                   struct base_error *error);

/* ---- paths ---- */

#define SEARCH_ANY_VALUE 0x5a5a5a5a5a5a5a5au /* stands for the value of an open fixed value */
/* The hash of a sequence of decisions and one more. */
static inline uint64_t search_extend(uint64_t hash, uint32_t kind, uint32_t site,
                                     uint64_t outcome) {
    hash = (hash ^ ((uint64_t)site << 4 | kind)) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ (hash >> 29) ^ outcome) * 0xbf58476d1ce4e5b9u;
    return hash ^ (hash >> 32);
}

/* --loop-bound: a path exceeds it when it takes the back edge of a loop more than BOUND times per
 * entry. Only loops count in which a decision is made outside of their inner loops; a decision in a
 * function that the loop calls counts. */
struct search_turn {
    uint64_t turns;
    bool decides;
};
struct search_loops {
    uint64_t bound;
    BASE_VECTOR(struct search_turn) open; /* the loops that the path is in, innermost last */
};
/* One more step of the path; true when the path now exceeds the bound. */
bool search_loops_exceed(struct search_loops *loops, const struct search_step *step);

#endif
