/* What callers hand over as structs: options that another function fills, an iterator in their
 * memory, functions for memory that must be all there or none. And a cursor that moves step by
 * step. */
#include "shelf.h"
#include <stdlib.h>

struct shelf {
    int *numbers, count, room, cursor;
    void (*give)(void *memory);
};

void shelf_defaults(struct shelf_options *options) {
    options->room = 16;
}

struct shelf *shelf_alloc(const struct allocator *allocator, const struct shelf_options *options) {
    if (allocator && (!allocator->get || !allocator->give))
        return NULL;
    struct shelf *shelf = (allocator ? allocator->get : malloc)(sizeof *shelf);
    *shelf = (struct shelf){.room = options->room, .give = allocator ? allocator->give : free};
    shelf->numbers = calloc((size_t)shelf->room + 1, sizeof *shelf->numbers);
    return shelf;
}

void shelf_free(struct shelf *shelf) {
    free(shelf->numbers);
    shelf->give(shelf);
}

int shelf_put(struct shelf *shelf, int number) {
    if (shelf->count == shelf->room)
        shelf->numbers = realloc(shelf->numbers, (size_t)(shelf->room = 2 * shelf->room + 1) *
                                                     sizeof *shelf->numbers);
    shelf->numbers[shelf->count++] = number;
    return 0;
}

int shelf_count(const struct shelf *shelf) {
    return shelf->count;
}

void shelf_go(struct shelf *shelf, int position) {
    while (shelf->cursor < position && shelf->cursor < shelf->count)
        shelf->cursor++;
    while (shelf->cursor > position && shelf->cursor > 0)
        shelf->cursor--;
}

void shelf_each(const struct shelf *shelf, int (*visit)(const void *item, void *more), void *more) {
    for (int i = 0; i < shelf->count; i++)
        if (!visit(&shelf->numbers[i], more))
            return;
}

void shelf_iterate(struct shelf_iterator *iterator, struct shelf *shelf) {
    iterator->shelf = shelf;
    iterator->next = 0;
}

int shelf_next(struct shelf_iterator *iterator) {
    return iterator->next < iterator->shelf->count ? iterator->shelf->numbers[iterator->next++]
                                                   : -1;
}
