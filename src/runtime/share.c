/* SPDX-License-Identifier: Apache-2.0
 *
 * Where is the memory that a target shares with the engine, and what may write to it? The file is
 * mapped at a fixed address, far from everything else, and its counters a second time over the
 * counter section of the executable, between two guard pages. Only the parts that the runtime fills
 * are writable; the gaps between them are inaccessible. Guard pages also surround the runtime's own
 * state, which is not shared but controls what is.
 */
#include "runtime/runtime.h"

#include <sys/mman.h>

static char *shared(void) {
    return (char *)ABI_SHARED_ADDRESS;
}

static size_t whole_pages(size_t bytes) {
    return (bytes + ABI_PAGE - 1) & ~(size_t)(ABI_PAGE - 1);
}

static size_t counter_bytes(void) {
    return whole_pages(__slowpath_slot_count * sizeof(uint64_t));
}

static bool allow(uint64_t offset, size_t bytes, int access) {
    return mprotect(shared() + offset, whole_pages(bytes), access) == 0;
}

/* Everything is inaccessible at first. */
static bool map_file(void) {
    size_t around = ABI_SHARED_SIZE + 2 * ABI_SHARED_GUARD;
    char *first = shared() - ABI_SHARED_GUARD;
    return mmap(first, around, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
                0) == first &&
           mmap(shared(), ABI_SHARED_SIZE, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED,
                ABI_FD_SHARED, 0) == shared();
}

static bool open_parts(void) {
    const int written = PROT_READ | PROT_WRITE;
    return allow(ABI_OFFSET_CONTROL, sizeof(struct abi_control), written) &&
           allow(ABI_OFFSET_RESULTS, ABI_MAX_BATCH * sizeof(struct abi_result), written) &&
           allow(ABI_OFFSET_INPUT_TABLE, ABI_OFFSET_COUNTERS - ABI_OFFSET_INPUT_TABLE, PROT_READ) &&
           allow(ABI_OFFSET_RECORDS, counter_bytes(), written) &&
           allow(ABI_OFFSET_INPUTS, ABI_OFFSET_NODES - ABI_OFFSET_INPUTS, PROT_READ) &&
           allow(ABI_OFFSET_FIXED, ABI_FIXED_SIZE, PROT_READ);
}

static bool open_traces(const struct abi_control *control) {
    return (!control->symbolic && !control->recording) ||
           allow(ABI_OFFSET_NODES, ABI_OFFSET_FIXED - ABI_OFFSET_NODES, PROT_READ | PROT_WRITE);
}

static bool map_counters(void) {
    char *counters = (char *)__slowpath_counters;
    return __slowpath_guard + ABI_PAGE == counters &&
           mmap(counters, counter_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                ABI_FD_SHARED, ABI_OFFSET_COUNTERS) == counters &&
           mprotect(__slowpath_guard, ABI_PAGE, PROT_NONE) == 0 &&
           mprotect(counters + counter_bytes(), ABI_PAGE, PROT_NONE) == 0;
}

/* False if they are not where they should be. The address goes through a register, since a compiler
 * assumes that variables of different names lie in different places. */
static bool close_state(void) {
    char *start = __start_slowpath_state;
    __asm__("" : "+r"(start));
    return __slowpath_state_first == start &&
           __slowpath_state_last + ABI_PAGE == __stop_slowpath_state &&
           mprotect(__slowpath_state_first, ABI_PAGE, PROT_NONE) == 0 &&
           mprotect(__slowpath_state_last, ABI_PAGE, PROT_NONE) == 0;
}

bool runtime_map_shared(void) {
    struct abi_control *control = (struct abi_control *)shared();
    if (!map_file() || !open_parts() || !abi_control_is_whole(control) || !open_traces(control) ||
        !map_counters() || !close_state())
        return false;
    control->counts_kept = 1; /* clear what an earlier server or the start-up has counted */
    control->slot_count = __slowpath_slot_count;
    runtime.control = control;
    runtime.costs = &control->costs;
    return true;
}

bool runtime_is_whole(void) {
    const struct abi_control *control = (const struct abi_control *)shared();
    return runtime.control == control && runtime.costs == &control->costs &&
           abi_control_is_whole(control);
}

bool runtime_is_sound(void) {
    const struct abi_control *control = (const struct abi_control *)shared();
    return runtime_is_whole() && control->batch <= ABI_MAX_BATCH &&
           control->next <= control->batch && control->current <= control->batch &&
           control->traces_end <= ABI_TRACES_SIZE && control->slot_count == __slowpath_slot_count;
}
