/* SPDX-License-Identifier: Apache-2.0
 *
 * How does a search take part in a larger one? Others that search the same subject, in other
 * processes or on other machines, tell what they found, and are told. Who carries the messages is
 * not the search's matter: it gives and takes through these functions, none of which may wait for
 * anything slow.
 *
 * Nothing that is taken is believed: inputs are run here, patterns are grown here.
 */
#ifndef SLOWPATH_SEARCH_EXCHANGE_H
#define SLOWPATH_SEARCH_EXCHANGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum search_message {
    SEARCH_INPUT,   /* bytes that cost more than all before, or broke another record */
    SEARCH_CLAIM,   /* a pattern, as target_pattern_print writes it, that somebody is growing */
    SEARCH_SETTLED, /* ... and that was grown to the end: there is no more to say of it than laws */
    SEARCH_LAW,     /* a pattern that was grown and is superlinear */
    SEARCH_MESSAGE_KINDS
};

struct search_exchange {
    void *self;
    /* Copies the bytes. */
    void (*give)(void *self, enum search_message kind, const void *data, size_t size);
    /* The next message of this kind; false: none waits. The caller frees *DATA. */
    bool (*take)(void *self, enum search_message kind, uint8_t **data, size_t *size);
    /* What was taken was run; IS_RECORD: it was better than what was here. */
    void (*note)(void *self, enum search_message kind, bool is_record);
    /* The search is over. Is there more of this kind? May wait for a moment to find out. */
    bool (*ask)(void *self, enum search_message kind);
    /* Messages of each kind that wait: a cheap look before anything else. */
    _Atomic size_t waiting[SEARCH_MESSAGE_KINDS];
};

#endif
