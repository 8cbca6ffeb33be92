/* SPDX-License-Identifier: Apache-2.0
 *
 * Floating-point expressions. The shadow of a float or double is the expression of its bits, so
 * loads, stores and copies need nothing special. Here are comparisons and casts; arithmetic has one
 * node per operation, as for integers.
 */
#include "runtime/symbolic.h"

static uint32_t make(enum abi_op op, uint32_t a, uint32_t b) {
    return a && b ? runtime_sym_node(op, 1, 0, a, b, 0) : 0;
}

static uint32_t make_not(uint32_t a) {
    return a ? runtime_sym_node(ABI_OP_NOT, 1, 0, a, 0, 0) : 0;
}

static uint32_t are_numbers(uint32_t a, uint32_t b) {
    return make(ABI_OP_AND, make(ABI_OP_FEQ, a, a), make(ABI_OP_FEQ, b, b));
}

static uint32_t is_less_or_greater(uint32_t a, uint32_t b) {
    return make(ABI_OP_OR, make(ABI_OP_FLT, a, b), make(ABI_OP_FLT, b, a));
}

/* LLVM's predicates: oeq ogt oge olt ole one ord, from 1 on, then those that hold for NaN, too: uno
 * ueq ugt uge ult ule une. The negation of predicate p is 15 - p. */
uint32_t runtime_sym_compare_floats(unsigned predicate, uint32_t a, uint32_t b) {
    switch (predicate) {
    case 1:
        return make(ABI_OP_FEQ, a, b);
    case 2:
        return make(ABI_OP_FLT, b, a);
    case 3:
        return make(ABI_OP_FLE, b, a);
    case 4:
        return make(ABI_OP_FLT, a, b);
    case 5:
        return make(ABI_OP_FLE, a, b);
    case 6:
        return is_less_or_greater(a, b);
    case 7:
        return are_numbers(a, b);
    case 0:
    case 15:
        return 0;
    default:
        return make_not(runtime_sym_compare_floats(15 - predicate, a, b));
    }
}
