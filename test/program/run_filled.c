/* SPDX-License-Identifier: Apache-2.0
 *
 * What the library writes over symbolic bytes is not symbolic any more: a struct that fstat fills has
 * one path, and no expression of what was there before. What it does not fill because it fails stays
 * as it was. What the library looks at, or keeps and tells later, is tried with all its values.
 *
 * RUN: number() { sed -n 's/^ *"'$1'": \([0-9]*\),*$/\1/p' s/suite.json | head -n 1; }
 * RUN: explore() { %slowpath run %s --entry "$1(s[2])" --strategy exhaustive --jobs 1 --out s --force --quiet >out; \
 * RUN:   echo "$1: $(number paths) paths"; [ "$(number paths)" = "$2" ]; [ "$(number mismatches)" = 0 ]; \
 * RUN:   grep -q '"complete": true' s/suite.json; }
 * RUN: explore by_stat 1; explore by_pointer 1; explore by_usage 1; explore by_clock 1; explore by_pipe 1
 * RUN: explore by_failure 2
 * RUN: explore by_set 2; explore by_mask 2; explore by_nap 2; explore by_variable 2
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static volatile int spent;

static void work(int is_costly) {
    for (int i = 0; is_costly && i < 50; i++)
        spent++;
}

/* All of it symbolic. */
static void soil(void *memory, size_t bytes, const unsigned char *s) {
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)memory)[i] = s[i % 2];
}

void by_stat(unsigned char *s) {
    struct stat file;
    soil(&file, sizeof file, s);
    if (fstat(0, &file) == 0)
        work((file.st_mode & S_IFMT) == 0);
}

void by_pointer(unsigned char *s) {
    int (*volatile function)(int, struct stat *) = fstat;
    struct stat file;
    soil(&file, sizeof file, s);
    if (function(0, &file) == 0)
        work((file.st_mode & S_IFMT) == 0);
}

void by_usage(unsigned char *s) {
    struct rusage usage;
    soil(&usage, sizeof usage, s);
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        work(usage.ru_maxrss < 0);
}

void by_clock(unsigned char *s) {
    struct timespec now;
    soil(&now, sizeof now, s);
    clock_gettime(CLOCK_REALTIME, &now);
    work(now.tv_sec < 0);
}

void by_pipe(unsigned char *s) {
    int ends[2];
    soil(ends, sizeof ends, s);
    if (pipe(ends) == 0)
        work(ends[0] < 0 || ends[0] > 1000);
    close(ends[0]);
    close(ends[1]);
}

void by_failure(unsigned char *s) {
    struct stat file;
    soil(&file, sizeof file, s);
    fstat(-1, &file);
    work(((unsigned char *)&file)[0] == 'x');
}

void by_set(unsigned char *s) {
    sigset_t set;
    sigemptyset(&set);
    memcpy(&set, s, 1);
    work(sigismember(&set, SIGINT));
}

void by_mask(unsigned char *s) {
    sigset_t set, now;
    sigemptyset(&set);
    memcpy(&set, s, 1);
    sigprocmask(SIG_SETMASK, &set, NULL);
    sigprocmask(SIG_SETMASK, NULL, &now);
    work(((unsigned char *)&now)[0] & 1);
}

void by_nap(unsigned char *s) {
    struct timespec nap = {0, s[0] - 1L};
    work(nanosleep(&nap, NULL) != 0);
}

void by_variable(unsigned char *s) {
    static char entry[] = "FILLE?=1";
    putenv(entry);
    entry[5] = (char)s[0];
    work(getenv("FILLED") != NULL);
}
