/* SPDX-License-Identifier: Apache-2.0
 *
 * How is a large module compiled side by side, and only what has changed? It is cut into parts of
 * a few hundred blocks. Each is compiled and kept under a key, so that the next build takes it as
 * it is; the linker joins them.
 *
 * The key is made from the module in memory (keys.c), and what is kept is not looked at again. Of
 * the others, as many processes as there are cores take one after the other, the largest first, and
 * read what they need of each from the bitcode of the whole (part.c). Where the module does not
 * tell all, the key is the hash of the part's bitcode.
 *
 * A part must be the same when the rest of the program changes. Cuts follow the names of functions;
 * a name that only this file gives (a literal's) comes from the contents; counters are numbered
 * from the function's first one, and the first part, which holds all variables, says where that is.
 *
 * Small functions without loops are copied to where they are called, so that they can be inlined:
 * one that changes costs all parts that have a copy, and a loop takes longer than the call. What
 * several parts refer to becomes visible to the linker, and to it alone.
 */
#include "instrument/keys.h"
#include "instrument/part.h"

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
#define LINKER SLOWPATH_LLVM_BINDIR "/ld.lld"

struct part {
    unsigned number, blocks;
    BASE_VECTOR(LLVMValueRef) functions;
    char key[33]; /* "": its bitcode will tell */
    bool is_kept; /* from an earlier build */
};

struct shared {            /* by all processes of a build */
    atomic_uint next;      /* in the order of the list, that nobody has taken yet */
    atomic_uint functions; /* that are compiled */
};

struct job {
    LLVMModuleRef module;
    const struct instrument_store *store;
    const char *object_path;
    struct instrument_map
        *parts; /* function -> its part; those of part 0 stay with the variables */
    struct instrument_map *visible; /* functions that other parts refer to */
    BASE_VECTOR(struct part) list;  /* by number, then by size */
    struct base_map homes;          /* for part.c */
    struct base_buffer places;      /* of counters, in assembler */
    struct shared *shared;
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

static void add_part(struct job *job) {
    unsigned number = (unsigned)job->list.count;
    base_push(&job->list, (struct part){.number = number});
}

static void add_to(struct job *job, unsigned part, LLVMValueRef function) {
    while (job->list.count <= part)
        add_part(job);
    job->list.data[part].blocks += LLVMCountBasicBlocks(function);
    base_push(&job->list.data[part].functions, function);
    instrument_map_set(job->parts, function, part);
}

static void cut(struct job *job) {
    unsigned part = 1;
    add_part(job);
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

/* Does a block lead to itself or to one before it? */
static bool has_loop(LLVMValueRef function) {
    uintptr_t unused;
    bool found = false;
    struct instrument_map *before = instrument_map_new();
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block && !found;
         block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
        instrument_map_set(before, block, 1);
        for (unsigned i = 0; i < LLVMGetNumSuccessors(last) && !found; i++)
            found = instrument_map_get(before, LLVMGetSuccessor(last, i), &unused);
    }
    instrument_map_free(before);
    return found;
}

/* A copy of it may be in any part. */
static bool is_copied(const struct job *job, LLVMValueRef function) {
    return is_visible(job, function) && part_of(job, function) && is_small(function) &&
           !has_loop(function);
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

/* ---- names for the linker ---- */

static void publish_all(const struct job *job) {
    for (LLVMValueRef at = LLVMGetFirstFunction(job->module); at; at = LLVMGetNextFunction(at))
        if (is_cut(at) && instrument_is_local(at) && is_visible(job, at))
            instrument_publish(at, name_of(at));
    instrument_publish_variables(job->module);
    for (LLVMValueRef at = LLVMGetFirstGlobalAlias(job->module); at;
         at = LLVMGetNextGlobalAlias(at))
        if (instrument_is_local(at))
            instrument_publish(at, name_of(at));
}

/* ---- counters by function ---- */

static void note_places(struct job *job, LLVMValueRef counters) {
    for (LLVMValueRef at = LLVMGetFirstFunction(job->module); at; at = LLVMGetNextFunction(at)) {
        uint64_t slot = is_cut(at) ? instrument_first_slot(at, counters) : 0;
        if (slot)
            base_buffer_print(&job->places,
                              ".globl \"" INSTRUMENT_COUNTS "%s\"\n.hidden \"" INSTRUMENT_COUNTS
                              "%s\"\n.set \"" INSTRUMENT_COUNTS "%s\", " ABI_SYMBOL_COUNTERS
                              "+%llu\n",
                              name_of(at), name_of(at), name_of(at),
                              (unsigned long long)(slot * sizeof(uint64_t)));
    }
}

static void count_apart(LLVMModuleRef module) {
    LLVMValueRef counters = LLVMGetNamedGlobal(module, ABI_SYMBOL_COUNTERS);
    for (LLVMValueRef at = LLVMGetFirstFunction(module); counters && at;
         at = LLVMGetNextFunction(at))
        if (is_cut(at))
            instrument_renumber(module, at, counters);
}

/* ---- what is kept from earlier builds ---- */

static char *part_path(const struct job *job, unsigned part) {
    return base_format("%s.part%u", job->object_path, part);
}

/* The part of the variables has things that keys.c does not tell, and seldom stays the same. */
static void make_keys(struct job *job) {
    struct instrument_keys *keys = instrument_keys_new(job->module, &job->homes);
    for (size_t i = 1; i < job->list.count; i++) {
        struct part *part = &job->list.data[i];
        if (!instrument_key_of_part(keys, part->number, part->functions.data, part->functions.count,
                                    part->key))
            *part->key = 0;
    }
    instrument_keys_free(keys);
}

/* Nobody reads the functions of kept parts, except those that other parts have a copy of. */
static void drop_kept(struct job *job) {
    for (size_t i = 0; i < job->list.count; i++) {
        const struct part *part = &job->list.data[i];
        for (size_t f = 0; part->is_kept && f < part->functions.count; f++)
            if (base_map_get(&job->homes, name_of(part->functions.data[f])) % 2 == 0)
                LLVMSetLinkage(part->functions.data[f], LLVMAvailableExternallyLinkage);
    }
    instrument_run_passes(job->module, "elim-avail-extern");
}

static void find_kept(struct job *job) {
    make_keys(job);
    for (size_t i = 0; i < job->list.count; i++) {
        struct part *part = &job->list.data[i];
        char *path = part_path(job, part->number);
        part->is_kept = *part->key && job->store->find(job->store->context, part->key, path);
        if (part->is_kept)
            atomic_fetch_add(&job->shared->functions, (unsigned)part->functions.count);
        free(path);
    }
    drop_kept(job);
}

/* ---- one part ---- */

static void hash_module(LLVMModuleRef module, char key[33]) {
    struct base_hash hash;
    LLVMMemoryBufferRef bitcode = LLVMWriteBitcodeToMemoryBuffer(module);
    base_hash_init(&hash);
    base_hash_add(&hash, LLVMGetBufferStart(bitcode), LLVMGetBufferSize(bitcode));
    base_hash_done(&hash, key);
    LLVMDisposeMemoryBuffer(bitcode);
}

/* One with a key has been looked for. */
static bool is_found(const struct job *job, struct part *part, LLVMModuleRef module,
                     const char *path) {
    if (*part->key || !job->store)
        return false;
    hash_module(module, part->key);
    return job->store->find(job->store->context, part->key, path);
}

static bool compile_part(struct job *job, const struct instrument_whole *whole, struct part *part) {
    const struct instrument_store *store = job->store;
    struct base_error error = {0};
    char *path = part_path(job, part->number);
    LLVMModuleRef module = instrument_read_part(whole, part->number);
    count_apart(module);
    bool good = is_found(job, part, module, path);
    if (!good) {
        good = instrument_compile(module, path, &error);
        if (!good)
            fprintf(stderr, "slowpath: %s\n", error.message);
        else if (store)
            store->keep(store->context, part->key, path);
    }
    instrument_close_part(module);
    free(path);
    return good;
}

/* ---- processes that take parts ---- */

static bool compile_parts(struct job *job, const struct instrument_whole *whole) {
    for (unsigned at; (at = atomic_fetch_add(&job->shared->next, 1)) < job->list.count;) {
        struct part *part = &job->list.data[at];
        if (part->is_kept)
            continue;
        if (!compile_part(job, whole, part)) {
            atomic_store(&job->shared->next, (unsigned)job->list.count); /* for nothing */
            return false;
        }
        atomic_fetch_add(&job->shared->functions, (unsigned)part->functions.count);
    }
    return true;
}

/* Ends with its parent: nobody would wait for it. */
static pid_t start_process(struct job *job, const struct instrument_whole *whole) {
    pid_t parent = getpid(), child = fork();
    if (child)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    _exit(getppid() == parent && compile_parts(job, whole) ? 0 : 1);
}

static void tell(const struct job *job, unsigned all) {
    const struct instrument_store *store = job->store;
    if (store && store->progress)
        store->progress(store->context, atomic_load(&job->shared->functions), all);
}

/* True: all COUNT children have ended well. */
static bool watch(const struct job *job, const pid_t *children, size_t count) {
    unsigned all = 0;
    bool good = true;
    for (size_t i = 0; i < job->list.count; i++)
        all += (unsigned)job->list.data[i].functions.count;
    for (size_t i = 0; i < count; i++) {
        int status = 1;
        pid_t ended = 0;
        for (useconds_t pause = 1000;
             children[i] > 0 && (ended = waitpid(children[i], &status, WNOHANG)) == 0;) {
            tell(job, all);
            usleep(pause);
            pause = pause < 50000 ? pause * 2 : pause;
        }
        good &= ended == children[i] && status == 0;
    }
    return good;
}

static int by_size(const void *a, const void *b) {
    const struct part *x = a, *y = b;
    return x->blocks != y->blocks ? (x->blocks > y->blocks ? -1 : 1)
                                  : (x->number > y->number) - (x->number < y->number);
}

/* One for each part at most; that of the variables is never kept. */
static size_t count_processes(const struct job *job) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t parts = 0;
    for (size_t i = 0; i < job->list.count; i++)
        parts += !job->list.data[i].is_kept;
    return cores < 1 ? 1 : (size_t)cores < parts ? (size_t)cores : parts;
}

static bool compile_all(struct job *job) {
    size_t count = count_processes(job);
    pid_t *children = base_alloc(count * sizeof *children);
    LLVMMemoryBufferRef bitcode = LLVMWriteBitcodeToMemoryBuffer(job->module);
    struct instrument_whole whole = {LLVMGetBufferStart(bitcode), LLVMGetBufferSize(bitcode),
                                     &job->homes};
    qsort(job->list.data, job->list.count, sizeof *job->list.data, by_size);
    fflush(NULL);
    for (size_t i = 0; i < count; i++)
        children[i] = start_process(job, &whole);
    bool good = watch(job, children, count);
    LLVMDisposeMemoryBuffer(bitcode);
    free(children);
    return good;
}

/* ---- the whole ---- */

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

static void note_homes(struct job *job) {
    for (LLVMValueRef at = LLVMGetFirstFunction(job->module); at; at = LLVMGetNextFunction(at))
        if (is_cut(at))
            base_map_set(&job->homes, name_of(at),
                         2 * part_of(job, at) +
                             (is_copied(job, at) && LLVMGetLinkage(at) == LLVMExternalLinkage));
}

static void prepare(struct job *job) {
    cut(job);
    find_visible(job);
    publish_all(job);
    LLVMValueRef counters = LLVMGetNamedGlobal(job->module, ABI_SYMBOL_COUNTERS);
    if (counters)
        note_places(job, counters);
    if (job->places.count)
        LLVMAppendModuleInlineAsm(job->module, job->places.data, job->places.count);
    note_homes(job);
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
    if (store)
        find_kept(&job);
    bool good =
        compile_all(&job) || base_fail(error, BASE_TARGET, "a part of the target does not compile");
    good = good && join_parts(&job, error);
    munmap(job.shared, sizeof *job.shared);
    instrument_map_free(job.parts);
    instrument_map_free(job.visible);
    for (size_t i = 0; i < job.list.count; i++)
        base_vector_done(&job.list.data[i].functions);
    base_vector_done(&job.list);
    base_map_done(&job.homes);
    base_buffer_done(&job.places);
    return good;
}
