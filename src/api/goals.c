/* SPDX-License-Identifier: Apache-2.0
 *
 * Which loops can a function get into, and how deep? Paths are not enumerated: for each function of
 * the interface, one pass over the call graph computes, for every function below it, the largest
 * number of loops around its entry, and the call that leads there. Calls keep the depth, a call
 * within a recursion adds one, an indirect call may reach every function of its type whose address
 * is taken. The path to a loop is what dominates its header, and what dominates the calls on that
 * deepest path. (WhiteSyn, sections 3.4 and 3.5. The fitness is theirs; iterations are averages
 * over the executions of a loop, because counts tell no more.)
 */
#include "api/goals.h"

#include <stdlib.h>
#include <string.h>

#define PATH_WEIGHT 0.25
#define MOST_GOALS 2048
#define MOST_PER_FUNCTION 64
#define MOST_CALLS 64 /* on a path */

/* ---- counting iterations ---- */

static bool is_inside(const struct ir_facts *facts, uint32_t block, uint32_t loop) {
    for (uint32_t at = facts->blocks[block].loop; at != IR_NONE; at = facts->loops[at].parent)
        if (at == loop)
            return true;
    return false;
}

static bool leads_to(const struct ir_facts *facts, uint32_t block, uint32_t to) {
    for (uint32_t i = 0; i < facts->blocks[block].successor_count; i++)
        if (facts->successors[facts->blocks[block].first_successor + i] == to)
            return true;
    return false;
}

static void note_edges(struct api_goals *goals, uint32_t number, bool inside) {
    const struct ir_facts *facts = goals->facts;
    const struct ir_loop *loop = &facts->loops[number];
    const struct ir_function *function = &facts->functions[loop->function];
    struct api_loop *known = &goals->loops[number];
    for (uint32_t b = function->first_block; b < function->first_block + function->block_count;
         b++) {
        if (!leads_to(facts, b, loop->header) || is_inside(facts, b, number) != inside)
            continue;
        base_push(&goals->latches, b);
        if (inside) {
            known->latch_count++;
            known->is_exact &= facts->blocks[b].successor_count == 1;
        } else
            known->entry_count++;
    }
}

static void note_loop(struct api_goals *goals, uint32_t number) {
    struct api_loop *known = &goals->loops[number];
    known->is_exact = true;
    known->first_latch = (uint32_t)goals->latches.count;
    note_edges(goals, number, true);
    known->first_entry = (uint32_t)goals->latches.count;
    note_edges(goals, number, false);
}

static double sum_counts(const struct api_goals *goals, uint32_t first, uint32_t count,
                         const uint64_t *counts) {
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += (double)counts[goals->latches.data[first + i] + 1];
    return sum;
}

double api_loop_turns(const struct api_goals *goals, uint32_t loop, const uint64_t *counts,
                      double *executions) {
    const struct api_loop *known = &goals->loops[loop];
    double header = (double)counts[goals->facts->loops[loop].header + 1], turns;
    if (known->is_exact)
        turns = sum_counts(goals, known->first_latch, known->latch_count, counts);
    else
        turns = header - sum_counts(goals, known->first_entry, known->entry_count, counts);
    turns = turns < 0 ? 0 : turns > header ? header : turns;
    *executions = header - turns;
    return turns;
}

void api_goal_turns(const struct api_goals *goals, const struct api_goal *goal,
                    const uint64_t *counts, double turns[API_DEPTH]) {
    double outer = 0;
    for (uint32_t i = 0; i < goal->depth; i++) {
        double executions, sum = api_loop_turns(goals, goal->chain[i], counts, &executions);
        double by = i && outer > executions ? outer : executions;
        turns[i] = by > 0 ? sum / by : sum;
        outer = sum;
    }
}

double api_goal_fitness(const struct api_goals *goals, const struct api_goal *goal,
                        const uint64_t *counts, double turns) {
    double tuple[API_DEPTH], missing = 0, all = 0, weight = 1;
    uint32_t absent = 0;
    for (uint32_t i = 0; i < goal->block_count; i++)
        absent += !counts[goals->blocks.data[goal->first_block + i] + 1];
    double path = goal->block_count ? (double)absent / goal->block_count : 0;
    api_goal_turns(goals, goal, counts, tuple);
    for (uint32_t i = 0; i < goal->depth; i++, weight *= turns) { /* inner loops have more weight */
        double made = tuple[i] < turns ? tuple[i] : turns;
        missing += weight * (turns - made);
        all += weight * turns;
    }
    return PATH_WEIGHT * path + (1 - PATH_WEIGHT) * (all > 0 ? missing / all : 0);
}

/* ---- the path down ---- */

struct reach {      /* of one function below the current entry */
    uint32_t depth; /* loops around its entry, API_DEPTH at most */
    uint32_t call;  /* the block that calls it on the deepest path; IR_NONE: it is the entry */
    bool is_reached, is_recursion;
};

struct walker {
    struct api_goals *goals;
    struct reach *reach;
    BASE_VECTOR(uint32_t) queue;
    const char *harness;
    const uint32_t *component; /* mutually recursive functions have the same number */
    uint32_t block;
};

static uint32_t loop_depth(const struct ir_facts *facts, uint32_t block) {
    uint32_t loop = facts->blocks[block].loop;
    return loop == IR_NONE ? 0 : facts->loops[loop].depth;
}

/* Does the path to FUNCTION already contain ABOVE? A path has no repetition. */
static bool is_above(const struct walker *walker, uint32_t above, uint32_t function) {
    for (unsigned calls = 0; calls < MOST_CALLS && function != above; calls++) {
        uint32_t call = walker->reach[function].call;
        if (call == IR_NONE)
            return false;
        function = walker->goals->facts->blocks[call].function;
    }
    return true;
}

static bool is_outside(const struct walker *walker, uint32_t function) {
    const struct ir_facts *facts = walker->goals->facts;
    const char *file = facts->strings + facts->functions[function].file;
    return strcmp(base_basename(file), base_basename(walker->harness)) == 0;
}

static void reach_callee(uint32_t callee, void *context) {
    struct walker *walker = context;
    const struct ir_facts *facts = walker->goals->facts;
    uint32_t caller = facts->blocks[walker->block].function;
    struct reach *from = &walker->reach[caller], *to = &walker->reach[callee];
    bool recurs = walker->component[caller] == walker->component[callee];
    uint32_t depth = from->depth + loop_depth(facts, walker->block) + recurs;
    if (depth > API_DEPTH)
        depth = API_DEPTH;
    if (!facts->functions[callee].block_count || (to->is_reached && to->depth >= depth) ||
        is_outside(walker, callee))
        return;
    if (!to->is_reached || !is_above(walker, callee, caller))
        to->call = walker->block;
    to->depth = depth;
    to->is_reached = true;
    to->is_recursion |= recurs || from->is_recursion;
    base_push(&walker->queue, callee);
}

static void walk(struct walker *walker, uint32_t entry) {
    const struct ir_facts *facts = walker->goals->facts;
    memset(walker->reach, 0, facts->function_count * sizeof *walker->reach);
    walker->reach[entry] = (struct reach){.is_reached = true, .call = IR_NONE};
    walker->queue.count = 0;
    base_push(&walker->queue, entry);
    for (size_t i = 0; i < walker->queue.count && i < (1u << 20); i++) {
        const struct ir_function *function = &facts->functions[walker->queue.data[i]];
        for (uint32_t b = 0; b < function->block_count; b++) {
            walker->block = function->first_block + b;
            const struct ir_block *block = &facts->blocks[walker->block];
            for (uint32_t c = 0; c < block->call_count; c++)
                ir_call_targets(facts, &facts->calls[block->first_call + c], reach_callee, walker);
        }
    }
}

/* ---- recursion: components of the call graph ---- */

struct components {
    const struct ir_facts *facts;
    uint32_t *order, *low, *number, *stack;
    uint32_t next, count, depth;
    BASE_VECTOR(uint32_t) callees; /* of the function under way */
};

static void add_callee(uint32_t callee, void *context) {
    struct components *components = context;
    base_push(&components->callees, callee);
}

/* Tarjan's algorithm. */
static void visit(struct components *components, uint32_t function) {
    const struct ir_facts *facts = components->facts;
    const struct ir_function *body = &facts->functions[function];
    size_t first = components->callees.count;
    components->order[function] = components->low[function] = ++components->next;
    components->stack[components->depth++] = function;
    for (uint32_t b = body->first_block; b < body->first_block + body->block_count; b++)
        for (uint32_t c = 0; c < facts->blocks[b].call_count; c++)
            ir_call_targets(facts, &facts->calls[facts->blocks[b].first_call + c], add_callee,
                            components);
    for (size_t i = first; i < components->callees.count; i++) {
        uint32_t callee = components->callees.data[i];
        if (!components->order[callee])
            visit(components, callee);
        if (components->number[callee] == IR_NONE &&
            components->low[callee] < components->low[function])
            components->low[function] = components->low[callee];
    }
    components->callees.count = first;
    if (components->low[function] != components->order[function])
        return;
    uint32_t member;
    do {
        member = components->stack[--components->depth];
        components->number[member] = components->count;
    } while (member != function);
    components->count++;
}

/* A function that is not recursive has a component of its own, without inner calls. */
static uint32_t *find_components(const struct ir_facts *facts) {
    size_t count = facts->function_count + 1;
    struct components components = {.facts = facts,
                                    .order = base_alloc(count * sizeof(uint32_t)),
                                    .low = base_alloc(count * sizeof(uint32_t)),
                                    .number = base_alloc(count * sizeof(uint32_t)),
                                    .stack = base_alloc(count * sizeof(uint32_t))};
    memset(components.number, 0xff, count * sizeof(uint32_t));
    for (uint32_t i = 0; i < facts->function_count; i++)
        if (!components.order[i])
            visit(&components, i);
    free(components.order);
    free(components.low);
    free(components.stack);
    base_vector_done(&components.callees);
    return components.number;
}

/* ---- goals ---- */

static void add_way(struct api_goals *goals, uint32_t block) {
    for (; block != IR_NONE; block = goals->facts->blocks[block].dominator)
        base_push(&goals->blocks, block);
}

/* Loops around BLOCK, innermost first. */
static void add_chain(struct api_goals *goals, struct api_goal *goal, uint32_t block) {
    uint32_t loop = goals->facts->blocks[block].loop;
    for (; loop != IR_NONE && goal->depth < API_DEPTH; loop = goals->facts->loops[loop].parent)
        goal->chain[goal->depth++] = loop;
}

static void turn_around(struct api_goal *goal, uint32_t wanted) {
    if (goal->depth > wanted)
        goal->depth = wanted; /* keep the innermost ones */
    for (uint32_t i = 0; i < goal->depth / 2; i++) {
        uint32_t kept = goal->chain[i];
        goal->chain[i] = goal->chain[goal->depth - 1 - i];
        goal->chain[goal->depth - 1 - i] = kept;
    }
}

static void add_goal(struct walker *walker, uint32_t function, uint32_t loop, uint32_t wanted) {
    struct api_goals *goals = walker->goals;
    const struct ir_loop *inner = &goals->facts->loops[loop];
    struct api_goal goal = {.function = function, .loop = loop};
    goal.first_block = (uint32_t)goals->blocks.count;
    uint32_t block = inner->header;
    uint32_t latch = goals->loops[loop].latch_count
                         ? goals->latches.data[goals->loops[loop].first_latch]
                         : block;
    if (latch != block)
        base_push(&goals->blocks, latch);
    for (unsigned calls = 0; block != IR_NONE && calls < MOST_CALLS; calls++) {
        const struct reach *reach = &walker->reach[goals->facts->blocks[block].function];
        goal.is_recursion |= reach->is_recursion;
        add_way(goals, block);
        add_chain(goals, &goal, block);
        block = reach->call;
    }
    goal.block_count = (uint32_t)goals->blocks.count - goal.first_block;
    goal.nesting = walker->reach[inner->function].depth + inner->depth;
    goal.nesting = goal.nesting > API_DEPTH ? API_DEPTH : goal.nesting;
    turn_around(&goal, wanted);
    base_push(&goals->all, goal);
}

static void add_goals(struct walker *walker, uint32_t function, uint32_t wanted) {
    const struct ir_facts *facts = walker->goals->facts;
    size_t most = walker->goals->all.count + MOST_PER_FUNCTION;
    most = most < MOST_GOALS ? most : MOST_GOALS;
    for (uint32_t i = 0; i < facts->loop_count; i++) {
        const struct reach *reach = &walker->reach[facts->loops[i].function];
        if (!reach->is_reached || reach->depth + facts->loops[i].depth < wanted)
            continue;
        if (walker->goals->all.count < most)
            add_goal(walker, function, i, wanted);
        else
            walker->goals->given_up++;
    }
}

void api_goals_init(struct api_goals *goals, const struct api_model *model,
                    const struct ir_facts *facts, const char *harness, uint32_t depth) {
    uint32_t *component = find_components(facts);
    struct walker walker = {.goals = goals, .component = component, .harness = harness};
    *goals = (struct api_goals){.facts = facts};
    goals->loops = base_alloc((facts->loop_count + 1) * sizeof *goals->loops);
    for (uint32_t i = 0; i < facts->loop_count; i++)
        note_loop(goals, i);
    walker.reach = base_alloc((facts->function_count + 1) * sizeof *walker.reach);
    for (uint32_t i = 0; i < model->functions.count; i++) {
        const struct api_function *function = &model->functions.data[i];
        uint32_t entry = ir_find_function(facts, function->signature->name);
        if (!function->is_goal || function->why_not || entry == IR_NONE)
            continue;
        walk(&walker, entry);
        add_goals(&walker, i, depth);
    }
    base_vector_done(&walker.queue);
    free(walker.reach);
    free(component);
}

void api_goals_done(struct api_goals *goals) {
    base_vector_done(&goals->all);
    base_vector_done(&goals->blocks);
    base_vector_done(&goals->latches);
    free(goals->loops);
}
