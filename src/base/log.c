/* SPDX-License-Identifier: Apache-2.0
 *
 * Errors and log lines. Everything a person reads about the work goes to stderr; results go to
 * stdout and are printed by the command line.
 */
#include "base/base.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define JUMP_SECONDS 900 /* of a clock that is to jump */

static int log_level = 1;

void base_log_level(int level) {
    log_level = level;
}

static void print_line(const char *kind, const char *format, va_list args) {
    fprintf(stderr, "slowpath: %s", kind);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

#define LOG_FUNCTION(name, kind, level)                                                            \
    void name(const char *format, ...) {                                                           \
        if (log_level < (level))                                                                   \
            return;                                                                                \
        va_list args;                                                                              \
        va_start(args, format);                                                                    \
        print_line(kind, format, args);                                                            \
        va_end(args);                                                                              \
    }
LOG_FUNCTION(base_warn, "warning: ", 0)
LOG_FUNCTION(base_note, "", 1)
LOG_FUNCTION(base_detail, "", 2)

_Noreturn void base_panic(const char *format, ...) {
    va_list args;
    va_start(args, format);
    print_line("internal error: ", format, args);
    va_end(args);
    abort();
}

_Noreturn void base_give_up(const char *format, ...) {
    va_list args;
    va_start(args, format);
    print_line("", format, args);
    va_end(args);
    _exit(BASE_BROKEN);
}

bool base_fail(struct base_error *error, enum base_exit code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    error->code = code;
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return false;
}

static double seconds_of(clockid_t clock) {
    static double jumps;
    struct timespec now;
    clock_gettime(clock, &now);
    if (base_fault("clock"))
        jumps += JUMP_SECONDS;
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9 + jumps;
}

double base_seconds(void) {
    return seconds_of(CLOCK_MONOTONIC);
}

double base_seconds_roughly(void) {
    return seconds_of(CLOCK_MONOTONIC_COARSE);
}
