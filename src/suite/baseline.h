/* SPDX-License-Identifier: Apache-2.0
 *
 * A baseline: what the tests of a suite may cost, as a text file next to suite.json, committed with
 * it. It has one line per test and per finding; the first line lists what the counts depend on
 * besides the program.
 */
#ifndef SLOWPATH_SUITE_BASELINE_H
#define SLOWPATH_SUITE_BASELINE_H

#include "measure/growth.h"
#include "suite/suite.h"

#define SUITE_BASELINE "baseline.txt"

struct suite_price {
    char *name; /* name of a measure */
    double cost;
};

struct suite_line {     /* of a test */
    char *file, *input; /* INPUT: a hash of its bytes */
    BASE_VECTOR(struct suite_price) prices;
    char *law; /* "O(n^2)"; or NULL */
    double exponent;
};

struct suite_known { /* a finding */
    char *fingerprint, *law, *function;
};

struct suite_baseline {
    char *key; /* compiler, flags, version of the counters, weights */
    BASE_VECTOR(struct suite_line) lines;
    BASE_VECTOR(struct suite_known) findings;
};

/* PATH is used in messages. */
bool suite_baseline_parse(const char *text, const char *path, struct suite_baseline *baseline,
                          struct base_error *error);
void suite_baseline_print(const struct suite_baseline *baseline, struct base_buffer *out);
void suite_baseline_done(struct suite_baseline *baseline);
const struct suite_line *suite_baseline_find(const struct suite_baseline *baseline,
                                             const char *file); /* or NULL */
bool suite_baseline_knows(const struct suite_baseline *baseline, const char *fingerprint);
/* Prints the difference as lines that start with + and -; returns their number. */
size_t suite_baseline_compare(const struct suite_baseline *before,
                              const struct suite_baseline *after, struct base_buffer *out);

/* What the counts of this suite depend on; the caller frees it. */
char *suite_key(const struct suite *suite, const char *weights);
/* A hash of the input's bytes. */
void suite_hash_input(const struct suite_item *item, char text[33]);

/* ---- laws ---- */

/* How does the cost of a recipe grow now? Runs it at doubling sizes up to SIZE. */
bool suite_measure_law(struct target *target, const struct measure *measure, const char *recipe,
                       uint64_t size, struct measure_growth *growth, struct base_error *error);
/* Is the second law of a higher class than the first? */
bool suite_is_worse(const char *law, double exponent, const struct measure_growth *now);

#endif
