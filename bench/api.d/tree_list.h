/* A list that is a tree by position, as TreeList. */
#ifndef TREE_LIST_H
#define TREE_LIST_H
#include <stddef.h>

typedef struct tree_list *tree_list_t;

tree_list_t tree_list_create(void);
void tree_list_delete(tree_list_t list);
size_t tree_list_size(tree_list_t list);
int tree_list_add(tree_list_t list, void *value);
int tree_list_insert(tree_list_t list, size_t index, void *value);
void *tree_list_get(tree_list_t list, size_t index);
int tree_list_add_all(tree_list_t list, tree_list_t other);
int tree_list_add_all_at(tree_list_t list, size_t index, tree_list_t other);

#endif
