/* SPDX-License-Identifier: Apache-2.0
 *
 * What do the heap objects of an input look like in C? All reachable objects are allocated, then
 * filled: by a literal, with a flexible array element by element, or as bytes.
 */
#include "target/entry_program.h"

#include <inttypes.h>
#include <string.h>

static void set_bits(unsigned char *image, uint64_t first, uint32_t count, uint64_t value) {
    for (uint32_t i = 0; i < count && i < 64; i++) {
        unsigned char mask = (unsigned char)(1u << ((first + i) % 8));
        image[(first + i) / 8] &= (unsigned char)~mask;
        if (value >> i & 1)
            image[(first + i) / 8] |= mask;
    }
}

/* All reachable objects. */
static void list_objects(struct target_program *program) {
    const struct target_heap *heap = &program->entry->heap;
    for (uint32_t i = 0; i < heap->pools.count; i++)
        for (uint32_t j = 1; j <= program->shape.objects; j++) {
            if (!program->shape.names[i][j])
                continue;
            struct target_program_object *object =
                base_arena_alloc(&program->arena, sizeof *object);
            const struct target_pool *pool = &heap->pools.data[i];
            uint64_t more = pool->more ? (uint64_t)program->shape.sizes[heap->elements] : 0;
            object->type = pool->type;
            object->heap = heap;
            object->pool = i;
            object->number = j;
            object->bytes = pool->size + more * pool->more;
            object->image = base_arena_alloc(&program->arena, object->bytes + 1);
            base_push(&program->objects, object);
        }
}

static void fill_bits(struct target_program_object *object, const struct target_column *part,
                      const unsigned char *from) {
    uint64_t value = 0, bytes = part->type->size;
    memcpy(&value, from, bytes < sizeof value ? bytes : sizeof value);
    if (part->type->kind == IR_TYPE_BOOL)
        value &= 1;
    set_bits(object->image, part->offset * 8 + part->bits->bit_offset, part->bits->bit_size, value);
}

static void fill_element(struct target_program *program, struct target_program_object *object,
                         const struct target_column *part, const struct target_place *place) {
    const struct target_shape *shape = &program->shape;
    uint64_t at = target_shape_offset(shape, place), bytes = target_column_bytes(part);
    uint64_t to = part->offset + place->element * part->stride;
    unsigned char *copy = base_arena_alloc(&program->arena, bytes + 1);
    if (part->kind == TARGET_LINK) {
        uint32_t which = target_shape_follow(shape, place);
        if (part->is_in_union && target_shape_is_link(shape, place))
            memset(object->image + to, 0, sizeof(void *));
        if (which)
            base_push(&object->links, (struct target_program_link){to, part->pool, which});
        return;
    }
    if (at < shape->size)
        memcpy(copy, shape->input + at, bytes < shape->size - at ? bytes : shape->size - at);
    if (part->kind == TARGET_BITS) {
        fill_bits(object, part, copy);
    } else {
        memcpy(object->image + to, copy, bytes);
        target_clean_value(part->type, object->image + to);
    }
}

static void fill_object(struct target_program *program, struct target_program_object *object) {
    const struct target_pool *pool = &program->entry->heap.pools.data[object->pool];
    struct target_place place = {.pool = object->pool, .object = object->number};
    for (place.part = 0; place.part < pool->parts.count; place.part++) {
        const struct target_column *part = &pool->parts.data[place.part];
        uint64_t count = target_column_count(program->entry, part, program->shape.sizes);
        for (place.element = 0; place.element < count; place.element++)
            fill_element(program, object, part, &place);
    }
}

static bool is_row(const struct target_program_object *object) {
    const struct target_pool *pool = &object->heap->pools.data[object->pool];
    return pool->more && pool->size < object->type->size;
}

/* Nothing to write: the object was allocated as zeros. */
static bool is_zero(const struct target_program_object *object, uint64_t at, uint64_t bytes) {
    for (size_t i = 0; i < object->links.count; i++)
        if (object->links.data[i].offset == at)
            return false;
    while (bytes && !object->image[at + bytes - 1])
        bytes--;
    return !bytes;
}

/* Prints the name of an element of a row or a flexible array. */
static void print_element(struct target_program *program,
                          const struct target_program_object *object,
                          const struct target_column *part, uint64_t at, uint64_t index) {
    struct ir_type pointer = {.kind = IR_TYPE_POINTER, .name = "", .element = part->type};
    bool is_plain = is_row(object) && part->stride == part->type->size && !part->offset;
    if (!is_plain)
        base_buffer_print(program->out, "*(%s)((char *)", target_spell(program, &pointer, ""));
    target_print_object_name(object->pool, object->number, program->out);
    base_buffer_print(program->out, is_plain ? "[%" PRIu64 "]" : " + %" PRIu64 ")",
                      is_plain ? index : at);
}

/* Fills a row or a flexible array element by element. */
static void print_row(struct target_program *program, const struct target_program_object *object,
                      const struct target_column *part) {
    uint64_t count = target_column_count(program->entry, part, program->shape.sizes);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = part->offset + i * part->stride;
        if (is_zero(object, at, part->type->size))
            continue;
        base_buffer_print(program->out, "    ");
        print_element(program, object, part, at, i);
        base_buffer_print(program->out, " = ");
        target_print_value(object, part->type, object->image + at, program->out);
        base_buffer_print(program->out, ";\n");
    }
}

static void print_rows(struct target_program *program, const struct target_program_object *object) {
    const struct target_pool *pool = &program->entry->heap.pools.data[object->pool];
    for (size_t i = 0; i < pool->parts.count; i++)
        if (!pool->parts.data[i].count)
            print_row(program, object, &pool->parts.data[i]);
}

static void print_object_bytes(struct target_program *program,
                               const struct target_program_object *object) {
    base_buffer_print(program->out, "    __builtin_memcpy(");
    target_print_object_name(object->pool, object->number, program->out);
    base_buffer_print(program->out, ", (unsigned char[])");
    target_print_byte_list(object->image, object->type->size, program->out);
    base_buffer_print(program->out, ", %" PRIu64 ");\n", object->type->size);
    for (size_t i = 0; i < object->links.count; i++) {
        base_buffer_print(program->out, "    *(void **)((char *)");
        target_print_object_name(object->pool, object->number, program->out);
        base_buffer_print(program->out, " + %" PRIu64 ") = ", object->links.data[i].offset);
        target_print_link(object, &object->links.data[i], program->out);
        base_buffer_print(program->out, ";\n");
    }
}

static void print_object(struct target_program *program,
                         const struct target_program_object *object) {
    if (is_row(object)) {
        print_rows(program, object);
    } else if (target_has_literal(object->type)) {
        base_buffer_print(program->out, "    *");
        target_print_object_name(object->pool, object->number, program->out);
        base_buffer_print(program->out, " = (%s)", target_spell(program, object->type, ""));
        target_print_value(object, object->type, object->image, program->out);
        base_buffer_print(program->out, ";\n");
        print_rows(program, object);
    } else {
        print_object_bytes(program, object);
        print_rows(program, object);
    }
}

void target_print_objects(struct target_program *program) {
    list_objects(program);
    for (size_t i = 0; i < program->objects.count; i++) {
        struct target_program_object *object = program->objects.data[i];
        struct base_buffer name = {0};
        struct ir_type pointer = {.kind = IR_TYPE_POINTER, .name = "", .element = object->type};
        fill_object(program, object);
        target_print_object_name(object->pool, object->number, &name);
        base_buffer_print(program->out, "    %s = ", target_spell(program, &pointer, name.data));
        if (object->bytes == object->type->size)
            base_buffer_print(program->out, "malloc(sizeof *%s);\n", name.data);
        else
            base_buffer_print(program->out, "calloc(1, %" PRIu64 ");\n", object->bytes);
        base_buffer_done(&name);
    }
    for (size_t i = 0; i < program->objects.count; i++)
        print_object(program, program->objects.data[i]);
}
