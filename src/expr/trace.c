/* SPDX-License-Identifier: Apache-2.0
 *
 * What did a run do? Reads one trace that the target left in shared memory. The target may have
 * written anything there, and may still be writing: every number is checked, nodes are copied
 * before use, and what the second pass reads is checked again. Only nodes that an event needs are
 * imported.
 *
 * There are three passes: backwards over the nodes, marking what events need; over the INPUT nodes,
 * finding bytes shared by several; forwards over the events, building nodes up to the one that the
 * event needs. So what was built for the first events does not depend on later ones, and stays if
 * the next trace starts with the same events and nodes.
 */
#include "expr/reader.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static struct abi_event event_at(const struct reader *from, uint32_t i) {
    struct abi_event event;
    assert(from->events);
    memcpy(&event, from->events + (size_t)i * sizeof event, sizeof event);
    return event;
}

static bool bad(const struct reader *from, const char *what, uint64_t where) {
    return base_fail(from->error, BASE_BROKEN,
                     "the trace of run %u is damaged: %s (at %llu); the target may have written "
                     "over its memory",
                     from->header.run, what, (unsigned long long)where);
}

/* ---- layout ---- */

static bool read_layout(struct reader *from, const char *bytes, size_t size) {
    struct abi_trace *header = &from->header;
    if (size < sizeof *header)
        return bad(from, "no room for a header", size);
    memcpy(header, bytes, sizeof *header);
    if (header->magic != ABI_TRACE_MAGIC)
        return bad(from, "not a trace", header->magic);
    if (header->node_count > ABI_TRACE_MAX_NODES || header->event_count > ABI_TRACE_MAX_EVENTS)
        return bad(from, "too many nodes or events", header->node_count);
    uint64_t nodes = sizeof *header;
    uint64_t events = nodes + (uint64_t)header->node_count * sizeof(struct abi_node);
    uint64_t tables = events + (uint64_t)header->event_count * sizeof(struct abi_event);
    uint64_t contents = tables + (uint64_t)header->table_count * sizeof(struct abi_table);
    uint64_t end = contents + header->table_bytes;
    if (end > header->size || header->size > size)
        return bad(from, "its parts do not fit its size", header->size);
    from->nodes = bytes + nodes;
    from->events = bytes + events;
    from->tables = bytes + tables;
    from->table_bytes = bytes + contents;
    return true;
}

static bool read_tables(struct reader *from) {
    assert(from->tables);
    for (uint32_t i = 0; i < from->header.table_count; i++) {
        struct abi_table table;
        memcpy(&table, from->tables + (size_t)i * sizeof table, sizeof table);
        if (table.width != 8 && table.width != 16 && table.width != 32 && table.width != 64)
            return bad(from, "a table's width", i);
        uint64_t bytes = (uint64_t)table.count * (table.width / 8);
        if (table.offset > from->header.table_bytes ||
            bytes > from->header.table_bytes - table.offset)
            return bad(from, "a table's extent", i);
        expr_make_table(from->pool, table.width, table.count, from->table_bytes + table.offset);
    }
    return true;
}

/* ---- what is needed ---- */

static bool mark_events(const struct reader *from, uint8_t *needed) {
    for (uint32_t i = 0; i < from->header.event_count; i++) {
        struct abi_event event = event_at(from, i);
        if (event.kind == ABI_EVENT_NONE || event.kind >= ABI_EVENT_COUNT)
            return bad(from, "an event's kind", i);
        if (!abi_event_has_expr(event.kind))
            continue;
        if (event.expr == 0 || event.expr >= from->header.node_count)
            return bad(from, "an event's expression", i);
        needed[event.expr] = true;
    }
    return true;
}

static bool mark_operands(const struct reader *from, uint8_t *needed) {
    for (uint32_t id = from->header.node_count; id-- > 1;) {
        if (!needed[id])
            continue;
        struct abi_node node = node_at(from, id);
        if (node.op == ABI_OP_NONE || node.op >= ABI_OP_COUNT)
            return bad(from, "an unknown operation", id);
        const uint32_t operands[3] = {node.a, node.b, node.c};
        for (unsigned i = 0; i < 3 && i < operand_count(node.op); i++) {
            if (operands[i] == 0 || operands[i] >= id)
                return bad(from, "an operand", id);
            needed[operands[i]] = true;
        }
    }
    return true;
}

/* ---- building ---- */

static bool is_float_width(unsigned width) {
    return width == 32 || width == 64;
}

static bool float_widths_fit(const struct abi_node *node, unsigned a, unsigned b) {
    if (!is_float_width(a))
        return false;
    if (abi_op_rounds(node->op))
        return node->width == a;
    switch (node->op) {
    case ABI_OP_FEQ:
    case ABI_OP_FLT:
    case ABI_OP_FLE:
        return node->width == 1 && a == b;
    case ABI_OP_FSQRT:
        return node->width == a;
    case ABI_OP_FCVT:
        return node->width == 96 - a;
    case ABI_OP_STOF:
    case ABI_OP_FTOS:
        return is_float_width(node->width);
    case ABI_OP_UTOF:
        return is_float_width(node->width) && a == 64;
    case ABI_OP_FTOU:
        return node->width == 64;
    default:
        return node->width == a && a == b;
    }
}

static bool widths_fit(const struct reader *from, struct abi_node node, const uint32_t *operands) {
    const struct abi_node *nodes = from->pool->nodes;
    unsigned a = nodes[operands[0]].width, b = nodes[operands[1]].width,
             c = nodes[operands[2]].width;
    switch (node.op) {
    case ABI_OP_CONST:
        return node.extra == 0 &&
               (expr_apply(ABI_OP_NOT, node.width, node.width, 0, 0, 0, 0) &
                (node.b | (uint64_t)node.c << 32)) == (node.b | (uint64_t)node.c << 32);
    case ABI_OP_INPUT:
        return is_input(node);
    case ABI_OP_EQ:
    case ABI_OP_ULT:
    case ABI_OP_ULE:
    case ABI_OP_SLT:
    case ABI_OP_SLE:
        return node.width == 1 && a == b;
    case ABI_OP_NOT:
        return node.width == a;
    case ABI_OP_ZEXT:
    case ABI_OP_SEXT:
        return node.width >= a;
    case ABI_OP_EXTRACT:
        return (unsigned)node.extra + node.width <= a;
    case ABI_OP_CONCAT:
        return node.width == a + b;
    case ABI_OP_ITE:
        return a == 1 && node.width == b && b == c;
    case ABI_OP_TABLE:
        return node.b < from->pool->tables.count &&
               from->pool->tables.data[node.b].width == node.width;
    default:
        return abi_op_is_float(node.op) ? float_widths_fit(&node, a, b) : node.width == a && a == b;
    }
}

static uint32_t build_node(struct reader *from, const uint32_t *remap, uint32_t id) {
    struct abi_node node = node_at(from, id);
    if (node.op == ABI_OP_NONE || node.op >= ABI_OP_COUNT || !node.width || node.width > 64)
        return 0;
    const uint32_t raw[3] = {node.a, node.b, node.c};
    uint32_t operands[3] = {0};
    for (unsigned i = 0; i < 3 && i < operand_count(node.op); i++) {
        operands[i] = raw[i] < id ? remap[raw[i]] : 0;
        if (!operands[i])
            return 0;
    }
    if (!widths_fit(from, node, operands))
        return 0;
    if (node.op == ABI_OP_CONST)
        return expr_make_constant(from->pool, node.width, node.b | (uint64_t)node.c << 32);
    if (node.op == ABI_OP_INPUT)
        return expr_make_input(from->pool, node.width, node.a);
    if (node.op == ABI_OP_TABLE)
        return expr_make(from->pool, node.op, node.width, 0, operands[0], node.b, 0);
    return expr_make(from->pool, node.op, node.width, node.extra, operands[0], operands[1],
                     operands[2]);
}

/* Builds the needed nodes up to LAST. */
static bool build_nodes(struct reader *from, uint32_t *built, uint32_t last) {
    const uint8_t *needed = from->origin->needed.data;
    uint32_t *remap = from->origin->remap.data;
    for (; *built <= last; (*built)++) {
        remap[*built] = needed[*built] ? build_node(from, remap, *built) : 0;
        if (needed[*built] && !remap[*built])
            return bad(from, "a node's operands or widths", *built);
    }
    return true;
}

/* An event with its expression in the pool; expr is 0 if something is wrong. */
static struct expr_event build_event(const struct reader *from, uint32_t built,
                                     const struct abi_event *event) {
    return (struct expr_event){.kind = event->kind,
                               .site = event->site,
                               .expr =
                                   event->expr < built ? from->origin->remap.data[event->expr] : 0,
                               .calls = event->calls,
                               .value = event->value,
                               .cost = event->cost,
                               .is_first = event->is_first != 0,
                               .access = event->access};
}

static bool value_fits(const struct reader *from, const struct expr_event *event) {
    unsigned width = from->pool->nodes[event->expr].width;
    bool is_condition = event->kind == ABI_EVENT_BRANCH || event->kind == ABI_EVENT_ASSUME ||
                        event->kind == ABI_EVENT_BOUNDS || event->kind == ABI_EVENT_LINK;
    return (!is_condition || width == 1) && (event->kind != ABI_EVENT_OUTPUT || width == 8) &&
           (event->kind != ABI_EVENT_OBJECT || width == 64) && event->value <= width_mask(width);
}

/* Objects are numbered consecutively, and each is freed at most once. */
static bool follow_object(struct expr_trace *trace, const struct abi_event *event) {
    if (event->kind == ABI_EVENT_ALLOC) {
        base_push(&trace->is_freed, false);
        return event->object == trace->is_freed.count;
    }
    if (event->object == 0 || event->object > trace->is_freed.count ||
        trace->is_freed.data[event->object - 1])
        return false;
    return trace->is_freed.data[event->object - 1] = true;
}

/* Is the rest of the event plausible? */
static bool is_possible(struct expr_trace *trace, const struct abi_event *event) {
    if (abi_event_has_object(event->kind))
        return follow_object(trace, event);
    switch (event->kind) {
    case ABI_EVENT_AMOUNT:
    case ABI_EVENT_COST:
        return event->site < ABI_COST_COUNT;
    case ABI_EVENT_LOSS:
        return event->site < ABI_MAX_LOSSES;
    case ABI_EVENT_OUTPUT:
        return event->site <= INT32_MAX;
    case ABI_EVENT_OUTPUT_PLAIN:
        return event->site <= INT32_MAX && event->count >= 1 && event->count <= 8 &&
               event->value <= width_mask(event->count * 8);
    default:
        return true;
    }
}

static bool read_event(struct reader *from, struct expr_trace *trace, uint32_t i,
                       struct progress *progress) {
    struct abi_event event = event_at(from, i);
    bool has_expr = abi_event_has_expr(event.kind);
    if (event.kind == ABI_EVENT_NONE || event.kind >= ABI_EVENT_COUNT ||
        (has_expr && event.expr >= from->header.node_count))
        return bad(from, "an event changed while it was read", i);
    if (has_expr && !build_nodes(from, &progress->built, event.expr))
        return false;
    struct expr_event built = build_event(from, progress->built, &event);
    if (has_expr && !built.expr)
        return bad(from, "an event changed while it was read", i);
    if (has_expr && !value_fits(from, &built))
        return bad(from, "an event's value does not fit its expression", i);
    if (!is_possible(trace, &event))
        return bad(from, "an event's site, object or count", i);
    if (!has_expr)
        built.expr = 0;
    trace->events[trace->count++] = built;
    return true;
}

static bool read_events(struct reader *from, struct expr_trace *trace, struct progress progress) {
    struct expr_origin *origin = from->origin;
    while (trace->capacity < from->header.event_count)
        trace->events = base_grow(trace->events, &trace->capacity, sizeof *trace->events);
    for (uint32_t i = (uint32_t)trace->count; i < from->header.event_count; i++) {
        if (!read_event(from, trace, i, &progress))
            return false;
        if (trace->each)
            trace->each(trace->context, i);
        progress.mark = expr_pool_mark(from->pool);
        base_push(&origin->progress, progress);
    }
    return true;
}

/* ---- the common part of two traces ---- */

#define RESERVE(vector, wanted)                                                                    \
    while ((vector)->capacity < (wanted))                                                          \
    (vector)->data = base_grow((vector)->data, &(vector)->capacity, sizeof *(vector)->data)

static bool find_needed(const struct reader *from) {
    struct expr_origin *origin = from->origin;
    uint32_t count = from->header.node_count;
    RESERVE(&origin->next_needed, count + 1);
    memset(origin->next_needed.data, 0, count + 1);
    return mark_events(from, origin->next_needed.data) &&
           mark_operands(from, origin->next_needed.data);
}

static bool same_node(const struct reader *from, uint32_t id) {
    const struct expr_origin *origin = from->origin;
    return id < origin->nodes.count && id < from->header.node_count &&
           memcmp(&origin->nodes.data[id], from->nodes + (size_t)id * sizeof(struct abi_node),
                  sizeof(struct abi_node)) == 0 &&
           origin->needed.data[id] == origin->next_needed.data[id];
}

/* How many events of the last trace can stay? The nodes they were built from must be the same, too,
 * and needed in both. */
static uint32_t count_common(const struct reader *from, uint32_t most) {
    const struct expr_origin *origin = from->origin;
    uint32_t count = 0, same = 1;
    for (; count < most && count < origin->progress.count && count < from->header.event_count;
         count++) {
        if (memcmp(&origin->events.data[count],
                   from->events + (size_t)count * sizeof(struct abi_event),
                   sizeof(struct abi_event)) != 0)
            break;
        while (same < origin->progress.data[count].built && same_node(from, same))
            same++;
        if (same < origin->progress.data[count].built)
            break;
    }
    return count;
}

static void keep_origin(const struct reader *from, size_t events) {
    struct expr_origin *origin = from->origin;
    size_t count = from->header.node_count;
    RESERVE(&origin->nodes, count);
    if (count)
        memcpy(origin->nodes.data, from->nodes, count * sizeof *origin->nodes.data);
    origin->nodes.count = count;
    RESERVE(&origin->events, from->header.event_count);
    if (from->header.event_count > events)
        memcpy(origin->events.data + events, from->events + events * sizeof *origin->events.data,
               (from->header.event_count - events) * sizeof *origin->events.data);
    origin->events.count = from->header.event_count;
}

/* Drops all but the first events of the last trace; returns the state of the pool then. */
static struct progress go_back(struct expr_trace *trace, uint32_t kept) {
    struct expr_origin *origin = trace->origin;
    trace->count = origin->progress.count = kept;
    trace->is_freed.count = 0;
    if (kept) {
        expr_pool_back_to(trace->pool, origin->progress.data[kept - 1].mark);
        return origin->progress.data[kept - 1];
    }
    expr_pool_clear(trace->pool);
    return (struct progress){.built = 1};
}

static bool read_parts(struct reader *from, struct expr_trace *trace, uint32_t most,
                       uint32_t *kept) {
    struct expr_origin *origin = from->origin;
    if (!find_needed(from))
        return false;
    bool is_simple =
        !from->header.table_count && !split_shared_inputs(from, origin->next_needed.data, true);
    *kept = is_simple && origin->is_simple && !from->pool->is_full ? count_common(from, most) : 0;
    struct progress progress = go_back(trace, *kept);
    const uint8_t *needed = origin->next_needed.data;
    origin->is_simple = false; /* until everything has succeeded */
    if (!read_tables(from))
        return false;
    if (!is_simple)
        split_shared_inputs(from, needed, false);
    RESERVE(&origin->remap, from->header.node_count);
    RESERVE(&origin->needed, from->header.node_count + 1);
    memcpy(origin->needed.data, needed, from->header.node_count + 1);
    if (!read_events(from, trace, progress))
        return false;
    if (from->pool->is_full)
        return bad(from, "more expressions than there is room for", from->pool->count);
    keep_origin(from, *kept);
    origin->is_simple = is_simple && !trace->is_freed.count;
    return true;
}

static bool read_trace(struct expr_trace *trace, const void *bytes, size_t size, uint32_t most,
                       uint32_t *kept, size_t *next, struct base_error *error) {
    if (!trace->pool)
        trace->pool = expr_pool_new();
    if (!trace->origin)
        trace->origin = base_alloc(sizeof *trace->origin);
    struct reader from = {.pool = trace->pool, .origin = trace->origin, .error = error};
    if (!read_layout(&from, bytes, size) || !read_parts(&from, trace, most, kept)) {
        trace->count = trace->is_freed.count = 0;
        trace->origin->is_simple = false;
        return false;
    }
    trace->run = from.header.run;
    trace->flags = from.header.flags;
    trace->concretised = from.header.concretised;
    trace->image_first = from.header.image_first;
    trace->image_end = from.header.image_end;
    trace->cost = from.header.cost;
    trace->calls = from.header.calls;
    *next = from.header.size;
    return true;
}

bool expr_trace_read_on(struct expr_trace *trace, const void *bytes, size_t size, uint32_t most,
                        uint32_t *kept, struct base_error *error) {
    size_t next;
    return read_trace(trace, bytes, size, most, kept, &next, error);
}

bool expr_trace_read(struct expr_trace *trace, const void *bytes, size_t size, size_t *next,
                     struct base_error *error) {
    uint32_t kept;
    return read_trace(trace, bytes, size, 0, &kept, next, error);
}

void expr_trace_done(struct expr_trace *trace) {
    expr_pool_free(trace->pool);
    free(trace->events);
    base_vector_done(&trace->is_freed);
    if (trace->origin) {
        base_vector_done(&trace->origin->nodes);
        base_vector_done(&trace->origin->events);
        base_vector_done(&trace->origin->needed);
        base_vector_done(&trace->origin->next_needed);
        base_vector_done(&trace->origin->inputs);
        base_vector_done(&trace->origin->remap);
        base_vector_done(&trace->origin->progress);
    }
    free(trace->origin);
    *trace = (struct expr_trace){0};
}
