/* SPDX-License-Identifier: Apache-2.0
 *
 * The target of test_costs: one call of the library function that the first byte of the input
 * chooses, by its place in abi/library.def. A row of that list without a call here does not
 * compile. What the function gives is turned into work, so that another result is another cost.
 *
 * Nothing here but the calls themselves touches memory through the library.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ROOM 24 /* bytes of a text */

static char a[ROOM + 2], b[ROOM + 2]; /* texts */
static char out[3 * ROOM];
static int byte;
static int number;
static size_t count;       /* at most ROOM */
static size_t bound;       /* the same, or around all of memory */
static size_t size;        /* of a word in B, at most 3 */
static volatile int spent; /* keeps the work */

/* ---- results ---- */

static void spend(long result) {
    for (unsigned long i = (unsigned long)result % 29; i > 0; i--)
        spent++;
}

static void spend_place(const void *found, const char *start) {
    spend(found ? (const char *)found - start + 1 : 0);
}

static void spend_order(int result) {
    spend(result < 0 ? 3 : result > 0 ? 5 : 0);
}

static void spend_text(const char *text) {
    long sum = 0;
    for (size_t i = 0; text[i] && i < ROOM; i++)
        sum = sum * 3 + text[i];
    spend(sum);
}

/* B in OUT, where other texts are joined to it. */
static char *prepared(void) {
    size_t i = 0;
    for (; b[i]; i++)
        out[i] = b[i];
    out[i] = 0;
    return out;
}

/* ---- memory ---- */

static void call_memcpy(void) {
    spend_place(memcpy(out, a, count), out);
}
static void call_mempcpy(void) {
    spend_place(mempcpy(out, a, count), out);
}
static void call_memmove(void) {
    spend_place(memmove(a + 1, a, count), a);
}
static void call_memset(void) {
    spend_place(memset(out, byte, count), out);
}
static void call_bzero(void) {
    bzero(out, count);
}
static void call_memcmp(void) {
    spend_order(memcmp(a, b, count));
}
static void call_bcmp(void) {
    spend(bcmp(a, b, count) != 0);
}
static void call_memchr(void) {
    if (bound > ROOM)
        a[ROOM] = (char)byte;
    spend_place(memchr(a, byte, bound), a);
}
static void call_memrchr(void) {
    spend_place(memrchr(a, byte, count), a);
}
static void call_rawmemchr(void) {
    a[ROOM] = (char)byte;
    spend_place(rawmemchr(a, byte), a);
}
static void call_memmem(void) {
    spend_place(memmem(a, count, b, size), a);
}

/* ---- texts ---- */

static void call_strlen(void) {
    spend((long)strlen(a));
}
static void call_strnlen(void) {
    spend((long)strnlen(a, bound));
}
static void call_strcmp(void) {
    spend_order(strcmp(a, b));
}
static void call_strncmp(void) {
    spend_order(strncmp(a, b, bound));
}
static void call_strcasecmp(void) {
    spend_order(strcasecmp(a, b));
}
static void call_strncasecmp(void) {
    spend_order(strncasecmp(a, b, bound));
}
static void call_strcpy(void) {
    spend_text(strcpy(out, a));
}
static void call_stpcpy(void) {
    spend_place(stpcpy(out, a), out);
}
static void call_strncpy(void) {
    spend_text(strncpy(out, a, count));
}
static void call_strcat(void) {
    spend_text(strcat(prepared(), a));
}
static void call_strncat(void) {
    spend_text(strncat(prepared(), a, bound));
}
static void call_strchr(void) {
    spend_place(strchr(a, byte), a);
}
static void call_strchrnul(void) {
    spend_place(strchrnul(a, byte), a);
}
static void call_strrchr(void) {
    spend_place(strrchr(a, byte), a);
}
static void call_strstr(void) {
    b[size] = 0;
    spend_place(strstr(a, b), a);
}
static void call_strspn(void) {
    spend((long)strspn(a, b));
}
static void call_strcspn(void) {
    spend((long)strcspn(a, b));
}
static void call_strpbrk(void) {
    spend_place(strpbrk(a, b), a);
}
static void call_strdup(void) {
    char *copy = strdup(a);
    spend_text(copy);
    free(copy);
}
static void call_strndup(void) {
    char *copy = strndup(a, bound);
    spend_text(copy);
    free(copy);
}

/* ---- words and numbers ---- */

static void call_strtok(void) {
    for (char *word = strtok(a, b); word; word = strtok(NULL, b))
        spend_place(word, a);
}
static void call_strtok_r(void) {
    char *rest;
    for (char *word = strtok_r(a, b, &rest); word; word = strtok_r(NULL, b, &rest))
        spend_place(word, a);
}
static void call_strsep(void) {
    for (char *rest = a, *word = strsep(&rest, b); word; word = strsep(&rest, b))
        spend_place(word, a);
}

static int base(void) {
    static const int bases[] = {10, 0, 16, 8, 2, 36, 1, -7, 37};
    return bases[count % 9];
}

#define CALL_NUMBER(name, type)                                                                    \
    static void call_##name(void) {                                                                \
        char *end = NULL;                                                                          \
        errno = 0;                                                                                 \
        type value = name(a, &end, base());                                                        \
        spend((long)(value ^ value >> 32));                                                        \
        spend_place(end, a);                                                                       \
        spend(errno != 0);                                                                         \
    }
CALL_NUMBER(strtol, long)
CALL_NUMBER(strtoll, long long)
CALL_NUMBER(strtoul, unsigned long)
CALL_NUMBER(strtoull, unsigned long long)

/* The bits of a value; of a long double, all that a program is likely to look at. */
static void spend_bits(double value) {
    union {
        double number;
        long bits;
    } image = {value};
    spend(image.bits ^ image.bits >> 32);
}

#define CALL_FRACTION(name)                                                                        \
    static void call_##name(void) {                                                                \
        char *end;                                                                                 \
        errno = 0;                                                                                 \
        spend_bits((double)name(a, &end));                                                         \
        spend_place(end, a);                                                                       \
        spend(errno != 0);                                                                         \
    }
CALL_FRACTION(strtod)
CALL_FRACTION(strtof)
CALL_FRACTION(strtold)

static void call_atof(void) {
    spend_bits(atof(a));
}
static void call_atoi(void) {
    spend(atoi(a));
}
static void call_atol(void) {
    spend(atol(a));
}
static void call_atoll(void) {
    spend((long)atoll(a));
}
static void call_abs(void) {
    spend(abs(number));
}
static void call_labs(void) {
    spend(labs(number));
}

/* ---- characters: the functions, not the macros ---- */

#define CALL_CLASS(name)                                                                           \
    static void call_##name(void) {                                                                \
        spend((name)(byte) != 0);                                                                  \
    }
CALL_CLASS(isalnum)
CALL_CLASS(isalpha)
CALL_CLASS(isblank)
CALL_CLASS(iscntrl)
CALL_CLASS(isdigit)
CALL_CLASS(isgraph)
CALL_CLASS(islower)
CALL_CLASS(isprint)
CALL_CLASS(ispunct)
CALL_CLASS(isspace)
CALL_CLASS(isupper)
CALL_CLASS(isxdigit)

static void call_tolower(void) {
    spend((tolower)(byte));
}
static void call_toupper(void) {
    spend((toupper)(byte));
}

/* ---- sorting and searching: what is called back costs what it costs ---- */

struct wide {
    char key, rest[39];
};

static int by_byte(const void *x, const void *y) {
    return *(const char *)x - *(const char *)y;
}

static void sort_wide(void) {
    static struct wide wide[ROOM];
    for (size_t i = 0; i < count; i++)
        wide[i].key = a[i];
    qsort(wide, count, sizeof *wide, by_byte);
    for (size_t i = 0; i < count; i++)
        spend(wide[i].key);
}

/* Needs a buffer from the heap. */
static void sort_many(void) {
    static char many[1100];
    for (size_t i = 0; i < sizeof many; i++)
        many[i] = a[i * 7 % ROOM];
    qsort(many, sizeof many, 1, by_byte);
}

static void call_qsort(void) {
    if (size == 0)
        sort_many();
    else if (size == 1)
        sort_wide();
    else
        qsort(a, count, 1, by_byte);
    spend_text(a);
}

static void call_bsearch(void) {
    char key = (char)byte;
    for (size_t i = 0; i < count; i++)
        out[i] = (char)(8 * i);
    spend_place(bsearch(&key, out, count, 1, by_byte), out);
}

/* ---- reading: from a text, or from a stream over it ---- */

static FILE *stream;

static void open_stream(void) {
    stream = fmemopen(a, ROOM, "r");
}

static void call_fgets(void) {
    open_stream();
    for (size_t i = 0; i < size && fgets(out, (int)count, stream); i++)
        spend_text(out);
    fclose(stream);
}

static void read_lines(bool by_delimiter) {
    char *line = NULL;
    size_t room = 0;
    ssize_t got = 0;
    open_stream();
    for (size_t i = 0; i <= size && got >= 0; i++) {
        got = by_delimiter ? getdelim(&line, &room, byte, stream) : getline(&line, &room, stream);
        spend((long)room + got);
    }
    free(line);
    fclose(stream);
}
static void call_getline(void) {
    read_lines(false);
}
static void call_getdelim(void) {
    read_lines(true);
}

static const char *format(void) {
    static const char *const formats[] = {"%d%n",  "%i %i%n", "%3lx%n",    "%*u%hhd%n",
                                          "%2o%n", "x%d%n",   "%lld,%d%n", "%p%n"};
    return formats[count % 8];
}

static long numbers[3];

static void spend_numbers(int got) {
    spend(got);
    for (int i = 0; i < 3; i++)
        spend(numbers[i] ^ numbers[i] >> 32);
}

static void call_sscanf(void) {
    spend_numbers(sscanf(a, format(), &numbers[0], &numbers[1], &numbers[2]));
    out[0] = out[4] = 0;
    spend(sscanf(b, " %3[^,;a-b]%1s", out, out + 4));
    spend_text(out);
    spend_text(out + 4);
    char *word = NULL;
    double fraction = 0;
    spend(sscanf(b, "%m[a-f0-9]%lf", &word, &fraction));
    spend_bits(fraction);
    spend_text(word ? word : "");
    free(word);
}
static void call_fscanf(void) {
    open_stream();
    spend_numbers(fscanf(stream, format(), &numbers[0], &numbers[1], &numbers[2]));
    spend(fgetc(stream));
    fclose(stream);
}
static void call_scanf(void) {
    spend_numbers(scanf(format(), &numbers[0], &numbers[1], &numbers[2]));
}

static int with_list(int which, const char *form, ...) {
    va_list args;
    va_start(args, form);
    int got = which == 0   ? vsscanf(a, form, args)
              : which == 1 ? vfscanf(stream, form, args)
                           : vscanf(form, args);
    va_end(args);
    return got;
}
static void call_vsscanf(void) {
    spend_numbers(with_list(0, format(), &numbers[0], &numbers[1], &numbers[2]));
}
static void call_vfscanf(void) {
    open_stream();
    spend_numbers(with_list(1, format(), &numbers[0], &numbers[1], &numbers[2]));
    fclose(stream);
}
static void call_vscanf(void) {
    spend_numbers(with_list(2, format(), &numbers[0], &numbers[1], &numbers[2]));
}

/* ---- all of them ---- */

static void (*const calls[])(void) = {
#define INLINE(name) call_##name,
#define MODELLED(name) call_##name,
#include "abi/library.def"
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length) {
    if (length != 8 + 2 * ROOM)
        return 0;
    count = data[1] % (ROOM + 1);
    bound = data[2] % 4 == 0 ? SIZE_MAX : data[2] % 4 == 1 ? SIZE_MAX / 2 : count;
    size = data[3] % 4;
    byte = data[4];
    number = (int)(data[5] | data[6] << 8 | (unsigned)data[7] << 24);
    for (size_t i = 0; i < ROOM; i++) {
        a[i] = (char)data[8 + i];
        b[i] = (char)data[8 + ROOM + i];
    }
    calls[data[0] % (sizeof calls / sizeof *calls)]();
    return 0;
}
