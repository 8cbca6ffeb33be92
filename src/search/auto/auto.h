/* SPDX-License-Identifier: Apache-2.0
 *
 * Internals of auto: the strategies that take turns, and the inputs each one starts from.
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
    uint64_t after; /* turns that other parts have before its first */
    double share;   /* of the time that its only turn may take; 0: it has many turns */
    bool traces;    /* it needs the symbolic build */
};

struct auto_part {
    const struct auto_row *row;
    struct search *search; /* NULL: it has not begun */
    struct search_subject subject;
    struct target_input *starts; /* its own copies */
    uint64_t turns;
    double spent; /* seconds of all turns */
    bool is_over;
    double first_best, gained; /* of a guest: the best cost before it, what it raised since */
    unsigned in_vain;          /* of a guest: turns since it last raised the best cost */
};

#define AUTO_MOST_PARTS 16

struct auto_pool;

struct auto_state {
    struct auto_part parts[AUTO_MOST_PARTS];
    size_t count;
    uint64_t turns; /* of all parts */
    size_t last;    /* the part that had the last one */
    unsigned in_a_row;
    BASE_VECTOR(struct search *) late; /* parts that only grew what others had found */
    struct auto_pool *pool;            /* NULL: there is no guest, or there are other searches */
};

const struct search_strategy *auto_strategy(const struct auto_part *part,
                                            const struct search *search);

/* Starts PART with the inputs given, fitted to one size if it needs that. */
void auto_start_as_given(struct auto_part *part, const struct search *search);
/* Starts without inputs: the part has its own. */
void auto_start_with_nothing(struct auto_part *part, const struct search *search);
/* Starts from the best input so far, whose size all inputs have from then on. */
void auto_start_from_best(struct auto_part *part, const struct search *search);
/* Starts from the inputs given and the best so far, unchanged; from those of a guest only if they
 * cost far more. */
void auto_start_from_all(struct auto_part *part, const struct search *search);

/* finds.c */
/* Adds up what all parts have done and found. */
void auto_gather(struct search *search);
/* Offers all tests but those that WITHOUT (NULL: none) has. */
void auto_take_tests(struct search_archive *to, const struct search_archive *from,
                     const struct search_archive *without);
/* The tests of the guest; NULL: it has not begun. */
const struct search_archive *auto_guest_tests(const struct search *search);
/* Offers the tests of all other parts, without those that came from it. */
void auto_collect_others(const struct search *search, struct search_archive *to);

/* guest.c */
bool auto_is_guest(const struct auto_part *part);
/* How long a turn may take in a search that has this many seconds. */
double auto_guest_turn(const struct search *search, const struct auto_part *part, double seconds);
/* Does it have something to do, and has it earned the time for it? */
bool auto_guest_is_ready(const struct search *search, const struct auto_part *part, double seconds,
                         bool is_alone);
/* For a guest: its last turn raised the best overall cost from BEFORE to AFTER. */
void auto_guest_gained(struct auto_part *part, double before, double after);
/* Passes finds of a guest to strategies that are under way. */
struct auto_pool *auto_pool_new(void);
void auto_pool_free(struct auto_pool *pool);
struct search_exchange *auto_pool_exchange(struct auto_pool *pool);
/* Adds tests that are better than those passed on before. */
void auto_pool_fill(struct auto_pool *pool, const struct search_archive *archive);

#endif
