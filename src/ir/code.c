/* SPDX-License-Identifier: Apache-2.0
 *
 * What do the instructions do, for somebody who follows values without LLVM?
 *
 * Each instruction becomes a record: its opcode, the register it writes, its operands. Registers
 * are numbered in each function, parameters first. Addresses are worked out as far as types allow:
 * a gep is a base, a number of bytes, and indices with the bytes that each counts. What has no
 * place in this form (floating point, vectors, integers over 64 bits) keeps its opcode and has
 * width 0, so that a reader knows that it does not know.
 *
 * Programs of more than MOST_INSTRUCTIONS have no codes: whoever follows all their values would not
 * come to an end anyway, and the facts of a large program are read by everybody.
 */
#include "ir/code.h"

#include "ir/pointers.h"
#include <assert.h>
#include <llvm-c/Target.h>
#include <stdlib.h>
#include <string.h>

#define MOST_INSTRUCTIONS 100000
#define MOST_INITIALS 4096 /* of one global */

struct coder {
    LLVMTargetDataRef layout;
    struct ir_facts *facts;
    struct ir_pointers functions, globals, blocks, registers;
    BASE_VECTOR(struct ir_code) codes;
    BASE_VECTOR(struct ir_operand) operands;
    BASE_VECTOR(struct ir_global) global_list;
    BASE_VECTOR(struct ir_initial) initials;
};

/* ---- types ---- */

/* Bits of an integer or a pointer; 0 for all else. */
static uint8_t width_of(const struct coder *coder, LLVMTypeRef type) {
    unsigned width = 0;
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
        width = LLVMPointerSize(coder->layout) * 8;
    else if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind)
        width = LLVMGetIntTypeWidth(type);
    return width <= 64 ? (uint8_t)width : 0;
}

static int64_t size_of(const struct coder *coder, LLVMTypeRef type) {
    return LLVMTypeIsSized(type) ? (int64_t)LLVMABISizeOfType(coder->layout, type) : 0;
}

/* ---- operands ---- */

static struct ir_operand number_operand(int64_t value) {
    return (struct ir_operand){.kind = IR_OPERAND_NUMBER, .value = value};
}

static struct ir_operand operand_of(const struct coder *coder, LLVMValueRef value);

/* What a gep of constants adds to its base; false when it cannot be known. */
static bool constant_bytes(const struct coder *coder, LLVMValueRef gep, int64_t *bytes) {
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    unsigned count = (unsigned)LLVMGetNumOperands(gep);
    *bytes = 0;
    for (unsigned i = 1; i < count; i++) {
        LLVMValueRef index = LLVMGetOperand(gep, i);
        if (!LLVMIsAConstantInt(index))
            return false;
        int64_t number = LLVMConstIntGetSExtValue(index);
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            *bytes += (int64_t)LLVMOffsetOfElement(coder->layout, type, (unsigned)number);
            type = LLVMStructGetTypeAtIndex(type, (unsigned)number);
            continue;
        }
        if (i > 1)
            type = LLVMGetElementType(type);
        *bytes += number * size_of(coder, type);
    }
    return true;
}

static struct ir_operand constant_expression(const struct coder *coder, LLVMValueRef value) {
    struct ir_operand base;
    int64_t bytes;
    switch (LLVMGetConstOpcode(value)) {
    case LLVMGetElementPtr:
        base = operand_of(coder, LLVMGetOperand(value, 0));
        if (base.kind != IR_OPERAND_GLOBAL || !constant_bytes(coder, value, &bytes))
            return (struct ir_operand){0};
        base.value += bytes;
        return base;
    default:
        return (struct ir_operand){0};
    }
}

static struct ir_operand operand_of(const struct coder *coder, LLVMValueRef value) {
    uint32_t number = ir_pointers_get(&coder->registers, value);
    if (number != IR_POINTERS_NONE)
        return (struct ir_operand){.kind = IR_OPERAND_REGISTER, .number = number};
    while (LLVMIsAGlobalAlias(value))
        value = LLVMAliasGetAliasee(value);
    if (LLVMIsAConstantInt(value) && LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64)
        return number_operand(LLVMConstIntGetSExtValue(value));
    if (LLVMIsAConstantPointerNull(value))
        return number_operand(0);
    if ((number = ir_pointers_get(&coder->functions, value)) != IR_POINTERS_NONE)
        return (struct ir_operand){.kind = IR_OPERAND_FUNCTION, .number = number};
    if ((number = ir_pointers_get(&coder->globals, value)) != IR_POINTERS_NONE)
        return (struct ir_operand){.kind = IR_OPERAND_GLOBAL, .number = number};
    if (LLVMIsAConstantExpr(value))
        return constant_expression(coder, value);
    return (struct ir_operand){0};
}

static void add_operand(struct coder *coder, LLVMValueRef value) {
    base_push(&coder->operands, operand_of(coder, value));
}

/* ---- instructions with operands of their own ---- */

static void add_index(struct coder *coder, LLVMValueRef index, int64_t bytes, size_t constant) {
    if (LLVMIsAConstantInt(index)) {
        coder->operands.data[constant].value += LLVMConstIntGetSExtValue(index) * bytes;
        return;
    }
    add_operand(coder, index);
    base_push(&coder->operands, number_operand(bytes));
}

static void add_address(struct coder *coder, LLVMValueRef gep) {
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    unsigned count = (unsigned)LLVMGetNumOperands(gep);
    add_operand(coder, LLVMGetOperand(gep, 0));
    size_t constant = coder->operands.count;
    base_push(&coder->operands, number_operand(0));
    for (unsigned i = 1; i < count; i++) {
        LLVMValueRef index = LLVMGetOperand(gep, i);
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
            coder->operands.data[constant].value +=
                (int64_t)LLVMOffsetOfElement(coder->layout, type, field);
            type = LLVMStructGetTypeAtIndex(type, field);
            continue;
        }
        if (i > 1)
            type = LLVMGetElementType(type);
        add_index(coder, index, size_of(coder, type), constant);
    }
}

static void add_phi(struct coder *coder, LLVMValueRef phi) {
    unsigned count = LLVMCountIncoming(phi);
    for (unsigned i = 0; i < count; i++) {
        uint32_t block = ir_pointers_get(&coder->blocks, LLVMGetIncomingBlock(phi, i));
        base_push(&coder->operands,
                  ((struct ir_operand){.kind = IR_OPERAND_BLOCK, .number = block}));
        add_operand(coder, LLVMGetIncomingValue(phi, i));
    }
}

static void add_call(struct coder *coder, LLVMValueRef call) {
    unsigned count = LLVMGetNumArgOperands(call);
    add_operand(coder, LLVMGetCalledValue(call));
    for (unsigned i = 0; i < count; i++)
        add_operand(coder, LLVMGetOperand(call, i));
}

static void add_operands(struct coder *coder, LLVMValueRef from) {
    switch (LLVMGetInstructionOpcode(from)) {
    case LLVMGetElementPtr:
        add_address(coder, from);
        break;
    case LLVMAlloca:
        base_push(&coder->operands, number_operand(size_of(coder, LLVMGetAllocatedType(from))));
        add_operand(coder, LLVMGetOperand(from, 0));
        break;
    case LLVMPHI:
        add_phi(coder, from);
        break;
    case LLVMCall:
        add_call(coder, from);
        break;
    case LLVMBr:
        if (LLVMIsConditional(from))
            add_operand(coder, LLVMGetCondition(from));
        break;
    case LLVMSwitch:
        add_operand(coder, LLVMGetOperand(from, 0));
        break;
    default:
        for (int i = 0; i < LLVMGetNumOperands(from); i++)
            add_operand(coder, LLVMGetOperand(from, (unsigned)i));
    }
}

/* ---- instructions ---- */

static const struct {
    const char *name;
    enum ir_intrinsic intrinsic;
} intrinsics[] = {
    {"llvm.dbg.", IR_INTRINSIC_IGNORED},       {"llvm.lifetime.", IR_INTRINSIC_IGNORED},
    {"llvm.assume", IR_INTRINSIC_IGNORED},     {"llvm.experimental.noalias.", IR_INTRINSIC_IGNORED},
    {"llvm.invariant.", IR_INTRINSIC_IGNORED}, {"llvm.donothing", IR_INTRINSIC_IGNORED},
    {"llvm.memcpy.", IR_INTRINSIC_COPY},       {"llvm.memmove.", IR_INTRINSIC_COPY},
    {"llvm.memset.", IR_INTRINSIC_SET},        {"llvm.smax.", IR_INTRINSIC_SMAX},
    {"llvm.smin.", IR_INTRINSIC_SMIN},         {"llvm.umax.", IR_INTRINSIC_UMAX},
    {"llvm.umin.", IR_INTRINSIC_UMIN},         {"llvm.abs.", IR_INTRINSIC_ABS},
};

static enum ir_intrinsic intrinsic_of(LLVMValueRef call) {
    LLVMValueRef callee = LLVMIsAFunction(LLVMGetCalledValue(call));
    if (!callee || !LLVMGetIntrinsicID(callee))
        return IR_INTRINSIC_NONE;
    size_t size;
    const char *name = LLVMGetValueName2(callee, &size);
    for (size_t i = 0; i < BASE_COUNT(intrinsics); i++)
        if (strncmp(name, intrinsics[i].name, strlen(intrinsics[i].name)) == 0)
            return intrinsics[i].intrinsic;
    return IR_INTRINSIC_OTHER;
}

static LLVMTypeRef told_type(LLVMValueRef from) {
    return LLVMTypeOf(LLVMIsAStoreInst(from) ? LLVMGetOperand(from, 0) : from);
}

static void add_code(struct coder *coder, LLVMValueRef from) {
    LLVMOpcode opcode = LLVMGetInstructionOpcode(from);
    struct ir_code code = {.opcode = (uint16_t)opcode,
                           .width = width_of(coder, told_type(from)),
                           .result = ir_pointers_get(&coder->registers, from),
                           .first_operand = (uint32_t)coder->operands.count};
    if (opcode == LLVMICmp)
        code.detail = (uint8_t)LLVMGetICmpPredicate(from);
    else if (opcode == LLVMCall)
        code.detail = (uint8_t)intrinsic_of(from);
    else if (opcode == LLVMZExt || opcode == LLVMSExt || opcode == LLVMTrunc ||
             opcode == LLVMSwitch)
        code.detail = width_of(coder, LLVMTypeOf(LLVMGetOperand(from, 0)));
    add_operands(coder, from);
    code.operand_count = (uint32_t)coder->operands.count - code.first_operand;
    base_push(&coder->codes, code);
}

static void number_registers(struct coder *coder, LLVMValueRef function, uint32_t number) {
    struct ir_function *facts = &coder->facts->functions[number];
    unsigned count = LLVMCountParams(function);
    ir_pointers_done(&coder->registers);
    coder->registers = (struct ir_pointers){0};
    facts->parameter_count = facts->register_count = count;
    for (unsigned i = 0; i < count; i++)
        ir_pointers_set(&coder->registers, LLVMGetParam(function, i), i);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
                ir_pointers_set(&coder->registers, i, facts->register_count++);
}

static void add_function(struct coder *coder, LLVMValueRef function, uint32_t number) {
    uint32_t block = coder->facts->functions[number].first_block;
    number_registers(coder, function, number);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        struct ir_block *facts = &coder->facts->blocks[block++];
        facts->first_code = (uint32_t)coder->codes.count;
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            add_code(coder, i);
        facts->code_count = (uint32_t)coder->codes.count - facts->first_code;
    }
}

/* ---- globals ---- */

/* The integers and addresses in a constant; false when it holds anything else but zeros. */
static bool add_initial(struct coder *coder, LLVMValueRef value, int64_t offset, size_t first) {
    LLVMTypeRef type = LLVMTypeOf(value);
    if (LLVMIsAConstantAggregateZero(value) || LLVMIsNull(value))
        return true;
    if (coder->initials.count - first >= MOST_INITIALS)
        return false;
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMArrayTypeKind || kind == LLVMStructTypeKind) {
        unsigned count = kind == LLVMArrayTypeKind ? (unsigned)LLVMGetArrayLength2(type)
                                                   : LLVMCountStructElementTypes(type);
        for (unsigned i = 0; i < count; i++) {
            int64_t at = kind == LLVMArrayTypeKind
                             ? i * size_of(coder, LLVMGetElementType(type))
                             : (int64_t)LLVMOffsetOfElement(coder->layout, type, i);
            if (!add_initial(coder, LLVMGetAggregateElement(value, i), offset + at, first))
                return false;
        }
        return true;
    }
    struct ir_operand operand = operand_of(coder, value);
    uint8_t width = width_of(coder, type);
    if (operand.kind == IR_OPERAND_UNKNOWN || !width)
        return false;
    base_push(&coder->initials, ((struct ir_initial){(uint64_t)offset, width, 0, operand}));
    return true;
}

static void add_global(struct coder *coder, LLVMValueRef global, uint32_t number) {
    assert(coder->global_list.data);
    struct ir_global *entry = &coder->global_list.data[number];
    size_t first = coder->initials.count;
    entry->first_initial = (uint32_t)first;
    LLVMValueRef value = LLVMGetInitializer(global);
    entry->is_constant = LLVMIsGlobalConstant(global) != 0;
    entry->is_known = value && add_initial(coder, value, 0, first);
    if (!entry->is_known)
        coder->initials.count = first;
    entry->initial_count = (uint32_t)(coder->initials.count - first);
}

static void number_globals(struct coder *coder, LLVMModuleRef module) {
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g)) {
        LLVMTypeRef type = LLVMGlobalGetValueType(g);
        ir_pointers_set(&coder->globals, g, (uint32_t)coder->global_list.count);
        base_push(&coder->global_list,
                  ((struct ir_global){.bytes = (uint64_t)size_of(coder, type)}));
    }
}

/* ---- the whole ---- */

static void number_all(struct coder *coder, LLVMModuleRef module) {
    uint32_t function = 0, block = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMGetIntrinsicID(f))
            continue;
        ir_pointers_set(&coder->functions, f, function++);
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            ir_pointers_set(&coder->blocks, b, block++);
    }
    number_globals(coder, module);
}

static uint64_t count_instructions(const struct ir_facts *facts) {
    uint64_t sum = 0;
    for (uint32_t b = 0; b < facts->block_count; b++)
        sum += facts->blocks[b].instructions;
    return sum;
}

void ir_code_make(const struct ir_module *module, struct ir_facts *facts) {
    struct coder coder = {.facts = facts, .layout = LLVMGetModuleDataLayout(module->module)};
    if (count_instructions(facts) > MOST_INSTRUCTIONS)
        return;
    number_all(&coder, module->module);
    uint32_t number = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMGetIntrinsicID(f))
            add_function(&coder, f, number++);
    number = 0;
    for (LLVMValueRef g = LLVMGetFirstGlobal(module->module); g; g = LLVMGetNextGlobal(g))
        add_global(&coder, g, number++);
    facts->codes = coder.codes.data;
    facts->code_count = (uint32_t)coder.codes.count;
    facts->operands = coder.operands.data;
    facts->operand_count = (uint32_t)coder.operands.count;
    facts->globals = coder.global_list.data;
    facts->global_count = (uint32_t)coder.global_list.count;
    facts->initials = coder.initials.data;
    facts->initial_count = (uint32_t)coder.initials.count;
    ir_pointers_done(&coder.functions);
    ir_pointers_done(&coder.globals);
    ir_pointers_done(&coder.blocks);
    ir_pointers_done(&coder.registers);
}
