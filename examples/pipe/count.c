/* SPDX-License-Identifier: Apache-2.0
 *
 * For each file that it is told of, how often its first byte is in it.
 */
#include <stdio.h>
#include <string.h>

int main(void) {
    char line[8192];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        FILE *file = fopen(line, "r");
        int first = file ? getc(file) : EOF, times = first != EOF, byte;
        while (file && (byte = getc(file)) != EOF)
            times += byte == first;
        if (file)
            fclose(file);
        printf("%d\n", times);
    }
    return 0;
}
