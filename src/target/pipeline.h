/* SPDX-License-Identifier: Apache-2.0
 *
 * A pipeline as a shell writes it, taken apart: which programs there are, with which arguments, and
 * whose output each of them reads. Nothing is looked up or run here.
 */
#ifndef SLOWPATH_TARGET_PIPELINE_H
#define SLOWPATH_TARGET_PIPELINE_H

#include "base/base.h"

#define TARGET_MOST_STAGES 16
#define TARGET_FIRST SIZE_MAX /* reads the input of the whole pipeline */

struct target_stage {
    struct base_strings words; /* the program and its arguments */
    char *text;                /* as it was written */
    size_t column;             /* where it begins in the text of the pipeline */
    size_t from;               /* the stage whose output it reads, always an earlier one */
    /* `xargs -I`: one run for each line of its input, which takes the place of the mark. */
    bool is_per_line;
    size_t hole;           /* the word that has the mark, from 1; 0: none has */
    char *before, *behind; /* the parts of that word around it */
};

struct target_pipeline {
    char *text;
    BASE_VECTOR(struct target_stage) stages; /* in an order in which they can be run */
    size_t file_first, file_end;             /* where the text says so */
    char *file; /* what `<` names: an input to start with; NULL: none */
};

/* Words, quotes and backslashes, `|`, `tee >(a) >(b)`, `xargs -I{} cmd {}`, and `<file` for the
 * first program. All else that means something to a shell is BASE_USAGE, with a caret at the place.
 */
bool target_pipeline_parse(const char *text, struct target_pipeline *pipeline,
                           struct base_error *error);
void target_pipeline_done(struct target_pipeline *pipeline);
/* Fails with WHAT and a caret under the first word of a stage. */
bool target_pipeline_blame(const struct target_pipeline *pipeline, size_t stage,
                           enum base_exit code, const char *what, struct base_error *error);

/* The lines of an input as xargs -I takes them: without leading blanks, quotes and backslashes
 * taken out; empty ones are skipped. One is appended to LINE, *AT moves behind it. False: there is
 * none left, or a quote is not closed, at which xargs gives up. */
bool target_next_line(const char *text, size_t size, size_t *at, struct base_buffer *line);

#endif
