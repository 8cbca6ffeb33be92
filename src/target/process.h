/* SPDX-License-Identifier: Apache-2.0
 *
 * A running target: its server process, the memory it shares with us, the pipes to it.
 *
 * The control record is ours. The target gets a copy with each batch. What it writes to that copy
 * is read once, and used only if it is plausible.
 */
#ifndef SLOWPATH_TARGET_PROCESS_H
#define SLOWPATH_TARGET_PROCESS_H

#include "target/target.h"
#include <sys/types.h>

struct target_process {
    char *shared;                /* ABI_SHARED_SIZE bytes, writable by the target */
    struct abi_control *control; /* ours */
    int memory;                  /* descriptor of the memory file */
    int output;                  /* output of a batch's runs, one after the other; or -1 */
    int command, done;
    pid_t server;
    const _Atomic double *halt; /* see target_options */
};

/* Makes the shared memory; the control record is zero except for magic and version. */
bool target_process_init(struct target_process *process, struct base_error *error);
struct target_launch {
    const char *executable;
    char **argv, **environment;
    const char
        *place; /* the folder to start in; NULL: ours. The executable's path must be absolute */
    struct target_limits limits;
    bool is_confined;
};
/* Starts the executable; the control record must be filled in. */
bool target_process_start(struct target_process *process, const struct target_launch *launch,
                          struct base_error *error);
enum target_outcome {
    TARGET_DONE,
    TARGET_GONE,   /* the server died; the control record says how far it got */
    TARGET_HALTED, /* `halt` was due; the server is stopped */
    TARGET_DAMAGED /* a run has overwritten shared memory: no result can be trusted */
};
/* Runs the batch in the control record and waits for its end, killing runs that take too long. */
enum target_outcome target_process_batch(struct target_process *process, double seconds_per_run);
/* From the next start on, keeps the output of runs. */
bool target_process_keep_output(struct target_process *process, uint64_t limit,
                                struct base_error *error);
/* After damage: discards what the runs have left. */
void target_process_forget(struct target_process *process);
void target_process_stop(struct target_process *process);
void target_process_done(struct target_process *process);

static inline struct abi_control *target_process_control(const struct target_process *process) {
    return process->control;
}

#endif
