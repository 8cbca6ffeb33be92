/* SPDX-License-Identifier: Apache-2.0
 *
 * Grows a small input: repeats it, numbering its words on the way.
 */
#ifndef SLOWPATH_COMPOSE_NUMBER_H
#define SLOWPATH_COMPOSE_NUMBER_H

#include "base/base.h"

struct compose_numbering {
    int step;    /* added to words from one repetition to the next, per word; 0: nothing */
    bool widens; /* words get longer when their digits overflow, else they wrap around */
    bool mixes;  /* random lines of the unit, or pieces if it has one line; no numbers */
};

/* Repeats UNIT up to exactly WANTED bytes. Words are runs of letters and digits; letters stay
 * letters and digits stay digits, so that a word keeps its form. */
void compose_number(const uint8_t *unit, size_t size, size_t wanted,
                    struct compose_numbering numbering, struct base_buffer *out);

#endif
