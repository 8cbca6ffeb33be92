/* SPDX-License-Identifier: Apache-2.0
 *
 * A test program as data: statements that call a function once, a fixed number of times, or n times
 * with an index. driver.inc decodes this layout.
 */
#ifndef SLOWPATH_API_SEQUENCE_H
#define SLOWPATH_API_SEQUENCE_H

#include "api/model.h"

#define API_STATEMENTS 24 /* per sequence */

enum api_repeat { API_ONCE, API_N_TIMES, API_COUNTED };
enum api_number { /* of an argument, with the index i of the loop: the low bits of its mode */
                  API_CONSTANT, /* base */
                  API_COUNTER,  /* base + step * i */
                  API_LAST,     /* base + step * (n - 1) */
                  API_WHOLE,    /* base + step * n */
                  API_SCATTERED,
                  API_BACKWARDS, /* base + step * (n - 1 - i) */
                  API_CYCLE,     /* base + i % (step + 1) */
                  API_STEPS      /* base + i / (step + 1) */
};
enum api_index { /* of an index or position: the same bits */
                 API_INDEX_FIRST,
                 API_INDEX_LAST,
                 API_INDEX_MIDDLE,
                 API_INDEX_EACH, /* one after the other */
                 API_INDEX_ENDS  /* the last and the first in turns */
};
enum api_shape {          /* of a text: the next bits of its mode */
                 API_KEY, /* "k0000012" of the number */
                 API_RUN, /* aaaa, of length n */
                 API_ALTERNATING,
                 API_SHORT_RUN,
                 API_WORD, /* that the library knows */
                 API_ALPHABET,
                 API_LAST_DIFFERS,
                 API_FIRST_DIFFERS
};

/* Bit of an array's mode: its last element differs in each iteration. */
#define API_LAST_ELEMENT 8

struct api_argument {
    uint8_t mode, pick;
    int16_t step;
    int32_t base;
};
struct api_statement {
    uint16_t function; /* number among the called functions */
    uint8_t repeat, joined, result, unused[3];
    uint32_t count;
    uint32_t slots; /* four bits per argument that is a handle: see api_sequence_encode */
    struct api_argument arguments[API_ARGUMENTS];
};
struct api_header {
    uint32_t n;
    uint8_t kind, unused;
    uint16_t watched; /* for learning: 1 + a function whose calls are counted */
    uint8_t more[8];
};

struct api_sequence {
    struct api_header header;
    uint32_t count;
    struct api_statement statements[API_STATEMENTS];
};

struct api_random {
    uint64_t state;
};
uint32_t api_random_below(struct api_random *random, uint32_t limit);

/* Makes a sequence whose last statement calls this function once, with everything it needs. */
void api_sequence_make(const struct api_model *model, struct api_random *random, uint32_t function,
                       struct api_sequence *sequence);
/* Changes something before the last statement, or its arguments. */
void api_sequence_mutate(const struct api_model *model, struct api_random *random,
                         struct api_sequence *sequence);
/* Inserts a call of this function before the last one, with what it needs; false: no room. */
bool api_sequence_insert(const struct api_model *model, struct api_random *random,
                         uint32_t function, struct api_sequence *sequence);
/* Joins the start of A and the end of B. */
void api_sequence_cross(const struct api_model *model, struct api_random *random,
                        const struct api_sequence *a, const struct api_sequence *b,
                        struct api_sequence *child);
/* Encodes the first COUNT statements for a harness; the caller frees the bytes. Each handle is
 * given by its slot (1 + slot; NO_SLOT: the call is skipped), so that all iterations of a loop use
 * the same ones, as the C program does. */
#define API_NO_SLOT 15
void api_sequence_encode(const struct api_model *model, const struct api_sequence *sequence,
                         uint32_t count, struct base_buffer *bytes);
bool api_sequence_decode(const struct api_model *model, const void *bytes, size_t size,
                         struct api_sequence *sequence);
/* program_c.c: a stand-alone C program; n is its first argument. COMMAND builds it and becomes its
 * first line. */
void api_sequence_print(const struct api_model *model, const struct api_sequence *sequence,
                        const char *command, struct base_buffer *out);
/* ... and only its statements, for people. */
void api_sequence_recipe(const struct api_model *model, const struct api_sequence *sequence,
                         struct base_buffer *out);

/* alive.c: which handles are alive after some statements, if every maker succeeds. */
#define API_MOST_TYPES 64
struct api_alive {
    bool slots[API_MOST_TYPES][API_SLOTS];      /* of the first types */
    uint16_t owners[API_MOST_TYPES][API_SLOTS]; /* 1 + type * API_SLOTS + slot; 0: none */
};
/* The slot that an argument gets in the harness; -1: none. USED: slots of earlier arguments of this
 * type. OWNER: it must belong to this one, or 0. */
int api_alive_find(const struct api_alive *alive, uint32_t type, unsigned pick, const int *used,
                   size_t used_count, uint16_t owner);
/* FOUND: the slot of each argument that is a handle; -1: none. False: one is missing. */
bool api_alive_find_all(const struct api_alive *alive, const struct api_model *model,
                        const struct api_function *function, const struct api_statement *statement,
                        int found[API_ARGUMENTS]);
/* The same, and applies the call's effects. False: the call is skipped. */
bool api_alive_step(struct api_alive *alive, const struct api_model *model,
                    const struct api_statement *statement, int found[API_ARGUMENTS]);
/* Applies the call's effects, given its handles. */
void api_alive_call(struct api_alive *alive, const struct api_model *model,
                    const struct api_statement *statement, const int found[API_ARGUMENTS]);

#endif
