/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a sequence clean? A build of library and harness with sanitizers tells; it may die.
 */
#ifndef SLOWPATH_API_CHECK_H
#define SLOWPATH_API_CHECK_H

#include "api/sequence.h"

struct api_library { /* the files, as the user named them */
    const char *const *paths;
    size_t path_count;
    const char *const *cflags;
    size_t cflag_count;
};

struct api_checker {
    struct api_library library;
    char *folder; /* private */
    char *program;
    char *harness;         /* that it was built with, to know when it is out of date */
    unsigned milliseconds; /* that a sequence may compute */
};

enum api_verdict { API_CLEAN, API_MISUSED, API_TOO_LONG, API_NOT_RUN };
struct api_checked {
    enum api_verdict verdict;
    int function; /* checked_as of the one that was under way; -1: the end, -2: nothing yet */
    char reason[64];
    long live;        /* blocks of memory that are left */
    unsigned calls;   /* of the last statement's function, or the one that is watched */
    unsigned made;    /* ... and all, of one that ended well */
    unsigned handles; /* that came of those calls */
};

void api_checker_init(struct api_checker *checker, const struct api_library *library);
/* Builds it for all functions that the model calls, unless that has been done. */
bool api_checker_build(struct api_checker *checker, const struct api_model *model,
                       struct base_error *error);
/* Sequences of a model whose functions the build knows (checked_as). RESULTS has one place for each
 * sequence; those that are not reached in so many seconds are not run. */
bool api_checker_run(struct api_checker *checker, const struct api_model *model,
                     const struct api_sequence *sequences, size_t count, double seconds,
                     struct api_checked *results, struct base_error *error);
void api_checker_done(struct api_checker *checker);

/* meanings.c: what else the arguments and the result of a function may be. */
#define API_MEANINGS 16
uint32_t api_list_meanings(const struct api_model *model, const struct api_function *function,
                           struct api_function meanings[API_MEANINGS]);

/* learn.c: runs short sequences and changes what the model says about arguments that crash, or
 * takes the function out. TOLD gets a line for each thing learnt. */
struct api_lesson {
    size_t sequences; /* that were run */
    size_t first_bad; /* of each function alone, as it was guessed, in which there were FIRST */
    size_t first;
    size_t last_bad, last; /* of the last round */
};
struct api_teacher {
    struct api_checker *checker;
    struct api_random *random;
    bool (*goes_on)(void *context, const char *doing, size_t done, size_t all);
    void *context;
    double seconds; /* at most */
    double more;    /* ... if many sequences are bad still */
    struct api_lesson lesson;
    struct base_buffer told;
};
bool api_learn(struct api_model *model, struct api_teacher *teacher, struct base_error *error);

#endif
