/* SPDX-License-Identifier: Apache-2.0
 *
 * A doubly linked list; cursors on it stay valid while it changes.
 */
#ifndef CURSOR_LIST_H
#define CURSOR_LIST_H

#include "collection.h"

struct cursor_list;
struct cursor;

struct cursor_list *cursor_list_new(collection_equal *equal);
void cursor_list_free(struct cursor_list *list);
bool cursor_list_add(struct cursor_list *list, void *item);
bool cursor_list_contains(const struct cursor_list *list, const void *item);
bool cursor_list_contains_all(const struct cursor_list *list, const struct collection *other);

struct cursor *cursor_new(struct cursor_list *list);
bool cursor_next(struct cursor *cursor, void **item);
void cursor_free(struct cursor *cursor);

#endif
