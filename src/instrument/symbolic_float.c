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
    FUNCTION_ABSOLUTE,
    FUNCTION_COPY_SIGN,
    FUNCTION_ROOT,      /* which may set errno */
    FUNCTION_OPERATION, /* of one number */
    FUNCTION_WHOLE,     /* the same, and then a long */
    FUNCTION_MULTIPLY_ADD,
    FUNCTION_LEAST,
    FUNCTION_GREATEST
};

struct named_function {
    const char *name; /* of doubles; an intrinsic is llvm.NAME. */
    enum function function;
    enum abi_op op; /* for FUNCTION_OPERATION and FUNCTION_WHOLE */
};

static const struct named_function functions[] = {{"fabs", FUNCTION_ABSOLUTE, ABI_OP_NONE},
                                                  {"copysign", FUNCTION_COPY_SIGN, ABI_OP_NONE},
                                                  {"sqrt", FUNCTION_ROOT, ABI_OP_FSQRT},
                                                  {"floor", FUNCTION_OPERATION, ABI_OP_FLOOR},
                                                  {"ceil", FUNCTION_OPERATION, ABI_OP_FCEIL},
                                                  {"trunc", FUNCTION_OPERATION, ABI_OP_FTRUNC},
                                                  {"round", FUNCTION_OPERATION, ABI_OP_FROUND},
                                                  {"rint", FUNCTION_OPERATION, ABI_OP_FRINT},
                                                  {"nearbyint", FUNCTION_OPERATION, ABI_OP_FRINT},
                                                  {"roundeven", FUNCTION_OPERATION, ABI_OP_FRINT},
                                                  {"lround", FUNCTION_WHOLE, ABI_OP_FROUND},
                                                  {"llround", FUNCTION_WHOLE, ABI_OP_FROUND},
                                                  {"lrint", FUNCTION_WHOLE, ABI_OP_FRINT},
                                                  {"llrint", FUNCTION_WHOLE, ABI_OP_FRINT},
                                                  {"fmin", FUNCTION_LEAST, ABI_OP_NONE},
                                                  {"minnum", FUNCTION_LEAST, ABI_OP_NONE},
                                                  {"fmax", FUNCTION_GREATEST, ABI_OP_NONE},
                                                  {"maxnum", FUNCTION_GREATEST, ABI_OP_NONE},
                                                  {"fmuladd", FUNCTION_MULTIPLY_ADD, ABI_OP_NONE}};

/* The name itself, with an "f" for floats, or as an intrinsic. */
static bool is_named(const char *name, const char *function) {
    size_t length = strlen(function);
    bool is_intrinsic = strncmp(name, "llvm.", 5) == 0;
    name += is_intrinsic ? 5 : 0;
    if (strncmp(name, function, length) != 0)
        return false;
    name += length;
    return is_intrinsic ? *name == '.' : !*name || strcmp(name, "f") == 0;
}

static const struct named_function *function_named(const char *name) {
    for (size_t i = 0; i < BASE_COUNT(functions); i++)
        if (is_named(name, functions[i].name))
            return &functions[i];
    return NULL;
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

static LLVMValueRef apply(struct symbolic *symbolic, enum abi_op op, LLVMValueRef a) {
    unsigned width = symbolic_width(symbolic, LLVMTypeOf(a));
    return convert(symbolic, op, width, width, symbolic_shadow(symbolic, a));
}

/* The root of a negative number sets errno: where the program looks at that, it is a decision. */
static LLVMValueRef shadow_root(struct symbolic *symbolic, LLVMValueRef call, LLVMValueRef a) {
    if (!LLVMIsAIntrinsicInst(call) && LLVMGetNamedFunction(symbolic->module, "__errno_location")) {
        LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(a));
        LLVMValueRef is_negative = LLVMBuildFCmp(symbolic->builder, LLVMRealOLT, a, zero, "");
        symbolic_hook(symbolic, HOOK_BRANCH, is_negative,
                      symbolic_two(symbolic, HOOK_COMPARE, LLVMRealOLT, a, zero),
                      symbolic_number(symbolic, UINT32_MAX - 1));
    }
    return apply(symbolic, ABI_OP_FSQRT, a);
}

static LLVMValueRef shadow_function(struct symbolic *symbolic, LLVMValueRef call,
                                    const struct named_function *named) {
    LLVMValueRef a = LLVMGetArgOperand(call, 0);
    LLVMValueRef b = LLVMGetNumArgOperands(call) > 1 ? LLVMGetArgOperand(call, 1) : a;
    unsigned width = symbolic_width(symbolic, LLVMTypeOf(a));
    switch (named->function) {
    case FUNCTION_ABSOLUTE:
        return shadow_absolute(symbolic, a);
    case FUNCTION_COPY_SIGN:
        return shadow_copied_sign(symbolic, a, b);
    case FUNCTION_ROOT:
        return shadow_root(symbolic, call, a);
    case FUNCTION_OPERATION:
        return apply(symbolic, named->op, a);
    case FUNCTION_WHOLE:
        return convert(symbolic, ABI_OP_FTOS, width, 64, apply(symbolic, named->op, a));
    case FUNCTION_MULTIPLY_ADD:
        return shadow_product_sum(symbolic, a, b, LLVMGetArgOperand(call, 2));
    default:
        return shadow_extreme(symbolic, a, b, named->function == FUNCTION_LEAST);
    }
}

/* Are all arguments of one floating-point type, and the result what it should be? */
static bool has_type(struct symbolic *symbolic, LLVMValueRef call, enum function function) {
    unsigned count = LLVMGetNumArgOperands(call);
    LLVMTypeRef type = count ? LLVMTypeOf(LLVMGetArgOperand(call, 0)) : NULL;
    for (unsigned i = 1; i < count; i++)
        if (LLVMTypeOf(LLVMGetArgOperand(call, i)) != type)
            return false;
    return count && is_float(type) &&
           (function == FUNCTION_WHOLE ? symbolic_width(symbolic, LLVMTypeOf(call)) == 64
                                       : LLVMTypeOf(call) == type);
}

static bool is_any_symbolic(struct symbolic *symbolic, LLVMValueRef call) {
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        if (!symbolic_is_zero(symbolic_shadow(symbolic, LLVMGetArgOperand(call, i))))
            return true;
    return false;
}

bool symbolic_float_call(struct symbolic *symbolic, LLVMValueRef call, const char *name) {
    const struct named_function *named = function_named(name);
    if (!named || !has_type(symbolic, call, named->function))
        return false;
    if (is_any_symbolic(symbolic, call))
        set_if_symbolic(symbolic, call, shadow_function(symbolic, call, named));
    return true;
}
