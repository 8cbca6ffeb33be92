/* SPDX-License-Identifier: Apache-2.0
 *
 * Which items does a rank give away, and how are they kept small in a message? The shallower half
 * of the waiting items: the lower half of the stack, with most of the tree below them. An item is
 * packed as a string that starts with its input, so siblings have common beginnings and share most
 * of their bytes.
 */
#include "search/exhaustive/exhaustive.h"

#include <string.h>

#define MOST_ITEMS 4096u /* of one message */
#define TURN_WAIT 0.5    /* seconds that a part of a search waits for work from other ranks */

struct packed { /* follows the input, and is followed by the values */
    uint64_t prefix;
    uint32_t bound, limit, is_rest, tried;
};

struct packed_value {
    uint64_t value;
    uint32_t span;
};

/* ---- one item ---- */

static void pack_item(struct cluster_packer *packer, const struct exhaustive_item *item,
                      size_t input_size, struct base_buffer *scratch) {
    struct packed packed = {item->prefix, item->bound, item->limit, item->is_rest,
                            item->tried ? item->tried->count : 0};
    scratch->count = 0;
    search_put(scratch, item->input, input_size);
    search_put(scratch, &packed, sizeof packed);
    for (const struct exhaustive_value *value = item->tried; value; value = value->next) {
        struct packed_value one = {.value = value->value, .span = value->span};
        search_put(scratch, &one, sizeof one);
    }
    cluster_pack(packer, scratch->data, scratch->count);
}

/* Newest first, as in the item. */
static const struct exhaustive_value *unpack_values(const char *data, uint32_t count,
                                                    struct base_arena *arena) {
    struct exhaustive_value *list = NULL, **tail = &list;
    for (; count; count--, data += sizeof(struct packed_value)) {
        struct exhaustive_value *value = base_arena_alloc(arena, sizeof *value);
        struct packed_value one;
        memcpy(&one, data, sizeof one);
        *value = (struct exhaustive_value){.value = one.value, .span = one.span, .count = count};
        *tail = value;
        tail = (struct exhaustive_value **)&value->next;
    }
    return list;
}

static bool unpack_item(const struct base_buffer *string, struct exhaustive_frontier *frontier,
                        struct base_arena *values) {
    size_t size = frontier->input_size;
    struct packed packed;
    if (string->count < size + sizeof packed)
        return false;
    memcpy(&packed, string->data + size, sizeof packed);
    size_t rest = string->count - size - sizeof packed;
    if (rest != packed.tried * sizeof(struct packed_value))
        return false;
    struct exhaustive_item *item = exhaustive_frontier_push(frontier);
    *item = (struct exhaustive_item){.prefix = packed.prefix,
                                     .bound = packed.bound,
                                     .limit = packed.limit,
                                     .is_rest = packed.is_rest};
    item->tried = unpack_values(string->data + size + sizeof packed, packed.tried, values);
    memcpy(item->input, string->data, size);
    return true;
}

/* ---- many items ---- */

static void drop_lowest(struct exhaustive_frontier *frontier, size_t count) {
    frontier->count -= count;
    memmove(frontier->data, frontier->data + count * frontier->stride,
            frontier->count * frontier->stride);
}

static void give(struct exhaustive_frontier *frontier, size_t count, struct base_buffer *out) {
    struct cluster_packer packer = {.out = out};
    struct base_buffer scratch = {0};
    for (size_t i = 0; i < count; i++)
        pack_item(&packer, exhaustive_frontier_at(frontier, i), frontier->input_size, &scratch);
    drop_lowest(frontier, count);
    base_buffer_done(&scratch);
    cluster_packer_done(&packer);
}

bool exhaustive_take(struct exhaustive_frontier *frontier, const char *data, size_t size,
                     struct base_arena *values) {
    struct cluster_unpacker unpacker = {.data = data, .end = data + size};
    bool good = true;
    while (good && cluster_unpack(&unpacker))
        good = unpack_item(&unpacker.string, frontier, values);
    good = good && unpacker.data == unpacker.end;
    cluster_unpacker_done(&unpacker);
    return good;
}

/* ---- callbacks for the cluster ---- */

static bool has_runs(const struct exhaustive_share *share) {
    return search_runs_left(share->search) > 0;
}

/* Items that can be given away. A rank without runs left needs none for itself. */
static size_t spare(void *self) {
    const struct exhaustive_share *share = self;
    size_t count = share->frontier->count + share->later->count;
    return count + (count && !has_runs(share));
}

static bool is_idle(void *self) {
    const struct exhaustive_share *share = self;
    return !*share->busy && (!(share->frontier->count + share->later->count) || !has_runs(share));
}

static bool wants(void *self) {
    const struct exhaustive_share *share = self;
    return share->is_open && has_runs(share) && !search_is_ending(share->search);
}

static void give_half(void *self, struct base_buffer *out) {
    const struct exhaustive_share *share = self;
    struct exhaustive_frontier *from = share->frontier->count ? share->frontier : share->later;
    size_t count = has_runs(share) ? from->count / 2 : from->count;
    if (!count)
        count = 1; /* the other stack has it */
    give(from, count < MOST_ITEMS ? count : MOST_ITEMS, out);
}

static bool take(void *self, const char *data, size_t size) {
    const struct exhaustive_share *share = self;
    bool good = exhaustive_take(share->frontier, data, size, share->values);
    pthread_cond_broadcast(&share->search->changed);
    return good;
}

static bool has_gaps(void *self) {
    const struct exhaustive_share *share = self;
    return search_has_gaps(share->search);
}

void exhaustive_share_begin(struct exhaustive_share *share) {
    const struct cluster_work work = {.self = share,
                                      .spare = spare,
                                      .is_idle = is_idle,
                                      .wants = wants,
                                      .give = give_half,
                                      .take = take,
                                      .has_gaps = has_gaps};
    cluster_share(share->search->options.cluster, &work);
}

/* ---- waiting ---- */

bool exhaustive_may_come(const struct search *search) {
    const struct cluster *cluster = search->options.cluster;
    return search_is_shared(search) && !cluster_is_over(cluster) && !cluster_is_damaged(cluster) &&
           !search_is_ending(search);
}

bool exhaustive_is_wanted(const struct search *search) {
    return search_is_shared(search) && cluster_is_wanted(search->options.cluster);
}

void exhaustive_wait_for_others(struct search *search, double began) {
    bool takes_turns = search->outer && search->outer->strategy->is_scheduler;
    if (takes_turns && base_seconds() - began > TURN_WAIT)
        search_end_turn(search);
    else
        search_rest(search);
}
