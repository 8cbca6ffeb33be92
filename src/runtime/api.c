/* SPDX-License-Identifier: Apache-2.0
 *
 * What targets and generated drivers call by name: <slowpath.h>, <klee/klee.h> and abi/driver.h.
 * Each request for symbolic bytes takes the next bytes of the input, and zeros beyond its end.
 */
#include "abi/driver.h"
#include "abi/shadow.h"
#include "runtime/runtime.h"

#include <string.h>
#include <sys/mman.h>

#define SCRATCH_SIZE ((size_t)16 << 30)
#define ROOMS 16u /* for the first arrays of an entry */
#define ROOM_SIZE ((size_t)1 << 30)

/* Memory for arguments: a fixed region, reused by each run and cleared before it. So a target that
 * reads beyond the end of its input finds zeros, whatever ran before. */
static RUNTIME_STATE char *scratch = (char *)ABI_HEAP_INPUT;
static RUNTIME_STATE size_t scratch_used;
static RUNTIME_STATE bool scratch_open;

/* Arrays of an entry end at the end of a room, right before an inaccessible page: an access beyond
 * them faults. */
static RUNTIME_STATE size_t rooms_used[ROOMS]; /* counted from the end */
static RUNTIME_STATE unsigned rooms_taken;
static RUNTIME_STATE bool rooms_open;

static char *end_of_room(unsigned number) {
    return scratch + SCRATCH_SIZE + (number + 1) * ROOM_SIZE - ABI_PAGE;
}

void runtime_input_set(const unsigned char *input, size_t size) {
    runtime.input = input;
    runtime.input_size = size;
    runtime.input_taken = runtime.input_asked = 0;
    if (scratch_used)
        memset(scratch, 0, scratch_used);
    scratch_used = 0;
    for (unsigned i = 0; i < rooms_taken; i++)
        memset(end_of_room(i) - rooms_used[i], 0, rooms_used[i]);
    rooms_taken = 0;
}

size_t runtime_input_read(void *to, size_t bytes) {
    size_t left = runtime.input_size - runtime.input_taken;
    size_t have = bytes < left ? bytes : left;
    memcpy(to, runtime.input + runtime.input_taken, have);
    memset((char *)to + have, 0, bytes - have);
    runtime.input_taken += have;
    runtime.input_asked += bytes;
    if (runtime.input_asked > runtime.control->asked)
        runtime.control->asked = runtime.input_asked;
    return have;
}

static void take_bytes(void *to, size_t bytes) {
    uint64_t offset = runtime.input_taken;
    runtime_sym_mark_input(to, offset, runtime_input_read(to, bytes));
}

static void map(char *start, size_t size) {
    if (mmap(start, size, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) != start)
        runtime_stop(ABI_STATUS_MEMORY);
    runtime_note_own(start, size);
}

void runtime_scratch_open(void) {
    if (!scratch_open)
        map(scratch, SCRATCH_SIZE);
    scratch_open = true;
}

void *runtime_scratch(size_t bytes) {
    runtime_scratch_open();
    size_t room = (bytes + 31) & ~(size_t)15; /* with a gap: none ends where another begins */
    if (room > SCRATCH_SIZE - scratch_used)
        runtime_stop(ABI_STATUS_MEMORY);
    void *memory = scratch + scratch_used;
    scratch_used += room;
    return memory;
}

static void open_rooms(void) {
    if (!rooms_open)
        map(scratch + SCRATCH_SIZE, ROOMS * ROOM_SIZE);
    for (unsigned i = 0; !rooms_open && i < ROOMS; i++)
        mprotect(end_of_room(i), ABI_PAGE, PROT_NONE);
    rooms_open = true;
}

static void *fill(void *memory, size_t bytes, const char *name) {
    runtime_sym_note_argument(memory, bytes, name);
    take_bytes(memory, bytes);
    return memory;
}

void *__slowpath_take(unsigned long bytes, const char *name) {
    return fill(runtime_scratch(bytes), bytes, name);
}

void *__slowpath_take_array(unsigned long bytes, unsigned long behind, const char *name) {
    size_t room = (bytes + behind + 15) & ~(size_t)15;
    if (rooms_taken == ROOMS || bytes > ROOM_SIZE - 2 * (size_t)ABI_PAGE)
        return __slowpath_take(bytes, name); /* a gap with zeros is behind that */
    open_rooms();
    rooms_used[rooms_taken] = room;
    return fill(end_of_room(rooms_taken++) - room, bytes, name);
}

void __slowpath_take_into(void *to, unsigned long bytes) {
    take_bytes(to, bytes);
}

/* Nothing was counted before, so switching counting on again sets all costs to zero. */
void __slowpath_uncounted(int is_on) {
    runtime.is_uncounted = is_on != 0;
    if (is_on)
        return;
    memset(runtime.costs, 0, sizeof *runtime.costs);
    memset(__slowpath_counters, 0, __slowpath_slot_count * sizeof *__slowpath_counters);
    runtime_heap_begin();
    if (runtime.control->symbolic)
        runtime_sym_forget_costs();
}

long __slowpath_size(const char *name) {
    const struct abi_control *control = runtime.control;
    for (uint32_t i = 0; i < control->size_count; i++)
        if (strcmp(control->sizes[i].name, name) == 0)
            return control->sizes[i].value;
    return 0;
}

/* ---- <slowpath.h> ---- */

void slowpath_symbolic(void *memory, size_t bytes, const char *name) {
    (void)name;
    take_bytes(memory, bytes);
}

void runtime_reject(void) {
    struct abi_control *control = runtime.control;
    ((struct abi_result *)((char *)control + ABI_OFFSET_RESULTS))[control->current].rejected = 1;
    runtime_stop(ABI_STATUS_OK);
}

/* CONDITION is an integer of WIDTH bits with the expression SHADOW. */
static void assume(uint64_t condition, unsigned width, uint32_t shadow) {
    struct abi_control *control = runtime.control;
    if (control->is_forced && shadow)
        condition = 1; /* a forced run's values mean nothing: record the condition as true */
    if (control->symbolic && shadow) {
        uint32_t zero = runtime_sym_constant(width, 0);
        uint32_t equal = zero ? runtime_sym_node(ABI_OP_EQ, 1, 0, shadow, zero, 0) : 0;
        runtime_sym_assume(equal ? runtime_sym_node(ABI_OP_NOT, 1, 0, equal, 0, 0) : 0,
                           condition != 0);
    }
    if (!condition)
        runtime_reject();
}

void slowpath_assume(int condition) {
    assume((uint64_t)condition, 32, __slowpath_sym_args[0]);
}

long slowpath_size(const char *name) {
    return __slowpath_size(name);
}

void slowpath_count(const char *name, long amount) {
    struct abi_control *control = runtime.control;
    for (uint32_t i = 0; i < ABI_MAX_COUNTERS; i++) {
        if (i == control->counter_count) {
            strncpy(control->counters[i], name, ABI_NAME_SIZE - 1);
            control->counter_count++;
        }
        if (strncmp(control->counters[i], name, ABI_NAME_SIZE - 1) == 0) {
            uint32_t shadow = control->symbolic ? __slowpath_sym_args[1] : 0;
            runtime.costs->user[i] += amount;
            runtime.costs_changed = true;
            if (shadow)
                runtime_sym_note_amount(ABI_COST_USER + i, (uint64_t)amount, shadow);
            return;
        }
    }
    control->counters_lost++;
}

/* ---- <klee/klee.h> ---- */

void klee_make_symbolic(void *memory, size_t bytes, const char *name) {
    slowpath_symbolic(memory, bytes, name);
}

void klee_assume(uintptr_t condition) {
    assume(condition, 64, __slowpath_sym_args[0]);
}

/* low <= value && value < high, as signed 32-bit integers; the value is the 4 input bytes at
 * OFFSET. */
static uint32_t in_range(uint32_t value, int low, int high) {
    uint32_t bottom = runtime_sym_constant(32, (uint32_t)low);
    uint32_t top = runtime_sym_constant(32, (uint32_t)high);
    if (!value || !bottom || !top)
        return 0;
    uint32_t above = runtime_sym_node(ABI_OP_SLE, 1, 0, bottom, value, 0);
    uint32_t below = runtime_sym_node(ABI_OP_SLT, 1, 0, value, top, 0);
    return above && below ? runtime_sym_node(ABI_OP_AND, 1, 0, above, below, 0) : 0;
}

int klee_range(int low, int high, const char *name) {
    int value;
    uint64_t offset = runtime.input_taken;
    if (runtime.may_stop)
        runtime_snapshot_reach(); /* before the value is read */
    slowpath_symbolic(&value, sizeof value, name);
    uint32_t shadow = 0, place, last;
    if (runtime.control->symbolic && runtime.input_taken - offset == sizeof value &&
        !runtime_sym_is_fixed(offset, &place) && !runtime_sym_is_fixed(offset + 3, &last))
        shadow = runtime_sym_node(ABI_OP_INPUT, 32, 0, place, 0, 0);
    assume(value >= low && value < high, 1, shadow ? in_range(shadow, low, high) : 0);
    __slowpath_sym_results[0] = shadow;
    return value;
}
