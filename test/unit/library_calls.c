/* SPDX-License-Identifier: Apache-2.0
 *
 * The target of test_costs: one call of the library function that the first byte of the input
 * chooses, by its place in abi/library.def. A row of that list without a call here does not
 * compile. What the function gives is turned into work, so that another result is another cost.
 *
 * Nothing here but the calls themselves touches memory through the library.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <libgen.h>
#undef basename
#include <regex.h>
#include <search.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

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

static void call_bcopy(void) {
    bcopy(a, a + 1, count);
    spend_text(a);
}
static void call_explicit_bzero(void) {
    explicit_bzero(out, count);
}
static void call_memccpy(void) {
    spend_place(memccpy(out, a, byte, count), out);
}
static void call_swab(void) {
    swab(a, out, (ssize_t)count);
    out[count] = 0;
    spend_text(out);
}
static void call_stpncpy(void) {
    spend_place(stpncpy(out, a, count), out);
}
static void call_strcasestr(void) {
    b[size] = 0;
    spend_place(strcasestr(a, b), a);
}
static void call_strcoll(void) {
    spend_order(strcoll(a, b));
}
static void call_strxfrm(void) {
    spend((long)strxfrm(out, a, count));
}
static void call_strverscmp(void) {
    spend_order(strverscmp(a, b));
}
static void slash(void) {
    for (size_t i = 0; a[i]; i++)
        a[i] = a[i] & 1 ? a[i] : '/';
}
static void call_basename(void) {
    slash();
    spend_place(basename(a), a);
}
static void call___xpg_basename(void) {
    slash();
    spend_text(__xpg_basename(a));
}
static void call_dirname(void) {
    slash();
    spend_text(dirname(a));
}

/* ---- wide texts ---- */

static wchar_t wa[ROOM + 2], wb[ROOM + 2], wout[3 * ROOM];

static void widen(void) {
    for (size_t i = 0; i < ROOM + 2; i++) {
        wa[i] = (unsigned char)a[i];
        wb[i] = (unsigned char)b[i];
    }
}
static void spend_wide(const wchar_t *text) {
    long sum = 0;
    for (size_t i = 0; text[i] && i < ROOM; i++)
        sum = sum * 3 + text[i];
    spend(sum);
}
static void spend_wide_place(const wchar_t *found, const wchar_t *start) {
    spend(found ? found - start + 1 : 0);
}

#define CALL_WIDE(name, ...)                                                                       \
    static void call_##name(void) {                                                                \
        widen();                                                                                   \
        __VA_ARGS__;                                                                               \
    }
CALL_WIDE(wmemcpy, spend_wide_place(wmemcpy(wout, wa, count), wout))
CALL_WIDE(wmempcpy, spend_wide_place(wmempcpy(wout, wa, count), wout))
CALL_WIDE(wmemmove, spend_wide(wmemmove(wa + 1, wa, count)))
CALL_WIDE(wmemset, spend_wide(wmemset(wout, byte, count)))
CALL_WIDE(wmemcmp, spend_order(wmemcmp(wa, wb, count)))
CALL_WIDE(wmemchr, spend_wide_place(wmemchr(wa, byte, count), wa))
CALL_WIDE(wcslen, spend((long)wcslen(wa)))
CALL_WIDE(wcsnlen, spend((long)wcsnlen(wa, count)))
CALL_WIDE(wcscpy, spend_wide(wcscpy(wout, wa)))
CALL_WIDE(wcpcpy, spend_wide_place(wcpcpy(wout, wa), wout))
CALL_WIDE(wcsncpy, spend_wide(wcsncpy(wout, wa, count)))
CALL_WIDE(wcpncpy, spend_wide_place(wcpncpy(wout, wa, count), wout))
CALL_WIDE(wcscat, wout[0] = 0, spend_wide(wcscat(wout, wb)))
CALL_WIDE(wcsncat, wout[0] = 0, spend_wide(wcsncat(wout, wb, count)))
CALL_WIDE(wcscmp, spend_order(wcscmp(wa, wb)))
CALL_WIDE(wcsncmp, spend_order(wcsncmp(wa, wb, count)))
CALL_WIDE(wcscasecmp, spend_order(wcscasecmp(wa, wb)))
CALL_WIDE(wcsncasecmp, spend_order(wcsncasecmp(wa, wb, count)))
CALL_WIDE(wcscoll, spend_order(wcscoll(wa, wb)))
CALL_WIDE(wcschr, spend_wide_place(wcschr(wa, byte), wa))
CALL_WIDE(wcschrnul, spend_wide_place(wcschrnul(wa, byte), wa))
CALL_WIDE(wcsrchr, spend_wide_place(wcsrchr(wa, byte), wa))
CALL_WIDE(wcsstr, wb[size] = 0, spend_wide_place(wcsstr(wa, wb), wa))
CALL_WIDE(wcsspn, spend((long)wcsspn(wa, wb)))
CALL_WIDE(wcscspn, spend((long)wcscspn(wa, wb)))
CALL_WIDE(wcspbrk, spend_wide_place(wcspbrk(wa, wb), wa))

static void call_wcsdup(void) {
    widen();
    wchar_t *copy = wcsdup(wa);
    spend_wide(copy);
    free(copy);
}
static void call_wcstok(void) {
    wchar_t *rest;
    widen();
    for (wchar_t *word = wcstok(wa, wb, &rest); word; word = wcstok(NULL, wb, &rest))
        spend_wide_place(word, wa);
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

static void call_llabs(void) {
    spend((long)llabs(number));
}
static void call_div(void) {
    spend(div(number, (int)count + 1).rem);
}
static void call_ldiv(void) {
    spend(ldiv(number, (long)count + 1).quot);
}
static void call_lldiv(void) {
    spend((long)lldiv(number, (long)count + 1).rem);
}
static void call_ffs(void) {
    spend(ffs(number));
}
static void call_ffsl(void) {
    spend(ffsl(number));
}
static void call_ffsll(void) {
    spend(ffsll(number));
}
static void call_a64l(void) {
    spend(a64l(a));
}
static void call_l64a(void) {
    spend_text(l64a(number));
}

#define CALL_WIDE_NUMBER(name, type)                                                               \
    static void call_##name(void) {                                                                \
        wchar_t *end = NULL;                                                                       \
        widen();                                                                                   \
        type value = name(wa, &end, base());                                                       \
        spend((long)(value ^ value >> 32));                                                        \
        spend_wide_place(end, wa);                                                                 \
    }
CALL_WIDE_NUMBER(wcstol, long)
CALL_WIDE_NUMBER(wcstoll, long long)
CALL_WIDE_NUMBER(wcstoul, unsigned long)
CALL_WIDE_NUMBER(wcstoull, unsigned long long)

#define CALL_WIDE_FRACTION(name)                                                                   \
    static void call_##name(void) {                                                                \
        wchar_t *end;                                                                              \
        widen();                                                                                   \
        spend_bits((double)name(wa, &end));                                                        \
        spend_wide_place(end, wa);                                                                 \
    }
CALL_WIDE_FRACTION(wcstod)
CALL_WIDE_FRACTION(wcstof)
CALL_WIDE_FRACTION(wcstold)

static void call_inet_pton(void) {
    static unsigned char address[16];
    spend(inet_pton(count % 2 ? AF_INET : AF_INET6, a, address));
    spend(address[0] + address[3] + address[15]);
}
static void call_inet_aton(void) {
    struct in_addr address = {0};
    spend(inet_aton(a, &address));
    spend((long)address.s_addr);
}
static void call_inet_addr(void) {
    spend((long)inet_addr(a));
}

/* ---- multibyte characters, of the "C" locale ---- */

static void call_mbrtowc(void) {
    wchar_t c = 0;
    mbstate_t state = {0};
    spend((long)mbrtowc(&c, a, count, &state) + c);
}
static void call_mbrlen(void) {
    mbstate_t state = {0};
    spend((long)mbrlen(a, count, &state));
}
static void call_mbsinit(void) {
    mbstate_t state = {0};
    spend(mbsinit(&state) != 0);
}
static void call_mbtowc(void) {
    wchar_t c = 0;
    spend(mbtowc(&c, a, count) + c);
}
static void call_mblen(void) {
    spend(mblen(a, count));
}
static void call_wcrtomb(void) {
    spend((long)wcrtomb(out, byte, NULL) + out[0]);
}
static void call_wctomb(void) {
    spend(wctomb(out, byte) + out[0]);
}
static void call_btowc(void) {
    spend(btowc(byte));
}
static void call_wctob(void) {
    spend(wctob((wint_t)byte));
}
static void call_mbstowcs(void) {
    spend((long)mbstowcs(wout, a, count) + wout[0]);
}
static void call_mbsrtowcs(void) {
    const char *text = a;
    mbstate_t state = {0};
    spend((long)mbsrtowcs(wout, &text, count, &state) + wout[0]);
    spend_place(text, a);
}
static void call_mbsnrtowcs(void) {
    const char *text = a;
    mbstate_t state = {0};
    spend((long)mbsnrtowcs(wout, &text, size, count, &state) + wout[0]);
    spend_place(text, a);
}
static void call_wcstombs(void) {
    widen();
    spend((long)wcstombs(out, wa, count) + out[0]);
}
static void call_wcsrtombs(void) {
    const wchar_t *text = wa;
    mbstate_t state = {0};
    widen();
    spend((long)wcsrtombs(out, &text, count, &state) + out[0]);
}
static void call_wcsnrtombs(void) {
    const wchar_t *text = wa;
    mbstate_t state = {0};
    widen();
    spend((long)wcsnrtombs(out, &text, size, count, &state) + out[0]);
}
static void call_wcwidth(void) {
    spend(wcwidth(byte));
}
static void call_wcswidth(void) {
    widen();
    spend(wcswidth(wa, count));
}
static void call_iswctype(void) {
    spend(iswctype((wint_t)byte, wctype(size ? "alpha" : "punct")) != 0);
}
static void call_towlower(void) {
    spend((long)towlower((wint_t)byte));
}
static void call_towupper(void) {
    spend((long)towupper((wint_t)byte));
}

/* ---- patterns ---- */

static void call_fnmatch(void) {
    static const char *const patterns[] = {"a*b", "?[a-f]*", "*0[!0-9]", "[[:alpha:]]*", "*,?"};
    static const int flags[] = {0, FNM_CASEFOLD, FNM_PERIOD | FNM_PATHNAME, FNM_NOESCAPE};
    spend(fnmatch(patterns[count % 5], a, flags[size]));
    spend(fnmatch(b, a, flags[size]));
}

static void match(const char *pattern, int flags) {
    regex_t compiled;
    regmatch_t matches[2];
    int result = regcomp(&compiled, pattern, flags);
    spend(result);
    if (result)
        return;
    result = regexec(&compiled, a, 2, matches, 0);
    spend(result);
    if (!result)
        spend(matches[0].rm_so + 3 * matches[0].rm_eo + 5 * matches[1].rm_so);
    regfree(&compiled);
}
static void call_regcomp(void) {
    match(b, size ? REG_EXTENDED : 0);
}
static void call_regexec(void) {
    static const char *const patterns[] = {"a(b|0)*", "[a-f]+[^0-9]", "^(.)\\1", "[[:space:]]x?",
                                           "\\<a\\>"};
    match(patterns[count % 5], size ? REG_EXTENDED : REG_EXTENDED | REG_ICASE | REG_NEWLINE);
}
static void call_regfree(void) {
    match("a", 0);
}

/* ---- options ---- */

static char *arguments[5] = {"program"};
static const struct option options[] = {
    {"alpha", 0, NULL, 'a'}, {"beta", 1, NULL, 'b'}, {"al", 2, NULL, 5}, {NULL, 0, NULL, 0}};

static int prepare_arguments(void) {
    a[0] = a[0] ? '-' : 0;
    a[1] = a[1] % 3 == 0 ? '-' : a[1];
    arguments[1] = a;
    arguments[2] = b;
    arguments[3] = a + 3;
    opterr = 0;
    return 4;
}

#define CALL_OPTIONS(name, ...)                                                                    \
    static void call_##name(void) {                                                                \
        int given = prepare_arguments(), found;                                                    \
        for (int i = 0; i < 6 && (found = name(given, arguments, "ab:0", ##__VA_ARGS__)) >= 0;     \
             i++)                                                                                  \
            spend(found + optind);                                                                 \
        spend_place(optarg, a);                                                                    \
    }
CALL_OPTIONS(getopt)
CALL_OPTIONS(getopt_long, options, NULL)
CALL_OPTIONS(getopt_long_only, options, NULL)

static void call_getsubopt(void) {
    static char *const names[] = {"a", "ab", "0", NULL};
    char *at = a, *value = NULL;
    spend(getsubopt(&at, names, &value));
    spend_place(at, a);
    spend_place(value, a);
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

CALL_CLASS(isascii)
CALL_CLASS(iswalnum)
CALL_CLASS(iswalpha)
CALL_CLASS(iswblank)
CALL_CLASS(iswcntrl)
CALL_CLASS(iswdigit)
CALL_CLASS(iswgraph)
CALL_CLASS(iswlower)
CALL_CLASS(iswprint)
CALL_CLASS(iswpunct)
CALL_CLASS(iswspace)
CALL_CLASS(iswupper)
CALL_CLASS(iswxdigit)

static void call_toascii(void) {
    spend((toascii)(byte));
}
static void call__tolower(void) {
    spend((_tolower)(byte % 26 + 'A'));
}
static void call__toupper(void) {
    spend((_toupper)(byte % 26 + 'a'));
}
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

static int by_byte_times(const void *x, const void *y, void *times) {
    return by_byte(x, y) * *(int *)times;
}

static void call_qsort_r(void) {
    int times = size ? 1 : -1;
    qsort_r(a, count, 1, by_byte_times, &times);
    spend_text(a);
}
static void call_lfind(void) {
    char key = (char)byte;
    spend_place(lfind(&key, a, &count, 1, by_byte), a);
}
static void call_lsearch(void) {
    char key = (char)byte;
    spend_place(lsearch(&key, a, &count, 1, by_byte), a);
    spend((long)count);
}

/* Keys go in and out; what a node says is which key it has. */
static void grow_tree(void) {
    void *root = NULL;
    char key = (char)byte;
    for (size_t i = 0; i < count; i++)
        spend_place(*(char **)tsearch(a + i, &root, by_byte), a);
    for (size_t i = 0; i < count / 2; i++)
        spend(tdelete(a + 2 * i, &root, by_byte) != NULL);
    char **found = tfind(&key, &root, by_byte);
    spend_place(found ? *found : NULL, a);
    for (size_t i = 0; i < count; i++)
        tdelete(a + i, &root, by_byte);
}
static void call_tsearch(void) {
    grow_tree();
}
static void call_tfind(void) {
    grow_tree();
}
static void call_tdelete(void) {
    grow_tree();
}

static void use_table(bool is_own) {
    static struct hsearch_data table;
    static char keys[6][4];
    spend(is_own ? hcreate_r(size, &table) : hcreate(size));
    for (int i = 0; i < 6; i++) {
        keys[i][0] = a[2 * i];
        keys[i][1] = a[2 * i + 1];
        ENTRY entry = {keys[i], keys[i]}, *found = NULL;
        if (is_own)
            hsearch_r(entry, i % 3 ? ENTER : FIND, &found, &table);
        else
            found = hsearch(entry, i % 3 ? ENTER : FIND);
        spend_place(found ? found->data : NULL, keys[0]);
    }
    if (is_own)
        hdestroy_r(&table);
    else
        hdestroy();
}
static void call_hcreate_r(void) {
    use_table(true);
}
static void call_hsearch_r(void) {
    use_table(true);
}
static void call_hdestroy_r(void) {
    use_table(true);
}
static void call_hcreate(void) {
    use_table(false);
}
static void call_hsearch(void) {
    use_table(false);
}
static void call_hdestroy(void) {
    use_table(false);
}

static struct linked {
    struct linked *next, *previous;
    int value;
} links[4];

static void use_list(void) {
    insque(&links[0], NULL);
    for (int i = 1; i < 4; i++) {
        links[i].value = a[i];
        insque(&links[i], &links[a[i] & 1 ? 0 : i - 1]);
    }
    remque(&links[1 + size % 3]);
    for (struct linked *at = links; at; at = at->next)
        spend(at->value);
}
static void call_insque(void) {
    use_list();
}
static void call_remque(void) {
    use_list();
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

/* Streams in memory have no wide characters. */
static void open_file(void) {
    int ends[2];
    if (pipe(ends) || write(ends[1], a, count) != (ssize_t)count)
        abort();
    close(ends[1]);
    stream = fdopen(ends[0], "r");
}
static void call_fgetwc(void) {
    open_file();
    for (size_t i = 0; i <= size; i++)
        spend((long)fgetwc(stream));
    fclose(stream);
}
static void call_ungetwc(void) {
    open_file();
    wint_t c = fgetwc(stream);
    spend((long)ungetwc(c, stream));
    spend((long)fgetwc(stream));
    fclose(stream);
}
static void call_fwide(void) {
    open_file();
    spend(fwide(stream, number) > 0);
    spend((long)fgetwc(stream));
    fclose(stream);
}
static void call_fgetws(void) {
    open_file();
    for (size_t i = 0; i < size && fgetws(wout, (int)size + 1, stream); i++)
        spend_wide(wout);
    fclose(stream);
}
static void call_getwchar(void) {
    spend((long)getwchar());
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

static const wchar_t *wide_format(void) {
    static const wchar_t *const formats[] = {L"%d%n",  L"%i %i%n", L"%3lx%n",    L"%*u%hhd%n",
                                             L"%2o%n", L"x%d%n",   L"%lld,%d%n", L"%p%n"};
    return formats[count % 8];
}
static int with_wide_list(int which, const wchar_t *form, ...) {
    va_list args;
    va_start(args, form);
    int got = which == 0   ? vswscanf(wa, form, args)
              : which == 1 ? vfwscanf(stream, form, args)
                           : vwscanf(form, args);
    va_end(args);
    return got;
}
static void call_swscanf(void) {
    widen();
    spend_numbers(swscanf(wa, wide_format(), &numbers[0], &numbers[1], &numbers[2]));
    wout[0] = wout[4] = 0;
    spend(swscanf(wb, L" %3l[^,;a-b]%1ls", wout, wout + 4));
    spend_wide(wout);
    spend_wide(wout + 4);
    out[0] = 0;
    spend(swscanf(wb, L"%2s", out));
    spend_text(out);
}
static void call_fwscanf(void) {
    open_file();
    spend_numbers(fwscanf(stream, wide_format(), &numbers[0], &numbers[1], &numbers[2]));
    spend((long)fgetwc(stream));
    fclose(stream);
}
static void call_wscanf(void) {
    spend_numbers(wscanf(wide_format(), &numbers[0], &numbers[1], &numbers[2]));
}
static void call_vswscanf(void) {
    widen();
    spend_numbers(with_wide_list(0, wide_format(), &numbers[0], &numbers[1], &numbers[2]));
}
static void call_vfwscanf(void) {
    open_file();
    spend_numbers(with_wide_list(1, wide_format(), &numbers[0], &numbers[1], &numbers[2]));
    fclose(stream);
}
static void call_vwscanf(void) {
    spend_numbers(with_wide_list(2, wide_format(), &numbers[0], &numbers[1], &numbers[2]));
}

static const wchar_t *print_format(void) {
    static const wchar_t *const formats[] = {L"%d%3s%lc", L"%-4x%.2s|%lc", L"%hhu%s%5lc",
                                             L"%+05i%-3s%C"};
    return formats[count % 4];
}
static int print_list(int which, const wchar_t *form, ...) {
    va_list args;
    va_start(args, form);
    int got = which == 0   ? vswprintf(wout, size + 8, form, args)
              : which == 1 ? vfwprintf(stream, form, args)
                           : vwprintf(form, args);
    va_end(args);
    return got;
}
static void call_swprintf(void) {
    wout[0] = 0;
    spend(swprintf(wout, size + 8, print_format(), number, a, (wint_t)(unsigned char)b[0]));
    spend_wide(wout);
}
static void call_vswprintf(void) {
    wout[0] = 0;
    spend(print_list(0, print_format(), number, a, (wint_t)(unsigned char)b[0]));
    spend_wide(wout);
}
static void call_wprintf(void) {
    spend(wprintf(print_format(), number, a, (wint_t)(unsigned char)b[0]));
}
static void call_vwprintf(void) {
    spend(print_list(2, print_format(), number, a, (wint_t)(unsigned char)b[0]));
}
static void call_fwprintf(void) {
    spend(fwprintf(stdout, print_format(), number, a, (wint_t)(unsigned char)b[0]));
}
static void call_vfwprintf(void) {
    stream = stdout;
    spend(print_list(1, print_format(), number, a, (wint_t)(unsigned char)b[0]));
}
static void call_fputws(void) {
    widen();
    spend(fputws(wa, stdout));
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
