/* SPDX-License-Identifier: Apache-2.0
 *
 * The C library's own functions, for explored code that has found out what there is to decide and
 * leaves the rest to them. They are in the archive (own.c), so that they are the library's even
 * where the target has functions of the same names. What they are given is fixed, as for any code
 * without bitcode; memory that they look at must have been fixed before.
 */
#ifndef SLOWPATH_RUNTIME_LIBRARY_OWN_H
#define SLOWPATH_RUNTIME_LIBRARY_OWN_H

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

/* A stream that is read by characters from now on, or was before, if it is not read by bytes. */
enum own_wide { OWN_BYTES, OWN_FRESH, OWN_TAKEN };
int OWN(take_wide)(FILE *stream);
void runtime_forget_wide(const FILE *stream); /* it is closed */
void OWN(fail_stream)(FILE *stream);          /* ferror says so */

/* Trees of search.h. */
void *OWN(tsearch)(const void *key, void **root, int (*compare)(const void *, const void *));
void *OWN(tfind)(const void *key, void *const *root, int (*compare)(const void *, const void *));
void *OWN(tdelete)(const void *key, void **root, int (*compare)(const void *, const void *));

bool OWN(is_posixly_correct)(void); /* by the environment */
void OWN(leave_options)(void);      /* optind and the like have changed */

/* Functions of wide characters, for __slowpath_native_wide_answer; a wctype_t is one, too. */
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
