/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of bench/claims: programs that read their input in all the ways there are. CLAIM is the
 * name of the case.
 */
#include "claim.h"

#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <stdio_ext.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <wchar.h>

#define STDIN(name, bytes, alphabet) static long name(int argc, char **argv)
#define FILE(name, bytes, alphabet) static long name(int argc, char **argv)
#define ARG(name, bytes, alphabet) static long name(int argc, char **argv)

STDIN(lines_by_getline, 3, "a\n\0") {
    char *line = NULL;
    size_t room = 0;
    long sum = 0, got;
    while ((got = getline(&line, &room, stdin)) > 0)
        sum = sum * 3 + got;
    return sum;
}

STDIN(records_by_getdelim, 3, "a;b") {
    char *line = NULL;
    size_t room = 0;
    long sum = 1, got;
    while ((got = getdelim(&line, &room, ';', stdin)) > 0)
        sum = sum * 2 + (line[0] == 'a') + got;
    return sum;
}

STDIN(short_lines, 3, "a\n\0") {
    char line[3];
    long count = 0;
    while (fgets(line, sizeof line, stdin))
        count += 5 + (long)strlen(line);
    return count;
}

STDIN(put_back, 2, "ab1") {
    int c = getchar();
    ungetc(c == 'a' ? '7' : c, stdin);
    int n = 0;
    int got = scanf("%d", &n);
    return got * 8 + 8 + n + (getchar() == 'b' ? 3 : 0);
}

STDIN(read_twice, 2, "ab\n") {
    char one[4] = "", two[4] = "";
    fgets(one, sizeof one, stdin);
    rewind(stdin);
    fgets(two, 2, stdin);
    return (long)strlen(one) * 4 + (two[0] == 'b');
}

STDIN(sought_by_input, 3, "\0\1\2a") {
    int first = getchar();
    fseek(stdin, first & 3, SEEK_SET);
    int c = getchar();
    return (c == EOF ? 20 : c == 'a' ? 9 : 3) + ftell(stdin);
}

STDIN(sought_from_end, 3, "ab") {
    fseek(stdin, -1, SEEK_END);
    int last = getchar();
    fseek(stdin, -2, SEEK_CUR);
    return (last == 'b') * 8 + (getchar() == 'a') * 3;
}

STDIN(place_remembered, 2, "ab") {
    fpos_t place;
    getchar();
    fgetpos(stdin, &place);
    int second = getchar();
    fsetpos(stdin, &place);
    return (getchar() == second) + (second == 'a' ? 8 : 2);
}

STDIN(unbuffered, 2, "ab") {
    setvbuf(stdin, NULL, _IONBF, 0);
    int first = getchar();
    char second = 0;
    read(0, &second, 1);
    return (first == 'a') * 4 + (second == 'a') * 9;
}

STDIN(items, 3, "\0\1a") {
    short items[2] = {0};
    size_t got = fread(items, sizeof *items, 2, stdin);
    return (long)got * 8 + (items[0] > 255) + 2 * (items[1] != 0);
}

STDIN(scattered, 3, "ab\0") {
    char one[1], two[4] = "";
    struct iovec parts[2] = {{one, 1}, {two, 3}};
    long got = readv(0, parts, 2);
    return got * 8 + (one[0] == 'a') + 2 * (long)strlen(two);
}

STDIN(by_place, 3, "ab") {
    char a, b;
    pread(0, &a, 1, 2);
    read(0, &b, 1);
    return (a == 'a') * 3 + (b == 'a') * 9;
}

STDIN(mapped, 2, "ab") {
    const char *text = mmap(NULL, 2, PROT_READ, MAP_PRIVATE, 0, 0);
    return text == MAP_FAILED ? 60 : (text[1] == 'a') * 9 + (text[0] == 'b') * 3;
}

STDIN(duplicated, 2, "ab") {
    char c = 0, d = 0;
    int other = dup(0);
    read(other, &c, 1);
    read(0, &d, 1);
    return (c == 'a') * 3 + (d == 'b') * 9;
}

STDIN(another_stream, 2, "ab\n") {
    FILE *in = fdopen(dup(0), "r");
    char line[8] = "";
    fgets(line, sizeof line, in);
    return (long)strlen(line) * 4 + (line[0] == 'a');
}

STDIN(by_its_name, 2, "ab") {
    int in = open("/dev/stdin", O_RDONLY);
    char c[2] = "";
    read(in, c, 2);
    return (c[0] == 'a') * 3 + (c[1] == 'b') * 9;
}

STDIN(by_its_number, 2, "ab") {
    FILE *in = fopen("/proc/self/fd/0", "r");
    int c = in ? getc(in) : 'x';
    return c == 'a' ? 3 : 9;
}

STDIN(reopened, 1, "") {
    FILE *in = freopen("/proc/self/fd/0", "r", stdin);
    return in && getc(in) > 99 ? 3 : 9;
}

STDIN(waited_for, 1, "") {
    struct pollfd wait = {.fd = 0, .events = POLLIN};
    char c = 0;
    if (poll(&wait, 1, 0) == 1)
        read(0, &c, 1);
    return c == 'a' ? 3 : 9;
}

STDIN(selected, 1, "") {
    fd_set set;
    FD_ZERO(&set);
    FD_SET(0, &set);
    struct timeval none = {0};
    int got = select(1, &set, NULL, NULL, &none);
    return got + (getchar() > 'a' ? 3 : 9);
}

STDIN(how_many_are_there, 2, "ab") {
    int count = 0;
    ioctl(0, FIONREAD, &count);
    return count + (getchar() == 'b') * 9;
}

STDIN(words_scanned, 3, "a \n1") {
    char word[8];
    long sum = 0;
    while (scanf("%2s", word) == 1)
        sum = sum * 3 + (long)strlen(word);
    return sum;
}

STDIN(numbers_scanned, 3, "0-1 a") {
    int n;
    long sum = 0, got;
    while ((got = scanf("%d", &n)) == 1)
        sum = sum * 4 + (n & 3);
    return sum + (got == 0) * 32;
}

STDIN(line_and_number, 3, "1a\n ") {
    char line[8] = "";
    int n = 0;
    scanf("%7[^\n]", line);
    getchar();
    int got = scanf("%d", &n);
    return (long)strlen(line) * 8 + got + 1 + 2 * n;
}

STDIN(wide_line, 3, "a\n\0") {
    wchar_t line[8];
    long count = 0;
    while (fgetws(line, 3, stdin))
        count += 4 + (long)wcslen(line);
    return count;
}

STDIN(wide_by_request, 2, "a\n1") {
    fwide(stdin, 1);
    wint_t first = getwchar();
    return first == L'a' ? 9 : fwide(stdin, 0) * 3 + (getwchar() == L'1');
}

STDIN(wide_written_and_read, 1, "aq") {
    FILE *file = tmpfile();
    fputwc(L'q', file);
    rewind(file);
    return fgetwc(file) == (wint_t)getchar() ? 9 : 3;
}

STDIN(wide_characters, 2, "ab1") {
    wint_t c;
    long sum = 0;
    while ((c = getwchar()) != WEOF)
        sum = sum * 3 + (c == L'a' ? 1 : 2);
    return sum;
}

STDIN(wide_scanned, 3, "1a \n") {
    int n = 0;
    wchar_t word[8] = L"";
    int got = wscanf(L"%d%7ls", &n, word);
    return (got + 1) * 16 + n % 4 * 4 + (long)wcslen(word);
}

STDIN(wide_printed, 1, "") {
    int count = wprintf(L"%d\n", getchar());
    return count * 4;
}

STDIN(wide_printed_text, 2, "ab\0") {
    char text[3] = "";
    read(0, text, 2);
    return fwprintf(stdout, L"[%s]", text) * 4;
}

STDIN(state_of_stream, 2, "a\0") {
    long sum = 0;
    while (!feof(stdin) && !ferror(stdin))
        sum = sum * 2 + (getchar() == 'a') + 1;
    return sum;
}

STDIN(end_of_program, 1, "") {
    extern void at_the_end(void);
    extern char *kept;
    static char c;
    kept = &c;
    c = (char)getchar();
    atexit(at_the_end);
    return 1;
}
char *kept;
void at_the_end(void) {
    work(*kept == 'x' ? 30 : 3);
}

STDIN(written_and_read, 1, "") {
    int c = getchar(), pipes[2];
    char d = 0;
    pipe(pipes);
    write(pipes[1], &(char){(char)c}, 1);
    read(pipes[0], &d, 1);
    return d == 'a' ? 9 : 3;
}

STDIN(file_and_back, 1, "") {
    FILE *file = tmpfile();
    if (!file)
        return 60;
    fputc(getchar(), file);
    rewind(file);
    return fgetc(file) == 'a' ? 9 : 3;
}

STDIN(length_of_output, 2, "ab\0") {
    char text[3] = "";
    read(0, text, 2);
    FILE *file = tmpfile();
    fputs(text, file);
    return ftell(file) * 4;
}

STDIN(memory_stream, 2, "ab\n") {
    char text[3] = "", line[4] = "";
    read(0, text, 2);
    FILE *file = fmemopen(text, 2, "r");
    fgets(line, sizeof line, file);
    return (long)strlen(line) * 4 + (line[0] == 'a');
}

STDIN(memory_stream_written, 2, "ab\0") {
    char text[3] = "", *out = NULL;
    size_t count = 0;
    read(0, text, 2);
    FILE *file = open_memstream(&out, &count);
    fputs(text, file);
    fclose(file);
    return (long)count * 4 + (out[0] == 'a');
}

FILE(size_of_file, 2, "ab") {
    struct stat st;
    stat(argv[1], &st);
    FILE *in = fopen(argv[1], "r");
    return st.st_size * 8 + (in ? getc(in) == 'a' : 5);
}

FILE(file_mapped, 2, "ab") {
    int in = open(argv[1], O_RDONLY);
    const char *text = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, in, 0);
    return text == MAP_FAILED ? 60 : (text[1] == 'a') * 9 + (text[0] == 'b') * 3;
}

FILE(file_opened_twice, 2, "ab") {
    FILE *one = fopen(argv[1], "r"), *two = fopen(argv[1], "r");
    getc(one);
    int a = getc(one), b = getc(two);
    return (a == 'a') * 3 + (b == 'a') * 9;
}

FILE(file_by_link, 2, "ab") {
    char name[64];
    symlink(argv[1], "a-link");
    int in = open("a-link", O_RDONLY);
    char c = 0;
    read(in, &c, 1);
    snprintf(name, sizeof name, "/proc/self/fd/%d", in);
    int again = open(name, O_RDONLY);
    char d[2] = "";
    read(again, d, 2);
    return (c == 'a') * 3 + (d[1] == 'a') * 9;
}

FILE(file_replaced, 2, "ab") {
    FILE *in = freopen(argv[1], "r", stdin);
    return in && getchar() == 'a' ? getchar() == 'b' ? 12 : 3 : 9;
}

FILE(file_changed, 2, "ab") {
    int file = open(argv[1], O_RDWR);
    char c = 'x';
    pwrite(file, "a", 1, 0);
    pread(file, &c, 1, 1);
    return c == 'b' ? 9 : 3;
}

ARG(word, 2, "a-b\0") {
    return (long)strlen(argv[1]) * 4 + (argv[1][0] == '-');
}

ARG(word_as_number, 2, "0129x") {
    return atoi(argv[1]) & 63;
}

ARG(word_as_option, 2, "-abc") {
    int option = getopt(argc, argv, "ab:");
    return (option & 31) + (optarg ? 3 : 0);
}

ARG(word_by_the_system, 2, "ab") {
    char all[4096] = "";
    int in = open("/proc/self/cmdline", O_RDONLY);
    long got = read(in, all, sizeof all);
    return got > 2 && all[got - 2] == 'a' ? 9 : 3;
}

ARG(word_as_file, 2, "/.a") {
    return access(argv[1], F_OK) == 0 ? 9 : 3;
}

ARG(word_changed, 2, "ab") {
    argv[1][0]++;
    return argv[1][0] == 'b' ? 9 : 3;
}

STDIN(read_ahead_in_own_buffer, 2, "ab\n") {
    static char buf[64];
    setvbuf(stdin, buf, _IOFBF, sizeof buf);
    getchar();
    return buf[1] == 'b' ? 9 : 4;
}

STDIN(read_ahead_in_stream, 2, "ab\n") {
    getchar();
    return *stdin->_IO_read_ptr == 'b' ? 9 : 4;
}

STDIN(written_in_own_buffer, 2, "ab\n") {
    static char buf[64];
    setvbuf(stdout, buf, _IOFBF, sizeof buf);
    putchar(getchar());
    return buf[0] == 'b' ? 9 : 4;
}

STDIN(position_after_line, 2, "ab\n\0") {
    char line[8];
    if (!fgets(line, sizeof line, stdin))
        return 3;
    printf("%s", line);
    return ftell(stdout);
}

STDIN(pending_line, 2, "ab\n\0") {
    char line[8];
    if (!fgets(line, sizeof line, stdin))
        return 3;
    fputs(line, stdout);
    return __fpending(stdout);
}

STDIN(without_lock, 2, "ab\n") {
    int a = getchar_unlocked(), b = getc_unlocked(stdin);
    return a == 'a' ? 5 : b == 'b' ? 9 : 4;
}

STDIN(without_lock_to_end, 2, "ab\n") {
    int a = fgetc_unlocked(stdin), b = fgetc_unlocked(stdin);
    return a == 'a' ? 5 : b == 'b' ? 9 : feof_unlocked(stdin) + 1;
}

STDIN(line_and_bytes_without_lock, 2, "ab\n") {
    char *l = NULL;
    size_t n = 0;
    long k = getline(&l, &n, stdin);
    putchar_unlocked(*l);
    putc_unlocked(*l, stdout);
    fputc_unlocked(*l, stdout);
    return k;
}

STDIN(number_of_two_bytes, 2, "1 \n") {
    return atoi((char[]){(char)getchar(), (char)getchar(), 0}) + atof("1");
}

int main(int argc, char **argv) {
    work(CLAIM(argc, argv));
    return 0;
}
