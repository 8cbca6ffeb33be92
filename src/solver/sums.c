/* SPDX-License-Identifier: Apache-2.0
 *
 * Can sums of integers compare like this? Conditions become limits of linear forms (sums_read.c),
 * which the simplex method solves over fractions, starting from the current input. If the solution
 * has a fraction or an excluded value, the question is split in two: below and above. If one part
 * has no solution for reasons independent of the split, neither has the other. The number of splits
 * and steps is bounded, and beyond it the stage gives up.
 *
 * A "no" counts even if only some of the conditions are linear; a "yes" is then only a proposal.
 */
#include "solver/sums.h"

#include <stdlib.h>

#define SPLITS 400
#define PIVOTS 4000
#define DEPTH 60

static struct sums *sums_state(struct solver *solver) {
    return solver->states[SOLVER_STAGE_SUMS];
}

static void *create(struct solver *solver) {
    (void)solver;
    return base_alloc(sizeof(struct sums));
}

static void destroy(void *state) {
    struct sums *sums = state;
    simplex_done(&sums->simplex);
    base_vector_done(&sums->variables);
    base_vector_done(&sums->gaps);
    base_vector_done(&sums->limits);
    base_vector_done(&sums->asked);
    for (unsigned i = 0; i < SUMS_KINDS; i++)
        base_vector_done(&sums->readings[i]);
    base_vector_done(&sums->inputs);
    free(sums->known);
    free(sums);
}

static void begin(struct solver *solver) {
    sums_forget(sums_state(solver));
}

/* ---- limits ---- */

static void add_gap(struct sums *sums, const struct sums_limit *limit) {
    struct sums_variable *variable = &sums->variables.data[limit->variable];
    base_push(&sums->gaps, (struct sums_gap){variable->gaps, limit->low, limit->high});
    variable->gaps = (uint32_t)sums->gaps.count - 1;
}

/* False: no value is left. */
static bool impose(struct sums *sums, const struct sums_limit *limit, uint32_t reason) {
    if (!limit->inside) {
        add_gap(sums, limit);
        simplex_look_at(&sums->simplex, limit->variable);
        return true;
    }
    return simplex_bound_low(&sums->simplex, limit->variable, limit->low, reason) &&
           simplex_bound_high(&sums->simplex, limit->variable, limit->high, reason);
}

static bool add(struct solver *solver, uint32_t condition) {
    struct sums *sums = sums_state(solver);
    if (!expr_bank_eval(solver->pool, BANK_CURRENT, condition))
        return false; /* everything known here holds for the current input */
    enum sums_answer answer = sums_read(solver, sums, condition);
    if (answer != SUMS_ALL && answer != SUMS_PART)
        return false;
    for (size_t i = 0; i < sums->limits.count; i++)
        impose(sums, &sums->limits.data[i], 0);
    return answer == SUMS_ALL;
}

/* ---- whole numbers ---- */

/* Two cases: at most BELOW, or at least ABOVE. */
struct split {
    uint32_t variable;
    wide below, above, value;
};

/* Picks the first fractional variable that is not an input, if any: how often something wraps
 * around is decided before the inputs, as it affects all of them. */
static bool find_fraction(const struct sums *sums, struct split *split) {
    const struct simplex *simplex = &sums->simplex;
    bool has_count = false;
    split->variable = NONE;
    for (size_t i = 0; i < simplex->moved.count; i++) {
        uint32_t number = simplex->moved.data[i];
        bool whole = true, is_count = sums->variables.data[number].input == NONE;
        if (simplex->variables.data[number].parts || has_count > is_count ||
            (has_count == is_count && number >= split->variable))
            continue;
        wide value = simplex_value(simplex, number, &whole);
        if (whole)
            continue;
        *split = (struct split){number, value, value + 1, value};
        has_count = is_count;
    }
    return split->variable != NONE;
}

static bool find_gap(const struct sums *sums, struct split *split) {
    const struct simplex *simplex = &sums->simplex;
    for (size_t i = 0; i < simplex->moved.count; i++) {
        uint32_t number = simplex->moved.data[i], at = sums->variables.data[number].gaps;
        bool whole;
        wide value = at == NONE ? 0 : simplex_value(simplex, number, &whole);
        for (; at != NONE; at = sums->gaps.data[at].next) {
            const struct sums_gap *gap = &sums->gaps.data[at];
            if (value < gap->low || value > gap->high)
                continue;
            *split = (struct split){number, gap->low - 1, gap->high + 1, value};
            return true;
        }
    }
    return false;
}

static enum solver_answer search(struct sums *sums, unsigned depth, uint64_t *blame);

static enum solver_answer try_side(struct sums *sums, const struct split *split, bool below,
                                   unsigned depth, uint64_t *blame) {
    struct simplex *simplex = &sums->simplex;
    size_t mark = simplex->trail.count;
    uint32_t reason = SIMPLEX_BRANCH + depth;
    bool possible = below ? simplex_bound_high(simplex, split->variable, split->below, reason)
                          : simplex_bound_low(simplex, split->variable, split->above, reason);
    enum solver_answer answer = SOLVER_UNSAT;
    *blame = simplex->blame;
    if (possible)
        answer = search(sums, depth + 1, blame);
    simplex_undo(simplex, mark);
    return answer;
}

/* Does the last input that was read grow with the variable? */
static bool grows(const struct sums *sums, uint32_t number) {
    const struct simplex *simplex = &sums->simplex;
    const struct simplex_variable *variable = &simplex->variables.data[number];
    struct simplex_part newest = {0, 1};
    for (uint32_t i = 0; i < variable->parts; i++) {
        struct simplex_part part = simplex->definitions.data[variable->definition + i];
        if (sums->variables.data[part.variable].input != NONE && part.variable >= newest.variable)
            newest = part;
    }
    return newest.factor > 0;
}

/* Tries the side of the current input first; if it is on neither, the one on which inputs grow:
 * keys 0, 16, 32 are more readable than 0, -16, -32. */
static enum solver_answer try_split(struct sums *sums, const struct split *split, unsigned depth,
                                    uint64_t *blame) {
    uint64_t bit = (uint64_t)1 << depth, parts[2];
    wide now = sums->simplex.variables.data[split->variable].now;
    bool is_between = now > split->below && now < split->above;
    bool below = is_between ? !grows(sums, split->variable) : now <= split->below;
    enum solver_answer answer = try_side(sums, split, below, depth, &parts[0]);
    *blame = parts[0];
    if (answer == SOLVER_SAT || (answer == SOLVER_UNSAT && !(parts[0] & bit)))
        return answer;
    enum solver_answer other = try_side(sums, split, !below, depth, &parts[1]);
    if (other == SOLVER_UNSAT && !(parts[1] & bit)) {
        *blame = parts[1];
        return other;
    }
    *blame = (parts[0] | parts[1]) & ~bit;
    return other == SOLVER_SAT || answer == SOLVER_UNSAT ? other : answer;
}

/* Splits until the simplex method's values are integers outside of all gaps. */
static enum solver_answer search(struct sums *sums, unsigned depth, uint64_t *blame) {
    struct split split;
    enum solver_answer answer = simplex_check(&sums->simplex);
    *blame = sums->simplex.blame;
    if (answer == SOLVER_SAT)
        simplex_patch(&sums->simplex);
    if (answer != SOLVER_SAT || (!find_fraction(sums, &split) && !find_gap(sums, &split)))
        return answer;
    if (depth == DEPTH || !sums->splits)
        return SOLVER_UNKNOWN;
    sums->splits--;
    return try_split(sums, &split, depth, blame);
}

/* ---- questions ---- */

/* Reads all conditions of a question; NEVER: one cannot hold, NOTHING: none is understood. */
static enum sums_answer read_question(struct solver *solver, struct sums *sums,
                                      struct question *question) {
    enum sums_answer all = SUMS_NOTHING;
    sums->asked.count = 0;
    for (size_t i = 0; i < question->count; i++) {
        enum sums_answer answer = sums_read(solver, sums, question->conditions[i]);
        if (answer == SUMS_NEVER)
            return answer;
        if (answer != SUMS_ALL)
            question->incomplete |= 1u << SOLVER_STAGE_SUMS;
        if (answer == SUMS_NOTHING)
            continue;
        all = SUMS_PART;
        for (size_t k = 0; k < sums->limits.count; k++)
            base_push(&sums->asked, sums->limits.data[k]);
    }
    return all;
}

static uint64_t bits_of(struct solver *solver, uint32_t input, wide value) {
    return (uint64_t)value & (UINT64_MAX >> (64 - solver_width(solver, input)));
}

static void collect_changes(struct solver *solver, struct sums *sums, struct question *question) {
    const struct simplex *simplex = &sums->simplex;
    for (size_t i = 0; i < simplex->moved.count; i++) {
        uint32_t number = simplex->moved.data[i], input = sums->variables.data[number].input;
        bool whole;
        if (input == NONE)
            continue;
        wide value = simplex_value(simplex, number, &whole);
        if (value != simplex->variables.data[number].now)
            base_push(&question->changes, (struct change){input, bits_of(solver, input, value)});
    }
}

static void drop_gaps(struct sums *sums, size_t mark) {
    for (size_t i = sums->asked.count; i-- > 0 && sums->gaps.count > mark;) {
        const struct sums_limit *limit = &sums->asked.data[i];
        if (limit->inside || sums->variables.data[limit->variable].gaps != sums->gaps.count - 1)
            continue;
        sums->variables.data[limit->variable].gaps = sums->gaps.data[--sums->gaps.count].next;
    }
}

static enum solver_answer ask(struct solver *solver, struct question *question) {
    struct sums *sums = sums_state(solver);
    enum sums_answer read = read_question(solver, sums, question);
    if (read == SUMS_NEVER || read == SUMS_NOTHING)
        return read == SUMS_NEVER ? SOLVER_UNSAT : SOLVER_UNKNOWN;
    size_t gaps = sums->gaps.count;
    bool possible = true;
    uint64_t blame;
    simplex_ask(&sums->simplex, PIVOTS);
    sums->splits = SPLITS;
    for (size_t i = 0; i < sums->asked.count && possible; i++)
        possible = impose(sums, &sums->asked.data[i], 0);
    enum solver_answer answer = possible ? search(sums, 0, &blame) : SOLVER_UNSAT;
    if (answer == SOLVER_SAT)
        collect_changes(solver, sums, question);
    simplex_settle(&sums->simplex);
    drop_gaps(sums, gaps);
    return answer;
}

/* Asks only if sums are compared, or nothing is known about the condition. */
static bool speaks(struct solver *solver, const struct question *question) {
    for (size_t i = 0; i < question->count; i++) {
        const struct abi_node *node = expr_node(solver->pool, question->conditions[i]);
        if (node->op == ABI_OP_NOT)
            node = expr_node(solver->pool, node->a);
        if (node->op >= ABI_OP_EQ && node->op <= ABI_OP_SLE)
            return true;
    }
    return false;
}

const struct stage sums_stage = {
    .create = create, .destroy = destroy, .begin = begin, .add = add, .ask = ask, .speaks = speaks};
