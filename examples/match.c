/* SPDX-License-Identifier: Apache-2.0
 *
 * A matcher for patterns with * as a fuzz harness: the first line of the input is the pattern, the
 * rest is the text. It backtracks, so some patterns are far worse than others.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int match(const char *pattern, const char *text) {
    if (*pattern == 0)
        return *text == 0;
    if (*pattern == '*')
        return match(pattern + 1, text) || (*text && match(pattern, text + 1));
    return *pattern == *text && match(pattern + 1, text + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *copy = malloc(size + 1);
    memcpy(copy, data, size);
    copy[size] = 0;
    char *text = strchr(copy, '\n');
    if (text) {
        *text++ = 0;
        match(copy, text);
    }
    free(copy);
    return 0;
}
