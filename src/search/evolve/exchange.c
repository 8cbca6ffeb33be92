/* SPDX-License-Identifier: Apache-2.0
 *
 * Islands: what does one rank tell another? Inputs that broke a record with it. The other runs
 * them; what breaks a record there as well is kept and passed on, the rest goes no further. A rank
 * tells one of its neighbours at a time (those whose number differs in one bit), so something new
 * is everywhere after as many steps as a rank's number has bits, and no rank hears it too often.
 */
#include "search/evolve/evolve.h"

#include <string.h>

#define EXCHANGE_SECONDS 0.2
#define MOST_BYTES ((size_t)1 << 16) /* of one input */
#define MOST_PENDING 4096u           /* that wait to be run here */

static void on_records(void *context, uint32_t from, const char *data, size_t size) {
    struct search *search = context;
    struct evolve_state *state = search->state;
    struct cluster_unpacker unpacker = {.data = data, .end = data + size};
    (void)from;
    while (state && state->pending.count < MOST_PENDING && cluster_unpack(&unpacker)) {
        size_t bytes = unpacker.string.count;
        bool fits = evolve_has_fixed_size(search) ? bytes == search->subject.layout.bytes
                                                  : bytes <= search->subject.layout.bytes;
        if (fits)
            evolve_add_pending(state, unpacker.string.data, bytes);
    }
    cluster_unpacker_done(&unpacker);
}

void evolve_exchange_begin(struct search *search) {
    if (search_is_shared(search))
        cluster_listen(search->options.cluster, CLUSTER_RECORDS, on_records, search);
}

void evolve_exchange_note(struct search *search, const struct target_input *input) {
    struct evolve_state *state = search->state;
    struct evolve_news *news = &state->news;
    if (!search_is_shared(search) || input->size > MOST_BYTES)
        return;
    struct base_buffer *place = &news->inputs[news->count++ % EVOLVE_NEWS];
    place->count = 0;
    base_buffer_add(place, input->data, input->size);
}

/* The neighbours in turn; where there is none for a bit, the next one. */
static uint32_t next_neighbour(struct search *search, struct evolve_news *news) {
    uint32_t size = cluster_size(search->options.cluster), rank = search_rank(search);
    for (;;) {
        uint32_t bit = 1u << news->turn++ % 32;
        if (bit < size && (rank ^ bit) < size)
            return rank ^ bit;
    }
}

void evolve_exchange(struct search *search) {
    struct evolve_state *state = search->state;
    struct evolve_news *news = &state->news;
    if (!news->count || base_seconds() - news->told < EXCHANGE_SECONDS)
        return;
    struct base_buffer message = {0};
    struct cluster_packer packer = {.out = &message};
    size_t count = news->count < EVOLVE_NEWS ? news->count : EVOLVE_NEWS;
    for (size_t i = 0; i < count; i++)
        cluster_pack(&packer, news->inputs[i].data, news->inputs[i].count);
    cluster_send(search->options.cluster, next_neighbour(search, news), CLUSTER_RECORDS,
                 message.data, message.count);
    cluster_packer_done(&packer);
    base_buffer_done(&message);
    news->count = 0;
    news->told = base_seconds();
}

void evolve_exchange_end(struct search *search) {
    struct evolve_state *state = search->state;
    if (search_is_shared(search))
        cluster_listen(search->options.cluster, CLUSTER_RECORDS, NULL, NULL);
    for (size_t i = 0; i < EVOLVE_NEWS; i++)
        base_buffer_done(&state->news.inputs[i]);
}
