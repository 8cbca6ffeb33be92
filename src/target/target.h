/* SPDX-License-Identifier: Apache-2.0
 *
 * target: a program under test as something that takes inputs and gives costs. It is built and
 * started here, kept within its limits, and replaced when it dies; one bad run loses one result.
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
    /* Not one program but a pipeline of them, which lives as long as the target; or NULL. Arguments
     * are those of its stages. */
    const struct target_pipeline *pipeline;
    /* Of a pipeline: its input is a tree of files, in which all of its programs are run. No
     * objects: it is not. */
    struct abi_tree tree;
    const char *const *cflags;
    size_t cflag_count;
    const char *entry;              /* "isort(arr[n], n)", or NULL: a harness or main */
    const char *const *assumptions; /* of an entry: C over its parameters; others are no inputs */
    size_t assumption_count;
    unsigned form;           /* enum target_heap_form: what pointers of an entry may lead to */
    int64_t objects;         /* of each type, that they may lead to; -1: as the sizes say */
    const char *invariant;   /* a function that says whether they make sense; or NULL */
    const char *const *args; /* of a program; "@@" stands for the input file */
    size_t arg_count;
    uint32_t arg_index;               /* this argument (from 1) is the input, 0: none is */
    const struct target_given *sizes; /* --size NAME=VALUE */
    size_t size_count;
    struct target_limits limits;
    enum instrument_kind kind;
    bool tells_loops;    /* symbolic build: traces tell of calls and loops */
    uint32_t loop_bound; /* ... and a loop without decisions ends: see ABI_ENDLESS_TURNS */
    uint32_t iterations; /* recording build: turns from which on a loop counts */
    bool concrete;       /* symbolic build: nothing of the input is symbolic (benchmarks) */
    bool fresh;          /* a fresh process for each run, whatever the entry */
    bool show_output;    /* let the target print */
    bool keep_output;    /* what runs write can be had: target_run_kept */
    bool timed;          /* take the time of each run */
    bool unconfined;     /* let it write files and use the network as its user may */
    /* No run lasts beyond this time of base_seconds: it fails with BASE_STOPPED. NULL: all may. */
    const _Atomic double *halt;
    struct base_watch *watch; /* of the build that `kind` names; or NULL */
};

struct target_input {
    const void *data;
    size_t size;
};

struct ir_facts; /* ir/facts.h */
struct target;

/* Builds (or takes from the cache) and starts. NULL and ERROR on failure. */
struct target *target_open(const struct target_options *options, struct base_error *error);
void target_close(struct target *target);

const struct ir_facts *target_facts(const struct target *target);
enum abi_entry target_entry_kind(const struct target *target);
double target_build_seconds(const struct target *target);
/* Makes the build of these options and leaves it in the cache, where target_open finds it. */
bool target_build(const struct target_options *options, struct base_error *error);
bool target_was_cached(const struct target *target);
/* Names the program, all of its code and data, and the slowpath that built it. */
const char *target_key(const struct target *target);
/* Seconds that the engine has waited for batches so far: all else is its own work. */
double target_waited(const struct target *target);

/* ---- what the runs so far have shown ---- */

/* The most bytes of input that a run asked for by name (slowpath_symbolic), had there been as
 * many; 0: none did. */
uint64_t target_bytes_asked(const struct target *target);
/* The name of a counter of slowpath_count, in the order of their first use (costs.user of a
 * result); false when there are fewer. */
bool target_counter_name(const struct target *target, uint32_t counter, char name[ABI_NAME_SIZE]);
/* Counts that were lost because there was no room for another name. */
uint32_t target_counts_lost(const struct target *target);
/* Processes that were started anew after the first. */
uint32_t target_restarts(const struct target *target);
/* Threads that the program started: its counts may not be exact. */
uint32_t target_threads(const struct target *target);

/* ---- how it is run ---- */

/* From now on a run may take so long, but never longer than the limit that it was opened with; 0:
 * that limit again. */
void target_limit_run(struct target *target, double seconds);

/* Up to ABI_MAX_WEIGHTS vectors of slot_count weights (slot 0: library bytes, slot i + 1: block i);
 * each result carries the products. */
void target_set_weights(struct target *target, uint32_t vector, const uint32_t *weights);

/* Runs all inputs; RESULTS has one place for each. Fails only when the target cannot be run at
 * all. */
bool target_run(struct target *target, const struct target_input *inputs, size_t count,
                struct abi_result *results, struct base_error *error);
/* The same, and what each run wrote to its standard output is appended to OUTPUT; the results tell
 * where: output_first and output_bytes. Needs options.keep_output. */
bool target_run_kept(struct target *target, const struct target_input *inputs, size_t count,
                     struct abi_result *results, struct base_buffer *output,
                     struct base_error *error);
/* Runs one input and gives the counters it left: slot_count of them, valid until the next run. */
const uint64_t *target_run_counted(struct target *target, const struct target_input *input,
                                   struct abi_result *result, struct base_error *error);

/* From now on every run is compared with the records, of which there is one for each slot: see
 * ABI_OFFSET_RECORDS. They belong to the caller between runs. */
uint64_t *target_set_records(struct target *target, size_t *count);

/* Runs inputs in the symbolic build (options.kind INSTRUMENT_SYMBOLIC). VISIT sees the runs in
 * order; TRACE (see abi/trace.h) is valid during the visit only, and NULL when the run left none.
 */
typedef void target_visit(size_t index, const struct abi_result *result, const void *trace,
                          size_t trace_size, void *context);
bool target_run_traced(struct target *target, const struct target_input *inputs, size_t count,
                       target_visit *visit, void *context, struct base_error *error);

/* Runs inputs in the recording build (INSTRUMENT_RECORD), in the same way: the trace is an
 * abi_trace of which only the size matters, then what abi/record.h tells. The nests whose values
 * are logged in the next runs, at most ABI_MAX_WATCHES: */
void target_set_watches(struct target *target, const struct abi_watch *watches, uint32_t count,
                        bool by_values);

/* What the next traced runs are to look at, until it is set again. */
struct target_aim {
    const uint8_t *fixed; /* a bit for each byte of the window: 1 means concrete, no decision on it
                             is recorded; NULL: all bytes of the input are symbolic */
    uint64_t first;       /* the window: bytes before it and behind it are concrete, and offsets in
                             traces count from its first byte */
    size_t bytes;
    uint32_t decisions; /* end the run after so many; 0: let it run */
    uint64_t snapshot;  /* names what all inputs have in common that are run while it is set: all
                           but the bytes of the window that are not fixed. Their runs may share
                           their beginning (see abi_control). 0: each is run from the start */
};
void target_set_aim(struct target *target, const struct target_aim *aim);

/* From now on traces tell what the runs write, or no more. */
void target_set_output(struct target *target, bool is_told);

/* What traced runs have lost, by number (the site of an ABI_EVENT_LOSS). False: there is none. */
bool target_loss(const struct target *target, uint32_t number, struct abi_loss *loss);

/* Decides the branches of the next traced runs, whatever the values say, until it is set again;
 * NULL: the values decide. The rules lie as in struct abi_policy. */
struct target_force {
    const uint8_t *script; /* enum abi_direction of the first branches */
    uint32_t script_count;
    const uint64_t *times; /* instead of the script: see abi_timed; or NULL */
    struct abi_policy policy;
    const struct abi_rule *rules;
};
void target_set_force(struct target *target, const struct target_force *force);

enum target_verdict {
    TARGET_REPEATS, /* the second run cost what the first did */
    TARGET_FRESH,   /* only in a fresh process: the target now runs that way */
    TARGET_DIFFERS  /* not even there */
};
/* Runs an input twice and compares; only once if that takes more than LONGEST seconds (0: however
 * long it takes). FIRST is what the first run gave. */
bool target_check_repeats(struct target *target, const struct target_input *input, double longest,
                          struct abi_result *first, enum target_verdict *verdict,
                          struct base_error *error);

/* After TARGET_FRESH: why, as the first half of a sentence. */
const char *target_fresh_reason(const struct target *target);

/* ---- the stages of a pipeline ---- */

const struct target_pipeline *
target_pipeline_of(const struct target *target);                        /* NULL: it is none */
struct target *target_stage(const struct target *target, size_t stage); /* a program by itself */
/* What a program that reads OWN is given where TREE lies in its folder, appended to GIVEN: the
 * input of a stage by itself, if the pipeline has files. */
void target_add_tree(const struct target_input *own, const struct target_input *tree,
                     struct base_buffer *given);
/* Runs one input; BY_STAGE has a result for each stage. Those that were not run have the status
 * ABI_STATUS_NONE. */
bool target_run_stages(struct target *target, const struct target_input *input,
                       struct abi_result *by_stage, struct base_error *error);
/* The same of the last input that was run, if it was run alone. */
void target_last_stages(const struct target *target, struct abi_result *by_stage);
/* After that: what a stage read; borrowed until the next run. */
struct target_input target_stage_input(const struct target *target,
                                       const struct target_input *input, size_t stage);

/* What a crash was: the name of its signal, or how else the run spoilt its result. */
const char *target_crash_name(const struct abi_result *result);
/* Function and source line where a run crashed; false if unknown. The text is borrowed until the
 * next call. */
bool target_locate(struct target *target, const struct abi_result *result, const char **text);

/* The sizes an input of that many bytes stands for; VALUES in the order of target_size_names. */
bool target_sizes_of(const struct target *target, uint64_t bytes, int64_t *values,
                     struct base_error *error);
size_t target_size_names(const struct target *target, const char *const **names);

/* From now on this size of the entry (by its number) follows from the length of each input. */
void target_vary_size(struct target *target, size_t size);
/* From now on it has this value. */
void target_fix_size(struct target *target, size_t size, int64_t value);
/* The bytes of input when this size has that value; false when there is no such input. */
bool target_bytes_at(const struct target *target, size_t size, int64_t value, uint64_t *bytes);

/* The bytes that a program asks for by name (slowpath_symbolic, klee_make_symbolic); BYTES stays as
 * it is when it reads its input in some other way. Runs it a few times. */
bool target_ask_bytes(struct target *target, int64_t *bytes, struct base_error *error);
/* The bytes of input that the sizes given stand for; BASE_USAGE when one is missing. Only with an
 * entry. */
bool target_input_bytes(const struct target *target, uint64_t *bytes, struct base_error *error);
/* The entry as it was parsed; NULL: there is none. */
struct target_entry;
const struct target_entry *target_entry(const struct target *target);
/* What the bytes of such an input mean (see target/entry.h); false without an entry. */
struct target_fields;
bool target_layout(const struct target *target, uint64_t bytes, struct target_fields *fields);
/* The objects that such an input makes; false: it makes none. SIZES has room for all sizes and must
 * stay as long as the shape, which must be done with target_shape_done. */
struct target_shape;
bool target_shape_of(const struct target *target, const struct target_input *input, int64_t *sizes,
                     struct target_shape *shape);
/* A stand-alone C program, to lie in FOLDER, that calls the entry with one input; false without an
 * entry. */
bool target_test_program(const struct target *target, const struct target_input *input,
                         const char *folder, struct base_buffer *c_source);

#endif
