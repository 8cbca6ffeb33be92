/* SPDX-License-Identifier: Apache-2.0
 *
 * What is in memory, as far as an abstract run knows? Objects have cells at known places. A load
 * from one of several places gives anything that may be there, and a store to one of several may
 * have changed each of them.
 *
 * That loses what programs with tables depend on: which place is accessed. So if an index has only
 * a few possible values, the run must choose one, as the symbolic build does when it fixes an
 * address (driven_count_places). Only accesses with too many places remain imprecise.
 */
#include "search/driven/driven.h"

#define MOST_PLACES 32

struct driven_value driven_anything(struct driven_machine *machine, unsigned width,
                                    enum driven_depends depends) {
    if (!width || width == 64)
        return driven_unknown(depends);
    return driven_fresh(&machine->state.symbols, width, driven_full_range(width), depends);
}

/* The value that the input has there, within --range. */
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
    struct driven_value value = driven_fresh(&machine->state.symbols, width, range, DRIVEN_SURELY);
    driven_make_root(&machine->state.symbols, &value, object->was_asked);
    return value;
}

static struct driven_value default_value(struct driven_machine *machine, uint32_t number,
                                         int64_t offset, unsigned width) {
    struct driven_object *object = &machine->state.objects[number];
    if (object->content == DRIVEN_ZERO)
        return driven_number(width, 0);
    struct driven_value value = object->content == DRIVEN_INPUT
                                    ? input_value(machine, object, offset, width)
                                    : driven_anything(machine, width, DRIVEN_PERHAPS);
    if (value.kind == DRIVEN_INTEGER)
        driven_note_cell(&machine->state.objects[number], offset, (width + 7) / 8, value);
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
    return driven_anything(machine, width,
                           is_whole ? (enum driven_depends)cell->value.depends : DRIVEN_PERHAPS);
}

/* Somewhere in the object: joins all that may be there. */
static struct driven_value load_somewhere(struct driven_machine *machine, uint32_t number,
                                          unsigned width) {
    struct driven_object *object = &machine->state.objects[number];
    if (object->content != DRIVEN_ZERO || !object->cells.count)
        return object->content == DRIVEN_ZERO ? driven_number(width, 0)
                                              : driven_anything(machine, width, DRIVEN_PERHAPS);
    struct driven_value sum = driven_number(width, 0);
    for (size_t i = 0; i < object->cells.count; i++) {
        const struct driven_cell *cell = &machine->state.objects[number].cells.data[i];
        if (cell->bytes != (width + 7) / 8)
            return driven_anything(machine, width, DRIVEN_PERHAPS);
        struct driven_value value = cell->value;
        sum = driven_join(&machine->state.symbols, &sum, &value, DRIVEN_PERHAPS);
        if (sum.kind == DRIVEN_UNKNOWN)
            return driven_anything(machine, width, DRIVEN_PERHAPS);
    }
    return sum;
}

struct driven_value driven_load(struct driven_machine *machine, const struct driven_value *address,
                                unsigned width) {
    if (address->kind != DRIVEN_POINTER)
        return driven_anything(machine, width, DRIVEN_PERHAPS);
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

/* At one of several places: each of them may still have its old value. */
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
    if (!width) { /* of unknown size */
        object->cells.count = 0;
        object->content = DRIVEN_ANYTHING;
        return;
    }
    if (value.kind == DRIVEN_INTEGER && value.width != width)
        value = driven_is_constant(&value)
                    ? driven_fit(value, width)
                    : driven_anything(machine, width, (enum driven_depends)value.depends);
    if (address->symbol)
        store_somewhere(machine, address, width, &value);
    else
        driven_put_cell(object, address->offset, (width + 7) / 8, value);
}

/* ---- one of several places ---- */

uint32_t driven_count_places(struct driven_machine *machine, const struct driven_value *address,
                             unsigned width, bool is_store) {
    if (machine->precision != DRIVEN_EXACT || address->kind != DRIVEN_POINTER || !address->symbol ||
        !width)
        return 0;
    const struct driven_object *object = &machine->state.objects[address->object];
    bool is_constant =
        object->global != IR_NONE && machine->facts->globals[object->global].is_constant;
    if (is_constant || (!is_store && !object->cells.count))
        return 0; /* the symbolic build has it as a table, or all places are alike */
    struct driven_range range = machine->state.symbols.data[address->symbol].range;
    driven_wide count = (driven_wide)range.high - range.low + 1;
    return count > 1 && count <= MOST_PLACES ? (uint32_t)count : 0;
}

bool driven_choose_place(struct driven_machine *machine, const struct driven_value *address,
                         unsigned width, uint32_t index) {
    struct driven_state *state = &machine->state;
    struct driven_symbol *symbol = &state->symbols.data[address->symbol];
    const struct driven_object *object = &state->objects[address->object];
    int64_t value = symbol->range.low + index;
    machine->has_forked = true;
    if (symbol->is_not_zero && !value)
        return false;
    symbol->range = (struct driven_range){value, value};
    int64_t place = driven_range_of(&state->symbols, address).low;
    int64_t most = driven_range_of(&state->symbols, &object->size).high;
    return place >= 0 && place <= most - (int64_t)(width + 7) / 8;
}

/* The number of the load or store in its block, from 1 on. */
static uint32_t number_access(const struct driven_machine *machine,
                              const struct driven_frame *frame) {
    const struct ir_code *codes =
        &machine->facts->codes[machine->facts->blocks[frame->block].first_code];
    uint32_t number = 1;
    for (uint32_t i = 0; i < frame->code; i++)
        number += codes[i].opcode == IR_OP_LOAD || codes[i].opcode == IR_OP_STORE;
    return number;
}

void driven_mark_access(struct driven_machine *machine, const struct driven_value *address) {
    struct driven_state *state = &machine->state;
    if (machine->precision != DRIVEN_EXACT || address->kind != DRIVEN_POINTER || !address->depends)
        return;
    const struct driven_frame *frame = driven_top(state);
    uint32_t number = number_access(machine, frame);
    if (state->turns.count && !state->turns.data[state->turns.count - 1].decides)
        state->turns.data[state->turns.count - 1].decides = DRIVEN_PERHAPS;
    if (address->symbol || address->offset < 0 || address->offset >= UINT32_MAX ||
        number > UINT16_MAX)
        return;
    base_push(&machine->marks,
              ((struct driven_mark){.site = frame->block,
                                    .outcome = (uint32_t)address->offset,
                                    .instructions = (uint32_t)machine->instructions,
                                    .depends = address->depends,
                                    .access = (uint16_t)number}));
}
