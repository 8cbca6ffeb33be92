/* SPDX-License-Identifier: Apache-2.0
 *
 * A backtracking matcher for (a+)+b over the first 32 bytes, cut short after a million steps.
 * Worst: nothing but a.
 */
#include <stddef.h>
#include <stdint.h>

static int steps;

static int groups(const uint8_t *text, const uint8_t *end) {
    for (const uint8_t *at = text; at < end && *at == 'a';) {
        at++;
        if (++steps > 1000000)
            return 1;
        if ((at < end && *at == 'b') || groups(at, end))
            return 1;
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    steps = 0;
    groups(data, data + (size < 32 ? size : 32));
    return 0;
}
