/* SPDX-License-Identifier: Apache-2.0
 *
 * `files` is how many files were open at the same time, at most: those that the program opened
 * itself, by any of the library's ways, whatever it left open. Files left open are closed between
 * runs, so that the numbers of descriptors repeat too.
 *
 * RUN: for i in 0 1 2 3 4 5 6; do printf $i >in-$i; done
 * RUN: for mode in '' --fresh '--repeat 2000'; do
 * RUN:   %slowpath measure %s --measure files $mode in-0 in-1 in-2 in-3 in-4 in-5 in-6 | %check
 * RUN: done
 * CHECK: in-0 {{.*}} 1 {{[0-9.]+}} ms
 * CHECK-NEXT: in-1 {{.*}} 1 {{[0-9.]+}} ms
 * CHECK-NEXT: in-2 {{.*}} 3 {{[0-9.]+}} ms
 * CHECK-NEXT: in-3 {{.*}} 2 {{[0-9.]+}} ms
 * CHECK-NEXT: in-4 {{.*}} 1 {{[0-9.]+}} ms
 * CHECK-NEXT: in-5 {{.*}} 4 {{[0-9.]+}} ms
 * CHECK-NEXT: in-6 {{.*}} 1 {{[0-9.]+}} ms
 */
#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    int fds[2], first = open("/dev/null", O_RDONLY);
    close(first); /* the lowest free descriptor: the same in every run */
    if (size == 0 || data[0] == '0')
        return first; /* it was open, alone */
    switch (data[0]) {
    case '1': /* one after the other */
        for (int i = 0; i < 5; i++)
            close(open("/dev/null", O_RDONLY));
        return 0;
    case '2': /* three at once, left open */
        for (int i = 0; i < 3; i++)
            if (open("/dev/null", O_RDONLY) != first + i)
                __builtin_trap();
        return 0;
    case '3': { /* streams */
        FILE *a = fopen("/dev/null", "r"), *b = tmpfile();
        fclose(a);
        fclose(b);
        return 0;
    }
    case '4': { /* a folder */
        DIR *folder = opendir("/");
        closedir(folder);
        return 0;
    }
    case '5': /* a pipe, its copy, a socket */
        if (pipe(fds) != 0)
            return 1;
        dup(fds[0]);
        socket(AF_UNIX, SOCK_STREAM, 0);
        return 0;
    }
    return open("/nonexistent", O_RDONLY) >= 0;
}
