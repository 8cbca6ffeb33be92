/* SPDX-License-Identifier: Apache-2.0
 *
 * A small input, grown: repeated, with its words numbered on the way.
 */
#ifndef SLOWPATH_COMPOSE_NUMBER_H
#define SLOWPATH_COMPOSE_NUMBER_H

#include "base/base.h"

struct compose_numbering {
    int step;    /* what a word changes by from one repetition to the next; 0: not at all */
    bool widens; /* a word whose numbers are used up gets longer, else it begins again */
    bool mixes;  /* lines of the unit in no order, or pieces if it has one line; no numbers */
};

/* UNIT again and again, up to exactly WANTED bytes. Words are runs of letters and digits; a letter
 * stays a letter and a digit a digit, so that a word still is what the unit has there. */
void compose_number(const uint8_t *unit, size_t size, size_t wanted,
                    struct compose_numbering numbering, struct base_buffer *out);

#endif
