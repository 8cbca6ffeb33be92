/* SPDX-License-Identifier: Apache-2.0
 *
 * A fuzz harness: "%41" becomes "A", as in a URL, in place. Each replacement moves the rest of the
 * text forward, which is fine until there are many of them.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static void unquote(char *text) {
    for (char *at = text; (at = strchr(at, '%')) != NULL; at++) {
        if (digit(at[1]) < 0 || digit(at[2]) < 0)
            continue;
        *at = (char)(digit(at[1]) * 16 + digit(at[2]));
        memmove(at + 1, at + 3, strlen(at + 3) + 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = 0;
    unquote(text);
    free(text);
    return 0;
}
