/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash table with lists of entries: keys are looked up, and inserted where they are not found.
 * The list that a key belongs in is an address that depends on the input.
 */
#define LISTS 4
#define MOST 8

struct entry {
    struct entry *next;
    unsigned key;
    int count;
};

int hash(const unsigned *keys, int n) {
    struct entry entries[MOST], *lists[LISTS] = {0};
    int used = 0;
    for (int i = 0; i < n; i++) {
        struct entry **list = &lists[keys[i] % LISTS], *at = *list;
        while (at && at->key != keys[i])
            at = at->next;
        if (at) {
            at->count++;
            continue;
        }
        entries[used] = (struct entry){*list, keys[i], 1};
        *list = &entries[used++];
    }
    return used;
}
