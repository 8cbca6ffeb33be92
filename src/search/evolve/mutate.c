/* SPDX-License-Identifier: Apache-2.0
 *
 * How is an input of bytes changed so that it may cost more? What makes programs slow is rarely a
 * single byte and often a part that recurs: repeated, nested, in another order, with a number that
 * makes each copy different. So most operators work on blocks and may change the size.
 *
 * At the size limit insertions still happen: they push bytes over the end, or overwrite what is
 * there. Operators on elements, which keep the size, are in mutate_typed.c.
 */
#include "search/evolve/evolve.h"

#include <string.h>

#define LONGEST_UNIT 32 /* of a block that is repeated many times, usually */
#define MOST_DIGITS 5u  /* of a running number */
#define MOST_NUMBERS 100000u

/* ---- blocks ---- */

struct block {
    size_t at, size;
};

/* Any block that is not empty, short ones more likely. The draft must not be empty either. */
static struct block pick_block(struct evolve_draft *draft) {
    struct block block = {.size = evolve_few(draft->random, draft->size)};
    block.at = evolve_below(draft->random, draft->size - block.size + 1);
    return block;
}

static struct block pick_unit(struct evolve_draft *draft) {
    size_t most = draft->size < LONGEST_UNIT ? draft->size : LONGEST_UNIT;
    struct block block = {.size = evolve_few(draft->random, most)};
    block.at = evolve_below(draft->random, draft->size - block.size + 1);
    return block;
}

/* Makes room for SIZE bytes at AT by moving the rest or, if there is none, by overwriting or by
 * dropping the end. Returns how many bytes may be written there. */
static size_t make_room(struct evolve_draft *draft, size_t at, size_t size) {
    size_t most = draft->limit - at;
    if (size > most)
        size = most;
    bool is_full = draft->size + size > draft->limit;
    if (is_full && search_random(draft->random) & 1) {
        if (at + size > draft->size)
            draft->size = at + size;
        return size;
    }
    size_t rest = draft->size - at;
    if (at + size + rest > draft->limit)
        rest = draft->limit - at - size;
    memmove(draft->bytes + at + size, draft->bytes + at, rest);
    draft->size = at + size + rest;
    return size;
}

/* How often to repeat something: a few times, or up to about as often as fits. */
static size_t pick_times(struct evolve_draft *draft, size_t unit) {
    size_t room = (draft->limit - draft->size) / unit;
    size_t most = draft->limit / unit;
    if (!room || search_random(draft->random) % 4 == 0)
        room = most;
    if (!room)
        return 1;
    return search_random(draft->random) % 8 == 0 ? room : evolve_few(draft->random, room);
}

/* Writes copies of a unit; the last one may be cut. */
static void write_copies(uint8_t *to, size_t size, const uint8_t *unit, size_t unit_size) {
    for (size_t at = 0; at < size; at += unit_size)
        memcpy(to + at, unit, size - at < unit_size ? size - at : unit_size);
}

static void insert_copies(struct evolve_draft *draft, size_t at, const uint8_t *unit, size_t size,
                          size_t times) {
    size_t most = draft->limit - at;
    size_t wanted = size && times > most / size ? most : times * size;
    size_t room = make_room(draft, at, wanted);
    write_copies(draft->bytes + at, room, unit, size);
}

/* A copy that stays valid when the draft is moved. */
struct unit {
    uint8_t bytes[256];
    size_t size;
};

static struct unit take_unit(const struct evolve_draft *draft, struct block block) {
    struct unit unit = {.size = block.size < sizeof unit.bytes ? block.size : sizeof unit.bytes};
    memcpy(unit.bytes, draft->bytes + block.at, unit.size);
    return unit;
}

bool evolve_change_repeat(struct evolve_draft *draft) {
    if (!draft->size)
        return false;
    struct block block = search_random(draft->random) & 1 ? pick_unit(draft) : pick_block(draft);
    struct unit unit = take_unit(draft, block);
    insert_copies(draft, block.at + unit.size <= draft->size ? block.at + unit.size : block.at,
                  unit.bytes, unit.size, pick_times(draft, unit.size));
    return true;
}

bool evolve_change_fill(struct evolve_draft *draft) {
    if (!draft->size)
        return false;
    struct block block = pick_block(draft);
    struct unit unit = take_unit(draft, block);
    size_t start = search_random(draft->random) & 1 ? 0 : block.at;
    size_t most = draft->limit - start;
    size_t size = search_random(draft->random) & 1 ? most : 1 + evolve_below(draft->random, most);
    draft->size = start + size;
    write_copies(draft->bytes + start, size, unit.bytes, unit.size);
    return true;
}

bool evolve_change_copy(struct evolve_draft *draft) {
    if (!draft->size)
        return false;
    struct unit unit = take_unit(draft, pick_block(draft));
    insert_copies(draft, evolve_below(draft->random, draft->size), unit.bytes, unit.size, 1);
    return true;
}

bool evolve_change_delete(struct evolve_draft *draft) {
    if (draft->size < 2)
        return false;
    struct block block = pick_block(draft);
    if (block.size == draft->size)
        block.size--;
    size_t end = block.at + block.size;
    memmove(draft->bytes + block.at, draft->bytes + end, draft->size - end);
    draft->size -= block.size;
    return true;
}

bool evolve_change_exchange(struct evolve_draft *draft) {
    if (draft->size < 2)
        return false;
    size_t left = evolve_few(draft->random, draft->size - 1);
    size_t at = evolve_below(draft->random, draft->size - left);
    size_t right = evolve_few(draft->random, draft->size - left - at);
    struct unit unit = take_unit(draft, (struct block){at, left});
    uint8_t *bytes = draft->bytes + at;
    memmove(bytes, bytes + unit.size, right);
    memcpy(bytes + right, unit.bytes, unit.size);
    return true;
}

bool evolve_change_nest(struct evolve_draft *draft) {
    if (draft->size < 2)
        return false;
    struct block open = pick_unit(draft);
    size_t rest = open.at + open.size;
    if (rest >= draft->size)
        return false;
    size_t most = draft->size - rest < LONGEST_UNIT ? draft->size - rest : LONGEST_UNIT;
    struct block close = {.size = evolve_few(draft->random, most)};
    close.at = rest + evolve_below(draft->random, draft->size - rest - close.size + 1);
    struct unit first = take_unit(draft, open), last = take_unit(draft, close);
    size_t times = pick_times(draft, first.size + last.size);
    size_t room = (draft->limit - close.at) / (first.size + last.size);
    if (times > room)
        times = room ? room : 1;
    insert_copies(draft, close.at, last.bytes, last.size, times);
    insert_copies(draft, open.at, first.bytes, first.size, times);
    return true;
}

/* ---- running numbers ---- */

/* The byte STEPS further on: letters stay letters, digits stay digits. */
static uint8_t advance(uint8_t byte, size_t steps) {
    if (byte >= '0' && byte <= '9')
        return (uint8_t)('0' + ((size_t)(byte - '0') + steps) % 10);
    if (byte >= 'a' && byte <= 'z')
        return (uint8_t)('a' + ((size_t)(byte - 'a') + steps) % 26);
    if (byte >= 'A' && byte <= 'Z')
        return (uint8_t)('A' + ((size_t)(byte - 'A') + steps) % 26);
    return (uint8_t)(byte + steps);
}

/* How a running number goes into a unit: as digits, by increasing a byte, or by increasing a byte
 * and decreasing another one, so that sums stay the same. */
enum numbering { IN_DIGITS, AS_BYTE, AS_PAIR, NUMBERINGS };

/* Advances byte number PLACE by STEPS and carries into the bytes before it. */
static void move_on(uint8_t *to, const struct unit *unit, size_t place, size_t steps) {
    for (size_t at = place + 1; at-- > 0 && steps;) {
        uint8_t byte = unit->bytes[at];
        bool is_letter = (byte | 32) >= 'a' && (byte | 32) <= 'z';
        bool is_digit = byte >= '0' && byte <= '9';
        size_t base = is_digit ? 10 : is_letter ? 26 : 256;
        to[at] = advance(byte, steps % base);
        steps /= base;
    }
}

/* Appends one more unit, with NUMBER at PLACE. */
static size_t write_numbered(uint8_t *to, const struct unit *unit, size_t place, size_t number,
                             enum numbering numbering) {
    char digits[24];
    memcpy(to, unit->bytes, unit->size);
    if (numbering == IN_DIGITS) {
        size_t count = (size_t)snprintf(digits, sizeof digits, "%zu", number);
        memcpy(to + place, digits, count);
        memcpy(to + place + count, unit->bytes + place, unit->size - place);
        return unit->size + count;
    }
    if (numbering == AS_BYTE)
        move_on(to, unit, place, number);
    else {
        to[place] = (uint8_t)(unit->bytes[place] + number);
        to[(place + 1) % unit->size] = (uint8_t)(unit->bytes[(place + 1) % unit->size] - number);
    }
    return unit->size;
}

bool evolve_change_count(struct evolve_draft *draft) {
    if (!draft->size)
        return false;
    struct block block = pick_unit(draft);
    struct unit unit = take_unit(draft, block);
    size_t place = evolve_below(draft->random, unit.size), end = draft->size - block.at - unit.size;
    enum numbering numbering = (enum numbering)evolve_below(draft->random, NUMBERINGS);
    uint8_t tail[256];
    if (end > sizeof tail)
        end = sizeof tail;
    memcpy(tail, draft->bytes + block.at + unit.size, end);
    size_t times = pick_times(draft, unit.size), at = block.at;
    size_t most = unit.size + (numbering == IN_DIGITS ? MOST_DIGITS : 0);
    for (size_t i = 0; i < times && i < MOST_NUMBERS && at + most <= draft->limit; i++)
        at += write_numbered(draft->bytes + at, &unit, place, i, numbering);
    if (at == block.at)
        return false;
    if (end > draft->limit - at)
        end = draft->limit - at;
    memcpy(draft->bytes + at, tail, end);
    if (draft->size < at + end || search_random(draft->random) & 1)
        draft->size = at + end;
    return true;
}

/* Replaces a decimal number by another value. */
bool evolve_change_digits(struct evolve_draft *draft) {
    static const char *const values[] = {"0",    "1",    "2",     "9",     "10",         "16",
                                         "64",   "99",   "100",   "255",   "256",        "999",
                                         "1000", "4096", "65535", "65536", "2147483647", "-1"};
    size_t start = draft->size ? evolve_below(draft->random, draft->size) : 0, at = draft->size;
    for (size_t i = 0; i < draft->size && at == draft->size; i++) {
        size_t place = (start + i) % draft->size;
        if (draft->bytes[place] >= '0' && draft->bytes[place] <= '9')
            at = place;
    }
    if (at == draft->size)
        return false;
    size_t end = at;
    while (end < draft->size && draft->bytes[end] >= '0' && draft->bytes[end] <= '9')
        end++;
    const char *value = values[evolve_below(draft->random, BASE_COUNT(values))];
    memmove(draft->bytes + at, draft->bytes + end, draft->size - end);
    draft->size -= end - at;
    insert_copies(draft, at, (const uint8_t *)value, strlen(value), 1);
    return true;
}

/* ---- tokens and other inputs ---- */

bool evolve_change_insert(struct evolve_draft *draft) {
    const struct target_input *token = evolve_pick_token(draft->tokens, draft->random);
    if (!token || !draft->limit)
        return false;
    size_t at = evolve_below(draft->random, draft->size + 1);
    insert_copies(draft, at < draft->limit ? at : draft->limit - 1, token->data, token->size, 1);
    return true;
}

bool evolve_change_replace(struct evolve_draft *draft) {
    const struct target_input *token = evolve_pick_token(draft->tokens, draft->random);
    if (!token || token->size > draft->size)
        return false;
    size_t at = evolve_below(draft->random, draft->size - token->size + 1);
    memcpy(draft->bytes + at, token->data, token->size);
    return true;
}

bool evolve_change_multiply(struct evolve_draft *draft) {
    const struct target_input *token = evolve_pick_token(draft->tokens, draft->random);
    if (!token || !draft->limit)
        return false;
    size_t at = evolve_below(draft->random, draft->size + 1);
    insert_copies(draft, at < draft->limit ? at : draft->limit - 1, token->data, token->size,
                  pick_times(draft, token->size));
    return true;
}

bool evolve_change_splice(struct evolve_draft *draft) {
    if (!draft->mate.size || !draft->size)
        return false;
    size_t at = evolve_below(draft->random, draft->size + 1);
    size_t from = search_random(draft->random) & 1 && at < draft->mate.size
                      ? at
                      : evolve_below(draft->random, draft->mate.size);
    size_t more = draft->mate.size - from;
    if (more > draft->limit - at)
        more = draft->limit - at;
    memcpy(draft->bytes + at, (const uint8_t *)draft->mate.data + from, more);
    draft->size = at + more;
    return true;
}

bool evolve_change_borrow(struct evolve_draft *draft) {
    if (!draft->mate.size || !draft->limit)
        return false;
    size_t size = evolve_few(draft->random, draft->mate.size);
    size_t from = evolve_below(draft->random, draft->mate.size - size + 1);
    size_t at = evolve_below(draft->random, draft->size + 1);
    if (at == draft->limit)
        at--;
    insert_copies(draft, at, (const uint8_t *)draft->mate.data + from, size, 1);
    return true;
}

bool evolve_change_grow(struct evolve_draft *draft) {
    uint8_t bytes[16];
    if (!draft->limit)
        return false;
    for (size_t i = 0; i < sizeof bytes; i += 8) {
        uint64_t bits = search_random(draft->random);
        memcpy(bytes + i, &bits, 8);
    }
    size_t at = evolve_below(draft->random, draft->size + 1);
    if (at == draft->limit)
        at--;
    insert_copies(draft, at, bytes, evolve_few(draft->random, sizeof bytes), 1);
    return true;
}

/* ---- the table ---- */

static const struct {
    bool (*change)(struct evolve_draft *draft);
    bool is_typed;
    const char *name;
} operators[] = {
#define OPERATOR(id, typed, text) {evolve_change_##id, typed, #id},
    EVOLVE_OPERATORS(OPERATOR)
#undef OPERATOR
};

bool evolve_apply(struct evolve_draft *draft, enum evolve_operator operator) {
    if (draft->lanes->count && !operators[operator].is_typed)
        return false;
    return operators[operator].change(draft);
}

bool evolve_is_typed(enum evolve_operator operator) {
    return operators[operator].is_typed;
}

const char *evolve_operator_name(enum evolve_operator operator) {
    return operators[operator].name;
}
