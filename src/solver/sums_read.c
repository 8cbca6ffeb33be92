/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a condition linear? Every machine integer of w bits is read as a linear form that is equal to
 * it modulo 2^w: for sums, differences, products with constants, left shifts and truncations that
 * is enough, whether they wrap around or not. Where the number itself matters (a comparison, an
 * extension, a right shift) it is form - 2^w * k, within the bounds of its type. If the bounds of
 * the form allow only one k, it is known; otherwise k becomes a variable, and wrap-around stays
 * linear. Quotients by constants are handled the same way.
 *
 * A non-linear node becomes a variable of its own: then the limits are only a part of what the
 * condition says, which is enough for a "no".
 */
#include "solver/sums.h"

#define MAX_STEPS 400 /* per condition: shared parts could make it exponential */
#define MAX_GAPS 4    /* a variable has at most this many excluded values */

static void read_node(struct sums_reader *in, uint32_t id, struct sums_form *form);

/* ---- readings of nodes ---- */

/* The form is always within these bounds: that follows from what its variables mean. */
static bool define_form(struct sums *sums, struct sums_form *form, wide low, wide high) {
    size_t mark = sums->limits.count;
    if (!sums_limit_form(sums, form, low, high, true))
        return false;
    struct sums_limit limit = sums->limits.data[mark];
    sums->limits.count = mark;
    simplex_bound_low(&sums->simplex, limit.variable, limit.low, 0);
    simplex_bound_high(&sums->simplex, limit.variable, limit.high, 0);
    return true;
}

static struct sums_reading *reading_of(struct sums *sums, uint32_t id, enum sums_kind kind) {
    while (sums->readings[kind].count <= id)
        base_push(&sums->readings[kind], (struct sums_reading){0});
    return &sums->readings[kind].data[id];
}

static bool recall(struct sums_reader *in, uint32_t id, enum sums_kind kind,
                   struct sums_form *form) {
    const struct sums_reading *reading = reading_of(in->sums, id, kind);
    if (reading->stamp != in->sums->stamp)
        return false;
    in->is_exact &= !reading->is_opaque;
    sums_set_single(form, reading->variable, reading->constant);
    return true;
}

static void remember(struct sums_reader *in, uint32_t id, enum sums_kind kind, uint32_t variable,
                     wide constant, struct sums_form *form) {
    *reading_of(in->sums, id, kind) =
        (struct sums_reading){in->sums->stamp, variable, constant, false};
    sums_set_single(form, variable, constant);
}

/* A non-linear node as a number. Its variable says nothing about its parts. */
static void read_opaque(struct sums_reader *in, uint32_t id, bool is_signed,
                        struct sums_form *form) {
    unsigned width = expr_node(in->solver->pool, id)->width;
    enum sums_kind kind = is_signed ? SUMS_SIGNED : SUMS_UNSIGNED;
    in->is_exact = false;
    if (recall(in, id, kind, form))
        return;
    uint64_t bits = expr_bank_eval(in->solver->pool, BANK_CURRENT, id);
    wide low = sums_type_low(width, is_signed);
    uint32_t variable =
        sums_new_variable(in->sums, is_signed ? sums_signed(bits, width) : (wide)bits, low,
                          low + ((wide)1 << width) - 1, NONE);
    remember(in, id, kind, variable, 0, form);
    reading_of(in->sums, id, kind)->is_opaque = true;
}

/* Turns a form that is equal to a number modulo 2^width into that number, as the reading of this
 * KIND of node ID. False: impossible. */
static bool settle_form(struct sums_reader *in, uint32_t id, enum sums_kind kind, unsigned width,
                        struct sums_form *form) {
    struct sums *sums = in->sums;
    wide low, high, size = (wide)1 << width, start = sums_type_low(width, kind == SUMS_SIGNED);
    if (!sums_bound_form(sums, form, &low, &high))
        return false;
    wide first = simplex_floor(low - start, size), last = simplex_floor(high - start, size);
    if (first == last) {
        form->constant -= first * size;
        return true;
    }
    if (recall(in, id, kind, form))
        return true;
    if (width >= SUMS_BITS || form->count == SUMS_PARTS || !sums_is_small(first) ||
        !sums_is_small(last))
        return false;
    wide constant = form->constant, now = simplex_floor(sums_form_now(sums, form) - start, size);
    uint32_t turns = sums_new_variable(sums, now, first, last, NONE);
    form->parts[form->count++] = (struct simplex_part){turns, -(int64_t)size};
    form->constant = 0;
    uint32_t sum = sums_find(sums, form);
    if (sum == NONE)
        return false;
    simplex_bound_low(&sums->simplex, sum, start - constant, 0);
    simplex_bound_high(&sums->simplex, sum, start + size - 1 - constant, 0);
    remember(in, id, kind, sum, constant, form);
    return true;
}

/* Node ID as a number. */
static void read_number(struct sums_reader *in, uint32_t id, bool is_signed,
                        struct sums_form *form) {
    read_node(in, id, form);
    enum sums_kind kind = is_signed ? SUMS_SIGNED : SUMS_UNSIGNED;
    if (!settle_form(in, id, kind, expr_node(in->solver->pool, id)->width, form))
        read_opaque(in, id, is_signed, form);
}

/* The number divided by DIVISOR and rounded down, which is node ID. */
static bool divide_form(struct sums_reader *in, uint32_t id, wide divisor, struct sums_form *form) {
    struct sums *sums = in->sums;
    wide low, high;
    if (recall(in, id, SUMS_QUOTIENT, form))
        return true;
    if (!sums_bound_form(sums, form, &low, &high) || !sums_is_small(divisor) ||
        form->count == SUMS_PARTS)
        return false;
    wide now = simplex_floor(sums_form_now(sums, form), divisor);
    uint32_t quotient = sums_new_variable(sums, now, simplex_floor(low, divisor),
                                          simplex_floor(high, divisor), NONE);
    form->parts[form->count++] = (struct simplex_part){quotient, -(int64_t)divisor};
    if (!define_form(sums, form, 0, divisor - 1))
        return false;
    remember(in, id, SUMS_QUOTIENT, quotient, 0, form);
    return true;
}

/* ---- operations ---- */

static bool is_constant(const struct sums_reader *in, uint32_t id) {
    return expr_node(in->solver->pool, id)->op == ABI_OP_CONST;
}

static bool read_pair(struct sums_reader *in, const struct abi_node *node, wide sign,
                      struct sums_form *form) {
    struct sums_form other;
    read_node(in, node->a, form);
    read_node(in, node->b, &other);
    return sums_add_form(form, &other, sign);
}

static bool scale_form(struct sums_form *form, wide factor) {
    struct sums_form result = {.count = 0};
    if (!sums_add_form(&result, form, factor))
        return false;
    *form = result;
    return true;
}

static bool read_product(struct sums_reader *in, const struct abi_node *node,
                         struct sums_form *form) {
    bool left = is_constant(in, node->a);
    if (!left && !is_constant(in, node->b))
        return false;
    uint64_t factor = expr_constant(in->solver->pool, left ? node->a : node->b);
    read_node(in, left ? node->b : node->a, form);
    return scale_form(form, sums_signed(factor, node->width));
}

static bool read_left_shift(struct sums_reader *in, const struct abi_node *node,
                            struct sums_form *form) {
    if (!is_constant(in, node->b) || expr_constant(in->solver->pool, node->b) >= node->width)
        return false;
    read_node(in, node->a, form);
    return scale_form(form, (wide)1 << expr_constant(in->solver->pool, node->b));
}

static bool read_right_shift(struct sums_reader *in, uint32_t id, const struct abi_node *node,
                             struct sums_form *form) {
    if (!is_constant(in, node->b) || expr_constant(in->solver->pool, node->b) >= node->width)
        return false;
    read_number(in, node->a, node->op == ABI_OP_ASHR, form);
    return divide_form(in, id, (wide)1 << expr_constant(in->solver->pool, node->b), form);
}

/* The number of low bits of the form known to be zero. */
static unsigned zero_bits(const struct sums_form *form) {
    uint64_t all = (uint64_t)form->constant;
    for (unsigned i = 0; i < form->count; i++)
        all |= (uint64_t)form->parts[i].factor;
    return all ? (unsigned)__builtin_ctzll(all) : 64;
}

/* Bits that do not overlap add up: x << 8 | y. */
static bool read_disjoint(struct sums_reader *in, const struct abi_node *node,
                          struct sums_form *form) {
    struct sums_form other, *high = form, *low = &other;
    wide least, most;
    read_number(in, node->a, false, form);
    read_number(in, node->b, false, &other);
    if (zero_bits(form) < zero_bits(&other)) {
        high = &other;
        low = form;
    }
    return sums_bound_form(in->sums, low, &least, &most) && least >= 0 &&
           most < (wide)1 << zero_bits(high) && sums_add_form(form, &other, 1);
}

/* For non-negative numbers, signed division is the same. */
static bool is_divisible(struct sums_reader *in, const struct abi_node *node,
                         const struct sums_form *form, wide divisor) {
    wide low, high;
    if (node->op != ABI_OP_SDIV && node->op != ABI_OP_SREM)
        return true;
    return sums_bound_form(in->sums, form, &low, &high) && low >= 0 &&
           divisor < (wide)1 << (node->width - 1);
}

static bool read_division(struct sums_reader *in, uint32_t id, const struct abi_node *node,
                          struct sums_form *form) {
    struct sums_form quotient;
    if (!is_constant(in, node->b) || !expr_constant(in->solver->pool, node->b))
        return false;
    wide divisor = expr_constant(in->solver->pool, node->b);
    bool is_signed = node->op == ABI_OP_SDIV || node->op == ABI_OP_SREM;
    read_number(in, node->a, is_signed, form);
    quotient = *form;
    if (!is_divisible(in, node, form, divisor) || !divide_form(in, id, divisor, &quotient))
        return false;
    if (node->op == ABI_OP_UREM || node->op == ABI_OP_SREM)
        return sums_add_form(form, &quotient, -divisor);
    *form = quotient;
    return true;
}

/* The low bits are a narrower number; all but the low bits are the rest. */
static bool read_mask(struct sums_reader *in, uint32_t id, const struct abi_node *node,
                      struct sums_form *form) {
    struct sums_form low;
    if (!is_constant(in, node->b))
        return false;
    uint64_t mask = expr_constant(in->solver->pool, node->b);
    if (!(mask & (mask + 1)) && mask) {
        read_node(in, node->a, form);
        return settle_form(in, id, SUMS_UNSIGNED, (unsigned)__builtin_popcountll(mask), form);
    }
    uint64_t rest = ~mask & (UINT64_MAX >> (64 - node->width));
    if (rest & (rest + 1) || !rest)
        return false;
    read_node(in, node->a, form);
    low = *form;
    return settle_form(in, id, SUMS_QUOTIENT, (unsigned)__builtin_popcountll(rest), &low) &&
           sums_add_form(form, &low, -1);
}

static bool read_extract(struct sums_reader *in, uint32_t id, const struct abi_node *node,
                         struct sums_form *form) {
    if (!node->extra) {
        read_node(in, node->a, form);
        return true;
    }
    read_number(in, node->a, false, form);
    return divide_form(in, id, (wide)1 << node->extra, form);
}

static bool read_concat(struct sums_reader *in, const struct abi_node *node,
                        struct sums_form *form) {
    struct sums_form low;
    read_node(in, node->a, form);
    read_number(in, node->b, false, &low);
    return scale_form(form, (wide)1 << expr_node(in->solver->pool, node->b)->width) &&
           sums_add_form(form, &low, 1);
}

static bool read_operation(struct sums_reader *in, uint32_t id, struct sums_form *form) {
    const struct abi_node node = *expr_node(in->solver->pool, id);
    switch (node.op) {
    case ABI_OP_CONST:
        form->count = 0;
        form->constant = sums_signed(expr_constant(in->solver->pool, id), node.width);
        return true;
    case ABI_OP_INPUT:
        sums_set_single(form, sums_input(in, expr_variable_number(in->solver->pool, id)), 0);
        return true;
    case ABI_OP_ADD:
        return read_pair(in, &node, 1, form);
    case ABI_OP_SUB:
        return read_pair(in, &node, -1, form);
    case ABI_OP_NOT: /* -1 - a */
        read_node(in, node.a, form);
        if (!scale_form(form, -1))
            return false;
        form->constant--;
        return true;
    case ABI_OP_MUL:
        return read_product(in, &node, form);
    case ABI_OP_SHL:
        return read_left_shift(in, &node, form);
    case ABI_OP_ZEXT:
        read_number(in, node.a, false, form);
        return true;
    case ABI_OP_SEXT:
        read_number(in, node.a, true, form);
        return true;
    case ABI_OP_LSHR:
    case ABI_OP_ASHR:
        return read_right_shift(in, id, &node, form);
    case ABI_OP_UDIV:
    case ABI_OP_SDIV:
    case ABI_OP_UREM:
    case ABI_OP_SREM:
        return read_division(in, id, &node, form);
    case ABI_OP_OR:
    case ABI_OP_XOR:
        return read_disjoint(in, &node, form);
    case ABI_OP_AND:
        return read_mask(in, id, &node, form);
    case ABI_OP_EXTRACT:
        return read_extract(in, id, &node, form);
    case ABI_OP_CONCAT:
        return read_concat(in, &node, form);
    default:
        return false;
    }
}

/* A form that is equal to the node modulo 2^width. */
static void read_node(struct sums_reader *in, uint32_t id, struct sums_form *form) {
    if (in->steps++ > MAX_STEPS || !read_operation(in, id, form))
        read_opaque(in, id, in->is_signed || expr_node(in->solver->pool, id)->width == 64, form);
}

/* ---- comparisons ---- */

static enum sums_answer know(bool holds) {
    return holds ? SUMS_ALL : SUMS_NEVER;
}

static enum sums_answer limit_to(struct sums_reader *in, struct sums_form *form, wide low,
                                 wide high, bool inside) {
    if (!form->count)
        return know((low <= form->constant && form->constant <= high) == inside);
    return sums_limit_form(in->sums, form, low, high, inside) ? SUMS_ALL : SUMS_NOTHING;
}

static enum sums_answer read_order(struct sums_reader *in, const struct abi_node *node,
                                   bool negated) {
    struct sums_form left, right;
    in->is_signed = node->op == ABI_OP_SLT || node->op == ABI_OP_SLE;
    read_number(in, negated ? node->b : node->a, in->is_signed, &left);
    read_number(in, negated ? node->a : node->b, in->is_signed, &right);
    if (!sums_add_form(&left, &right, -1))
        return SUMS_NOTHING;
    bool strict = (node->op == ABI_OP_ULT || node->op == ABI_OP_SLT) != negated;
    return limit_to(in, &left, -SIMPLEX_FAR, -(wide)strict, true);
}

/* An equation holds modulo the type's size: which multiple of it is the difference? */
static enum sums_answer read_equation(struct sums_reader *in, uint32_t id, bool negated) {
    struct sums_form form, turns;
    const struct abi_node node = *expr_node(in->solver->pool, id);
    unsigned width = expr_node(in->solver->pool, node.a)->width;
    wide low, high, size = (wide)1 << width;
    in->is_signed = width > 8;
    if (width == 1 || !read_pair(in, &node, -1, &form) ||
        !sums_bound_form(in->sums, &form, &low, &high))
        return SUMS_NOTHING;
    wide first = -simplex_floor(-low, size), last = simplex_floor(high, size);
    if (first > last)
        return know(negated);
    if (first == last)
        return limit_to(in, &form, first * size, first * size, !negated);
    if (width >= SUMS_BITS || !form.count || form.count == SUMS_PARTS || !sums_is_small(first) ||
        !sums_is_small(last))
        return SUMS_NOTHING;
    if (negated && last - first < MAX_GAPS) {
        for (wide i = first; i <= last; i++) {
            struct sums_form copy = form;
            if (limit_to(in, &copy, i * size, i * size, false) != SUMS_ALL)
                return SUMS_NOTHING;
        }
        return SUMS_ALL;
    }
    if (!recall(in, id, SUMS_QUOTIENT, &turns)) {
        wide now = simplex_floor(sums_form_now(in->sums, &form), size);
        uint32_t variable = sums_new_variable(in->sums, now, first - 1, last, NONE);
        remember(in, id, SUMS_QUOTIENT, variable, 0, &turns);
    }
    if (!sums_add_form(&form, &turns, -size))
        return SUMS_NOTHING;
    return limit_to(in, &form, negated, negated ? size - 1 : 0, true);
}

static enum sums_answer read_comparison(struct sums_reader *in, uint32_t condition) {
    bool negated = expr_node(in->solver->pool, condition)->op == ABI_OP_NOT;
    uint32_t id = negated ? expr_node(in->solver->pool, condition)->a : condition;
    const struct abi_node node = *expr_node(in->solver->pool, id);
    if (node.op == ABI_OP_EQ)
        return read_equation(in, id, negated);
    if (node.op < ABI_OP_ULT || node.op > ABI_OP_SLE)
        return SUMS_NOTHING;
    return read_order(in, &node, negated);
}

/* ---- sets of values of one variable ---- */

static bool set_of_bytes(struct solver *solver, uint32_t condition, struct interval_set *set) {
    struct byte_set bytes;
    if (domain_variable(solver, condition) == NONE ||
        !domain_of_condition(solver, condition, &bytes))
        return false;
    set->count = 0;
    for (unsigned value = 0; value < 256; value++) {
        if (!byte_set_has(&bytes, value))
            continue;
        if (set->count && set->at[set->count - 1].high + 1 == value)
            set->at[set->count - 1].high = value;
        else if (set->count < SET_LIMIT)
            set->at[set->count++] = (struct interval){value, value};
        else
            return false;
    }
    return true;
}

/* The intervals FROM to TO, moved by OFFSET: a limit from the first to the last, with gaps
 * between. */
static void append_set(struct sums *sums, uint32_t variable, const struct interval_set *set,
                       wide from, wide to, wide offset) {
    for (unsigned i = 0; i < set->count; i++) {
        wide low = set->at[i].low, high = set->at[i].high;
        low = (low < from ? from : low) + offset;
        high = (high > to ? to : high) + offset;
        if (low > high)
            continue;
        if (!sums->limits.count) {
            base_push(&sums->limits, (struct sums_limit){variable, true, low, high});
            continue;
        }
        struct sums_limit *whole = &sums->limits.data[0];
        wide last = whole->high;
        whole->high = high;
        if (last + 1 < low)
            base_push(&sums->limits, (struct sums_limit){variable, false, last + 1, low - 1});
    }
}

static enum sums_answer read_set(struct sums_reader *in, uint32_t condition,
                                 const struct interval_set *set) {
    uint32_t number = expr_variables(in->solver->pool, condition).numbers[0];
    uint32_t variable = sums_input(in, number);
    unsigned width = solver_width(in->solver, number);
    wide half = (wide)1 << (width - 1);
    bool is_signed = in->sums->variables.data[variable].is_signed;
    if (!set->count)
        return SUMS_NEVER;
    if (is_signed)
        append_set(in->sums, variable, set, half, 2 * half - 1, -2 * half);
    append_set(in->sums, variable, set, 0, is_signed ? half - 1 : 2 * half - 1, 0);
    return SUMS_ALL;
}

static bool is_signed_comparison(const struct expr_pool *pool, uint32_t condition) {
    const struct abi_node *node = expr_node(pool, condition);
    if (node->op == ABI_OP_NOT)
        node = expr_node(pool, node->a);
    return node->op == ABI_OP_SLT || node->op == ABI_OP_SLE;
}

enum sums_answer sums_read(struct solver *solver, struct sums *sums, uint32_t condition) {
    struct sums_reader in = {.solver = solver, .sums = sums, .is_exact = true};
    struct interval_set set;
    sums->limits.count = 0;
    in.is_signed = is_signed_comparison(solver->pool, condition);
    if (expr_variables(solver->pool, condition).count == 1 &&
        (set_of_condition(solver->pool, condition, &set) || set_of_bytes(solver, condition, &set)))
        return read_set(&in, condition, &set);
    enum sums_answer answer = read_comparison(&in, condition);
    return answer == SUMS_ALL && !in.is_exact ? SUMS_PART : answer;
}
