/* SPDX-License-Identifier: Apache-2.0
 *
 * Behind a scrambled magic number and a checksum lies the costly loop. Random changes do not get
 * there; following the best input in the symbolic build and turning decisions round does: at most
 * 255 * 255 = 65025 rounds. The loop's bounds are bytes that the checksum covers.
 *
 * RUN: %slowpath run %s --strategy evolve --size 16 --measure count:rounds --runs 60000 --time 0 \
 * RUN:   --jobs 1 --out both --json - 2>/dev/null | %check
 * CHECK: "count:rounds": {{[1-9][0-9]*}}
 * CHECK: "flipped": {{[1-9][0-9]*}}
 *
 * A magic number that is written down in the program needs no solver: it is a token.
 * RUN: %slowpath run %s --cflags -DPLAIN --strategy evolve --max-size 16 --measure count:rounds \
 * RUN:   --runs 20000 --time 0 --jobs 1 --out plain --json - 2>/dev/null \
 * RUN:   | %check --check-prefix=PLAIN
 * PLAIN: "count:rounds": {{[1-9][0-9]*}}
 */
#include <slowpath.h>
#include <stddef.h>
#include <stdint.h>

static uint32_t word(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static int is_ours(const uint8_t *data) {
#ifdef PLAIN
    return word(data) == 0x6b8b4567u;
#else
    if ((word(data) ^ 0x5a5a1234u) * 2654435761u != 0x13572468u)
        return 0;
    uint32_t sum = 17;
    for (int i = 8; i < 16; i++)
        sum = sum * 31 + data[i];
    return sum == word(data + 4);
#endif
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 16 || !is_ours(data))
        return 0;
    for (int i = 0; i < data[8]; i++)
        for (int j = 0; j < data[9]; j++)
            slowpath_count("rounds", 1);
    return 0;
}
