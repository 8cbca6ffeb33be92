/* A set of texts in the order in which they were added, as ListOrderedSet. */
#ifndef ORDERED_SET_H
#define ORDERED_SET_H
#include <stddef.h>

typedef struct ordered_set ordered_set;

ordered_set *ordered_set_new(void);
void ordered_set_free(ordered_set *set);
int ordered_set_add(ordered_set *set, const char *text);
size_t ordered_set_count(const ordered_set *set);
int ordered_set_has(const ordered_set *set, const char *text);
int ordered_set_remove(ordered_set *set, const char *text);
size_t ordered_set_add_all(ordered_set *set, const ordered_set *other);
size_t ordered_set_add_all_at(ordered_set *set, size_t index, const ordered_set *other);
/* A list of the texts, with NULL behind the last; the caller frees it, not the texts. */
const char **ordered_set_to_array(const ordered_set *set);

#endif
