/* SPDX-License-Identifier: Apache-2.0
 *
 * Making a summary: which paths of one program are costly, at one size of its input?
 */
#ifndef SLOWPATH_COMPOSE_EXPLORE_H
#define SLOWPATH_COMPOSE_EXPLORE_H

#include "compose/summary.h"

struct compose_program { /* a single stage; all of it is borrowed */
    struct target_options target;
    const char *command; /* for messages */
    const char *key;     /* identifies the program's code and data */
    const struct ir_facts *facts;
    bool is_read; /* another stage reads its output */
    bool is_line; /* its input is an argument that xargs makes from a line */
};

/* Bytes of an input that are fixed, because the previous stage always writes them. */
struct compose_frame {
    uint8_t *values, *is_bound; /* by byte */
    size_t size;
};

struct compose_settings {
    const char *measure;
    const struct measure_weights *weights;
    const char *weights_text;            /* NULL: the default ones */
    const struct search_options *search; /* options of the beam and of the solver, and the seed */
    size_t jobs;
    double end;                        /* time of base_seconds at which everything ends */
    const struct target_input *starts; /* inputs of any size that the next summary may start from */
    size_t start_count;
    const struct compose_frame *frame; /* of the next summary; NULL: every byte is free */
};

/* Computes the key of a program's summary at a size. */
void compose_name(const struct compose_program *program, const struct compose_settings *settings,
                  uint64_t bytes, char key[33]);
/* Makes it in about SECONDS. An empty summary has no path. SMALL is one of a smaller size, whose
 * repeated inputs are starting points; NULL: there is none. */
bool compose_explore(const struct compose_program *program, const struct compose_settings *settings,
                     uint64_t bytes, const struct compose_summary *small, double seconds,
                     struct compose_summary *summary, struct base_error *error);

/* Treats the whole pipeline as one program: explores from INPUTS, one decision at a time through
 * all stages. The costliest inputs are FOUND, and belong to the caller. */
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
