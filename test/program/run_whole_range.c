/* SPDX-License-Identifier: Apache-2.0
 *
 * A range that holds all values of its bytes says nothing: the paths are those without it. That
 * there are 13 was counted by running all inputs.
 *
 * RUN: paths() { %slowpath run %s --entry 'twist(in[2])' --cflags '-w -fwrapv' --strategy exhaustive --jobs 1 --out s --force \
 * RUN:   --quiet "$@" >out; grep -q '"complete": true' s/suite.json && grep -q ' 13 different paths' out || { cat out; exit 1; }; }
 * RUN: paths; paths --range in=0..255; paths --range in=0..254
 */
#include <stdint.h>

volatile int spent;

static uint32_t first_of(uint32_t a, uint32_t b) {
    (void)b;
    return a;
}

int twist(const uint8_t *in) {
    int64_t first = in[0];
    uint32_t second = in[1], turn;
    int32_t sum = 1000003;
    int16_t mask = first_of(255, 44);
    uint16_t unused = 0;
    if ((int8_t)second)
        switch ((int8_t)sum << (in[0] & 31) & 15) {
        case 2:;
        case 8:
            break;
        case 14:
            spent = 1;
            break;
        case 20:;
        }
    for (turn = 0; turn < ((uint8_t)((uint32_t)in[1] | (uint32_t)sum) & 7); turn++)
        sum -=
            (uint32_t)((uint32_t)mask & (int16_t)first) | (uint32_t)((int64_t)sum ^ (int64_t)turn);
    if (((uint32_t)sum >> 1 & 1) == 0)
        unused = 14;
    if ((second >> 3 & 1) < 1)
        sum = 25;
    return turn;
}
