/* SPDX-License-Identifier: Apache-2.0
 *
 * strtol on a string from the input.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char text[16], *end;
    if (size >= sizeof text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    long value = strtol(text, &end, 0);
    return value > 100 ? 1 : end == text;
}
