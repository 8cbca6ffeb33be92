/* SPDX-License-Identifier: Apache-2.0
 *
 * The same, as somebody "simplified" it in the second commit: whether a comma is quoted is found
 * out from the start of the line, each time.
 */
#include <stddef.h>
#include <stdint.h>

static volatile unsigned fields;

static int is_quoted(const uint8_t *text, size_t at) {
    int quotes = 0;
    for (size_t i = 0; i < at; i++)
        quotes += text[i] == '"';
    return quotes % 2;
}

static void count_fields(const uint8_t *text, size_t size) {
    for (size_t i = 0; i < size; i++)
        fields += text[i] == ',' && !is_quoted(text, i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    count_fields(data, size);
    return 0;
}
