/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints each line twice, the second time with its bytes in reverse order.
 */
#include "lines.h"

int main(void) {
    char *line;
    while ((line = next_line())) {
        puts(line);
        for (size_t i = strlen(line); i-- > 0;)
            putchar(line[i]);
        putchar('\n');
        free(line);
    }
    return 0;
}
