/* SPDX-License-Identifier: Apache-2.0
 *
 * Who answers a question? The first stage of the chain that can. The chain itself splits
 * conjunctions, answers constants and conditions that hold already, and evaluates every model
 * before trusting it. With cross_check, Z3 has to confirm each answer of a fast stage.
 */
#include "solver/internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define TIMED_ONCE_IN 16

const struct stage model_stage = {0}; /* see ask_condition */

static const struct stage *const stages[SOLVER_STAGE_COUNT] = {
#define STAGE(id, name, text) &name##_stage,
#include "solver/stages.def"
#undef STAGE
};

static const char *const stage_names[SOLVER_STAGE_COUNT] = {
#define STAGE(id, name, text) #name,
#include "solver/stages.def"
#undef STAGE
};

bool solver_stage_by_name(const char *name, enum solver_stage *stage) {
    for (unsigned i = 0; i < SOLVER_STAGE_COUNT; i++)
        if (strcmp(stage_names[i], name) == 0) {
            *stage = i;
            return true;
        }
    return false;
}

void solver_list_stages(struct base_buffer *names) {
    for (unsigned i = 0; i < SOLVER_STAGE_COUNT; i++)
        base_buffer_print(names, "%s%s", i ? ", " : "", stage_names[i]);
}

struct solver *solver_new(const struct solver_options *options) {
    struct solver *solver = base_alloc(sizeof *solver);
    solver->options = *options;
    for (unsigned i = 0; i < SOLVER_STAGE_COUNT; i++)
        if (stages[i]->create)
            solver->states[i] = stages[i]->create(solver);
    return solver;
}

void solver_free(struct solver *solver) {
    if (!solver)
        return;
    for (unsigned i = 0; i < SOLVER_STAGE_COUNT; i++)
        if (stages[i]->destroy)
            stages[i]->destroy(solver->states[i]);
    base_vector_done(&solver->slices.variables);
    base_vector_done(&solver->slices.links);
    base_vector_done(&solver->ranges);
    base_vector_done(&solver->question.changes);
    base_vector_done(&solver->conjuncts);
    base_vector_done(&solver->limits);
    base_vector_done(&solver->assertions);
    base_vector_done(&solver->unknown_to);
    base_vector_done(&solver->slices.unions);
    base_vector_done(&solver->zeros);
    base_vector_done(&solver->trial);
    free(solver->slices.marks);
    free(solver->asserted);
    free(solver);
}

const struct solver_statistics *solver_statistics(const struct solver *solver) {
    return &solver->statistics;
}

/* ---- variables ---- */

unsigned solver_width(const struct solver *solver, uint32_t variable) {
    return expr_node(solver->pool, expr_variable_node(solver->pool, variable))->width;
}

uint64_t solver_current(struct solver *solver, uint32_t variable) {
    return expr_bank_eval(solver->pool, BANK_CURRENT, expr_variable_node(solver->pool, variable));
}

void solver_write(const struct solver *solver, uint8_t *model, struct change change) {
    const struct abi_node *node =
        expr_node(solver->pool, expr_variable_node(solver->pool, change.variable));
    size_t bytes = node->width / 8;
    if (node->a >= solver->size)
        return;
    if (bytes > solver->size - node->a)
        bytes = solver->size - node->a;
    memcpy(model + node->a, &change.value, bytes);
}

/* ---- assertions ---- */

bool solver_split(struct expr_pool *pool, uint32_t condition, id_list *list) {
    size_t at = list->count;
    base_push(list, condition);
    while (at < list->count) {
        struct abi_node node = *expr_node(pool, list->data[at]);
        struct abi_node inner = *expr_node(pool, node.op == ABI_OP_NOT ? node.a : 0);
        if (node.op == ABI_OP_CONST) {
            if (!expr_constant(pool, list->data[at]))
                return false;
            list->data[at] = list->data[--list->count];
        } else if (node.op == ABI_OP_AND) {
            list->data[at] = node.a;
            base_push(list, node.b);
        } else if (inner.op == ABI_OP_OR) {
            list->data[at] = expr_make_not(pool, inner.a);
            uint32_t other = expr_make_not(pool, inner.b);
            base_push(list, other);
        } else {
            at++;
        }
    }
    return true;
}

void solver_begin(struct solver *solver, struct expr_pool *pool, const uint8_t *input,
                  size_t size) {
    solver->pool = pool;
    solver->input = input;
    solver->size = size;
    solver->contradiction = false;
    solver->ranged = 0;
    solver->limits.count = 0;
    solver->slices.variables.count = 0;
    solver->slices.links.count = 0;
    solver->slices.unions.count = 0;
    solver->slices.has_wide = false;
    solver->assertions.count = 0;
    solver->unknown_to.count = 0;
    memset(solver->handed_on, 0, sizeof solver->handed_on);
    if (!++solver->stamp) {
        memset(solver->asserted, 0, solver->asserted_capacity * sizeof *solver->asserted);
        solver->stamp = 1;
    }
    expr_bank_begin(pool, BANK_CURRENT, input, size);
    for (unsigned i = 0; i < SOLVER_STAGE_COUNT; i++)
        if (stages[i]->begin)
            stages[i]->begin(solver);
}

void solver_keep(struct solver *solver, bool stays) {
    solver->keeps = stays;
    solver->keeping++;
}

/* Was the condition asserted before? Marks it as asserted. */
bool solver_note_assertion(struct solver *solver, uint32_t condition) {
    if (condition >= solver->asserted_capacity) {
        uint32_t capacity = expr_count(solver->pool) * 2;
        solver->asserted = base_realloc(solver->asserted, capacity * sizeof *solver->asserted);
        memset(solver->asserted + solver->asserted_capacity, 0,
               (capacity - solver->asserted_capacity) * sizeof *solver->asserted);
        solver->asserted_capacity = capacity;
    }
    bool known = solver->asserted[condition] == solver->stamp;
    solver->asserted[condition] = solver->stamp;
    return known;
}

static void assert_conjunct(struct solver *solver, uint32_t condition) {
    if (solver_note_assertion(solver, condition))
        return;
    uint32_t incomplete = 0;
    if (!expr_bank_eval(solver->pool, BANK_CURRENT, condition))
        incomplete = 1u << VIOLATED;
    slice_add(solver, condition, incomplete);
    base_push(&solver->assertions, condition);
    base_push(&solver->unknown_to, incomplete);
}

/* Most stages are never asked about most traces: they get assertions only when they are. */
static void hand_on_assertions(struct solver *solver, unsigned stage) {
    for (; solver->handed_on[stage] < solver->assertions.count; solver->handed_on[stage]++) {
        uint32_t condition = solver->assertions.data[solver->handed_on[stage]];
        if (stages[stage]->add(solver, condition))
            continue;
        solver->unknown_to.data[solver->handed_on[stage]] |= 1u << stage;
        slice_mark(solver, condition, 1u << stage);
    }
}

void solver_assert(struct solver *solver, uint32_t condition) {
    id_list *list = &solver->conjuncts;
    assert(expr_node(solver->pool, condition)->width == 1);
    solver_assert_limits(solver);
    list->count = 0;
    if (!solver_split(solver->pool, condition, list)) {
        solver->contradiction = true;
        return;
    }
    for (size_t i = 0; i < list->count; i++)
        assert_conjunct(solver, list->data[i]);
}

/* ---- traces with the same beginning ---- */

struct solver_mark solver_mark(const struct solver *solver) {
    return (struct solver_mark){
        solver->assertions.count, solver->slices.links.count, solver->slices.unions.count,
        !solver->contradiction && !solver->limits.count && !solver->slices.has_wide};
}

/* Conditions made by the chain itself may be gone from the pool. */
static bool still_hold(struct solver *solver, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t condition = solver->assertions.data[i];
        if (condition >= expr_count(solver->pool) ||
            !expr_bank_eval(solver->pool, BANK_CURRENT, condition))
            return false;
    }
    return true;
}

static void drop_assertions(struct solver *solver, size_t kept) {
    for (size_t i = kept; i < solver->assertions.count; i++)
        solver->asserted[solver->assertions.data[i]] = 0;
    solver->assertions.count = solver->unknown_to.count = kept;
}

static void go_on_stage(struct solver *solver, unsigned stage) {
    size_t *handed = &solver->handed_on[stage];
    if (*handed > solver->assertions.count)
        *handed = solver->assertions.count;
    if (stages[stage]->go_on) {
        stages[stage]->go_on(solver, *handed);
        return;
    }
    *handed = 0;
    if (stages[stage]->begin)
        stages[stage]->begin(solver);
}

/* Stages that start over will report again what they do not understand. */
static void mark_unknown(struct solver *solver) {
    uint32_t stay = 0;
    for (unsigned i = 0; i < SOLVER_STAGE_COUNT; i++)
        stay |= stages[i]->go_on ? 1u << i : 0;
    for (size_t i = 0; i < solver->assertions.count; i++) {
        solver->unknown_to.data[i] &= stay;
        if (solver->unknown_to.data[i])
            slice_mark(solver, solver->assertions.data[i], solver->unknown_to.data[i]);
    }
}

/* Ranges create expressions when variables appear, even if the range says nothing. These are not
 * tied to the events of a trace. */
bool solver_go_on(struct solver *solver, const struct solver_mark *mark, const uint8_t *input,
                  size_t size) {
    solver->input = input;
    solver->size = size;
    expr_bank_begin(solver->pool, BANK_CURRENT, input, size);
    if (!mark->is_solid || solver->ranges.count || solver->limits.count ||
        solver->slices.has_wide || !still_hold(solver, mark->assertions))
        return false;
    solver->contradiction = false;
    if (solver->ranged > expr_variable_count(solver->pool))
        solver->ranged = expr_variable_count(solver->pool);
    drop_assertions(solver, mark->assertions);
    slice_back_to(solver, mark->links, mark->unions);
    for (unsigned i = 0; i < SOLVER_STAGE_COUNT; i++)
        go_on_stage(solver, i);
    mark_unknown(solver);
    return true;
}

/* ---- ranges ---- */

static int by_offset(const void *a, const void *b) {
    const struct solver_range *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

void solver_set_deadline(struct solver *solver, double time) {
    solver->deadline = time;
}

bool solver_is_over(const struct solver *solver) {
    const struct solver_options *options = &solver->options;
    return (solver->deadline > 0 && base_seconds() >= solver->deadline) ||
           (options->is_over && options->is_over(options->context));
}

void solver_set_ranges(struct solver *solver, const struct solver_range *ranges, size_t count) {
    solver->ranges.count = 0;
    for (size_t i = 0; i < count; i++)
        base_push(&solver->ranges, ranges[i]);
    if (count)
        qsort(solver->ranges.data, count, sizeof *ranges, by_offset);
}

static void assert_limit(struct solver *solver, uint32_t condition) {
    base_push(&solver->limits, condition);
    assert_conjunct(solver, condition);
}

static void assert_range(struct solver *solver, const struct solver_range *range) {
    struct expr_pool *pool = solver->pool;
    enum abi_op op = range->is_signed ? ABI_OP_SLE : ABI_OP_ULE;
    uint32_t input = expr_make_input(pool, range->width, range->offset);
    uint32_t low = expr_make_constant(pool, range->width, (uint64_t)range->low);
    uint32_t high = expr_make_constant(pool, range->width, (uint64_t)range->high);
    const uint32_t ends[2] = {expr_make(pool, op, 1, 0, low, input, 0),
                              expr_make(pool, op, 1, 0, input, high, 0)};
    for (unsigned i = 0; i < 2; i++) {
        const struct abi_node *node = expr_node(pool, ends[i]);
        if (node->op != ABI_OP_CONST)
            assert_limit(solver, ends[i]);
        else if (!expr_constant(pool, ends[i]))
            solver->contradiction = true;
    }
}

static void assert_ranges_of(struct solver *solver, struct abi_node node) {
    size_t low = 0, high = solver->ranges.count;
    while (low < high) { /* binary search for the first range that may reach the variable */
        size_t middle = (low + high) / 2;
        if (solver->ranges.data[middle].offset + 8 <= node.a)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < solver->ranges.count; low++) {
        struct solver_range range = solver->ranges.data[low];
        if (range.offset >= node.a + node.width / 8)
            break;
        if (range.offset + range.width / 8 > node.a)
            assert_range(solver, &range);
    }
}

/* Bytes beyond the end of the input read as zero in every model. */
static void assert_end(struct solver *solver, uint32_t id, struct abi_node node) {
    size_t inside = node.a < solver->size ? solver->size - node.a : 0;
    uint64_t greatest = inside ? ((uint64_t)1 << 8 * inside) - 1 : 0;
    uint32_t limit = expr_make_constant(solver->pool, node.width, greatest);
    assert_limit(solver, expr_make(solver->pool, ABI_OP_ULE, 1, 0, id, limit, 0));
}

/* Asserts what is known about variables as soon as the pool has them. */
void solver_assert_limits(struct solver *solver) {
    for (; solver->ranged < expr_variable_count(solver->pool); solver->ranged++) {
        uint32_t id = expr_variable_node(solver->pool, solver->ranged);
        struct abi_node node = *expr_node(solver->pool, id);
        if (solver->ranges.count)
            assert_ranges_of(solver, node);
        if (node.a + (size_t)node.width / 8 > solver->size)
            assert_end(solver, id, node);
    }
}

/* ---- questions ---- */

static void check_answer(struct solver *solver, unsigned stage, enum solver_answer answer) {
    struct question *question = &solver->question, other = *question;
    id_list assertions = {0}, variables = {0};
    slice_gather(solver, question->conditions, question->count, &assertions, &variables);
    for (size_t i = 0; i < question->count; i++)
        base_push(&assertions, question->conditions[i]);
    memset(&other.changes, 0, sizeof other.changes);
    enum solver_answer truth = smt_check(solver, assertions.data, assertions.count, &other, NULL);
    if (truth != SOLVER_UNKNOWN && truth != answer) {
        struct base_buffer text = {0};
        smt_print(solver, assertions.data, assertions.count, &text);
        base_panic("stage %u of the solver says %s, Z3 says %s:\n%s", stage,
                   answer == SOLVER_SAT ? "sat" : "unsat", truth == SOLVER_SAT ? "sat" : "unsat",
                   text.data);
    }
    base_vector_done(&other.changes);
    base_vector_done(&assertions);
    base_vector_done(&variables);
}

static void copy_input(const struct solver *solver, uint8_t *model) {
    if (solver->size)
        memcpy(model, solver->input, solver->size);
}

static bool model_holds(struct solver *solver, uint8_t *model) {
    const struct question *question = &solver->question;
    copy_input(solver, model);
    for (size_t i = 0; i < question->changes.count; i++)
        solver_write(solver, model, question->changes.data[i]);
    return slice_verify(solver, question, model);
}

/* Asks one stage; ignores a model that does not hold. */
static enum solver_answer ask_stage(struct solver *solver, unsigned stage, uint8_t *model) {
    struct question *question = &solver->question;
    hand_on_assertions(solver, stage);
    question->incomplete = slice_incomplete(solver, question->conditions, question->count);
    question->changes.count = 0;
    enum solver_answer answer = stages[stage]->ask(solver, question);
    if (answer == SOLVER_SAT && !model_holds(solver, model)) {
        if (!(question->incomplete >> stage & 1))
            solver->statistics.wrong_models++;
        return SOLVER_UNKNOWN;
    }
    if (answer == SOLVER_UNKNOWN)
        return answer;
    if (solver->options.cross_check && stage != SOLVER_STAGE_SMT)
        check_answer(solver, stage, answer);
    if (answer == SOLVER_SAT)
        solver->statistics.sat[stage]++;
    else
        solver->statistics.unsat[stage]++;
    return answer;
}

/* Stages that repair the current input need it to satisfy all assertions. */
static bool worth_asking(struct solver *solver, unsigned stage, bool repairable) {
    if (!stages[stage]->ask || solver->options.off[stage] ||
        (!repairable && stage != SOLVER_STAGE_SMT))
        return false;
    return !stages[stage]->speaks || stages[stage]->speaks(solver, &solver->question);
}

static enum solver_answer ask_stages(struct solver *solver, uint8_t *model) {
    struct question *question = &solver->question;
    uint32_t incomplete = slice_incomplete(solver, question->conditions, question->count);
    bool repairable = !(incomplete >> VIOLATED & 1);
    for (unsigned i = 0; i < SOLVER_STAGE_COUNT; i++) {
        if (!worth_asking(solver, i, repairable))
            continue;
        if (i > SOLVER_STAGE_ORDER && solver_is_over(solver))
            break;
        if (i > SOLVER_STAGE_ORDER && solver->slow_since <= 0)
            solver->slow_since = base_seconds();
        enum solver_answer answer = ask_stage(solver, i, model);
        if (answer != SOLVER_UNKNOWN)
            return answer;
    }
    solver->statistics.unknown++;
    return SOLVER_UNKNOWN;
}

static bool holds_already(struct solver *solver, uint32_t condition) {
    if (solver->options.off[SOLVER_STAGE_MODEL] ||
        !expr_bank_eval(solver->pool, BANK_CURRENT, condition))
        return false;
    return !(slice_incomplete(solver, &condition, 1) >> VIOLATED & 1);
}

static enum solver_answer ask_condition(struct solver *solver, uint32_t condition, uint8_t *model) {
    id_list *list = &solver->conjuncts;
    list->count = 0;
    if (solver->contradiction || !solver_split(solver->pool, condition, list)) {
        solver->statistics.unsat[SOLVER_STAGE_MODEL]++;
        return SOLVER_UNSAT;
    }
    if (holds_already(solver, condition) || !list->count) {
        copy_input(solver, model);
        solver->statistics.sat[SOLVER_STAGE_MODEL]++;
        return SOLVER_SAT;
    }
    solver->question.conditions = list->data;
    solver->question.count = list->count;
    return ask_stages(solver, model);
}

/* Reading the clock takes as long as a fast stage, so only one in many of those calls is timed. */
enum solver_answer solver_ask(struct solver *solver, uint32_t condition, uint8_t *model) {
    bool is_timed = solver->asked++ % TIMED_ONCE_IN == 0;
    double start = is_timed ? base_seconds() : 0;
    solver->slow_since = 0;
    solver_assert_limits(solver);
    enum solver_answer answer = ask_condition(solver, condition, model);
    if (expr_pool_is_full(solver->pool)) /* the condition may be incomplete */
        answer = SOLVER_UNKNOWN;
    double end = is_timed || solver->slow_since > 0 ? base_seconds() : 0;
    double slow = solver->slow_since > 0 ? end - solver->slow_since : 0;
    solver->statistics.seconds += slow;
    if (is_timed)
        solver->statistics.seconds += (end - start - slow) * TIMED_ONCE_IN;
    return answer;
}
