/* SPDX-License-Identifier: Apache-2.0
 *
 * How is a large module compiled side by side, and only what has changed? It is cut into parts of
 * a few hundred blocks. Each is compiled by a process of its own and kept under the hash of its
 * bitcode, so that the next build takes it as it is; the linker joins them.
 *
 * The processes are a tree: each starts as a copy of its parent, module included, and drops the
 * half that is not its own, until one part is left. So a function is dropped as often as the tree
 * is deep and not as often as there are parts. As many run at one time as there are cores.
 *
 * A part must be the same when the rest of the program changes. Cuts follow the names of functions;
 * a name that only this file gives (a literal's) comes from the contents; counters are numbered
 * from the function's first one, and the first part, which holds all variables, says where that is.
 *
 * Small functions are copied to where they are called, so that they can be inlined. What several
 * parts refer to becomes visible to the linker, and to it alone.
 */
#include "instrument/parts.h"

#include "abi/abi.h"

#include <llvm-c/BitWriter.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LARGE_MODULE 2000 /* blocks: compiling takes more than a moment */
#define LEAST_PART 400    /* blocks of a part; beyond them every twelfth function ends one */
#define LARGEST_PART 1500 /* blocks that end it anyway */
#define FUNCTIONS_PER_CUT 12
#define SMALL_FUNCTION 50 /* instructions: it may be inlined elsewhere */
#define COUNTS "__slowpath_counts."
#define LINKER SLOWPATH_LLVM_BINDIR "/ld.lld"

struct part {
    unsigned blocks, functions;
};

struct shared {            /* by all processes of a build */
    atomic_int idle;       /* processes that may start */
    atomic_uint functions; /* that are compiled */
};

struct job {
    LLVMModuleRef module;
    const struct instrument_store *store;
    const char *object_path;
    struct instrument_map
        *parts; /* function -> its part; those of part 0 stay with the variables */
    struct instrument_map *visible; /* functions that other parts refer to */
    BASE_VECTOR(struct part) list;
    struct base_buffer places; /* of counters, in assembler */
    struct shared *shared;
    BASE_VECTOR(pid_t) children;
};

/* ---- names ---- */

static const char *name_of(LLVMValueRef value) {
    size_t length;
    return LLVMGetValueName2(value, &length);
}

/* Hooks and our library functions are small and wanted everywhere: every part keeps its own. */
static bool is_everywhere(LLVMValueRef function) {
    const char *name = name_of(function);
    return instrument_is_hook(name) ||
           strncmp(name, ABI_LIBRARY_PREFIX, strlen(ABI_LIBRARY_PREFIX)) == 0;
}

static bool is_cut(LLVMValueRef function) {
    return !LLVMIsDeclaration(function) && !is_everywhere(function);
}

bool instrument_is_large(LLVMModuleRef module) {
    size_t blocks = 0;
    for (LLVMValueRef at = LLVMGetFirstFunction(module); at; at = LLVMGetNextFunction(at))
        if (is_cut(at))
            blocks += LLVMCountBasicBlocks(at);
    return blocks >= LARGE_MODULE;
}

/* ---- where to cut ---- */

static uint32_t hash_name(const char *name) {
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (uint8_t)*name) * 16777619u;
    return hash ^ hash >> 15;
}

/* A table of its labels, or a second name, is defined where the function is. */
static bool stays_with_variables(LLVMValueRef function) {
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use))
        if (LLVMIsABlockAddress(LLVMGetUser(use)))
            return true;
    return instrument_has_alias(function);
}

static void add_to(struct job *job, unsigned part, LLVMValueRef function) {
    while (job->list.count <= part)
        base_push(&job->list, (struct part){0});
    job->list.data[part].blocks += LLVMCountBasicBlocks(function);
    job->list.data[part].functions++;
    instrument_map_set(job->parts, function, part);
}

static void cut(struct job *job) {
    unsigned part = 1;
    base_push(&job->list, (struct part){0});
    for (LLVMValueRef at = LLVMGetFirstFunction(job->module); at; at = LLVMGetNextFunction(at)) {
        if (!is_cut(at))
            continue;
        if (stays_with_variables(at)) {
            add_to(job, 0, at);
            continue;
        }
        add_to(job, part, at);
        unsigned blocks = job->list.data[part].blocks;
        if (blocks >= LARGEST_PART ||
            (blocks >= LEAST_PART && hash_name(name_of(at)) % FUNCTIONS_PER_CUT == 0))
            part++;
    }
}

static unsigned part_of(const struct job *job, LLVMValueRef function) {
    uintptr_t part = 0;
    instrument_map_get(job->parts, function, &part);
    return (unsigned)part;
}

/* ---- what is visible ---- */

static bool is_small(LLVMValueRef function) {
    unsigned count = 0;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
            if (++count > SMALL_FUNCTION)
                return false;
    return true;
}

static bool is_visible(const struct job *job, LLVMValueRef function) {
    uintptr_t unused;
    return instrument_map_get(job->visible, function, &unused);
}

/* A copy of it may be in any part. */
static bool is_copied(const struct job *job, LLVMValueRef function) {
    return is_visible(job, function) && is_small(function) && part_of(job, function);
}

static bool is_used_elsewhere(const struct job *job, LLVMValueRef value, unsigned part) {
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAInstruction(user)) {
            LLVMValueRef owner = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
            if (part_of(job, owner) != part || is_everywhere(owner) || is_copied(job, owner))
                return true;
        } else if (LLVMIsAGlobalValue(user) ? part != 0 : is_used_elsewhere(job, user, part)) {
            return true;
        }
    }
    return false;
}

/* A function that is copied refers from other parts to what it calls, so this is repeated. */
static void find_visible(struct job *job) {
    for (bool changed = true; changed;) {
        changed = false;
        for (LLVMValueRef at = LLVMGetFirstFunction(job->module); at; at = LLVMGetNextFunction(at))
            if (is_cut(at) && !is_visible(job, at) &&
                (LLVMGetLinkage(at) != LLVMInternalLinkage ||
                 is_used_elsewhere(job, at, part_of(job, at)))) {
                instrument_map_set(job->visible, at, 1);
                changed = true;
            }
    }
}

static bool is_local(LLVMValueRef value) {
    LLVMLinkage linkage = LLVMGetLinkage(value);
    return !LLVMIsDeclaration(value) &&
           (linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage);
}

static void publish(LLVMValueRef value, const char *name) {
    char *whole = base_format("%s" INSTRUMENT_PART_SUFFIX, name);
    LLVMSetValueName2(value, whole, strlen(whole));
    free(whole);
    LLVMSetLinkage(value, LLVMExternalLinkage);
    LLVMSetVisibility(value, LLVMHiddenVisibility);
}

/* A literal is called by what it holds, unless that has names of its own that are not known yet. */
static void publish_literal(LLVMValueRef global, bool with_names) {
    char *text = LLVMPrintValueToString(LLVMGetInitializer(global));
    if (with_names || !strchr(text, '@')) {
        struct base_hash hash;
        char key[33];
        base_hash_init(&hash);
        base_hash_add_text(&hash, text);
        base_hash_done(&hash, key);
        char *name = base_format("literal.%.16s", key);
        publish(global, name);
        free(name);
    }
    LLVMDisposeMessage(text);
}

static void publish_variables(LLVMModuleRef module) {
    for (int with_names = 0; with_names < 2; with_names++)
        for (LLVMValueRef at = LLVMGetFirstGlobal(module); at; at = LLVMGetNextGlobal(at)) {
            if (!is_local(at) || LLVMGetLinkage(at) == LLVMAppendingLinkage)
                continue;
            if (LLVMGetLinkage(at) == LLVMPrivateLinkage || !*name_of(at))
                publish_literal(at, with_names);
            else
                publish(at, name_of(at));
        }
}

static void publish_all(const struct job *job) {
    for (LLVMValueRef at = LLVMGetFirstFunction(job->module); at; at = LLVMGetNextFunction(at))
        if (is_cut(at) && is_local(at) && is_visible(job, at))
            publish(at, name_of(at));
    publish_variables(job->module);
    for (LLVMValueRef at = LLVMGetFirstGlobalAlias(job->module); at;
         at = LLVMGetNextGlobalAlias(at))
        if (is_local(at))
            publish(at, name_of(at));
}

/* ---- counters by function ---- */

/* The number of a counter that a load or store names, or 0. */
static uint64_t slot_of(LLVMValueRef instruction, LLVMValueRef counters) {
    bool is_load = LLVMIsALoadInst(instruction) != NULL;
    if (!is_load && !LLVMIsAStoreInst(instruction))
        return 0;
    LLVMValueRef pointer = LLVMGetOperand(instruction, is_load ? 0 : 1);
    if (!LLVMIsAConstantExpr(pointer) || LLVMGetConstOpcode(pointer) != LLVMGetElementPtr ||
        LLVMGetOperand(pointer, 0) != counters || LLVMGetNumOperands(pointer) != 2)
        return 0;
    uint64_t index = LLVMConstIntGetZExtValue(LLVMGetOperand(pointer, 1));
    return LLVMGetIntTypeWidth(LLVMGetGEPSourceElementType(pointer)) == 64 ? index : index / 8;
}

static uint64_t first_slot(LLVMValueRef function, LLVMValueRef counters) {
    uint64_t slot = 0;
    for (LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)); at && !slot;
         at = LLVMGetNextInstruction(at))
        slot = slot_of(at, counters);
    return slot;
}

static void note_places(struct job *job, LLVMValueRef counters) {
    for (LLVMValueRef at = LLVMGetFirstFunction(job->module); at; at = LLVMGetNextFunction(at)) {
        uint64_t slot = is_cut(at) ? first_slot(at, counters) : 0;
        if (slot)
            base_buffer_print(&job->places,
                              ".globl \"" COUNTS "%s\"\n.hidden \"" COUNTS "%s\"\n.set \"" COUNTS
                              "%s\", " ABI_SYMBOL_COUNTERS "+%llu\n",
                              name_of(at), name_of(at), name_of(at),
                              (unsigned long long)(slot * sizeof(uint64_t)));
    }
}

static void renumber(LLVMModuleRef module, LLVMValueRef function, LLVMValueRef counters) {
    uint64_t first = first_slot(function, counters);
    if (!first)
        return;
    LLVMTypeRef word = LLVMInt64TypeInContext(LLVMGetModuleContext(module));
    char *name = base_format(COUNTS "%s", name_of(function));
    LLVMValueRef own =
        LLVMAddGlobal(module, LLVMArrayType2(word, LLVMCountBasicBlocks(function)), name);
    LLVMSetVisibility(own, LLVMHiddenVisibility);
    free(name);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef at = LLVMGetFirstInstruction(block); at;
             at = LLVMGetNextInstruction(at)) {
            uint64_t slot = slot_of(at, counters);
            if (!slot)
                continue;
            LLVMValueRef index = LLVMConstInt(word, slot - first, false);
            LLVMSetOperand(at, LLVMIsALoadInst(at) ? 0 : 1,
                           LLVMConstInBoundsGEP2(word, own, &index, 1));
        }
}

/* ---- one part ---- */

static void drop_outside(const struct job *job, unsigned first, unsigned last) {
    for (LLVMValueRef at = LLVMGetFirstFunction(job->module), next; at; at = next) {
        next = LLVMGetNextFunction(at);
        unsigned part = part_of(job, at);
        if (!is_cut(at) || (part >= first && part < last) ||
            LLVMGetLinkage(at) == LLVMAvailableExternallyLinkage)
            continue;
        if (is_copied(job, at) && LLVMGetLinkage(at) == LLVMExternalLinkage)
            LLVMSetLinkage(at, LLVMAvailableExternallyLinkage);
        else
            instrument_drop_body(job->module, at);
    }
}

/* Leaves what the part needs and nothing that depends on the rest of the program. */
static void isolate(const struct job *job, unsigned part) {
    LLVMModuleRef module = job->module;
    LLVMValueRef counters = LLVMGetNamedGlobal(module, ABI_SYMBOL_COUNTERS);
    if (part) {
        LLVMSetModuleInlineAsm2(module, "", 0);
        instrument_drop_aliases(module);
        instrument_drop_variables(module);
    } else if (job->places.count) {
        LLVMAppendModuleInlineAsm(module, job->places.data, job->places.count);
    }
    instrument_run_passes(module, "globaldce,strip-dead-prototypes");
    for (LLVMValueRef at = LLVMGetFirstFunction(module); counters && at;
         at = LLVMGetNextFunction(at))
        if (is_cut(at))
            renumber(module, at, counters);
}

static void hash_module(LLVMModuleRef module, char key[33]) {
    struct base_hash hash;
    LLVMMemoryBufferRef bitcode = LLVMWriteBitcodeToMemoryBuffer(module);
    base_hash_init(&hash);
    base_hash_add(&hash, LLVMGetBufferStart(bitcode), LLVMGetBufferSize(bitcode));
    base_hash_done(&hash, key);
    LLVMDisposeMemoryBuffer(bitcode);
}

static char *part_path(const struct job *job, unsigned part) {
    return base_format("%s.part%u", job->object_path, part);
}

static bool compile_one(struct job *job, unsigned part) {
    const struct instrument_store *store = job->store;
    struct base_error error = {0};
    char key[33], *path = part_path(job, part);
    isolate(job, part);
    hash_module(job->module, key);
    bool good = store && store->find(store->context, key, path);
    if (!good) {
        good = instrument_compile(job->module, path, &error);
        if (!good)
            fprintf(stderr, "slowpath: %s\n", error.message);
        else if (store)
            store->keep(store->context, key, path);
    }
    atomic_fetch_add(&job->shared->functions, job->list.data[part].functions);
    free(path);
    return good;
}

/* ---- the tree of processes ---- */

static bool wait_for(pid_t child) {
    int status = 1;
    return waitpid(child, &status, 0) == child && status == 0;
}

static bool take_idle(struct shared *shared) {
    int idle = atomic_load(&shared->idle);
    while (idle > 0)
        if (atomic_compare_exchange_weak(&shared->idle, &idle, idle - 1))
            return true;
    return false;
}

static bool compile_range(struct job *job, unsigned first, unsigned last);

/* Ends with its parent: nobody would wait for it. */
static pid_t start_range(struct job *job, unsigned first, unsigned last, bool beside) {
    pid_t parent = getpid(), child = fork();
    if (child)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    job->children.count = 0;
    drop_outside(job, first, last);
    bool good = compile_range(job, first, last);
    atomic_fetch_add(&job->shared->idle, beside);
    _exit(good ? 0 : 1);
}

/* Another one may have the core meanwhile. */
static bool wait_for_children(struct job *job) {
    bool good = true;
    if (job->children.count)
        atomic_fetch_add(&job->shared->idle, 1);
    for (size_t i = 0; i < job->children.count; i++)
        good &= wait_for(job->children.data[i]);
    if (job->children.count)
        atomic_fetch_sub(&job->shared->idle, 1);
    return good;
}

/* Gives the first half to another process, which runs beside this one if a core is idle. */
static bool compile_range(struct job *job, unsigned first, unsigned last) {
    bool good = true;
    while (good && last - first > 1) {
        unsigned middle = first + (last - first) / 2;
        bool beside = take_idle(job->shared);
        pid_t child = start_range(job, first, middle, beside);
        if (beside)
            base_push(&job->children, child);
        good = child > 0 && (beside || wait_for(child));
        drop_outside(job, middle, last);
        first = middle;
    }
    good = good && compile_one(job, first);
    return wait_for_children(job) && good;
}

/* ---- the whole ---- */

static pid_t start_tree(struct job *job) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    atomic_store(&job->shared->idle, cores > 1 ? (int)cores - 1 : 0);
    fflush(NULL);
    return start_range(job, 0, (unsigned)job->list.count, false);
}

static bool watch_tree(const struct job *job, pid_t child) {
    const struct instrument_store *store = job->store;
    unsigned all = 0;
    int status = 1;
    for (size_t i = 0; i < job->list.count; i++)
        all += job->list.data[i].functions;
    for (useconds_t pause = 1000; waitpid(child, &status, WNOHANG) == 0;) {
        if (store && store->progress)
            store->progress(store->context, atomic_load(&job->shared->functions), all);
        usleep(pause);
        pause = pause < 50000 ? pause * 2 : pause;
    }
    return status == 0;
}

static bool join_parts(const struct job *job, struct base_error *error) {
    struct base_strings command = {0};
    const char *const first[] = {LINKER, "-r", "-o", job->object_path};
    for (size_t i = 0; i < BASE_COUNT(first); i++)
        base_strings_add(&command, first[i]);
    for (unsigned i = 0; i < job->list.count; i++) {
        char *path = part_path(job, i);
        base_strings_add(&command, path);
        free(path);
    }
    const char **argv = base_alloc((command.count + 1) * sizeof *argv);
    memcpy(argv, command.data, command.count * sizeof *argv);
    struct base_process process = {.argv = argv};
    bool good = base_run(&process) == 0 ||
                base_fail(error, BASE_TARGET, "the parts of the target do not link");
    for (size_t i = BASE_COUNT(first); i < command.count; i++)
        unlink(command.data[i]);
    free(argv);
    base_strings_done(&command);
    return good;
}

static void prepare(struct job *job) {
    cut(job);
    find_visible(job);
    publish_all(job);
    LLVMValueRef counters = LLVMGetNamedGlobal(job->module, ABI_SYMBOL_COUNTERS);
    if (counters)
        note_places(job, counters);
}

bool instrument_compile_parts(LLVMModuleRef module, const struct instrument_store *store,
                              const char *object_path, struct base_error *error) {
    struct job job = {.module = module,
                      .store = store,
                      .object_path = object_path,
                      .parts = instrument_map_new(),
                      .visible = instrument_map_new()};
    job.shared =
        mmap(NULL, sizeof *job.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (job.shared == MAP_FAILED)
        base_give_up("out of memory");
    prepare(&job);
    bool good = watch_tree(&job, start_tree(&job)) ||
                base_fail(error, BASE_TARGET, "a part of the target does not compile");
    good = good && join_parts(&job, error);
    munmap(job.shared, sizeof *job.shared);
    instrument_map_free(job.parts);
    instrument_map_free(job.visible);
    base_vector_done(&job.list);
    base_vector_done(&job.children);
    base_buffer_done(&job.places);
    return good;
}
