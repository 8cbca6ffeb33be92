/* SPDX-License-Identifier: Apache-2.0
 *
 * A text with holes: the text is constant, the contents of the holes are searched.
 *
 * A search does not see the text but a vector of choices: one number for each hole with
 * alternatives or decimal numbers, and one for each byte of a hole made of bytes. A number takes 1,
 * 2 or 4 bytes of the vector (little-endian, without gaps), in the order of the holes, and is below
 * the choice's `count`. Rendering replaces the numbers by what they stand for; a number that is too
 * large stands for the last.
 *
 * docs/templates.md has the syntax.
 */
#ifndef SLOWPATH_TARGET_TEMPLATE_H
#define SLOWPATH_TARGET_TEMPLATE_H

#include "base/base.h"

enum target_hole_kind {
    TARGET_WORDS,  /* {{a|b|c}} */
    TARGET_BYTES,  /* {{4*[a-z]}} */
    TARGET_DECIMAL /* {{1..100}} */
};

struct target_word {
    const char *bytes;
    size_t size;
};

struct target_hole {
    enum target_hole_kind kind;
    const char *name;      /* "hole3" for the third, unless the user named it */
    uint32_t first, count; /* its choices */
    BASE_VECTOR(struct target_word) words;
    uint8_t set[256]; /* allowed bytes, as written */
    int64_t low;      /* of decimal numbers */
};

struct target_choice {
    uint32_t offset, width; /* position in the vector, in bytes */
    uint64_t count;         /* number of alternatives */
    uint64_t initial;       /* in the default filling */
};

/* Text, or a hole; a second mention of a hole is another part. */
struct target_part {
    struct target_word text;
    bool is_hole;
    uint32_t hole;
};

struct target_template {
    struct base_arena arena; /* owns the texts */
    BASE_VECTOR(struct target_part) parts;
    BASE_VECTOR(struct target_hole) holes;
    BASE_VECTOR(struct target_choice) choices;
    uint32_t bytes; /* size of a vector */
};

/* PATH is used in messages: a syntax error is BASE_USAGE with path:line:column, the line and a
 * caret. Then FORM needs no done. */
bool target_template_parse(const char *path, const char *text, size_t size,
                           struct target_template *form, struct base_error *error);
void target_template_done(struct target_template *form);

/* The default filling: the first alternative of each hole, unless another is marked. */
void target_template_default(const struct target_template *form, uint8_t *vector);
/* The number of fillings; inexact if it is very large. */
double target_template_fillings(const struct target_template *form);
/* The number of one choice, within its bounds. */
uint64_t target_template_get(const struct target_choice *choice, const uint8_t *vector);
/* Appends the text. */
void target_template_render(const struct target_template *form, const uint8_t *vector,
                            struct base_buffer *out);
/* Appends the content of one hole. */
void target_template_render_hole(const struct target_template *form, uint32_t hole,
                                 const uint8_t *vector, struct base_buffer *out);

#endif
