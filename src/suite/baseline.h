/* SPDX-License-Identifier: Apache-2.0
 *
 * A baseline: what the tests of a suite may cost, as a text file that lies beside suite.json and is
 * committed with it. One line for each test and one for each finding; the first says what the
 * counts depend on besides the program.
 */
#ifndef SLOWPATH_SUITE_BASELINE_H
#define SLOWPATH_SUITE_BASELINE_H

#include "measure/growth.h"
#include "suite/suite.h"

#define SUITE_BASELINE "baseline.txt"

struct suite_price {
    char *name; /* of a measure */
    double cost;
};

struct suite_line {     /* of a test */
    char *file, *input; /* INPUT: a hash of its bytes */
    BASE_VECTOR(struct suite_price) prices;
    char *law; /* "O(n^2)"; NULL: none is known */
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

/* PATH is for messages. */
bool suite_baseline_parse(const char *text, const char *path, struct suite_baseline *baseline,
                          struct base_error *error);
void suite_baseline_print(const struct suite_baseline *baseline, struct base_buffer *out);
void suite_baseline_done(struct suite_baseline *baseline);
const struct suite_line *suite_baseline_find(const struct suite_baseline *baseline,
                                             const char *file); /* or NULL */
bool suite_baseline_knows(const struct suite_baseline *baseline, const char *fingerprint);
/* The difference in lines that begin with + and -; how many there are. */
size_t suite_baseline_compare(const struct suite_baseline *before,
                              const struct suite_baseline *after, struct base_buffer *out);

/* What the counts of this suite depend on; the caller frees it. */
char *suite_key(const struct suite *suite, const char *weights);
/* Names the bytes of an input. */
void suite_hash_input(const struct suite_item *item, char text[33]);

/* ---- laws ---- */

/* How does the cost of a recipe grow today? Runs it at sizes that double up to SIZE. */
bool suite_measure_law(struct target *target, const struct measure *measure, const char *recipe,
                       uint64_t size, struct measure_growth *growth, struct base_error *error);
/* Is the second law of a higher class than the first? */
bool suite_is_worse(const char *law, double exponent, const struct measure_growth *now);

#endif
