/* SPDX-License-Identifier: Apache-2.0
 *
 * From a cleaned module to a variant's object: hooks in, inline runtime linked, everything that
 * nobody outside needs made internal, then LLVM's own full optimisation.
 */
#include "abi/abi.h"
#include "instrument/parts.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <string.h>

void instrument_each_instruction(LLVMModuleRef module, instrument_visit *visit, void *context) {
    for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
         function = LLVMGetNextFunction(function))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
             block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef at = LLVMGetFirstInstruction(block), next; at; at = next) {
                next = LLVMGetNextInstruction(at);
                visit(at, context);
            }
}

/* ---- before the facts ---- */

static const char *const api_functions[] = {
    "slowpath_symbolic",  "slowpath_assume", "slowpath_size", "slowpath_count",
    "klee_make_symbolic", "klee_assume",     "klee_range"};

void instrument_prepare(struct ir_module *module) {
    for (size_t i = 0; i < BASE_COUNT(api_functions); i++) {
        LLVMValueRef function = LLVMGetNamedFunction(module->module, api_functions[i]);
        if (!function || LLVMIsDeclaration(function))
            continue;
        LLVMSetValueName2(function, "", 0);
        LLVMValueRef declaration =
            LLVMAddFunction(module->module, api_functions[i], LLVMGlobalGetValueType(function));
        LLVMReplaceAllUsesWith(function, declaration);
        LLVMDeleteFunction(function);
    }
}

/* ---- linking the inline runtime ---- */

/* Of a library, the linker takes what something refers to, and what that refers to. */
static void make_optional(LLVMModuleRef library) {
    for (LLVMValueRef at = LLVMGetFirstFunction(library); at; at = LLVMGetNextFunction(at))
        if (!LLVMIsDeclaration(at) && LLVMGetLinkage(at) == LLVMExternalLinkage)
            LLVMSetLinkage(at, LLVMLinkOnceODRLinkage);
}

static bool link_bitcode(struct ir_module *module, const char *path, bool is_library,
                         struct base_error *error) {
    LLVMMemoryBufferRef buffer;
    LLVMModuleRef runtime;
    char *message = NULL;
    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message)) {
        base_fail(error, BASE_TARGET, "the runtime '%s' cannot be read: %s", path, message);
        LLVMDisposeMessage(message);
        return false;
    }
    bool bad = LLVMGetBitcodeModuleInContext2(module->context, buffer, &runtime);
    if (!bad && is_library)
        make_optional(runtime);
    if (bad || LLVMLinkModules2(module->module, runtime))
        return base_fail(error, BASE_TARGET, "the runtime '%s' does not link; reinstall slowpath",
                         path);
    return true;
}

/* Does a driver name this function? */
static bool is_called(LLVMValueRef value, const char *name,
                      const struct instrument_options *options) {
    for (size_t i = 0; i < options->called_count; i++)
        if (LLVMIsAFunction(value) && strcmp(name, options->called[i]) == 0)
            return true;
    return false;
}

/* Where a driver calls functions of the program, its main and what main alone uses are dropped. */
static bool is_public(const char *name, const struct instrument_options *options) {
    static const char *const names[] = {ABI_SYMBOL_HARNESS,       "LLVMFuzzerInitialize",
                                        ABI_SYMBOL_COUNTERS,      ABI_SYMBOL_SLOT_COUNT,
                                        ABI_SYMBOL_DRIVER,        ABI_SYMBOL_GUARD,
                                        "__slowpath_sym_globals", "__slowpath_sym_global_count",
                                        ABI_SYMBOL_REACH};
    if (strcmp(name, ABI_SYMBOL_MAIN) == 0)
        return !options->called_count;
    for (size_t i = 0; i < BASE_COUNT(names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return strncmp(name, "llvm.", 5) == 0;
}

/* Weak definitions stay as they are: the library may have a better one. */
static void make_internal(LLVMValueRef value, const struct instrument_options *options) {
    size_t size;
    const char *name = LLVMGetValueName2(value, &size);
    if (LLVMIsDeclaration(value) || is_public(name, options) || is_called(value, name, options))
        return;
    LLVMLinkage linkage = LLVMGetLinkage(value);
    bool ours = strncmp(name, "__slowpath_", 11) == 0;
    bool is_optional = linkage == LLVMLinkOnceODRLinkage && ours;
    if ((linkage == LLVMExternalLinkage && (ours || !options->keep_symbols)) || is_optional) {
        LLVMSetVisibility(value, LLVMDefaultVisibility);
        LLVMSetLinkage(value, LLVMInternalLinkage);
    }
}

static void make_all_internal(LLVMModuleRef module, const struct instrument_options *options) {
    for (LLVMValueRef at = LLVMGetFirstFunction(module); at; at = LLVMGetNextFunction(at))
        make_internal(at, options);
    for (LLVMValueRef at = LLVMGetFirstGlobal(module); at; at = LLVMGetNextGlobal(at))
        make_internal(at, options);
}

/* ---- the variant ---- */

static void rename_main(LLVMModuleRef module) {
    LLVMValueRef function = LLVMGetNamedFunction(module, "main");
    if (function && !LLVMIsDeclaration(function))
        LLVMSetValueName2(function, ABI_SYMBOL_MAIN, strlen(ABI_SYMBOL_MAIN));
}

static void open_called(LLVMModuleRef module, const struct instrument_options *options) {
    for (size_t i = 0; i < options->called_count; i++) {
        LLVMValueRef function = LLVMGetNamedFunction(module, options->called[i]);
        if (!function || LLVMIsDeclaration(function))
            continue;
        LLVMSetLinkage(function, LLVMExternalLinkage);
        LLVMSetVisibility(function, LLVMDefaultVisibility);
    }
}

/* What nobody can call is not worth instrumenting. Blocks keep the numbers of the facts. */
static void drop_unreachable(LLVMModuleRef module, const struct instrument_options *options) {
    make_all_internal(module, options);
    instrument_run_passes(module, "globaldce");
}

static bool make_measuring(struct ir_module *module, const struct instrument_options *options,
                           struct base_error *error) {
    struct instrument_map *sites = instrument_map_new();
    uint32_t slots = instrument_number_sites(module->module, sites, 1);
    instrument_redirect_library(module->module, options->kind);
    drop_unreachable(module->module, options);
    instrument_count_blocks(module->module, sites, slots, options->facts);
    instrument_map_free(sites);
    instrument_tell_reach(module->module, options->keep_symbols);
    return link_bitcode(module, options->runtime_bitcode, true, error);
}

/* With its shadows a function is many times as large, and what is inlined into several places, by
 * the program's wish and whatever its size, keeps the optimiser busy for minutes. */
static void let_inliner_decide(LLVMModuleRef module) {
    static const char attribute[] = "alwaysinline";
    unsigned kind = LLVMGetEnumAttributeKindForName(attribute, sizeof attribute - 1);
    for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
         function = LLVMGetNextFunction(function))
        if (LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind))
            LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind);
}

/* The driver and the library functions join after the program's blocks have their numbers. */
static bool make_symbolic(struct ir_module *module, const struct instrument_options *options,
                          struct base_error *error) {
    struct instrument_map *sites = instrument_map_new();
    uint32_t program_sites = instrument_number_sites(module->module, sites, 0);
    instrument_redirect_library(module->module, options->kind);
    bool good =
        (!options->driver_bitcode || link_bitcode(module, options->driver_bitcode, false, error)) &&
        (!options->library_bitcode || link_bitcode(module, options->library_bitcode, true, error));
    if (good) {
        make_all_internal(module->module, options);
        instrument_stand_in(module->module);
        instrument_run_passes(module->module, "globaldce");
        instrument_number_sites(module->module, sites, program_sites);
        instrument_shadow_all(module->module, sites, program_sites,
                              options->tells_loops ? options->facts : NULL);
        let_inliner_decide(module->module);
        instrument_add_counters(module->module, 1);
        instrument_tell_reach(module->module, options->keep_symbols);
        good = link_bitcode(module, options->runtime_bitcode, false, error);
    }
    instrument_map_free(sites);
    return good;
}

/* Library functions are linked afterwards: they tell of what they read by themselves. */
static bool make_recording(struct ir_module *module, const struct instrument_options *options,
                           struct base_error *error) {
    struct instrument_map *sites = instrument_map_new();
    instrument_number_sites(module->module, sites, 0);
    instrument_redirect_library(module->module, options->kind);
    drop_unreachable(module->module, options);
    instrument_record(module->module, sites, options->facts);
    instrument_add_counters(module->module, 1);
    instrument_map_free(sites);
    instrument_tell_reach(module->module, options->keep_symbols);
    return link_bitcode(module, options->runtime_bitcode, true, error);
}

static bool make_kind(struct ir_module *module, const struct instrument_options *options,
                      struct base_error *error) {
    switch (options->kind) {
    case INSTRUMENT_MEASURE:
        return make_measuring(module, options, error);
    case INSTRUMENT_SYMBOLIC:
        return make_symbolic(module, options, error);
    case INSTRUMENT_RECORD:
        return make_recording(module, options, error);
    case INSTRUMENT_PLAIN:
        break;
    }
    instrument_redirect_library(module->module, options->kind);
    instrument_add_counters(module->module, 1);
    instrument_tell_reach(module->module, options->keep_symbols);
    return true;
}

bool instrument_module(struct ir_module *module, const struct instrument_options *options,
                       struct base_error *error) {
    instrument_shorten_lines(module->module);
    rename_main(module->module);
    open_called(module->module, options);
    if (options->kind != INSTRUMENT_PLAIN)
        instrument_drop_promises(module->module);
    if (!make_kind(module, options, error))
        return false;
    if (options->kind != INSTRUMENT_PLAIN)
        instrument_separate_counters(module->module);
    make_all_internal(module->module, options);
    return true;
}
