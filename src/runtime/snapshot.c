/* SPDX-License-Identifier: Apache-2.0
 *
 * How do runs with the same beginning share it? The engine guarantees that all inputs of a batch
 * differ only in their symbolic bytes. Until a run reads one of those, it does not depend on them:
 * it may have copied them, but no variable holds one. There the run stops. For each input of this
 * batch, and of later ones with the same beginning, a forked copy replaces those bytes wherever
 * memory holds them, and goes on. It reports what a run from the start would report.
 *
 * A copy costs a fork, and memory that it writes to is copied page by page, so a run stops only if
 * it took longer than that to get here. Copies are killed with the stopped process, and that with
 * its server.
 *
 * Runs with threads or open files cannot be copied, programs read files, and kept output is written
 * only once: these all run from the start.
 */
#include "runtime/symbolic.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LEAST_NS 100000u /* shorter beginnings are run again: no fork is that fast */
#define WORTH 2u         /* a beginning must take longer than this many forks */

static RUNTIME_STATE uint64_t began; /* start of the run, by the process clock */
static RUNTIME_STATE uint64_t known; /* the beginning of the previous run */

static uint64_t cpu_ns(void) {
    return runtime_now_ns(CLOCK_PROCESS_CPUTIME_ID);
}

void runtime_snapshot_begin(void) {
    const struct abi_control *control = runtime.control;
    runtime.may_stop = control->symbolic && control->snapshot && !control->concrete &&
                       !control->timed && !control->keep_output && !control->show_output;
    if (runtime.may_stop)
        began = cpu_ns();
}

/* ---- is it worth it? ---- */

static uint64_t nanoseconds(struct timeval time) {
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

/* Forks, and waits for the copy; returns how it ended. 0 in the copy, -1: fork failed. */
static pid_t make_copy(int *status, struct rusage *usage) {
    pid_t server = getpid(), copy = fork();
    if (copy == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != server)
            _exit(0);
    }
    while (copy > 0 && wait4(copy, status, 0, usage) < 0 && errno == EINTR)
        ;
    return copy;
}

/* The time of a copy that does nothing. */
static uint64_t price_copy(void) {
    struct rusage usage = {0};
    uint64_t before = cpu_ns();
    int status = 0;
    pid_t copy = make_copy(&status, &usage);
    if (copy == 0)
        _exit(0);
    return copy < 0 ? UINT64_MAX / WORTH
                    : cpu_ns() - before + nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
}

/* Do other inputs share this beginning? In this batch, or the name was seen before. */
static bool has_followers(uint64_t name) {
    const struct abi_control *control = runtime.control;
    bool was_known = known == name;
    known = name;
    return was_known || control->next < control->batch;
}

static bool is_worth_it(void) {
    uint64_t way = cpu_ns() - began;
    return way > LEAST_NS && way > WORTH * price_copy();
}

static bool can_be_copied(void) {
    uint32_t obstacles = (runtime.has_threads ? ABI_OBSTACLE_THREADS : 0) |
                         (runtime.has_children ? ABI_OBSTACLE_CHILDREN : 0) |
                         (runtime_has_open_files() ? ABI_OBSTACLE_FILES : 0) |
                         (runtime.control->entry == ABI_ENTRY_PROGRAM ? ABI_OBSTACLE_INPUT : 0);
    runtime.control->obstacles |= obstacles;
    return !obstacles;
}

/* ---- the stopped run ---- */

/* The run's state in shared memory when it stopped: copies continue from it. */
struct kept {
    struct abi_trace live;
    struct abi_costs costs, told;
};

static void begin_copy(uint32_t run, const struct kept *kept) {
    struct abi_control *control = runtime.control;
    control->live = kept->live;
    control->costs = kept->costs;
    control->told = kept->told;
    runtime_sym_take_kept();
    *runtime_result_of(run) = (struct abi_result){.continued = 1};
    control->current = run;
    control->next = run + 1;
    control->stop_reason = ABI_STATUS_NONE;
    control->running = 1;
}

/* True in the copy. */
static bool run_copy(uint32_t run, const struct kept *kept) {
    size_t size;
    const unsigned char *input = runtime_input_of(run, &size);
    uint64_t started = runtime_now_ns(CLOCK_MONOTONIC);
    struct rusage usage = {0};
    int status = 0;
    if (size != runtime.input_size)
        runtime_leave_run();
    begin_copy(run, kept);
    pid_t copy = make_copy(&status, &usage);
    if (copy > 0 && runtime.control->running)
        runtime_book_ended(status, &usage, started);
    if (copy > 0)
        return false;
    runtime.goes_on = copy == 0; /* if the fork failed, this process itself goes on */
    runtime.input = input;
    runtime_sym_replace(input, size);
    return true;
}

void runtime_snapshot_reach(void) {
    struct abi_control *control = runtime.control;
    const struct kept kept = {control->live, control->costs, control->told};
    uint64_t name = control->snapshot;
    runtime.may_stop = false;
    if (!can_be_copied() || !has_followers(name) || !is_worth_it())
        return;
    for (uint32_t run = control->current;; run = control->next) {
        if (run_copy(run, &kept))
            return;
        while (!runtime_has_work())
            runtime_await_batch();
        if (control->snapshot != name)
            runtime_leave_run();
    }
}
