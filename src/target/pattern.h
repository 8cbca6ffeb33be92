/* SPDX-License-Identifier: Apache-2.0
 *
 * Patterns: inputs of any size from a few short pieces. A pattern is a value; the number of
 * repetitions, k, determines its size.
 */
#ifndef SLOWPATH_TARGET_PATTERN_H
#define SLOWPATH_TARGET_PATTERN_H

#include "base/base.h"

/* KIND(identifier, "name", "what it writes between the prefix and the suffix") */
#define TARGET_PATTERN_KINDS(KIND)                                                                 \
    KIND(REPEAT, "repeat", "the unit k times")                                                     \
    KIND(NEST, "nest", "the unit k times, the middle, the other k times")                          \
    KIND(BLOCKS, "blocks", "the unit k times, then about as many bytes of the other")              \
    KIND(GRID, "grid", "k times: the unit, then the other k times")

enum target_pattern_kind {
#define KIND(id, name, text) TARGET_PATTERN_##id,
    TARGET_PATTERN_KINDS(KIND)
#undef KIND
        TARGET_PATTERN_KIND_COUNT
};

/* PIECE(identifier), in the order in which they are written */
#define TARGET_PATTERN_PIECES(PIECE)                                                               \
    PIECE(prefix)                                                                                  \
    PIECE(unit)                                                                                    \
    PIECE(middle)                                                                                  \
    PIECE(other)                                                                                   \
    PIECE(suffix)

#define TARGET_PIECE_BYTES 48
#define TARGET_NO_HOLE 255

struct target_piece {
    uint8_t bytes[TARGET_PIECE_BYTES]; /* bytes beyond SIZE are 0 */
    uint8_t size;
    /* Position of the running number, or TARGET_NO_HOLE; only in the unit and the other piece. */
    uint8_t hole;
};

struct target_pattern {
    uint8_t kind;
    uint8_t letters; /* write numbers with the letters a to j */
    uint8_t copies;  /* copies of the whole: 1 or 2 */
    struct target_piece prefix, unit, middle, other, suffix; /* a grid has no middle */
};

/* A pattern of that kind with empty pieces. */
struct target_pattern target_pattern_empty(enum target_pattern_kind kind);
/* Does the kind use the other piece? */
bool target_pattern_has_other(const struct target_pattern *pattern);

uint64_t target_pattern_size(const struct target_pattern *pattern, uint64_t k);
/* The most repetitions that fit into SIZE bytes; 0: not even one does. */
uint64_t target_pattern_fit(const struct target_pattern *pattern, uint64_t size);
/* Running numbers get longer, so the size grows a little faster than the number of repetitions.
 * This is the size as if each number had one digit, and back; without numbers, the size itself. */
double target_pattern_even(const struct target_pattern *pattern, double size);
double target_pattern_uneven(const struct target_pattern *pattern, double even);
/* Appends the bytes. */
void target_pattern_write(const struct target_pattern *pattern, uint64_t k,
                          struct base_buffer *out);
/* The same with a separate number of repetitions of the other piece; by default ..._others(). */
void target_pattern_write_two(const struct target_pattern *pattern, uint64_t units, uint64_t others,
                              struct base_buffer *out);
uint64_t target_pattern_others(const struct target_pattern *pattern, uint64_t k);

/* One line of ASCII: repeat prefix="{" unit="\"k\#\":0," suffix="}"; \# is the running number. */
void target_pattern_print(const struct target_pattern *pattern, struct base_buffer *out);
void target_piece_print(const struct target_piece *piece, struct base_buffer *out);
const char *target_pattern_kind_name(const struct target_pattern *pattern);
bool target_pattern_parse(const char *text, struct target_pattern *pattern);
/* A shell command that writes the same bytes as target_pattern_write. */
void target_pattern_shell(const struct target_pattern *pattern, uint64_t k,
                          struct base_buffer *out);

#endif
