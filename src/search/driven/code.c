/* SPDX-License-Identifier: Apache-2.0
 *
 * Which registers will be read again? Two states that differ only in registers that are never read
 * again are the same state, so liveness determines the number of states. This is the usual fixed
 * point over the blocks of each function; what a phi reads is live at the end of the block it comes
 * from. A branch on a comparison also counts as reading the compared values, because it narrows
 * them.
 */
#include "search/driven/driven.h"

#include <stdlib.h>
#include <string.h>

size_t driven_word_count(const struct driven_code *code, uint32_t function) {
    return (code->facts->functions[function].register_count + 63) / 64;
}

static uint64_t *bits_of(const struct driven_code *code, uint32_t block) {
    const struct ir_block *facts = &code->facts->blocks[block];
    uint32_t first = code->facts->functions[facts->function].first_block;
    return code->live_out + code->first_word[facts->function] +
           (block - first) * driven_word_count(code, facts->function);
}

const struct ir_code *driven_definition(const struct driven_code *code, uint32_t function,
                                        uint32_t number) {
    uint32_t at = code->definitions[code->definitions_first[function] + number];
    return at == IR_NONE ? NULL : &code->facts->codes[at];
}

static void set(uint64_t *bits, uint32_t number) {
    bits[number / 64] |= (uint64_t)1 << number % 64;
}

static void use_operands(const struct driven_code *code, const struct ir_code *at, uint64_t *bits) {
    for (uint32_t i = 0; i < at->operand_count; i++) {
        const struct ir_operand *operand = &code->facts->operands[at->first_operand + i];
        if (operand->kind == IR_OPERAND_REGISTER)
            set(bits, operand->number);
    }
}

static void use_condition(const struct driven_code *code, uint32_t function,
                          const struct ir_code *at, uint64_t *bits) {
    const struct ir_operand *operand = &code->facts->operands[at->first_operand];
    bool decides = at->opcode == IR_OP_BR || at->opcode == IR_OP_SWITCH;
    if (!decides || !at->operand_count || operand->kind != IR_OPERAND_REGISTER)
        return;
    const struct ir_code *from = driven_definition(code, function, operand->number);
    if (from &&
        (from->opcode == IR_OP_ICMP || from->opcode == IR_OP_ZEXT || from->opcode == IR_OP_SEXT))
        use_operands(code, from, bits);
}

/* Steps back over one instruction. */
static void step_back(const struct driven_code *code, uint32_t function, const struct ir_code *at,
                      uint64_t *bits) {
    if (at->result != IR_NONE)
        bits[at->result / 64] &= ~((uint64_t)1 << at->result % 64);
    if (at->opcode == IR_OP_PHI)
        return;
    use_operands(code, at, bits);
    use_condition(code, function, at, bits);
}

void driven_live_at(const struct driven_code *code, uint32_t block, uint32_t after,
                    uint64_t *bits) {
    const struct ir_block *facts = &code->facts->blocks[block];
    memcpy(bits, bits_of(code, block), driven_word_count(code, facts->function) * sizeof *bits);
    for (uint32_t i = facts->code_count; i-- > after;)
        step_back(code, facts->function, &code->facts->codes[facts->first_code + i], bits);
}

/* Marks what the phis of TO read when control comes from FROM. */
static void use_phis(const struct driven_code *code, uint32_t from, uint32_t to, uint64_t *bits) {
    const struct ir_facts *facts = code->facts;
    const struct ir_block *block = &facts->blocks[to];
    for (uint32_t i = 0; i < block->code_count; i++) {
        const struct ir_code *at = &facts->codes[block->first_code + i];
        if (at->opcode != IR_OP_PHI)
            break;
        for (uint32_t k = 0; k + 1 < at->operand_count; k += 2) {
            const struct ir_operand *operand = &facts->operands[at->first_operand + k];
            if (operand->number == from && operand[1].kind == IR_OPERAND_REGISTER)
                set(bits, operand[1].number);
        }
    }
}

static bool spread(const struct driven_code *code, uint32_t block, uint64_t *scratch) {
    const struct ir_facts *facts = code->facts;
    const struct ir_block *at = &facts->blocks[block];
    size_t words = driven_word_count(code, at->function);
    uint64_t *out = bits_of(code, block);
    bool changed = false;
    for (uint32_t i = 0; i < at->successor_count; i++) {
        uint32_t to = facts->successors[at->first_successor + i];
        driven_live_at(code, to, 0, scratch);
        use_phis(code, block, to, scratch);
        for (size_t k = 0; k < words; k++) {
            changed |= (scratch[k] & ~out[k]) != 0;
            out[k] |= scratch[k];
        }
    }
    return changed;
}

static void find_live(struct driven_code *code, uint32_t function) {
    const struct ir_function *facts = &code->facts->functions[function];
    uint64_t *scratch = base_alloc((driven_word_count(code, function) + 1) * sizeof *scratch);
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = facts->block_count; i-- > 0;)
            changed |= spread(code, facts->first_block + i, scratch);
    }
    free(scratch);
}

static void find_definitions(struct driven_code *code, uint32_t function) {
    const struct ir_function *facts = &code->facts->functions[function];
    uint32_t *definitions = code->definitions + code->definitions_first[function];
    for (uint32_t i = 0; i < facts->register_count; i++)
        definitions[i] = IR_NONE;
    for (uint32_t b = 0; b < facts->block_count; b++) {
        const struct ir_block *block = &code->facts->blocks[facts->first_block + b];
        for (uint32_t i = block->first_code; i < block->first_code + block->code_count; i++)
            if (code->facts->codes[i].result != IR_NONE)
                definitions[code->facts->codes[i].result] = i;
    }
}

void driven_code_init(struct driven_code *code, const struct ir_facts *facts) {
    uint32_t words = 0, registers = 0, count = facts->function_count;
    *code = (struct driven_code){.facts = facts};
    code->first_word = base_alloc((count + 1) * sizeof *code->first_word);
    code->definitions_first = base_alloc((count + 1) * sizeof *code->definitions_first);
    for (uint32_t f = 0; f < count; f++) {
        code->first_word[f] = words;
        code->definitions_first[f] = registers;
        words += (uint32_t)driven_word_count(code, f) * facts->functions[f].block_count;
        registers += facts->functions[f].register_count;
    }
    code->live_out = base_alloc((words + 1) * sizeof *code->live_out);
    code->definitions = base_alloc((registers + 1) * sizeof *code->definitions);
    for (uint32_t f = 0; f < count; f++) {
        find_definitions(code, f);
        find_live(code, f);
    }
}

void driven_code_done(struct driven_code *code) {
    free(code->first_word);
    free(code->live_out);
    free(code->definitions);
    free(code->definitions_first);
    *code = (struct driven_code){0};
}
