/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of learning: each function with all its meanings, and their results so far.
 */
#ifndef SLOWPATH_API_SCHOOL_H
#define SLOWPATH_API_SCHOOL_H

#include "api/check.h"

struct meaning { /* a function of the wide model */
    uint32_t runs, bad, late, clean, leaks, calls, handles;
    bool makes;      /* a handle, or should make one */
    bool is_refused; /* clean alone, but not among others */
    char reason[64]; /* the first failure */
};
struct pupil {                /* a function of the model */
    uint32_t first, count;    /* its other meanings in the wide model */
    uint32_t chosen;          /* in the wide model */
    bool is_probed, is_known; /* tested; a meaning was chosen */
    bool is_needy;            /* the first meaning was not good */
    bool is_spoiling;         /* fails among others */
    char why[128];            /* the failure before its meaning was chosen, or it was dropped */
};
struct school {
    struct api_model *model;
    struct api_model wide; /* all functions, then their other meanings */
    struct api_teacher *teacher;
    struct pupil *pupils;
    struct meaning *meanings;
    double end;
};
struct lessons { /* sequences to run, and their purpose */
    struct api_sequence *data;
    size_t count, capacity;
};
struct subjects {
    uint32_t *data;
    size_t count, capacity;
};

/* learn.c */
bool api_school_is_over(const struct school *school);
/* The number of a meaning in the wide model: 0 is the first guess. */
uint32_t api_school_meaning(const struct school *school, uint32_t function, uint32_t number);
/* Converts numbers of a view of the wide model into those of the wide model. */
void api_school_rename(const struct school *school, const struct api_model *view,
                       struct api_sequence *sequence);
/* RESULTS has one place for each; DOING is shown to the user. */
bool api_school_run(struct school *school, const char *doing, const struct lessons *lessons,
                    struct api_checked *results, struct base_error *error);
bool api_school_is_destroyer(const struct api_model *model, uint32_t function);

/* mixed.c: all functions together. */
bool api_school_mix(struct school *school, struct base_error *error);

#endif
