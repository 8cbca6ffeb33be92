/* SPDX-License-Identifier: Apache-2.0
 *
 * Shadows across calls. The caller puts the shadows of its arguments into a shared array, the
 * callee takes them out first thing; the results travel the same way back. Code without bitcode
 * does neither: what it is given is fixed, its result is concrete, and it finds the array empty
 * when it calls back.
 */
#include "abi/abi.h"
#include "instrument/symbolic.h"

#include <string.h>

static LLVMValueRef array_slot(struct symbolic *symbolic, LLVMValueRef array, unsigned index) {
    LLVMValueRef at = symbolic_long(symbolic, index);
    return LLVMBuildGEP2(symbolic->builder, symbolic->i32, array, &at, 1, "");
}

static LLVMValueRef take_slot(struct symbolic *symbolic, LLVMValueRef array, unsigned index) {
    return LLVMBuildLoad2(symbolic->builder, symbolic->i32, array_slot(symbolic, array, index), "");
}

static void put_slot(struct symbolic *symbolic, LLVMValueRef array, unsigned index,
                     LLVMValueRef shadow) {
    LLVMBuildStore(symbolic->builder, shadow, array_slot(symbolic, array, index));
}

/* Size of a struct that is passed by value in memory, 0 for any other parameter. */
static uint64_t by_value_size(const struct symbolic *symbolic, LLVMValueRef function,
                              unsigned parameter) {
    LLVMAttributeRef by_value = LLVMGetEnumAttributeAtIndex(
        function, parameter + 1, LLVMGetEnumAttributeKindForName("byval", 5));
    return by_value ? LLVMABISizeOfType(symbolic->layout, LLVMGetTypeAttributeValue(by_value)) : 0;
}

/* ---- the callee's side ---- */

void symbolic_enter(struct symbolic *symbolic) {
    LLVMValueRef function = symbolic->function;
    symbolic_enter_costs(symbolic, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
    if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)))
        symbolic_enter_variadic(symbolic);
    for (unsigned i = 0; i < LLVMCountParams(function) && i < SYMBOLIC_ARGUMENTS; i++) {
        uint64_t size = by_value_size(symbolic, function, i);
        if (size) /* The copy is the callee's; where it was copied from came with the call. */
            symbolic_hook(symbolic, HOOK_BY_VALUE, LLVMGetParam(function, i),
                          symbolic_number(symbolic, i), symbolic_long(symbolic, size));
    }
}

LLVMValueRef symbolic_any_argument(struct symbolic *symbolic) {
    return take_slot(symbolic, symbolic->given, 0);
}

void symbolic_take_arguments(struct symbolic *symbolic, LLVMValueRef given) {
    LLVMValueRef function = symbolic->function;
    for (unsigned i = 0; i < LLVMCountParams(function) && i < SYMBOLIC_ARGUMENTS; i++) {
        LLVMValueRef parameter = LLVMGetParam(function, i);
        if (by_value_size(symbolic, function, i) ||
            !symbolic_width(symbolic, LLVMTypeOf(parameter)))
            continue;
        LLVMValueRef shadow = take_slot(symbolic, symbolic->arguments, i);
        if (given) {
            LLVMValueRef is_any =
                LLVMBuildICmp(symbolic->builder, LLVMIntNE, given, symbolic->zero, "");
            shadow = LLVMBuildSelect(symbolic->builder, is_any, shadow, symbolic->zero, "");
        }
        symbolic_set_shadow(symbolic, parameter, shadow);
    }
    put_slot(symbolic, symbolic->given, 0, symbolic->zero);
}

/* Nothing may stand between such a call and the return: the callee's results are the caller's. */
static bool is_handed_on(LLVMValueRef call) {
    return call && LLVMIsACallInst(call) && LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail;
}

void symbolic_return(struct symbolic *symbolic, LLVMValueRef instruction) {
    if (is_handed_on(LLVMGetPreviousInstruction(instruction)))
        return;
    symbolic_tell_cost(symbolic);
    if (LLVMGetNumOperands(instruction) == 0)
        return;
    LLVMValueRef value = LLVMGetOperand(instruction, 0), shadow = symbolic_shadow(symbolic, value);
    LLVMTypeRef type = symbolic_shadow_type(symbolic, LLVMTypeOf(value));
    if (type == symbolic->i32)
        put_slot(symbolic, symbolic->results, 0, shadow);
    for (unsigned i = 0; type && type != symbolic->i32 && i < LLVMCountStructElementTypes(type);
         i++)
        put_slot(symbolic, symbolic->results, i,
                 LLVMBuildExtractValue(symbolic->builder, shadow, i, ""));
}

/* ---- the caller's side ---- */

/* It looks whether anything is given at all. */
static bool takes_given(LLVMValueRef callee) {
    return LLVMIsAFunction(callee) && !LLVMIsDeclaration(callee) &&
           !LLVMIsFunctionVarArg(LLVMGlobalGetValueType(callee));
}

static void give_arguments(struct symbolic *symbolic, LLVMValueRef call) {
    LLVMTypeRef type = LLVMGetCalledFunctionType(call);
    LLVMValueRef callee = LLVMGetCalledValue(call), given = symbolic->zero;
    unsigned count = LLVMGetNumArgOperands(call);
    if (LLVMIsFunctionVarArg(type))
        count = symbolic_give_variadic(symbolic, call, LLVMCountParamTypes(type));
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef argument = LLVMGetArgOperand(call, i);
        if (i >= SYMBOLIC_ARGUMENTS)
            symbolic_fix(symbolic, argument); /* it travels where no shadow follows */
        else if (LLVMGetCallSiteEnumAttribute(call, i + 1,
                                              LLVMGetEnumAttributeKindForName("byval", 5)))
            symbolic_hook(symbolic, HOOK_GIVE_BY_VALUE, argument, symbolic_number(symbolic, i));
        else if (symbolic_width(symbolic, LLVMTypeOf(argument))) {
            LLVMValueRef shadow = symbolic_shadow(symbolic, argument);
            if (!symbolic->is_plain || !takes_given(callee))
                put_slot(symbolic, symbolic->arguments, i, shadow);
            given = LLVMBuildOr(symbolic->builder, given, shadow, "");
        }
    }
    bool is_native = LLVMIsAFunction(callee) && LLVMIsDeclaration(callee);
    if (!is_native && !symbolic_is_zero(given))
        put_slot(symbolic, symbolic->given, 0, given);
}

/* In a function of two bodies the part that comes begins with the results: the plain body may go on
 * there. */
static LLVMValueRef behind(const struct symbolic *symbolic, LLVMValueRef call) {
    if (!symbolic->is_cut)
        return LLVMGetNextInstruction(call);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(call));
    return LLVMGetFirstInstruction(LLVMGetSuccessor(end, 0));
}

static void take_results(struct symbolic *symbolic, LLVMValueRef call) {
    LLVMTypeRef type = symbolic_shadow_type(symbolic, LLVMTypeOf(call));
    if (!type || is_handed_on(call) || symbolic->is_plain || !LLVMGetFirstUse(call))
        return;
    LLVMPositionBuilderBefore(symbolic->builder, behind(symbolic, call));
    if (type == symbolic->i32) {
        symbolic_set_shadow(symbolic, call, take_slot(symbolic, symbolic->results, 0));
        return;
    }
    LLVMValueRef shadow = LLVMConstNull(type);
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
        shadow = LLVMBuildInsertValue(symbolic->builder, shadow,
                                      take_slot(symbolic, symbolic->results, i), i, "");
    symbolic_set_shadow(symbolic, call, shadow);
}

/* A callee that may have no bitcode leaves the results alone: they must say "concrete" already. */
static void clear_results(struct symbolic *symbolic, LLVMValueRef call) {
    LLVMTypeRef type = symbolic_shadow_type(symbolic, LLVMTypeOf(call));
    unsigned count = !type ? 0 : type == symbolic->i32 ? 1 : LLVMCountStructElementTypes(type);
    for (unsigned i = 0; i < count; i++)
        put_slot(symbolic, symbolic->results, i, symbolic->zero);
}

static void fix_arguments(struct symbolic *symbolic, LLVMValueRef call) {
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        symbolic_fix(symbolic, LLVMGetArgOperand(call, i));
}

/* ---- intrinsics ---- */

struct intrinsic {
    const char *name;
    enum abi_intrinsic kind;
};

static const struct intrinsic intrinsics[] = {
    {"llvm.smax", ABI_INTRINSIC_SMAX},         {"llvm.smin", ABI_INTRINSIC_SMIN},
    {"llvm.umax", ABI_INTRINSIC_UMAX},         {"llvm.umin", ABI_INTRINSIC_UMIN},
    {"llvm.abs", ABI_INTRINSIC_ABS},           {"llvm.bswap", ABI_INTRINSIC_BSWAP},
    {"llvm.usub.sat", ABI_INTRINSIC_USUB_SAT}, {"llvm.uadd.sat", ABI_INTRINSIC_UADD_SAT},
};

static bool is_intrinsic(LLVMValueRef callee, const char *name) {
    return LLVMGetIntrinsicID(callee) == LLVMLookupIntrinsicID(name, strlen(name));
}

static bool compute_intrinsic(struct symbolic *symbolic, LLVMValueRef call, LLVMValueRef callee) {
    unsigned width = symbolic_width(symbolic, LLVMTypeOf(call));
    for (size_t i = 0; width && i < BASE_COUNT(intrinsics); i++) {
        if (!is_intrinsic(callee, intrinsics[i].name))
            continue;
        bool two = LLVMGetNumArgOperands(call) > 1 &&
                   LLVMTypeOf(LLVMGetArgOperand(call, 1)) == LLVMTypeOf(call);
        LLVMValueRef a = LLVMGetArgOperand(call, 0), b = two ? LLVMGetArgOperand(call, 1) : a;
        symbolic_set_shadow(
            symbolic, call,
            symbolic_two(symbolic, HOOK_INTRINSIC, (uint32_t)intrinsics[i].kind, a, b));
        return true;
    }
    return false;
}

static const struct intrinsic overflows[] = {
    {"llvm.uadd.with.overflow", ABI_INTRINSIC_UADD_OVERFLOW},
    {"llvm.usub.with.overflow", ABI_INTRINSIC_USUB_OVERFLOW},
    {"llvm.umul.with.overflow", ABI_INTRINSIC_UMUL_OVERFLOW},
    {"llvm.sadd.with.overflow", ABI_INTRINSIC_SADD_OVERFLOW},
    {"llvm.ssub.with.overflow", ABI_INTRINSIC_SSUB_OVERFLOW},
    {"llvm.smul.with.overflow", ABI_INTRINSIC_SMUL_OVERFLOW},
};

/* A value and a flag; the hook gives both shadows in one number. */
static bool compute_overflow(struct symbolic *symbolic, LLVMValueRef call, LLVMValueRef callee) {
    LLVMTypeRef type = symbolic_shadow_type(symbolic, LLVMTypeOf(call));
    for (size_t i = 0; type && type != symbolic->i32 && i < BASE_COUNT(overflows); i++) {
        if (!is_intrinsic(callee, overflows[i].name))
            continue;
        LLVMValueRef both = symbolic_two(symbolic, HOOK_OVERFLOW, (uint32_t)overflows[i].kind,
                                         LLVMGetArgOperand(call, 0), LLVMGetArgOperand(call, 1));
        if (symbolic_is_zero(both))
            return true;
        LLVMBuilderRef builder = symbolic->builder;
        LLVMValueRef value = LLVMBuildTrunc(builder, both, symbolic->i32, "");
        LLVMValueRef flag =
            LLVMBuildTrunc(builder, LLVMBuildLShr(builder, both, symbolic_long(symbolic, 32), ""),
                           symbolic->i32, "");
        LLVMValueRef shadow = LLVMBuildInsertValue(builder, LLVMConstNull(type), value, 0, "");
        symbolic_set_shadow(symbolic, call, LLVMBuildInsertValue(builder, shadow, flag, 1, ""));
        return true;
    }
    return false;
}

/* Funnel shifts by a constant are what rotations become. */
static bool compute_funnel(struct symbolic *symbolic, LLVMValueRef call, LLVMValueRef callee) {
    bool left = is_intrinsic(callee, "llvm.fshl");
    unsigned width = symbolic_width(symbolic, LLVMTypeOf(call));
    if (!width || (!left && !is_intrinsic(callee, "llvm.fshr")) ||
        !LLVMIsAConstantInt(LLVMGetArgOperand(call, 2)))
        return false;
    unsigned amount = (unsigned)(LLVMConstIntGetZExtValue(LLVMGetArgOperand(call, 2)) % width);
    symbolic_set_shadow(symbolic, call,
                        symbolic_two(symbolic, HOOK_FUNNEL, left ? amount : width - amount,
                                     LLVMGetArgOperand(call, 0), LLVMGetArgOperand(call, 1)));
    return true;
}

static void call_intrinsic(struct symbolic *symbolic, LLVMValueRef call, LLVMValueRef callee) {
    size_t length;
    if (symbolic_float_call(symbolic, call, LLVMGetValueName2(callee, &length)))
        return;
    if (!ir_counts(call) || compute_intrinsic(symbolic, call, callee) ||
        compute_overflow(symbolic, call, callee) || compute_funnel(symbolic, call, callee))
        return;
    if (is_intrinsic(callee, "llvm.memcpy") || is_intrinsic(callee, "llvm.memmove") ||
        is_intrinsic(callee, "llvm.memcpy.inline")) {
        symbolic_memory_call(symbolic, call, false);
        return;
    }
    if (is_intrinsic(callee, "llvm.memset") || is_intrinsic(callee, "llvm.memset.inline")) {
        symbolic_memory_call(symbolic, call, true);
        return;
    }
    if (is_intrinsic(callee, "llvm.stackrestore"))
        symbolic_hook(symbolic, HOOK_RELEASE_STACK, LLVMGetArgOperand(call, 0));
    else if (is_intrinsic(callee, "llvm.va_start"))
        symbolic_start_variadic(symbolic, call);
    else {
        fix_arguments(symbolic, call);
        symbolic_tell_cost(symbolic);
    }
}

/* Functions of our own runtime know about shadows though they have no bitcode here. */
bool symbolic_knows_shadows(const char *name) {
    static const char *const names[] = {
#define SHADOWED(name) ABI_LIBRARY_PREFIX #name,
#define WRITES(name) ABI_LIBRARY_PREFIX #name,
#define SHADOWED_ALWAYS(name) ABI_LIBRARY_PREFIX #name,
#include "abi/library.def"
        "slowpath_assume", "slowpath_count", "klee_assume", "klee_range"};
    for (size_t i = 0; i < BASE_COUNT(names); i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bool writes(const char *name) {
    static const char *const names[] = {
#define WRITES(name) ABI_LIBRARY_PREFIX #name,
#define PRINTS(name) ABI_LIBRARY_PREFIX #name,
#include "abi/library.def"
    };
    for (size_t i = 0; i < BASE_COUNT(names); i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

bool symbolic_takes_writer(LLVMModuleRef module) {
    for (LLVMValueRef at = LLVMGetFirstFunction(module); at; at = LLVMGetNextFunction(at)) {
        size_t length;
        if (writes(LLVMGetValueName2(at, &length)) && symbolic_is_taken(at))
            return true;
    }
    return false;
}

/* Hooks that our explored library functions read with: from where and to where must be concrete. */
static bool reads(const char *name) {
    static const char *const names[] = {"__slowpath_sym_next_byte", "__slowpath_sym_unread_byte",
                                        "__slowpath_sym_grow_line", "__slowpath_sym_print_matters"};
    for (size_t i = 0; i < BASE_COUNT(names); i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* What a function of ours charges may depend on the input. */
static void tell_amount(struct symbolic *symbolic, LLVMValueRef call, const char *name) {
    LLVMValueRef amount = strcmp(name, "__slowpath_hook_cost") ? NULL : LLVMGetArgOperand(call, 0);
    LLVMValueRef shadow = amount ? symbolic_shadow(symbolic, amount) : NULL;
    if (shadow && !symbolic_is_zero(shadow))
        symbolic_hook(symbolic, HOOK_AMOUNT, amount, shadow);
}

/* It says by itself which call runs. */
static bool is_program(const struct symbolic *symbolic, LLVMValueRef callee) {
    return LLVMIsAFunction(callee) && !LLVMIsDeclaration(callee) &&
           symbolic_site(symbolic, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(callee))) <
               symbolic->program_sites;
}

static void after_call(struct symbolic *symbolic, LLVMValueRef call) {
    if (is_handed_on(call))
        return;
    LLVMPositionBuilderBefore(symbolic->builder, LLVMGetNextInstruction(call));
    symbolic_take_cost(symbolic);
    /* Code without bitcode has not taken what it was given. */
    if (!symbolic->is_plain && !LLVMIsAFunction(LLVMGetCalledValue(call)))
        put_slot(symbolic, symbolic->given, 0, symbolic->zero);
}

/* ---- results ---- */

bool symbolic_gives_result(const struct symbolic *symbolic, LLVMValueRef instruction) {
    if (!LLVMIsACallInst(instruction) || !LLVMGetFirstUse(instruction) ||
        !symbolic_shadow_type(symbolic, LLVMTypeOf(instruction)) || is_handed_on(instruction))
        return false;
    LLVMValueRef callee = LLVMGetCalledValue(instruction);
    size_t length;
    const char *name = LLVMGetValueName2(callee, &length);
    if (LLVMIsAInlineAsm(callee) || instrument_is_hook(name))
        return false;
    return !LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee) ||
           (!LLVMGetIntrinsicID(callee) && symbolic_knows_shadows(name));
}

LLVMValueRef symbolic_any_result(struct symbolic *symbolic, LLVMValueRef call) {
    LLVMTypeRef type = symbolic_shadow_type(symbolic, LLVMTypeOf(call));
    unsigned count = type == symbolic->i32 ? 1 : LLVMCountStructElementTypes(type);
    LLVMValueRef any = symbolic->zero;
    for (unsigned i = 0; i < count; i++)
        any = LLVMBuildOr(symbolic->builder, any, take_slot(symbolic, symbolic->results, i), "");
    return any;
}

/* Are the first so many arguments of the function at hand concrete? */
static bool answer_plain_arguments(struct symbolic *symbolic, LLVMValueRef call, const char *name) {
    if (strcmp(name, "__slowpath_hook_plain_arguments") != 0)
        return false;
    uint64_t count = LLVMConstIntGetZExtValue(LLVMGetArgOperand(call, 0));
    LLVMValueRef any = symbolic->zero;
    for (unsigned i = 0; i < count; i++)
        any = LLVMBuildOr(symbolic->builder, any,
                          symbolic_shadow(symbolic, LLVMGetParam(symbolic->function, i)), "");
    LLVMReplaceAllUsesWith(call,
                           LLVMBuildICmp(symbolic->builder, LLVMIntEQ, any, symbolic->zero, ""));
    return true;
}

void symbolic_call(struct symbolic *symbolic, LLVMValueRef call) {
    LLVMValueRef callee = LLVMGetCalledValue(call);
    if (LLVMIsAInlineAsm(callee)) {
        symbolic_call_outside(symbolic, call);
        return;
    }
    bool direct = LLVMIsAFunction(callee) != NULL;
    if (direct && LLVMGetIntrinsicID(callee)) {
        call_intrinsic(symbolic, call, callee);
        return;
    }
    size_t length;
    const char *name = LLVMGetValueName2(callee, &length);
    if (reads(name))
        fix_arguments(symbolic, call);
    if (answer_plain_arguments(symbolic, call, name))
        return;
    if (instrument_is_hook(name)) {
        tell_amount(symbolic, call, name);
        return;
    }
    if (direct && LLVMIsDeclaration(callee) && symbolic_float_call(symbolic, call, name))
        return;
    if (direct && LLVMIsDeclaration(callee) && !symbolic_knows_shadows(name)) {
        symbolic_call_outside(symbolic, call);
        after_call(symbolic, call);
        return;
    }
    if (!direct)
        symbolic_fix(symbolic, callee);
    if (LLVMGetFirstUse(call) && direct && writes(name))
        symbolic_hook(symbolic, HOOK_RESULT_MATTERS);
    else if (LLVMGetFirstUse(call) && !direct && symbolic->takes_writer)
        symbolic_hook(symbolic, HOOK_RESULT_OF, callee);
    give_arguments(symbolic, call);
    if (!direct || LLVMIsDeclaration(callee))
        clear_results(symbolic, call);
    symbolic_tell_cost(symbolic);
    if (!is_program(symbolic, callee))
        symbolic_tell_frame(symbolic);
    take_results(symbolic, call);
    after_call(symbolic, call);
}
