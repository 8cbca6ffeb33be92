/* SPDX-License-Identifier: Apache-2.0
 *
 * When are two states the same? When they behave alike from here on: they have the same calls,
 * loops, live registers and reachable objects. A state is written as bytes in an order that does
 * not depend on how it was reached: objects and symbols are numbered when first met, unreachable
 * ones are left out, and a symbol with a single possible value is replaced by it. Equal states have
 * equal bytes, and these bytes are all that the oracle stores of a state.
 */
#include "search/driven/driven.h"

#include <stdlib.h>
#include <string.h>

struct writer {
    const struct driven_code *code;
    struct driven_state *state;
    struct base_buffer *out;
    uint32_t *symbols;           /* number in the key, 0: not met yet */
    uint32_t *objects;           /* number in the key, plus 1 */
    BASE_VECTOR(uint32_t) met;   /* objects in their order */
    BASE_VECTOR(uint32_t) order; /* symbols; the first has number 1 */
};

static void put_word(struct base_buffer *out, uint32_t word) {
    base_buffer_add(out, &word, sizeof word);
}

static void put_long(struct base_buffer *out, int64_t number) {
    base_buffer_add(out, &number, sizeof number);
}

static uint32_t number_object(struct writer *writer, uint32_t object) {
    if (!writer->objects[object]) {
        base_push(&writer->met, object);
        writer->objects[object] = (uint32_t)writer->met.count;
    }
    return writer->objects[object] - 1;
}

static uint32_t number_symbol(struct writer *writer, uint32_t symbol) {
    if (!writer->symbols[symbol]) {
        base_push(&writer->order, symbol);
        writer->symbols[symbol] = (uint32_t)writer->order.count;
    }
    return writer->symbols[symbol];
}

/* The roots are written later. */
static void put_symbol(struct writer *writer, const struct driven_symbol *symbol) {
    put_long(writer->out, symbol->range.low);
    put_long(writer->out, symbol->range.high);
    put_word(writer->out, (uint32_t)symbol->is_not_zero | (uint32_t)symbol->was_asked << 8 |
                              (uint32_t)symbol->is_untraced << 16);
}

static void put_value(struct writer *writer, struct driven_value value) {
    bool is_new = false;
    struct driven_symbol symbol = {0};
    value = driven_settle(&writer->state->symbols, value);
    if (value.symbol) {
        symbol = writer->state->symbols.data[value.symbol];
        is_new = !writer->symbols[value.symbol];
        value.symbol = number_symbol(writer, value.symbol);
    }
    if (value.kind == DRIVEN_POINTER)
        value.object = number_object(writer, value.object);
    put_word(writer->out, (uint32_t)value.kind | (uint32_t)value.width << 8 |
                              (uint32_t)value.depends << 16 | (uint32_t)is_new << 24 |
                              (uint32_t)(value.symbol != 0) << 25 |
                              (uint32_t)value.is_indexed << 26);
    if (value.kind == DRIVEN_UNKNOWN)
        return;
    if (value.kind != DRIVEN_INTEGER)
        put_word(writer->out, value.object);
    put_long(writer->out, value.offset);
    if (!value.symbol)
        return;
    put_word(writer->out, value.symbol);
    put_long(writer->out, value.scale);
    if (is_new)
        put_symbol(writer, &symbol);
}

/* Writes the roots of symbols. Of a root that occurs nowhere else only its identity matters. */
static void put_roots(struct writer *writer) {
    for (uint32_t i = 0; i < writer->order.count; i++) {
        struct driven_value value = {.symbol = writer->order.data[i]};
        uint32_t roots[DRIVEN_ROOTS];
        uint32_t count = driven_find_roots(&writer->state->symbols, &value, roots);
        if (!count || roots[0] == value.symbol)
            continue;
        put_word(writer->out, i + 1);
        put_word(writer->out, count);
        for (uint32_t k = 0; k < count; k++)
            put_word(writer->out, number_symbol(writer, roots[k]));
    }
    put_word(writer->out, UINT32_MAX);
}

static void put_frame(struct writer *writer, const struct driven_frame *frame, bool is_top,
                      bool has_trail) {
    const struct driven_state *state = writer->state;
    put_word(writer->out, frame->function);
    put_word(writer->out, frame->block);
    put_word(writer->out, frame->code);
    put_word(writer->out, frame->turn_count);
    for (uint32_t i = 0; i < frame->turn_count; i++) {
        const struct driven_turn *turn = &state->turns.data[frame->first_turn + i];
        put_word(writer->out, turn->loop);
        put_word(writer->out, turn->turns);
        put_word(writer->out, turn->decides);
        if (has_trail)
            put_word(writer->out, turn->told);
    }
    size_t words = driven_word_count(writer->code, frame->function);
    uint64_t *bits = base_alloc((words + 1) * sizeof *bits);
    driven_live_at(writer->code, frame->block, frame->code, bits);
    if (!is_top) { /* the call has not returned yet */
        const struct ir_block *block = &writer->code->facts->blocks[frame->block];
        uint32_t result = writer->code->facts->codes[block->first_code + frame->code - 1].result;
        if (result != IR_NONE)
            bits[result / 64] &= ~((uint64_t)1 << result % 64);
    }
    for (size_t i = 0; i < words; i++)
        for (uint64_t left = bits[i]; left; left &= left - 1) {
            uint32_t number = (uint32_t)(i * 64) + (uint32_t)__builtin_ctzll(left);
            put_word(writer->out, number);
            put_value(writer, state->registers.data[frame->first + number]);
        }
    put_word(writer->out, UINT32_MAX);
    free(bits);
}

static void put_object(struct writer *writer, uint32_t number) {
    const struct driven_object *object = &writer->state->objects[number];
    put_word(writer->out, object->global);
    put_word(writer->out, (uint32_t)object->content | (uint32_t)object->is_array << 8 |
                              (uint32_t)object->is_heap << 16 | (uint32_t)object->is_freed << 24 |
                              (uint32_t)object->was_asked << 25);
    put_long(writer->out, (int64_t)object->base);
    put_value(writer, object->size);
    put_word(writer->out, (uint32_t)object->cells.count);
    for (size_t i = 0; i < object->cells.count; i++) {
        const struct driven_cell cell = writer->state->objects[number].cells.data[i];
        put_long(writer->out, cell.offset);
        put_word(writer->out, cell.bytes | cell.is_stored << 31);
        put_value(writer, cell.value);
    }
}

static void put_globals(struct writer *writer) {
    for (uint32_t i = 0; i < writer->state->object_count; i++)
        if (writer->state->objects[i].global != IR_NONE)
            number_object(writer, i);
}

void driven_save_state(const struct driven_code *code, struct driven_state *state, bool has_trail,
                       struct base_buffer *out) {
    struct writer writer = {.code = code, .state = state, .out = out};
    writer.symbols = base_alloc((state->symbols.count + 1) * sizeof *writer.symbols);
    writer.objects = base_alloc((state->object_count + 1) * sizeof *writer.objects);
    put_word(out, (uint32_t)state->frames.count);
    for (size_t i = 0; i < state->frames.count; i++)
        put_frame(&writer, &state->frames.data[i], i + 1 == state->frames.count, has_trail);
    for (size_t i = 0; has_trail && i < state->follower.seen.count; i++)
        put_word(out, state->follower.seen.data[i]);
    put_globals(&writer);
    for (size_t i = 0; i < writer.met.count; i++) {
        put_word(out, (uint32_t)i);
        put_object(&writer, writer.met.data[i]);
    }
    put_word(out, UINT32_MAX);
    put_roots(&writer);
    free(writer.symbols);
    free(writer.objects);
    base_vector_done(&writer.order);
    base_vector_done(&writer.met);
}

/* ---- reading ---- */

static uint32_t get_word(const char **at) {
    uint32_t word;
    memcpy(&word, *at, sizeof word);
    *at += sizeof word;
    return word;
}

static int64_t get_long(const char **at) {
    int64_t number;
    memcpy(&number, *at, sizeof number);
    *at += sizeof number;
    return number;
}

static void get_symbol(const char **at, struct driven_state *state) {
    struct driven_symbol symbol = {.range = {.low = get_long(at)}};
    symbol.range.high = get_long(at);
    uint32_t flags = get_word(at);
    symbol.is_not_zero = (uint8_t)flags;
    symbol.was_asked = (uint8_t)(flags >> 8);
    symbol.is_untraced = (uint8_t)(flags >> 16);
    base_push(&state->symbols, symbol);
}

static struct driven_value get_value(const char **at, struct driven_state *state) {
    uint32_t head = get_word(at);
    struct driven_value value = {.kind = (uint8_t)head,
                                 .width = (uint8_t)(head >> 8),
                                 .depends = (uint8_t)(head >> 16),
                                 .is_indexed = head >> 26 & 1};
    if (value.kind == DRIVEN_UNKNOWN)
        return value;
    if (value.kind != DRIVEN_INTEGER)
        value.object = get_word(at);
    value.offset = get_long(at);
    if (!(head >> 25 & 1))
        return value;
    value.symbol = get_word(at);
    value.scale = get_long(at);
    if (head >> 24 & 1)
        get_symbol(at, state);
    return value;
}

static void get_roots(const char **at, struct driven_state *state) {
    for (uint32_t number; (number = get_word(at)) != UINT32_MAX;)
        for (uint32_t i = 0, count = get_word(at); i < count; i++) {
            uint32_t root = get_word(at);
            if (root == state->symbols.count)
                base_push(&state->symbols, (struct driven_symbol){.range = driven_full_range(64)});
            state->symbols.data[number].roots[i] = root;
        }
}

static void get_frame(const char **at, const struct driven_code *code, struct driven_state *state,
                      bool has_trail) {
    struct driven_frame frame = {.function = get_word(at)};
    frame.block = get_word(at);
    frame.code = get_word(at);
    frame.turn_count = get_word(at);
    frame.from = IR_NONE;
    frame.first = (uint32_t)state->registers.count;
    frame.first_turn = (uint32_t)state->turns.count;
    for (uint32_t i = 0; i < frame.turn_count; i++) {
        struct driven_turn turn = {.loop = get_word(at), .told = UINT32_MAX};
        turn.turns = get_word(at);
        turn.decides = get_word(at);
        if (has_trail)
            turn.told = get_word(at);
        base_push(&state->turns, turn);
    }
    for (uint32_t i = 0; i < code->facts->functions[frame.function].register_count; i++)
        base_push(&state->registers, driven_unknown(DRIVEN_PERHAPS));
    for (uint32_t number; (number = get_word(at)) != UINT32_MAX;)
        state->registers.data[frame.first + number] = get_value(at, state);
    base_push(&state->frames, frame);
}

static void get_object(const char **at, struct driven_state *state) {
    uint32_t number = driven_add_object(state, DRIVEN_ANYTHING, driven_number(64, 0));
    struct driven_object *object = &state->objects[number];
    object->global = get_word(at);
    uint32_t flags = get_word(at);
    object->content = (uint8_t)flags;
    object->is_array = (uint8_t)(flags >> 8);
    object->is_heap = (uint8_t)(flags >> 16);
    object->is_freed = flags >> 24 & 1;
    object->was_asked = flags >> 25 & 1;
    object->base = (uint64_t)get_long(at);
    object->size = get_value(at, state);
    for (uint32_t left = get_word(at); left; left--) {
        struct driven_cell cell = {.offset = get_long(at)};
        uint32_t bytes = get_word(at);
        cell.bytes = bytes & (UINT32_MAX >> 1);
        cell.is_stored = bytes >> 31;
        cell.value = get_value(at, state);
        base_push(&object->cells, cell);
    }
}

void driven_load_state(const struct driven_code *code, const char *data, bool has_trail,
                       struct driven_state *state) {
    const char *at = data;
    driven_state_clear(state);
    base_push(&state->symbols, ((struct driven_symbol){0}));
    for (uint32_t left = get_word(&at); left; left--)
        get_frame(&at, code, state, has_trail);
    if (has_trail)
        for (size_t i = 0; i < state->follower.trail->marks.count; i++)
            base_push(&state->follower.seen, get_word(&at));
    while (get_word(&at) != UINT32_MAX)
        get_object(&at, state);
    get_roots(&at, state);
}
