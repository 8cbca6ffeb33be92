/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of bench/claims: library functions whose arguments begin with what is known, or of which
 * only a rarely used part sees the input.
 */
#include "claim.h"

#include <argz.h>
#include <arpa/inet.h>
#include <ctype.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <getopt.h>
#include <glob.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <monetary.h>
#include <netinet/in.h>
#include <printf.h>
#include <regex.h>
#include <search.h>
#include <stdarg.h>
#include <stdio_ext.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <uchar.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>
#include <wordexp.h>

CASE(strtod_tail, 2, "0.5ex\0") {
    char text[6] = {'1', '.', (char)s[0], (char)s[1], 0}, *end;
    double d = strtod(text, &end);
    return (end - text) * 8 + (d > 1.2) + 2 * (d > 1.5);
}

CASE(strtod_exponent_tail, 2, "01-+9x") {
    char text[6] = {'2', 'e', (char)s[0], (char)s[1], 0}, *end;
    double d = strtod(text, &end);
    return (end - text) * 8 + (d > 20) + 2 * (d < 1);
}

CASE(strtof_nan_tail, 2, "n(a)x") {
    char text[8] = {'n', 'a', (char)s[0], (char)s[1], 0}, *end;
    float f = strtof(text, &end);
    return (end - text) * 8 + (f != f);
}

CASE(scanned_tail, 2, "0 5,a\0") {
    char text[6] = {'4', ',', (char)s[0], (char)s[1], 0};
    int a = 0, b = 0, n = -1;
    int got = sscanf(text, "%d,%d%n", &a, &b, &n);
    return got * 16 + (b > 4) + 2 * (b > 10) + 4 * (n > 3);
}

CASE(scanned_with_width, 3, "0a x") {
    char text[8] = {'k', '=', (char)s[0], (char)s[1], (char)s[2], 0}, name[4] = "", value[4] = "";
    int got = sscanf(text, "%3[^=]=%2s", name, value);
    return got * 8 + (long)strlen(value);
}

CASE(scanned_pointers, 2, "0a1x") {
    char text[8] = {'0', 'x', (char)s[0], (char)s[1], 0};
    void *p = NULL;
    int got = sscanf(text, "%p", &p);
    return got * 8 + 8 + ((uintptr_t)p > 9) + 2 * ((uintptr_t)p > 100);
}

CASE(scanned_allocated, 3, "a 1\0") {
    char text[4] = {(char)s[0], (char)s[1], (char)s[2], 0}, *word = NULL;
    int got = sscanf(text, "%ms", &word);
    return got < 0 ? 3 : 8 * got + (word ? (long)strlen(word) : 0);
}

CASE(pattern_tail, 2, "ab*?[") {
    char text[6] = {'x', '.', (char)s[0], (char)s[1], 0};
    return fnmatch("x.[a-b]*", text, 0) ? 3 : fnmatch("*b", text, 0) ? 9 : 20;
}

CASE(pattern_itself_tail, 2, "ab*?]") {
    char pattern[6] = {'x', (char)s[0], (char)s[1], 0};
    return fnmatch(pattern, "xab", 0) ? 3 : 9;
}

CASE(expression_tail, 2, "ab1 ") {
    char text[6] = {'x', '=', (char)s[0], (char)s[1], 0};
    regex_t r;
    regmatch_t m[2];
    regcomp(&r, "^x=([a-z]+)", REG_EXTENDED);
    long n = regexec(&r, text, 2, m, 0) ? 3 : 5 + m[1].rm_eo;
    regfree(&r);
    return n;
}

CASE(expression_itself_tail, 1, "") {
    char pattern[6] = {'a', (char)s[0], 0};
    regex_t r;
    if (regcomp(&r, pattern, REG_EXTENDED | REG_NOSUB))
        return 40;
    long n = regexec(&r, "aab", 0, NULL, 0) ? 3 : 9;
    regfree(&r);
    return n;
}

CASE(address_tail, 2, "0159.x\0") {
    char text[16] = "10.0.0.";
    struct in_addr to = {0};
    text[7] = (char)s[0];
    text[8] = (char)s[1];
    int good = inet_pton(AF_INET, text, &to);
    return good * 8 + (ntohl(to.s_addr) & 7);
}

CASE(address_by_old_name, 2, "017x.\0") {
    char text[16] = "1.2.";
    struct in_addr to = {0};
    text[4] = (char)s[0];
    text[5] = (char)s[1];
    int good = inet_aton(text, &to);
    return good * 8 + (ntohl(to.s_addr) & 7);
}

CASE(address_printed, 1, "") {
    struct in_addr from = {htonl(0x0a000000u | s[0])};
    char text[INET_ADDRSTRLEN];
    return (long)strlen(inet_ntop(AF_INET, &from, text, sizeof text)) +
           (long)strlen(inet_ntoa(from));
}

CASE(environment_tail, 2, "ab=\0") {
    char text[6] = {'v', (char)s[0], (char)s[1], 0};
    setenv("CLAIM_NAME", text, 1);
    const char *now = getenv("CLAIM_NAME");
    return now ? (long)strlen(now) + 4 * (now[1] == 'a') : 20;
}

CASE(environment_by_put, 2, "ab=\0") {
    static char text[16];
    memcpy(text, "CLAIM_P=", 9);
    text[8] = (char)s[0];
    text[9] = (char)s[1];
    text[10] = 0;
    putenv(text);
    const char *now = getenv("CLAIM_P");
    return now ? (long)strlen(now) : 20;
}

static int by_context(const void *a, const void *b, void *context) {
    ++*(long *)context;
    return *(const byte *)a - *(const byte *)b;
}
CASE(sorted_with_context, 3, "\0\1\2") {
    byte v[5] = {1, s[0], 0, s[1], s[2]};
    long count = 0;
    qsort_r(v, 5, 1, by_context, &count);
    return count * 2 + (v[2] == 1);
}

static int same_byte(const void *a, const void *b) {
    return *(const byte *)a != *(const byte *)b;
}
CASE(found_in_row, 2, "\0\1\2\5") {
    byte v[8] = {1, 5, s[0], 7};
    size_t n = 4;
    byte *at = lfind(&s[1], v, &n, 1, same_byte);
    byte *added = lsearch(&s[0], v, &n, 1, same_byte);
    return (at ? at - v : 6) + 8 * (added - v) * 0 + 8 * (long)n % 32;
}

CASE(printed_tail, 2, "ab\0") {
    char text[6] = {'p', (char)s[0], (char)s[1], 0}, to[16];
    return snprintf(to, sizeof to, "<%s>", text) + 8 * (to[2] == 'a');
}

CASE(printed_numbers, 1, "") {
    char to[32];
    return snprintf(to, sizeof to, "%d:%x:%o:%u", s[0] - 100, s[0], s[0], s[0] * 100u);
}

CASE(printed_star, 2, "\0\1\5\12") {
    char to[64];
    int n = sprintf(to, "%*d|%.*s", s[0], 7, s[1], "abcdef");
    return n;
}

CASE(printed_sizes, 2, "\0\1\177\200\377") {
    char to[64];
    return sprintf(to, "%hhd %hu %lld %zx %jd", (int)s[0], s[1] << 9, (long long)s[0] << 33,
                   (size_t)s[1], (intmax_t)-s[0]);
}

CASE(printed_general, 2, "\0\1\12\377") {
    char to[64];
    return sprintf(to, "%g %.1f %e", s[0] / 4.0, s[1] * 10.0, s[0] * 1e3);
}

CASE(printed_percent, 1, "") {
    char to[32];
    return sprintf(to, "%c%%%-5c|%5.3s", s[0] ? s[0] : 'x', s[0], "abcdef") + (to[0] == 'q');
}

CASE(printed_with_n, 2, "a\0b") {
    char text[3] = {(char)s[0], (char)s[1], 0}, to[32];
    int at = 0;
    sprintf(to, "%s%n-tail", text, &at);
    return at + 8 * (long)strlen(to);
}

CASE(printed_allocated, 2, "a\0b") {
    char text[3] = {(char)s[0], (char)s[1], 0}, *to = NULL;
    int n = asprintf(&to, "[%s|%3d]", text, s[0]);
    return n + (to[1] == 'a');
}

CASE(options_tail, 2, "abx:-\0") {
    char word[6] = {'-', (char)s[0], (char)s[1], 0}, *words[] = {"p", word, "v", NULL};
    long sum = 0;
    int c;
    optind = 0;
    opterr = 0;
    while ((c = getopt(3, words, "ab:")) != -1)
        sum = sum * 3 + (c == 'a' ? 1 : c == 'b' ? 2 + (*optarg == 'v') : 4);
    return sum + optind * 8;
}

CASE(tokens_again, 3, "a,\0") {
    char text[6] = {'x', (char)s[0], (char)s[1], (char)s[2], 0}, *save = NULL;
    long sum = 0;
    for (char *at = strtok_r(text, ",", &save); at; at = strtok_r(NULL, ",", &save))
        sum = sum * 5 + (long)strlen(at);
    return sum;
}

CASE(separated_tail, 3, "a,\0") {
    char text[6] = {',', (char)s[0], (char)s[1], (char)s[2], 0}, *rest = text, *at;
    long sum = 0;
    while ((at = strsep(&rest, ",")))
        sum = sum * 3 + 1 + (long)strlen(at);
    return sum;
}

CASE(time_read_tail, 2, "0159:x") {
    char text[8] = {'1', '2', ':', (char)s[0], (char)s[1], 0}, *end;
    struct tm tm = {0};
    end = strptime(text, "%H:%M", &tm);
    return end ? tm.tm_min + (end - text) : 3;
}

CASE(time_written, 1, "") {
    struct tm tm = {.tm_year = 100, .tm_mday = 1, .tm_mon = s[0] % 12, .tm_wday = s[0] % 7};
    char to[32];
    return (long)strftime(to, sizeof to, "%B %A", &tm);
}

CASE(time_of_day, 1, "") {
    time_t t = s[0] * 3600L * 7;
    struct tm tm;
    gmtime_r(&t, &tm);
    return tm.tm_hour + (timegm(&tm) == t) * 32;
}

CASE(fields_of_argz, 3, "a,\0") {
    char text[6] = {'x', (char)s[0], (char)s[1], (char)s[2], 0}, *argz = NULL;
    size_t n = 0;
    argz_create_sep(text, ',', &argz, &n);
    return (long)n + 8 * (long)argz_count(argz, n);
}

CASE(words_expanded, 2, "a $\"") {
    char text[6] = {'x', (char)s[0], (char)s[1], 0};
    wordexp_t w;
    if (wordexp(text, &w, WRDE_NOCMD))
        return 40;
    long n = (long)w.we_wordc;
    wordfree(&w);
    return n;
}

CASE(wide_and_back, 2, "a\0\200\303\251") {
    char text[4] = {'x', (char)s[0], (char)s[1], 0};
    wchar_t to[8];
    size_t n = mbstowcs(to, text, 8);
    return n == (size_t)-1 ? 40 : (long)n + 8 * (to[1] == L'a');
}

CASE(characters_of_16, 2, "a\0\303\251") {
    char16_t c = 0;
    mbstate_t state = {0};
    size_t n = mbrtoc16(&c, (char *)s, 2, &state);
    return (n == (size_t)-1 ? 9 : n == (size_t)-2 ? 11 : (long)n) + 16 * (c == 'a');
}

CASE(wide_by_class, 1, "") {
    wctype_t letter = wctype("alpha");
    return (iswctype(s[0], letter) != 0) + 2 * (towupper(s[0]) != s[0]) +
           4 * (iswdigit(s[0]) != 0) + 8 * (wcwidth(s[0]) == 1);
}

CASE(wide_searched, 2, "abc\0") {
    wchar_t text[4] = {L'x', s[0], s[1], 0};
    wchar_t *at = wcschr(text, L'b'), *span = wcspbrk(text, L"ac");
    return (at ? at - text : 5) + 8 * (span ? span - text : 5) * 0 + 8 * (long)wcslen(text);
}

CASE(wide_compared, 2, "abc\0") {
    wchar_t text[4] = {L'x', s[0], s[1], 0};
    return (wcscmp(text, L"xb") < 0) + 2 * (wcsncmp(text, L"xa", 2) == 0) +
           4 * (wmemcmp(text, L"xab", 3) > 0);
}

CASE(random_seeded_again, 1, "") {
    unsigned seed = s[0];
    int a = rand_r(&seed);
    return (a & 7) + 8 * (seed > 1000);
}

CASE(random_48, 1, "") {
    unsigned short state[3] = {s[0], 1, 2};
    return (long)(erand48(state) * 20) + (nrand48(state) & 3) * 16;
}

CASE(mixed_bits, 1, "") {
    return ffs(s[0]) + 8 * (ffsl((long)s[0] << 20) > 22) + 16 * (abs(s[0] - 128) > 100);
}

CASE(rounded_in_ways, 1, "") {
    double d = (s[0] - 100) / 4.0;
    return ((long)floor(d) & 3) + 4 * ((long)ceil(d) & 3) + 16 * ((long)nearbyint(d) & 1) +
           32 * (trunc(d) == rint(d));
}

CASE(powers_and_roots, 1, "") {
    return ((long)sqrt(s[0]) & 15) + 16 * (cbrt(s[0]) > 5) + 32 * (hypot(s[0], 3) > 50);
}

CASE(logarithms, 1, "") {
    return s[0] ? ilogb(s[0]) + 8 * (log2(s[0]) == floor(log2(s[0]))) : 20;
}

CASE(directions, 2, "\0\1\200\377") {
    return (atan2(s[0] - 128.0, s[1] - 128.0) > 0) + 2 * (sin(s[0]) > 0) +
           4 * (exp(s[1] / 100.0) > 5);
}

CASE(parts_of_number, 1, "") {
    int e;
    double whole, f = frexp(s[0] / 8.0, &e), rest = modf(s[0] / 8.0, &whole);
    return (f == 0.5) + 2 * (e > 2) + 4 * (rest > 0.4) + 8 * (whole > 10) +
           16 * (ldexp(f, e) == s[0] / 8.0);
}

CASE(next_number, 1, "") {
    float f = nextafterf(s[0], 300);
    return (f > 100) + 2 * (f == s[0]) + 4 * (fdim(s[0], 50) > 0) + 8 * (fmod(s[0], 7) == 3) +
           16 * (remainder(s[0], 7) < 0);
}

CASE(divided, 2, "\0\1\7\377") {
    ldiv_t q = ldiv(s[0] * 10L, s[1] + 1);
    imaxdiv_t r = imaxdiv(-(intmax_t)s[0], s[1] + 2);
    return (q.quot & 15) + 16 * (q.rem > 3) + 32 * (r.rem < 0);
}

CASE(memory_crossed, 3, "ab\0") {
    char a[6] = "xaby", b[4] = {(char)s[0], (char)s[1], (char)s[2], 0};
    char *at = memmem(a, 4, b, 2), *copy = mempcpy(a, b, 2), *end = memccpy(a, b, 'b', 3);
    return (at ? 1 : 0) + 2 * (copy - a) + 8 * (end ? end - a : 5);
}

CASE(text_duplicated, 3, "ab\0") {
    char text[6] = {'x', (char)s[0], (char)s[1], (char)s[2], 0};
    char *one = strdup(text), *two = strndup(text, s[0] & 3);
    return (long)strlen(one) + 8 * (long)strlen(two);
}

CASE(text_by_case, 2, "aAbB\0") {
    char text[6] = {'X', (char)s[0], (char)s[1], 0};
    return (strcasestr(text, "xa") != NULL) + 2 * (strcasecmp(text, "xab") == 0) +
           4 * (strncasecmp(text, "xb", 2) == 0);
}

CASE(raw_end, 2, "ab\0") {
    char text[6] = {'x', (char)s[0], (char)s[1], 0};
    return (strchrnul(text, 'b') - text) + 8 * ((char *)rawmemchr(text, 0) - text) +
           32 * (strnlen(text, 2) == 2);
}

CASE(converted_numbers, 2, "0-z1\0") {
    char text[6] = {'1', (char)s[0], (char)s[1], 0};
    return (atol(text) & 7) + 8 * (strtol(text, NULL, 36) > 40) + 16 * (atoll(text) > 5) +
           32 * (strtoumax(text, NULL, 2) > 1);
}

CASE(digits_of_number, 1, "") {
    char to[16];
    int at, sign;
    ecvt_r(s[0] / 16.0, 3, &at, &sign, to, sizeof to);
    return at + 4 * (to[0] - '0');
}

CASE(money, 1, "") {
    char to[32];
    return (long)strfmon(to, sizeof to, "%n", s[0] * 10.0);
}

/* ---- written and read back ---- */

CASE(pipe_and_stream, 2, "a\n\0") {
    int ends[2];
    char line[8] = "";
    if (pipe(ends))
        return 50;
    write(ends[1], s, 2);
    close(ends[1]);
    FILE *in = fdopen(ends[0], "r");
    char *got = fgets(line, sizeof line, in);
    fclose(in);
    return got ? 1 + (long)strlen(line) : 20;
}

CASE(temporary_file, 2, "a\n\0") {
    FILE *file = tmpfile();
    char line[8] = "";
    if (!file)
        return 50;
    fwrite(s, 1, 2, file);
    rewind(file);
    long n = fgetc(file) == 'a' ? 3 : 9;
    fgets(line, sizeof line, file);
    fclose(file);
    return n + (long)strlen(line);
}

CASE(temporary_by_printf, 2, "1\0009") {
    FILE *file = tmpfile();
    int a = 0, b = 0;
    if (!file)
        return 50;
    fprintf(file, "%d %d", s[0], s[1]);
    rewind(file);
    fscanf(file, "%d%d", &a, &b);
    fclose(file);
    return (a > b) + 2 * (a == '1') + 4 * (b == 0);
}

CASE(stream_in_memory, 2, "ab\0") {
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    fprintf(out, "%c-%s", s[0], s[1] == 'a' ? "long" : "x");
    fputc(s[1], out);
    fclose(out);
    return (long)n + 8 * (text[0] == 'b') + 16 * (text[n - 1] == 0);
}

CASE(stream_over_memory, 2, "a\n\0") {
    FILE *in = fmemopen(s, 2, "r");
    long n = 0;
    for (int c; (c = getc(in)) != EOF;)
        n = n * 3 + (c == 'a' ? 1 : 2);
    fclose(in);
    return n;
}

static ssize_t cookie_read(void *cookie, char *to, size_t n) {
    byte **at = cookie;
    if (n && **at) {
        *to = (char)*(*at)++;
        return 1;
    }
    return 0;
}
CASE(stream_of_its_own, 2, "ab\0") {
    byte text[3] = {s[0], s[1], 0}, *at = text;
    FILE *in = fopencookie(&at, "r", (cookie_io_functions_t){.read = cookie_read});
    long n = 0;
    while (getc(in) != EOF)
        n++;
    fclose(in);
    return n * 4 + (text[0] == 'a');
}

CASE(results_of_putting, 2, "a\n\0") {
    FILE *out = fopen("/dev/null", "w");
    long n = putc(s[0], out) + fputc(s[1], out) + fputs((char[]){(char)s[0], 0}, out) +
             fprintf(out, "%s", (char[]){(char)s[1], 0});
    fclose(out);
    return n & 63;
}

CASE(results_of_printing, 2, "a\0\377") {
    return printf("%s%c", (char[]){(char)s[0], (char)s[1], 0}, s[1]) * 3 + (putchar(s[0]) > 100) +
           2 * (puts("x") >= 0);
}

CASE(vectors_written, 2, "a\0\377") {
    int ends[2];
    byte a[2] = {0}, b[2] = {0};
    if (pipe(ends))
        return 50;
    struct iovec out[2] = {{s, 1}, {s + 1, 1}}, in[2] = {{a, 1}, {b, 1}};
    writev(ends[1], out, 2);
    readv(ends[0], in, 2);
    close(ends[0]);
    close(ends[1]);
    return (a[0] == 'a') + 2 * (b[0] > 100);
}

CASE(file_in_memory, 2, "a\0\377") {
    int fd = memfd_create("claim", 0);
    byte got = 0;
    pwrite(fd, s, 2, 4);
    pread(fd, &got, 1, 5);
    long size = lseek(fd, 0, SEEK_END);
    close(fd);
    return (got == 'a') + 2 * (got > 100) + 4 * size;
}

CASE(mapped_file_in_memory, 1, "") {
    int fd = memfd_create("claim", 0);
    ftruncate(fd, 4096);
    byte *one = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    byte *two = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    one[7] = s[0];
    long n = two[7] > 100 ? 9 : 4;
    munmap(one, 4096);
    munmap(two, 4096);
    close(fd);
    return n;
}

CASE(truncated_by_input, 1, "") {
    int fd = memfd_create("claim", 0);
    struct stat about;
    ftruncate(fd, s[0] & 7);
    fstat(fd, &about);
    close(fd);
    return about.st_size;
}

CASE(pending_in_stream, 2, "ab\n") {
    FILE *out = fopen("/dev/null", "w");
    fprintf(out, "%.*s", s[0] & 3, "abc");
    long n = (long)__fpending(out);
    fclose(out);
    return n;
}

/* ---- what a stream knows besides its bytes ---- */

CASE(position_on_device, 1, "") {
    FILE *out = fopen("/dev/null", "w");
    fprintf(out, "%.*s", s[0] & 3, "abc");
    long n = ftell(out);
    fclose(out);
    return n;
}

CASE(position_after_text, 2, "a\0b") {
    FILE *out = fopen("/dev/null", "w");
    char text[3] = {(char)s[0], (char)s[1], 0};
    fputs(text, out);
    long n = ftell(out);
    fclose(out);
    return n;
}

CASE(position_of_output, 1, "") {
    long before = ftell(stdout);
    printf("%.*s", s[0] & 3, "abc");
    return ftell(stdout) - before;
}

CASE(byte_in_own_buffer, 1, "") {
    char buf[64];
    memset(buf, 0, 64);
    FILE *out = fopen("/dev/null", "w");
    setvbuf(out, buf, _IOFBF, sizeof buf);
    fputc(s[0], out);
    long n = buf[0] == 'a' ? 9 : 4;
    fclose(out);
    return n;
}

CASE(digits_in_own_buffer, 1, "") {
    static char buf[64];
    memset(buf, 0, 64);
    FILE *out = fopen("/dev/null", "w");
    setbuf(out, NULL);
    setvbuf(out, buf, _IOFBF, sizeof buf);
    fprintf(out, "%d", s[0]);
    long n = buf[1] == '1' ? 9 : 4;
    fclose(out);
    return n;
}

CASE(digits_pending, 1, "") {
    FILE *out = fopen("/dev/null", "w");
    fprintf(out, "%d", s[0]);
    long n = (long)__fpending(out);
    fclose(out);
    return n;
}

CASE(member_of_stream, 1, "") {
    FILE *out = fopen("/dev/null", "w");
    fprintf(out, "%d", s[0]);
    long n = out->_IO_write_ptr - out->_IO_write_base;
    fclose(out);
    return n;
}

CASE(descriptor_on_device, 1, "") {
    int fd = open("/dev/null", O_WRONLY);
    write(fd, "abc", s[0] & 3);
    long n = lseek(fd, 0, SEEK_CUR);
    close(fd);
    return n;
}

CASE(printed_to_descriptor, 1, "") {
    int fd = open("/dev/null", O_WRONLY);
    long n = dprintf(fd, "%d", s[0]);
    close(fd);
    return n;
}

CASE(error_of_full_device, 1, "") {
    FILE *out = fopen("/dev/full", "w");
    setvbuf(out, NULL, _IOFBF, 4);
    fprintf(out, "%.*s", s[0] & 7, "abcdefgh");
    long n = ferror(out) ? 9 : 4;
    return n;
}

CASE(flushed_to_full_device, 1, "") {
    FILE *out = fopen("/dev/full", "w");
    fprintf(out, "%.*s", s[0] & 7, "abcdefgh");
    return fflush(out) ? 9 : 4;
}

CASE(closed_on_full_device, 1, "") {
    FILE *out = fopen("/dev/full", "w");
    if (s[0] > 10)
        fputc('x', out);
    fprintf(out, "%.*s", s[0] & 7, "abcdefgh");
    return fclose(out) ? 9 : 4;
}

CASE(written_to_full_device, 1, "") {
    int fd = open("/dev/full", O_WRONLY);
    long n = write(fd, "abc", s[0] & 3) < 0 ? 9 : 4;
    close(fd);
    return n;
}
