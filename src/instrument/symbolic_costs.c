/* SPDX-License-Identifier: Apache-2.0
 *
 * What does the run cost, while a function of the program runs? It keeps the sum, and the number of
 * its call, in a struct abi_here of its own, which LLVM takes apart into registers: a block costs
 * an addition at most, and hooks that find nothing symbolic do not look at it. The sum goes to the
 * runtime before anything that may ask: a call, a return, a hook with something to do. What is
 * called may add to it, so it is taken back afterwards; the runtime's own functions never do.
 */
#include "abi/shadow.h"
#include "instrument/symbolic.h"

#include <stddef.h>

static LLVMValueRef shared_number(const struct symbolic *symbolic, const char *name) {
    LLVMValueRef number = LLVMAddGlobal(symbolic->module, symbolic->i64, name);
    LLVMSetVisibility(number, LLVMHiddenVisibility);
    return number;
}

void symbolic_find_costs(struct symbolic *symbolic) {
    symbolic->cost = shared_number(symbolic, "__slowpath_sym_cost");
    symbolic->frame = shared_number(symbolic, "__slowpath_sym_frame");
    symbolic->counter_tag = instrument_counter_tag(symbolic->context);
}

static LLVMValueRef tagged(const struct symbolic *symbolic, LLVMValueRef access) {
    LLVMSetMetadata(access, LLVMGetMDKindIDInContext(symbolic->context, "tbaa", 4),
                    symbolic->counter_tag);
    return access;
}

static LLVMValueRef get(struct symbolic *symbolic, LLVMValueRef from) {
    return tagged(symbolic, LLVMBuildLoad2(symbolic->builder, symbolic->i64, from, ""));
}

static void put(struct symbolic *symbolic, LLVMValueRef to, LLVMValueRef number) {
    tagged(symbolic, LLVMBuildStore(symbolic->builder, number, to));
}

static LLVMValueRef own_frame(struct symbolic *symbolic) {
    LLVMValueRef offset = symbolic_long(symbolic, offsetof(struct abi_here, frame));
    return LLVMBuildGEP2(symbolic->builder, symbolic->i8, symbolic->here, &offset, 1, "");
}

void symbolic_enter_costs(struct symbolic *symbolic, LLVMValueRef first) {
    symbolic->here = symbolic->null;
    if (symbolic_site(symbolic, first) >= symbolic->program_sites)
        return;
    LLVMTypeRef type = LLVMArrayType2(symbolic->i64, sizeof(struct abi_here) / sizeof(uint64_t));
    LLVMValueRef here = LLVMBuildAlloca(symbolic->builder, type, "");
    LLVMValueRef frame = symbolic_hook(symbolic, HOOK_ENTER);
    symbolic->here = here;
    put(symbolic, own_frame(symbolic), frame);
    symbolic_take_cost(symbolic);
}

/* ---- telling ---- */

void symbolic_add_cost(struct symbolic *symbolic, LLVMValueRef amount) {
    LLVMValueRef so_far = get(symbolic, symbolic->here);
    put(symbolic, symbolic->here, LLVMBuildAdd(symbolic->builder, so_far, amount, ""));
}

void symbolic_tell_cost(struct symbolic *symbolic) {
    if (symbolic->here != symbolic->null)
        put(symbolic, symbolic->cost, get(symbolic, symbolic->here));
}

void symbolic_tell_frame(struct symbolic *symbolic) {
    if (symbolic->here != symbolic->null)
        put(symbolic, symbolic->frame, get(symbolic, own_frame(symbolic)));
}

void symbolic_take_cost(struct symbolic *symbolic) {
    if (symbolic->here != symbolic->null)
        put(symbolic, symbolic->here, get(symbolic, symbolic->cost));
}

/* ---- hooks ---- */

#define MAX_ARGUMENTS 16

LLVMValueRef symbolic_call_hook(struct symbolic *symbolic, enum instrument_hook which,
                                const LLVMValueRef *arguments) {
    LLVMValueRef all[MAX_ARGUMENTS] = {NULL};
    unsigned count = 0;
    for (; arguments[count]; count++)
        all[count] = arguments[count];
    if (instrument_takes_here(which))
        all[count] = symbolic->here;
    else if (!instrument_is_inline(which)) {
        symbolic_tell_cost(symbolic);
        symbolic_tell_frame(symbolic);
    }
    return instrument_call_hook(symbolic->module, symbolic->builder, which, all);
}
