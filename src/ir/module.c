/* SPDX-License-Identifier: Apache-2.0
 *
 * How do the pieces of a program become the one module that is measured and explored?
 *
 * ir_link joins the bitcode of all sources the way the linker and the loader would have joined
 * their objects: two strong definitions in the program are an error, a definition of the program
 * wins over a library's, an earlier library's over a later one's, and what a library hides stays
 * the library's own. Neighbours are joined in pairs, then the pairs, and so on, because a join
 * walks both modules and joining one file after the other would walk the first ones over and over.
 *
 * ir_clean runs the function passes that simplify code without touching its decisions.
 *
 * Invariant: nothing LLVM has to say is printed or ends the process; while a module is being made
 * its messages become the error of the caller, later ones are log lines.
 */
#include "ir/module.h"

#include "abi/bundle.h"
#include "ir/missing.h"
#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Error.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Support.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Memory to registers and constants, with three words of caution. `sroa` may keep only what
 * preserves the graph, and `gvn` must not move computations to other blocks: both would add
 * branches or blocks that are in no source. `bdce` and not `adce` removes dead code: the latter
 * also drops branches that decide nothing but a value it could compute otherwise. `instcombine`
 * named in a text checks that it reached a fixed point and aborts the process if it did not. */
#define CLEAN_PASSES                                                                               \
    "function(lower-expect,sroa<preserve-cfg>,early-cse,instcombine<no-verify-fixpoint>,"          \
    "gvn<no-pre;no-load-pre;no-split-backedge-load-pre>,bdce)"

#define MESSAGE_SIZE 1024

/* A look-up in a constant table is to stay one: `instcombine` would turn `table[i] == 3` into a
 * question about i that is right within the table alone, and an index outside of it would be
 * hidden. */
static void keep_tables(void) {
    static const char *const options[] = {"slowpath", "-instcombine-maxarray-size=0"};
    LLVMParseCommandLineOptions(BASE_COUNT(options), options, NULL);
}

/* ---- LLVM's messages ---- */

/* LLVM's text as one line of limited length. */
static void copy_line(char *line, size_t size, const char *text) {
    size_t used = 0;
    for (; *text && used + 1 < size; text++) {
        char c = *text == '\n' || *text == '\t' ? ' ' : *text;
        if (c != ' ' || (used && line[used - 1] != ' '))
            line[used++] = c;
    }
    while (used && line[used - 1] == ' ')
        used--;
    line[used] = 0;
}

/* CONTEXT is where the first error goes, or NULL: then it is only logged. */
static void take_diagnostic(LLVMDiagnosticInfoRef info, void *context) {
    char line[MESSAGE_SIZE], *first = context;
    char *text = LLVMGetDiagInfoDescription(info);
    copy_line(line, sizeof line, text);
    LLVMDisposeMessage(text);
    LLVMDiagnosticSeverity severity = LLVMGetDiagInfoSeverity(info);
    if (severity == LLVMDSWarning) /* remarks about what was not optimised help nobody */
        base_detail("LLVM: %s", line);
    if (severity == LLVMDSError && !first)
        base_warn("LLVM: %s", line);
    else if (severity == LLVMDSError && !*first)
        strcpy(first, line);
}

static const char *or_unknown(const char *message) {
    return *message ? message : "LLVM gave no reason";
}

/* ---- the values that have a name outside their file ---- */

typedef void visit_global(LLVMValueRef global, void *context);

static void each_global(LLVMModuleRef module, visit_global *visit, void *context) {
    for (LLVMValueRef v = LLVMGetFirstFunction(module); v; v = LLVMGetNextFunction(v))
        visit(v, context);
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v; v = LLVMGetNextGlobal(v))
        visit(v, context);
    for (LLVMValueRef v = LLVMGetFirstGlobalAlias(module); v; v = LLVMGetNextGlobalAlias(v))
        visit(v, context);
    for (LLVMValueRef v = LLVMGetFirstGlobalIFunc(module); v; v = LLVMGetNextGlobalIFunc(v))
        visit(v, context);
}

static LLVMValueRef find_global(LLVMModuleRef module, const char *name) {
    size_t size = strlen(name);
    LLVMValueRef found = LLVMGetNamedFunction(module, name);
    if (!found)
        found = LLVMGetNamedGlobal(module, name);
    if (!found)
        found = LLVMGetNamedGlobalAlias(module, name, size);
    return found ? found : LLVMGetNamedGlobalIFunc(module, name, size);
}

static const char *global_name(LLVMValueRef global) {
    size_t size;
    return LLVMGetValueName2(global, &size);
}

/* Defined here and not replaceable: `common` and weak definitions give way to such a one. */
static bool is_strong(LLVMValueRef global) {
    return LLVMGetLinkage(global) == LLVMExternalLinkage && !LLVMIsDeclaration(global);
}

/* ---- linking ---- */

struct link {
    LLVMContextRef context;
    struct base_error *error;
    char message[MESSAGE_SIZE];
    const char *source; /* the frame that is being looked at */
    /* Strong symbols of the program: where each was defined, as an index into sources. */
    struct base_map owners;
    BASE_VECTOR(const char *) sources;
    const char *twice, *first_source; /* a symbol defined twice, owned by its module */
    struct base_strings weakened;     /* strong symbols of libraries */
    char *layout;                     /* of the first frame, and where it came from */
    const char *layout_source;
};

struct modules {
    LLVMModuleRef *data;
    size_t count, capacity;
};

static void note_owner(LLVMValueRef global, void *context) {
    struct link *link = context;
    const char *name = global_name(global);
    if (!is_strong(global) || link->twice)
        return;
    uint32_t owner = base_map_get(&link->owners, name);
    if (owner == BASE_MAP_NONE) {
        base_map_set(&link->owners, name, (uint32_t)link->sources.count - 1);
    } else {
        link->twice = name;
        link->first_source = link->sources.data[owner];
    }
}

static bool note_symbols(struct link *link, LLVMModuleRef module) {
    base_push(&link->sources, link->source);
    each_global(module, note_owner, link);
    return !link->twice ||
           base_fail(link->error, BASE_TARGET, "symbol '%s' is defined in both %s and %s",
                     link->twice, link->first_source, link->source);
}

/* A library's definition gives way to the program's and to that of an earlier library. */
static void weaken(LLVMValueRef global, void *context) {
    struct link *link = context;
    if (!is_strong(global))
        return;
    base_strings_add(&link->weakened, global_name(global));
    LLVMSetLinkage(global, LLVMWeakAnyLinkage);
}

/* Hidden symbols bind a library's files to each other and are invisible to everyone else. */
static void keep_private(LLVMValueRef global, void *context) {
    (void)context;
    if (LLVMGetVisibility(global) != LLVMHiddenVisibility || LLVMIsDeclaration(global))
        return;
    LLVMSetVisibility(global, LLVMDefaultVisibility);
    LLVMSetLinkage(global, LLVMInternalLinkage);
}

/* All decisions are made: weak definitions would only keep the optimiser from inlining. */
static void strengthen(struct link *link, LLVMModuleRef module) {
    for (size_t i = 0; i < link->weakened.count; i++) {
        LLVMValueRef global = find_global(module, link->weakened.data[i]);
        if (global && LLVMGetLinkage(global) == LLVMWeakAnyLinkage)
            LLVMSetLinkage(global, LLVMExternalLinkage);
    }
}

/* Triples may differ in vendor and version; what must agree is how data lies in memory. */
static bool check_layout(struct link *link, LLVMModuleRef module) {
    const char *layout = LLVMGetDataLayoutStr(module);
    if (!link->layout) {
        link->layout = base_strdup(layout);
        link->layout_source = link->source;
    }
    return strcmp(link->layout, layout) == 0 ||
           base_fail(link->error, BASE_TARGET,
                     "%s and %s were compiled for different machines (%s is for %s)",
                     link->layout_source, link->source, link->source, LLVMGetTarget(module));
}

/* Of a module that is joined to another one, LLVM reads each body when it comes to it. */
static bool parse_frame(struct link *link, const struct ir_frame *frame, bool lazily,
                        LLVMModuleRef *module) {
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRange(frame->data, frame->size, frame->name, 0);
    bool failed = lazily ? LLVMGetBitcodeModuleInContext2(link->context, buffer, module)
                         : LLVMParseBitcodeInContext2(link->context, buffer, module);
    if (!lazily)
        LLVMDisposeMemoryBuffer(buffer);
    if (failed)
        return base_fail(link->error, BASE_TARGET, "cannot read the bitcode of %s: %s", frame->name,
                         or_unknown(link->message));
    return true;
}

static bool parse_frames(struct link *link, const struct ir_frames *frames, bool library,
                         struct modules *modules) {
    for (size_t i = 0; frames && i < frames->count; i++) {
        const struct ir_frame *frame = &frames->data[i];
        LLVMModuleRef module;
        if (frame->kind != ABI_FRAME_BITCODE)
            continue;
        link->source = frame->name;
        if (!parse_frame(link, frame, modules->count % 2, &module))
            return false;
        base_push(modules, module);
        if (!check_layout(link, module))
            return false;
        if (library)
            each_global(module, weaken, link);
        else if (!note_symbols(link, module))
            return false;
    }
    return true;
}

static bool join(struct link *link, LLVMModuleRef into, LLVMModuleRef from) {
    char *name = base_strdup(LLVMGetSourceFileName(from, &(size_t){0}));
    bool failed = LLVMLinkModules2(into, from);
    if (failed)
        base_fail(link->error, BASE_TARGET, "cannot link %s: %s", name, or_unknown(link->message));
    free(name);
    return !failed;
}

/* Leaves one module, or on failure those not used up yet. */
static bool join_all(struct link *link, struct modules *modules) {
    bool good = true;
    while (good && modules->count > 1) {
        size_t kept = 0;
        for (size_t i = 0; i < modules->count; i += 2) {
            LLVMModuleRef into = modules->data[i];
            if (i + 1 < modules->count && good)
                good = join(link, into, modules->data[i + 1]);
            else if (i + 1 < modules->count)
                LLVMDisposeModule(modules->data[i + 1]);
            modules->data[kept++] = into;
        }
        modules->count = kept;
    }
    return good;
}

static bool link_parts(struct link *link, const struct ir_frames *program,
                       const struct ir_frames *library, struct modules *modules,
                       struct modules *libraries) {
    if (!parse_frames(link, program, false, modules))
        return false;
    if (!modules->count)
        return base_fail(link->error, BASE_TARGET,
                         "the target has no bitcode: compile it with slowpath-cc");
    if (!parse_frames(link, library, true, libraries) || !join_all(link, libraries))
        return false;
    if (!join_all(link, modules))
        return false;
    if (libraries->count) {
        each_global(libraries->data[0], keep_private, NULL);
        libraries->count = 0;
        if (!join(link, modules->data[0], libraries->data[0]))
            return false;
    }
    strengthen(link, modules->data[0]);
    return true;
}

static bool verify(struct link *link, LLVMModuleRef module) {
    char *text = NULL, line[MESSAGE_SIZE];
    bool broken = LLVMVerifyModule(module, LLVMReturnStatusAction, &text);
    copy_line(line, sizeof line, text ? text : "");
    LLVMDisposeMessage(text);
    return !broken || base_fail(link->error, BASE_TARGET,
                                "the linked program is not valid LLVM code: %s", or_unknown(line));
}

static void modules_done(struct modules *modules) {
    for (size_t i = 0; i < modules->count; i++)
        LLVMDisposeModule(modules->data[i]);
    base_vector_done(modules);
}

/* ---- static functions of one name ---- */

struct twin {
    LLVMValueRef function;
    char *name; /* without the number */
};

struct twins {
    struct twin *data;
    size_t count, capacity;
};

/* "isort.7": LLVM's own number, which depends on what else was renamed. */
static void note_twin(LLVMModuleRef module, LLVMValueRef function, struct twins *twins) {
    const char *name = global_name(function), *dot = strrchr(name, '.');
    if (LLVMGetLinkage(function) != LLVMInternalLinkage || !dot || !dot[1] ||
        dot[1 + strspn(dot + 1, "0123456789")])
        return;
    char *plain = base_format("%.*s", (int)(dot - name), name);
    if (LLVMGetNamedFunction(module, plain))
        base_push(twins, (struct twin){function, plain});
    else
        free(plain);
}

/* The second static isort is isort.1, the third isort.2, in the order of the program's parts. */
static void number_statics(LLVMModuleRef module) {
    struct twins twins = {0};
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        note_twin(module, f, &twins);
    for (size_t i = 0; i < twins.count; i++)
        LLVMSetValueName2(twins.data[i].function, "", 0);
    for (size_t i = 0; i < twins.count; i++) {
        char *name = NULL;
        for (unsigned number = 1; !name; number++) {
            name = base_format("%s.%u", twins.data[i].name, number);
            if (LLVMGetNamedFunction(module, name)) {
                free(name);
                name = NULL;
            }
        }
        LLVMSetValueName2(twins.data[i].function, name, strlen(name));
        free(name);
        free(twins.data[i].name);
    }
    base_vector_done(&twins);
}

bool ir_link(const struct ir_frames *program, const struct ir_frames *library,
             struct ir_module *module, struct base_error *error) {
    struct link link = {.context = LLVMContextCreate(), .error = error};
    struct modules modules = {0}, libraries = {0};
    LLVMContextSetDiagnosticHandler(link.context, take_diagnostic, link.message);
    bool good = link_parts(&link, program, library, &modules, &libraries) && modules.data &&
                verify(&link, modules.data[0]);
    LLVMContextSetDiagnosticHandler(link.context, take_diagnostic, NULL);
    *module = (struct ir_module){.context = link.context};
    if (good) {
        module->module = modules.data[--modules.count];
        number_statics(module->module);
        LLVMSetIsNewDbgInfoFormat(module->module, true); /* which all passes want */
    }
    modules_done(&modules);
    modules_done(&libraries);
    base_map_done(&link.owners);
    base_vector_done(&link.sources);
    base_strings_done(&link.weakened);
    free(link.layout);
    if (!good)
        ir_module_done(module);
    return good;
}

static void note_body(LLVMValueRef global, void *context) {
    if (LLVMIsAFunction(global) && !LLVMIsDeclaration(global))
        base_strings_add(context, global_name(global));
}

bool ir_check_function(const struct ir_module *module, const char *function,
                       struct base_error *error) {
    LLVMValueRef found = LLVMGetNamedFunction(module->module, function);
    if (found && !LLVMIsDeclaration(found))
        return true;
    struct base_strings names = {0};
    each_global(module->module, note_body, &names);
    ir_fail_missing(function, &names, error);
    base_strings_done(&names);
    return false;
}

/* ---- cleaning ---- */

/* The C library's headers have bodies that look into a stream. They are the library's all the same,
 * and called like the rest of it. */
static bool looks_into_stream(LLVMValueRef function) {
    static const char *const names[] = {"getc_unlocked", "fgetc_unlocked", "getchar_unlocked",
                                        "putc_unlocked", "fputc_unlocked", "putchar_unlocked",
                                        "feof_unlocked", "ferror_unlocked"};
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static void drop_body(LLVMModuleRef module, LLVMValueRef function) {
    size_t length;
    char *name = base_format("%s", LLVMGetValueName2(function, &length));
    LLVMValueRef declaration = LLVMAddFunction(module, "", LLVMGlobalGetValueType(function));
    LLVMReplaceAllUsesWith(function, declaration);
    LLVMDeleteFunction(function);
    LLVMSetValueName2(declaration, name, strlen(name));
    free(name);
}

/* A body that is only there for inlining is the program's own text: it becomes a function like
 * any other, so that it is measured, and passes must not skip what the source marked optnone. */
static void open_functions(LLVMModuleRef module) {
    unsigned optnone = LLVMGetEnumAttributeKindForName("optnone", strlen("optnone"));
    for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        if (LLVMGetLinkage(f) == LLVMAvailableExternallyLinkage && looks_into_stream(f)) {
            drop_body(module, f);
            continue;
        }
        if (LLVMGetLinkage(f) == LLVMAvailableExternallyLinkage)
            LLVMSetLinkage(f, LLVMInternalLinkage);
        LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, optnone);
    }
}

bool ir_clean(struct ir_module *module, struct base_error *error) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, keep_tables);
    open_functions(module->module);
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef problem = LLVMRunPasses(module->module, CLEAN_PASSES, NULL, options);
    LLVMDisposePassBuilderOptions(options);
    if (!problem)
        return true;
    char line[MESSAGE_SIZE], *text = LLVMGetErrorMessage(problem);
    copy_line(line, sizeof line, text);
    LLVMDisposeErrorMessage(text);
    return base_fail(error, BASE_TARGET, "cannot simplify the program: %s", line);
}

void ir_module_done(struct ir_module *module) {
    if (module->module)
        LLVMDisposeModule(module->module);
    if (module->context)
        LLVMContextDispose(module->context);
    *module = (struct ir_module){0};
}
