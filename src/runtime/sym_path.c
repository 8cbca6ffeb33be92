/* SPDX-License-Identifier: Apache-2.0
 *
 * The path of a run: decisions on symbolic conditions, and values that were fixed. A condition that
 * was already decided on this path is not recorded again: it has only one direction left.
 */
#include "abi/shadow.h"
#include "runtime/sym_event.h"

#include <string.h>

#define NO_BLOCK (UINT32_MAX - 1) /* for decisions of the runtime, which belong to no block */
#define MAX_SETTLED_DEPTH 64

uint64_t __slowpath_sym_frame RUNTIME_STATE; /* number of the current call */
RUNTIME_STATE uint32_t __slowpath_sym_args[64], __slowpath_sym_results[8], __slowpath_sym_given;
static RUNTIME_STATE uint32_t *decided;   /* by node: epoch in which it was decided or fixed */
static RUNTIME_STATE uint8_t *directions; /* by node: the direction of a forced branch */
static RUNTIME_STATE uint32_t path_epoch;
static RUNTIME_STATE uint32_t branches, decisions;

void runtime_sym_open_path(void) {
    decided = runtime_sym_reserve(NULL, ABI_TRACE_MAX_NODES * sizeof *decided);
    directions = runtime_sym_reserve(NULL, ABI_TRACE_MAX_NODES);
    runtime_sym_open_force();
    runtime_sym_open_loops();
    runtime_sym_open_format();
}

void runtime_sym_open(void) {
    runtime_sym_open_expr();
    runtime_sym_open_memory();
    runtime_sym_open_objects();
    runtime_sym_open_facts();
    runtime_sym_open_path();
    __slowpath_sym_scratch(); /* map it now, as later mappings are undone with the run */
}

void runtime_sym_begin(void) {
    runtime_sym_begin_expr();
    path_epoch++;
    branches = decisions = 0;
    runtime_sym_begin_force();
    runtime_sym_begin_loops();
    runtime_sym_begin_trace();
    runtime_sym_begin_objects();
    runtime_sym_begin_facts();
    runtime_sym_begin_output();
    runtime_sym_begin_files();
    runtime_sym_begin_input();
    __slowpath_sym_frame = 0;
    memset(__slowpath_sym_args, 0, sizeof __slowpath_sym_args);
    memset(__slowpath_sym_results, 0, sizeof __slowpath_sym_results);
    __slowpath_sym_given = 0;
}

/* A false assumption, which ends the run by itself. */
static bool is_refusal(enum abi_event_kind kind, uint32_t site) {
    return kind == ABI_EVENT_BRANCH && site == UINT32_MAX;
}

static void count_decision(void) {
    if (++decisions == runtime.control->decision_limit)
        runtime_stop(ABI_STATUS_OK);
}

void runtime_sym_event(enum abi_event_kind kind, uint32_t site, uint32_t expr, uint64_t value) {
    runtime_sym_tell_loops();
    bool decides = kind != ABI_EVENT_ASSUME && !is_refusal(kind, site);
    if (runtime_sym_write(kind, 0, site, expr, value) && decides)
        count_decision();
}

/* Is this the first time on this path? */
static bool is_news(uint32_t expr) {
    bool news = decided[expr] != path_epoch;
    decided[expr] = path_epoch;
    return news;
}

/* Nodes with a known value are marked as fixed, so that expressions built on them are examined only
 * once. */
static bool settle(uint32_t expr, unsigned depth) {
    const struct abi_node *node = runtime_sym_at(expr);
    if (decided[expr] == path_epoch || node->op == ABI_OP_CONST)
        return true;
    unsigned operands = depth ? runtime_sym_operands((enum abi_op)node->op) : 0;
    if (!operands || !settle(node->a, depth - 1) || (operands > 1 && !settle(node->b, depth - 1)) ||
        (operands > 2 && !settle(node->c, depth - 1)))
        return false;
    decided[expr] = path_epoch;
    return true;
}

bool runtime_sym_is_settled(uint32_t expr) {
    return settle(expr, MAX_SETTLED_DEPTH);
}

void runtime_sym_decide_object(uint32_t address, const struct runtime_object *object,
                               uint32_t within) {
    directions[within] = true;
    if (is_news(within))
        runtime_sym_event(ABI_EVENT_OBJECT, (uint32_t)object->size, address, object->start);
}

void runtime_sym_decide_bounds(uint32_t condition, uint32_t site, bool inside) {
    directions[condition] = inside;
    if (is_news(condition))
        runtime_sym_event(ABI_EVENT_BOUNDS, site, condition, inside);
}

void runtime_sym_decide_link(uint32_t condition, uint32_t site, bool leads) {
    directions[condition] = leads;
    if (is_news(condition))
        runtime_sym_event(ABI_EVENT_LINK, site, condition, leads);
}

void runtime_sym_settle(uint32_t expr) {
    decided[expr] = path_epoch;
}

void runtime_sym_fix(enum abi_event_kind kind, uint32_t expr, uint64_t value) {
    if (runtime_sym_has_links() && !runtime_sym_look(expr))
        return;
    runtime.control->live.concretised += kind == ABI_EVENT_CONCRETE;
    if (is_news(expr))
        runtime_sym_event(kind, UINT32_MAX, expr, value);
}

void runtime_sym_fix_access(const struct runtime_access *access,
                            const struct runtime_object *object) {
    uint64_t place = object ? (uintptr_t)access->memory - object->start : UINT32_MAX;
    uint32_t number = access->kind >> ABI_ACCESS_NUMBER & ABI_ACCESS_MAX_NUMBER;
    if ((runtime_sym_has_links() && !runtime_sym_look(access->address)) ||
        !is_news(access->address))
        return;
    runtime_sym_tell_loops();
    if (runtime_sym_write(ABI_EVENT_ADDRESS,
                          (uint16_t)(number < ABI_ACCESS_MAX_NUMBER ? number : 0),
                          place < UINT32_MAX ? (uint32_t)place : UINT32_MAX, access->address,
                          (uintptr_t)access->memory))
        count_decision();
}

/* A false assumption is a decision like any other: the search may want the other direction. */
void runtime_sym_assume(uint32_t condition, bool holds) {
    if (!condition)
        return;
    bool negated = runtime_sym_at(condition)->op == ABI_OP_NOT;
    directions[negated ? runtime_sym_at(condition)->a : condition] = !negated;
    if (holds)
        runtime_sym_learn(condition, true);
    if (is_news(condition))
        runtime_sym_event(holds ? ABI_EVENT_ASSUME : ABI_EVENT_BRANCH, UINT32_MAX, condition,
                          holds);
}

/* Has the path asked whether this byte is zero, or fixed it? */
static bool is_asked(uint32_t byte) {
    uint32_t zero = runtime_sym_constant(8, 0);
    uint32_t equal = zero ? runtime_sym_node(ABI_OP_EQ, 1, 0, byte, zero, 0) : 0;
    return decided[byte] == path_epoch || decided[equal] == path_epoch;
}

bool runtime_sym_may_end_elsewhere(const char *text, size_t bytes) {
    if (runtime_sym_is_plain(text, bytes))
        return false;
    for (size_t i = 0; i < bytes; i++) {
        uint32_t byte = runtime_sym_byte(text + i);
        if (byte && !is_asked(byte))
            return true;
    }
    return false;
}

/* Comparing two input integers gives no bounds for either alone. */
static bool is_between_inputs(uint32_t condition) {
    const struct abi_node *node = runtime_sym_at(condition);
    return node->op >= ABI_OP_ULT && node->op <= ABI_OP_SLE &&
           runtime_sym_at(node->a)->op == ABI_OP_INPUT &&
           runtime_sym_at(node->b)->op == ABI_OP_INPUT;
}

static __attribute__((preserve_most, noinline)) bool branch_any(bool condition, uint32_t shadow,
                                                                uint32_t site) {
    const struct abi_control *control = runtime.control;
    bool negated = runtime_sym_at(shadow)->op == ABI_OP_NOT;
    uint32_t plain = negated ? runtime_sym_at(shadow)->a : shadow;
    if (!is_news(plain))
        return control->is_forced ? directions[plain] ^ negated : condition;
    bool is_first = runtime_sym_reach(site, __slowpath_sym_frame);
    if (control->is_forced) {
        condition = runtime_sym_decide(condition, branches, site);
        directions[plain] = condition ^ negated;
    }
    branches++;
    if (!is_between_inputs(plain))
        runtime_sym_learn(shadow, condition);
    runtime_sym_tell_loops();
    if (runtime_sym_write(ABI_EVENT_BRANCH, is_first, site, shadow, condition))
        count_decision();
    return condition;
}

/* Usually two input integers were compared and nothing else needs recording. Like loads and stores,
 * this calls nothing then. */
bool __slowpath_sym_branch(bool condition, uint32_t shadow, uint32_t site) {
    struct abi_control *control = runtime.control;
    if (!control->is_forced && is_between_inputs(shadow)) {
        if (decided[shadow] == path_epoch)
            return condition;
        if (runtime_sym_can_put(&control->live) && decisions + 1 != control->decision_limit) {
            decided[shadow] = path_epoch;
            branches++;
            decisions++;
            bool is_first = runtime_sym_reach(site, __slowpath_sym_frame);
            runtime_sym_follow_cost(&control->live);
            runtime_sym_put_event(&control->live,
                                  runtime_sym_make_event(&control->live, ABI_EVENT_BRANCH, is_first,
                                                         site, shadow, condition));
            return condition;
        }
    }
    __attribute__((musttail)) return branch_any(condition, shadow, site);
}

void runtime_sym_ask(uint32_t condition, bool holds) {
    if (condition)
        __slowpath_sym_branch(holds, condition, NO_BLOCK);
}

/* Asks of each byte whether it is the end, like strlen. */
void runtime_sym_decide_length(const char *text, size_t bytes) {
    uint32_t zero = runtime_sym_constant(8, 0);
    for (size_t i = 0; zero && i < bytes; i++) {
        uint32_t byte = runtime_sym_byte(text + i);
        uint32_t equal =
            byte && !is_asked(byte) ? runtime_sym_node(ABI_OP_EQ, 1, 0, byte, zero, 0) : 0;
        runtime_sym_ask(equal, !text[i]);
    }
}

uint64_t __slowpath_sym_switch(uint64_t value, uint32_t shadow, uint32_t site) {
    runtime_sym_event(ABI_EVENT_SWITCH, site, shadow, value);
    return value;
}

void __slowpath_sym_fix(uint64_t value, uint32_t shadow) {
    runtime_sym_fix(ABI_EVENT_CONCRETE, shadow, value);
}

/* Before a call of code without bitcode: if it calls back, the arguments are concrete. */
void __slowpath_sym_outside(void) {
    memset(__slowpath_sym_args, 0, 16 * sizeof *__slowpath_sym_args);
    __slowpath_sym_given = 0;
    runtime_sym_forget_variadic();
}
