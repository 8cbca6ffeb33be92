/* SPDX-License-Identifier: Apache-2.0
 *
 * The C library's own functions for explored code, which knows no more than what library_own.h
 * declares.
 */
#include "runtime/library_own.h"

#include <stdlib.h>

double OWN(strtod)(const char *text) {
    return strtod(text, NULL);
}

float OWN(strtof)(const char *text) {
    return strtof(text, NULL);
}

long double OWN(strtold)(const char *text) {
    return strtold(text, NULL);
}
