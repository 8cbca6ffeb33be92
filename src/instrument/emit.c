/* SPDX-License-Identifier: Apache-2.0
 *
 * From an instrumented module to native code: LLVM's full optimisation and code generation. A large
 * module goes in parts (parts.c). The types that an entry takes are an object of their own, made of
 * the debug information that the rest of the code goes without (lines.c).
 */
#include "abi/abi.h"
#include "instrument/parts.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- one module ---- */

/* Counters make LLVM's questions about memory expensive: each block reads and writes one. So they
 * look less far than usual. Where variables lie is not told (lines.c), and the older way to follow
 * them notices sooner that there are none. */
static void set_limits(void) {
    static const char *const options[] = {"slowpath",
                                          "-memdep-block-number-limit=20",
                                          "-memdep-block-scan-limit=40",
                                          "-gvn-max-num-deps=20",
                                          "-dse-memoryssa-scanlimit=50",
                                          "-dse-memoryssa-walklimit=30",
                                          "-experimental-debug-variable-locations=false"};
    LLVMParseCommandLineOptions(BASE_COUNT(options), options, NULL);
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMInitializeNativeAsmParser();
}

static LLVMTargetMachineRef open_machine(const char *triple, LLVMCodeGenOptLevel level,
                                         struct base_error *error) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    LLVMTargetRef target;
    char *message = NULL;
    pthread_once(&once, set_limits);
    if (LLVMGetTargetFromTriple(triple, &target, &message)) {
        base_fail(error, BASE_TARGET, "no code generator for '%s': %s", triple, message);
        LLVMDisposeMessage(message);
        return NULL;
    }
    return LLVMCreateTargetMachine(target, triple, "x86-64", "", level, LLVMRelocStatic,
                                   LLVMCodeModelDefault);
}

static bool take_llvm_error(LLVMErrorRef problem, const char *what, struct base_error *error) {
    if (!problem)
        return true;
    char *message = LLVMGetErrorMessage(problem);
    base_fail(error, BASE_TARGET, "%s: %s", what, message);
    LLVMDisposeErrorMessage(message);
    return false;
}

static bool write_object(LLVMTargetMachineRef machine, LLVMModuleRef module,
                         const char *object_path, struct base_error *error) {
    char *message = NULL;
    if (!LLVMTargetMachineEmitToFile(machine, module, object_path, LLVMObjectFile, &message))
        return true;
    base_fail(error, BASE_TARGET, "cannot write '%s': %s", object_path, message);
    LLVMDisposeMessage(message);
    return false;
}

void instrument_run_passes(LLVMModuleRef module, const char *passes) {
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMConsumeError(LLVMRunPasses(module, passes, NULL, options));
    LLVMDisposePassBuilderOptions(options);
}

/* What LLVM is given to compile must be valid: else it may do anything. */
static bool verify(LLVMModuleRef module, struct base_error *error) {
    char *message = NULL;
    bool good =
        !LLVMVerifyModule(module, LLVMReturnStatusAction, &message) ||
        base_fail(error, BASE_TARGET, "the instrumented module is not valid: %.500s", message);
    LLVMDisposeMessage(message);
    return good;
}

bool instrument_compile(LLVMModuleRef module, const char *object_path, struct base_error *error) {
    if (!verify(module, error))
        return false;
    LLVMTargetMachineRef machine =
        open_machine(LLVMGetTarget(module), LLVMCodeGenLevelDefault, error);
    if (!machine)
        return false;
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    bool good = take_llvm_error(LLVMRunPasses(module, "default<O2>", machine, options),
                                "optimising failed", error);
    LLVMDisposePassBuilderOptions(options);
    if (good)
        instrument_place_constructors(module);
    good = good && write_object(machine, module, object_path, error);
    LLVMDisposeTargetMachine(machine);
    return good;
}

bool instrument_emit(struct ir_module *module, const struct instrument_store *store,
                     const char *object_path, struct base_error *error) {
    instrument_run_passes(module->module, "globaldce"); /* what the entry does not reach */
    return instrument_is_large(module->module)
               ? instrument_compile_parts(module->module, store, object_path, error)
               : instrument_compile(module->module, object_path, error);
}

/* ---- finished bitcode ---- */

/* The process ends soon: nothing is given back. */
bool instrument_assemble(const char *bitcode_path, const char *object_path,
                         struct base_error *error) {
    LLVMMemoryBufferRef buffer;
    LLVMModuleRef module;
    char *message = NULL;
    if (LLVMCreateMemoryBufferWithContentsOfFile(bitcode_path, &buffer, &message) ||
        LLVMParseBitcodeInContext2(LLVMContextCreate(), buffer, &module))
        return base_fail(error, BASE_TARGET, "'%s' cannot be read", bitcode_path);
    LLVMTargetMachineRef machine = open_machine(LLVMGetTarget(module), LLVMCodeGenLevelLess, error);
    return machine && write_object(machine, module, object_path, error);
}

/* ---- types ---- */

static bool is_wanted(LLVMValueRef function, const char *const *names, size_t count) {
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static _Noreturn void compile_types(LLVMModuleRef module, const char *const *names, size_t count,
                                    const char *object_path) {
    struct base_error error = {0};
    for (LLVMValueRef at = LLVMGetFirstFunction(module), next; at; at = next) {
        next = LLVMGetNextFunction(at);
        if (!LLVMIsDeclaration(at) && !is_wanted(at, names, count) && !instrument_has_alias(at))
            instrument_drop_body(module, at);
    }
    instrument_drop_variables(module);
    LLVMTargetMachineRef machine =
        open_machine(LLVMGetTarget(module), LLVMCodeGenLevelNone, &error);
    bool good = machine && write_object(machine, module, object_path, &error);
    if (!good)
        fprintf(stderr, "slowpath: %s\n", error.message);
    _exit(good ? 0 : 1);
}

pid_t instrument_begin_types(struct ir_module *module, const char *const *names, size_t count,
                             const char *object_path) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        compile_types(module->module, names, count, object_path);
    return child;
}

bool instrument_end_types(pid_t child, struct base_error *error) {
    int status = 1;
    return (child > 0 && waitpid(child, &status, 0) == child && status == 0) ||
           base_fail(error, BASE_TARGET, "the entry's types cannot be written");
}
