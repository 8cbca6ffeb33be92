/* SPDX-License-Identifier: Apache-2.0
 *
 * target: a program under test as something that takes inputs and gives costs. It is built and
 * started here, kept within its limits, and replaced when it dies; a bad run loses one result.
 */
#ifndef SLOWPATH_TARGET_H
#define SLOWPATH_TARGET_H

#include "abi/abi.h"
#include "base/base.h"
#include "instrument/kind.h"

struct target_given {
    const char *name;
    int64_t value;
};

struct target_limits {
    double seconds;      /* per run */
    uint64_t memory;     /* live heap bytes */
    uint64_t file_bytes; /* largest file it may write */
};

struct target_pipeline; /* target/pipeline.h */

struct target_options {
    const char *const *paths; /* of a pipeline: the program of each stage */
    size_t path_count;
    /* A pipeline instead of a single program, which lives as long as the target; or NULL. Arguments
     * are those of its stages. */
    const struct target_pipeline *pipeline;
    /* The input of a pipeline is a tree of files, and its programs run in that folder. Without
     * objects: it is not. */
    struct abi_tree tree;
    const char *const *cflags;
    size_t cflag_count;
    const char *entry; /* "isort(arr[n], n)", or NULL: a harness or main */
    /* Of an entry: C over its parameters; an input that violates one is rejected. */
    const char *const *assumptions;
    size_t assumption_count;
    unsigned form;           /* enum target_heap_form: shapes of the objects behind pointers */
    int64_t objects;         /* per type that pointers may lead to; -1: as the sizes say */
    const char *invariant;   /* function that checks the objects; or NULL */
    const char *const *args; /* of a program; "@@" is replaced by the input file */
    size_t arg_count;
    uint32_t arg_index;               /* this argument (from 1) is the input; 0: none */
    const struct target_given *sizes; /* --size NAME=VALUE */
    size_t size_count;
    struct target_limits limits;
    enum instrument_kind kind;
    bool tells_loops;    /* symbolic build: traces record calls and loops */
    uint32_t loop_bound; /* ... and loops without decisions are ended: see ABI_ENDLESS_TURNS */
    uint32_t iterations; /* recording build: a loop counts from this number of iterations on */
    bool concrete;       /* symbolic build: no input byte is symbolic (benchmarks) */
    bool fresh;          /* run each input in a fresh process, whatever the entry */
    bool show_output;    /* let the target print */
    bool keep_output;    /* keep the output of runs: target_run_kept */
    bool timed;          /* measure the time of each run */
    bool unconfined;     /* allow to write files and use the network */
    /* Runs are ended at this time (base_seconds) with BASE_STOPPED. NULL: no limit. */
    const _Atomic double *halt;
    struct base_watch *watch; /* progress of the build that `kind` names; or NULL */
};

struct target_input {
    const void *data;
    size_t size;
};

struct ir_facts; /* ir/facts.h */
struct target;

/* Builds (or takes from the cache) and starts a target. NULL and ERROR on failure. */
struct target *target_open(const struct target_options *options, struct base_error *error);
void target_close(struct target *target);

const struct ir_facts *target_facts(const struct target *target);
enum abi_entry target_entry_kind(const struct target *target);
double target_build_seconds(const struct target *target);
/* Builds with these options and leaves the result in the cache for target_open. */
bool target_build(const struct target_options *options, struct base_error *error);
bool target_was_cached(const struct target *target);
/* Identifies the program, all of its code and data, and the slowpath that built it. */
const char *target_key(const struct target *target);
/* Seconds the engine has spent waiting for batches; the rest is its own work. */
double target_waited(const struct target *target);

/* ---- observations from the runs so far ---- */

/* The largest number of input bytes that a run requested by name (slowpath_symbolic), available or
 * not; 0: none did. */
uint64_t target_bytes_asked(const struct target *target);
/* The name of a counter of slowpath_count, in the order of first use (costs.user of a result);
 * false if there are fewer. */
bool target_counter_name(const struct target *target, uint32_t counter, char name[ABI_NAME_SIZE]);
/* Counts lost because there was no room for another name. */
uint32_t target_counts_lost(const struct target *target);
/* Processes started after the first. */
uint32_t target_restarts(const struct target *target);
/* Threads that the program started: then counts may be inexact. */
uint32_t target_threads(const struct target *target);

/* ---- running ---- */

/* Sets the time limit per run, at most that of the options; 0: back to that limit. */
void target_limit_run(struct target *target, double seconds);

/* Up to ABI_MAX_WEIGHTS vectors of slot_count weights (slot 0: library bytes, slot i + 1: block i);
 * each result has the dot products. */
void target_set_weights(struct target *target, uint32_t vector, const uint32_t *weights);

/* Runs all inputs; RESULTS has one place for each. Fails only if the target cannot run at all. */
bool target_run(struct target *target, const struct target_input *inputs, size_t count,
                struct abi_result *results, struct base_error *error);
/* The same, and appends the standard output of each run to OUTPUT; the results have its position:
 * output_first and output_bytes. Needs options.keep_output. */
bool target_run_kept(struct target *target, const struct target_input *inputs, size_t count,
                     struct abi_result *results, struct base_buffer *output,
                     struct base_error *error);
/* Runs one input and returns its counters: slot_count of them, valid until the next run. */
const uint64_t *target_run_counted(struct target *target, const struct target_input *input,
                                   struct abi_result *result, struct base_error *error);

/* From now on every run is compared with the records, one per slot: see ABI_OFFSET_RECORDS. Between
 * runs they belong to the caller. */
uint64_t *target_set_records(struct target *target, size_t *count);

/* Runs inputs in the symbolic build (options.kind INSTRUMENT_SYMBOLIC). VISIT is called in the
 * order of the runs; TRACE (see abi/trace.h) is valid only during the call, and NULL if the run
 * left none. */
typedef void target_visit(size_t index, const struct abi_result *result, const void *trace,
                          size_t trace_size, void *context);
bool target_run_traced(struct target *target, const struct target_input *inputs, size_t count,
                       target_visit *visit, void *context, struct base_error *error);

/* Runs inputs in the recording build (INSTRUMENT_RECORD) in the same way: the trace is an abi_trace
 * with only its size set, followed by the records of abi/record.h. This sets the nests whose values
 * the next runs log, at most ABI_MAX_WATCHES: */
void target_set_watches(struct target *target, const struct abi_watch *watches, uint32_t count,
                        bool by_values);

/* What is symbolic in the next traced runs, until set again. */
struct target_aim {
    /* One bit per byte of the window: 1 makes it concrete, without decisions; NULL: all bytes of
     * the input are symbolic. */
    const uint8_t *fixed;
    /* The window: bytes outside are concrete, and offsets in traces are relative to it. */
    uint64_t first;
    size_t bytes;
    uint32_t decisions; /* end the run after so many; 0: no limit */
    /* Identifies what all inputs run with it have in common: everything but the unfixed bytes of
     * the window. Such runs may share their beginning (see abi_control). 0: run each from the
     * start. */
    uint64_t snapshot;
};
void target_set_aim(struct target *target, const struct target_aim *aim);

/* Switches on or off that traces contain what the runs write. */
void target_set_output(struct target *target, bool is_told);

/* A loss of traced runs, by number (the site of an ABI_EVENT_LOSS). False: no such loss. */
bool target_loss(const struct target *target, uint32_t number, struct abi_loss *loss);

/* Forces the branches of the next traced runs, regardless of values, until set again; NULL: no
 * forcing. The layout of the rules is that of struct abi_policy. */
struct target_force {
    const uint8_t *script; /* enum abi_direction of the first branches */
    uint32_t script_count;
    const uint64_t *times; /* instead of the script: see abi_timed; or NULL */
    struct abi_policy policy;
    const struct abi_rule *rules;
};
void target_set_force(struct target *target, const struct target_force *force);

enum target_verdict {
    TARGET_REPEATS, /* both runs have the same cost */
    TARGET_FRESH,   /* only in a fresh process, which the target now uses for each run */
    TARGET_DIFFERS  /* not even then */
};
/* Runs an input twice and compares; only once if that takes more than LONGEST seconds (0: no
 * limit). FIRST is the result of the first run. */
bool target_check_repeats(struct target *target, const struct target_input *input, double longest,
                          struct abi_result *first, enum target_verdict *verdict,
                          struct base_error *error);

/* After TARGET_FRESH: the reason, as the first half of a sentence. */
const char *target_fresh_reason(const struct target *target);

/* ---- the stages of a pipeline ---- */

const struct target_pipeline *
target_pipeline_of(const struct target *target);                        /* NULL: not a pipeline */
struct target *target_stage(const struct target *target, size_t stage); /* one of its programs */
/* Appends to GIVEN the input of a single stage that reads OWN and has the files of TREE in its
 * folder. */
void target_add_tree(const struct target_input *own, const struct target_input *tree,
                     struct base_buffer *given);
/* Runs one input; BY_STAGE gets one result per stage, with the status ABI_STATUS_NONE for stages
 * that were not run. */
bool target_run_stages(struct target *target, const struct target_input *input,
                       struct abi_result *by_stage, struct base_error *error);
/* The same for the last input that was run, if it was run alone. */
void target_last_stages(const struct target *target, struct abi_result *by_stage);
/* After that: the input of a stage; borrowed until the next run. */
struct target_input target_stage_input(const struct target *target,
                                       const struct target_input *input, size_t stage);

/* The kind of a crash: the name of its signal, or what else went wrong. */
const char *target_crash_name(const struct abi_result *result);
/* Function and source line of a crash; false if unknown. The text is borrowed until the next
 * call. */
bool target_locate(struct target *target, const struct abi_result *result, const char **text);

/* The sizes that an input of that many bytes has; VALUES in the order of target_size_names. */
bool target_sizes_of(const struct target *target, uint64_t bytes, int64_t *values,
                     struct base_error *error);
size_t target_size_names(const struct target *target, const char *const **names);

/* From now on this size of the entry (by its number) follows from each input's length. */
void target_vary_size(struct target *target, size_t size);
/* From now on it has this value. */
void target_fix_size(struct target *target, size_t size, int64_t value);
/* The bytes of input when this size has that value; false if there is no such input. */
bool target_bytes_at(const struct target *target, size_t size, int64_t value, uint64_t *bytes);

/* The number of bytes that a program requests by name (slowpath_symbolic, klee_make_symbolic).
 * Leaves BYTES unchanged if it reads its input in another way. Runs the program a few times. */
bool target_ask_bytes(struct target *target, int64_t *bytes, struct base_error *error);
/* The bytes of input for the given sizes; BASE_USAGE if one is missing. Only with an entry. */
bool target_input_bytes(const struct target *target, uint64_t *bytes, struct base_error *error);
/* The parsed entry; or NULL. */
struct target_entry;
const struct target_entry *target_entry(const struct target *target);
/* The meaning of an input's bytes (see target/entry.h); false without an entry. */
struct target_fields;
bool target_layout(const struct target *target, uint64_t bytes, struct target_fields *fields);
/* The objects that an input makes; false: none. SIZES has room for all sizes and must live as long
 * as the shape. Call target_shape_done in the end. */
struct target_shape;
bool target_shape_of(const struct target *target, const struct target_input *input, int64_t *sizes,
                     struct target_shape *shape);
/* Writes a stand-alone C program for FOLDER that calls the entry with one input; false without an
 * entry. */
bool target_test_program(const struct target *target, const struct target_input *input,
                         const char *folder, struct base_buffer *c_source);

#endif
