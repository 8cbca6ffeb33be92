/* SPDX-License-Identifier: Apache-2.0
 *
 * Which calls and loops is a decision made in? A variant of its own tells: functions say when they
 * are entered and left, headers of loops say that they run, and the blocks that a loop is left to
 * say at which depth they lie. What becomes of that is the runtime's affair (sym_loops.c).
 *
 * Only strategies that ask pay for it: these hooks have no fast path.
 */
#include "instrument/symbolic.h"

struct teller {
    struct symbolic *symbolic;
    const struct ir_facts *facts;
    bool *is_exit; /* by block: a loop may be left to it */
};

static bool contains(const struct ir_facts *facts, uint32_t loop, uint32_t block) {
    uint32_t at = facts->blocks[block].loop;
    while (at != IR_NONE && at != loop)
        at = facts->loops[at].parent;
    return at == loop;
}

static void find_exits(struct teller *teller) {
    const struct ir_facts *facts = teller->facts;
    for (uint32_t b = 0; b < facts->block_count; b++) {
        const struct ir_block *block = &facts->blocks[b];
        for (uint32_t i = 0; block->loop != IR_NONE && i < block->successor_count; i++) {
            uint32_t next = facts->successors[block->first_successor + i];
            if (!contains(facts, block->loop, next))
                teller->is_exit[next] = true;
        }
    }
}

/* A call that must be in tail position allows nothing between it and the return. */
static LLVMValueRef end_of_function(LLVMValueRef instruction) {
    LLVMValueRef last = LLVMGetPreviousInstruction(instruction);
    bool is_tail =
        last && LLVMIsACallInst(last) && LLVMGetTailCallKind(last) == LLVMTailCallKindMustTail;
    return is_tail ? last : instruction;
}

static LLVMValueRef start_of_block(LLVMBasicBlockRef block) {
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(at))
        at = LLVMGetNextInstruction(at);
    return at;
}

static void tell_of_block(struct teller *teller, LLVMBasicBlockRef block, uint32_t number) {
    const struct ir_facts *facts = teller->facts;
    struct symbolic *symbolic = teller->symbolic;
    uint32_t loop = facts->blocks[number].loop;
    LLVMValueRef site = symbolic_number(symbolic, number), end = LLVMGetBasicBlockTerminator(block);
    LLVMValueRef depth = symbolic_number(symbolic, loop == IR_NONE ? 0 : facts->loops[loop].depth);
    LLVMPositionBuilderBefore(symbolic->builder, start_of_block(block));
    if (facts->functions[facts->blocks[number].function].first_block == number)
        symbolic_hook(symbolic, HOOK_TELL_CALL, site);
    if (loop != IR_NONE && facts->loops[loop].header == number)
        symbolic_hook(symbolic, HOOK_TELL_TURN, site, depth);
    else if (teller->is_exit[number])
        symbolic_hook(symbolic, HOOK_TELL_LEAVE, depth);
    if (LLVMIsAReturnInst(end)) {
        LLVMPositionBuilderBefore(symbolic->builder, end_of_function(end));
        symbolic_hook(symbolic, HOOK_TELL_RETURN, site);
    }
}

void symbolic_tell_loops(struct symbolic *symbolic, const struct ir_facts *facts) {
    struct base_arena arena = {0};
    struct teller teller = {symbolic, facts,
                            base_arena_alloc(&arena, facts->block_count * sizeof(bool))};
    find_exits(&teller);
    for (LLVMValueRef function = LLVMGetFirstFunction(symbolic->module); function;
         function = LLVMGetNextFunction(function))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
             block = LLVMGetNextBasicBlock(block)) {
            uintptr_t number;
            if (instrument_map_get(symbolic->sites, block, &number) && number < facts->block_count)
                tell_of_block(&teller, block, (uint32_t)number);
        }
    base_arena_done(&arena);
}
