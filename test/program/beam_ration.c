/* SPDX-License-Identifier: Apache-2.0
 *
 * Half of the questions of this program keep a solver busy for as long as one lets it, the others
 * need none: where time is limited most of it goes to those, and the search gets to the end of the
 * path.
 *
 * RUN: %slowpath run %s --size 400 --strategy beam --tests 2 --lookahead 10 --max-constraints 20 --max-frontier 8 --jobs 1 --time 12 --out s --quiet >out
 * RUN: awk -F': ' '/^    "seconds"/ { all = $2 + 0 } /^      "seconds"/ { solver = $2 + 0 } END { exit !(solver < all / 2) }' s/suite.json
 * RUN: grep -qE '"episodes": [1-9][0-9]' s/suite.json
 */
#include <stddef.h>
#include <stdint.h>

static volatile unsigned sum;

/* Nobody finds what this was made from. */
static uint64_t stir(uint64_t x) {
    for (int i = 0; i < 4; i++) {
        x ^= x >> 29;
        x *= x | 0x9e3779b97f4a7c15u;
    }
    return x;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint64_t state = 1;
    for (size_t i = 0; i < size; i++) {
        state = stir(state ^ data[i]);
        if (i % 2 && state == 0x1234567890abcdefu)
            return 1;
        if (data[i] > 200)
            sum++;
    }
    return 0;
}
