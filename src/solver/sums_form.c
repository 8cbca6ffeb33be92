/* SPDX-License-Identifier: Apache-2.0
 *
 * Linear forms over simplex variables: adding them, their bounds and values, and the variable that
 * stands for each. Sums that differ only by a factor share a variable, so that a comparison and its
 * negation bound the same one.
 */
#include "solver/sums.h"

#include <stdlib.h>
#include <string.h>

#define NO_BOUND (SIMPLEX_FAR / 4)
#define FIRST_KNOWN 256u

void sums_forget(struct sums *sums) {
    simplex_begin(&sums->simplex);
    sums->variables.count = 0;
    sums->gaps.count = 0;
    sums->inputs.count = 0;
    if (sums->known_count)
        memset(sums->known, 0xff, (sums->known_mask + 1) * sizeof *sums->known);
    sums->known_count = 0;
    if (!++sums->stamp) {
        for (unsigned i = 0; i < SUMS_KINDS; i++)
            sums->readings[i].count = 0;
        sums->stamp = 1;
    }
}

/* ---- variables ---- */

uint32_t sums_new_variable(struct sums *sums, wide now, wide low, wide high, uint32_t input) {
    base_push(&sums->variables, (struct sums_variable){input, NONE, low < 0});
    return simplex_add(&sums->simplex, now, low, high);
}

wide sums_type_low(unsigned width, bool is_signed) {
    return is_signed ? -((wide)1 << (width - 1)) : 0;
}

wide sums_signed(uint64_t bits, unsigned width) {
    unsigned unused = 64 - width;
    return (int64_t)(bits << unused) >> unused;
}

uint32_t sums_input(struct sums_reader *in, uint32_t number) {
    struct sums *sums = in->sums;
    while (sums->inputs.count <= number)
        base_push(&sums->inputs, NONE);
    if (sums->inputs.data[number] != NONE)
        return sums->inputs.data[number];
    unsigned width = solver_width(in->solver, number);
    bool is_signed = in->is_signed || width == 64;
    uint64_t bits = solver_current(in->solver, number);
    wide low = sums_type_low(width, is_signed);
    return sums->inputs.data[number] =
               sums_new_variable(sums, is_signed ? sums_signed(bits, width) : (wide)bits, low,
                                 low + ((wide)1 << width) - 1, number);
}

/* ---- forms ---- */

void sums_set_single(struct sums_form *form, uint32_t variable, wide constant) {
    form->constant = constant;
    form->count = 1;
    form->parts[0] = (struct simplex_part){variable, 1};
}

bool sums_is_small(wide value) {
    return value > -((wide)1 << SUMS_BITS) && value < (wide)1 << SUMS_BITS;
}

static bool is_number(wide value) {
    return value >= -((wide)1 << 64) && value <= (wide)1 << 64;
}

bool sums_add_form(struct sums_form *to, const struct sums_form *form, wide factor) {
    if (!sums_is_small(factor) || !is_number(form->constant) || !is_number(to->constant))
        return false;
    to->constant += factor * form->constant;
    for (unsigned i = 0; i < form->count; i++) {
        wide product = factor * form->parts[i].factor;
        unsigned at = 0;
        while (at < to->count && to->parts[at].variable != form->parts[i].variable)
            at++;
        wide sum = product + (at < to->count ? to->parts[at].factor : 0);
        if (!sums_is_small(sum) || at == SUMS_PARTS)
            return false;
        to->parts[at] = (struct simplex_part){form->parts[i].variable, (int64_t)sum};
        to->count += at == to->count;
        if (!sum)
            to->parts[at] = to->parts[--to->count];
    }
    return true;
}

static struct simplex_bound lower(const struct sums *sums, const struct simplex_part *part) {
    const struct simplex_variable *variable = sums_variable_of(sums, part->variable);
    return part->factor > 0 ? variable->low : variable->high;
}

static struct simplex_bound upper(const struct sums *sums, const struct simplex_part *part) {
    const struct simplex_variable *variable = sums_variable_of(sums, part->variable);
    return part->factor > 0 ? variable->high : variable->low;
}

bool sums_bound_form(const struct sums *sums, const struct sums_form *form, wide *low, wide *high) {
    *low = *high = form->constant;
    for (unsigned i = 0; i < form->count; i++) {
        wide least = lower(sums, &form->parts[i]).value, most = upper(sums, &form->parts[i]).value;
        if (least <= -SIMPLEX_FAR || least >= SIMPLEX_FAR || most <= -SIMPLEX_FAR ||
            most >= SIMPLEX_FAR)
            return false;
        *low += form->parts[i].factor * least;
        *high += form->parts[i].factor * most;
    }
    return true;
}

wide sums_form_now(const struct sums *sums, const struct sums_form *form) {
    wide now = form->constant;
    for (unsigned i = 0; i < form->count; i++)
        now += form->parts[i].factor * sums_variable_of(sums, form->parts[i].variable)->now;
    return now;
}

/* ---- one variable per sum ---- */

static void sort_parts(struct sums_form *form) {
    for (unsigned i = 1; i < form->count; i++) {
        struct simplex_part part = form->parts[i];
        unsigned at = i;
        for (; at && form->parts[at - 1].variable > part.variable; at--)
            form->parts[at] = form->parts[at - 1];
        form->parts[at] = part;
    }
}

static uint32_t hash_parts(const struct simplex_part *parts, unsigned count) {
    uint64_t hash = count;
    for (unsigned i = 0; i < count; i++)
        hash = (hash ^ parts[i].variable ^ (uint64_t)parts[i].factor << 20) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(hash >> 32);
}

static bool has_parts(const struct sums *sums, uint32_t number, const struct sums_form *form) {
    const struct simplex_variable *sum = sums_variable_of(sums, number);
    const struct simplex_part *parts = sums->simplex.definitions.data + sum->definition;
    if (sum->parts != form->count)
        return false;
    for (unsigned i = 0; i < form->count; i++)
        if (parts[i].variable != form->parts[i].variable ||
            parts[i].factor != form->parts[i].factor)
            return false;
    return true;
}

static void remember_sum(struct sums *sums, uint32_t number) {
    const struct simplex_variable *sum = sums_variable_of(sums, number);
    uint32_t at =
        hash_parts(sums->simplex.definitions.data + sum->definition, sum->parts) & sums->known_mask;
    while (sums->known[at] != NONE)
        at = (at + 1) & sums->known_mask;
    sums->known[at] = number;
}

static void make_room(struct sums *sums) {
    uint32_t size = sums->known ? sums->known_mask + 1 : 0;
    if (sums->known_count * 2 < size)
        return;
    size = size ? size * 2 : FIRST_KNOWN;
    free(sums->known);
    sums->known = base_alloc(size * sizeof *sums->known);
    memset(sums->known, 0xff, size * sizeof *sums->known);
    sums->known_mask = size - 1;
    for (uint32_t i = 0; i < sums->simplex.variables.count; i++)
        if (sums_variable_of(sums, i)->parts)
            remember_sum(sums, i);
}

uint32_t sums_find(struct sums *sums, struct sums_form *form) {
    make_room(sums);
    sort_parts(form);
    uint32_t at = hash_parts(form->parts, form->count) & sums->known_mask;
    for (; sums->known[at] != NONE; at = (at + 1) & sums->known_mask)
        if (has_parts(sums, sums->known[at], form))
            return sums->known[at];
    uint32_t number = simplex_add_sum(&sums->simplex, form->parts, form->count);
    if (number == NONE)
        return NONE;
    base_push(&sums->variables, (struct sums_variable){NONE, NONE, false});
    sums->known[at] = number;
    sums->known_count++;
    return number;
}

static uint64_t common_factor(const struct sums_form *form) {
    uint64_t divisor = 0;
    for (unsigned i = 0; i < form->count; i++) {
        int64_t factor = form->parts[i].factor;
        uint64_t value = factor < 0 ? 0 - (uint64_t)factor : (uint64_t)factor;
        while (value) {
            uint64_t rest = divisor % value;
            divisor = value;
            value = rest;
        }
    }
    return divisor ? divisor : 1;
}

/* A bound divided and rounded up. */
static wide divide_bound(wide bound, int64_t divisor) {
    if (bound <= -NO_BOUND || bound >= NO_BOUND)
        return bound < 0 ? -SIMPLEX_FAR : SIMPLEX_FAR;
    return -simplex_floor(-bound, divisor);
}

bool sums_limit_form(struct sums *sums, struct sums_form *form, wide low, wide high, bool inside) {
    sort_parts(form);
    int64_t divisor = (int64_t)common_factor(form);
    low -= form->constant;
    high -= form->constant;
    if (form->parts[0].factor < 0) {
        wide swap = -low;
        low = -high;
        high = swap;
        divisor = -divisor;
    }
    for (unsigned i = 0; i < form->count; i++)
        form->parts[i].factor /= divisor;
    divisor = divisor < 0 ? -divisor : divisor;
    uint32_t variable = form->count == 1 ? form->parts[0].variable : sums_find(sums, form);
    if (variable == NONE)
        return false;
    struct sums_limit limit = {variable, inside, divide_bound(low, divisor),
                               -divide_bound(-high, divisor)};
    if (inside || limit.low <= limit.high)
        base_push(&sums->limits, limit);
    return true;
}
