/* SPDX-License-Identifier: Apache-2.0
 *
 * Targets that are simulated, for the tests of strategies: a program is a C function that says what
 * a run would have cost and which trace a symbolic build would have left. So the number of paths is
 * known beforehand, and every way in which a target can misbehave can be had. How a strategy sees
 * them is fake_as_program alone.
 */
#ifndef TEST_FAKE_H
#define TEST_FAKE_H

#include "search/core/core.h"

#include <stdlib.h>
#include <string.h>

#define FAKE_BLOCKS 4
#define FAKE_JOBS 4
#define FAKE_INTS 64
#define FAKE_WINDOW 4096 /* bytes of an input that can be symbolic */

/* ---- one run as a target tells of it ---- */

struct fake_run {
    BASE_VECTOR(struct abi_node) nodes;
    BASE_VECTOR(struct abi_event) events;
    const uint8_t *input;
    struct target_aim aim;
    uint8_t fixed[FAKE_WINDOW / 8]; /* what aim.fixed points to */
    uint32_t flags;
    uint64_t cost;
    uint64_t untold;      /* cost that no trace knows of */
    uint64_t counts_hash; /* 0: made of the values that the run fixed */
    bool is_rejected;
    uint32_t status;
};

typedef void fake_program(struct fake_run *run, const uint8_t *input, size_t size);

static inline void fake_begin(struct fake_run *run, const uint8_t *input) {
    run->input = input;
    run->nodes.count = run->events.count = 0;
    run->flags = 0;
    run->cost = run->untold = run->counts_hash = 0;
    run->is_rejected = false;
    run->status = ABI_STATUS_OK;
    base_push(&run->nodes, (struct abi_node){0});
}

/* Is this byte of the input within the window and not fixed? */
static inline bool fake_is_symbolic(const struct fake_run *run, uint64_t offset) {
    const struct target_aim *aim = &run->aim;
    uint64_t at = offset - aim->first;
    return !aim->fixed || (offset >= aim->first && at < aim->bytes && at < FAKE_WINDOW &&
                           !(run->fixed[at / 8] >> at % 8 & 1));
}

/* Of an INPUT, A is the offset: in the trace it counts from the window's first byte, and an input
 * that is not symbolic is a constant. */
static inline uint32_t fake_node(struct fake_run *run, enum abi_op op, unsigned width, uint32_t a,
                                 uint32_t b) {
    bool is_symbolic = true;
    for (unsigned i = 0; op == ABI_OP_INPUT && i < width / 8; i++)
        is_symbolic &= fake_is_symbolic(run, a + i);
    if (op == ABI_OP_INPUT && is_symbolic)
        a -= (uint32_t)(run->aim.fixed ? run->aim.first : 0);
    else if (op == ABI_OP_INPUT) {
        op = ABI_OP_CONST;
        b = 0;
        memcpy(&b, run->input + a, width / 8);
        a = 0;
    }
    base_push(&run->nodes,
              (struct abi_node){.op = (uint8_t)op, .width = (uint8_t)width, .a = a, .b = b});
    return (uint32_t)run->nodes.count - 1;
}

static inline bool fake_is_constant(const struct fake_run *run, uint32_t expr) {
    const struct abi_node *node = &run->nodes.data[expr];
    return !expr || node->op == ABI_OP_CONST ||
           (node->op != ABI_OP_INPUT && fake_is_constant(run, node->a) &&
            fake_is_constant(run, node->b));
}

/* Each costs one. What depends on no symbolic byte leaves no trace. */
static inline void fake_event(struct fake_run *run, enum abi_event_kind kind, uint32_t site,
                              uint32_t expr, uint64_t value) {
    bool is_beyond = run->aim.decisions && run->events.count >= run->aim.decisions;
    run->cost++;
    if (!is_beyond && !fake_is_constant(run, expr))
        base_push(&run->events,
                  (struct abi_event){
                      .kind = kind, .site = site, .expr = expr, .value = value, .cost = run->cost});
}

static inline void fake_write_trace(const struct fake_run *run, struct base_buffer *out) {
    struct abi_trace header = {.magic = ABI_TRACE_MAGIC,
                               .flags = run->flags,
                               .node_count = (uint32_t)run->nodes.count,
                               .event_count = (uint32_t)run->events.count,
                               .cost = run->cost};
    size_t nodes = run->nodes.count * sizeof(struct abi_node);
    size_t events = run->events.count * sizeof(struct abi_event);
    header.size = sizeof header + nodes + events;
    out->count = 0;
    base_buffer_add(out, &header, sizeof header);
    base_buffer_add(out, run->nodes.data, nodes);
    base_buffer_add(out, run->events.data, events);
}

/* ---- a target as a strategy sees it ---- */

struct fake {
    fake_program *program;
    struct fake_run run;
    struct base_buffer trace;
    bool has_records;
    uint64_t records[FAKE_BLOCKS + 1], counts[FAKE_BLOCKS + 1];
    size_t measured; /* runs so far */
};

static inline uint64_t fake_counts_hash(const struct fake_run *run) {
    uint64_t hash = 1;
    for (size_t i = 0; i < run->events.count; i++)
        if (run->events.data[i].kind == ABI_EVENT_ADDRESS)
            hash = hash * 31 + run->events.data[i].value;
    return run->counts_hash ? run->counts_hash : hash;
}

/* The second block runs as often as the cost says, the first once. */
static inline uint32_t fake_break_records(struct fake *fake) {
    uint32_t broken = 0;
    fake->counts[1] = 1;
    fake->counts[2] = fake->run.cost;
    for (size_t i = 0; fake->has_records && i <= FAKE_BLOCKS; i++)
        if (fake->counts[i] > fake->records[i]) {
            fake->records[i] = fake->counts[i] + fake->counts[i] / 8;
            broken++;
        }
    return broken;
}

static inline struct abi_result fake_run_once(struct fake *fake, const struct target_input *input) {
    fake_begin(&fake->run, input->data);
    fake->program(&fake->run, input->data, input->size);
    struct abi_result result = {.status = fake->run.status,
                                .rejected = fake->run.is_rejected,
                                .counts_hash = fake_counts_hash(&fake->run),
                                .broken = fake_break_records(fake)};
    result.weighted[MEASURE_INSTRUCTIONS] = fake->run.cost + fake->run.untold;
    return result;
}

static inline bool fake_trace(void *self, const struct target_input *inputs, size_t count,
                              target_visit *visit, void *context, struct base_error *error) {
    struct fake *fake = self;
    (void)error;
    for (size_t i = 0; i < count; i++) {
        struct abi_result result = fake_run_once(fake, &inputs[i]);
        fake_write_trace(&fake->run, &fake->trace);
        visit(i, &result, fake->trace.data, fake->trace.count, context);
    }
    return true;
}

static inline void fake_aim(void *self, const struct target_aim *aim) {
    struct fake_run *run = &((struct fake *)self)->run;
    size_t bytes = aim->bytes < FAKE_WINDOW ? aim->bytes : FAKE_WINDOW;
    run->aim = *aim;
    if (aim->fixed)
        memcpy(run->fixed, aim->fixed, (bytes + 7) / 8);
}

/* Whole runs, whatever the traces aim at. */
static inline bool fake_measure(void *self, const struct target_input *inputs, size_t count,
                                struct abi_result *results, double *costs,
                                struct base_error *error) {
    struct fake *fake = self;
    struct target_aim aim = fake->run.aim;
    (void)error;
    fake->run.aim = (struct target_aim){0};
    for (size_t i = 0; i < count; i++) {
        results[i] = fake_run_once(fake, &inputs[i]);
        costs[i] = (double)(fake->run.cost + fake->run.untold);
    }
    fake->measured += count;
    fake->run.aim = aim;
    return true;
}

static inline bool fake_count(void *self, const struct target_input *input,
                              struct abi_result *result, double *cost, const uint64_t **counts,
                              struct base_error *error) {
    struct fake *fake = self;
    *counts = fake->counts;
    return fake_measure(self, input, 1, result, cost, error);
}

static inline uint64_t *fake_records(void *self, size_t *count) {
    struct fake *fake = self;
    fake->has_records = true;
    *count = FAKE_BLOCKS + 1;
    return fake->records;
}

/* What of a target there is: FAKE_MEASURED is always. */
enum fake_abilities { FAKE_MEASURED = 0, FAKE_TRACED = 1, FAKE_COUNTED = 2 };

static inline struct search_program fake_as_program(struct fake *fake, unsigned abilities) {
    return (struct search_program){.self = fake,
                                   .trace = abilities & FAKE_TRACED ? fake_trace : NULL,
                                   .measure = fake_measure,
                                   .aim = abilities & FAKE_TRACED ? fake_aim : NULL,
                                   .records = abilities & FAKE_COUNTED ? fake_records : NULL,
                                   .count = abilities & FAKE_COUNTED ? fake_count : NULL};
}

/* ---- programs ---- */

/* The first FAKE_INTS integers of 32 bits; n! paths, the worst of n * (n - 1) / 2 decisions. */
static inline void fake_insertion_sort(struct fake_run *run, const uint8_t *input, size_t size) {
    int32_t values[FAKE_INTS];
    uint32_t exprs[FAKE_INTS], count = (uint32_t)(size / 4 < FAKE_INTS ? size / 4 : FAKE_INTS);
    memcpy(values, input, count * sizeof *values);
    for (uint32_t i = 0; i < count; i++)
        exprs[i] = fake_node(run, ABI_OP_INPUT, 32, 4 * i, 0);
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t j = i; j > 0; j--) {
            bool swap = values[j] < values[j - 1];
            fake_event(run, ABI_EVENT_BRANCH, 1,
                       fake_node(run, ABI_OP_SLT, 1, exprs[j], exprs[j - 1]), swap);
            if (!swap)
                break;
            int32_t value = values[j];
            uint32_t expr = exprs[j];
            values[j] = values[j - 1];
            exprs[j] = exprs[j - 1];
            values[j - 1] = value;
            exprs[j - 1] = expr;
        }
}

/* Inversions of bytes; without a trace. */
static inline void fake_inversions(struct fake_run *run, const uint8_t *input, size_t size) {
    run->cost = 1;
    for (size_t a = 0; a < size; a++)
        for (size_t b = a + 1; b < size; b++)
            run->cost += input[a] > input[b];
    run->counts_hash = run->cost;
}

/* ---- a search in such a target ---- */

struct fake_search {
    unsigned abilities; /* enum fake_abilities */
    struct search_options options;
    struct search_subject subject;
    struct fake fakes[FAKE_JOBS];
    struct search_program programs[FAKE_JOBS];
    struct ir_block blocks[FAKE_BLOCKS];
    struct ir_facts facts;
    struct search *search;
    struct search_statistics now;
};

/* Four blocks in one function; the third ends in a switch: 'a' and 'b' go one way, 'c' another. */
static inline struct ir_facts fake_facts(struct ir_block *blocks) {
    static uint32_t successors[8] = {0, 3, 3, 1};
    static struct ir_function functions[1] = {{.block_count = FAKE_BLOCKS}};
    static struct ir_switch switches[1] = {{.block = 2, .case_count = 3}};
    static struct ir_case cases[3] = {{'a', 1, 0}, {'b', 1, 0}, {'c', 2, 0}};
    static char strings[1] = "";
    for (uint32_t i = 0; i < FAKE_BLOCKS; i++)
        blocks[i] = (struct ir_block){.loop = IR_NONE, .dominator = IR_NONE};
    return (struct ir_facts){.functions = functions,
                             .blocks = blocks,
                             .successors = successors,
                             .switches = switches,
                             .cases = cases,
                             .strings = strings,
                             .function_count = 1,
                             .block_count = FAKE_BLOCKS,
                             .successor_count = 8,
                             .switch_count = 1,
                             .case_count = 3,
                             .string_size = 1};
}

/* Options that are 0 get a usual value. */
static inline void fake_prepare(struct fake_search *fake, const char *strategy,
                                fake_program *program, size_t size, size_t jobs) {
    struct search_options *options = &fake->options;
    for (size_t i = 0; i < jobs; i++) {
        fake->fakes[i].program = program;
        fake->programs[i] = fake_as_program(&fake->fakes[i], fake->abilities);
    }
    fake->facts = fake_facts(fake->blocks);
    fake->subject.programs = fake->programs;
    fake->subject.jobs = jobs;
    fake->subject.facts = &fake->facts;
    fake->subject.layout.bytes = size;
    options->tests = options->tests ? options->tests : 10;
    options->path.longest = options->path.longest ? options->path.longest : 30000;
    options->path.values = options->path.values ? options->path.values : 1024;
    options->path.loop_bound = SEARCH_NO_BOUND;
    options->solver.timeout_ms = 1000;
    fake->search = search_new(search_find_strategy(strategy), options, &fake->subject);
}

static inline bool fake_go(struct fake_search *fake) {
    struct base_error error;
    bool good = search_run(fake->search, &error);
    search_statistics(fake->search, &fake->now);
    return good;
}

static inline void fake_finish(struct fake_search *fake) {
    search_free(fake->search);
    search_layout_done(&fake->subject.layout);
    for (size_t i = 0; i < FAKE_JOBS; i++) {
        base_vector_done(&fake->fakes[i].run.nodes);
        base_vector_done(&fake->fakes[i].run.events);
        base_buffer_done(&fake->fakes[i].trace);
    }
}

#endif
