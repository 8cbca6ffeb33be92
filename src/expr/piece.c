/* SPDX-License-Identifier: Apache-2.0
 *
 * What type does C give to an expression's text, which values can it have, and what must be added
 * to make it the value at some width? Numbers, C's conversions, casts and parentheses; the
 * operators are in operate.c.
 */
#include "expr/piece.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- types ---- */

static const struct c_type plain_int = {32, true};

struct bounds piece_bits(bool is_signed, unsigned width) {
    wide one = 1;
    if (is_signed)
        return (struct bounds){-(one << (width - 1)), (one << (width - 1)) - 1};
    return (struct bounds){0, (one << width) - 1};
}

static bool lies_within(struct bounds inner, struct bounds outer) {
    return inner.low >= outer.low && inner.high <= outer.high;
}

struct bounds piece_all_of(struct c_type type) {
    return piece_bits(type.is_signed, type.bits);
}

bool piece_fits(struct c_type type, struct bounds bounds) {
    return lies_within(bounds, piece_all_of(type));
}

struct c_type piece_promoted(struct c_type type) {
    return type.bits < 32 ? plain_int : type;
}

struct c_type piece_common(struct c_type a, struct c_type b) {
    a = piece_promoted(a);
    b = piece_promoted(b);
    if (a.bits != b.bits)
        return a.bits > b.bits ? a : b;
    return a.is_signed ? b : a;
}

bool piece_is_zero_extended(const struct piece *piece, unsigned width) {
    return piece->text && lies_within(piece->bounds, piece_bits(false, width));
}

bool piece_is_sign_extended(const struct piece *piece, unsigned width) {
    return piece->text && lies_within(piece->bounds, piece_bits(true, width));
}

/* ---- texts ---- */

struct piece piece_new(struct printer *to, enum precedence precedence, struct c_type type,
                       struct bounds bounds, const char *format, ...) {
    struct piece piece = {.precedence = precedence, .type = type, .bounds = bounds};
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length > PIECE_MAX_LENGTH) {
        piece.text = "...";
        return piece;
    }
    char *text = base_arena_alloc(&to->arena, (size_t)length + 1);
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    piece.text = text;
    return piece;
}

const char *piece_within(struct printer *to, const struct piece *piece, enum precedence around) {
    return piece->precedence < around ? base_arena_format(&to->arena, "(%s)", piece->text)
                                      : piece->text;
}

/* ---- numbers ---- */

struct piece piece_constant(unsigned width, uint64_t value) {
    return (struct piece){.constant = value & width_mask(width), .width = width};
}

/* The first type that holds the number, among those that C tries for it. */
static struct c_type type_of_number(wide value, enum number_style style) {
    struct bounds bounds = {value, value};
    static const struct c_type types[] = {{32, true}, {32, false}, {64, true}};
    for (unsigned i = 0; i < BASE_COUNT(types); i++) {
        bool tried = types[i].is_signed ? style != NUMBER_UNSIGNED : style != NUMBER_PLAIN;
        if (tried && piece_fits(types[i], bounds))
            return types[i];
    }
    return (struct c_type){64, false};
}

static const char *number_text(struct printer *to, wide value, struct c_type type,
                               enum number_style style) {
    if (value < 0 && value == piece_all_of(type).low) /* C has no number to negate here */
        return type.bits == 32 ? "INT32_MIN" : "INT64_MIN";
    if (value < 0)
        return base_arena_format(&to->arena, "%" PRId64, (int64_t)value);
    if (style == NUMBER_HEX)
        return base_arena_format(&to->arena, "0x%" PRIx64, (uint64_t)value);
    return base_arena_format(&to->arena, "%" PRIu64 "%s", (uint64_t)value,
                             type.is_signed ? "" : "u");
}

struct piece piece_number(struct printer *to, wide value, enum number_style style) {
    struct c_type type = type_of_number(value, style);
    return (struct piece){.text = number_text(to, value, type, style),
                          .precedence = value < 0 ? PREC_UNARY : PREC_PRIMARY,
                          .is_literal = true,
                          .type = type,
                          .bounds = {value, value}};
}

static wide signed_number(const struct piece *constant) {
    unsigned unused = 64 - constant->width;
    return (int64_t)(constant->constant << unused) >> unused;
}

/* A number of up to 32 bits beyond int must not turn the surrounding operation into a 64-bit
 * one. */
static struct piece unsigned_number(struct printer *to, const struct piece *constant) {
    bool is_large = constant->width <= 32 && constant->constant > INT32_MAX;
    return piece_number(to, constant->constant, is_large ? NUMBER_UNSIGNED : NUMBER_PLAIN);
}

struct piece piece_spell(struct printer *to, struct piece piece, struct c_type beside) {
    if (piece.text)
        return piece;
    if (piece.width <= 8 || !piece_promoted(beside).is_signed)
        return unsigned_number(to, &piece);
    return piece_number(to, signed_number(&piece), NUMBER_PLAIN);
}

struct piece piece_spell_mask(struct printer *to, struct piece piece) {
    if (piece.text)
        return piece;
    wide number = signed_number(&piece);
    if (piece.width <= 8 || piece.constant <= 0xff)
        return unsigned_number(to, &piece);
    if (number < 0 && number >= -256)
        return piece_number(to, number, NUMBER_PLAIN);
    return piece_number(to, piece.constant, NUMBER_HEX);
}

/* ---- casts ---- */

struct piece piece_cast(struct printer *to, struct piece piece, struct c_type type) {
    struct bounds bounds = piece_fits(type, piece.bounds) ? piece.bounds : piece_all_of(type);
    return piece_new(to, PREC_UNARY, type, bounds, "(%sint%u_t)%s", type.is_signed ? "" : "u",
                     type.bits, piece_within(to, &piece, PREC_UNARY));
}

struct piece piece_widened(struct printer *to, struct piece piece) {
    return piece_cast(to, piece, (struct c_type){64, piece.type.is_signed});
}

static bool has_type(unsigned width) {
    return width == 8 || width == 16 || width == 32 || width == 64;
}

struct piece piece_zero_extended(struct printer *to, struct piece piece, unsigned width) {
    if (!piece.text)
        return unsigned_number(to, &piece);
    if (piece_is_zero_extended(&piece, width))
        return piece;
    if (has_type(width))
        return piece_cast(to, piece, (struct c_type){(uint8_t)width, false});
    struct piece mask = piece_number(to, width_mask(width), width > 1 ? NUMBER_HEX : NUMBER_PLAIN);
    return piece_arithmetic(to, ABI_OP_AND, width, piece, mask);
}

/* With the top bit flipped, numbers are in their order: it remains to shift them down. */
static struct piece flip_and_move(struct printer *to, struct piece piece, unsigned width) {
    struct piece half = piece_number(to, (wide)1 << (width - 1), NUMBER_HEX);
    struct piece flipped = piece_arithmetic(to, ABI_OP_XOR, width, piece, half);
    return piece_arithmetic(to, ABI_OP_SUB, width, flipped, half);
}

struct piece piece_sign_extended(struct printer *to, struct piece piece, unsigned width) {
    if (!piece.text)
        return piece_number(to, signed_number(&piece), NUMBER_PLAIN);
    if (piece_is_sign_extended(&piece, width))
        return piece;
    if (has_type(width))
        return piece_cast(to, piece, (struct c_type){(uint8_t)width, true});
    piece = piece_zero_extended(to, piece, width);
    piece = width == 1 ? piece_negated(to, width, piece) : flip_and_move(to, piece, width);
    if (!piece.type.is_signed)
        piece = piece_cast(to, piece, (struct c_type){piece.type.bits, true});
    piece.bounds = piece_bits(true, width);
    return piece;
}

struct piece piece_settled(struct printer *to, struct piece piece, unsigned width) {
    if (piece_is_zero_extended(&piece, width) || piece_is_sign_extended(&piece, width))
        return piece;
    return width <= 8 ? piece_zero_extended(to, piece, width)
                      : piece_sign_extended(to, piece, width);
}

static void make_signed(struct printer *to, struct piece *piece) {
    if (!piece_promoted(piece->type).is_signed)
        *piece = piece_cast(to, *piece,
                            piece_fits(plain_int, piece->bounds) ? plain_int
                                                                 : (struct c_type){64, true});
}

void piece_unify(struct printer *to, struct piece *a, struct piece *b) {
    struct c_type type = piece_common(a->type, b->type);
    if (piece_fits(type, a->bounds) && piece_fits(type, b->bounds))
        return;
    make_signed(to, a);
    make_signed(to, b);
}
