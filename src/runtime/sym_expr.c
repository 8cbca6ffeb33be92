/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions: created when an operation has a symbolic operand, and each only once per run
 * (hash-consing). Nodes are written straight into the trace; the hash table is cleared between runs
 * by raising an epoch. It starts small and grows with the run, so that runs with few nodes find
 * them in the cache. When the trace is full, everything is concrete from there on.
 */
#include "runtime/symbolic.h"

#include <stdlib.h>
#include <sys/mman.h>

#define MOST_SLOTS (ABI_TRACE_MAX_NODES * 2)
#define FIRST_SLOTS 512u

struct table_slot {
    uint32_t node, epoch;
};

static struct abi_node *const nodes = (struct abi_node *)(ABI_SHARED_ADDRESS + ABI_OFFSET_NODES);
static RUNTIME_STATE struct table_slot *table;
static RUNTIME_STATE uint32_t table_mask;
RUNTIME_STATE struct runtime_near runtime_near;

void *runtime_sym_reserve(void *at, size_t bytes) {
    void *memory =
        mmap(at, bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED_NOREPLACE : 0), -1, 0);
    if (memory == MAP_FAILED || (at && memory != at))
        abort();
    runtime_note_own(memory, bytes);
    return memory;
}

void runtime_sym_open_expr(void) {
    table = runtime_sym_reserve(NULL, (size_t)MOST_SLOTS * sizeof *table);
}

extern const char __executable_start[], _end[]; /* from the linker */

void runtime_sym_begin_expr(void) {
    runtime_near.epoch++;
    table_mask = FIRST_SLOTS - 1;
    runtime_sym_take_kept();
    runtime.control->live = (struct abi_trace){.magic = ABI_TRACE_MAGIC,
                                               .node_count = 1,
                                               .same_nodes = 1,
                                               .image_first = (uintptr_t)__executable_start,
                                               .image_end = (uintptr_t)_end};
}

/* A node as two words. They are assembled in registers: reading fields back as words right after
 * writing them one by one would stall. */
struct node_words {
    uint64_t head, rest;
};

static inline struct node_words words_at(uint32_t id) {
    struct node_words words;
    _Static_assert(sizeof words == sizeof *nodes, "a node is two words without holes");
    __builtin_memcpy(&words, &nodes[id], sizeof words);
    return words;
}

static inline struct node_words make_words(unsigned op, unsigned width, unsigned extra, uint32_t a,
                                           uint32_t b, uint32_t c) {
    return (struct node_words){(uint64_t)a << 32 | (extra & 0xffff) << 16 | (width & 0xff) << 8 |
                                   op,
                               (uint64_t)c << 32 | b};
}

static inline bool is_node(uint32_t id, struct node_words words) {
    struct node_words known = words_at(id);
    return known.head == words.head && known.rest == words.rest;
}

static inline uint32_t hash_words(struct node_words words) {
    uint64_t hash = words.head * 0x9e3779b97f4a7c15u ^ words.rest * 0xff51afd7ed558ccdu;
    return (uint32_t)((hash ^ (hash >> 29)) >> 5);
}

/* Entries of the smaller table are stale from now on. */
static void grow_table(uint32_t node_count) {
    table_mask = table_mask * 4 + 3 < MOST_SLOTS ? table_mask * 4 + 3 : MOST_SLOTS - 1;
    runtime_near.epoch++;
    for (uint32_t id = 1; id < node_count; id++) {
        uint32_t at = hash_words(words_at(id)) & table_mask;
        while (table[at].epoch == runtime_near.epoch)
            at = (at + 1) & table_mask;
        table[at] = (struct table_slot){id, runtime_near.epoch};
    }
}

/* The caller has checked that there is room. */
static inline uint32_t put_node(struct abi_trace *live, struct node_words words, uint32_t at) {
    uint32_t id = live->node_count++;
    table[at] = (struct table_slot){id, runtime_near.epoch};
    if (id == live->same_nodes && id < runtime.control->known_nodes && is_node(id, words))
        live->same_nodes = id + 1;
    else
        __builtin_memcpy(&nodes[id], &words, sizeof words);
    return id;
}

static uint32_t append_node(struct node_words words, uint32_t at) {
    struct abi_trace *live = &runtime.control->live;
    if (live->node_count >= ABI_TRACE_MAX_NODES)
        live->flags |= ABI_TRACE_TRUNCATED;
    if (live->flags & ABI_TRACE_TRUNCATED)
        return 0;
    uint32_t id = put_node(live, words, at);
    if (id >= table_mask / 2 && table_mask < MOST_SLOTS - 1)
        grow_table(id + 1);
    return id;
}

static uint32_t find_node(struct node_words words) {
    uint32_t at = hash_words(words) & table_mask;
    for (; table[at].epoch == runtime_near.epoch; at = (at + 1) & table_mask)
        if (is_node(table[at].node, words))
            return table[at].node;
    return append_node(words, at);
}

uint32_t runtime_sym_node(enum abi_op op, unsigned width, unsigned extra, uint32_t a, uint32_t b,
                          uint32_t c) {
    return find_node(make_words(op, width, extra, a, b, c));
}

uint32_t runtime_sym_input(uint32_t offset, unsigned width) {
    if (__builtin_expect(runtime.may_stop, 0))
        runtime_snapshot_reach();
    uint32_t node = runtime_sym_near_input(offset, width);
    if (node)
        return node;
    node = runtime_sym_node(ABI_OP_INPUT, width, 0, offset, 0, 0);
    if (node)
        runtime_near.inputs[offset % RUNTIME_NEAR_INPUTS] =
            (struct runtime_near_input){offset, width, node, runtime_near.epoch};
    return node;
}

static uint64_t mask(uint64_t value, unsigned width) {
    return width < 64 ? value & ((1ull << width) - 1) : value;
}

uint32_t runtime_sym_constant(unsigned width, uint64_t value) {
    value = mask(value, width);
    return runtime_sym_node(ABI_OP_CONST, width, 0, 0, (uint32_t)value, (uint32_t)(value >> 32));
}

static uint32_t operand(unsigned width, uint64_t value, uint32_t shadow) {
    return shadow ? shadow : runtime_sym_constant(width, value);
}

/* A node with existing operands; 0 (concrete) if one could not be created. */
static uint32_t make(enum abi_op op, unsigned width, uint32_t a, uint32_t b) {
    return a && b ? runtime_sym_node(op, width, 0, a, b, 0) : 0;
}

uint32_t runtime_sym_product(uint64_t a, uint32_t sa, uint64_t b, uint32_t sb) {
    return make(ABI_OP_MUL, 64, operand(64, a, sa), operand(64, b, sb));
}

static uint32_t make_not(uint32_t a) {
    if (a && nodes[a].op == ABI_OP_NOT)
        return nodes[a].a;
    return a ? runtime_sym_node(ABI_OP_NOT, nodes[a].width, 0, a, 0, 0) : 0;
}

/* Computing with pointers of the input resolves them; true: neither is symbolic any more. */
static bool see_both(uint32_t *sa, uint32_t *sb) {
    *sa = runtime_sym_look(*sa);
    *sb = runtime_sym_look(*sb);
    return !*sa && !*sb;
}

/* ---- operations: KIND has the operation in its low byte, and the width above it ---- */

uint32_t __slowpath_sym_binary(uint32_t kind, uint64_t a, uint32_t sa, uint64_t b, uint32_t sb) {
    unsigned width = kind >> 8;
    if (runtime_sym_has_links() && (kind & 0xff) != ABI_OP_ADD && see_both(&sa, &sb))
        return 0;
    return make((enum abi_op)(kind & 0xff), width, operand(width, a, sa), operand(width, b, sb));
}

/* LLVM's predicates from 32 on: eq ne ugt uge ult ule sgt sge slt sle; below are those of
 * floating-point numbers. */
static const struct predicate {
    uint8_t op;
    bool swaps; /* swaps its operands */
} predicates[] = {{ABI_OP_EQ, 0},  {ABI_OP_EQ, 0},  {ABI_OP_ULT, 1}, {ABI_OP_ULE, 1},
                  {ABI_OP_ULT, 0}, {ABI_OP_ULE, 0}, {ABI_OP_SLT, 1}, {ABI_OP_SLE, 1},
                  {ABI_OP_SLT, 0}, {ABI_OP_SLE, 0}};

static inline struct node_words compare_words(unsigned predicate, uint32_t a, uint32_t b) {
    bool swaps = predicates[predicate].swaps;
    return make_words(predicates[predicate].op, 1, 0, swaps ? b : a, swaps ? a : b, 0);
}

static uint32_t compare(unsigned predicate, uint32_t a, uint32_t b) {
    if (predicate < 32)
        return runtime_sym_compare_floats(predicate, a, b);
    uint32_t node = a && b ? find_node(compare_words(predicate - 32, a, b)) : 0;
    return predicate == 33 ? make_not(node) : node;
}

static __attribute__((preserve_most, noinline)) uint32_t compare_any(uint32_t kind, uint64_t a,
                                                                     uint32_t sa, uint64_t b,
                                                                     uint32_t sb) {
    unsigned width = kind >> 8;
    if (runtime_sym_has_links()) {
        uint32_t null = !sb && !b   ? runtime_sym_ask_null(sa)
                        : !sa && !a ? runtime_sym_ask_null(sb)
                                    : 0;
        if (null && (kind & 0xff) == 32)
            return null;
        if (null && (kind & 0xff) == 33)
            return make_not(null);
        if (see_both(&sa, &sb))
            return 0;
    }
    return compare(kind & 0xff, operand(width, a, sa), operand(width, b, sb));
}

/* Usually the node exists and is found first, or its place in the table is free. */
uint32_t __slowpath_sym_compare(uint32_t kind, uint64_t a, uint32_t sa, uint64_t b, uint32_t sb) {
    unsigned predicate = (kind & 0xff) - 32;
    if (sa && sb && !runtime_sym_has_links() &&
        predicate < sizeof predicates / sizeof *predicates && predicate != 1) {
        struct abi_trace *live = &runtime.control->live;
        struct node_words words = compare_words(predicate, sa, sb);
        uint32_t at = hash_words(words) & table_mask;
        struct table_slot slot = table[at];
        if (slot.epoch != runtime_near.epoch && live->node_count < table_mask / 2 && !live->flags)
            return put_node(live, words, at);
        if (slot.epoch == runtime_near.epoch && is_node(slot.node, words))
            return slot.node;
    }
    __attribute__((musttail)) return compare_any(kind, a, sa, b, sb);
}

/* WIDTH bits of a node from LOW on; parts of input integers are input integers. */
uint32_t runtime_sym_extract(uint32_t a, unsigned low, unsigned width) {
    const struct abi_node *node = &nodes[a];
    if (!a || (low == 0 && node->width == width))
        return a;
    if (node->op == ABI_OP_INPUT && low % 8 == 0 && width % 8 == 0)
        return runtime_sym_input(node->a + low / 8, width);
    if ((node->op == ABI_OP_ZEXT || node->op == ABI_OP_SEXT) && low + width <= nodes[node->a].width)
        return runtime_sym_extract(node->a, low, width);
    return runtime_sym_node(ABI_OP_EXTRACT, width, low, a, 0, 0);
}

uint32_t __slowpath_sym_cast(uint32_t kind, uint32_t shadow) {
    unsigned from = kind >> 8 & 0xff, to = kind >> 16;
    enum abi_op op = (enum abi_op)(kind & 0xff);
    if (runtime_sym_has_links() && !(shadow = runtime_sym_look(shadow)))
        return 0;
    if (abi_op_is_float(op))
        return runtime_sym_node(op, to, 0, shadow, 0, 0);
    if (to < from)
        return runtime_sym_extract(shadow, 0, to);
    return runtime_sym_node(op == ABI_OP_SEXT ? ABI_OP_SEXT : ABI_OP_ZEXT, to, 0, shadow, 0, 0);
}

static uint32_t make_choice(uint32_t condition, uint32_t a, uint32_t b) {
    if (!condition || !a || !b)
        return 0;
    return a == b ? a : runtime_sym_node(ABI_OP_ITE, nodes[a].width, 0, condition, a, b);
}

uint32_t __slowpath_sym_select(uint32_t choice, uint64_t a, uint32_t sa, uint64_t b, uint32_t sb,
                               uint32_t width) {
    if (runtime_sym_has_links() && see_both(&sa, &sb) && a == b)
        return 0;
    return make_choice(choice, operand(width, a, sa), operand(width, b, sb));
}

static uint32_t swap_bytes(uint32_t a, unsigned width) {
    uint32_t result = runtime_sym_extract(a, 0, 8);
    for (unsigned low = 8; low < width; low += 8) {
        uint32_t next = runtime_sym_extract(a, low, 8);
        result = result && next ? runtime_sym_node(ABI_OP_CONCAT, low + 8, 0, result, next, 0) : 0;
    }
    return result;
}

uint32_t __slowpath_sym_intrinsic(uint32_t kind, uint64_t a, uint32_t sa, uint64_t b, uint32_t sb) {
    unsigned width = kind >> 8;
    uint32_t x = operand(width, a, sa), zero = runtime_sym_constant(width, 0), y, sum;
    enum abi_intrinsic which = (enum abi_intrinsic)(kind & 0xff);
    if (which == ABI_INTRINSIC_BSWAP)
        return swap_bytes(x, width);
    if (which == ABI_INTRINSIC_ABS)
        return make_choice(make(ABI_OP_SLT, 1, x, zero), make(ABI_OP_SUB, width, zero, x), x);
    y = operand(width, b, sb);
    switch (which) {
    case ABI_INTRINSIC_SMAX:
        return make_choice(make(ABI_OP_SLT, 1, y, x), x, y);
    case ABI_INTRINSIC_SMIN:
        return make_choice(make(ABI_OP_SLT, 1, x, y), x, y);
    case ABI_INTRINSIC_UMAX:
        return make_choice(make(ABI_OP_ULT, 1, y, x), x, y);
    case ABI_INTRINSIC_UMIN:
        return make_choice(make(ABI_OP_ULT, 1, x, y), x, y);
    case ABI_INTRINSIC_USUB_SAT:
        return make_choice(make(ABI_OP_ULT, 1, x, y), zero, make(ABI_OP_SUB, width, x, y));
    default: /* ABI_INTRINSIC_UADD_SAT: a sum less than a summand has wrapped around */
        sum = make(ABI_OP_ADD, width, x, y);
        return make_choice(make(ABI_OP_ULT, 1, sum, x), runtime_sym_constant(width, ~0ull), sum);
    }
}

/* a << n | b >> (width - n) with 0 < n < width, as in a rotation. KIND: n, and the width above
 * it. */
uint32_t __slowpath_sym_funnel(uint32_t kind, uint64_t a, uint32_t sa, uint64_t b, uint32_t sb) {
    unsigned width = kind >> 8, shift = kind & 0xff;
    uint32_t x = operand(width, a, sa), y = operand(width, b, sb);
    if (shift == 0 || shift == width)
        return shift ? y : x;
    return make(ABI_OP_OR, width, make(ABI_OP_SHL, width, x, runtime_sym_constant(width, shift)),
                make(ABI_OP_LSHR, width, y, runtime_sym_constant(width, width - shift)));
}

/* ---- arithmetic that reports overflow ---- */

static bool is_signed(enum abi_intrinsic which) {
    return which >= ABI_INTRINSIC_SADD_OVERFLOW;
}

/* Up to 32 bits: overflow if the operation at twice the width differs from its result narrowed and
 * widened again. */
static uint32_t wrapped_narrow(enum abi_op op, enum abi_intrinsic which, unsigned width, uint32_t x,
                               uint32_t y, uint32_t value) {
    enum abi_op widen = is_signed(which) ? ABI_OP_SEXT : ABI_OP_ZEXT;
    uint32_t wide_x = runtime_sym_node(widen, width * 2, 0, x, 0, 0);
    uint32_t wide_y = runtime_sym_node(widen, width * 2, 0, y, 0, 0);
    uint32_t wide = make(op, width * 2, wide_x, wide_y);
    uint32_t back = value ? runtime_sym_node(widen, width * 2, 0, value, 0, 0) : 0;
    return make_not(make(ABI_OP_EQ, 1, wide, back));
}

/* 64 bits: by signs or a comparison; 0 if neither is enough. */
static uint32_t wrapped_wide(enum abi_intrinsic which, uint32_t x, uint32_t y, uint32_t value) {
    uint32_t zero = runtime_sym_constant(64, 0), signs;
    switch (which) {
    case ABI_INTRINSIC_UADD_OVERFLOW:
        return make(ABI_OP_ULT, 1, value, x);
    case ABI_INTRINSIC_USUB_OVERFLOW:
        return make(ABI_OP_ULT, 1, x, y);
    case ABI_INTRINSIC_SADD_OVERFLOW:
        signs =
            make(ABI_OP_AND, 64, make(ABI_OP_XOR, 64, x, value), make(ABI_OP_XOR, 64, y, value));
        return make(ABI_OP_SLT, 1, signs, zero);
    case ABI_INTRINSIC_SSUB_OVERFLOW:
        signs = make(ABI_OP_AND, 64, make(ABI_OP_XOR, 64, x, y), make(ABI_OP_XOR, 64, x, value));
        return make(ABI_OP_SLT, 1, signs, zero);
    default:
        return 0;
    }
}

uint64_t __slowpath_sym_overflow(uint32_t kind, uint64_t a, uint32_t sa, uint64_t b, uint32_t sb) {
    unsigned width = kind >> 8;
    enum abi_intrinsic which = (enum abi_intrinsic)(kind & 0xff);
    static const enum abi_op ops[] = {ABI_OP_ADD, ABI_OP_SUB, ABI_OP_MUL};
    enum abi_op op = ops[(which - ABI_INTRINSIC_UADD_OVERFLOW) % 3];
    uint32_t x = operand(width, a, sa), y = operand(width, b, sb), flag;
    uint32_t value = make(op, width, x, y);
    if (!value)
        return 0;
    flag = width <= 32 ? wrapped_narrow(op, which, width, x, y, value)
                       : wrapped_wide(which, x, y, value);
    if (!flag) { /* a wide product: fix the operands */
        if (sa)
            runtime_sym_fix(ABI_EVENT_CONCRETE, sa, a);
        if (sb)
            runtime_sym_fix(ABI_EVENT_CONCRETE, sb, b);
        return 0;
    }
    return (uint64_t)flag << 32 | value;
}
