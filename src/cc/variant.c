/* SPDX-License-Identifier: Apache-2.0
 *
 * How a variant is built: gather bitcode (compile sources, take frames out of binaries), link,
 * clean, describe, instrument, optimise, emit. The key of the result is the hash of the gathered
 * bitcode, the options, and of what makes variants.
 */
#include "cc/variant.h"

#include "abi/bundle.h"
#include "cc/builder.h"
#include "cc/link.h"
#include "cc/source.h"
#include "instrument/instrument.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LARGE_BITCODE ((size_t)2 << 20) /* bytes: building takes more than some seconds */

/* ---- gathering ---- */

struct gathered {
    struct ir_frames program, library;
    struct base_strings link_with;
};

static bool has_suffix(const char *path, const char *suffix) {
    size_t length = strlen(path), tail = strlen(suffix);
    return length > tail && strcmp(path + length - tail, suffix) == 0;
}

static bool is_c_library(const char *path) {
    static const char *const names[] = {"libc.so",  "libm.so",  "libpthread.so",
                                        "libdl.so", "ld-linux", "librt.so"};
    for (size_t i = 0; i < BASE_COUNT(names); i++)
        if (strncmp(base_basename(path), names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* A shared library that carries bitcode becomes part of the program; another is linked. */
static bool add_libraries(const char *path, struct gathered *gathered, struct base_error *error) {
    struct base_strings needed = {0};
    bool good = ir_needed_libraries(path, &needed, error);
    for (size_t i = 0; good && i < needed.count; i++) {
        size_t before = gathered->library.count;
        if (is_c_library(needed.data[i]))
            continue;
        good = ir_extract(needed.data[i], &gathered->library, error);
        if (good && gathered->library.count == before)
            base_strings_add(&gathered->link_with, needed.data[i]);
    }
    base_strings_done(&needed);
    return good;
}

static bool add_binary(const char *path, struct gathered *gathered, struct base_error *error) {
    size_t before = gathered->program.count;
    if (!ir_extract(path, &gathered->program, error))
        return false;
    if (gathered->program.count == before)
        return base_fail(error, BASE_TARGET,
                         "'%s' carries no bitcode: build it with CC=slowpath-cc", path);
    return has_suffix(path, ".o") || has_suffix(path, ".a") || add_libraries(path, gathered, error);
}

static bool gather(const struct cc_request *request, struct gathered *gathered,
                   struct base_error *error) {
    for (size_t i = 0; i < request->path_count; i++) {
        const char *path = request->paths[i];
        if (access(path, R_OK) != 0)
            return base_fail(error, BASE_USAGE, "cannot read the target '%s': no such file", path);
        if (!(has_suffix(path, ".c") ? cc_add_source(path, request->cflags, request->cflag_count,
                                                     &gathered->program, error)
                                     : add_binary(path, gathered, error)))
            return false;
    }
    return true;
}

static void gathered_done(struct gathered *gathered) {
    ir_frames_done(&gathered->program);
    ir_frames_done(&gathered->library);
    base_strings_done(&gathered->link_with);
}

/* ---- keys ---- */

static void hash_file(struct base_hash *hash, const char *path) {
    char *data;
    size_t size;
    struct base_error error;
    if (!base_read_file(path, &data, &size, &error))
        return;
    base_hash_add(hash, data, size);
    free(data);
}

static void hash_frames(struct base_hash *hash, const struct ir_frames *frames) {
    base_hash_add(hash, &frames->count, sizeof frames->count);
    for (size_t i = 0; i < frames->count; i++) {
        base_hash_add(hash, &frames->data[i].size, sizeof frames->data[i].size);
        base_hash_add(hash, frames->data[i].data, frames->data[i].size);
    }
}

/* What makes variants is part of every key: another version makes other ones. */
static char tool_key[33];

static void make_tool_key(void) {
    static const char *const parts[] = {"libruntime.a", "hooks.bc", "sym_hooks.bc",
                                        "sym_library.bc", "record_hooks.bc"};
    struct base_hash hash;
    base_hash_init(&hash);
    base_hash_add_text(&hash, cc_tool_sources);
    for (size_t i = 0; i < BASE_COUNT(parts); i++) {
        char *path = cc_runtime_file(parts[i]);
        hash_file(&hash, path);
        free(path);
    }
    base_hash_done(&hash, tool_key);
}

static const char *hash_of_tool(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_tool_key);
    return tool_key;
}

static void variant_key(const struct cc_request *request, const struct gathered *gathered,
                        char key[33]) {
    struct base_hash hash;
    base_hash_init(&hash);
    base_hash_add_text(&hash, hash_of_tool());
    base_hash_add(&hash, &request->kind, sizeof request->kind);
    base_hash_add(&hash, &request->tells_loops, sizeof request->tells_loops);
    base_hash_add(&hash, &request->describes, sizeof request->describes);
    for (size_t i = 0; i < request->called_count; i++)
        base_hash_add_text(&hash, request->called[i]);
    base_hash_add_text(&hash, request->driver ? request->driver : "");
    hash_frames(&hash, &gathered->program);
    hash_frames(&hash, &gathered->library);
    base_hash_done(&hash, key);
}

/* ---- building ---- */

static bool write_native_objects(const struct ir_frames *frames, const char *folder,
                                 const char *kind, struct base_error *error) {
    bool good = true;
    for (size_t i = 0; good && i < frames->count; i++) {
        if (frames->data[i].kind != ABI_FRAME_OBJECT)
            continue;
        char *path = base_format("%s/native-%s-%zu.o", folder, kind, i);
        good = base_write_file(path, frames->data[i].data, frames->data[i].size, error);
        free(path);
    }
    return good;
}

static void list_native_objects(const struct ir_frames *frames, const char *folder,
                                const char *kind, struct base_strings *paths) {
    for (size_t i = 0; i < frames->count; i++)
        if (frames->data[i].kind == ABI_FRAME_OBJECT) {
            char *path = base_format("%s/native-%s-%zu.o", folder, kind, i);
            base_strings_add(paths, path);
            free(path);
        }
}

static bool has_native(const struct gathered *gathered) {
    for (size_t i = 0; i < gathered->program.count; i++)
        if (gathered->program.data[i].kind == ABI_FRAME_OBJECT)
            return true;
    for (size_t i = 0; i < gathered->library.count; i++)
        if (gathered->library.data[i].kind == ABI_FRAME_OBJECT)
            return true;
    return gathered->link_with.count > 0;
}

static bool save_facts(const struct ir_facts *facts, const char *folder, struct base_error *error) {
    char *path = base_format("%s/facts", folder);
    bool good = ir_facts_save(facts, path, error);
    free(path);
    return good;
}

/* ---- the parts of large programs ---- */

struct parts {
    const char *folder; /* that is being built */
    struct cc_reporter *reporter;
};

static void part_key(const char *content, char key[33]) {
    struct base_hash hash;
    base_hash_init(&hash);
    base_hash_add_text(&hash, hash_of_tool());
    base_hash_add_text(&hash, content);
    base_hash_done(&hash, key);
}

static bool find_part(void *context, const char *content, const char *path) {
    (void)context;
    struct cc_entry entry = {.lock = -1};
    char key[33];
    part_key(content, key);
    if (!cc_cache_find(key, &entry))
        return false;
    char *kept = base_format("%s/part.o", entry.folder);
    bool good = link(kept, path) == 0;
    free(kept);
    cc_entry_done(&entry);
    return good;
}

/* In a folder of the build, which goes with it when it ends early. */
static void keep_part(void *context, const char *content, const char *path) {
    const struct parts *parts = context;
    char key[33], *folder = base_format("%s/keep-%d", parts->folder, (int)getpid());
    part_key(content, key);
    char *kept = base_format("%s/part.o", folder);
    if (mkdir(folder, 0777) == 0 && link(path, kept) == 0)
        cc_cache_keep(folder, key);
    else
        cc_cache_abandon(folder);
    free(kept);
}

static void tell_progress(void *context, unsigned done, unsigned all) {
    const struct parts *parts = context;
    cc_report_progress(parts->reporter, done, all);
}

struct build {
    const struct cc_request *request;
    const struct gathered *gathered;
    const char *folder;
    struct cc_reporter *reporter;
};

static bool emit(const struct build *build, struct ir_module *module, const struct ir_facts *facts,
                 struct base_error *error) {
    const struct cc_request *request = build->request;
    const char *folder = build->folder;
    bool symbolic = request->kind == INSTRUMENT_SYMBOLIC;
    bool records = request->kind == INSTRUMENT_RECORD;
    struct cc_entry driver_entry = {.lock = -1}; /* held until this process ends */
    char *driver = NULL;
    if (request->driver && !cc_compile_driver(request->driver, &driver_entry, &driver, error))
        return false;
    char *hooks = cc_runtime_file(symbolic  ? "sym_hooks.bc"
                                  : records ? "record_hooks.bc"
                                            : "hooks.bc");
    char *library = cc_runtime_file("sym_library.bc");
    char *object = base_format("%s/target.o", folder);
    struct instrument_options options = {.kind = request->kind,
                                         .facts = facts,
                                         .tells_loops = request->tells_loops,
                                         .runtime_bitcode = hooks,
                                         .library_bitcode = symbolic ? library : NULL,
                                         .driver_bitcode = driver,
                                         .called = request->called,
                                         .called_count = request->called_count,
                                         .keep_symbols = has_native(build->gathered)};
    struct parts parts = {.folder = folder, .reporter = build->reporter};
    struct instrument_store store = {find_part, keep_part, tell_progress, &parts};
    bool good = instrument_module(module, &options, error) &&
                instrument_emit(module, &store, object, error);
    free(driver);
    free(object);
    free(library);
    free(hooks);
    return good;
}

/* The types of the entry come from the build that is made first. */
static bool has_types(const struct cc_request *request) {
    return request->describes || (request->entry && request->kind != INSTRUMENT_SYMBOLIC);
}

static bool emit_all(const struct build *build, struct ir_module *module,
                     const struct ir_facts *facts, struct base_error *error) {
    const struct cc_request *request = build->request;
    if (!has_types(request))
        return emit(build, module, facts, error);
    char *path = base_format("%s/types.o", build->folder);
    pid_t child = instrument_begin_types(module, request->called, request->called_count, path);
    free(path);
    bool good = emit(build, module, facts, error);
    struct base_error problem;
    bool typed = instrument_end_types(child, good ? error : &problem);
    return good && typed;
}

/* ---- describing ---- */

struct arguments {
    const char **data;
    size_t count, capacity;
};

static bool save_roles(const struct ir_module *module, const char *folder,
                       struct base_error *error) {
    struct ir_all_roles roles = {0};
    char *path = base_format("%s/roles", folder);
    ir_roles_make(module, &roles);
    bool good = ir_roles_save(&roles, path, error);
    free(path);
    ir_roles_done(&roles);
    return good;
}

/* The types of all functions that have a body. */
static bool describe(const struct build *build, struct ir_module *module,
                     const struct ir_facts *facts, struct base_error *error) {
    struct arguments names = {0};
    char *path = base_format("%s/types.o", build->folder);
    for (uint32_t i = 0; i < facts->function_count; i++)
        if (facts->functions[i].block_count > 0)
            base_push(&names, facts->strings + facts->functions[i].name);
    bool good =
        save_roles(module, build->folder, error) &&
        instrument_end_types(instrument_begin_types(module, names.data, names.count, path), error);
    base_vector_done(&names);
    free(path);
    return good;
}

/* The work of a builder, which ends with it: nothing is given back to memory. */
static bool build_now(void *context, struct cc_reporter *reporter, struct base_error *error) {
    struct build *build = context;
    const struct gathered *gathered = build->gathered;
    const char *entry = build->request->entry;
    struct ir_module module = {0};
    struct ir_facts facts = {0};
    build->reporter = reporter;
    if (!ir_link(&gathered->program, &gathered->library, &module, error) ||
        (entry && !ir_check_function(&module, entry, error)) || !ir_clean(&module, error))
        return false;
    instrument_prepare(&module);
    ir_facts_make(&module, &facts);
    if (build->request->describes)
        return save_facts(&facts, build->folder, error) && describe(build, &module, &facts, error);
    return save_facts(&facts, build->folder, error) && emit_all(build, &module, &facts, error) &&
           write_native_objects(&gathered->program, build->folder, "program", error) &&
           write_native_objects(&gathered->library, build->folder, "library", error);
}

static const char *kind_name(enum instrument_kind kind) {
    return kind == INSTRUMENT_SYMBOLIC  ? "symbolic"
           : kind == INSTRUMENT_MEASURE ? "measuring"
           : kind == INSTRUMENT_RECORD  ? "recording"
                                        : "uncounted";
}

static void announce(const struct cc_request *request, const struct gathered *gathered) {
    size_t bytes = 0;
    for (size_t i = 0; i < gathered->program.count; i++)
        bytes += gathered->program.data[i].size;
    for (size_t i = 0; i < gathered->library.count; i++)
        bytes += gathered->library.data[i].size;
    if (bytes > LARGE_BITCODE)
        base_note("building the %s variant of %s, which is large: this takes a while, once",
                  kind_name(request->kind), base_basename(request->paths[0]));
}

static bool make_entry(const struct cc_request *request, const struct gathered *gathered,
                       const char *key, struct cc_entry *entry, struct base_error *error) {
    if (!request->watch || !request->watch->is_aside)
        announce(request, gathered);
    char *folder = cc_cache_begin(error);
    if (!folder)
        return false;
    struct build build = {.request = request, .gathered = gathered, .folder = folder};
    if (!cc_run_builder(build_now, &build, kind_name(request->kind), request->watch, error)) {
        cc_cache_abandon(folder);
        return false;
    }
    return cc_cache_commit(folder, key, entry, error);
}

/* Several processes may want the same at once, as the ranks of one search do: one builds it. */
static bool build_entry(const struct cc_request *request, const struct gathered *gathered,
                        const char *key, struct cc_entry *entry, struct base_error *error) {
    struct cc_turn turn;
    cc_cache_take_turn(key, request->watch, &turn);
    bool good = cc_cache_find(key, entry) || make_entry(request, gathered, key, entry, error);
    cc_cache_end_turn(&turn);
    return good;
}

static bool find_or_build(const struct cc_request *request, struct cc_variant *variant,
                          struct base_error *error) {
    struct gathered gathered = {0};
    *variant = (struct cc_variant){.entry.lock = -1};
    bool good = gather(request, &gathered, error);
    if (good) {
        variant_key(request, &gathered, variant->key);
        variant->was_cached = cc_cache_find(variant->key, &variant->entry);
        good = variant->was_cached ||
               build_entry(request, &gathered, variant->key, &variant->entry, error);
    }
    if (good) {
        const char *folder = variant->entry.folder;
        variant->object = base_format("%s/target.o", folder);
        variant->facts = base_format("%s/facts", folder);
        variant->types = has_types(request) ? base_format("%s/types.o", folder) : NULL;
        variant->roles = request->describes ? base_format("%s/roles", folder) : NULL;
        list_native_objects(&gathered.program, folder, "program", &variant->link_with);
        list_native_objects(&gathered.library, folder, "library", &variant->link_with);
        for (size_t i = 0; i < gathered.link_with.count; i++)
            base_strings_add(&variant->link_with, gathered.link_with.data[i]);
        for (size_t i = 0; i < request->cflag_count; i++)
            if (strncmp(request->cflags[i], "-l", 2) == 0 ||
                strncmp(request->cflags[i], "-L", 2) == 0)
                base_strings_add(&variant->link_with, request->cflags[i]);
    }
    gathered_done(&gathered);
    if (!good)
        cc_variant_done(variant);
    return good;
}

bool cc_build_variant(const struct cc_request *request, struct cc_variant *variant,
                      struct base_error *error) {
    bool is_aside = request->watch && request->watch->is_aside;
    if (!is_aside)
        cc_begin_catching();
    bool good = find_or_build(request, variant, error);
    if (!is_aside)
        cc_end_catching();
    return good;
}

void cc_variant_done(struct cc_variant *variant) {
    cc_entry_done(&variant->entry);
    free(variant->object);
    free(variant->facts);
    free(variant->types);
    free(variant->roles);
    base_strings_done(&variant->link_with);
    *variant = (struct cc_variant){.entry.lock = -1};
}
