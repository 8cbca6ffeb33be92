/* SPDX-License-Identifier: Apache-2.0
 *
 * A started target: its server process, the memory it shares with us, the pipes to it.
 */
#ifndef SLOWPATH_TARGET_PROCESS_H
#define SLOWPATH_TARGET_PROCESS_H

#include "target/target.h"
#include <sys/types.h>

struct target_process {
    char *shared; /* ABI_SHARED_SIZE bytes */
    int memory;   /* the memory file */
    int command, done;
    pid_t server;
};

/* Makes the shared memory; the control record is zero but for magic and version. */
bool target_process_init(struct target_process *process, struct base_error *error);
/* Starts the executable; the control record must be filled. */
bool target_process_start(struct target_process *process, const char *executable, char *const *argv,
                          const struct target_limits *limits, struct base_error *error);
/* Hands over the batch in the control record and waits for its end, ending runs that take too
 * long. False when the server is gone. */
bool target_process_batch(struct target_process *process, double seconds_per_run);
void target_process_stop(struct target_process *process);
void target_process_done(struct target_process *process);

static inline struct abi_control *target_process_control(const struct target_process *process) {
    return (struct abi_control *)(process->shared + ABI_OFFSET_CONTROL);
}

#endif
