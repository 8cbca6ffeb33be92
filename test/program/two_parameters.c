/* SPDX-License-Identifier: Apache-2.0
 *
 * A law in two parameters: each query goes through all the definitions before it, so that the cost is their product.
 *
 * RUN: %slowpath run %s --strategy patterns --jobs 1 --time 0 --runs 60000 --max-size 4096 --tests 3 --out a --quiet > out
 * RUN: %check --input-file out
 * RUN: %slowpath show a F1 > shown && %check --check-prefix=SHOW --input-file shown
 *
 * CHECK: F1 {{ *}}O(n^2)
 * SHOW: O(n^2), quadratic
 * SHOW-SAME: O(a*b) where a is how often the unit comes and b how often the other piece comes
 */
#include <stddef.h>
#include <stdint.h>

static volatile unsigned sum;

static void look_up(unsigned definitions) {
    for (unsigned i = 0; i < definitions; i++)
        sum++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    unsigned definitions = 0;
    for (size_t i = 0; i < size; i++)
        if (data[i] == '=')
            definitions++;
        else if (data[i] == '?')
            look_up(definitions);
    return 0;
}
