/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of bench/claims: texts that are cut, searched, matched, converted and formatted.
 */
#include "claim.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <fnmatch.h>
#include <getopt.h>
#include <iconv.h>
#include <langinfo.h>
#include <libgen.h>
#include <locale.h>
#include <regex.h>
#include <search.h>
#include <stdarg.h>
#include <time.h>
#include <wchar.h>
#include <wctype.h>

#define TEXT3 {(char)s[0], (char)s[1], (char)s[2], 0}
#define TEXT2 {(char)s[0], (char)s[1], 0}

CASE(tokens, 3, "a,; \0") {
    char text[4] = TEXT3, *at = strtok(text, ",;");
    long count = 0;
    for (; at; at = strtok(NULL, ";"))
        count += 3 + (long)strlen(at);
    return count;
}

CASE(fields, 3, "a,;\0") {
    char text[4] = TEXT3, *rest = text, *at;
    long count = 0;
    while ((at = strsep(&rest, ",;")))
        count += 4 + (*at == 'a');
    return count;
}

CASE(spans, 3, "ab1\0") {
    char text[4] = TEXT3;
    char *at = strpbrk(text, "1b");
    return (long)strspn(text, "ab") + 4 * (long)strcspn(text, "1") + 16 * (at ? at - text : 3);
}

CASE(separators_from_input, 2, "a,b\0") {
    char set[3] = TEXT2, text[] = "xaby,z";
    return (long)strcspn(text, set) + 8 * (strpbrk(text, set) != NULL);
}

CASE(needle_from_input, 2, "abc\0") {
    char needle[3] = TEXT2, *at = strstr("xabcabd", needle);
    return at ? (long)strlen(at) : 20;
}

CASE(both_from_input, 3, "ab\0") {
    char text[4] = TEXT3;
    return strcmp(text, text + 1) < 0 ? 3 : strncmp(text, text + 2, 1) ? 7 : 11;
}

CASE(last_and_first, 3, "/a\0") {
    char text[4] = TEXT3, *last = strrchr(text, '/'), *first = strchr(text, 'a');
    return (last ? last - text : 3) * 4 + (first ? first - text : 3);
}

CASE(character_from_input, 1, "") {
    char *at = strchr("hello", s[0]);
    return at ? at - (char *)0 ? (long)strlen(at) : 0 : 9;
}

CASE(memory_searched, 2, "\0abc") {
    byte *at = memchr("abcabc", s[0], s[1] & 7);
    byte *last = memrchr("abcabc", s[0], 6);
    return (at ? 3 : 5) + (last ? 9 : 20);
}

CASE(copied_and_joined, 3, "ab\0") {
    char text[4] = TEXT3, to[16] = "<";
    strcat(to, text);
    strncat(to, "more", s[2] & 3);
    return (long)strlen(to) + (stpcpy(to, text) - to) * 8;
}

CASE(names_of_paths, 3, "/.a\0") {
    char text[4] = TEXT3, copy[4];
    memcpy(copy, text, 4);
    return (long)strlen(basename(text)) + 4 * (long)strlen(dirname(copy));
}

CASE(case_ignored, 2, "aAbB@`") {
    char text[3] = TEXT2;
    return strcasecmp(text, "Ab") == 0 ? 3 : strncasecmp(text, "bx", 1) == 0 ? 7 : 11;
}

CASE(classes, 1, "") {
    return (isalpha(s[0]) != 0) + 2 * (ispunct(s[0]) != 0) + 4 * (isspace(s[0]) != 0) +
           8 * (isxdigit(s[0]) != 0) + 16 * (toupper(s[0]) != s[0]) + 32 * (iscntrl(s[0]) != 0);
}

CASE(scanned_integers, 3, "0-7 ,x") {
    char text[4] = TEXT3;
    int a = 0, b = 0, n = 0;
    int got = sscanf(text, "%d,%i%n", &a, &b, &n);
    return (got + 1) * 8 + (a > 1) + 2 * (b > 0) + 4 * (n > 0);
}

CASE(scanned_sets, 3, "ab]1\0") {
    char text[4] = TEXT3, to[8] = "", rest[8] = "";
    int got = sscanf(text, "%2[a-b]%3[^1]", to, rest);
    return (got + 1) * 16 + (long)strlen(to) * 4 + (long)strlen(rest);
}

CASE(scanned_words, 3, "a \t\0") {
    char text[4] = TEXT3, one[4] = "", two[4] = "";
    return sscanf(text, "%s%s", one, two) * 10 + (long)strlen(one) + 10;
}

CASE(scanned_characters, 3, "a %\0") {
    char text[4] = TEXT3, c = 0, d[2] = {0};
    int got = sscanf(text, " %c%%%2c", &c, d);
    return got * 8 + 8 + (c == 'a') + 2 * (d[0] == ' ');
}

CASE(scanned_hexadecimal, 3, "0xXfg-") {
    char text[4] = TEXT3;
    unsigned a = 1;
    int got = sscanf(text, "%2x", &a);
    return got * 16 + 16 + (a & 15);
}

CASE(scanned_floats, 3, "1.e-n\0") {
    char text[4] = TEXT3;
    double a = -1;
    int got = sscanf(text, "%lf", &a);
    return got * 8 + 8 + (a > 0.5) + 2 * (a > 1.05) + 4 * (a < 0);
}

CASE(scanned_and_dropped, 3, "12 a") {
    char text[4] = TEXT3;
    short a = 0;
    int got = sscanf(text, "%*1d%hd", &a);
    return got * 16 + 16 + (a & 15);
}

CASE(format_from_input, 2, "dxsc%\0") {
    char format[4] = {'%', (char)s[0], (char)s[1], 0};
    int a = 0;
    if (s[0] != 'd' && s[0] != 'x')
        return 40;
    return sscanf("12", format, &a) * 4 + 4 + (a & 15);
}

CASE(printed_number, 1, "") {
    char to[16];
    int count = snprintf(to, sizeof to, "%d", (signed char)s[0]);
    return count * 8 + (to[count - 1] == '5');
}

CASE(printed_cut, 2, "\0a1") {
    char text[3] = TEXT2, to[4];
    int count = snprintf(to, 3, "%s-%s", text, text);
    return count * 4 + (long)strlen(to);
}

CASE(printed_width, 1, "") {
    char to[64];
    return snprintf(to, sizeof to, "%*d|%.*s", s[0] & 15, 7, s[0] & 3, "abcdef");
}

CASE(printed_hexadecimal, 1, "") {
    char to[16];
    int count = sprintf(to, "%#x,%hho,%+d", s[0], s[0], s[0] - 9);
    return count + (to[2] == 'f' ? 20 : 0);
}

CASE(printed_float, 1, "") {
    char to[40];
    int count = sprintf(to, "%g", s[0] / 8.0);
    return count * 4 + (to[0] == '1');
}

CASE(printed_position, 1, "") {
    char to[40];
    int at = 0;
    sprintf(to, "%d%n!", s[0], &at);
    return at * 3;
}

CASE(printed_by_place, 1, "") {
    char to[40];
    return sprintf(to, "%2$s%1$d", s[0], "ab");
}

CASE(printed_character, 1, "") {
    char to[40];
    int count = sprintf(to, "a%cb", s[0]);
    return count + 8 * (long)strlen(to);
}

CASE(printed_pointer_of_text, 1, "") {
    char to[40], *texts[2] = {"", "longer"};
    return sprintf(to, "%s|%8.3s", texts[s[0] & 1], texts[s[0] >> 7]);
}

CASE(printed_wide, 1, "") {
    wchar_t to[40];
    int count = swprintf(to, 40, L"%d", s[0]);
    return count * 8 + (to[count - 1] == L'7');
}

CASE(printed_wide_text, 2, "\0ab") {
    char text[3] = TEXT2;
    wchar_t to[40];
    int count = swprintf(to, 40, L"<%s>", text);
    return count * 4 + (to[1] == L'a');
}

CASE(printed_wide_cut, 1, "") {
    wchar_t to[4];
    return swprintf(to, 4, L"%d", s[0] * 7) + 5;
}

CASE(printed_wide_string, 2, "\0ab") {
    wchar_t text[3] = {s[0], s[1], 0}, to[40];
    int count = swprintf(to, 40, L"%ls,%lc", text, (wint_t)s[0]);
    return count * 4 + (to[0] == L'b');
}

CASE(printed_by_list, 1, "") {
    extern int print_list(char *to, const char *format, ...);
    char to[40];
    return print_list(to, "%d %u", s[0] - 50, s[0] * 2u);
}
int print_list(char *to, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int count = vsprintf(to, format, list);
    va_end(list);
    return count;
}

CASE(printed_to_memory, 1, "") {
    char *text = NULL;
    int count = asprintf(&text, "%05d%s", s[0], s[0] > 9 ? "x" : "yy");
    long result = count + (text[4] == '3' ? 20 : 0);
    free(text);
    return result;
}

CASE(format_of_printing_from_input, 2, "dux%5") {
    char format[4] = {'%', (char)s[0], (char)s[1], 0}, to[40];
    if (!strchr("dux", s[0]))
        return 50;
    return snprintf(to, sizeof to, format, 300);
}

CASE(output_counted, 1, "") {
    return printf("%d\n", s[0]) + fprintf(stderr, "%x", s[0]) * 8;
}

CASE(matched_pattern, 3, "ab-1\0") {
    char text[4] = TEXT3;
    regex_t pattern;
    regmatch_t m[2];
    if (regcomp(&pattern, "^(a|b)+[^a]?$", REG_EXTENDED))
        return 60;
    long result = regexec(&pattern, text, 2, m, 0) ? 9 : 10 + m[1].rm_so * 4 + m[0].rm_eo;
    regfree(&pattern);
    return result;
}

CASE(matched_again, 3, "ab\n\0") {
    char text[4] = TEXT3;
    regex_t pattern;
    if (regcomp(&pattern, "\\(.\\)\\1$", REG_NEWLINE | REG_ICASE))
        return 60;
    long result = regexec(&pattern, text, 0, NULL, REG_NOTEOL) ? 9 : 20;
    regfree(&pattern);
    return result;
}

CASE(pattern_from_input, 2, "a*[.\\\0") {
    char text[3] = TEXT2;
    regex_t pattern;
    int bad = regcomp(&pattern, text, 0);
    if (bad)
        return bad + 20;
    long result = regexec(&pattern, "aab.", 0, NULL, 0) ? 3 : 11;
    regfree(&pattern);
    return result;
}

CASE(file_pattern, 3, "a.*/[\0") {
    char text[4] = TEXT3;
    return (fnmatch("*.a", text, FNM_PERIOD | FNM_PATHNAME) == 0) +
           2 * (fnmatch(text, "a.a", 0) == 0) + 4 * (fnmatch("[!a]?", text, FNM_NOESCAPE) == 0);
}

CASE(network_address, 2, "0129.:a") {
    char text[] = "1.2.3.??";
    unsigned char to[16];
    text[6] = (char)s[0];
    text[7] = (char)s[1];
    return inet_pton(AF_INET, text, to) * 8 + (to[3] > 20 && inet_pton(AF_INET, text, to) == 1);
}

CASE(long_network_address, 2, "0f:.g") {
    char text[] = "1:2::??";
    unsigned char to[16] = {0};
    text[5] = (char)s[0];
    text[6] = (char)s[1];
    return inet_pton(AF_INET6, text, to) * 8 + (to[15] > 2) + 8;
}

CASE(options_of_words, 3, "-abc\0") {
    char text[4] = TEXT3, *words[] = {"p", text, "rest", NULL};
    long sum = 0;
    int option;
    optind = 0;
    opterr = 0;
    while ((option = getopt(3, words, "a:b")) != -1)
        sum = sum * 2 + (option == 'a' ? 1 : option == 'b' ? 3 : 5);
    return sum + 8 * optind;
}

CASE(long_options, 2, "-=lon\0") {
    char text[] = {'-', '-', (char)s[0], (char)s[1], 0}, *words[] = {"p", text, NULL};
    static const struct option all[] = {
        {"long", 0, NULL, 5}, {"lo", 1, NULL, 7}, {"on", 0, NULL, 9}, {0}};
    optind = 0;
    opterr = 0;
    return getopt_long(2, words, "l", all, NULL) & 31;
}

CASE(multibyte, 3, "a\303\251\200\0") {
    char text[4] = TEXT3;
    wchar_t to[4];
    if (!setlocale(LC_ALL, "C.UTF-8"))
        return 60;
    long count = (long)mbstowcs(to, text, 4);
    setlocale(LC_ALL, "C");
    return count + 2;
}

CASE(multibyte_in_pieces, 2, "a\303\342\251\200\0") {
    mbstate_t state = {0};
    wchar_t c = 0;
    if (!setlocale(LC_ALL, "C.UTF-8"))
        return 60;
    size_t first = mbrtowc(&c, (char *)s, 1, &state),
           second = mbrtowc(&c, (char *)s + 1, 1, &state);
    setlocale(LC_ALL, "C");
    return (long)(first + 2) * 4 + (long)(second + 2) + 16 * (c == 0xe9);
}

CASE(to_multibyte, 2, "\0\1\10\200\330\377") {
    char to[16];
    wchar_t c = s[0] << 8 | s[1];
    if (!setlocale(LC_ALL, "C.UTF-8"))
        return 60;
    long count = wctomb(to, c);
    setlocale(LC_ALL, "C");
    return count + 2;
}

CASE(converted, 2, "a\303\251\0") {
    char text[3] = TEXT2, to[16], *in = text, *out = to;
    size_t in_left = 2, out_left = sizeof to;
    iconv_t how = iconv_open("UTF-16LE", "UTF-8");
    if (how == (iconv_t)-1)
        return 60;
    size_t result = iconv(how, &in, &in_left, &out, &out_left);
    iconv_close(how);
    return (long)(out - to) + 8 * (result == (size_t)-1);
}

CASE(wide_texts, 2, "ab\0") {
    wchar_t text[3] = {s[0], s[1], 0};
    return (long)wcslen(text) + 4 * (wcschr(L"xb", text[0]) != NULL) +
           8 * (wcscmp(text, L"ab") > 0) + 16 * (iswupper(text[0] - 32) != 0);
}

CASE(wide_numbers, 2, "1.5-\0") {
    wchar_t text[3] = {s[0], s[1], 0}, *end;
    double value = wcstod(text, &end);
    return (end - text) * 8 + (value > 0.7) + 2 * (value < 0);
}

CASE(wide_tokens, 3, "a,\0") {
    wchar_t text[4] = {s[0], s[1], s[2], 0}, *state, *at = wcstok(text, L",", &state);
    long count = 0;
    for (; at; at = wcstok(NULL, L",", &state))
        count += 3 + (long)wcslen(at);
    return count;
}

CASE(text_of_time, 1, "") {
    struct tm tm = {.tm_mday = 1 + s[0] % 31, .tm_mon = s[0] % 12, .tm_year = 100};
    char to[64];
    return (long)strftime(to, sizeof to, "%A %B", &tm);
}

CASE(time_made, 2, "\0\1\30\200\377") {
    struct tm tm = {.tm_mday = s[0], .tm_mon = s[1], .tm_year = 100};
    time_t when = timegm(&tm);
    return tm.tm_wday * 8 + (when > 980000000);
}

CASE(time_split, 1, "") {
    time_t when = (time_t)s[0] * 86400;
    struct tm *tm = gmtime(&when);
    return tm->tm_mon * 4 + (tm->tm_wday == 4);
}

CASE(time_read, 2, "01239/") {
    struct tm tm = {0};
    char text[3] = TEXT2;
    char *end = strptime(text, "%d", &tm);
    return end ? tm.tm_mday : 40;
}

CASE(trees, 3, "\0\1\2") {
    extern int order_bytes(const void *a, const void *b);
    void *root = NULL;
    long count = 0;
    for (int i = 0; i < 3; i++)
        count += *(byte **)tsearch(&s[i], &root, order_bytes) == &s[i];
    for (int i = 0; i < 3; i++)
        tdelete(&s[i], &root, order_bytes);
    return count * 5;
}
int order_bytes(const void *a, const void *b) {
    return *(const byte *)a - *(const byte *)b;
}

CASE(hashed, 2, "ab\0") {
    char text[3] = TEXT2;
    long result = 9;
    hcreate(8);
    hsearch((ENTRY){"ab", (void *)3}, ENTER);
    hsearch((ENTRY){"b", (void *)12}, ENTER);
    ENTRY *entry = hsearch((ENTRY){text, NULL}, FIND);
    if (entry)
        result = (long)entry->data;
    hdestroy();
    return result;
}

CASE(linear_search, 1, "") {
    extern int order_bytes(const void *a, const void *b);
    byte table[8] = {5, 9, 200, 7};
    size_t count = 4;
    byte *at = lsearch(s, table, &count, 1, order_bytes);
    return (at - table) * 8 + (long)count;
}

CASE(environment, 2, "ab=\0") {
    char text[3] = TEXT2;
    setenv("CLAIM", text, 1);
    const char *value = getenv("CLAIM");
    long result = (long)strlen(value) + (*value == 'b' ? 8 : 0);
    unsetenv("CLAIM");
    return result;
}

CASE(environment_in_place, 1, "") {
    static char entry[] = "CLAI?=12345";
    entry[4] = 'X';
    putenv(entry);
    entry[4] = (char)s[0];
    const char *value = getenv("CLAIM");
    long result = value ? 9 : 3;
    entry[4] = 'X';
    unsetenv("CLAIX");
    return result;
}

CASE(name_in_environment, 2, "PATH\0") {
    char name[5] = "PATH";
    name[0] = (char)s[0];
    name[1] = (char)s[1];
    return getenv(name) ? 9 : 3;
}

CASE(collated, 2, "aAb\0") {
    char text[3] = TEXT2, to[16];
    return (strcoll(text, "Ab") > 0 ? 3 : 7) + (long)strxfrm(to, text, sizeof to) * 8;
}

CASE(versions, 3, "a019\0") {
    char text[4] = TEXT3;
    int order = strverscmp(text, "a10");
    return order < 0 ? 3 : order == 0 ? 7 : 11;
}

CASE(letters_of_64, 2, "./09AZaz\0") {
    char text[3] = TEXT2;
    return a64l(text) & 63;
}

CASE(error_text, 1, "") {
    return (long)strlen(strerror(s[0] & 7)) & 31;
}

CASE(suboptions, 3, "ro=,\0") {
    char text[4] = TEXT3, *at = text, *value;
    char *const names[] = {"ro", "r", NULL};
    long sum = 0;
    while (*at)
        sum = sum * 3 + getsubopt(&at, names, &value) + 2 + (value != NULL);
    return sum;
}
