/* SPDX-License-Identifier: Apache-2.0
 *
 * How is a trace read? Events are copied out of shared memory one by one and returned as steps;
 * every number in them is checked against the size of the record or the facts before it is used.
 */
#include "search/core/walk.h"

#include <stdlib.h>
#include <string.h>

#define EVENT_SECONDS 3e-6 /* per event of a long trace */

void search_walk_init(struct search_walk *walk, const struct search_sites *sites) {
    *walk = (struct search_walk){.sites = sites, .trace = {.pool = expr_pool_new()}};
}

void search_walk_done(struct search_walk *walk) {
    base_vector_done(&walk->conditions);
    expr_trace_done(&walk->trace);
}

static void begin(struct search_walk *walk) {
    walk->next = walk->depth = walk->losses = 0;
    memset(walk->costs, 0, sizeof walk->costs);
    walk->is_broken = false;
}

bool search_walk_open(struct search_walk *walk, const void *trace, size_t size) {
    const struct abi_trace *header = trace;
    begin(walk);
    walk->has_exprs = false;
    walk->event_count = walk->flags = 0;
    walk->is_broken = true;
    if (!header || size < sizeof *header || header->magic != ABI_TRACE_MAGIC)
        return false;
    size_t room = size - sizeof *header;
    size_t nodes = (size_t)header->node_count * sizeof(struct abi_node);
    size_t events = (size_t)header->event_count * sizeof(struct abi_event);
    if (nodes > room || events > room - nodes)
        return false;
    walk->record = trace;
    walk->size = size;
    walk->events = (const struct abi_event *)((const char *)(header + 1) + nodes);
    walk->event_count = header->event_count;
    walk->flags = header->flags;
    walk->cost = header->cost;
    walk->calls = header->calls;
    walk->is_broken = false;
    return true;
}

/* For an event that was just imported. */
static void make_event_condition(void *context, uint32_t event);

static bool import(struct search_walk *walk, bool has_conditions, uint32_t most, uint32_t *kept) {
    struct base_error error;
    begin(walk);
    walk->has_conditions = has_conditions;
    walk->trace.each = has_conditions ? make_event_condition : NULL;
    walk->trace.context = walk;
    walk->has_exprs =
        expr_trace_read_on(&walk->trace, walk->record, walk->size, most, kept, &error) &&
        walk->trace.count == walk->event_count;
    walk->is_broken = !walk->has_exprs;
    return walk->has_exprs;
}

bool search_walk_import(struct search_walk *walk) {
    uint32_t kept;
    return import(walk, false, 0, &kept);
}

bool search_walk_import_on(struct search_walk *walk, uint32_t most, uint32_t *kept) {
    return import(walk, true, walk->has_conditions ? most : 0, kept);
}

void search_walk_rewind(struct search_walk *walk) {
    begin(walk);
}

/* ---- steps ---- */

static const struct expr_cases *cases_of(const struct search_sites *sites, uint32_t site) {
    uint32_t number = site < sites->facts->block_count ? sites->switch_of[site] : IR_NONE;
    return number == IR_NONE ? NULL : &sites->cases[number];
}

static uint32_t outcome_of(const struct expr_cases *cases, uint64_t value) {
    for (uint32_t i = 0; i < cases->count; i++)
        if (cases->values[i] == value)
            return cases->outcomes[i];
    return cases->default_outcome;
}

static const uint8_t kinds[ABI_EVENT_COUNT] = {
    [ABI_EVENT_NONE] = SEARCH_NOTHING,     [ABI_EVENT_BRANCH] = SEARCH_BRANCH,
    [ABI_EVENT_SWITCH] = SEARCH_SWITCH,    [ABI_EVENT_ADDRESS] = SEARCH_VALUE,
    [ABI_EVENT_CONCRETE] = SEARCH_VALUE,   [ABI_EVENT_ASSUME] = SEARCH_ASSUMPTION,
    [ABI_EVENT_ALLOC] = SEARCH_ALLOCATION, [ABI_EVENT_FREE] = SEARCH_FREE,
    [ABI_EVENT_OUTPUT] = SEARCH_OUTPUT,    [ABI_EVENT_OUTPUT_PLAIN] = SEARCH_OUTPUT,
    [ABI_EVENT_LOSS] = SEARCH_LOSS,        [ABI_EVENT_CALL] = SEARCH_CALL,
    [ABI_EVENT_RETURN] = SEARCH_RETURN,    [ABI_EVENT_LOOP] = SEARCH_LOOP,
    [ABI_EVENT_TURN] = SEARCH_TURN,        [ABI_EVENT_LEAVE] = SEARCH_LEAVE,
    [ABI_EVENT_OBJECT] = SEARCH_VALUE,     [ABI_EVENT_BOUNDS] = SEARCH_BOUNDS,
    [ABI_EVENT_LINK] = SEARCH_LINK,        [ABI_EVENT_COST] = SEARCH_NOTHING,
    [ABI_EVENT_AMOUNT] = SEARCH_AMOUNT,
};

/* The runtime writes a false assumption as a branch without a block. */
static inline enum search_step_kind kind_of(const struct expr_event *event) {
    enum search_step_kind kind =
        (unsigned)event->kind < ABI_EVENT_COUNT ? kinds[event->kind] : SEARCH_NOTHING;
    if ((kind == SEARCH_BRANCH && event->site == UINT32_MAX) ||
        (kind == SEARCH_ASSUMPTION && !event->value))
        return SEARCH_REFUSAL;
    return kind;
}

/* The current event. In shared memory it is read only once: it may change at any time. */
static inline struct expr_event read_event(const struct search_walk *walk) {
    if (walk->has_exprs)
        return walk->trace.events[walk->next];
    const struct abi_event event = walk->events[walk->next];
    return (struct expr_event){.kind = (enum abi_event_kind)event.kind,
                               .site = event.site,
                               .calls = event.calls,
                               .value = event.value,
                               .cost = event.cost,
                               .is_first = event.is_first != 0,
                               .access = event.access};
}

static inline void fill_step(const struct search_walk *walk, const struct expr_event *event,
                             struct search_step *step) {
    step->kind = kind_of(event);
    bool is_object = event->kind == ABI_EVENT_OBJECT;
    bool is_address = event->kind == ABI_EVENT_ADDRESS;
    step->site = is_object || is_address ? UINT32_MAX : event->site; /* no block */
    step->span = is_object ? event->site : 1;
    step->expr = event->expr;
    step->depth = walk->depth;
    step->object = abi_event_has_object(event->kind) ? event->object : 0;
    step->count = event->kind == ABI_EVENT_OUTPUT_PLAIN ? event->count : 1;
    step->value = step->outcome = event->value;
    step->cases = NULL;
    step->is_address = is_address;
    step->place = is_address ? event->site : UINT32_MAX;
    step->access = is_address ? event->access : 0;
    step->is_first = event->is_first;
}

/* Where does a switch go? False when it is none. */
static bool follow_switch(const struct search_walk *walk, struct search_step *step) {
    if (step->kind != SEARCH_SWITCH)
        return true;
    step->cases = cases_of(walk->sites, step->site);
    if (step->cases)
        step->outcome = outcome_of(step->cases, step->value);
    return step->cases != NULL;
}

bool search_walk_next(struct search_walk *walk, struct search_step *step) {
    struct expr_event event;
    do { /* a cost event precedes the step that it counts for */
        if (walk->next >= walk->event_count || walk->is_broken)
            return false;
        event = read_event(walk);
        walk->next++;
        expr_follow_costs(walk->costs, &event);
    } while (event.kind == ABI_EVENT_COST);
    fill_step(walk, &event, step);
    if (!follow_switch(walk, step))
        walk->is_broken = true;
    if (step->kind == SEARCH_LOSS)
        walk->losses |= 1u << step->site % ABI_MAX_LOSSES;
    walk->is_broken |= step->kind == SEARCH_NOTHING;
    walk->depth += search_is_decision(step);
    return !walk->is_broken;
}

uint32_t search_walk_input_end(const struct search_walk *walk) {
    const struct abi_trace *header = walk->record;
    const struct abi_node *nodes = (const struct abi_node *)(header + 1);
    size_t count = (size_t)((const char *)walk->events - (const char *)nodes) / sizeof *nodes;
    uint32_t end = 0;
    for (size_t i = 1; i < count; i++)
        if (nodes[i].op == ABI_OP_INPUT && nodes[i].a + nodes[i].width / 8u > end)
            end = nodes[i].a + nodes[i].width / 8u;
    return end;
}

/* ---- conditions ---- */

uint32_t search_make_within(struct expr_pool *pool, uint32_t expr, uint64_t first, uint32_t span) {
    unsigned width = expr_node(pool, expr)->width;
    uint32_t start = expr_make_constant(pool, width, first);
    if (span == 1)
        return expr_make(pool, ABI_OP_EQ, 1, 0, expr, start, 0);
    uint32_t offset = expr_make(pool, ABI_OP_SUB, width, 0, expr, start, 0);
    return expr_make(pool, ABI_OP_ULT, 1, 0, offset, expr_make_constant(pool, width, span), 0);
}

static uint32_t make_condition(struct expr_pool *pool, const struct search_step *step) {
    switch (step->kind) {
    case SEARCH_BRANCH:
    case SEARCH_BOUNDS:
    case SEARCH_LINK:
        return step->outcome ? step->expr : expr_make_not(pool, step->expr);
    case SEARCH_SWITCH:
        return expr_switch_condition(pool, step->expr, (uint32_t)step->outcome, step->cases);
    case SEARCH_VALUE:
        return search_make_within(pool, step->expr, step->outcome, step->span);
    case SEARCH_ASSUMPTION:
    case SEARCH_REFUSAL:
        return step->expr;
    default:
        return 0;
    }
}

static uint32_t condition_of(struct search_walk *walk, const struct search_step *step) {
    struct expr_pool *pool = walk->trace.pool;
    if (search_is_constant(pool, step->expr))
        return 0;
    uint32_t condition = make_condition(pool, step);
    return search_is_constant(pool, condition) ? 0 : condition;
}

static void make_event_condition(void *context, uint32_t event) {
    struct search_walk *walk = context;
    struct search_step step;
    fill_step(walk, &walk->trace.events[event], &step);
    walk->conditions.count = event;
    base_push(&walk->conditions, follow_switch(walk, &step) ? condition_of(walk, &step) : 0);
}

uint32_t search_condition(struct search_walk *walk, const struct search_step *step) {
    return walk->has_conditions ? walk->conditions.data[walk->next - 1] : condition_of(walk, step);
}

bool search_next_alternative(struct search_walk *walk, const struct search_step *step,
                             struct search_alternative *alternative) {
    struct expr_pool *pool = walk->trace.pool;
    uint32_t count = 2;
    if (step->kind == SEARCH_SWITCH)
        count = walk->sites->outcome_counts[walk->sites->switch_of[step->site]];
    if (alternative->next == step->outcome)
        alternative->next++;
    if (step->kind == SEARCH_VALUE || !search_is_decision(step) || alternative->next >= count)
        return false;
    struct search_step other = *step;
    other.outcome = alternative->outcome = alternative->next++;
    alternative->condition = make_condition(pool, &other);
    return true;
}

/* ---- one run ---- */

struct following {
    struct search_walk *walk;
    struct abi_result *result;
    bool has_trace;
};

/* Is there time to import the trace and do the usual work with it? */
static bool has_time(const struct search_walk *walk) {
    return walk->until <= 0 || base_seconds() + walk->event_count * EVENT_SECONDS < walk->until;
}

static void read_trace(size_t index, const struct abi_result *result, const void *trace,
                       size_t size, void *context) {
    struct following *following = context;
    (void)index;
    *following->result = *result;
    following->has_trace = result->status == ABI_STATUS_OK &&
                           search_walk_open(following->walk, trace, size) &&
                           has_time(following->walk) && search_walk_import(following->walk);
}

bool search_follow(const struct search_program *program, struct search_walk *walk,
                   const struct target_input *input, bool *has_trace, struct abi_result *result,
                   struct base_error *error) {
    struct following following = {.walk = walk, .result = result};
    *result = (struct abi_result){0};
    bool good = program->trace(program->self, input, 1, read_trace, &following, error);
    *has_trace = good && following.has_trace;
    return good;
}

/* ---- loops ---- */

static struct search_turn *innermost(struct search_loops *loops) {
    return loops->open.count ? &loops->open.data[loops->open.count - 1] : NULL;
}

/* A loop counts once a decision was made in it: exceeding the bound is reported at the next
 * decision, or when the path leaves the loop. */
bool search_loops_exceed(struct search_loops *loops, const struct search_step *step) {
    struct search_turn *last = innermost(loops);
    switch (step->kind) {
    case SEARCH_BRANCH:
    case SEARCH_SWITCH:
    case SEARCH_LINK:
        if (last)
            last->decides = true;
        return last && last->turns > loops->bound;
    case SEARCH_LOOP:
        base_push(&loops->open, (struct search_turn){step->value, false});
        return false;
    case SEARCH_TURN:
        if (last)
            last->turns = step->value;
        return false;
    case SEARCH_LEAVE:
        loops->open.count -= last != NULL;
        return last && last->decides && step->value > loops->bound;
    default:
        return false;
    }
}
