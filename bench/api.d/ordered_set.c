#include "ordered_set.h"

#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    char *text;
};

struct ordered_set {
    struct node *first;
    size_t count;
};

ordered_set *ordered_set_new(void) {
    return calloc(1, sizeof(ordered_set));
}

void ordered_set_free(ordered_set *set) {
    if (!set)
        return;
    for (struct node *node = set->first, *next; node; node = next) {
        next = node->next;
        free(node->text);
        free(node);
    }
    free(set);
}

size_t ordered_set_count(const ordered_set *set) {
    return set->count;
}

int ordered_set_has(const ordered_set *set, const char *text) {
    for (const struct node *node = set->first; node; node = node->next)
        if (strcmp(node->text, text) == 0)
            return 1;
    return 0;
}

static int insert(ordered_set *set, struct node **at, const char *text) {
    struct node *node = malloc(sizeof *node);
    if (!node)
        return 0;
    node->text = strdup(text);
    node->next = *at;
    *at = node;
    set->count++;
    return 1;
}

int ordered_set_add(ordered_set *set, const char *text) {
    struct node **at = &set->first;
    for (; *at; at = &(*at)->next)
        if (strcmp((*at)->text, text) == 0)
            return 0;
    return insert(set, at, text);
}

int ordered_set_remove(ordered_set *set, const char *text) {
    for (struct node **at = &set->first; *at; at = &(*at)->next) {
        struct node *node = *at;
        if (strcmp(node->text, text) != 0)
            continue;
        *at = node->next;
        free(node->text);
        free(node);
        set->count--;
        return 1;
    }
    return 0;
}

size_t ordered_set_add_all(ordered_set *set, const ordered_set *other) {
    size_t added = 0;
    for (const struct node *node = other->first; node; node = node->next)
        added += ordered_set_add(set, node->text);
    return added;
}

size_t ordered_set_add_all_at(ordered_set *set, size_t index, const ordered_set *other) {
    size_t added = 0;
    if (index > set->count)
        return 0;
    for (const struct node *node = other->first; node; node = node->next) {
        struct node **at = &set->first;
        if (ordered_set_has(set, node->text))
            continue;
        for (size_t i = 0; i < index; i++)
            at = &(*at)->next;
        added += insert(set, at, node->text);
        index++;
    }
    return added;
}

const char **ordered_set_to_array(const ordered_set *set) {
    const char **array = malloc((set->count + 1) * sizeof *array);
    size_t count = 0;
    if (!array)
        return NULL;
    for (const struct node *node = set->first; node; node = node->next)
        array[count++] = node->text;
    array[count] = NULL;
    return array;
}
