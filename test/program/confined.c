/* SPDX-License-Identifier: Apache-2.0
 *
 * A target cannot touch the user's files, reach the network or signal others, unless the user
 * says so. It can read files named by relative paths, and write temporary files of every kind,
 * which the next run does not see.
 *
 * RUN: echo precious >kept; mkdir folder; echo data >folder/data; chmod 644 folder/data
 * RUN: for c in a b c d e f g h i j k l; do printf $c >in-$c; done
 * RUN: %slowpath measure %s in-? --measure count:good >out 2>err; %check <out; %check --check-prefix=WARN <err
 * WARN: warning: the target wanted to write to a file outside of its own folder
 * RUN: %slowpath measure %s in-? --measure count:good --fresh 2>/dev/null | %check
 * RUN: SLOWPATH_FAULT=landlock:1 %slowpath measure %s in-? --measure count:good 2>/dev/null | %check
 * CHECK: in-a ok {{.*}} 0 {{[0-9.]+}} ms
 * CHECK-NEXT: in-b ok {{.*}} 0 {{[0-9.]+}} ms
 * CHECK-NEXT: in-c ok {{.*}} 0 {{[0-9.]+}} ms
 * CHECK-NEXT: in-d ok {{.*}} 0 {{[0-9.]+}} ms
 * CHECK-NEXT: in-e ok {{.*}} 0 {{[0-9.]+}} ms
 * CHECK-NEXT: in-f ok {{.*}} 0 {{[0-9.]+}} ms
 * CHECK-NEXT: in-g ok {{.*}} 1 {{[0-9.]+}} ms
 * CHECK-NEXT: in-h ok {{.*}} 1 {{[0-9.]+}} ms
 * CHECK-NEXT: in-i ok {{.*}} 1 {{[0-9.]+}} ms
 * CHECK-NEXT: in-j ok {{.*}} 1 {{[0-9.]+}} ms
 * CHECK-NEXT: in-k ok {{.*}} 1 {{[0-9.]+}} ms
 * CHECK-NEXT: in-l ok {{.*}} 1 {{[0-9.]+}} ms
 * RUN: grep -q precious kept; grep -q data folder/data; [ "$(stat -c %a folder/data)" = 644 ]; [ ! -e made ]; [ ! -e /tmp/slowpath_confined_made ]
 *
 * RUN: %slowpath measure %s in-a in-b in-g --measure count:good --unconfined 2>err | %check --check-prefix=FREE
 * FREE: in-a ok
 * FREE-NEXT: in-b ok {{.*}} 1 {{[0-9.]+}} ms
 * FREE-NEXT: in-g ok {{.*}} 1 {{[0-9.]+}} ms
 * RUN: if grep "wanted to write" err; then exit 1; fi; [ ! -e kept ]
 */
#include <fcntl.h>
#include <signal.h>
#include <slowpath.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static int can_write(const char *path) {
    FILE *file = fopen(path, "w");
    if (file)
        fclose(file);
    return file != NULL;
}

/* Was not there, can be written, can be read again. */
static int can_keep(const char *path) {
    FILE *file = fopen(path, "r");
    if (file || !can_write(path) || !(file = fopen(path, "r")))
        return 0;
    fclose(file);
    return 1;
}

static int can_keep_in_folder(void) {
    char path[4096];
    snprintf(path, sizeof path, "%s/left", getenv("TMPDIR"));
    return can_keep(path);
}

static int can_make_temporary(void) {
    char name[] = "/tmp/slowpath_confined_XXXXXX";
    int fd = mkstemp(name);
    FILE *file = tmpfile();
    int good = fd >= 0 && file && write(fd, "x", 1) == 1 && fputc('x', file) == 'x';
    return good && close(fd) == 0 && fclose(file) == 0 && unlink(name) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    int good = 0;
    switch (size ? data[0] : 0) {
    case 'a':
        good = unlink("kept") == 0 || truncate("kept", 0) == 0 || rename("kept", "folder/x") == 0;
        break;
    case 'b':
        good = can_write("made") && unlink("made") == 0;
        break;
    case 'c':
        good = mkdir("made", 0777) == 0;
        break;
    case 'd':
        good = open("folder/data", O_RDWR) >= 0;
        chmod("folder/data", 0), chmod(".", 0);
        break;
    case 'e':
        good = socket(AF_INET, SOCK_STREAM, 0) >= 0 || socket(AF_INET6, SOCK_DGRAM, 0) >= 0;
        break;
    case 'f':
        good = kill(-1, 0) == 0;
        break;
    case 'g':
        good = open("folder/data", O_RDONLY) >= 0;
        break;
    case 'h':
    case 'i':
        good = can_keep("/tmp/slowpath_confined_made");
        break;
    case 'j':
    case 'k':
        good = can_keep_in_folder();
        break;
    case 'l':
        good = can_make_temporary() && can_write("/dev/null");
        break;
    }
    slowpath_count("good", good);
    return 0;
}
