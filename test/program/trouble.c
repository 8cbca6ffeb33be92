/* SPDX-License-Identifier: Apache-2.0
 *
 * Inputs that crash, hang or eat memory cost their own run and nothing else: they are reported for
 * what they are, and all others are measured as if nothing had happened.
 *
 * RUN: for c in a b c d e f g h i j k l m n o p q r s t u v w x y z; do printf $c >in-$c; done
 * RUN: %slowpath measure %s --limit-time 0.5 --limit-memory 32 in-? --json json >table; %check <table
 * RUN: %slowpath measure %s --limit-time 0.5 --limit-memory 32 in-? --fresh | %check
 * CHECK: in-a crash {{.*}} (Segmentation fault in fall_down (trouble.c:[[#CRASH:]]))
 * CHECK-NEXT: in-b timeout {{.*}} (over 0.5 s)
 * CHECK-NEXT: in-c memory {{.*}} (over 32 MiB)
 * CHECK-NEXT: in-d ok 6 1
 * CHECK-NEXT: in-e crash {{.*}} (Aborted
 * CHECK-NEXT: in-f ok 6 1
 * CHECK-NEXT: in-g crash {{.*}} (Illegal instruction in
 * CHECK-NEXT: in-h ok 6 1
 * CHECK-NEXT: in-i crash {{.*}} (Segmentation fault in descend
 * CHECK-NEXT: in-j ok 6 1
 * CHECK-NEXT: in-k crash {{.*}} (Killed
 * CHECK-NEXT: in-l crash {{.*}} (Aborted
 * CHECK-NEXT: in-m ok 6 1
 * CHECK: in-z ok 6 1
 *
 * Eight inputs end their process; of the first three, those that end by themselves were run twice before, to see if they repeat.
 * The limit was crossed by the block that asked for too much: 32 MiB and the last one.
 * RUN: %check --check-prefix=JSON <json
 * JSON: "file": "in-a",
 * JSON-NEXT: "status": "crash",
 * JSON: "reason": "Segmentation fault in fall_down
 * JSON: "status": "timeout",
 * JSON: "status": "memory",
 * JSON: "memory": 34603008,
 * JSON: "reason": "over 32 MiB"
 * JSON: "status": "ok",
 * JSON: "restarts": 13,
 *
 * A file larger than allowed ends the run as well.
 * RUN: printf F >in-F; %slowpath measure %s --limit-file 1 in-F in-d | %check --check-prefix=LARGE
 * LARGE: in-F crash {{.*}} (it writes more than --limit-file allows
 * LARGE: in-d ok 6 1
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char *volatile kept;
static int *volatile nowhere;

__attribute__((noinline)) static void fall_down(void) {
    *nowhere = 1;
}

__attribute__((noinline)) static int descend(volatile char *above) {
    volatile char room[1000];
    room[0] = above ? (char)(above[0] + 1) : 0;
    return descend(room) + room[0];
}

static void eat(size_t bytes) {
    for (;;)
        kept = malloc(bytes);
}

static void fill_file(void) {
    static const char megabyte[1 << 20];
    FILE *file = tmpfile();
    for (int i = 0; i < 3; i++)
        fwrite(megabyte, 1, sizeof megabyte, file);
    fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size)
        return 0;
    switch (data[0]) {
    case 'a':
        fall_down();
        break;
    case 'b':
        for (;;)
            kept = NULL;
    case 'c':
        eat(1 << 20);
        break;
    case 'e':
        abort();
    case 'g':
        __builtin_trap();
    case 'i':
        return descend(NULL);
    case 'k':
        kill(getpid(), SIGKILL);
        break;
    case 'l': /* freed twice */
        kept = malloc(10);
        free(kept);
        free(kept);
        break;
    case 'F':
        fill_file();
        break;
    }
    return 0;
}
