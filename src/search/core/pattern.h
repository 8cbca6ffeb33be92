/* SPDX-License-Identifier: Apache-2.0
 *
 * Patterns: inputs of any size from a few short pieces. A pattern is a value; its number of
 * repetitions, k, is what makes it large.
 */
#ifndef SLOWPATH_SEARCH_PATTERN_H
#define SLOWPATH_SEARCH_PATTERN_H

#include "base/base.h"

/* KIND(identifier, "name", "what it writes between the prefix and the suffix") */
#define SEARCH_PATTERN_KINDS(KIND)                                                                 \
    KIND(REPEAT, "repeat", "the unit k times")                                                     \
    KIND(NEST, "nest", "the unit k times, the middle, the other k times")                          \
    KIND(BLOCKS, "blocks", "the unit k times, then about as many bytes of the other")              \
    KIND(GRID, "grid", "k times: the unit, then the other k times")

enum search_pattern_kind {
#define KIND(id, name, text) SEARCH_PATTERN_##id,
    SEARCH_PATTERN_KINDS(KIND)
#undef KIND
        SEARCH_PATTERN_KIND_COUNT
};

/* PIECE(identifier), in the order in which they are written */
#define SEARCH_PATTERN_PIECES(PIECE)                                                               \
    PIECE(prefix)                                                                                  \
    PIECE(unit)                                                                                    \
    PIECE(middle)                                                                                  \
    PIECE(other)                                                                                   \
    PIECE(suffix)

#define SEARCH_PIECE_BYTES 48
#define SEARCH_NO_HOLE 255

struct search_piece {
    uint8_t bytes[SEARCH_PIECE_BYTES]; /* those beyond SIZE are 0 */
    uint8_t size;
    uint8_t hole; /* a running number goes before this byte; SEARCH_NO_HOLE. Only in the unit and
                     the other */
};

struct search_pattern {
    uint8_t kind;
    uint8_t letters; /* numbers are written with a to j */
    uint8_t copies;  /* the whole is written so many times: 1 or 2 */
    struct search_piece prefix, unit, middle, other, suffix; /* a grid has no middle */
};

/* A pattern of one kind without a byte. */
struct search_pattern search_pattern_empty(enum search_pattern_kind kind);
/* Does the kind use the other piece? */
bool search_pattern_has_other(const struct search_pattern *pattern);

uint64_t search_pattern_size(const struct search_pattern *pattern, uint64_t k);
/* The most repetitions that fit into SIZE bytes; 0: not even one does. */
uint64_t search_pattern_fit(const struct search_pattern *pattern, uint64_t size);
/* Appends the bytes. */
void search_pattern_write(const struct search_pattern *pattern, uint64_t k,
                          struct base_buffer *out);

/* One line of ASCII: repeat prefix="{" unit="\"k\#\":0," suffix="}"; \# is the running number. */
void search_pattern_print(const struct search_pattern *pattern, struct base_buffer *out);
bool search_pattern_parse(const char *text, struct search_pattern *pattern);
/* A line for a shell that writes the same bytes as search_pattern_write. */
void search_pattern_shell(const struct search_pattern *pattern, uint64_t k,
                          struct base_buffer *out);

#endif
