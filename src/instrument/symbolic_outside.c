/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of functions without bitcode. What they are given is fixed, and their results are concrete.
 * What else they may look at depends on the function: abi/library.def says of many that it is
 * nothing, or texts. Of all others the runtime is told what they get, and finds out whether data of
 * the input goes with it (runtime/sym_outside.c).
 *
 * Where the address of such a function is taken, a function of ours stands in that calls it: so
 * calls through pointers are seen, too.
 */
#include "abi/abi.h"
#include "instrument/symbolic.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>
#include <utime.h>
#include <wchar.h>

enum manner {
    UNKNOWN,
    HARMLESS, /* looks at its arguments alone */
    TEXT,     /* and at the texts that they point to */
    OUTPUT,   /* what it gets goes out */
    LOSES     /* nobody follows what it does */
};

static enum manner find_manner(const char *name) {
    static const struct {
        const char *name;
        enum manner manner;
    } known[] = {
#define OUTPUT(name) {#name, OUTPUT},
#define HARMLESS(name) {#name, HARMLESS},
#define TEXT(name) {#name, TEXT},
#define LOSES(name) {#name, LOSES},
#include "abi/library.def"
    };
    size_t prefix = strlen(ABI_LIBRARY_PREFIX);
    bool is_ours = strncmp(name, ABI_LIBRARY_PREFIX, prefix) == 0;
    for (size_t i = 0; i < BASE_COUNT(known); i++)
        if (strcmp(known[i].name, is_ours ? name + prefix : name) == 0)
            return known[i].manner;
    return !is_ours && strncmp(name, "__slowpath_", 11) == 0 ? HARMLESS : UNKNOWN;
}

/* ---- what goes with a call ---- */

static unsigned by_value_kind(void) {
    return LLVMGetEnumAttributeKindForName("byval", 5);
}

static LLVMValueRef make_name(struct symbolic *symbolic, const char *name) {
    if (strncmp(name, ABI_LIBRARY_PREFIX, strlen(ABI_LIBRARY_PREFIX)) == 0)
        name += strlen(ABI_LIBRARY_PREFIX);
    return LLVMBuildGlobalStringPtr(symbolic->builder, *name ? name : "inline assembly", "");
}

/* Structs that are passed in memory are values, too. */
static void fix_values(struct symbolic *symbolic, LLVMValueRef call) {
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        LLVMValueRef argument = LLVMGetArgOperand(call, i);
        LLVMAttributeRef by_value = LLVMGetCallSiteEnumAttribute(call, i + 1, by_value_kind());
        symbolic_fix(symbolic, argument);
        if (!by_value)
            continue;
        uint64_t size = LLVMABISizeOfType(symbolic->layout, LLVMGetTypeAttributeValue(by_value));
        symbolic_hook(symbolic, HOOK_FIX_MEMORY, argument, symbolic_long(symbolic, size));
    }
}

/* Nothing symbolic can be there. */
static bool is_constant(LLVMValueRef pointer) {
    return LLVMIsNull(pointer) || LLVMIsAFunction(pointer) ||
           (LLVMIsAGlobalVariable(pointer) && LLVMIsGlobalConstant(pointer));
}

/* Where a variable of this function ends that the pointer leads into; NULL: that is not known. */
static LLVMValueRef find_end(struct symbolic *symbolic, LLVMValueRef pointer) {
    while (LLVMIsAGetElementPtrInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    if (!LLVMIsAAllocaInst(pointer) || !LLVMIsAConstantInt(LLVMGetOperand(pointer, 0)))
        return LLVMConstNull(symbolic->pointer);
    uint64_t count = LLVMConstIntGetZExtValue(LLVMGetOperand(pointer, 0));
    uint64_t size = LLVMABISizeOfType(symbolic->layout, LLVMGetAllocatedType(pointer));
    LLVMValueRef bytes = symbolic_long(symbolic, count * size);
    return LLVMBuildGEP2(symbolic->builder, symbolic->i8, pointer, &bytes, 1, "");
}

static void give_texts(struct symbolic *symbolic, LLVMValueRef call, LLVMValueRef name) {
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        LLVMValueRef argument = LLVMGetArgOperand(call, i);
        if (LLVMTypeOf(argument) == symbolic->pointer && !is_constant(argument))
            symbolic_hook(symbolic, HOOK_GIVE_TEXT, name, argument);
    }
}

static void give_all(struct symbolic *symbolic, LLVMValueRef call, LLVMValueRef name) {
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        LLVMValueRef argument = LLVMGetArgOperand(call, i);
        LLVMTypeRef type = LLVMTypeOf(argument);
        if (type == symbolic->pointer && !is_constant(argument))
            symbolic_hook(symbolic, HOOK_GIVE_AWAY, name, argument, find_end(symbolic, argument));
        else if (type == symbolic->i32)
            symbolic_hook(symbolic, HOOK_GIVE_NUMBER, name, symbolic_wide(symbolic, argument));
    }
}

/* Numbers only, and no result but one: there is nothing to look at. */
static bool is_computation(const struct symbolic *symbolic, LLVMValueRef call) {
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(LLVMGetArgOperand(call, i)));
        if (kind != LLVMDoubleTypeKind && kind != LLVMFloatTypeKind)
            return false;
    }
    return LLVMGetNumArgOperands(call) && LLVMTypeOf(call) != symbolic->pointer;
}

/* Behind the call, unless it does not come back there. */
static bool go_behind(struct symbolic *symbolic, LLVMValueRef call) {
    LLVMValueRef next = LLVMGetNextInstruction(call);
    if (!next || LLVMIsATerminatorInst(call) || LLVMIsAUnreachableInst(next) ||
        LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail)
        return false;
    LLVMPositionBuilderBefore(symbolic->builder, next);
    return true;
}

static void look_after(struct symbolic *symbolic, LLVMValueRef call, LLVMValueRef name) {
    if (go_behind(symbolic, call))
        symbolic_hook(symbolic, HOOK_AFTER_UNKNOWN, name);
    LLVMPositionBuilderBefore(symbolic->builder, call);
}

/* ---- variables that a pointer leads to ---- */

struct variable {
    const char *name; /* of the function */
    unsigned argument;
    uint64_t bytes;
};
static const struct variable filled[] = {
#define FILLS(name, argument, type) {#name, argument, sizeof(type)},
#include "abi/library.def"
};
static const struct variable looked_at[] = {
#define LOOKS(name, argument, type) {#name, argument, sizeof(type)},
#include "abi/library.def"
};

static const struct variable *find_variable(const struct variable *variables, size_t count,
                                            const char *name) {
    size_t prefix = strlen(ABI_LIBRARY_PREFIX);
    name += strncmp(name, ABI_LIBRARY_PREFIX, prefix) == 0 ? prefix : 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(variables[i].name, name) == 0)
            return &variables[i];
    return NULL;
}
#define FIND_VARIABLE(variables, name) find_variable(variables, BASE_COUNT(variables), name)

static bool is_passed(const struct symbolic *symbolic, LLVMValueRef call,
                      const struct variable *variable) {
    return variable && variable->argument < LLVMGetNumArgOperands(call) &&
           LLVMTypeOf(LLVMGetArgOperand(call, variable->argument)) == symbolic->pointer;
}

static void look(struct symbolic *symbolic, LLVMValueRef call, const char *name) {
    const struct variable *variable = FIND_VARIABLE(looked_at, name);
    if (is_passed(symbolic, call, variable))
        symbolic_hook(symbolic, HOOK_LOOKS, LLVMGetArgOperand(call, variable->argument),
                      symbolic_long(symbolic, variable->bytes));
}

/* What the function has written is concrete, whatever was there before. */
static void clear_filled(struct symbolic *symbolic, LLVMValueRef call, const char *name) {
    const struct variable *variable = FIND_VARIABLE(filled, name);
    if (!is_passed(symbolic, call, variable) ||
        LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMIntegerTypeKind || !go_behind(symbolic, call))
        return;
    symbolic_hook(symbolic, HOOK_FILLED, LLVMGetArgOperand(call, variable->argument),
                  symbolic_long(symbolic, variable->bytes), symbolic_wide(symbolic, call));
    LLVMPositionBuilderBefore(symbolic->builder, call);
}

/* What stands behind `...` may be a pointer to anything, as of fcntl. */
static void give_variadic(struct symbolic *symbolic, LLVMValueRef call, LLVMValueRef name) {
    LLVMTypeRef type = LLVMGetCalledFunctionType(call);
    if (!LLVMIsFunctionVarArg(type))
        return;
    for (unsigned i = LLVMCountParamTypes(type); i < LLVMGetNumArgOperands(call); i++) {
        LLVMValueRef argument = LLVMGetArgOperand(call, i);
        if (LLVMTypeOf(argument) == symbolic->pointer && !is_constant(argument))
            symbolic_hook(symbolic, HOOK_GIVE_AWAY, name, argument, find_end(symbolic, argument));
    }
}

/* A call that hands on what its caller got behind `...`: a stand-in. */
static bool hands_on_rest(LLVMValueRef call) {
    return LLVMIsFunctionVarArg(LLVMGetCalledFunctionType(call)) &&
           LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail;
}

static void call_unknown(struct symbolic *symbolic, LLVMValueRef call, LLVMValueRef name) {
    give_all(symbolic, call, name);
    if (LLVMIsAInlineAsm(LLVMGetCalledValue(call)) || is_computation(symbolic, call))
        return;
    symbolic_hook(symbolic, HOOK_BEFORE_UNKNOWN);
    look_after(symbolic, call, name);
}

void symbolic_call_outside(struct symbolic *symbolic, LLVMValueRef call) {
    size_t length;
    const char *name = LLVMGetValueName2(LLVMGetCalledValue(call), &length);
    enum manner manner = find_manner(name);
    if (manner != OUTPUT)
        fix_values(symbolic, call);
    look(symbolic, call, name);
    if (manner == HARMLESS)
        give_variadic(symbolic, call, make_name(symbolic, name));
    if (manner == TEXT)
        give_texts(symbolic, call, make_name(symbolic, name));
    else if (manner == LOSES)
        symbolic_hook(symbolic, HOOK_LOSE, make_name(symbolic, name));
    else if (manner == UNKNOWN)
        call_unknown(symbolic, call, make_name(symbolic, name));
    if (hands_on_rest(call))
        symbolic_hook(symbolic, HOOK_GIVE_REST, make_name(symbolic, name), symbolic->variadic,
                      LLVMConstInt(symbolic->i1, manner == UNKNOWN, false));
    clear_filled(symbolic, call, name);
    symbolic_hook(symbolic, HOOK_OUTSIDE);
}

/* ---- addresses that are taken ---- */

static bool is_callee(LLVMValueRef user, LLVMValueRef function) {
    if (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != function)
        return false;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(user); i++)
        if (LLVMGetArgOperand(user, i) == function)
            return false;
    return true;
}

bool symbolic_is_taken(LLVMValueRef function) {
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use))
        if (!is_callee(LLVMGetUser(use), function))
            return true;
    return false;
}

static bool needs_stand_in(LLVMValueRef function) {
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    if (!LLVMIsDeclaration(function) || LLVMGetIntrinsicID(function) || instrument_is_hook(name) ||
        LLVMGetLinkage(function) != LLVMExternalLinkage)
        return false;
    enum manner manner = find_manner(name);
    return (manner != HARMLESS || FIND_VARIABLE(filled, name) || FIND_VARIABLE(looked_at, name)) &&
           manner != OUTPUT && !symbolic_knows_shadows(name) && symbolic_is_taken(function);
}

static void copy_attributes(LLVMValueRef from, LLVMValueRef to, LLVMValueRef call,
                            unsigned parameters) {
    for (unsigned at = 0; at <= parameters; at++) {
        LLVMAttributeRef attributes[16];
        unsigned count = LLVMGetAttributeCountAtIndex(from, at);
        if (count > BASE_COUNT(attributes))
            continue;
        LLVMGetAttributesAtIndex(from, at, attributes);
        for (unsigned i = 0; i < count; i++) {
            LLVMAddAttributeAtIndex(to, at, attributes[i]);
            LLVMAddCallSiteAttribute(call, at, attributes[i]);
        }
    }
}

static LLVMValueRef make_stand_in(LLVMModuleRef module, LLVMBuilderRef builder,
                                  LLVMValueRef function) {
    LLVMTypeRef type = LLVMGlobalGetValueType(function);
    LLVMValueRef stand_in = LLVMAddFunction(module, "stand_in", type), arguments[64];
    unsigned count = LLVMCountParams(function);
    LLVMSetLinkage(stand_in, LLVMInternalLinkage);
    LLVMSetFunctionCallConv(stand_in, LLVMGetFunctionCallConv(function));
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, stand_in, ""));
    LLVMGetParams(stand_in, arguments);
    LLVMValueRef call = LLVMBuildCall2(builder, type, function, arguments, count, "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(function));
    copy_attributes(function, stand_in, call, count);
    if (LLVMIsFunctionVarArg(type)) /* the only way to hand on what is behind `...` */
        LLVMSetTailCallKind(call, LLVMTailCallKindMustTail);
    if (LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMVoidTypeKind)
        LLVMBuildRetVoid(builder);
    else
        LLVMBuildRet(builder, call);
    return stand_in;
}

struct replacement {
    LLVMValueRef function, stand_in;
};

/* Direct calls are as they were. */
static void call_itself(LLVMValueRef instruction, void *context) {
    const struct replacement *replacement = context;
    if (LLVMIsACallInst(instruction) && LLVMGetCalledValue(instruction) == replacement->stand_in)
        LLVMSetOperand(instruction, (unsigned)LLVMGetNumOperands(instruction) - 1,
                       replacement->function);
}

void instrument_stand_in(LLVMModuleRef module) {
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
         function = LLVMGetNextFunction(function)) {
        if (LLVMCountParams(function) > 64 || !needs_stand_in(function))
            continue;
        struct replacement replacement = {function, make_stand_in(module, builder, function)};
        LLVMReplaceAllUsesWith(function, replacement.stand_in);
        instrument_each_instruction(module, call_itself, &replacement);
    }
    LLVMDisposeBuilder(builder);
}
