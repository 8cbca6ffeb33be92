/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of library functions on the program's strings s and t, heap blocks, and readers of input.
 * Both strings have room for 24 bytes and a NUL at 7 or before; each change puts it back.
 */
#include "exact/generate.h"

const char exact_library_prelude[] =
    "UNUSED static long at(const char *base, const void *found) {\n"
    "    return found ? (const char *)found - base : -1;\n}\n"
    "UNUSED static long number_end(const char *text, int radix) {\n"
    "    char *end;\n    return strtol(text, &end, radix) + 16 * (end - text);\n}\n"
    "UNUSED static int compare_bytes(const void *a, const void *b) {\n"
    "    return *(const char *)a - *(const char *)b;\n}\n"
    "UNUSED static int compare_words(const void *a, const void *b) {\n"
    "    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;\n"
    "    return x < y ? -1 : x > y;\n}\n"
    "UNUSED static long find(const uint32_t *table, uint32_t key) {\n"
    "    const uint32_t *found = bsearch(&key, table, 8, 4, compare_words);\n"
    "    return found ? found - table : -1;\n}\n"
    "UNUSED static long number_in(const char *text) {\n"
    "    int value = 5;\n    return sscanf(text, \"%d\", &value) * 1000 + value;\n}\n"
    "UNUSED static long hexadecimal_in(const char *text) {\n"
    "    unsigned value = 5;\n    return sscanf(text, \"%2x\", &value) * 1000 + (long)value;\n}\n"
    "UNUSED static void print_number(char *text, int16_t value, uint32_t letter) {\n"
    "    snprintf(text, 8, \"%d%c\", value, (char)('a' + letter));\n}\n"
    "UNUSED static void print_text(char *to, const char *from) {\n"
    "    snprintf(to, 8, \"%s\", from);\n}\n"
    "UNUSED static long printed(int16_t value) {\n"
    "    return snprintf(NULL, 0, \"%d\", value);\n}\n"
    "UNUSED static long listed(const char *text, const char *in) {\n"
    "    size_t count = strlen(in);\n    return at(in, lfind(text, in, &count, 1, "
    "compare_bytes));\n}\n"
    "UNUSED static long wide_in(const char *text) {\n"
    "    wchar_t wide[8] = {0};\n    long count = (long)mbstowcs(wide, text, 7);\n"
    "    return count * 8 + (long)wcsspn(wide, L\"ab1\") + wcscmp(wide, L\"a\");\n}\n"
    "UNUSED static long matched(const char *text) {\n"
    "    regex_t pattern;\n    regmatch_t match;\n"
    "    if (regcomp(&pattern, \"a[0-9]*\", 0))\n        return -1;\n"
    "    long result = regexec(&pattern, text, 1, &match, 0) ? 0 : match.rm_eo + 1;\n"
    "    regfree(&pattern);\n    return result;\n}\n"
    "UNUSED static long option_in(char *text) {\n"
    "    char *arguments[] = {\"program\", text, NULL};\n    opterr = optind = 0;\n"
    "    return getopt(2, arguments, \"a:b\");\n}\n"
    "UNUSED static long same(const char *text, size_t count) {\n"
    "    char copy[8] = {0};\n    memccpy(copy, text, 'b', count);\n    return strcoll(text, "
    "copy);\n}\n";

const char exact_reader_prelude[] =
    "UNUSED static int one_byte(int fd) {\n"
    "    uint8_t byte = 0;\n    return read(fd, &byte, 1) == 1 ? byte : -1;\n}\n"
    "UNUSED static long block(FILE *file, size_t count) {\n"
    "    uint8_t bytes[4] = {0};\n    size_t got = fread(bytes, 1, count, file);\n"
    "    return (long)(bytes[0] + 3 * bytes[1] + 1000 * got);\n}\n"
    "UNUSED static long few(int fd, size_t count) {\n"
    "    uint8_t bytes[4] = {0};\n    long got = read(fd, bytes, count);\n"
    "    return bytes[0] ^ (bytes[1] << 2) ^ (got << 10);\n}\n"
    "UNUSED static long text(FILE *file, int room) {\n"
    "    char line[8] = {0};\n    if (!fgets(line, room, file))\n        return -1;\n"
    "    return (long)strlen(line) * 256 + (uint8_t)line[0];\n}\n"
    "UNUSED static long whole_line(FILE *file) {\n"
    "    char *line = NULL;\n    size_t room = 0;\n    long got = getline(&line, &room, file);\n"
    "    long value = got > 0 ? got * 256 + (uint8_t)line[got - 1] : -1;\n"
    "    free(line);\n    return value;\n}\n";

/* ---- values ---- */

/* %v stands for a value, %b for one of a byte, %3 and %7 for one up to 3 or 7. */
static void say_template(struct exact_generator *g, const char *text, uint32_t depth) {
    for (; *text; text++) {
        if (*text != '%') {
            exact_say(g, "%c", *text);
            continue;
        }
        switch (*++text) {
        case 'v':
            exact_say_value(g, depth);
            break;
        case 'b':
            exact_say(g, "(uint8_t)(");
            exact_say_value(g, depth);
            exact_say(g, ")");
            break;
        case 'n':
            exact_say(g, "%u", g->number);
            break;
        case 'x':
            exact_say(g, "%s", exact_pick_variable(g));
            break;
        default:
            exact_say_masked(g, depth, (uint32_t)(*text - '0'));
        }
    }
}

void exact_say_library_value(struct exact_generator *g, uint32_t depth) {
    static const char *const calls[] = {
        "strlen(s)",
        "strnlen(s, %7)",
        "strcmp(s, t)",
        "strcmp(s, \"a1\")",
        "strncmp(s, t, %3)",
        "strcasecmp(s, \"aB\")",
        "strncasecmp(t, s, %3)",
        "memcmp(s, t, %7)",
        "bcmp(s, t, %3)",
        "at(s, strchr(s, %b))",
        "at(s, strrchr(s, %b))",
        "at(s, strchrnul(s, %b))",
        "at(s, memchr(s, %b, %7))",
        "at(s, memrchr(s, %b, %7))",
        "at(s, memmem(s, 7, t, %3))",
        "at(s, strstr(s, t))",
        "at(s, strstr(s, \"b\"))",
        "at(s, strpbrk(s, \"b,1\"))",
        "strspn(s, \"a1b\")",
        "strcspn(s, t)",
        "(isalpha(%b) != 0)",
        "(isdigit(%b) != 0)",
        "(isspace(%b) != 0)",
        "(isalnum(%b) != 0)",
        "(ispunct(%b) != 0)",
        "(isxdigit(%b) != 0)",
        "(isupper(%b) != 0)",
        "(islower(%b) != 0)",
        "(isprint(%b) != 0)",
        "(iscntrl(%b) != 0)",
        "tolower(%b)",
        "toupper(%b)",
        "abs((int16_t)(%v))",
        "labs((int32_t)(%v))",
        "atoi(s)",
        "atol(s)",
        "strtol(s, NULL, 16)",
        "strtoul(s, NULL, 0)",
        "strtoll(s, NULL, 8)",
        "number_end(s, 10)",
        "number_end(s, 0)",
        "strlen(%v ? \"a\" : \"bcd\")",
        "strcmp(s, %v ? \"a1\" : \"12\")",
        "find(p%n_sorted, %v)",
    };
    say_template(g, calls[exact_pick(g, BASE_COUNT(calls))], depth);
}

/* Functions that leave something to the C library: what it is given must be fixed or decided, or
 * the loss be told. */
void exact_say_foreign_value(struct exact_generator *g, uint32_t depth) {
    static const char *const calls[] = {
        "whole(strtod(s, NULL))",
        "whole(atof(t))",
        "number_in(s)",
        "hexadecimal_in(t)",
        "strcoll(s, t)",
        "same(s, %3)",
        "div((int16_t)(%v), 7).rem",
        "ffs(%v)",
        "printed((int16_t)(%v))",
        "(wcschr(L\"ab1\", %b) != NULL)",
        "fnmatch(\"[a-c]*1\", s, 0)",
        "strverscmp(s, t)",
        "listed(s, t)",
        "wide_in(s)",
        "matched(s)",
        "option_in(s)",
        "(iswalpha(%b) != 0)",
    };
    say_template(g, calls[exact_pick(g, BASE_COUNT(calls))], depth);
}

/* ---- statements ---- */

void exact_say_library(struct exact_generator *g) {
    static const char *const texts[] = {
        "    s[%3] = (char)(%v);\n",
        "    s[%3] = (char)(%v);\n",
        "    t[%3] = (char)(%v);\n",
        "    strcpy(s, t);\n",
        "    strncpy(s, t, %7);\n",
        "    strcat(s, t);\n    s[7] = 0;\n",
        "    strncat(t, s, %3);\n    t[7] = 0;\n",
        "    memmove(s + %3, s + %3, %3);\n    s[7] = 0;\n",
        "    memcpy(s, t, %7);\n    s[7] = 0;\n",
        "    memset(s, %b, %7);\n    s[7] = 0;\n",
        "    stpcpy(t, s)[0] = 0;\n",
        "    qsort(s, 2 + %3, 1, compare_bytes);\n    s[7] = 0;\n",
        "    {\n    uint32_t w[4] = {%v, %v, %v, 9};\n    qsort(w, 4, 4, compare_words);\n"
        "    %x = w[1];\n    }\n",
        "    for (char *w = strtok(s, \" ,1\"); w; w = strtok(NULL, \" ,1\"))\n"
        "        %x += strlen(w);\n",
        "    {\n    char *rest = s, *w;\n    while ((w = strsep(&rest, \",b\")))\n"
        "        %x ^= *w;\n    }\n",
        "    {\n    char *copy = strdup(s);\n    %x = copy[%3 < strlen(copy) ? 0 : 1 & *copy];\n"
        "    free(copy);\n    }\n",
        "    {\n    char *copy = strndup(s, %3);\n    %x += strlen(copy);\n    free(copy);\n    "
        "}\n",
    };
    say_template(g, texts[exact_pick(g, BASE_COUNT(texts))], 1);
}

void exact_say_foreign(struct exact_generator *g) {
    static const char *const texts[] = {
        "    s[%3] = (char)(%v);\n",
        "    t[%3] = (char)(%v);\n",
        "    print_number(s, %v, %7);\n",
        "    print_text(t, s);\n",
        "    swab(t, s, 2 + %3);\n    s[7] = 0;\n",
        "    {\n    char *end;\n    %x += whole(strtod(s, &end));\n    %x ^= end - s;\n    }\n",
    };
    say_template(g, texts[exact_pick(g, BASE_COUNT(texts))], 1);
}

void exact_say_heap(struct exact_generator *g) {
    static const char *const texts[] = {
        "    {\n    uint8_t *h = malloc(8 + %7);\n    memset(h, %b, 8);\n    h[%7] = %v;\n"
        "    %x = h[%7];\n    free(h);\n    }\n",
        "    {\n    uint32_t *h = calloc(4 + %3, 4);\n    h[%3] = %v;\n    h[%3] += %v;\n"
        "    %x ^= h[%3];\n    free(h);\n    }\n",
        "    {\n    uint8_t *h = calloc(4, 1);\n    h[%3] = %v;\n    h = realloc(h, 4 + %7);\n"
        "    %x += h[%3];\n    free(h);\n    }\n",
        "    {\n    uint16_t *h = malloc(8), *k = malloc(8);\n    memset(h, 0, 8);\n"
        "    memset(k, %b, 8);\n    uint16_t *either = %v ? h : k;\n    either[%3] = %v;\n"
        "    %x = h[%3] + k[%3];\n    free(k);\n    free(h);\n    }\n",
        "    {\n    struct cell { struct cell *next; uint8_t value; } *list = NULL;\n"
        "    for (uint32_t i = %3; i; i--) {\n        struct cell *cell = malloc(sizeof *cell);\n"
        "        cell->next = list;\n        cell->value = %v;\n        list = cell;\n    }\n"
        "    while (list) {\n        struct cell *next = list->next;\n        %x += list->value;\n"
        "        free(list);\n        list = next;\n    }\n    }\n",
        "    {\n    uint8_t h[4 + %3];\n    memset(h, %b, 4);\n    h[%3] = %v;\n    %x += h[%3];\n "
        "   }\n",
        "    {\n    uint8_t *h = calloc(12, 1), *k = malloc(4 + %7);\n    memset(k, %b, 4);\n"
        "    memcpy(h, k, %3);\n    %x ^= h[%3];\n    free(k);\n    free(h);\n    }\n",
        "    {\n    uint8_t *h = malloc(1 + %7);\n    h[0] = %v;\n    %x += h[0];\n    free(h);\n"
        "    h = calloc(6, 1);\n    uint8_t *k = malloc(2 + %7);\n    k[1] = %v;\n    h[%3] = "
        "k[1];\n"
        "    free(k);\n    %x ^= h[0];\n    free(h);\n    }\n",
        "    {\n    uint8_t *h = realloc(NULL, 2 + %3);\n    h[1] = %v;\n    h = realloc(h, 2 + "
        "%7);\n"
        "    %x += h[1];\n    free(h);\n    }\n",
        "    {\n    size_t n = 4 + %7;\n    uint8_t *h = malloc(n);\n    memset(h, %b, n);\n    "
        "h[%3] = %v;\n"
        "    %x += h[%3];\n    free(h);\n    }\n",
        "    {\n    uint32_t n = 4 + %3;\n    uint16_t h[n];\n    memset(h, %b, sizeof h);\n"
        "    %x ^= h[%3];\n    }\n",
        "    {\n    uint8_t *h = calloc(2 + %1, 4 + %3);\n    h[%7] = %v;\n    %x += h[%7];\n    "
        "free(h);\n    }\n",
        "    slowpath_count(\"work\", 2 * %7 + 1);\n",
    };
    say_template(g, texts[exact_pick(g, BASE_COUNT(texts))], 1);
}

void exact_say_reader(struct exact_generator *g) {
    static const char *const streams[] = {
        "    %x = fgetc(file);\n",
        "    %x = getc(file);\n",
        "    %x = block(file, 1 + %1);\n",
        "    %x = text(file, 2 + %3);\n",
        "    %x = whole_line(file);\n",
        "    while ((%x = fgetc(file)) != 10 && !feof(file))\n        %x += 3;\n"};
    static const char *const plain[] = {"    %x = one_byte(fd);\n", "    %x = few(fd, 1 + %1);\n",
                                        "    %x = few(fd, 2);\n"};
    if (g->program->seed & 1) /* a program reads one way: buffers would mix up the order */
        say_template(g, plain[exact_pick(g, BASE_COUNT(plain))], 1);
    else
        say_template(g, streams[exact_pick(g, BASE_COUNT(streams))], 1);
}
