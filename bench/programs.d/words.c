/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts words and sorts their lengths: one function, and a main for each way in which a program
 * gets its input. WAY says which; without it there is a harness.
 */
#include <slowpath.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST 256

static size_t lengths[MOST], count, steps;

static void insert(size_t length) {
    size_t at = count < MOST ? count++ : MOST - 1;
    for (; at > 0 && lengths[at - 1] > length; at--, steps++)
        lengths[at] = lengths[at - 1];
    lengths[at] = length;
}

static int count_words(const unsigned char *text, size_t size) {
    size_t length = 0;
    for (size_t i = 0; i < size; i++, steps++) {
        if (text[i] > ' ') {
            length++;
        } else if (length) {
            insert(length);
            length = 0;
        }
    }
    if (length)
        insert(length);
    slowpath_count("steps", (long)steps);
    return (int)(count & 7);
}

enum { STDIO = 1, LINES, READ, NAMED, ARGUMENT };

#ifndef WAY
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return count_words(data, size) < 0;
}
#else
static unsigned char text[65536];

static size_t take_lines(FILE *from) {
    char *line = NULL;
    size_t room = 0, size = 0;
    for (ssize_t got; (got = getline(&line, &room, from)) > 0; size += (size_t)got)
        memcpy(text + size, line, (size_t)got);
    return size; /* the line is leaked on purpose */
}

static size_t take_input(const char *argument) {
    ssize_t got = 0;
    switch (WAY) {
    case STDIO:
        return fread(text, 1, sizeof text, stdin);
    case LINES:
        return take_lines(stdin);
    case READ:
        got = read(STDIN_FILENO, text, sizeof text);
        return got > 0 ? (size_t)got : 0;
    case NAMED:
        return take_lines(fopen(argument, "r"));
    }
    return (size_t)(stpncpy((char *)text, argument, sizeof text) - (char *)text);
}

int main(int argc, char **argv) {
    int code = count_words(text, take_input(argc > 1 ? argv[1] : ""));
    printf("%d\n", code);
    exit(code);
}
#endif
