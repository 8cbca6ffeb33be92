/* SPDX-License-Identifier: Apache-2.0
 *
 * A tree whose nodes belong to their parents, with an allocator of the user's choice, in the usual
 * style of a library for documents.
 */
#ifndef TREE_H
#define TREE_H

#include <stddef.h>

typedef struct node node;
struct order { /* how children are kept */
    int (*compare)(const char *a, const char *b);
};
extern const struct order order_by_name, order_as_added;

node *node_new(const char *name, const struct order *order);
void node_delete(node *node);
int node_add(node *parent, node *child);         /* it belongs to the parent from then on */
node *node_grow(node *parent, const char *name); /* what comes back belongs to the parent */
void node_replace(node *parent, node *child);    /* instead of the first, if there is one */
node *node_find(const node *parent, const char *name);
node *node_copy(const node *node); /* to be deleted by the caller */
size_t node_count(const node *parent);
#define node_count(parent) ((parent)->count) /* for those who see inside */
char *node_path(const node *node);           /* to be freed by the caller */
void node_print(const node *node);           /* to standard output */
void node_wait(node *node);                  /* until it has two thousand children */
void node_fail(node *node);                  /* ends the program if it has children */
void node_upper(char *name);                 /* in place */

#endif
