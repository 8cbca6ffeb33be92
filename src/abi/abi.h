/* SPDX-License-Identifier: Apache-2.0
 *
 * The one contract between instrumented code, the runtime linked into a target, and the engine.
 * Everything the two processes share lies in one memory file (sparse: only what is touched costs
 * memory) that the engine makes and the target maps. The engine fills `sizes`, `weights`, the
 * inputs and `batch`; the target fills `results`; counters are mapped over the counter section of
 * the target itself, so that they survive whatever the target does.
 *
 * A target with a fault may write anywhere. It can write only to the parts that it fills, and pages
 * without any access lie around each; the control record is kept by the engine, which hands out a
 * copy and believes nothing that comes back without a check.
 */
#ifndef SLOWPATH_ABI_H
#define SLOWPATH_ABI_H

#include "abi/costs.h"
#include "abi/record.h"
#include "abi/trace.h"
#include "abi/tree.h"
#include <stddef.h>
#include <stdint.h>

#define ABI_VERSION 14u
#define ABI_MAGIC 0x736c6f7770617468u /* "slowpath" */

/* File descriptors and environment through which the engine hands things to the target. */
#define ABI_FD_SHARED 198  /* the memory file */
#define ABI_FD_COMMAND 199 /* a byte: a batch is ready; end of file: stop */
#define ABI_FD_DONE 200    /* a byte: started, or the batch is done */
#define ABI_FD_KEPT 201    /* the standard streams as a program finds them: three */
#define ABI_FD_SIZE 204    /* of a program's worker: how much memory it has mapped */
#define ABI_FD_INPUT 205   /* ... and its standard input, to be written to */
#define ABI_FD_OUTPUT 206  /* the file that keeps what a program writes, if it is wanted */
#define ABI_FD_LAST ABI_FD_OUTPUT
/* The first string of its environment, which it does not get to see: the loader looks up all
 * functions at the start. What it looked up later would be undone with the run, and done again. */
#define ABI_ENVIRONMENT "LD_BIND_NOW=1"

#define ABI_NAME_SIZE 48
#define ABI_LARGEST_BLOCK ((int64_t)1 << 35) /* no more than this is ever allocated at a time */
#define ABI_MAX_SIZES 16
#define ABI_MAX_WEIGHTS 4
#define ABI_MAX_BATCH 65536u
#define ABI_MAX_ARGS 256

#define ABI_TREE_FOLDER "tree" /* of a run's folder: see abi_control.tree */

/* How the target is entered. */
enum abi_entry { ABI_ENTRY_DRIVER = 1, ABI_ENTRY_HARNESS = 2, ABI_ENTRY_PROGRAM = 3 };

/* Where the bytes of an input go when a whole program is run. */
enum abi_channel { ABI_CHANNEL_STDIN = 1, ABI_CHANNEL_FILE = 2, ABI_CHANNEL_ARG = 3 };

enum abi_status {
    ABI_STATUS_NONE = 0, /* not run */
    ABI_STATUS_OK = 1,
    ABI_STATUS_CRASH = 2,
    ABI_STATUS_TIMEOUT = 3,
    ABI_STATUS_MEMORY = 4,
    ABI_STATUS_ENDLESS = 5, /* the variant that tells of loops: a loop turns without a decision */
    ABI_STATUS_BOUNDS = 6   /* the symbolic build: about to leave the bounds of an object */
};

/* The access that left them. */
struct abi_outside {
    uint32_t site;              /* number of its block */
    uint32_t is_write;          /* else it reads */
    uint64_t bytes;             /* that it reads or writes */
    uint64_t start, size;       /* of the object */
    int64_t offset;             /* of the access from its start */
    char object[ABI_NAME_SIZE]; /* what it is, for a person */
};

struct abi_result {
    uint32_t status;    /* enum abi_status */
    uint32_t signal;    /* when it crashed */
    int32_t exit_code;  /* of a program, or of exit() in mid-run */
    uint32_t exited;    /* exit() was called */
    uint32_t rejected;  /* slowpath_assume was false */
    uint32_t continued; /* it began where another run had stopped for it */
    uint32_t reserved;
    uint32_t broken;                    /* records (see ABI_OFFSET_RECORDS) that the run broke */
    uint64_t weighted[ABI_MAX_WEIGHTS]; /* block counters times each weight vector */
    uint64_t counts_hash;               /* of all counters: equal paths have equal hashes ... */
    uint64_t blocks_hash;               /* ... also this one, which knows no lengths of copies */
    uint64_t magnitude_hash;            /* with records: of the counters' magnitudes alone */
    uint64_t wall_ns, cpu_ns;
    uint64_t output_first, output_bytes; /* what it wrote, in the file of kept output */
    uint64_t stage;                      /* of a pipeline: which of its programs failed, from 0 */
    uint64_t crash_address, crash_pc;    /* where it crashed, when a handler could see it */
    struct abi_outside outside;          /* ABI_STATUS_BOUNDS */
    struct abi_costs costs;
    uint64_t check; /* abi_result_check: a result that was overwritten shows */
};

/* Four sums side by side: each waits for its own product only, and runs are short. */
static inline uint64_t abi_result_check(const struct abi_result *result) {
    const uint64_t *words = (const uint64_t *)result;
    uint64_t hash[4] = {ABI_MAGIC, ABI_MAGIC + 1, ABI_MAGIC + 2, ABI_MAGIC + 3};
    for (unsigned i = 0; i < offsetof(struct abi_result, check) / sizeof *words; i++)
        hash[i % 4] = (hash[i % 4] ^ words[i]) * 0x9e3779b97f4a7c15u;
    for (unsigned i = 1; i < 4; i++)
        hash[0] = (hash[0] ^ (hash[0] >> 32) ^ hash[i]) * 0xff51afd7ed558ccdu;
    return hash[0] ^ (hash[0] >> 32);
}

/* What symbolic runs made concrete because nothing models it, and how often so far. */
struct abi_loss {
    char name[ABI_NAME_SIZE];
    uint64_t count;
};

struct abi_size {
    char name[ABI_NAME_SIZE];
    int64_t value;
};

struct abi_input {
    uint64_t offset; /* from the start of the input area */
    uint64_t size;
};

/* A policy decides the branches of a forced run: by their site and by what was decided before. The
 * key of a branch is made of its site and the last so many decisions, of the path, of this site, or
 * of this site since its function was entered; rules are a hash table at ABI_OFFSET_RULES, probed
 * one after the other. */
enum abi_memory { ABI_MEMORY_PATH, ABI_MEMORY_SITE, ABI_MEMORY_FRAME, ABI_MEMORY_COUNT };
enum abi_direction {
    ABI_DIRECTION_FALSE,
    ABI_DIRECTION_TRUE,
    ABI_DIRECTION_FREE /* as the values say */
};
struct abi_rule {
    uint64_t key;
    uint32_t direction;
    uint32_t is_used;
};
struct abi_policy {
    uint32_t rule_slots; /* a power of two; 0: there is no policy */
    uint32_t history;    /* decisions that count, at most ABI_MAX_HISTORY */
    uint32_t memory;     /* enum abi_memory: which decisions */
    uint32_t reserved;
};
#define ABI_MAX_HISTORY 32u
#define ABI_MAX_RULES (1u << 19)

/* The key of a branch and one more decision of its history, newest first; starts with its site. */
static inline uint64_t abi_extend_key(uint64_t key, uint64_t decision) {
    key = (key ^ decision) * 0x9e3779b97f4a7c15u;
    return key ^ (key >> 29);
}

/* Why a run was not stopped for others to go on from there: bits. */
enum abi_obstacle {
    ABI_OBSTACLE_THREADS = 1,
    ABI_OBSTACLE_CHILDREN = 2,
    ABI_OBSTACLE_FILES = 4, /* that are open */
    ABI_OBSTACLE_INPUT = 8  /* is a file: that of a program */
};

struct abi_control {
    uint64_t magic;
    uint32_t version;

    /* set by the engine before the start */
    uint32_t entry;        /* enum abi_entry */
    uint32_t channel;      /* enum abi_channel */
    uint32_t arg_index;    /* ABI_CHANNEL_ARG: which argument the input replaces */
    uint32_t fresh;        /* a fresh process for each run */
    uint32_t timed;        /* take the time of each run */
    uint32_t is_confined;  /* the folder is all that can be written to */
    uint32_t show_output;  /* leave stdout and stderr alone */
    uint32_t keep_output;  /* stdout is the file at ABI_FD_OUTPUT */
    uint64_t output_limit; /* bytes of it that a run may write */
    uint32_t weight_count;
    uint64_t memory_limit;  /* bytes of live heap */
    uint64_t restart_bytes; /* the library's own heap may grow by this before a restart */
    char folder[480];       /* of the runs: theirs to write to, and empty for each */
    char file_path[512];    /* ABI_CHANNEL_FILE: where to write the input, in that folder */
    /* Files are a part of the input: it ends with the bytes of the tree and, in 8 bytes, how many
     * these are. The tree lies in ABI_TREE_FOLDER of the folder, in which a run begins. */
    struct abi_tree tree;
    uint32_t size_count;
    struct abi_size sizes[ABI_MAX_SIZES];

    /* one batch: set by the engine, worked off by the target */
    uint32_t batch;                /* inputs in it */
    uint32_t keep_counts;          /* the counters of the last run stay for the engine to read */
    uint32_t counts_kept;          /* the counters hold what an earlier run counted */
    uint32_t has_records;          /* compare the counters of every run with the records */
    volatile uint32_t next;        /* the first input that has not been started */
    volatile uint32_t current;     /* the input that is running */
    volatile uint32_t running;     /* a run is under way */
    volatile uint32_t stop_reason; /* enum abi_status: why the engine or the heap ended the run */
    volatile uint64_t completed;   /* runs finished since the start, all batches */

    /* set by the target */
    uint64_t asked;         /* most bytes that a run asked for by name, had there been as many */
    uint32_t slot_count;    /* counters: slot 0 is library bytes, slot i + 1 is block i (0 if it has
                               none) */
    uint32_t counter_count; /* user counters seen, in order of first use */
    char counters[ABI_MAX_COUNTERS][ABI_NAME_SIZE];
    uint32_t counters_lost;   /* names beyond ABI_MAX_COUNTERS */
    uint32_t restarts;        /* processes started anew after the first */
    uint32_t threads;         /* the target started threads: counts may race */
    uint32_t obstacles;       /* enum abi_obstacle: all that were met */
    uint32_t denied;          /* files that it wanted to write to and could not */
    char left[ABI_NAME_SIZE]; /* what a run of a program left that cannot be put back, or "" */

    struct abi_costs costs; /* of the run under way */

    /* the symbolic build */
    uint32_t symbolic;    /* set by the engine: keep shadows and traces */
    uint32_t concrete;    /* inputs are not symbolic: shadows are kept, but all are zero */
    uint32_t is_forced;   /* branches go as the script and the policy say; assumptions hold */
    uint32_t force_count; /* the first branches go as the bytes at ABI_OFFSET_SCRIPT say */
    uint32_t is_timed;    /* the script has so many times instead: see abi_timed */
    struct abi_policy policy;
    uint32_t loop_bound;     /* the variant that tells of loops: see ABI_ENDLESS_TURNS */
    uint32_t tell_output;    /* set by the engine: what is written is in the trace */
    uint32_t decision_limit; /* end a run after so many decisions; 0: let it run */
    uint64_t window_first;   /* only so many bytes of the input from here on may be symbolic, and */
    uint64_t window_bytes;   /* offsets in expressions count from here; 0 bytes: all may be. The */
                             /* bits at ABI_OFFSET_FIXED tell of the window: 1 means concrete */
    uint64_t snapshot;       /* not 0: names what the inputs of a batch have in common, which is */
                             /* all but the symbolic bytes. Their runs may share their beginning */
    struct abi_trace live;   /* trace of the run under way */
    /* Where nodes and events are written, so many lie of the trace that this batch finished last; 0
     * while a run is under way, for which KNOWN has them. */
    uint32_t kept_nodes, kept_events, known_nodes, known_events;
    struct abi_costs told; /* what it has told of the costs */
    uint64_t traces_end;   /* bytes of finished traces in this batch */
    uint64_t output_end;   /* bytes of kept output in this batch */
    uint32_t loss_count;   /* names of losses, in order of first use; the last takes the rest */
    struct abi_loss losses[ABI_MAX_LOSSES];

    /* the recording build: see abi/record.h */
    uint32_t recording;         /* set by the engine: keep stamps and nests */
    uint32_t record_iterations; /* turns from which on a loop counts */
    uint32_t watch_count;       /* nests at ABI_OFFSET_SCRIPT whose values are logged */
    uint32_t watch_values;      /* ... also of other memory than before */
    struct abi_recording record;
    uint64_t end_magic; /* ABI_MAGIC as well: what overwrites the record seldom spares both ends */
};

static inline int abi_control_is_whole(const volatile struct abi_control *control) {
    return control->magic == ABI_MAGIC && control->version == ABI_VERSION &&
           control->end_magic == ABI_MAGIC;
}

/* A loop that turns more often than this without any decision in it, since it was entered or since
 * the last one, is taken for one that never ends. A larger bound lets longer loops pass. */
#define ABI_ENDLESS_TURNS(loop_bound) (16ull * (loop_bound) + 65536)

/* A script of times: in ascending order, the branch that is decided after so many instructions goes
 * in that direction; all others are free. */
static inline uint64_t abi_timed(uint64_t instructions, uint32_t direction) {
    return instructions << 2 | direction;
}

/* Offsets of the parts of the memory file. Sparse, so generous. */
#define ABI_OFFSET_CONTROL 0ull
#define ABI_OFFSET_RESULTS (1ull << 20)
#define ABI_OFFSET_INPUT_TABLE (64ull << 20)
#define ABI_OFFSET_SCRIPT (96ull << 20) /* enum abi_direction, a byte each; or times */
#define ABI_OFFSET_RULES (112ull << 20)
#define ABI_OFFSET_WEIGHTS (128ull << 20)  /* weight_count vectors of slot_count uint32_t */
#define ABI_OFFSET_COUNTERS (512ull << 20) /* slot_count of uint64_t */
/* For each slot the record: a run whose count is higher breaks it, and if it ended well the record
 * becomes an eighth more than that count, so that small steps are not told of. */
#define ABI_OFFSET_RECORDS (768ull << 20) /* slot_count of uint64_t */
#define ABI_OFFSET_INPUTS (1024ull << 20)
#define ABI_OFFSET_NODES (ABI_OFFSET_INPUTS + (4ull << 30)) /* of the run under way */
/* Not at the start of a page, where nodes and most other things begin: a cache has few places for
 * what lies at the same offset of its page. */
#define ABI_OFFSET_EVENTS (ABI_OFFSET_NODES + (128ull << 20) + 2048)
#define ABI_OFFSET_TABLES (ABI_OFFSET_NODES + (192ull << 20))
#define ABI_OFFSET_TRACES (ABI_OFFSET_TABLES + (64ull << 20)) /* finished, one after the other */
#define ABI_TRACES_SIZE (512ull << 20)
#define ABI_TRACES_FULL (256ull << 20) /* no further run is started in this batch */
#define ABI_OUTPUT_FULL (4ull << 20)   /* the same, of kept output */
#define ABI_OFFSET_FIXED (ABI_OFFSET_TRACES + ABI_TRACES_SIZE) /* a bit per byte of the window */
#define ABI_FIXED_SIZE (2ull << 20)
#define ABI_SHARED_SIZE (ABI_OFFSET_FIXED + ABI_FIXED_SIZE)

/* Where a target maps the file: far from its stack, its heaps and its libraries. */
#define ABI_SHARED_ADDRESS 0x20c000000000ull
#define ABI_SHARED_GUARD (1ull << 30) /* bytes without access on both sides */
#define ABI_PAGE 4096u

/* What a target can change besides its memory: bits. */
#define ABI_REACHES_INPUT 1u  /* where the standard input stands */
#define ABI_REACHES_SYSTEM 2u /* anything */
#define ABI_REACHES_FILES 4u  /* descriptors that it opens; with them the input */
#define ABI_REACHES_STACK 8u  /* places of its stack below others that it leaves alone */

/* Names that the instrumenter and the runtime agree on. */
#define ABI_SYMBOL_COUNTERS "__slowpath_counters" /* uint64_t[], page aligned */
#define ABI_SYMBOL_GUARD "__slowpath_guard" /* the page before them; another one lies behind */
#define ABI_SECTION_COUNTERS ".bss.slowpath_counters"
#define ABI_SYMBOL_SLOT_COUNT "__slowpath_slot_count" /* uint32_t */
#define ABI_SYMBOL_REACH "__slowpath_reach"           /* uint32_t: ABI_REACHES_... */
#define ABI_SYMBOL_MAIN "__slowpath_target_main"      /* the target's main */
#define ABI_SYMBOL_HARNESS "LLVMFuzzerTestOneInput"
#define ABI_SYMBOL_DRIVER "__slowpath_driver" /* void (void): the generated entry driver */
#define ABI_LIBRARY_PREFIX "__slowpath_lib_"  /* our version of a library function */

#endif
