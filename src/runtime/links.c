/* SPDX-License-Identifier: Apache-2.0
 *
 * Where do the pointers of an input lead? Before each run the objects they can lead to are created,
 * as many of each type as the entry asks for, and each link is filled in from a number in the
 * input. Both builds do the same, so an input means the same objects at the same addresses. Which
 * of them exist on a path is left to the symbolic build (sym_links.c).
 *
 * The objects belong to the input: they lie on the target's heap, so that it can free them, but
 * count in no cost.
 */
#include "abi/driver.h"
#include "runtime/symbolic.h"

#include <string.h>

static RUNTIME_STATE struct runtime_pool pools[ABI_MAX_POOLS];
static RUNTIME_STATE uint32_t pool_count;

void __slowpath_heap(unsigned form) {
    pool_count = 0;
    runtime_sym_begin_links(pools, form);
}

static void **add_pool(void **objects, uint64_t count, bool is_fixed) {
    if (pool_count == ABI_MAX_POOLS)
        runtime_stop(ABI_STATUS_MEMORY);
    pools[pool_count++] = (struct runtime_pool){
        .objects = objects, .count = count, .is_fixed = is_fixed, .table = -1};
    return objects;
}

void **__slowpath_pool(unsigned long count, unsigned long bytes) {
    void **objects = runtime_scratch((count + 1) * sizeof *objects);
    objects[0] = NULL;
    for (unsigned long i = 1; i <= count; i++) {
        objects[i] = runtime_heap_input(bytes);
        if (!objects[i])
            runtime_stop(ABI_STATUS_MEMORY);
    }
    return add_pool(objects, count, false);
}

void __slowpath_functions(void *const *functions, unsigned long count) {
    void **objects = runtime_scratch((count + 1) * sizeof *objects);
    objects[0] = NULL;
    memcpy(objects + 1, functions, count * sizeof *objects);
    add_pool(objects, count, true);
}

void __slowpath_link_or_not(void *at, unsigned pool, unsigned owner, unsigned object) {
    uint16_t choice = 0;
    uint64_t offset = runtime.input_taken;
    bool is_there = runtime_input_read(&choice, sizeof choice) == sizeof choice;
    struct runtime_link link = {
        .at = at, .value = choice, .pool = pool, .owner = owner, .object = object};
    void *target = choice <= pools[pool].count ? pools[pool].objects[choice] : NULL;
    uint32_t plain = runtime_sym_bytes(at, sizeof target);
    if (choice <= pools[pool].count)
        memcpy(at, &target, sizeof target);
    if (is_there)
        runtime_sym_open_union(&link, offset, plain);
}

void __slowpath_link(void *at, unsigned pool, unsigned owner, unsigned object) {
    uint16_t choice = 0;
    uint64_t offset = runtime.input_taken;
    bool is_there = runtime_input_read(&choice, sizeof choice) == sizeof choice;
    void *target = choice <= pools[pool].count ? pools[pool].objects[choice] : NULL;
    memcpy(at, &target, sizeof target);
    if (is_there)
        runtime_sym_open_link(
            &(struct runtime_link){
                .at = at, .value = choice, .pool = pool, .owner = owner, .object = object},
            offset);
}
