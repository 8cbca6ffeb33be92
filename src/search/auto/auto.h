/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside auto: the strategies that take turns, and where each begins.
 */
#ifndef SLOWPATH_SEARCH_AUTO_H
#define SLOWPATH_SEARCH_AUTO_H

#include "search/core/core.h"

struct auto_part;

struct auto_row {
    const struct search_strategy *strategy; /* NULL: that of the guest */
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
    double spent; /* seconds of all of them */
    bool is_over;
    double first_best, gained; /* of a guest: the best cost before it, what it raised since */
};
const struct search_strategy *auto_strategy(const struct auto_part *part,
                                            const struct search *search);

/* The inputs that PART starts with: those given, fitted to one size where it needs one. */
void auto_start_as_given(struct auto_part *part, const struct search *search);
/* None: it has its own. */
void auto_start_with_nothing(struct auto_part *part, const struct search *search);
/* The best input so far, whose size all inputs have from then on. */
void auto_start_from_best(struct auto_part *part, const struct search *search);
/* Those given and the best so far, as they are. */
void auto_start_from_all(struct auto_part *part, const struct search *search);

/* guest.c */
bool auto_is_guest(const struct auto_part *part);
/* Of a search that has so many seconds: what a turn may take. */
double auto_guest_turn(const struct search *search, const struct auto_part *part, double seconds);
/* Has it something to do, and earned the time for it? */
bool auto_guest_is_ready(const struct search *search, const struct auto_part *part, double seconds,
                         bool is_alone);
/* If it is a guest: its last turn raised the best cost of all from BEFORE to AFTER. */
void auto_guest_gained(struct auto_part *part, double before, double after);
/* What a guest finds, for the strategies that are under way. */
struct auto_pool;
struct auto_pool *auto_pool_new(void);
void auto_pool_free(struct auto_pool *pool);
struct search_exchange *auto_pool_exchange(struct auto_pool *pool);
/* If there is something better than what it was given before. */
void auto_pool_fill(struct auto_pool *pool, const struct search_archive *archive);

#endif
