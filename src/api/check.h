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
    char *harness;    /* that it was built with, to know when it is out of date */
    bool finds_leaks; /* memory that is left behind is misuse, too */
    bool cannot_find; /* ... but the leak sanitizer does not work here */
};

enum api_verdict { API_CLEAN, API_MISUSED, API_TOO_LONG };
struct api_checked {
    enum api_verdict verdict;
    int function; /* number that was under way; -1: the end, -2: nothing yet */
    char reason[64];
};

void api_checker_init(struct api_checker *checker, const struct api_library *library);
/* Builds it for the model as it is now, unless that has been done. */
bool api_checker_build(struct api_checker *checker, const struct api_model *model,
                       struct base_error *error);
/* RESULTS has one place for each sequence. */
bool api_checker_run(struct api_checker *checker, const struct api_sequence *sequences,
                     size_t count, struct api_checked *results, struct base_error *error);
void api_checker_done(struct api_checker *checker);

/* learn.c: runs short sequences and changes what the model says about arguments that crash, or
 * takes the function out. TOLD gets a line for each thing learnt. */
struct api_lesson {
    size_t sequences; /* that were run */
    size_t first_bad; /* of the first round, in which there were FIRST */
    size_t first;
    size_t last_bad, last; /* of the last round */
};
bool api_learn(struct api_model *model, struct api_checker *checker, struct api_random *random,
               struct api_lesson *lesson, struct base_buffer *told, struct base_error *error);

#endif
