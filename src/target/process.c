/* SPDX-License-Identifier: Apache-2.0
 *
 * Starting a target's server, waiting for it, and killing runs that take too long.
 *
 * The engine waits on a pipe. To notice a run that hangs it checks, a few times per limit, whether
 * the number of finished runs has changed. The target has process groups of its own, so that Ctrl-C
 * only reaches us, and dies with us.
 */
#include "target/process.h"

#include "target/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_CONFINED 121
#define NOT_STARTED 123
#define START_SECONDS 30.0
#define GLANCE 0.05 /* seconds between two checks of a batch */
#define STOP_SECONDS 0.5
#define MOST_KILLS 3 /* in a row, without any run that finishes */

bool target_process_init(struct target_process *process, struct base_error *error) {
    *process = (struct target_process){.command = -1, .done = -1, .output = -1};
    process->memory =
        base_fault("memory") ? -1 : memfd_create("slowpath", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (process->memory < 0 || ftruncate(process->memory, (off_t)ABI_SHARED_SIZE) != 0 ||
        fcntl(process->memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        return base_fail(error, BASE_BROKEN, "cannot make shared memory: %s", strerror(errno));
    process->shared = mmap(NULL, ABI_SHARED_SIZE, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_NORESERVE, process->memory, 0);
    if (process->shared == MAP_FAILED)
        return base_fail(error, BASE_BROKEN, "cannot map shared memory: %s", strerror(errno));
    process->control = base_alloc(sizeof *process->control);
    process->control->magic = process->control->end_magic = ABI_MAGIC;
    process->control->version = ABI_VERSION;
    return true;
}

/* Opened for appending, wherever the program thinks it is. */
bool target_process_keep_output(struct target_process *process, uint64_t limit,
                                struct base_error *error) {
    process->output = memfd_create("output", MFD_CLOEXEC);
    if (process->output < 0 || fcntl(process->output, F_SETFL, O_APPEND) != 0)
        return base_fail(error, BASE_BROKEN, "cannot make a file for output: %s", strerror(errno));
    process->control->keep_output = 1;
    process->control->output_limit = limit;
    return true;
}

/* ---- the two copies of the control record ---- */

static const struct abi_control *theirs(const struct target_process *process) {
    return (const struct abi_control *)(process->shared + ABI_OFFSET_CONTROL);
}

static void publish(const struct target_process *process) {
    memcpy(process->shared + ABI_OFFSET_CONTROL, process->control, sizeof *process->control);
}

/* Could a correct target have sent this? */
static bool is_possible(const struct abi_control *now, const struct abi_control *ours) {
    return abi_control_is_whole(now) && now->batch == ours->batch && now->next <= now->batch &&
           (now->current < now->batch || !now->running) && now->completed >= ours->completed &&
           now->completed - ours->completed <= now->batch && now->counts_kept <= 1 &&
           now->traces_end <= ABI_TRACES_SIZE && now->counter_count >= ours->counter_count &&
           now->counter_count <= ABI_MAX_COUNTERS && now->loss_count >= ours->loss_count &&
           now->loss_count <= ABI_MAX_LOSSES &&
           now->output_end <= ours->output_limit + ABI_OUTPUT_FULL;
}

/* Copies the fields that the target reports. */
static bool collect(struct target_process *process) {
    struct abi_control now, *ours = process->control;
    memcpy(&now, theirs(process), sizeof now);
    if (base_fault("control"))
        base_fault_damage(&now, sizeof now);
    if (!is_possible(&now, ours))
        return false;
    ours->next = now.next;
    ours->current = now.current;
    ours->running = now.running;
    ours->completed = now.completed;
    ours->counts_kept = now.counts_kept;
    ours->asked = now.asked;
    ours->counter_count = now.counter_count;
    memcpy(ours->counters, now.counters, sizeof ours->counters);
    ours->counters_lost = now.counters_lost;
    ours->restarts = now.restarts;
    ours->threads = now.threads;
    ours->obstacles = now.obstacles;
    ours->denied = now.denied;
    memcpy(ours->left, now.left, sizeof ours->left);
    ours->left[sizeof ours->left - 1] = 0;
    ours->traces_end = now.traces_end;
    ours->output_end = now.output_end;
    ours->loss_count = now.loss_count;
    memcpy(ours->losses, now.losses, sizeof ours->losses);
    return true;
}

/* A server to be started, and the state of that request. */
struct birth {
    const struct target_process *process;
    int command, done;
    const struct target_launch *launch;
    enum target_fence fence;
    pid_t engine;
    pid_t server;
    bool is_over;
};

static void limit(int what, uint64_t value) {
    struct rlimit bound = {.rlim_cur = value, .rlim_max = value};
    setrlimit(what, &bound);
}

/* Descriptors may overlap with the fixed numbers: move them up first. */
static void place_fd(int fd, int at) {
    if (fd == at)
        fcntl(fd, F_SETFD, 0);
    else
        dup2(fd, at);
}

static bool place_streams(bool show_output) {
    int nowhere = open("/dev/null", O_RDWR);
    if (nowhere < 0)
        return false;
    dup2(nowhere, STDIN_FILENO);
    if (!show_output) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
    if (nowhere > STDERR_FILENO)
        close(nowhere);
    return true;
}

/* Other open descriptors must not leak into the target. */
static void close_others(bool keeps_output) {
    close_range(STDERR_FILENO + 1, ABI_FD_SHARED - 1, 0);
    close_range(ABI_FD_DONE + 1, keeps_output ? ABI_FD_OUTPUT - 1 : ~0u, 0);
    close_range(ABI_FD_OUTPUT + 1, ~0u, 0);
}

static bool place_output(const struct target_process *process) {
    if (!process->control->keep_output)
        return true;
    place_fd(process->output, ABI_FD_OUTPUT);
    return dup2(ABI_FD_OUTPUT, STDOUT_FILENO) == STDOUT_FILENO;
}

/* When memory runs out, the kernel shall kill the target and not us. */
static void offer_to_oom(void) {
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return;
    (void)!write(file, "1000", 4);
    close(file);
}

static _Noreturn void become_server(const struct birth *birth) {
    const struct abi_control *control = birth->process->control;
    const struct target_launch *launch = birth->launch;
    place_fd(birth->process->memory, ABI_FD_SHARED);
    place_fd(birth->command, ABI_FD_COMMAND);
    place_fd(birth->done, ABI_FD_DONE);
    if (!place_streams(control->show_output) || !place_output(birth->process))
        _exit(NOT_STARTED);
    close_others(control->keep_output);
    offer_to_oom();
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, launch->limits.file_bytes + (control->keep_output ? ABI_OUTPUT_FULL : 0));
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    personality(ADDR_NO_RANDOMIZE); /* same addresses in every run */
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (launch->is_confined && !target_confine(birth->fence, control->folder, birth->engine))
        _exit(NOT_CONFINED);
    if (launch->place && chdir(launch->place) != 0)
        _exit(NOT_STARTED);
    execve(launch->executable, launch->argv, launch->environment);
    _exit(NOT_STARTED);
}

/* ---- which thread forks ----
 *
 * A child that asks to die with its parent dies with the thread that forked it. Search threads come
 * and go, so one permanent thread forks for all. */

static pthread_mutex_t keeper_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t keeper_news = PTHREAD_COND_INITIALIZER;
static struct birth *awaited; /* NULL: no request */

static void *keep(void *nothing) {
    pthread_mutex_lock(&keeper_lock);
    for (;;) {
        while (!awaited)
            pthread_cond_wait(&keeper_news, &keeper_lock);
        struct birth *birth = awaited;
        birth->server = base_fault("server") ? -1 : fork();
        if (birth->server == 0)
            become_server(birth);
        birth->is_over = true;
        awaited = NULL;
        pthread_cond_broadcast(&keeper_news);
    }
    return nothing;
}

/* Signals are handled by other threads. */
static bool start_keeper(void) {
    static bool is_there;
    pthread_t thread;
    sigset_t all, before;
    if (is_there)
        return true;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    is_there = pthread_create(&thread, NULL, keep, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (is_there)
        pthread_detach(thread);
    return is_there;
}

static pid_t give_birth(struct birth *birth) {
    birth->server = -1;
    pthread_mutex_lock(&keeper_lock);
    if (start_keeper()) {
        while (awaited)
            pthread_cond_wait(&keeper_news, &keeper_lock);
        awaited = birth;
        pthread_cond_broadcast(&keeper_news);
        while (!birth->is_over)
            pthread_cond_wait(&keeper_news, &keeper_lock);
    }
    pthread_mutex_unlock(&keeper_lock);
    return birth->server;
}

/* ---- starting ---- */

/* Waits for a byte: 1: received, 0: time-out, -1: the other side is gone. */
static int await_byte(int fd, double seconds) {
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    int ready = poll(&wait, 1, (int)(seconds * 1000.0 + 0.999));
    if (ready == 0 || (ready < 0 && errno == EINTR))
        return 0;
    char byte;
    ssize_t got = read(fd, &byte, 1);
    return got == 1 ? 1 : got < 0 && errno == EINTR ? 0 : -1;
}

static bool explain_start(struct target_process *process, struct base_error *error) {
    int status = 0;
    bool ended = waitpid(process->server, &status, 0) == process->server;
    process->server = 0;
    if (ended && WIFSIGNALED(status))
        return base_fail(error, BASE_BROKEN, "the target crashes before it reads any input (%s)",
                         strsignal(WTERMSIG(status)));
    if (ended && WEXITSTATUS(status) == NOT_CONFINED)
        return base_fail(error, BASE_BROKEN,
                         "the target cannot be confined here: --unconfined runs "
                         "it with all rights of its user");
    return base_fail(error, BASE_BROKEN, "the target ends before it reads any input (exit %d)",
                     ended ? WEXITSTATUS(status) : -1);
}

bool target_process_start(struct target_process *process, const struct target_launch *launch,
                          struct base_error *error) {
    int command[2], done[2];
    if (pipe2(command, O_CLOEXEC) != 0)
        return base_fail(error, BASE_BROKEN, "cannot make a pipe: %s", strerror(errno));
    if (pipe2(done, O_CLOEXEC) != 0) {
        close(command[0]);
        close(command[1]);
        return base_fail(error, BASE_BROKEN, "cannot make a pipe: %s", strerror(errno));
    }
    fflush(NULL);
    publish(process);
    struct birth birth = {.process = process,
                          .command = command[0],
                          .done = done[1],
                          .launch = launch,
                          .fence = launch->is_confined ? target_fence_offered() : TARGET_FENCE_NONE,
                          .engine = getpid()};
    process->server = give_birth(&birth);
    close(command[0]);
    close(done[1]);
    process->command = command[1];
    process->done = done[0];
    if (process->server < 0)
        return base_fail(error, BASE_BROKEN, "cannot start the target: %s", strerror(errno));
    int started = 0;
    for (double end = base_seconds() + START_SECONDS; !started && base_seconds() < end;)
        started = await_byte(process->done, end - base_seconds());
    if (started < 0)
        return explain_start(process, error);
    if (!started)
        return base_fail(error, BASE_BROKEN, "the target does not start within %.0f seconds",
                         START_SECONDS);
    process->control->slot_count = theirs(process)->slot_count;
    process->control->counts_kept = 1;
    return true;
}

/* Asks the server to kill its worker and exit; false if it does not react. */
static bool end_server(pid_t server) {
    kill(server, SIGTERM);
    for (double end = base_seconds() + STOP_SECONDS; base_seconds() < end; usleep(100)) {
        pid_t ended = waitpid(server, NULL, WNOHANG);
        if (ended == server || (ended < 0 && errno == ECHILD))
            return true;
    }
    return false;
}

/* If a worker is killed right after it has reported the end of a batch, the server reports it
 * again. A byte alone does not say which batch it belongs to. */
static bool is_done(const struct abi_control *control, uint64_t expected) {
    return control->completed >= expected || control->traces_end >= ABI_TRACES_FULL ||
           control->output_end >= ABI_OUTPUT_FULL;
}

static bool must_halt(const struct target_process *process) {
    return process->halt && base_seconds() > atomic_load(process->halt);
}

/* Waits for the end of the batch. On our request, the server kills a run that takes too long. */
static enum target_outcome await_batch(const struct target_process *process, uint64_t expected,
                                       double seconds_per_run) {
    const struct abi_control *control = theirs(process);
    uint64_t seen = process->control->completed;
    double since = base_seconds();
    for (int kills = 0; kills <= MOST_KILLS;) {
        double left = since + seconds_per_run - base_seconds();
        int got = await_byte(process->done, left < 0.001 ? 0.001 : left > GLANCE ? GLANCE : left);
        if (got < 0)
            return TARGET_GONE;
        if (got > 0 && is_done(control, expected))
            return TARGET_DONE;
        if (must_halt(process))
            return TARGET_HALTED;
        uint64_t completed = control->completed;
        if (completed != seen) {
            seen = completed;
            since = base_seconds();
            kills = 0;
        } else if (base_seconds() - since > seconds_per_run) {
            kill(process->server, SIGUSR1);
            since = base_seconds();
            kills++;
        }
        if (completed > expected)
            break;
    }
    return TARGET_DAMAGED;
}

enum target_outcome target_process_batch(struct target_process *process, double seconds_per_run) {
    struct abi_control *control = process->control;
    uint64_t expected = control->completed + (control->batch - control->next);
    publish(process);
    enum target_outcome outcome = TARGET_GONE;
    if (base_fault("gone-before"))
        end_server(process->server);
    if (write(process->command, "b", 1) == 1) {
        if (base_fault("gone-after"))
            kill(process->server, SIGKILL);
        outcome = await_batch(process, expected, seconds_per_run);
    }
    if (outcome == TARGET_HALTED)
        target_process_stop(process);
    return outcome == TARGET_HALTED || collect(process) ? outcome : TARGET_DAMAGED;
}

void target_process_stop(struct target_process *process) {
    if (process->command >= 0)
        close(process->command);
    if (process->done >= 0)
        close(process->done);
    process->command = process->done = -1;
    if (process->server > 0 && !end_server(process->server)) {
        kill(process->server, SIGKILL);
        while (waitpid(process->server, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    process->server = 0;
}

/* Memory filled by the runs goes back to the system. */
void target_process_forget(struct target_process *process) {
    fallocate(process->memory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, ABI_OFFSET_NODES,
              (off_t)(ABI_OFFSET_FIXED - ABI_OFFSET_NODES));
    process->control->traces_end = 0;
    process->control->output_end = 0;
    process->control->running = 0;
}

void target_process_done(struct target_process *process) {
    target_process_stop(process);
    if (process->shared && process->shared != MAP_FAILED)
        munmap(process->shared, ABI_SHARED_SIZE);
    free(process->control);
    if (process->memory >= 0)
        close(process->memory);
    if (process->output >= 0)
        close(process->output);
    *process = (struct target_process){.memory = -1, .command = -1, .done = -1, .output = -1};
}
