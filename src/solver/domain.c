/* SPDX-License-Identifier: Apache-2.0
 *
 * Which values may a byte have? Each input byte has a set of 256 bits. A condition on a single byte
 * narrows it: the set of solutions comes from intervals if the condition is simple, otherwise from
 * computing it for all 256 values at once, node by node. If all assertions of the slice are on this
 * byte the answer is exact; an empty set is always a "no".
 */
#include "solver/internal.h"

#include <stdlib.h>
#include <string.h>

#define LANES 256
#define CONE_LIMIT 4096 /* nodes of a condition; larger ones are left to other stages */

struct cached_set {
    uint32_t stamp, condition;
    struct byte_set set;
};

struct cone_node {
    uint32_t node, slot;
};

struct narrowed {      /* the effect of an assertion */
    uint32_t variable; /* NONE: not understood */
    struct byte_set before;
};

struct domain {
    BASE_VECTOR(struct byte_set) sets; /* by variable */
    BASE_VECTOR(struct narrowed) narrowed;
    struct cached_set cache[1024]; /* by condition */
    uint32_t stamp;
    uint64_t (*lanes)[LANES]; /* values of a condition's nodes */
    size_t lane_capacity;
    BASE_VECTOR(struct cone_node) cone;
};

static const struct byte_set full = {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};

static void *create(struct solver *solver) {
    (void)solver;
    return base_alloc(sizeof(struct domain));
}

static void destroy(void *state) {
    struct domain *domain = state;
    base_vector_done(&domain->sets);
    base_vector_done(&domain->narrowed);
    base_vector_done(&domain->cone);
    free(domain->lanes);
    free(domain);
}

static struct domain *domain_state(struct solver *solver) {
    return solver->states[SOLVER_STAGE_DOMAIN];
}

static void forget_cache(struct domain *domain) {
    if (!++domain->stamp) {
        memset(domain->cache, 0, sizeof domain->cache);
        domain->stamp = 1;
    }
}

static void begin(struct solver *solver) {
    struct domain *domain = domain_state(solver);
    domain->sets.count = domain->narrowed.count = 0;
    forget_cache(domain);
}

/* Node numbers of conditions may have a new meaning now. */
static void go_on(struct solver *solver, size_t kept) {
    struct domain *domain = domain_state(solver);
    while (domain->narrowed.count > kept) {
        const struct narrowed *last = &domain->narrowed.data[--domain->narrowed.count];
        if (last->variable != NONE)
            domain->sets.data[last->variable] = last->before;
    }
    if (domain->sets.count > expr_variable_count(solver->pool))
        domain->sets.count = expr_variable_count(solver->pool);
    forget_cache(domain);
}

uint32_t domain_variable(struct solver *solver, uint32_t condition) {
    struct expr_variables list = expr_variables(solver->pool, condition);
    if (list.count != 1 || solver_width(solver, list.numbers[0]) != 8)
        return NONE;
    return list.numbers[0];
}

/* ---- the solutions of a condition ---- */

static void fill(struct byte_set *set, unsigned low, unsigned high) {
    for (unsigned word = low >> 6; word <= high >> 6; word++) {
        unsigned from = word == low >> 6 ? low & 63 : 0, to = word == high >> 6 ? high & 63 : 63;
        set->bits[word] |= (UINT64_MAX >> (63 - to)) & (UINT64_MAX << from);
    }
}

static uint32_t slot_of(const struct domain *domain, uint32_t node) {
    size_t low = 0, high = domain->cone.count;
    while (low + 1 < high) { /* sorted by node */
        size_t middle = (low + high) / 2;
        if (domain->cone.data[middle].node <= node)
            low = middle;
        else
            high = middle;
    }
    return domain->cone.data[low].slot;
}

static int by_node(const void *a, const void *b) {
    uint32_t x = ((const struct cone_node *)a)->node, y = ((const struct cone_node *)b)->node;
    return x < y ? -1 : x > y;
}

static bool in_cone(const struct domain *domain, uint32_t node) {
    for (size_t i = domain->cone.count; i-- > 0;)
        if (domain->cone.data[i].node == node)
            return true;
    return false;
}

/* Collects the nodes of the condition, each once, operands before users. */
static bool collect_cone(struct solver *solver, struct domain *domain, uint32_t condition) {
    domain->cone.count = 0;
    base_push(&domain->cone, (struct cone_node){condition, 0});
    for (size_t at = 0; at < domain->cone.count; at++) {
        const struct abi_node *node = expr_node(solver->pool, domain->cone.data[at].node);
        const uint32_t operands[3] = {node->a, node->b, node->c};
        for (unsigned i = 0; i < 3 && i < expr_operands(node->op); i++)
            if (!in_cone(domain, operands[i]))
                base_push(&domain->cone, (struct cone_node){operands[i], 0});
        if (domain->cone.count > CONE_LIMIT)
            return false;
    }
    qsort(domain->cone.data, domain->cone.count, sizeof *domain->cone.data, by_node);
    for (size_t i = 0; i < domain->cone.count; i++)
        domain->cone.data[i].slot = (uint32_t)i;
    if (domain->lane_capacity < domain->cone.count) {
        domain->lane_capacity = domain->cone.count * 2;
        domain->lanes = base_realloc(domain->lanes, domain->lane_capacity * sizeof *domain->lanes);
    }
    return true;
}

static void compute_leaf(const struct abi_node *node, uint64_t *out) {
    for (unsigned i = 0; i < LANES; i++)
        out[i] = node->op == ABI_OP_INPUT ? i : (node->b | (uint64_t)node->c << 32);
}

/* One operation for all 256 values of the byte. */
static void compute_lanes(struct solver *solver, struct domain *domain, const struct abi_node *node,
                          uint64_t *out) {
    unsigned count = expr_operands(node->op);
    if (!count) {
        compute_leaf(node, out);
        return;
    }
    const uint64_t *a = domain->lanes[slot_of(domain, node->a)];
    const uint64_t *b = count > 1 ? domain->lanes[slot_of(domain, node->b)] : a;
    const uint64_t *c = count > 2 ? domain->lanes[slot_of(domain, node->c)] : a;
    unsigned from = expr_node(solver->pool, node->a)->width;
    unsigned low = node->op == ABI_OP_CONCAT ? expr_node(solver->pool, node->b)->width : 0;
    for (unsigned i = 0; i < LANES; i++) {
        if (node->op == ABI_OP_TABLE)
            out[i] = expr_table_read(solver->pool, node->b, a[i]);
        else if (node->op == ABI_OP_CONCAT)
            out[i] = a[i] << low | b[i];
        else
            out[i] = expr_apply(node->op, node->width, from, node->extra, a[i], b[i], c[i]);
    }
}

static bool solve_by_lanes(struct solver *solver, struct domain *domain, uint32_t condition,
                           struct byte_set *set) {
    if (!collect_cone(solver, domain, condition))
        return false;
    for (size_t i = 0; i < domain->cone.count; i++)
        compute_lanes(solver, domain, expr_node(solver->pool, domain->cone.data[i].node),
                      domain->lanes[i]);
    const uint64_t *result = domain->lanes[domain->cone.count - 1];
    for (unsigned i = 0; i < LANES; i++)
        set->bits[i >> 6] |= result[i] << (i & 63);
    return true;
}

bool domain_of_condition(struct solver *solver, uint32_t condition, struct byte_set *set) {
    struct domain *domain = domain_state(solver);
    struct interval_set intervals;
    *set = (struct byte_set){0};
    if (set_of_condition(solver->pool, condition, &intervals)) {
        for (unsigned i = 0; i < intervals.count; i++)
            fill(set, (unsigned)intervals.at[i].low, (unsigned)intervals.at[i].high);
        return true;
    }
    struct cached_set *cached = &domain->cache[condition % BASE_COUNT(domain->cache)];
    if (cached->stamp != domain->stamp || cached->condition != condition) {
        struct cached_set fresh = {.stamp = domain->stamp, .condition = condition};
        if (!solve_by_lanes(solver, domain, condition, &fresh.set))
            return false;
        *cached = fresh;
    }
    *set = cached->set;
    return true;
}

/* ---- the stage ---- */

static struct byte_set *set_of_variable(struct domain *domain, uint32_t variable) {
    while (domain->sets.count <= variable)
        base_push(&domain->sets, full);
    return &domain->sets.data[variable];
}

static bool add(struct solver *solver, uint32_t condition) {
    struct domain *domain = domain_state(solver);
    uint32_t variable = domain_variable(solver, condition);
    struct byte_set solutions;
    if (variable == NONE || !domain_of_condition(solver, condition, &solutions)) {
        base_push(&domain->narrowed, (struct narrowed){.variable = NONE});
        return false;
    }
    struct byte_set *set = set_of_variable(domain, variable);
    base_push(&domain->narrowed, (struct narrowed){variable, *set});
    *set = byte_set_and(*set, solutions);
    return true;
}

/* The value nearest to the current one. */
static unsigned nearest(const struct byte_set *set, unsigned current) {
    for (unsigned distance = 0; distance < LANES; distance++) {
        if (current + distance < LANES && byte_set_has(set, current + distance))
            return current + distance;
        if (distance <= current && byte_set_has(set, current - distance))
            return current - distance;
    }
    return current;
}

/* Applies all conditions of the question on the variable of condition FIRST. */
static bool narrow(struct solver *solver, struct question *question, size_t first,
                   uint32_t variable, struct byte_set *set) {
    *set = *set_of_variable(domain_state(solver), variable);
    for (size_t i = first; i < question->count; i++) {
        struct byte_set solutions;
        if (domain_variable(solver, question->conditions[i]) != variable)
            continue;
        if (!domain_of_condition(solver, question->conditions[i], &solutions))
            return false;
        *set = byte_set_and(*set, solutions);
    }
    return true;
}

static enum solver_answer ask(struct solver *solver, struct question *question) {
    bool exact = !(question->incomplete >> SOLVER_STAGE_DOMAIN & 1);
    for (size_t i = 0; i < question->count; i++) {
        struct byte_set set;
        uint32_t variable = domain_variable(solver, question->conditions[i]);
        if (variable == NONE || !narrow(solver, question, i, variable, &set)) {
            exact = false;
            continue;
        }
        if (byte_set_empty(&set))
            return SOLVER_UNSAT;
        /* A later condition on the same byte narrows less and repeats the change: skip it. */
        bool seen = false;
        for (size_t k = 0; k < i; k++)
            seen |= domain_variable(solver, question->conditions[k]) == variable;
        if (exact && !seen) {
            unsigned value = nearest(&set, (unsigned)solver_current(solver, variable));
            base_push(&question->changes, (struct change){variable, value});
        }
    }
    return exact ? SOLVER_SAT : SOLVER_UNKNOWN;
}

static bool speaks(struct solver *solver, const struct question *question) {
    for (size_t i = 0; i < question->count; i++)
        if (domain_variable(solver, question->conditions[i]) != NONE)
            return true;
    return false;
}

const struct stage domain_stage = {.create = create,
                                   .destroy = destroy,
                                   .begin = begin,
                                   .add = add,
                                   .ask = ask,
                                   .speaks = speaks,
                                   .go_on = go_on};
