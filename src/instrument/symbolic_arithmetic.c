/* SPDX-License-Identifier: Apache-2.0
 *
 * Shadows of computations: integer operations, comparisons, casts, selects, addresses.
 */
#include "instrument/symbolic.h"

static enum abi_op binary_op(LLVMOpcode opcode) {
    switch (opcode) {
    case LLVMAdd:
        return ABI_OP_ADD;
    case LLVMSub:
        return ABI_OP_SUB;
    case LLVMMul:
        return ABI_OP_MUL;
    case LLVMUDiv:
        return ABI_OP_UDIV;
    case LLVMSDiv:
        return ABI_OP_SDIV;
    case LLVMURem:
        return ABI_OP_UREM;
    case LLVMSRem:
        return ABI_OP_SREM;
    case LLVMShl:
        return ABI_OP_SHL;
    case LLVMLShr:
        return ABI_OP_LSHR;
    case LLVMAShr:
        return ABI_OP_ASHR;
    case LLVMAnd:
        return ABI_OP_AND;
    case LLVMOr:
        return ABI_OP_OR;
    case LLVMXor:
        return ABI_OP_XOR;
    default:
        return ABI_OP_NONE;
    }
}

/* A shadow for "a OP b"; the values are 64-bit. */
static LLVMValueRef build_binary(struct symbolic *symbolic, enum instrument_hook hook,
                                 uint32_t kind, unsigned width, LLVMValueRef a,
                                 LLVMValueRef shadow_a, LLVMValueRef b, LLVMValueRef shadow_b) {
    if (symbolic_is_zero(shadow_a) && symbolic_is_zero(shadow_b))
        return symbolic->zero;
    return symbolic_hook(symbolic, hook, symbolic_number(symbolic, kind | width << 8), a, shadow_a,
                         b, shadow_b);
}

LLVMValueRef symbolic_binary(struct symbolic *symbolic, enum abi_op op, unsigned width,
                             LLVMValueRef a, LLVMValueRef shadow_a, LLVMValueRef b,
                             LLVMValueRef shadow_b) {
    return build_binary(symbolic, HOOK_BINARY, op, width, a, shadow_a, b, shadow_b);
}

LLVMValueRef symbolic_two(struct symbolic *symbolic, enum instrument_hook hook, uint32_t kind,
                          LLVMValueRef a, LLVMValueRef b) {
    unsigned width = symbolic_width(symbolic, LLVMTypeOf(a));
    LLVMValueRef shadow_a = symbolic_shadow(symbolic, a), shadow_b = symbolic_shadow(symbolic, b);
    if (!width || (symbolic_is_zero(shadow_a) && symbolic_is_zero(shadow_b)))
        return symbolic->zero;
    return build_binary(symbolic, hook, kind, width, symbolic_wide(symbolic, a), shadow_a,
                        symbolic_wide(symbolic, b), shadow_b);
}

static void shadow_two(struct symbolic *symbolic, LLVMValueRef instruction,
                       enum instrument_hook hook, uint32_t kind) {
    LLVMValueRef shadow = symbolic_two(symbolic, hook, kind, LLVMGetOperand(instruction, 0),
                                       LLVMGetOperand(instruction, 1));
    if (!symbolic_is_zero(shadow))
        symbolic_set_shadow(symbolic, instruction, shadow);
}

LLVMValueRef symbolic_cast(struct symbolic *symbolic, enum abi_op op, unsigned from, unsigned to,
                           LLVMValueRef shadow) {
    if (from == to || symbolic_is_zero(shadow))
        return shadow;
    return symbolic_hook(symbolic, HOOK_CAST,
                         symbolic_number(symbolic, (uint32_t)op | from << 8 | to << 16), shadow);
}

static void shadow_cast(struct symbolic *symbolic, LLVMValueRef instruction, enum abi_op op) {
    LLVMValueRef operand = LLVMGetOperand(instruction, 0);
    LLVMValueRef shadow = symbolic_shadow(symbolic, operand);
    unsigned from = symbolic_width(symbolic, LLVMTypeOf(operand));
    unsigned to = symbolic_width(symbolic, LLVMTypeOf(instruction));
    if (!from || symbolic_is_zero(shadow))
        return;
    if (!to) {
        symbolic_fix(symbolic, operand);
        return;
    }
    symbolic_set_shadow(symbolic, instruction, symbolic_cast(symbolic, op, from, to, shadow));
}

static void shadow_select(struct symbolic *symbolic, LLVMValueRef instruction) {
    LLVMValueRef condition = LLVMGetOperand(instruction, 0), a = LLVMGetOperand(instruction, 1),
                 b = LLVMGetOperand(instruction, 2);
    LLVMTypeRef type = symbolic_shadow_type(symbolic, LLVMTypeOf(instruction));
    LLVMValueRef choice = symbolic_shadow(symbolic, condition), shadow_a, shadow_b;
    unsigned width = symbolic_width(symbolic, LLVMTypeOf(a));
    if (!type || LLVMTypeOf(condition) != symbolic->i1) {
        symbolic_fix(symbolic, condition);
        return;
    }
    shadow_a = symbolic_shadow(symbolic, a);
    shadow_b = symbolic_shadow(symbolic, b);
    if (!width || symbolic_is_zero(choice)) {
        symbolic_fix(symbolic, condition);
        if (!symbolic_is_zero(shadow_a) || !symbolic_is_zero(shadow_b))
            symbolic_set_shadow(
                symbolic, instruction,
                LLVMBuildSelect(symbolic->builder, condition, shadow_a, shadow_b, ""));
        return;
    }
    symbolic_set_shadow(symbolic, instruction,
                        symbolic_hook(symbolic, HOOK_SELECT, condition, choice,
                                      symbolic_wide(symbolic, a), shadow_a,
                                      symbolic_wide(symbolic, b), shadow_b,
                                      symbolic_number(symbolic, width)));
}

void symbolic_operation(struct symbolic *symbolic, LLVMValueRef instruction) {
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    switch (opcode) {
    case LLVMICmp:
        shadow_two(symbolic, instruction, HOOK_COMPARE,
                   (uint32_t)LLVMGetICmpPredicate(instruction));
        break;
    case LLVMTrunc:
    case LLVMIntToPtr:
    case LLVMBitCast:
        shadow_cast(symbolic, instruction, opcode == LLVMIntToPtr ? ABI_OP_ZEXT : ABI_OP_EXTRACT);
        break;
    case LLVMZExt:
    case LLVMSExt:
        shadow_cast(symbolic, instruction, opcode == LLVMZExt ? ABI_OP_ZEXT : ABI_OP_SEXT);
        break;
    case LLVMPtrToInt:
        shadow_cast(symbolic, instruction, ABI_OP_EXTRACT);
        break;
    case LLVMSelect:
        shadow_select(symbolic, instruction);
        break;
    default:
        shadow_two(symbolic, instruction, HOOK_BINARY, (uint32_t)binary_op(opcode));
    }
}

/* ---- addresses ---- */

struct sum {
    LLVMValueRef value, shadow; /* 64-bit */
};

static void add_to(struct symbolic *symbolic, struct sum *sum, LLVMValueRef value,
                   LLVMValueRef shadow) {
    sum->shadow =
        build_binary(symbolic, HOOK_BINARY, ABI_OP_ADD, 64, sum->value, sum->shadow, value, shadow);
    sum->value = LLVMBuildAdd(symbolic->builder, sum->value, value, "");
}

/* Adds index * scale; the index is sign-extended as the instruction demands. */
static void add_scaled(struct symbolic *symbolic, struct sum *sum, LLVMValueRef index,
                       uint64_t scale) {
    LLVMValueRef shadow = symbolic_shadow(symbolic, index);
    unsigned width = symbolic_width(symbolic, LLVMTypeOf(index));
    LLVMValueRef factor = symbolic_long(symbolic, scale);
    LLVMValueRef wide =
        width == 64 ? index : LLVMBuildSExt(symbolic->builder, index, symbolic->i64, "");
    shadow = symbolic_cast(symbolic, ABI_OP_SEXT, width, 64, shadow);
    if (scale != 1)
        shadow = build_binary(symbolic, HOOK_BINARY, ABI_OP_MUL, 64, wide, shadow, factor,
                              symbolic->zero);
    add_to(symbolic, sum, LLVMBuildMul(symbolic->builder, wide, factor, ""), shadow);
}

static bool any_symbolic(struct symbolic *symbolic, LLVMValueRef instruction) {
    for (int i = 0; i < LLVMGetNumOperands(instruction); i++)
        if (!symbolic_is_zero(symbolic_shadow(symbolic, LLVMGetOperand(instruction, (unsigned)i))))
            return true;
    return false;
}

static bool adds_constant(LLVMValueRef address) {
    if (!LLVMIsAGetElementPtrInst(address))
        return symbolic_is_constant_address(address);
    for (int i = 1; i < LLVMGetNumOperands(address); i++)
        if (!LLVMIsConstant(LLVMGetOperand(address, (unsigned)i)))
            return false;
    return true;
}

/* What an address was computed from by adding constants. The runtime takes the first term of a sum
 * for a pointer to the object that is meant, and table - 'a' may point to another one. */
static LLVMValueRef root_of(LLVMValueRef address) {
    while (adds_constant(address))
        address = LLVMGetOperand(address, 0);
    return address;
}

void symbolic_address(struct symbolic *symbolic, LLVMValueRef instruction) {
    if (!symbolic_width(symbolic, LLVMTypeOf(instruction)) || !any_symbolic(symbolic, instruction))
        return;
    LLVMTypeRef type = LLVMGetGEPSourceElementType(instruction);
    LLVMValueRef base = LLVMGetOperand(instruction, 0);
    LLVMValueRef root = root_of(base);
    struct sum sum = {symbolic_wide(symbolic, root), symbolic_shadow(symbolic, root)};
    for (int i = 1; i < LLVMGetNumOperands(instruction); i++) {
        LLVMValueRef index = LLVMGetOperand(instruction, (unsigned)i);
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
            uint64_t offset = LLVMOffsetOfElement(symbolic->layout, type, field);
            if (offset)
                add_to(symbolic, &sum, symbolic_long(symbolic, offset), symbolic->zero);
            type = LLVMStructGetTypeAtIndex(type, field);
            continue;
        }
        if (i > 1)
            type = LLVMGetElementType(type);
        add_scaled(symbolic, &sum, index, LLVMABISizeOfType(symbolic->layout, type));
    }
    if (root != base) {
        LLVMValueRef from = symbolic_wide(symbolic, root), to = symbolic_wide(symbolic, base);
        add_to(symbolic, &sum, LLVMBuildSub(symbolic->builder, to, from, ""), symbolic->zero);
    }
    symbolic_set_shadow(symbolic, instruction, sum.shadow);
}
