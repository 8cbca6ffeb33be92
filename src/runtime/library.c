/* SPDX-License-Identifier: Apache-2.0
 *
 * Our versions of the library functions whose effects must be seen or contained: opening and
 * closing files, exiting, starting processes and threads, and random numbers, which would differ
 * from run to run in one process. abi/library.def lists them.
 */
#include "runtime/library_own.h"
#include "runtime/symbolic.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#define LIB(name) __slowpath_lib_##name
/* Limit for the processes and threads of a run, and all that others start meanwhile. */
#define MOST_PROCESSES 250u
#define REFUSAL_US 10000u

/* ---- files ---- */

static int opened(int fd) {
    runtime_note_open(fd);
    runtime_sym_forget_descriptors();
    return fd;
}

static FILE *opened_stream(FILE *stream) {
    if (stream) {
        opened(fileno(stream));
        runtime_sym_note_stream(stream);
    }
    return stream;
}

static mode_t mode_of(int flags, va_list args) {
    return flags & (O_CREAT | O_TMPFILE) ? (mode_t)va_arg(args, int) : 0;
}

static int open_at(int folder, const char *path, int flags, mode_t mode) {
    char place[RUNTIME_PATH];
    int fd = openat(folder, runtime_place(path, place), flags, mode);
    if (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC))
        runtime_note_writing(fd >= 0);
    return opened(fd);
}

#define OPEN(name)                                                                                 \
    int LIB(name)(const char *path, int flags, ...) {                                              \
        va_list args;                                                                              \
        va_start(args, flags);                                                                     \
        mode_t mode = mode_of(flags, args);                                                        \
        va_end(args);                                                                              \
        return open_at(AT_FDCWD, path, flags, mode);                                               \
    }
OPEN(open)
OPEN(open64)

int LIB(openat)(int folder, const char *path, int flags, ...) {
    va_list args;
    va_start(args, flags);
    mode_t mode = mode_of(flags, args);
    va_end(args);
    return open_at(folder, path, flags, mode);
}

int LIB(creat)(const char *path, mode_t mode) {
    return open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

/* The next run expects the standard streams unchanged: note that this run changes one. */
static void note_standard(int fd) {
    if (fd >= 0 && fd <= STDERR_FILENO)
        __slowpath_left |= RUNTIME_LEFT_STREAMS;
}

static void closed(int fd) {
    runtime_note_close(fd);
    runtime_sym_forget_descriptors();
}

/* Hides our descriptors from a target that closes or replaces everything that might be open. */
static bool is_ours(int fd) {
    bool ours = fd >= ABI_FD_COMMAND && fd <= ABI_FD_LAST;
    errno = ours ? EBADF : errno;
    return ours;
}

int LIB(close)(int fd) {
    if (is_ours(fd))
        return -1;
    note_standard(fd);
    closed(fd);
    return close(fd);
}

int LIB(dup)(int fd) {
    return opened(dup(fd));
}

int LIB(dup2)(int fd, int to) {
    if (is_ours(fd) || is_ours(to))
        return -1;
    if (fd < 0 || to < 0) {
        errno = EBADF;
        return -1;
    }
    note_standard(to);
    if (fd != to)
        closed(to);
    int result = dup2(fd, to);
    if (fd != to && result > STDERR_FILENO)
        runtime_note_open(result);
    return result;
}

int LIB(pipe)(int fds[2]) {
    int result = pipe(fds);
    if (result == 0) {
        runtime_note_open(fds[0]);
        runtime_note_open(fds[1]);
    }
    return result;
}

int LIB(socket)(int domain, int type, int protocol) {
    return opened(socket(domain, type, protocol));
}

FILE *LIB(fopen)(const char *path, const char *mode) {
    char place[RUNTIME_PATH];
    FILE *stream = fopen(runtime_place(path, place), mode);
    if (strpbrk(mode, "wa+"))
        runtime_note_writing(stream != NULL);
    if (strpbrk(mode, "m,")) /* maps it, or the library's tables of characters */
        __slowpath_left |= RUNTIME_LEFT_MAPS;
    return opened_stream(stream);
}

FILE *LIB(fopen64)(const char *path, const char *mode) {
    return LIB(fopen)(path, mode);
}

FILE *LIB(fdopen)(int fd, const char *mode) {
    FILE *stream = fdopen(fd, mode); /* the descriptor was counted when it was opened */
    if (stream)
        runtime_sym_note_stream(stream);
    return stream;
}

FILE *LIB(freopen)(const char *path, const char *mode, FILE *stream) {
    note_standard(fileno(stream));
    runtime_forget_wide(stream);
    closed(fileno(stream));
    char place[RUNTIME_PATH];
    FILE *result = freopen(runtime_place(path, place), mode, stream);
    if (result && fileno(result) > STDERR_FILENO)
        runtime_note_open(fileno(result));
    if (result)
        runtime_sym_note_stream(result);
    return result;
}

int LIB(setvbuf)(FILE *stream, char *buffer, int mode, size_t bytes) {
    __slowpath_left |= RUNTIME_LEFT_LIBRARY;
    runtime_sym_note_buffer(stream, mode == _IONBF ? NULL : buffer, bytes);
    return setvbuf(stream, buffer, mode, bytes);
}

void LIB(setbuffer)(FILE *stream, char *buffer, size_t bytes) {
    __slowpath_left |= RUNTIME_LEFT_LIBRARY;
    runtime_sym_note_buffer(stream, buffer, bytes);
    setbuffer(stream, buffer, bytes);
}

void LIB(setbuf)(FILE *stream, char *buffer) {
    LIB(setbuffer)(stream, buffer, BUFSIZ);
}

int LIB(fclose)(FILE *stream) {
    note_standard(fileno(stream));
    runtime_forget_wide(stream);
    runtime_sym_forget_stream(stream);
    closed(fileno(stream));
    return fclose(stream);
}

/* The library's version only uses /tmp, where a confined target may not write. */
FILE *LIB(tmpfile)(void) {
    FILE *stream = NULL;
    int fd = open(runtime.control->folder, O_TMPFILE | O_RDWR, 0600);
    if (fd >= 0 && !(stream = fdopen(fd, "w+")))
        close(fd);
    return opened_stream(stream ? stream : tmpfile());
}

/* The file may lie elsewhere, but the name that the target sees matches its template. */
int LIB(mkstemp)(char *name) {
    char place[RUNTIME_PATH];
    char *made = (char *)runtime_place(name, place);
    int fd = mkstemp(made);
    size_t length = strlen(name);
    if (made != name && length >= 6)
        memcpy(name + length - 6, made + strlen(made) - 6, 6);
    runtime_note_writing(fd >= 0);
    return opened(fd);
}

int LIB(unlink)(const char *path) {
    char place[RUNTIME_PATH];
    return unlink(runtime_place(path, place));
}

int LIB(remove)(const char *path) {
    char place[RUNTIME_PATH];
    return remove(runtime_place(path, place));
}

DIR *LIB(opendir)(const char *path) {
    DIR *folder = opendir(path);
    if (folder)
        runtime_note_open(dirfd(folder));
    return folder;
}

int LIB(closedir)(DIR *folder) {
    runtime_note_close(dirfd(folder));
    return closedir(folder);
}

/* ---- exiting ---- */

_Noreturn void LIB(exit)(int code) {
    runtime_exit(code, exit);
}

_Noreturn void LIB(_exit)(int code) {
    runtime_exit(code, _exit);
}

_Noreturn void LIB(_Exit)(int code) {
    runtime_exit(code, _exit);
}

_Noreturn void LIB(quick_exit)(int code) {
    runtime_exit(code, quick_exit);
}

/* ---- processes and threads ---- */

/* A forked copy must not return into our loop: it exits when its run ends. */
static int forked(int pid) {
    runtime.has_children = true;
    if (pid == 0)
        runtime.persistent = false;
    return pid;
}

/* A run that forks without end would leave no time to kill it. The system counts the processes and
 * threads of everybody; those that existed when the run started its first one are not ours. */
static bool has_room(void) {
    static RUNTIME_STATE unsigned before;
    struct sysinfo now;
    if (sysinfo(&now) != 0)
        return true;
    if (!before)
        before = now.procs;
    if (now.procs <= before + MOST_PROCESSES)
        return true;
    usleep(REFUSAL_US); /* otherwise all of them retry at once */
    errno = EAGAIN;
    return false;
}

int LIB(fork)(void) {
    return has_room() ? forked(fork()) : -1;
}

/* The copy has memory of its own, as it must not change its parent's. The parent resumes when the
 * copy has exited or called exec: then its end of a pipe is closed. */
int LIB(vfork)(void) {
    int ends[2] = {-1, -1}, high;
    char byte;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return LIB(fork)();
    high = fcntl(ends[1], F_DUPFD_CLOEXEC, ABI_FD_LAST + 1); /* move it out of the way */
    close(ends[1]);
    int pid = LIB(fork)(), saved = errno;
    if (pid != 0)
        close(high);
    while (pid > 0 && read(ends[0], &byte, 1) < 0 && errno == EINTR)
        ;
    close(ends[0]);
    errno = saved;
    return pid;
}

int LIB(pthread_create)(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                        void *argument) {
    runtime.control->threads++;
    runtime.has_threads = true;
    if (runtime.is_program)
        runtime_tell_left("threads");
    return has_room() ? pthread_create(thread, attributes, start, argument) : EAGAIN;
}

/* It would unwind the stack beyond our loop, so the process ends, and the run with it. */
_Noreturn void LIB(pthread_exit)(void *result) {
    if (runtime.is_program) {
        runtime_tell_left("pthread_exit");
        runtime.persistent = false;
    }
    pthread_exit(result);
}

/* ---- random numbers: reseeded for each run that uses them ---- */

int LIB(rand)(void) {
    runtime.used_random = true;
    return rand();
}

long LIB(random)(void) {
    runtime.used_random = true;
    return random();
}

void LIB(srand)(unsigned seed) {
    runtime.used_random = true;
    srand(seed);
}

void LIB(srandom)(unsigned seed) {
    runtime.used_random = true;
    srandom(seed);
}
