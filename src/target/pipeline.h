/* SPDX-License-Identifier: Apache-2.0
 *
 * A pipeline in shell syntax, parsed: its programs with their arguments, and which of them reads
 * whose output. Nothing is looked up or run here.
 */
#ifndef SLOWPATH_TARGET_PIPELINE_H
#define SLOWPATH_TARGET_PIPELINE_H

#include "base/base.h"

#define TARGET_MOST_STAGES 16
#define TARGET_FIRST SIZE_MAX /* reads the input of the whole pipeline */

struct target_stage {
    struct base_strings words; /* the program and its arguments */
    char *text;                /* as written */
    size_t column;             /* its start in the text of the pipeline */
    size_t from;               /* the stage whose output it reads, always an earlier one */
    /* `xargs -I`: one run per line of its input; the line replaces the mark. */
    bool is_per_line;
    size_t hole;           /* the word with the mark, from 1; 0: none */
    char *before, *behind; /* the parts of that word around it */
};

struct target_pipeline {
    char *text;
    BASE_VECTOR(struct target_stage) stages; /* each after the stage that it reads */
    size_t file_first, file_end;             /* position in the text */
    char *file;                              /* file named by `<`, a first input; or NULL */
};

/* Supports words, quotes and backslashes, `|`, `tee >(a) >(b)`, `xargs -I{} cmd {}`, and `<file`
 * for the first program. Any other shell syntax is BASE_USAGE, with a caret at the place. */
bool target_pipeline_parse(const char *text, struct target_pipeline *pipeline,
                           struct base_error *error);
void target_pipeline_done(struct target_pipeline *pipeline);
/* Fails with WHAT and a caret under the first word of a stage. */
bool target_pipeline_blame(const struct target_pipeline *pipeline, size_t stage,
                           enum base_exit code, const char *what, struct base_error *error);

/* The lines of an input as xargs -I reads them: without leading blanks, with quotes and backslashes
 * processed, and without empty ones. Appends one to LINE and moves *AT behind it. False at the end,
 * or at an unclosed quote, where xargs gives up. */
bool target_next_line(const char *text, size_t size, size_t *at, struct base_buffer *line);

#endif
