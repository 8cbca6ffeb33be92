/* SPDX-License-Identifier: Apache-2.0
 *
 * campaign: many targets under one budget. A file lists them; each has its own suite, and is
 * searched in slices of time, which go to the targets that still make progress. How a slice runs is
 * not decided here: the command line starts a process for each.
 */
#ifndef SLOWPATH_CAMPAIGN_H
#define SLOWPATH_CAMPAIGN_H

#include "base/base.h"
#include <jansson.h>

enum campaign_status {
    CAMPAIGN_OPEN,     /* may get more slices */
    CAMPAIGN_COMPLETE, /* nothing left to find */
    CAMPAIGN_FAILED    /* PROBLEM says why */
};

struct campaign_target {
    /* From the file. */
    char *name;
    struct base_strings words; /* arguments of `slowpath run` */
    unsigned line;
    bool is_whole; /* cannot be resumed: gets a single slice */

    /* Results. */
    enum campaign_status status;
    bool is_running;
    uint64_t slices;
    double seconds;        /* of all slices */
    double points, weight; /* decayed sums of the slices' gains and numbers */
    double best;           /* cost of the costliest test */
    uint64_t tests, findings;
    unsigned deaths; /* consecutive slices whose process died */
    char *problem;   /* or NULL */
    json_t *found;   /* `findings` of its suite; or NULL */
    json_t *costs;   /* of all its tests, to detect changes; or NULL */
    bool has_report; /* has a page of its own */
};

struct campaign {
    BASE_VECTOR(struct campaign_target) targets;
    double seconds; /* wall time of all sessions */
    uint64_t slices;
};
void campaign_done(struct campaign *campaign);

/* ---- file.c: the user's file ---- */

/* On failure BASE_USAGE and "FILE:LINE: what is wrong". */
bool campaign_read(const char *path, struct campaign *campaign, struct base_error *error);
bool campaign_parse(const char *path, const char *text, struct campaign *campaign,
                    struct base_error *error);

/* ---- choose.c: the next target ---- */

#define CAMPAIGN_NONE SIZE_MAX

struct campaign_slice { /* the gain of one slice */
    double seconds;
    double best;
    uint64_t tests, findings;
    bool has_new_test; /* some test is new */
    bool is_complete;
};
/* The target of the next slice, among open ones that are not running. */
size_t campaign_choose(const struct campaign *campaign, uint64_t seed);
/* The length of its next slice if so many seconds are left; FIRST is the length of a target's
 * first. */
double campaign_slice_seconds(const struct campaign_target *target, double first, double left);
void campaign_book(struct campaign *campaign, size_t index, const struct campaign_slice *slice);

/* ---- record.c: the state for programs ---- */

json_t *campaign_json(const struct campaign *campaign, const char *state);
/* Takes over what an earlier session knew about targets that have not changed. */
bool campaign_load(struct campaign *campaign, const char *path, struct base_error *error);
/* A hash of a target's command line, to detect changes. */
void campaign_hash(const struct campaign_target *target, char hash[33]);
const char *campaign_status_name(const struct campaign_target *target);

/* ---- page.c: ... and for people ---- */

/* IS_OVER: nothing will change any more. */
void campaign_page(const struct campaign *campaign, const char *title, bool is_over,
                   struct base_buffer *out);
void campaign_print(const struct campaign *campaign, FILE *out);

#endif
