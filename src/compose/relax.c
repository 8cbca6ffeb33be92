/* SPDX-License-Identifier: Apache-2.0
 *
 * Weighing and relaxing, after Zhang, Elbaum and Dwyer, "Compositional Load Test Generation for
 * Software Pipelines", section 3.4.
 *
 * While the conditions contradict each other: from the conjuncts in an unsatisfiable core, drop the
 * one with the least loss in the path of least weight. That path is then compensated by the largest
 * weight divided by its own, so that not all dropped conjuncts come from the same path. Weights are
 * percentages, as compensations are small numbers.
 *
 * A value that an index or an address had in the run (a byte used to index a table) is not a
 * decision, and other values may take the same path: such conjuncts are dropped before all others.
 *
 * The output of a stage was recorded on a path that it no longer takes once one of its conjuncts is
 * dropped. So there is a second rule besides the published one, which drops from the last stage
 * first.
 *
 * Sets of thousands are too large to be asked for cores repeatedly. Their conjuncts are asserted in
 * the order of the stages: if the input does not meet the next one, it is repaired; if no input
 * meets it, that conjunct is dropped. Whenever time is up, there is an input for those that were
 * kept.
 *
 * Conjuncts that share no byte of the input cannot contradict each other. So they are split into
 * groups, each of which is relaxed on its own, and what is known to be satisfiable is not asked
 * again.
 */
#include "compose/relax.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GLANCE 0xff /* mask: iterations between checks of the clock */

struct state {
    struct compose_relaxing *in;
    double *weights;  /* current, in percent */
    double sum;       /* of the given weights */
    uint32_t *parent; /* union-find over variables */
    size_t *members;  /* conjuncts of the current group */
    uint32_t *conditions;
    bool *core;
    uint8_t *model;
    size_t count;
    struct byte_set *sets; /* by conjunct: the values of its byte that meet it */
};

#define NO_BYTE UINT32_MAX

struct byte_set {
    uint32_t offset; /* NO_BYTE: it depends on no byte, or on several */
    uint64_t values[4];
};

/* ---- groups ---- */

static uint32_t root_of(struct state *state, uint32_t variable) {
    while (state->parent[variable] != variable) {
        state->parent[variable] = state->parent[state->parent[variable]];
        variable = state->parent[variable];
    }
    return variable;
}

static bool is_constant(const struct state *state, size_t conjunct) {
    return expr_node(state->in->pool, state->in->conjuncts[conjunct].condition)->op == ABI_OP_CONST;
}

static uint32_t group_of(struct state *state, size_t conjunct) {
    struct expr_variables list =
        expr_variables(state->in->pool, state->in->conjuncts[conjunct].condition);
    return root_of(state, list.numbers[0]);
}

static void join_variables(struct state *state) {
    uint32_t count = expr_variable_count(state->in->pool);
    state->parent = base_alloc((count + 1) * sizeof *state->parent);
    for (uint32_t i = 0; i < count; i++)
        state->parent[i] = i;
    for (size_t i = 0; i < state->in->count; i++) {
        if (is_constant(state, i))
            continue;
        struct expr_variables list =
            expr_variables(state->in->pool, state->in->conjuncts[i].condition);
        for (uint32_t k = 1; k < list.count; k++)
            state->parent[root_of(state, list.numbers[k])] = root_of(state, list.numbers[0]);
    }
}

/* ---- dropping ---- */

static double percent(const struct state *state, double loss) {
    return state->sum > 0 ? loss * 100 / state->sum : 0;
}

static void drop(struct state *state, size_t number, size_t core, size_t kept) {
    struct compose_conjunct *conjunct = &state->in->conjuncts[number];
    double *weight = &state->weights[conjunct->path], most = 0;
    struct compose_step step = {.conjunct = number, .core = core, .kept = kept, .before = *weight};
    for (size_t i = 0; i < state->in->path_count; i++)
        most = fmax(most, state->weights[i]);
    conjunct->is_dropped = true;
    if (!conjunct->is_value)
        *weight = fmax(*weight + most / fmax(*weight, 1e-3) - percent(state, conjunct->loss), 0);
    step.behind = *weight;
    base_push(&state->in->steps, step);
}

/* Should A be dropped rather than B? */
static bool goes_first(const struct state *state, const struct compose_conjunct *a,
                       const struct compose_conjunct *b) {
    if (a->path == b->path)
        return a->loss < b->loss;
    if (state->in->rule == COMPOSE_UPSTREAM)
        return a->path > b->path;
    double x = state->weights[a->path], y = state->weights[b->path];
    return x != y ? x < y : a->path > b->path;
}

/* Drops all conjuncts of the core that are values; false: there are none. */
static bool drop_values(struct state *state, size_t core) {
    size_t kept = 0;
    for (size_t i = 0; i < state->count; i++) {
        size_t member = state->members[i];
        if (core && state->core[i] && state->in->conjuncts[member].is_value)
            drop(state, member, core, 0);
        else
            state->members[kept++] = member;
    }
    bool has_dropped = kept < state->count;
    state->count = kept;
    return has_dropped;
}

static void drop_weakest(struct state *state) {
    size_t best = SIZE_MAX, marked = 0;
    for (size_t i = 0; i < state->count; i++)
        marked += state->core[i];
    if (drop_values(state, marked))
        return;
    for (size_t i = 0; i < state->count; i++)
        if ((state->core[i] || !marked) &&
            (best == SIZE_MAX || goes_first(state, &state->in->conjuncts[state->members[i]],
                                            &state->in->conjuncts[state->members[best]])))
            best = i;
    drop(state, state->members[best], marked ? marked : state->count, 0);
    memmove(state->members + best, state->members + best + 1,
            (--state->count - best) * sizeof *state->members);
}

/* ---- single bytes ---- */

/* Most contradictions are about one byte: a digit for one stage, a line end for another. These are
 * found without the solver, by evaluating each conjunct on a single byte for all values of that
 * byte; each pass evaluates all conjuncts on an input filled with one value. */
static void find_values(struct state *state) {
    struct compose_relaxing *in = state->in;
    uint8_t *filled = base_alloc(in->size + 1);
    for (size_t i = 0; i < in->count; i++) {
        struct expr_support list = expr_support(in->pool, in->conjuncts[i].condition);
        state->sets[i].offset = list.count == 1 ? list.offsets[0] : NO_BYTE;
    }
    for (unsigned value = 0; value < 256; value++) {
        memset(filled, (int)value, in->size);
        expr_eval_begin(in->pool, filled, in->size);
        for (size_t i = 0; i < in->count; i++)
            if (state->sets[i].offset != NO_BYTE && expr_eval(in->pool, in->conjuncts[i].condition))
                state->sets[i].values[value / 64] |= (uint64_t)1 << value % 64;
    }
    free(filled);
}

static bool is_in(const struct byte_set *set, uint8_t value) {
    return set->values[value / 64] >> value % 64 & 1;
}

/* The values that meet all marked members. */
static struct byte_set common_values(const struct state *state) {
    struct byte_set left = {.values = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
    for (size_t i = 0; i < state->count; i++)
        for (int k = 0; state->core[i] && k < 4; k++)
            left.values[k] &= state->sets[state->members[i]].values[k];
    return left;
}

static bool is_empty(const struct byte_set *set) {
    return !(set->values[0] | set->values[1] | set->values[2] | set->values[3]);
}

/* Marks the members about that byte, up to the first that contradicts the ones before it. */
static bool mark_byte(struct state *state, uint32_t offset) {
    struct byte_set left = {.values = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
    memset(state->core, false, state->count);
    for (size_t i = 0; i < state->count && !is_empty(&left); i++) {
        const struct byte_set *set = &state->sets[state->members[i]];
        state->core[i] = set->offset == offset;
        for (int k = 0; state->core[i] && k < 4; k++)
            left.values[k] &= set->values[k];
    }
    return is_empty(&left);
}

/* Marks a minimal contradictory subset of these. */
static bool mark_core(struct state *state, uint32_t offset) {
    if (!mark_byte(state, offset))
        return false;
    for (size_t i = 0; i < state->count; i++) {
        if (!state->core[i])
            continue;
        state->core[i] = false;
        struct byte_set left = common_values(state);
        state->core[i] = !is_empty(&left);
    }
    return true;
}

static void settle_bytes(struct state *state) {
    for (size_t i = 0; i < state->count;) {
        uint32_t offset = state->sets[state->members[i]].offset;
        bool is_first = offset != NO_BYTE;
        for (size_t k = 0; k < i && is_first; k++)
            is_first = state->sets[state->members[k]].offset != offset;
        if (is_first && mark_core(state, offset))
            drop_weakest(state);
        else
            i++;
    }
}

/* Repairs single bytes of the input, so that it meets the conjuncts about them. */
static void mend_bytes(struct state *state) {
    for (size_t i = 0; i < state->count; i++) {
        const struct byte_set *set = &state->sets[state->members[i]];
        if (set->offset >= state->in->size || is_in(set, state->in->input[set->offset]))
            continue;
        mark_byte(state, set->offset);
        struct byte_set left = common_values(state);
        for (unsigned value = 0; value < 256; value++)
            if (is_in(&left, (uint8_t)value)) {
                state->in->input[set->offset] = (uint8_t)value;
                break;
            }
    }
}

/* ---- solving ---- */

/* Takes the model's values of the bytes in this group. */
static void take_model(struct state *state) {
    for (size_t i = 0; i < state->count; i++) {
        struct expr_support list =
            expr_support(state->in->pool, state->in->conjuncts[state->members[i]].condition);
        for (uint32_t k = 0; k < list.count; k++)
            if (list.offsets[k] < state->in->size)
                state->in->input[list.offsets[k]] = state->model[list.offsets[k]];
    }
}

static bool holds_already(struct state *state) {
    expr_eval_begin(state->in->pool, state->in->input, state->in->size);
    for (size_t i = 0; i < state->count; i++)
        if (!expr_eval(state->in->pool, state->in->conjuncts[state->members[i]].condition))
            return false;
    return true;
}

static bool relax_group(struct state *state) {
    settle_bytes(state);
    mend_bytes(state);
    while (state->count && !holds_already(state)) {
        for (size_t i = 0; i < state->count; i++)
            state->conditions[i] = state->in->conjuncts[state->members[i]].condition;
        enum solver_answer answer =
            solver_solve(state->in->solver, state->in->pool, state->conditions, state->count,
                         state->model, state->in->size, state->core);
        state->in->solved++;
        if (answer == SOLVER_SAT) {
            take_model(state);
            return true;
        }
        if (solver_is_over(state->in->solver))
            return false;
        if (answer == SOLVER_UNKNOWN) /* undecided: any of them may be the reason */
            memset(state->core, true, state->count);
        drop_weakest(state);
    }
    return true;
}

static bool relax_groups(struct state *state) {
    bool *is_done = base_alloc(state->in->count + 1);
    bool good = true;
    for (size_t i = 0; good && i < state->in->count; i++) {
        if (is_done[i] || is_constant(state, i))
            continue;
        uint32_t group = group_of(state, i);
        state->count = 0;
        for (size_t k = i; k < state->in->count; k++)
            if (!is_done[k] && !is_constant(state, k) && group_of(state, k) == group) {
                is_done[k] = true;
                state->members[state->count++] = k;
            }
        good = relax_group(state);
    }
    free(is_done);
    return good;
}

/* ---- large sets ---- */

/* Continues with another input, which meets all that was asserted. */
static void go_on(struct state *state, const uint32_t *kept, size_t count) {
    struct compose_relaxing *in = state->in;
    struct solver_mark mark = solver_mark(in->solver);
    memcpy(in->input, state->model, in->size);
    expr_eval_begin(in->pool, in->input, in->size);
    if (solver_go_on(in->solver, &mark, in->input, in->size))
        return;
    solver_begin(in->solver, in->pool, in->input, in->size);
    for (size_t i = 0; i < count && (i & GLANCE || !solver_is_over(in->solver)); i++)
        solver_assert(in->solver, kept[i]);
}

static int by_stage(const void *a, const void *b, void *context) {
    const struct compose_conjunct *all = ((struct state *)context)->in->conjuncts;
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    if (all[x].is_value != all[y].is_value)
        return all[x].is_value ? 1 : -1;
    return all[x].path != all[y].path ? (all[x].path < all[y].path ? -1 : 1) : (x > y) - (x < y);
}

static bool relax_in_order(struct state *state) {
    struct compose_relaxing *in = state->in;
    size_t kept = 0;
    bool is_over = false;
    for (size_t i = 0; i < in->count; i++)
        state->members[i] = i;
    qsort_r(state->members, in->count, sizeof *state->members, by_stage, state);
    solver_begin(in->solver, in->pool, in->input, in->size);
    expr_eval_begin(in->pool, in->input, in->size);
    for (size_t i = 0; i < in->count; i++) {
        uint32_t condition = in->conjuncts[state->members[i]].condition;
        if (is_constant(state, state->members[i]))
            continue;
        bool is_met = expr_eval(in->pool, condition) != 0;
        is_over = is_over || ((!is_met || !(i & GLANCE)) && solver_is_over(in->solver));
        bool is_unknown = false;
        if (!is_met && !is_over) {
            enum solver_answer answer = solver_ask(in->solver, condition, state->model);
            in->solved++;
            is_met = answer == SOLVER_SAT;
            is_unknown = answer == SOLVER_UNKNOWN;
            if (is_met)
                go_on(state, state->conditions, kept);
            else
                expr_eval_begin(in->pool, in->input, in->size);
        }
        if (!is_met) {
            drop(state, state->members[i], 0, kept);
            in->steps.data[in->steps.count - 1].is_late = is_over || is_unknown;
            continue;
        }
        if (!is_over)
            solver_assert(in->solver, condition);
        state->conditions[kept++] = condition;
    }
    return !solver_is_over(in->solver);
}

static void drop_impossible(struct state *state) {
    for (size_t i = 0; i < state->in->count; i++)
        if (is_constant(state, i) &&
            !expr_constant(state->in->pool, state->in->conjuncts[i].condition))
            drop(state, i, 0, 0);
}

bool compose_relax(struct compose_relaxing *relaxing) {
    size_t room = relaxing->count + 1;
    struct state state = {.in = relaxing,
                          .weights = base_alloc((relaxing->path_count + 1) * sizeof(double)),
                          .members = base_alloc(room * sizeof(size_t)),
                          .conditions = base_alloc(room * sizeof(uint32_t)),
                          .core = base_alloc(room),
                          .model = base_alloc(relaxing->size + 1)};
    for (size_t i = 0; i < relaxing->path_count; i++)
        state.sum += relaxing->weights[i];
    for (size_t i = 0; i < relaxing->path_count; i++)
        state.weights[i] = percent(&state, relaxing->weights[i]);
    join_variables(&state);
    drop_impossible(&state);
    if (relaxing->count <= COMPOSE_MANY) {
        state.sets = base_alloc(room * sizeof *state.sets);
        find_values(&state);
    }
    solver_keep(relaxing->solver, true);
    bool good = relaxing->count > COMPOSE_MANY ? relax_in_order(&state) : relax_groups(&state);
    solver_keep(relaxing->solver, false);
    free(state.sets);
    free(state.weights);
    free(state.members);
    free(state.conditions);
    free(state.core);
    free(state.model);
    free(state.parent);
    return good;
}

void compose_relaxing_done(struct compose_relaxing *relaxing) {
    base_vector_done(&relaxing->steps);
}
