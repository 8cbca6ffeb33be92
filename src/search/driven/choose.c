/* SPDX-License-Identifier: Apache-2.0
 *
 * Which way does an abstract run go on? Blocks are entered and loops iterate as far as the bound
 * allows. Branches decided by known values are taken; where a branch may go either way, the oracle
 * chooses an outcome, which narrows the values that were compared.
 */
#include "search/driven/driven.h"

#include <assert.h>
#include <stdlib.h>

#define SPARE_TURNS 16u

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

bool driven_leave_loop(struct driven_machine *machine) {
    const struct driven_turn turn = machine->state.turns.data[--machine->state.turns.count];
    driven_top(&machine->state)->turn_count--;
    return !machine->trail || turn.told == UINT32_MAX ||
           tell_trail(machine, SEARCH_LEAVE, machine->facts->loops[turn.loop].header, turn.turns);
}

/* Paths beyond the bound are not followed further. A loop whose branches may not depend on the
 * input may iterate more often, but not forever: values are only tracked to a limited extent, and a
 * graph without values has no other limit. */
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
    if (machine->precision >= DRIVEN_FINE)
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
    for (; count < block->code_count && codes[count].opcode == IR_OP_PHI; count++) {
        struct driven_value value = driven_unknown(DRIVEN_PERHAPS);
        for (uint32_t k = 0; k + 1 < codes[count].operand_count; k += 2)
            if (driven_operand(machine, &codes[count], k)->number == from) {
                value = driven_read_at(machine, &codes[count], k + 1);
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
        if (!driven_leave_loop(machine))
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

/* The successor for an outcome of a switch: outcomes are numbered by distinct successors. */
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

/* A value that is constant by now may have been decided on before. */
static enum driven_depends known_depends(const struct driven_value *which) {
    return which->depends == DRIVEN_PLAIN ? DRIVEN_PLAIN : DRIVEN_PERHAPS;
}

static bool take_branch(struct driven_machine *machine, const struct driven_value *which) {
    uint32_t block = driven_top(&machine->state)->block, outcome = which->offset != 0;
    return decide(machine, block, outcome, known_depends(which), false) &&
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
    return decide(machine, block, outcome, known_depends(which), true) &&
           driven_enter_block(machine, block, switch_target(machine, block, outcome));
}

bool driven_follow(struct driven_machine *machine, const struct ir_code *code, bool *is_open) {
    uint32_t block = driven_top(&machine->state)->block;
    *is_open = false;
    if (!code->operand_count)
        return driven_enter_block(machine, block, successor(machine, block, 0));
    struct driven_value which = driven_read_at(machine, code, 0);
    if (code->opcode == IR_OP_SWITCH && driven_is_constant(&which) && code->detail)
        which = driven_fit(which, code->detail);
    *is_open = !driven_is_constant(&which) ||
               (code->opcode == IR_OP_SWITCH && !ir_find_switch(machine->facts, block));
    if (*is_open)
        return true;
    return code->opcode == IR_OP_BR ? take_branch(machine, &which) : take_switch(machine, &which);
}

/* ---- choices ---- */

const struct ir_code *driven_code_at_hand(const struct driven_machine *machine) {
    const struct driven_frame *frame = &machine->state.frames.data[machine->state.frames.count - 1];
    return &machine->facts->codes[machine->facts->blocks[frame->block].first_code + frame->code];
}

static bool is_access(const struct ir_code *code) {
    return code->opcode == IR_OP_LOAD || code->opcode == IR_OP_STORE;
}

/* The address of a load or store. */
static struct driven_value address_of(struct driven_machine *machine, const struct ir_code *code) {
    return driven_read_at(machine, code, code->opcode == IR_OP_STORE);
}

uint32_t driven_choices(struct driven_machine *machine) {
    const struct ir_code *code = driven_code_at_hand(machine);
    if (code->opcode == IR_OP_SWITCH)
        return count_targets(machine, driven_top(&machine->state)->block);
    if (!is_access(code)) /* a branch, or an allocation that may fail */
        return 2;
    struct driven_value address = address_of(machine, code);
    return driven_count_places(machine, &address, code->width, code->opcode == IR_OP_STORE);
}

/* The comparison that decides a branch; NULL: unknown. */
static const struct ir_code *find_comparison(struct driven_machine *machine,
                                             const struct ir_code *code) {
    const struct ir_operand *operand = driven_operand(machine, code, 0);
    if (operand->kind != IR_OPERAND_REGISTER)
        return NULL;
    const struct ir_code *from =
        driven_definition(&machine->code, driven_top(&machine->state)->function, operand->number);
    return from && from->opcode == IR_OP_ICMP ? from : NULL;
}

/* Narrows the compared values by the outcome of the comparison. */
static bool narrow_branch(struct driven_machine *machine, const struct ir_code *code, bool holds) {
    struct driven_symbols *symbols = &machine->state.symbols;
    struct driven_value which = driven_read_at(machine, code, 0), number = driven_number(1, holds);
    if (which.kind == DRIVEN_INTEGER && !driven_assume(symbols, 32, true, &which, &number))
        return false;
    const struct ir_code *from = find_comparison(machine, code);
    if (!from)
        return true;
    struct driven_value a = driven_read_at(machine, from, 0), b = driven_read_at(machine, from, 1);
    driven_fit_widths(&a, &b, 0);
    return driven_assume(symbols, from->detail, holds, &a, &b);
}

void driven_find_asked(struct driven_machine *machine, struct driven_value *a,
                       struct driven_value *b) {
    const struct ir_code *code = driven_code_at_hand(machine);
    const struct ir_code *from = code->opcode == IR_OP_BR ? find_comparison(machine, code) : NULL;
    *a = driven_read_at(machine, from ? from : code, 0);
    *b = from ? driven_read_at(machine, from, 1) : *a;
}

/* Is this choice certainly a decision of every run that gets here? Not if the same may have been
 * decided before. */
static enum driven_depends ask(struct driven_machine *machine) {
    struct driven_value which = driven_read_at(machine, driven_code_at_hand(machine), 0), a, b;
    struct driven_state *state = &machine->state;
    driven_find_asked(machine, &a, &b);
    bool is_news = driven_is_news(&state->symbols, &a) || driven_is_news(&state->symbols, &b);
    driven_note_asked(state, &a);
    driven_note_asked(state, &b);
    return which.depends == DRIVEN_SURELY && is_news ? DRIVEN_SURELY : DRIVEN_PERHAPS;
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
    struct driven_value value = driven_read_at(machine, code, 0);
    const struct ir_switch *entry = ir_find_switch(machine->facts, block);
    enum driven_depends depends = ask(machine);
    if (entry && value.kind == DRIVEN_INTEGER && !narrow_case(machine, &value, entry, outcome))
        return false;
    return decide(machine, block, outcome, depends, true) &&
           driven_enter_block(machine, block, switch_target(machine, block, outcome));
}

bool driven_choose(struct driven_machine *machine, uint32_t outcome) {
    const struct ir_code *code = driven_code_at_hand(machine);
    uint32_t block = driven_top(&machine->state)->block;
    machine->cost = (struct driven_cost){0, 0};
    machine->is_open = machine->is_inexact = false;
    machine->instructions = 0;
    machine->marks.count = 0;
    if (code->opcode == IR_OP_SWITCH)
        return choose_case(machine, code, outcome);
    if (is_access(code)) {
        struct driven_value address = address_of(machine, code);
        return driven_choose_place(machine, &address, code->width, outcome);
    }
    if (code->opcode == IR_OP_CALL)
        return driven_choose_memory(machine, code, outcome != 0) &&
               (!outcome || driven_call(machine, code) == DRIVEN_CHOICE);
    enum driven_depends depends = ask(machine);
    return narrow_branch(machine, code, outcome != 0) &&
           decide(machine, block, outcome, depends, false) &&
           driven_enter_block(machine, block, successor(machine, block, !outcome));
}
