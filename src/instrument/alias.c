/* SPDX-License-Identifier: Apache-2.0
 *
 * Why a counter in a loop costs nothing: type-based alias metadata says that counters are a type
 * of their own, a sibling of "omnipotent char" below the root that clang uses, so that no access
 * of the program overlaps with them. Accesses of the program without metadata get char's, which
 * overlaps with everything else of the program. LLVM then keeps a counter in a register within a
 * loop and adds a closed form after it. Calls still see all memory, so that counters are exact at
 * each call, and thereby at exit, longjmp and the like.
 */
#include "abi/abi.h"
#include "instrument/internal.h"

#include <string.h>

struct tags {
    LLVMValueRef counters, arguments, results, given; /* the globals; NULL if not there */
    LLVMValueRef counter_tag, char_tag;
    unsigned kind;
};

static LLVMMetadataRef text_node(LLVMContextRef context, const char *text) {
    return LLVMMDStringInContext2(context, text, strlen(text));
}

/* The access tag of a scalar type NAME directly below clang's root for C. */
static LLVMValueRef scalar_tag(LLVMContextRef context, const char *name) {
    LLVMMetadataRef zero =
        LLVMValueAsMetadata(LLVMConstInt(LLVMInt64TypeInContext(context), 0, false));
    LLVMMetadataRef root_name = text_node(context, "Simple C/C++ TBAA");
    LLVMMetadataRef root = LLVMMDNodeInContext2(context, &root_name, 1);
    LLVMMetadataRef type_parts[] = {text_node(context, name), root, zero};
    LLVMMetadataRef type = LLVMMDNodeInContext2(context, type_parts, 3);
    LLVMMetadataRef tag_parts[] = {type, type, zero};
    return LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, tag_parts, 3));
}

LLVMValueRef instrument_counter_tag(LLVMContextRef context) {
    return scalar_tag(context, "slowpath counter");
}

/* Hooks touch nothing but our own memory: counters, marks, shadows on their way. */
static bool is_in_hook(LLVMValueRef instruction) {
    size_t length;
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
    return instrument_is_hook(LLVMGetValueName2(function, &length));
}

static bool is_ours(const struct tags *tags, LLVMValueRef pointer) {
    if (LLVMIsAGetElementPtrInst(pointer) ||
        (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr))
        pointer = LLVMGetOperand(pointer, 0);
    return pointer == tags->counters || pointer == tags->arguments || pointer == tags->results ||
           pointer == tags->given;
}

static void tag_access(LLVMValueRef instruction, void *context) {
    const struct tags *tags = context;
    LLVMValueRef pointer = NULL;
    if (LLVMIsALoadInst(instruction))
        pointer = LLVMGetOperand(instruction, 0);
    else if (LLVMIsAStoreInst(instruction))
        pointer = LLVMGetOperand(instruction, 1);
    else if (!LLVMIsAMemIntrinsic(instruction))
        return;
    if (pointer && (is_ours(tags, pointer) || is_in_hook(instruction)))
        LLVMSetMetadata(instruction, tags->kind, tags->counter_tag);
    else if (!LLVMGetMetadata(instruction, tags->kind))
        LLVMSetMetadata(instruction, tags->kind, tags->char_tag);
}

void instrument_separate_counters(LLVMModuleRef module) {
    LLVMContextRef context = LLVMGetModuleContext(module);
    struct tags tags = {.counters = LLVMGetNamedGlobal(module, ABI_SYMBOL_COUNTERS),
                        .arguments = LLVMGetNamedGlobal(module, "__slowpath_sym_args"),
                        .results = LLVMGetNamedGlobal(module, "__slowpath_sym_results"),
                        .given = LLVMGetNamedGlobal(module, "__slowpath_sym_given"),
                        .counter_tag = instrument_counter_tag(context),
                        .char_tag = scalar_tag(context, "omnipotent char"),
                        .kind = LLVMGetMDKindIDInContext(context, "tbaa", 4)};
    instrument_each_instruction(module, tag_access, &tags);
}
