/* SPDX-License-Identifier: Apache-2.0
 *
 * Keys of a hash table that all go to one slot: 40 of them cost 8962 instructions, and no input
 * costs more. Random changes alone find about 2200 in as many runs.
 *
 * RUN: for seed in 1 2; do %slowpath run %s --entry 'distinct(keys[n], n)' --size n=40 --strategy evolve --seed $seed --runs 4000 --time 0 --jobs 1 --quiet --out suite$seed | grep -q '^tests/0001.input *8962 '; done
 */
struct node {
    unsigned key;
    struct node *next;
};

int distinct(const unsigned *keys, int n) {
    static struct node pool[64];
    struct node *slots[97] = {0};
    int count = 0;
    for (int i = 0; i < n; i++) {
        struct node **slot = &slots[(keys[i] * 2654435761u >> 7) % 97], *node = *slot;
        while (node && node->key != keys[i])
            node = node->next;
        if (node)
            continue;
        node = &pool[count++];
        node->key = keys[i];
        node->next = *slot;
        *slot = node;
    }
    return count;
}
