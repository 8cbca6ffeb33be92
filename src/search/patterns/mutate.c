/* SPDX-License-Identifier: Apache-2.0
 *
 * How is a new pattern made from another one? By small changes of its pieces: bytes that the
 * program distinguishes, tokens that it knows, pieces of other patterns, parts of the seeds; and by
 * changes of its form: another kind, a running number, a second copy.
 */
#include "search/patterns/patterns.h"

#include <stdlib.h>
#include <string.h>

#define GIVEN 4       /* one draw in so many is from the dictionary, if there is one */
#define LONG_PIECE 16 /* larger pieces are often shortened */

static uint64_t below(uint64_t *random, uint64_t limit) {
    return limit ? search_random(random) % limit : 0;
}

/* ---- the alphabet ---- */

static struct target_piece piece_of(const void *bytes, size_t size) {
    struct target_piece piece = {.size = (uint8_t)size, .hole = TARGET_NO_HOLE};
    memcpy(piece.bytes, bytes, size);
    return piece;
}

void patterns_alphabet_init(struct patterns_alphabet *alphabet,
                            const struct search_subject *subject,
                            const struct search_options *options) {
    *alphabet =
        (struct patterns_alphabet){.seeds = subject->starts, .seed_count = subject->start_count};
    const struct ir_facts *facts = subject->facts;
    for (uint32_t i = 0; facts && i < facts->token_count; i++) {
        const struct ir_token *token = &facts->tokens[i];
        const uint8_t *bytes = (const uint8_t *)facts->token_bytes + token->first;
        bool is_number = token->kind == IR_TOKEN_NUMBER || token->kind == IR_TOKEN_CASE;
        if (token->size <= LONG_PIECE && (!is_number || token->size <= 4))
            base_push(&alphabet->tokens, piece_of(bytes, token->size));
    }
    for (size_t i = 0; i < options->dictionary_count; i++)
        if (options->dictionary[i].size && options->dictionary[i].size <= LONG_PIECE)
            base_push(&alphabet->given,
                      piece_of(options->dictionary[i].data, options->dictionary[i].size));
}

void patterns_alphabet_add(struct patterns_alphabet *alphabet, uint8_t byte) {
    if (alphabet->byte_count < sizeof alphabet->bytes &&
        !memchr(alphabet->bytes, byte, alphabet->byte_count))
        alphabet->bytes[alphabet->byte_count++] = byte;
}

void patterns_alphabet_learn(struct patterns_alphabet *alphabet, const uint64_t *hashes) {
    size_t most = 0;
    uint64_t usual = 0;
    for (size_t i = 0; i < 256; i++) {
        size_t same = 0;
        for (size_t j = 0; j < 256; j++)
            same += hashes[j] == hashes[i];
        if (same > most) {
            most = same;
            usual = hashes[i];
        }
    }
    for (size_t i = 0; i < 256; i++)
        if (hashes[i] != usual)
            patterns_alphabet_add(alphabet, (uint8_t)i);
}

void patterns_alphabet_done(struct patterns_alphabet *alphabet) {
    base_vector_done(&alphabet->tokens);
    base_vector_done(&alphabet->given);
}

/* A few bytes to insert: mostly one. */
static struct target_piece draw_bytes(const struct patterns_alphabet *alphabet, uint64_t *random) {
    struct target_piece piece = {.size = 1, .hole = TARGET_NO_HOLE};
    if (alphabet->given.count && below(random, GIVEN) == 0)
        return alphabet->given.data[below(random, alphabet->given.count)];
    uint64_t draw = below(random, 8);
    if (draw < 4 && alphabet->byte_count)
        piece.bytes[0] = alphabet->bytes[below(random, alphabet->byte_count)];
    else if (draw < 6 && alphabet->tokens.count)
        return alphabet->tokens.data[below(random, alphabet->tokens.count)];
    else if (draw < 7)
        piece.bytes[0] = (uint8_t)(' ' + below(random, 95));
    else
        piece.bytes[0] = (uint8_t)search_random(random);
    return piece;
}

/* ---- pieces ---- */

void patterns_piece_erase(struct target_piece *piece, unsigned at, unsigned count) {
    if (at >= piece->size)
        return;
    if (count > piece->size - at)
        count = piece->size - at;
    memmove(piece->bytes + at, piece->bytes + at + count, piece->size - at - count);
    piece->size = (uint8_t)(piece->size - count);
    memset(piece->bytes + piece->size, 0, count);
    if (piece->hole != TARGET_NO_HOLE && piece->hole > at)
        piece->hole = (uint8_t)(piece->hole > at + count ? piece->hole - count : at);
}

void patterns_piece_insert(struct target_piece *piece, unsigned at, const uint8_t *bytes,
                           unsigned count) {
    if (count > (unsigned)(TARGET_PIECE_BYTES - piece->size))
        return;
    uint8_t copy[TARGET_PIECE_BYTES];
    memcpy(copy, bytes, count); /* bytes may point into the piece */
    memmove(piece->bytes + at + count, piece->bytes + at, piece->size - at);
    memcpy(piece->bytes + at, copy, count);
    piece->size = (uint8_t)(piece->size + count);
    if (piece->hole != TARGET_NO_HOLE && piece->hole >= at)
        piece->hole = (uint8_t)(piece->hole + count);
}

/* Mostly the unit: it is repeated most often. */
static struct target_piece *draw_piece(struct target_pattern *pattern, uint64_t *random) {
    switch (below(random, 8)) {
    case 0:
    case 1:
        return &pattern->prefix;
    case 2:
        return &pattern->suffix;
    case 3:
    case 4:
        if (target_pattern_has_other(pattern))
            return below(random, 3) ? &pattern->other : &pattern->middle;
        break;
    default:
        break;
    }
    return &pattern->unit;
}

/* ---- changes ---- */

struct change {
    const struct patterns_alphabet *alphabet;
    const struct target_pattern *mate;
    uint64_t *random;
    struct target_pattern *pattern;
    struct target_piece *piece;
};

static void insert_bytes(struct change *change) {
    struct target_piece bytes = draw_bytes(change->alphabet, change->random);
    unsigned at = (unsigned)below(change->random, change->piece->size + 1u);
    patterns_piece_insert(change->piece, at, bytes.bytes, bytes.size);
}

static void append_bytes(struct change *change) {
    struct target_piece bytes = draw_bytes(change->alphabet, change->random);
    patterns_piece_insert(change->piece, change->piece->size, bytes.bytes, bytes.size);
}

static void replace_bytes(struct change *change) {
    unsigned at = (unsigned)below(change->random, change->piece->size);
    struct target_piece bytes = draw_bytes(change->alphabet, change->random);
    patterns_piece_erase(change->piece, at, 1);
    patterns_piece_insert(change->piece, at, bytes.bytes, bytes.size);
}

static void erase_bytes(struct change *change) {
    unsigned at = (unsigned)below(change->random, change->piece->size);
    patterns_piece_erase(change->piece, at,
                         1 + (unsigned)below(change->random, change->piece->size - at));
}

static void repeat_bytes(struct change *change) {
    struct target_piece *piece = change->piece;
    unsigned at = (unsigned)below(change->random, piece->size);
    unsigned count = 1 + (unsigned)below(change->random, (piece->size - at) / 2 + 1u);
    if (at + count <= piece->size)
        patterns_piece_insert(piece, at, piece->bytes + at, count);
}

static void swap_bytes(struct change *change) {
    struct target_piece *piece = change->piece;
    if (piece->size < 2)
        return;
    unsigned at = (unsigned)below(change->random, piece->size - 1u);
    uint8_t byte = piece->bytes[at];
    piece->bytes[at] = piece->bytes[at + 1];
    piece->bytes[at + 1] = byte;
}

static struct target_piece draw_mate(struct change *change) {
    struct target_pattern mate = *change->mate;
    return *draw_piece(&mate, change->random);
}

static void drop_hole(struct target_pattern *pattern) {
    pattern->prefix.hole = pattern->middle.hole = pattern->suffix.hole = TARGET_NO_HOLE;
}

static void take_piece(struct change *change) {
    *change->piece = draw_mate(change);
    drop_hole(change->pattern);
}

static void join_piece(struct change *change) {
    struct target_piece bytes = draw_mate(change);
    unsigned at = below(change->random, 2) ? change->piece->size : 0;
    patterns_piece_insert(change->piece, at, bytes.bytes, bytes.size);
}

/* Puts one unit once before or after the others. */
static void unroll(struct change *change) {
    struct target_pattern *pattern = change->pattern;
    if (below(change->random, 2))
        patterns_piece_insert(&pattern->prefix, pattern->prefix.size, pattern->unit.bytes,
                              pattern->unit.size);
    else
        patterns_piece_insert(&pattern->suffix, 0, pattern->unit.bytes, pattern->unit.size);
}

/* Makes something that occurs once part of the unit. */
static void roll(struct change *change) {
    struct target_pattern *pattern = change->pattern;
    struct target_piece *from = below(change->random, 2) ? &pattern->prefix : &pattern->suffix;
    unsigned at = (unsigned)below(change->random, from->size);
    patterns_piece_insert(&pattern->unit, from == &pattern->prefix ? 0 : pattern->unit.size,
                          from->bytes + at, from->size - at);
    patterns_piece_erase(from, at, from->size);
}

/* Treats the last byte of the unit as a separator: appends one unit without it. */
static void end_list(struct change *change) {
    struct target_pattern *pattern = change->pattern;
    if (pattern->unit.size > 1)
        patterns_piece_insert(&pattern->suffix, 0, pattern->unit.bytes, pattern->unit.size - 1u);
}

/* Puts brackets or quotes around all units, or around a piece. */
static void enclose(struct change *change) {
    static const char pairs[][3] = {"()", "[]", "{}", "<>", "\"\"", "''"};
    const char *pair = pairs[below(change->random, BASE_COUNT(pairs))];
    const uint8_t open = (uint8_t)pair[0], close = (uint8_t)pair[1];
    struct target_pattern *pattern = change->pattern;
    bool all = below(change->random, 2);
    struct target_piece *first = all ? &pattern->prefix : change->piece;
    struct target_piece *last = all ? &pattern->suffix : change->piece;
    patterns_piece_insert(first, all ? first->size : 0u, &open, 1);
    patterns_piece_insert(last, all ? 0u : last->size, &close, 1);
}

static void change_kind(struct change *change) {
    struct target_pattern *pattern = change->pattern;
    pattern->kind = (uint8_t)below(change->random, TARGET_PATTERN_KIND_COUNT);
    const struct target_piece nothing = {.hole = TARGET_NO_HOLE};
    if (!target_pattern_has_other(pattern))
        pattern->other = pattern->middle = nothing;
    else if (!pattern->other.size)
        pattern->other = draw_bytes(change->alphabet, change->random);
}

static void number_units(struct change *change) {
    struct target_pattern *pattern = change->pattern;
    struct target_piece *piece = &pattern->unit;
    if (target_pattern_has_other(pattern) && below(change->random, 2))
        piece = &pattern->other;
    bool goes = piece->hole != TARGET_NO_HOLE && below(change->random, 3) == 0;
    piece->hole = goes ? TARGET_NO_HOLE : (uint8_t)below(change->random, piece->size + 1u);
    pattern->letters = below(change->random, 4) == 0;
}

static void copy_all(struct change *change) {
    change->pattern->copies = (uint8_t)(3 - change->pattern->copies);
}

/* How often each is chosen. */
static const struct {
    void (*apply)(struct change *change);
    unsigned share;
    bool needs_bytes; /* the piece must not be empty */
} changes[] = {{insert_bytes, 6, false}, {append_bytes, 4, false}, {replace_bytes, 5, true},
               {erase_bytes, 4, true},   {repeat_bytes, 1, true},  {swap_bytes, 1, true},
               {take_piece, 2, false},   {join_piece, 3, false},   {unroll, 1, false},
               {roll, 1, false},         {change_kind, 2, false},  {number_units, 2, false},
               {copy_all, 1, false},     {end_list, 2, false},     {enclose, 2, false}};

static void change_once(struct change *change) {
    unsigned total = 0;
    for (size_t i = 0; i < BASE_COUNT(changes); i++)
        total += changes[i].share;
    unsigned draw = (unsigned)below(change->random, total);
    size_t at = 0;
    while (draw >= changes[at].share)
        draw -= changes[at++].share;
    change->piece = draw_piece(change->pattern, change->random);
    if (changes[at].needs_bytes && !change->piece->size)
        at = 0;
    if (change->piece->size > LONG_PIECE && below(change->random, 2))
        at = 3; /* erase_bytes */
    changes[at].apply(change);
}

void patterns_mutate(const struct patterns_alphabet *alphabet, const struct target_pattern *mate,
                     uint64_t *random, struct target_pattern *pattern) {
    struct change change = {alphabet, mate, random, pattern, NULL};
    do
        change_once(&change);
    while (below(random, 2));
}

/* ---- seeds ---- */

static void copy_part(struct target_piece *piece, const uint8_t *bytes, size_t count) {
    if (count > TARGET_PIECE_BYTES)
        count = TARGET_PIECE_BYTES;
    memcpy(piece->bytes, bytes, count);
    piece->size = (uint8_t)count;
}

bool patterns_mine(const struct patterns_alphabet *alphabet, uint64_t *random,
                   struct target_pattern *pattern) {
    if (!alphabet->seed_count)
        return false;
    const struct target_input *seed = &alphabet->seeds[below(random, alphabet->seed_count)];
    const uint8_t *bytes = seed->data;
    if (!seed->size)
        return false;
    size_t from = below(random, seed->size);
    size_t left = seed->size - from, most = left < LONG_PIECE ? left : LONG_PIECE;
    size_t count = 1 + below(random, most);
    *pattern = target_pattern_empty(TARGET_PATTERN_REPEAT);
    copy_part(&pattern->unit, bytes + from, count);
    if (below(random, 2)) {
        size_t before = from < TARGET_PIECE_BYTES ? from : TARGET_PIECE_BYTES;
        copy_part(&pattern->prefix, bytes + from - before, before);
        copy_part(&pattern->suffix, bytes + from + count, left - count);
    }
    return true;
}
