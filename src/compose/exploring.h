/* SPDX-License-Identifier: Apache-2.0
 *
 * A summary while it is made: what explore.c, which looks for paths and keeps the best, and
 * ascend.c, which follows them, both know.
 */
#ifndef SLOWPATH_COMPOSE_EXPLORING_H
#define SLOWPATH_COMPOSE_EXPLORING_H

#include "compose/explore.h"
#include "search/core/core.h"

#define EXPLORING_ASKED 1024                /* conjuncts of a path that are negated */
#define EXPLORING_PER_BYTE 200.0            /* what a byte of output is worth to a search */
#define EXPLORING_ROOM ((uint64_t)16 << 20) /* bytes of the inputs that this may give */

struct candidate {
    uint8_t *input;
    double weight;
    uint64_t output_bytes, path;
    bool is_followed; /* its conjuncts were negated */
    bool is_new;      /* it did something that none before it had done */
};

struct exploring {
    const struct compose_program *program;
    const struct compose_settings *settings;
    uint64_t bytes;
    double end;      /* of base_seconds */
    double per_byte; /* what a byte of output is worth */
    bool insists;    /* on a path that writes something: with the first one it is enough */
    struct search_target *target;
    struct target *symbolic;
    struct search_sites sites;
    BASE_VECTOR(struct candidate) candidates;
    struct search_paths paths; /* of the candidates */
    struct search_paths kinds; /* what runs did, roughly: hashes of the counters' magnitudes */
    struct compose_summary *summary;
};

/* seek.c. Can what is before the stage give it that input? */
bool exploring_is_readable(const struct exploring *self, const uint8_t *input, size_t size);
/* Makes the bytes what they are bound to be. */
void exploring_bind(const struct exploring *self, uint8_t *input);
bool exploring_search(struct exploring *self, double seconds, struct base_error *error);

/* What a path is worth: what it writes must be read by the next stage. */
double exploring_value(const struct exploring *self, const struct candidate *candidate);
bool exploring_writes(const struct exploring *self); /* one of its paths does */
/* Adds an input that was run, unless its path is known. */
void exploring_add(struct exploring *self, const void *input, double weight,
                   const struct abi_result *result);

/* Runs COUNT inputs that lie one behind the other; as many as there is time for. */
bool exploring_run(struct exploring *self, const uint8_t *bytes, size_t *count,
                   struct abi_result *results, double *costs, struct base_error *error);

/* Inputs that violate one conjunct of a path and meet those before it. */
struct exploring_others {
    uint8_t *inputs;               /* one behind the other */
    BASE_VECTOR(uint32_t) numbers; /* of the conjuncts that they violate */
};
void exploring_ask(struct exploring *self, struct compose_reading *reading, const uint8_t *input,
                   struct solver *solver, struct exploring_others *others);
void exploring_others_init(struct exploring_others *others, uint64_t bytes);
void exploring_others_done(struct exploring_others *others);

/* ascend.c: from what is there, one decision at a time, for so long. */
bool exploring_ascend(struct exploring *self, double seconds, struct base_error *error);

#endif
