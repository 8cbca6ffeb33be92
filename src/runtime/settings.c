/* SPDX-License-Identifier: Apache-2.0
 *
 * What does the kernel store for a program's process that a run can change, and how is it restored?
 * Descriptors, signal handlers and masks, timers, the working folder, the umask and the limits.
 * They are read once, before the first run. Restoring all would cost a hundred system calls per
 * run, so a part is restored only if the run has called something that changes it (leave.c). Only
 * descriptors are always closed: libraries open some on their own.
 */
#include "runtime/runtime.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#define STREAMS 3
#define SET_BY_LIBRARY 0x04000000 /* a flag of signal handlers (SA_RESTORER of the kernel) */
#define LOOKED_AT 256             /* number of descriptors checked */

struct settings {
    struct sigaction actions[NSIG];
    sigset_t blocked;
    stack_t signal_stack;
    mode_t mask;
    struct rlimit limits[RLIM_NLIMITS];
    int flags[STREAMS];
    char folder[PATH_MAX];
};

static RUNTIME_STATE struct settings before, now;

static bool read_settings(struct settings *settings) {
    memset(settings, 0, sizeof *settings);
    for (int number = 1; number < NSIG; number++)
        /* The library's two internal signals stay zero. */
        sigaction(number, NULL, &settings->actions[number]);
    sigprocmask(SIG_BLOCK, NULL, &settings->blocked);
    sigaltstack(NULL, &settings->signal_stack);
    settings->mask = umask(0);
    umask(settings->mask);
    for (int fd = 0; fd < STREAMS; fd++)
        settings->flags[fd] = fcntl(fd, F_GETFL);
    for (int i = 0; i < RLIM_NLIMITS; i++)
        getrlimit((__rlimit_resource_t)i, &settings->limits[i]);
    return getcwd(settings->folder, sizeof settings->folder) != NULL;
}

static bool is_ours(int fd) {
    return fd >= ABI_FD_SHARED && fd <= ABI_FD_LAST;
}

/* Constructors may have opened files, which would be closed with those of the first run. */
bool runtime_settings_has_files(void) {
    for (int fd = STREAMS; fd < LOOKED_AT; fd++)
        if (!is_ours(fd) && fcntl(fd, F_GETFD) >= 0)
            return true;
    return false;
}

/* Also called in fresh processes, so that descriptors get the same numbers there. */
void runtime_settings_keep(void) {
    int last = runtime.control->keep_output ? ABI_FD_OUTPUT - 1 : ABI_FD_LAST;
    for (int fd = ABI_FD_KEPT; fd <= last; fd++)
        dup3(STDERR_FILENO, fd, O_CLOEXEC);
}

bool runtime_settings_begin(void) {
    bool good = read_settings(&before);
    for (int fd = 0; fd < STREAMS; fd++)
        good &= dup3(fd, ABI_FD_KEPT + fd, O_CLOEXEC) >= 0;
    return good;
}

/* ---- after a run ---- */

void runtime_stop_timers(void) {
    const struct itimerval never = {0};
    setitimer(ITIMER_REAL, &never, NULL);
    setitimer(ITIMER_VIRTUAL, &never, NULL);
    setitimer(ITIMER_PROF, &never, NULL);
}

/* A pending blocked signal would hit the next run. */
static bool put_back_signals(void) {
    sigset_t waiting;
    if (sigpending(&waiting) != 0 || !sigisemptyset(&waiting))
        return false;
    for (int number = 1; number < NSIG; number++)
        if (__slowpath_left_signals >> (number & 63) & 1)
            sigaction(number, &before.actions[number], NULL);
    return sigaltstack(&before.signal_stack, NULL) == 0 &&
           sigprocmask(SIG_SETMASK, &before.blocked, NULL) == 0;
}

/* A lowered hard limit cannot be raised again. */
static bool put_back_limits(void) {
    for (int i = 0; i < RLIM_NLIMITS; i++)
        if (setrlimit((__rlimit_resource_t)i, &before.limits[i]) != 0)
            return false;
    return true;
}

static bool put_back_streams(void) {
    for (int fd = 0; fd < STREAMS; fd++)
        if (dup2(ABI_FD_KEPT + fd, fd) < 0 || fcntl(fd, F_SETFL, before.flags[fd]) != 0)
            return false;
    return true;
}

static void close_files(void) {
    close_range(STREAMS, ABI_FD_SHARED - 1, 0);
    close_range(ABI_FD_LAST + 1, ~0u, 0);
}

const char *runtime_settings_put_back(uint32_t left) {
    close_files();
    if (left & RUNTIME_LEFT_UMASK)
        umask(before.mask);
    if (left & (RUNTIME_LEFT_STREAMS | RUNTIME_LEFT_FLAGS) && !put_back_streams())
        return "standard streams";
    if (left & RUNTIME_LEFT_SIGNALS && !put_back_signals())
        return "a signal that waits";
    if (left & RUNTIME_LEFT_FOLDER && chdir(before.folder) != 0)
        return "another folder";
    return left & RUNTIME_LEFT_LIMITS && !put_back_limits() ? "limits" : NULL;
}

/* ---- a hash of everything ---- */

static uint64_t hash_files(uint64_t hash) {
    struct stat file;
    for (int fd = 0; fd < LOOKED_AT; fd++)
        if (!is_ours(fd) && fcntl(fd, F_GETFD) >= 0 && fstat(fd, &file) == 0) {
            uint64_t parts[] = {(uint64_t)fd, file.st_dev, file.st_ino,
                                (uint64_t)fcntl(fd, F_GETFL), (uint64_t)lseek(fd, 0, SEEK_CUR)};
            hash = runtime_hash(hash, parts, sizeof parts);
        }
    return hash;
}

/* The kernel fills the first word of a set; the library leaves the others as they are. */
static uint64_t first_word(const sigset_t *set) {
    uint64_t word;
    memcpy(&word, set, sizeof word);
    return word;
}

static uint64_t hash_signals(uint64_t hash) {
    for (int number = 1; number < NSIG; number++) {
        const struct sigaction *action = &now.actions[number];
        uint64_t parts[] = {(uint64_t)action->sa_handler,
                            (uint64_t)action->sa_flags & ~(uint64_t)SET_BY_LIBRARY,
                            first_word(&action->sa_mask)};
        hash = runtime_hash(hash, parts, sizeof parts);
    }
    uint64_t blocked = first_word(&now.blocked);
    return runtime_hash(hash, &blocked, sizeof blocked);
}

/* The position of standard input does not matter, as each run starts at its beginning. Neither does
 * that of kept output, which is always appended. */
uint64_t runtime_settings_hash(uint64_t hash) {
    lseek(STDIN_FILENO, 0, SEEK_SET);
    if (runtime.control->keep_output)
        lseek(STDOUT_FILENO, 0, SEEK_SET);
    read_settings(&now);
    hash = hash_files(hash_signals(hash));
    hash = runtime_hash(hash, &now.signal_stack, sizeof now.signal_stack);
    hash = runtime_hash(hash, &now.mask, sizeof now.mask);
    hash = runtime_hash(hash, now.limits, sizeof now.limits);
    return runtime_hash(hash, now.folder, strlen(now.folder));
}
