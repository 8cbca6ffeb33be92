/* SPDX-License-Identifier: Apache-2.0
 *
 * What lies on the other side of a decision that evolution cannot flip? A magic number, a checksum,
 * a length that must match: random changes never hit them, but the solver does at once.
 *
 * An input is traced in the symbolic build. Decisions whose other side leads to a block that no run
 * has ever reached are put to the solver first; then those whose other side ran far more often in
 * other inputs than the side that was taken (known from the records of blocks). A single walk along
 * the path is enough: the conditions of earlier decisions hold for the input anyway. The number of
 * questions is limited, and every answer is only a proposal that is run like any other child. Only
 * an input that makes an access leave its object is traced at once, as the measuring build would
 * not notice. (Following "Driller: Augmenting Fuzzing Through Selective Symbolic Execution",
 * Stephens et al., which switches to symbolic execution when fuzzing is stuck.)
 */
#include "search/evolve/evolve.h"

#include <stdlib.h>
#include <string.h>

#define MOST_QUESTIONS 16u /* of one path */
#define MOST_PER_SITE 2u   /* per direction of one decision, as in a loop */
#define COSTLIER 4         /* times more often: then the other side is worth it */
#define QUESTION_MS 200u

struct evolve_flip {
    struct search *search;
    struct solver *solver;
    struct search_walk walk;
    uint8_t *asked; /* by block: how many questions on this path were about reaching it */
    uint8_t *left;  /* by block: has it been asked whether an access there can leave its object? */
    uint8_t *model;
    size_t model_size;
    /* of the input being traced */
    const struct target_input *input;
    const uint64_t *records;
    struct evolve_children *children;
    struct evolve_children suspects; /* inputs that make an access leave its object */
    struct search_counters *counters;
    uint32_t questions;
};

struct evolve_flip *evolve_flip_new(struct search *search) {
    struct evolve_flip *flip = base_alloc(sizeof *flip);
    struct search_options options = search->options;
    options.solver.timeout_ms = QUESTION_MS;
    flip->search = search;
    flip->solver = search_new_solver(&options, &search->subject.layout);
    search_walk_init(&flip->walk, &search->sites);
    flip->asked = base_alloc(search->subject.facts->block_count + 1);
    flip->left = base_alloc(search->subject.facts->block_count + 1);
    return flip;
}

const struct solver_statistics *evolve_flip_solver(const struct evolve_flip *flip) {
    return solver_statistics(flip->solver);
}

void evolve_flip_free(struct evolve_flip *flip) {
    solver_free(flip->solver);
    search_walk_done(&flip->walk);
    free(flip->asked);
    free(flip->left);
    free(flip->model);
    free(flip);
}

void evolve_children_done(struct evolve_children *children) {
    for (size_t i = 0; i < children->count; i++)
        free(children->data[i].bytes);
    base_vector_done(children);
}

/* ---- which directions are worth a question ---- */

static uint64_t runs_of(const struct evolve_flip *flip, uint32_t block) {
    return flip->records ? ir_count_of(flip->search->subject.facts, flip->records + 1, block) : 0;
}

/* Is this block worth reaching, if the path went to the other one? */
static bool is_worth_it(struct evolve_flip *flip, uint32_t to, uint32_t instead_of) {
    if (to == IR_NONE || to >= flip->search->subject.facts->block_count ||
        flip->asked[to] >= MOST_PER_SITE)
        return false;
    uint64_t there = runs_of(flip, to);
    bool is_worth =
        !there || (instead_of != IR_NONE && there / COSTLIER > runs_of(flip, instead_of));
    flip->asked[to] += is_worth;
    return is_worth;
}

/* The successor for an outcome of a branch or switch. */
static uint32_t block_behind(const struct evolve_flip *flip, const struct search_step *step,
                             uint64_t outcome) {
    const struct ir_facts *facts = flip->search->subject.facts;
    const struct ir_block *block = &facts->blocks[step->site];
    const uint32_t *successors = facts->successors + block->first_successor;
    if (!step->cases)
        return block->successor_count == 2 ? successors[outcome ? 0 : 1] : IR_NONE;
    if (outcome == step->cases->default_outcome)
        return successors[0];
    for (uint32_t i = 0; i < step->cases->count; i++)
        if (step->cases->outcomes[i] == outcome)
            return successors[i + 1];
    return IR_NONE;
}

/* ---- questions ---- */

static bool ask_for(struct evolve_flip *flip, uint32_t condition, struct evolve_children *list) {
    flip->questions++;
    if (!search_ask(flip->solver, condition, flip->model, flip->counters))
        return false;
    struct evolve_child child = {base_alloc(flip->input->size + 1), flip->input->size};
    memcpy(child.bytes, flip->model, flip->input->size);
    base_push(list, child);
    return true;
}

static void ask(struct evolve_flip *flip, uint32_t condition) {
    flip->counters->flipped += ask_for(flip, condition, flip->children);
}

/* Once per block. */
static void ask_whether_it_leaves(struct evolve_flip *flip, const struct search_step *step) {
    uint32_t count = flip->search->subject.facts->block_count;
    uint8_t *left = &flip->left[step->site < count ? step->site : count];
    struct search_alternative other = {0};
    if (!step->outcome || (*left)++)
        return;
    if (search_next_alternative(&flip->walk, step, &other))
        ask_for(flip, other.condition, &flip->suspects);
}

/* A comparison in a library function, such as strcmp, has no block of the program behind it: its
 * other side is tried once per place, because it may make more of a word match. */
static void ask_alternatives(struct evolve_flip *flip, const struct search_step *step) {
    struct search_alternative other = {0};
    bool in_program = step->site < flip->search->subject.facts->block_count;
    uint32_t taken = in_program ? block_behind(flip, step, step->outcome) : IR_NONE;
    while (search_next_alternative(&flip->walk, step, &other))
        if (in_program ? is_worth_it(flip, block_behind(flip, step, other.outcome), taken)
                       : flip->questions < MOST_QUESTIONS / 2)
            ask(flip, other.condition);
}

static void walk_path(struct evolve_flip *flip) {
    struct search_step step;
    solver_begin(flip->solver, flip->walk.trace.pool, flip->input->data, flip->input->size);
    while (flip->questions < MOST_QUESTIONS && search_walk_next(&flip->walk, &step)) {
        uint32_t condition = search_condition(&flip->walk, &step);
        if (flip->walk.depth > flip->search->options.path.longest)
            return;
        if (condition && step.kind == SEARCH_REFUSAL) {
            ask(flip, condition);
            return;
        }
        if (condition && step.kind == SEARCH_BOUNDS)
            ask_whether_it_leaves(flip, &step);
        else if (condition && search_is_decision(&step))
            ask_alternatives(flip, &step);
        if (condition)
            solver_assert(flip->solver, condition);
        if (atomic_load(&flip->search->stop) || search_is_late(flip->search))
            return;
    }
}

static bool follow_suspects(struct evolve_flip *flip, const struct search_program *program,
                            struct base_error *error) {
    bool good = true, has_trace;
    for (size_t i = 0; good && i < flip->suspects.count; i++) {
        struct target_input input = {flip->suspects.data[i].bytes, flip->suspects.data[i].size};
        struct abi_result result;
        good = search_follow(program, &flip->walk, &input, &has_trace, &result, error);
        search_note_outside(flip->search, &input, &result);
    }
    evolve_children_done(&flip->suspects);
    return good;
}

/* Asks the solver nothing. */
bool evolve_flip_meet(struct evolve_flip *flip, const struct search_program *program,
                      const struct target_input *input, uint64_t *random,
                      struct evolve_children *children, struct search_counters *counters,
                      struct base_error *error) {
    bool has_trace;
    struct abi_result result;
    counters->followed++;
    if (!search_follow(program, &flip->walk, input, &has_trace, &result, error))
        return false;
    counters->lost += !has_trace;
    search_note_outside(flip->search, input, &result);
    if (has_trace)
        evolve_meet(flip->search, &flip->walk, input, random, children);
    return true;
}

bool evolve_flip_follow(struct evolve_flip *flip, const struct search_program *program,
                        const struct target_input *input, const uint64_t *records,
                        struct evolve_children *children, struct search_counters *counters,
                        struct base_error *error) {
    if (input->size > flip->model_size) {
        flip->model = base_realloc(flip->model, input->size);
        flip->model_size = input->size;
    }
    flip->input = input;
    flip->records = records;
    flip->children = children;
    flip->counters = counters;
    flip->questions = 0;
    memset(flip->asked, 0, flip->search->subject.facts->block_count + 1);
    counters->followed++;
    bool has_trace;
    struct abi_result result;
    if (!search_follow(program, &flip->walk, input, &has_trace, &result, error))
        return false;
    counters->lost += !has_trace;
    search_note_outside(flip->search, input, &result);
    if (has_trace)
        walk_path(flip);
    return follow_suspects(flip, program, error);
}
