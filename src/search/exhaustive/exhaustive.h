/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the exhaustive search share: work items, the frontier in which they wait, and
 * the results of the first walk of a trace.
 */
#ifndef SLOWPATH_SEARCH_EXHAUSTIVE_H
#define SLOWPATH_SEARCH_EXHAUSTIVE_H

#include "search/core/core.h"
#include "search/core/trail.h"
#include "search/core/worst.h"

/* ---- frontier.c: a stack of work items, each followed by its input ---- */

/* Values that an address or size has had already, newest first; shared between items. For an
 * address in an object, all values in the object are excluded. */
struct exhaustive_value {
    const struct exhaustive_value *next;
    uint64_t value;
    uint32_t span;  /* number of values, starting there */
    uint32_t count; /* length of the list from here on */
};

struct exhaustive_item {
    uint64_t prefix;                      /* hash of the decisions that the input was made for */
    const struct exhaustive_value *tried; /* by the last of them, if it fixes a value; else NULL */
    uint32_t bound;   /* number of these decisions: those from here on are open */
    uint32_t limit;   /* decisions from here on are not open */
    uint32_t is_rest; /* the path is known; only its decisions before LIMIT remain */
    uint32_t reserved;
    uint8_t input[];
};

struct exhaustive_frontier {
    char *data;
    size_t count, capacity, stride, input_size;
};
void exhaustive_frontier_init(struct exhaustive_frontier *frontier, size_t input_size);
void exhaustive_frontier_done(struct exhaustive_frontier *frontier);
/* Pushes a new item, uninitialised. */
struct exhaustive_item *exhaustive_frontier_push(struct exhaustive_frontier *frontier);
struct exhaustive_item *exhaustive_frontier_at(const struct exhaustive_frontier *frontier,
                                               size_t index);
/* Moves the topmost COUNT items of FROM onto TO, in the same order. */
void exhaustive_frontier_move(struct exhaustive_frontier *to, struct exhaustive_frontier *from,
                              size_t count);
void exhaustive_frontier_save(const struct exhaustive_frontier *frontier, struct base_buffer *out);
bool exhaustive_frontier_load(struct exhaustive_frontier *frontier, const char **data,
                              const char *end, struct base_arena *values);

/* ---- share.c: items for other ranks ---- */

struct exhaustive_share {
    struct search *search;
    struct exhaustive_frontier *frontier, *later;
    struct base_arena *values;
    const size_t *busy; /* workers that may still produce items */
    bool is_open;       /* there are workers that would take more */
};
void exhaustive_share_begin(struct exhaustive_share *share);
/* Adds items packed by another rank; false: they are malformed. */
bool exhaustive_take(struct exhaustive_frontier *frontier, const char *data, size_t size,
                     struct base_arena *values);
bool exhaustive_may_come(const struct search *search);  /* items of another rank */
bool exhaustive_is_wanted(const struct search *search); /* another rank has none left */
/* Waits, since BEGAN; a part of another search ends its turn instead of waiting for long. */
void exhaustive_wait_for_others(struct search *search, double began);

/* ---- scan.c: which path did a run take? ---- */

struct exhaustive_scan {
    uint32_t decisions;
    uint32_t exceeded; /* the first decision beyond the loop bound, or UINT32_MAX */
    uint32_t given_up; /* the first at which the cost exceeds the policy, or UINT32_MAX */
    uint32_t strayed;  /* decisions from here on are after the path left the trail, or UINT32_MAX */
    uint32_t fixed;    /* decisions that fix a value */
    uint32_t open;     /* costs that may depend on the input, one bit each */
    bool is_expected;  /* it made the required decisions, with a new value */
    bool is_rejected;  /* it ends with a false assumption */
    struct search_path path;
};

struct exhaustive_point { /* the state of a path before one of its events */
    struct search_path path;
    uint64_t prefix; /* hash of the decisions so far */
    uint32_t depth, fixed, losses, open;
    bool is_rejected;
};

struct exhaustive_decision {
    uint64_t prefix; /* hash of those before it */
    uint64_t outcome;
    uint32_t kind, site;
    uint32_t event; /* its index */
};

/* Reasons to stop following a path. */
struct exhaustive_guards {
    struct search_loops loops;
    const struct search_policy *policy; /* or NULL */
    const struct search_trail *trail;   /* or NULL */
    struct search_follower follower;
};

struct exhaustive_scanner {
    struct exhaustive_guards guards;
    BASE_VECTOR(struct abi_event) events;        /* of the last trace */
    BASE_VECTOR(struct exhaustive_point) points; /* one before each of them */
    struct exhaustive_point last;                /* after the last one */
    BASE_VECTOR(struct exhaustive_decision) decisions;
};
void exhaustive_scanner_done(struct exhaustive_scanner *scanner);
/* False when the trace is broken. */
bool exhaustive_scan_trace(struct exhaustive_scanner *scanner, struct search_walk *walk,
                           const struct exhaustive_item *item, struct exhaustive_scan *scan);
/* The cost of the run in the measure, according to its trace; NAN: it does not say. */
double exhaustive_told_cost(const struct search *search, const struct search_walk *walk);

/* ---- expand.c: the alternatives along one path ---- */

struct exhaustive_expander {
    struct search *search;
    struct solver *solver;
    struct search_walk walk; /* of the current run */
    struct base_arena values;
    uint8_t *model;
    uint32_t window;                     /* decisions of one run that are changed at a time */
    struct exhaustive_frontier children; /* the new items */
    struct search_counters *counters;
    bool was_interrupted; /* a question was not answered because the search is ending */
    const struct exhaustive_scanner *scanner; /* of the same run */
    /* The solver's state after each event of the last expanded run, as far as conditions were
     * asserted. */
    BASE_VECTOR(struct solver_mark) marks;
};
void exhaustive_expander_init(struct exhaustive_expander *expander, struct search *search);
void exhaustive_expander_done(struct exhaustive_expander *expander);
/* ITEM's run took the required path; SCAN is the result of its first walk. */
void exhaustive_expand(struct exhaustive_expander *expander, const struct exhaustive_item *item,
                       const struct exhaustive_scan *scan);

#endif
