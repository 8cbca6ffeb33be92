/* SPDX-License-Identifier: Apache-2.0
 *
 * What does a run leave behind in its process, besides memory and files? A running timer, a
 * handler, a child, a thread, another working folder or environment would all affect the next run.
 * Asking the kernel about each after every run is too slow, so functions that leave something are
 * noted when they are called, and a run that calls none of them costs nothing here. Then the worker
 * of a function is replaced. The worker of a program, where such calls are common, undoes what it
 * can and is replaced only if something remains.
 *
 * Children that outlive their worker, in whatever process group, are adopted and killed by the
 * server.
 */
#include "runtime/runtime.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE 100   /* checks for a thread that is just exiting */
#define GENERATIONS 64 /* of children that fork others while they are being killed */

uint32_t __slowpath_left RUNTIME_STATE;
uint64_t __slowpath_left_signals RUNTIME_STATE;
const char *__slowpath_left_by RUNTIME_STATE;

/* Notes the call, whatever its parameters are, and jumps to the library's function. */
#define NATIVE(name)
#define AS_TEXT(number) #number
#define BIT_OF(what) AS_TEXT(what)
#define BEGIN(name, bit)                                                                           \
    ".text\n.globl __slowpath_lib_" #name "\n.type __slowpath_lib_" #name                          \
    ", @function\n__slowpath_lib_" #name ":\n\torl $" bit ", __slowpath_left(%rip)\n"
#define GO_ON(name) "\tjmp *" #name "@GOTPCREL(%rip)\n"
/* The first argument may be a signal; setting one bit too many does no harm. */
#define NOTE_SIGNAL                                                                                \
    "\tmovl %edi, %r11d\n\tandl $63, %r11d\n\tbtsq %r11, __slowpath_left_signals(%rip)\n"
#define LEAVES(name, what)                                                                         \
    __asm__(BEGIN(name, BIT_OF(RUNTIME_LEFT_##what)) NOTE_SIGNAL GO_ON(name));
#define STAYS(name)                                                                                \
    __asm__(                                                                                       \
        BEGIN(name, BIT_OF(RUNTIME_LEFT_OTHER)) "\tleaq 1f(%rip), %r11\n"                          \
                                                "\tmovq %r11, __slowpath_left_by(%rip)\n" GO_ON(   \
                                                    name) ".section .rodata\n1:\t.asciz \"" #name  \
                                                          "\"\n.text\n");
#include "abi/library.def"

void runtime_leave_begin(void) {
    __slowpath_left = 0;
    __slowpath_left_signals = 0;
    __slowpath_left_by = NULL;
    runtime.has_children = runtime.has_threads = runtime.made_file = false;
}

/* Reaps children that have exited; true if one is still running. */
static bool has_child(void) {
    pid_t child;
    while ((child = waitpid(-1, NULL, WNOHANG)) > 0)
        ;
    return child == 0;
}

static bool has_thread(void) {
    struct stat tasks;
    for (int i = 0; i < PATIENCE; i++) {
        if (stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink <= 3)
            return false;
        sched_yield();
    }
    return true;
}

bool runtime_left_anything(void) {
    return (__slowpath_left & ~RUNTIME_LEFT_FLAGS) || (runtime.has_children && has_child()) ||
           (runtime.has_threads && has_thread()) || (runtime.made_file && runtime_folder_is_used());
}

/* ---- programs ---- */

void runtime_tell_left(const char *what) {
    char *left = runtime.control->left;
    if (!*left)
        strncpy(left, what, sizeof runtime.control->left - 1);
}

static bool fail(const char *what) {
    runtime_tell_left(what);
    return false;
}

static bool put_back_files(void) {
    if (!runtime.made_file && !(__slowpath_left & RUNTIME_LEFT_FILES))
        return true;
    if (runtime_folder_is_used() || runtime.control->tree.objects)
        runtime_folder_empty();
    return !runtime_folder_is_used();
}

bool runtime_is_worker(void) {
    return !(__slowpath_reach & ABI_REACHES_SYSTEM) || getpid() == runtime.worker;
}

/* A program that only calls quiet functions, was not stopped by a signal and opened files only for
 * reading has changed nothing but memory and descriptors. */
static bool is_quiet(uint32_t left) {
    return !(__slowpath_reach & ABI_REACHES_SYSTEM) && !(left & ~RUNTIME_LEFT_LIBRARY) &&
           !runtime.made_file;
}

bool runtime_put_back(void) {
    uint32_t left = __slowpath_left;
    if (is_quiet(left)) {
        if (runtime_has_open_files())
            runtime_close_files();
        return true;
    }
    runtime.is_input_kept = false;
    if (left & RUNTIME_LEFT_OTHER)
        return fail(__slowpath_left_by ? __slowpath_left_by : "something unknown");
    if (runtime.has_threads || !__libc_single_threaded)
        return fail("threads");
    if (has_child())
        return fail("a child process");
    const char *changed = runtime_settings_put_back(left);
    if (changed)
        return fail(changed);
    if (!put_back_files())
        return fail("files");
    if (!runtime_maps_put_back(left & RUNTIME_LEFT_MAPS))
        return fail("memory mappings");
    return true;
}

/* ---- the server ---- */

void runtime_adopt_orphans(void) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static void kill_listed(const char *numbers, ssize_t size) {
    pid_t child = 0;
    for (ssize_t i = 0; i < size; i++)
        if (numbers[i] >= '0' && numbers[i] <= '9') {
            child = child * 10 + (numbers[i] - '0');
        } else if (child > 0) {
            kill(child, SIGKILL);
            child = 0;
        }
}

static void kill_children(void) {
    char numbers[4096];
    int list = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    ssize_t got = list >= 0 ? read(list, numbers, sizeof numbers) : 0;
    kill_listed(numbers, got);
    close(list);
}

/* Also called from a signal handler. */
void runtime_end_orphans(void) {
    for (int i = 0; i < GENERATIONS; i++) {
        if (!has_child())
            return;
        kill_children();
        usleep(100);
    }
}
