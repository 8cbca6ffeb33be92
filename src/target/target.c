/* SPDX-License-Identifier: Apache-2.0
 *
 * The life of a target: what kind of entry it has, the variant and driver that fit, starting it.
 * run.c feeds it with inputs.
 */
#include "ir/missing.h"
#include "target/confine.h"
#include "target/internal.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RESTART_BYTES ((uint64_t)64 << 20) /* the library's heap between two restarts */
#define MEMORY_FOLDER "/dev/shm"
#define MOST_ASKED ((uint64_t)1 << 30) /* bytes */

/* ---- what kind of target is it? ---- */

static bool has_body(const struct ir_facts *facts, const char *name) {
    uint32_t function = ir_find_function(facts, name);
    return function != IR_NONE && facts->functions[function].block_count > 0;
}

static void list_functions(const struct ir_facts *facts, struct base_buffer *names) {
    unsigned listed = 0;
    for (uint32_t i = 0; i < facts->function_count && listed < 6; i++)
        if (facts->functions[i].block_count > 0) {
            base_buffer_print(names, "%s%s", listed++ ? ", " : "",
                              facts->strings + facts->functions[i].name);
        }
}

static bool choose_entry(struct target *target, const struct target_options *options,
                         struct base_error *error) {
    if (options->entry)
        target->kind = ABI_ENTRY_DRIVER;
    else if (has_body(&target->facts, ABI_SYMBOL_HARNESS))
        target->kind = ABI_ENTRY_HARNESS;
    else if (has_body(&target->facts, "main"))
        target->kind = ABI_ENTRY_PROGRAM;
    else {
        struct base_buffer names = {0};
        list_functions(&target->facts, &names);
        base_fail(error, BASE_TARGET,
                  "the target has no main and no " ABI_SYMBOL_HARNESS
                  ": name a function with --entry (it has %s)",
                  names.count ? names.data : "none with bitcode");
        base_buffer_done(&names);
        return false;
    }
    return true;
}

/* ---- sizes ---- */

static bool take_size(struct target *target, const struct target_given *given,
                      struct base_error *error) {
    for (size_t i = 0; i < target->size_count; i++)
        if (strcmp(target->size_names[i], given->name) == 0) {
            target->size_values[i] = given->value;
            target->size_known[i] = true;
            return true;
        }
    if (target->kind == ABI_ENTRY_DRIVER) {
        struct base_buffer names = {0};
        for (size_t i = 0; i < target->size_count; i++)
            base_buffer_print(&names, "%s%s", i ? ", " : "", target->size_names[i]);
        base_fail(error, BASE_USAGE, "--size %s: the entry has no size of that name (it has %s)",
                  given->name, names.count ? names.data : "none");
        base_buffer_done(&names);
        return false;
    }
    if (target->size_count == ABI_MAX_SIZES)
        return base_fail(error, BASE_USAGE, "more than %d sizes", ABI_MAX_SIZES);
    target->size_names[target->size_count] = base_arena_strdup(&target->arena, given->name);
    target->size_values[target->size_count] = given->value;
    target->size_known[target->size_count++] = true;
    return true;
}

static bool take_sizes(struct target *target, const struct target_options *options,
                       struct base_error *error) {
    if (target->entry.sizes.count > ABI_MAX_SIZES)
        return base_fail(error, BASE_USAGE, "more than %d sizes", ABI_MAX_SIZES);
    for (size_t i = 0; i < target->entry.sizes.count; i++)
        target->size_names[target->size_count++] = target->entry.sizes.data[i].name;
    for (size_t i = 0; options->objects >= 0 && i < target->entry.items.count; i++) {
        const struct target_item *item = &target->entry.items.data[i];
        if (item->kind == TARGET_SHAPE)
            target_fix_size(target, item->size, options->objects);
    }
    for (size_t i = 0; i < options->size_count; i++)
        if (!take_size(target, &options->sizes[i], error))
            return false;
    return true;
}

bool target_sizes_of(const struct target *target, uint64_t bytes, int64_t *values,
                     struct base_error *error) {
    memcpy(values, target->size_values, target->size_count * sizeof *values);
    if (target->kind != ABI_ENTRY_DRIVER)
        return true;
    return target_entry_solve_sizes(&target->entry, values, target->size_known, bytes, error);
}

const struct target_entry *target_entry(const struct target *target) {
    return target->kind == ABI_ENTRY_DRIVER ? &target->entry : NULL;
}

size_t target_size_names(const struct target *target, const char *const **names) {
    *names = target->size_names;
    return target->size_count;
}

bool target_input_bytes(const struct target *target, uint64_t *bytes, struct base_error *error) {
    int64_t values[ABI_MAX_SIZES];
    for (size_t i = 0; i < target->entry.sizes.count; i++) {
        int64_t otherwise = target->entry.sizes.data[i].otherwise;
        if (!target->size_known[i] && !otherwise)
            return base_fail(error, BASE_USAGE, "the size '%s' is not given: --size %s=8",
                             target->size_names[i], target->size_names[i]);
        values[i] = target->size_known[i] ? target->size_values[i] : otherwise;
    }
    return target_entry_bytes(&target->entry, values, bytes) ||
           base_fail(error, BASE_USAGE, "these sizes make no sense for '%s'", target->entry.text);
}

void target_vary_size(struct target *target, size_t size) {
    target->size_known[size] = false;
}

void target_fix_size(struct target *target, size_t size, int64_t value) {
    target->size_known[size] = true;
    target->size_values[size] = value;
}

bool target_bytes_at(const struct target *target, size_t size, int64_t value, uint64_t *bytes) {
    int64_t values[ABI_MAX_SIZES];
    for (size_t i = 0; i < target->entry.sizes.count; i++) {
        values[i] = target->size_values[i];
        if (i != size && !target->size_known[i])
            values[i] = target->entry.sizes.data[i].otherwise;
    }
    values[size] = value;
    return target_entry_bytes(&target->entry, values, bytes);
}

bool target_layout(const struct target *target, uint64_t bytes, struct target_fields *fields) {
    int64_t values[ABI_MAX_SIZES];
    struct base_error error;
    return target->kind == ABI_ENTRY_DRIVER && target_sizes_of(target, bytes, values, &error) &&
           target_entry_layout(&target->entry, values, fields);
}

bool target_shape_of(const struct target *target, const struct target_input *input, int64_t *sizes,
                     struct target_shape *shape) {
    struct base_error error;
    if (target->kind != ABI_ENTRY_DRIVER || !target->entry.heap.pools.count ||
        !target_sizes_of(target, input->size, sizes, &error))
        return false;
    target_shape_init(shape, &target->entry, sizes, input->data, input->size);
    return true;
}

/* The file that the entry is in. A build from the cache may name the folder of an earlier one, so
 * the files that were given count first. */
static const char *entry_file(const struct target *target) {
    const char *name = base_basename(target->signature.file);
    for (size_t i = 0; i < target->paths.count; i++)
        if (strcmp(base_basename(target->paths.data[i]), name) == 0)
            return target->paths.data[i];
    return target->signature.file;
}

/* The file to include in a test, as seen from FOLDER; NULL: linking will do, or has to. */
static char *source_to_include(const struct target *target, const char *folder) {
    const char *file = entry_file(target);
    bool is_hidden = target->signature.is_static || target->hands_on_static;
    if ((!is_hidden && !has_body(&target->facts, "main")) || access(file, R_OK) != 0)
        return NULL;
    return base_relative_path(folder, file);
}

bool target_test_program(const struct target *target, const struct target_input *input,
                         const char *folder, struct base_buffer *c_source) {
    int64_t values[ABI_MAX_SIZES];
    struct base_error error;
    if (target->kind != ABI_ENTRY_DRIVER || !target_sizes_of(target, input->size, values, &error))
        return false;
    char *source = source_to_include(target, folder);
    bool good = target_entry_test_program(&target->entry, &target->signature, source, values,
                                          input->data, input->size, c_source);
    free(source);
    return good;
}

/* ---- building ---- */

static bool fail_missing(const struct ir_facts *facts, const char *name, struct base_error *error) {
    struct base_strings names = {0};
    for (uint32_t i = 0; i < facts->function_count; i++)
        if (facts->functions[i].block_count > 0)
            base_strings_add(&names, facts->strings + facts->functions[i].name);
    ir_fail_missing(name, &names, error);
    base_strings_done(&names);
    return false;
}

/* A function that is handed on has a body in the target, or is one of the C library. */
static bool check_callback(struct target *target, const struct target_item *item,
                           struct base_error *error) {
    struct ir_signature signature;
    const struct ir_type *wanted = item->type->element;
    if (!has_body(&target->facts, item->name))
        return dlsym(RTLD_DEFAULT, item->name) || fail_missing(&target->facts, item->name, error);
    if (!ir_read_signature(target->variant.types, item->name, &target->arena, &signature, error))
        return false;
    target->hands_on_static |= signature.is_static;
    return signature.is_variadic || wanted->is_variadic || !wanted->member_count ||
           signature.parameter_count == wanted->member_count ||
           base_fail(error, BASE_TARGET,
                     "entry '%s': %s takes %u parameter%s, but is called with %u",
                     target->entry.text, item->name, signature.parameter_count,
                     signature.parameter_count == 1 ? "" : "s", wanted->member_count);
}

static bool check_callbacks(struct target *target, struct base_error *error) {
    for (size_t i = 0; i < target->entry.items.count; i++)
        if (target->entry.items.data[i].kind == TARGET_CALLBACK &&
            !check_callback(target, &target->entry.items.data[i], error))
            return false;
    return true;
}

/* It takes one pointer and is asked about every argument that is such a pointer. */
static bool check_invariant(struct target *target, struct base_error *error) {
    const char *name = target->entry.invariant;
    struct ir_signature signature;
    if (!name)
        return true;
    if (!has_body(&target->facts, name))
        return base_fail(error, BASE_USAGE, "--invariant %s: the target has no such function",
                         name);
    if (!ir_read_signature(target->variant.types, name, &target->arena, &signature, error))
        return false;
    target->entry.invariant_result = signature.result;
    if (signature.parameter_count == 1 && signature.result &&
        target_entry_find_checked(&target->entry, signature.parameters[0].type))
        return true;
    return base_fail(
        error, BASE_USAGE,
        "--invariant %s: it must take one pointer, such as an argument of '%s' is, and "
        "tell a truth",
        name, target->entry.text);
}

/* ---- functions that pointers may lead to ---- */

static bool has_code_pools(const struct target_entry *entry) {
    for (size_t i = 0; i < entry->heap.pools.count; i++)
        if (target_pool_is_code(&entry->heap.pools.data[i]))
            return true;
    return false;
}

/* Types of two signatures are the same when they have the same C text. */
static char *spell_function(const struct ir_type *type) {
    struct ir_type bare = *type;
    struct base_buffer text = {0};
    struct ir_member *members = base_alloc((type->member_count + 1) * sizeof *members);
    for (uint32_t i = 0; i < type->member_count; i++)
        members[i] = (struct ir_member){.name = "", .type = type->members[i].type};
    bare.members = members;
    ir_print_declaration(&bare, "f", &text);
    free(members);
    return text.data;
}

static void offer_function(struct target *target, const char *name) {
    struct ir_signature signature;
    struct base_error error;
    if (!ir_read_signature(target->variant.types, name, &target->arena, &signature, &error))
        return;
    struct ir_type type = target_function_type(&target->arena, &signature, true);
    char *text = spell_function(&type);
    for (size_t i = 0; i < target->entry.heap.pools.count; i++) {
        struct target_pool *pool = &target->entry.heap.pools.data[i];
        char *wanted = target_pool_is_code(pool) ? spell_function(pool->type) : NULL;
        if (wanted && strcmp(text, wanted) == 0) {
            base_strings_add(&pool->functions, name);
            target->hands_on_static |= signature.is_static;
        }
        free(wanted);
    }
    free(text);
}

/* All functions of the target are built, also those that nothing calls: only then are their types
 * known. */
static bool find_functions(struct target *target, struct cc_request *request,
                           struct base_error *error) {
    const struct ir_facts *facts = &target->facts;
    struct base_strings *names = &target->functions;
    if (!has_code_pools(&target->entry))
        return true;
    for (size_t i = 0; i < request->called_count; i++)
        base_strings_add(names, request->called[i]);
    for (uint32_t i = 0; i < facts->function_count; i++)
        if (facts->functions[i].block_count)
            base_strings_add(names, facts->strings + facts->functions[i].name);
    request->called = (const char *const *)names->data;
    request->called_count = names->count;
    cc_variant_done(&target->variant);
    ir_facts_done(&target->facts);
    if (!cc_build_variant(request, &target->variant, error) ||
        !ir_facts_load(target->variant.facts, &target->facts, error))
        return false;
    for (uint32_t i = 0; i < facts->function_count; i++)
        if (facts->functions[i].block_count)
            offer_function(target, facts->strings + facts->functions[i].name);
    return true;
}

static bool make_driver(struct target *target, struct cc_request *request,
                        struct base_buffer *driver, struct base_error *error) {
    const char *function = target->entry.function;
    if (!ir_read_signature(target->variant.types, function, &target->arena, &target->signature,
                           error) ||
        !target_entry_check(&target->entry, &target->signature, error) ||
        !check_callbacks(target, error) || !check_invariant(target, error) ||
        !find_functions(target, request, error))
        return false;
    target_entry_driver(&target->entry, &target->signature, function, driver);
    return true;
}

/* The driver is a part of the symbolic variant, so that it is instrumented too; to write it one
 * needs the signature, which the measuring variant has. */
static bool build_symbolic(struct target *target, struct cc_request *request, bool tells_loops,
                           const char *driver, struct base_watch *watch, struct base_error *error) {
    cc_variant_done(&target->variant);
    request->kind = INSTRUMENT_SYMBOLIC;
    request->tells_loops = tells_loops;
    request->driver = driver;
    request->watch = watch;
    return cc_build_variant(request, &target->variant, error);
}

/* The entry, and every bare name: only the types will tell which of them are functions. */
static const char **list_called(const struct target_entry *entry, size_t *count) {
    const char **names = base_alloc((entry->items.count + 2) * sizeof *names);
    *count = 0;
    if (entry->invariant)
        names[(*count)++] = entry->invariant;
    if (entry->function)
        names[(*count)++] = entry->function;
    for (size_t i = 0; i < entry->items.count; i++)
        if (entry->items.data[i].kind == TARGET_SCALAR)
            names[(*count)++] = entry->items.data[i].name;
    return names;
}

static bool build(struct target *target, const struct target_options *options,
                  struct base_error *error) {
    if (options->entry && !target_entry_parse(options->entry, &target->entry, error))
        return false;
    target->entry.assumptions = options->assumptions;
    target->entry.assumption_count = options->assumption_count;
    target->entry.form = (enum target_heap_form)options->form;
    target->entry.invariant = options->entry ? options->invariant : NULL;
    bool symbolic = options->kind == INSTRUMENT_SYMBOLIC;
    struct cc_request request = {.paths = options->paths,
                                 .path_count = options->path_count,
                                 .cflags = options->cflags,
                                 .cflag_count = options->cflag_count,
                                 .kind = symbolic ? INSTRUMENT_MEASURE : options->kind,
                                 .watch = options->watch,
                                 .entry = target->entry.function};
    const char **called = list_called(&target->entry, &request.called_count);
    for (size_t i = 0; i < options->path_count; i++)
        base_strings_add(&target->paths, options->paths[i]);
    request.called = called;
    struct base_buffer driver = {0};
    bool good = cc_build_variant(&request, &target->variant, error) &&
                ir_facts_load(target->variant.facts, &target->facts, error) &&
                choose_entry(target, options, error) &&
                (!options->entry || make_driver(target, &request, &driver, error)) &&
                (!symbolic || build_symbolic(target, &request, options->tells_loops, driver.data,
                                             options->watch, error)) &&
                cc_link_variant(&target->variant, symbolic ? NULL : driver.data, &target->linked,
                                &target->executable, error) &&
                take_sizes(target, options, error);
    base_buffer_done(&driver);
    free(called);
    return good;
}

/* ---- starting ---- */

static bool replace_file_marks(struct target *target, struct abi_control *control, char **argv) {
    bool found = false;
    for (char **arg = argv; *arg; arg++) {
        char *mark = strstr(*arg, "@@");
        if (!mark)
            continue;
        *arg = base_arena_format(&target->arena, "%.*s%s%s", (int)(mark - *arg), *arg,
                                 control->file_path, mark + 2);
        found = true;
    }
    return found;
}

static bool prepare_arguments(struct target *target, const struct target_options *options,
                              struct base_error *error) {
    struct abi_control *control = target_process_control(&target->process);
    if (options->arg_count + 2 > ABI_MAX_ARGS)
        return base_fail(error, BASE_USAGE, "more than %d arguments", ABI_MAX_ARGS - 2);
    size_t count = options->arg_count;
    if (options->arg_index > count)
        count = options->arg_index;
    char **argv = base_arena_alloc(&target->arena, (count + 2) * sizeof *argv);
    argv[0] = base_arena_strdup(&target->arena, base_basename(options->paths[0]));
    for (size_t i = 0; i < count; i++)
        argv[i + 1] =
            base_arena_strdup(&target->arena, i < options->arg_count ? options->args[i] : "");
    snprintf(control->folder, sizeof control->folder, "%s", target->folder);
    snprintf(control->file_path, sizeof control->file_path, "%s/input", target->folder);
    control->channel = ABI_CHANNEL_STDIN;
    if (options->arg_index) {
        control->channel = ABI_CHANNEL_ARG;
        control->arg_index = options->arg_index;
    } else if (replace_file_marks(target, control, argv + 1))
        control->channel = ABI_CHANNEL_FILE;
    target->launch.argv = argv;
    return true;
}

/* Ours, but for the place of temporary files and what is for the loader alone. */
static void prepare_environment(struct target *target) {
    size_t count = 0, to = 0;
    bool is_moved = target->launch.is_confined;
    while (environ[count])
        count++;
    char **list = base_arena_alloc(&target->arena, (count + 4) * sizeof *list);
    const char *place = target->launch.place;
    if (target->kind == ABI_ENTRY_PROGRAM)
        list[to++] = base_arena_strdup(&target->arena, ABI_ENVIRONMENT);
    for (size_t i = 0; i < count; i++)
        if ((!is_moved || strncmp(environ[i], "TMPDIR=", 7) != 0) &&
            (!place || strncmp(environ[i], "PWD=", 4) != 0))
            list[to++] = environ[i];
    if (place)
        list[to++] = base_arena_format(&target->arena, "PWD=%s", place);
    if (is_moved)
        list[to] = base_arena_format(&target->arena, "TMPDIR=%s", target->folder);
    target->launch.environment = list;
}

static void warn_unconfined(void) {
    static bool is_said;
    if (!is_said && target_fence_offered() == TARGET_FENCE_NONE)
        base_warn("this kernel has no means to protect your files from the target: it can write "
                  "wherever you can");
    is_said = true;
}

bool target_start(struct target *target, struct base_error *error) {
    if (!target_process_start(&target->process, &target->launch, error))
        return false;
    uint32_t slots = target_process_control(&target->process)->slot_count;
    return slots == 1 || slots == target->facts.block_count + 1 ||
           base_fail(error, BASE_BROKEN, "the target overwrites its own counters as it starts");
}

/* Where files cost no disk, if they are many. */
static bool make_folders(struct target *target, const struct abi_tree *tree,
                         struct base_error *error) {
    struct abi_control *control = target_process_control(&target->process);
    target->folder = base_temp_dir_in(tree->objects ? MEMORY_FOLDER : NULL);
    control->tree = *tree;
    if (!tree->objects)
        return true;
    target->launch.place = base_arena_format(&target->arena, "%s/" ABI_TREE_FOLDER, target->folder);
    return base_make_dirs(target->launch.place, error);
}

static bool first_start(struct target *target, const struct target_options *options,
                        struct base_error *error) {
    if (!target_process_init(&target->process, error) ||
        !make_folders(target, &options->tree, error) || !prepare_arguments(target, options, error))
        return false;
    target->process.halt = options->halt;
    target->launch.executable = target->launch.place
                                    ? realpath(target->executable, target->whole_path)
                                    : target->executable;
    prepare_environment(target);
    if (target->launch.is_confined)
        warn_unconfined();
    struct abi_control *control = target_process_control(&target->process);
    control->entry = target->kind;
    control->fresh = options->fresh;
    control->show_output = options->show_output;
    control->timed = options->timed;
    control->is_confined = target->launch.is_confined;
    control->memory_limit = target->launch.limits.memory;
    control->restart_bytes = RESTART_BYTES;
    control->symbolic = options->kind == INSTRUMENT_SYMBOLIC;
    control->recording = options->kind == INSTRUMENT_RECORD;
    control->record_iterations = options->iterations;
    control->concrete = options->concrete;
    control->loop_bound = options->loop_bound;
    if (options->keep_output &&
        !target_process_keep_output(&target->process, options->limits.file_bytes, error))
        return false;
    return target_start(target, error);
}

static struct target *new_target(const struct target_options *options) {
    struct target *target = base_alloc(sizeof *target);
    target->variant.entry.lock = target->linked.lock = -1;
    target->process =
        (struct target_process){.memory = -1, .command = -1, .done = -1, .output = -1};
    target->launch.limits = options->limits;
    target->launch.is_confined = !options->unconfined;
    target->run_seconds = options->limits.seconds;
    target->slice = TARGET_SLICE;
    return target;
}

/* A pipeline: its stages are opened, and it is a program in all that one can ask of it. */
static struct target *open_chain(const struct target_options *options, struct base_error *error) {
    struct target *target = new_target(options);
    target->chain = chain_open(options, &target->facts, error);
    target->kind = ABI_ENTRY_PROGRAM;
    if (target->chain)
        return target;
    target_close(target);
    return NULL;
}

static bool build_stages(const struct target_options *options, struct base_error *error) {
    for (size_t i = 0; i < options->pipeline->stages.count; i++) {
        struct target_options stage;
        chain_stage_options(options, i, &stage);
        if (!target_build(&stage, error))
            return false;
    }
    return true;
}

bool target_build(const struct target_options *options, struct base_error *error) {
    if (options->pipeline)
        return build_stages(options, error);
    struct target *target = new_target(options);
    bool good = build(target, options, error);
    target_close(target);
    return good;
}

struct target *target_open(const struct target_options *options, struct base_error *error) {
    if (options->pipeline)
        return open_chain(options, error);
    struct target *target = new_target(options);
    double began = base_seconds();
    bool good = build(target, options, error);
    target->build_seconds = base_seconds() - began;
    if (good && first_start(target, options, error))
        return target;
    target_close(target);
    return NULL;
}

void target_close(struct target *target) {
    if (target->chain)
        chain_close(target->chain);
    target_process_done(&target->process);
    if (target->folder)
        base_remove_tree(target->folder);
    free(target->folder);
    free(target->executable);
    base_buffer_done(&target->located);
    base_buffer_done(&target->fresh_reason);
    base_buffer_done(&target->trace);
    base_buffer_done(&target->damaged);
    base_vector_done(&target->results);
    base_vector_done(&target->counts);
    target_entry_done(&target->entry);
    base_strings_done(&target->functions);
    ir_facts_done(&target->facts);
    cc_entry_done(&target->linked);
    cc_variant_done(&target->variant);
    base_strings_done(&target->paths);
    base_arena_done(&target->arena);
    free(target);
}

const struct ir_facts *target_facts(const struct target *target) {
    return &target->facts;
}

enum abi_entry target_entry_kind(const struct target *target) {
    return target->kind;
}

/* A pipeline tells the sum of its stages, or what its first one says. */
double target_build_seconds(const struct target *target) {
    return target->chain ? chain_sum(target->chain, target_build_seconds) : target->build_seconds;
}

double target_waited(const struct target *target) {
    return target->chain ? chain_sum(target->chain, target_waited) : target->waited;
}

bool target_was_cached(const struct target *target) {
    return target->chain ? target_was_cached(chain_stage(target->chain, 0))
                         : target->variant.was_cached;
}

const char *target_key(const struct target *target) {
    return target->chain ? chain_key(target->chain) : target->variant.key;
}

uint64_t target_bytes_asked(const struct target *target) {
    if (target->chain)
        return target_bytes_asked(chain_stage(target->chain, 0));
    uint64_t asked = target_process_control(&target->process)->asked;
    return asked < MOST_ASKED ? asked : MOST_ASKED;
}

/* The names lie in memory that the program can write to: they end where we say. */
bool target_counter_name(const struct target *target, uint32_t counter, char name[ABI_NAME_SIZE]) {
    if (target->chain)
        return chain_counter_name(target->chain, counter, name);
    const struct abi_control *control = target_process_control(&target->process);
    if (counter >= ABI_MAX_COUNTERS || counter >= control->counter_count)
        return false;
    memcpy(name, control->counters[counter], ABI_NAME_SIZE);
    name[ABI_NAME_SIZE - 1] = 0;
    return true;
}

static double sum_lost(const struct target *stage) {
    return target_counts_lost(stage);
}

uint32_t target_counts_lost(const struct target *target) {
    return target->chain ? (uint32_t)chain_sum(target->chain, sum_lost)
                         : target_process_control(&target->process)->counters_lost;
}

static double sum_restarts(const struct target *stage) {
    return target_restarts(stage);
}

uint32_t target_restarts(const struct target *target) {
    return target->chain ? (uint32_t)chain_sum(target->chain, sum_restarts)
                         : target_process_control(&target->process)->restarts;
}

static double sum_threads(const struct target *stage) {
    return target_threads(stage);
}

uint32_t target_threads(const struct target *target) {
    return target->chain ? (uint32_t)chain_sum(target->chain, sum_threads)
                         : target_process_control(&target->process)->threads;
}

void target_limit_run(struct target *target, double seconds) {
    if (target->chain) {
        chain_limit_run(target->chain, seconds);
        return;
    }
    double most = target->launch.limits.seconds;
    target->run_seconds = seconds > 0 && seconds < most ? seconds : most;
}

/* ---- the stages of a pipeline ---- */

const struct target_pipeline *target_pipeline_of(const struct target *target) {
    return target->chain ? chain_pipeline(target->chain) : NULL;
}

struct target *target_stage(const struct target *target, size_t stage) {
    return chain_stage(target->chain, stage);
}

bool target_run_stages(struct target *target, const struct target_input *input,
                       struct abi_result *by_stage, struct base_error *error) {
    return chain_run_stages(target->chain, input, by_stage, error);
}

void target_last_stages(const struct target *target, struct abi_result *by_stage) {
    chain_last_stages(target->chain, by_stage);
}

struct target_input target_stage_input(const struct target *target,
                                       const struct target_input *input, size_t stage) {
    struct target_input own;
    own.data = chain_input_of(target->chain, input, stage, &own.size);
    return own;
}

void target_set_weights(struct target *target, uint32_t vector, const uint32_t *weights) {
    if (target->chain) {
        chain_set_weights(target->chain, vector, weights);
        return;
    }
    struct abi_control *control = target_process_control(&target->process);
    uint32_t *all = (uint32_t *)(target->process.shared + ABI_OFFSET_WEIGHTS);
    memcpy(all + (size_t)vector * control->slot_count, weights,
           control->slot_count * sizeof *weights);
    if (control->weight_count <= vector)
        control->weight_count = vector + 1;
}

/* ---- where it crashed ---- */

const char *target_crash_name(const struct abi_result *result) {
    if (result->signal == SIGXFSZ)
        return "it writes more than --limit-file allows";
    return result->signal ? strsignal((int)result->signal)
                          : "it wrote over memory that it shares with slowpath";
}

bool target_locate(struct target *target, const struct abi_result *result, const char **text) {
    uint64_t address = result->crash_pc;
    if (!address)
        return false;
    if (target->chain)
        return target_locate(chain_stage(target->chain, result->stage), result, text);
    target->located.count = 0;
    bool found = ir_locate(target->executable, &target->facts, address, &target->located);
    *text = target->located.data;
    return found;
}

/* Some inputs may be named only after an assumption about others, so several are tried. */
bool target_ask_bytes(struct target *target, int64_t *bytes, struct base_error *error) {
    if (target->chain) /* its first stage reads what a shell would give it */
        return true;
    static const uint8_t fillings[] = {0, 1, 2, 0x10, 0x41, 0x7f, 0x80, 0xff};
    uint8_t filled[256];
    struct target_input input = {filled, sizeof filled};
    struct abi_result result;
    if (target_entry_kind(target) != ABI_ENTRY_PROGRAM)
        return true;
    for (size_t i = 0; i < BASE_COUNT(fillings); i++) {
        memset(filled, fillings[i], sizeof filled);
        if (!target_run(target, &input, 1, &result, error))
            return false;
        if (!target_bytes_asked(target))
            return true;
    }
    *bytes = (int64_t)target_bytes_asked(target);
    return true;
}
