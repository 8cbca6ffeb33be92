/* SPDX-License-Identifier: Apache-2.0
 *
 * Which object contains an address? Known are the target's global variables (listed by the
 * instrumenter), the C library's character classes, arguments built from the input, heap blocks,
 * and those stack arrays and structs whose address escapes. The size of any other stack variable is
 * known only to code that names it.
 */
#include "runtime/symbolic.h"

#include <ctype.h>
#include <stdlib.h>

#define MAX_STATIC 65536
#define MAX_ARGUMENTS 4096

struct listed {
    uintptr_t start;
    uint64_t size;
    const char *name;
};

/* The target's global variables, listed by the instrumenter. */
extern const struct listed __slowpath_sym_globals[] __attribute__((weak));
extern const uint64_t __slowpath_sym_global_count __attribute__((weak));

struct list {
    struct listed *objects;
    size_t count;
};

static RUNTIME_STATE struct list statics;   /* exist from the start */
static RUNTIME_STATE struct list arguments; /* of the current run */

/* The stack objects of the thread that starts a run, innermost last. Those without room in the list
 * and those of other threads are unknown. The list is not thread-local, because thread-locals are
 * restored after each run, in the measuring build too. */
ABI_OF_THREAD struct abi_on_stack *__slowpath_sym_stack;
ABI_OF_THREAD uint64_t __slowpath_sym_stack_count, __slowpath_sym_stack_places;
static RUNTIME_STATE struct abi_on_stack *on_stack;

static int by_start(const void *a, const void *b) {
    const struct listed *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

static void add(struct list *list, size_t most, const void *start, uint64_t size,
                const char *name) {
    if (list->count < most)
        list->objects[list->count++] = (struct listed){(uintptr_t)start, size, name};
}

void runtime_sym_open_objects(void) {
    statics.objects = runtime_sym_reserve(NULL, MAX_STATIC * sizeof *statics.objects);
    on_stack = runtime_sym_reserve(NULL, ABI_STACK_OBJECTS * sizeof *on_stack);
    arguments.objects = runtime_sym_reserve(NULL, MAX_ARGUMENTS * sizeof *arguments.objects);
    if (__slowpath_sym_globals)
        for (uint64_t i = 0; i < __slowpath_sym_global_count; i++) {
            const struct listed *global = &__slowpath_sym_globals[i];
            add(&statics, MAX_STATIC, (const void *)global->start, global->size, global->name);
        }
    /* Tables used by the macros of <ctype.h>. */
    add(&statics, MAX_STATIC, *__ctype_b_loc() - 128, 384 * sizeof(**__ctype_b_loc()),
        "the classes of <ctype.h>");
    add(&statics, MAX_STATIC, *__ctype_tolower_loc() - 128, 384 * sizeof(**__ctype_tolower_loc()),
        "the table of tolower");
    add(&statics, MAX_STATIC, *__ctype_toupper_loc() - 128, 384 * sizeof(**__ctype_toupper_loc()),
        "the table of toupper");
    qsort(statics.objects, statics.count, sizeof *statics.objects, by_start);
}

void runtime_sym_begin_objects(void) {
    arguments.count = 0;
    __slowpath_sym_stack = on_stack;
    __slowpath_sym_stack_count = 0;
    __slowpath_sym_stack_places = ABI_STACK_OBJECTS;
}

/* Kept sorted by address; insertion usually happens at the end. */
void runtime_sym_note_argument(const void *memory, uint64_t bytes, const char *name) {
    if (!runtime.control->symbolic || !arguments.objects || arguments.count == MAX_ARGUMENTS)
        return;
    size_t at = arguments.count++;
    for (; at && arguments.objects[at - 1].start > (uintptr_t)memory; at--)
        arguments.objects[at] = arguments.objects[at - 1];
    arguments.objects[at] = (struct listed){(uintptr_t)memory, bytes, name};
}

static const struct listed *find_listed(const struct list *list, uintptr_t address) {
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (list->objects[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const struct listed *found = low ? &list->objects[low - 1] : NULL;
    return found && address - found->start < found->size ? found : NULL;
}

static bool find_on_stack(uintptr_t address, struct runtime_object *object) {
    uint64_t count = __slowpath_sym_stack_count, places = __slowpath_sym_stack_places;
    for (uint64_t i = count < places ? count : places; i-- > 0;) {
        const struct abi_on_stack *variable = &__slowpath_sym_stack[i];
        if (address - (uintptr_t)variable->start < variable->size) {
            *object = (struct runtime_object){.start = (uintptr_t)variable->start,
                                              .size = variable->size,
                                              .name = "a stack variable"};
            return true;
        }
    }
    return false;
}

bool runtime_sym_find_object(uintptr_t address, struct runtime_object *object) {
    const struct listed *fixed = find_listed(&statics, address);
    const struct listed *found = fixed ? fixed : find_listed(&arguments, address);
    *object = (struct runtime_object){.name = "a heap block"};
    if (!found)
        return runtime_sym_find_sized(address, object) ||
               runtime_heap_find(address, &object->start, &object->size) ||
               find_on_stack(address, object);
    object->start = found->start;
    object->size = found->size;
    object->name = found->name;
    object->is_static = fixed != NULL;
    return true;
}

/* A pointer between two adjacent objects may belong to either: they count as one. */
bool runtime_sym_find_origin(uintptr_t pointer, struct runtime_object *object) {
    struct runtime_object before;
    bool has_own = runtime_sym_find_object(pointer, object);
    bool is_end = (!has_own || pointer == object->start) &&
                  runtime_sym_find_object(pointer - 1, &before) &&
                  before.start + before.size == pointer;
    if (!is_end)
        return has_own;
    if (has_own) {
        before.size += object->size;
        before.name = object->name;
        before.is_static &= object->is_static;
    }
    *object = before;
    return true;
}
