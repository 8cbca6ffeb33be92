/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading lines, as explored code: where a line ends is a decision on its bytes. Part of
 * sym_library.c.
 */
#ifndef SLOWPATH_RUNTIME_LIBRARY_INPUT_H
#define SLOWPATH_RUNTIME_LIBRARY_INPUT_H

#include <stdio.h>

char *LIB(fgets)(char *line, int size, FILE *stream) {
    int count = 0;
    char byte = 0;
    while (count + 1 < size && byte != '\n' && __slowpath_sym_next_byte(stream, &byte))
        line[count++] = byte;
    if (size <= 0 || (count == 0 && size > 1))
        return NULL;
    line[count] = 0;
    return line;
}

ssize_t LIB(getdelim)(char **line, size_t *size, int delimiter, FILE *stream) {
    char *scratch = __slowpath_sym_scratch();
    size_t count = 0, done = 0;
    if (!line || !size) {
        errno = EINVAL;
        return -1;
    }
    while (__slowpath_sym_next_byte(stream, scratch + (count - done))) {
        if (scratch[count++ - done] == (char)delimiter)
            break;
        if (count - done < RUNTIME_SCRATCH_BYTES)
            continue;
        if (!__slowpath_sym_grow_line(line, size, count + 1))
            return -1;
        __builtin_memcpy(*line + done, scratch, count - done);
        done = count;
    }
    if (!__slowpath_sym_grow_line(line, size, count + 1) || !count)
        return -1;
    __builtin_memcpy(*line + done, scratch, count - done);
    (*line)[count] = 0;
    return (ssize_t)count;
}

ssize_t LIB(getline)(char **line, size_t *size, FILE *stream) {
    return LIB(getdelim)(line, size, '\n', stream);
}

#endif
