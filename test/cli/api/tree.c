/* SPDX-License-Identifier: Apache-2.0 */
#include "tree.h"
#undef node_count

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    char name[40];
    const struct order *order;
    struct node *first, *next;
    size_t count;
};

static int as_added(const char *a, const char *b) {
    (void)a, (void)b;
    return 1;
}
const struct order order_by_name = {strcmp}, order_as_added = {as_added};

static struct hooks {
    void *(*allocate)(size_t size);
    void (*release)(void *memory);
} hooks = {malloc, free};

node *node_new(const char *name, const struct order *order) {
    node *made = hooks.allocate(sizeof *made);
    memset(made, 0, sizeof *made);
    snprintf(made->name, sizeof made->name, "%s", name);
    made->order = order;
    return made;
}

void node_delete(node *gone) {
    while (gone->first) {
        node *child = gone->first;
        gone->first = child->next;
        node_delete(child);
    }
    hooks.release(gone);
}

int node_add(node *parent, node *child) {
    node **at = &parent->first;
    while (*at && parent->order->compare(child->name, (*at)->name) > 0)
        at = &(*at)->next;
    child->next = *at;
    *at = child;
    parent->count++;
    return 0;
}

node *node_grow(node *parent, const char *name) {
    node *made = node_new(name, parent->order);
    node_add(parent, made);
    return made;
}

void node_replace(node *parent, node *child) {
    node *gone = parent->first;
    if (!gone || gone == child)
        return;
    child->next = gone->next;
    parent->first = child;
    node_delete(gone);
}

node *node_find(const node *parent, const char *name) {
    for (node *child = parent->first; child; child = child->next)
        if (strcmp(child->name, name) == 0)
            return child;
    return NULL;
}

node *node_copy(const node *from) {
    node *made = node_new(from->name, from->order);
    node **end = &made->first;
    for (const node *child = from->first; child; child = child->next, end = &(*end)->next)
        *end = node_copy(child);
    made->count = from->count;
    return made;
}

size_t node_count(const node *parent) {
    return parent->count;
}

char *node_path(const node *from) {
    char *text = hooks.allocate(strlen(from->name) + 2);
    text[0] = '/';
    strcpy(text + 1, from->name);
    return text;
}

void node_print(const node *from) {
    printf("%s\n", from->name);
    for (const node *child = from->first; child; child = child->next)
        node_print(child);
}

void node_wait(node *parent) {
    for (volatile size_t turns = 0; parent->count < 2000;)
        turns++;
}

void node_fail(node *parent) {
    if (parent->count)
        exit(0);
}

void node_upper(char *name) {
    for (; *name; name++)
        *name = (char)toupper((unsigned char)*name);
}
