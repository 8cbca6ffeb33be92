/* SPDX-License-Identifier: Apache-2.0
 *
 * Which objects have a size that the path leaves open? A size that depends on the input is not
 * fixed when the memory is allocated: the object keeps an expression for it. Its memory is marked,
 * so that every access comes here, and one that goes further than all before is a decision of the
 * path: is the object that large? Below a bound that was decided, or that the form of the
 * expression proves, nothing is asked.
 *
 * Heap blocks are found by their trace number. Stack objects are in a short list, and leave it when
 * their function returns or their scope ends. A block gets more memory than it needs in this run,
 * so that an access beyond its end hits the marks and no other object.
 */
#include "runtime/symbolic.h"

#include <string.h>
#include <sys/mman.h>

#define MAX_SIZED ((size_t)1 << 20) /* heap blocks; further ones have a fixed size */
#define MAX_STACK 256
#define LEAST_ROOM 1024u
#define DOUBLED_UP_TO ((uint64_t)1 << 20)
#define LARGE_MARKS ((size_t)1 << 20)

struct sized {
    uintptr_t start;
    uint64_t room, size; /* size: in this run */
    uint64_t proven;     /* the minimum size on this path */
    uint32_t shadow;     /* of its size; 0: freed, or not of symbolic size */
};

static RUNTIME_STATE struct sized *blocks; /* by trace number */
static RUNTIME_STATE uint32_t block_end;
static RUNTIME_STATE struct sized stack[MAX_STACK];
static RUNTIME_STATE uint32_t stack_count;
static RUNTIME_STATE bool is_any; /* in this run, though it may be freed by now */

bool runtime_sym_has_sized(void) {
    return is_any;
}

/* ---- marks ---- */

static void set_marks(const struct sized *object, bool on) {
    uint8_t *first = abi_shadow_mark((const void *)object->start);
    uint8_t *last = abi_shadow_mark((const void *)(object->start + object->room - 1));
    if (on)
        for (uint8_t *at = first; at <= last; at++)
            *at |= ABI_MARK_SIZED;
    else
        for (uint8_t *at = first; at <= last; at++)
            *at &= (uint8_t)~ABI_MARK_SIZED;
}

/* Releases whole pages of marks: the block was large. */
static void drop_marks(const struct sized *object) {
    uintptr_t first = (uintptr_t)abi_shadow_mark((const void *)object->start);
    uintptr_t end = first + object->room / ABI_SHADOW_GRANULE;
    set_marks(object, false);
    first = (first + ABI_PAGE - 1) & ~(uintptr_t)(ABI_PAGE - 1);
    end &= ~(uintptr_t)(ABI_PAGE - 1);
    if (object->room / ABI_SHADOW_GRANULE >= LARGE_MARKS && first < end)
        madvise((void *)first, end - first, MADV_DONTNEED);
}

static void open_object(struct sized *object, const struct sized *as) {
    *object = *as;
    is_any = true;
    set_marks(object, true);
}

static void close_object(struct sized *object) {
    if (object->shadow)
        drop_marks(object);
    object->shadow = 0;
}

/* ---- blocks of the heap ---- */

uint64_t runtime_sym_room(uint64_t size) {
    if (size > DOUBLED_UP_TO)
        return size;
    return 2 * size < LEAST_ROOM ? LEAST_ROOM : 2 * size;
}

bool runtime_sym_may_open(uint32_t shadow) {
    return shadow && runtime_sym_at(shadow)->width == 64 && !runtime_sym_is_settled(shadow);
}

bool runtime_sym_decide_size(uint32_t shadow, uint64_t size, uint64_t most) {
    uint32_t end =
        shadow && runtime_sym_bounds_here(shadow).high > most ? runtime_sym_constant(64, most) : 0;
    uint32_t fits = end ? runtime_sym_node(ABI_OP_ULE, 1, 0, shadow, end, 0) : 0;
    if (fits)
        runtime_sym_decide_bounds(fits, ABI_ACCESS_MAX_SITE, size <= most);
    return size <= most;
}

void runtime_sym_open_block(uint32_t number, const void *start, uint64_t room, uint64_t size,
                            uint32_t shadow) {
    if (!blocks)
        blocks = runtime_sym_reserve(NULL, MAX_SIZED * sizeof *blocks);
    if (!number || number > MAX_SIZED)
        return;
    for (; block_end < number; block_end++)
        blocks[block_end].shadow = 0;
    open_object(&blocks[number - 1], &(struct sized){(uintptr_t)start, room, size, 0, shadow});
}

void runtime_sym_close_block(uint32_t number) {
    if (number && number <= block_end)
        close_object(&blocks[number - 1]);
}

/* ---- objects on the stack ---- */

uint64_t __slowpath_sym_stack_room(uint64_t count, uint32_t shadow, uint64_t element) {
    uint64_t bytes;
    if (!runtime_sym_may_open(shadow) || stack_count == MAX_STACK ||
        __builtin_mul_overflow(count, element, &bytes) || bytes > DOUBLED_UP_TO)
        return count;
    return runtime_sym_room(bytes) / element + 1;
}

void __slowpath_sym_open_stack(const void *start, uint64_t count, uint32_t shadow, uint64_t element,
                               uint64_t room) {
    if (room == count || stack_count == MAX_STACK) {
        runtime_sym_fix(ABI_EVENT_CONCRETE, shadow, count);
        return;
    }
    uint32_t size = runtime_sym_product(count, shadow, element, 0);
    if (size)
        open_object(&stack[stack_count++],
                    &(struct sized){(uintptr_t)start, room * element, count * element, 0, size});
}

/* Everything below is gone. */
static void release_stack(uintptr_t end) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < stack_count; i++)
        if (stack[i].start < end)
            close_object(&stack[i]);
        else
            stack[kept++] = stack[i];
    stack_count = kept;
}

void __slowpath_sym_release_stack(const void *end) {
    release_stack((uintptr_t)end);
}

void runtime_sym_forget_sizes(void) {
    for (uint32_t i = 0; i < block_end; i++)
        close_object(&blocks[i]);
    release_stack(UINTPTR_MAX);
    block_end = 0;
    is_any = false;
}

/* ---- finding ---- */

static struct sized *find_on_stack(uintptr_t address) {
    for (uint32_t i = stack_count; i-- > 0;)
        if (address - stack[i].start < stack[i].room)
            return &stack[i];
    return NULL;
}

static struct sized *find_sized(uintptr_t address) {
    uint32_t number = runtime_heap_number(address);
    if (!number)
        return find_on_stack(address);
    struct sized *block = number <= block_end ? &blocks[number - 1] : NULL;
    return block && block->shadow && address - block->start < block->room ? block : NULL;
}

bool runtime_sym_find_sized(uintptr_t address, struct runtime_object *object) {
    const struct sized *found = is_any ? find_sized(address) : NULL;
    if (!found)
        return false;
    *object = (struct runtime_object){
        .start = found->start,
        .size = found->size,
        .name = stack <= found && found < stack + MAX_STACK ? "a stack variable" : "a heap block",
        .room = found->room,
        .proven = found->proven,
        .size_shadow = found->shadow};
    return true;
}

/* ---- accesses ---- */

/* Has the object at least END bytes? 0: no room for the expression. */
static uint32_t make_reaches(const struct sized *object, uint64_t end) {
    uint32_t bytes = runtime_sym_constant(64, end);
    return bytes ? runtime_sym_node(ABI_OP_ULE, 1, 0, bytes, object->shadow, 0) : 0;
}

void runtime_sym_check_size(const void *memory, uint64_t bytes, uint32_t kind) {
    struct sized *object = find_sized((uintptr_t)memory);
    uint64_t end = object ? (uintptr_t)memory - object->start + bytes : 0;
    if (!object || end <= object->proven || !bytes)
        return;
    bool inside = end <= object->size || runtime.control->is_forced;
    if (!runtime_sym_is_settled(object->shadow) &&
        runtime_sym_bounds_here(object->shadow).low < end) {
        uint32_t reaches = make_reaches(object, end);
        if (reaches)
            runtime_sym_decide_bounds(reaches, kind >> ABI_ACCESS_SITE, inside);
    }
    if (!inside) {
        struct runtime_object left;
        runtime_sym_find_sized((uintptr_t)memory, &left);
        runtime_sym_leave(&(struct runtime_access){.memory = memory, .kind = kind}, &left, bytes);
    }
    object->proven = end;
}
