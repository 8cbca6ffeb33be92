/* SPDX-License-Identifier: Apache-2.0
 *
 * A binary search tree without balancing: n keys are inserted, one is looked up. The worst tree is
 * a list, and the key that is looked up its last one.
 */
#include <stdlib.h>

struct node {
    int key;
    struct node *left, *right;
};

static struct node *pool;

static void insert(struct node **root, struct node *fresh) {
    while (*root)
        root = fresh->key < (*root)->key ? &(*root)->left : &(*root)->right;
    *root = fresh;
}

static const struct node *find(const struct node *root, int key) {
    while (root && root->key != key)
        root = key < root->key ? root->left : root->right;
    return root;
}

int tree(const int *keys, int n, int wanted) {
    struct node *root = NULL;
    pool = calloc((size_t)n, sizeof *pool);
    for (int i = 0; i < n; i++) {
        pool[i].key = keys[i];
        insert(&root, &pool[i]);
    }
    int found = find(root, wanted) != NULL;
    free(pool);
    return found;
}
