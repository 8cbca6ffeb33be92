/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a sequence clean? A build of library and harness with sanitizers decides; it may die.
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
    char *harness;         /* the harness it was built with, to detect when it is out of date */
    unsigned milliseconds; /* CPU time limit per sequence */
};

enum api_verdict { API_CLEAN, API_MISUSED, API_TOO_LONG, API_NOT_RUN };
struct api_checked {
    enum api_verdict verdict;
    int function; /* checked_as of the current function; -1: at the end, -2: none yet */
    char reason[64];
    long live;        /* blocks of memory left */
    unsigned calls;   /* of the last statement's function, or the watched one */
    unsigned made;    /* ... and all calls, if it ended well */
    unsigned handles; /* handles returned by those calls */
};

void api_checker_init(struct api_checker *checker, const struct api_library *library);
/* Builds it for all functions that the model calls, unless it is up to date. */
bool api_checker_build(struct api_checker *checker, const struct api_model *model,
                       struct base_error *error);
/* Runs sequences of a model whose functions the build contains (checked_as). RESULTS has one place
 * per sequence; those not reached within SECONDS are not run. */
bool api_checker_run(struct api_checker *checker, const struct api_model *model,
                     const struct api_sequence *sequences, size_t count, double seconds,
                     struct api_checked *results, struct base_error *error);
void api_checker_done(struct api_checker *checker);

/* meanings.c: alternatives for the arguments and the result of a function. */
#define API_MEANINGS 16
uint32_t api_list_meanings(const struct api_model *model, const struct api_function *function,
                           struct api_function meanings[API_MEANINGS]);

/* learn.c: runs short sequences and corrects what the model says about arguments that crash, or
 * removes the function. TOLD gets a line for each thing learnt. */
struct api_lesson {
    size_t sequences; /* sequences run */
    size_t first_bad; /* bad ones among FIRST, with each function alone and as guessed */
    size_t first;
    size_t last_bad, last; /* of the last round */
};
struct api_teacher {
    struct api_checker *checker;
    struct api_random *random;
    bool (*goes_on)(void *context, const char *doing, size_t done, size_t all);
    void *context;
    double seconds; /* at most */
    double more;    /* ... if many sequences are still bad */
    struct api_lesson lesson;
    struct base_buffer told;
};
bool api_learn(struct api_model *model, struct api_teacher *teacher, struct base_error *error);

#endif
