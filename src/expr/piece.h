/* SPDX-License-Identifier: Apache-2.0
 *
 * A piece of C text, and its meaning in C. Expressions are bits without a type; C's integers have
 * types, and its operators widen, convert and wrap accordingly. A piece stands for an expression of
 * some width. Its invariant: the value of the text, as an integer, equals the expression's value
 * modulo 2^width. Its bounds say whether it is the value itself (they are within 0..2^width-1), the
 * value as a signed number (-2^(width-1)..2^(width-1)-1), both, or neither, and a cast is printed
 * only where an operation needs a property that does not hold.
 *
 * Signed arithmetic wraps, as with -fwrapv. A constant has no text until it is decided whether it
 * is signed.
 */
#ifndef SLOWPATH_EXPR_PIECE_H
#define SLOWPATH_EXPR_PIECE_H

#include "expr/internal.h"

typedef __int128 wide;

enum precedence {
    PREC_CHOICE = 3,
    PREC_OR_ELSE,
    PREC_AND_ALSO,
    PREC_OR,
    PREC_XOR,
    PREC_AND,
    PREC_EQUAL,
    PREC_LESS,
    PREC_SHIFT,
    PREC_SUM,
    PREC_PRODUCT,
    PREC_UNARY,
    PREC_PRIMARY
};

struct c_type {
    uint8_t bits; /* 8, 16, 32, 64 */
    bool is_signed;
};

struct bounds {
    wide low, high;
};

struct piece {
    const char *text; /* NULL: a constant */
    enum precedence precedence;
    enum abi_op chain; /* ADD, MUL, AND, OR, XOR: the text is a chain of these, else NONE */
    bool is_literal;
    struct c_type type;
    struct bounds bounds;
    uint64_t constant; /* of WIDTH bits */
    unsigned width;
};

/* What is known about an expression: bounds of its value, unsigned and signed. */
struct fact {
    struct bounds as_unsigned, as_signed;
    bool is_nonzero;
};

/* Prints the expressions of one pool. Texts live in the arena. */
struct printer {
    struct expr_pool *pool;
    expr_name *names;
    void *context;
    struct base_arena arena;
    unsigned depth;
    size_t left; /* characters of names that may still be printed */
    BASE_VECTOR(struct fact) facts;
    uint32_t *fact_of; /* by node: 1 + index of its fact; NULL until there is one */
};

/* facts.c: from here on, the condition holds. */
void facts_learn(struct printer *to, uint32_t condition);
void facts_repeat(struct printer *to, uint32_t condition); /* the condition is known already */
bool facts_is_nonzero(const struct printer *to, uint32_t id);
void facts_narrow(const struct printer *to, uint32_t id, struct piece *piece);
void facts_forget(struct printer *to);

/* The constant as a number. */
wide constant_as(const struct expr_pool *pool, uint32_t id, bool is_signed);

/* tighten.c: equally many conditions that are equivalent together, strongest first; to be freed. */
uint32_t *tighten(const struct expr_pool *pool, const uint32_t *conditions, size_t count);

#define PIECE_MAX_LENGTH 65536

#define PIECE_MAX_DEPTH 200

/* An expression as a piece (print.c), with at most PIECE_MAX_LENGTH characters. */
struct piece piece_of(struct printer *to, uint32_t id);

/* TEXT with bounds; if longer than PIECE_MAX_LENGTH it becomes "...". */
struct piece piece_new(struct printer *to, enum precedence precedence, struct c_type type,
                       struct bounds bounds, const char *format, ...) BASE_PRINTF(5, 6);
struct piece piece_constant(unsigned width, uint64_t value);

/* The number as C writes it, with the type that C gives to it. */
enum number_style { NUMBER_PLAIN, NUMBER_UNSIGNED, NUMBER_HEX };
struct piece piece_number(struct printer *to, wide value, enum number_style style);
/* Turns a constant into a number next to an operand of this type: any number equal modulo 2^width.
 * Leaves other pieces unchanged. */
struct piece piece_spell(struct printer *to, struct piece piece, struct c_type beside);
/* The same as an operand of &, | and ^. */
struct piece piece_spell_mask(struct printer *to, struct piece piece);

bool piece_is_zero_extended(const struct piece *piece, unsigned width);
bool piece_is_sign_extended(const struct piece *piece, unsigned width);
/* Adds the cast, mask or sign trick that makes the bounds those of WIDTH bits. */
struct piece piece_zero_extended(struct printer *to, struct piece piece, unsigned width);
struct piece piece_sign_extended(struct printer *to, struct piece piece, unsigned width);
/* One of the two, whichever is shorter. */
struct piece piece_settled(struct printer *to, struct piece piece, unsigned width);
struct piece piece_cast(struct printer *to, struct piece piece, struct c_type type);
/* Cast to 64 bits, with the same value. */
struct piece piece_widened(struct printer *to, struct piece piece);

/* The type of an operator's result, and whether it holds these values. */
struct c_type piece_promoted(struct c_type type);
struct c_type piece_common(struct c_type a, struct c_type b);
bool piece_fits(struct c_type type, struct bounds bounds);
struct bounds piece_all_of(struct c_type type);
struct bounds piece_bits(bool is_signed, unsigned width);
/* Bounds of a product; beyond 2^126 they are just that. */
struct bounds piece_product(struct bounds a, struct bounds b);
/* Casts one operand if C's conversions to the common type would change a value. */
void piece_unify(struct printer *to, struct piece *a, struct piece *b);

/* The text, in parentheses if it binds less than AROUND. */
const char *piece_within(struct printer *to, const struct piece *piece, enum precedence around);
/* ADD, SUB, MUL, AND, OR, XOR of operands of WIDTH bits, constants among them. */
struct piece piece_arithmetic(struct printer *to, enum abi_op op, unsigned width, struct piece a,
                              struct piece b);
struct piece piece_shifted_left(struct printer *to, unsigned width, struct piece a, unsigned by);
struct piece piece_negated(struct printer *to, unsigned width, struct piece a);
/* IF ? A : B, of WIDTH bits. */
struct piece piece_choice(struct printer *to, unsigned width, struct piece condition,
                          struct piece a, struct piece b);
/* A comparison or a logical operation: 0 or 1. */
struct piece piece_truth(struct printer *to, enum precedence precedence, const struct piece *a,
                         const char *text, const struct piece *b);

/* A >> BY, where BY is less than the width and A is what is to be shifted, signed or not. */
struct piece piece_shifted_right(struct printer *to, struct piece a, struct piece by);

/* print_float.c: a floating-point node; a FEQ that does not hold. */
struct piece float_piece(struct printer *to, uint32_t id);
struct piece float_different(struct printer *to, const struct abi_node *node);

/* guard.c: nodes of operations that C leaves undefined for some operands. */
struct piece guard_shift_left(struct printer *to, const struct abi_node *node);
struct piece guard_shift_right(struct printer *to, const struct abi_node *node);
struct piece guard_unsigned_division(struct printer *to, const struct abi_node *node);
struct piece guard_signed_division(struct printer *to, const struct abi_node *node);
struct piece guard_table(struct printer *to, const struct abi_node *node);

#endif
