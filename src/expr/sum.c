/* SPDX-License-Identifier: Apache-2.0
 *
 * What do several sizes add up to, in terms of the input? One sum of products in a normal form: the
 * constant first, then the products, those with more factors first, like terms merged. Arithmetic
 * is modulo 2^64.
 *
 * A factor is an expression other than a sum or product, as an integer: zero- or sign-extended. An
 * extension of a sum is expanded only if its bounds show that the sum stays within its width;
 * otherwise it is a factor itself, printed with the cast that keeps it in its width.
 */
#include "expr/piece.h"

#include <inttypes.h>
#include <stdlib.h>

#define MAX_DEGREE 4       /* factors of a product */
#define MAX_TERMS 64       /* of a product that is expanded */
#define MAX_DEPTH 64       /* of operations */
#define BOUNDED_LENGTH 256 /* characters of a factor whose bounds are computed */
#define MAX_STEPS 4096     /* of expanding one expression: shared parts could make it exponential */

struct factor {
    uint32_t id;
    bool is_signed;
};

struct term {
    uint64_t coefficient;
    uint32_t degree;
    struct factor factors[MAX_DEGREE];
};

struct sum {
    struct term *data;
    size_t count, capacity;
};

struct expansion {
    struct printer *to;
    unsigned depth, steps;
};

static void expand(struct expansion *in, uint32_t id, bool is_signed, uint64_t scale,
                   struct sum *out);

/* ---- order ---- */

/* Inputs come first, in order. */
static int compare_factors(const struct expr_pool *pool, struct factor a, struct factor b) {
    bool a_input = pool->nodes[a.id].op == ABI_OP_INPUT,
         b_input = pool->nodes[b.id].op == ABI_OP_INPUT;
    if (a_input != b_input)
        return a_input ? -1 : 1;
    uint32_t x = a_input ? pool->nodes[a.id].a : a.id, y = b_input ? pool->nodes[b.id].a : b.id;
    if (x != y)
        return x < y ? -1 : 1;
    return (int)a.is_signed - (int)b.is_signed;
}

static int compare_terms(const void *left, const void *right, void *pool) {
    const struct term *a = left, *b = right;
    if (a->degree != b->degree) /* degree 0 is the constant */
        return !a->degree ? -1 : !b->degree ? 1 : a->degree > b->degree ? -1 : 1;
    for (uint32_t i = 0; i < a->degree; i++) {
        int order = compare_factors(pool, a->factors[i], b->factors[i]);
        if (order)
            return order;
    }
    return 0;
}

/* Sorts, merges like terms and drops what cancels out. */
static void normalise(struct expr_pool *pool, struct sum *sum) {
    size_t kept = 0;
    if (sum->count)
        qsort_r(sum->data, sum->count, sizeof *sum->data, compare_terms, pool);
    for (size_t i = 0; i < sum->count; i++) {
        if (kept && compare_terms(&sum->data[kept - 1], &sum->data[i], pool) == 0)
            sum->data[kept - 1].coefficient += sum->data[i].coefficient;
        else
            sum->data[kept++] = sum->data[i];
        if (!sum->data[kept - 1].coefficient)
            kept--;
    }
    sum->count = kept;
}

/* ---- bounds ---- */

static struct piece factor_piece(struct printer *to, struct factor factor, unsigned modulo,
                                 size_t length) {
    unsigned width = to->pool->nodes[factor.id].width;
    to->left = length;
    struct piece piece = piece_of(to, factor.id);
    if (width == modulo)
        return piece_settled(to, piece, width);
    return factor.is_signed ? piece_sign_extended(to, piece, width)
                            : piece_zero_extended(to, piece, width);
}

static struct bounds term_bounds(struct printer *to, const struct term *term) {
    wide coefficient = (int64_t)term->coefficient;
    struct bounds bounds = {coefficient, coefficient};
    for (uint32_t i = 0; i < term->degree; i++)
        bounds =
            piece_product(bounds, factor_piece(to, term->factors[i], 0, BOUNDED_LENGTH).bounds);
    return bounds;
}

/* Does the sum, as an integer, always fit into WIDTH bits? */
static bool stays_within(struct printer *to, const struct sum *sum, unsigned width,
                         bool is_signed) {
    wide half = (wide)1 << (width - 1), low = 0, high = 0;
    for (size_t i = 0; i < sum->count; i++) {
        struct bounds bounds = term_bounds(to, &sum->data[i]);
        if (bounds.low < -half * 4 || bounds.high > half * 4)
            return false;
        low += bounds.low;
        high += bounds.high;
    }
    return is_signed ? low >= -half && high < half : low >= 0 && high < 2 * half;
}

/* ---- expanding ---- */

/* A non-negative number is the same either way. */
static void add_factor(struct printer *to, uint32_t id, bool is_signed, uint64_t scale,
                       struct sum *out) {
    struct factor factor = {id, is_signed};
    if (is_signed && factor_piece(to, factor, 0, BOUNDED_LENGTH).bounds.low >= 0)
        factor.is_signed = false;
    struct term term = {.coefficient = scale, .degree = 1, .factors = {factor}};
    base_push(out, term);
}

static void add_scaled(const struct sum *sum, uint64_t scale, struct sum *out) {
    for (size_t i = 0; i < sum->count; i++) {
        struct term term = sum->data[i];
        term.coefficient *= scale;
        base_push(out, term);
    }
}

static struct sum expanded(struct expansion *in, uint32_t id, bool is_signed) {
    struct sum sum = {0};
    expand(in, id, is_signed, 1, &sum);
    normalise(in->to->pool, &sum);
    return sum;
}

static void expand_extension(struct expansion *in, uint32_t id, bool is_signed, uint64_t scale,
                             struct sum *out) {
    struct sum sum = expanded(in, id, is_signed);
    unsigned width = in->to->pool->nodes[id].width;
    if (width == 64 || stays_within(in->to, &sum, width, is_signed))
        add_scaled(&sum, scale, out);
    else
        add_factor(in->to, id, is_signed, scale, out);
    base_vector_done(&sum);
}

static struct term product(const struct expr_pool *pool, const struct term *a,
                           const struct term *b) {
    struct term term = {.coefficient = a->coefficient * b->coefficient};
    uint32_t i = 0, k = 0;
    while (i < a->degree || k < b->degree) {
        bool first = k == b->degree ||
                     (i < a->degree && compare_factors(pool, a->factors[i], b->factors[k]) <= 0);
        term.factors[term.degree++] = first ? a->factors[i++] : b->factors[k++];
    }
    return term;
}

static uint32_t degree_of(const struct sum *sum) {
    uint32_t degree = 0;
    for (size_t i = 0; i < sum->count; i++)
        if (sum->data[i].degree > degree)
            degree = sum->data[i].degree;
    return degree;
}

static void expand_product(struct expansion *in, uint32_t id, bool is_signed, uint64_t scale,
                           struct sum *out) {
    struct abi_node node = in->to->pool->nodes[id];
    struct sum a = expanded(in, node.a, is_signed), b = expanded(in, node.b, is_signed);
    if (a.count * b.count > MAX_TERMS || degree_of(&a) + degree_of(&b) > MAX_DEGREE) {
        add_factor(in->to, id, is_signed, scale, out);
    } else {
        for (size_t i = 0; i < a.count; i++)
            for (size_t k = 0; k < b.count; k++) {
                struct term term = product(in->to->pool, &a.data[i], &b.data[k]);
                term.coefficient *= scale;
                base_push(out, term);
            }
    }
    base_vector_done(&a);
    base_vector_done(&b);
}

static uint64_t signed_constant(const struct expr_pool *pool, uint32_t id) {
    unsigned unused = 64 - pool->nodes[id].width;
    return (uint64_t)((int64_t)(constant_of(pool, id) << unused) >> unused);
}

/* Zero bits at the low end. */
static unsigned trailing_zeros(const struct expr_pool *pool, uint32_t id) {
    const struct abi_node *node = &pool->nodes[id];
    while (node->op == ABI_OP_ZEXT || node->op == ABI_OP_SEXT)
        node = &pool->nodes[node->a];
    return node->op == ABI_OP_SHL && is_constant(pool, node->b)
               ? (unsigned)constant_of(pool, node->b)
               : 0;
}

/* Compilers write x * 4 + 3 as x << 2 | 3. */
static bool is_sum(const struct expr_pool *pool, const struct abi_node *node) {
    if (node->op != ABI_OP_OR)
        return node->op == ABI_OP_ADD;
    return is_constant(pool, node->b) &&
           constant_of(pool, node->b) >> trailing_zeros(pool, node->a) == 0;
}

static void expand_node(struct expansion *in, uint32_t id, bool is_signed, uint64_t scale,
                        struct sum *out) {
    const struct expr_pool *pool = in->to->pool;
    struct abi_node node = pool->nodes[id];
    if (node.op == ABI_OP_CONST) {
        base_push(out, (struct term){.coefficient = scale * signed_constant(pool, id)});
    } else if (is_sum(pool, &node) || node.op == ABI_OP_SUB) {
        expand(in, node.a, is_signed, scale, out);
        expand(in, node.b, is_signed, node.op == ABI_OP_SUB ? 0 - scale : scale, out);
    } else if (node.op == ABI_OP_MUL) {
        expand_product(in, id, is_signed, scale, out);
    } else if (node.op == ABI_OP_SHL && is_constant(pool, node.b)) {
        expand(in, node.a, is_signed, scale << constant_of(pool, node.b), out);
    } else if (node.op == ABI_OP_ZEXT || node.op == ABI_OP_SEXT) {
        expand_extension(in, node.a, node.op == ABI_OP_SEXT, scale, out);
    } else {
        add_factor(in->to, id, is_signed, scale, out);
    }
}

/* Adds SCALE times the expression: terms equal to it modulo 2^width, where its factors of that
 * width are read as signed or unsigned. */
static void expand(struct expansion *in, uint32_t id, bool is_signed, uint64_t scale,
                   struct sum *out) {
    if (in->depth == MAX_DEPTH || in->steps++ >= MAX_STEPS) {
        add_factor(in->to, id, is_signed, scale, out);
        return;
    }
    in->depth++;
    expand_node(in, id, is_signed, scale, out);
    in->depth--;
}

/* ---- printing ---- */

/* The sum counts modulo 2^MODULO: factors of that width may be signed or not. */
static void print_sum(struct printer *to, const struct sum *sum, unsigned modulo, size_t limit,
                      struct base_buffer *out);

static bool has_type(unsigned width) {
    return width == 8 || width == 16 || width == 32;
}

static bool is_factor(const struct sum *sum, uint32_t id) {
    return sum->count == 1 && sum->data[0].degree == 1 && sum->data[0].factors[0].id == id;
}

/* A sum that may leave its width is cast to it. C computes in at least 32 bits: that is enough for
 * the normal form inside the cast to be the same modulo 2^width. */
static bool print_cast_sum(struct printer *to, struct factor factor, struct base_buffer *out) {
    unsigned width = to->pool->nodes[factor.id].width;
    if (!has_type(width))
        return false;
    struct expansion in = {.to = to};
    struct sum sum = expanded(&in, factor.id, factor.is_signed);
    bool is_atom = is_factor(&sum, factor.id);
    if (!is_atom) {
        base_buffer_print(out, "(%sint%u_t)(", factor.is_signed ? "" : "u", width);
        print_sum(to, &sum, width, SIZE_MAX, out);
        base_buffer_print(out, ")");
    }
    base_vector_done(&sum);
    return !is_atom;
}

/* A product too large to expand: each side is a sum like any other. */
static bool print_product(struct printer *to, struct factor factor, struct base_buffer *out) {
    struct abi_node node = to->pool->nodes[factor.id];
    bool is_narrow = node.width < 64;
    if (node.op != ABI_OP_MUL || (is_narrow && !has_type(node.width)))
        return false;
    const uint32_t sides[] = {node.a, node.b};
    if (is_narrow)
        base_buffer_print(out, "(%sint%u_t)", factor.is_signed ? "" : "u", node.width);
    base_buffer_print(out, "(");
    for (size_t i = 0; i < BASE_COUNT(sides); i++) {
        struct expansion in = {.to = to};
        struct sum sum = expanded(&in, sides[i], factor.is_signed);
        base_buffer_print(out, "%s(", i ? "*" : "");
        print_sum(to, &sum, node.width, SIZE_MAX, out);
        base_buffer_print(out, ")");
        base_vector_done(&sum);
    }
    base_buffer_print(out, ")");
    return true;
}

static void print_factor(struct printer *to, struct factor factor, unsigned modulo,
                         enum precedence around, struct base_buffer *out) {
    if (print_cast_sum(to, factor, out) || print_product(to, factor, out))
        return;
    struct piece piece = factor_piece(to, factor, modulo, PIECE_MAX_LENGTH);
    unsigned width = to->pool->nodes[factor.id].width;
    if (piece.chain && has_type(width) && piece.type.bits < 64)
        piece = piece_cast(to, piece, (struct c_type){(uint8_t)width, factor.is_signed});
    if (around == PREC_UNARY && piece.text[0] == '-') /* otherwise it would be the operator -- */
        around = PREC_PRIMARY;
    base_buffer_print(out, "%s", piece_within(to, &piece, around));
}

static void print_term(struct printer *to, const struct term *term, unsigned modulo, bool is_first,
                       struct base_buffer *out) {
    bool is_negative = (int64_t)term->coefficient < 0;
    uint64_t size = is_negative ? 0 - term->coefficient : term->coefficient;
    bool is_alone = size == 1 && term->degree == 1 && !(is_first && is_negative);
    base_buffer_print(out, "%s", is_negative ? is_first ? "-" : " - " : is_first ? "" : " + ");
    if (size != 1 || !term->degree)
        base_buffer_print(out, "%" PRIu64 "%s", size, term->degree ? "*" : "");
    for (uint32_t i = 0; i < term->degree; i++) {
        base_buffer_print(out, "%s", i ? "*" : "");
        print_factor(to, term->factors[i], modulo, is_alone ? PREC_PRODUCT : PREC_UNARY, out);
    }
}

static void print_sum(struct printer *to, const struct sum *sum, unsigned modulo, size_t limit,
                      struct base_buffer *out) {
    size_t start = out->count;
    if (!sum->count)
        base_buffer_print(out, "0");
    for (size_t i = 0; i < sum->count; i++) {
        if (out->count - start >= limit) {
            base_buffer_print(out, " + …");
            return;
        }
        print_term(to, &sum->data[i], modulo, i == 0, out);
    }
}

void expr_print_sum(struct expr_pool *pool, uint64_t constant, const uint32_t *ids, size_t count,
                    const struct expr_given *given, expr_name *names, void *context, size_t limit,
                    struct base_buffer *out) {
    struct printer to = {.pool = pool, .names = names, .context = context};
    struct sum sum = {0};
    for (size_t i = 0; given && i < given->count; i++)
        facts_learn(&to, given->conditions[i]);
    base_push(&sum, (struct term){.coefficient = constant});
    for (size_t i = 0; i < count; i++) {
        struct expansion in = {.to = &to};
        expand_extension(&in, ids[i], false, 1, &sum);
        base_arena_done(&to.arena);
    }
    normalise(pool, &sum);
    print_sum(&to, &sum, 64, limit, out);
    base_vector_done(&sum);
    base_arena_done(&to.arena);
    facts_forget(&to);
}
