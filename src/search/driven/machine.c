/* SPDX-License-Identifier: Apache-2.0
 *
 * The abstract run: instruction after instruction, with values of which not everything is known.
 *
 * Where a branch is decided by what is known, the run goes on; where it may go either way, it
 * stops, and whoever runs it chooses. A choice tells something about the values that were compared.
 * What the run costs is added up block by block, as the measuring build counts; loops turn at most
 * as often as the bound allows, once a branch that depends on the input was decided in them.
 *
 * Every real run within the bounds is among the abstract ones: what is not known is never assumed.
 */
#include "search/driven/driven.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define PHI 44 /* LLVM's numbers; they have no names in opcodes.def */
#define UNREACHABLE 7
#define SPARE_TURNS 16u
#define MOST_STEPS 2000000u /* between two choices */

void driven_spend(struct driven_machine *machine, double amount) {
    machine->cost.change += amount;
    if (machine->cost.change > machine->cost.most)
        machine->cost.most = machine->cost.change;
}

/* ---- registers ---- */

/* Global variables become objects when they are first mentioned. */
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
        return machine->state.registers.data[driven_top(&machine->state)->first + operand->number];
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

/* ---- memory ---- */

static struct driven_value anything(struct driven_machine *machine, unsigned width,
                                    enum driven_depends depends) {
    if (!width || width == 64)
        return driven_unknown(depends);
    return driven_fresh(&machine->state.symbols, width, driven_full_range(width), depends);
}

/* What the input holds there, as --range says. */
static struct driven_value input_value(struct driven_machine *machine,
                                       const struct driven_object *object, int64_t offset,
                                       unsigned width) {
    const struct search_layout *layout = &machine->subject->layout;
    struct driven_range range = driven_full_range(width);
    for (size_t i = 0; i < layout->ranges.count; i++) {
        const struct solver_range *given = &layout->ranges.data[i];
        bool fits = given->low >= range.low && given->high <= range.high;
        if (given->offset == object->base + (uint64_t)offset && given->width == width && fits)
            range = (struct driven_range){given->low, given->high};
    }
    return driven_fresh(&machine->state.symbols, width, range, DRIVEN_SURELY);
}

static struct driven_value default_value(struct driven_machine *machine, uint32_t number,
                                         int64_t offset, unsigned width) {
    struct driven_object *object = &machine->state.objects[number];
    if (object->content == DRIVEN_ZERO)
        return driven_number(width, 0);
    struct driven_value value = object->content == DRIVEN_INPUT
                                    ? input_value(machine, object, offset, width)
                                    : anything(machine, width, DRIVEN_PERHAPS);
    if (value.kind == DRIVEN_INTEGER)
        driven_put_cell(&machine->state.objects[number], offset, (width + 7) / 8, value);
    return value;
}

static struct driven_value load_at(struct driven_machine *machine, uint32_t number, int64_t offset,
                                   unsigned width) {
    struct driven_object *object = &machine->state.objects[number];
    uint32_t bytes = (width + 7) / 8;
    const struct driven_cell *cell = driven_find_cell(object, offset, bytes);
    if (!cell)
        return default_value(machine, number, offset, width);
    bool is_whole = cell->offset == offset && cell->bytes == bytes &&
                    (cell->value.kind != DRIVEN_INTEGER || cell->value.width == width);
    if (is_whole && cell->value.kind != DRIVEN_UNKNOWN)
        return cell->value;
    return anything(machine, width,
                    is_whole ? (enum driven_depends)cell->value.depends : DRIVEN_PERHAPS);
}

/* Somewhere in the object: all that may lie there. */
static struct driven_value load_somewhere(struct driven_machine *machine, uint32_t number,
                                          unsigned width) {
    struct driven_object *object = &machine->state.objects[number];
    if (object->content != DRIVEN_ZERO || !object->cells.count)
        return object->content == DRIVEN_ZERO ? driven_number(width, 0)
                                              : anything(machine, width, DRIVEN_PERHAPS);
    struct driven_value sum = driven_number(width, 0);
    for (size_t i = 0; i < object->cells.count; i++) {
        const struct driven_cell *cell = &machine->state.objects[number].cells.data[i];
        if (cell->bytes != (width + 7) / 8)
            return anything(machine, width, DRIVEN_PERHAPS);
        struct driven_value value = cell->value;
        sum = driven_join(&machine->state.symbols, &sum, &value, DRIVEN_PERHAPS);
        if (sum.kind == DRIVEN_UNKNOWN)
            return anything(machine, width, DRIVEN_PERHAPS);
    }
    return sum;
}

struct driven_value driven_load(struct driven_machine *machine, const struct driven_value *address,
                                unsigned width) {
    if (address->kind != DRIVEN_POINTER)
        return anything(machine, width, DRIVEN_PERHAPS);
    struct driven_object *object = &machine->state.objects[address->object];
    object->is_array |= address->is_indexed;
    if (!width)
        return driven_unknown(object->content == DRIVEN_INPUT ? DRIVEN_SURELY : DRIVEN_PERHAPS);
    struct driven_value value = address->symbol
                                    ? load_somewhere(machine, address->object, width)
                                    : load_at(machine, address->object, address->offset, width);
    if (address->depends && !value.depends)
        value.depends = DRIVEN_PERHAPS;
    return value;
}

/* At one of several places: what was there may be there still. */
static void store_somewhere(struct driven_machine *machine, const struct driven_value *address,
                            unsigned width, const struct driven_value *value) {
    struct driven_object *object = &machine->state.objects[address->object];
    struct driven_range places = driven_range_of(&machine->state.symbols, address);
    uint32_t bytes = (width + 7) / 8;
    object->is_array = 1;
    if (object->content != DRIVEN_ZERO || !driven_is_constant(value) || value->offset)
        object->content = DRIVEN_ANYTHING;
    for (size_t i = 0; i < object->cells.count; i++) {
        struct driven_cell *cell = &object->cells.data[i];
        bool may_be_hit =
            cell->offset + cell->bytes > places.low && cell->offset - bytes <= places.high;
        if (!may_be_hit)
            continue;
        cell->value = cell->bytes == bytes ? driven_join(&machine->state.symbols, &cell->value,
                                                         value, DRIVEN_PERHAPS)
                                           : driven_unknown(DRIVEN_PERHAPS);
    }
}

void driven_store(struct driven_machine *machine, const struct driven_value *address,
                  unsigned width, struct driven_value value) {
    if (address->kind != DRIVEN_POINTER) {
        if (address->kind == DRIVEN_UNKNOWN)
            driven_forget_memory(&machine->state);
        return;
    }
    struct driven_object *object = &machine->state.objects[address->object];
    object->is_array |= address->is_indexed;
    if (!width) { /* of how many bytes is not known */
        object->cells.count = 0;
        object->content = DRIVEN_ANYTHING;
        return;
    }
    if (value.kind == DRIVEN_INTEGER && value.width != width)
        value = driven_is_constant(&value)
                    ? driven_fit(value, width)
                    : anything(machine, width, (enum driven_depends)value.depends);
    if (address->symbol)
        store_somewhere(machine, address, width, &value);
    else
        driven_put_cell(object, address->offset, (width + 7) / 8, value);
}

/* ---- instructions ---- */

static const struct ir_operand *operand_at(const struct driven_machine *machine,
                                           const struct ir_code *code, uint32_t index) {
    return &machine->facts->operands[code->first_operand + index];
}

static struct driven_value read_at(struct driven_machine *machine, const struct ir_code *code,
                                   uint32_t index) {
    return driven_read(machine, operand_at(machine, code, index));
}

/* Constants have the width of what they are used with. */
static void fit_widths(struct driven_value *a, struct driven_value *b, unsigned width) {
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
    struct driven_value base = read_at(machine, code, 0), bytes = read_at(machine, code, 1);
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
        struct driven_value index = read_at(machine, code, i), size = read_at(machine, code, i + 1);
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
    struct driven_value one = read_at(machine, code, 0), count = read_at(machine, code, 1);
    if (count.kind == DRIVEN_INTEGER)
        count.width = 64;
    struct driven_value size = driven_binary(&machine->state.symbols, IR_OP_MUL, 64, &one, &count);
    uint32_t object = driven_add_object(&machine->state, DRIVEN_ANYTHING, size);
    return (struct driven_value){.kind = DRIVEN_POINTER, .width = 64, .object = object};
}

static struct driven_value compare(struct driven_machine *machine, const struct ir_code *code) {
    struct driven_symbols *symbols = &machine->state.symbols;
    struct driven_value a = read_at(machine, code, 0), b = read_at(machine, code, 1);
    fit_widths(&a, &b, 0);
    enum driven_depends depends = driven_depends_of(&a, &b);
    int known = driven_compare(symbols, code->detail, &a, &b);
    if (known < 0)
        return driven_fresh(symbols, 1, driven_full_range(1), depends);
    struct driven_value value = driven_number(1, known);
    value.depends = (uint8_t)depends;
    return value;
}

static struct driven_value choose_one(struct driven_machine *machine, const struct ir_code *code) {
    struct driven_value which = read_at(machine, code, 0);
    struct driven_value a = read_at(machine, code, 1), b = read_at(machine, code, 2);
    fit_widths(&a, &b, code->width);
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
               ? anything(machine, code->width, (enum driven_depends)both.depends)
               : both;
}

static struct driven_value compute(struct driven_machine *machine, const struct ir_code *code) {
    struct driven_symbols *symbols = &machine->state.symbols;
    struct driven_value a =
        code->operand_count ? read_at(machine, code, 0) : driven_unknown(DRIVEN_PERHAPS);
    struct driven_value b =
        code->operand_count > 1 ? read_at(machine, code, 1) : driven_number(code->width, 0);
    switch (code->opcode) {
    case IR_OP_ALLOCA:
        return allocate_local(machine, code);
    case IR_OP_LOAD:
        return driven_load(machine, &a, code->width);
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
        fit_widths(&a, &b, code->width);
        if (code->opcode >= IR_OP_ADD && code->opcode <= IR_OP_XOR && code->width)
            return driven_binary(symbols, (enum ir_operation)code->opcode, code->width, &a, &b);
        return anything(machine, code->width, driven_depends_of(&a, &b));
    }
}

/* ---- loops ---- */

static bool contains(const struct ir_facts *facts, uint32_t loop, uint32_t block) {
    uint32_t at = facts->blocks[block].loop;
    while (at != IR_NONE && at != loop)
        at = facts->loops[at].parent;
    return at == loop;
}

static bool tell_trail(struct driven_machine *machine, enum search_step_kind kind, uint32_t site,
                       uint64_t value) {
    struct search_step step = {.kind = kind, .site = site, .value = value, .outcome = value};
    return search_follower_step(&machine->state.follower, &step);
}

static bool leave_loop(struct driven_machine *machine) {
    const struct driven_turn turn = machine->state.turns.data[--machine->state.turns.count];
    driven_top(&machine->state)->turn_count--;
    return !machine->trail || turn.told == UINT32_MAX ||
           tell_trail(machine, SEARCH_LEAVE, machine->facts->loops[turn.loop].header, turn.turns);
}

/* A path beyond the bound is not looked at further. Where it is not certain that the branches of a
 * loop depend on the input, it may turn more often, but not for ever: values are not followed
 * without end, and a graph without values has no other end. */
static bool is_beyond(struct driven_machine *machine, const struct driven_turn *turn) {
    uint64_t bound = machine->loop_bound;
    if (turn->decides == DRIVEN_PERHAPS && machine->precision != DRIVEN_NAIVE)
        bound = bound < UINT32_MAX ? 4 * bound + SPARE_TURNS : bound;
    if (!turn->decides || turn->turns <= bound)
        return false;
    if (turn->decides == DRIVEN_SURELY)
        machine->cut++;
    else
        machine->doubts->unbounded++;
    return true;
}

static bool turn_loop(struct driven_machine *machine, uint32_t loop) {
    struct driven_state *state = &machine->state;
    struct driven_frame *frame = driven_top(state);
    struct driven_turn *last =
        frame->turn_count ? &state->turns.data[state->turns.count - 1] : NULL;
    assert(!frame->turn_count || state->turns.data);
    if (!last || last->loop != loop) {
        base_push(&state->turns, ((struct driven_turn){.loop = loop, .told = UINT32_MAX}));
        frame->turn_count++;
        return true;
    }
    last->turns++;
    if (machine->precision == DRIVEN_FINE)
        driven_forget_elements(state);
    return !is_beyond(machine, last);
}

static bool tell_loops(struct driven_machine *machine) {
    struct driven_state *state = &machine->state;
    for (size_t i = 0; i < state->turns.count; i++) {
        struct driven_turn *turn = &state->turns.data[i];
        if (turn->told == turn->turns)
            continue;
        enum search_step_kind kind = turn->told == UINT32_MAX ? SEARCH_LOOP : SEARCH_TURN;
        turn->told = turn->turns;
        if (!tell_trail(machine, kind, machine->facts->loops[turn->loop].header, turn->turns))
            return false;
    }
    return true;
}

/* ---- branches ---- */

/* A branch went this way. If it depends on the input, that is a decision. */
static bool decide(struct driven_machine *machine, uint32_t site, uint32_t outcome,
                   enum driven_depends depends, bool is_switch) {
    struct driven_state *state = &machine->state;
    base_push(&machine->marks,
              ((struct driven_mark){.site = site,
                                    .outcome = outcome,
                                    .instructions = (uint32_t)machine->instructions,
                                    .depends = (uint8_t)depends,
                                    .is_switch = is_switch}));
    if (depends == DRIVEN_PLAIN)
        return true;
    if (state->turns.count) {
        struct driven_turn *last = &state->turns.data[state->turns.count - 1];
        if (depends > last->decides)
            last->decides = depends;
        if (is_beyond(machine, last))
            return false;
    }
    return !machine->trail || is_switch ||
           (tell_loops(machine) && tell_trail(machine, SEARCH_BRANCH, site, outcome));
}

static void read_phis(struct driven_machine *machine, uint32_t from, const struct ir_block *block) {
    struct driven_frame *frame = driven_top(&machine->state);
    BASE_VECTOR(struct driven_value) values = {0};
    const struct ir_code *codes = &machine->facts->codes[block->first_code];
    uint32_t count = 0;
    for (; count < block->code_count && codes[count].opcode == PHI; count++) {
        struct driven_value value = driven_unknown(DRIVEN_PERHAPS);
        for (uint32_t k = 0; k + 1 < codes[count].operand_count; k += 2)
            if (operand_at(machine, &codes[count], k)->number == from) {
                value = read_at(machine, &codes[count], k + 1);
                break;
            }
        if (driven_is_constant(&value) && codes[count].width)
            value = driven_fit(value, codes[count].width);
        base_push(&values, value);
    }
    for (uint32_t i = 0; i < count; i++)
        driven_write(machine, codes[i].result, values.data[i]);
    frame->code = count;
    base_vector_done(&values);
}

bool driven_enter_block(struct driven_machine *machine, uint32_t from, uint32_t to) {
    const struct ir_facts *facts = machine->facts;
    struct driven_frame *frame = driven_top(&machine->state);
    const struct ir_block *block = &facts->blocks[to];
    while (frame->turn_count &&
           !contains(facts, machine->state.turns.data[machine->state.turns.count - 1].loop, to))
        if (!leave_loop(machine))
            return false;
    if (block->loop != IR_NONE && facts->loops[block->loop].header == to &&
        !turn_loop(machine, block->loop))
        return false;
    read_phis(machine, from, block);
    frame->block = to;
    frame->from = from;
    machine->instructions += block->instructions;
    driven_spend(machine, machine->prices.blocks[to + 1]);
    return true;
}

static uint32_t successor(const struct driven_machine *machine, uint32_t block, uint32_t index) {
    const struct ir_facts *facts = machine->facts;
    return facts->successors[facts->blocks[block].first_successor + index];
}

/* The block that an outcome of a switch leads to: the outcomes are its distinct successors. */
static uint32_t switch_target(const struct driven_machine *machine, uint32_t block,
                              uint32_t outcome) {
    uint32_t count = machine->facts->blocks[block].successor_count, distinct = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = 0;
        while (successor(machine, block, k) != successor(machine, block, i))
            k++;
        if (k == i && distinct++ == outcome)
            return successor(machine, block, i);
    }
    return IR_NONE;
}

static uint32_t count_targets(const struct driven_machine *machine, uint32_t block) {
    uint32_t count = 0;
    while (switch_target(machine, block, count) != IR_NONE)
        count++;
    return count;
}

static bool take_branch(struct driven_machine *machine, const struct driven_value *which) {
    uint32_t block = driven_top(&machine->state)->block, outcome = which->offset != 0;
    return decide(machine, block, outcome, (enum driven_depends)which->depends, false) &&
           driven_enter_block(machine, block, successor(machine, block, !outcome));
}

static bool take_switch(struct driven_machine *machine, const struct driven_value *which) {
    uint32_t block = driven_top(&machine->state)->block;
    const struct ir_switch *entry = ir_find_switch(machine->facts, block);
    uint32_t outcome = entry->default_outcome;
    for (uint32_t i = 0; i < entry->case_count; i++) {
        const struct ir_case *one = &machine->facts->cases[entry->first_case + i];
        if (driven_number(which->width, (int64_t)one->value).offset == which->offset) {
            outcome = one->outcome;
            break;
        }
    }
    return decide(machine, block, outcome, (enum driven_depends)which->depends, true) &&
           driven_enter_block(machine, block, switch_target(machine, block, outcome));
}

/* ---- choices ---- */

static const struct ir_code *code_at_hand(const struct driven_machine *machine) {
    const struct driven_frame *frame = &machine->state.frames.data[machine->state.frames.count - 1];
    return &machine->facts->codes[machine->facts->blocks[frame->block].first_code + frame->code];
}

uint32_t driven_choices(const struct driven_machine *machine) {
    const struct driven_frame *frame = &machine->state.frames.data[machine->state.frames.count - 1];
    return code_at_hand(machine)->opcode == IR_OP_SWITCH ? count_targets(machine, frame->block) : 2;
}

/* What the outcome of a comparison tells about what was compared. */
static bool narrow_branch(struct driven_machine *machine, const struct ir_code *code, bool holds) {
    struct driven_symbols *symbols = &machine->state.symbols;
    const struct ir_operand *operand = operand_at(machine, code, 0);
    struct driven_value which = driven_read(machine, operand), number = driven_number(1, holds);
    if (which.kind == DRIVEN_INTEGER && !driven_assume(symbols, 32, true, &which, &number))
        return false;
    if (operand->kind != IR_OPERAND_REGISTER)
        return true;
    const struct ir_code *from =
        driven_definition(&machine->code, driven_top(&machine->state)->function, operand->number);
    if (!from || from->opcode != IR_OP_ICMP)
        return true;
    struct driven_value a = read_at(machine, from, 0), b = read_at(machine, from, 1);
    fit_widths(&a, &b, 0);
    return driven_assume(symbols, from->detail, holds, &a, &b);
}

static bool narrow_case(struct driven_machine *machine, const struct driven_value *value,
                        const struct ir_switch *entry, uint32_t outcome) {
    struct driven_symbols *symbols = &machine->state.symbols;
    struct driven_range hull = {INT64_MAX, INT64_MIN};
    for (uint32_t i = 0; i < entry->case_count; i++) {
        const struct ir_case *one = &machine->facts->cases[entry->first_case + i];
        struct driven_value number = driven_number(value->width, (int64_t)one->value);
        if (one->outcome != outcome) {
            if (!driven_assume(symbols, 33, true, value, &number))
                return false;
            continue;
        }
        hull.low = number.offset < hull.low ? number.offset : hull.low;
        hull.high = number.offset > hull.high ? number.offset : hull.high;
    }
    if (outcome == entry->default_outcome)
        return true;
    struct driven_value low = driven_number(value->width, hull.low),
                        high = driven_number(value->width, hull.high);
    return driven_assume(symbols, 39, true, value, &low) &&
           driven_assume(symbols, 41, true, value, &high);
}

static bool choose_case(struct driven_machine *machine, const struct ir_code *code,
                        uint32_t outcome) {
    uint32_t block = driven_top(&machine->state)->block;
    struct driven_value value = read_at(machine, code, 0);
    const struct ir_switch *entry = ir_find_switch(machine->facts, block);
    if (entry && value.kind == DRIVEN_INTEGER && !narrow_case(machine, &value, entry, outcome))
        return false;
    enum driven_depends depends =
        value.depends ? (enum driven_depends)value.depends : DRIVEN_PERHAPS;
    return decide(machine, block, outcome, depends, true) &&
           driven_enter_block(machine, block, switch_target(machine, block, outcome));
}

bool driven_choose(struct driven_machine *machine, uint32_t outcome) {
    const struct ir_code *code = code_at_hand(machine);
    uint32_t block = driven_top(&machine->state)->block;
    machine->cost = (struct driven_cost){0, 0};
    machine->is_open = machine->is_inexact = false;
    machine->instructions = 0;
    machine->marks.count = 0;
    if (code->opcode == IR_OP_SWITCH)
        return choose_case(machine, code, outcome);
    struct driven_value which = read_at(machine, code, 0);
    enum driven_depends depends =
        which.depends ? (enum driven_depends)which.depends : DRIVEN_PERHAPS;
    return narrow_branch(machine, code, outcome != 0) &&
           decide(machine, block, outcome, depends, false) &&
           driven_enter_block(machine, block, successor(machine, block, !outcome));
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

/* False when the trail was left. */
static bool pop_frame(struct driven_machine *machine, const struct ir_code *code) {
    struct driven_state *state = &machine->state;
    struct driven_value value =
        code->operand_count ? read_at(machine, code, 0) : driven_unknown(DRIVEN_PLAIN);
    const struct driven_frame *frame = driven_top(state);
    while (frame->turn_count)
        if (!leave_loop(machine))
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

/* ---- the whole ---- */

static enum driven_stop end_of_run(const struct driven_machine *machine) {
    return !machine->trail || search_follower_ends(&machine->state.follower) ? DRIVEN_END
                                                                             : DRIVEN_NO_PATH;
}

/* A branch or switch that is decided by what is known; *IS_OPEN: it is not. */
static bool follow(struct driven_machine *machine, const struct ir_code *code, bool *is_open) {
    uint32_t block = driven_top(&machine->state)->block;
    *is_open = false;
    if (!code->operand_count)
        return driven_enter_block(machine, block, successor(machine, block, 0));
    struct driven_value which = read_at(machine, code, 0);
    if (which.kind == DRIVEN_INTEGER && which.symbol) {
        struct driven_range range = driven_range_of(&machine->state.symbols, &which);
        if (range.low == range.high) {
            which.symbol = 0;
            which.offset = range.low;
        }
    }
    if (code->opcode == IR_OP_SWITCH && driven_is_constant(&which) && code->detail)
        which = driven_fit(which, code->detail);
    *is_open = !driven_is_constant(&which) ||
               (code->opcode == IR_OP_SWITCH && !ir_find_switch(machine->facts, block));
    if (*is_open)
        return true;
    return code->opcode == IR_OP_BR ? take_branch(machine, &which) : take_switch(machine, &which);
}

/* One instruction; DRIVEN_CHOICE with *IS_OPEN false: the run goes on. */
static enum driven_stop step(struct driven_machine *machine, bool *is_open) {
    const struct ir_code *code = code_at_hand(machine);
    struct driven_frame *frame = driven_top(&machine->state);
    struct driven_value value, address;
    *is_open = false;
    switch (code->opcode) {
    case IR_OP_BR:
    case IR_OP_SWITCH:
        return follow(machine, code, is_open) ? DRIVEN_CHOICE : DRIVEN_NO_PATH;
    case IR_OP_RET:
        if (!pop_frame(machine, code))
            return DRIVEN_NO_PATH;
        return machine->state.frames.count ? DRIVEN_CHOICE : end_of_run(machine);
    case UNREACHABLE:
        return DRIVEN_NO_PATH;
    case IR_OP_CALL:
        frame->code++;
        return driven_call(machine, code);
    case IR_OP_STORE:
        frame->code++;
        if (machine->precision == DRIVEN_NAIVE)
            return DRIVEN_CHOICE;
        value = read_at(machine, code, 0);
        address = read_at(machine, code, 1);
        driven_store(machine, &address, code->width, value);
        return DRIVEN_CHOICE;
    default:
        frame->code++;
        driven_write(machine, code->result,
                     machine->precision == DRIVEN_NAIVE ? driven_unknown(DRIVEN_PERHAPS)
                                                        : compute(machine, code));
        /* an invoke, an indirect branch, ... */
        return frame->code < machine->facts->blocks[frame->block].code_count ? DRIVEN_CHOICE
                                                                             : DRIVEN_GIVE_UP;
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
