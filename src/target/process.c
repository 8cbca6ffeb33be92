/* SPDX-License-Identifier: Apache-2.0
 *
 * Starting a target's server, waiting for it, ending runs that take too long.
 *
 * The engine waits on a pipe; to see whether one run hangs it looks, a few times per limit,
 * whether the number of finished runs has moved. The target lives in process groups of its own, so
 * that Ctrl-C reaches only us, and dies with us.
 */
#include "target/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define START_SECONDS 30.0

bool target_process_init(struct target_process *process, struct base_error *error) {
    *process = (struct target_process){.command = -1, .done = -1};
    process->memory = memfd_create("slowpath", MFD_CLOEXEC);
    if (process->memory < 0 || ftruncate(process->memory, (off_t)ABI_SHARED_SIZE) != 0)
        return base_fail(error, BASE_BROKEN, "cannot make shared memory: %s", strerror(errno));
    process->shared = mmap(NULL, ABI_SHARED_SIZE, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_NORESERVE, process->memory, 0);
    if (process->shared == MAP_FAILED)
        return base_fail(error, BASE_BROKEN, "cannot map shared memory: %s", strerror(errno));
    struct abi_control *control = target_process_control(process);
    control->magic = ABI_MAGIC;
    control->version = ABI_VERSION;
    return true;
}

static void limit(int what, uint64_t value) {
    struct rlimit bound = {.rlim_cur = value, .rlim_max = value};
    setrlimit(what, &bound);
}

/* Descriptors may overlap with the fixed ones: move them up first. */
static void place_fd(int fd, int at) {
    if (fd == at)
        fcntl(fd, F_SETFD, 0);
    else
        dup2(fd, at);
}

static _Noreturn void become_server(const struct target_process *process, int command, int done,
                                    const char *executable, char *const *argv,
                                    const struct target_limits *limits) {
    place_fd(process->memory, ABI_FD_SHARED);
    place_fd(command, ABI_FD_COMMAND);
    place_fd(done, ABI_FD_DONE);
    int nowhere = open("/dev/null", O_RDWR);
    if (nowhere < 0)
        _exit(123);
    dup2(nowhere, STDIN_FILENO);
    if (!target_process_control(process)->show_output) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
    if (nowhere > STDERR_FILENO)
        close(nowhere);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, limits->file_bytes);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    personality(ADDR_NO_RANDOMIZE); /* addresses repeat from run to run */
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execv(executable, argv);
    _exit(123);
}

/* ---- who forks ----
 *
 * A child that wants to die with its parent dies with the thread that forked it. Threads of a
 * search come and go, so one that stays forks for all. */

struct birth {
    const struct target_process *process;
    int command, done;
    const char *executable;
    char *const *argv;
    const struct target_limits *limits;
    pid_t server;
    bool is_over;
};

static pthread_mutex_t keeper_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t keeper_news = PTHREAD_COND_INITIALIZER;
static struct birth *awaited; /* NULL: nobody wants anything */

static void *keep(void *nothing) {
    pthread_mutex_lock(&keeper_lock);
    for (;;) {
        while (!awaited)
            pthread_cond_wait(&keeper_news, &keeper_lock);
        struct birth *birth = awaited;
        birth->server = fork();
        if (birth->server == 0)
            become_server(birth->process, birth->command, birth->done, birth->executable,
                          birth->argv, birth->limits);
        birth->is_over = true;
        awaited = NULL;
        pthread_cond_broadcast(&keeper_news);
    }
    return nothing;
}

/* Signals are for the other threads. */
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

/* Waits for a byte; 1 came, 0 nothing within that time, -1 the other side is gone. */
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
    return base_fail(error, BASE_BROKEN, "the target ends before it reads any input (exit %d)",
                     ended ? WEXITSTATUS(status) : -1);
}

bool target_process_start(struct target_process *process, const char *executable, char *const *argv,
                          const struct target_limits *limits, struct base_error *error) {
    int command[2], done[2];
    if (pipe2(command, O_CLOEXEC) != 0)
        return base_fail(error, BASE_BROKEN, "cannot make a pipe: %s", strerror(errno));
    if (pipe2(done, O_CLOEXEC) != 0) {
        close(command[0]);
        close(command[1]);
        return base_fail(error, BASE_BROKEN, "cannot make a pipe: %s", strerror(errno));
    }
    fflush(NULL);
    struct birth birth = {process, command[0], done[1], executable, argv, limits, -1, false};
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
    return started > 0 || base_fail(error, BASE_BROKEN,
                                    "the target does not start within %.0f seconds", START_SECONDS);
}

/* A worker that is killed just as it has reported the end of a batch is followed by a server that
 * reports it again; a byte alone does not say which batch it is about. */
static bool is_done(const struct abi_control *control, uint64_t expected) {
    return control->completed >= expected || control->traces_end >= ABI_TRACES_FULL;
}

bool target_process_batch(struct target_process *process, double seconds_per_run) {
    struct abi_control *control = target_process_control(process);
    uint64_t seen = control->completed, expected = seen + (control->batch - control->next);
    if (write(process->command, "b", 1) != 1)
        return false;
    double since = base_seconds();
    for (;;) {
        double left = since + seconds_per_run - base_seconds();
        int got = await_byte(process->done, left < 0.001 ? 0.001 : left > 0.25 ? 0.25 : left);
        if (got > 0 && is_done(control, expected))
            return true;
        if (got < 0)
            return false;
        if (control->completed != seen) {
            seen = control->completed;
            since = base_seconds();
        } else if (base_seconds() - since > seconds_per_run && control->child > 0) {
            control->stop_reason = ABI_STATUS_TIMEOUT;
            kill(control->child, SIGKILL);
            since = base_seconds();
        }
    }
}

void target_process_stop(struct target_process *process) {
    if (process->command >= 0)
        close(process->command);
    if (process->done >= 0)
        close(process->done);
    process->command = process->done = -1;
    if (process->server > 0) {
        pid_t child = target_process_control(process)->child;
        kill(process->server, SIGKILL);
        while (waitpid(process->server, NULL, 0) < 0 && errno == EINTR)
            ;
        if (child > 0)
            kill(-child, SIGKILL);
    }
    process->server = 0;
}

void target_process_done(struct target_process *process) {
    target_process_stop(process);
    if (process->shared && process->shared != MAP_FAILED)
        munmap(process->shared, ABI_SHARED_SIZE);
    if (process->memory >= 0)
        close(process->memory);
    *process = (struct target_process){.memory = -1, .command = -1, .done = -1};
}
