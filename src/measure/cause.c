/* SPDX-License-Identifier: Apache-2.0
 *
 * Which loops and calls is a growing cost the product of?
 *
 * The search starts at the block where the growing cost is spent and moves outwards: through the
 * loops around it, to the call that enters its function most often, through the loops around that,
 * and so on to the entry. Mutually recursive functions count as one step. Each step has a count in
 * both runs, and so an exponent. From the outside in, the exponent rises at a few steps only: these
 * are the factors.
 *
 * Two costs have the same cause if their outer factors are equal and either the functions of their
 * inner factors are equal, too, or the outer loop's iteration rate depends only on the size and it
 * enters the same work by the same call: an input that is fed in pieces, and rescanned for each.
 */
#include "measure/cause.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RISES 0.3      /* rise of the exponent that makes a step a factor */
#define SAME_RATE 0.02 /* rates of iterations per byte that differ by less are equal */

struct way {
    const struct measure_pair *pair;
    struct measure_step steps[MEASURE_CAUSE_STEPS]; /* innermost first */
    size_t count;
    bool *circle; /* by function: calls the current one, and is called by it */
    bool *called; /* by function: reachable from the current one */
};

static const char *const step_names[] = {
#define STEP(id, name) name,
    MEASURE_STEPS(STEP)
#undef STEP
};

const char *measure_step_name(enum measure_step_kind kind) {
    return step_names[kind];
}

/* ---- counts ---- */

static double grows(const struct measure_pair *pair, uint32_t slot) {
    double less = (double)pair->less[slot], more = (double)pair->more[slot];
    double doublings = log2(pair->more_size / pair->less_size);
    return more > 0 && doublings > 0 ? log2(more / (less > 0 ? less : 1)) / doublings : 0;
}

static uint64_t times(const struct way *way, uint32_t block) {
    return way->pair->more[block + 1];
}

static uint32_t entry_of(const struct way *way, uint32_t function) {
    return way->pair->facts->functions[function].first_block;
}

static bool has_run(const struct way *way, uint32_t function) {
    return way->pair->facts->functions[function].block_count &&
           times(way, entry_of(way, function)) > 0;
}

/* ---- the call graph of what has run ---- */

struct visit {
    const bool *wanted;
    bool *marks;
    bool found;
};

static void look(uint32_t function, void *context) {
    struct visit *visit = context;
    visit->found |= visit->wanted && visit->wanted[function];
    if (visit->marks)
        visit->marks[function] = true;
}

/* Calls VISIT for every function that FUNCTION has called, or may have called indirectly. */
static void visit_calls(const struct way *way, uint32_t function, struct visit *visit) {
    const struct ir_facts *facts = way->pair->facts;
    const struct ir_function *caller = &facts->functions[function];
    for (uint32_t i = 0; i < caller->block_count; i++) {
        const struct ir_block *block = &facts->blocks[caller->first_block + i];
        if (!times(way, caller->first_block + i))
            continue;
        for (uint32_t j = 0; j < block->call_count; j++)
            ir_call_targets(facts, &facts->calls[block->first_call + j], look, visit);
    }
}

/* Marks everything reachable from FUNCTION. */
static void mark_called(struct way *way, uint32_t function) {
    size_t functions = way->pair->facts->function_count;
    bool *seen = base_alloc(functions + 1), any = true;
    memset(way->called, 0, functions);
    visit_calls(way, function, &(struct visit){.marks = way->called});
    while (any) {
        any = false;
        for (uint32_t f = 0; f < functions; f++)
            if (way->called[f] && !seen[f] && has_run(way, f)) {
                visit_calls(way, f, &(struct visit){.marks = way->called});
                seen[f] = any = true;
            }
    }
    free(seen);
}

/* Marks FUNCTION and the functions in a call cycle with it. */
static void mark_circle(struct way *way, uint32_t function) {
    size_t functions = way->pair->facts->function_count;
    bool any = true;
    mark_called(way, function);
    memset(way->circle, 0, functions);
    way->circle[function] = true;
    while (any) {
        any = false;
        for (uint32_t f = 0; f < functions; f++) {
            struct visit visit = {.wanted = way->circle};
            if (way->circle[f] || !way->called[f] || !has_run(way, f))
                continue;
            visit_calls(way, f, &visit);
            way->circle[f] = visit.found;
            any |= visit.found;
        }
    }
}

struct entrance { /* the most frequent call into a cycle */
    uint32_t block, line, function;
    uint64_t times;
    bool is_direct;
};

struct candidate {
    const struct way *way;
    const struct ir_call *call;
    uint32_t block;
    struct entrance *best;
};

static void consider(uint32_t function, void *context) {
    struct candidate *candidate = context;
    const struct way *way = candidate->way;
    struct entrance *best = candidate->best;
    if (!way->circle[function])
        return;
    uint64_t entered = times(way, entry_of(way, function)), made = times(way, candidate->block);
    uint64_t most = made < entered ? made : entered;
    bool is_direct = candidate->call->callee != IR_NONE;
    if (most > best->times || (most && most == best->times && is_direct && !best->is_direct))
        *best =
            (struct entrance){candidate->block, candidate->call->line, function, most, is_direct};
}

static struct entrance find_entrance(const struct way *way, uint32_t function) {
    const struct ir_facts *facts = way->pair->facts;
    struct entrance best = {.block = IR_NONE, .function = function};
    for (uint32_t i = 0; i < facts->block_count; i++) {
        const struct ir_block *block = &facts->blocks[i];
        if (!times(way, i) || way->circle[block->function])
            continue;
        for (uint32_t j = 0; j < block->call_count; j++) {
            struct candidate candidate = {way, &facts->calls[block->first_call + j], i, &best};
            ir_call_targets(facts, candidate.call, consider, &candidate);
        }
    }
    return best;
}

/* ---- steps, innermost first ---- */

static void add_step(struct way *way, const struct measure_step *step) {
    if (way->count < MEASURE_CAUSE_STEPS)
        way->steps[way->count++] = *step;
}

static void add_loops(struct way *way, uint32_t block) {
    const struct ir_facts *facts = way->pair->facts;
    for (uint32_t at = facts->blocks[block].loop; at != IR_NONE; at = facts->loops[at].parent) {
        const struct ir_loop *loop = &facts->loops[at];
        add_step(way, &(struct measure_step){.kind = MEASURE_STEP_LOOP,
                                             .function = loop->function,
                                             .place = at,
                                             .file = loop->file,
                                             .line = loop->line,
                                             .count = (double)times(way, loop->header),
                                             .grows = grows(way->pair, loop->header + 1)});
    }
}

static void add_recursion(struct way *way, uint32_t function) {
    const struct ir_function *self = &way->pair->facts->functions[function];
    uint32_t entry = self->first_block;
    add_step(way, &(struct measure_step){.kind = MEASURE_STEP_RECURSION,
                                         .function = function,
                                         .place = IR_NONE,
                                         .file = self->file,
                                         .line = self->line,
                                         .count = (double)times(way, entry),
                                         .grows = grows(way->pair, entry + 1)});
}

static void add_call(struct way *way, const struct entrance *entrance) {
    const struct ir_facts *facts = way->pair->facts;
    const struct ir_function *callee = &facts->functions[entrance->function];
    bool is_first = entrance->block == IR_NONE;
    uint32_t counted = is_first ? callee->first_block : entrance->block;
    add_step(way, &(struct measure_step){.kind = MEASURE_STEP_CALL,
                                         .function = entrance->function,
                                         .place = entrance->block,
                                         .file = is_first ? callee->file
                                                          : facts->blocks[entrance->block].file,
                                         .line = is_first ? callee->line : entrance->line,
                                         .count = (double)times(way, counted),
                                         .grows = is_first ? 0 : grows(way->pair, counted + 1)});
}

/* Walks from a block out to the entry. */
static void walk_out(struct way *way, uint32_t block) {
    while (block != IR_NONE && way->count < MEASURE_CAUSE_STEPS) {
        uint32_t function = way->pair->facts->blocks[block].function;
        add_loops(way, block);
        mark_circle(way, function);
        struct entrance entrance = find_entrance(way, function);
        double inside = grows(way->pair, entry_of(way, function) + 1);
        double outside = entrance.block == IR_NONE ? 0 : grows(way->pair, entrance.block + 1);
        if (way->called[function] && inside > outside + RISES)
            add_recursion(way, function);
        add_call(way, &entrance);
        block = entrance.block;
    }
}

/* ---- library functions ---- */

static const char *library_name(const struct ir_facts *facts, const struct ir_call *call) {
    static const char *const names[] = {
#define INLINE(name) #name,
#include "abi/library.def"
#undef INLINE
    };
    if (call->callee == IR_NONE || facts->functions[call->callee].block_count)
        return NULL;
    for (size_t i = 0; i < BASE_COUNT(names); i++)
        if (strcmp(facts->strings + facts->functions[call->callee].name, names[i]) == 0)
            return names[i];
    return NULL;
}

/* Calls of the block that may touch bytes. One that is not a call of a function is a copy made by
 * the compiler. */
static unsigned count_library_calls(const struct ir_facts *facts, const struct ir_block *block,
                                    struct measure_step *step) {
    unsigned named = 0, all = 0;
    for (uint32_t i = 0; i < block->opcode_count; i++)
        if (facts->opcodes[block->first_opcode + i].opcode == IR_OP_CALL)
            all += facts->opcodes[block->first_opcode + i].count;
    step->library = all > block->call_count ? "memory copy" : NULL;
    step->line = block->line;
    for (uint32_t i = 0; i < block->call_count; i++) {
        const char *name = library_name(facts, &facts->calls[block->first_call + i]);
        named += name != NULL;
        step->library = name ? name : step->library;
        step->line = name ? facts->calls[block->first_call + i].line : step->line;
    }
    return named + (all > block->call_count ? all - block->call_count : 0);
}

/* Library bytes are not counted per block, so this picks the block that makes most such calls. */
static uint32_t find_library_block(struct way *way, struct measure_step *best) {
    const struct ir_facts *facts = way->pair->facts;
    double most = 0;
    uint32_t found = IR_NONE;
    for (uint32_t i = 0; i < facts->block_count; i++) {
        struct measure_step step = {.kind = MEASURE_STEP_LIBRARY};
        unsigned calls = times(way, i) ? count_library_calls(facts, &facts->blocks[i], &step) : 0;
        double made = calls * (double)times(way, i) * (grows(way->pair, i + 1) > RISES ? 1 : 1e-6);
        if (made <= most)
            continue;
        most = made;
        found = step.place = i;
        step.function = facts->blocks[i].function;
        step.file = facts->blocks[i].file;
        *best = step;
    }
    best->count = (double)way->pair->more[0];
    best->grows = grows(way->pair, 0);
    return found;
}

/* ---- the cause ---- */

static void find_factors(struct measure_cause *cause) {
    double so_far = 0;
    for (size_t i = 0; i < cause->count; i++) {
        struct measure_step *step = &cause->steps[i];
        if (step->grows <= so_far + RISES)
            continue;
        step->adds = step->grows - so_far;
        so_far = step->grows;
    }
}

void measure_cause_find(const struct measure_pair *pair, uint32_t hottest,
                        struct measure_cause *cause) {
    size_t functions = pair->facts->function_count;
    struct way way = {
        .pair = pair, .circle = base_alloc(functions + 1), .called = base_alloc(functions + 1)};
    *cause = (struct measure_cause){.size = pair->more_size};
    if (hottest == IR_NONE) {
        struct measure_step step = {0};
        hottest = find_library_block(&way, &step);
        if (hottest != IR_NONE)
            add_step(&way, &step);
    }
    walk_out(&way, hottest);
    for (size_t i = 0; i < way.count; i++)
        cause->steps[i] = way.steps[way.count - 1 - i];
    cause->count = way.count;
    find_factors(cause);
    free(way.circle);
    free(way.called);
}

const struct measure_step *measure_cause_outer(const struct measure_cause *cause) {
    for (size_t i = 0; i < cause->count; i++)
        if (cause->steps[i].adds > 0)
            return &cause->steps[i];
    return NULL;
}

const struct measure_step *measure_cause_inner(const struct measure_cause *cause) {
    for (size_t i = cause->count; i-- > 0;)
        if (cause->steps[i].adds > 0)
            return &cause->steps[i];
    return NULL;
}

/* ---- the same? ---- */

static bool is_same_step(const struct measure_step *a, const struct measure_step *b) {
    return a->kind == b->kind && a->function == b->function && a->place == b->place;
}

/* The function that the outer factor leads into. */
static uint32_t entered(const struct measure_cause *cause, const struct measure_step *outer) {
    for (const struct measure_step *step = outer + 1; step < cause->steps + cause->count; step++)
        if (step->kind == MEASURE_STEP_CALL)
            return step->function;
    return IR_NONE;
}

static bool is_fed_alike(const struct measure_cause *a, const struct measure_cause *b) {
    const struct measure_step *one = measure_cause_outer(a), *two = measure_cause_outer(b);
    double rate = one->count / a->size, other = two->count / b->size;
    return one->kind == MEASURE_STEP_LOOP && entered(a, one) != IR_NONE &&
           entered(a, one) == entered(b, two) && fabs(rate - other) <= SAME_RATE * rate;
}

bool measure_cause_is_same(const struct measure_cause *a, const struct measure_cause *b) {
    const struct measure_step *outer[] = {measure_cause_outer(a), measure_cause_outer(b)};
    if (!outer[0] || !outer[1] || !is_same_step(outer[0], outer[1]))
        return false;
    if (measure_cause_inner(a)->function == measure_cause_inner(b)->function)
        return true;
    return is_fed_alike(a, b);
}
