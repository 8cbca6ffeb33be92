/* SPDX-License-Identifier: Apache-2.0
 *
 * What a target prints is not shown, on neither stream, unless --show-output is given; it never
 * mixes with the result, and it costs the same.
 *
 * RUN: printf abc >in-abc
 * RUN: %slowpath measure %s in-abc >out 2>err; grep -q 'in-abc' out; cmp err /dev/null
 * RUN: if grep -q printed out; then exit 1; fi
 * RUN: %slowpath measure %s in-abc --show-output >shown 2>err
 * RUN: grep -q 'printed 61 62 63' shown; grep -q 'and complained' err
 * RUN: %slowpath measure %s in-abc --json - >json 2>err; if grep -q printed json err; then exit 1; fi
 * RUN: awk '/^in-abc/ { print $3 }' out >quiet-cost; awk '/^in-abc/ { print $3 }' shown | cmp - quiet-cost
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    printf("printed");
    for (size_t i = 0; i < size; i++)
        printf(" %02x", data[i]);
    printf("\n");
    fprintf(stderr, "and complained\n");
    return 0;
}
