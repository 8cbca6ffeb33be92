/* SPDX-License-Identifier: Apache-2.0
 *
 * Making a summary: which paths of one program are costly, at one size of its input?
 */
#ifndef SLOWPATH_COMPOSE_EXPLORE_H
#define SLOWPATH_COMPOSE_EXPLORE_H

#include "compose/summary.h"

struct compose_program { /* a stage by itself; all of it is borrowed */
    struct target_options target;
    const char *command; /* for people */
    const char *key;     /* names the program, all of its code and data */
    const struct ir_facts *facts;
    bool is_read; /* another stage reads what it writes */
    bool is_line; /* its input is an argument that xargs makes of a line */
};

/* What some bytes of an input are bound to be: those that the stage before writes whatever it
 * reads. */
struct compose_frame {
    uint8_t *values, *is_bound; /* by byte */
    size_t size;
};

struct compose_settings {
    const char *measure;
    const struct measure_weights *weights;
    const char *weights_text;            /* NULL: the usual ones */
    const struct search_options *search; /* of beam and of the solver, and the seed */
    size_t jobs;
    double end;                        /* of base_seconds: whatever is under way ends */
    const struct target_input *starts; /* inputs of any size that may be worth something, for the
                                          next summary */
    size_t start_count;
    const struct compose_frame *frame; /* of the next summary; NULL: every byte is free */
};

/* What names the summary of a program at a size. */
void compose_name(const struct compose_program *program, const struct compose_settings *settings,
                  uint64_t bytes, char key[33]);
/* Makes it in SECONDS or so. An empty summary is one that has no path. SMALL is one of a smaller
 * size whose inputs, repeated, are a part of the search; NULL: there is none. */
bool compose_explore(const struct compose_program *program, const struct compose_settings *settings,
                     uint64_t bytes, const struct compose_summary *small, double seconds,
                     struct compose_summary *summary, struct base_error *error);

/* The whole pipeline as one program: from INPUTS, one decision at a time through all stages. The
 * costliest inputs are FOUND, and belong to the caller. */
struct compose_one {
    uint8_t *input;
    double cost;
};
struct compose_found {
    struct compose_one *data; /* room for `most` */
    size_t count, most;
};
bool compose_polish(const struct compose_program *program, const struct compose_settings *settings,
                    uint64_t bytes, const uint8_t *const *inputs, size_t count, double seconds,
                    struct compose_found *found, struct base_error *error);

#endif
