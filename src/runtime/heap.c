/* SPDX-License-Identifier: Apache-2.0
 *
 * The heap of a target. It exists for three reasons: every byte is counted (also what the C library
 * allocates for getline and the like), addresses repeat from run to run, and all of it can be
 * thrown away between runs in constant time.
 *
 * Memory comes from two fixed regions by bump allocation and goes back to one free list per size
 * class. Fresh memory is zero. A block's header lies 16 bytes before it. The target's calls are
 * redirected to __slowpath_lib_malloc and friends; the exported malloc serves the library.
 */
#include "abi/shadow.h"
#include "runtime/symbolic.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <unistd.h>

#define REGION_SIZE ((size_t)64 << 30)
#define LARGEST ((size_t)ABI_LARGEST_BLOCK)
#define SMALL_CLASSES 64 /* sizes up to 1024 in steps of 16 */
#define CLASSES (SMALL_CLASSES + 4 * 30)
#define MAGIC 0x5a17u
/* Extra header of an over-aligned block; size = distance to the first one. */
#define ALIGNED_CLASS 0xffffu
#define MAX_BLOCKS ((size_t)1 << 24)    /* with known bounds */
#define KEEP_PAGES ((size_t)256 * 1024) /* emptied by memset up to here, by the kernel beyond */

struct header {
    uint64_t size : 36;      /* as requested */
    uint64_t object : 27;    /* trace number, or 0: the size was concrete */
    uint64_t is_aligned : 1; /* over-aligned: the block does not start right behind this header */
    uint32_t epoch;
    uint16_t class;
    uint16_t magic;
};

struct free_block {
    struct free_block *next;
};

struct heap {
    char *start, *end;
    char *mark; /* everything below was allocated before the first run and survives */
    struct free_block *free[CLASSES];
    struct free_block *free_at_mark[CLASSES];
    bool lock;
};

static RUNTIME_STATE struct heap run_heap = {.start = (char *)ABI_HEAP_RUN};
static RUNTIME_STATE struct heap library_heap = {.start = (char *)ABI_HEAP_LIBRARY};
static RUNTIME_STATE uint32_t epoch = 1; /* of the current run */
/* The symbolic build: headers of the target's blocks in address order. */
static RUNTIME_STATE struct header **blocks;
static RUNTIME_STATE size_t block_count, blocks_marked;

static unsigned class_of(size_t size) {
    if (size <= 1024)
        return size ? (unsigned)((size - 1) / 16) : 0;
    unsigned log = 63 - (unsigned)__builtin_clzll(size - 1);
    return SMALL_CLASSES + (log - 10) * 4 + (unsigned)(((size - 1) >> (log - 2)) & 3);
}

static size_t class_size(unsigned class) {
    if (class < SMALL_CLASSES)
        return ((size_t)class + 1) * 16;
    unsigned log = (class - SMALL_CLASSES) / 4 + 10, quarter = (class - SMALL_CLASSES) % 4;
    return ((size_t)1 << log) + ((size_t)(quarter + 1) << (log - 2));
}

static void heap_open(struct heap *heap) {
    void *memory = mmap(heap->start, REGION_SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory != heap->start)
        abort();
    runtime_note_own(heap->start, REGION_SIZE);
    heap->end = heap->start;
}

static void heap_lock(struct heap *heap) {
    if (!__libc_single_threaded)
        while (__atomic_test_and_set(&heap->lock, __ATOMIC_ACQUIRE))
            __builtin_ia32_pause();
}

static void heap_unlock(struct heap *heap) {
    if (!__libc_single_threaded)
        __atomic_clear(&heap->lock, __ATOMIC_RELEASE);
}

static bool heap_holds(const struct heap *heap, const void *memory) {
    return (const char *)memory >= heap->start && (const char *)memory < heap->start + REGION_SIZE;
}

static struct header *header_of(void *memory) {
    struct header *header = (struct header *)memory - 1;
    if (header->magic != MAGIC)
        abort(); /* not a block, or its header was overwritten */
    if (header->class == ALIGNED_CLASS)
        header = (struct header *)((char *)memory - header->size) - 1;
    return header;
}

static void charge(int64_t growth, uint64_t asked) {
    struct abi_costs *costs = runtime.costs;
    costs->allocated += asked;
    costs->allocations++;
    costs->live += (uint64_t)growth;
    if (costs->live > costs->peak)
        costs->peak = costs->live;
    runtime.costs_changed = true;
    if (runtime.control && costs->live > runtime.control->memory_limit)
        runtime_stop(ABI_STATUS_MEMORY);
}

/* Fresh blocks have ascending addresses, so the list stays sorted. */
static void list_block(const struct heap *heap, struct header *header) {
    if (heap != &run_heap || !runtime.control || !runtime.control->symbolic)
        return;
    if (!blocks)
        blocks = runtime_sym_reserve(NULL, MAX_BLOCKS * sizeof *blocks);
    if (block_count < MAX_BLOCKS)
        blocks[block_count++] = header;
}

/* The last block that starts before the address; NULL: there is none, or its bounds are unknown. */
static const struct header *block_before(uintptr_t address) {
    size_t low = 0, high = block_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if ((uintptr_t)(blocks[middle] + 1) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const struct header *header = low ? blocks[low - 1] : NULL;
    return header && header->magic == MAGIC ? header : NULL;
}

bool runtime_heap_find(uintptr_t address, uintptr_t *start, uint64_t *size) {
    const struct header *header = block_before(address);
    if (!header)
        return false;
    *start = (uintptr_t)(header + 1);
    if (header->is_aligned) {
        const struct header *way = header + 1;
        if (way->magic != MAGIC || way->class != ALIGNED_CLASS)
            return false; /* the target has overwritten it */
        *start += way->size;
    }
    *size = header->size;
    return address - *start < *size;
}

uint32_t runtime_heap_number(uintptr_t address) {
    const struct header *header =
        heap_holds(&run_heap, (const void *)address) ? block_before(address) : NULL;
    bool is_inside = header && address - (uintptr_t)(header + 1) < class_size(header->class);
    return is_inside ? (uint32_t)header->object : 0;
}

static void *take_block(struct heap *heap, size_t size, bool *fresh) {
    unsigned class = class_of(size);
    size_t room = class_size(class) + sizeof(struct header);
    struct header *header = NULL;
    *fresh = false;
    heap_lock(heap);
    if (!heap->end)
        heap_open(heap);
    if (heap->free[class]) {
        header = (struct header *)heap->free[class] - 1;
        heap->free[class] = heap->free[class]->next;
    } else if (room <= (size_t)(heap->start + REGION_SIZE - heap->end)) {
        header = (struct header *)heap->end;
        heap->end += room;
        *fresh = true;
        list_block(heap, header);
    }
    heap_unlock(heap);
    if (!header)
        return NULL;
    *header =
        (struct header){.size = size, .epoch = epoch, .class = (uint16_t)class, .magic = MAGIC};
    return header + 1;
}

/* Records an allocation and keeps its size symbolic if it depends on the input. SHADOW, here and
 * below, is the size's expression; 0: concrete. */
static void note_block(struct header *header, size_t size, uint32_t shadow) {
    header->size = size;
    header->object = runtime_sym_note_alloc(shadow, size);
    if (shadow && runtime_sym_may_open(shadow))
        runtime_sym_open_block(header->object, header + 1, class_size(header->class), size, shadow);
}

/* Bytes to reserve for a block; 0: too many. */
static size_t choose_room(size_t size, uint32_t shadow) {
    bool fits = shadow ? runtime_sym_decide_size(shadow, size, LARGEST) : size <= LARGEST;
    if (!fits)
        return 0;
    return shadow && runtime_sym_may_open(shadow) ? runtime_sym_room(size) : size ? size : 1;
}

static void *heap_alloc(struct heap *heap, size_t size, uint32_t shadow, bool zero) {
    bool fresh;
    size_t room = choose_room(size, shadow);
    void *memory = room ? take_block(heap, room, &fresh) : NULL;
    if (!memory) {
        errno = ENOMEM;
        return NULL;
    }
    note_block(header_of(memory), size, shadow);
    charge((int64_t)size, size);
    if (zero && !fresh)
        memset(memory, 0, size);
    return memory;
}

/* An object of the input, treated as if it had been there before the run. */
void *runtime_heap_input(size_t size) {
    bool fresh;
    void *memory = take_block(&run_heap, size ? size : 1, &fresh);
    if (!memory)
        return NULL;
    header_of(memory)->size = size;
    header_of(memory)->epoch = epoch - 1;
    if (!fresh)
        memset(memory, 0, size);
    return memory;
}

/* Blocks of earlier runs and of start-up do not belong to this run. */
static void forget_block(const struct header *header) {
    if (header->epoch != epoch)
        return;
    runtime_sym_note_free(header->object);
    runtime_sym_close_block(header->object);
    runtime.costs->live -= header->size;
    runtime.costs_changed = true;
}

static void heap_free(void *memory) {
    if (!memory)
        return;
    struct header *header = header_of(memory);
    struct heap *heap = heap_holds(&run_heap, header) ? &run_heap : &library_heap;
    forget_block(header);
    __slowpath_record_fill(header + 1, header->size); /* the next owner reads something else here */
    size_t room = class_size(header->class);
    header->magic = 0; /* a second free aborts, like the library's */
    struct free_block *block = (struct free_block *)(header + 1);
    if (room >= ((size_t)1 << 20)) {
        uintptr_t first = ((uintptr_t)block + 8191) & ~(uintptr_t)4095;
        uintptr_t last = ((uintptr_t)block + room) & ~(uintptr_t)4095;
        madvise((void *)first, last - first, MADV_DONTNEED);
    }
    heap_lock(heap);
    block->next = heap->free[header->class];
    heap->free[header->class] = block;
    heap_unlock(heap);
}

static void *heap_realloc(struct heap *heap, void *memory, size_t size, uint32_t shadow) {
    if (!memory)
        return heap_alloc(heap, size, shadow, false);
    size_t room = choose_room(size, shadow);
    struct header *header = header_of(memory);
    if (room && memory == header + 1 && header->epoch == epoch &&
        size <= class_size(header->class)) {
        forget_block(header);
        note_block(header, size, shadow);
        charge((int64_t)size, size);
        return memory;
    }
    bool fresh;
    void *bigger = room ? take_block(heap, room, &fresh) : NULL;
    if (!bigger) {
        errno = ENOMEM;
        return NULL;
    }
    size_t kept = header->size < size ? header->size : size;
    memcpy(bigger, memory, kept);
    if (runtime.control && runtime.control->symbolic)
        runtime_sym_copy(bigger, memory, kept);
    heap_free(memory);
    note_block(header_of(bigger), size, shadow);
    charge((int64_t)size, size);
    return bigger;
}

static void *heap_aligned(struct heap *heap, size_t alignment, size_t size, uint32_t shadow) {
    if (alignment <= 16)
        return heap_alloc(heap, size, shadow, false);
    bool fresh;
    char *memory = NULL;
    if (alignment <= LARGEST && size <= LARGEST - alignment)
        memory = take_block(heap, size + alignment, &fresh);
    if (!memory) {
        errno = ENOMEM;
        return NULL;
    }
    header_of(memory)->size = size; /* the slack is ours, not the target's */
    header_of(memory)->object = runtime_sym_note_alloc(shadow, size);
    charge((int64_t)size, size);
    char *aligned = (char *)(((uintptr_t)memory + alignment - 1) & ~(uintptr_t)(alignment - 1));
    header_of(memory)->is_aligned = aligned != memory;
    if (aligned != memory) /* both headers, which may be the same one */
        *(struct header *)memory = ((struct header *)aligned)[-1] = (struct header){
            .size = (uint64_t)(aligned - memory), .class = ALIGNED_CLASS, .magic = MAGIC};
    return aligned;
}

static void heap_mark(struct heap *heap, struct runtime_area *area) {
    if (!heap->end)
        heap_open(heap);
    heap->mark = heap->end;
    memcpy(heap->free_at_mark, heap->free, sizeof heap->free);
    *area = (struct runtime_area){heap->start, heap->end};
}

void runtime_heap_mark(struct runtime_area *run, struct runtime_area *library) {
    heap_mark(&run_heap, run);
    if (runtime.control->entry == ABI_ENTRY_PROGRAM)
        heap_mark(&library_heap, library);
    if (runtime.control->symbolic && !blocks)
        blocks = runtime_sym_reserve(NULL, MAX_BLOCKS * sizeof *blocks);
    blocks_marked = block_count;
}

void runtime_heap_begin(void) {
    epoch++;
}

static void heap_reset(struct heap *heap) {
    memcpy(heap->free, heap->free_at_mark, sizeof heap->free);
    size_t used = (size_t)(heap->end - heap->mark);
    if (used == 0)
        return;
    size_t kept = (uintptr_t)-(uintptr_t)heap->mark % 4096 + KEEP_PAGES; /* ends on a page */
    memset(heap->mark, 0, used < kept ? used : kept);
    if (used > kept)
        madvise(heap->mark + kept, used - kept, MADV_DONTNEED);
    heap->end = heap->mark;
}

void runtime_heap_reset(void) {
    heap_reset(&run_heap);
    if (runtime.is_program)
        heap_reset(&library_heap);
    block_count = blocks_marked;
}

size_t runtime_heap_library_bytes(void) {
    return library_heap.end ? (size_t)(library_heap.end - library_heap.start) : 0;
}

/* ---- the two interfaces ---- */

/* The shadow of a request's argument. The library's own calls have none. */
static uint32_t shadow_of(const struct heap *heap, unsigned index) {
    bool is_symbolic = heap == &run_heap && runtime.control && runtime.control->symbolic;
    return is_symbolic ? __slowpath_sym_args[index] : 0;
}

/* Fixes the size of a block whose bounds are unknown. */
static uint32_t fix_size(const struct heap *heap, unsigned index, size_t alignment, size_t size) {
    uint32_t shadow = shadow_of(heap, index);
    if (shadow && alignment > 16)
        runtime_sym_fix(ABI_EVENT_ADDRESS, shadow, size);
    return shadow;
}

static void clear_shadow(const struct heap *heap, void *memory, size_t size) {
    if (memory && heap == &run_heap && runtime.control && runtime.control->symbolic)
        runtime_sym_clear(memory, size);
}

/* Can no input make the product too large? */
static bool is_product_small(uint32_t counts, uint32_t sizes) {
    uint64_t most;
    return !__builtin_mul_overflow(runtime_sym_bounds(counts).high, runtime_sym_bounds(sizes).high,
                                   &most) &&
           most <= LARGEST;
}

/* Requests an array of arguments INDEX and INDEX + 1; false when it is too large. If the product
 * may wrap around, that is decided on the factor that is symbolic; if both are, the second is
 * fixed. */
static bool multiply(const struct heap *heap, unsigned index, size_t count, size_t size,
                     size_t *bytes, uint32_t *shadow) {
    uint32_t counts = shadow_of(heap, index), sizes = shadow_of(heap, index + 1);
    bool fits = !__builtin_mul_overflow(count, size, bytes);
    *shadow = counts || sizes ? runtime_sym_product(count, counts, size, sizes) : 0;
    bool is_small = counts && sizes && *shadow && is_product_small(counts, sizes);
    if (counts && sizes && !is_small)
        runtime_sym_fix(ABI_EVENT_ADDRESS, sizes, size);
    if (is_small)
        return fits;
    if (counts && size)
        runtime_sym_decide_size(counts, count, LARGEST / size);
    else if (sizes && count)
        runtime_sym_decide_size(sizes, size, LARGEST / count);
    if (!fits)
        errno = ENOMEM;
    return fits;
}

static int aligned_into(struct heap *heap, void **result, size_t alignment, size_t size,
                        uint32_t shadow) {
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)))
        return EINVAL;
    void *memory = heap_aligned(heap, alignment, size, shadow);
    if (!memory)
        return ENOMEM;
    *result = memory;
    return 0;
}

#define DOOR(heap, prefix)                                                                         \
    void *prefix##malloc(size_t size) {                                                            \
        return heap_alloc(heap, size, shadow_of(heap, 0), false);                                  \
    }                                                                                              \
    void *prefix##calloc(size_t count, size_t size) {                                              \
        size_t total;                                                                              \
        uint32_t shadow;                                                                           \
        if (!multiply(heap, 0, count, size, &total, &shadow))                                      \
            return NULL;                                                                           \
        void *memory = heap_alloc(heap, total, shadow, true);                                      \
        clear_shadow(heap, memory, total);                                                         \
        return memory;                                                                             \
    }                                                                                              \
    void *prefix##realloc(void *memory, size_t size) {                                             \
        return heap_realloc(heap, memory, size, shadow_of(heap, 1));                               \
    }                                                                                              \
    void *prefix##reallocarray(void *memory, size_t count, size_t size) {                          \
        size_t total;                                                                              \
        uint32_t shadow;                                                                           \
        return multiply(heap, 1, count, size, &total, &shadow)                                     \
                   ? heap_realloc(heap, memory, total, shadow)                                     \
                   : NULL;                                                                         \
    }                                                                                              \
    void prefix##free(void *memory) {                                                              \
        int saved = errno;                                                                         \
        heap_free(memory);                                                                         \
        errno = saved;                                                                             \
    }                                                                                              \
    void *prefix##aligned_alloc(size_t alignment, size_t size) {                                   \
        return heap_aligned(heap, alignment, size, fix_size(heap, 1, alignment, size));            \
    }                                                                                              \
    void *prefix##memalign(size_t alignment, size_t size) {                                        \
        return heap_aligned(heap, alignment, size, fix_size(heap, 1, alignment, size));            \
    }                                                                                              \
    int prefix##posix_memalign(void **result, size_t alignment, size_t size) {                     \
        return aligned_into(heap, result, alignment, size, fix_size(heap, 2, alignment, size));    \
    }                                                                                              \
    void *prefix##valloc(size_t size) {                                                            \
        return heap_aligned(heap, 4096, size, 0);                                                  \
    }                                                                                              \
    size_t prefix##malloc_usable_size(void *memory) {                                              \
        return memory ? header_of(memory)->size : 0;                                               \
    }

DOOR(&run_heap, __slowpath_lib_)
DOOR(&library_heap, )
