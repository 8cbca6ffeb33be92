/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of standard input, for the filters in this folder.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lines {
    char **data;
    size_t count;
};

/* One line without its end; NULL: there is none left. The caller frees it. */
static inline char *next_line(void) {
    size_t size = 0, room = 16;
    char *line = malloc(room);
    int byte = getchar();
    if (byte == EOF) {
        free(line);
        return NULL;
    }
    for (; byte != EOF && byte != '\n'; byte = getchar()) {
        if (size + 1 == room)
            line = realloc(line, room *= 2);
        line[size++] = (char)byte;
    }
    line[size] = 0;
    return line;
}

static inline void add_line(struct lines *lines, char *line) {
    if ((lines->count & (lines->count - 1)) == 0)
        lines->data = realloc(lines->data, (lines->count ? 2 * lines->count : 1) * sizeof line);
    lines->data[lines->count++] = line;
}
