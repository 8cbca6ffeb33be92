/* SPDX-License-Identifier: Apache-2.0
 *
 * The C library's own functions, for explored code that has decided what there is to decide and
 * leaves the rest to them. They are in the archive (own.c), so they are the library's even if the
 * target defines functions of the same names. Their arguments are fixed, as for any code without
 * bitcode. The caller must first fix or decide all memory that their answer depends on.
 */
#ifndef SLOWPATH_RUNTIME_LIBRARY_OWN_H
#define SLOWPATH_RUNTIME_LIBRARY_OWN_H

#include <regex.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <wchar.h>

#define OWN(name) __slowpath_own_##name

double OWN(strtod)(const char *text);
float OWN(strtof)(const char *text);
long double OWN(strtold)(const char *text);

int OWN(strcoll)(const char *a, const char *b);
int OWN(wcscoll)(const wchar_t *a, const wchar_t *b);
size_t OWN(strxfrm)(char *to, const char *from, size_t count);

enum own_charset { OWN_ASCII, OWN_UTF8, OWN_OTHER };
int OWN(charset)(void); /* of the locale */

/* How the program reads a stream: by bytes, or as wide characters from now on (OWN_FRESH) or since
 * earlier (OWN_TAKEN). To the library these two are byte-oriented, and only a stream that was
 * written to as wide is OWN_WIDE. */
enum own_wide { OWN_BYTES, OWN_FRESH, OWN_TAKEN, OWN_WIDE };
int OWN(take_wide)(FILE *stream);
bool runtime_is_taken_wide(const FILE *stream);
int OWN(fwide)(FILE *stream, int mode);
wint_t OWN(fgetwc)(FILE *stream);
wint_t OWN(ungetwc)(wint_t c, FILE *stream);
void runtime_forget_wide(const FILE *stream); /* it was closed */
void OWN(fail_stream)(FILE *stream);          /* sets its error indicator */

int OWN(vswprintf)(wchar_t *to, size_t size, const wchar_t *format, va_list args);
int OWN(vfwprintf)(FILE *stream, const wchar_t *format, va_list args);
bool OWN(is_printed_wide)(FILE *stream); /* makes it wide; false if it is byte-oriented */

/* Trees of search.h. */
void *OWN(tsearch)(const void *key, void **root, int (*compare)(const void *, const void *));
void *OWN(tfind)(const void *key, void *const *root, int (*compare)(const void *, const void *));
void *OWN(tdelete)(const void *key, void **root, int (*compare)(const void *, const void *));

bool OWN(is_posixly_correct)(void); /* according to the environment */
void OWN(leave_options)(void);      /* reports changes of optind and the like */

/* What a pattern distinguishes in a text (see library_pattern.h). */
enum { OWN_ASKS_ALNUM = 1, OWN_ASKS_SPACE = 2, OWN_ASKS_MORE = 4 };
struct own_kinds {
    bool compares;   /* compares parts of the text: a back-reference */
    bool has_ranges; /* all bytes between two that are named are of one kind */
    unsigned classes;
    int count;
    unsigned char bytes[256]; /* those that are named, in order */
};
void OWN(kinds_of_name)(const char *pattern, int flags, struct own_kinds *to);
int OWN(fnmatch)(const char *pattern, const char *text, int flags);
int OWN(regcomp)(regex_t *compiled, const char *pattern, int flags);
void OWN(regfree)(regex_t *compiled);
int OWN(regexec)(const regex_t *compiled, const char *text, size_t count, regmatch_t *matches,
                 int flags);
const struct own_kinds *OWN(kinds_of)(const regex_t *compiled); /* NULL: unknown */

/* Functions of wide characters for __slowpath_native_wide_answer; a wctype_t is one, too. */
#define OWN_CLASSES(CLASS)                                                                         \
    CLASS(alnum)                                                                                   \
    CLASS(alpha)                                                                                   \
    CLASS(blank)                                                                                   \
    CLASS(cntrl)                                                                                   \
    CLASS(digit)                                                                                   \
    CLASS(graph)                                                                                   \
    CLASS(lower)                                                                                   \
    CLASS(print)                                                                                   \
    CLASS(punct)                                                                                   \
    CLASS(space)                                                                                   \
    CLASS(upper)                                                                                   \
    CLASS(xdigit)

#define OWN_CLASS(name) OWN_CLASS_##name,
enum own_function { OWN_CLASSES(OWN_CLASS) OWN_TO_LOWER, OWN_TO_UPPER, OWN_WIDTH, OWN_FUNCTIONS };
#undef OWN_CLASS

#endif
