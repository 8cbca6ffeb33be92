/* SPDX-License-Identifier: Apache-2.0
 * A search tree that is kept in balance (AVL). ENTRY: build(keys[n], n) */
#include <stdlib.h>

struct node {
    struct node *left, *right;
    int key, height;
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
    int tilt = height(node->left) - height(node->right);
    if (tilt > 1) {
        if (height(node->left->left) < height(node->left->right))
            node->left = rotate_left(node->left);
        return rotate_right(node);
    }
    if (tilt < -1) {
        if (height(node->right->right) < height(node->right->left))
            node->right = rotate_right(node->right);
        return rotate_left(node);
    }
    return node;
}

static struct node *insert(struct node *node, int key) {
    if (!node) {
        node = calloc(1, sizeof *node);
        node->key = key;
        node->height = 1;
        return node;
    }
    if (key < node->key)
        node->left = insert(node->left, key);
    else if (key > node->key)
        node->right = insert(node->right, key);
    return balance(node);
}

int build(const int *keys, int n) {
    struct node *root = NULL;
    for (int i = 0; i < n; i++)
        root = insert(root, keys[i]);
    return height(root);
}
