/* SPDX-License-Identifier: Apache-2.0
 *
 * An input of 4 MB and a little more, 66 windows of symbolic bytes, of which only the last four bytes are read: the window gets
 * there and the beam finds the one value that counts 200.
 *
 * RUN: %slowpath run %s --size 4325376 --strategy beam --tests 1 --jobs 1 --time 0 --measure count:rounds --out s --quiet >out
 * RUN: grep -q '"mismatches": 0,' s/suite.json
 * RUN: grep -q '"count:rounds": 200' s/suite.json
 */
#include <slowpath.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint32_t last = 0;
    if (size >= sizeof last)
        memcpy(&last, data + size - sizeof last, sizeof last);
    if (last == 0x534c4f57)
        slowpath_count("rounds", 200);
    slowpath_count("rounds", 0);
    return 0;
}
