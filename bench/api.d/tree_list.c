#include "tree_list.h"

#include <stdlib.h>

struct node {
    struct node *left, *right;
    void *value;
    size_t size;
    unsigned priority;
};

struct tree_list {
    struct node *root;
    unsigned seed;
};

static size_t size_of(const struct node *node) {
    return node ? node->size : 0;
}

static void update(struct node *node) {
    node->size = 1 + size_of(node->left) + size_of(node->right);
}

tree_list_t tree_list_create(void) {
    struct tree_list *list = calloc(1, sizeof *list);
    if (list)
        list->seed = 2463534242u;
    return list;
}

static void drop(struct node *node) {
    while (node) {
        struct node *right = node->right;
        drop(node->left);
        free(node);
        node = right;
    }
}

void tree_list_delete(tree_list_t list) {
    if (!list)
        return;
    drop(list->root);
    free(list);
}

size_t tree_list_size(tree_list_t list) {
    return size_of(list->root);
}

static void split(struct node *node, size_t count, struct node **left, struct node **right) {
    while (node) {
        size_t before = size_of(node->left);
        if (count <= before) {
            struct node *next = node->left;
            struct node *inner_left, *inner_right;
            split(next, count, &inner_left, &inner_right);
            node->left = inner_right;
            update(node);
            *left = inner_left;
            *right = node;
            return;
        }
        struct node *inner_left, *inner_right;
        split(node->right, count - before - 1, &inner_left, &inner_right);
        node->right = inner_left;
        update(node);
        *left = node;
        *right = inner_right;
        return;
    }
    *left = *right = NULL;
}

static struct node *join(struct node *left, struct node *right) {
    if (!left || !right)
        return left ? left : right;
    if (left->priority > right->priority) {
        left->right = join(left->right, right);
        update(left);
        return left;
    }
    right->left = join(left, right->left);
    update(right);
    return right;
}

int tree_list_insert(tree_list_t list, size_t index, void *value) {
    struct node *left, *right, *node;
    if (index > size_of(list->root) || !(node = calloc(1, sizeof *node)))
        return 0;
    list->seed ^= list->seed << 13;
    list->seed ^= list->seed >> 17;
    list->seed ^= list->seed << 5;
    node->value = value;
    node->size = 1;
    node->priority = list->seed;
    split(list->root, index, &left, &right);
    list->root = join(join(left, node), right);
    return 1;
}

int tree_list_add(tree_list_t list, void *value) {
    return tree_list_insert(list, size_of(list->root), value);
}

void *tree_list_get(tree_list_t list, size_t index) {
    struct node *node = list->root;
    while (node) {
        size_t before = size_of(node->left);
        if (index == before)
            return node->value;
        node = index < before ? node->left : node->right;
        if (index > before)
            index -= before + 1;
    }
    return NULL;
}

int tree_list_add_all_at(tree_list_t list, size_t index, tree_list_t other) {
    size_t count = tree_list_size(other);
    for (size_t i = 0; i < count; i++)
        if (!tree_list_insert(list, index + i, tree_list_get(other, i)))
            return 0;
    return 1;
}

int tree_list_add_all(tree_list_t list, tree_list_t other) {
    return tree_list_add_all_at(list, tree_list_size(list), other);
}
