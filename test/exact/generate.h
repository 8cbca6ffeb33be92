/* SPDX-License-Identifier: Apache-2.0
 *
 * Random C programs: small, ending by construction, free of undefined behaviour (signed arithmetic
 * wraps: -fwrapv), and the same for the same seed, features and omissions.
 *
 * A program is written as functions and tables with a prefix of its own, so that many of them share
 * a module. Its statements and inner expressions are numbered; one that is left out is drawn like
 * the others but not printed, so all the rest stays as it is. That is all that shrinking needs.
 */
#ifndef SLOWPATH_EXACT_GENERATE_H
#define SLOWPATH_EXACT_GENERATE_H

#include "base/base.h"

/* FEATURE(IDENTIFIER, "name"): `base` is in every program. */
#define EXACT_FEATURES(FEATURE)                                                                    \
    FEATURE(BASE, "base")                                                                          \
    FEATURE(MEMORY, "memory")                                                                      \
    FEATURE(POINTERS, "pointers")                                                                  \
    FEATURE(FLOAT, "float")                                                                        \
    FEATURE(LIBRARY, "library")                                                                    \
    FEATURE(FOREIGN, "foreign")                                                                    \
    FEATURE(HEAP, "heap")                                                                          \
    FEATURE(STDIN, "stdin")                                                                        \
    FEATURE(FILE, "file")                                                                          \
    FEATURE(ENTRY, "entry")                                                                        \
    FEATURE(AGAIN, "again")

enum exact_feature {
#define FEATURE(id, name) EXACT_##id,
    EXACT_FEATURES(FEATURE)
#undef FEATURE
        EXACT_FEATURE_COUNT
};
#define EXACT_HAS(features, id) (((features) >> EXACT_##id) & 1u)
/* These read their input themselves, so they are programs with a main. */
#define EXACT_QUESTIONS 3 /* with AGAIN: functions of the input that are asked again and again */
/* These are called as a function, whose argument the driver makes; all others are a harness. */
#define EXACT_ENTRY_TEXT "enter(in[n + 0*program], program)"
#define EXACT_READS(features) (EXACT_HAS(features, STDIN) || EXACT_HAS(features, FILE))

/* All inputs of so many bytes from low to high. */
struct exact_domain {
    uint32_t bytes, low, high;
};
uint64_t exact_domain_size(const struct exact_domain *domain);

struct exact_program {
    uint64_t seed;
    uint32_t features; /* a bit for each */
    const uint8_t *without;
    uint32_t without_count; /* of the items that WITHOUT tells of; all others are there */
};

/* How large is the domain of the program? */
struct exact_domain exact_choose_domain(const struct exact_program *program);
/* Writes the program as function pN_run with all that it needs; gives the number of its items. */
uint32_t exact_write_program(const struct exact_program *program, uint32_t number,
                             struct base_buffer *source);
/* A module of programs, of which the size "program" selects one. They all read, or none does. */
void exact_write_module(const struct exact_program *programs, uint32_t count,
                        struct base_buffer *source);

/* ---- shared by the files that write a program ---- */

enum { EXACT_VARIABLES = 6, EXACT_LOOPS = 2, EXACT_NAMES = 16 };

struct exact_generator {
    struct base_buffer *out;
    const struct exact_program *program;
    uint64_t state;   /* of the random numbers */
    uint32_t item;    /* the next one's number */
    uint32_t muted;   /* items around this place that are left out */
    uint32_t number;  /* of the program in its module */
    uint32_t loops;   /* made so far: names of their counters */
    uint32_t nested;  /* loops around this place */
    uint32_t helpers; /* functions that may be called from here */
    bool is_helper;   /* this is one: no locals of the program */
    char readable[EXACT_NAMES][8];
    uint32_t readable_count, writable_count; /* the first of them may be assigned to */
    struct exact_domain domain;
};

struct exact_type {
    const char *name;
    uint32_t bits; /* of _Bool: 1 */
    bool is_signed;
};
const struct exact_type *exact_pick_type(struct exact_generator *g);

uint32_t exact_pick(struct exact_generator *g, uint32_t count); /* below COUNT */
bool exact_has(const struct exact_generator *g, enum exact_feature feature);
void exact_say(struct exact_generator *g, const char *format, ...) BASE_PRINTF(2, 3);
/* True: the item is left out, and nothing is printed until it ends. */
bool exact_item_begin(struct exact_generator *g);
void exact_item_end(struct exact_generator *g, bool is_out);

/* An integer; MASK: one from 0 to MASK. Depth 0 is a leaf. */
void exact_say_value(struct exact_generator *g, uint32_t depth);
void exact_say_masked(struct exact_generator *g, uint32_t depth, uint32_t mask);
void exact_say_constant(struct exact_generator *g);
void exact_say_real(struct exact_generator *g, uint32_t depth);
void exact_say_statements(struct exact_generator *g, uint32_t count, uint32_t depth);
const char *exact_pick_variable(struct exact_generator *g); /* that may be assigned to */

/* An integer from, or a statement with, library functions, heap, or readers. */
void exact_say_library_value(struct exact_generator *g, uint32_t depth);
void exact_say_library(struct exact_generator *g);
void exact_say_foreign_value(struct exact_generator *g, uint32_t depth);
void exact_say_foreign(struct exact_generator *g);
void exact_say_heap(struct exact_generator *g);
void exact_say_reader(struct exact_generator *g);
extern const char exact_library_prelude[], exact_reader_prelude[];

#endif
