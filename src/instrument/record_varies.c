/* SPDX-License-Identifier: Apache-2.0
 *
 * Which values differ from turn to turn of a loop? Those that a phi of its header begins, what
 * calls return, what is read while the loop stores something of the same type, and all that is
 * computed from these.
 */
#include "instrument/record.h"

#include <stdlib.h>

#define MOST_STEPS 200 /* of one question: then the answer is yes */

struct record_varies {
    const struct instrument_map *sites;
    const struct ir_facts *facts;
    LLVMBasicBlockRef *blocks; /* by number; NULL: dropped */
    uint32_t loop, inner;      /* the question; inner: IR_NONE for a call */
    unsigned steps;
};

struct record_varies *record_varies_new(LLVMModuleRef module, const struct instrument_map *sites,
                                        const struct ir_facts *facts) {
    struct record_varies *varies = base_alloc(sizeof *varies);
    varies->sites = sites;
    varies->facts = facts;
    varies->blocks = base_alloc((facts->block_count + 1) * sizeof *varies->blocks);
    for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
         function = LLVMGetNextFunction(function))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
             block = LLVMGetNextBasicBlock(block)) {
            uintptr_t number;
            if (instrument_map_get(sites, block, &number) && number < facts->block_count)
                varies->blocks[number] = block;
        }
    return varies;
}

void record_varies_free(struct record_varies *varies) {
    free(varies->blocks);
    free(varies);
}

static bool is_in(const struct record_varies *varies, LLVMBasicBlockRef block, uint32_t loop) {
    uintptr_t number;
    if (!instrument_map_get(varies->sites, block, &number))
        return false;
    uint32_t at = varies->facts->blocks[number].loop;
    while (at != IR_NONE && at != loop)
        at = varies->facts->loops[at].parent;
    return at == loop;
}

/* Does the loop store anything of this type? Hooks that were added are calls. */
static bool stores_type(const struct record_varies *varies, LLVMTypeRef type) {
    const struct ir_function *function =
        &varies->facts->functions[varies->facts->loops[varies->loop].function];
    for (uint32_t i = 0; i < function->block_count; i++) {
        LLVMBasicBlockRef block = varies->blocks[function->first_block + i];
        if (!block || !is_in(varies, block, varies->loop))
            continue;
        for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
            if (LLVMIsAStoreInst(at) && LLVMTypeOf(LLVMGetOperand(at, 0)) == type)
                return true;
    }
    return false;
}

static bool any_operand(struct record_varies *varies, LLVMValueRef instruction);

/* Memory of the stack may be written by whoever got its address. */
static bool value_varies(struct record_varies *varies, LLVMValueRef value) {
    if (LLVMIsAAllocaInst(value))
        return true;
    if (!LLVMIsAInstruction(value))
        return false;
    if (LLVMIsAGetElementPtrInst(value) && LLVMIsAAllocaInst(LLVMGetOperand(value, 0)))
        return true;
    LLVMBasicBlockRef block = LLVMGetInstructionParent(value);
    if (!is_in(varies, block, varies->loop))
        return false;
    if (++varies->steps > MOST_STEPS || LLVMIsACallInst(value) || LLVMIsAPHINode(value))
        return true;
    if (LLVMIsALoadInst(value) && stores_type(varies, LLVMTypeOf(value)))
        return true;
    return any_operand(varies, value);
}

static bool any_operand(struct record_varies *varies, LLVMValueRef instruction) {
    for (int i = 0; i < LLVMGetNumOperands(instruction); i++)
        if (value_varies(varies, LLVMGetOperand(instruction, (unsigned)i)))
            return true;
    return false;
}

bool record_call_varies(struct record_varies *varies, LLVMValueRef call, uint32_t loop) {
    varies->loop = loop;
    varies->inner = IR_NONE;
    varies->steps = 0;
    return any_operand(varies, call);
}

/* Operands of the inner loop that come from outside of it. */
static bool comes_in(struct record_varies *varies, LLVMValueRef operand) {
    return LLVMIsAInstruction(operand) &&
           !is_in(varies, LLVMGetInstructionParent(operand), varies->inner) &&
           value_varies(varies, operand);
}

static bool block_varies(struct record_varies *varies, LLVMBasicBlockRef block) {
    for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
        for (int i = 0; i < LLVMGetNumOperands(at); i++)
            if (comes_in(varies, LLVMGetOperand(at, (unsigned)i)))
                return true;
    return false;
}

bool record_loop_varies(struct record_varies *varies, uint32_t inner, uint32_t outer) {
    const struct ir_loop *loop = &varies->facts->loops[inner];
    const struct ir_function *function = &varies->facts->functions[loop->function];
    varies->loop = outer;
    varies->inner = inner;
    varies->steps = 0;
    for (uint32_t i = 0; i < function->block_count; i++) {
        LLVMBasicBlockRef block = varies->blocks[function->first_block + i];
        if (block && is_in(varies, block, inner) && block_varies(varies, block))
            return true;
    }
    return false;
}
