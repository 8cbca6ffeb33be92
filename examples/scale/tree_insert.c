/* SPDX-License-Identifier: Apache-2.0
 *
 * Recursive insertion into a binary tree without balancing: the worst tree is a list.
 */
#include <stdlib.h>

struct node {
    int key;
    struct node *left, *right;
};

static struct node *insert(struct node *node, struct node *fresh) {
    if (!node)
        return fresh;
    if (fresh->key < node->key)
        node->left = insert(node->left, fresh);
    else
        node->right = insert(node->right, fresh);
    return node;
}

void tree_insert(const int *keys, int n) {
    struct node *pool = calloc((size_t)n, sizeof *pool), *root = NULL;
    for (int i = 0; i < n; i++) {
        pool[i].key = keys[i];
        root = insert(root, &pool[i]);
    }
    free(pool);
}
