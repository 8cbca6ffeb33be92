/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the exhaustive search share: work items, the frontier they wait in, and what a
 * first look at a trace tells.
 */
#ifndef SLOWPATH_SEARCH_EXHAUSTIVE_H
#define SLOWPATH_SEARCH_EXHAUSTIVE_H

#include "search/core/core.h"
#include "search/core/trail.h"
#include "search/core/worst.h"

/* ---- frontier.c: a stack of work items, each with its input behind it ---- */

/* Values that an address or size had already, newest first; shared between items. An object that
 * an address was in stands for all values in it. */
struct exhaustive_value {
    const struct exhaustive_value *next;
    uint64_t value;
    uint32_t span;  /* values from there on */
    uint32_t count; /* of this one and the rest */
};

struct exhaustive_item {
    uint64_t prefix;                      /* hash of the decisions that the input was made for */
    const struct exhaustive_value *tried; /* of the last of them, if it fixes a value; else NULL */
    uint32_t bound;                       /* how many those are: decisions from here on are open */
    uint32_t limit;                       /* decisions from here on are not */
    uint32_t is_rest; /* the path is known; only its decisions before LIMIT are left */
    uint32_t reserved;
    uint8_t input[];
};

struct exhaustive_frontier {
    char *data;
    size_t count, capacity, stride, input_size;
};
void exhaustive_frontier_init(struct exhaustive_frontier *frontier, size_t input_size);
void exhaustive_frontier_done(struct exhaustive_frontier *frontier);
/* A new item on top, not initialised. */
struct exhaustive_item *exhaustive_frontier_push(struct exhaustive_frontier *frontier);
struct exhaustive_item *exhaustive_frontier_at(const struct exhaustive_frontier *frontier,
                                               size_t index);
/* Moves the topmost COUNT items of FROM onto TO, their order kept. */
void exhaustive_frontier_move(struct exhaustive_frontier *to, struct exhaustive_frontier *from,
                              size_t count);
void exhaustive_frontier_save(const struct exhaustive_frontier *frontier, struct base_buffer *out);
bool exhaustive_frontier_load(struct exhaustive_frontier *frontier, const char **data,
                              const char *end, struct base_arena *values);

/* ---- share.c: what goes to other ranks ---- */

struct exhaustive_share {
    struct search *search;
    struct exhaustive_frontier *frontier, *later;
    struct base_arena *values;
    const size_t *busy; /* workers that may still bring new items */
    bool is_open;       /* workers are there who would take more */
};
void exhaustive_share_begin(struct exhaustive_share *share);
/* Adds items that another rank packed; false: they cannot be read. */
bool exhaustive_take(struct exhaustive_frontier *frontier, const char *data, size_t size,
                     struct base_arena *values);
bool exhaustive_may_come(const struct search *search);  /* items of another rank */
bool exhaustive_is_wanted(const struct search *search); /* another rank has no items */
/* Since BEGAN; a part of another search gives its turn back instead of waiting for long. */
void exhaustive_wait_for_others(struct search *search, double began);

/* ---- scan.c: which path did a run take? ---- */

struct exhaustive_scan {
    uint32_t decisions;
    uint32_t exceeded; /* the first decision beyond the loop bound, or UINT32_MAX */
    uint32_t given_up; /* the first at which the path costs more than the policy allows, or that */
    uint32_t strayed;  /* decisions from here on lie beyond the trail that was left, or that */
    uint32_t fixed;    /* decisions that fix a value */
    uint32_t open;     /* costs that may depend on the input: a bit for each */
    bool is_expected;  /* the run made the decisions that were asked of it, with a new value */
    bool is_rejected;  /* ends with an assumption that is false */
    struct search_path path;
};

struct exhaustive_point { /* what is known of a path before one of its events */
    struct search_path path;
    uint64_t prefix; /* hash of its decisions */
    uint32_t depth, fixed, losses, open;
    bool is_rejected;
};

struct exhaustive_decision {
    uint64_t prefix; /* hash of those before it */
    uint64_t outcome;
    uint32_t kind, site;
    uint32_t event; /* its number */
};

/* What a path is looked at for on the way. */
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
    struct exhaustive_point last;                /* behind the last one */
    BASE_VECTOR(struct exhaustive_decision) decisions;
};
void exhaustive_scanner_done(struct exhaustive_scanner *scanner);
/* False when the trace is broken. */
bool exhaustive_scan_trace(struct exhaustive_scanner *scanner, struct search_walk *walk,
                           const struct exhaustive_item *item, struct exhaustive_scan *scan);
/* What the run costs in the measure, as its trace tells it; NAN: it does not. */
double exhaustive_told_cost(const struct search *search, const struct search_walk *walk);

/* ---- expand.c: the alternatives along one path ---- */

struct exhaustive_expander {
    struct search *search;
    struct solver *solver;
    struct search_walk walk; /* of the run that is looked at */
    struct base_arena values;
    uint8_t *model;
    uint32_t window;                     /* decisions of one run that are changed at once */
    struct exhaustive_frontier children; /* the new items */
    struct search_counters *counters;
    bool was_interrupted; /* a question was not answered because the search ends */
    const struct exhaustive_scanner *scanner; /* of the same run */
    /* What the solver knew behind each event of the last run that was expanded, as far as its
     * conditions were asserted. */
    BASE_VECTOR(struct solver_mark) marks;
};
void exhaustive_expander_init(struct exhaustive_expander *expander, struct search *search);
void exhaustive_expander_done(struct exhaustive_expander *expander);
/* ITEM's run took the path that was asked of it; SCAN is what a first walk told. */
void exhaustive_expand(struct exhaustive_expander *expander, const struct exhaustive_item *item,
                       const struct exhaustive_scan *scan);

#endif
