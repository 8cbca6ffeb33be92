/* SPDX-License-Identifier: Apache-2.0
 *
 * Which counter does a function's block have, and where in a part? In the whole, counters are
 * elements of one array. In a part, each function has an array of its own, of which the part with
 * the variables says where in the whole one it begins.
 */
#include "instrument/parts.h"

#include <stdlib.h>

uint64_t instrument_slot_of(LLVMValueRef instruction, LLVMValueRef counters) {
    bool is_load = LLVMIsALoadInst(instruction) != NULL;
    if (!is_load && !LLVMIsAStoreInst(instruction))
        return 0;
    LLVMValueRef pointer = LLVMGetOperand(instruction, is_load ? 0 : 1);
    if (!LLVMIsAConstantExpr(pointer) || LLVMGetConstOpcode(pointer) != LLVMGetElementPtr ||
        LLVMGetOperand(pointer, 0) != counters || LLVMGetNumOperands(pointer) != 2)
        return 0;
    uint64_t index = LLVMConstIntGetZExtValue(LLVMGetOperand(pointer, 1));
    return LLVMGetIntTypeWidth(LLVMGetGEPSourceElementType(pointer)) == 64 ? index : index / 8;
}

/* That of the first block that has one: they have their numbers in the order of the blocks. */
uint64_t instrument_first_slot(LLVMValueRef function, LLVMValueRef counters) {
    uint64_t slot = 0;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block && !slot;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef at = LLVMGetFirstInstruction(block); at && !slot;
             at = LLVMGetNextInstruction(at))
            slot = instrument_slot_of(at, counters);
    return slot;
}

void instrument_renumber(LLVMModuleRef module, LLVMValueRef function, LLVMValueRef counters) {
    uint64_t first = instrument_first_slot(function, counters);
    if (!first)
        return;
    LLVMTypeRef word = LLVMInt64TypeInContext(LLVMGetModuleContext(module));
    size_t length;
    char *name = base_format(INSTRUMENT_COUNTS "%s", LLVMGetValueName2(function, &length));
    LLVMValueRef own =
        LLVMAddGlobal(module, LLVMArrayType2(word, LLVMCountBasicBlocks(function)), name);
    LLVMSetVisibility(own, LLVMHiddenVisibility);
    free(name);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef at = LLVMGetFirstInstruction(block); at;
             at = LLVMGetNextInstruction(at)) {
            uint64_t slot = instrument_slot_of(at, counters);
            if (!slot)
                continue;
            LLVMValueRef index = LLVMConstInt(word, slot - first, false);
            LLVMSetOperand(at, LLVMIsALoadInst(at) ? 0 : 1,
                           LLVMConstInBoundsGEP2(word, own, &index, 1));
        }
}
