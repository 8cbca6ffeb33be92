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
#include "runtime/own_pattern.c"
#include "runtime/sym_library.c"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <libgen.h>
#undef basename
#include <locale.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define ROOM 40

/* ---- the runtime, without anything symbolic ---- */

uint32_t __slowpath_left;

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
void __slowpath_sym_clear(void *memory, uint64_t bytes) {
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
void *LIB(calloc)(size_t count, size_t size) {
    return calloc(count, size);
}
int LIB(fprintf)(FILE *stream, const char *format, ...) {
    (void)stream, (void)format;
    return 0;
}
int LIB(snprintf)(char *to, size_t size, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int result = vsnprintf(to, size, format, args);
    va_end(args);
    return result;
}
wint_t LIB(fputwc)(wchar_t c, FILE *stream) {
    return fputwc(c, stream);
}
bool __slowpath_sym_print_matters(void *stream) {
    (void)stream;
    return true;
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
    const char *given = getenv("ROUNDS"), *scale = getenv("SLOWPATH_ROUNDS");
    return given ? (unsigned)strtoul(given, NULL, 0) : 1000 * (scale ? (unsigned)atoi(scale) : 4);
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
        if (!errno || errno == ERANGE) /* else a sanitizer leaves it somewhere */
            assert_ptr_equal(a, b);
        SAME(unsigned long, LIB(strtoul)(text, &a, base), strtoul(text, &b, base), text);
        if (!errno || errno == ERANGE) /* else a sanitizer leaves it somewhere */
            assert_ptr_equal(a, b);
    }
}

/* ---- texts ---- */

#define SIGN(order) ((order) < 0 ? -1 : (order) > 0)

static void test_texts(void **state) {
    (void)state;
    static const char *const alphabets[] = {"ab", "aAbB",      "0129", "a01.",
                                            "/a", "\x80\xff~", "ab/."};
    char a[ROOM], b[ROOM], x[2 * ROOM] = "", y[2 * ROOM] = "";
    EACH_ROUND {
        letters = alphabets[pick(BASE_COUNT(alphabets))];
        fill(a, 8);
        fill(b, pick(2) ? 3 : 8);
        size_t count = pick(10), common = pick(6);
        if (pick(2) && strlen(a) > common)
            memcpy(b, a, common);
        char byte = letters[0];
        SAME(int, SIGN(LIB(strverscmp)(a, b)), SIGN(strverscmp(a, b)), a);
        SAME(int, SIGN(LIB(strcoll)(a, b)), SIGN(strcoll(a, b)), a);
        SAME(char *, LIB(strcasestr)(a, b), strcasestr(a, b), a);
        SAME(size_t, LIB(strxfrm)(x, a, count), strxfrm(y, a, count), a);
        char *p = LIB(memccpy)(x, a, byte, count), *q = memccpy(y, a, byte, count);
        assert_true(p ? q && p - x == q - y : !q);
        SAME(long, LIB(stpncpy)(x, a, count) - x, stpncpy(y, a, count) - y, a);
        LIB(swab)(a, x + 9, (ssize_t)count - 1);
        swab(a, y + 9, (ssize_t)count - 1);
        strcpy(x + 20, a);
        strcpy(y + 20, a);
        LIB(bcopy)(x + 20, x + 20 + count, 5);
        bcopy(y + 20, y + 20 + count, 5);
        assert_memory_equal(x, y, sizeof x);
    }
}

static void test_paths(void **state) {
    (void)state;
    char a[ROOM], b[ROOM];
    letters = "/a";
    EACH_ROUND {
        fill(a, 8);
        strcpy(b, a);
        SAME(char *, LIB(basename)(a), basename(a), a);
        char *x = LIB(__xpg_basename)(a), *y = __xpg_basename(b);
        assert_string_equal(x, y);
        assert_string_equal(a, b);
        x = LIB(dirname)(a);
        y = dirname(b);
        assert_string_equal(x, y);
        assert_string_equal(a, b);
    }
}

/* ---- wide characters ---- */

static void fill_wide(wchar_t *text, unsigned most) {
    static const wchar_t alphabet[] = {'a',  'B',    'b',     '0', ',',    ' ',      0xe4,
                                       0xc4, 0x20ac, 0x1f600, -1,  0xd800, 0x110000, 0x7654321};
    unsigned length = pick(most + 1), range = pick(2) ? 3 : (unsigned)BASE_COUNT(alphabet);
    for (unsigned i = 0; i < length; i++)
        text[i] = alphabet[pick(range)];
    text[length] = 0;
}

static void test_wide(void **state) {
    (void)state;
    wchar_t a[ROOM], b[ROOM], x[2 * ROOM] = L"", y[2 * ROOM] = L"";
    EACH_ROUND {
        fill_wide(a, 8);
        fill_wide(b, pick(2) ? 2 : 8);
        size_t count = pick(10), common = pick(6);
        if (pick(2) && wcslen(a) > common)
            wmemcpy(b, a, common);
        wchar_t c = pick(2) ? b[0] : L'a';
        SAME(size_t, LIB(wcslen)(a), wcslen(a), "");
        SAME(size_t, LIB(wcsnlen)(a, count), wcsnlen(a, count), "");
        SAME(int, SIGN(LIB(wcscmp)(a, b)), SIGN(wcscmp(a, b)), "");
        SAME(int, SIGN(LIB(wcsncmp)(a, b, count)), SIGN(wcsncmp(a, b, count)), "");
        SAME(int, SIGN(LIB(wcscasecmp)(a, b)), SIGN(wcscasecmp(a, b)), "");
        SAME(int, SIGN(LIB(wcsncasecmp)(a, b, count)), SIGN(wcsncasecmp(a, b, count)), "");
        SAME(int, SIGN(LIB(wmemcmp)(a, b, common)), SIGN(wmemcmp(a, b, common)), "");
        SAME(int, SIGN(LIB(wcscoll)(a, b)), SIGN(wcscoll(a, b)), "");
        SAME(wchar_t *, LIB(wcschr)(a, c), wcschr(a, c), "");
        SAME(wchar_t *, LIB(wcschrnul)(a, c), wcschrnul(a, c), "");
        SAME(wchar_t *, LIB(wcsrchr)(a, c), wcsrchr(a, c), "");
        SAME(wchar_t *, LIB(wmemchr)(a, c, common), wmemchr(a, c, common), "");
        SAME(wchar_t *, LIB(wcsstr)(a, b), wcsstr(a, b), "");
        SAME(wchar_t *, LIB(wcspbrk)(a, b), wcspbrk(a, b), "");
        SAME(size_t, LIB(wcsspn)(a, b), wcsspn(a, b), "");
        SAME(size_t, LIB(wcscspn)(a, b), wcscspn(a, b), "");
        SAME(long, LIB(wcscpy)(x, a) - x, wcscpy(y, a) - y, "");
        SAME(long, LIB(wcpcpy)(x, a) - x, wcpcpy(y, a) - y, "");
        SAME(long, LIB(wcsncpy)(x + 9, b, count) - x, wcsncpy(y + 9, b, count) - y, "");
        SAME(long, LIB(wcpncpy)(x + 9, b, count) - x, wcpncpy(y + 9, b, count) - y, "");
        SAME(long, LIB(wcscat)(x, b) - x, wcscat(y, b) - y, "");
        SAME(long, LIB(wcsncat)(x, b, count) - x, wcsncat(y, b, count) - y, "");
        SAME(long, LIB(wmemcpy)(x + 30, b, 3) - x, wmemcpy(y + 30, b, 3) - y, "");
        SAME(long, LIB(wmempcpy)(x + 33, b, 3) - x, wmempcpy(y + 33, b, 3) - y, "");
        SAME(long, LIB(wmemmove)(x + count, x + common, 9) - x,
             wmemmove(y + count, y + common, 9) - y, "");
        SAME(long, LIB(wmemset)(x + 40, c, count) - x, wmemset(y + 40, c, count) - y, "");
        assert_memory_equal(x, y, sizeof x);
        wchar_t *p = NULL, *q = NULL, *word;
        wcscpy(x, a);
        wcscpy(y, a);
        for (wchar_t *start = x;; start = NULL) {
            word = LIB(wcstok)(start, b, &p);
            wchar_t *other = wcstok(start ? y : NULL, b, &q);
            assert_true((word ? word - x : -1) == (other ? other - y : -1));
            if (!word)
                break;
        }
        assert_memory_equal(x, y, sizeof x);
    }
}

static void test_wide_classes(void **state) {
    (void)state;
    wint_t c = 0;
#define CLASS(name) assert_int_equal(LIB(isw##name)(c) != 0, isw##name(c) != 0);
    EACH_ROUND {
        if (round > most / 10) /* the library is asked about many characters each time */
            break;
        if (round % 16) /* the same range again */
            c += pick(3) - 1;
        else
            c = pick(3) ? pick(0x500) : pick(4) ? pick(0x20000) : (wint_t)pick(UINT32_MAX);
        OWN_CLASSES(CLASS)
        assert_int_equal(LIB(iswctype)(c, wctype("upper")) != 0, iswupper(c) != 0);
        SAME(wint_t, LIB(towlower)(c), towlower(c), "");
        SAME(wint_t, LIB(towupper)(c), towupper(c), "");
        SAME(int, LIB(wcwidth)((wchar_t)c), wcwidth((wchar_t)c), "");
        SAME(int, LIB(wctob)(c), wctob(c), "");
        SAME(wint_t, LIB(btowc)((int)c % 300 - 10), btowc((int)c % 300 - 10), "");
    }
}

static void test_multibyte(void **state) {
    (void)state;
    static const char *const alphabets[] = {"ab", "a\x80\xff", "\xc3\xa4\xe2\x82\xac",
                                            "\xf0\x9f\x98\x80\xed\xa0",
                                            "\xf4\x8f\xbf\xf7\x90\xe0\xc1\xf8"};
    char text[ROOM], x[2 * ROOM] = "", y[2 * ROOM] = "";
    wchar_t a[ROOM] = L"", b[ROOM] = L"";
    EACH_ROUND {
        letters = alphabets[pick(BASE_COUNT(alphabets))];
        fill(text, 8);
        const char *s = text, *t = text;
        mbstate_t m = {0}, n = {0};
        for (size_t left = strlen(text) + 1, used; left; left -= used, s += used) {
            size_t some = 1 + pick(4) < left ? 1 + pick(4) : left;
            some = some < left ? some : left;
            a[0] = b[0] = -5;
            used = some;
            SAME(size_t, (used = LIB(mbrtowc)(a, s, some, &m)), mbrtowc(b, s, some, &n), text);
            assert_int_equal(a[0], b[0]);
            if (used == (size_t)-1)
                break;
            assert_int_equal(LIB(mbsinit)(&m) != 0, mbsinit(&n) != 0);
            used = used == (size_t)-2 ? some : used ? used : 1;
        }
        memset(&m, 0, sizeof m);
        memset(&n, 0, sizeof n);
        size_t bytes = pick(10), count = pick(9);
        bool measures = pick(4) == 0;
        s = t = text;
        SAME(size_t, LIB(mbsnrtowcs)(measures ? NULL : a, &s, bytes, count, &m),
             mbsnrtowcs(measures ? NULL : b, &t, bytes, count, &n), text);
        if (!errno)
            assert_ptr_equal(s, t);
        if (!errno)
            assert_int_equal(LIB(mbsinit)(&m) != 0, mbsinit(&n) != 0);
        s = t = text;
        memset(&m, 0, sizeof m);
        memset(&n, 0, sizeof n);
        SAME(size_t, LIB(mbsrtowcs)(measures ? NULL : a, &s, count, &m),
             mbsrtowcs(measures ? NULL : b, &t, count, &n), text);
        if (!errno) /* else it points somewhere into the bytes that are no character */
            assert_ptr_equal(s, t);
        SAME(size_t, LIB(mbstowcs)(a, text, count), mbstowcs(b, text, count), text);
        assert_memory_equal(a, b, sizeof a);
        mbtowc(NULL, NULL, 0);
        LIB(mbtowc)(NULL, NULL, 0);
        a[0] = b[0] = 0;
        SAME(int, LIB(mbtowc)(a, text, bytes), mbtowc(b, text, bytes), text);
        assert_int_equal(a[0], b[0]);
        SAME(int, LIB(mblen)(text, bytes), mblen(text, bytes), text);
        wchar_t wide[ROOM];
        fill_wide(wide, 8);
        const wchar_t *v = wide, *w = wide;
        SAME(size_t, LIB(wcrtomb)(x, wide[0], NULL), wcrtomb(y, wide[0], NULL), "");
        SAME(int, LIB(wctomb)(x + 8, wide[0]), wctomb(y + 8, wide[0]), "");
        SAME(size_t, LIB(wcsnrtombs)(measures ? NULL : x + 16, &v, count, bytes, NULL),
             wcsnrtombs(measures ? NULL : y + 16, &w, count, bytes, NULL), "");
        assert_ptr_equal(v, w);
        v = w = wide;
        SAME(size_t, LIB(wcsrtombs)(measures ? NULL : x + 32, &v, bytes, NULL),
             wcsrtombs(measures ? NULL : y + 32, &w, bytes, NULL), "");
        assert_ptr_equal(v, w);
        SAME(size_t, LIB(wcstombs)(x + 48, wide, bytes), wcstombs(y + 48, wide, bytes), "");
        assert_memory_equal(x, y, sizeof x);
    }
}

static void test_wide_numbers(void **state) {
    (void)state;
    char text[ROOM];
    wchar_t wide[ROOM];
    EACH_ROUND {
        wchar_t *a = NULL, *b = NULL;
        int base = (int)pick(40) - 2;
        fill_number(text);
        for (size_t i = 0; i < ROOM; i++)
            wide[i] = text[i];
        SAME(long, LIB(wcstol)(wide, &a, base), wcstol(wide, &b, base), text);
        SAME(unsigned long, LIB(wcstoul)(wide, &a, base), wcstoul(wide, &b, base), text);
        SAME(double, LIB(wcstod)(wide, &a), wcstod(wide, &b), text);
        assert_ptr_equal(a, b);
        SAME(float, LIB(wcstof)(wide, &a), wcstof(wide, &b), text);
        SAME(long double, LIB(wcstold)(wide, &a), wcstold(wide, &b), text);
        assert_ptr_equal(a, b);
    }
}

static void test_wide_streams(void **state) {
    (void)state;
    static const char *const alphabets[] = {"ab\n", "a\xc3\xa4\n", "\xe2\x82\xac\n"};
    char text[ROOM];
    EACH_ROUND {
        letters = alphabets[pick(BASE_COUNT(alphabets))];
        fill(text, 8);
        FILE *x = tmpfile(), *y = tmpfile(); /* streams in memory have no wide characters */
        assert_int_equal(pwrite(fileno(x), text, strlen(text), 0), strlen(text));
        assert_int_equal(pwrite(fileno(y), text, strlen(text), 0), strlen(text));
        if (round > most / 20) /* each needs files */
            break;
        if (pick(2)) {
            wint_t c;
            do {
                SAME(wint_t, c = LIB(fgetwc)(x), fgetwc(y), text);
                assert_int_equal(ferror(x) != 0, ferror(y) != 0);
            } while (c != WEOF);
            SAME(wint_t, LIB(fgetwc)(x), fgetwc(y), text);
        } else {
            wchar_t a[ROOM] = L"", b[ROOM] = L"", *got;
            int size = (int)pick(5);
            do {
                got = LIB(fgetws)(a, size, x);
                assert_true((got == NULL) == (fgetws(b, size, y) == NULL));
                if (got)
                    assert_int_equal(wcscmp(a, b), 0);
            } while (got && size > 1);
        }
        runtime_forget_wide(x);
        fclose(x);
        fclose(y);
    }
}

/* ---- small things ---- */

static void test_small(void **state) {
    (void)state;
    char text[ROOM];
    letters = "./0aZz9 ";
    EACH_ROUND {
        long value = (long)((uint64_t)pick(UINT32_MAX) << pick(33)) * (pick(2) ? 1 : -1);
        int small = (int)value, by = (int)pick(40) + 2;
        by = pick(2) ? by : -by;
        fill(text, 8);
        SAME(long, LIB(a64l)(text), a64l(text), text);
        char ours[8];
        strcpy(ours, LIB(l64a)(value));
        assert_string_equal(ours, l64a(value));
        SAME(int, LIB(ffs)(small), ffs(small), "");
        SAME(int, LIB(ffsl)(value), ffsl(value), "");
        SAME(int, LIB(ffsll)(value), ffsll(value), "");
        SAME(int, LIB(div)(small, by).quot, div(small, by).quot, "");
        SAME(long, LIB(ldiv)(value, by).rem, ldiv(value, by).rem, "");
        SAME(long, (long)LIB(lldiv)(value, by).rem, (long)lldiv(value, by).rem, "");
        SAME(long long, LIB(llabs)(value), llabs(value), "");
        SAME(int, LIB(isascii)(small) != 0, isascii(small) != 0, "");
        SAME(int, LIB(toascii)(small), toascii(small), "");
    }
}

/* ---- addresses ---- */

static void test_addresses(void **state) {
    (void)state;
    static const char *const alphabets[] = {"0129.", "01.", "01:aF", ":1", "1:.0", "0x7f.1 "};
    static const char *const starts[] = {"",   "",         "1.2.",         "1.2.3.",
                                         "::", "1:2:3:4:", "1:2:3:4:5:6:", "::1.2.3."};
    static const int families[] = {AF_INET, AF_INET6, AF_UNIX};
    char text[ROOM];
    EACH_ROUND {
        unsigned char x[16] = {0}, y[16] = {0};
        letters = alphabets[pick(BASE_COUNT(alphabets))];
        strcpy(text, starts[pick(BASE_COUNT(starts))]);
        fill(text + strlen(text), 10);
        int family = families[pick(8) ? pick(2) : 2];
        SAME(int, LIB(inet_pton)(family, text, x), inet_pton(family, text, y), text);
        assert_memory_equal(x, y, 16);
        SAME(int, LIB(inet_aton)(text, (struct in_addr *)x), inet_aton(text, (struct in_addr *)y),
             text);
        assert_memory_equal(x, y, 16);
        SAME(in_addr_t, LIB(inet_addr)(text), inet_addr(text), text);
    }
}

/* ---- sorting and searching ---- */

static unsigned comparisons;

static int by_byte(const void *a, const void *b) {
    comparisons = comparisons * 3 + (*(const char *)a - *(const char *)b > 0) + 1;
    return *(const char *)a - *(const char *)b;
}

static int by_byte_more(const void *a, const void *b, void *more) {
    return *(int *)more * by_byte(a, b);
}

static unsigned made_since(void) {
    unsigned before = comparisons;
    comparisons = 0;
    return before;
}

static void keep_key(void *key) {
    (void)key;
}

static void test_searching(void **state) {
    (void)state;
    char a[ROOM], x[ROOM], y[ROOM];
    letters = "abcdefgh";
    EACH_ROUND {
        void *root = NULL, *other = NULL, *p, *q;
        fill(a, 12);
        strcpy(x, a);
        strcpy(y, a);
        size_t count = strlen(a), n = count, m = count;
        int sign = pick(2) ? 1 : -1;
        char key = letters[pick(8)];
        p = LIB(lsearch)(&key, x, &n, 1, by_byte);
        unsigned calls = made_since();
        q = lsearch(&key, y, &m, 1, by_byte);
        assert_true((char *)p - x == (char *)q - y && n == m && calls == made_since());
        LIB(qsort_r)(x, n, 1, by_byte_more, &sign);
        qsort_r(y, n, 1, by_byte_more, &sign);
        made_since(); /* a sanitizer compares more often; test_costs.c counts */
        assert_memory_equal(x, y, n);
        for (size_t i = 0; i < 2 * count; i++) {
            char *at = a + i / 2;
            bool drops = i % 2 && *at < 'd';
            p = drops ? LIB(tdelete)(at, &root, by_byte) : LIB(tsearch)(at, &root, by_byte);
            calls = made_since();
            q = drops ? tdelete(at, &other, by_byte) : tsearch(at, &other, by_byte);
            assert_true(calls == made_since() && !p == !q);
            if (!drops)
                assert_ptr_equal(*(char **)p, *(char **)q);
        }
        p = LIB(tfind)(&key, &root, by_byte);
        q = tfind(&key, &other, by_byte);
        assert_true(p ? *(char **)p == *(char **)q : !q);
        made_since();
        tdestroy(root, keep_key);
        tdestroy(other, keep_key);
    }
}

static void test_tables(void **state) {
    (void)state;
    static char texts[8][ROOM];
    letters = "ab";
    EACH_ROUND {
        struct hsearch_data x = {0}, y = {0};
        size_t room = pick(6);
        SAME(int, LIB(hcreate_r)(room, &x), hcreate_r(room, &y), "");
        assert_int_equal(x.size, y.size);
        for (size_t i = 0; i < 8; i++) {
            ENTRY *p = NULL, *q = NULL;
            fill(texts[i], 3);
            ENTRY entry = {texts[i], &texts[i]};
            ACTION action = pick(2) ? ENTER : FIND;
            SAME(int, LIB(hsearch_r)(entry, action, &p, &x), hsearch_r(entry, action, &q, &y),
                 texts[i]);
            assert_true(p ? q && p->key == q->key && p->data == q->data : !q);
        }
        LIB(hdestroy_r)(&x);
        hdestroy_r(&y);
    }
}

/* ---- options ---- */

struct parsed {
    int result, optind, optopt, index, flag;
    const char *optarg;
};

static void test_options(void **state) {
    (void)state;
    static const char *const words[] = {"-a",        "-b",   "-ab",     "-bc",  "-c",   "x",
                                        "-",         "--",   "--alpha", "--al", "--be", "--beta=1",
                                        "--gamma",   "--g=", "-alpha",  "-W",   "-d9",  "-d",
                                        "--alpha=3", "-:",   "--delta", "-z"};
    static const char *const strings[] = {"ab:c", "+ab:c", "-ab:cd::", ":ab:c",
                                          "abc",  "b:d::", "",         "-:b:"};
    static int flags[2];
    static const struct option names[] = {{"alpha", 0, NULL, 'a'},   {"beta", 1, NULL, 'b'},
                                          {"alps", 2, NULL, 7},      {"gamma", 2, NULL, 'g'},
                                          {"delta", 0, NULL, 'd'},   {"delay", 0, NULL, 'd'},
                                          {"flag", 0, &flags[0], 5}, {NULL, 0, NULL, 0}};
    opterr = 0;
    EACH_ROUND {
        char *x[9] = {"program"}, *y[9];
        int count = 1 + (int)pick(7), kind = (int)pick(3);
        const char *string = strings[pick(BASE_COUNT(strings))];
        for (int i = 1; i < count; i++)
            x[i] = (char *)words[pick(BASE_COUNT(words))];
        x[count] = NULL;
        memcpy(y, x, sizeof y);
        int place = 0, other = 0;
        for (int step = 0; step < 12; step++) {
            struct parsed a = {.index = -1}, b = {.index = -1};
            optind = place;
            a.result = kind == 0   ? LIB(getopt)(count, x, string)
                       : kind == 1 ? LIB(getopt_long)(count, x, string, names, &a.index)
                                   : LIB(getopt_long_only)(count, x, string, names, &a.index);
            a.optind = place = optind;
            a.optopt = optopt;
            a.optarg = optarg;
            optind = other;
            optopt = 0;
            b.result = kind == 0   ? getopt(count, y, string)
                       : kind == 1 ? getopt_long(count, y, string, names, &b.index)
                                   : getopt_long_only(count, y, string, names, &b.index);
            b.optind = other = optind;
            b.optopt = optopt;
            b.optarg = optarg;
            if (b.result != '?' && b.result != ':')
                a.optopt = b.optopt;
            if (memcmp(&a, &b, sizeof a) || memcmp(x, y, sizeof x)) {
                for (int i = 0; i < count; i++)
                    print_error("%s ", y[i]);
                fail_msg("'%s' kind %d: %d %d %d %s, and not %d %d %d %s", string, kind, a.result,
                         a.optind, a.optopt, a.optarg, b.result, b.optind, b.optopt, b.optarg);
            }
            if (a.result == -1)
                break;
        }
    }
}

static void test_suboptions(void **state) {
    (void)state;
    char text[ROOM] = "", copy[ROOM];
    char *names[] = {"a", "ab", "b", NULL};
    letters = "ab=,";
    EACH_ROUND {
        fill(text, 8);
        memcpy(copy, text, sizeof copy);
        char *x = text, *y = copy, *v = NULL, *w = NULL;
        for (int i = 0; i < 4; i++) {
            SAME(int, LIB(getsubopt)(&x, names, &v), getsubopt(&y, names, &w), text);
            assert_true(x - text == y - copy && (v ? v - text : -1) == (w ? w - copy : -1));
        }
        assert_memory_equal(text, copy, sizeof text);
    }
}

/* ---- patterns ---- */

/* The decisions about a byte, as a number: two bytes with the same are of one kind. */
static long kind_of(unsigned char c, const struct own_kinds *kinds) {
    for (int i = 0; i < kinds->count; i++) {
        if (c == kinds->bytes[i])
            return 2 * i + 1;
        if (kinds->has_ranges && c < kinds->bytes[i])
            return 2 * i + (kinds->classes ? 1000L * decide_class(c, kinds->classes) : 0);
    }
    return 600 + (kinds->classes ? 1000L * decide_class(c, kinds->classes) : 0);
}

/* Another text of the same kinds. */
static void replace_bytes(char *text, const struct own_kinds *kinds) {
    for (; *text; text++)
        for (int i = 0; i < 40; i++) {
            unsigned char other = (unsigned char)(1 + pick(255));
            if (kind_of(other, kinds) == kind_of((unsigned char)*text, kinds)) {
                *text = (char)other;
                break;
            }
        }
}

static void fill_subject(char *text) {
    static const char *const alphabets[] = {"ab", "aAbB0_ .", "a/.b", "\n\ta0-]", "xyz\x80\xff{}*"};
    letters = alphabets[pick(BASE_COUNT(alphabets))];
    fill(text, 8);
}

/* What is found in a text is found in all texts of the same kinds. */
static void test_expressions(void **state) {
    (void)state;
    static const char *const parts[] = {
        "a",           "b",   "[ab]",   "[^a-c]",  ".",       "*",    "^",   "$",   "[[:alpha:]]",
        "[[:space:]]", "(",   ")",      "|",       "x",       "+",    "?",   "{2}", "\\w",
        "\\<",         "\\b", "[A-Z_]", "\\(a\\)", "\\{1\\}", "[]-]", "\\s", "{",   "[[:punct:]b]"};
    char pattern[ROOM * 2], a[ROOM], b[ROOM];
    EACH_ROUND {
        regex_t compiled;
        regmatch_t x[3], y[3];
        pattern[0] = 0;
        for (unsigned i = pick(6) + 1; i > 0; i--)
            strcat(pattern, parts[pick(BASE_COUNT(parts))]);
        int flags = (int)(pick(2) * REG_EXTENDED | pick(2) * REG_ICASE | pick(2) * REG_NEWLINE);
        if (LIB(regcomp)(&compiled, pattern, flags))
            continue;
        const struct own_kinds *kinds = OWN(kinds_of)(&compiled);
        for (int i = 0; i < 10 && !kinds->compares; i++) {
            int how = (int)(pick(2) * REG_NOTBOL | pick(2) * REG_NOTEOL);
            memset(x, 0, sizeof x);
            memset(y, 0, sizeof y);
            fill_subject(a);
            strcpy(b, a);
            replace_bytes(b, kinds);
            if (LIB(regexec)(&compiled, a, 3, x, how) != regexec(&compiled, b, 3, y, how) ||
                memcmp(x, y, sizeof x))
                fail_msg("'%s' (%d) on '%s' and '%s'", pattern, flags, a, b);
        }
        LIB(regfree)(&compiled);
    }
}

static void test_names(void **state) {
    (void)state;
    static const char *const parts[] = {"a", "b",    "[ab]",        "[!a-c]", "?",  "*",
                                        "/", ".",    "[[:alpha:]]", "\\",     "@(", "|",
                                        ")", "[^-]", "+(a|b)",      "["};
    char pattern[ROOM * 2], a[ROOM], b[ROOM];
    EACH_ROUND {
        struct own_kinds kinds;
        pattern[0] = 0;
        for (unsigned i = pick(6) + 1; i > 0; i--)
            strcat(pattern, parts[pick(BASE_COUNT(parts))]);
        int flags = (int)pick(64);
        OWN(kinds_of_name)(pattern, flags, &kinds);
        for (int i = 0; i < 10; i++) {
            fill_subject(a);
            strcpy(b, a);
            replace_bytes(b, &kinds);
            if (LIB(fnmatch)(pattern, a, flags) != fnmatch(pattern, b, flags))
                fail_msg("'%s' (%d) on '%s' and '%s'", pattern, flags, a, b);
        }
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

/* A few characters are no ASCII. */
static void widen(wchar_t *to, const char *text) {
    for (; *text; text++)
        *to++ = pick(20) ? (unsigned char)*text : 0xe9;
    *to = 0;
}

static struct scanned scan_wide_with(bool ours, const wchar_t *format, const wchar_t *text,
                                     bool is_stream) {
    struct scanned result;
    memset(&result, 0, sizeof result);
    result.taken = -1;
    void *v[] = {&result.values[0], &result.values[1], &result.values[2]};
    FILE *stream = is_stream ? tmpfile() : NULL;
    char bytes[4 * ROOM];
    size_t size = is_stream ? wcstombs(bytes, text, sizeof bytes) : 0;
    if (stream && size != (size_t)-1)
        assert_int_equal(pwrite(fileno(stream), bytes, size, 0), size);
    result.count = is_stream ? (ours ? LIB(fwscanf)(stream, format, v[0], v[1], v[2], &result.taken)
                                     : fwscanf(stream, format, v[0], v[1], v[2], &result.taken))
                             : (ours ? LIB(swscanf)(text, format, v[0], v[1], v[2], &result.taken)
                                     : swscanf(text, format, v[0], v[1], v[2], &result.taken));
    result.next = !stream ? 0 : (int)(ours ? LIB(fgetwc)(stream) : fgetwc(stream));
    if (stream) {
        runtime_forget_wide(stream);
        fclose(stream);
    }
    return result;
}

static void test_wide_scanf(void **state) {
    (void)state;
    static const char *const conversions[] = {"%d",  "%i",  "%3lx",    "%hhd",   "%f",   "%4lf",
                                              "%7g", "%3s", "%2c",     "%3ls",   "%2lc", "%3[^x]",
                                              "%p",  "%lu", "%3l[in]", "%1[0-9]"};
    static const char *const between[] = {"", "", " ", ",", "x", "%%"};
    char text[ROOM], format[64];
    wchar_t wide[ROOM], wide_format[64];
    EACH_ROUND {
        format[0] = 0;
        for (int i = 0; i < 3; i++)
            strcat(strcat(format, conversions[pick(BASE_COUNT(conversions))]),
                   between[pick(BASE_COUNT(between))]);
        strcat(format, "%n");
        for (size_t i = 0; i <= strlen(format); i++)
            wide_format[i] = format[i];
        fill_number(text);
        widen(wide, text);
        bool is_stream = pick(8) == 0;
        struct scanned a = scan_wide_with(true, wide_format, wide, is_stream);
        struct scanned b = scan_wide_with(false, wide_format, wide, is_stream);
        if (memcmp(&a, &b, sizeof a))
            fail_msg("\"%s\" of \"%s\"%s: %d to %d, next %d, and not %d to %d, next %d", format,
                     text, is_stream ? " in a stream" : "", a.count, a.taken, a.next, b.count,
                     b.taken, b.next);
    }
}

/* ---- wprintf ---- */

struct printed {
    wchar_t text[ROOM];
    char file[4 * ROOM];
    int result, error, count;
};

/* Three conversions and "%n": each takes an argument of eight bytes, or a double. */
static struct printed print_with(bool ours, const wchar_t *format, const int64_t *integers,
                                 const double *fractions, size_t room) {
    struct printed to;
    const int64_t *i = integers;
    const double *f = fractions;
    FILE *stream = pick(8) || integers[3] ? NULL : tmpfile();
    memset(&to, 0, sizeof to);
    errno = 0;
    to.result =
        stream ? (ours ? LIB(fwprintf)(stream, format, i[0], i[1], i[2], f[0], &to.count)
                       : fwprintf(stream, format, i[0], i[1], i[2], f[0], &to.count))
               : (ours ? LIB(swprintf)(to.text, room, format, i[0], i[1], i[2], f[0], &to.count)
                       : swprintf(to.text, room, format, i[0], i[1], i[2], f[0], &to.count));
    to.error = to.result < 0 && errno == EILSEQ;
    if (stream) {
        fflush(stream);
        if (pread(fileno(stream), to.file, sizeof to.file - 1, 0) < 0)
            fail_msg("the file cannot be read");
        fclose(stream);
    }
    return to;
}

static void add_conversion(wchar_t *format, int64_t *argument, int64_t *is_none, const char *bytes,
                           const wchar_t *wide) {
    static const wchar_t *const kinds[] = {L"d",  L"u",  L"x",  L"#lX", L"hhd",  L"+hd", L"jd",
                                           L"lo", L"#o", L"c",  L"lc",  L"C",    L"s",   L"ls",
                                           L"S",  L"p",  L" i", L"zu",  L"'lld", L"s",   L"5s"};
    static const wchar_t *const widths[] = {L"", L"", L"5", L"-6", L".2", L"07", L"-7.3", L".0"};
    const wchar_t *kind = kinds[pick(BASE_COUNT(kinds))];
    wchar_t last = kind[wcslen(kind) - 1];
    bool is_plain =
        kind[0] == L'd' || kind[0] == L'u' || kind[0] == L'x' || !kind[1] || kind[0] == L'l';
    *argument = pick(2) ? (int64_t)random_state >> pick(60) : (int64_t)pick(130);
    if (last == L's' || last == L'S')
        *argument = !pick(9) ? 0 : kind[0] == L'l' || last == L'S' ? (int64_t)wide : (int64_t)bytes;
    else if (last == L'c' || last == L'C')
        *argument = pick(8) ? 1 + pick(126) : pick(4) ? pick(256) : -1;
    *is_none |= (last == L'c' || last == L'C') && *argument >> 7;
    wcscat(wcscat(wcscat(format, L"%"), is_plain ? widths[pick(BASE_COUNT(widths))] : L""), kind);
    wcscat(format, pick(3) ? L"" : pick(2) ? L"-\xe9" : L"%%");
}

/* For a message. */
static const char *shown(const wchar_t *text, int place) {
    static char buffers[3][4 * ROOM];
    size_t at = 0;
    for (; text[at]; at++)
        buffers[place][at] = (char)(text[at] > 0x1f && text[at] < 0x7f ? text[at] : '?');
    buffers[place][at] = 0;
    return buffers[place];
}

static void test_wide_printf(void **state) {
    (void)state;
    static const wchar_t *const fractions[] = {L"%f", L"%8.2e", L"%-9.3g", L"%a", L"%+.0f"};
    char bytes[ROOM];
    wchar_t wide[ROOM], format[ROOM * 4];
    EACH_ROUND {
        int64_t integers[4] = {0}; /* the last: a character may be none, for which streams differ */
        double fraction = (double)(int64_t)random_state / (1 << pick(30));
        letters = pick(3) ? "ab1" : "a\xc3\xa9\xe2";
        fill(bytes, 7);
        widen(wide, bytes);
        format[0] = 0;
        for (int i = 0; i < 3; i++)
            add_conversion(format, &integers[i], &integers[3], bytes, wide);
        wcscat(wcscat(format, fractions[pick(BASE_COUNT(fractions))]), L"%n");
        size_t room = pick(4) ? ROOM : pick(ROOM);
        uint64_t before = random_state;
        struct printed a = print_with(true, format, integers, &fraction, room);
        random_state = before;
        struct printed b = print_with(false, format, integers, &fraction, room);
        if (memcmp(&a, &b, sizeof a))
            fail_msg("\"%s\" of \"%s\", room %zu: %d, %d: \"%s\" %s, and not %d, %d: \"%s\" %s",
                     shown(format, 0), bytes, room, a.result, a.count, shown(a.text, 1), a.file,
                     b.result, b.count, shown(b.text, 2), b.file);
    }
}

#define WIDE_TESTS                                                                                 \
    cmocka_unit_test(test_wide), cmocka_unit_test(test_wide_classes),                              \
        cmocka_unit_test(test_multibyte), cmocka_unit_test(test_wide_numbers),                     \
        cmocka_unit_test(test_wide_streams), cmocka_unit_test(test_wide_scanf),                    \
        cmocka_unit_test(test_wide_printf)

static void use_utf8(void **state) {
    (void)state;
    assert_non_null(setlocale(LC_ALL, "C.UTF-8"));
}

int main(void) {
    const char *given = getenv("SEED");
    random_state = given ? strtoull(given, NULL, 0) : 1;
    print_message("SEED=%llu\n", (unsigned long long)random_state);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_floating),   cmocka_unit_test(test_integers),
        cmocka_unit_test(test_scanf),      cmocka_unit_test(test_texts),
        cmocka_unit_test(test_paths),      cmocka_unit_test(test_small),
        cmocka_unit_test(test_addresses),  cmocka_unit_test(test_searching),
        cmocka_unit_test(test_tables),     cmocka_unit_test(test_options),
        cmocka_unit_test(test_suboptions), cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_names),      WIDE_TESTS,
        cmocka_unit_test(use_utf8),        WIDE_TESTS};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
