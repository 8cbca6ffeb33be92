/* SPDX-License-Identifier: Apache-2.0
 *
 * Shadows of floating-point numbers: comparisons, arithmetic, conversions, and those functions that
 * are simple enough. The shadow of a float or double is the expression of its bits. Negation,
 * absolute value and copied signs are operations on bits. What has no expression (remainders, long
 * double, vectors) is fixed.
 */
#include "instrument/symbolic.h"

#include <string.h>

/* A value with its shadow, as the hooks take it. */
struct operand {
    LLVMValueRef wide, shadow;
    unsigned width;
};

static struct operand operand_of(struct symbolic *symbolic, LLVMValueRef value) {
    unsigned width = symbolic_width(symbolic, LLVMTypeOf(value));
    return (struct operand){width ? symbolic_wide(symbolic, value) : NULL,
                            symbolic_shadow(symbolic, value), width};
}

static bool is_float(LLVMTypeRef type) {
    return LLVMGetTypeKind(type) == LLVMFloatTypeKind ||
           LLVMGetTypeKind(type) == LLVMDoubleTypeKind;
}

/* ---- bits ---- */

static uint64_t sign_bit(unsigned width) {
    return width == 32 ? (uint64_t)1 << 31 : (uint64_t)1 << 63; /* float and double alone */
}

/* a OP number; the value follows where it is needed. */
static struct operand with_number(struct symbolic *symbolic, enum abi_op op, struct operand a,
                                  uint64_t number) {
    LLVMValueRef b = symbolic_long(symbolic, number);
    a.shadow = symbolic_binary(symbolic, op, a.width, a.wide, a.shadow, b, symbolic->zero);
    a.wide = op == ABI_OP_AND ? LLVMBuildAnd(symbolic->builder, a.wide, b, "")
                              : LLVMBuildXor(symbolic->builder, a.wide, b, "");
    return a;
}

static LLVMValueRef shadow_negated(struct symbolic *symbolic, LLVMValueRef value) {
    struct operand a = operand_of(symbolic, value);
    return with_number(symbolic, ABI_OP_XOR, a, sign_bit(a.width)).shadow;
}

static LLVMValueRef shadow_absolute(struct symbolic *symbolic, LLVMValueRef value) {
    struct operand a = operand_of(symbolic, value);
    return with_number(symbolic, ABI_OP_AND, a, sign_bit(a.width) - 1).shadow;
}

static LLVMValueRef shadow_copied_sign(struct symbolic *symbolic, LLVMValueRef value,
                                       LLVMValueRef sign) {
    struct operand a = operand_of(symbolic, value), b = operand_of(symbolic, sign);
    a = with_number(symbolic, ABI_OP_AND, a, sign_bit(a.width) - 1);
    b = with_number(symbolic, ABI_OP_AND, b, sign_bit(b.width));
    return symbolic_binary(symbolic, ABI_OP_OR, a.width, a.wide, a.shadow, b.wide, b.shadow);
}

/* ---- conversions ---- */

static LLVMValueRef convert(struct symbolic *symbolic, enum abi_op op, unsigned from, unsigned to,
                            LLVMValueRef shadow) {
    if (symbolic_is_zero(shadow))
        return shadow;
    return symbolic_hook(symbolic, HOOK_CAST,
                         symbolic_number(symbolic, (uint32_t)op | from << 8 | to << 16), shadow);
}

/* The processor converts signed integers of 32 and 64 bits; compilers make the others from these,
 * unsigned ones of up to 32 bits among them. */
static LLVMValueRef shadow_from_integer(struct symbolic *symbolic, LLVMValueRef shadow,
                                        unsigned from, unsigned to, bool is_signed) {
    unsigned wide = from < 32 || (from == 32 && is_signed) ? 32 : 64;
    enum abi_op op = is_signed || from < 64 ? ABI_OP_STOF : ABI_OP_UTOF;
    shadow = symbolic_cast(symbolic, is_signed ? ABI_OP_SEXT : ABI_OP_ZEXT, from, wide, shadow);
    return convert(symbolic, op, wide, to, shadow);
}

static LLVMValueRef shadow_to_integer(struct symbolic *symbolic, LLVMValueRef shadow, unsigned from,
                                      unsigned to, bool is_signed) {
    unsigned wide = to < 32 || (to == 32 && is_signed) ? 32 : 64;
    enum abi_op op = is_signed || to < 64 ? ABI_OP_FTOS : ABI_OP_FTOU;
    shadow = convert(symbolic, op, from, wide, shadow);
    return symbolic_cast(symbolic, ABI_OP_EXTRACT, wide, to, shadow);
}

static void shadow_conversion(struct symbolic *symbolic, LLVMValueRef instruction) {
    LLVMValueRef value = LLVMGetOperand(instruction, 0);
    LLVMValueRef shadow = symbolic_shadow(symbolic, value);
    unsigned from = symbolic_width(symbolic, LLVMTypeOf(value));
    unsigned to = symbolic_width(symbolic, LLVMTypeOf(instruction));
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    if (!from || symbolic_is_zero(shadow))
        return;
    if (!to) {
        symbolic_fix(symbolic, value);
        return;
    }
    if (opcode == LLVMFPToSI || opcode == LLVMFPToUI)
        shadow = shadow_to_integer(symbolic, shadow, from, to, opcode == LLVMFPToSI);
    else if (opcode == LLVMSIToFP || opcode == LLVMUIToFP)
        shadow = shadow_from_integer(symbolic, shadow, from, to, opcode == LLVMSIToFP);
    else
        shadow = convert(symbolic, ABI_OP_FCVT, from, to, shadow);
    symbolic_set_shadow(symbolic, instruction, shadow);
}

/* ---- instructions ---- */

static enum abi_op binary_op(LLVMOpcode opcode) {
    switch (opcode) {
    case LLVMFAdd:
        return ABI_OP_FADD;
    case LLVMFSub:
        return ABI_OP_FSUB;
    case LLVMFMul:
        return ABI_OP_FMUL;
    case LLVMFDiv:
        return ABI_OP_FDIV;
    default:
        return ABI_OP_NONE;
    }
}

static void set_if_symbolic(struct symbolic *symbolic, LLVMValueRef value, LLVMValueRef shadow) {
    if (!symbolic_is_zero(shadow))
        symbolic_set_shadow(symbolic, value, shadow);
}

void symbolic_float(struct symbolic *symbolic, LLVMValueRef instruction) {
    LLVMValueRef a = LLVMGetOperand(instruction, 0);
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    enum abi_op op = binary_op(opcode);
    if (op) {
        set_if_symbolic(
            symbolic, instruction,
            symbolic_two(symbolic, HOOK_BINARY, (uint32_t)op, a, LLVMGetOperand(instruction, 1)));
    } else if (opcode == LLVMFCmp) {
        set_if_symbolic(symbolic, instruction,
                        symbolic_two(symbolic, HOOK_COMPARE,
                                     (uint32_t)LLVMGetFCmpPredicate(instruction), a,
                                     LLVMGetOperand(instruction, 1)));
    } else if (opcode != LLVMFNeg) {
        shadow_conversion(symbolic, instruction);
    } else if (is_float(LLVMTypeOf(a)) && !symbolic_is_zero(symbolic_shadow(symbolic, a))) {
        symbolic_set_shadow(symbolic, instruction, shadow_negated(symbolic, a));
    }
}

/* ---- functions ---- */

enum function {
    FUNCTION_NONE,
    FUNCTION_ABSOLUTE,
    FUNCTION_COPY_SIGN,
    FUNCTION_ROOT,
    FUNCTION_MULTIPLY_ADD,
    FUNCTION_LEAST,
    FUNCTION_GREATEST
};

static enum function function_named(const char *name) {
    static const struct {
        const char *name;
        enum function function;
    } functions[] = {{"llvm.fabs.", FUNCTION_ABSOLUTE},
                     {"fabs", FUNCTION_ABSOLUTE},
                     {"fabsf", FUNCTION_ABSOLUTE},
                     {"llvm.copysign.", FUNCTION_COPY_SIGN},
                     {"copysign", FUNCTION_COPY_SIGN},
                     {"copysignf", FUNCTION_COPY_SIGN},
                     {"llvm.sqrt.", FUNCTION_ROOT},
                     {"sqrt", FUNCTION_ROOT},
                     {"sqrtf", FUNCTION_ROOT},
                     {"llvm.minnum.", FUNCTION_LEAST},
                     {"fmin", FUNCTION_LEAST},
                     {"fminf", FUNCTION_LEAST},
                     {"llvm.maxnum.", FUNCTION_GREATEST},
                     {"fmax", FUNCTION_GREATEST},
                     {"fmaxf", FUNCTION_GREATEST},
                     {"llvm.fmuladd.", FUNCTION_MULTIPLY_ADD}};
    for (size_t i = 0; i < BASE_COUNT(functions); i++) {
        size_t length = strlen(functions[i].name);
        bool is_prefix = functions[i].name[length - 1] == '.';
        if (strncmp(name, functions[i].name, length) == 0 && (is_prefix || !name[length]))
            return functions[i].function;
    }
    return FUNCTION_NONE;
}

/* The target has no fused operation: a product, then a sum. */
static LLVMValueRef shadow_product_sum(struct symbolic *symbolic, LLVMValueRef a, LLVMValueRef b,
                                       LLVMValueRef c) {
    struct operand x = operand_of(symbolic, a), y = operand_of(symbolic, b),
                   z = operand_of(symbolic, c);
    LLVMValueRef shadow =
        symbolic_binary(symbolic, ABI_OP_FMUL, x.width, x.wide, x.shadow, y.wide, y.shadow);
    LLVMValueRef product = symbolic_wide(symbolic, LLVMBuildFMul(symbolic->builder, a, b, ""));
    return symbolic_binary(symbolic, ABI_OP_FADD, x.width, product, shadow, z.wide, z.shadow);
}

/* a, unless it is NaN or b is less (greater): then b. */
static LLVMValueRef shadow_extreme(struct symbolic *symbolic, LLVMValueRef a, LLVMValueRef b,
                                   bool least) {
    uint32_t predicate = least ? LLVMRealULE : LLVMRealUGE;
    struct operand x = operand_of(symbolic, a), y = operand_of(symbolic, b);
    LLVMBuilderRef builder = symbolic->builder;
    LLVMValueRef is_number = LLVMBuildFCmp(builder, LLVMRealORD, a, a, "");
    LLVMValueRef is_first = LLVMBuildFCmp(builder, predicate, a, b, "");
    LLVMValueRef number = symbolic_two(symbolic, HOOK_COMPARE, LLVMRealORD, a, a);
    LLVMValueRef first = symbolic_two(symbolic, HOOK_COMPARE, predicate, a, b);
    LLVMValueRef one = symbolic_binary(symbolic, ABI_OP_AND, 1, symbolic_wide(symbolic, is_number),
                                       number, symbolic_wide(symbolic, is_first), first);
    return symbolic_hook(symbolic, HOOK_SELECT, LLVMBuildAnd(builder, is_number, is_first, ""), one,
                         x.wide, x.shadow, y.wide, y.shadow, symbolic_number(symbolic, x.width));
}

static LLVMValueRef shadow_function(struct symbolic *symbolic, LLVMValueRef call,
                                    enum function function) {
    LLVMValueRef a = LLVMGetArgOperand(call, 0);
    LLVMValueRef b = LLVMGetNumArgOperands(call) > 1 ? LLVMGetArgOperand(call, 1) : a;
    unsigned width = symbolic_width(symbolic, LLVMTypeOf(a));
    switch (function) {
    case FUNCTION_ABSOLUTE:
        return shadow_absolute(symbolic, a);
    case FUNCTION_COPY_SIGN:
        return shadow_copied_sign(symbolic, a, b);
    case FUNCTION_ROOT:
        return convert(symbolic, ABI_OP_FSQRT, width, width, symbolic_shadow(symbolic, a));
    case FUNCTION_MULTIPLY_ADD:
        return shadow_product_sum(symbolic, a, b, LLVMGetArgOperand(call, 2));
    default:
        return shadow_extreme(symbolic, a, b, function == FUNCTION_LEAST);
    }
}

static bool takes_floats(struct symbolic *symbolic, LLVMValueRef call, bool *any_symbolic) {
    *any_symbolic = false;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        LLVMValueRef argument = LLVMGetArgOperand(call, i);
        if (LLVMTypeOf(argument) != LLVMTypeOf(call))
            return false;
        *any_symbolic |= !symbolic_is_zero(symbolic_shadow(symbolic, argument));
    }
    return is_float(LLVMTypeOf(call)) && LLVMGetNumArgOperands(call) > 0;
}

bool symbolic_float_call(struct symbolic *symbolic, LLVMValueRef call, const char *name) {
    enum function function = function_named(name);
    bool any_symbolic;
    if (!function || !takes_floats(symbolic, call, &any_symbolic))
        return false;
    if (any_symbolic)
        set_if_symbolic(symbolic, call, shadow_function(symbolic, call, function));
    return true;
}
