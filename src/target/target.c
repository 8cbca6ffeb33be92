/* SPDX-License-Identifier: Apache-2.0
 *
 * The life of a target: its sizes, starting it, and what others can ask about it. build.c builds
 * it, run.c runs inputs.
 */
#include "ir/missing.h"
#include "target/confine.h"
#include "target/internal.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Growth of the library's heap that triggers a restart. */
#define RESTART_BYTES ((uint64_t)64 << 20)
#define MEMORY_FOLDER "/dev/shm"
#define MOST_ASKED ((uint64_t)1 << 30) /* bytes */

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

/* The file with the entry. A cached build may name the folder of an earlier one, so files given by
 * the user come first. */
static const char *entry_file(const struct target *target) {
    const char *name = base_basename(target->signature.file);
    for (size_t i = 0; i < target->paths.count; i++)
        if (strcmp(base_basename(target->paths.data[i]), name) == 0)
            return target->paths.data[i];
    return target->signature.file;
}

/* The file to include in a test, relative to FOLDER; NULL: linking is enough, or the only way. */
static char *source_to_include(const struct target *target, const char *folder) {
    const char *file = entry_file(target);
    bool is_hidden = target->signature.is_static || target->hands_on_static;
    if ((!is_hidden && !target_has_body(&target->facts, "main")) || access(file, R_OK) != 0)
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

/* Our environment, except for the place of temporary files and variables of the loader. */
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

/* In memory, if there are many files. */
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

/* Opens the stages of a pipeline, which otherwise answers like a program. */
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

/* Clang omits static functions that nothing refers to. If an entry names a missing function, build
 * again with all of them; NULL: that is not the reason. */
static struct target *make_with_all(const struct target_options *options) {
    struct target_options more = *options;
    struct base_error error;
    const char **words = base_alloc((options->cflag_count + 2) * sizeof *words);
    for (size_t i = 0; i < options->cflag_count; i++)
        words[i] = options->cflags[i];
    words[options->cflag_count] = "-Xclang";
    words[options->cflag_count + 1] = "-femit-all-decls";
    more.cflags = words;
    more.cflag_count += 2;
    struct target *target = new_target(&more);
    if (!target_make(target, &more, &error)) {
        target_close(target);
        target = NULL;
    }
    free(words);
    return target;
}

static struct target *make(const struct target_options *options, struct base_error *error) {
    struct target *target = new_target(options);
    double began = base_seconds();
    bool good = target_make(target, options, error);
    if (!good && options->entry && ir_is_missing(error)) {
        target_close(target);
        target = make_with_all(options);
        good = target != NULL;
    }
    if (good)
        target->build_seconds = base_seconds() - began;
    if (good && take_sizes(target, options, error))
        return target;
    if (target)
        target_close(target);
    return NULL;
}

bool target_build(const struct target_options *options, struct base_error *error) {
    if (options->pipeline)
        return build_stages(options, error);
    struct target *target = make(options, error);
    if (target)
        target_close(target);
    return target != NULL;
}

struct target *target_open(const struct target_options *options, struct base_error *error) {
    if (options->pipeline)
        return open_chain(options, error);
    struct target *target = make(options, error);
    if (!target || first_start(target, options, error))
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

/* For a pipeline: the sum of its stages, or the answer of the first. */
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

/* Names lie in memory that the program can write to: never read beyond their array. */
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
    uint32_t *own = all + (size_t)vector * control->slot_count;
    memcpy(own, weights, control->slot_count * sizeof *weights);
    if (control->slot_count > 1)
        ir_fold_weights(&target->facts, own + 1);
    if (control->weight_count <= vector)
        control->weight_count = vector + 1;
}

/* ---- where a run crashed ---- */

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

/* Some inputs are requested only after an assumption about others, so several are tried. */
bool target_ask_bytes(struct target *target, int64_t *bytes, struct base_error *error) {
    if (target->chain) /* its first stage gets its input as from a shell */
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
