/* SPDX-License-Identifier: Apache-2.0
 * A vector that grows by copying, and shrinks when a quarter full. ENTRY: replay(steps[n], n) */
#include <stdlib.h>

struct vector {
    int *items;
    int size, room;
};

static void move_to(struct vector *vector, int room) {
    int *items = malloc((size_t)room * sizeof *items);
    for (int i = 0; i < vector->size; i++)
        items[i] = vector->items[i];
    free(vector->items);
    vector->items = items;
    vector->room = room;
}

int replay(const signed char *steps, int n) {
    struct vector vector = {malloc(sizeof(int)), 0, 1};
    for (int i = 0; i < n; i++) {
        if (steps[i] >= 0) {
            if (vector.size == vector.room)
                move_to(&vector, vector.room * 2);
            vector.items[vector.size++] = steps[i];
        } else if (vector.size) {
            vector.size--;
            if (vector.size && vector.size * 4 <= vector.room)
                move_to(&vector, vector.room / 2);
        }
    }
    free(vector.items);
    return vector.size;
}
