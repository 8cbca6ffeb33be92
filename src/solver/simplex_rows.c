/* SPDX-License-Identifier: Apache-2.0
 *
 * How do sums follow from free variables? Each has a row: scale * owner = sum of factors * free
 * variables. All its numbers are integers: bounds are integers, so free variables have integer
 * values, and the owner's value is stored times the scale. Products of two 64-bit numbers fit into
 * 128 bits; overflow is detected, and the rows then start over from the definitions of the sums,
 * which are small.
 */
#include "solver/simplex.h"

#include <stdlib.h>

#define FACTOR_LIMIT ((wide)1 << 61)
#define VALUE_LIMIT ((wide)1 << 63)

void simplex_begin(struct simplex *simplex) {
    simplex->variables.count = 0;
    simplex->definitions.count = 0;
    simplex->trail.count = 0;
    simplex->moved.count = 0;
    simplex->row_count = 0;
    simplex->is_too_large = false;
}

void simplex_done(struct simplex *simplex) {
    for (size_t i = 0; i < simplex->rows.count; i++)
        base_vector_done(&simplex->rows.data[i].parts);
    for (size_t i = 0; i < simplex->columns.count; i++)
        base_vector_done(&simplex->columns.data[i]);
    base_vector_done(&simplex->rows);
    base_vector_done(&simplex->columns);
    base_vector_done(&simplex->variables);
    base_vector_done(&simplex->definitions);
    base_vector_done(&simplex->trail);
    base_vector_done(&simplex->places);
    base_vector_done(&simplex->moved);
}

/* ---- numbers ---- */

wide simplex_floor(wide dividend, wide divisor) {
    wide quotient = dividend / divisor;
    return quotient - (dividend % divisor != 0 && (dividend < 0) != (divisor < 0));
}

static uint64_t size_of(int64_t value) {
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    if (!a || !b)
        return a | b;
    int twos = __builtin_ctzll(a | b);
    a >>= __builtin_ctzll(a);
    while (b) {
        b >>= __builtin_ctzll(b);
        if (a > b) {
            uint64_t swap = a;
            a = b;
            b = swap;
        }
        b -= a;
    }
    return a << twos;
}

static int64_t factor_of(struct simplex *simplex, wide value) {
    if (value > -FACTOR_LIMIT && value < FACTOR_LIMIT)
        return (int64_t)value;
    simplex->is_too_large = true;
    return 1;
}

static void add_product(struct simplex *simplex, wide *sum, int64_t factor, wide value) {
    if (value <= -VALUE_LIMIT || value >= VALUE_LIMIT ||
        __builtin_add_overflow(*sum, factor * value, sum))
        simplex->is_too_large = true;
}

/* ---- variables ---- */

void simplex_look_at(struct simplex *simplex, uint32_t number) {
    struct simplex_variable *variable = &simplex->variables.data[number];
    if (variable->moved == simplex->stamp)
        return;
    variable->moved = simplex->stamp;
    base_push(&simplex->moved, number);
}

uint32_t simplex_add(struct simplex *simplex, wide now, wide low, wide high) {
    uint32_t number = (uint32_t)simplex->variables.count;
    base_push(&simplex->variables,
              (struct simplex_variable){
                  .now = now, .value = now, .low = {low, 0}, .high = {high, 0}, .row = NONE});
    if (simplex->columns.count == number) {
        base_push(&simplex->columns, (id_list){0});
        base_push(&simplex->places, 0);
    }
    simplex->columns.data[number].count = 0;
    return number;
}

wide simplex_value(const struct simplex *simplex, uint32_t number, bool *whole) {
    const struct simplex_variable *variable = &simplex->variables.data[number];
    int64_t scale = variable->row == NONE ? 1 : simplex->rows.data[variable->row].scale;
    *whole = variable->value % scale == 0;
    return simplex_floor(variable->value, scale);
}

/* ---- rows ---- */

/* The columns of free variables list all their rows, and perhaps some former ones. */
static void add_part(struct simplex *simplex, uint32_t row, uint32_t variable, int64_t factor) {
    struct simplex_part part = {variable, factor};
    base_push(&simplex->rows.data[row].parts, part);
    base_push(&simplex->columns.data[variable], row);
}

static size_t find_part(const struct simplex_row *row, uint32_t variable) {
    size_t at = 0;
    while (at < row->parts.count && row->parts.data[at].variable != variable)
        at++;
    return at;
}

static void compute_owner(struct simplex *simplex, uint32_t index) {
    const struct simplex_row *row = &simplex->rows.data[index];
    struct simplex_variable *owner = &simplex->variables.data[row->owner];
    owner->value = 0;
    for (size_t i = 0; i < row->parts.count; i++)
        add_product(simplex, &owner->value, row->parts.data[i].factor,
                    simplex->variables.data[row->parts.data[i].variable].value);
    simplex_look_at(simplex, row->owner);
}

/* Drops parts that cancel out, and common factors. */
static void reduce(struct simplex_row *row) {
    uint64_t divisor = (uint64_t)row->scale;
    size_t kept = 0;
    for (size_t i = 0; i < row->parts.count; i++)
        if (row->parts.data[i].factor) {
            divisor =
                divisor == 1 ? 1 : common_divisor(divisor, size_of(row->parts.data[i].factor));
            row->parts.data[kept++] = row->parts.data[i];
        }
    row->parts.count = kept;
    if (divisor == 1)
        return;
    row->scale /= (int64_t)divisor;
    for (size_t i = 0; i < kept; i++)
        row->parts.data[i].factor /= (int64_t)divisor;
}

/* In row INDEX, replaces the owner of row SOURCE by its sum. */
static void substitute(struct simplex *simplex, uint32_t index, uint32_t source) {
    struct simplex_row *row = &simplex->rows.data[index];
    const struct simplex_row *other = &simplex->rows.data[source];
    size_t at = find_part(row, other->owner);
    int64_t factor = row->parts.data[at].factor;
    int64_t divisor = (int64_t)common_divisor((uint64_t)other->scale, size_of(factor));
    int64_t mine = other->scale / divisor, theirs = factor / divisor;
    row->parts.data[at] = row->parts.data[--row->parts.count];
    row->scale = factor_of(simplex, (wide)row->scale * mine);
    for (size_t i = 0; i < row->parts.count; i++) {
        struct simplex_part *part = &row->parts.data[i];
        part->factor = factor_of(simplex, (wide)part->factor * mine);
        simplex->places.data[part->variable] = (uint32_t)i + 1;
    }
    size_t before = row->parts.count;
    for (size_t i = 0; i < other->parts.count; i++) {
        struct simplex_part part = other->parts.data[i];
        uint32_t place = simplex->places.data[part.variable];
        wide sum = (wide)part.factor * theirs;
        if (place)
            row->parts.data[place - 1].factor =
                factor_of(simplex, sum + row->parts.data[place - 1].factor);
        else
            add_part(simplex, index, part.variable, factor_of(simplex, sum));
    }
    for (size_t i = 0; i < before; i++)
        simplex->places.data[row->parts.data[i].variable] = 0;
    reduce(row);
}

static uint32_t new_row(struct simplex *simplex, uint32_t owner) {
    uint32_t index = simplex->row_count++;
    if (simplex->rows.count == index)
        base_push(&simplex->rows, (struct simplex_row){0});
    struct simplex_row *row = &simplex->rows.data[index];
    row->owner = owner;
    row->scale = 1;
    row->parts.count = 0;
    simplex->variables.data[owner].row = index;
    return index;
}

/* The row of a sum as defined, with owners among its parts replaced. */
static void make_row(struct simplex *simplex, uint32_t owner) {
    uint32_t index = new_row(simplex, owner);
    const struct simplex_variable *sum = &simplex->variables.data[owner];
    for (uint32_t i = 0; i < sum->parts; i++) {
        struct simplex_part part = simplex->definitions.data[sum->definition + i];
        base_push(&simplex->rows.data[index].parts, part);
        if (simplex->variables.data[part.variable].row == NONE)
            base_push(&simplex->columns.data[part.variable], index);
    }
    for (uint32_t i = 0; i < sum->parts && !simplex->is_too_large; i++) {
        uint32_t part = simplex->definitions.data[sum->definition + i].variable;
        uint32_t source = simplex->variables.data[part].row;
        if (source != NONE)
            substitute(simplex, index, source);
    }
    compute_owner(simplex, index);
}

/* Sums consist of earlier variables only. */
void simplex_start_over(struct simplex *simplex) {
    simplex->row_count = 0;
    simplex->is_too_large = false;
    for (uint32_t i = 0; i < simplex->variables.count; i++) {
        simplex->variables.data[i].row = NONE;
        simplex->variables.data[i].value = simplex->variables.data[i].now;
        simplex->columns.data[i].count = 0;
    }
    for (uint32_t i = 0; i < simplex->variables.count; i++)
        if (simplex->variables.data[i].parts)
            make_row(simplex, i);
}

uint32_t simplex_add_sum(struct simplex *simplex, const struct simplex_part *parts, size_t count) {
    wide now = 0;
    if (simplex->is_too_large)
        return NONE;
    for (size_t i = 0; i < count; i++)
        add_product(simplex, &now, parts[i].factor, simplex->variables.data[parts[i].variable].now);
    if (simplex->is_too_large || now <= -VALUE_LIMIT || now >= VALUE_LIMIT) {
        simplex->is_too_large = false;
        return NONE;
    }
    uint32_t owner = simplex_add(simplex, now, -SIMPLEX_FAR, SIMPLEX_FAR);
    simplex->variables.data[owner].definition = (uint32_t)simplex->definitions.count;
    simplex->variables.data[owner].parts = (uint32_t)count;
    for (size_t i = 0; i < count; i++)
        base_push(&simplex->definitions, parts[i]);
    make_row(simplex, owner);
    if (simplex->is_too_large)
        simplex_start_over(simplex);
    if (!simplex->is_too_large)
        return owner;
    simplex->variables.count--;
    simplex->definitions.count -= count;
    simplex_start_over(simplex);
    return NONE;
}

/* ---- moving ---- */

bool simplex_next_row(struct simplex *simplex, uint32_t variable, size_t *at, uint32_t *index,
                      size_t *part) {
    id_list *column = &simplex->columns.data[variable];
    while (*at < column->count) {
        *index = column->data[*at];
        struct simplex_row *row = &simplex->rows.data[*index];
        *part = row->visited == simplex->visit ? row->parts.count : find_part(row, variable);
        row->visited = simplex->visit;
        if (*part < row->parts.count) {
            ++*at;
            return true;
        }
        column->data[*at] = column->data[--column->count];
    }
    return false;
}

void simplex_move(struct simplex *simplex, uint32_t number, wide value) {
    struct simplex_variable *variable = &simplex->variables.data[number];
    wide distance = value - variable->value;
    size_t at = 0, part;
    uint32_t index;
    simplex->visit++;
    while (simplex_next_row(simplex, number, &at, &index, &part)) {
        const struct simplex_row *row = &simplex->rows.data[index];
        add_product(simplex, &simplex->variables.data[row->owner].value,
                    row->parts.data[part].factor, distance);
        simplex_look_at(simplex, row->owner);
    }
    variable->value = value;
    simplex_look_at(simplex, number);
}

void simplex_pivot(struct simplex *simplex, uint32_t index, size_t part, wide value) {
    struct simplex_row *row = &simplex->rows.data[index];
    uint32_t leaves = row->owner, enters = row->parts.data[part].variable, other;
    int64_t factor = row->parts.data[part].factor, sign = factor < 0 ? 1 : -1;
    for (size_t i = 0; i < row->parts.count; i++)
        row->parts.data[i].factor *= sign;
    row->parts.data[part] = (struct simplex_part){leaves, -sign * row->scale};
    row->scale = factor < 0 ? -factor : factor;
    reduce(row);
    row->owner = enters;
    simplex->variables.data[enters].row = index;
    simplex->variables.data[leaves].row = NONE;
    simplex->variables.data[leaves].value = value;
    simplex_look_at(simplex, leaves);
    simplex->columns.data[leaves].count = 0;
    base_push(&simplex->columns.data[leaves], index);
    compute_owner(simplex, index);
    size_t at = 0;
    simplex->visit++;
    row->visited = simplex->visit;
    while (!simplex->is_too_large && simplex_next_row(simplex, enters, &at, &other, &part)) {
        substitute(simplex, other, index);
        compute_owner(simplex, other);
    }
    simplex->columns.data[enters].count = 0;
}
