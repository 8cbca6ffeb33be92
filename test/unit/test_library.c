/* SPDX-License-Identifier: Apache-2.0
 *
 * Do our versions of library functions do what the C library's do? They are compiled here as plain
 * code, without anything symbolic, and called with random arguments beside the library's own:
 * results, errno, and all that they write must be the same. What they cost is test_costs.c's
 * business. Set SEED for other arguments, ROUNDS for more of them.
 */
#include "base/base.h"
#include "runtime/native.c"
#include "runtime/own.c"
#include "runtime/sym_library.c"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ROOM 40

/* ---- the runtime, without anything symbolic ---- */

void __slowpath_hook_cost(uint64_t bytes) {
    (void)bytes;
}
bool __slowpath_hook_plain_arguments(uint32_t count) {
    (void)count;
    return false;
}
bool __slowpath_sym_is_plain(const void *memory, uint64_t bytes) {
    (void)memory, (void)bytes;
    return false;
}
void __slowpath_sym_fix_memory(const void *memory, uint64_t bytes) {
    (void)memory, (void)bytes;
}
void __slowpath_sym_lose(const void *name) {
    fail_msg("lost in %s", (const char *)name);
}
bool __slowpath_sym_next_byte(void *stream, void *to) {
    int byte = getc(stream);
    *(char *)to = (char)byte;
    return byte != EOF;
}
void __slowpath_sym_unread_byte(void *stream, const void *byte) {
    ungetc(*(const unsigned char *)byte, stream);
}
bool __slowpath_sym_grow_line(void *line, void *size, uint64_t bytes) {
    *(char **)line = realloc(*(char **)line, bytes);
    *(size_t *)size = bytes;
    return true;
}
void *__slowpath_sym_scratch(void) {
    static char scratch[RUNTIME_SCRATCH_BYTES];
    return scratch;
}
void *LIB(malloc)(size_t size) {
    return malloc(size);
}
void *LIB(realloc)(void *memory, size_t size) {
    return realloc(memory, size);
}
void LIB(free)(void *memory) {
    free(memory);
}

/* ---- arguments ---- */

static uint64_t random_state;

static unsigned pick(unsigned below) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 20) % below;
}

static const char *letters; /* of the texts at hand */

static void fill(char *text, unsigned most) {
    unsigned length = pick(most + 1);
    for (unsigned i = 0; i < length; i++)
        text[i] = letters[pick((unsigned)strlen(letters))];
    text[length] = 0;
}

static unsigned rounds(void) {
    const char *given = getenv("ROUNDS");
    return given ? (unsigned)strtoul(given, NULL, 0) : 20000;
}

#define EACH_ROUND for (unsigned round = 0, most = rounds(); round < most; round++)

/* Runs both, and compares results and errno; what they write is for the caller. */
#define SAME(type, ours, theirs, text)                                                             \
    do {                                                                                           \
        errno = 0;                                                                                 \
        type same_a = (ours);                                                                      \
        int same_errno = errno;                                                                    \
        errno = 0;                                                                                 \
        type same_b = (theirs);                                                                    \
        if (memcmp(&same_a, &same_b, sizeof(type) > 10 ? 10 : sizeof(type)) ||                     \
            same_errno != errno)                                                                   \
            fail_msg("%s: \"%s\" gives %lld, errno %d, and not %lld, errno %d", #ours, text,       \
                     (long long)same_a, same_errno, (long long)same_b, errno);                     \
    } while (0)

/* ---- numbers ---- */

static void fill_number(char *text) {
    static const char *const starts[] = {"",    "",   "",      " ",   "-",  "+",
                                         "\t-", "0x", "-0X1p", "inf", "nan"};
    static const char *const alphabets[] = {"0123456789",   "0123456789.e-+",  "019.eE", "0.5e12",
                                            "xX0.19aFpP+-", "iInNfFaA(t)yY_1", "9"};
    letters = alphabets[pick(BASE_COUNT(alphabets))];
    strcpy(text, starts[pick(BASE_COUNT(starts))]);
    fill(text + strlen(text), pick(4) ? 12 : ROOM - 8);
}

static void test_floating(void **state) {
    (void)state;
    char text[ROOM], *a, *b;
    EACH_ROUND {
        fill_number(text);
        SAME(double, LIB(strtod)(text, &a), strtod(text, &b), text);
        assert_ptr_equal(a, b);
        SAME(float, LIB(strtof)(text, &a), strtof(text, &b), text);
        assert_ptr_equal(a, b);
        SAME(long double, LIB(strtold)(text, &a), strtold(text, &b), text);
        assert_ptr_equal(a, b);
        SAME(double, LIB(atof)(text), atof(text), text);
    }
}

static void test_integers(void **state) {
    (void)state;
    char text[ROOM];
    EACH_ROUND {
        char *a = NULL, *b = NULL;
        int base = pick(4) ? (int)pick(40) - 2 : pick(2) ? 10 : 0;
        fill_number(text);
        SAME(long, LIB(strtol)(text, &a, base), strtol(text, &b, base), text);
        assert_ptr_equal(a, b);
        SAME(unsigned long, LIB(strtoul)(text, &a, base), strtoul(text, &b, base), text);
        assert_ptr_equal(a, b);
    }
}

/* ---- scanf ---- */

struct scanned {
    union {
        char bytes[16];
        char *allocated;
    } values[3];
    int count, taken, next;
};

static void free_scanned(struct scanned *scanned, const char *const kinds[3]) {
    for (int i = 0; i < 3; i++)
        if (strchr(kinds[i], 'm') && scanned->values[i].allocated) {
            char *text = scanned->values[i].allocated;
            int shown = kinds[i][strlen(kinds[i]) - 1] == 'c' ? 1 : 9; /* no string */
            memset(&scanned->values[i], 0, sizeof scanned->values[i]);
            snprintf(scanned->values[i].bytes, 16, "%zu %.*s", malloc_usable_size(text), shown,
                     text);
            free(text);
        }
}

static struct scanned scan_with(bool ours, const char *format, const char *text, bool is_stream) {
    struct scanned result;
    memset(&result, 0, sizeof result);
    result.taken = -1;
    void *v[] = {&result.values[0], &result.values[1], &result.values[2]};
    FILE *stream = is_stream ? fmemopen((char *)text, strlen(text) + 1, "r") : NULL;
    result.count = is_stream ? (ours ? LIB(fscanf)(stream, format, v[0], v[1], v[2], &result.taken)
                                     : fscanf(stream, format, v[0], v[1], v[2], &result.taken))
                             : (ours ? LIB(sscanf)(text, format, v[0], v[1], v[2], &result.taken)
                                     : sscanf(text, format, v[0], v[1], v[2], &result.taken));
    result.next = stream ? getc(stream) : 0;
    if (stream)
        fclose(stream);
    return result;
}

static void test_scanf(void **state) {
    (void)state;
    static const char *const conversions[] = {"%d",   "%i",  "%3lx",  "%hhd",    "%f",     "%lf",
                                              "%4lf", "%Lf", "%7g",   "%9a",     "%1e",    "%5s",
                                              "%2c",  "%ms", "%3mc",  "%m[0-9]", "%5[^x]", "%4ms",
                                              "%p",   "%lu", "%5lle", "%mc",     "%[in]"};
    static const char *const between[] = {"", "", " ", ",", "x", "%%"};
    char text[ROOM], format[64];
    EACH_ROUND {
        const char *kinds[3];
        format[0] = 0;
        for (int i = 0; i < 3; i++) {
            kinds[i] = conversions[pick(BASE_COUNT(conversions))];
            strcat(strcat(format, kinds[i]), between[pick(BASE_COUNT(between))]);
        }
        strcat(format, "%n");
        fill_number(text);
        bool is_stream = pick(2);
        struct scanned a = scan_with(true, format, text, is_stream);
        struct scanned b = scan_with(false, format, text, is_stream);
        free_scanned(&a, kinds);
        free_scanned(&b, kinds);
        if (memcmp(&a, &b, sizeof a))
            fail_msg("\"%s\" of \"%s\"%s: %d to %d, next %d, and not %d to %d, next %d", format,
                     text, is_stream ? " in a stream" : "", a.count, a.taken, a.next, b.count,
                     b.taken, b.next);
    }
}

int main(void) {
    const char *given = getenv("SEED");
    random_state = given ? strtoull(given, NULL, 0) : 1;
    print_message("SEED=%llu\n", (unsigned long long)random_state);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_floating),
                                       cmocka_unit_test(test_integers),
                                       cmocka_unit_test(test_scanf)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
