/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a branch on this value certainly a decision? Loops iterate at most as often as --loop-bound
 * allows once a decision was made in them, so treating a branch as a decision by mistake would cut
 * off existing paths.
 *
 * The symbolic build decides on each expression only once. An expression is certainly new if it
 * contains a part of the input that no earlier branch has depended on. So each symbol knows its
 * roots: the input symbols it is made of that no branch was decided on. A branch marks all of them
 * as asked. The origin of values from untracked sources (a table with an unknown index, a float,
 * the library) is unknown: a branch on such a value marks everything as asked.
 */
#include "search/driven/driven.h"

void driven_make_root(struct driven_symbols *symbols, const struct driven_value *value,
                      bool was_asked) {
    if (!value->symbol)
        return;
    symbols->data[value->symbol].was_asked = was_asked;
    symbols->data[value->symbol].is_untraced = 0;
}

static bool is_root(const struct driven_symbol *symbol) {
    return !symbol->is_untraced && !symbol->roots[0];
}

static bool is_untraced(const struct driven_symbols *symbols, const struct driven_value *value) {
    if (value->symbol)
        return symbols->data[value->symbol].is_untraced;
    return value->kind == DRIVEN_UNKNOWN && value->depends != DRIVEN_PLAIN;
}

uint32_t driven_find_roots(const struct driven_symbols *symbols, const struct driven_value *value,
                           uint32_t *roots) {
    uint32_t count = 0;
    if (!value->symbol)
        return 0;
    const struct driven_symbol *symbol = &symbols->data[value->symbol];
    if (is_root(symbol) && !symbol->was_asked)
        roots[count++] = value->symbol;
    for (uint32_t i = 0; i < DRIVEN_ROOTS && symbol->roots[i]; i++)
        if (!symbols->data[symbol->roots[i]].was_asked)
            roots[count++] = symbol->roots[i];
    return count;
}

bool driven_is_news(const struct driven_symbols *symbols, const struct driven_value *value) {
    uint32_t roots[DRIVEN_ROOTS];
    return driven_find_roots(symbols, value, roots) != 0;
}

static void note_roots(struct driven_symbols *symbols, const struct driven_value *value) {
    uint32_t roots[DRIVEN_ROOTS], count = driven_find_roots(symbols, value, roots);
    for (uint32_t i = 0; i < count; i++)
        symbols->data[roots[i]].was_asked = 1;
}

void driven_note_all_asked(struct driven_state *state) {
    for (size_t i = 0; i < state->symbols.count; i++)
        state->symbols.data[i].was_asked = 1;
    for (size_t i = 0; i < state->object_count; i++)
        state->objects[i].was_asked = 1;
}

void driven_note_asked(struct driven_state *state, const struct driven_value *value) {
    if (is_untraced(&state->symbols, value))
        driven_note_all_asked(state);
    else
        note_roots(&state->symbols, value);
}

/* ---- the origin of a value ---- */

static void add_root(struct driven_symbols *symbols, struct driven_symbol *made, uint32_t root) {
    for (uint32_t i = 0; i < DRIVEN_ROOTS; i++) {
        if (!made->roots[i])
            made->roots[i] = root;
        if (made->roots[i] == root)
            return;
    }
    symbols->data[root].was_asked = 1; /* too many to store: it counts as asked */
}

void driven_begin_origin(struct driven_symbols *symbols, const struct driven_value *made,
                         size_t first) {
    if (made->symbol && made->symbol >= first) {
        symbols->data[made->symbol].is_untraced = 0;
        symbols->data[made->symbol].was_asked = 1;
    }
}

/* The result contains the operand, unless the result is a constant or has the symbol of another
 * value: then the operand counts as asked, as a later branch on it could not be recognised. */
void driven_add_origin(struct driven_symbols *symbols, const struct driven_value *made,
                       size_t first, const struct driven_value *operand) {
    uint32_t roots[DRIVEN_ROOTS];
    if (made->symbol && made->symbol == operand->symbol)
        return;
    if (!made->symbol || made->symbol < first) {
        note_roots(symbols, operand);
        return;
    }
    struct driven_symbol *symbol = &symbols->data[made->symbol];
    uint32_t count = driven_find_roots(symbols, operand, roots);
    symbol->is_untraced |= is_untraced(symbols, operand);
    for (uint32_t i = 0; i < count; i++)
        add_root(symbols, symbol, roots[i]);
}

/* ---- forgetting ---- */

void driven_forget_origin(struct driven_symbols *symbols, const struct driven_value *old,
                          const struct driven_value *value) {
    note_roots(symbols, old);
    if (value->symbol) {
        symbols->data[value->symbol].was_asked = 1;
        symbols->data[value->symbol].is_untraced = is_untraced(symbols, old);
    }
}
