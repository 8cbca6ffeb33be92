/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorting and searching as explored code: the results of the target's comparison are the decisions.
 * Part of sym_library.c.
 *
 * qsort is a merge sort, as glibc's is: the same comparisons in the same order for arrays that fit
 * its buffer, and the same buffer for elements of up to 32 bytes. Trees are the C library's own: it
 * learns about their keys only through the comparison, whose result is decided before the library
 * sees it.
 */
#ifndef SLOWPATH_RUNTIME_LIBRARY_SEARCH_H
#define SLOWPATH_RUNTIME_LIBRARY_SEARCH_H

#include <search.h>

#define SMALL_BUFFER 1024 /* smaller buffers are not on the heap */

typedef int compare_function(const void *, const void *);
typedef int compare_more_function(const void *, const void *, void *);

/* ---- arrays ---- */

struct sorting {
    size_t size;
    compare_function *compare; /* or NULL: */
    compare_more_function *compare_more;
    void *more;
};

static int compare_two(const struct sorting *sorting, const void *a, const void *b) {
    return sorting->compare ? sorting->compare(a, b) : sorting->compare_more(a, b, sorting->more);
}

static void merge_sort(char *base, size_t count, const struct sorting *sorting, char *buffer) {
    if (count <= 1)
        return;
    size_t left = count / 2, right = count - left, size = sorting->size;
    char *a = base, *b = base + left * size, *to = buffer;
    merge_sort(a, left, sorting, buffer);
    merge_sort(b, right, sorting, buffer);
    while (left > 0 && right > 0) {
        if (compare_two(sorting, a, b) <= 0) {
            __builtin_memcpy(to, a, size);
            a += size;
            left--;
        } else {
            __builtin_memcpy(to, b, size);
            b += size;
            right--;
        }
        to += size;
    }
    if (left > 0)
        __builtin_memcpy(to, a, left * size);
    __builtin_memcpy(base, buffer, (count - right) * size);
}

static void sort(void *base, size_t count, const struct sorting *sorting) {
    char small[SMALL_BUFFER], *buffer = small;
    if (count * sorting->size >= sizeof small)
        buffer = LIB(malloc)(count * sorting->size);
    if (buffer)
        merge_sort(base, count, sorting, buffer);
    if (buffer != small)
        LIB(free)(buffer);
}

void LIB(qsort)(void *base, size_t count, size_t size, compare_function *compare) {
    struct sorting sorting = {.size = size, .compare = compare};
    sort(base, count, &sorting);
}

void LIB(qsort_r)(void *base, size_t count, size_t size, compare_more_function *compare,
                  void *more) {
    struct sorting sorting = {.size = size, .compare_more = compare, .more = more};
    sort(base, count, &sorting);
}

void *LIB(bsearch)(const void *key, const void *base, size_t count, size_t size,
                   compare_function *compare) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const void *at = (const char *)base + middle * size;
        int result = compare(key, at);
        if (result == 0)
            return (void *)at;
        if (result < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

void *LIB(lfind)(const void *key, const void *base, size_t *count, size_t size,
                 compare_function *compare) {
    const char *at = base;
    for (size_t i = 0; i < *count; i++, at += size)
        if (compare(key, at) == 0)
            return (void *)at;
    return NULL;
}

void *LIB(lsearch)(const void *key, void *base, size_t *count, size_t size,
                   compare_function *compare) {
    void *found = LIB(lfind)(key, base, count, size, compare);
    if (found)
        return found;
    return __builtin_memcpy((char *)base + size * (*count)++, key, size);
}

/* ---- trees ---- */

/* The comparison of the current call. The library gets ours instead. */
static compare_function *tree_compare;

static int compare_keys(const void *a, const void *b) {
    int order = tree_compare(a, b);
    if (order < 0)
        return -1;
    if (order > 0)
        return 1;
    return 0;
}

/* A comparison may search a tree itself. */
#define TREE(name, parameters, arguments)                                                          \
    void *LIB(name) parameters {                                                                   \
        compare_function *before = tree_compare;                                                   \
        tree_compare = compare;                                                                    \
        void *found = OWN(name) arguments;                                                         \
        tree_compare = before;                                                                     \
        return found;                                                                              \
    }
TREE(tsearch, (const void *key, void **root, compare_function *compare), (key, root, compare_keys))
TREE(tfind, (const void *key, void *const *root, compare_function *compare),
     (key, root, compare_keys))
TREE(tdelete, (const void *key, void **root, compare_function *compare), (key, root, compare_keys))

/* ---- tables of strings ---- */

/* The table and its memory are as large as the library's, since memory counts; where in it a key
 * lies is free to choose. Entry 0 stays empty. */
struct table_entry {
    unsigned is_used;
    ENTRY entry;
};

static bool is_prime(unsigned number) {
    for (unsigned divisor = 3; divisor <= number / divisor; divisor += 2)
        if (number % divisor == 0)
            return false;
    return true;
}

int LIB(hcreate_r)(size_t count, struct hsearch_data *table) {
    if (!table) {
        errno = EINVAL;
        return 0;
    }
    if (table->table)
        return 0;
    if (count < 3)
        count = 3;
    if (count >= UINT_MAX - 2) {
        errno = ENOMEM;
        return 0;
    }
    unsigned size = (unsigned)count | 1;
    while (!is_prime(size))
        size += 2;
    table->table = LIB(calloc)((size_t)size + 1, sizeof(struct table_entry));
    if (!table->table)
        return 0;
    table->size = size;
    table->filled = 0;
    return 1;
}

void LIB(hdestroy_r)(struct hsearch_data *table) {
    if (!table) {
        errno = EINVAL;
        return;
    }
    LIB(free)(table->table);
    table->table = NULL;
}

static bool is_same_key(const char *a, const char *b) {
    for (; *a == *b; a++, b++)
        if (!*a)
            return true;
    return false;
}

int LIB(hsearch_r)(ENTRY item, ACTION action, ENTRY **found, struct hsearch_data *table) {
    struct table_entry *entries = (struct table_entry *)table->table;
    *found = NULL;
    for (unsigned i = 1; i <= table->filled; i++)
        if (is_same_key(item.key, entries[i].entry.key)) {
            *found = &entries[i].entry;
            return 1;
        }
    if (action == FIND || table->filled == table->size) {
        errno = action == FIND ? ESRCH : ENOMEM;
        return 0;
    }
    entries[++table->filled] = (struct table_entry){1, item};
    *found = &entries[table->filled].entry;
    return 1;
}

static struct hsearch_data the_table;

int LIB(hcreate)(size_t count) {
    return LIB(hcreate_r)(count, &the_table);
}

void LIB(hdestroy)(void) {
    LIB(hdestroy_r)(&the_table);
}

ENTRY *LIB(hsearch)(ENTRY item, ACTION action) {
    ENTRY *found;
    LIB(hsearch_r)(item, action, &found, &the_table);
    return found;
}

/* ---- lists ---- */

struct list_element {
    struct list_element *next, *previous;
};

void LIB(insque)(void *element, void *behind) {
    struct list_element *new = element, *old = behind;
    if (!old) {
        new->next = new->previous = NULL;
        return;
    }
    new->next = old->next;
    new->previous = old;
    if (new->next)
        new->next->previous = new;
    old->next = new;
}

void LIB(remque)(void *element) {
    struct list_element *old = element;
    if (old->next)
        old->next->previous = old->previous;
    if (old->previous)
        old->previous->next = old->next;
}

#endif
