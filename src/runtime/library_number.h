/* SPDX-License-Identifier: Apache-2.0
 *
 * strtod and its kin as explored code: what a byte means to the number is a decision. A decimal
 * number whose digits and power of ten are exact in a double is one product or quotient of them,
 * which rounds once, just like the C library, and stays an expression. For all other numbers the
 * bytes are fixed, and the C library converts them. Part of sym_library.c.
 */
#ifndef SLOWPATH_RUNTIME_LIBRARY_NUMBER_H
#define SLOWPATH_RUNTIME_LIBRARY_NUMBER_H

#include "runtime/library_own.h"

struct number {
    const char *first, *end; /* the bytes of the number; first == end: none */
    bool is_negative;
    bool is_decimal; /* if so: */
    unsigned long digits;
    int count; /* of all digits, leading zeros included */
    long exponent;
};

/* Reads the letters of WORD, ignoring case; returns the end, or NULL. */
static const char *read_letters(const char *at, const char *word) {
    for (; *word; at++, word++)
        if (LIB(tolower)((unsigned char)*at) != *word)
            return NULL;
    return at;
}

/* Behind "nan": the parentheses and their content, if that is a word. */
static const char *read_payload(const char *at) {
    const char *end = at;
    if (*end != '(')
        return at;
    for (end++; LIB(isalnum)((unsigned char)*end) || *end == '_'; end++)
        ;
    return *end == ')' ? end + 1 : at;
}

static const char *read_word(const char *at) {
    const char *end = read_letters(at, "nan");
    if (end)
        return read_payload(end);
    end = read_letters(at, "inf");
    const char *longer = end ? read_letters(end, "inity") : NULL;
    return longer ? longer : end;
}

/* The end of the exponent that may start here. */
static const char *read_exponent(const char *at, char letter, long *exponent) {
    const char *start = at;
    if (LIB(tolower)((unsigned char)*at) != letter)
        return start;
    at++;
    bool is_negative = *at == '-';
    if (*at == '-' || *at == '+')
        at++;
    if (!LIB(isdigit)((unsigned char)*at))
        return start;
    long value = 0;
    for (; LIB(isdigit)((unsigned char)*at); at++)
        value = value < 100000 ? value * 10 + (*at - '0') : value;
    *exponent = is_negative ? -value : value;
    return at;
}

static const char *read_hexadecimal(const char *at) {
    bool any = LIB(isxdigit)((unsigned char)*at);
    long exponent;
    while (LIB(isxdigit)((unsigned char)*at))
        at++;
    if (*at == '.' && (any || LIB(isxdigit)((unsigned char)at[1])))
        for (any = true, at++; LIB(isxdigit)((unsigned char)*at); at++)
            ;
    return any ? read_exponent(at, 'p', &exponent) : NULL;
}

static const char *read_digits(const char *at, struct number *to) {
    for (; LIB(isdigit)((unsigned char)*at); at++) {
        to->digits = to->digits * 10 + (unsigned long)(*at - '0');
        to->count++;
    }
    return at;
}

static const char *read_decimal(const char *at, struct number *to) {
    long exponent = 0;
    at = read_digits(at, to);
    if (*at == '.' && (to->count || LIB(isdigit)((unsigned char)at[1]))) {
        const char *point = at;
        at = read_digits(at + 1, to);
        to->exponent = -(at - point - 1);
    }
    to->is_decimal = to->count > 0;
    if (!to->count)
        return NULL;
    at = read_exponent(at, 'e', &exponent);
    to->exponent += exponent;
    return at;
}

static void read_floating(const char *text, struct number *to) {
    const char *at = text, *end = NULL;
    *to = (struct number){.first = text, .end = text};
    while (LIB(isspace)((unsigned char)*at))
        at++;
    const char *first = at;
    to->is_negative = *at == '-';
    if (*at == '-' || *at == '+')
        at++;
    if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
        end = read_hexadecimal(at + 2);
    if (!end)
        end = read_decimal(at, to);
    if (!end)
        end = read_word(at);
    if (end) {
        to->first = first;
        to->end = end;
    }
}

/* Bytes behind the number are not part of it, whatever they are: the path has decided that. */
static void fix_number(const struct number *number) {
    __slowpath_sym_fix_memory(number->first, (size_t)(number->end - number->first));
}

/* Fixes a small number that is the same for all inputs of the path. */
static long fix_long(long value) {
    __slowpath_sym_fix_memory(&value, sizeof value);
    return value;
}

static bool is_exact(const struct number *number, int most_digits, long most_exponent) {
    return number->is_decimal && number->count <= most_digits &&
           number->exponent >= -most_exponent && number->exponent <= most_exponent;
}

double LIB(strtod)(const char *text, char **end) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    struct number number;
    read_floating(text, &number);
    if (end)
        *end = (char *)number.end;
    if (number.first == number.end)
        return 0;
    number.exponent = fix_long(number.exponent);
    if (!is_exact(&number, 15, 22)) {
        fix_number(&number);
        return OWN(strtod)(number.first);
    }
    double value = (double)(long)number.digits;
    if (number.exponent > 0)
        value *= powers[number.exponent];
    if (number.exponent < 0)
        value /= powers[-number.exponent];
    return number.is_negative ? -value : value;
}

float LIB(strtof)(const char *text, char **end) {
    static const float powers[] = {1e0F, 1e1F, 1e2F, 1e3F, 1e4F, 1e5F,
                                   1e6F, 1e7F, 1e8F, 1e9F, 1e10F};
    struct number number;
    read_floating(text, &number);
    if (end)
        *end = (char *)number.end;
    if (number.first == number.end)
        return 0;
    number.exponent = fix_long(number.exponent);
    if (!is_exact(&number, 7, 10)) {
        fix_number(&number);
        return OWN(strtof)(number.first);
    }
    float value = (float)(long)number.digits;
    if (number.exponent > 0)
        value *= powers[number.exponent];
    if (number.exponent < 0)
        value /= powers[-number.exponent];
    return number.is_negative ? -value : value;
}

long double LIB(strtold)(const char *text, char **end) {
    struct number number;
    read_floating(text, &number);
    if (end)
        *end = (char *)number.end;
    if (number.first == number.end)
        return 0;
    fix_number(&number);
    return OWN(strtold)(number.first);
}

double LIB(atof)(const char *text) {
    return LIB(strtod)(text, NULL);
}

#endif
