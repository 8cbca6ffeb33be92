/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints the lines that its pattern matches as a whole: # is a digit, ? any byte, * any number of
 * bytes, and all else stands for itself.
 */
#include "lines.h"

static int matches(const char *pattern, const char *text) {
    for (; *pattern; pattern++, text++) {
        if (*pattern == '*') {
            do
                if (matches(pattern + 1, text))
                    return 1;
            while (*text++);
            return 0;
        }
        if (*pattern == '#' ? *text < '0' || *text > '9' : !*text)
            return 0;
        if (*pattern != '#' && *pattern != '?' && *pattern != *text)
            return 0;
    }
    return !*text;
}

int main(int argc, char **argv) {
    char *line;
    if (argc != 2)
        return 2;
    while ((line = next_line())) {
        if (matches(argv[1], line))
            puts(line);
        free(line);
    }
    return 0;
}
