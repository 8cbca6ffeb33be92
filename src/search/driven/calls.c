/* SPDX-License-Identifier: Apache-2.0
 *
 * What does a call do in an abstract run? A function of the program is entered, intrinsics are
 * computed, and library functions are left to library.c.
 */
#include "search/driven/driven.h"

#include <stdlib.h>

#define MOST_FRAMES 200

/* ---- intrinsics ---- */

static struct driven_range range_of(const struct driven_arguments *call, uint32_t argument) {
    return driven_range_of(&call->machine->state.symbols, &call->values[argument]);
}

static struct driven_value extreme(struct driven_arguments *call, unsigned predicate) {
    struct driven_symbols *symbols = &call->machine->state.symbols;
    struct driven_value a = call->values[0], b = call->values[1];
    unsigned width = call->code->width;
    if (driven_is_constant(&a))
        a = driven_fit(a, width);
    if (driven_is_constant(&b))
        b = driven_fit(b, width);
    int known = driven_compare(symbols, predicate, &a, &b);
    if (known >= 0)
        return known ? a : b;
    struct driven_range x = driven_range_of(symbols, &a), y = driven_range_of(symbols, &b);
    bool is_ordered = a.kind == DRIVEN_INTEGER && b.kind == DRIVEN_INTEGER &&
                      (predicate >= 38 || (x.low >= 0 && y.low >= 0));
    if (!is_ordered)
        return driven_join(symbols, &a, &b, driven_depends_of(&a, &b));
    bool is_largest = predicate == 38 || predicate == 34;
    int64_t low = (x.low > y.low) == is_largest ? x.low : y.low;
    int64_t high = (x.high > y.high) == is_largest ? x.high : y.high;
    return driven_fresh(symbols, width, (struct driven_range){low, high},
                        driven_depends_of(&a, &b));
}

static struct driven_value absolute(struct driven_arguments *call) {
    struct driven_symbols *symbols = &call->machine->state.symbols;
    struct driven_range range = range_of(call, 0);
    enum driven_depends depends = (enum driven_depends)call->values[0].depends;
    if (call->values[0].kind != DRIVEN_INTEGER)
        return driven_unknown(depends);
    if (range.low >= 0)
        return call->values[0];
    struct driven_range full = driven_full_range(call->code->width);
    if (range.low == full.low)
        return driven_fresh(symbols, call->code->width, full, depends);
    int64_t high = range.high > -range.low ? range.high : -range.low;
    return driven_fresh(symbols, call->code->width, (struct driven_range){0, high}, depends);
}

static enum driven_stop call_intrinsic(struct driven_arguments *call) {
    if (call->machine->precision == DRIVEN_NAIVE) {
        if (call->code->detail == IR_INTRINSIC_COPY || call->code->detail == IR_INTRINSIC_SET)
            driven_charge(call->machine, range_of(call, 2));
        return DRIVEN_CHOICE;
    }
    switch (call->code->detail) {
    case IR_INTRINSIC_IGNORED:
        return DRIVEN_CHOICE;
    case IR_INTRINSIC_COPY:
        return driven_copy_memory(call);
    case IR_INTRINSIC_SET:
        return driven_set_memory(call);
    case IR_INTRINSIC_SMAX:
        call->result = extreme(call, 38);
        return DRIVEN_CHOICE;
    case IR_INTRINSIC_SMIN:
        call->result = extreme(call, 40);
        return DRIVEN_CHOICE;
    case IR_INTRINSIC_UMAX:
        call->result = extreme(call, 34);
        return DRIVEN_CHOICE;
    case IR_INTRINSIC_UMIN:
        call->result = extreme(call, 36);
        return DRIVEN_CHOICE;
    case IR_INTRINSIC_ABS:
        call->result = absolute(call);
        return DRIVEN_CHOICE;
    default:
        return DRIVEN_CHOICE;
    }
}

/* ---- all calls ---- */

static enum driven_stop enter_function(struct driven_machine *machine, uint32_t function,
                                       const struct ir_code *code) {
    const struct ir_function *facts = &machine->facts->functions[function];
    if (machine->state.frames.count >= MOST_FRAMES)
        return DRIVEN_GIVE_UP;
    BASE_VECTOR(struct driven_value) arguments = {0};
    for (uint32_t i = 0; i < facts->parameter_count; i++)
        base_push(&arguments,
                  i + 1 < code->operand_count
                      ? driven_read(machine, &machine->facts->operands[code->first_operand + 1 + i])
                      : driven_unknown(DRIVEN_PERHAPS));
    driven_push_frame(machine, function);
    for (uint32_t i = 0; i < facts->parameter_count; i++)
        driven_write(machine, i, arguments.data[i]);
    base_vector_done(&arguments);
    return driven_enter_block(machine, IR_NONE, facts->first_block) ? DRIVEN_CHOICE
                                                                    : DRIVEN_NO_PATH;
}

void driven_read_arguments(struct driven_machine *machine, const struct ir_code *code,
                           struct driven_arguments *call) {
    *call = (struct driven_arguments){.machine = machine,
                                      .code = code,
                                      .count = code->operand_count ? code->operand_count - 1 : 0,
                                      .result = driven_unknown(DRIVEN_PERHAPS)};
    for (uint32_t i = 0; i < BASE_COUNT(call->values); i++)
        call->values[i] =
            i < call->count ? driven_read_at(machine, code, i + 1) : driven_unknown(DRIVEN_PERHAPS);
}

/* Computes an intrinsic, and the origin of its result. */
static enum driven_stop compute(struct driven_arguments *call) {
    struct driven_symbols *symbols = &call->machine->state.symbols;
    size_t first = symbols->count;
    enum driven_stop stop = call_intrinsic(call);
    if (call->result.kind == DRIVEN_UNKNOWN)
        return stop;
    driven_begin_origin(symbols, &call->result, first);
    for (uint32_t i = 0; i < call->count && i < BASE_COUNT(call->values); i++)
        driven_add_origin(symbols, &call->result, first, &call->values[i]);
    return stop;
}

enum driven_stop driven_call(struct driven_machine *machine, const struct ir_code *code) {
    struct driven_arguments call;
    const struct ir_facts *facts = machine->facts;
    enum driven_stop stop;
    driven_read_arguments(machine, code, &call);
    if (code->detail != IR_INTRINSIC_NONE)
        stop = compute(&call);
    else {
        struct driven_value callee = driven_read(machine, &facts->operands[code->first_operand]);
        if (callee.kind != DRIVEN_FUNCTION) {
            machine->doubts->unknown++;
            return DRIVEN_GIVE_UP;
        }
        if (facts->functions[callee.object].block_count)
            return enter_function(machine, callee.object, code);
        stop = driven_call_library(&call, facts->strings + facts->functions[callee.object].name);
    }
    if (stop == DRIVEN_CHOICE && machine->precision != DRIVEN_NAIVE) {
        if (call.result.kind == DRIVEN_UNKNOWN && code->width && code->width < 64)
            call.result = driven_fresh(&machine->state.symbols, code->width,
                                       driven_full_range(code->width), DRIVEN_PERHAPS);
        driven_write(machine, code->result, call.result);
    }
    return stop;
}
