/* SPDX-License-Identifier: Apache-2.0
 *
 * Insertion into an AVL tree, recursively: the worst order of keys pays for the most steps down and
 * the most rotations together.
 */
#include <stdlib.h>

struct node {
    int key, height;
    struct node *left, *right;
};

static int height(const struct node *node) {
    return node ? node->height : 0;
}

static void update(struct node *node) {
    int left = height(node->left), right = height(node->right);
    node->height = (left > right ? left : right) + 1;
}

static struct node *rotate_right(struct node *node) {
    struct node *top = node->left;
    node->left = top->right;
    top->right = node;
    update(node);
    update(top);
    return top;
}

static struct node *rotate_left(struct node *node) {
    struct node *top = node->right;
    node->right = top->left;
    top->left = node;
    update(node);
    update(top);
    return top;
}

static struct node *balance(struct node *node) {
    update(node);
    int lean = height(node->left) - height(node->right);
    if (lean > 1) {
        if (height(node->left->left) < height(node->left->right))
            node->left = rotate_left(node->left);
        return rotate_right(node);
    }
    if (lean < -1) {
        if (height(node->right->right) < height(node->right->left))
            node->right = rotate_right(node->right);
        return rotate_left(node);
    }
    return node;
}

static struct node *insert(struct node *node, struct node *fresh) {
    if (!node)
        return fresh;
    if (fresh->key < node->key)
        node->left = insert(node->left, fresh);
    else
        node->right = insert(node->right, fresh);
    return balance(node);
}

void avl_insert(const int *keys, int n) {
    struct node *pool = calloc((size_t)n, sizeof *pool), *root = NULL;
    for (int i = 0; i < n; i++) {
        pool[i] = (struct node){.key = keys[i], .height = 1};
        root = insert(root, &pool[i]);
    }
    free(pool);
}
