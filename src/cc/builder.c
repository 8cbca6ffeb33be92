/* SPDX-License-Identifier: Apache-2.0
 *
 * How does one wait for a build, and how does it end early? The builder is a copy of this process
 * and the leader of a group, so that all of its own processes end with it. It writes records to a
 * pipe: how far it is, and what went wrong. We read them, show progress, and look now and then
 * whether somebody wants it to end.
 */
#include "cc/builder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_MS 50
#define ASIDE_NICE 4 /* a search beside it keeps most of the machine */

struct cc_reporter {
    int pipe;
};

struct record {
    unsigned done, all;
    enum base_exit code; /* BASE_OK: it goes on */
    char message[1024];
};

/* ---- in the builder ---- */

static void report(const struct cc_reporter *reporter, const struct record *record) {
    if (write(reporter->pipe, record, sizeof *record) < 0)
        return; /* nobody listens any more */
}

void cc_report_progress(struct cc_reporter *reporter, unsigned done, unsigned all) {
    report(reporter, &(struct record){.done = done, .all = all});
}

static _Noreturn void be_builder(cc_work *work, void *context, int pipe, bool aside, pid_t parent) {
    struct cc_reporter reporter = {pipe};
    struct base_error error = {0};
    setpgid(0, 0);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    if (aside)
        setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + ASIDE_NICE);
    bool good = work(context, &reporter, &error);
    if (!good) {
        struct record last = {.code = error.code};
        snprintf(last.message, sizeof last.message, "%.*s", (int)sizeof last.message - 1,
                 error.message);
        report(&reporter, &last);
    }
    _exit(good ? 0 : 1);
}

/* ---- signals ---- */

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
static struct sigaction before[BASE_COUNT(numbers)];
static unsigned depth;

static void on_signal(int number) {
    base_stop_children(number);
}

void cc_begin_catching(void) {
    if (depth++)
        return;
    for (size_t i = 0; i < BASE_COUNT(numbers); i++) {
        struct sigaction action = {.sa_handler = on_signal}; /* waiting ends: no SA_RESTART */
        sigaction(numbers[i], NULL, &before[i]);
        if (before[i].sa_handler == SIG_DFL)
            sigaction(numbers[i], &action, NULL);
    }
}

void cc_end_catching(void) {
    if (--depth)
        return;
    for (size_t i = 0; i < BASE_COUNT(numbers); i++)
        if (before[i].sa_handler == SIG_DFL)
            sigaction(numbers[i], &before[i], NULL);
    int number = base_stopped_by();
    if (number) {
        base_warn("stopped while building; what is finished is kept for the next time");
        raise(number);
    }
}

/* ---- waiting ---- */

static void show(const char *what, struct base_watch *watch, const struct record *record) {
    if (watch) {
        atomic_store(&watch->done, record->done);
        atomic_store(&watch->all, record->all);
    }
    if ((!watch || !watch->is_aside) && base_show_progress)
        base_show_progress(what, record->done, record->all);
}

static bool is_unwanted(const struct base_watch *watch) {
    return base_stopped_by() || (watch && atomic_load(&watch->is_unwanted));
}

/* Reads records until the builder closes its end, or is no longer wanted. */
static bool listen_to(int pipe, const char *what, struct base_watch *watch,
                      struct base_error *error) {
    struct record record;
    for (;;) {
        struct pollfd fd = {.fd = pipe, .events = POLLIN};
        int ready = poll(&fd, 1, LOOK_MS);
        if (is_unwanted(watch))
            return base_fail(error, BASE_STOPPED, "the build was stopped");
        if (ready <= 0)
            continue;
        ssize_t got = read(pipe, &record, sizeof record);
        if (got < 0 && errno == EINTR)
            continue;
        if (got != sizeof record)
            return true;
        if (record.code != BASE_OK)
            return base_fail(error, record.code, "%s", record.message);
        show(what, watch, &record);
    }
}

static bool wait_for(pid_t child) {
    int status = 1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return status == 0;
}

bool cc_run_builder(cc_work *work, void *context, const char *what, struct base_watch *watch,
                    struct base_error *error) {
    int line[2];
    if (base_fault("pipe") || pipe2(line, O_CLOEXEC) != 0)
        base_give_up("cannot make a pipe: %s", strerror(errno));
    fflush(NULL);
    pid_t self = getpid(), child = base_fault("fork") ? -1 : fork();
    if (child < 0)
        base_give_up("cannot start a process to build in: %s", strerror(errno));
    if (child == 0)
        be_builder(work, context, line[1], watch && watch->is_aside, self);
    setpgid(child, child);
    close(line[1]);
    bool good = listen_to(line[0], what, watch, error);
    if (!good)
        kill(-child, SIGKILL);
    close(line[0]);
    bool ended_well = wait_for(child);
    return good && (ended_well || base_fail(error, BASE_TARGET, "the build broke down"));
}
