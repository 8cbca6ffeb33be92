/* SPDX-License-Identifier: Apache-2.0
 *
 * Pointers of the input whose target stays open until the program looks at them. (Lazy
 * initialisation, as in "Resource-driven CLP-based test case generation", section 3, and the work
 * on symbolic execution with heaps that it cites.)
 *
 * A link in memory has the expression "element c of the table of objects", where c is its number in
 * the input, and is passed around like any other value. A comparison with null only asks whether c
 * is 0. Any other operation that needs the target resolves the link: is it null, one of the objects
 * that already exist on this path, in the order in which they appeared, or a new one? Each is a
 * decision of the path, and then the link is concrete.
 *
 * Objects that do not exist yet are interchangeable, so one stands for all: the one that the input
 * names, else the first. That the link leads to none of the others is assumed, not decided. So each
 * shape is explored once, whatever the numbers of its objects.
 */
#include "abi/driver.h"
#include "runtime/symbolic.h"

#define MAX_LINKS ((size_t)1 << 20)
#define LINK_SITE UINT32_MAX /* resolving a link belongs to no block */

static RUNTIME_STATE struct runtime_pool *pools;
static RUNTIME_STATE unsigned form;
static RUNTIME_STATE struct runtime_link *links;
static RUNTIME_STATE uint32_t link_count;
static RUNTIME_STATE uint32_t *link_of; /* indexed by node of the address, from the first */
RUNTIME_STATE struct runtime_link_nodes runtime_link_nodes;

void runtime_sym_begin_links(struct runtime_pool *all, unsigned heap_form) {
    pools = all;
    form = heap_form;
}

void runtime_sym_forget_links(void) {
    for (uint32_t i = 0; i < runtime_link_nodes.span; i++)
        link_of[i] = 0;
    link_count = 0;
    runtime_link_nodes = (struct runtime_link_nodes){0};
}

static struct runtime_link *find_link(uint32_t node) {
    uint32_t at = node - runtime_link_nodes.first;
    uint32_t number = at < runtime_link_nodes.span ? link_of[at] : 0;
    return number ? &links[number - 1] : NULL;
}

static uint32_t make_equal(const struct runtime_link *link, uint32_t object) {
    uint32_t number = runtime_sym_constant(16, object);
    return number ? runtime_sym_node(ABI_OP_EQ, 1, 0, link->choice, number, 0) : 0;
}

/* ---- opening ---- */

static uint32_t address_node(const struct runtime_link *link) {
    struct runtime_pool *pool = &pools[link->pool];
    if (pool->table < 0)
        pool->table = runtime_sym_make_table(pool->objects, pool->count + 1);
    if (pool->table < 0 || !link->choice)
        return 0;
    return runtime_sym_node(ABI_OP_TABLE, 64, 0, link->choice, (uint32_t)pool->table, 0);
}

static void note_link(const struct runtime_link *link, uint32_t node) {
    if (!runtime_link_nodes.span)
        runtime_link_nodes.first = node;
    runtime_link_nodes.span = node - runtime_link_nodes.first + 1;
    links[link_count] = *link;
    link_of[node - runtime_link_nodes.first] = ++link_count;
}

/* The expression of the number at OFFSET; 0: concrete. */
static uint32_t open_choice(uint64_t offset) {
    const struct abi_control *control = runtime.control;
    uint32_t place, last;
    if (control->concrete || link_count + 2 >= MAX_LINKS || runtime_sym_is_fixed(offset, &place) ||
        runtime_sym_is_fixed(offset + 1, &last))
        return 0;
    if (!links) {
        links = runtime_sym_reserve(NULL, MAX_LINKS * sizeof *links);
        link_of = runtime_sym_reserve(NULL, ABI_TRACE_MAX_NODES * sizeof *link_of);
    }
    return runtime_sym_input(place, 16);
}

void runtime_sym_open_link(const struct runtime_link *link, uint64_t offset) {
    struct runtime_link open = *link;
    if (!runtime.control->symbolic)
        return;
    runtime_sym_clear(link->at, sizeof(void *));
    open.choice = open_choice(offset);
    uint32_t node = address_node(&open);
    if (!node)
        return;
    note_link(&open, node);
    runtime_sym_put(link->at, node, sizeof(void *));
}

/* ---- unions ---- */

static uint32_t make_is_plain(const struct runtime_link *link) {
    return make_equal(link, (uint32_t)pools[link->pool].count + 1);
}

/* Whether it is a pointer at all stays open, too, until it is read. */
void runtime_sym_open_union(const struct runtime_link *link, uint64_t offset, uint32_t plain) {
    struct runtime_link open = *link;
    if (!runtime.control->symbolic)
        return;
    open.choice = open_choice(offset);
    open.link = address_node(&open);
    open.plain = plain && runtime_sym_at(plain)->width == 64 ? plain : 0;
    uint32_t is_plain = open.link && open.plain ? make_is_plain(&open) : 0;
    uint32_t node =
        is_plain ? runtime_sym_node(ABI_OP_ITE, 64, 0, is_plain, open.plain, open.link) : 0;
    if (!node)
        return;
    struct runtime_link pointer = open;
    pointer.plain = 0;
    note_link(&pointer, open.link);
    note_link(&open, node);
    runtime_sym_put(link->at, node, sizeof(void *));
}

/* The program's read shows what the union holds. */
void runtime_sym_settle_union(const void *memory, bool is_pointer) {
    uint32_t entry = *abi_shadow_entry(memory);
    if (!entry || entry & ABI_ENTRY_INPUT)
        return;
    const struct runtime_link *link = find_link(entry & ABI_ENTRY_NODE);
    if (!link || !link->plain)
        return;
    bool holds = is_pointer == (link->value <= pools[link->pool].count);
    uint32_t is_plain = make_is_plain(link);
    uint32_t condition =
        is_pointer && is_plain ? runtime_sym_node(ABI_OP_NOT, 1, 0, is_plain, 0, 0) : is_plain;
    runtime_sym_assume(condition, holds);
    if (!holds && !runtime.control->is_forced)
        runtime_reject();
    char *start = (char *)memory - (entry >> ABI_ENTRY_POSITION);
    runtime_sym_put(start, is_pointer ? link->link : link->plain, sizeof(void *));
}

/* ---- which links may lead to an object ---- */

/* Does the object lead to the owner of the link through links that the path has resolved? Each is
 * followed only once. */
static bool reaches_owner(const struct runtime_link *link, uint32_t pool, uint32_t object) {
    if (pool == link->owner && object == link->object)
        return true;
    for (uint32_t i = 0; i < link_count; i++) {
        struct runtime_link *next = &links[i];
        if (!next->is_seen || next->is_followed || !next->value || next->owner != pool ||
            next->object != object)
            continue;
        next->is_followed = true;
        if (reaches_owner(link, next->pool, next->value))
            return true;
    }
    return false;
}

static bool may_lead_to(const struct runtime_link *link, uint32_t object) {
    if (form == ABI_HEAP_ANY || pools[link->pool].is_fixed)
        return true;
    if (form == ABI_HEAP_TREE)
        return false;
    for (uint32_t i = 0; i < link_count; i++)
        links[i].is_followed = false;
    return !link->object || !reaches_owner(link, link->pool, object);
}

/* ---- resolving ---- */

static bool decide(const struct runtime_link *link, uint32_t object) {
    uint32_t equal = make_equal(link, object);
    bool holds = link->value == object;
    if (equal)
        runtime_sym_decide_link(equal, LINK_SITE, holds);
    return holds;
}

/* The object that the link leads to if it leads to no existing one; 0: all exist. */
static uint32_t next_object(struct runtime_pool *pool, uint32_t wanted) {
    if (wanted && !pool->exists[wanted])
        return wanted;
    while (pool->next <= pool->count && pool->exists[pool->next])
        pool->next++;
    return pool->next <= pool->count ? pool->next : 0;
}

/* The existing objects are the first ones, and all are allowed: one comparison is enough. */
static bool is_plain(const struct runtime_pool *pool, uint32_t fresh) {
    return form == ABI_HEAP_ANY && pool->highest == pool->existing && fresh == pool->existing + 1;
}

static uint32_t make_either(uint32_t a, uint32_t b) {
    return a && b ? runtime_sym_node(ABI_OP_OR, 1, 0, a, b, 0) : 0;
}

/* The condition that the link leads to something allowed; *HOLDS: it does in this run. */
static uint32_t make_allowed(const struct runtime_link *link, uint32_t fresh, bool *holds) {
    const struct runtime_pool *pool = &pools[link->pool];
    *holds = !link->value || link->value == fresh;
    if (is_plain(pool, fresh)) {
        uint32_t most = runtime_sym_constant(16, fresh);
        *holds = link->value <= fresh;
        return most ? runtime_sym_node(ABI_OP_ULE, 1, 0, link->choice, most, 0) : 0;
    }
    uint32_t allowed = make_equal(link, 0);
    if (fresh)
        allowed = make_either(allowed, make_equal(link, fresh));
    for (uint32_t i = 0; i < pool->existing; i++)
        if (may_lead_to(link, pool->order[i])) {
            allowed = make_either(allowed, make_equal(link, pool->order[i]));
            *holds |= link->value == pool->order[i];
        }
    return allowed;
}

static void decide_object(const struct runtime_link *link) {
    const struct runtime_pool *pool = &pools[link->pool];
    for (uint32_t i = 0; i < pool->existing; i++)
        if (may_lead_to(link, pool->order[i]) && decide(link, pool->order[i]))
            return;
}

static void decide_function(const struct runtime_link *link) {
    for (uint32_t i = 1; i < pools[link->pool].count; i++)
        if (decide(link, i))
            return;
}

static void bring_to_exist(struct runtime_pool *pool, uint32_t object) {
    if (!object || pool->exists[object])
        return;
    pool->exists[object] = true;
    pool->order[pool->existing++] = object;
    pool->highest = object > pool->highest ? object : pool->highest;
}

static void open_order(struct runtime_pool *pool) {
    pool->order = runtime_scratch((pool->count + 1) * sizeof *pool->order);
    pool->exists = runtime_scratch(pool->count + 1);
    __builtin_memset(pool->exists, 0, pool->count + 1);
    pool->next = 1;
}

static void look_at_object(const struct runtime_link *link) {
    struct runtime_pool *pool = &pools[link->pool];
    bool holds;
    if (!pool->order)
        open_order(pool);
    uint32_t fresh = next_object(pool, link->value);
    uint32_t allowed = make_allowed(link, fresh, &holds);
    runtime_sym_assume(allowed, holds);
    if (!holds && !runtime.control->is_forced)
        runtime_reject();
    if (!decide(link, 0))
        decide_object(link);
    bring_to_exist(pool, link->value);
}

static void look(struct runtime_link *link, uint32_t node) {
    const struct runtime_pool *pool = &pools[link->pool];
    link->is_seen = true;
    if (link->value > pool->count) /* out of range: null */
        runtime_sym_fix(ABI_EVENT_ADDRESS, link->choice, link->value);
    else if (!pool->is_fixed)
        look_at_object(link);
    else if (!decide(link, 0))
        decide_function(link);
    runtime_sym_settle(link->choice);
    runtime_sym_settle(node);
}

/* The base that everything else was added to. */
static uint32_t root_of(uint32_t expr) {
    while (runtime_sym_at(expr)->op == ABI_OP_ADD)
        expr = runtime_sym_at(expr)->a;
    return expr;
}

uint32_t runtime_sym_look(uint32_t shadow) {
    uint32_t root = shadow ? root_of(shadow) : 0;
    struct runtime_link *link = root ? find_link(root) : NULL;
    if (!link)
        return shadow;
    if (!link->is_seen)
        look(link, root);
    return runtime_sym_is_settled(shadow) ? 0 : shadow;
}

bool runtime_sym_was_seen(uint32_t shadow) {
    const struct runtime_link *link = find_link(shadow);
    return link && link->is_seen;
}

uint32_t runtime_sym_ask_null(uint32_t shadow) {
    const struct runtime_link *link = find_link(shadow);
    if (!link || link->is_seen || link->value > pools[link->pool].count ||
        runtime.control->is_forced)
        return 0;
    return make_equal(link, 0);
}
