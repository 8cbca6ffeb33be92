/* SPDX-License-Identifier: Apache-2.0
 *
 * Insertion into a sorted linked list, one element after the other: the worst input is ascending,
 * every element goes to the end.
 */
#include <stdlib.h>

struct node {
    int key;
    struct node *next;
};

static struct node *insert(struct node *list, struct node *fresh) {
    struct node **at = &list;
    while (*at && (*at)->key < fresh->key)
        at = &(*at)->next;
    fresh->next = *at;
    *at = fresh;
    return list;
}

void insert_all(const int *keys, int n) {
    struct node *list = NULL;
    for (int i = 0; i < n; i++) {
        struct node *fresh = malloc(sizeof *fresh);
        fresh->key = keys[i];
        list = insert(list, fresh);
    }
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
}
