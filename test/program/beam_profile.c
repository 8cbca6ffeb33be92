/* SPDX-License-Identifier: Apache-2.0
 *
 * 6000 cheap decisions, one for each byte of the input, and behind them what decides the cost: four
 * bytes at 5000 that must be one word, for 1000 rounds, and then one more byte, for 100000. The
 * runs suffice for a part of the path, so the front does not get there. An episode that begins
 * where the profile says that nobody has changed a decision yet does, and another one where that
 * has led to new decisions. A round is at least 3 instructions.
 *
 * RUN: %slowpath run %s --size 6000 --strategy beam --tests 2 --jobs 1 --time 0 --runs 8000 --seed 1 --out s >out
 * RUN: grep -q '"profiled": [1-9]' s/suite.json
 * RUN: awk -F': ' '/"passed"/ { p = $2 + 0 } END { exit !(p > 0 && p < 5000) }' s/suite.json
 * RUN: awk '/^tests.0001/ { exit !($2 > 3 * 100000) }' out
 * RUN: grep -q 'bytes of the input that its front has passed' out
 * RUN: grep -q 'episodes begun further on, where decisions move cost' out
 * RUN: %slowpath run %s --size 6000 --strategy beam --tests 2 --jobs 1 --time 0 --runs 8000 --seed 1 --out again --quiet >out
 * RUN: cmp s/tests/0001.input again/tests/0001.input; cmp s/tests/0002.input again/tests/0002.input
 *
 * The same in an input with more decisions than a survey looks at: it looks at some words at a time.
 * RUN: %slowpath run %s --cflags '-DSIZE=40000 -DPLACE=30000' --size 40000 --strategy beam --tests 2 --jobs 1 --time 0 --runs 12000 --seed 1 --out far --quiet >out
 * RUN: awk '/^tests.0001/ { exit !($2 > 40000 * 12 + 3 * 100000) }' out
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef SIZE
#define SIZE 6000
#define PLACE 5000
#endif

static volatile unsigned sum;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint32_t word = 0;
    for (size_t i = 0; i < size; i++)
        if (data[i] > 127)
            sum++;
    if (size < SIZE)
        return 0;
    memcpy(&word, data + PLACE, sizeof word);
    if (word != 0x534c4f57)
        return 0;
    for (unsigned i = 0; i < 1000; i++)
        sum += i;
    if (data[PLACE + 4] == 0x21)
        for (unsigned i = 0; i < 100000; i++)
            sum += i;
    return 0;
}
