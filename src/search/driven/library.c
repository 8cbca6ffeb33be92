/* SPDX-License-Identifier: Apache-2.0
 *
 * What does a library function do in an abstract run? The heap and the copying functions are
 * modelled, with their charges (docs/library-costs.md); all others are assumed to write any memory
 * and return anything. If only a bound of a charge is known, the bound is used and the cost is
 * open; if no bound is known, that is a doubt, and the oracle's bound is not a proof. Calls that
 * never return end the run, unless they continue elsewhere.
 */
#include "search/driven/driven.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MOST_COPIED 65536 /* bytes of one copy that is modelled exactly */

/* ---- charges ---- */

static struct driven_range range_of(const struct driven_arguments *call, uint32_t argument) {
    return driven_range_of(&call->machine->state.symbols, &call->values[argument]);
}

bool driven_charge(struct driven_machine *machine, struct driven_range bytes) {
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

static void spend_memory(struct driven_arguments *call, const struct driven_value *size) {
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

static struct driven_value new_object(struct driven_arguments *call, enum driven_content content,
                                      struct driven_value size) {
    struct driven_machine *machine = call->machine;
    spend_memory(call, &size);
    if (size.kind != DRIVEN_INTEGER)
        size = driven_fresh(&machine->state.symbols, 64, driven_full_range(64), DRIVEN_PERHAPS);
    uint32_t object = driven_add_object(&machine->state, content, size);
    machine->state.objects[object].is_heap = 1;
    return (struct driven_value){.kind = DRIVEN_POINTER, .width = 64, .object = object};
}

static void spend_free(struct driven_arguments *call, const struct driven_value *pointer) {
    struct driven_machine *machine = call->machine;
    if (pointer->kind != DRIVEN_POINTER)
        return;
    struct driven_object *object = &machine->state.objects[pointer->object];
    struct driven_range bytes = driven_range_of(&machine->state.symbols, &object->size);
    if (object->is_heap && !object->is_freed && bytes.low > 0)
        driven_spend(machine, -(double)bytes.low * machine->prices.live);
    object->is_freed = 1;
}

static enum driven_stop model_malloc(struct driven_arguments *call) {
    call->result = new_object(call, DRIVEN_ANYTHING, call->values[0]);
    return DRIVEN_CHOICE;
}

static enum driven_stop model_aligned(struct driven_arguments *call) {
    call->result = new_object(call, DRIVEN_ANYTHING, call->values[1]);
    return DRIVEN_CHOICE;
}

static enum driven_stop model_calloc(struct driven_arguments *call) {
    struct driven_value size = driven_binary(&call->machine->state.symbols, IR_OP_MUL, 64,
                                             &call->values[0], &call->values[1]);
    call->result = new_object(call, DRIVEN_ZERO, size);
    return DRIVEN_CHOICE;
}

static enum driven_stop model_free(struct driven_arguments *call) {
    spend_free(call, &call->values[0]);
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

static enum driven_stop model_realloc(struct driven_arguments *call) {
    struct driven_state *state = &call->machine->state;
    struct driven_value old = call->values[0];
    call->result = new_object(call, DRIVEN_ANYTHING, call->values[1]);
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

static bool is_fixed(const struct driven_arguments *call, uint32_t argument) {
    const struct driven_value *value = &call->values[argument];
    return value->kind == DRIVEN_POINTER && !value->symbol;
}

/* Makes what the address points to unknown. */
static void spoil(struct driven_arguments *call, const struct driven_value *address) {
    if (address->kind == DRIVEN_POINTER) {
        assert(call->machine->state.objects);
        struct driven_object *object = &call->machine->state.objects[address->object];
        object->cells.count = 0;
        object->content = DRIVEN_ANYTHING;
    } else
        driven_forget_memory(&call->machine->state);
}

enum driven_stop driven_copy_memory(struct driven_arguments *call) {
    struct driven_state *state = &call->machine->state;
    struct driven_value to = call->values[0], from = call->values[1];
    struct driven_range bytes = range_of(call, 2);
    call->result = to;
    driven_note_asked(state, &call->values[2]);
    bool is_known = driven_charge(call->machine, bytes) && bytes.low == bytes.high &&
                    bytes.high <= MOST_COPIED && is_fixed(call, 0) && is_fixed(call, 1);
    if (!is_known) {
        spoil(call, &to);
        return DRIVEN_CHOICE;
    }
    /* bytes without a cell in the source get its content, if both agree on it */
    struct driven_object *target = &state->objects[to.object];
    if (state->objects[from.object].content != target->content || to.object == from.object ||
        target->content == DRIVEN_INPUT)
        target->content = DRIVEN_ANYTHING;
    driven_drop_cells(target, to.offset, bytes.high);
    if (to.object != from.object)
        copy_cells(state, to.object, to.offset, from.object, from.offset, bytes.high);
    return DRIVEN_CHOICE;
}

/* Does it set a whole object to zero, or a part of one that is zero elsewhere? */
static bool is_zeroing(struct driven_arguments *call, struct driven_range bytes) {
    const struct driven_state *state = &call->machine->state;
    const struct driven_value *to = &call->values[0], *byte = &call->values[1];
    if (bytes.low != bytes.high || !is_fixed(call, 0) || !driven_is_constant(byte) || byte->offset)
        return false;
    const struct driven_object *target = &state->objects[to->object];
    struct driven_range size = driven_range_of(&state->symbols, &target->size);
    return target->content == DRIVEN_ZERO || (!to->offset && size.high <= bytes.high);
}

enum driven_stop driven_set_memory(struct driven_arguments *call) {
    struct driven_value to = call->values[0];
    struct driven_range bytes = range_of(call, 2);
    call->result = to;
    driven_note_asked(&call->machine->state, &call->values[2]);
    if (!driven_charge(call->machine, bytes) || !is_zeroing(call, bytes)) {
        spoil(call, &to);
        return DRIVEN_CHOICE;
    }
    struct driven_object *target = &call->machine->state.objects[to.object];
    driven_drop_cells(target, to.offset, bytes.high);
    target->content = DRIVEN_ZERO;
    return DRIVEN_CHOICE;
}

static enum driven_stop model_length(struct driven_arguments *call) {
    struct driven_state *state = &call->machine->state;
    driven_note_all_asked(state);
    struct driven_range size = {0, -1};
    if (is_fixed(call, 0)) {
        const struct driven_object *object = &state->objects[call->values[0].object];
        size.high = driven_range_of(&state->symbols, &object->size).high - call->values[0].offset;
    }
    struct driven_range touched = {1, size.high};
    if (size.high < 1 || !driven_charge(call->machine, touched)) {
        call->machine->doubts->unpriced += size.high < 1;
        touched.high = INT64_MAX;
    }
    call->result = driven_fresh(&state->symbols, 64, (struct driven_range){0, touched.high - 1},
                                DRIVEN_PERHAPS);
    return DRIVEN_CHOICE;
}

/* ---- ends, and calls without effect ---- */

static enum driven_stop model_crash(struct driven_arguments *call) {
    (void)call;
    return DRIVEN_NO_PATH;
}

static enum driven_stop model_exit(struct driven_arguments *call) {
    struct driven_machine *machine = call->machine;
    return !machine->trail || search_follower_ends(&machine->state.follower) ? DRIVEN_END
                                                                             : DRIVEN_NO_PATH;
}

/* Can it point to text made at run time? String constants are global. */
static bool may_be_text(const struct driven_state *state, const struct driven_value *value) {
    return value->kind == DRIVEN_POINTER && state->objects[value->object].global == IR_NONE;
}

/* No effect, but printing or assuming a value may decide on it. */
static enum driven_stop model_nothing(struct driven_arguments *call) {
    struct driven_state *state = &call->machine->state;
    for (uint32_t i = 0; i < call->count; i++) {
        const struct driven_value *value = &call->values[i % BASE_COUNT(call->values)];
        if (i >= BASE_COUNT(call->values) || may_be_text(state, value))
            driven_note_all_asked(state);
        else
            driven_note_asked(state, value);
    }
    return DRIVEN_CHOICE;
}

static const struct {
    const char *name;
    driven_model *model;
} models[] = {
    {"malloc", model_malloc},         {"calloc", model_calloc},
    {"realloc", model_realloc},       {"free", model_free},
    {"aligned_alloc", model_aligned}, {"memalign", model_aligned},
    {"memcpy", driven_copy_memory},   {"memmove", driven_copy_memory},
    {"memset", driven_set_memory},    {"strlen", model_length},
    {"abort", model_crash},           {"exit", model_exit},
    {"__assert_fail", model_crash},   {"_exit", model_exit},
    {"printf", model_nothing},        {"puts", model_nothing},
    {"putchar", model_nothing},       {"fprintf", model_nothing},
    {"fputs", model_nothing},         {"fputc", model_nothing},
    {"fflush", model_nothing},        {"slowpath_assume", model_nothing},
};

static bool has_name(const char *const *names, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* Functions that are charged by the bytes they touch, or that call back. */
static bool is_priced(const char *name) {
    static const char *const others[] = {
#define INLINE(name) #name,
#define SAME(name, of) #name,
#include "abi/library.def"
#undef INLINE
#undef SAME
        "qsort", "qsort_r", "bsearch", "lfind", "lsearch", "tsearch", "tfind", "tdelete"};
    return has_name(others, BASE_COUNT(others), name);
}

/* All functions except these are assumed to allocate. */
static bool may_allocate(const char *name) {
    static const char *const others[] = {
        "isalnum", "isalpha", "isblank",         "iscntrl",
        "isdigit", "isgraph", "islower",         "isprint",
        "ispunct", "isspace", "isupper",         "isxdigit",
        "tolower", "toupper", "__ctype_b_loc",   "__ctype_tolower_loc",
        "abs",     "labs",    "llabs",           "__ctype_toupper_loc",
        "atoi",    "atol",    "strtol",          "strtoul",
        "rand",    "srand",   "strtoll",         "strtoull",
        "memcmp",  "strcmp",  "strncmp",         "strchr",
        "memchr",  "strstr",  "__errno_location"};
    return !has_name(others, BASE_COUNT(others), name);
}

static bool jumps(const char *name) {
    static const char *const names[] = {"longjmp",       "_longjmp",   "siglongjmp",
                                        "__longjmp_chk", "setcontext", "swapcontext"};
    return has_name(names, BASE_COUNT(names), name);
}

/* May it call back a function of the program? */
static bool takes_function(const struct driven_arguments *call) {
    for (uint32_t i = 0; i < call->count; i++)
        if (driven_read_at(call->machine, call->code, i + 1).kind == DRIVEN_FUNCTION)
            return true;
    return false;
}

static void doubt_price(const struct driven_arguments *call, const char *name) {
    struct driven_machine *machine = call->machine;
    const struct driven_prices *prices = &machine->prices;
    bool counts_memory = prices->allocated != 0 || prices->allocation != 0 || prices->live != 0;
    if (is_priced(name) || takes_function(call) || (counts_memory && may_allocate(name))) {
        machine->doubts->unpriced++;
        machine->is_open = machine->is_inexact = true;
    }
}

/* A call that does not return is followed by an unreachable instruction. */
static bool returns(struct driven_machine *machine) {
    return driven_code_at_hand(machine)->opcode != DRIVEN_UNREACHABLE;
}

/* Without values, only calls that end the run are known. */
static enum driven_stop call_blindly(struct driven_arguments *call, const char *name) {
    const struct driven_prices *prices = &call->machine->prices;
    for (size_t i = 0; i < BASE_COUNT(models); i++)
        if (strcmp(models[i].name, name) == 0 &&
            (models[i].model == model_crash || models[i].model == model_exit))
            return models[i].model(call);
    call->machine->doubts->unpriced +=
        is_priced(name) || takes_function(call) || (prices->live != 0 || prices->allocated != 0);
    return returns(call->machine) ? DRIVEN_CHOICE : model_exit(call);
}

enum driven_stop driven_call_library(struct driven_arguments *call, const char *name) {
    struct driven_machine *machine = call->machine;
    if (jumps(name)) {
        machine->doubts->unknown++;
        return DRIVEN_GIVE_UP;
    }
    if (machine->precision == DRIVEN_NAIVE)
        return call_blindly(call, name);
    for (size_t i = 0; i < BASE_COUNT(models); i++)
        if (strcmp(models[i].name, name) == 0)
            return models[i].model(call);
    doubt_price(call, name);
    driven_note_all_asked(&machine->state);
    driven_forget_memory(&machine->state);
    return returns(machine) ? DRIVEN_CHOICE : model_exit(call);
}

/* ---- allocations that fail ---- */

/* The number of bytes that a call allocates; false: it does not allocate. */
static bool find_size(struct driven_machine *machine, const struct ir_code *code,
                      struct driven_value *size) {
    const struct ir_facts *facts = machine->facts;
    struct driven_arguments call;
    struct driven_value callee = driven_read_at(machine, code, 0);
    if (code->detail != IR_INTRINSIC_NONE || callee.kind != DRIVEN_FUNCTION ||
        facts->functions[callee.object].block_count)
        return false;
    const char *name = facts->strings + facts->functions[callee.object].name;
    driven_read_arguments(machine, code, &call);
    if (strcmp(name, "malloc") == 0)
        *size = call.values[0];
    else if (strcmp(name, "calloc") == 0)
        *size =
            driven_binary(&machine->state.symbols, IR_OP_MUL, 64, &call.values[0], &call.values[1]);
    else
        *size = call.values[1];
    return strcmp(name, "malloc") == 0 || strcmp(name, "calloc") == 0 ||
           strcmp(name, "realloc") == 0 || strcmp(name, "aligned_alloc") == 0 ||
           strcmp(name, "memalign") == 0;
}

bool driven_may_fail(struct driven_machine *machine, const struct ir_code *code) {
    struct driven_value size;
    if (machine->precision == DRIVEN_NAIVE || !find_size(machine, code, &size))
        return false;
    struct driven_range range = driven_range_of(&machine->state.symbols, &size);
    return size.kind != DRIVEN_INTEGER || range.low < 0 || range.high > ABI_LARGEST_BLOCK;
}

bool driven_choose_memory(struct driven_machine *machine, const struct ir_code *code,
                          bool is_there) {
    struct driven_value size, most = driven_number(64, ABI_LARGEST_BLOCK);
    driven_top(&machine->state)->code++;
    if (is_there)
        return !find_size(machine, code, &size) ||
               driven_assume(&machine->state.symbols, 37, true, &size, &most);
    struct driven_value null = driven_number(64, 0);
    null.depends = DRIVEN_PERHAPS;
    driven_write(machine, code->result, null);
    return true;
}
