/* SPDX-License-Identifier: Apache-2.0
 *
 * A run of a program with main(): how it gets its input, and how its exit comes back to us.
 *
 * The end is the library's own exit: handlers of the target run, then its destructors, as in any
 * process. Our first destructor runs last of all; it flushes the streams and returns to the worker
 * by longjmp, out of the middle of the library. Locks that the library holds then, and its other
 * state, are restored with the rest of its memory. If other threads exist, the process really
 * exits, and the server books the run.
 */
#include "abi/shadow.h"
#include "runtime/runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <unistd.h>

#define NO_INPUT 126 /* exit code of a worker that cannot set up the input */
#define WINDOW ((size_t)64 * 1024)
#define TEXT_OF(number) #number
#define PATH_OF(descriptor) "/proc/self/fd/" TEXT_OF(descriptor)
#define OWN_INPUT PATH_OF(ABI_FD_INPUT)

__attribute__((weak)) int __slowpath_target_main(int argc, char **argv, char **envp);

static RUNTIME_STATE int target_argc;
static RUNTIME_STATE char **target_argv, **target_envp;
static RUNTIME_STATE volatile int exit_code;
static RUNTIME_STATE bool is_shielded; /* the program cannot write to its standard input */
static RUNTIME_STATE char *window;     /* the start of the standard input, mapped; or NULL */
static RUNTIME_STATE size_t window_used;
/* The file at ABI_FD_INPUT, of ABI_CHANNEL_FILE; or zero. */
static RUNTIME_STATE struct stat kept_file;

/* ---- the input ---- */

static bool write_input(int fd) {
    const unsigned char *data = runtime.input;
    size_t size = runtime.input_size;
    while (size) {
        ssize_t wrote = pwrite(fd, data, size, (off_t)(runtime.input_size - size));
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return false;
        data += wrote;
        size -= (size_t)wrote;
    }
    return true;
}

/* Replacing the content of a file is faster than creating it anew. */
static bool fill_file(int fd) {
    return fd >= 0 && write_input(fd) && ftruncate(fd, (off_t)runtime.input_size) == 0;
}

/* Gives the program a read-only descriptor, so that only we change the file. */
static bool open_stdin(void) {
    int file = memfd_create("stdin", MFD_CLOEXEC);
    bool good = file >= 0 && dup3(file, ABI_FD_INPUT, O_CLOEXEC) >= 0;
    close(file);
    file = good ? open(OWN_INPUT, O_RDONLY | O_CLOEXEC) : -1;
    is_shielded = file >= 0;
    good &= dup2(is_shielded ? file : ABI_FD_INPUT, STDIN_FILENO) == STDIN_FILENO;
    close(file);
    return good;
}

/* Writing through memory costs no system call as long as inputs have equal lengths. */
static void open_window(void) {
    char *place = (char *)ABI_STDIN;
    if (is_shielded && mmap(place, WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE,
                            ABI_FD_INPUT, 0) == place) {
        window = place;
        runtime_note_own(window, WINDOW);
    }
}

static bool open_input(void) {
    bool good = open_stdin();
    if (good)
        open_window();
    return good;
}

/* A program may find the descriptor, and truncate the file or write to it. */
static bool is_untouched(size_t size) {
    struct stat file;
    return !(__slowpath_reach & (ABI_REACHES_SYSTEM | ABI_REACHES_FILES)) ||
           (fstat(ABI_FD_INPUT, &file) == 0 && (size_t)file.st_size == size);
}

static bool fill_stdin(void) {
    size_t size = runtime.input_size;
    if (!window || size > WINDOW || size != window_used || !is_untouched(size)) {
        window_used = size;
        return fill_file(ABI_FD_INPUT);
    }
    memcpy(window, runtime.input, size);
    return true;
}

/* A program that contains nothing to read its input with is not given it. */
static bool give_stdin(void) {
    bool is_read = __slowpath_reach & (ABI_REACHES_INPUT | ABI_REACHES_SYSTEM);
    return (runtime.is_program || open_stdin()) &&
           (!is_read || (fill_stdin() && lseek(STDIN_FILENO, 0, SEEK_SET) == 0));
}

/* Does the path still name the file that the last run got? */
static bool is_kept(const char *path, struct stat *now) {
    *now = kept_file;
    return runtime.is_input_kept ||
           (kept_file.st_ino && fstatat(AT_FDCWD, path, now, AT_SYMLINK_NOFOLLOW) == 0 &&
            now->st_ino == kept_file.st_ino && now->st_dev == kept_file.st_dev &&
            now->st_mode == kept_file.st_mode && now->st_nlink == kept_file.st_nlink);
}

/* A worker of many runs opens the file once. */
static void keep_file(int fd) {
    if (!runtime.is_program || dup3(fd, ABI_FD_INPUT, O_CLOEXEC) < 0 || fstat(fd, &kept_file) != 0)
        kept_file.st_ino = 0;
}

/* A run may have put something else at that path. */
static bool give_file(const char *path) {
    const int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
    struct stat now;
    if (is_kept(path, &now) && write_input(ABI_FD_INPUT) &&
        ((size_t)now.st_size <= runtime.input_size ||
         ftruncate(ABI_FD_INPUT, (off_t)runtime.input_size) == 0)) {
        kept_file.st_size = (off_t)runtime.input_size;
        runtime.is_input_kept = true;
        return true;
    }
    int file = open(path, flags, 0600);
    if (file < 0 && unlink(path) == 0)
        file = open(path, flags, 0600);
    bool good = fill_file(file);
    if (good)
        keep_file(file);
    close(file);
    return good;
}

static bool give_argument(uint32_t index) {
    if (index >= (uint32_t)target_argc)
        return false;
    char *text = runtime_scratch(runtime.input_size + 1);
    memcpy(text, runtime.input, runtime.input_size);
    text[runtime.input_size] = 0;
    runtime_sym_mark_input(text, 0, runtime.input_size);
    target_argv[index] = text;
    return true;
}

static bool give_input(const struct abi_control *control) {
    switch ((enum abi_channel)control->channel) {
    case ABI_CHANNEL_STDIN:
        return give_stdin();
    case ABI_CHANNEL_FILE:
        return give_file(control->file_path);
    case ABI_CHANNEL_ARG:
        return give_argument(control->arg_index);
    }
    return true;
}

/* ---- exiting ---- */

/* Only we end the run, unless other threads exist, whose end takes a real exit, or this is a copy
 * of the worker. */
bool runtime_comes_back(void) {
    return runtime.persistent && runtime.is_program && __libc_single_threaded &&
           runtime_is_worker();
}

static void note_code(int code, void *nothing) {
    (void)nothing;
    exit_code = code;
}

static void come_back(void) {
    runtime_sym_note_cost();
    runtime_record_end();
    if (!runtime_comes_back())
        return;
    fflush(NULL);
    runtime_end_run(exit_code);
}

/* With the smallest number that is free, so it runs after the target's own. */
__attribute__((destructor(101))) static void end_behind_destructors(void) {
    come_back();
}

void runtime_program_exit(int code, void (*really)(int)) {
    runtime_sym_note_cost();
    runtime_record_end();
    exit_code = code;
    if (really == _exit && runtime_comes_back())
        runtime_end_run(code);
    really(code);
    abort();
}

static void end_behind_quick_exit(void) {
    if (runtime_comes_back())
        runtime_end_run(exit_code);
}

/* ---- a whole run ---- */

void runtime_program_open(int argc, char **argv, char **envp) {
    target_argc = argc;
    target_argv = argv;
    target_envp = envp;
    runtime_settings_keep();
    if (runtime.is_program && runtime_settings_has_files()) {
        runtime_tell_left("files opened before main");
        runtime.is_program = false;
    }
    runtime_scratch_open();
    runtime_tree_open();
}

bool runtime_program_begin(void) {
    bool good = (runtime.control->channel != ABI_CHANNEL_STDIN || open_input()) &&
                on_exit(note_code, NULL) == 0 && at_quick_exit(end_behind_quick_exit) == 0 &&
                runtime_settings_begin() && runtime_maps_begin();
    if (good)
        runtime_reset_begin();
    return good;
}

void runtime_program_run(void) {
    if (!runtime_tree_begin() || !give_input(runtime.control))
        _exit(NO_INPUT);
    errno = 0;
    runtime_stack_clear();
    runtime_stack_clear_margin();
    int code = __slowpath_target_main(target_argc, target_argv, target_envp);
    runtime_sym_note_cost();
    runtime_record_end();
    exit(code);
}
