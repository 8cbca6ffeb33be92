/* SPDX-License-Identifier: Apache-2.0
 *
 * The main function of a target: a fork server and the worker that runs inputs.
 *
 * The server starts once, never runs the target itself, and forks workers that are as fresh as it
 * is. In persistent mode a worker runs inputs one after the other and undoes each run (reset.c, and
 * for programs maps.c and settings.c); in fresh mode it runs one input and ends. Whatever happens
 * to a worker, the server sees it end, books the current run and forks the next worker, so one bad
 * run costs one run. Counters and results lie in shared memory and survive the worker.
 */
#include "abi/driver.h"
#include "runtime/runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SERVER_DAMAGED 122 /* the shared memory is inconsistent */
#define SERVER_STUCK 125   /* workers die before their first run */
#define WORKER_STOP 97     /* the engine closed the command pipe */
#define WORKER_RESTART 98  /* the run has left something behind: continue in a fresh process */

/* How a run ends, besides returning. */
enum end { RETURNED, ENDED, ABORTED, LEFT };

#define MOST_IDLE 8 /* workers in a row that may end without a run */

#pragma weak __slowpath_driver
__attribute__((weak)) int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);
__attribute__((weak)) int __slowpath_target_main(int argc, char **argv, char **envp);

static RUNTIME_STATE struct abi_costs early_costs; /* until the memory file is mapped */
RUNTIME_STATE struct runtime runtime = {.costs = &early_costs};
static RUNTIME_STATE volatile pid_t worker;         /* of the server; 0: none */
static RUNTIME_STATE volatile sig_atomic_t is_late; /* the engine has stopped the run */
static RUNTIME_STATE char signal_stack[65536];
static RUNTIME_STATE char stream_buffers[3][4096];

uint64_t runtime_now_ns(int clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- the end of a run ---- */

void runtime_stop(enum abi_status status) {
    bool comes_back = runtime.is_program ? runtime_comes_back() : runtime.persistent;
    if (comes_back && status == ABI_STATUS_OK)
        _longjmp(runtime.run_end, ENDED);
    runtime.control->stop_reason = status;
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

void runtime_end_run(int code) {
    runtime_result()->exited = 1;
    runtime_result()->exit_code = code;
    _longjmp(runtime.run_end, ENDED);
}

void runtime_leave_run(void) {
    _longjmp(runtime.run_end, LEFT);
}

void runtime_exit(int code, void (*really)(int)) {
    const struct abi_control *control = runtime.control; /* NULL if a constructor calls exit */
    if (control && control->entry == ABI_ENTRY_PROGRAM)
        runtime_program_exit(code, really);
    if (control && runtime.persistent)
        runtime_end_run(code);
    runtime_sym_note_cost();
    runtime_record_end();
    really(code);
    abort();
}

/* abort() by a program does not harm its worker: the run is booked as the crash it is. */
static void survive_abort(void) {
    if (runtime_comes_back())
        _longjmp(runtime.run_end, ABORTED);
}

static void on_crash(int number, siginfo_t *info, void *context) {
    struct abi_control *control = runtime.control;
    if (number == SIGSEGV && runtime_guard_open(info->si_addr))
        return;
    if (control && control->running) {
        struct abi_result *result = runtime_result_of(control->current);
        result->crash_address = (uint64_t)info->si_addr;
        result->crash_pc = (uint64_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    }
    if (number == SIGABRT)
        survive_abort();
    signal(number, SIG_DFL);
    raise(number);
}

static void watch_crashes(void) {
    stack_t stack = {.ss_sp = signal_stack, .ss_size = sizeof signal_stack};
    sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_sigaction = on_crash,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_NODEFER};
    const int signals[] = {SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
    action.sa_flags = SA_SIGINFO | SA_ONSTACK; /* a run may fault on several pages (guard.c) */
    sigaction(SIGSEGV, &action, NULL);
}

/* ---- inputs ---- */

const unsigned char *runtime_input_of(uint32_t run, size_t *size) {
    const char *shared = (const char *)runtime.control;
    const struct abi_input *input =
        (const struct abi_input *)(shared + ABI_OFFSET_INPUT_TABLE) + run;
    *size = input->size;
    return (const unsigned char *)shared + ABI_OFFSET_INPUTS + input->offset;
}

/* ---- one run ---- */

static void begin_run(uint32_t run) {
    struct abi_control *control = runtime.control;
    memset(runtime_result_of(run), 0, sizeof(struct abi_result));
    runtime_result_of(run)->output_first = runtime_output_size();
    memset(&control->costs, 0, sizeof control->costs);
    runtime_heap_begin();
    runtime_leave_begin();
    if (control->counts_kept)
        memset(__slowpath_counters, 0, __slowpath_slot_count * sizeof(uint64_t));
    control->counts_kept = 0;
    control->current = run;
    control->next = run + 1;
    control->stop_reason = ABI_STATUS_NONE;
    control->running = 1;
    runtime.is_uncounted = false;
    if (control->symbolic)
        runtime_sym_begin();
    if (control->recording)
        runtime_record_begin();
    size_t size;
    const unsigned char *input = runtime_input_of(run, &size);
    runtime_input_set(input, size);
}

static int enter_target(void) {
    switch ((enum abi_entry)runtime.control->entry) {
    case ABI_ENTRY_DRIVER:
        __slowpath_driver();
        return 0;
    case ABI_ENTRY_HARNESS:
        LLVMFuzzerTestOneInput(__slowpath_take(runtime.input_size, "data"), runtime.input_size);
        return 0;
    case ABI_ENTRY_PROGRAM:
        break;
    }
    runtime_program_run();
}

/* Dies, so that the run is booked as stopped at its first wild write. */
static _Noreturn void die_of(int number) {
    signal(number, SIG_DFL);
    raise(number);
    _exit(SERVER_DAMAGED);
}

/* A forked copy of the worker must not go on: it ends with its run. */
static void end_copies(void) {
    if (!runtime.persistent || (runtime.is_program && !runtime_is_worker()))
        _exit(0);
}

/* Returns how the run ended; in a fresh process, never. After a snapshot, another run may end here
 * than the one that started. */
static enum end run_target(bool fresh) {
    errno = 0;
    runtime.persistent = !fresh;
    /* a program does this by itself */
    bool is_program = runtime.control->entry == ABI_ENTRY_PROGRAM;
    if (!is_program)
        runtime_stack_clear();
    int end = _setjmp(runtime.run_end);
    if (!end) {
        if (!is_program)
            runtime_stack_clear_margin();
        int code = enter_target();
        runtime_result()->exit_code = code;
    }
    if (fresh) {
        runtime_sym_note_cost();
        runtime_record_end();
        exit(runtime_result()->exit_code);
    }
    return (enum end)end;
}

/* Undoes changes other than memory. */
static bool undo_settings(void) {
    if (runtime.is_program)
        return runtime_put_back();
    if (runtime.control->show_output)
        fflush(stdout);
    if (runtime.used_random) {
        srandom(1);
        runtime.used_random = false;
    }
    return !runtime_left_anything();
}

static enum abi_status find_status(enum end end, struct abi_result *result) {
    if (end != ABORTED)
        return ABI_STATUS_OK;
    __slowpath_left |= RUNTIME_LEFT_SIGNALS;
    __slowpath_left_signals |= (uint64_t)1 << SIGABRT;
    result->signal = SIGABRT;
    return ABI_STATUS_CRASH;
}

/* The run is over, or was left: restores the process. */
static void undo_run(void) {
    if (!undo_settings())
        _exit(WORKER_RESTART);
    runtime_reset();
    if (runtime.is_program && !runtime_is_restored()) {
        runtime_tell_left("memory or settings");
        _exit(WORKER_RESTART);
    }
}

static void run_one(uint32_t run, bool fresh) {
    begin_run(run);
    bool timed = runtime.control->timed; /* reading the clock costs more than a small run */
    uint64_t cpu = timed ? runtime_now_ns(CLOCK_PROCESS_CPUTIME_ID) : 0;
    uint64_t wall = timed ? runtime_now_ns(CLOCK_MONOTONIC) : 0;
    if (!fresh)
        runtime_snapshot_begin();
    enum end end = run_target(fresh);
    if (!runtime_is_whole())
        die_of(SIGSEGV);
    end_copies();
    runtime.persistent = false;
    if (__slowpath_left & RUNTIME_LEFT_TIMERS)
        runtime_stop_timers();
    struct abi_result *result = runtime_result();
    if (timed) {
        result->wall_ns = runtime_now_ns(CLOCK_MONOTONIC) - wall;
        result->cpu_ns = runtime_now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    }
    runtime_record_end();
    if (end != LEFT)
        runtime_book_run(find_status(end, result));
    if (runtime.goes_on)
        _exit(0);
    undo_run();
}

/* ---- worker and server ---- */

/* main has checked runtime.control, but a static analyser that sees one file cannot know.
 * NOLINTBEGIN(clang-analyzer-core.NullDereference) */

bool runtime_has_work(void) {
    const struct abi_control *control = runtime.control;
    return control->next < control->batch && control->traces_end < ABI_TRACES_FULL &&
           control->output_end < ABI_OUTPUT_FULL;
}

static bool await_command(void) {
    char byte;
    ssize_t got;
    while ((got = read(ABI_FD_COMMAND, &byte, 1)) < 0 && errno == EINTR)
        ;
    return got == 1;
}

static void report_done(void) {
    while (write(ABI_FD_DONE, "d", 1) < 0 && errno == EINTR)
        ;
}

void runtime_await_batch(void) {
    report_done();
    if (!await_command())
        _exit(WORKER_STOP);
}

/* Processes batches; in a fresh process, a single run. */
static _Noreturn void work(bool fresh) {
    struct abi_control *control = runtime.control;
    for (;;) {
        while (runtime_has_work()) {
            run_one(control->next, fresh);
            if (runtime_heap_library_bytes() > control->restart_bytes)
                _exit(WORKER_RESTART);
        }
        runtime_await_batch();
    }
}

static void become_worker(bool fresh) {
    signal(SIGUSR1, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    watch_crashes();
    runtime.worker = getpid();
    if (runtime.is_program && !runtime_program_begin()) {
        runtime_tell_left("what is there at its start");
        runtime.is_program = false;
        fresh = true;
    }
    work(fresh);
}

/* Books the run that was active when its worker ended. */
void runtime_book_ended(int status, const struct rusage *usage, uint64_t started) {
    struct abi_control *control = runtime.control;
    struct abi_result *result = runtime_result_of(control->current);
    enum abi_status reason = (enum abi_status)control->stop_reason;
    if (WIFEXITED(status)) {
        result->exit_code = WEXITSTATUS(status);
        result->exited = 1;
        reason = ABI_STATUS_OK;
    } else if (is_late) {
        reason = ABI_STATUS_TIMEOUT;
    } else if (reason != ABI_STATUS_OK && reason != ABI_STATUS_MEMORY &&
               reason != ABI_STATUS_ENDLESS && reason != ABI_STATUS_BOUNDS) {
        result->signal = (uint32_t)WTERMSIG(status);
        reason = ABI_STATUS_CRASH;
    }
    result->wall_ns = runtime_now_ns(CLOCK_MONOTONIC) - started;
    result->cpu_ns = (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000000u +
                     (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000u;
    runtime_book_run(reason);
}

/* ---- requests of the engine: only the server knows which process its worker is ---- */

static void end_late_run(int number) {
    (void)number;
    is_late = 1;
    if (worker > 0)
        kill(worker, SIGKILL);
}

static void end_all(int number) {
    (void)number;
    if (worker > 0) {
        kill(worker, SIGKILL);
        kill(-worker, SIGKILL);
        runtime_end_orphans();
    }
    _exit(0);
}

static void obey_engine(void) {
    struct sigaction late = {.sa_handler = end_late_run}, end = {.sa_handler = end_all};
    sigaction(SIGUSR1, &late, NULL);
    sigaction(SIGTERM, &end, NULL);
}

/* ---- the server ---- */

/* Forks a worker and waits for it; returns its exit status. */
static int await_worker(bool fresh, struct rusage *usage) {
    int status = 0;
    is_late = 0;
    pid_t child = fork();
    if (child < 0)
        _exit(SERVER_STUCK);
    if (child == 0)
        become_worker(fresh);
    worker = child;
    while (wait4(child, &status, 0, usage) < 0 && errno == EINTR)
        ;
    worker = 0;
    kill(-child, SIGKILL); /* kills what it left running */
    runtime_end_orphans();
    runtime_folder_empty();
    return status;
}

/* Runs one worker until it ends; false when the engine wants no more. */
static bool serve_worker(struct abi_control *control, bool fresh) {
    static RUNTIME_STATE unsigned idle;
    uint64_t started = runtime_now_ns(CLOCK_MONOTONIC);
    uint32_t first = control->next;
    struct rusage usage = {0};
    int status = await_worker(fresh, &usage);
    if (!runtime_is_sound())
        _exit(SERVER_DAMAGED);
    if (control->running)
        runtime_book_ended(status, &usage, started);
    else if (!fresh && WIFEXITED(status) && WEXITSTATUS(status) == WORKER_STOP)
        return false;
    idle = control->next == first ? idle + 1 : 0;
    if (idle > MOST_IDLE)
        _exit(SERVER_STUCK);
    if (!fresh)
        control->restarts++;
    return true;
}

static _Noreturn void serve(struct abi_control *control) {
    bool fresh = control->fresh || (control->entry == ABI_ENTRY_PROGRAM && !runtime.is_program);
    obey_engine();
    runtime_adopt_orphans();
    while (await_command()) {
        while (runtime_has_work())
            if (!serve_worker(control, fresh))
                _exit(0);
        report_done();
    }
    _exit(0);
}

/* NOLINTEND(clang-analyzer-core.NullDereference) */

/* ---- start ---- */

static size_t count_strings(char **strings) {
    size_t count = 0;
    while (strings[count])
        count++;
    return count;
}

static bool has_entry(uint32_t entry) {
    return (entry == ABI_ENTRY_DRIVER && __slowpath_driver) ||
           (entry == ABI_ENTRY_HARNESS && LLVMFuzzerTestOneInput) ||
           (entry == ABI_ENTRY_PROGRAM && __slowpath_target_main);
}

int main(int argc, char **argv, char **envp) {
    struct abi_control *control = runtime_map_shared() ? runtime.control : NULL;
    runtime_lines_open();
    if (!control || !has_entry(control->entry))
        return 124;       /* not started by slowpath */
    close(ABI_FD_SHARED); /* mapped, so no longer needed */
    fcntl(ABI_FD_COMMAND, F_SETFD, FD_CLOEXEC);
    fcntl(ABI_FD_DONE, F_SETFD, FD_CLOEXEC);
    if (control->keep_output)
        fcntl(ABI_FD_OUTPUT, F_SETFD, FD_CLOEXEC);
    if (envp[0] && strcmp(envp[0], ABI_ENVIRONMENT) == 0)
        memmove(envp, envp + 1, count_strings(envp) * sizeof *envp);
    runtime.is_program =
        control->entry == ABI_ENTRY_PROGRAM && !control->fresh && !control->show_output;
    /* Otherwise the library would allocate these in the first run that prints, but not in the
     * second. */
    setvbuf(stdin, stream_buffers[0], _IOFBF, sizeof stream_buffers[0]);
    setvbuf(stdout, stream_buffers[1], _IOFBF, sizeof stream_buffers[1]);
    setvbuf(stderr, stream_buffers[2], _IONBF, 0);
    if (control->entry == ABI_ENTRY_HARNESS && LLVMFuzzerInitialize)
        LLVMFuzzerInitialize(&argc, &argv);
    if (control->symbolic)
        runtime_sym_open();
    if (control->recording)
        runtime_record_open();
    if (control->entry == ABI_ENTRY_PROGRAM)
        runtime_program_open(argc, argv, envp);
    runtime_reset_prepare(argv);
    report_done(); /* ready */
    serve(control);
}
