/* SPDX-License-Identifier: Apache-2.0
 *
 * The path of a run: decisions on symbolic conditions, values that were fixed, and how the trace
 * is handed over. A condition that was decided before on this path is not recorded again: it
 * could not have gone another way.
 */
#include "runtime/symbolic.h"

#include <string.h>

uint64_t __slowpath_sym_cost RUNTIME_STATE;
uint64_t __slowpath_sym_frame RUNTIME_STATE;  /* the number of the call that runs */
uint64_t __slowpath_sym_frames RUNTIME_STATE; /* calls so far */
RUNTIME_STATE uint32_t __slowpath_sym_args[64], __slowpath_sym_results[8];
static RUNTIME_STATE uint32_t *decided; /* node -> epoch in which it was decided or fixed */
static RUNTIME_STATE uint8_t *ways;     /* node -> how, when it was a forced branch */
static RUNTIME_STATE uint32_t path_epoch;
static RUNTIME_STATE uint32_t branches, decisions;

void runtime_sym_open_path(void) {
    decided = runtime_sym_reserve(NULL, ABI_TRACE_MAX_NODES * sizeof *decided);
    ways = runtime_sym_reserve(NULL, ABI_TRACE_MAX_NODES);
    runtime_sym_open_force();
    runtime_sym_open_loops();
}

void runtime_sym_open(void) {
    runtime_sym_open_expr();
    runtime_sym_open_memory();
    runtime_sym_open_path();
}

void runtime_sym_begin(void) {
    runtime_sym_begin_expr();
    path_epoch++;
    branches = decisions = 0;
    runtime_sym_begin_force();
    runtime_sym_begin_loops();
    __slowpath_sym_cost = __slowpath_sym_frame = __slowpath_sym_frames = 0;
    memset(__slowpath_sym_args, 0, sizeof __slowpath_sym_args);
    memset(__slowpath_sym_results, 0, sizeof __slowpath_sym_results);
}

struct abi_table *runtime_sym_tables(void) {
    return (struct abi_table *)((char *)runtime.control + ABI_OFFSET_TABLES);
}

char *runtime_sym_table_bytes(void) {
    return (char *)(runtime_sym_tables() + ABI_TRACE_MAX_TABLES);
}

static uint32_t saturate(uint64_t bytes) {
    return bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

/* An assumption that is false: it ends the run by itself. */
static bool is_refusal(enum abi_event_kind kind, uint32_t site) {
    return kind == ABI_EVENT_BRANCH && site == UINT32_MAX;
}

void runtime_sym_write(enum abi_event_kind kind, uint32_t site, uint32_t expr, uint64_t value) {
    struct abi_trace *live = &runtime.control->live;
    if (live->event_count >= ABI_TRACE_MAX_EVENTS)
        live->flags |= ABI_TRACE_TRUNCATED;
    if (live->flags & ABI_TRACE_TRUNCATED)
        return;
    struct abi_event *events = (struct abi_event *)((char *)runtime.control + ABI_OFFSET_EVENTS);
    events[live->event_count++] = (struct abi_event){.kind = kind,
                                                     .site = site,
                                                     .expr = expr,
                                                     .memory = saturate(runtime.costs->peak),
                                                     .value = value,
                                                     .cost = __slowpath_sym_cost};
}

void runtime_sym_event(enum abi_event_kind kind, uint32_t site, uint32_t expr, uint64_t value) {
    runtime_sym_tell_loops();
    runtime_sym_write(kind, site, expr, value);
    if (runtime.control->live.flags & ABI_TRACE_TRUNCATED)
        return;
    bool decides = kind != ABI_EVENT_ASSUME && kind != ABI_EVENT_ALLOC && !is_refusal(kind, site);
    if (decides && ++decisions == runtime.control->decision_limit)
        runtime_stop(ABI_STATUS_OK);
}

/* The first time on this path? */
static bool is_news(uint32_t expr) {
    bool news = decided[expr] != path_epoch;
    decided[expr] = path_epoch;
    return news;
}

void runtime_sym_fix(enum abi_event_kind kind, uint32_t expr, uint64_t value) {
    runtime.control->live.concretised += kind == ABI_EVENT_CONCRETE;
    if (is_news(expr))
        runtime_sym_event(kind, UINT32_MAX, expr, value);
}

/* A false assumption is a decision like any other: the search may want to go the other way. */
void runtime_sym_assume(uint32_t condition, bool holds) {
    if (!condition)
        return;
    bool negated = runtime_sym_at(condition)->op == ABI_OP_NOT;
    ways[negated ? runtime_sym_at(condition)->a : condition] = !negated;
    if (is_news(condition))
        runtime_sym_event(holds ? ABI_EVENT_ASSUME : ABI_EVENT_BRANCH, UINT32_MAX, condition,
                          holds);
}

bool __slowpath_sym_branch(bool condition, uint32_t shadow, uint32_t site) {
    const struct abi_control *control = runtime.control;
    bool negated = runtime_sym_at(shadow)->op == ABI_OP_NOT;
    uint32_t plain = negated ? runtime_sym_at(shadow)->a : shadow;
    if (!is_news(plain))
        return control->is_forced ? ways[plain] ^ negated : condition;
    bool is_first = runtime_sym_reach(site, __slowpath_sym_frame);
    if (control->is_forced) {
        condition = runtime_sym_decide(condition, branches, site);
        ways[plain] = condition ^ negated;
    }
    branches++;
    uint32_t event = runtime.control->live.event_count;
    runtime_sym_event(ABI_EVENT_BRANCH, site, shadow, condition);
    if (is_first && event < ABI_TRACE_MAX_EVENTS)
        ((struct abi_event *)((char *)runtime.control + ABI_OFFSET_EVENTS))[event].is_first = 1;
    return condition;
}

uint64_t __slowpath_sym_switch(uint64_t value, uint32_t shadow, uint32_t site) {
    runtime_sym_event(ABI_EVENT_SWITCH, site, shadow, value);
    return value;
}

void __slowpath_sym_fix(uint64_t value, uint32_t shadow) {
    runtime_sym_fix(ABI_EVENT_CONCRETE, shadow, value);
}

/* Code without bitcode is called: should it call back, the arguments are concrete. */
void __slowpath_sym_outside(void) {
    memset(__slowpath_sym_args, 0, 16 * sizeof *__slowpath_sym_args);
    runtime_sym_forget_variadic();
}

/* ---- handing over ---- */

static char *append(char *to, const void *from, size_t bytes) {
    memcpy(to, from, bytes);
    return to + bytes;
}

void runtime_sym_note_cost(void) {
    if (runtime.control && runtime.control->symbolic)
        runtime.control->live.cost = __slowpath_sym_cost;
}

/* What the run cost: noted by its own process, if it came to an end; at least its last event. */
static uint64_t cost_at_end(const struct abi_trace *live, const struct abi_event *events) {
    uint64_t cost = live->cost > __slowpath_sym_cost ? live->cost : __slowpath_sym_cost;
    uint64_t last = live->event_count ? events[live->event_count - 1].cost : 0;
    return cost > last ? cost : last;
}

void runtime_sym_finish(void) {
    struct abi_control *control = runtime.control;
    struct abi_trace *live = &control->live;
    const char *shared = (const char *)control;
    size_t nodes = live->node_count * sizeof(struct abi_node);
    size_t events = live->event_count * sizeof(struct abi_event);
    size_t tables = live->table_count * sizeof(struct abi_table);
    uint64_t size = (sizeof *live + nodes + events + tables + live->table_bytes + 15) & ~15ull;
    if (live->magic != ABI_TRACE_MAGIC || live->node_count > ABI_TRACE_MAX_NODES ||
        live->event_count > ABI_TRACE_MAX_EVENTS || live->table_count > ABI_TRACE_MAX_TABLES ||
        live->table_bytes > ABI_TRACE_MAX_TABLE_BYTES ||
        size > ABI_TRACES_SIZE - control->traces_end)
        return; /* the target wrote over it: this run has no trace */
    live->run = control->current;
    live->cost = cost_at_end(live, (const struct abi_event *)(shared + ABI_OFFSET_EVENTS));
    live->size = size;
    char *to = (char *)control + ABI_OFFSET_TRACES + control->traces_end;
    to = append(to, live, sizeof *live);
    to = append(to, shared + ABI_OFFSET_NODES, nodes);
    to = append(to, shared + ABI_OFFSET_EVENTS, events);
    to = append(to, runtime_sym_tables(), tables);
    append(to, runtime_sym_table_bytes(), live->table_bytes);
    control->traces_end += size;
}
