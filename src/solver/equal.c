/* SPDX-License-Identifier: Apache-2.0
 *
 * Which bytes must be the same? Bytes that are asserted equal form groups, each with the set of
 * values that all its members may have; bytes that must differ are neighbours. A question about one
 * byte, or about two being equal or different, is answered by giving one group another value that
 * its neighbours do not have. An empty set, or two groups that must differ and be equal, is a "no".
 * If the slice also has assertions of other kinds, values are tried and the model decides.
 */
#include "solver/internal.h"

#include <stdlib.h>
#include <string.h>

#define TRIALS 8

struct byte_group {
    uint32_t parent, next; /* union-find; ring of members */
    uint32_t neighbours;   /* head of a list: bytes that must differ from this one */
    struct byte_set set;   /* of the root */
};

struct neighbour {
    uint32_t variable, next;
};

struct equal {
    BASE_VECTOR(struct byte_group) groups; /* by variable */
    BASE_VECTOR(struct neighbour) neighbours;
};

static struct equal *equal_state(struct solver *solver) {
    return solver->states[SOLVER_STAGE_EQUAL];
}

static void *create(struct solver *solver) {
    (void)solver;
    return base_alloc(sizeof(struct equal));
}

static void destroy(void *state) {
    struct equal *equal = state;
    base_vector_done(&equal->groups);
    base_vector_done(&equal->neighbours);
    free(equal);
}

static void begin(struct solver *solver) {
    struct equal *equal = equal_state(solver);
    equal->groups.count = 0;
    equal->neighbours.count = 0;
}

static void know_variables(struct solver *solver, struct equal *equal) {
    for (uint32_t i = (uint32_t)equal->groups.count; i < expr_variable_count(solver->pool); i++) {
        struct byte_group group = {.parent = i, .next = i, .neighbours = NONE};
        memset(&group.set, 0xff, sizeof group.set);
        base_push(&equal->groups, group);
    }
}

static uint32_t find(struct equal *equal, uint32_t variable) {
    struct byte_group *groups = equal->groups.data;
    while (groups[variable].parent != variable)
        variable = groups[variable].parent = groups[groups[variable].parent].parent;
    return variable;
}

/* ---- reading ---- */

enum kind { OTHER, ON_ONE, SAME, DIFFERENT };

struct fact {
    enum kind kind;
    uint32_t x, y;
    struct byte_set set;
};

static bool is_byte(const struct solver *solver, uint32_t id) {
    const struct abi_node *node = expr_node(solver->pool, id);
    return node->op == ABI_OP_INPUT && node->width == 8;
}

static struct fact read_fact(struct solver *solver, uint32_t condition) {
    struct fact fact = {.kind = OTHER, .x = domain_variable(solver, condition)};
    if (fact.x != NONE) {
        if (domain_of_condition(solver, condition, &fact.set))
            fact.kind = ON_ONE;
        return fact;
    }
    const struct abi_node *node = expr_node(solver->pool, condition);
    bool negated = node->op == ABI_OP_NOT;
    if (negated)
        node = expr_node(solver->pool, node->a);
    if (node->op != ABI_OP_EQ || !is_byte(solver, node->a) || !is_byte(solver, node->b))
        return fact;
    fact.kind = negated ? DIFFERENT : SAME;
    fact.x = expr_variable_number(solver->pool, node->a);
    fact.y = expr_variable_number(solver->pool, node->b);
    return fact;
}

/* ---- assertions ---- */

static void join(struct equal *equal, uint32_t x, uint32_t y) {
    struct byte_group *groups = equal->groups.data;
    x = find(equal, x);
    y = find(equal, y);
    if (x == y)
        return;
    groups[y].parent = x;
    groups[x].set = byte_set_and(groups[x].set, groups[y].set);
    uint32_t next = groups[x].next;
    groups[x].next = groups[y].next;
    groups[y].next = next;
}

static void add_neighbour(struct equal *equal, uint32_t x, uint32_t y) {
    uint32_t link = (uint32_t)equal->neighbours.count;
    base_push(&equal->neighbours, (struct neighbour){y, equal->groups.data[x].neighbours});
    equal->groups.data[x].neighbours = link;
}

static bool add(struct solver *solver, uint32_t condition) {
    struct equal *equal = equal_state(solver);
    struct fact fact = read_fact(solver, condition);
    know_variables(solver, equal);
    switch (fact.kind) {
    case ON_ONE: {
        struct byte_set *set = &equal->groups.data[find(equal, fact.x)].set;
        *set = byte_set_and(*set, fact.set);
        return true;
    }
    case SAME:
        join(equal, fact.x, fact.y);
        return true;
    case DIFFERENT:
        add_neighbour(equal, fact.x, fact.y);
        add_neighbour(equal, fact.y, fact.x);
        return true;
    default:
        return false;
    }
}

/* ---- questions ---- */

static void remove_value(struct byte_set *set, uint64_t value) {
    set->bits[value >> 6 & 3] &= ~((uint64_t)1 << (value & 63));
}

/* Removes the values of all neighbours from the set. False: OTHER is one of the neighbours. */
static bool avoid_neighbours(struct solver *solver, struct equal *equal, uint32_t variable,
                             uint32_t other, struct byte_set *set) {
    uint32_t at = variable;
    bool apart = true;
    do {
        for (uint32_t link = equal->groups.data[at].neighbours; link != NONE;
             link = equal->neighbours.data[link].next) {
            uint32_t neighbour = equal->neighbours.data[link].variable;
            apart &= other == NONE || find(equal, neighbour) != find(equal, other);
            remove_value(set, solver_current(solver, neighbour));
        }
        at = equal->groups.data[at].next;
    } while (at != variable);
    return apart;
}

static void change_group(struct solver *solver, struct equal *equal, uint32_t variable,
                         uint64_t value, struct question *question) {
    uint32_t at = variable;
    do {
        if (solver_current(solver, at) != value)
            base_push(&question->changes, (struct change){at, value});
        at = equal->groups.data[at].next;
    } while (at != variable);
}

/* A model here is just a guess; the chain evaluates the one that is returned. */
static bool changes_hold(struct solver *solver, struct question *question) {
    while (solver->trial.count < solver->size)
        base_push(&solver->trial, 0);
    if (solver->size)
        memcpy(solver->trial.data, solver->input, solver->size);
    for (size_t i = 0; i < question->changes.count; i++)
        solver_write(solver, solver->trial.data, question->changes.data[i]);
    return slice_verify(solver, question, solver->trial.data);
}

/* Gives the group of X (and of Y, unless NONE) a value of SET. */
static enum solver_answer change_to(struct solver *solver, struct equal *equal, uint32_t x,
                                    uint32_t y, struct byte_set set, struct question *question) {
    bool exact = !(question->incomplete >> SOLVER_STAGE_EQUAL & 1);
    unsigned current = (unsigned)solver_current(solver, x), trials = exact ? 1 : TRIALS;
    for (unsigned step = 0; step < 256 && trials; step++) {
        unsigned value = (current + step) & 255;
        if (!byte_set_has(&set, value))
            continue;
        trials--;
        question->changes.count = 0;
        change_group(solver, equal, x, value, question);
        if (y != NONE)
            change_group(solver, equal, y, value, question);
        if (exact || changes_hold(solver, question))
            return SOLVER_SAT;
    }
    return SOLVER_UNKNOWN;
}

static enum solver_answer ask_one(struct solver *solver, struct equal *equal, uint32_t x,
                                  struct byte_set set, struct question *question) {
    set = byte_set_and(set, equal->groups.data[find(equal, x)].set);
    if (byte_set_empty(&set))
        return SOLVER_UNSAT;
    avoid_neighbours(solver, equal, x, NONE, &set);
    return change_to(solver, equal, x, NONE, set, question);
}

static enum solver_answer ask_same(struct solver *solver, struct equal *equal, uint32_t x,
                                   uint32_t y, struct question *question) {
    uint32_t a = find(equal, x), b = find(equal, y);
    if (a == b)
        return SOLVER_UNKNOWN; /* holds already */
    struct byte_set set = byte_set_and(equal->groups.data[a].set, equal->groups.data[b].set);
    if (byte_set_empty(&set) || !avoid_neighbours(solver, equal, x, y, &set))
        return SOLVER_UNSAT;
    avoid_neighbours(solver, equal, y, NONE, &set);
    return change_to(solver, equal, x, y, set, question);
}

static enum solver_answer ask_different(struct solver *solver, struct equal *equal, uint32_t x,
                                        uint32_t y, struct question *question) {
    if (find(equal, x) == find(equal, y))
        return SOLVER_UNSAT;
    const uint32_t sides[2] = {x, y};
    for (unsigned i = 0; i < 2; i++) {
        struct byte_set set = equal->groups.data[find(equal, sides[i])].set;
        remove_value(&set, solver_current(solver, sides[1 - i]));
        avoid_neighbours(solver, equal, sides[i], NONE, &set);
        if (change_to(solver, equal, sides[i], NONE, set, question) == SOLVER_SAT)
            return SOLVER_SAT;
    }
    return SOLVER_UNKNOWN;
}

/* Several conditions are read only if all are on one byte. */
static struct fact read_question(struct solver *solver, const struct question *question) {
    struct fact fact = read_fact(solver, question->conditions[0]);
    for (size_t i = 1; i < question->count; i++) {
        struct fact other = read_fact(solver, question->conditions[i]);
        if (fact.kind != ON_ONE || other.kind != ON_ONE || other.x != fact.x)
            return (struct fact){.kind = OTHER};
        fact.set = byte_set_and(fact.set, other.set);
    }
    return fact;
}

static enum solver_answer ask(struct solver *solver, struct question *question) {
    struct equal *equal = equal_state(solver);
    struct fact fact = read_question(solver, question);
    know_variables(solver, equal);
    switch (fact.kind) {
    case ON_ONE:
        return ask_one(solver, equal, fact.x, fact.set, question);
    case SAME:
        return ask_same(solver, equal, fact.x, fact.y, question);
    case DIFFERENT:
        return ask_different(solver, equal, fact.x, fact.y, question);
    default:
        return SOLVER_UNKNOWN;
    }
}

/* Asks only if every variable of the first condition is a byte. */
static bool speaks(struct solver *solver, const struct question *question) {
    struct expr_variables list = expr_variables(solver->pool, question->conditions[0]);
    for (uint32_t i = 0; i < list.count; i++)
        if (solver_width(solver, list.numbers[i]) != 8)
            return false;
    return list.count <= 2;
}

const struct stage equal_stage = {
    .create = create, .destroy = destroy, .begin = begin, .add = add, .ask = ask, .speaks = speaks};
