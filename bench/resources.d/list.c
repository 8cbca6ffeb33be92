/* SPDX-License-Identifier: Apache-2.0
 * Inserts into a sorted list; equal keys are counted. ENTRY: build(keys[n], n) */
#include <stdlib.h>

struct item {
    struct item *next;
    int key, count;
};

int build(const int *keys, int n) {
    struct item *list = NULL;
    int length = 0;
    for (int i = 0; i < n; i++) {
        struct item **at = &list;
        while (*at && (*at)->key < keys[i])
            at = &(*at)->next;
        if (*at && (*at)->key == keys[i]) {
            (*at)->count++;
            continue;
        }
        struct item *made = malloc(sizeof *made);
        made->next = *at;
        made->key = keys[i];
        made->count = 1;
        *at = made;
        length++;
    }
    return length;
}
