/* SPDX-License-Identifier: Apache-2.0
 *
 * A recursive parser of sums, products, parentheses, numbers and names; what it reads it looks up
 * in a small table.
 */
#include <stdio.h>

static const unsigned char *at;
static int errors;

static int sum(int depth);

static int number(void) {
    int value = 0;
    while (*at >= '0' && *at <= '9')
        value = value * 10 + *at++ - '0';
    return value;
}

static int name(void) {
    int hash = 0;
    while (*at >= 'a' && *at <= 'f')
        hash = (hash * 7 + *at++) % 16;
    return hash;
}

static int factor(int depth) {
    if (*at >= '0' && *at <= '9')
        return number();
    if (*at >= 'a' && *at <= 'f')
        return name();
    if (*at == '(' && depth < 8) {
        at++;
        int value = sum(depth + 1);
        if (*at == ')')
            at++;
        else
            errors++;
        return value;
    }
    errors++;
    return 0;
}

static int product(int depth) {
    int value = factor(depth);
    while (*at == '*') {
        at++;
        value *= factor(depth);
    }
    return value;
}

static int sum(int depth) {
    int value = product(depth);
    while (*at == '+' || *at == '-') {
        at++;
        value += product(depth);
    }
    return value;
}

int main(void) {
    unsigned char text[16] = {0};
    size_t size = fread(text, 1, sizeof text - 1, stdin);
    text[size] = 0;
    at = text;
    int value = sum(0);
    return *at || errors ? 1 : value & 1;
}
