/* SPDX-License-Identifier: Apache-2.0
 *
 * A summary in the making: the state shared by explore.c, which keeps the best paths, and the
 * searches for paths in seek.c and ascend.c.
 */
#ifndef SLOWPATH_COMPOSE_EXPLORING_H
#define SLOWPATH_COMPOSE_EXPLORING_H

#include "compose/explore.h"
#include "search/core/core.h"

#define EXPLORING_ASKED 1024                /* conjuncts of a path that are negated, at most */
#define EXPLORING_PER_BYTE 200.0            /* value of a byte of output, in a search for output */
#define EXPLORING_ROOM ((uint64_t)16 << 20) /* bytes of the resulting inputs, at most */

struct candidate {
    uint8_t *input;
    double weight;
    uint64_t output_bytes, path;
    bool is_followed; /* its conjuncts have been negated */
    bool is_new;      /* it did something that no earlier one did */
};

struct exploring {
    const struct compose_program *program;
    const struct compose_settings *settings;
    uint64_t bytes;
    double end;      /* of base_seconds */
    double per_byte; /* value of a byte of output */
    bool insists;    /* on a path with output: ends with the first one */
    struct search_target *target;
    struct target *symbolic;
    struct search_sites sites;
    BASE_VECTOR(struct candidate) candidates;
    struct search_paths paths; /* of the candidates */
    struct search_paths kinds; /* what runs did, roughly: hashes of counters' magnitudes */
    struct compose_summary *summary;
};

/* seek.c. Can this be the input of the stage? If it runs once per line, xargs must keep it
 * unchanged. */
bool exploring_is_readable(const struct exploring *self, const uint8_t *input, size_t size);
/* Sets the fixed bytes. */
void exploring_bind(const struct exploring *self, uint8_t *input);
bool exploring_search(struct exploring *self, double seconds, struct base_error *error);

/* The value of a path: the weight, plus its output, which the next stage must read. */
double exploring_value(const struct exploring *self, const struct candidate *candidate);
bool exploring_writes(const struct exploring *self); /* one of its paths has output */
/* Adds an input that was run, unless its path is already known. */
void exploring_add(struct exploring *self, const void *input, double weight,
                   const struct abi_result *result);

/* Runs COUNT consecutive inputs, or as many as there is time for. */
bool exploring_run(struct exploring *self, const uint8_t *bytes, size_t *count,
                   struct abi_result *results, double *costs, struct base_error *error);

/* Inputs that violate one conjunct of a path and meet those before it. */
struct exploring_others {
    uint8_t *inputs;               /* consecutive */
    BASE_VECTOR(uint32_t) numbers; /* of the violated conjuncts */
};
void exploring_ask(struct exploring *self, struct compose_reading *reading, const uint8_t *input,
                   struct solver *solver, struct exploring_others *others);
void exploring_others_init(struct exploring_others *others, uint64_t bytes);
void exploring_others_done(struct exploring_others *others);

/* ascend.c: explores from known paths, one decision at a time, for this long. */
bool exploring_ascend(struct exploring *self, double seconds, struct base_error *error);

#endif
