/* SPDX-License-Identifier: Apache-2.0
 *
 * What can a program change besides its own memory? Whatever it does there, it does through
 * functions without bitcode, or in assembler. So a program whose declarations are all of the list
 * in abi/quiet.def leaves nothing in the kernel, and the runtime need not ask the kernel after each
 * run. And does it have frames so large that it may write to their far end alone?
 */
#include "abi/abi.h"
#include "instrument/internal.h"

#include <llvm-c/Target.h>
#include <string.h>

struct quiet_function {
    const char *name;
    uint32_t reach;
};

static const struct quiet_function quiet_functions[] = {
#define QUIET(name) {#name, 0},
#define READS(name) {#name, ABI_REACHES_INPUT},
#define OPENS(name) {#name, ABI_REACHES_INPUT | ABI_REACHES_FILES},
#include "abi/quiet.def"
#define INLINE(name) {#name, 0},
#define SAME(name, of) {#name, 0},
#include "abi/library.def"
};

static const char *without(const char *prefix, const char *name) {
    size_t length = strlen(prefix);
    return strncmp(name, prefix, length) == 0 ? name + length : name;
}

/* Our version of a function, and the library's own behind it, reach what the function does. */
static uint32_t reach_of_name(const char *name) {
    if (instrument_is_hook(name))
        return 0;
    name = without("__slowpath_own_", without(ABI_LIBRARY_PREFIX, name));
    for (size_t i = 0; i < BASE_COUNT(quiet_functions); i++)
        if (strcmp(name, quiet_functions[i].name) == 0)
            return quiet_functions[i].reach;
    return ABI_REACHES_SYSTEM;
}

static uint32_t reach_of_declarations(LLVMModuleRef module) {
    uint32_t reach = 0;
    size_t length;
    for (LLVMValueRef at = LLVMGetFirstFunction(module); at; at = LLVMGetNextFunction(at))
        if (LLVMIsDeclaration(at) && !LLVMGetIntrinsicID(at) && LLVMGetFirstUse(at))
            reach |= reach_of_name(LLVMGetValueName2(at, &length));
    LLVMValueRef input = LLVMGetNamedGlobal(module, "stdin");
    return input && LLVMGetFirstUse(input) ? reach | ABI_REACHES_INPUT : reach;
}

/* Assembler without text only keeps the compiler from moving things. */
static void note_assembler(LLVMValueRef instruction, void *context) {
    uint32_t *reach = context;
    LLVMValueRef callee = LLVMIsACallInst(instruction) || LLVMIsAInvokeInst(instruction)
                              ? LLVMGetCalledValue(instruction)
                              : NULL;
    size_t length = 0;
    if (callee && LLVMIsAInlineAsm(callee) && LLVMGetInlineAsmAsmString(callee, &length) && length)
        *reach |= ABI_REACHES_SYSTEM;
}

static uint32_t find_reach(LLVMModuleRef module) {
    size_t length;
    uint32_t reach = reach_of_declarations(module);
    LLVMGetModuleInlineAsm(module, &length);
    if (length)
        reach |= ABI_REACHES_SYSTEM;
    if (!(reach & ABI_REACHES_SYSTEM))
        instrument_each_instruction(module, note_assembler, &reach);
    return reach;
}

/* ---- frames ---- */

#define LARGE_FRAME                                                                                \
    2048u /* bytes; several may become one, so this is less than the runtime skips */

struct frames {
    LLVMTargetDataRef layout;
    LLVMValueRef function;
    uint64_t bytes; /* of its variables */
    bool is_large;  /* one of them */
};

static void note_variable(LLVMValueRef instruction, void *context) {
    struct frames *frames = context;
    if (!LLVMIsAAllocaInst(instruction))
        return;
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
    LLVMValueRef count = LLVMGetOperand(instruction, 0);
    if (function != frames->function)
        frames->bytes = 0;
    frames->function = function;
    if (LLVMIsAConstantInt(count))
        frames->bytes += LLVMABISizeOfType(frames->layout, LLVMGetAllocatedType(instruction)) *
                         LLVMConstIntGetZExtValue(count);
    frames->is_large |= !LLVMIsAConstantInt(count) || frames->bytes >= LARGE_FRAME;
}

static bool has_large_frames(LLVMModuleRef module) {
    struct frames frames = {.layout = LLVMGetModuleDataLayout(module)};
    instrument_each_instruction(module, note_variable, &frames);
    return frames.is_large;
}

void instrument_tell_reach(LLVMModuleRef module, bool has_native) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetModuleContext(module));
    uint32_t reach = has_native ? ABI_REACHES_INPUT | ABI_REACHES_SYSTEM | ABI_REACHES_STACK
                                : find_reach(module);
    if (has_large_frames(module))
        reach |= ABI_REACHES_STACK;
    LLVMValueRef global = LLVMAddGlobal(module, i32, ABI_SYMBOL_REACH);
    LLVMSetInitializer(global, LLVMConstInt(i32, reach, false));
    LLVMSetGlobalConstant(global, true);
}
