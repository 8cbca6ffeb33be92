/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks for the input's first eight bytes in the rest by Knuth, Morris and Pratt.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 16)
        return 0;
    size_t fail[9] = {0}, found = 0;
    for (size_t i = 1, k = 0; i < 8; i++) {
        while (k && data[i] != data[k])
            k = fail[k];
        k += data[i] == data[k];
        fail[i + 1] = k;
    }
    for (size_t i = 8, k = 0; i < size; i++) {
        while (k && (k == 8 || data[i] != data[k]))
            k = fail[k];
        k += data[i] == data[k];
        found += k == 8;
    }
    return (int)(found & 0);
}
