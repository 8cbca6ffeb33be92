#include <stddef.h>
struct shelf;
struct allocator {
    void *(*get)(size_t bytes);
    void (*give)(void *memory);
};
struct shelf_options {
    int room;
};
struct shelf_iterator {
    struct shelf *shelf;
    int next;
};
void shelf_defaults(struct shelf_options *options);
struct shelf *shelf_alloc(const struct allocator *allocator, const struct shelf_options *options);
void shelf_free(struct shelf *shelf);
int shelf_put(struct shelf *shelf, int number);
int shelf_count(const struct shelf *shelf);
void shelf_go(struct shelf *shelf, int position);
void shelf_each(const struct shelf *shelf, int (*visit)(const void *item, void *more), void *more);
void shelf_iterate(struct shelf_iterator *iterator, struct shelf *shelf);
int shelf_next(struct shelf_iterator *iterator);
