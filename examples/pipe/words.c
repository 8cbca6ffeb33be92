/* SPDX-License-Identifier: Apache-2.0
 *
 * Puts each word of its input on a line of its own.
 */
#include <stdio.h>

int main(void) {
    int byte, is_inside = 0;
    while ((byte = getchar()) != EOF) {
        int is_blank = byte == ' ' || byte == '\t' || byte == '\n';
        if (!is_blank)
            putchar(byte);
        else if (is_inside)
            putchar('\n');
        is_inside = !is_blank;
    }
    if (is_inside)
        putchar('\n');
    return 0;
}
