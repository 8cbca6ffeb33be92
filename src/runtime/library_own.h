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

#define OWN(name) __slowpath_own_##name

double OWN(strtod)(const char *text);
float OWN(strtof)(const char *text);
long double OWN(strtold)(const char *text);

#endif
