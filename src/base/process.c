/* SPDX-License-Identifier: Apache-2.0
 *
 * Child processes that run to their end: the compiler, the linker. Targets under test are driven
 * by the target room, which needs far more control.
 */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void (*base_show_progress)(const char *what, unsigned done, unsigned all);
static atomic_int stopped_by;

void base_stop_children(int signal) {
    atomic_store(&stopped_by, signal);
}

int base_stopped_by(void) {
    return atomic_load(&stopped_by);
}

/* The wait for it goes on: it will be short. */
static void after_interruption(pid_t child) {
    if (base_stopped_by())
        kill(child, SIGTERM);
}

static void redirect(int from, int to) {
    if (from >= 0 && from != to) {
        dup2(from, to);
        close(from);
    }
}

static _Noreturn void start_child(const struct base_process *process, int out, int err) {
    if (process->input_path)
        redirect(open(process->input_path, O_RDONLY), STDIN_FILENO);
    if (process->discard_err)
        redirect(open("/dev/null", O_WRONLY), STDERR_FILENO);
    else if (process->err)
        dup2(process->err == process->out ? out : err, STDERR_FILENO);
    if (process->out)
        dup2(out, STDOUT_FILENO);
    execvp(process->argv[0], (char *const *)process->argv);
    _exit(127);
}

static void drain(int fd, struct base_buffer *buffer, bool *open) {
    char chunk[65536];
    ssize_t got = read(fd, chunk, sizeof chunk);
    if (got > 0)
        base_buffer_add(buffer, chunk, (size_t)got);
    else if (got == 0 || errno != EINTR)
        *open = false;
}

static void collect(const struct base_process *process, pid_t child, int out, int err) {
    bool out_open = process->out != NULL, err_open = err >= 0;
    while (out_open || err_open) {
        struct pollfd fds[2] = {{.fd = out_open ? out : -1, .events = POLLIN},
                                {.fd = err_open ? err : -1, .events = POLLIN}};
        if (poll(fds, 2, -1) < 0) {
            if (errno != EINTR)
                return;
            after_interruption(child);
            continue;
        }
        if (fds[0].revents)
            drain(out, process->out, &out_open);
        if (fds[1].revents)
            drain(err, process->err, &err_open);
    }
}

int base_run(const struct base_process *process) {
    int out[2] = {-1, -1}, err[2] = {-1, -1};
    bool own_err = process->err && process->err != process->out && !process->discard_err;
    if (base_fault("pipe") || (process->out && pipe2(out, O_CLOEXEC) != 0) ||
        (own_err && pipe2(err, O_CLOEXEC) != 0))
        base_give_up("cannot make a pipe: %s", strerror(errno));
    fflush(NULL);
    bool is_stillborn = base_fault("exec");
    pid_t child = base_fault("fork") ? -1 : fork();
    if (child < 0)
        base_give_up("cannot start '%s': %s", process->argv[0], strerror(errno));
    if (child == 0 && is_stillborn)
        _exit(127);
    if (child == 0)
        start_child(process, out[1], err[1]);
    if (out[1] >= 0)
        close(out[1]);
    if (err[1] >= 0)
        close(err[1]);
    collect(process, child, out[0], err[0]);
    if (out[0] >= 0)
        close(out[0]);
    if (err[0] >= 0)
        close(err[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        after_interruption(child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
