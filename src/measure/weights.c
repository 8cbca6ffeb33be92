/* SPDX-License-Identifier: Apache-2.0
 *
 * What is the weight of a block? Its number of instructions; the same by a weight table; the number
 * of calls that begin in it. All sums are made from these weights and the block counts.
 */
#include "measure/weights.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    enum ir_operation opcode;
} opcode_names[] = {
#define IR_OPCODE(name, constant, llvm, number) {#name, IR_OP_##constant},
#include "ir/opcodes.def"
#undef IR_OPCODE
};

void measure_weights_init(struct measure_weights *weights) {
    *weights = (struct measure_weights){0};
    for (size_t i = 0; i < BASE_COUNT(weights->opcode); i++)
        weights->opcode[i] = 1;
    weights->opcode[IR_OP_CALL] = 10;
}

void measure_weights_done(struct measure_weights *weights) {
    base_map_done(&weights->functions);
}

static bool set_weight(struct measure_weights *weights, char *name, uint32_t value,
                       struct base_error *error) {
    size_t length = strlen(name);
    if (length > 2 && strcmp(name + length - 2, "()") == 0) {
        name[length - 2] = 0;
        base_map_set(&weights->functions, name, value);
        return true;
    }
    if (strcmp(name, "other") == 0) {
        for (size_t i = 0; i < BASE_COUNT(weights->opcode); i++)
            if (i != IR_OP_CALL)
                weights->opcode[i] = value;
        return true;
    }
    for (size_t i = 0; i < BASE_COUNT(opcode_names); i++)
        if (strcmp(opcode_names[i].name, name) == 0) {
            weights->opcode[opcode_names[i].opcode] = value;
            return true;
        }
    return base_fail(error, BASE_USAGE,
                     "--weights: '%s' is not an instruction; write call=10, load=2, other=1, or "
                     "NAME()=50 for calls of a function",
                     name);
}

bool measure_weights_parse(struct measure_weights *weights, const char *text,
                           struct base_error *error) {
    char *copy;
    size_t size;
    if (text[0] == '@') {
        if (!base_read_file(text + 1, &copy, &size, error))
            return false;
    } else
        copy = base_strdup(text);
    bool good = true;
    char *state = NULL;
    for (char *item = strtok_r(copy, ",\n \t", &state); good && item;
         item = strtok_r(NULL, ",\n \t", &state)) {
        char *equals = strchr(item, '='), *end = NULL;
        unsigned long value = equals ? strtoul(equals + 1, &end, 10) : 0;
        if (!equals || end == equals + 1 || *end || value > 1000000) {
            good = base_fail(error, BASE_USAGE,
                             "--weights: '%s' is not NAME=NUMBER (number up to 1000000)", item);
            break;
        }
        *equals = 0;
        good = set_weight(weights, item, (uint32_t)value, error);
    }
    free(copy);
    return good;
}

/* ---- vectors ---- */

static uint32_t weigh_calls(const struct measure_weights *weights, const struct ir_facts *facts,
                            const struct ir_block *block) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < block->call_count; i++) {
        uint32_t callee = facts->calls[block->first_call + i].callee;
        uint32_t own =
            callee == IR_NONE
                ? BASE_MAP_NONE
                : base_map_get(&weights->functions, facts->strings + facts->functions[callee].name);
        sum += own == BASE_MAP_NONE ? weights->opcode[IR_OP_CALL] : own;
    }
    return sum;
}

static uint32_t weigh_block(const struct measure_weights *weights, const struct ir_facts *facts,
                            const struct ir_block *block) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < block->opcode_count; i++) {
        const struct ir_opcode *opcode = &facts->opcodes[block->first_opcode + i];
        if (opcode->opcode != IR_OP_CALL)
            sum += weights->opcode[opcode->opcode] * opcode->count;
        else /* any other call is an intrinsic: one instruction */
            sum += opcode->count - block->call_count;
    }
    return sum + weigh_calls(weights, facts, block);
}

/* A function counts as called when it is entered; one without bitcode, at the call. */
static uint32_t count_calls(const struct ir_facts *facts, uint32_t number) {
    const struct ir_block *block = &facts->blocks[number];
    uint32_t calls = facts->functions[block->function].first_block == number;
    for (uint32_t i = 0; i < block->call_count; i++) {
        uint32_t callee = facts->calls[block->first_call + i].callee;
        calls += callee != IR_NONE && facts->functions[callee].block_count == 0;
    }
    return calls;
}

uint32_t *measure_make_vector(enum measure_vector vector, const struct measure_weights *weights,
                              const struct ir_facts *facts) {
    uint32_t *result = base_alloc(((size_t)facts->block_count + 1) * sizeof *result);
    result[0] = vector != MEASURE_CALLS; /* library bytes */
    for (uint32_t i = 0; i < facts->block_count; i++)
        switch (vector) {
        case MEASURE_INSTRUCTIONS:
            result[i + 1] = facts->blocks[i].instructions;
            break;
        case MEASURE_WEIGHTED:
            result[i + 1] = weigh_block(weights, facts, &facts->blocks[i]);
            break;
        case MEASURE_CALLS:
            result[i + 1] = count_calls(facts, i);
            break;
        case MEASURE_CHOSEN:
            break;
        }
    return result;
}

static void choose_function(const struct ir_facts *facts, uint32_t number, uint32_t factor,
                            uint32_t *vector) {
    if (facts->functions[number].block_count)
        vector[facts->functions[number].first_block + 1] += factor;
    else
        for (uint32_t i = 0; i < facts->block_count; i++)
            for (uint32_t j = 0; j < facts->blocks[i].call_count; j++)
                if (facts->calls[facts->blocks[i].first_call + j].callee == number)
                    vector[i + 1] += factor;
}

/* Is this "isort.1", for "isort"? */
static bool is_namesake(const char *name, const char *function) {
    size_t length = strlen(function);
    return strncmp(name, function, length) == 0 && name[length] == '.' && name[length + 1] &&
           !name[length + 1 + strspn(name + length + 1, "0123456789")];
}

uint32_t measure_choose_calls(const struct ir_facts *facts, const char *function, uint32_t factor,
                              uint32_t *vector) {
    uint32_t number = ir_find_function(facts, function), found = 1;
    if (number == IR_NONE)
        return 0;
    choose_function(facts, number, factor, vector);
    for (uint32_t i = 0; i < facts->function_count; i++)
        if (is_namesake(facts->strings + facts->functions[i].name, function)) {
            choose_function(facts, i, factor, vector);
            found++;
        }
    return found;
}

static bool is_file(const char *path, const char *name) {
    size_t length = strlen(path), tail = strlen(name);
    return length >= tail && strcmp(path + length - tail, name) == 0 &&
           (length == tail || path[length - tail - 1] == '/');
}

static bool has_line(const struct ir_facts *facts, const struct ir_block *block, const char *file,
                     uint32_t line) {
    for (uint32_t i = 0; i < block->line_count; i++) {
        const struct ir_line *at = &facts->lines[block->first_line + i];
        if (at->line == line && is_file(facts->strings + at->file, file))
            return true;
    }
    return false;
}

/* Several blocks may contain code of one line (as in a for loop): picks the first one in the
 * innermost loop, which is what people mean. */
bool measure_choose_block(const struct ir_facts *facts, const char *file, uint32_t line,
                          uint32_t *vector) {
    uint32_t best = IR_NONE, best_depth = 0;
    for (uint32_t i = 0; i < facts->block_count; i++) {
        const struct ir_block *block = &facts->blocks[i];
        if (!has_line(facts, block, file, line))
            continue;
        uint32_t depth = block->loop == IR_NONE ? 0 : facts->loops[block->loop].depth;
        if (best == IR_NONE || depth > best_depth) {
            best = i;
            best_depth = depth;
        }
    }
    if (best == IR_NONE)
        return false;
    vector[best + 1] += 1;
    return true;
}
