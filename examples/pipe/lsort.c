/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorts the lines of its input, by insertion: quadratic where they come in descending order.
 */
#include "lines.h"

int main(void) {
    struct lines lines = {0};
    char *line;
    while ((line = next_line())) {
        add_line(&lines, line);
        size_t at = lines.count - 1;
        for (; at && strcmp(lines.data[at - 1], line) > 0; at--)
            lines.data[at] = lines.data[at - 1];
        lines.data[at] = line;
    }
    for (size_t i = 0; i < lines.count; i++)
        puts(lines.data[i]);
    return 0;
}
