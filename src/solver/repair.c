/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a small change of the current input enough? It satisfies all assertions and misses the
 * question by some amount. This stage changes one variable after the other, by just the amount that
 * a violated comparison misses, as long as the number of violated conditions falls or alternatives
 * are left, for a bounded number of steps. It only ever says "yes", and its model is evaluated
 * before it is trusted. It answers questions about sums of variables (path lengths in graphs,
 * checksums) in microseconds where a bit-vector solver needs milliseconds.
 *
 * Deterministic: the same question has the same answer.
 */
#include "solver/internal.h"

#include <stdlib.h>
#include <string.h>

#define STEP_LIMIT 48
#define ASSERTION_LIMIT 512
#define VARIABLE_LIMIT 64
#define VARIABLES_TRIED 12 /* per violated condition */
#define CANDIDATE_LIMIT 40

/* Earlier trials, if few variables take part: steps often lead back to one. */
#define TRIED_VARIABLES 4
#define TRIED_LIMIT 1024 /* a power of two */
struct tried {
    uint64_t values[TRIED_VARIABLES];
    uint32_t question; /* the question it belongs to; 0: none */
    unsigned violated;
    bool is_exact; /* otherwise a lower bound */
};

struct repair {
    struct tried tried[TRIED_LIMIT];
    uint32_t question;
    id_list conditions; /* assertions of the slice, then the question's */
    id_list variables;
    BASE_VECTOR(uint64_t) values; /* of the variables, in the current trial */
    uint32_t last;                /* variable changed in the last step */
    uint32_t random;
};

static void *create(struct solver *solver) {
    (void)solver;
    return base_alloc(sizeof(struct repair));
}

static void destroy(void *state) {
    struct repair *repair = state;
    base_vector_done(&repair->conditions);
    base_vector_done(&repair->variables);
    base_vector_done(&repair->values);
    free(repair);
}

static void begin(struct solver *solver) {
    (void)solver;
}

static bool add_condition(struct solver *solver, uint32_t condition) {
    (void)solver, (void)condition;
    return false;
}

/* ---- the trial ---- */

static uint64_t mask(uint64_t value, unsigned width) {
    return width < 64 ? value & (((uint64_t)1 << width) - 1) : value;
}

static void try_value(struct solver *solver, uint32_t variable, uint64_t value) {
    solver_write(solver, solver->trial.data, (struct change){variable, value});
}

/* How many conditions the trial violates, counted up to MOST; FIRST becomes one of them, a
 * different one each time. */
static unsigned count_violated(struct solver *solver, const struct repair *repair, unsigned most,
                               uint32_t *first) {
    unsigned violated = 0;
    expr_bank_begin(solver->pool, BANK_TRIAL, solver->trial.data, solver->size);
    for (size_t i = 0; i < repair->conditions.count && violated < most; i++)
        if (!expr_bank_eval(solver->pool, BANK_TRIAL, repair->conditions.data[i])) {
            if (first && (!violated || repair->random >> (violated & 31) & 1))
                *first = repair->conditions.data[i];
            violated++;
        }
    return violated;
}

/* The entry for the current trial. NULL: too many variables. */
static struct tried *find_tried(struct repair *repair) {
    uint64_t values[TRIED_VARIABLES] = {0}, hash = repair->question;
    if (repair->variables.count > TRIED_VARIABLES)
        return NULL;
    for (size_t i = 0; i < repair->variables.count; i++) {
        values[i] = repair->values.data[i];
        hash = (hash ^ values[i]) * 0x9e3779b97f4a7c15u;
    }
    struct tried *tried = &repair->tried[hash >> 32 & (TRIED_LIMIT - 1)];
    if (tried->question != repair->question || memcmp(tried->values, values, sizeof values) != 0) {
        *tried = (struct tried){.question = repair->question};
        memcpy(tried->values, values, sizeof values);
    }
    return tried;
}

/* Like count_violated, but remembers results of equal trials. */
static unsigned recall_violated(struct solver *solver, struct repair *repair, unsigned most) {
    struct tried *tried = find_tried(repair);
    if (!tried)
        return count_violated(solver, repair, most, NULL);
    if (!tried->is_exact && tried->violated < most) {
        tried->violated = count_violated(solver, repair, most, NULL);
        tried->is_exact = tried->violated < most;
    }
    return tried->violated;
}

/* ---- candidates ---- */

/* By how much do the two sides of a violated comparison differ in the trial? */
struct miss {
    uint64_t bits;   /* of integers, modulo 2^64 */
    bool has_floats; /* floating-point numbers take part: NUMBER has the difference */
    double number;
};

#define LOOK 6 /* depth of operations, for floating-point numbers */

static bool has_floats(const struct expr_pool *pool, uint32_t id, unsigned depth) {
    const struct abi_node *node = expr_node(pool, id);
    if (abi_op_is_float(node->op) || !depth)
        return depth > 0;
    return (expr_operands(node->op) > 0 && has_floats(pool, node->a, depth - 1)) ||
           (expr_operands(node->op) > 1 && has_floats(pool, node->b, depth - 1));
}

static struct miss miss_of_floats(struct solver *solver, const struct abi_node *node) {
    unsigned width = expr_node(solver->pool, node->a)->width;
    uint64_t a = expr_bank_eval(solver->pool, BANK_TRIAL, node->a);
    uint64_t b = expr_bank_eval(solver->pool, BANK_TRIAL, node->b);
    double number = expr_float_value(width, b) - expr_float_value(width, a);
    bool is_integer = number > -0x1p62 && number < 0x1p62;
    return (struct miss){is_integer ? (uint64_t)(int64_t)number : 1, true, number};
}

static struct miss miss_of(struct solver *solver, uint32_t condition) {
    struct abi_node node = *expr_node(solver->pool, condition);
    if (node.op == ABI_OP_NOT)
        node = *expr_node(solver->pool, node.a);
    if (abi_op_compares_floats(node.op))
        return miss_of_floats(solver, &node);
    bool floats = has_floats(solver->pool, condition, LOOK);
    if (node.op < ABI_OP_EQ || node.op > ABI_OP_SLE)
        return (struct miss){1, floats, 1};
    uint64_t bits = expr_bank_eval(solver->pool, BANK_TRIAL, node.b) -
                    expr_bank_eval(solver->pool, BANK_TRIAL, node.a);
    unsigned unused = 64 - expr_node(solver->pool, node.a)->width;
    return (struct miss){bits, floats, (double)((int64_t)(bits << unused) >> unused)};
}

static unsigned list_candidates(uint64_t value, uint64_t miss, unsigned width, uint64_t *list) {
    const uint64_t steps[] = {miss, miss + 1, miss - 1, 1};
    unsigned count = 0;
    for (unsigned i = 0; i < 4; i++) {
        list[count++] = mask(value + steps[i], width);
        list[count++] = mask(value - steps[i], width);
    }
    list[count++] = 0;
    list[count++] = mask(UINT64_MAX, width);
    list[count++] = mask(UINT64_MAX, width - 1);
    list[count++] = mask(value + miss / 2, width);
    list[count++] = mask(value - miss / 2, width);
    return count;
}

/* The same for a variable read as a floating-point number. */
static unsigned list_floats(uint64_t value, double miss, unsigned width, uint64_t *list) {
    double x = expr_float_value(width, value);
    const double numbers[] = {x + miss,
                              x - miss,
                              x + 2 * miss,
                              x - 2 * miss,
                              x + miss / 2,
                              x - miss / 2,
                              x + 1,
                              x - 1,
                              0,
                              1,
                              -1,
                              -x,
                              x * 2,
                              x / 2,
                              miss,
                              -miss,
                              1e9 * miss,
                              -1e9 * miss,
                              __builtin_inf(),
                              -__builtin_inf(),
                              __builtin_nan("")};
    unsigned count = 0;
    for (unsigned i = 0; i < BASE_COUNT(numbers); i++)
        list[count++] = expr_float_bits(width, numbers[i]);
    list[count++] = mask(list[0] + 1, width); /* neighbours */
    list[count++] = mask(list[0] - 1, width);
    list[count++] = mask(list[1] + 1, width);
    list[count++] = mask(list[1] - 1, width);
    return count;
}

struct move {
    uint32_t variable;
    uint64_t value;
    unsigned violated;
};

static size_t position_of(const struct repair *repair, uint32_t variable) {
    size_t at = 0;
    while (at < repair->variables.count && repair->variables.data[at] != variable)
        at++;
    return at;
}

static void try_variable(struct solver *solver, struct repair *repair, uint32_t variable,
                         const struct miss *miss, struct move *best) {
    uint64_t candidates[CANDIDATE_LIMIT];
    size_t at = position_of(repair, variable);
    if (at == repair->variables.count)
        return;
    uint64_t old = repair->values.data[at];
    unsigned width = solver_width(solver, variable), count = 0;
    if (miss->has_floats && (width == 32 || width == 64))
        count = list_floats(old, miss->number, width, candidates);
    count += list_candidates(old, miss->bits, width, candidates + count);
    for (unsigned i = 0; i < count && best->violated; i++) {
        if (candidates[i] == old)
            continue;
        try_value(solver, variable, candidates[i]);
        repair->values.data[at] = candidates[i];
        unsigned violated = recall_violated(solver, repair, best->violated);
        if (violated < best->violated)
            *best = (struct move){variable, candidates[i], violated};
    }
    repair->values.data[at] = old;
    try_value(solver, variable, old);
}

/* The best single change for a violated condition; never the variable changed last. */
static struct move best_move(struct solver *solver, struct repair *repair, uint32_t condition) {
    struct move best = {NONE, 0, UINT32_MAX};
    struct miss miss = miss_of(solver, condition);
    struct expr_variables list = expr_variables(solver->pool, condition);
    uint32_t numbers[VARIABLES_TRIED];
    unsigned count = list.count < VARIABLES_TRIED ? list.count : VARIABLES_TRIED;
    memcpy(numbers, list.numbers, count * sizeof *numbers);
    for (unsigned i = 0; i < count && best.violated; i++) {
        uint32_t variable = numbers[(i + repair->random) % count];
        if (variable != repair->last || count == 1)
            try_variable(solver, repair, variable, &miss, &best);
    }
    return best;
}

/* ---- the stage ---- */

static bool prepare(struct solver *solver, struct repair *repair, const struct question *question) {
    repair->conditions.count = repair->variables.count = repair->values.count = 0;
    slice_gather(solver, question->conditions, question->count, &repair->conditions,
                 &repair->variables);
    if (repair->conditions.count > ASSERTION_LIMIT || repair->variables.count > VARIABLE_LIMIT)
        return false;
    for (size_t i = 0; i < question->count; i++)
        base_push(&repair->conditions, question->conditions[i]);
    for (size_t i = 0; i < repair->variables.count; i++)
        base_push(&repair->values, solver_current(solver, repair->variables.data[i]));
    solver->trial.count = 0;
    for (size_t i = 0; i < solver->size; i++)
        base_push(&solver->trial, solver->input[i]);
    repair->last = NONE;
    repair->question++;
    repair->random = 0x9e3779b9u;
    return solver->size > 0;
}

static void report(struct solver *solver, const struct repair *repair, struct question *question) {
    for (size_t i = 0; i < repair->variables.count; i++) {
        uint32_t variable = repair->variables.data[i];
        if (repair->values.data[i] != solver_current(solver, variable))
            base_push(&question->changes, (struct change){variable, repair->values.data[i]});
    }
}

static enum solver_answer ask(struct solver *solver, struct question *question) {
    struct repair *repair = solver->states[SOLVER_STAGE_REPAIR];
    uint32_t condition = question->conditions[0];
    if (!prepare(solver, repair, question))
        return SOLVER_UNKNOWN;
    for (unsigned step = 0; step < STEP_LIMIT; step++) {
        if (!count_violated(solver, repair, UINT32_MAX, &condition)) {
            report(solver, repair, question);
            return SOLVER_SAT;
        }
        struct move move = best_move(solver, repair, condition);
        if (move.variable == NONE)
            return SOLVER_UNKNOWN;
        try_value(solver, move.variable, move.value);
        repair->values.data[position_of(repair, move.variable)] = move.value;
        repair->last = move.variable;
        repair->random = repair->random * 1664525u + 1013904223u;
    }
    return SOLVER_UNKNOWN;
}

const struct stage repair_stage = {
    .create = create, .destroy = destroy, .begin = begin, .add = add_condition, .ask = ask};
