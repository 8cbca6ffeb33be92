/* SPDX-License-Identifier: Apache-2.0
 *
 * How does a search take part in a larger one? Searches of the same subject, in other processes or
 * on other machines, exchange what they find. How messages are carried is left to the fleet: the
 * search gives and takes through these functions, none of which may block.
 *
 * Nothing received is trusted: inputs are run here, and patterns are grown here.
 */
#ifndef SLOWPATH_SEARCH_EXCHANGE_H
#define SLOWPATH_SEARCH_EXCHANGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum search_message {
    SEARCH_INPUT, /* bytes that cost more than all before, or broke another record */
    SEARCH_CLAIM, /* a pattern, as target_pattern_print writes it, that another search is growing */
    SEARCH_SETTLED, /* ... or has finished growing: besides its laws there is nothing more to learn
                     */
    SEARCH_LAW,     /* a pattern that was grown and is superlinear */
    SEARCH_MESSAGE_KINDS
};

struct search_exchange {
    void *self;
    bool has_inputs_only; /* nobody else grows patterns: none need be claimed */
    /* Copies the bytes. */
    void (*give)(void *self, enum search_message kind, const void *data, size_t size);
    /* The next message of this kind; false: none waits. The caller frees *DATA. */
    bool (*take)(void *self, enum search_message kind, uint8_t **data, size_t *size);
    /* Something taken was run; IS_RECORD: it was better than what was here. */
    void (*note)(void *self, enum search_message kind, bool is_record);
    /* The search is over. Are there more of this kind? May block briefly to find out. */
    bool (*ask)(void *self, enum search_message kind);
    /* How many messages of each kind wait: checked first, as it is cheap. */
    _Atomic size_t waiting[SEARCH_MESSAGE_KINDS];
};

#endif
