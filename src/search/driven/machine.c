/* SPDX-License-Identifier: Apache-2.0
 *
 * The abstract run: it executes instruction after instruction on partly known values.
 *
 * Where known values decide a branch, the run goes on; where a branch may go either way, it stops
 * and its caller chooses. A choice narrows the values that were compared. Costs are added up block
 * by block, as the measuring build counts them; once a branch in a loop depends on the input, the
 * loop iterates at most as often as the bound allows.
 *
 * Invariant: every real run within the bounds is covered by an abstract one; nothing unknown is
 * ever assumed.
 */
#include "search/driven/driven.h"

#define MOST_STEPS 2000000u /* between two choices */

void driven_spend(struct driven_machine *machine, double amount) {
    machine->cost.change += amount;
    if (machine->cost.change > machine->cost.most)
        machine->cost.most = machine->cost.change;
}

/* ---- registers ---- */

/* Creates objects for global variables when they are first used. */
static uint32_t find_global(struct driven_machine *machine, uint32_t number) {
    struct driven_state *state = &machine->state;
    const struct ir_global *global = &machine->facts->globals[number];
    for (uint32_t i = 0; i < state->object_count; i++)
        if (state->objects[i].global == number)
            return i;
    uint32_t made = driven_add_object(state, global->is_known ? DRIVEN_ZERO : DRIVEN_ANYTHING,
                                      driven_number(64, (int64_t)global->bytes));
    state->objects[made].global = number;
    for (uint32_t i = 0; i < global->initial_count; i++) {
        const struct ir_initial *initial = &machine->facts->initials[global->first_initial + i];
        struct driven_value value = driven_read(machine, &initial->operand);
        if (value.kind == DRIVEN_INTEGER)
            value = driven_number(initial->width, value.offset);
        driven_put_cell(&state->objects[made], (int64_t)initial->offset, (initial->width + 7) / 8,
                        value);
    }
    return made;
}

struct driven_value driven_read(struct driven_machine *machine, const struct ir_operand *operand) {
    struct driven_value value = driven_unknown(DRIVEN_PERHAPS);
    switch (operand->kind) {
    case IR_OPERAND_REGISTER:
        return driven_settle(
            &machine->state.symbols,
            machine->state.registers.data[driven_top(&machine->state)->first + operand->number]);
    case IR_OPERAND_NUMBER:
        return driven_number(64, operand->value);
    case IR_OPERAND_FUNCTION:
        value.kind = DRIVEN_FUNCTION;
        value.object = operand->number;
        value.depends = DRIVEN_PLAIN;
        return value;
    case IR_OPERAND_GLOBAL:
        value.object = find_global(machine, operand->number);
        value.kind = DRIVEN_POINTER;
        value.offset = operand->value;
        value.depends = DRIVEN_PLAIN;
        return value;
    default:
        return value;
    }
}

void driven_write(struct driven_machine *machine, uint32_t number, struct driven_value value) {
    if (number != IR_NONE)
        machine->state.registers.data[driven_top(&machine->state)->first + number] = value;
}

/* ---- instructions ---- */

const struct ir_operand *driven_operand(const struct driven_machine *machine,
                                        const struct ir_code *code, uint32_t index) {
    return &machine->facts->operands[code->first_operand + index];
}

struct driven_value driven_read_at(struct driven_machine *machine, const struct ir_code *code,
                                   uint32_t index) {
    return driven_read(machine, driven_operand(machine, code, index));
}

void driven_fit_widths(struct driven_value *a, struct driven_value *b, unsigned width) {
    if (!width)
        width = !a->symbol && b->kind == DRIVEN_INTEGER && b->symbol ? b->width : a->width;
    if (driven_is_constant(a))
        *a = driven_fit(*a, width);
    if (driven_is_constant(b))
        *b = driven_fit(*b, width);
}

static struct driven_value take_address(struct driven_machine *machine,
                                        const struct ir_code *code) {
    struct driven_symbols *symbols = &machine->state.symbols;
    struct driven_value base = driven_read_at(machine, code, 0),
                        bytes = driven_read_at(machine, code, 1);
    if (base.kind != DRIVEN_POINTER)
        return base.kind == DRIVEN_UNKNOWN ? base : driven_unknown(DRIVEN_PERHAPS);
    struct driven_value place = {.kind = DRIVEN_INTEGER,
                                 .width = 64,
                                 .depends = base.depends,
                                 .symbol = base.symbol,
                                 .scale = base.scale,
                                 .offset = base.offset};
    place = driven_binary(symbols, IR_OP_ADD, 64, &place, &bytes);
    for (uint32_t i = 2; i + 1 < code->operand_count; i += 2) {
        struct driven_value index = driven_read_at(machine, code, i),
                            size = driven_read_at(machine, code, i + 1);
        if (index.kind == DRIVEN_INTEGER)
            index.width = 64;
        index = driven_binary(symbols, IR_OP_MUL, 64, &index, &size);
        place = driven_binary(symbols, IR_OP_ADD, 64, &place, &index);
        base.is_indexed = 1;
    }
    if (place.kind != DRIVEN_INTEGER) /* somewhere in the object */
        place =
            driven_fresh(symbols, 64, driven_full_range(64), (enum driven_depends)place.depends);
    base.symbol = place.symbol;
    base.scale = place.scale;
    base.offset = place.offset;
    base.depends = place.depends;
    return base;
}

static struct driven_value allocate_local(struct driven_machine *machine,
                                          const struct ir_code *code) {
    struct driven_value one = driven_read_at(machine, code, 0),
                        count = driven_read_at(machine, code, 1);
    if (count.kind == DRIVEN_INTEGER)
        count.width = 64;
    struct driven_value size = driven_binary(&machine->state.symbols, IR_OP_MUL, 64, &one, &count);
    uint32_t object = driven_add_object(&machine->state, DRIVEN_ANYTHING, size);
    return (struct driven_value){.kind = DRIVEN_POINTER, .width = 64, .object = object};
}

static struct driven_value compare(struct driven_machine *machine, const struct ir_code *code) {
    struct driven_symbols *symbols = &machine->state.symbols;
    struct driven_value a = driven_read_at(machine, code, 0), b = driven_read_at(machine, code, 1);
    driven_fit_widths(&a, &b, 0);
    enum driven_depends depends = driven_depends_of(&a, &b);
    int known = driven_compare(symbols, code->detail, &a, &b);
    if (known < 0)
        return driven_fresh(symbols, 1, driven_full_range(1), depends);
    struct driven_value value = driven_number(1, known);
    value.depends = (uint8_t)(depends == DRIVEN_SURELY ? DRIVEN_PERHAPS : depends);
    driven_note_asked(&machine->state, &a);
    driven_note_asked(&machine->state, &b);
    return value;
}

static struct driven_value choose_one(struct driven_machine *machine, const struct ir_code *code) {
    struct driven_value which = driven_read_at(machine, code, 0);
    struct driven_value a = driven_read_at(machine, code, 1), b = driven_read_at(machine, code, 2);
    driven_fit_widths(&a, &b, code->width);
    if (driven_is_constant(&which)) {
        struct driven_value one = which.offset ? a : b;
        if (which.depends > one.depends)
            one.depends = which.depends;
        return one;
    }
    struct driven_value both =
        driven_join(&machine->state.symbols, &a, &b,
                    which.depends > driven_depends_of(&a, &b) ? (enum driven_depends)which.depends
                                                              : driven_depends_of(&a, &b));
    return both.kind == DRIVEN_UNKNOWN && code->width < 64
               ? driven_anything(machine, code->width, (enum driven_depends)both.depends)
               : both;
}

static struct driven_value operate(struct driven_machine *machine, const struct ir_code *code) {
    struct driven_symbols *symbols = &machine->state.symbols;
    struct driven_value a =
        code->operand_count ? driven_read_at(machine, code, 0) : driven_unknown(DRIVEN_PERHAPS);
    struct driven_value b =
        code->operand_count > 1 ? driven_read_at(machine, code, 1) : driven_number(code->width, 0);
    switch (code->opcode) {
    case IR_OP_ALLOCA:
        return allocate_local(machine, code);
    case IR_OP_GEP:
        return take_address(machine, code);
    case IR_OP_ICMP:
        return compare(machine, code);
    case IR_OP_SELECT:
        return choose_one(machine, code);
    case IR_OP_TRUNC:
    case IR_OP_ZEXT:
    case IR_OP_SEXT:
    case IR_OP_PTRTOINT:
    case IR_OP_INTTOPTR:
    case IR_OP_BITCAST:
    case IR_OP_FREEZE:
        if (driven_is_constant(&a) && code->detail)
            a = driven_fit(a, code->detail);
        return driven_cast(symbols, (enum ir_operation)code->opcode, code->width, &a);
    default:
        driven_fit_widths(&a, &b, code->width);
        if (code->opcode >= IR_OP_ADD && code->opcode <= IR_OP_XOR && code->width)
            return driven_binary(symbols, (enum ir_operation)code->opcode, code->width, &a, &b);
        return driven_anything(machine, code->width, driven_depends_of(&a, &b));
    }
}

static struct driven_value compute(struct driven_machine *machine, const struct ir_code *code) {
    struct driven_symbols *symbols = &machine->state.symbols;
    size_t first = symbols->count;
    struct driven_value made = operate(machine, code);
    driven_begin_origin(symbols, &made, first);
    for (uint32_t i = 0; i < code->operand_count; i++) {
        struct driven_value operand = driven_read_at(machine, code, i);
        driven_add_origin(symbols, &made, first, &operand);
    }
    return made;
}

/* ---- calls ---- */

void driven_push_frame(struct driven_machine *machine, uint32_t function) {
    struct driven_state *state = &machine->state;
    struct driven_frame frame = {.function = function,
                                 .first = (uint32_t)state->registers.count,
                                 .first_turn = (uint32_t)state->turns.count};
    for (uint32_t i = 0; i < machine->facts->functions[function].register_count; i++)
        base_push(&state->registers, driven_unknown(DRIVEN_PERHAPS));
    base_push(&state->frames, frame);
}

/* False when the path leaves the trail. */
static bool pop_frame(struct driven_machine *machine, const struct ir_code *code) {
    struct driven_state *state = &machine->state;
    struct driven_value value =
        code->operand_count ? driven_read_at(machine, code, 0) : driven_unknown(DRIVEN_PLAIN);
    const struct driven_frame *frame = driven_top(state);
    while (frame->turn_count)
        if (!driven_leave_loop(machine))
            return false;
    state->registers.count = frame->first;
    state->frames.count--;
    if (!state->frames.count)
        return true;
    frame = driven_top(state);
    const struct ir_block *block = &machine->facts->blocks[frame->block];
    const struct ir_code *call = &machine->facts->codes[block->first_code + frame->code - 1];
    if (driven_is_constant(&value) && call->width)
        value = driven_fit(value, call->width);
    driven_write(machine, call->result, value);
    return true;
}

/* ---- the interpreter ---- */

static enum driven_stop end_of_run(const struct driven_machine *machine) {
    return !machine->trail || search_follower_ends(&machine->state.follower) ? DRIVEN_END
                                                                             : DRIVEN_NO_PATH;
}

/* False after an invoke, an indirect branch, ... */
static bool has_more(struct driven_machine *machine) {
    const struct driven_frame *frame = driven_top(&machine->state);
    return frame->code < machine->facts->blocks[frame->block].code_count;
}

/* Skips an instruction: without values, its effect is unknown. */
static enum driven_stop pass_over(struct driven_machine *machine, const struct ir_code *code) {
    driven_top(&machine->state)->code++;
    driven_write(machine, code->result, driven_unknown(DRIVEN_PERHAPS));
    return has_more(machine) ? DRIVEN_CHOICE : DRIVEN_GIVE_UP;
}

/* Executes a load or store; false when its place must be chosen first. */
static bool access_memory(struct driven_machine *machine, const struct ir_code *code) {
    bool is_store = code->opcode == IR_OP_STORE;
    struct driven_value address = driven_read_at(machine, code, is_store);
    if (driven_count_places(machine, &address, code->width, is_store))
        return false;
    driven_mark_access(machine, &address);
    driven_top(&machine->state)->code++;
    if (is_store)
        driven_store(machine, &address, code->width, driven_read_at(machine, code, 0));
    else
        driven_write(machine, code->result, driven_load(machine, &address, code->width));
    return true;
}

/* Executes one instruction; DRIVEN_CHOICE with *IS_OPEN false: the run goes on. */
static enum driven_stop step(struct driven_machine *machine, bool *is_open) {
    const struct ir_code *code = driven_code_at_hand(machine);
    struct driven_frame *frame = driven_top(&machine->state);
    *is_open = false;
    switch (code->opcode) {
    case IR_OP_BR:
    case IR_OP_SWITCH:
        return driven_follow(machine, code, is_open) ? DRIVEN_CHOICE : DRIVEN_NO_PATH;
    case IR_OP_RET:
        if (!pop_frame(machine, code))
            return DRIVEN_NO_PATH;
        return machine->state.frames.count ? DRIVEN_CHOICE : end_of_run(machine);
    case DRIVEN_UNREACHABLE:
        return DRIVEN_NO_PATH;
    case IR_OP_CALL:
        *is_open = driven_may_fail(machine, code);
        if (*is_open)
            return DRIVEN_CHOICE;
        frame->code++;
        return driven_call(machine, code);
    case IR_OP_LOAD:
    case IR_OP_STORE:
        if (machine->precision == DRIVEN_NAIVE)
            return pass_over(machine, code);
        *is_open = !access_memory(machine, code);
        return DRIVEN_CHOICE;
    default:
        if (machine->precision == DRIVEN_NAIVE)
            return pass_over(machine, code);
        frame->code++;
        driven_write(machine, code->result, compute(machine, code));
        return has_more(machine) ? DRIVEN_CHOICE : DRIVEN_GIVE_UP;
    }
}

enum driven_stop driven_run(struct driven_machine *machine) {
    for (uint32_t count = 0; count < MOST_STEPS; count++) {
        bool is_open;
        enum driven_stop stop = step(machine, &is_open);
        machine->steps++;
        if (is_open || stop != DRIVEN_CHOICE)
            return stop;
    }
    return DRIVEN_GIVE_UP;
}
