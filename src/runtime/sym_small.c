/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that read a small object of known size: a date, a time, a seed, an address. The library
 * does the work; the object is fixed, so that its other values are tried, and the result is
 * concrete.
 */
#include "runtime/symbolic.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define LIB(name) __slowpath_lib_##name

static void fix(unsigned index, uint64_t value) {
    if (__slowpath_sym_args[index])
        runtime_sym_fix(ABI_EVENT_CONCRETE, __slowpath_sym_args[index], value);
}

static void fix_object(unsigned index, const void *object, size_t bytes) {
    fix(index, (uintptr_t)object);
    if (object)
        __slowpath_sym_fix_memory(object, bytes);
}

static void clear_text(char *text) {
    if (text)
        __slowpath_sym_clear(text, strlen(text) + 1);
}

/* ---- dates ---- */

static struct tm *clear_date(struct tm *date) {
    if (date)
        __slowpath_sym_clear(date, sizeof *date);
    return date;
}

#define DATE(name)                                                                                 \
    struct tm *LIB(name)(const time_t *time) {                                                     \
        fix_object(0, time, sizeof *time);                                                         \
        return clear_date(name(time));                                                             \
    }
DATE(gmtime)
DATE(localtime)

#define DATE_INTO(name)                                                                            \
    struct tm *LIB(name)(const time_t *time, struct tm *date) {                                    \
        fix_object(0, time, sizeof *time);                                                         \
        fix(1, (uintptr_t)date);                                                                   \
        return clear_date(name(time, date));                                                       \
    }
DATE_INTO(gmtime_r)
DATE_INTO(localtime_r)

#define TIME(name)                                                                                 \
    time_t LIB(name)(struct tm * date) {                                                           \
        fix_object(0, date, sizeof *date);                                                         \
        return name(date);                                                                         \
    }
TIME(mktime)
TIME(timegm)

char *LIB(asctime)(const struct tm *date) {
    fix_object(0, date, sizeof *date);
    char *text = asctime(date); /* NOLINT(bugprone-unsafe-functions): the program's own call */
    clear_text(text);
    return text;
}

char *LIB(ctime)(const time_t *time) {
    fix_object(0, time, sizeof *time);
    char *text = ctime(time);
    clear_text(text);
    return text;
}

size_t LIB(strftime)(char *to, size_t size, const char *format, const struct tm *date) {
    fix(0, (uintptr_t)to);
    fix(1, size);
    fix(2, (uintptr_t)format);
    fix_object(3, date, sizeof *date);
    __slowpath_sym_give_text("strftime", format);
    size_t length = strftime(to, size, format, date);
    __slowpath_sym_clear(to, length ? length + 1 : size);
    return length;
}

/* ---- random numbers ---- */

int LIB(rand_r)(unsigned *seed) {
    fix_object(0, seed, sizeof *seed);
    return rand_r(seed);
}

#define RANDOM_48(name, type)                                                                      \
    type LIB(name)(unsigned short seed[3]) {                                                       \
        fix_object(0, seed, 3 * sizeof *seed);                                                     \
        return name(seed);                                                                         \
    }
RANDOM_48(erand48, double)
RANDOM_48(nrand48, long)
RANDOM_48(jrand48, long)

/* ---- the environment and mappings ---- */

/* Fixes the names in the environment, which get compared; its strings may be the program's own. */
static void fix_names(void) {
    for (char **entry = environ; entry && *entry && runtime_sym_is_any(); entry++)
        if (!runtime_sym_is_plain(*entry, strlen(*entry) + 1))
            for (char *at = *entry; at == *entry || (at[-1] && at[-1] != '='); at++)
                __slowpath_sym_fix_memory(at, 1);
}

#define ENVIRONMENT(name)                                                                          \
    char *LIB(name)(const char *variable) {                                                        \
        fix(0, (uintptr_t)variable);                                                               \
        __slowpath_sym_give_text(#name, variable);                                                 \
        fix_names();                                                                               \
        return name(variable);                                                                     \
    }
ENVIRONMENT(getenv)
ENVIRONMENT(secure_getenv)

/* Released pages have other bytes afterwards. */
#define ADVISE(name)                                                                               \
    int LIB(name)(void *memory, size_t bytes, int advice) {                                        \
        fix(0, (uintptr_t)memory);                                                                 \
        fix(1, bytes);                                                                             \
        fix(2, (uint32_t)advice);                                                                  \
        if (advice >= MADV_DONTNEED && runtime_sym_is_symbolic(memory, bytes))                     \
            runtime_sym_lose(#name);                                                               \
        return name(memory, bytes, advice);                                                        \
    }
ADVISE(madvise)
ADVISE(posix_madvise)

/* ---- others ---- */

const char *LIB(inet_ntop)(int family, const void *address, char *to, socklen_t size) {
    fix(0, (uint32_t)family);
    fix_object(1, address, family == AF_INET6 ? 16 : 4);
    fix(2, (uintptr_t)to);
    fix(3, size);
    const char *text = inet_ntop(family, address, to, size);
    if (text)
        clear_text(to);
    return text;
}

/* The text may be in the library's memory. */
char *LIB(strerror_r)(int number, char *to, size_t size) {
    fix(0, (uint32_t)number);
    fix(1, (uintptr_t)to);
    fix(2, size);
    char *text = strerror_r(number, to, size);
    clear_text(text);
    return text;
}
