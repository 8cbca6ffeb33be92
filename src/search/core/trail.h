/* SPDX-License-Identifier: Apache-2.0
 *
 * A trail: a partial trace that the user wants paths to follow. It says how often loops iterate and
 * which way branches go, by source line; everything else is free.
 *
 *     multiples: loop@19 x4, if@20 then, *
 *
 * Each function has a list of parts: `loop@LINE xN` (every entry of the loop makes N iterations),
 * `loop@LINE xN xM` (the first entries, in this order), `if@LINE then` or `else` (every time),
 * `if@LINE then else then` (the first times, in this order), and `*`, which only states that
 * everything else is free. A `#` starts a comment. Only branches that depend on the input are seen,
 * and loops in which such a branch is decided.
 * loops in which such a branch is decided.
 */
#ifndef SLOWPATH_SEARCH_TRAIL_H
#define SLOWPATH_SEARCH_TRAIL_H

#include "search/core/walk.h"

struct search_mark { /* one part of a trail */
    uint32_t function, line;
    bool is_loop;
    bool is_repeated;           /* one number, or one direction, holds for every time */
    BASE_VECTOR(uint64_t) ways; /* iterations of a loop, by entry; for a branch, is it `then`? */
    uint64_t then;              /* of a branch: the position that `then` leads to */
};

/* branch.c: one branch of the source. */
enum search_way {
    SEARCH_ELSE,
    SEARCH_THEN,
    SEARCH_ON_THE_WAY /* the rest of the condition decides */
};
/* Does the mark's function have a branch at its line? If so, sets where `then` leads. */
bool search_find_branch(const struct ir_facts *facts, struct search_mark *mark);
bool search_is_branch(const struct ir_facts *facts, uint32_t site, const struct search_mark *mark);
uint32_t search_branch_line(const struct ir_facts *facts, uint32_t site);
enum search_way search_branch_way(const struct ir_facts *facts, const struct search_mark *mark,
                                  uint32_t site, bool outcome);
bool search_block_has_line(const struct ir_facts *facts, const struct ir_block *block,
                           uint32_t line);

struct search_trail {
    const struct ir_facts *facts;
    BASE_VECTOR(struct search_mark) marks;
};
/* Reads the text of a trail; NAME is that of its file, for messages. */
bool search_trail_parse(const char *text, const char *name, const struct ir_facts *facts,
                        struct search_trail *trail, struct base_error *error);

/* A path that is compared with a trail step by step. */
struct search_follower {
    const struct search_trail *trail;
    BASE_VECTOR(uint32_t) seen; /* by mark: how often its branch was decided, or its loop entered */
};
void search_follower_begin(struct search_follower *follower, const struct search_trail *trail);
void search_follower_done(struct search_follower *follower);
/* False when the path has left the trail with this step. */
bool search_follower_step(struct search_follower *follower, const struct search_step *step);
/* At the end of the path: was every loop entered that should iterate? */
bool search_follower_ends(const struct search_follower *follower);

/* A path as a trail would say it: its loops, if the build reports them, and its branches in the
 * order in which they were decided. */
struct search_recount {
    struct search_trail trail;
};
void search_recount_step(struct search_recount *recount, const struct search_step *step);
/* Appends a line per function; cut after about LIMIT bytes. */
void search_recount_print(const struct search_recount *recount, size_t limit,
                          struct base_buffer *out);
void search_recount_done(struct search_recount *recount);

#endif
