/* SPDX-License-Identifier: Apache-2.0
 *
 * How does one tell, without compiling, that a function is what it was? Everything that LLVM knows
 * of it is written down as numbers: types by their structure, attributes and metadata by what they
 * say, instructions with all their flags, other functions and variables by name.
 *
 * What was written before in the same row is written as its place, so that what refers to itself
 * comes to an end, and two rows are the same exactly if the same things are in the same places.
 * Names of types and of values within a function are left out: they make no code.
 *
 * Invariant: what is not known here in full makes the content unusual, and those who ask then
 * compare bitcode.
 */
#include "instrument/telling.h"

#include <llvm-c/Comdat.h>
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

/* ---- instructions ---- */

static void tell_memory(struct telling *telling, LLVMValueRef at) {
    instrument_tell(telling, LLVMGetAlignment(at));
    instrument_tell(telling, (uint64_t)LLVMGetVolatile(at));
}

static void tell_access(struct telling *telling, LLVMValueRef at) {
    LLVMAtomicOrdering ordering = LLVMGetOrdering(at);
    tell_memory(telling, at);
    instrument_tell(telling, ordering);
    if (ordering != LLVMAtomicOrderingNotAtomic)
        instrument_tell(telling, (uint64_t)LLVMIsAtomicSingleThread(at));
}

static void tell_exchange(struct telling *telling, LLVMValueRef at) {
    tell_memory(telling, at);
    instrument_tell(telling, LLVMGetCmpXchgSuccessOrdering(at));
    instrument_tell(telling, LLVMGetCmpXchgFailureOrdering(at));
    instrument_tell(telling, (uint64_t)LLVMGetWeak(at));
    instrument_tell(telling, (uint64_t)LLVMIsAtomicSingleThread(at));
}

static void tell_call(struct telling *telling, LLVMValueRef at) {
    instrument_tell(telling, LLVMGetInstructionCallConv(at));
    instrument_tell(telling, LLVMGetTailCallKind(at));
    instrument_tell_type(telling, LLVMGetCalledFunctionType(at));
    instrument_tell_attributes(telling, at, LLVMGetNumArgOperands(at));
    if (LLVMGetNumOperandBundles(at))
        instrument_be_unusual(telling);
}

static void tell_indices(struct telling *telling, LLVMValueRef at) {
    unsigned count = LLVMGetNumIndices(at);
    instrument_tell(telling, count);
    for (unsigned i = 0; i < count; i++)
        instrument_tell(telling, LLVMGetIndices(at)[i]);
}

static void tell_mask(struct telling *telling, LLVMValueRef at) {
    unsigned count = LLVMGetNumMaskElements(at);
    instrument_tell(telling, count);
    for (unsigned i = 0; i < count; i++)
        instrument_tell(telling, (uint64_t)LLVMGetMaskValue(at, i));
}

/* What an instruction has besides operands, and type. */
static void tell_details(struct telling *telling, LLVMValueRef at, LLVMOpcode opcode) {
    switch (opcode) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMTrunc:
        instrument_tell(telling, (uint64_t)LLVMGetNUW(at) * 2 + (uint64_t)LLVMGetNSW(at));
        break;
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMLShr:
    case LLVMAShr:
        instrument_tell(telling, (uint64_t)LLVMGetExact(at));
        break;
    case LLVMOr:
        instrument_tell(telling, (uint64_t)LLVMGetIsDisjoint(at));
        break;
    case LLVMZExt:
    case LLVMUIToFP:
        instrument_tell(telling, (uint64_t)LLVMGetNNeg(at));
        break;
    case LLVMICmp:
        instrument_tell(telling, LLVMGetICmpPredicate(at));
        break;
    case LLVMFCmp:
        instrument_tell(telling, LLVMGetFCmpPredicate(at));
        break;
    case LLVMAlloca:
        instrument_tell_type(telling, LLVMGetAllocatedType(at));
        instrument_tell(telling, LLVMGetAlignment(at));
        break;
    case LLVMGetElementPtr:
        instrument_tell_type(telling, LLVMGetGEPSourceElementType(at));
        instrument_tell(telling, LLVMGEPGetNoWrapFlags(at));
        break;
    case LLVMLoad:
    case LLVMStore:
        tell_access(telling, at);
        break;
    case LLVMAtomicRMW:
        instrument_tell(telling, LLVMGetAtomicRMWBinOp(at));
        tell_access(telling, at);
        break;
    case LLVMAtomicCmpXchg:
        tell_exchange(telling, at);
        break;
    case LLVMCall:
        tell_call(telling, at);
        break;
    case LLVMExtractValue:
    case LLVMInsertValue:
        tell_indices(telling, at);
        break;
    case LLVMShuffleVector:
        tell_mask(telling, at);
        break;
    case LLVMPHI:
        for (unsigned i = 0; i < LLVMCountIncoming(at); i++)
            instrument_tell_value(telling, LLVMBasicBlockAsValue(LLVMGetIncomingBlock(at, i)));
        break;
    case LLVMRet:
    case LLVMBr:
    case LLVMSwitch:
    case LLVMIndirectBr:
    case LLVMUnreachable:
    case LLVMURem:
    case LLVMSRem:
    case LLVMAnd:
    case LLVMXor:
    case LLVMFNeg:
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFRem:
    case LLVMSExt:
    case LLVMFPToUI:
    case LLVMFPToSI:
    case LLVMSIToFP:
    case LLVMFPTrunc:
    case LLVMFPExt:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMSelect:
    case LLVMVAArg:
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMFreeze:
        break;
    default:
        instrument_be_unusual(telling);
    }
}

/* Lines are within the function (lines.c), which is not inlined yet. */
static void tell_line(struct telling *telling, LLVMValueRef at) {
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(at);
    if (!location)
        instrument_tell(telling, MARK_NONE);
    if (!location || instrument_is_told(telling, location))
        return;
    instrument_tell(telling, LLVMDILocationGetLine(location));
    instrument_tell(telling, LLVMDILocationGetColumn(location));
    if (LLVMDILocationGetScope(location) != telling->subprogram ||
        LLVMDILocationGetInlinedAt(location))
        instrument_be_unusual(telling);
}

static void tell_instruction(struct telling *telling, LLVMValueRef at) {
    LLVMOpcode opcode = LLVMGetInstructionOpcode(at);
    int count = LLVMGetNumOperands(at);
    uint64_t slot = telling->counters ? instrument_slot_of(at, telling->counters) : 0;
    instrument_tell(telling, opcode);
    instrument_tell_type(telling, LLVMTypeOf(at));
    instrument_tell(telling, (uint64_t)count);
    for (int i = 0; i < count; i++) {
        if (slot && i == count - 1) { /* the pointer */
            instrument_tell(telling, MARK_COUNTER);
            instrument_tell(telling, slot - telling->first_slot);
        } else {
            instrument_tell_value(telling, LLVMGetOperand(at, (unsigned)i));
        }
    }
    tell_details(telling, at, opcode);
    if (LLVMCanValueUseFastMathFlags(at))
        instrument_tell(telling, LLVMGetFastMathFlags(at));
    size_t entry_count;
    LLVMValueMetadataEntry *entries =
        LLVMInstructionGetAllMetadataOtherThanDebugLoc(at, &entry_count);
    instrument_tell_attached(telling, entries, entry_count);
    tell_line(telling, at);
}

/* ---- functions ---- */

/* Those that are referred to before they come have a place as well. */
static void place_all(struct telling *telling, LLVMValueRef function) {
    for (LLVMValueRef at = LLVMGetFirstParam(function); at; at = LLVMGetNextParam(at))
        instrument_map_set(telling->places, at, telling->count++);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block)) {
        instrument_map_set(telling->places, LLVMBasicBlockAsValue(block), telling->count++);
        for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
            instrument_map_set(telling->places, at, telling->count++);
    }
}

/* Of a description, lines.c says the same for each function, but for the name. Others have a line.
 */
static void tell_subprogram(struct telling *telling) {
    LLVMMetadataRef of = telling->subprogram;
    unsigned length = 0;
    instrument_tell(telling, of ? MARK_NEW : MARK_NONE);
    if (!of)
        return;
    LLVMMetadataRef file = LLVMDIScopeGetFile(of);
    if (LLVMDISubprogramGetLine(of) || !file)
        instrument_be_unusual(telling);
    const char *name = file ? LLVMDIFileGetFilename(file, &length) : "";
    instrument_tell_bytes(telling, name, length);
}

void instrument_tell_body(LLVMValueRef function, LLVMValueRef counters,
                          struct instrument_content *content) {
    struct telling telling = instrument_begin_telling(LLVMGetGlobalParent(function), content);
    telling.counters = counters;
    telling.first_slot = counters ? instrument_first_slot(function, counters) : 0;
    telling.subprogram = LLVMGetSubprogram(function);
    place_all(&telling, function);
    tell_subprogram(&telling);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block)) {
        instrument_tell(&telling, MARK_BLOCK);
        for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
            tell_instruction(&telling, at);
    }
    instrument_end_telling(&telling);
}

/* ---- functions and variables as others see them ---- */

static void tell_variable(struct telling *telling, LLVMValueRef variable) {
    instrument_tell(telling, (uint64_t)LLVMIsGlobalConstant(variable));
    instrument_tell(telling, LLVMGetThreadLocalMode(variable));
    instrument_tell(telling, (uint64_t)LLVMIsExternallyInitialized(variable));
}

static void tell_function(struct telling *telling, LLVMValueRef function) {
    instrument_tell(telling, LLVMGetFunctionCallConv(function));
    instrument_tell_text(telling, LLVMGetGC(function));
    instrument_tell_attributes(telling, function, LLVMCountParams(function));
    if (LLVMGetNumOperands(function)) /* a personality, or data before the code */
        instrument_be_unusual(telling);
}

/* What C cannot ask is whether the code may rely on it being near (dso_local). That follows from
 * the flags of the module and from what is told here. */
void instrument_tell_head(LLVMValueRef global, struct instrument_content *content) {
    struct telling telling = instrument_begin_telling(LLVMGetGlobalParent(global), content);
    size_t count;
    instrument_tell(&telling, LLVMGetValueKind(global));
    instrument_tell_type(&telling, LLVMGlobalGetValueType(global));
    instrument_tell(&telling, LLVMGetLinkage(global));
    instrument_tell(&telling, LLVMGetVisibility(global));
    instrument_tell(&telling, LLVMGetDLLStorageClass(global));
    instrument_tell(&telling, LLVMGetUnnamedAddress(global));
    instrument_tell(&telling, LLVMGetAlignment(global));
    instrument_tell_text(&telling, LLVMGetSection(global));
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(global, &count);
    instrument_tell_attached(&telling, entries, count);
    if (LLVMGetComdat(global))
        instrument_be_unusual(&telling);
    if (LLVMIsAFunction(global))
        tell_function(&telling, global);
    else
        tell_variable(&telling, global);
    instrument_end_telling(&telling);
}

void instrument_tell_initializer(LLVMValueRef variable, struct instrument_content *content) {
    struct telling telling = instrument_begin_telling(LLVMGetGlobalParent(variable), content);
    instrument_tell_value(&telling, LLVMGetInitializer(variable));
    instrument_end_telling(&telling);
}

/* ---- the rest of a module ---- */

static void tell_flags(struct telling *telling, LLVMModuleRef module) {
    size_t count, length;
    LLVMModuleFlagEntry *flags = LLVMCopyModuleFlagsMetadata(module, &count);
    instrument_tell(telling, count);
    for (unsigned i = 0; i < count; i++) {
        const char *key = LLVMModuleFlagEntriesGetKey(flags, i, &length);
        instrument_tell_bytes(telling, key, length);
        instrument_tell(telling, LLVMModuleFlagEntriesGetFlagBehavior(flags, i));
        LLVMMetadataRef value = LLVMModuleFlagEntriesGetMetadata(flags, i);
        instrument_tell_value(telling, LLVMMetadataAsValue(telling->context, value));
    }
    LLVMDisposeModuleFlagsMetadata(flags);
}

/* Units of debug information are described by lines.c, the flags above. */
static void tell_named(struct telling *telling, LLVMModuleRef module) {
    for (LLVMNamedMDNodeRef at = LLVMGetFirstNamedMetadata(module); at;
         at = LLVMGetNextNamedMetadata(at)) {
        size_t length;
        const char *name = LLVMGetNamedMetadataName(at, &length);
        if (strcmp(name, "llvm.dbg.cu") == 0 || strcmp(name, "llvm.module.flags") == 0)
            continue;
        unsigned count = LLVMGetNamedMetadataNumOperands(module, name);
        LLVMValueRef *operands = base_alloc(count * sizeof *operands);
        LLVMGetNamedMetadataOperands(module, name, operands);
        instrument_tell_bytes(telling, name, length);
        for (unsigned i = 0; i < count; i++)
            instrument_tell_value(telling, operands[i]);
        free(operands);
    }
}

void instrument_tell_module(LLVMModuleRef module, struct instrument_content *content) {
    struct telling telling = instrument_begin_telling(module, content);
    size_t length;
    instrument_tell_text(&telling, LLVMGetTarget(module));
    instrument_tell_text(&telling, LLVMGetDataLayoutStr(module));
    const char *name = LLVMGetSourceFileName(module, &length);
    instrument_tell_bytes(&telling, name, length);
    tell_flags(&telling, module);
    tell_named(&telling, module);
    instrument_end_telling(&telling);
}
