/* SPDX-License-Identifier: Apache-2.0
 *
 * Multiplies a square matrix, which the input fills, with a vector.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t n = 0;
    while ((n + 1) * (n + 2) <= size)
        n++;
    double *matrix = malloc((n * n + 1) * sizeof *matrix),
           *vector = malloc((n + 1) * sizeof *vector);
    double *result = malloc((n + 1) * sizeof *result);
    for (size_t i = 0; i < n * n; i++)
        matrix[i] = data[i];
    for (size_t i = 0; i < n; i++)
        vector[i] = data[n * n + i];
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += matrix[i * n + j] * vector[j];
        result[i] = sum;
    }
    free(matrix);
    free(vector);
    free(result);
    return 0;
}
