/* SPDX-License-Identifier: Apache-2.0
 *
 * Which way did a condition of the source go? A condition such as a && b compiles to several
 * branches on one line; its outcome is known once control leaves them. `then` is the successor that
 * comes next in the source, whichever way the compiler has turned the condition; at the end of a do
 * loop it is the back edge.
 */
#include "search/core/trail.h"

#define LONGEST_JOIN 8 /* consecutive branches that the current one decides */

bool search_block_has_line(const struct ir_facts *facts, const struct ir_block *block,
                           uint32_t line) {
    for (uint32_t i = 0; i < block->line_count; i++)
        if (facts->lines[block->first_line + i].line == line)
            return true;
    return block->line == line;
}

bool search_is_branch(const struct ir_facts *facts, uint32_t site, const struct search_mark *mark) {
    const struct ir_block *block = &facts->blocks[site];
    return block->function == mark->function && block->successor_count == 2 &&
           (block->end_line ? block->end_line == mark->line
                            : search_block_has_line(facts, block, mark->line));
}

uint32_t search_branch_line(const struct ir_facts *facts, uint32_t site) {
    const struct ir_block *block = &facts->blocks[site];
    return block->end_line     ? block->end_line
           : block->line_count ? facts->lines[block->first_line + block->line_count - 1].line
                               : block->line;
}

static uint32_t successor(const struct ir_facts *facts, uint32_t site, uint32_t index) {
    return facts->successors[facts->blocks[site].first_successor + index];
}

static uint64_t position(const struct ir_facts *facts, uint32_t site) {
    return (uint64_t)facts->blocks[site].line << 32 | facts->blocks[site].column;
}

/* ---- where the parts of a condition meet ---- */

static const struct ir_operand *operand_of(const struct ir_facts *facts, const struct ir_code *code,
                                           uint32_t index) {
    return &facts->operands[code->first_operand + index];
}

/* The value that decides the branch of TO when control comes from FROM, if one value does. */
static const struct ir_operand *joined(const struct ir_facts *facts, uint32_t from, uint32_t to) {
    const struct ir_block *block = &facts->blocks[to];
    if (block->successor_count != 2 || !block->code_count)
        return NULL;
    const struct ir_code *codes = &facts->codes[block->first_code];
    const struct ir_code *branch = &codes[block->code_count - 1];
    if (branch->operand_count != 1 || operand_of(facts, branch, 0)->kind != IR_OPERAND_REGISTER)
        return NULL;
    for (; codes->opcode == IR_OP_PHI; codes++)
        for (uint32_t k = 0; k + 1 < codes->operand_count; k += 2)
            if (codes->result == operand_of(facts, branch, 0)->number &&
                operand_of(facts, codes, k)->number == from)
                return operand_of(facts, codes, k + 1);
    return NULL;
}

static bool is_back(const struct ir_facts *facts, uint32_t site, uint32_t to) {
    uint32_t loop = facts->blocks[site].loop;
    return loop != IR_NONE && facts->loops[loop].header == to;
}

/* The first block after the condition; IR_NONE: the rest of the condition decides. */
static uint32_t follow(const struct ir_facts *facts, const struct search_mark *mark, uint32_t site,
                       uint32_t to) {
    if (is_back(facts, site, to))
        return to;
    for (unsigned i = 0; i < LONGEST_JOIN; i++) {
        const struct ir_operand *value = joined(facts, site, to);
        if (!value)
            break;
        if (value->kind != IR_OPERAND_NUMBER)
            return IR_NONE;
        site = to;
        to = successor(facts, to, value->value ? 0 : 1);
    }
    const struct ir_block *block = &facts->blocks[to];
    if (block->successor_count == 1) {
        uint32_t next = successor(facts, to, 0);
        if (search_is_branch(facts, next, mark) && joined(facts, to, next))
            return IR_NONE;
    }
    return search_is_branch(facts, to, mark) && block->line == mark->line ? IR_NONE : to;
}

/* ---- then ---- */

/* Makes this successor `then` if it comes earlier in the source than the best one so far. */
static void offer_then(const struct ir_facts *facts, uint32_t site, uint32_t to,
                       struct search_mark *mark) {
    const struct ir_block *block = &facts->blocks[site];
    uint64_t from = block->end_line == mark->line
                        ? (uint64_t)block->end_line << 32 | block->end_column
                        : (uint64_t)mark->line << 32 | UINT32_MAX;
    uint64_t at = position(facts, to);
    if ((at > from || is_back(facts, site, to)) && (!mark->then || at < mark->then))
        mark->then = at;
}

bool search_find_branch(const struct ir_facts *facts, struct search_mark *mark) {
    const struct ir_function *function = &facts->functions[mark->function];
    bool found = false;
    for (uint32_t i = 0; i < function->block_count; i++) {
        uint32_t site = function->first_block + i;
        if (!search_is_branch(facts, site, mark))
            continue;
        found = true;
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t to = follow(facts, mark, site, successor(facts, site, k));
            if (to != IR_NONE)
                offer_then(facts, site, to, mark);
        }
    }
    return found;
}

enum search_way search_branch_way(const struct ir_facts *facts, const struct search_mark *mark,
                                  uint32_t site, bool outcome) {
    uint32_t to = follow(facts, mark, site, successor(facts, site, outcome ? 0 : 1));
    return to == IR_NONE                       ? SEARCH_ON_THE_WAY
           : position(facts, to) == mark->then ? SEARCH_THEN
                                               : SEARCH_ELSE;
}
