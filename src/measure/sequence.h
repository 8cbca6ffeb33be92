/* SPDX-License-Identifier: Apache-2.0
 *
 * Formulas for the elements of an array at every size, see sequence.c.
 */
#ifndef SLOWPATH_MEASURE_SEQUENCE_H
#define SLOWPATH_MEASURE_SEQUENCE_H

#include "base/base.h"

/* How the elements of a field are divided into parts, each with a formula of its own. */
struct measure_scheme {
    uint8_t prefix, suffix; /* number of elements at each end that are parts of their own */
    uint8_t modulus;        /* the other elements: every modulus-th belongs together */
    uint8_t from_back;      /* counted from the end */
    uint8_t split;          /* in halves: 1: the first is the smaller one, 2: the larger one */
    /* By rows and columns instead: 1: one part, 2: triangles, 3: and the diagonal above, 4:
     * triangles, first row and column. */
    uint8_t square;
};

#define MEASURE_PARTS 24
struct measure_part { /* base + dx * x + dy * y, or base * 2^x */
    int64_t base, dx, dy;
    bool has_dx, has_dy; /* there were enough elements to find it */
    bool is_geometric;
    uint32_t count;
    int64_t x, y, value; /* its first element */
};

struct measure_form { /* of one field of one input */
    struct measure_scheme scheme;
    unsigned count;
    struct measure_part parts[MEASURE_PARTS];
};
struct measure_schemes { /* all schemes, from simple to complex; a vector */
    struct measure_scheme *data;
    size_t count, capacity;
};
void measure_schemes_init(struct measure_schemes *all);
bool measure_form_describe(const struct measure_scheme *scheme, const int64_t *values, size_t count,
                           struct measure_form *form);

struct measure_law { /* a number that depends on the size: at + (size - from) * above / below */
    int64_t at, from, above, below;
};
struct measure_sequence {
    struct measure_scheme scheme;
    unsigned count;
    struct {
        struct measure_law base, dx, dy;
        bool is_geometric;
    } parts[MEASURE_PARTS];
};
/* The sequence that has these forms at the two sizes. */
bool measure_sequence_through(const struct measure_form *a, int64_t size_a,
                              const struct measure_form *b, int64_t size_b,
                              struct measure_sequence *sequence);
bool measure_sequence_write(const struct measure_sequence *sequence, int64_t size, size_t count,
                            int64_t *values);
void measure_sequence_print(const struct measure_sequence *sequence, const char *field,
                            const char *size, bool is_array, bool is_char, struct base_buffer *out);

#endif
