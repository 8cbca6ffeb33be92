/* SPDX-License-Identifier: Apache-2.0
 *
 * How is a run of a pipeline followed symbolically? Each stage runs in its symbolic build and
 * leaves a trace in terms of what it read. The traces are joined into one in terms of the first
 * stage's input: a byte that a later stage reads is replaced by the expression of the byte that the
 * stage before it wrote. Blocks, costs, objects, tables, counters and losses are renumbered. A
 * reader of the joined trace cannot tell that there was more than one program.
 *
 * A byte that was written as a constant is concrete for the stage that reads it, so no decision on
 * it is recorded.
 */
#include "target/chain_parts.h"

#include <stdlib.h>
#include <string.h>

#define LIBRARY_SITES (1u << 20) /* upper limit for one stage */

struct joint {
    struct chain *chain;
    BASE_VECTOR(struct abi_node) nodes;
    BASE_VECTOR(struct abi_event) events;
    BASE_VECTOR(struct abi_table) tables;
    struct base_buffer table_bytes;
    struct abi_trace header;        /* sums */
    uint64_t costs[ABI_COST_COUNT]; /* of the stages so far, according to events */
    uint32_t objects;               /* so far */
    uint32_t decisions;             /* so far */
};

struct written { /* output of a stage: an expression per byte; 0: concrete */
    BASE_VECTOR(uint32_t) exprs;
    struct base_buffer bytes;
};

/* The trace of one stage, in place; only its header has been checked. */
struct piece {
    struct joint *joint;
    struct part *part;
    const struct written *read; /* NULL: the input itself */
    uint64_t tree, tree_bytes;  /* offset of the tree in the stage's input, and its size */
    struct written *wrote;
    struct abi_trace header;
    const struct abi_node *nodes;
    const struct abi_event *events;
    const struct abi_table *tables;
    const char *table_bytes;
    uint32_t *map; /* number of its nodes in the joined trace */
    uint32_t first_table, first_object, most_object;
    uint64_t cost, calls, told[ABI_COST_COUNT];
    bool is_good;
    struct abi_result result;
};

/* ---- nodes ---- */

static uint32_t add_node(struct joint *joint, struct abi_node node) {
    base_push(&joint->nodes, node);
    return (uint32_t)joint->nodes.count - 1;
}

static uint32_t add_constant(struct joint *joint, uint8_t value) {
    return add_node(joint, (struct abi_node){.op = ABI_OP_CONST, .width = 8, .b = value});
}

static uint32_t byte_read(const struct piece *piece, uint32_t offset) {
    const struct written *read = piece->read;
    if (offset < read->exprs.count && read->exprs.data[offset])
        return read->exprs.data[offset];
    return add_constant(piece->joint,
                        offset < read->bytes.count ? (uint8_t)read->bytes.data[offset] : 0);
}

/* The tree lies behind what the stage reads, and is the same for all stages. Offsets of the first
 * stage are relative to the window already. */
static bool is_of_tree(const struct piece *piece, const struct abi_node *node) {
    return piece->joint->chain->has_tree && piece->read && node->a >= piece->tree;
}

static uint32_t join_input(const struct piece *piece, const struct abi_node *node) {
    struct abi_node own = *node;
    if (!piece->read)
        return add_node(piece->joint, own);
    if (is_of_tree(piece, node)) {
        own.a -= (uint32_t)(piece->tree + piece->joint->chain->aim.first);
        return add_node(piece->joint, own);
    }
    uint32_t whole = byte_read(piece, node->a);
    for (uint32_t i = 1; i < node->width / 8u && i < 8; i++) {
        uint32_t high = byte_read(piece, node->a + i);
        whole = add_node(piece->joint, (struct abi_node){.op = ABI_OP_CONCAT,
                                                         .width = (uint8_t)(8 * (i + 1)),
                                                         .a = high,
                                                         .b = whole});
    }
    return whole;
}

static unsigned operand_count(unsigned op) {
    static const uint8_t counts[] = {
#define NODE(id, text, operands) [ABI_OP_##id] = operands,
        ABI_NODES(NODE)
#undef NODE
    };
    return op < ABI_OP_COUNT ? counts[op] : 0;
}

/* Invalid numbers stay invalid, so that the reader of the trace finds them. */
static uint32_t mapped(const struct piece *piece, uint32_t id, uint32_t below) {
    return id < below ? piece->map[id] : 0;
}

static void join_nodes(struct piece *piece) {
    for (uint32_t id = 1; id < piece->header.node_count; id++) {
        struct abi_node node = piece->nodes[id];
        unsigned operands = operand_count(node.op);
        if (node.op == ABI_OP_INPUT) {
            piece->map[id] = join_input(piece, &node);
            continue;
        }
        if (operands > 0)
            node.a = mapped(piece, node.a, id);
        if (operands > 1)
            node.b = mapped(piece, node.b, id);
        if (operands > 2)
            node.c = mapped(piece, node.c, id);
        if (node.op == ABI_OP_TABLE)
            node.b += piece->first_table;
        piece->map[id] = add_node(piece->joint, node);
    }
}

static void join_tables(struct piece *piece) {
    struct joint *joint = piece->joint;
    uint32_t bytes = (uint32_t)joint->table_bytes.count;
    piece->first_table = (uint32_t)joint->tables.count;
    for (uint32_t i = 0; i < piece->header.table_count; i++) {
        struct abi_table table = piece->tables[i];
        table.offset += bytes;
        base_push(&joint->tables, table);
    }
    base_buffer_add(&joint->table_bytes, piece->table_bytes, piece->header.table_bytes);
}

/* ---- events ---- */

static uint32_t loss_number(struct piece *piece, uint32_t number) {
    struct chain *chain = piece->joint->chain;
    struct abi_loss loss;
    if (!target_loss(piece->part->target, number, &loss))
        return ABI_MAX_LOSSES - 1;
    for (uint32_t i = 0; i < chain->loss_count; i++)
        if (strcmp(chain->losses[i].name, loss.name) == 0)
            return i;
    if (chain->loss_count == ABI_MAX_LOSSES)
        return ABI_MAX_LOSSES - 1;
    chain->losses[chain->loss_count] = loss;
    return chain->loss_count++;
}

static uint32_t cost_number(struct piece *piece, uint32_t cost) {
    char name[ABI_NAME_SIZE];
    if (cost < ABI_COST_USER || cost >= ABI_COST_COUNT ||
        !target_counter_name(piece->part->target, cost - ABI_COST_USER, name))
        return cost;
    uint32_t number = chain_counter_number(piece->joint->chain, name);
    return number < ABI_MAX_COUNTERS ? ABI_COST_USER + number : cost;
}

static bool is_at_block(uint32_t kind) {
    return kind != ABI_EVENT_OBJECT && kind != ABI_EVENT_ALLOC && kind != ABI_EVENT_FREE &&
           kind != ABI_EVENT_ADDRESS && kind != ABI_EVENT_AMOUNT && kind != ABI_EVENT_COST &&
           kind != ABI_EVENT_LOSS && kind != ABI_EVENT_OUTPUT && kind != ABI_EVENT_OUTPUT_PLAIN;
}

static void note_output(struct piece *piece, const struct abi_event *event) {
    bool is_plain = event->kind == ABI_EVENT_OUTPUT_PLAIN;
    if (event->site != 1)
        return;
    for (uint32_t i = 0; i < (is_plain ? event->count : 1) && i < 8; i++)
        base_push(&piece->wrote->exprs,
                  is_plain ? 0 : mapped(piece, event->expr, piece->header.node_count));
}

/* Library functions are numbered after a program's blocks; in the joined trace, after all
 * blocks. */
static uint32_t join_site(const struct piece *piece, uint32_t site) {
    const struct chain *chain = piece->joint->chain;
    uint32_t blocks = target_facts(piece->part->target)->block_count;
    if (site < blocks)
        return site + piece->part->first_block;
    uint32_t stage = (uint32_t)(piece->part - chain->parts), library = site - blocks;
    return library < LIBRARY_SITES ? chain->block_count + stage * LIBRARY_SITES + library : site;
}

static void join_event(struct piece *piece, struct abi_event event) {
    struct joint *joint = piece->joint;
    if (event.kind == ABI_EVENT_COST) {
        event.site = cost_number(piece, event.site);
        if (event.site < ABI_COST_COUNT) {
            piece->told[event.site] = event.value;
            event.value += joint->costs[event.site];
        }
    }
    if (event.kind == ABI_EVENT_LOSS)
        event.site = loss_number(piece, event.site);
    if (event.kind == ABI_EVENT_AMOUNT)
        event.site = cost_number(piece, event.site);
    if (is_at_block(event.kind))
        event.site = join_site(piece, event.site);
    if (abi_event_has_object(event.kind)) {
        event.object += piece->first_object;
        if (event.object > piece->most_object)
            piece->most_object = event.object;
    }
    if (abi_event_has_expr(event.kind))
        event.expr = mapped(piece, event.expr, piece->header.node_count);
    if (abi_event_has_calls(event.kind))
        event.calls += (uint32_t)piece->calls;
    event.cost += piece->cost;
    joint->decisions += event.kind == ABI_EVENT_BRANCH || event.kind == ABI_EVENT_SWITCH;
    base_push(&joint->events, event);
}

/* The output of a pipeline is that of its last stage. */
static void join_events(struct piece *piece) {
    const struct chain *chain = piece->joint->chain;
    bool is_told = chain->tells_output && piece->part == &chain->parts[chain->count - 1];
    for (uint32_t i = 0; i < piece->header.event_count; i++) {
        struct abi_event event = piece->events[i];
        bool is_output = event.kind == ABI_EVENT_OUTPUT || event.kind == ABI_EVENT_OUTPUT_PLAIN;
        if (is_output)
            note_output(piece, &event);
        if (!is_output || is_told)
            join_event(piece, event);
    }
}

/* ---- one stage ---- */

/* Do all parts lie within the record? */
static bool lay_out(struct piece *piece, const void *trace, size_t size) {
    const struct abi_trace *header = &piece->header;
    if (size < sizeof *header)
        return false;
    memcpy(&piece->header, trace, sizeof *header);
    uint64_t wanted = sizeof *header + (uint64_t)header->node_count * sizeof(struct abi_node) +
                      (uint64_t)header->event_count * sizeof(struct abi_event) +
                      (uint64_t)header->table_count * sizeof(struct abi_table) +
                      header->table_bytes;
    if (header->node_count > ABI_TRACE_MAX_NODES || header->event_count > ABI_TRACE_MAX_EVENTS ||
        header->table_count > ABI_TRACE_MAX_TABLES || wanted > size)
        return false;
    piece->nodes = (const struct abi_node *)((const char *)trace + sizeof *header);
    piece->events = (const struct abi_event *)(piece->nodes + header->node_count);
    piece->tables = (const struct abi_table *)(piece->events + header->event_count);
    piece->table_bytes = (const char *)(piece->tables + header->table_count);
    return true;
}

static void join_piece(struct piece *piece) {
    struct joint *joint = piece->joint;
    piece->map = base_alloc(((size_t)piece->header.node_count + 1) * sizeof *piece->map);
    piece->cost = joint->header.cost;
    piece->calls = joint->header.calls;
    piece->first_object = piece->most_object = joint->objects;
    join_tables(piece);
    join_nodes(piece);
    join_events(piece);
    free(piece->map);
    joint->header.cost += piece->header.cost;
    joint->header.calls += piece->header.calls;
    joint->header.flags |= piece->header.flags;
    joint->header.concretised += piece->header.concretised;
    joint->objects = piece->most_object;
    for (int i = 0; i < ABI_COST_COUNT; i++)
        joint->costs[i] += piece->told[i];
}

static void take_piece(size_t index, const struct abi_result *result, const void *trace,
                       size_t size, void *context) {
    struct piece *piece = context;
    (void)index;
    piece->result = *result;
    piece->is_good = trace && lay_out(piece, trace, size);
    if (piece->is_good)
        join_piece(piece);
}

/* Does the user of the pipeline want this input byte concrete? */
static bool is_fixed_in_tree(const struct target_aim *whole, uint64_t at) {
    return whole->fixed && (at < whole->first || at - whole->first >= whole->bytes ||
                            (whole->fixed[(at - whole->first) / 8] >> (at - whole->first) % 8 & 1));
}

/* The first stage gets the aim that the user set; for the others, everything not concrete is
 * symbolic. Decisions are counted over all stages. */
static void aim_stage(struct piece *piece) {
    const struct target_aim *whole = &piece->joint->chain->aim;
    struct target_aim aim = *whole;
    uint8_t *fixed = NULL;
    if (whole->decisions)
        aim.decisions = whole->decisions - piece->joint->decisions;
    if (piece->read) {
        size_t known = piece->read->exprs.count;
        size_t read = piece->tree_bytes ? piece->tree : known, count = read + piece->tree_bytes;
        fixed = base_alloc(count / 8 + 1);
        for (size_t i = 0; i < count; i++)
            if (i < read ? i >= known || !piece->read->exprs.data[i]
                         : is_fixed_in_tree(whole, i - read))
                fixed[i / 8] |= (uint8_t)(1 << i % 8);
        aim.fixed = count ? fixed : NULL;
        aim.first = 0;
        aim.snapshot = 0; /* inputs have less in common by then */
        aim.bytes = count;
    }
    target_set_aim(piece->part->target, &aim);
    free(fixed);
}

static bool run_stage(struct joint *joint, struct part *part, const struct target_input *input,
                      struct written *all, struct abi_result *sum, struct base_error *error) {
    size_t stage = (size_t)(part - joint->chain->parts);
    struct written *wrote = &all[stage];
    struct piece *piece = base_alloc(sizeof *piece);
    struct target_input own = *input;
    *piece = (struct piece){.joint = joint, .part = part, .wrote = wrote};
    if (part->stage->from != TARGET_FIRST) {
        piece->read = &all[part->stage->from];
        own.data = piece->read->bytes.data ? piece->read->bytes.data : "";
        own.size = piece->read->bytes.count;
    }
    if (joint->chain->has_tree) {
        struct target_input nothing = {"", 0};
        part->given.count = 0;
        piece->tree = piece->read ? own.size : 0;
        piece->tree_bytes = input->size;
        target_add_tree(piece->read ? &own : &nothing, input, &part->given);
        own = (struct target_input){part->given.data, part->given.count};
    }
    aim_stage(piece);
    bool good = target_run_traced(part->target, &own, 1, take_piece, piece, error);
    if (good) {
        if (piece->result.outside.site < target_facts(part->target)->block_count)
            piece->result.outside.site += part->first_block;
        target_take_output(part->target, &piece->result, &wrote->bytes);
        piece->result.stage = stage;
        chain_add_result(sum, &piece->result);
        joint->header.magic = piece->is_good ? ABI_TRACE_MAGIC : 0;
        /* If traced and actual output disagree, neither is trusted. */
        if (wrote->exprs.count != wrote->bytes.count) {
            wrote->exprs.count = 0;
            joint->header.flags |= ABI_TRACE_TRUNCATED;
        }
    }
    free(piece);
    return good;
}

/* ---- all stages ---- */

static void write_record(struct joint *joint, uint32_t run, struct base_buffer *record) {
    struct abi_trace header = joint->header;
    header.run = run;
    header.node_count = (uint32_t)joint->nodes.count;
    header.event_count = (uint32_t)joint->events.count;
    header.table_count = (uint32_t)joint->tables.count;
    header.table_bytes = (uint32_t)joint->table_bytes.count;
    record->count = 0;
    base_buffer_add(record, &header, sizeof header);
    base_buffer_add(record, joint->nodes.data, joint->nodes.count * sizeof *joint->nodes.data);
    base_buffer_add(record, joint->events.data, joint->events.count * sizeof *joint->events.data);
    base_buffer_add(record, joint->tables.data, joint->tables.count * sizeof *joint->tables.data);
    base_buffer_add(record, joint->table_bytes.data, joint->table_bytes.count);
    header.size = record->count;
    memcpy(record->data, &header, sizeof header);
}

static bool goes_on(const struct joint *joint, const struct abi_result *sum) {
    uint32_t most = joint->chain->aim.decisions;
    return joint->header.magic && sum->status == ABI_STATUS_OK && !sum->rejected &&
           (!most || joint->decisions < most);
}

static bool trace_one(struct chain *chain, const struct target_input *input, uint32_t run,
                      struct base_buffer *record, struct abi_result *sum,
                      struct base_error *error) {
    struct joint joint = {.chain = chain, .header = {.magic = ABI_TRACE_MAGIC}};
    struct written *all = base_alloc(chain->count * sizeof *all);
    *sum = (struct abi_result){0};
    bool good = true;
    add_node(&joint, (struct abi_node){0}); /* node 0 means concrete */
    for (size_t i = 0; good && i < chain->count && (!i || goes_on(&joint, sum)); i++)
        good = run_stage(&joint, &chain->parts[i], input, all, sum, error);
    record->count = 0;
    if (good && joint.header.magic)
        write_record(&joint, run, record);
    for (size_t i = 0; i < chain->count; i++) {
        base_vector_done(&all[i].exprs);
        base_buffer_done(&all[i].bytes);
    }
    free(all);
    base_vector_done(&joint.nodes);
    base_vector_done(&joint.events);
    base_vector_done(&joint.tables);
    base_buffer_done(&joint.table_bytes);
    return good;
}

bool chain_run_traced(struct chain *chain, const struct target_input *inputs, size_t count,
                      target_visit *visit, void *context, struct base_error *error) {
    struct base_buffer record = {0};
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        struct abi_result sum;
        good = trace_one(chain, &inputs[i], (uint32_t)i, &record, &sum, error);
        if (good)
            visit(i, &sum, record.count ? record.data : NULL, record.count, context);
    }
    base_buffer_done(&record);
    return good;
}

void chain_set_aim(struct chain *chain, const struct target_aim *aim) {
    chain->aim = *aim;
    free(chain->fixed);
    chain->fixed = NULL;
    if (!aim->fixed)
        return;
    chain->fixed = base_alloc(aim->bytes / 8 + 1);
    memcpy(chain->fixed, aim->fixed, (aim->bytes + 7) / 8);
    chain->aim.fixed = chain->fixed;
}

void chain_set_output(struct chain *chain, bool is_told) {
    chain->tells_output = is_told;
}

bool chain_loss(const struct chain *chain, uint32_t number, struct abi_loss *loss) {
    if (number >= chain->loss_count)
        return false;
    *loss = chain->losses[number];
    return true;
}
