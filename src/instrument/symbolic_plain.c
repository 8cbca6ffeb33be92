/* SPDX-License-Identifier: Apache-2.0
 *
 * Two bodies of one function: a plain one, in which all values are concrete, and one with shadows.
 * A call begins in the plain body unless an argument is symbolic, and goes over to the other where
 * it is about to load something symbolic or gets it as a result; it never comes back. So shadows
 * take no registers and no time before there are any: the plain body looks at marks, and that is
 * all.
 *
 * Blocks are cut into parts where the plain body may be left: before loads, and behind calls. A
 * part looks at the marks of several loads at once. In the plain body it first computes all of
 * their addresses, then looks, then loads; the other body does the part from its start. That is the
 * same, since what was computed has no effect and does not depend on what is loaded.
 *
 * symbolic_join.c lets the values of the plain body go on in the other.
 */
#include "instrument/symbolic.h"

#include <stdlib.h>

/* ---- which functions ---- */

static bool returns_twice(LLVMValueRef call) {
    static const char name[] = "returns_twice";
    unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof name - 1);
    LLVMValueRef callee = LLVMGetCalledValue(call);
    return LLVMGetCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind) ||
           (LLVMIsAFunction(callee) &&
            LLVMGetEnumAttributeAtIndex(callee, LLVMAttributeFunctionIndex, kind));
}

static bool allows_copy(LLVMValueRef instruction) {
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMIndirectBr:
    case LLVMInvoke:
    case LLVMCallBr:
        return false;
    case LLVMCall:
        return !returns_twice(instruction);
    default:
        return true;
    }
}

/* A label whose address is taken would be there twice. */
static bool is_label(LLVMBasicBlockRef block) {
    LLVMValueRef value = LLVMBasicBlockAsValue(block);
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
        if (!LLVMIsAInstruction(LLVMGetUser(use)))
            return true;
    return false;
}

bool symbolic_may_be_plain(const struct symbolic *symbolic, LLVMValueRef function) {
    if (symbolic->tells_loops)
        return false;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block)) {
        if (is_label(block))
            return false;
        for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
            if (!allows_copy(at))
                return false;
    }
    return true;
}

/* ---- parts ---- */

/* It has no effect and cannot fail: it may be done earlier, and again. */
static bool is_pure(LLVMValueRef instruction) {
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMICmp:
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMBitCast:
    case LLVMSelect:
    case LLVMGetElementPtr:
    case LLVMFreeze:
    case LLVMExtractValue:
    case LLVMInsertValue:
    case LLVMFCmp:
    case LLVMFNeg:
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFPTrunc:
    case LLVMFPExt:
    case LLVMSIToFP:
    case LLVMUIToFP:
        return true;
    default:
        return false;
    }
}

struct cutter {
    struct symbolic *symbolic;
    struct symbolic_body *body;
    struct instrument_map *loaded; /* what depends on the loads of the part at hand */
    bool looks;                    /* another load may join them */
    uint32_t access;               /* loads and stores of the block so far */
};

static struct symbolic_part *last_part(struct cutter *cutter) {
    return &cutter->body->parts.data[cutter->body->parts.count - 1];
}

static void begin_part(struct cutter *cutter, LLVMBasicBlockRef block) {
    size_t at = cutter->body->code.count;
    base_push(
        &cutter->body->parts,
        (struct symbolic_part){.block = block, .first = at, .end = at, .access = cutter->access});
    cutter->looks = false;
}

static bool is_loaded(const struct cutter *cutter, LLVMValueRef value) {
    uintptr_t unused;
    return instrument_map_get(cutter->loaded, value, &unused);
}

static bool uses_loaded(const struct cutter *cutter, LLVMValueRef instruction) {
    for (int i = 0; i < LLVMGetNumOperands(instruction); i++)
        if (is_loaded(cutter, LLVMGetOperand(instruction, (unsigned)i)))
            return true;
    return false;
}

/* It is to be done once, and where it stands. */
static bool is_delicate(LLVMValueRef load) {
    return LLVMGetVolatile(load) || LLVMGetOrdering(load) != LLVMAtomicOrderingNotAtomic;
}

/* A load that may find something symbolic: the part that it is in looks, a new one if need be. */
static void look_at(struct cutter *cutter, LLVMValueRef load) {
    if (!cutter->looks || is_delicate(load) || uses_loaded(cutter, load)) {
        struct symbolic_part *part = last_part(cutter);
        if (part->begins || part->first != cutter->body->code.count) /* costs are counted once */
            begin_part(cutter, part->block);
        instrument_map_clear(cutter->loaded);
    }
    last_part(cutter)->looks = true;
    cutter->looks = !is_delicate(load);
    instrument_map_set(cutter->loaded, load, 1);
}

/* Loads from variables that nobody writes to need no look, but do not come before one either. */
static void cut_instruction(struct cutter *cutter, LLVMValueRef instruction) {
    bool is_early = false;
    bool is_looked_at =
        LLVMIsALoadInst(instruction) && symbolic_is_looked_at(cutter->symbolic, instruction);
    if (is_looked_at)
        look_at(cutter, instruction);
    else if (!is_pure(instruction))
        cutter->looks = false;
    else if (cutter->looks && uses_loaded(cutter, instruction))
        instrument_map_set(cutter->loaded, instruction, 1);
    else
        is_early = cutter->looks;
    base_push(&cutter->body->code,
              (struct symbolic_code){instruction, NULL, is_early, is_looked_at});
    last_part(cutter)->end = cutter->body->code.count;
    cutter->access += LLVMIsALoadInst(instruction) || LLVMIsAStoreInst(instruction);
}

static void cut_block(struct cutter *cutter, LLVMBasicBlockRef block) {
    cutter->access = 0;
    begin_part(cutter, block);
    last_part(cutter)->begins = true;
    for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at)) {
        cut_instruction(cutter, at);
        if (symbolic_gives_result(cutter->symbolic, at)) {
            last_part(cutter)->calls = true;
            begin_part(cutter, block);
        }
    }
}

/* ---- cutting ---- */

/* Whatever leads to FROM leads to TO. */
static void redirect(LLVMBasicBlockRef from, LLVMBasicBlockRef to) {
    LLVMValueRef old = LLVMBasicBlockAsValue(from), new = LLVMBasicBlockAsValue(to);
    for (LLVMUseRef use; (use = LLVMGetFirstUse(old));) {
        LLVMValueRef user = LLVMGetUser(use);
        for (int i = 0; i < LLVMGetNumOperands(user); i++)
            if (LLVMGetOperand(user, (unsigned)i) == old)
                LLVMSetOperand(user, (unsigned)i, new);
    }
}

static void move(LLVMBuilderRef builder, LLVMValueRef instruction) {
    LLVMInstructionRemoveFromParent(instruction);
    LLVMInsertIntoBuilder(builder, instruction);
}

static void set_site(struct symbolic *symbolic, LLVMBasicBlockRef block, LLVMBasicBlockRef like) {
    uintptr_t site = 0;
    instrument_map_get(symbolic->sites, like, &site);
    instrument_map_set(symbolic->sites, block, site);
}

/* The last part keeps the block: what follows knows it by that. */
static void split_block(struct symbolic *symbolic, LLVMBuilderRef builder,
                        struct symbolic_body *body, size_t first, size_t end) {
    LLVMBasicBlockRef last = body->parts.data[first].block, before = NULL;
    for (size_t i = first; i + 1 < end; i++) {
        struct symbolic_part *part = &body->parts.data[i];
        part->block = LLVMInsertBasicBlockInContext(symbolic->context, last, "");
        set_site(symbolic, part->block, last);
        if (before) {
            LLVMPositionBuilderAtEnd(builder, before);
            LLVMBuildBr(builder, part->block);
        } else
            redirect(last, part->block);
        LLVMPositionBuilderAtEnd(builder, part->block);
        for (size_t at = part->first; at < part->end; at++)
            move(builder, body->code.data[at].own);
        before = part->block;
    }
    if (before) {
        LLVMPositionBuilderAtEnd(builder, before);
        LLVMBuildBr(builder, last);
    }
}

static void split_blocks(struct symbolic *symbolic, LLVMBuilderRef builder,
                         struct symbolic_body *body) {
    for (size_t i = 0, end; i < body->parts.count; i = end) {
        for (end = i + 1; end < body->parts.count && !body->parts.data[end].begins;)
            end++;
        split_block(symbolic, builder, body, i, end);
    }
}

/* ---- copying ---- */

static LLVMValueRef copy_of(const struct instrument_map *copies, LLVMValueRef value) {
    uintptr_t copy;
    return instrument_map_get(copies, value, &copy) ? (LLVMValueRef)copy : value;
}

static void copy_instruction(LLVMBuilderRef builder, struct instrument_map *copies,
                             struct symbolic_code *code) {
    code->copy = LLVMIsAPHINode(code->own) ? LLVMBuildPhi(builder, LLVMTypeOf(code->own), "")
                                           : LLVMInstructionClone(code->own);
    if (!LLVMIsAPHINode(code->own))
        LLVMInsertIntoBuilder(builder, code->copy);
    instrument_map_set(copies, code->own, (uintptr_t)code->copy);
}

static void copy_codes(LLVMBuilderRef builder, struct instrument_map *copies,
                       struct symbolic_body *body, const struct symbolic_part *part,
                       bool is_early) {
    for (size_t i = part->first; i < part->end; i++)
        if (body->code.data[i].is_early == is_early)
            copy_instruction(builder, copies, &body->code.data[i]);
}

static LLVMBasicBlockRef add_block(struct symbolic *symbolic, const struct symbolic_part *part) {
    LLVMBasicBlockRef block =
        LLVMAppendBasicBlockInContext(symbolic->context, symbolic->function, "");
    set_site(symbolic, block, part->block);
    return block;
}

static void copy_part(struct symbolic *symbolic, LLVMBuilderRef builder,
                      struct instrument_map *copies, struct symbolic_body *body,
                      struct symbolic_part *part) {
    part->plain = part->plain_end = add_block(symbolic, part);
    instrument_map_set(copies, part->block, (uintptr_t)part->plain);
    LLVMPositionBuilderAtEnd(builder, part->plain);
    copy_codes(builder, copies, body, part, true);
    if (part->looks) {
        part->plain_end = add_block(symbolic, part);
        LLVMBuildBr(builder, part->plain_end);
        LLVMPositionBuilderAtEnd(builder, part->plain_end);
    }
    copy_codes(builder, copies, body, part, false);
}

/* Of a block, the last part's end leads on. */
static void copy_phi(const struct instrument_map *copies, const struct instrument_map *ends,
                     const struct symbolic_code *code) {
    for (unsigned i = 0; i < LLVMCountIncoming(code->own); i++) {
        uintptr_t end;
        if (!instrument_map_get(ends, LLVMGetIncomingBlock(code->own, i), &end))
            continue; /* nothing leads there */
        LLVMValueRef value = copy_of(copies, LLVMGetIncomingValue(code->own, i));
        LLVMBasicBlockRef block = (LLVMBasicBlockRef)end;
        LLVMAddIncoming(code->copy, &value, &block, 1);
    }
}

static void redirect_copy(const struct instrument_map *copies, LLVMValueRef copy) {
    for (int i = 0; i < LLVMGetNumOperands(copy); i++) {
        LLVMValueRef operand = LLVMGetOperand(copy, (unsigned)i);
        uintptr_t other;
        if (LLVMValueIsBasicBlock(operand)) {
            if (instrument_map_get(copies, LLVMValueAsBasicBlock(operand), &other))
                LLVMSetOperand(copy, (unsigned)i, LLVMBasicBlockAsValue((LLVMBasicBlockRef)other));
        } else if (instrument_map_get(copies, operand, &other))
            LLVMSetOperand(copy, (unsigned)i, (LLVMValueRef)other);
    }
}

static void copy_parts(struct symbolic *symbolic, LLVMBuilderRef builder,
                       struct symbolic_body *body) {
    struct instrument_map *copies = instrument_map_new(), *ends = instrument_map_new();
    for (size_t i = 0; i < body->parts.count; i++) {
        struct symbolic_part *part = &body->parts.data[i];
        copy_part(symbolic, builder, copies, body, part);
        instrument_map_set(ends, part->block, (uintptr_t)part->plain_end);
    }
    for (size_t i = 0; i < body->parts.count; i++) {
        struct symbolic_part *part = &body->parts.data[i];
        LLVMBasicBlockRef next = i + 1 < body->parts.count ? part[1].plain : NULL;
        if (!LLVMGetBasicBlockTerminator(part->plain_end)) {
            LLVMPositionBuilderAtEnd(builder, part->plain_end);
            LLVMBuildBr(builder, next);
        }
    }
    for (size_t i = 0; i < body->code.count; i++)
        if (LLVMIsAPHINode(body->code.data[i].own))
            copy_phi(copies, ends, &body->code.data[i]);
        else
            redirect_copy(copies, body->code.data[i].copy);
    instrument_map_free(copies);
    instrument_map_free(ends);
}

/* Variables are the same in both bodies. */
static void add_entry(struct symbolic *symbolic, LLVMBuilderRef builder,
                      struct symbolic_body *body) {
    LLVMBasicBlockRef first = LLVMGetEntryBasicBlock(symbolic->function);
    body->entry = LLVMInsertBasicBlockInContext(symbolic->context, first, "");
    set_site(symbolic, body->entry, first);
    LLVMPositionBuilderAtEnd(builder, body->entry);
    for (LLVMValueRef at = LLVMGetFirstInstruction(first), next; at; at = next) {
        next = LLVMGetNextInstruction(at);
        if (!LLVMIsAAllocaInst(at) || !LLVMIsConstant(LLVMGetOperand(at, 0)))
            continue;
        body->moved_cost += ir_counts(at);
        move(builder, at);
    }
    LLVMBuildBr(builder, first);
}

void symbolic_cut(struct symbolic *symbolic, LLVMBasicBlockRef *blocks, size_t count,
                  struct symbolic_body *body) {
    struct cutter cutter = {.symbolic = symbolic, .body = body, .loaded = instrument_map_new()};
    /* One that has no place yet, so that what is moved keeps its line. */
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(symbolic->context);
    add_entry(symbolic, builder, body);
    for (size_t i = 0; i < count; i++)
        cut_block(&cutter, blocks[i]);
    split_blocks(symbolic, builder, body);
    copy_parts(symbolic, builder, body);
    LLVMDisposeBuilder(builder);
    instrument_map_free(cutter.loaded);
}

/* ---- going over ---- */

static void set_unlikely(struct symbolic *symbolic, LLVMValueRef branch) {
    LLVMMetadataRef parts[] = {LLVMMDStringInContext2(symbolic->context, "branch_weights", 14),
                               LLVMValueAsMetadata(symbolic_number(symbolic, 1)),
                               LLVMValueAsMetadata(symbolic_number(symbolic, 2000))};
    LLVMSetMetadata(
        branch, LLVMGetMDKindIDInContext(symbolic->context, "prof", 4),
        LLVMMetadataAsValue(symbolic->context, LLVMMDNodeInContext2(symbolic->context, parts, 3)));
}

/* At the end of FROM: to SHADOWED unless ANY is 0. */
static void go_over(struct symbolic *symbolic, LLVMBasicBlockRef from, LLVMValueRef any,
                    LLVMBasicBlockRef shadowed) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
    LLVMBasicBlockRef next = LLVMGetSuccessor(end, 0);
    LLVMValueRef is_any =
        LLVMBuildICmp(symbolic->builder, LLVMIntNE, any, LLVMConstNull(LLVMTypeOf(any)), "");
    set_unlikely(symbolic, LLVMBuildCondBr(symbolic->builder, is_any, shadowed, next));
    LLVMInstructionEraseFromParent(end);
}

static void go_over_at_loads(struct symbolic *symbolic, const struct symbolic_body *body,
                             const struct symbolic_part *part) {
    LLVMValueRef any = symbolic->zero;
    LLVMPositionBuilderBefore(symbolic->builder, LLVMGetBasicBlockTerminator(part->plain));
    for (size_t i = part->first; i < part->end; i++)
        if (body->code.data[i].is_looked_at)
            any = LLVMBuildOr(symbolic->builder, any,
                              symbolic_marks(symbolic, body->code.data[i].copy), "");
    go_over(symbolic, part->plain, any, part->block);
}

/* Before the plain body has its shadows: the part of each block and what leads on are as copied. */
void symbolic_go_over(struct symbolic *symbolic, const struct symbolic_body *body) {
    for (size_t i = 0; i < body->parts.count; i++) {
        const struct symbolic_part *part = &body->parts.data[i];
        if (part->looks)
            go_over_at_loads(symbolic, body, part);
        if (part->calls) {
            LLVMPositionBuilderBefore(symbolic->builder,
                                      LLVMGetBasicBlockTerminator(part->plain_end));
            go_over(symbolic, part->plain_end,
                    symbolic_any_result(symbolic, body->code.data[part->end - 1].copy),
                    part[1].block);
        }
    }
}

/* At the end of the common entry: with symbolic arguments, the call begins in the other body. */
LLVMBasicBlockRef symbolic_begin(struct symbolic *symbolic, const struct symbolic_body *body,
                                 LLVMValueRef given) {
    LLVMBasicBlockRef shadowed = body->parts.data[0].block;
    LLVMBasicBlockRef prologue = LLVMInsertBasicBlockInContext(symbolic->context, shadowed, "");
    LLVMValueRef end = LLVMGetBasicBlockTerminator(body->entry);
    set_site(symbolic, prologue, shadowed);
    LLVMPositionBuilderBefore(symbolic->builder, end);
    LLVMValueRef is_any = LLVMBuildICmp(symbolic->builder, LLVMIntNE, given, symbolic->zero, "");
    set_unlikely(symbolic,
                 LLVMBuildCondBr(symbolic->builder, is_any, prologue, body->parts.data[0].plain));
    LLVMInstructionEraseFromParent(end);
    LLVMPositionBuilderAtEnd(symbolic->builder, prologue);
    LLVMBuildBr(symbolic->builder, shadowed);
    return prologue;
}

void symbolic_list_code(LLVMBasicBlockRef *blocks, size_t count, struct symbolic_body *body) {
    for (size_t i = 0; i < count; i++) {
        size_t first = body->code.count;
        for (LLVMValueRef at = LLVMGetFirstInstruction(blocks[i]); at;
             at = LLVMGetNextInstruction(at))
            base_push(&body->code, (struct symbolic_code){.own = at});
        base_push(&body->parts,
                  (struct symbolic_part){
                      .block = blocks[i], .first = first, .end = body->code.count, .begins = true});
    }
}

void symbolic_body_done(struct symbolic_body *body) {
    base_vector_done(&body->parts);
    base_vector_done(&body->code);
}
