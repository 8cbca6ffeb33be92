/* SPDX-License-Identifier: Apache-2.0
 *
 * The life of a target: what kind of entry it has, the variant and driver that fit, starting it,
 * feeding it batches of inputs, starting it anew when it is gone.
 */
#include "target/target.h"

#include "cc/variant.h"
#include "ir/facts.h"
#include "ir/missing.h"
#include "target/confine.h"
#include "target/entry.h"
#include "target/process.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RESTART_BYTES ((uint64_t)64 << 20) /* the library's heap between two restarts */
#define BATCH_BYTES ((uint64_t)1 << 30)
#define SLICE ((size_t)4096)           /* inputs per hand-over */
#define MOST_ASKED ((uint64_t)1 << 30) /* bytes */
#define MOST_STARTS 5                  /* in a row, without any run */

struct target {
    struct cc_variant variant;
    struct cc_entry linked;
    char *executable;
    struct ir_facts facts;
    enum abi_entry kind;
    struct target_process process;
    struct target_launch launch;
    double run_seconds; /* what a run may take now */
    char *folder;       /* all that it may write to, removed at the end */

    /* an entry's parsed text, its signature and sizes */
    struct base_arena arena;
    struct target_entry entry;
    struct ir_signature signature;
    bool hands_on_static; /* one of its arguments is a static function */
    int64_t size_values[ABI_MAX_SIZES];
    bool size_known[ABI_MAX_SIZES];
    const char *size_names[ABI_MAX_SIZES];
    size_t size_count;

    size_t slice;                           /* inputs per hand-over at most, now */
    BASE_VECTOR(struct abi_result) results; /* of the last one */
    BASE_VECTOR(uint64_t) counts;           /* of the last run that was counted */
    struct base_buffer trace;               /* the one that is looked at */

    double build_seconds;
    double waited; /* seconds, for batches */
    struct base_buffer located;
};

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

/* The file to include in a test, as seen from FOLDER; NULL: linking will do, or has to. */
static char *source_to_include(const struct target *target, const char *folder) {
    const char *file = target->signature.file;
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
    if (!ir_read_signature(target->variant.object, item->name, &target->arena, &signature, error))
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

static bool make_driver(struct target *target, struct base_buffer *driver,
                        struct base_error *error) {
    const char *function = target->entry.function;
    if (!ir_read_signature(target->variant.object, function, &target->arena, &target->signature,
                           error) ||
        !target_entry_check(&target->entry, &target->signature, error) ||
        !check_callbacks(target, error))
        return false;
    target_entry_driver(&target->entry, &target->signature, function, driver);
    return true;
}

/* The driver is a part of the symbolic variant, so that it is instrumented too; to write it one
 * needs the signature, which the measuring variant has. */
static bool build_symbolic(struct target *target, struct cc_request *request, bool tells_loops,
                           const char *driver, struct base_error *error) {
    cc_variant_done(&target->variant);
    request->kind = INSTRUMENT_SYMBOLIC;
    request->tells_loops = tells_loops;
    request->driver = driver;
    return cc_build_variant(request, &target->variant, error);
}

/* The entry, and every bare name: only the types will tell which of them are functions. */
static const char **list_called(const struct target_entry *entry, size_t *count) {
    const char **names = base_alloc((entry->items.count + 1) * sizeof *names);
    *count = 0;
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
    bool symbolic = options->kind == INSTRUMENT_SYMBOLIC;
    struct cc_request request = {.paths = options->paths,
                                 .path_count = options->path_count,
                                 .cflags = options->cflags,
                                 .cflag_count = options->cflag_count,
                                 .kind = symbolic ? INSTRUMENT_MEASURE : options->kind,
                                 .entry = target->entry.function};
    const char **called = list_called(&target->entry, &request.called_count);
    request.called = called;
    struct base_buffer driver = {0};
    bool good =
        cc_build_variant(&request, &target->variant, error) &&
        ir_facts_load(target->variant.facts, &target->facts, error) &&
        choose_entry(target, options, error) &&
        (!options->entry || make_driver(target, &driver, error)) &&
        (!symbolic || build_symbolic(target, &request, options->tells_loops, driver.data, error)) &&
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

/* Ours, but for the place of temporary files. */
static void prepare_environment(struct target *target) {
    size_t count = 0, to = 0;
    while (environ[count])
        count++;
    char **list = base_arena_alloc(&target->arena, (count + 2) * sizeof *list);
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "TMPDIR=", 7) != 0)
            list[to++] = environ[i];
    list[to] = base_arena_format(&target->arena, "TMPDIR=%s", target->folder);
    target->launch.environment = target->launch.is_confined ? list : environ;
}

static void warn_unconfined(void) {
    static bool is_said;
    if (!is_said && target_fence_offered() == TARGET_FENCE_NONE)
        base_warn("this kernel has no means to protect your files from the target: it can write "
                  "wherever you can");
    is_said = true;
}

static void warn_denied(const struct target *target) {
    static bool is_said;
    if (!is_said && target_process_control(&target->process)->denied) {
        is_said = true;
        base_warn("the target wanted to write to a file outside of its own folder and was not "
                  "allowed to; --unconfined allows it");
    }
}

static bool start(struct target *target, struct base_error *error) {
    if (!target_process_start(&target->process, &target->launch, error))
        return false;
    uint32_t slots = target_process_control(&target->process)->slot_count;
    return slots == 1 || slots == target->facts.block_count + 1 ||
           base_fail(error, BASE_BROKEN, "the target overwrites its own counters as it starts");
}

static bool first_start(struct target *target, const struct target_options *options,
                        struct base_error *error) {
    target->folder = base_temp_dir();
    if (!target_process_init(&target->process, error) || !prepare_arguments(target, options, error))
        return false;
    target->process.halt = options->halt;
    target->launch.executable = target->executable;
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
    control->concrete = options->concrete;
    control->loop_bound = options->loop_bound;
    return start(target, error);
}

struct target *target_open(const struct target_options *options, struct base_error *error) {
    struct target *target = base_alloc(sizeof *target);
    target->variant.entry.lock = target->linked.lock = -1;
    target->process = (struct target_process){.memory = -1, .command = -1, .done = -1};
    target->launch.limits = options->limits;
    target->launch.is_confined = !options->unconfined;
    target->run_seconds = options->limits.seconds;
    target->slice = SLICE;
    double began = base_seconds();
    bool good = build(target, options, error);
    target->build_seconds = base_seconds() - began;
    if (good && first_start(target, options, error))
        return target;
    target_close(target);
    return NULL;
}

void target_close(struct target *target) {
    target_process_done(&target->process);
    if (target->folder)
        base_remove_tree(target->folder);
    free(target->folder);
    free(target->executable);
    base_buffer_done(&target->located);
    base_buffer_done(&target->trace);
    base_vector_done(&target->results);
    base_vector_done(&target->counts);
    target_entry_done(&target->entry);
    ir_facts_done(&target->facts);
    cc_entry_done(&target->linked);
    cc_variant_done(&target->variant);
    base_arena_done(&target->arena);
    free(target);
}

const struct ir_facts *target_facts(const struct target *target) {
    return &target->facts;
}

enum abi_entry target_entry_kind(const struct target *target) {
    return target->kind;
}

double target_build_seconds(const struct target *target) {
    return target->build_seconds;
}

double target_waited(const struct target *target) {
    return target->waited;
}

bool target_was_cached(const struct target *target) {
    return target->variant.was_cached;
}

const char *target_key(const struct target *target) {
    return target->variant.key;
}

uint64_t target_bytes_asked(const struct target *target) {
    uint64_t asked = target_process_control(&target->process)->asked;
    return asked < MOST_ASKED ? asked : MOST_ASKED;
}

/* The names lie in memory that the program can write to: they end where we say. */
bool target_counter_name(const struct target *target, uint32_t counter, char name[ABI_NAME_SIZE]) {
    const struct abi_control *control = target_process_control(&target->process);
    if (counter >= ABI_MAX_COUNTERS || counter >= control->counter_count)
        return false;
    memcpy(name, control->counters[counter], ABI_NAME_SIZE);
    name[ABI_NAME_SIZE - 1] = 0;
    return true;
}

uint32_t target_counts_lost(const struct target *target) {
    return target_process_control(&target->process)->counters_lost;
}

uint32_t target_restarts(const struct target *target) {
    return target_process_control(&target->process)->restarts;
}

uint32_t target_threads(const struct target *target) {
    return target_process_control(&target->process)->threads;
}

void target_limit_run(struct target *target, double seconds) {
    double most = target->launch.limits.seconds;
    target->run_seconds = seconds > 0 && seconds < most ? seconds : most;
}

void target_set_weights(struct target *target, uint32_t vector, const uint32_t *weights) {
    struct abi_control *control = target_process_control(&target->process);
    uint32_t *all = (uint32_t *)(target->process.shared + ABI_OFFSET_WEIGHTS);
    memcpy(all + (size_t)vector * control->slot_count, weights,
           control->slot_count * sizeof *weights);
    if (control->weight_count <= vector)
        control->weight_count = vector + 1;
}

/* ---- running ---- */

static void set_sizes(struct target *target, const int64_t *values) {
    struct abi_control *control = target_process_control(&target->process);
    control->size_count = (uint32_t)target->size_count;
    for (size_t i = 0; i < target->size_count; i++) {
        snprintf(control->sizes[i].name, ABI_NAME_SIZE, "%s", target->size_names[i]);
        control->sizes[i].value = values[i];
    }
}

/* Lays out as many inputs as one hand-over takes: equal sizes, within the input area. */
static bool lay_out(struct target *target, const struct target_input *inputs, size_t count,
                    size_t *taken, struct base_error *error) {
    char *shared = target->process.shared;
    struct abi_input *table = (struct abi_input *)(shared + ABI_OFFSET_INPUT_TABLE);
    int64_t first[ABI_MAX_SIZES], values[ABI_MAX_SIZES];
    uint64_t offset = 0;
    size_t at = 0;
    for (; at < count && at < target->slice; at++) {
        if (at && offset + inputs[at].size > BATCH_BYTES)
            break;
        if (inputs[at].size > ABI_OFFSET_NODES - ABI_OFFSET_INPUTS)
            return base_fail(error, BASE_USAGE, "an input of %zu bytes is too large",
                             inputs[at].size);
        if (!target_sizes_of(target, inputs[at].size, at ? values : first, error))
            return false;
        if (at && memcmp(first, values, target->size_count * sizeof *values) != 0)
            break;
        table[at] = (struct abi_input){offset, inputs[at].size};
        memcpy(shared + ABI_OFFSET_INPUTS + offset, inputs[at].data, inputs[at].size);
        offset += (inputs[at].size + 15) & ~(uint64_t)15;
    }
    set_sizes(target, first);
    *taken = at;
    return true;
}

/* A run that ended its server, or wrote over its own result. */
static struct abi_result crash_result(int number) {
    struct abi_result result = {.status = ABI_STATUS_CRASH, .signal = (uint32_t)number};
    result.check = abi_result_check(&result);
    return result;
}

static bool start_again(struct target *target, struct base_error *error) {
    struct abi_control *control = target_process_control(&target->process);
    target_process_stop(&target->process);
    control->restarts++;
    return start(target, error);
}

/* The server itself is gone: the run under way is lost, the rest goes on in a new one. */
static void book_lost_run(struct target *target) {
    struct abi_control *control = target_process_control(&target->process);
    struct abi_result *results = (struct abi_result *)(target->process.shared + ABI_OFFSET_RESULTS);
    if (control->running)
        results[control->current] = crash_result(SIGKILL);
    control->completed += control->running;
    control->running = 0;
}

static bool hand_over(struct target *target, size_t count, enum target_outcome *outcome,
                      struct base_error *error) {
    struct abi_control *control = target_process_control(&target->process);
    control->batch = (uint32_t)count;
    control->next = 0;
    control->running = 0;
    control->traces_end = 0;
    double began = base_seconds();
    if (target->process.server <= 0 && !start_again(target, error)) /* it was halted before */
        return false;
    for (int starts = 0; control->next < control->batch; starts++) {
        uint32_t before = control->next;
        *outcome = target_process_batch(&target->process, target->run_seconds);
        if (*outcome != TARGET_GONE)
            break;
        book_lost_run(target);
        starts = control->next > before ? 0 : starts;
        if (starts == MOST_STARTS)
            return base_fail(error, BASE_BROKEN,
                             "the target cannot be run: its processes end "
                             "before they reach an input");
        if (!start_again(target, error))
            return false;
    }
    if (*outcome == TARGET_HALTED)
        return base_fail(error, BASE_STOPPED, "the run was ended");
    *outcome = *outcome == TARGET_GONE ? TARGET_DONE : *outcome;
    target->waited += base_seconds() - began;
    return true;
}

/* Copies the results of a hand-over; false when one of them was overwritten. */
static bool take_results(struct target *target, size_t count) {
    const struct abi_result *produced =
        (const struct abi_result *)(target->process.shared + ABI_OFFSET_RESULTS);
    target->results.count = 0;
    for (size_t i = 0; i < count; i++) {
        base_push(&target->results, produced[i]);
        if (base_fault("result"))
            base_fault_damage(&target->results.data[i], sizeof *produced);
        struct abi_result *result = &target->results.data[i];
        if (result->check != abi_result_check(result) || result->status == ABI_STATUS_NONE ||
            result->status > ABI_STATUS_BOUNDS)
            return false;
        if (result->status == ABI_STATUS_TIMEOUT) /* what it took is not known, but this it did */
            result->wall_ns = (uint64_t)(target->run_seconds * 1e9);
    }
    return true;
}

/* Runs the first inputs, as many as one hand-over takes. A run that has written over what it shares
 * with us takes the results of others with it: fewer and fewer are run together until it is alone,
 * and has crashed if it does so a second time. */
static bool run_some(struct target *target, const struct target_input *inputs, size_t count,
                     size_t *taken, struct base_error *error) {
    const struct abi_control *control = target_process_control(&target->process);
    for (int alone = 0; alone < 2; alone += *taken <= 1) {
        enum target_outcome outcome = TARGET_DONE;
        if (!lay_out(target, inputs, count, taken, error) ||
            !hand_over(target, *taken, &outcome, error))
            return false;
        if (control->next < *taken && outcome == TARGET_DONE)
            *taken = control->next; /* the traces needed more room than there is */
        bool good = outcome == TARGET_DONE && *taken && take_results(target, *taken);
        target->slice = good ? target->slice * 2 : *taken > 1 ? *taken / 2 : 1;
        if (target->slice > SLICE)
            target->slice = SLICE;
        warn_denied(target);
        if (good)
            return true;
        target_process_forget(&target->process);
        if (!start_again(target, error))
            return false;
    }
    *taken = 1;
    target->results.count = 0;
    base_push(&target->results, crash_result(0));
    return true;
}

/* Copies the trace of a run, which begins AT: what is looked at more than once must not change. */
static bool take_trace(struct target *target, uint64_t at, size_t run) {
    uint64_t room = target_process_control(&target->process)->traces_end - at;
    const char *trace = target->process.shared + ABI_OFFSET_TRACES + at;
    struct abi_trace header = {0};
    if (room >= sizeof header)
        memcpy(&header, trace, sizeof header);
    if (header.magic != ABI_TRACE_MAGIC || header.run != run || header.size < sizeof header ||
        header.size > room)
        return false;
    target->trace.count = 0;
    base_buffer_add(&target->trace, &header, sizeof header);
    base_buffer_add(&target->trace, trace + sizeof header, header.size - sizeof header);
    if (base_fault("trace"))
        base_fault_damage(target->trace.data, target->trace.count);
    return true;
}

/* Shows the traces of a hand-over in the order of its runs. */
static void show_traces(struct target *target, size_t first, size_t count, target_visit *visit,
                        void *context) {
    uint64_t at = 0;
    for (size_t run = 0; run < count; run++) {
        bool own = take_trace(target, at, run);
        size_t size = own ? target->trace.count : 0;
        visit(first + run, &target->results.data[run], own ? target->trace.data : NULL, size,
              context);
        at += size;
    }
}

void target_set_aim(struct target *target, const struct target_aim *aim) {
    struct abi_control *control = target_process_control(&target->process);
    size_t bytes = aim->fixed ? aim->bytes : 0;
    if (bytes > ABI_FIXED_SIZE * 8)
        bytes = ABI_FIXED_SIZE * 8;
    control->window_first = aim->fixed ? aim->first : 0;
    control->window_bytes = bytes;
    control->decision_limit = aim->decisions;
    if (bytes)
        memcpy(target->process.shared + ABI_OFFSET_FIXED, aim->fixed, (bytes + 7) / 8);
}

void target_set_output(struct target *target, bool is_told) {
    target_process_control(&target->process)->tell_output = is_told;
}

/* The target may have written anything there. */
bool target_loss(const struct target *target, uint32_t number, struct abi_loss *loss) {
    const struct abi_control *control = target_process_control(&target->process);
    if (number >= control->loss_count || number >= ABI_MAX_LOSSES)
        return false;
    *loss = control->losses[number];
    loss->name[ABI_NAME_SIZE - 1] = 0;
    return true;
}

void target_set_force(struct target *target, const struct target_force *force) {
    struct abi_control *control = target_process_control(&target->process);
    char *shared = target->process.shared;
    control->is_forced = force != NULL;
    control->force_count = force ? force->script_count : 0;
    control->policy = force ? force->policy : (struct abi_policy){0};
    if (control->force_count > ABI_OFFSET_RULES - ABI_OFFSET_SCRIPT)
        control->force_count = ABI_OFFSET_RULES - ABI_OFFSET_SCRIPT;
    if (control->force_count)
        memcpy(shared + ABI_OFFSET_SCRIPT, force->script, control->force_count);
    if (control->policy.rule_slots)
        memcpy(shared + ABI_OFFSET_RULES, force->rules,
               control->policy.rule_slots * sizeof *force->rules);
}

bool target_run_traced(struct target *target, const struct target_input *inputs, size_t count,
                       target_visit *visit, void *context, struct base_error *error) {
    for (size_t done = 0, taken = 0; done < count; done += taken) {
        if (!run_some(target, inputs + done, count - done, &taken, error))
            return false;
        show_traces(target, done, taken, visit, context);
    }
    return true;
}

bool target_run(struct target *target, const struct target_input *inputs, size_t count,
                struct abi_result *results, struct base_error *error) {
    for (size_t done = 0, taken = 0; done < count; done += taken) {
        if (!run_some(target, inputs + done, count - done, &taken, error))
            return false;
        memcpy(results + done, target->results.data, taken * sizeof *results);
    }
    return true;
}

const uint64_t *target_run_counted(struct target *target, const struct target_input *input,
                                   struct abi_result *result, struct base_error *error) {
    struct abi_control *control = target_process_control(&target->process);
    control->keep_counts = 1;
    bool good = target_run(target, input, 1, result, error);
    control->keep_counts = 0;
    if (!good)
        return NULL;
    const uint64_t *shared = (const uint64_t *)(target->process.shared + ABI_OFFSET_COUNTERS);
    target->counts.count = 0;
    for (uint32_t i = 0; i <= target->facts.block_count; i++)
        base_push(&target->counts, i < control->slot_count ? shared[i] : 0);
    return target->counts.data;
}

uint64_t *target_set_records(struct target *target, size_t *count) {
    struct abi_control *control = target_process_control(&target->process);
    control->has_records = 1;
    *count = control->slot_count;
    return (uint64_t *)(target->process.shared + ABI_OFFSET_RECORDS);
}

/* ---- does it repeat? ---- */

static bool same_costs(const struct abi_result *a, const struct abi_result *b) {
    if (a->status != ABI_STATUS_OK || b->status != ABI_STATUS_OK)
        return true; /* nothing to compare: the runs were cut short */
    return a->counts_hash == b->counts_hash && a->exit_code == b->exit_code &&
           memcmp(&a->costs, &b->costs, sizeof a->costs) == 0;
}

bool target_check_repeats(struct target *target, const struct target_input *input,
                          enum target_verdict *verdict, struct base_error *error) {
    struct abi_control *control = target_process_control(&target->process);
    const struct target_input twice[2] = {*input, *input};
    struct abi_result results[2];
    *verdict = TARGET_REPEATS;
    if (!target_run(target, twice, 2, results, error))
        return false;
    if (same_costs(&results[0], &results[1]))
        return true;
    *verdict = TARGET_DIFFERS;
    if (control->fresh || target->kind == ABI_ENTRY_PROGRAM)
        return true;
    target_process_stop(&target->process);
    control->fresh = 1;
    if (!start(target, error) || !target_run(target, twice, 2, results, error))
        return false;
    if (same_costs(&results[0], &results[1]))
        *verdict = TARGET_FRESH;
    return true;
}

/* ---- where it crashed ---- */

const char *target_crash_name(const struct abi_result *result) {
    return result->signal ? strsignal((int)result->signal)
                          : "it wrote over memory that it shares with slowpath";
}

bool target_locate(struct target *target, uint64_t address, const char **text) {
    target->located.count = 0;
    bool found = ir_locate(target->executable, address, &target->located);
    *text = target->located.data;
    return found;
}

/* Some inputs may be named only after an assumption about others, so several are tried. */
bool target_ask_bytes(struct target *target, int64_t *bytes, struct base_error *error) {
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
