/* SPDX-License-Identifier: Apache-2.0
 *
 * campaign: many targets under one budget. A file names them; each has its own suite, and is
 * searched in slices of time that go to those that still bring something. Who runs a slice is not
 * decided here: the command line starts a process for each.
 */
#ifndef SLOWPATH_CAMPAIGN_H
#define SLOWPATH_CAMPAIGN_H

#include "base/base.h"
#include <jansson.h>

enum campaign_status {
    CAMPAIGN_OPEN,     /* may have further slices */
    CAMPAIGN_COMPLETE, /* nothing is left to find */
    CAMPAIGN_FAILED    /* PROBLEM says why */
};

struct campaign_target {
    /* From the file. */
    char *name;
    struct base_strings words; /* of the command line behind `slowpath run` */
    unsigned line;
    bool is_whole; /* it cannot be resumed: one slice, which is all of it */

    /* What became of it. */
    enum campaign_status status;
    bool is_running;
    uint64_t slices;
    double seconds;        /* of all slices */
    double points, weight; /* what they brought and how many they were, older ones less */
    double best;           /* cost of the costliest test */
    uint64_t tests, findings;
    unsigned deaths; /* slices in a row whose process died */
    char *problem;   /* NULL: none */
    json_t *found;   /* `findings` of its suite; NULL: none */
    json_t *costs;   /* of all its tests, to see whether they are others; NULL: none */
    bool has_report; /* a page of its own */
};

struct campaign {
    BASE_VECTOR(struct campaign_target) targets;
    double seconds; /* wall time of all sessions */
    uint64_t slices;
};
void campaign_done(struct campaign *campaign);

/* ---- file.c: what the user writes ---- */

/* BASE_USAGE and "FILE:LINE: what is wrong" on failure. */
bool campaign_read(const char *path, struct campaign *campaign, struct base_error *error);
bool campaign_parse(const char *path, const char *text, struct campaign *campaign,
                    struct base_error *error);

/* ---- choose.c: who is next? ---- */

#define CAMPAIGN_NONE SIZE_MAX

struct campaign_slice { /* what one brought */
    double seconds;
    double best;
    uint64_t tests, findings;
    bool has_new_test; /* any test is another than before */
    bool is_complete;
};
/* The target whose slice is next, of those that do not run and are open. */
size_t campaign_choose(const struct campaign *campaign, uint64_t seed);
/* How long it is to be, of so many seconds that are left; FIRST is for the first of a target. */
double campaign_slice_seconds(const struct campaign_target *target, double first, double left);
void campaign_book(struct campaign *campaign, size_t index, const struct campaign_slice *slice);

/* ---- record.c: what there is, for programs ---- */

json_t *campaign_json(const struct campaign *campaign, const char *state);
/* Takes over what an earlier session knew of targets that are the same now. */
bool campaign_load(struct campaign *campaign, const char *path, struct base_error *error);
/* Names the command line of a target, so that a changed one is noticed. */
void campaign_hash(const struct campaign_target *target, char hash[33]);
const char *campaign_status_name(const struct campaign_target *target);

/* ---- page.c: ... and for people ---- */

/* IS_OVER: nothing will change any more. */
void campaign_page(const struct campaign *campaign, const char *title, bool is_over,
                   struct base_buffer *out);
void campaign_print(const struct campaign *campaign, FILE *out);

#endif
