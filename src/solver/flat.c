/* SPDX-License-Identifier: Apache-2.0
 *
 * How can the same conditions be evaluated millions of times? Their nodes are laid out once, each
 * after its operands and in the level of its last variable. Setting a variable runs only the steps
 * of its level: whatever depends only on earlier variables keeps its value.
 */
#include "solver/flat.h"

#include <stdlib.h>
#include <string.h>

void flat_done(struct flat_program *program) {
    for (unsigned i = 0; i < FLAT_LEVELS; i++)
        base_vector_done(&program->steps[i]);
    base_vector_done(&program->stack);
    free(program->place_of);
    free(program->stamps);
}

/* ---- building ---- */

static void start(struct flat_program *program, struct expr_pool *pool) {
    uint32_t count = expr_count(pool);
    program->pool = pool;
    if (program->capacity < count) {
        program->capacity = count * 2;
        program->place_of =
            base_realloc(program->place_of, program->capacity * sizeof *program->place_of);
        free(program->stamps);
        program->stamps = base_alloc(program->capacity * sizeof *program->stamps);
        program->stamp = 0;
    }
    if (!++program->stamp) {
        memset(program->stamps, 0, program->capacity * sizeof *program->stamps);
        program->stamp = 1;
    }
    program->place_count = 0;
    for (unsigned i = 0; i < FLAT_LEVELS; i++)
        program->steps[i].count = 0;
}

static bool is_placed(const struct flat_program *program, uint32_t node) {
    return program->stamps[node] == program->stamp;
}

static unsigned place(struct flat_program *program, uint32_t node, unsigned level) {
    unsigned at = program->place_count++;
    program->place_of[node] = at;
    program->stamps[node] = program->stamp;
    program->level_of[at] = (uint16_t)level;
    return at;
}

static void add_step(struct flat_program *program, uint32_t id) {
    const struct abi_node *node = expr_node(program->pool, id);
    const uint32_t operands[3] = {node->a, node->b, node->c};
    unsigned count = expr_operands(node->op), level = 0;
    uint16_t places[3] = {0};
    for (unsigned i = 0; i < 3 && i < count; i++) {
        places[i] = (uint16_t)program->place_of[operands[i]];
        if (program->level_of[places[i]] > level)
            level = program->level_of[places[i]];
    }
    bool is_concat = node->op == ABI_OP_CONCAT;
    struct flat_step step = {.op = node->op,
                             .width = node->width,
                             .from = expr_node(program->pool, is_concat ? node->b : node->a)->width,
                             .extra = node->extra,
                             .to = (uint16_t)place(program, id, level),
                             .a = places[0],
                             .b = places[1],
                             .c = places[2],
                             .table = node->op == ABI_OP_TABLE ? node->b : 0};
    base_push(&program->steps[level], step);
}

/* Pushes the operands that have no place yet; false if there are none. */
static bool push_operands(struct flat_program *program, const struct abi_node *node) {
    const uint32_t operands[3] = {node->a, node->b, node->c};
    bool any = false;
    for (unsigned i = 0; i < 3 && i < expr_operands(node->op); i++)
        if (!is_placed(program, operands[i])) {
            base_push(&program->stack, operands[i]);
            any = true;
        }
    return any;
}

/* Constants count as known from the first variable on. */
static void place_node(struct flat_program *program, uint32_t id, const struct abi_node *node) {
    if (node->op == ABI_OP_CONST)
        program->values[place(program, id, 0)] = expr_constant(program->pool, id);
    else
        add_step(program, id);
}

static bool lay_out(struct flat_program *program, uint32_t condition) {
    program->stack.count = 0;
    base_push(&program->stack, condition);
    while (program->stack.count) {
        uint32_t top = program->stack.data[program->stack.count - 1];
        const struct abi_node *node = expr_node(program->pool, top);
        if (!is_placed(program, top)) {
            if (program->place_count == FLAT_PLACES)
                return false;
            if (push_operands(program, node))
                continue;
            place_node(program, top, node);
        }
        program->stack.count--;
    }
    return true;
}

static void mark_condition(struct flat_program *program, uint32_t condition) {
    unsigned at = program->place_of[condition], level = program->level_of[at];
    for (size_t i = program->steps[level].count; i-- > 0;)
        if (program->steps[level].data[i].to == at) {
            program->steps[level].data[i].is_condition = true;
            return;
        }
}

bool flat_build(struct flat_program *program, struct expr_pool *pool, const uint32_t *order,
                unsigned count, const id_list *conditions) {
    start(program, pool);
    program->levels = count;
    for (unsigned i = 0; i < count; i++)
        place(program, expr_variable_node(pool, order[i]), i);
    for (size_t i = 0; i < conditions->count; i++) {
        if (!lay_out(program, conditions->data[i]))
            return false;
        mark_condition(program, conditions->data[i]);
    }
    return true;
}

/* ---- running ---- */

static uint64_t value_of(const struct flat_program *program, const struct flat_step *step) {
    const uint64_t *values = program->values;
    uint64_t a = values[step->a];
    if (step->op == ABI_OP_TABLE)
        return expr_table_read(program->pool, step->table, a);
    if (step->op == ABI_OP_CONCAT)
        return a << step->from | values[step->b];
    return expr_apply(step->op, step->width, step->from, step->extra, a, values[step->b],
                      values[step->c]);
}

bool flat_set(struct flat_program *program, unsigned level, uint64_t value) {
    const struct flat_step *steps = program->steps[level].data;
    size_t count = program->steps[level].count;
    program->values[level] = value;
    for (size_t i = 0; i < count; i++) {
        const struct flat_step *step = &steps[i];
        uint64_t result = value_of(program, step);
        program->values[step->to] = result;
        if (step->is_condition && !result)
            return false;
    }
    return true;
}

size_t flat_size(const struct flat_program *program, unsigned level) {
    return program->steps[level].count;
}
