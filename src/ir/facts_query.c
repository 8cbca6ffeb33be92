/* SPDX-License-Identifier: Apache-2.0
 *
 * The questions that take more than a look at one array: whom may a call reach, which function has
 * this name, which switch ends a block, does one block dominate another? The answers come from the
 * arrays alone, so they are the same for facts just made and facts loaded from a file.
 */
#include "ir/facts.h"

#include <string.h>

void ir_call_targets(const struct ir_facts *facts, const struct ir_call *call,
                     void (*visit)(uint32_t function, void *context), void *context) {
    if (call->callee != IR_NONE) {
        visit(call->callee, context);
        return;
    }
    for (uint32_t f = 0; f < facts->function_count; f++)
        if (facts->functions[f].address_taken && facts->functions[f].type == call->type)
            visit(f, context);
}

const char *ir_file_folder(const struct ir_facts *facts, uint32_t file) {
    size_t behind = file + strlen(facts->strings + file) + 1;
    return file && behind < facts->string_size ? facts->strings + behind : "";
}

uint32_t ir_find_function(const struct ir_facts *facts, const char *name) {
    for (uint32_t f = 0; f < facts->function_count; f++)
        if (strcmp(facts->strings + facts->functions[f].name, name) == 0)
            return f;
    return IR_NONE;
}

const struct ir_switch *ir_find_switch(const struct ir_facts *facts, uint32_t block) {
    uint32_t low = 0, high = facts->switch_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (facts->switches[middle].block < block)
            low = middle + 1;
        else
            high = middle;
    }
    return low < facts->switch_count && facts->switches[low].block == block ? &facts->switches[low]
                                                                            : NULL;
}

bool ir_dominates(const struct ir_facts *facts, uint32_t a, uint32_t b) {
    while (b != a && b != IR_NONE)
        b = facts->blocks[b].dominator;
    return a == b;
}
