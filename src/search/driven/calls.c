/* SPDX-License-Identifier: Apache-2.0
 *
 * What does a call do to an abstract run? A function of the program is entered. Of the library, the
 * heap and the copying functions are known, and what they are charged (docs/library-costs.md); of
 * all others it is assumed that they may write to any memory and return anything. Where a charge is
 * known only up to a bound, the bound is taken and the cost is open; where there is none, that is
 * a doubt, which forbids to call the oracle's bound a proof.
 */
#include "search/driven/driven.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FRAMES 200
#define MOST_COPIED 65536 /* bytes of one copy that are followed */

/* The arguments of one call. */
struct call {
    struct driven_machine *machine;
    const struct ir_code *code;
    struct driven_value arguments[4];
    uint32_t count;
    struct driven_value result;
};

typedef enum driven_stop model(struct call *call);

/* ---- charges ---- */

static struct driven_range range_of(const struct call *call, uint32_t argument) {
    return driven_range_of(&call->machine->state.symbols, &call->arguments[argument]);
}

/* So many bytes are touched at most. False: nobody knows. */
static bool charge(struct call *call, struct driven_range bytes) {
    struct driven_machine *machine = call->machine;
    if (bytes.low < 0 || bytes.high > INT32_MAX) {
        machine->doubts->unpriced++;
        machine->is_open = machine->is_inexact = true;
        return false;
    }
    machine->is_open |= bytes.low != bytes.high;
    machine->is_inexact |= bytes.low != bytes.high;
    machine->instructions += (uint64_t)bytes.high;
    driven_spend(machine, (double)bytes.high * machine->prices.blocks[0]);
    return true;
}

/* ---- the heap ---- */

static void spend_memory(struct call *call, const struct driven_value *size) {
    struct driven_machine *machine = call->machine;
    const struct driven_prices *prices = &machine->prices;
    struct driven_range bytes = driven_range_of(&machine->state.symbols, size);
    double most = (double)bytes.high;
    driven_spend(machine, prices->allocation);
    if (prices->allocated == 0 && prices->live == 0)
        return;
    if (size->kind != DRIVEN_INTEGER || bytes.low < 0) {
        machine->is_open = true;
        most = (double)machine->subject->run_memory;
        if (!machine->subject->run_memory)
            machine->doubts->unpriced++;
    } else
        machine->is_open |= bytes.low != bytes.high;
    driven_spend(machine, most * (prices->allocated + prices->live));
}

static struct driven_value new_object(struct call *call, enum driven_content content,
                                      struct driven_value size) {
    struct driven_machine *machine = call->machine;
    spend_memory(call, &size);
    if (size.kind != DRIVEN_INTEGER)
        size = driven_fresh(&machine->state.symbols, 64, driven_full_range(64), DRIVEN_PERHAPS);
    uint32_t object = driven_add_object(&machine->state, content, size);
    machine->state.objects[object].is_heap = 1;
    return (struct driven_value){.kind = DRIVEN_POINTER, .width = 64, .object = object};
}

static void spend_free(struct call *call, const struct driven_value *pointer) {
    struct driven_machine *machine = call->machine;
    if (pointer->kind != DRIVEN_POINTER)
        return;
    struct driven_object *object = &machine->state.objects[pointer->object];
    struct driven_range bytes = driven_range_of(&machine->state.symbols, &object->size);
    if (object->is_heap && !object->is_freed && bytes.low > 0)
        driven_spend(machine, -(double)bytes.low * machine->prices.live);
    object->is_freed = 1;
}

static enum driven_stop model_malloc(struct call *call) {
    call->result = new_object(call, DRIVEN_ANYTHING, call->arguments[0]);
    return DRIVEN_CHOICE;
}

static enum driven_stop model_calloc(struct call *call) {
    struct driven_value size = driven_binary(&call->machine->state.symbols, IR_OP_MUL, 64,
                                             &call->arguments[0], &call->arguments[1]);
    call->result = new_object(call, DRIVEN_ZERO, size);
    return DRIVEN_CHOICE;
}

static enum driven_stop model_free(struct call *call) {
    spend_free(call, &call->arguments[0]);
    return DRIVEN_CHOICE;
}

static void copy_cells(struct driven_state *state, uint32_t to, int64_t place, uint32_t from,
                       int64_t offset, int64_t bytes) {
    for (size_t i = 0; i < state->objects[from].cells.count; i++) {
        const struct driven_cell cell = state->objects[from].cells.data[i];
        int64_t first = cell.offset > offset ? cell.offset : offset;
        int64_t end =
            cell.offset + cell.bytes < offset + bytes ? cell.offset + cell.bytes : offset + bytes;
        bool is_whole = end - first == cell.bytes;
        if (end > first)
            driven_put_cell(&state->objects[to], place + first - offset, (uint32_t)(end - first),
                            is_whole ? cell.value : driven_unknown(DRIVEN_PERHAPS));
    }
}

static enum driven_stop model_realloc(struct call *call) {
    struct driven_state *state = &call->machine->state;
    struct driven_value old = call->arguments[0];
    call->result = new_object(call, DRIVEN_ANYTHING, call->arguments[1]);
    if (old.kind == DRIVEN_POINTER) {
        struct driven_range size =
            driven_range_of(&state->symbols, &state->objects[old.object].size);
        copy_cells(state, call->result.object, 0, old.object, 0,
                   size.high < MOST_COPIED ? size.high : MOST_COPIED);
        state->objects[call->result.object].is_array = state->objects[old.object].is_array;
        spend_free(call, &old);
    }
    return DRIVEN_CHOICE;
}

/* ---- copying ---- */

static bool is_fixed(const struct call *call, uint32_t argument) {
    const struct driven_value *value = &call->arguments[argument];
    return value->kind == DRIVEN_POINTER && !value->symbol;
}

/* What lies there from now on is not known. */
static void spoil(struct call *call, const struct driven_value *address) {
    if (address->kind == DRIVEN_POINTER) {
        assert(call->machine->state.objects);
        struct driven_object *object = &call->machine->state.objects[address->object];
        object->cells.count = 0;
        object->content = DRIVEN_ANYTHING;
    } else
        driven_forget_memory(&call->machine->state);
}

static enum driven_stop model_copy(struct call *call) {
    struct driven_state *state = &call->machine->state;
    struct driven_value to = call->arguments[0], from = call->arguments[1];
    struct driven_range bytes = range_of(call, 2);
    call->result = to;
    bool is_known = charge(call, bytes) && bytes.low == bytes.high && bytes.high <= MOST_COPIED &&
                    is_fixed(call, 0) && is_fixed(call, 1);
    if (!is_known) {
        spoil(call, &to);
        return DRIVEN_CHOICE;
    }
    /* what has no cell in the source gets the content of the source, if both agree on it */
    struct driven_object *target = &state->objects[to.object];
    if (state->objects[from.object].content != target->content || to.object == from.object ||
        target->content == DRIVEN_INPUT)
        target->content = DRIVEN_ANYTHING;
    driven_drop_cells(target, to.offset, bytes.high);
    if (to.object != from.object)
        copy_cells(state, to.object, to.offset, from.object, from.offset, bytes.high);
    return DRIVEN_CHOICE;
}

/* Zeros, all over an object or in one that is zero elsewhere. */
static bool is_zeroing(struct call *call, struct driven_range bytes) {
    const struct driven_state *state = &call->machine->state;
    const struct driven_value *to = &call->arguments[0], *byte = &call->arguments[1];
    if (bytes.low != bytes.high || !is_fixed(call, 0) || !driven_is_constant(byte) || byte->offset)
        return false;
    const struct driven_object *target = &state->objects[to->object];
    struct driven_range size = driven_range_of(&state->symbols, &target->size);
    return target->content == DRIVEN_ZERO || (!to->offset && size.high <= bytes.high);
}

static enum driven_stop model_set(struct call *call) {
    struct driven_value to = call->arguments[0];
    struct driven_range bytes = range_of(call, 2);
    call->result = to;
    if (!charge(call, bytes) || !is_zeroing(call, bytes)) {
        spoil(call, &to);
        return DRIVEN_CHOICE;
    }
    struct driven_object *target = &call->machine->state.objects[to.object];
    driven_drop_cells(target, to.offset, bytes.high);
    target->content = DRIVEN_ZERO;
    return DRIVEN_CHOICE;
}

static enum driven_stop model_length(struct call *call) {
    struct driven_state *state = &call->machine->state;
    struct driven_range size = {0, -1};
    if (is_fixed(call, 0)) {
        const struct driven_object *object = &state->objects[call->arguments[0].object];
        size.high =
            driven_range_of(&state->symbols, &object->size).high - call->arguments[0].offset;
    }
    struct driven_range touched = {1, size.high};
    if (size.high < 1 || !charge(call, touched)) {
        call->machine->doubts->unpriced += size.high < 1;
        touched.high = INT64_MAX;
    }
    call->result = driven_fresh(&state->symbols, 64, (struct driven_range){0, touched.high - 1},
                                DRIVEN_PERHAPS);
    return DRIVEN_CHOICE;
}

/* ---- ends, and what has no effect ---- */

static enum driven_stop model_crash(struct call *call) {
    (void)call;
    return DRIVEN_NO_PATH;
}

static enum driven_stop model_exit(struct call *call) {
    struct driven_machine *machine = call->machine;
    return !machine->trail || search_follower_ends(&machine->state.follower) ? DRIVEN_END
                                                                             : DRIVEN_NO_PATH;
}

static enum driven_stop model_nothing(struct call *call) {
    (void)call;
    return DRIVEN_CHOICE;
}

static const struct {
    const char *name;
    model *model;
} models[] = {
    {"malloc", model_malloc},       {"calloc", model_calloc},
    {"realloc", model_realloc},     {"free", model_free},
    {"memcpy", model_copy},         {"memmove", model_copy},
    {"memset", model_set},          {"strlen", model_length},
    {"abort", model_crash},         {"exit", model_exit},
    {"__assert_fail", model_crash}, {"_exit", model_exit},
    {"printf", model_nothing},      {"puts", model_nothing},
    {"putchar", model_nothing},     {"fprintf", model_nothing},
    {"fputs", model_nothing},       {"fputc", model_nothing},
    {"fflush", model_nothing},      {"slowpath_assume", model_nothing},
};

/* Functions that are charged for the bytes that they touch, or call back. */
static bool is_priced(const char *name) {
    static const char *const others[] = {
#define INLINE(name) #name,
#define SAME(name, of) #name,
#include "abi/library.def"
#undef INLINE
#undef SAME
        "qsort", "qsort_r", "bsearch", "lfind", "lsearch", "tsearch", "tfind", "tdelete"};
    for (size_t i = 0; i < BASE_COUNT(others); i++)
        if (strcmp(others[i], name) == 0)
            return true;
    return false;
}

/* Without values, only ends are known. */
static enum driven_stop call_blindly(struct call *call, const char *name) {
    const struct driven_prices *prices = &call->machine->prices;
    for (size_t i = 0; i < BASE_COUNT(models); i++) {
        if (strcmp(models[i].name, name) != 0)
            continue;
        if (models[i].model == model_crash || models[i].model == model_exit)
            return models[i].model(call);
        call->machine->doubts->unpriced += prices->live != 0 || prices->allocated != 0;
    }
    call->machine->doubts->unpriced += is_priced(name);
    return DRIVEN_CHOICE;
}

static enum driven_stop call_library(struct call *call, const char *name) {
    if (call->machine->precision == DRIVEN_NAIVE)
        return call_blindly(call, name);
    for (size_t i = 0; i < BASE_COUNT(models); i++)
        if (strcmp(models[i].name, name) == 0)
            return models[i].model(call);
    if (is_priced(name)) {
        call->machine->doubts->unpriced++;
        call->machine->is_open = call->machine->is_inexact = true;
    }
    driven_forget_memory(&call->machine->state);
    return DRIVEN_CHOICE;
}

/* ---- intrinsics ---- */

static struct driven_value extreme(struct call *call, unsigned predicate) {
    struct driven_symbols *symbols = &call->machine->state.symbols;
    struct driven_value a = call->arguments[0], b = call->arguments[1];
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

static struct driven_value absolute(struct call *call) {
    struct driven_symbols *symbols = &call->machine->state.symbols;
    struct driven_range range = range_of(call, 0);
    enum driven_depends depends = (enum driven_depends)call->arguments[0].depends;
    if (call->arguments[0].kind != DRIVEN_INTEGER)
        return driven_unknown(depends);
    if (range.low >= 0)
        return call->arguments[0];
    struct driven_range full = driven_full_range(call->code->width);
    if (range.low == full.low)
        return driven_fresh(symbols, call->code->width, full, depends);
    int64_t high = range.high > -range.low ? range.high : -range.low;
    return driven_fresh(symbols, call->code->width, (struct driven_range){0, high}, depends);
}

static enum driven_stop call_intrinsic(struct call *call) {
    if (call->machine->precision == DRIVEN_NAIVE) {
        if (call->code->detail == IR_INTRINSIC_COPY || call->code->detail == IR_INTRINSIC_SET)
            charge(call, range_of(call, 2));
        return DRIVEN_CHOICE;
    }
    switch (call->code->detail) {
    case IR_INTRINSIC_IGNORED:
        return DRIVEN_CHOICE;
    case IR_INTRINSIC_COPY:
        return model_copy(call);
    case IR_INTRINSIC_SET:
        return model_set(call);
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

/* ---- the whole ---- */

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

static void read_arguments(struct call *call) {
    call->count = call->code->operand_count ? call->code->operand_count - 1 : 0;
    for (uint32_t i = 0; i < BASE_COUNT(call->arguments); i++)
        call->arguments[i] =
            i < call->count
                ? driven_read(call->machine,
                              &call->machine->facts->operands[call->code->first_operand + 1 + i])
                : driven_unknown(DRIVEN_PERHAPS);
}

enum driven_stop driven_call(struct driven_machine *machine, const struct ir_code *code) {
    struct call call = {.machine = machine, .code = code};
    const struct ir_facts *facts = machine->facts;
    call.result = driven_unknown(DRIVEN_PERHAPS);
    enum driven_stop stop;
    if (code->detail != IR_INTRINSIC_NONE) {
        read_arguments(&call);
        stop = call_intrinsic(&call);
    } else {
        struct driven_value callee = driven_read(machine, &facts->operands[code->first_operand]);
        if (callee.kind != DRIVEN_FUNCTION) {
            machine->doubts->unknown++;
            return DRIVEN_GIVE_UP;
        }
        if (facts->functions[callee.object].block_count)
            return enter_function(machine, callee.object, code);
        read_arguments(&call);
        stop = call_library(&call, facts->strings + facts->functions[callee.object].name);
    }
    if (stop == DRIVEN_CHOICE && machine->precision != DRIVEN_NAIVE) {
        if (call.result.kind == DRIVEN_UNKNOWN && code->width && code->width < 64)
            call.result = driven_fresh(&machine->state.symbols, code->width,
                                       driven_full_range(code->width), DRIVEN_PERHAPS);
        driven_write(machine, code->result, call.result);
    }
    return stop;
}
