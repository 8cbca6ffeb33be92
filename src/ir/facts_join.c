/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known about several programs that are run together, as if they were one? Their arrays lie
 * one behind the other, and every number that names an element counts from where its program's part
 * begins. No function of one calls a function of another.
 */
#include "ir/facts.h"

#include <stdlib.h>
#include <string.h>

static uint32_t moved(uint32_t number, uint32_t by) {
    return number == IR_NONE ? IR_NONE : number + by;
}

/* 0 means that the file is not known. */
static uint32_t moved_file(uint32_t file, uint32_t by) {
    return file ? file + by : 0;
}

#define APPEND(field, counter)                                                                     \
    do {                                                                                           \
        to->field = base_realloc(to->field,                                                        \
                                 ((size_t)to->counter + from->counter + 1) * sizeof *to->field);   \
        if (from->counter)                                                                         \
            memcpy(to->field + to->counter, from->field, from->counter * sizeof *to->field);       \
    } while (0)

static void append_arrays(struct ir_facts *to, const struct ir_facts *from) {
    APPEND(functions, function_count);
    APPEND(blocks, block_count);
    APPEND(successors, successor_count);
    APPEND(opcodes, opcode_count);
    APPEND(calls, call_count);
    APPEND(lines, line_count);
    APPEND(sums, sum_count);
    APPEND(terms, term_count);
    APPEND(loops, loop_count);
    APPEND(switches, switch_count);
    APPEND(cases, case_count);
    APPEND(tokens, token_count);
    APPEND(token_bytes, token_byte_count);
    APPEND(strings, string_size);
}

static void move_functions(struct ir_facts *to, const struct ir_facts *from, uint32_t types) {
    for (uint32_t i = to->function_count; i < to->function_count + from->function_count; i++) {
        struct ir_function *function = &to->functions[i];
        function->name += to->string_size;
        function->file = moved_file(function->file, to->string_size);
        function->first_block += to->block_count;
        function->first_loop += to->loop_count;
        function->type = moved(function->type, types);
    }
    for (uint32_t i = to->call_count; i < to->call_count + from->call_count; i++) {
        to->calls[i].callee = moved(to->calls[i].callee, to->function_count);
        to->calls[i].type = moved(to->calls[i].type, types);
    }
}

static void move_blocks(struct ir_facts *to, const struct ir_facts *from) {
    for (uint32_t i = to->block_count; i < to->block_count + from->block_count; i++) {
        struct ir_block *block = &to->blocks[i];
        block->function += to->function_count;
        block->file = moved_file(block->file, to->string_size);
        block->loop = moved(block->loop, to->loop_count);
        block->dominator = moved(block->dominator, to->block_count);
        block->leader = block->leader ? block->leader + to->block_count : 0;
        block->sum = block->sum ? block->sum + to->sum_count : 0;
        block->first_successor += to->successor_count;
        block->first_opcode += to->opcode_count;
        block->first_call += to->call_count;
        block->first_line += to->line_count;
        block->first_code = block->code_count = 0; /* values are followed in one program only */
    }
    for (uint32_t i = to->successor_count; i < to->successor_count + from->successor_count; i++)
        to->successors[i] = moved(to->successors[i], to->block_count);
    for (uint32_t i = to->line_count; i < to->line_count + from->line_count; i++)
        to->lines[i].file = moved_file(to->lines[i].file, to->string_size);
}

static void move_sums(struct ir_facts *to, const struct ir_facts *from) {
    for (uint32_t i = to->sum_count; i < to->sum_count + from->sum_count; i++) {
        to->sums[i].block += to->block_count;
        to->sums[i].first_term += to->term_count;
    }
    for (uint32_t i = to->term_count; i < to->term_count + from->term_count; i++)
        to->terms[i] += to->block_count;
}

static void move_rest(struct ir_facts *to, const struct ir_facts *from) {
    for (uint32_t i = to->loop_count; i < to->loop_count + from->loop_count; i++) {
        struct ir_loop *loop = &to->loops[i];
        loop->function += to->function_count;
        loop->header += to->block_count;
        loop->parent = moved(loop->parent, to->loop_count);
        loop->file = moved_file(loop->file, to->string_size);
    }
    for (uint32_t i = to->switch_count; i < to->switch_count + from->switch_count; i++) {
        to->switches[i].block += to->block_count;
        to->switches[i].first_case += to->case_count;
    }
    for (uint32_t i = to->token_count; i < to->token_count + from->token_count; i++)
        to->tokens[i].first += to->token_byte_count;
}

static void add_counts(struct ir_facts *to, const struct ir_facts *from) {
    to->function_count += from->function_count;
    to->block_count += from->block_count;
    to->successor_count += from->successor_count;
    to->opcode_count += from->opcode_count;
    to->call_count += from->call_count;
    to->line_count += from->line_count;
    to->sum_count += from->sum_count;
    to->term_count += from->term_count;
    to->loop_count += from->loop_count;
    to->switch_count += from->switch_count;
    to->case_count += from->case_count;
    to->token_count += from->token_count;
    to->token_byte_count += from->token_byte_count;
    to->string_size += from->string_size;
}

/* Types that no program so far has a number for begin here. */
static uint32_t free_type(const struct ir_facts *facts) {
    uint32_t next = 0;
    for (uint32_t i = 0; i < facts->function_count; i++)
        if (facts->functions[i].type != IR_NONE && facts->functions[i].type >= next)
            next = facts->functions[i].type + 1;
    for (uint32_t i = 0; i < facts->call_count; i++)
        if (facts->calls[i].type != IR_NONE && facts->calls[i].type >= next)
            next = facts->calls[i].type + 1;
    return next;
}

void ir_facts_add(struct ir_facts *to, const struct ir_facts *from) {
    uint32_t types = free_type(to);
    append_arrays(to, from);
    move_functions(to, from, types);
    move_blocks(to, from);
    move_sums(to, from);
    move_rest(to, from);
    add_counts(to, from);
}
