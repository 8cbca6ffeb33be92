/* SPDX-License-Identifier: Apache-2.0
 *
 * Each line costs the same loop, whatever letters it has, and the letters have small costs of their own: inputs of
 * short lines differ in many ways and are near copies of each other all the same. One of them has a place; the other
 * tests spend less than half of their cost in that loop, and so cost much less.
 *
 * RUN: %slowpath run %s --strategy evolve --jobs 1 --time 0 --runs 30000 --max-size 1024 --out a --quiet > out
 * RUN: %check --input-file out
 *
 * CHECK: tests/0001.input {{ *[3-9][0-9][0-9][0-9][0-9][0-9] }}
 * CHECK-NOT: tests/{{[0-9]*}}.input {{ *[5-9][0-9][0-9][0-9][0-9] }}
 */
#include <stddef.h>
#include <stdint.h>

static volatile unsigned table[40], letters[4];

static void begin_line(void) {
    for (unsigned i = 0; i < 40; i++)
        table[i] = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if (data[i] == '\n')
            begin_line();
        else if (data[i] == '[')
            letters[0] += 3 * letters[1];
        else if (data[i] == '_')
            letters[1] += letters[2] + letters[3];
        else if (data[i] < 32)
            letters[2]++;
        else
            letters[3]++;
    }
    return 0;
}
