/* SPDX-License-Identifier: Apache-2.0
 *
 * How does an event get into the trace, and the trace to the engine? Events are written straight
 * into shared memory. Each carries the instructions and calls so far; other costs that have changed
 * since the last event are written first, as events of their own. When the run ends the trace is
 * appended to those of the batch, by the server if the run's process has died: so everything needed
 * for that lies in shared memory, too.
 */
#include "runtime/sym_event.h"

#include <string.h>

uint64_t __slowpath_sym_cost RUNTIME_STATE;
uint64_t __slowpath_sym_frames RUNTIME_STATE; /* functions entered */
uint64_t __slowpath_sym_calls RUNTIME_STATE;  /* calls of functions without bitcode */
static RUNTIME_STATE uint32_t objects;        /* allocations of symbolic size so far */
static RUNTIME_STATE struct abi_event *lost[ABI_MAX_LOSSES]; /* by name: this run's event */

void runtime_sym_begin_trace(void) {
    __slowpath_sym_cost = __slowpath_sym_frames = __slowpath_sym_calls = 0;
    objects = 0;
    memset(lost, 0, sizeof lost);
    runtime.control->told = (struct abi_costs){0};
    runtime.costs_changed = true;
}

struct abi_table *runtime_sym_tables(void) {
    return (struct abi_table *)((char *)runtime.control + ABI_OFFSET_TABLES);
}

char *runtime_sym_table_bytes(void) {
    return (char *)(runtime_sym_tables() + ABI_TRACE_MAX_TABLES);
}

/* ---- events ---- */

/* False if the trace is full. */
static bool has_room(struct abi_trace *live) {
    if (live->event_count >= ABI_TRACE_MAX_EVENTS)
        live->flags |= ABI_TRACE_TRUNCATED;
    return !(live->flags & ABI_TRACE_TRUNCATED);
}

static bool append_event(enum abi_event_kind kind, uint16_t mark, uint32_t site, uint32_t expr,
                         uint64_t value) {
    struct abi_trace *live = &runtime.control->live;
    if (!has_room(live))
        return false;
    runtime_sym_put_event(live, runtime_sym_make_event(live, kind, mark, site, expr, value));
    return true;
}

static void tell_cost(uint32_t cost, uint64_t *told, uint64_t now) {
    if (*told == now)
        return;
    *told = now;
    append_event(ABI_EVENT_COST, 0, cost, 0, now);
}

static void tell_costs(void) {
    struct abi_costs *told = &runtime.control->told;
    const struct abi_costs *now = runtime.costs;
    runtime.costs_changed = false;
#define CARRIED(id, name)
#define TOLD(id, name, field) tell_cost(ABI_COST_##id, &told->field, now->field);
    ABI_COSTS(CARRIED, TOLD)
#undef CARRIED
#undef TOLD
    for (uint32_t i = 0; i < runtime.control->counter_count && i < ABI_MAX_COUNTERS; i++)
        tell_cost(ABI_COST_USER + i, (uint64_t *)&told->user[i], (uint64_t)now->user[i]);
}

/* Frames keep their numbers. */
void runtime_sym_forget_costs(void) {
    __slowpath_sym_cost = 0;
    __slowpath_sym_calls = -__slowpath_sym_frames;
    runtime.costs_changed = false;
}

static void tell_before(void) {
    if (runtime.is_uncounted)
        return;
    runtime_sym_follow_cost(&runtime.control->live);
    if (runtime.costs_changed)
        tell_costs();
}

bool runtime_sym_write(enum abi_event_kind kind, uint16_t mark, uint32_t site, uint32_t expr,
                       uint64_t value) {
    tell_before();
    return append_event(kind, mark, site, expr, value);
}

/* The event differs from the last run's, whatever it becomes. */
struct abi_event *runtime_sym_write_open(enum abi_event_kind kind, uint32_t site, uint32_t expr,
                                         uint64_t value) {
    struct abi_trace *live = &runtime.control->live;
    tell_before();
    if (!has_room(live))
        return NULL;
    struct abi_event *event = &runtime_sym_events()[live->event_count++];
    struct event_words words = runtime_sym_make_event(live, kind, 0, site, expr, value);
    memcpy(event, &words, sizeof words);
    return event;
}

/* ---- objects ---- */

/* Once an object has a symbolic size, all later ones are recorded as well: which of them causes the
 * memory peak depends on it. */
uint32_t runtime_sym_note_alloc(uint32_t shadow, uint64_t size) {
    if (!shadow && (objects || runtime_sym_has_sized()))
        shadow = runtime_sym_constant(64, size);
    if (!shadow)
        return 0;
    runtime_sym_tell_loops();
    struct abi_event *event = runtime_sym_write_open(ABI_EVENT_ALLOC, UINT32_MAX, shadow, size);
    if (!event)
        return 0;
    event->object = ++objects;
    return objects;
}

void runtime_sym_note_free(uint32_t object) {
    struct abi_event *event =
        object ? runtime_sym_write_open(ABI_EVENT_FREE, UINT32_MAX, 0, 0) : NULL;
    if (event)
        event->object = object;
}

/* ---- amounts ---- */

void runtime_sym_note_amount(uint32_t cost, uint64_t amount, uint32_t shadow) {
    if (!runtime_sym_is_settled(shadow)) {
        runtime_sym_tell_loops();
        runtime_sym_write(ABI_EVENT_AMOUNT, 0, cost, shadow, amount);
    }
}

void __slowpath_sym_amount(uint64_t amount, uint32_t shadow) {
    runtime_sym_note_amount(ABI_COST_INSTRUCTIONS, amount, shadow);
}

/* ---- losses ---- */

/* The number of a name; if there are too many, the last one stands for all others. */
static uint32_t find_loss(const char *name) {
    struct abi_control *control = runtime.control;
    for (uint32_t i = 0; i < ABI_MAX_LOSSES; i++) {
        if (i == control->loss_count) {
            const char *known = i + 1 < ABI_MAX_LOSSES ? name : "other losses";
            strncpy(control->losses[i].name, known, ABI_NAME_SIZE - 1);
            control->loss_count++;
        }
        if (strncmp(control->losses[i].name, name, ABI_NAME_SIZE - 1) == 0)
            return i;
    }
    return ABI_MAX_LOSSES - 1;
}

void runtime_sym_lose(const char *name) {
    if (runtime.control->concrete)
        return; /* nothing is symbolic */
    uint32_t number = find_loss(name);
    runtime.control->losses[number].count++;
    if (!lost[number])
        lost[number] = runtime_sym_write_open(ABI_EVENT_LOSS, number, 0, 0);
    if (lost[number])
        lost[number]->value++;
}

/* ---- handing over ---- */

/* The server's own counters are 0: keep what the run has saved. */
void runtime_sym_note_cost(void) {
    if (runtime.control && runtime.control->symbolic && !runtime.is_uncounted)
        runtime_sym_follow_cost(&runtime.control->live);
}

static char *append(char *to, const void *from, size_t bytes) {
    memcpy(to, from, bytes);
    return to + bytes;
}

/* Is the header consistent? The target may have overwritten it. */
static bool is_sound(const struct abi_trace *live) {
    return live->magic == ABI_TRACE_MAGIC && live->node_count <= ABI_TRACE_MAX_NODES &&
           live->event_count <= ABI_TRACE_MAX_EVENTS && live->same_nodes <= live->node_count &&
           live->same_events <= live->event_count && live->table_count <= ABI_TRACE_MAX_TABLES &&
           live->table_bytes <= ABI_TRACE_MAX_TABLE_BYTES;
}

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* Appends the trace to the batch; false: no room. */
static bool append_trace(struct abi_trace *live) {
    struct abi_control *control = runtime.control;
    uint32_t same_nodes = least(live->same_nodes, control->known_nodes);
    uint32_t same_events = least(live->same_events, control->known_events);
    size_t nodes = (live->node_count - same_nodes) * sizeof(struct abi_node);
    size_t events = (live->event_count - same_events) * sizeof(struct abi_event);
    size_t tables = live->table_count * sizeof(struct abi_table);
    uint64_t size = (sizeof *live + nodes + events + tables + live->table_bytes + 15) & ~15ull;
    if (size > ABI_TRACES_SIZE - control->traces_end)
        return false;
    live->same_nodes = same_nodes;
    live->same_events = same_events;
    live->run = control->current;
    live->size = size;
    char *to = (char *)control + ABI_OFFSET_TRACES + control->traces_end;
    to = append(to, live, sizeof *live);
    to = append(to, runtime_sym_at(same_nodes), nodes);
    to = append(to, &runtime_sym_events()[same_events], events);
    to = append(to, runtime_sym_tables(), tables);
    append(to, runtime_sym_table_bytes(), live->table_bytes);
    control->traces_end += size;
    return true;
}

void runtime_sym_take_kept(void) {
    struct abi_control *control = runtime.control;
    control->known_nodes = control->kept_nodes;
    control->known_events = control->kept_events;
    control->kept_nodes = control->kept_events = 0;
}

void runtime_sym_finish(void) {
    struct abi_control *control = runtime.control;
    struct abi_trace *live = &control->live;
    if (!is_sound(live))
        return; /* this run has no trace */
    runtime_sym_note_cost();
    tell_costs();
    if (!append_trace(live))
        return;
    control->kept_nodes = live->node_count;
    control->kept_events = live->event_count;
}
