/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that cannot fail: allocation, arenas, growable vectors and strings.
 */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

void *base_alloc(size_t size) {
    void *memory = calloc(1, size ? size : 1);
    if (!memory || base_fault("alloc"))
        base_give_up("out of memory (%zu bytes)", size);
    return memory;
}

void *base_realloc(void *memory, size_t size) {
    void *moved = realloc(memory, size ? size : 1);
    if (!moved || base_fault("alloc"))
        base_give_up("out of memory (%zu bytes)", size);
    return moved;
}

char *base_strdup(const char *text) {
    size_t size = strlen(text) + 1;
    return memcpy(base_alloc(size), text, size);
}

static char *format_new(const char *format, va_list args) {
    char *text = NULL;
    if (vasprintf(&text, format, args) < 0)
        base_give_up("out of memory (formatting)");
    return text;
}

char *base_format(const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = format_new(format, args);
    va_end(args);
    return text;
}

/* ---- arenas ---- */

#define ARENA_CHUNK ((size_t)64 * 1024)

struct base_arena_chunk {
    struct base_arena_chunk *next;
    _Alignas(16) unsigned char bytes[];
};

void *base_arena_alloc(struct base_arena *arena, size_t size) {
    size = (size + 15) & ~(size_t)15;
    if (!arena->chunks || arena->size - arena->used < size) {
        size_t room = size > ARENA_CHUNK ? size : ARENA_CHUNK;
        struct base_arena_chunk *chunk = base_alloc(sizeof *chunk + room);
        chunk->next = arena->chunks;
        arena->chunks = chunk;
        arena->used = 0;
        arena->size = room;
    }
    void *memory = arena->chunks->bytes + arena->used;
    arena->used += size;
    return memory;
}

char *base_arena_strdup(struct base_arena *arena, const char *text) {
    size_t size = strlen(text) + 1;
    return memcpy(base_arena_alloc(arena, size), text, size);
}

char *base_arena_format(struct base_arena *arena, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = format_new(format, args);
    va_end(args);
    char *copy = base_arena_strdup(arena, text);
    free(text);
    return copy;
}

void base_arena_done(struct base_arena *arena) {
    while (arena->chunks) {
        struct base_arena_chunk *next = arena->chunks->next;
        free(arena->chunks);
        arena->chunks = next;
    }
    arena->used = arena->size = 0;
}

/* ---- vectors and strings ---- */

void *base_grow(void *data, size_t *capacity, size_t element) {
    *capacity = *capacity ? *capacity * 2 : 8;
    return base_realloc(data, *capacity * element);
}

void base_strings_add(struct base_strings *strings, const char *text) {
    base_push(strings, base_strdup(text));
}

void base_strings_done(struct base_strings *strings) {
    for (size_t i = 0; i < strings->count; i++)
        free(strings->data[i]);
    base_vector_done(strings);
}

void base_buffer_reserve(struct base_buffer *buffer, size_t count) {
    while (buffer->count + count + 1 > buffer->capacity)
        buffer->data = base_grow(buffer->data, &buffer->capacity, 1);
}

void base_buffer_add(struct base_buffer *buffer, const void *bytes, size_t count) {
    base_buffer_reserve(buffer, count);
    if (count)
        memcpy(buffer->data + buffer->count, bytes, count);
    buffer->count += count;
    buffer->data[buffer->count] = 0;
}

void base_buffer_print(struct base_buffer *buffer, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = format_new(format, args);
    va_end(args);
    base_buffer_add(buffer, text, strlen(text));
    free(text);
}

void base_buffer_done(struct base_buffer *buffer) {
    base_vector_done(buffer);
}
