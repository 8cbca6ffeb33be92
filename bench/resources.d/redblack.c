/* SPDX-License-Identifier: Apache-2.0
 * A search tree that is kept in balance (red and black). ENTRY: build(keys[n], n) */
#include <stdlib.h>

struct node {
    struct node *kid[2];
    int key, red;
};

static int is_red(const struct node *n) {
    return n && n->red;
}

static struct node *single(struct node *root, int dir) {
    struct node *s = root->kid[!dir];
    root->kid[!dir] = s->kid[dir];
    s->kid[dir] = root;
    root->red = 1;
    s->red = 0;
    return s;
}

static struct node *twice(struct node *root, int dir) {
    root->kid[!dir] = single(root->kid[!dir], !dir);
    return single(root, dir);
}

static struct node *insert(struct node *root, int key) {
    if (!root) {
        root = calloc(1, sizeof *root);
        root->key = key;
        root->red = 1;
        return root;
    }
    if (key == root->key)
        return root;
    int dir = root->key < key;
    root->kid[dir] = insert(root->kid[dir], key);
    if (is_red(root->kid[dir])) {
        if (is_red(root->kid[!dir])) {
            root->red = 1;
            root->kid[0]->red = root->kid[1]->red = 0;
        } else if (is_red(root->kid[dir]->kid[dir]))
            root = single(root, !dir);
        else if (is_red(root->kid[dir]->kid[!dir]))
            root = twice(root, !dir);
    }
    return root;
}

int build(const int *keys, int n) {
    struct node *root = 0;
    for (int i = 0; i < n; i++) {
        root = insert(root, keys[i]);
        root->red = 0;
    }
    return root ? root->key : 0;
}
