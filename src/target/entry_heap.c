/* SPDX-License-Identifier: Apache-2.0
 *
 * What can pointers of an entry lead to, and which parts of the input make up the objects?
 *
 * Every type that a pointer can reach has a pool of objects, the same number for each type. An
 * object is split into parts: numbers, truth values, bit-fields, and links, which are pointers into
 * a pool. In the input, all parts of a kind lie together, so that `node.next` is an array like any
 * other, with one element per object.
 *
 * A pointer to scalars or to pointers leads to as many elements as the size `elements` says, and a
 * flexible array has that many. Strings are followed by a zero that is not part of the input.
 */
#include "target/entry.h"

#include <stdlib.h>
#include <string.h>

#define ELEMENTS 4 /* default */
#define MAX_PARTS 4096

const struct ir_type target_choice_type = {
    .kind = IR_TYPE_UNSIGNED, .name = "unsigned short", .size = TARGET_CHOICE_BYTES};

bool target_is_link(const struct ir_type *type) {
    const struct ir_type *to = type->kind == IR_TYPE_POINTER ? type->element : NULL;
    if (!to || to->kind == IR_TYPE_VOID)
        return false;
    if (to->kind == IR_TYPE_FUNCTION)
        return true;
    bool is_record = to->kind == IR_TYPE_STRUCT || to->kind == IR_TYPE_UNION;
    return is_record ? to->count > 0 : to->size > 0;
}

bool target_pool_is_code(const struct target_pool *pool) {
    return pool->type->kind == IR_TYPE_FUNCTION;
}

/* ---- splitting an object ---- */

struct taking {
    struct target_entry *entry;
    uint32_t pool;
    const struct ir_type *owner; /* of bit-fields */
    uint64_t owner_at;
    bool is_flexible; /* is part of `elements` */
    uint64_t stride;  /* distance between elements */
};

static uint32_t find_pool(struct target_entry *entry, const struct ir_type *type);

static struct target_pool *pool_of(const struct taking *taking) {
    return &taking->entry->heap.pools.data[taking->pool];
}

static uint32_t need_elements(struct target_entry *entry) {
    struct target_heap *heap = &entry->heap;
    for (uint32_t i = 0; heap->elements == UINT32_MAX && i < entry->sizes.count; i++)
        if (strcmp(entry->sizes.data[i].name, "elements") == 0)
            heap->elements = i;
    if (heap->elements == UINT32_MAX) {
        heap->elements = (uint32_t)entry->sizes.count;
        base_push(&entry->sizes, (struct target_size){"elements", ELEMENTS});
    }
    return heap->elements;
}

static void add_part(const struct taking *taking, struct target_column part) {
    struct target_pool *pool = pool_of(taking);
    struct base_arena *arena = &taking->entry->arena;
    if (pool->parts.count == MAX_PARTS)
        return;
    if (taking->is_flexible) {
        need_elements(taking->entry);
        part.count = 0;
        part.stride = taking->stride;
    }
    part.member = base_arena_strdup(arena, part.member);
    part.name =
        *part.member ? base_arena_format(arena, "%s.%s", pool->name, part.member) : pool->name;
    base_push(&pool->parts, part);
}

static bool is_leaf(const struct ir_type *type) {
    return type->kind != IR_TYPE_STRUCT && type->kind != IR_TYPE_ARRAY;
}

/* The pointer that a union, or a struct in it, may hold at an offset. Writes its name to PATH
 * unless that is NULL. */
static const struct ir_type *find_link(const struct ir_type *type, uint64_t offset,
                                       struct base_buffer *path) {
    const struct ir_type *found = NULL;
    if (target_is_link(type))
        return offset ? NULL : type;
    if (type->kind != IR_TYPE_STRUCT && type->kind != IR_TYPE_UNION)
        return NULL;
    for (uint32_t i = 0; i < type->member_count && !found; i++) {
        const struct ir_member *member = &type->members[i];
        size_t before = path ? path->count : 0;
        if (member->bit_size || member->offset > offset)
            continue;
        if (path)
            base_buffer_print(path, "%s%s", *member->name ? "." : "", member->name);
        found = find_link(member->type, offset - member->offset, path);
        if (path && !found)
            path->count = before;
    }
    return found;
}

/* The pointers of a union follow its bytes, one for each word that may be one. */
static void take_union(const struct taking *taking, const struct target_column *whole) {
    for (uint64_t word = 0; word + sizeof(void *) <= whole->type->size; word += sizeof(void *)) {
        struct base_buffer path = {0};
        base_buffer_print(&path, "%s", whole->member);
        const struct ir_type *link = find_link(whole->type, word, &path);
        if (link) {
            struct target_column part = *whole;
            part.kind = TARGET_LINK;
            part.member = path.data + (*path.data == '.');
            part.type = link;
            part.offset += word;
            part.pool = find_pool(taking->entry, link->element);
            part.is_in_union = true;
            add_part(taking, part);
        }
        base_buffer_done(&path);
    }
}

bool target_has_link(const struct ir_type *type) {
    for (uint64_t word = 0; word + sizeof(void *) <= type->size; word += sizeof(void *))
        if (find_link(type, word, NULL))
            return true;
    return false;
}

static void take_leaf(const struct taking *taking, const struct ir_type *type, uint64_t offset,
                      uint64_t count, const char *member) {
    struct target_column part = {.kind = type->kind == IR_TYPE_BOOL ? TARGET_TRUTH : TARGET_RAW,
                                 .member = member,
                                 .type = type,
                                 .offset = offset,
                                 .stride = type->size,
                                 .count = count};
    if (type->kind == IR_TYPE_POINTER) {
        part.kind = TARGET_LINK;
        part.pool = target_is_link(type) ? find_pool(taking->entry, type->element) : UINT32_MAX;
        if (part.pool == UINT32_MAX)
            return; /* null for all inputs */
    }
    if (type->size && count)
        add_part(taking, part);
    if (type->kind == IR_TYPE_UNION && count)
        take_union(taking, &part);
}

static void take_type(const struct taking *taking, const struct ir_type *type, uint64_t offset,
                      const char *member);

/* Bit-fields are accessed through the struct that contains them, if it has a name. */
static void take_record(const struct taking *taking, const struct ir_type *type, uint64_t offset,
                        const char *member) {
    struct taking inner = *taking;
    if (type->kind == IR_TYPE_STRUCT) {
        inner.owner = type;
        inner.owner_at = offset;
    }
    take_type(&inner, type, offset, member);
}

static void take_array(const struct taking *taking, const struct ir_type *array, uint64_t offset,
                       const char *member) {
    const struct ir_type *inner = array;
    uint64_t count = 1;
    for (; inner->kind == IR_TYPE_ARRAY; inner = inner->element)
        count *= inner->count;
    if (is_leaf(inner) && !taking->is_flexible) {
        take_leaf(taking, inner, offset, count, member);
        return;
    }
    for (uint64_t i = 0; i < array->count && i < MAX_PARTS; i++) {
        char *name = base_format("%s[%llu]", member, (unsigned long long)i);
        take_record(taking, array->element, offset + i * array->element->size, name);
        free(name);
    }
}

static void take_flexible(const struct taking *taking, const struct ir_type *array, uint64_t offset,
                          const char *member) {
    struct taking one = *taking;
    one.is_flexible = true;
    one.stride = array->element->size;
    pool_of(taking)->more = one.stride;
    take_record(&one, array->element, offset, member);
}

static void take_member(const struct taking *taking, const struct ir_type *record, uint32_t which,
                        uint64_t offset, const char *prefix) {
    const struct ir_member *member = &record->members[which];
    const struct ir_type *type = member->type;
    const char *dot = *prefix && *member->name ? "." : "";
    char *name = base_format("%s%s%s", prefix, dot, member->name);
    offset += member->offset;
    if (member->bit_size && *member->name)
        add_part(taking, (struct target_column){.kind = TARGET_BITS,
                                                .member = name,
                                                .type = type,
                                                .offset = offset,
                                                .stride = type->size,
                                                .count = 1,
                                                .bits = member,
                                                .owner = taking->owner,
                                                .owner_at = taking->owner_at});
    else if (type->kind == IR_TYPE_ARRAY && !type->count && type->element && type->element->size &&
             which + 1 == record->member_count && !taking->is_flexible)
        take_flexible(taking, type, offset, name);
    else if (!member->bit_size && *member->name)
        take_record(taking, type, offset, name);
    else if (!member->bit_size)
        take_type(taking, type, offset, name);
    free(name);
}

static void take_type(const struct taking *taking, const struct ir_type *type, uint64_t offset,
                      const char *member) {
    if (type->kind == IR_TYPE_ARRAY)
        take_array(taking, type, offset, member);
    else if (type->kind == IR_TYPE_STRUCT)
        for (uint32_t i = 0; i < type->member_count; i++)
            take_member(taking, type, i, offset, member);
    else
        take_leaf(taking, type, offset, 1, member);
}

/* ---- pools ---- */

static const char *name_pool(struct target_entry *entry, const struct ir_type *type) {
    struct base_buffer text = {0};
    if (*type->name)
        return type->name;
    ir_print_declaration(type, "", &text);
    const char *name = base_arena_strdup(&entry->arena, text.data);
    base_buffer_done(&text);
    return name;
}

/* The objects are structs, or rows of scalars. */
static void fill_pool(struct target_entry *entry, uint32_t number, const struct ir_type *type) {
    struct taking taking = {.entry = entry, .pool = number, .owner = type};
    struct target_pool *pool = pool_of(&taking);
    if (target_pool_is_code(pool))
        return;
    pool->size = type->size;
    if (is_leaf(type) && type->kind != IR_TYPE_UNION) {
        taking.is_flexible = true;
        taking.stride = pool->more = type->size;
        pool->size = type->kind == IR_TYPE_CHAR;
    }
    take_type(&taking, type, 0, "");
}

static uint32_t find_pool(struct target_entry *entry, const struct ir_type *type) {
    struct target_heap *heap = &entry->heap;
    for (uint32_t i = 0; i < heap->pools.count; i++)
        if (heap->pools.data[i].type == type)
            return i;
    uint32_t number = (uint32_t)heap->pools.count;
    base_push(&heap->pools, (struct target_pool){.type = type, .name = name_pool(entry, type)});
    fill_pool(entry, number, type);
    return number;
}

void target_heap_init(struct target_entry *entry) {
    entry->heap.elements = UINT32_MAX;
    for (size_t i = 0; i < entry->items.count; i++)
        if (entry->items.data[i].kind == TARGET_SHAPE)
            entry->items.data[i].pool = find_pool(entry, entry->items.data[i].element);
}

void target_heap_done(struct target_heap *heap) {
    for (size_t i = 0; i < heap->pools.count; i++) {
        base_vector_done(&heap->pools.data[i].parts);
        base_strings_done(&heap->pools.data[i].functions);
    }
    base_vector_done(&heap->pools);
}

/* ---- bytes ---- */

uint64_t target_heap_objects(const struct target_entry *entry, const int64_t *sizes) {
    int64_t most = 0;
    for (size_t i = 0; i < entry->items.count; i++) {
        const struct target_item *item = &entry->items.data[i];
        if (item->kind == TARGET_SHAPE && sizes[item->size] > most)
            most = sizes[item->size];
    }
    return (uint64_t)most;
}

uint64_t target_column_count(const struct target_entry *entry, const struct target_column *part,
                             const int64_t *sizes) {
    int64_t elements = part->count ? (int64_t)part->count : sizes[entry->heap.elements];
    return elements > 0 ? (uint64_t)elements : 0;
}

uint64_t target_column_bytes(const struct target_column *part) {
    return part->kind == TARGET_LINK ? TARGET_CHOICE_BYTES : part->type->size;
}

bool target_heap_bytes(const struct target_entry *entry, const int64_t *sizes, uint64_t *bytes) {
    uint64_t objects = target_heap_objects(entry, sizes), more;
    *bytes = 0;
    for (size_t i = 0; i < entry->heap.pools.count; i++) {
        const struct target_pool *pool = &entry->heap.pools.data[i];
        for (size_t j = 0; j < pool->parts.count; j++) {
            const struct target_column *part = &pool->parts.data[j];
            if (__builtin_mul_overflow(objects, target_column_count(entry, part, sizes), &more) ||
                __builtin_mul_overflow(more, target_column_bytes(part), &more) ||
                __builtin_add_overflow(*bytes, more, bytes))
                return false;
        }
    }
    return objects <= TARGET_MOST_OBJECTS;
}

/* ---- fields ---- */

uint32_t target_pool_objects(const struct target_entry *entry, const struct target_pool *pool,
                             const int64_t *sizes) {
    return (uint32_t)(target_pool_is_code(pool) ? pool->functions.count
                                                : target_heap_objects(entry, sizes));
}

void target_heap_layout(const struct target_entry *entry, const int64_t *sizes, uint64_t offset,
                        struct target_fields *fields) {
    uint64_t objects = target_heap_objects(entry, sizes);
    for (size_t i = 0; i < entry->heap.pools.count; i++) {
        const struct target_pool *pool = &entry->heap.pools.data[i];
        for (size_t j = 0; j < pool->parts.count; j++) {
            const struct target_column *part = &pool->parts.data[j];
            bool is_link = part->kind == TARGET_LINK;
            const struct ir_type *type = is_link ? &target_choice_type : part->type;
            struct target_field field = {.name = part->name,
                                         .type = type,
                                         .row = type,
                                         .element_size = type->size,
                                         .count = objects * target_column_count(entry, part, sizes),
                                         .offset = offset,
                                         .is_array = true,
                                         .is_signed = target_is_signed(type),
                                         .is_float = type->kind == IR_TYPE_FLOAT,
                                         .is_char = type->kind == IR_TYPE_CHAR,
                                         .is_link = is_link};
            if (is_link) {
                const struct target_pool *to = &entry->heap.pools.data[part->pool];
                field.most_objects = target_pool_objects(entry, to, sizes) + part->is_in_union;
                field.is_in_union = part->is_in_union;
                field.pool = part->pool;
                field.owner = (uint32_t)i;
                field.each = target_column_count(entry, part, sizes);
                field.is_code = target_pool_is_code(to);
            }
            base_push(fields, field);
            offset += field.count * field.element_size;
        }
    }
}
