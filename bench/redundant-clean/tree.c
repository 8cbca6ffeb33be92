/* SPDX-License-Identifier: Apache-2.0
 *
 * Inserts the input's words of four bytes into a treap and looks all of them up.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *left, *right;
    uint32_t key, rank;
};

static struct node *insert(struct node *root, struct node *node) {
    if (!root)
        return node;
    if (node->key < root->key) {
        root->left = insert(root->left, node);
        if (root->left->rank > root->rank) {
            struct node *up = root->left;
            root->left = up->right;
            up->right = root;
            return up;
        }
    } else {
        root->right = insert(root->right, node);
        if (root->right->rank > root->rank) {
            struct node *up = root->right;
            root->right = up->left;
            up->left = root;
            return up;
        }
    }
    return root;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t count = size / 4, found = 0;
    struct node *nodes = calloc(count + 1, sizeof *nodes), *root = NULL;
    for (size_t i = 0; i < count; i++) {
        memcpy(&nodes[i].key, data + 4 * i, 4);
        nodes[i].rank = ((uint32_t)i + 1) * 2654435761u;
        root = insert(root, &nodes[i]);
    }
    for (size_t i = 0; i < count; i++) {
        const struct node *at = root;
        uint32_t key;
        memcpy(&key, data + 4 * i, 4);
        while (at && at->key != key)
            at = key < at->key ? at->left : at->right;
        found += at != NULL;
    }
    free(nodes);
    return (int)(found & 0);
}
