/* SPDX-License-Identifier: Apache-2.0
 *
 * Multiplies two square matrices, which the input fills.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t n = 0;
    while (2 * (n + 1) * (n + 1) <= size && n < 64)
        n++;
    double *a = malloc((n * n + 1) * sizeof *a), *b = malloc((n * n + 1) * sizeof *b);
    double *c = malloc((n * n + 1) * sizeof *c);
    for (size_t i = 0; i < n * n; i++) {
        a[i] = data[i];
        b[i] = data[n * n + i];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
    free(a);
    free(b);
    free(c);
    return 0;
}
