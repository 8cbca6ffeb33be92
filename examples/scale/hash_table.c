/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash table with chains, 16 buckets: the worst keys are different and all fall into one bucket.
 */
#include <stdlib.h>

#define BUCKETS 16

struct entry {
    unsigned key;
    struct entry *next;
};

void hash_table(const unsigned *keys, int n) {
    struct entry *buckets[BUCKETS] = {0}, *pool = calloc((size_t)n, sizeof *pool);
    for (int i = 0; i < n; i++) {
        struct entry **at = &buckets[keys[i] % BUCKETS];
        while (*at && (*at)->key != keys[i])
            at = &(*at)->next;
        if (!*at) {
            pool[i].key = keys[i];
            *at = &pool[i];
        }
    }
    free(pool);
}
