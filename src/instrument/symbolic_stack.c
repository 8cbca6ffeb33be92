/* SPDX-License-Identifier: Apache-2.0
 *
 * Where do variables on the stack begin and end? Code that names a variable knows its size. Others
 * get a pointer to it, so the runtime is told of each array and struct whose address goes
 * elsewhere: a list that grows with the stack and shrinks with it, also when longjmp skips returns.
 * As with global variables there is a gap behind each.
 */
#include "instrument/symbolic.h"

#include <stdlib.h>
#include <string.h>

#define GAP 16 /* bytes */

/* ---- which variables ---- */

static bool is_marker(LLVMValueRef call) {
    size_t length;
    LLVMValueRef callee = LLVMGetCalledValue(call);
    const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
    return strncmp(name, "llvm.lifetime.", 14) == 0 || strncmp(name, "llvm.dbg.", 9) == 0;
}

/* Does the address go anywhere but into loads and stores of this function? */
static bool goes_elsewhere(LLVMValueRef pointer) {
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsALoadInst(user) || (LLVMIsACallInst(user) && is_marker(user)) ||
            (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != pointer))
            continue;
        if (!LLVMIsAGetElementPtrInst(user) || goes_elsewhere(user))
            return true;
    }
    return false;
}

static bool is_told(LLVMValueRef variable) {
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetAllocatedType(variable));
    LLVMValueRef count = LLVMGetOperand(variable, 0);
    return (kind == LLVMArrayTypeKind || kind == LLVMStructTypeKind) && LLVMIsAConstantInt(count) &&
           LLVMConstIntGetZExtValue(count) == 1 && goes_elsewhere(variable);
}

static void list_variables(LLVMValueRef function, struct symbolic_values *found) {
    for (LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)); at;
         at = LLVMGetNextInstruction(at))
        if (LLVMIsAAllocaInst(at) && is_told(at))
            base_push(found, at);
}

/* ---- room behind each ---- */

/* The whole call long: a place that two of them take turns in would have two sizes. */
static void drop_markers(LLVMValueRef variable) {
    struct symbolic_values markers = {0};
    for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use))
        if (LLVMIsACallInst(LLVMGetUser(use)) && is_marker(LLVMGetUser(use)))
            base_push(&markers, LLVMGetUser(use));
    for (size_t i = 0; i < markers.count; i++)
        LLVMInstructionEraseFromParent(markers.data[i]);
    base_vector_done(&markers);
}

static LLVMValueRef pad_variable(const struct symbolic *symbolic, LLVMValueRef variable) {
    LLVMTypeRef type = LLVMGetAllocatedType(variable);
    LLVMTypeRef parts[] = {type, LLVMArrayType2(symbolic->i8, GAP)};
    LLVMTypeRef padded = LLVMStructTypeInContext(symbolic->context, parts, 2, false);
    drop_markers(variable);
    LLVMPositionBuilderBefore(symbolic->builder, variable);
    LLVMValueRef copy = LLVMBuildAlloca(symbolic->builder, padded, "");
    LLVMSetAlignment(copy, LLVMGetAlignment(variable));
    LLVMReplaceAllUsesWith(variable, copy);
    LLVMInstructionEraseFromParent(variable);
    instrument_map_set(symbolic->globals, copy, LLVMABISizeOfType(symbolic->layout, type));
    return copy;
}

/* ---- in and out ---- */

static bool returns_twice(LLVMValueRef call) {
    static const char name[] = "returns_twice";
    unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof name - 1);
    LLVMValueRef callee = LLVMIsACallInst(call) ? LLVMGetCalledValue(call) : NULL;
    return callee && (LLVMGetCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind) ||
                      (LLVMIsAFunction(callee) &&
                       LLVMGetEnumAttributeAtIndex(callee, LLVMAttributeFunctionIndex, kind)));
}

/* No instruction may come between such a call and its return. */
static LLVMValueRef before_return(LLVMValueRef instruction) {
    LLVMValueRef call = LLVMGetPreviousInstruction(instruction);
    return call && LLVMIsACallInst(call) && LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail
               ? call
               : instruction;
}

/* Every way out: the list is as it was. After setjmp it is as it was at the first time. */
static void shrink_list(struct symbolic *symbolic, LLVMValueRef before, LLVMValueRef own) {
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(symbolic->function); block;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef at = LLVMGetFirstInstruction(block); at;
             at = LLVMGetNextInstruction(at)) {
            bool is_return = LLVMIsAReturnInst(at) != NULL;
            if (!is_return && !returns_twice(at))
                continue;
            LLVMPositionBuilderBefore(symbolic->builder,
                                      is_return ? before_return(at) : LLVMGetNextInstruction(at));
            symbolic_hook(symbolic, HOOK_STACK_LEAVE, is_return ? before : own);
        }
}

static bool calls_setjmp(LLVMValueRef function) {
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
            if (returns_twice(at))
                return true;
    return false;
}

/* Stacks that are left and come back do not grow and shrink like one. */
static bool has_many_stacks(const struct symbolic *symbolic) {
    return LLVMGetNamedFunction(symbolic->module, "swapcontext") ||
           LLVMGetNamedFunction(symbolic->module, "setcontext");
}

void symbolic_pad_stack(struct symbolic *symbolic, LLVMValueRef function,
                        struct symbolic_values *found) {
    if (has_many_stacks(symbolic))
        return;
    list_variables(function, found);
    for (size_t i = 0; i < found->count; i++)
        found->data[i] = pad_variable(symbolic, found->data[i]);
}

void symbolic_tell_stack(struct symbolic *symbolic, const struct symbolic_values *found) {
    if (!found->count && !calls_setjmp(symbolic->function))
        return;
    LLVMValueRef entry = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(symbolic->function));
    LLVMPositionBuilderBefore(symbolic->builder,
                              found->count ? LLVMGetNextInstruction(found->data[found->count - 1])
                                           : entry);
    LLVMValueRef before = symbolic_hook(symbolic, HOOK_STACK_ENTER), own = before;
    for (size_t i = 0; i < found->count; i++) {
        uintptr_t size = 0;
        instrument_map_get(symbolic->globals, found->data[i], &size);
        own = symbolic_hook(symbolic, HOOK_STACK_OBJECT, own, found->data[i],
                            symbolic_long(symbolic, size));
    }
    shrink_list(symbolic, before, own);
}
