/* SPDX-License-Identifier: Apache-2.0
 *
 * Where may a symbolic address point? An access is meant for one object: the one its base points
 * to, which is the pointer before anything was added to it. Two things can depend on the input, and
 * both are decisions of the path:
 *
 * - which object that is, if the base itself was chosen: a table of pointers, c ? a : b;
 * - whether the access stays within that object. One that does not ends the run, even if the
 *   machine
 *   would let it pass.
 *
 * Nothing is asked that the form of an expression proves or the path has fixed before. An object
 * with unknown bounds is not checked: its address is fixed, and the search tries the other values
 * one by one.
 */
#include "runtime/symbolic.h"

#include <string.h>

static bool is_within(struct runtime_bounds bounds, const struct runtime_object *object,
                      uint64_t bytes) {
    return bytes <= object->size && bounds.low >= object->start &&
           bounds.high <= object->start + (object->size - bytes) && bounds.low <= bounds.high;
}

static uint32_t make(enum abi_op op, unsigned width, uint32_t a, uint32_t b) {
    return a && b ? runtime_sym_node(op, width, 0, a, b, 0) : 0;
}

/* Does OFFSET + BYTES fit into SIZE? All are 64 bits wide. */
static uint32_t make_fits(uint32_t offset, uint32_t bytes, uint32_t size) {
    uint32_t last = make(ABI_OP_SUB, 64, size, bytes);
    return make(ABI_OP_AND, 1, make(ABI_OP_ULE, 1, bytes, size), make(ABI_OP_ULE, 1, offset, last));
}

/* Do the BYTES from ADDRESS on lie in the object? 0: no room for the expression. */
static uint32_t make_within(uint32_t address, const struct runtime_object *object, uint64_t bytes) {
    uint32_t start = runtime_sym_constant(64, object->start);
    uint32_t offset = make(ABI_OP_SUB, 64, address, start);
    if (object->size_shadow)
        return make_fits(offset, runtime_sym_constant(64, bytes), object->size_shadow);
    return make(ABI_OP_ULT, 1, offset, runtime_sym_constant(64, object->size - bytes + 1));
}

/* The part of the object that exists for sure. */
static struct runtime_object proven_part(const struct runtime_object *object) {
    struct runtime_object part = *object;
    if (object->size_shadow)
        part.size = object->proven;
    return part;
}

/* All memory that may belong to the object. */
static struct runtime_object whole_room(const struct runtime_object *object) {
    struct runtime_object whole = *object;
    if (object->size_shadow)
        whole.size = object->room;
    whole.size_shadow = 0;
    return whole;
}

/* ---- which object ---- */

/* The base that everything else was added to. */
static uint32_t root_of(uint32_t expr) {
    while (runtime_sym_at(expr)->op == ABI_OP_ADD)
        expr = runtime_sym_at(expr)->a;
    return expr;
}

/* The base could point to another object: decides that it is this one. */
static bool choose_object(const struct runtime_access *access, struct runtime_object *object) {
    uintptr_t base = (uintptr_t)access->base;
    bool found = runtime_sym_find_object(base, object);
    *object = whole_room(object);
    found = found && object->size <= UINT32_MAX;
    struct runtime_bounds all = {object->start, object->start + object->size - 1};
    if (runtime_sym_is_settled(access->base_shadow))
        return runtime_sym_find_origin(base, object);
    uint32_t within = found ? make_within(access->base_shadow, object, 1) : 0;
    if (!within || runtime_sym_has_only(access->base_shadow, all, base))
        runtime_sym_fix(ABI_EVENT_ADDRESS, access->base_shadow, base);
    else if (!is_within(runtime_sym_bounds(access->base_shadow), object, 1))
        runtime_sym_decide_object(access->base_shadow, object, within);
    return runtime_sym_find_origin(base, object);
}

/* A variable that the code names, but no list contains. */
static const char *name_variable(const void *variable) {
    bool is_on_stack = (uintptr_t)variable > (uintptr_t)__builtin_frame_address(0);
    return is_on_stack ? "a stack variable" : "a variable of the thread";
}

/* Finds the object that the access is meant for; false if it is unknown. */
static bool find_object(const struct runtime_access *access, struct runtime_object *object) {
    uint64_t start;
    if (access->size) { /* the code names the variable */
        if (!runtime_sym_find_object((uintptr_t)access->base, object) ||
            object->start != (uintptr_t)access->base || object->size != access->size)
            *object = (struct runtime_object){.start = (uintptr_t)access->base,
                                              .size = access->size,
                                              .name = name_variable(access->base)};
        return true;
    }
    if (!access->base_shadow)
        return runtime_sym_find_origin((uintptr_t)access->base, object);
    if (runtime_sym_is_constant(root_of(access->base_shadow), &start) &&
        runtime_sym_find_origin(start, object))
        return true;
    return choose_object(access, object);
}

/* ---- within it ---- */

_Noreturn void runtime_sym_leave(const struct runtime_access *access,
                                 const struct runtime_object *object, uint64_t bytes) {
    struct abi_control *control = runtime.control;
    struct abi_result *results = (struct abi_result *)((char *)control + ABI_OFFSET_RESULTS);
    struct abi_outside *outside = &results[control->current].outside;
    *outside = (struct abi_outside){.site = access->kind >> ABI_ACCESS_SITE,
                                    .bytes = bytes,
                                    .is_write = (access->kind & ABI_ACCESS_WRITE) != 0,
                                    .offset = (int64_t)((uintptr_t)access->memory - object->start),
                                    .start = object->start,
                                    .size = object->size};
    strncpy(outside->object, object->name, sizeof outside->object - 1);
    runtime_stop(ABI_STATUS_BOUNDS);
}

static void check_bounds(const struct runtime_access *access, const struct runtime_object *object) {
    uint64_t bytes = access->kind & ABI_ACCESS_BYTES;
    uintptr_t at = (uintptr_t)access->memory;
    bool is_forced = runtime.control->is_forced; /* its values are meaningless */
    bool inside = is_forced || is_within((struct runtime_bounds){at, at}, object, bytes);
    struct runtime_object proven = proven_part(object);
    if (object->size_shadow && runtime_sym_is_settled(access->address)) {
        runtime_sym_note_access(access->memory, bytes, access->kind);
        return;
    }
    if ((bytes <= object->size || object->size_shadow) &&
        !runtime_sym_is_settled(access->address) &&
        !is_within(runtime_sym_bounds(access->address), &proven, bytes)) {
        uint32_t within = make_within(access->address, object, bytes);
        if (within)
            runtime_sym_decide_bounds(within, access->kind >> ABI_ACCESS_SITE, inside);
    }
    if (!inside)
        runtime_sym_leave(access, object, bytes);
}

bool runtime_sym_reach_object(const struct runtime_access *access, struct runtime_object *object) {
    if (!find_object(access, object))
        return false;
    check_bounds(access, object);
    return true;
}

void __slowpath_sym_access(const void *memory, uint32_t address, uint32_t kind, const void *base,
                           uint32_t base_shadow, uint64_t size) {
    struct runtime_object object;
    if (runtime_sym_has_links()) {
        base_shadow = runtime_sym_look(base_shadow);
        if (!(address = runtime_sym_look(address)))
            return;
    }
    runtime_sym_reach_object(
        &(struct runtime_access){memory, address, kind, base, base_shadow, size}, &object);
}

/* ---- copies ---- */

/* The number of bytes depends on the input: is it at most what is left of the object? */
static uint32_t make_length_fits(const struct runtime_object *object, uint64_t offset,
                                 uint64_t room, uint32_t length) {
    if (object->size_shadow == length && !offset)
        return 0; /* as many as it has */
    if (object->size_shadow)
        return make_fits(runtime_sym_constant(64, offset), length, object->size_shadow);
    return runtime_sym_bounds(length).high > room
               ? make(ABI_OP_ULT, 1, length, runtime_sym_constant(64, room + 1))
               : 0;
}

static void check_length(const struct runtime_access *access, const struct runtime_object *object,
                         uint64_t room, uint64_t bytes, uint32_t length) {
    uint64_t offset = (uintptr_t)access->memory - object->start;
    bool is_open = runtime_sym_at(length)->width == 64 && !runtime_sym_is_settled(length);
    uint32_t fits = is_open ? make_length_fits(object, offset, room, length) : 0;
    if (fits)
        runtime_sym_decide_bounds(fits, access->kind >> ABI_ACCESS_SITE,
                                  bytes <= room || runtime.control->is_forced);
}

/* Fixes the address; how many bytes could lie behind it? */
uint64_t __slowpath_sym_extent(const void *memory, uint32_t address, uint32_t kind,
                               const void *base, uint32_t base_shadow, uint64_t size,
                               uint64_t bytes, uint32_t bytes_shadow) {
    if (runtime_sym_has_links()) {
        base_shadow = runtime_sym_look(base_shadow);
        address = runtime_sym_look(address);
    }
    const struct runtime_access access = {memory, address, kind, base, base_shadow, size};
    struct runtime_object object;
    if (!find_object(&access, &object))
        return 0;
    if (address && !runtime_sym_is_settled(address))
        runtime_sym_fix(ABI_EVENT_ADDRESS, address, (uintptr_t)memory);
    uint64_t offset = (uintptr_t)memory - object.start;
    uint64_t room = offset <= object.size ? object.size - offset : 0;
    if (bytes_shadow)
        check_length(&access, &object, room, bytes, bytes_shadow);
    if (bytes > room && !runtime.control->is_forced)
        runtime_sym_leave(&access, &object, bytes);
    return whole_room(&object).size - (offset <= object.size ? offset : object.size);
}
