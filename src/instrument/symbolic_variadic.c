/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments behind the `...` of a function. Their values travel in registers and on the stack by
 * the rules of x86-64, and va_arg has become plain loads from where va_start says they lie. So the
 * caller puts their shadows beside those of the named arguments, and says how many there are and
 * which are floating-point numbers; the callee keeps that in its frame, and va_start lays the
 * shadows beneath the values (runtime/sym_variadic.c).
 *
 * An argument that is neither (a struct in memory, a long double) is fixed, and so are all behind
 * it.
 */
#include "instrument/symbolic.h"

static unsigned by_value_kind(void) {
    return LLVMGetEnumAttributeKindForName("byval", 5);
}

static bool is_floating(LLVMValueRef argument) {
    return LLVMGetTypeKind(LLVMTypeOf(argument)) == LLVMDoubleTypeKind;
}

static bool travels(const struct symbolic *symbolic, LLVMValueRef call, unsigned index) {
    return index < SYMBOLIC_ARGUMENTS &&
           !LLVMGetCallSiteEnumAttribute(call, index + 1, by_value_kind()) &&
           symbolic_width(symbolic, LLVMTypeOf(LLVMGetArgOperand(call, index)));
}

/* Fixes an argument, and what it holds when it is a struct. */
static void fix_argument(struct symbolic *symbolic, LLVMValueRef call, unsigned index) {
    LLVMValueRef argument = LLVMGetArgOperand(call, index);
    LLVMAttributeRef by_value = LLVMGetCallSiteEnumAttribute(call, index + 1, by_value_kind());
    symbolic_fix(symbolic, argument);
    if (by_value) {
        uint64_t size = LLVMABISizeOfType(symbolic->layout, LLVMGetTypeAttributeValue(by_value));
        symbolic_hook(symbolic, HOOK_FIX_MEMORY, argument, symbolic_long(symbolic, size));
    }
}

unsigned symbolic_give_variadic(struct symbolic *symbolic, LLVMValueRef call, unsigned fixed) {
    unsigned count = LLVMGetNumArgOperands(call), end = fixed;
    uint64_t floating = 0;
    for (; end < count && travels(symbolic, call, end); end++)
        floating |= (uint64_t)is_floating(LLVMGetArgOperand(call, end)) << end;
    for (unsigned i = end; i < count; i++)
        fix_argument(symbolic, call, i);
    symbolic_hook(symbolic, HOOK_GIVE_VARIADIC, symbolic_number(symbolic, fixed),
                  symbolic_number(symbolic, end), symbolic_long(symbolic, floating));
    return end;
}

void symbolic_enter_variadic(struct symbolic *symbolic) {
    LLVMTypeRef type = LLVMArrayType2(symbolic->i64, SYMBOLIC_VARIADIC_WORDS);
    symbolic->variadic = LLVMBuildAlloca(symbolic->builder, type, "");
    symbolic_hook(symbolic, HOOK_KEEP_VARIADIC, symbolic->variadic);
}

void symbolic_start_variadic(struct symbolic *symbolic, LLVMValueRef call) {
    LLVMPositionBuilderBefore(symbolic->builder, LLVMGetNextInstruction(call));
    symbolic_hook(symbolic, HOOK_START_VARIADIC, LLVMGetArgOperand(call, 0), symbolic->variadic);
}
