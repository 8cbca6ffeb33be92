/* SPDX-License-Identifier: Apache-2.0
 *
 * How do values of the plain body go on in the body with shadows? What is made in one block of that
 * body and used in another may have been made in the plain body instead. So it lives in a variable
 * of its own, which both write and only the body with shadows reads; shadows are 0 when it begins.
 * LLVM turns these variables into registers again, and finds out by itself what meets where.
 */
#include "instrument/symbolic.h"

#include <stdlib.h>

struct joiner {
    struct symbolic *symbolic;
    const struct symbolic_body *body;
    struct instrument_map *copies; /* own instruction -> that of the plain body */
    LLVMValueRef value, variable;  /* at hand */
    BASE_VECTOR(LLVMValueRef) users;
    BASE_VECTOR(struct read {
        LLVMBasicBlockRef block;
        LLVMValueRef load;
    })
    reads;
};

static LLVMValueRef behind_phis(LLVMValueRef at) {
    while (LLVMIsAPHINode(at))
        at = LLVMGetNextInstruction(at);
    return at;
}

/* Where operand I of USER is used. */
static LLVMBasicBlockRef place_of(LLVMValueRef user, unsigned i) {
    return LLVMIsAPHINode(user) ? LLVMGetIncomingBlock(user, i) : LLVMGetInstructionParent(user);
}

static bool leaves_block(LLVMValueRef value) {
    LLVMBasicBlockRef own = LLVMGetInstructionParent(value);
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAPHINode(user)) {
            if (LLVMGetInstructionParent(user) != own)
                return true;
            continue;
        }
        for (unsigned i = 0; i < LLVMCountIncoming(user); i++)
            if (LLVMGetIncomingValue(user, i) == value && LLVMGetIncomingBlock(user, i) != own)
                return true;
    }
    return false;
}

/* ---- writing ---- */

static void write_behind(struct joiner *joiner, LLVMValueRef value) {
    LLVMPositionBuilderBefore(joiner->symbolic->builder,
                              behind_phis(LLVMGetNextInstruction(value)));
    LLVMBuildStore(joiner->symbolic->builder, value, joiner->variable);
}

static void add_variable(struct joiner *joiner) {
    LLVMTypeRef type = LLVMTypeOf(joiner->value);
    LLVMBuilderRef builder = joiner->symbolic->builder;
    uintptr_t copy;
    LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(joiner->body->entry));
    joiner->variable = LLVMBuildAlloca(builder, type, "");
    if (instrument_map_get(joiner->copies, joiner->value, &copy))
        write_behind(joiner, (LLVMValueRef)copy);
    else {
        LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(joiner->body->entry));
        LLVMBuildStore(builder, LLVMConstNull(type), joiner->variable);
    }
}

/* ---- reading ---- */

/* Once for each block: nobody writes there. */
static LLVMValueRef read_in(struct joiner *joiner, LLVMBasicBlockRef block) {
    for (size_t i = 0; i < joiner->reads.count; i++)
        if (joiner->reads.data[i].block == block)
            return joiner->reads.data[i].load;
    LLVMPositionBuilderBefore(joiner->symbolic->builder,
                              behind_phis(LLVMGetFirstInstruction(block)));
    LLVMValueRef load =
        LLVMBuildLoad2(joiner->symbolic->builder, LLVMTypeOf(joiner->value), joiner->variable, "");
    base_push(&joiner->reads, (struct read){block, load});
    return load;
}

static void list_users(struct joiner *joiner) {
    joiner->users.count = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(joiner->value); use; use = LLVMGetNextUse(use))
        base_push(&joiner->users, LLVMGetUser(use));
}

static void replace_uses(struct joiner *joiner, LLVMValueRef user) {
    LLVMBasicBlockRef own = LLVMGetInstructionParent(joiner->value);
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(user); i++)
        if (LLVMGetOperand(user, i) == joiner->value && place_of(user, i) != own)
            LLVMSetOperand(user, i, read_in(joiner, place_of(user, i)));
}

static void join_value(struct joiner *joiner, LLVMValueRef value) {
    joiner->value = value;
    joiner->reads.count = 0;
    list_users(joiner);
    add_variable(joiner);
    for (size_t i = 0; i < joiner->users.count; i++)
        replace_uses(joiner, joiner->users.data[i]);
    write_behind(joiner, value);
}

static void join_block(struct joiner *joiner, LLVMBasicBlockRef block) {
    for (LLVMValueRef at = LLVMGetFirstInstruction(block), next; at; at = next) {
        next = LLVMGetNextInstruction(at);
        if (leaves_block(at))
            join_value(joiner, at);
    }
}

void symbolic_join(struct symbolic *symbolic, const struct symbolic_body *body,
                   LLVMBasicBlockRef prologue) {
    struct joiner joiner = {.symbolic = symbolic, .body = body, .copies = instrument_map_new()};
    for (size_t i = 0; i < body->code.count; i++)
        instrument_map_set(joiner.copies, body->code.data[i].own,
                           (uintptr_t)body->code.data[i].copy);
    join_block(&joiner, prologue);
    for (size_t i = 0; i < body->parts.count; i++)
        join_block(&joiner, body->parts.data[i].block);
    base_vector_done(&joiner.users);
    base_vector_done(&joiner.reads);
    instrument_map_free(joiner.copies);
}
