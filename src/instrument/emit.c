/* SPDX-License-Identifier: Apache-2.0
 *
 * From an instrumented module to native code: LLVM's full optimisation and code generation. A large
 * module is cut into parts that are compiled by processes of their own, one per core, and joined
 * again by the linker: each process starts as a copy of ours, module included, and drops what is
 * not in its part. Inlining does not cross the cuts, which lie between functions that are far apart
 * in the source.
 */
#include "abi/abi.h"
#include "instrument/internal.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LARGE_MODULE 8000 /* blocks */
#define MAX_PARTS 8
#define LINKER SLOWPATH_LLVM_BINDIR "/ld.lld"

/* ---- one module ---- */

static LLVMTargetMachineRef open_machine(const char *triple, struct base_error *error) {
    LLVMTargetRef target;
    char *message = NULL;
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMInitializeNativeAsmParser();
    if (LLVMGetTargetFromTriple(triple, &target, &message)) {
        base_fail(error, BASE_TARGET, "no code generator for '%s': %s", triple, message);
        LLVMDisposeMessage(message);
        return NULL;
    }
    return LLVMCreateTargetMachine(target, triple, "x86-64", "", LLVMCodeGenLevelDefault,
                                   LLVMRelocStatic, LLVMCodeModelDefault);
}

static bool take_llvm_error(LLVMErrorRef problem, const char *what, struct base_error *error) {
    if (!problem)
        return true;
    char *message = LLVMGetErrorMessage(problem);
    base_fail(error, BASE_TARGET, "%s: %s", what, message);
    LLVMDisposeErrorMessage(message);
    return false;
}

static bool compile(LLVMModuleRef module, const char *object_path, struct base_error *error) {
    LLVMTargetMachineRef machine = open_machine(LLVMGetTarget(module), error);
    if (!machine)
        return false;
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    bool good = take_llvm_error(LLVMRunPasses(module, "default<O2>", machine, options),
                                "optimising failed", error);
    LLVMDisposePassBuilderOptions(options);
    if (good)
        instrument_place_constructors(module);
    char *message = NULL;
    if (good &&
        LLVMTargetMachineEmitToFile(machine, module, object_path, LLVMObjectFile, &message)) {
        good = base_fail(error, BASE_TARGET, "cannot write '%s': %s", object_path, message);
        LLVMDisposeMessage(message);
    }
    LLVMDisposeTargetMachine(machine);
    return good;
}

/* ---- parts ---- */

static bool has_prefix(LLVMValueRef value, const char *prefix) {
    size_t length;
    return strncmp(LLVMGetValueName2(value, &length), prefix, strlen(prefix)) == 0;
}

/* Hooks and our library functions are small and wanted everywhere: every part keeps its own. */
static bool is_everywhere(LLVMValueRef function) {
    size_t length;
    return instrument_is_hook(LLVMGetValueName2(function, &length)) ||
           has_prefix(function, ABI_LIBRARY_PREFIX);
}

/* What other parts refer to needs a name and must be visible to the linker. */
static void publish(LLVMValueRef value, unsigned number) {
    LLVMLinkage linkage = LLVMGetLinkage(value);
    if (LLVMIsDeclaration(value) ||
        (linkage != LLVMInternalLinkage && linkage != LLVMPrivateLinkage))
        return;
    size_t length;
    const char *old = LLVMGetValueName2(value, &length);
    char *name = base_format("%s.part.%u", old, number);
    LLVMSetValueName2(value, name, strlen(name));
    free(name);
    LLVMSetLinkage(value, LLVMExternalLinkage);
    LLVMSetVisibility(value, LLVMHiddenVisibility);
}

static void publish_all(LLVMModuleRef module) {
    unsigned number = 0;
    for (LLVMValueRef at = LLVMGetFirstFunction(module); at; at = LLVMGetNextFunction(at))
        if (!is_everywhere(at))
            publish(at, number++);
    for (LLVMValueRef at = LLVMGetFirstGlobal(module); at; at = LLVMGetNextGlobal(at))
        publish(at, number++);
}

static void drop_body(LLVMModuleRef module, LLVMValueRef function) {
    size_t length;
    char *name = base_strdup(LLVMGetValueName2(function, &length));
    LLVMSetValueName2(function, "", 0);
    LLVMValueRef declaration = LLVMAddFunction(module, name, LLVMGlobalGetValueType(function));
    LLVMSetVisibility(declaration, LLVMGetVisibility(function));
    LLVMReplaceAllUsesWith(function, declaration);
    LLVMDeleteFunction(function);
    free(name);
}

static void drop_functions(LLVMModuleRef module, unsigned part, size_t per_part) {
    size_t blocks = 0;
    for (LLVMValueRef at = LLVMGetFirstFunction(module), next; at; at = next) {
        next = LLVMGetNextFunction(at);
        if (LLVMIsDeclaration(at) || is_everywhere(at))
            continue;
        bool other = blocks / per_part != part;
        blocks += LLVMCountBasicBlocks(at);
        if (other)
            drop_body(module, at);
    }
}

/* Variables live in the first part; LLVM's own lists (constructors, what is used) as well. */
static void drop_variables(LLVMModuleRef module) {
    for (LLVMValueRef at = LLVMGetFirstGlobal(module), next; at; at = next) {
        next = LLVMGetNextGlobal(at);
        if (LLVMGetLinkage(at) == LLVMAppendingLinkage) {
            LLVMDeleteGlobal(at);
        } else if (!LLVMIsDeclaration(at)) {
            LLVMSetInitializer(at, NULL);
            LLVMSetLinkage(at, LLVMExternalLinkage);
        }
    }
}

static _Noreturn void compile_part(LLVMModuleRef module, unsigned part, size_t per_part,
                                   const char *object_path) {
    struct base_error error = {0};
    drop_functions(module, part, per_part);
    if (part)
        drop_variables(module);
    bool good = compile(module, object_path, &error);
    if (!good)
        fprintf(stderr, "slowpath: %s\n", error.message);
    _exit(good ? 0 : 1);
}

static bool join_parts(char *const *objects, unsigned parts, const char *object_path,
                       struct base_error *error) {
    const char *argv[MAX_PARTS + 5] = {LINKER, "-r", "-o", object_path};
    for (unsigned i = 0; i < parts; i++)
        argv[4 + i] = objects[i];
    struct base_process process = {.argv = argv};
    return base_run(&process) == 0 ||
           base_fail(error, BASE_TARGET, "the parts of the target do not link");
}

static bool compile_parts(LLVMModuleRef module, unsigned parts, size_t blocks,
                          const char *object_path, struct base_error *error) {
    char *objects[MAX_PARTS];
    pid_t children[MAX_PARTS];
    bool good = true;
    publish_all(module);
    fflush(NULL);
    for (unsigned i = 0; i < parts; i++) {
        objects[i] = base_format("%s.part%u", object_path, i);
        children[i] = fork();
        if (children[i] == 0)
            compile_part(module, i, blocks / parts + 1, objects[i]);
    }
    for (unsigned i = 0; i < parts; i++) {
        int status = 1;
        good &= children[i] > 0 && waitpid(children[i], &status, 0) == children[i] && status == 0;
    }
    if (!good)
        base_fail(error, BASE_TARGET, "a part of the target does not compile");
    good = good && join_parts(objects, parts, object_path, error);
    for (unsigned i = 0; i < parts; i++) {
        unlink(objects[i]);
        free(objects[i]);
    }
    return good;
}

static size_t count_blocks(LLVMModuleRef module) {
    size_t blocks = 0;
    for (LLVMValueRef at = LLVMGetFirstFunction(module); at; at = LLVMGetNextFunction(at))
        if (!is_everywhere(at))
            blocks += LLVMCountBasicBlocks(at);
    return blocks;
}

/* What the entry does not reach need not be optimised. */
static void drop_unreachable(LLVMModuleRef module) {
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMConsumeError(LLVMRunPasses(module, "globaldce", NULL, options));
    LLVMDisposePassBuilderOptions(options);
}

bool instrument_emit(struct ir_module *module, const char *object_path, struct base_error *error) {
    drop_unreachable(module->module);
    size_t blocks = count_blocks(module->module);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned parts = cores > MAX_PARTS ? MAX_PARTS : cores > 1 ? (unsigned)cores : 1;
    if (blocks < LARGE_MODULE || parts < 2 || LLVMGetFirstGlobalAlias(module->module) ||
        LLVMGetFirstGlobalIFunc(module->module))
        return compile(module->module, object_path, error);
    return compile_parts(module->module, parts, blocks, object_path, error);
}
