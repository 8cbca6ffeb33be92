/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints each line once, in the order of their first appearance: looks through all that it has
 * printed, so it is quadratic in the number of different lines.
 */
#include "lines.h"

static int is_known(const struct lines *lines, const char *line) {
    for (size_t i = 0; i < lines->count; i++)
        if (strcmp(lines->data[i], line) == 0)
            return 1;
    return 0;
}

int main(void) {
    struct lines lines = {0};
    char *line;
    while ((line = next_line())) {
        if (is_known(&lines, line)) {
            free(line);
            continue;
        }
        add_line(&lines, line);
        puts(line);
    }
    return 0;
}
