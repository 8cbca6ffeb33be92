/* SPDX-License-Identifier: Apache-2.0
 *
 * What is decided lies behind a long way that does not depend on the input: one run goes there and
 * stops, and the others begin there. Each byte that is larger than all before it costs more, and a
 * copy that was made on the way must hold what the input of its run holds. A run with an open file
 * or a thread is not stopped; what is found is the same.
 *
 * RUN: %slowpath run %s --strategy beam --jobs 1 --time 0 --size 6 --seed 1 --out s --quiet >out
 * RUN: grep -q '"mismatches": 0' s/suite.json
 * RUN: grep -q '"continued": [1-9][0-9]' s/suite.json
 * RUN: grep -q '"reached": 6,' s/suite.json; grep -q '"expected": 6,' s/suite.json
 * RUN: for how in FILE THREAD; do \
 * RUN:   %slowpath run %s --cflags "-DWITH_$how" --strategy beam --jobs 1 --time 0 --size 6 --seed 1 --out $how --verbose >$how.out 2>$how.err; \
 * RUN:   grep -q '"continued": 0' $how/suite.json; \
 * RUN:   [ $how = THREAD ] || grep -q "each run goes the whole way from its start, since it has files open" $how.err; \
 * RUN:   cmp s/tests/0001.input $how/tests/0001.input; done
 */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static unsigned table[1 << 16];

static void go_a_long_way(void) {
    for (unsigned round = 0; round < 6; round++)
        for (unsigned i = 0; i < 1u << 16; i++)
            table[i] += i * round ^ table[(i * 7 + 1) & 0xffff];
}

#ifdef WITH_THREAD
static void *idle(void *nothing) {
    return nothing;
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t copy[16];
    memcpy(copy, data, size < sizeof copy ? size : sizeof copy);
#ifdef WITH_FILE
    FILE *file = fopen("/dev/null", "r");
#endif
#ifdef WITH_THREAD
    pthread_t thread;
    if (pthread_create(&thread, NULL, idle, NULL) == 0)
        pthread_join(thread, NULL);
#endif
    go_a_long_way();
    unsigned most = 0, raised = 0;
    for (size_t i = 0; i < size && i < sizeof copy; i++)
        if (copy[i] > most) {
            most = copy[i];
            raised++;
            for (unsigned k = 0; k < 1000 * raised; k++)
                table[k & 0xffff] ^= k;
        }
#ifdef WITH_FILE
    if (file)
        fclose(file);
#endif
    return (int)raised < 0;
}
