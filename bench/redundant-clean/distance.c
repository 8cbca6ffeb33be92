/* SPDX-License-Identifier: Apache-2.0
 *
 * The edit distance of the two halves of the input, in two rows.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t n = size / 2 < 200 ? size / 2 : 200;
    uint32_t *row = malloc((n + 1) * sizeof *row);
    for (size_t j = 0; j <= n; j++)
        row[j] = (uint32_t)j;
    for (size_t i = 1; i <= n; i++) {
        uint32_t corner = row[0];
        row[0] = (uint32_t)i;
        for (size_t j = 1; j <= n; j++) {
            uint32_t best = corner + (data[i - 1] != data[n + j - 1]);
            corner = row[j];
            best = corner + 1 < best ? corner + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            row[j] = best;
        }
    }
    free(row);
    return 0;
}
