/* SPDX-License-Identifier: Apache-2.0
 *
 * What do memcpy, memmove and memset leave behind if their length depends on the input? Each byte
 * that the length may reach becomes a choice expression: the new byte if the length exceeds its
 * position, otherwise the old one. So the length stays symbolic if the objects are known and few
 * bytes differ; otherwise it is fixed, and the search tries the other values one by one.
 *
 * Filling an object whose size is that same length needs no choice: nothing lies behind it.
 */
#include "runtime/symbolic.h"

#define MOST_BYTES 4096u  /* upper bound of the length */
#define MOST_CHOICES 256u /* bytes that depend on it */

struct copy {
    char *to;
    const char *from; /* NULL: each byte is VALUE */
    uint8_t value;
    uint32_t value_shadow;
    uint64_t bytes; /* length in this run */
    uint64_t reach; /* upper bound for all inputs */
    uint32_t length;
};

/* ---- one byte ---- */

struct content {
    uint32_t shadow;
    uint8_t value;
};

static struct content content_at(const char *memory) {
    return (struct content){runtime_sym_byte(memory), (uint8_t)*memory};
}

static struct content new_content(const struct copy *copy, uint64_t at) {
    return copy->from ? content_at(copy->from + at)
                      : (struct content){copy->value_shadow, copy->value};
}

static bool is_same(struct content a, struct content b) {
    return a.shadow == b.shadow && (a.shadow || a.value == b.value);
}

static uint32_t expression_of(struct content content) {
    return content.shadow ? content.shadow : runtime_sym_constant(8, content.value);
}

static void choose_byte(const struct copy *copy, uint64_t at) {
    struct content old = content_at(copy->to + at), new = new_content(copy, at);
    if (is_same(old, new))
        return;
    uint32_t a = expression_of(new), b = expression_of(old), place = runtime_sym_constant(64, at);
    uint32_t is_new = place ? runtime_sym_node(ABI_OP_ULT, 1, 0, place, copy->length, 0) : 0;
    uint32_t byte = is_new && a && b ? runtime_sym_node(ABI_OP_ITE, 8, 0, is_new, a, b) : 0;
    runtime_sym_put(copy->to + at, byte, 1);
}

/* ---- all of them ---- */

static bool may_stay_open(const struct copy *copy) {
    unsigned choices = 0;
    if (runtime_sym_at(copy->length)->width != 64 || copy->reach < copy->bytes ||
        copy->reach > MOST_BYTES || runtime.control->is_forced)
        return false;
    for (uint64_t i = 0; i < copy->reach && choices <= MOST_CHOICES; i++)
        choices += !is_same(content_at(copy->to + i), new_content(copy, i));
    return choices <= MOST_CHOICES;
}

/* Copies in the direction that reads each byte before it is overwritten. */
static void choose_all(const struct copy *copy) {
    if (!copy->from || copy->to <= copy->from)
        for (uint64_t i = 0; i < copy->reach; i++)
            choose_byte(copy, i);
    else
        for (uint64_t i = copy->reach; i-- > 0;)
            choose_byte(copy, i);
}

/* Is EXPR the product of OF and 1 << BY? */
static bool is_shifted(uint32_t expr, uint32_t of, uint64_t by) {
    const struct abi_node *node = runtime_sym_at(expr);
    uint64_t factor;
    if (node->op != ABI_OP_MUL || by > 63)
        return false;
    return (node->a == of && runtime_sym_is_constant(node->b, &factor) && factor == 1ull << by) ||
           (node->b == of && runtime_sym_is_constant(node->a, &factor) && factor == 1ull << by);
}

static bool is_same_size(uint32_t size, uint32_t length) {
    const struct abi_node *node = runtime_sym_at(length);
    uint64_t by;
    return size == length || (node->op == ABI_OP_SHL && runtime_sym_is_constant(node->b, &by) &&
                              is_shifted(size, node->a, by));
}

/* Is the object's size equal to the length for all inputs? */
static bool fills_object(const struct copy *copy) {
    struct runtime_object object;
    return runtime_sym_find_sized((uintptr_t)copy->to, &object) &&
           object.start == (uintptr_t)copy->to && object.size_shadow &&
           is_same_size(object.size_shadow, copy->length);
}

static void copy_plainly(const struct copy *copy) {
    if (copy->from)
        runtime_sym_copy(copy->to, copy->from, copy->bytes);
    else
        runtime_sym_spread(copy->to, copy->value_shadow, copy->bytes);
}

/* False: the length must be fixed. */
static bool copy_open(struct copy *copy) {
    if (!copy->length || runtime_sym_is_settled(copy->length))
        return false;
    if (fills_object(copy)) {
        copy_plainly(copy);
        return true;
    }
    uint64_t most = runtime_sym_bounds(copy->length).high;
    copy->reach = copy->reach < most ? copy->reach : most;
    if (may_stay_open(copy)) {
        choose_all(copy);
        return true;
    }
    runtime_sym_fix(ABI_EVENT_CONCRETE, copy->length, copy->bytes);
    return false;
}

/* ---- hooks, called before the bytes are moved ---- */

void __slowpath_sym_memcpy(void *to, const void *from, uint64_t bytes, uint32_t length,
                           uint32_t kind, uint64_t to_room, uint64_t from_room) {
    struct copy copy = {.to = to,
                        .from = from,
                        .bytes = bytes,
                        .reach = to_room < from_room ? to_room : from_room,
                        .length = length};
    if (copy_open(&copy))
        return;
    runtime_sym_note_access(to, bytes, kind | ABI_ACCESS_WRITE);
    runtime_sym_note_access(from, bytes, kind);
    copy_plainly(&copy);
}

void __slowpath_sym_memset(void *to, uint64_t value, uint32_t shadow, uint64_t bytes,
                           uint32_t length, uint32_t kind, uint64_t room) {
    uint32_t byte = shadow ? runtime_sym_extract(shadow, 0, 8) : 0;
    struct copy copy = {.to = to,
                        .value = (uint8_t)value,
                        .value_shadow = byte,
                        .bytes = bytes,
                        .reach = room,
                        .length = length};
    if (copy_open(&copy))
        return;
    runtime_sym_note_access(to, bytes, kind | ABI_ACCESS_WRITE);
    copy_plainly(&copy);
}
