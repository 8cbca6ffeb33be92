/* SPDX-License-Identifier: Apache-2.0
 *
 * The measuring variant: counters of blocks, numbered as in the facts, and the bytes of memory
 * intrinsics. Blocks whose count follows from others have none (ir/counters.c). Everything else
 * that is reported (instructions, calls, iterations) is a sum of block counts with weights, and so
 * needs no code in the target.
 *
 * A block counts when it is entered. One that is left in its middle, because a function it calls
 * ends the program, has still counted whole.
 */
#include "abi/abi.h"
#include "instrument/internal.h"

#include <string.h>

struct counting {
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMTypeRef i64;
    LLVMValueRef counters;
    unsigned copy, copy_inline, move, set, set_inline;
};

static unsigned intrinsic(const char *name) {
    return LLVMLookupIntrinsicID(name, strlen(name));
}

/* Written out here and not a hook: there are as many as blocks, and inlining them takes a while. */
static void count_block(const struct counting *counting, LLVMBasicBlockRef block, uint32_t slot) {
    LLVMBuilderRef builder = counting->builder;
    LLVMValueRef first = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(first))
        first = LLVMGetNextInstruction(first);
    LLVMPositionBuilderBefore(builder, first);
    LLVMValueRef index = LLVMConstInt(counting->i64, slot, false);
    LLVMValueRef counter = LLVMConstInBoundsGEP2(counting->i64, counting->counters, &index, 1);
    LLVMValueRef count = LLVMBuildLoad2(builder, counting->i64, counter, "");
    count = LLVMBuildAdd(builder, count, LLVMConstInt(counting->i64, 1, false), "");
    LLVMBuildStore(builder, count, counter);
}

static void count_bytes(LLVMValueRef instruction, void *context) {
    const struct counting *counting = context;
    if (!LLVMIsACallInst(instruction))
        return;
    LLVMValueRef callee = LLVMGetCalledValue(instruction);
    unsigned id = LLVMIsAFunction(callee) ? LLVMGetIntrinsicID(callee) : 0;
    if (!id || (id != counting->copy && id != counting->move && id != counting->set &&
                id != counting->copy_inline && id != counting->set_inline))
        return;
    LLVMPositionBuilderBefore(counting->builder, instruction);
    instrument_hook(counting->module, counting->builder, HOOK_BYTES,
                    LLVMBuildZExtOrBitCast(counting->builder, LLVMGetArgOperand(instruction, 2),
                                           counting->i64, ""));
}

/* Whole pages of zeros. What shares the section lies in the order in which it was added. */
static void add_pages(LLVMModuleRef module, const char *name, uint64_t pages) {
    LLVMTypeRef word = LLVMInt64TypeInContext(LLVMGetModuleContext(module));
    LLVMTypeRef array = LLVMArrayType2(word, pages * ABI_PAGE / sizeof(uint64_t));
    LLVMValueRef global = LLVMAddGlobal(module, array, name);
    LLVMSetInitializer(global, LLVMConstNull(array));
    LLVMSetExternallyInitialized(global, true); /* else LLVM runs constructors and counts itself */
    LLVMSetAlignment(global, ABI_PAGE);
    LLVMSetSection(global, ABI_SECTION_COUNTERS);
}

void instrument_add_counters(LLVMModuleRef module, uint32_t slots) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetModuleContext(module));
    /* The runtime maps shared memory over the counters, and closes the pages before and behind. */
    uint64_t pages = (slots * sizeof(uint64_t) + ABI_PAGE - 1) / ABI_PAGE;
    add_pages(module, ABI_SYMBOL_GUARD, 1);
    add_pages(module, ABI_SYMBOL_COUNTERS, pages + 1);
    LLVMValueRef count = LLVMAddGlobal(module, i32, ABI_SYMBOL_SLOT_COUNT);
    LLVMSetInitializer(count, LLVMConstInt(i32, slots, false));
    LLVMSetGlobalConstant(count, true);
}

void instrument_count_blocks(LLVMModuleRef module, const struct instrument_map *sites,
                             uint32_t slots, const struct ir_facts *facts) {
    LLVMContextRef context = LLVMGetModuleContext(module);
    struct counting counting = {.module = module,
                                .builder = LLVMCreateBuilderInContext(context),
                                .i64 = LLVMInt64TypeInContext(context),
                                .copy = intrinsic("llvm.memcpy"),
                                .copy_inline = intrinsic("llvm.memcpy.inline"),
                                .move = intrinsic("llvm.memmove"),
                                .set = intrinsic("llvm.memset"),
                                .set_inline = intrinsic("llvm.memset.inline")};
    instrument_each_instruction(module, count_bytes, &counting);
    instrument_add_counters(module, slots);
    counting.counters = LLVMGetNamedGlobal(module, ABI_SYMBOL_COUNTERS);
    for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
         function = LLVMGetNextFunction(function))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
             block = LLVMGetNextBasicBlock(block)) {
            uintptr_t slot = 0;
            instrument_map_get(sites, block, &slot);
            if (!slot || ir_has_counter(&facts->blocks[slot - 1]))
                count_block(&counting, block, (uint32_t)slot);
        }
    LLVMDisposeBuilder(counting.builder);
}
