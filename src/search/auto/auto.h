/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside auto: the strategies that take turns, and where each begins.
 */
#ifndef SLOWPATH_SEARCH_AUTO_H
#define SLOWPATH_SEARCH_AUTO_H

#include "search/core/core.h"

struct auto_part;

struct auto_row {
    const struct search_strategy *strategy;
    bool (*fits)(const struct search *search);
    void (*start)(struct auto_part *part, const struct search *search);
    uint64_t runs;  /* of a turn */
    uint64_t after; /* turns of all parts that come first */
    double share;   /* of the time that a single turn may take; 0: it has many turns */
    bool traces;    /* it can do nothing before the symbolic build is there */
};

struct auto_part {
    const struct auto_row *row;
    struct search *search; /* NULL: it has not begun */
    struct search_subject subject;
    struct target_input *starts; /* its own copies */
    uint64_t turns;
    bool is_over;
};

/* The inputs that PART starts with: those given, fitted to one size where it needs one. */
void auto_start_as_given(struct auto_part *part, const struct search *search);
/* The best input so far, whose size all inputs have from then on. */
void auto_start_from_best(struct auto_part *part, const struct search *search);
/* Those given and the best so far, as they are. */
void auto_start_from_all(struct auto_part *part, const struct search *search);

#endif
