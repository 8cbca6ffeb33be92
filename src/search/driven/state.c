/* SPDX-License-Identifier: Apache-2.0
 *
 * One point of an abstract run: its calls with their registers, the loops they are in, and memory
 * as objects with cells. A cell is a value at a known place of an object; bytes without a cell are
 * zero, input, or unknown.
 */
#include "search/driven/driven.h"

#include <stdlib.h>
#include <string.h>

void driven_state_init(struct driven_state *state) {
    *state = (struct driven_state){0};
}

void driven_state_clear(struct driven_state *state) {
    state->frames.count = state->registers.count = state->turns.count = 0;
    for (size_t i = 0; i < state->object_count; i++)
        state->objects[i].cells.count = 0;
    state->object_count = state->symbols.count = state->follower.seen.count = 0;
}

void driven_state_done(struct driven_state *state) {
    for (size_t i = 0; i < state->object_capacity; i++)
        base_vector_done(&state->objects[i].cells);
    free(state->objects);
    base_vector_done(&state->frames);
    base_vector_done(&state->registers);
    base_vector_done(&state->turns);
    base_vector_done(&state->symbols);
    search_follower_done(&state->follower);
    *state = (struct driven_state){0};
}

/* ---- objects ---- */

/* Reuses the cells of an earlier object in this place. */
uint32_t driven_add_object(struct driven_state *state, enum driven_content content,
                           struct driven_value size) {
    if (state->object_count == state->object_capacity) {
        size_t before = state->object_capacity;
        state->objects = base_grow(state->objects, &state->object_capacity, sizeof *state->objects);
        memset(state->objects + before, 0,
               (state->object_capacity - before) * sizeof *state->objects);
    }
    struct driven_object *object = &state->objects[state->object_count];
    object->global = IR_NONE;
    object->content = (uint8_t)content;
    object->is_array = object->is_heap = object->is_freed = object->was_asked = 0;
    object->base = 0;
    object->size = size;
    object->cells.count = 0;
    return (uint32_t)state->object_count++;
}

/* The first cell that ends after OFFSET. */
static size_t find_place(const struct driven_object *object, int64_t offset) {
    size_t low = 0, high = object->cells.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct driven_cell *cell = &object->cells.data[middle];
        if (cell->offset + cell->bytes <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct driven_cell *driven_find_cell(struct driven_object *object, int64_t offset, uint32_t bytes) {
    size_t at = find_place(object, offset);
    if (at == object->cells.count || object->cells.data[at].offset >= offset + bytes)
        return NULL;
    return &object->cells.data[at];
}

static void remove_cells(struct driven_object *object, size_t first, size_t count) {
    memmove(&object->cells.data[first], &object->cells.data[first + count],
            (object->cells.count - first - count) * sizeof *object->cells.data);
    object->cells.count -= count;
}

static void insert_cell(struct driven_object *object, struct driven_cell cell) {
    size_t at = find_place(object, cell.offset);
    base_push(&object->cells, cell);
    memmove(&object->cells.data[at + 1], &object->cells.data[at],
            (object->cells.count - 1 - at) * sizeof cell);
    object->cells.data[at] = cell;
}

/* Keeps the rest of a partly overwritten cell, as unknown bytes. */
static void insert_rest(struct driven_object *object, const struct driven_cell *of, int64_t from,
                        int64_t to) {
    struct driven_cell rest = {.offset = from, .bytes = (uint32_t)(to - from)};
    rest.value = driven_unknown(of->value.depends == DRIVEN_PLAIN ? DRIVEN_PLAIN : DRIVEN_PERHAPS);
    if (to > from)
        insert_cell(object, rest);
}

void driven_drop_cells(struct driven_object *object, int64_t offset, int64_t bytes) {
    size_t first = find_place(object, offset), end = first;
    while (end < object->cells.count && object->cells.data[end].offset < offset + bytes)
        end++;
    if (end == first)
        return;
    const struct driven_cell left = object->cells.data[first], right = object->cells.data[end - 1];
    remove_cells(object, first, end - first);
    insert_rest(object, &left, left.offset, offset);
    insert_rest(object, &right, offset + bytes, right.offset + right.bytes);
}

void driven_put_cell(struct driven_object *object, int64_t offset, uint32_t bytes,
                     struct driven_value value) {
    size_t at = find_place(object, offset);
    struct driven_cell cell = {.offset = offset, .bytes = bytes, .is_stored = 1, .value = value};
    if (at < object->cells.count && object->cells.data[at].offset == offset &&
        object->cells.data[at].bytes == bytes) {
        object->cells.data[at] = cell;
        return;
    }
    driven_drop_cells(object, offset, bytes);
    insert_cell(object, cell);
}

void driven_note_cell(struct driven_object *object, int64_t offset, uint32_t bytes,
                      struct driven_value value) {
    driven_put_cell(object, offset, bytes, value);
    driven_find_cell(object, offset, bytes)->is_stored = 0;
}

/* ---- forgetting ---- */

void driven_forget_memory(struct driven_state *state) {
    for (size_t i = 0; i < state->object_count; i++) {
        state->objects[i].cells.count = 0;
        state->objects[i].content = DRIVEN_ANYTHING;
    }
}

static void forget_element(struct driven_state *state, struct driven_cell *cell) {
    struct driven_value *value = &cell->value, old = *value;
    if (value->kind != DRIVEN_INTEGER || !value->symbol)
        return;
    bool is_not_zero = driven_is_not_zero(&state->symbols, value);
    *value = driven_fresh(&state->symbols, value->width, driven_full_range(value->width),
                          (enum driven_depends)value->depends);
    state->symbols.data[value->symbol].is_not_zero = is_not_zero;
    driven_forget_origin(&state->symbols, &old, value);
}

/* Input is read again when it is needed, and then counts as asked. */
static bool is_input(const struct driven_object *object, const struct driven_cell *cell) {
    return object->content == DRIVEN_INPUT && !cell->is_stored &&
           cell->value.kind == DRIVEN_INTEGER && cell->value.symbol;
}

void driven_forget_elements(struct driven_state *state) {
    static const struct driven_value nothing;
    for (size_t i = 0; i < state->object_count; i++) {
        struct driven_object *object = &state->objects[i];
        size_t kept = 0;
        if (!object->is_array)
            continue;
        for (size_t k = 0; k < object->cells.count; k++) {
            if (is_input(object, &object->cells.data[k])) {
                object->was_asked = 1;
                driven_forget_origin(&state->symbols, &object->cells.data[k].value, &nothing);
                continue;
            }
            forget_element(state, &object->cells.data[k]);
            object->cells.data[kept++] = object->cells.data[k];
        }
        object->cells.count = kept;
    }
}
