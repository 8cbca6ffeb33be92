/* SPDX-License-Identifier: Apache-2.0
 *
 * What else could the decisions of a path have been? This is the walk along one trace: at each open
 * decision the solver is asked for inputs that take another direction, which become new items; the
 * conditions of the path itself are asserted one after another.
 */
#include "search/exhaustive/exhaustive.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW_BYTES ((size_t)16 << 20) /* of new items from one run */

/* The open decisions of one run. */
struct span {
    uint32_t first, last; /* decisions [first, last) are open */
    uint32_t cut;         /* from here on they are only checked for being cut off */
    bool next_value;      /* the decision before `first` gets another value */
    bool repair;          /* the run ended in a false assumption; try to make it true */
};

struct path {
    struct exhaustive_expander *expander;
    const struct exhaustive_item *item;
    const struct search_step *step;
    uint64_t hash;             /* of the decisions before it */
    size_t children, answered; /* numbers of children before the item, and before this step */
    bool goes_on;
};

/* ---- new items ---- */

static struct exhaustive_item *add_child(struct exhaustive_expander *expander, const uint8_t *input,
                                         uint32_t bound, uint64_t prefix) {
    struct exhaustive_item *child = exhaustive_frontier_push(&expander->children);
    *child = (struct exhaustive_item){.prefix = prefix, .bound = bound, .limit = UINT32_MAX};
    memcpy(child->input, input, expander->children.input_size);
    return child;
}

/* Is there an input that also satisfies this? If so, it is in expander->model. */
static bool ask(struct exhaustive_expander *expander, uint32_t condition) {
    const struct search_counters *counters = expander->counters;
    uint64_t before = counters->infeasible + counters->unknown;
    if (search_ask(expander->solver, condition, expander->model, expander->counters))
        return true;
    expander->was_interrupted |= counters->infeasible + counters->unknown == before;
    return false;
}

/* Adds an item for the model, with which this step has OUTCOME. */
static struct exhaustive_item *add_outcome(struct path *path, uint64_t outcome) {
    const struct search_step *step = path->step;
    uint64_t prefix = search_extend(path->hash, step->kind, step->site, outcome);
    return add_child(path->expander, path->expander->model, step->depth + 1, prefix);
}

/* ---- the alternatives of one decision ---- */

/* The condition that EXPR is none of the values. */
static uint32_t exclude(struct expr_pool *pool, uint32_t expr,
                        const struct exhaustive_value *values) {
    uint32_t all = 0;
    for (; values; values = values->next) {
        uint32_t same = search_make_within(pool, expr, values->value, values->span);
        uint32_t other = expr_make_not(pool, same);
        all = all ? expr_make(pool, ABI_OP_AND, 1, 0, all, other, 0) : other;
    }
    return all;
}

static void change_value(struct path *path, const struct exhaustive_value *tried) {
    struct exhaustive_expander *expander = path->expander;
    struct exhaustive_value *values = base_arena_alloc(&expander->values, sizeof *values);
    *values = (struct exhaustive_value){tried, path->step->outcome, path->step->span,
                                        tried ? tried->count + 1 : 1};
    if (!ask(expander, exclude(expander->walk.trace.pool, path->step->expr, values)))
        return;
    if (values->count >= expander->search->options.path.values)
        expander->counters->concretised++;
    else
        add_outcome(path, SEARCH_ANY_VALUE)->tried = values;
}

/* Asks for all other outcomes of an open decision. */
static void change_decision(struct path *path) {
    struct search_alternative other = {0};
    if (path->step->depth + 1 == path->item->bound)
        change_value(path, path->item->tried);
    else if (path->step->kind == SEARCH_VALUE)
        change_value(path, NULL);
    else
        while (search_next_alternative(&path->expander->walk, path->step, &other))
            if (ask(path->expander, other.condition))
                add_outcome(path, other.outcome);
}

/* For a decision beyond --max-path: is there another direction, which is cut off? */
static bool is_cut(struct exhaustive_expander *expander, uint32_t condition) {
    if (!ask(expander, expr_make_not(expander->walk.trace.pool, condition)))
        return false;
    expander->counters->cut++;
    return true;
}

static bool is_open(const struct span *span, uint32_t depth, uint32_t bound) {
    return (depth >= span->first && depth < span->last) || (span->next_value && depth + 1 == bound);
}

/* Handles one decision of the trace; false when nothing after it matters. */
static bool walk_decision(struct path *path, const struct span *span) {
    struct exhaustive_expander *expander = path->expander;
    const struct search_step *step = path->step;
    uint32_t condition = search_condition(&expander->walk, step);
    if (condition && is_open(span, step->depth, path->item->bound))
        change_decision(path);
    if (condition && step->depth >= span->cut && is_cut(expander, condition))
        return false;
    if (step->depth + 1 >= span->last && span->cut == UINT32_MAX && !span->repair)
        return false;
    if (condition)
        solver_assert(expander->solver, condition);
    path->hash = search_extend(path->hash, step->kind, step->site, step->outcome);
    return true;
}

/* ---- if the search ends in the middle of a path ---- */

/* Keeps the whole item, to be expanded again. */
static void put_off_item(struct exhaustive_expander *expander, const struct exhaustive_item *item) {
    struct exhaustive_item *again = add_child(expander, item->input, item->bound, item->prefix);
    again->limit = item->limit;
    again->tried = item->tried;
    again->is_rest = true;
}

/* Makes the open rest of the path from this step on an item of its own. */
static void put_off_rest(struct path *path, const struct span *span) {
    bool has_end = span->cut == UINT32_MAX && !span->repair;
    struct exhaustive_item *rest =
        add_child(path->expander, path->item->input, path->step->depth, path->hash);
    rest->limit = has_end ? span->last : UINT32_MAX;
    rest->is_rest = true;
}

static void put_off(struct path *path, const struct span *span) {
    struct exhaustive_frontier *children = &path->expander->children;
    if (path->step->depth < path->item->bound) { /* then nothing has been asked yet */
        children->count = path->children;
        put_off_item(path->expander, path->item);
    } else {
        children->count = path->answered;
        put_off_rest(path, span);
    }
}

/* ---- the walk along one trace ---- */

/* False when nothing after this step matters. */
static bool take_step(struct path *path, const struct span *span) {
    struct exhaustive_expander *expander = path->expander;
    const struct search_step *step = path->step;
    uint32_t condition;
    if (search_is_decision(step))
        return walk_decision(path, span);
    if (step->kind == SEARCH_ASSUMPTION) {
        if ((condition = search_condition(&expander->walk, step)))
            solver_assert(expander->solver, condition);
    } else if (step->kind == SEARCH_REFUSAL) { /* can the assumption be made true? */
        if (span->repair && (condition = search_condition(&expander->walk, step)) &&
            ask(expander, condition))
            add_child(expander, expander->model, step->depth, path->hash);
        return false;
    }
    return true;
}

/* Checks whether the search is ending: before a question, and every 256 decisions. */
static bool is_stop(const struct path *path, const struct span *span) {
    const struct search_step *step = path->step;
    return search_is_decision(step) && (is_open(span, step->depth, path->item->bound) ||
                                        step->depth >= span->cut || step->depth % 256 == 255);
}

/* How many events come before the first question and are known from the last run? */
static uint32_t count_settled(const struct exhaustive_expander *expander,
                              const struct exhaustive_item *item, const struct span *span) {
    const struct exhaustive_scanner *scanner = expander->scanner;
    uint32_t open = span->next_value ? item->bound - 1 : span->first;
    if (open > span->cut)
        open = span->cut;
    size_t events = scanner->points.count ? scanner->points.count - 1 : 0;
    if (open < scanner->decisions.count && scanner->decisions.data[open].event < events)
        events = scanner->decisions.data[open].event;
    return (uint32_t)(events < expander->marks.count ? events : expander->marks.count);
}

/* Continues from the first KEPT events, which this run shares with the last one. */
static void begin_path(struct exhaustive_expander *expander, struct path *path, uint32_t kept) {
    struct search_walk *walk = &expander->walk;
    const uint8_t *input = path->item->input;
    size_t size = expander->children.input_size;
    if (kept && solver_go_on(expander->solver, &expander->marks.data[kept - 1], input, size)) {
        const struct exhaustive_point *point = &expander->scanner->points.data[kept];
        path->hash = point->prefix;
        search_walk_go_to(walk, kept, point->depth, point->losses);
        expander->marks.count = kept;
        return;
    }
    expander->marks.count = 0;
    solver_begin(expander->solver, walk->trace.pool, input, size);
}

/* Notes the solver's state for the first COUNT events. */
static void mark_events(struct exhaustive_expander *expander, uint32_t count) {
    struct solver_mark mark = solver_mark(expander->solver);
    while (expander->marks.count < count)
        base_push(&expander->marks, mark);
}

static void walk_path(struct exhaustive_expander *expander, const struct exhaustive_item *item,
                      const struct span *span, size_t children, uint32_t kept) {
    struct search_step step;
    struct path path = {
        .expander = expander, .item = item, .step = &step, .children = children, .goes_on = true};
    struct search_walk *walk = &expander->walk;
    expander->was_interrupted = false;
    begin_path(expander, &path, kept);
    while (path.goes_on && search_walk_next(walk, &step)) {
        path.answered = expander->children.count;
        mark_events(expander, walk->next - 1); /* costs precede their step */
        if (is_stop(&path, span) && search_is_ending(expander->search))
            expander->was_interrupted = true;
        else
            path.goes_on = take_step(&path, span);
        if (path.goes_on)
            mark_events(expander, walk->next);
        if (expander->was_interrupted) {
            put_off(&path, span);
            return;
        }
    }
}

/* Chooses which decisions of this run to change now. The rest becomes an item of its own, below the
 * children, so that one long path does not fill the frontier. */
static struct span choose_span(struct exhaustive_expander *expander,
                               const struct exhaustive_item *item,
                               const struct exhaustive_scan *scan) {
    uint32_t longest = expander->search->options.path.longest;
    bool is_first = item->limit == UINT32_MAX; /* a new path, not the rest of one */
    struct span span = {.first = item->bound,
                        .last = scan->decisions < item->limit ? scan->decisions : item->limit,
                        .cut = UINT32_MAX,
                        .next_value = item->tried && is_first,
                        .repair = scan->is_rejected && is_first};
    if (span.last > scan->exceeded)
        span.last = scan->exceeded;
    if (span.last > scan->given_up)
        span.last = scan->given_up;
    if (span.last > scan->strayed)
        span.last = scan->strayed;
    if (span.last > longest)
        span.last = longest;
    if (scan->decisions > longest && longest <= scan->exceeded && longest <= scan->given_up &&
        longest <= scan->strayed && is_first)
        span.cut = longest;
    if (span.last > span.first && span.last - span.first > expander->window) {
        struct exhaustive_item *rest = add_child(expander, item->input, item->bound, item->prefix);
        span.first = span.last - expander->window;
        rest->limit = span.first;
        rest->is_rest = true;
        rest->tried = item->tried;
    }
    return span;
}

void exhaustive_expand(struct exhaustive_expander *expander, const struct exhaustive_item *item,
                       const struct exhaustive_scan *scan) {
    size_t children = expander->children.count;
    if (search_is_ending(expander->search)) {
        put_off_item(expander, item);
        return;
    }
    struct span span = choose_span(expander, item, scan);
    if (span.first >= span.last && span.cut == UINT32_MAX && !span.next_value && !span.repair)
        return;
    uint32_t kept, settled = count_settled(expander, item, &span);
    if (search_walk_import_on(&expander->walk, settled, &kept)) {
        walk_path(expander, item, &span, children, kept);
        expander->counters->dropped += expr_pool_is_full(expander->walk.trace.pool);
    } else {
        expander->counters->lost++;
        expander->marks.count = 0;
    }
}

void exhaustive_expander_init(struct exhaustive_expander *expander, struct search *search) {
    size_t size = search->subject.layout.bytes;
    expander->search = search;
    expander->solver = search_new_solver(&search->options, &search->subject.layout);
    search_walk_init(&expander->walk, &search->sites);
    exhaustive_frontier_init(&expander->children, size);
    expander->model = base_alloc(size + 1);
    size_t window = WINDOW_BYTES / expander->children.stride;
    expander->window = window < 16 ? 16 : window > 4096 ? 4096 : (uint32_t)window;
}

void exhaustive_expander_done(struct exhaustive_expander *expander) {
    search_add_solver(&expander->search->solver, solver_statistics(expander->solver));
    solver_free(expander->solver);
    search_walk_done(&expander->walk);
    exhaustive_frontier_done(&expander->children);
    base_arena_done(&expander->values);
    base_vector_done(&expander->marks);
    free(expander->model);
}
