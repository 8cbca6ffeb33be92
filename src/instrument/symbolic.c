/* SPDX-License-Identifier: Apache-2.0
 *
 * The symbolic variant: beside every value of the program runs its shadow. This file walks over
 * functions, blocks and instructions in an order in which definitions come before uses, keeps the
 * map from values to shadows, and handles what belongs to no group: phis, decisions, aggregates.
 *
 * Hooks are inline functions whose fast path (all shadows 0) does nothing; where all shadows are
 * known to be 0 at build time no hook is inserted at all.
 */
#include "instrument/symbolic.h"

#include <stdlib.h>
#include <string.h>

/* ---- types ---- */

unsigned symbolic_width(const struct symbolic *symbolic, LLVMTypeRef type) {
    (void)symbolic;
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(type) <= 64 ? LLVMGetIntTypeWidth(type) : 0;
    case LLVMPointerTypeKind:
    case LLVMDoubleTypeKind:
        return 64;
    case LLVMFloatTypeKind:
        return 32;
    default:
        return 0;
    }
}

static LLVMTypeRef struct_shadow_type(const struct symbolic *symbolic, LLVMTypeRef type) {
    unsigned count = LLVMCountStructElementTypes(type);
    LLVMTypeRef elements[SYMBOLIC_RESULTS];
    if (count == 0 || count > SYMBOLIC_RESULTS)
        return NULL;
    for (unsigned i = 0; i < count; i++) {
        if (!symbolic_width(symbolic, LLVMStructGetTypeAtIndex(type, i)))
            return NULL;
        elements[i] = symbolic->i32;
    }
    return LLVMStructTypeInContext(symbolic->context, elements, count, false);
}

LLVMTypeRef symbolic_shadow_type(const struct symbolic *symbolic, LLVMTypeRef type) {
    if (symbolic_width(symbolic, type))
        return symbolic->i32;
    return LLVMGetTypeKind(type) == LLVMStructTypeKind ? struct_shadow_type(symbolic, type) : NULL;
}

/* ---- shadows ---- */

LLVMValueRef symbolic_shadow(struct symbolic *symbolic, LLVMValueRef value) {
    uintptr_t known;
    if (instrument_map_get(symbolic->shadows, value, &known))
        return (LLVMValueRef)known;
    LLVMTypeRef type = symbolic_shadow_type(symbolic, LLVMTypeOf(value));
    return type ? LLVMConstNull(type) : symbolic->zero;
}

void symbolic_set_shadow(struct symbolic *symbolic, LLVMValueRef value, LLVMValueRef shadow) {
    instrument_map_set(symbolic->shadows, value, (uintptr_t)shadow);
}

bool symbolic_is_zero(LLVMValueRef shadow) {
    return LLVMIsConstant(shadow) && LLVMIsNull(shadow);
}

LLVMValueRef symbolic_number(const struct symbolic *symbolic, uint32_t number) {
    return LLVMConstInt(symbolic->i32, number, false);
}

LLVMValueRef symbolic_long(const struct symbolic *symbolic, uint64_t number) {
    return LLVMConstInt(symbolic->i64, number, false);
}

LLVMValueRef symbolic_wide(struct symbolic *symbolic, LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    switch (LLVMGetTypeKind(type)) {
    case LLVMPointerTypeKind:
        return LLVMBuildPtrToInt(symbolic->builder, value, symbolic->i64, "");
    case LLVMDoubleTypeKind:
        return LLVMBuildBitCast(symbolic->builder, value, symbolic->i64, "");
    case LLVMFloatTypeKind:
        value = LLVMBuildBitCast(symbolic->builder, value, symbolic->i32, "");
        break;
    default:
        if (LLVMGetIntTypeWidth(type) == 64)
            return value;
    }
    return LLVMBuildZExt(symbolic->builder, value, symbolic->i64, "");
}

void symbolic_fix(struct symbolic *symbolic, LLVMValueRef value) {
    LLVMValueRef shadow = symbolic_shadow(symbolic, value);
    if (symbolic_is_zero(shadow) || !symbolic_width(symbolic, LLVMTypeOf(value)))
        return;
    symbolic_hook(symbolic, HOOK_FIX, symbolic_wide(symbolic, value), shadow);
}

bool symbolic_is_constant_address(LLVMValueRef value) {
    return LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMGetElementPtr;
}

uint32_t symbolic_site(const struct symbolic *symbolic, LLVMValueRef instruction) {
    uintptr_t number = 0;
    instrument_map_get(symbolic->sites, LLVMGetInstructionParent(instruction), &number);
    return (uint32_t)number;
}

/* ---- phis ---- */

static void begin_phi(struct symbolic *symbolic, LLVMValueRef phi) {
    LLVMTypeRef type = symbolic_shadow_type(symbolic, LLVMTypeOf(phi));
    if (!type)
        return;
    LLVMPositionBuilderBefore(symbolic->builder, phi);
    symbolic_set_shadow(symbolic, phi, LLVMBuildPhi(symbolic->builder, type, ""));
}

static void finish_phi(struct symbolic *symbolic, LLVMValueRef phi) {
    LLVMValueRef shadow = symbolic_shadow(symbolic, phi);
    if (!LLVMIsAPHINode(shadow))
        return;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef value = symbolic_shadow(symbolic, LLVMGetIncomingValue(phi, i));
        LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, i);
        LLVMAddIncoming(shadow, &value, &block, 1);
    }
}

/* ---- decisions ---- */

static void decide_branch(struct symbolic *symbolic, LLVMValueRef instruction) {
    if (!LLVMIsConditional(instruction))
        return;
    LLVMValueRef condition = LLVMGetCondition(instruction);
    LLVMValueRef shadow = symbolic_shadow(symbolic, condition);
    if (symbolic_is_zero(shadow))
        return;
    LLVMValueRef site = symbolic_number(symbolic, symbolic_site(symbolic, instruction));
    LLVMSetCondition(instruction, symbolic_hook(symbolic, HOOK_BRANCH, condition, shadow, site));
}

static void decide_switch(struct symbolic *symbolic, LLVMValueRef instruction) {
    LLVMValueRef value = LLVMGetOperand(instruction, 0);
    LLVMValueRef shadow = symbolic_shadow(symbolic, value);
    if (symbolic_is_zero(shadow) || !symbolic_width(symbolic, LLVMTypeOf(value)))
        return;
    LLVMValueRef site = symbolic_number(symbolic, symbolic_site(symbolic, instruction));
    LLVMValueRef way =
        symbolic_hook(symbolic, HOOK_SWITCH, symbolic_wide(symbolic, value), shadow, site);
    LLVMSetOperand(instruction, 0,
                   LLVMBuildTruncOrBitCast(symbolic->builder, way, LLVMTypeOf(value), ""));
}

/* ---- aggregates ---- */

/* Only one level, as the shadows have. */
static void extract_value(struct symbolic *symbolic, LLVMValueRef instruction) {
    LLVMValueRef shadow = symbolic_shadow(symbolic, LLVMGetOperand(instruction, 0));
    if (LLVMGetTypeKind(LLVMTypeOf(shadow)) != LLVMStructTypeKind || symbolic_is_zero(shadow))
        return;
    symbolic_set_shadow(
        symbolic, instruction,
        LLVMBuildExtractValue(symbolic->builder, shadow, *LLVMGetIndices(instruction), ""));
}

static void insert_value(struct symbolic *symbolic, LLVMValueRef instruction) {
    LLVMValueRef shadow = symbolic_shadow(symbolic, LLVMGetOperand(instruction, 0));
    LLVMValueRef element = LLVMGetOperand(instruction, 1);
    if (LLVMGetTypeKind(LLVMTypeOf(shadow)) != LLVMStructTypeKind) {
        symbolic_fix(symbolic, element);
        return;
    }
    symbolic_set_shadow(symbolic, instruction,
                        LLVMBuildInsertValue(symbolic->builder, shadow,
                                             symbolic_shadow(symbolic, element),
                                             *LLVMGetIndices(instruction), ""));
}

/* An instruction that has no expression: what goes in is fixed, what comes out is concrete. */
static void fix_operands(struct symbolic *symbolic, LLVMValueRef instruction) {
    for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
        LLVMValueRef operand = LLVMGetOperand(instruction, (unsigned)i);
        if (!LLVMIsABasicBlock(operand) && !LLVMIsConstant(operand))
            symbolic_fix(symbolic, operand);
    }
}

/* ---- walking ---- */

static void shadow_instruction(struct symbolic *symbolic, LLVMValueRef instruction) {
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMPHI:
    case LLVMUnreachable:
    case LLVMFence:
        return;
    case LLVMBr:
        decide_branch(symbolic, instruction);
        return;
    case LLVMSwitch:
        decide_switch(symbolic, instruction);
        return;
    case LLVMAlloca:
        symbolic_stack(symbolic, instruction);
        return;
    case LLVMRet:
        symbolic_release_stack(symbolic);
        symbolic_return(symbolic, instruction);
        return;
    case LLVMLoad:
        symbolic_load(symbolic, instruction);
        return;
    case LLVMStore:
        symbolic_store(symbolic, instruction);
        return;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        symbolic_atomic(symbolic, instruction);
        return;
    case LLVMGetElementPtr:
        symbolic_address(symbolic, instruction);
        return;
    case LLVMCall:
        symbolic_call(symbolic, instruction);
        return;
    case LLVMExtractValue:
        extract_value(symbolic, instruction);
        return;
    case LLVMInsertValue:
        insert_value(symbolic, instruction);
        return;
    case LLVMFreeze:
        symbolic_set_shadow(symbolic, instruction,
                            symbolic_shadow(symbolic, LLVMGetOperand(instruction, 0)));
        return;
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
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
        symbolic_operation(symbolic, instruction);
        return;
    case LLVMFCmp:
    case LLVMFNeg:
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFPTrunc:
    case LLVMFPExt:
    case LLVMFPToSI:
    case LLVMFPToUI:
    case LLVMSIToFP:
    case LLVMUIToFP:
        symbolic_float(symbolic, instruction);
        return;
    default:
        fix_operands(symbolic, instruction);
    }
}

struct order {
    LLVMBasicBlockRef *data;
    size_t count, capacity;
};

struct frame {
    LLVMBasicBlockRef block;
    unsigned next;
};

/* Reverse post-order from the entry; a stack of our own, since functions can be long. */
static void order_blocks(LLVMValueRef function, struct instrument_map *seen, struct order *order) {
    BASE_VECTOR(struct frame) stack = {0};
    instrument_map_clear(seen);
    instrument_map_set(seen, LLVMGetEntryBasicBlock(function), 1);
    base_push(&stack, (struct frame){LLVMGetEntryBasicBlock(function), 0});
    while (stack.count) {
        struct frame *top = &stack.data[stack.count - 1];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(top->block);
        uintptr_t known;
        if (top->next == LLVMGetNumSuccessors(end)) {
            base_push(order, top->block);
            stack.count--;
            continue;
        }
        LLVMBasicBlockRef successor = LLVMGetSuccessor(end, top->next++);
        if (!instrument_map_get(seen, successor, &known)) {
            instrument_map_set(seen, successor, 1);
            base_push(&stack, (struct frame){successor, 0});
        }
    }
    for (size_t i = 0; i < order->count / 2; i++) {
        LLVMBasicBlockRef other = order->data[order->count - 1 - i];
        order->data[order->count - 1 - i] = order->data[i];
        order->data[i] = other;
    }
    base_vector_done(&stack);
}

/* A call of a function that is not the program's own, which says by itself that it is entered. */
static bool calls_outside(const struct symbolic *symbolic, LLVMValueRef instruction) {
    LLVMValueRef callee = LLVMIsACallInst(instruction) ? LLVMGetCalledValue(instruction) : NULL;
    if (!callee || !LLVMIsAFunction(callee) || LLVMGetIntrinsicID(callee))
        return false;
    uintptr_t site = UINT32_MAX;
    if (!LLVMIsDeclaration(callee))
        instrument_map_get(symbolic->sites, LLVMGetEntryBasicBlock(callee), &site);
    return site >= symbolic->program_sites;
}

/* Before FIRST, what the code of a block costs. */
static void count_costs(struct symbolic *symbolic, LLVMValueRef first, uint32_t cost,
                        const struct symbolic_code *code, size_t count) {
    uint32_t calls = 0;
    for (size_t i = 0; i < count; i++) {
        cost += ir_counts(code[i].own);
        calls += calls_outside(symbolic, code[i].own);
    }
    LLVMPositionBuilderBefore(symbolic->builder, first);
    symbolic_add_cost(symbolic, symbolic_long(symbolic, cost));
    if (calls)
        symbolic_hook(symbolic, HOOK_CALLS, symbolic_long(symbolic, calls));
}

/* Decisions replace what their instruction uses, so they come before it; all else comes after, so
 * that the value is there. */
static void place_builder(struct symbolic *symbolic, LLVMValueRef instruction) {
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    LLVMValueRef next = LLVMGetNextInstruction(instruction);
    if (LLVMIsATerminatorInst(instruction) || opcode == LLVMCall || opcode == LLVMLoad ||
        opcode == LLVMStore || !next)
        LLVMPositionBuilderBefore(symbolic->builder, instruction);
    else
        LLVMPositionBuilderBefore(symbolic->builder, next);
}

static LLVMValueRef first_of(const struct symbolic *symbolic, const struct symbolic_body *body,
                             const struct symbolic_part *part) {
    for (size_t i = part->first; i < part->end && !symbolic->is_plain; i++)
        if (!LLVMIsAPHINode(body->code.data[i].own))
            return body->code.data[i].own;
    LLVMValueRef at = LLVMGetFirstInstruction(symbolic->is_plain ? part->plain : part->block);
    while (LLVMIsAPHINode(at))
        at = LLVMGetNextInstruction(at);
    return at;
}

/* All of its block's, if the block begins with it. */
static void count_part(struct symbolic *symbolic, const struct symbolic_body *body, size_t i) {
    const struct symbolic_part *part = &body->parts.data[i];
    LLVMValueRef first = first_of(symbolic, body, part);
    uint32_t moved = i == 0 ? body->moved_cost : 0;
    size_t end = part->end;
    for (i++; i < body->parts.count && !body->parts.data[i].begins; i++)
        end = body->parts.data[i].end;
    if (part->begins && symbolic_site(symbolic, first) < symbolic->program_sites)
        count_costs(symbolic, first, moved, body->code.data + part->first, end - part->first);
}

static void shadow_part(struct symbolic *symbolic, const struct symbolic_body *body, size_t i) {
    const struct symbolic_part *part = &body->parts.data[i];
    symbolic->access = part->access;
    for (size_t at = part->first; at < part->end; at++) {
        const struct symbolic_code *code = &body->code.data[at];
        LLVMValueRef instruction = symbolic->is_plain ? code->copy : code->own;
        symbolic->access += LLVMIsALoadInst(instruction) || LLVMIsAStoreInst(instruction);
        place_builder(symbolic, instruction);
        shadow_instruction(symbolic, instruction);
    }
}

/* What a block costs is counted before anything else is inserted. */
static void shadow_body(struct symbolic *symbolic, const struct symbolic_body *body) {
    for (size_t i = 0; i < body->parts.count; i++)
        count_part(symbolic, body, i);
    for (size_t i = 0; i < body->parts.count; i++)
        shadow_part(symbolic, body, i);
}

static void each_phi(struct symbolic *symbolic, const struct symbolic_body *body,
                     void (*visit)(struct symbolic *, LLVMValueRef)) {
    for (size_t i = 0; i < body->code.count; i++)
        if (LLVMIsAPHINode(body->code.data[i].own))
            visit(symbolic, body->code.data[i].own);
}

/* The body with shadows; arguments and their shadows are there. */
static void shadow_own_body(struct symbolic *symbolic, const struct symbolic_body *body) {
    each_phi(symbolic, body, begin_phi);
    shadow_body(symbolic, body);
    each_phi(symbolic, body, finish_phi);
}

static void shadow_both_bodies(struct symbolic *symbolic, struct symbolic_body *body) {
    LLVMPositionBuilderBefore(symbolic->builder, LLVMGetFirstInstruction(body->entry));
    symbolic_enter(symbolic);
    LLVMPositionBuilderBefore(symbolic->builder, LLVMGetBasicBlockTerminator(body->entry));
    LLVMBasicBlockRef prologue = symbolic_begin(symbolic, body, symbolic_any_argument(symbolic));
    symbolic_go_over(symbolic, body);
    symbolic->is_plain = true;
    shadow_body(symbolic, body);
    symbolic->is_plain = false;
    LLVMPositionBuilderBefore(symbolic->builder, LLVMGetBasicBlockTerminator(prologue));
    symbolic_take_arguments(symbolic, NULL);
    shadow_own_body(symbolic, body);
    symbolic_join(symbolic, body, prologue);
}

static void shadow_one_body(struct symbolic *symbolic, const struct symbolic_body *body) {
    LLVMPositionBuilderBefore(symbolic->builder, body->code.data[0].own);
    symbolic_enter(symbolic);
    symbolic_take_arguments(symbolic, symbolic_any_argument(symbolic));
    shadow_own_body(symbolic, body);
}

static void shadow_function(struct symbolic *symbolic, LLVMValueRef function,
                            struct instrument_map *seen) {
    struct order order = {0};
    struct symbolic_body body = {0};
    struct symbolic_values on_stack = {0};
    symbolic->function = function;
    symbolic_pad_stack(symbolic, function, &on_stack);
    symbolic->has_stack = false;
    instrument_map_clear(symbolic->shadows);
    order_blocks(function, seen, &order);
    symbolic->is_cut = symbolic_may_be_plain(symbolic, function);
    if (symbolic->is_cut) {
        symbolic_cut(symbolic, order.data, order.count, &body);
        shadow_both_bodies(symbolic, &body);
    } else {
        symbolic_list_code(order.data, order.count, &body);
        shadow_one_body(symbolic, &body);
    }
    symbolic_tell_stack(symbolic, &on_stack);
    base_vector_done(&on_stack);
    symbolic_body_done(&body);
    base_vector_done(&order);
}

/* ---- the module ---- */

/* The runtime has it, in the same executable. */
static LLVMValueRef shared_array(const struct symbolic *symbolic, const char *name,
                                 unsigned count) {
    LLVMTypeRef type = LLVMArrayType2(symbolic->i32, count);
    LLVMValueRef array = LLVMAddGlobal(symbolic->module, type, name);
    LLVMSetVisibility(array, LLVMHiddenVisibility);
    return array;
}

uint32_t instrument_number_sites(LLVMModuleRef module, struct instrument_map *sites,
                                 uint32_t next) {
    for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
         function = LLVMGetNextFunction(function))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
             block = LLVMGetNextBasicBlock(block)) {
            uintptr_t known;
            if (!instrument_map_get(sites, block, &known))
                instrument_map_set(sites, block, next++);
        }
    return next;
}

void instrument_shadow_all(LLVMModuleRef module, struct instrument_map *sites,
                           uint32_t program_sites, const struct ir_facts *loops) {
    LLVMContextRef context = LLVMGetModuleContext(module);
    struct symbolic symbolic = {.module = module,
                                .context = context,
                                .builder = LLVMCreateBuilderInContext(context),
                                .layout = LLVMGetModuleDataLayout(module),
                                .i1 = LLVMInt1TypeInContext(context),
                                .i8 = LLVMInt8TypeInContext(context),
                                .i32 = LLVMInt32TypeInContext(context),
                                .i64 = LLVMInt64TypeInContext(context),
                                .pointer = LLVMPointerTypeInContext(context, 0),
                                .sites = sites,
                                .program_sites = program_sites,
                                .tells_loops = loops != NULL,
                                .takes_writer = symbolic_takes_writer(module),
                                .shadows = instrument_map_new(),
                                .globals = instrument_map_new()};
    struct instrument_map *seen = instrument_map_new();
    symbolic.zero = LLVMConstNull(symbolic.i32);
    symbolic.null = LLVMConstNull(symbolic.pointer);
    symbolic.here = symbolic.null;
    symbolic_find_costs(&symbolic);
    symbolic_list_globals(&symbolic);
    symbolic.arguments = shared_array(&symbolic, "__slowpath_sym_args", SYMBOLIC_ARGUMENTS);
    symbolic.results = shared_array(&symbolic, "__slowpath_sym_results", SYMBOLIC_RESULTS);
    symbolic.given = shared_array(&symbolic, "__slowpath_sym_given", 1);
    /* Hooks are declared on the way; those declarations have no blocks and are passed over. */
    for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
         function = LLVMGetNextFunction(function))
        if (!LLVMIsDeclaration(function))
            shadow_function(&symbolic, function, seen);
    symbolic.here = symbolic.null;
    if (loops)
        symbolic_tell_loops(&symbolic, loops);
    instrument_map_free(seen);
    instrument_map_free(symbolic.shadows);
    instrument_map_free(symbolic.globals);
    LLVMDisposeBuilder(symbolic.builder);
}
