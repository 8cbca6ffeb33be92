/* SPDX-License-Identifier: Apache-2.0
 *
 * A run that writes where it should not costs its own result and no other: past the end of a
 * variable, over everything it shares with the engine, over results that are already there, over
 * the size of the memory file; or that ends its own server. One that closes all files it does not
 * know harms nobody, not even itself.
 *
 * RUN: for c in a b c d e f g h i j k l m n o; do printf $c >in-$c; done
 * RUN: %slowpath measure %s in-? --json json >table; %check <table
 * RUN: %slowpath measure %s in-? --fresh | %check
 * CHECK: in-a crash {{.*}} (Segmentation fault in overflow
 * CHECK-NEXT: in-b ok [[#BASE:]] 1
 * CHECK-NEXT: in-c crash {{.*}} (it wrote over memory that it shares with slowpath)
 * CHECK-NEXT: in-d ok [[#BASE]] 1
 * CHECK-NEXT: in-e crash
 * CHECK-NEXT: in-f ok [[#BASE]] 1
 * CHECK-NEXT: in-g crash {{.*}} (Killed)
 * CHECK-NEXT: in-h ok
 * CHECK-NEXT: in-i crash {{.*}} (it wrote over memory that it shares with slowpath)
 * CHECK-NEXT: in-j ok [[#BASE]] 1
 * CHECK-NEXT: in-k ok
 * CHECK-NEXT: in-l ok
 * CHECK-NEXT: in-m ok [[#BASE]] 1
 * CHECK-NEXT: in-n crash {{.*}} (Segmentation fault in underflow
 * CHECK-NEXT: in-o crash {{.*}} (Segmentation fault in overflow
 *
 * A search goes on as well, and names what went wrong.
 * RUN: %slowpath run %s --size 1 --runs 300 --time 10 --seed 1 --quiet --out s >found
 * RUN: grep -q 'faults/' found; [ -s s/suite.json ]; %slowpath replay s >/dev/null
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char room[64], filled[64] = {1};

__attribute__((noinline)) static void overflow(volatile char *from) {
    for (int i = 0; i < 1 << 20; i++)
        from[i] = -1;
}

__attribute__((noinline)) static void underflow(volatile char *from) {
    for (int i = 0; i < 1 << 20; i++)
        from[-i] = -1;
}

/* All shared memory that can be written, or only the mapping number ONLY. */
static void scribble(int only) {
    unsigned long first[100], last[100], from, to;
    char line[512], access[8];
    int count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && count < 100 && fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %7s", &from, &to, access) == 3 && access[1] == 'w' &&
            access[3] == 's')
            first[count] = from, last[count++] = to;
    for (int i = 0; i < count; i++)
        for (unsigned long at = first[i]; at < last[i] && (only < 0 || i == only); at += 8)
            *(volatile unsigned long *)at = 0x4141414141414141ul;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    switch (size ? data[0] : 0) {
    case 'a':
        overflow(room);
        break;
    case 'c':
        scribble(-1);
        break;
    case 'e': /* the counters alone */
        scribble(0);
        break;
    case 'g':
        kill(getppid(), SIGKILL);
        for (;;)
            pause();
    case 'h': /* closed, and sealed */
        (void)!ftruncate(198, 0);
        break;
    case 'k':
        for (int fd = 3; fd < 1024; fd++)
            close(fd);
        break;
    case 'n':
        underflow(room);
        break;
    case 'o':
        overflow(filled);
        break;
    case 'l':
        close_range(3, ~0u, 0);
        break;
    case 'i':
        memset((char *)0x20c000000000, 0, 4096);
        break;
    }
    return 0;
}
