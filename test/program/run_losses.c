/* SPDX-License-Identifier: Apache-2.0
 *
 * Data of the input that leaves what is followed: each way is counted by name, and no search that
 * has met one calls itself complete. In every function here a single byte decides about work that
 * no decision of the trace leads to.
 *
 * RUN: lost() { %slowpath run %s --entry "$1(s[2])" --strategy exhaustive --runs 60 --out s --force --quiet >out; \
 * RUN:   grep -q '"complete": false' s/suite.json || { echo "$1 is complete"; cat out; exit 1; }; \
 * RUN:   grep -q "$2" out || { echo "$1: no '$2'"; cat out; exit 1; }; }
 * RUN: lost by_pipe 'not complete: input data was lost in what was written and read back (1 run)'
 * RUN: grep -q '"what was written and read back": 1' s/suite.json
 * RUN: lost by_file 'what was written and read back'
 * RUN: lost by_stream 'what was written and read back'
 * RUN: lost by_memory_stream 'a stream in memory'
 * RUN: lost by_memory_file 'a stream in memory'
 * RUN: lost by_shared_memory 'shared memory (mmap)'
 * RUN: lost by_text_in_memory 'a stream in memory'
 * RUN: lost by_end 'what was written and read back'
 * RUN: lost by_position 'ftell'
 * RUN: lost by_offset 'lseek'
 * RUN: lost by_size 'the size of a file that was written'
 * RUN: lost by_exception 'fetestexcept'
 * RUN: lost by_thread 'pthread_create'
 * RUN: lost by_process 'fork'
 * RUN: lost by_unknown 'memfrob'
 * RUN: lost by_inner_pointer 'sendmsg'
 * RUN: lost by_pointer 'memfrob'
 * RUN: lost by_variadic_pointer 'ioctl'
 * RUN: lost by_lookup 'dlsym'
 * RUN: lost by_own_memory 'what /proc tells of the process'
 * RUN: lost by_advice 'madvise'
 * RUN: lost by_option 'prctl'
 * RUN: lost by_assembly 'inline assembly'
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static volatile int spent;

static void work(int is_costly) {
    for (int i = 0; is_costly && i < 50; i++)
        spent++;
}

/* ---- lost ---- */

void by_pipe(unsigned char *s) {
    int ends[2];
    unsigned char byte = 0;
    if (pipe(ends) || write(ends[1], s, 1) != 1 || read(ends[0], &byte, 1) != 1)
        abort();
    close(ends[0]);
    close(ends[1]);
    work(byte == 'x');
}

void by_file(unsigned char *s) {
    FILE *file = tmpfile();
    fprintf(file, "%c%d", s[0], 1);
    rewind(file);
    work(fgetc(file) == 'x');
    fclose(file);
}

void by_stream(unsigned char *s) {
    char line[8];
    FILE *file = tmpfile();
    fputc(s[0], file);
    rewind(file);
    work(fgets(line, sizeof line, file) && line[0] == 'x');
    fclose(file);
}

void by_memory_stream(unsigned char *s) {
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    fputc(s[0], file);
    fclose(file);
    work(text[0] == 'x');
    free(text);
}

void by_memory_file(unsigned char *s) {
    FILE *file = fmemopen(s, 2, "r");
    work(fgetc(file) == 'x');
    fclose(file);
}

void by_own_memory(unsigned char *s) {
    unsigned char byte = 0;
    int fd = open("/proc/self/mem", O_RDONLY);
    if (pread(fd, &byte, 1, (off_t)(uintptr_t)s) != 1)
        abort();
    close(fd);
    work(byte == 'x');
}

void by_advice(unsigned char *s) {
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    page[0] = (char)s[0];
    madvise(page, 4096, MADV_DONTNEED);
    work(page[0] == 'x');
}

void by_option(unsigned char *s) {
    char name[16] = {0, (char)s[0]}, now[16];
    prctl(PR_SET_NAME, name);
    prctl(PR_GET_NAME, now);
    work(now[0] == 'x');
}

void by_shared_memory(unsigned char *s) {
    int fd = memfd_create("shared", 0);
    if (ftruncate(fd, 4096))
        abort();
    char *one = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    char *two = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    one[0] = (char)s[0];
    work(two[0] == 'x');
    close(fd);
}

/* Nothing symbolic goes out in the first run: where the text ends is what depends on the input. */
void by_text_in_memory(unsigned char *s) {
    char text[2] = {(char)s[0], 0}, *written;
    size_t size;
    FILE *file = open_memstream(&written, &size);
    fputs(text, file);
    fclose(file);
    work(size == 1);
    free(written);
}

void by_end(unsigned char *s) {
    int ends[2];
    char byte;
    if (pipe(ends))
        abort();
    FILE *file = fdopen(ends[1], "w");
    fwrite("abc", 1, s[0] & 3, file);
    fclose(file);
    work(read(ends[0], &byte, 1) == 1);
    close(ends[0]);
}

void by_position(unsigned char *s) {
    FILE *file = tmpfile();
    fprintf(file, "%d", s[0]);
    work(ftell(file) == 3);
    fclose(file);
}

void by_offset(unsigned char *s) {
    FILE *file = tmpfile();
    fprintf(file, "%d", s[0]);
    fflush(file);
    work(lseek(fileno(file), 0, SEEK_END) == 3);
    fclose(file);
}

void by_size(unsigned char *s) {
    struct stat status;
    FILE *file = tmpfile();
    fprintf(file, "%d", s[0]);
    fflush(file);
    work(fstat(fileno(file), &status) == 0 && status.st_size == 3);
    fclose(file);
}

void by_exception(unsigned char *s) {
    volatile double three = 3, third = s[0] / three;
    work(fetestexcept(FE_INEXACT) && third < 1);
}

static void *start(void *byte) {
    work(*(unsigned char *)byte == 'x');
    return NULL;
}

void by_thread(unsigned char *s) {
    pthread_t thread;
    pthread_create(&thread, NULL, start, s);
    pthread_join(thread, NULL);
}

void by_process(unsigned char *s) {
    int status = 0, child = fork();
    if (!child)
        _exit(s[0]);
    waitpid(child, &status, 0);
    work(WEXITSTATUS(status) == 'x');
}

/* The symbolic byte lies behind a NUL. */
void by_unknown(unsigned char *s) {
    char text[3] = {0, (char)s[0], 0};
    memfrob(text, 3);
    work(text[1] == ('x' ^ 42));
}

void by_inner_pointer(unsigned char *s) {
    char text[3] = {0, (char)s[0], 0};
    struct iovec part = {text, 3};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    work(sendmsg(-1, &message, 0) == 0);
}

void by_pointer(unsigned char *s) {
    void *(*volatile function)(void *, size_t) = memfrob;
    char text[3] = {0, (char)s[0], 0};
    function(text, 3);
    work(text[1] == ('x' ^ 42));
}

/* What stands behind `...` goes with the call, too. */
void by_variadic_pointer(unsigned char *s) {
    int (*volatile function)(int, unsigned long, ...) = ioctl;
    work(function(-1, 0, s[0], 'x') == -1 && errno != EBADF);
}

void by_lookup(unsigned char *s) {
    int (*function)(int) = (int (*)(int))dlsym(RTLD_DEFAULT, "toupper");
    work(function && function(s[0]) == 'X');
}

void by_assembly(unsigned char *s) {
    unsigned char bytes[2] = {0, s[0]}, byte;
    __asm__("movb 1(%1), %0" : "=r"(byte) : "r"(bytes) : "memory");
    work(byte == 'x');
}

/* ---- fixed ---- */

void by_number(unsigned char *s) {
    char text[3] = {'1', (char)s[0], 0};
    work(strtod(text, NULL) > 15);
}

static char global[3] = "1";

void by_number_in_global(unsigned char *s) {
    global[1] = (char)s[0];
    work(strtod(global, NULL) > 15);
}

void by_result(unsigned char *s) {
    work(ffs(s[0]) == 4);
}

void by_callee(unsigned char *s) {
    double (*volatile function)(const char *) = atof;
    char text[2] = {(char)s[0], 0};
    work(function(text) > 5);
}

void by_printed(unsigned char *s) {
    work(putchar(s[0]) == 'x');
}

void by_digits(unsigned char *s) {
    char text[8];
    sprintf(text, "%d", s[0]);
    work(text[2] == '9');
}

void by_date(unsigned char *s) {
    time_t time = s[0] * 86400L;
    work(gmtime(&time)->tm_mon == 5);
}

void by_month(unsigned char *s) {
    struct tm date = {.tm_year = 100, .tm_mon = s[0] & 15};
    char text[8];
    work(strftime(text, sizeof text, "%b", &date) == 3 && text[0] == 'A');
}

void by_seed(unsigned char *s) {
    unsigned seed = s[0];
    work(rand_r(&seed) % 16 == 3);
}

/* The byte keeps its expression. */
void by_copied_text(unsigned char *s) {
    char text[8];
    snprintf(text, sizeof text, "<%c>", s[0]);
    work(text[1] == 'x');
}

/* What is printed over a symbolic byte is not symbolic any more. */
void by_stale_text(unsigned char *s) {
    char text[4] = {(char)s[0], (char)s[0], (char)s[0], 0};
    snprintf(text, sizeof text, "%s", "ab");
    work(text[1] == 'b' && text[2] == 0);
}

/* ---- the input ---- */

int main(int argc, char **argv) {
    char bytes[2] = "";
    struct iovec part = {bytes, 2};
    wchar_t wide = 0;
    const char *way = argc > 1 ? argv[1] : "";
    if (strcmp(way, "getw") == 0)
        work(getw(stdin) == 0);
    else if (strcmp(way, "wide") == 0)
        work(wscanf(L"%lc", &wide) == 1 && wide == L'x');
    else if (strcmp(way, "syscall") == 0)
        work(syscall(SYS_read, 0, bytes, 2) == 2 && bytes[1] == 'x');
    else if (strcmp(way, "preadv") == 0)
        work(preadv(0, &part, 1, 0) == 2 && bytes[1] == 'x');
    else
        work(getchar() == 'x' && fwscanf(stdin, L"%lc", &wide) == 1);
    return 0;
}
