/* SPDX-License-Identifier: Apache-2.0
 *
 * The project of docs/ci.md: how many fields does a line of comma-separated text have, with quotes?
 * The function is linear.
 */
#include <stddef.h>
#include <stdint.h>

static volatile unsigned fields;

static void count_fields(const uint8_t *text, size_t size) {
    int is_quoted = 0;
    for (size_t i = 0; i < size; i++) {
        is_quoted ^= text[i] == '"';
        fields += text[i] == ',' && !is_quoted;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    count_fields(data, size);
    return 0;
}
