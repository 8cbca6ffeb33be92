/* SPDX-License-Identifier: Apache-2.0
 *
 * Where variables, the heap and the stack lie is true of one run: what a suite says of its tests has
 * no addresses. A table of pointers is told by its index, the rest in words.
 *
 * RUN: told() { %slowpath run %s --entry "$1(s[2])" --strategy exhaustive --jobs 1 --out s --force --quiet >out; \
 * RUN:   grep -q '"complete": true' s/suite.json || { cat out; exit 1; }; \
 * RUN:   ! grep -E '"(condition|tables|family)": .*[0-9]{7}' s/suite.json; }
 * RUN: for f in by_table by_function by_choice in_heap on_stack; do told $f; done
 * RUN: told by_table; grep -qF '"condition": "(s[0] & 3) == 2"' s/suite.json || { grep condition s/suite.json; exit 1; }
 * RUN: told in_heap; grep -qF 'and pointers are what they are here' s/suite.json
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static volatile int spent;
static char one[] = "12345", two[] = "1";
static const char *const names[] = {"a", "bb", "ccc", "dddd"};

void by_table(const unsigned char *s) {
    for (const char *at = names[s[0] & 3]; *at; at++)
        spent++;
}

static void once(void) {
    spent++;
}

static void thrice(void) {
    for (int i = 0; i < 3; i++)
        spent++;
}

void by_function(const unsigned char *s) {
    static void (*const functions[])(void) = {once, thrice};
    functions[s[0] & 1]();
}

void by_choice(const unsigned char *s) {
    char copy;
    memcpy(&copy, (s[0] & 1 ? one : two) + (s[1] & 1), 1);
    if (copy == '2')
        spent++;
}

void in_heap(const unsigned char *s) {
    int *numbers = malloc(8 * sizeof *numbers);
    if (((uintptr_t)(numbers + (s[0] & 7)) >> 4) % 3 == 1)
        spent++;
    free(numbers);
}

void on_stack(const unsigned char *s) {
    int numbers[8] = {0};
    if (((uintptr_t)(numbers + (s[0] & 7)) >> 3) % 5 == 1)
        numbers[s[1] & 7] = 1;
    spent += numbers[3];
}
