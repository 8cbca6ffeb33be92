/* SPDX-License-Identifier: Apache-2.0
 *
 * How do paths of several stages become one set of conditions? Each trace is read into a pool of
 * its own; its conditions and its output are then carried over into the pool of the pipeline, with
 * its input replaced by what the previous stage wrote. Stages are added in the order in which they
 * run, so that the input of each is available.
 */
#include "compose/unify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct joined {
    bool is_there;
    double weight;
    BASE_VECTOR(uint32_t) output;
};

struct compose_unity {
    struct expr_pool *pool;
    struct joined *stages;
    size_t stage_count;
    BASE_VECTOR(struct compose_conjunct) conjuncts;
    double *weights; /* by stage, for relaxing */
    uint8_t *input;  /* the current input, which decides what lines there are */
    size_t size;
};

struct compose_unity *compose_unity_new(size_t stage_count) {
    struct compose_unity *unity = base_alloc(sizeof *unity);
    unity->pool = expr_pool_new();
    unity->stages = base_alloc(stage_count * sizeof *unity->stages);
    unity->weights = base_alloc(stage_count * sizeof *unity->weights);
    unity->stage_count = stage_count;
    return unity;
}

void compose_unity_free(struct compose_unity *unity) {
    for (size_t i = 0; i < unity->stage_count; i++)
        base_vector_done(&unity->stages[i].output);
    base_vector_done(&unity->conjuncts);
    expr_pool_free(unity->pool);
    free(unity->stages);
    free(unity->weights);
    free(unity->input);
    free(unity);
}

static void add_conjunct(struct compose_unity *unity, uint32_t condition, size_t stage,
                         size_t number, double loss, bool is_value) {
    const struct abi_node *node = expr_node(unity->pool, condition);
    if (node->op == ABI_OP_CONST && expr_constant(unity->pool, condition))
        return;
    base_push(&unity->conjuncts, (struct compose_conjunct){.condition = condition,
                                                           .path = (uint32_t)stage,
                                                           .number = (uint32_t)number,
                                                           .loss = loss,
                                                           .is_value = is_value});
}

static void carry_path(struct compose_unity *unity, struct compose_reading *reading, size_t stage,
                       const struct compose_path *path, const struct compose_channel *channel) {
    struct compose_carrier *carrier =
        compose_carrier_new(reading->walk.trace.pool, unity->pool, channel);
    struct joined *joined = &unity->stages[stage];
    for (size_t i = 0; i < reading->conditions.count; i++)
        add_conjunct(unity, compose_carry(carrier, reading->conditions.data[i]), stage, i,
                     i < path->conjunct_count ? path->losses[i] : 0, reading->is_value.data[i]);
    for (size_t i = 0; i < reading->output.count; i++)
        base_push(&joined->output, compose_carry(carrier, reading->output.data[i]));
    joined->is_there = true;
    joined->weight += path->weight;
    compose_carrier_free(carrier);
}

bool compose_unity_add(struct compose_unity *unity, const struct search_sites *sites, size_t stage,
                       const struct compose_path *path, const struct compose_channel *channel) {
    struct compose_reading reading;
    compose_reading_init(&reading, sites);
    bool good = compose_read(&reading, path->trace, path->trace_size) &&
                reading.output.count == path->output_bytes;
    if (good)
        carry_path(unity, &reading, stage, path, channel);
    if (good && !unity->input && !channel->bytes) {
        unity->size = channel->count;
        unity->input = base_alloc(unity->size + 1);
        memcpy(unity->input, path->input, unity->size);
    }
    compose_reading_done(&reading);
    return good;
}

bool compose_unity_has(const struct compose_unity *unity, size_t stage) {
    return unity->stages[stage].is_there;
}

size_t compose_unity_output(const struct compose_unity *unity, size_t stage,
                            const uint32_t **bytes) {
    *bytes = unity->stages[stage].output.data;
    return unity->stages[stage].output.count;
}

struct target_input compose_unity_input(const struct compose_unity *unity) {
    return (struct target_input){unity->input, unity->size};
}

void compose_unity_take_input(struct compose_unity *unity, const uint8_t *input) {
    memcpy(unity->input, input, unity->size);
}

uint32_t compose_unity_byte(struct compose_unity *unity, size_t offset) {
    return expr_make_input(unity->pool, 8, (uint32_t)offset);
}

bool compose_unity_is_constant(const struct compose_unity *unity, uint32_t byte, uint8_t *value) {
    bool is_constant = expr_node(unity->pool, byte)->op == ABI_OP_CONST;
    *value = is_constant ? (uint8_t)expr_constant(unity->pool, byte) : 0;
    return is_constant;
}

void compose_unity_values(struct compose_unity *unity, const uint32_t *bytes, size_t count,
                          uint8_t *values) {
    expr_eval_begin(unity->pool, unity->input, unity->size);
    for (size_t i = 0; i < count; i++)
        values[i] = (uint8_t)expr_eval(unity->pool, bytes[i]);
}

/* ---- lines ---- */

/* Demands that a byte is, or is not, this one. */
static void demand(struct compose_unity *unity, size_t stage, uint32_t byte, uint8_t value,
                   bool is_equal) {
    uint32_t same =
        expr_make(unity->pool, ABI_OP_EQ, 1, 0, byte, expr_make_constant(unity->pool, 8, value), 0);
    add_conjunct(unity, is_equal ? same : expr_make_not(unity->pool, same), stage, 0, INFINITY,
                 false);
}

static void add_text(struct compose_unity *unity, const char *text, struct compose_lines *lines) {
    for (; *text; text++)
        base_push(&lines->bytes, expr_make_constant(unity->pool, 8, (uint8_t)*text));
}

static void demand_line(struct compose_unity *unity, size_t stage, const uint32_t *bytes,
                        size_t count) {
    static const char changed[] = "\n\"'\\";
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < sizeof changed; k++) /* also the NUL at its end */
            demand(unity, stage, bytes[i], (uint8_t)changed[k], false);
        if (!i) {
            demand(unity, stage, bytes[i], ' ', false);
            demand(unity, stage, bytes[i], '\t', false);
        }
    }
}

bool compose_unity_lines(struct compose_unity *unity, size_t stage, const struct target_stage *what,
                         size_t most, struct compose_lines *lines) {
    const struct joined *from = &unity->stages[what->from];
    size_t start = 0;
    uint8_t *now = base_alloc(from->output.count + 1);
    compose_unity_values(unity, from->output.data, from->output.count, now);
    bool good = true;
    base_push(&lines->starts, 0);
    for (size_t i = 0; good && i < from->output.count; i++) {
        if (now[i] != '\n')
            continue;
        demand(unity, stage, from->output.data[i], '\n', true);
        if (i > start) {
            good = lines->count < most;
            add_text(unity, what->before, lines);
            for (size_t k = start; k < i; k++)
                base_push(&lines->bytes, from->output.data[k]);
            demand_line(unity, stage, from->output.data + start, i - start);
            add_text(unity, what->behind, lines);
            base_push(&lines->starts, lines->bytes.count);
            lines->count++;
        }
        start = i + 1;
    }
    free(now);
    return good;
}

/* ---- relaxing ---- */

double compose_unity_weight(const struct compose_unity *unity) {
    double sum = 0;
    for (size_t i = 0; i < unity->stage_count; i++)
        sum += unity->stages[i].weight;
    return sum;
}

void compose_unity_relaxing(struct compose_unity *unity, struct solver *solver, uint8_t *input,
                            size_t size, struct compose_relaxing *relaxing) {
    for (size_t i = 0; i < unity->stage_count; i++)
        unity->weights[i] = unity->stages[i].weight;
    for (size_t i = 0; i < unity->conjuncts.count; i++)
        unity->conjuncts.data[i].is_dropped = false;
    *relaxing = (struct compose_relaxing){.pool = unity->pool,
                                          .solver = solver,
                                          .conjuncts = unity->conjuncts.data,
                                          .count = unity->conjuncts.count,
                                          .weights = unity->weights,
                                          .path_count = unity->stage_count,
                                          .input = input,
                                          .size = size};
}
