/* SPDX-License-Identifier: Apache-2.0
 *
 * Orders too numerous to write down: which integers satisfy fifty million of them?
 *
 * They come as runs, each an arithmetic sequence of constraints x - y <= weight, so a whole path
 * takes a few bytes per loop entry and no term is ever made. As in bulk.c every constraint pushes y
 * up to x - weight; passes go over all runs backwards and forwards in turn (the Bellman-Ford
 * algorithm with Yen's ordering) until nothing moves, which also proves that all hold. Paths of
 * loops converge after a few passes. Whatever does not, or leaves the bounds of the integers, is
 * "unknown": this stage never says no.
 */
#include "solver/internal.h"

#include <stdlib.h>
#include <string.h>

#define PASSES 64
#define PUSHES 1000000000u     /* limit per attempt */
#define FAR ((int64_t)1 << 61) /* sums of two stay within 64 bits */

struct pushing {
    int64_t *values, *low, *high; /* one more than the input has: the last is always 0 */
    size_t count;
    unsigned bytes;
    bool first_rises; /* if two values that must differ are equal, push x up instead of y */
};

/* ---- bounds ---- */

static void set_bounds(struct pushing *pushing, bool is_signed) {
    unsigned bits = pushing->bytes * 8;
    int64_t high = bits == 64 ? FAR - 1 : ((int64_t)1 << (bits - is_signed)) - 1;
    int64_t low = !is_signed ? 0 : bits == 64 ? -FAR : -high - 1;
    for (size_t i = 0; i < pushing->count; i++) {
        pushing->low[i] = low;
        pushing->high[i] = high;
    }
    pushing->low[pushing->count] = pushing->high[pushing->count] = 0;
}

/* Applies --range; false if a range is about integers of another layout. */
static bool add_ranges(struct pushing *pushing, const struct solver *solver, bool is_signed) {
    for (size_t i = 0; i < solver->ranges.count; i++) {
        const struct solver_range *range = &solver->ranges.data[i];
        size_t at = range->offset / pushing->bytes;
        bool agrees = range->low >= 0 || range->is_signed == is_signed;
        if (range->width != pushing->bytes * 8 || range->offset % pushing->bytes || !agrees)
            return false;
        if (at >= pushing->count)
            continue;
        pushing->low[at] = range->low > -FAR ? range->low : -FAR;
        pushing->high[at] = range->high < FAR ? range->high : FAR - 1;
    }
    return true;
}

/* ---- runs ---- */

static bool is_in_input(int64_t offset, int64_t step, uint64_t count, const struct pushing *where) {
    int64_t bytes = where->bytes, last;
    if (offset == SOLVER_ZERO)
        return step == 0;
    if (__builtin_mul_overflow(step, (int64_t)(count - 1), &last) ||
        __builtin_add_overflow(last, offset, &last))
        return false;
    return offset >= 0 && last >= 0 && offset % bytes == 0 && step % bytes == 0 &&
           offset / bytes < (int64_t)where->count && last / bytes < (int64_t)where->count;
}

static bool is_usable(const struct solver_run *run, const struct pushing *where) {
    int64_t last;
    if (!run->count || run->count > (uint64_t)FAR ||
        __builtin_mul_overflow(run->dweight, (int64_t)(run->count - 1), &last) ||
        __builtin_add_overflow(last, run->weight, &last))
        return false;
    return last > -FAR && last < FAR && run->weight > -FAR && run->weight < FAR &&
           is_in_input(run->x, run->dx, run->count, where) &&
           is_in_input(run->y, run->dy, run->count, where);
}

enum pushed { STILL, MOVED, TOO_HIGH };

static enum pushed push_run(struct pushing *pushing, const struct solver_run *run, bool backwards) {
    int64_t bytes = pushing->bytes, sign = backwards ? -1 : 1;
    int64_t first = backwards ? (int64_t)(run->count - 1) : 0;
    int64_t zero = (int64_t)pushing->count;
    int64_t x = (run->x == SOLVER_ZERO ? zero : run->x / bytes) + first * (run->dx / bytes);
    int64_t y = (run->y == SOLVER_ZERO ? zero : run->y / bytes) + first * (run->dy / bytes);
    int64_t weight = run->weight + first * run->dweight;
    int64_t dx = sign * (run->dx / bytes), dy = sign * (run->dy / bytes);
    enum pushed pushed = STILL;
    for (uint64_t i = 0; i < run->count; i++) {
        int64_t least = pushing->values[x] - weight;
        if (run->differ ? pushing->values[y] == least : pushing->values[y] < least) {
            int64_t place = run->differ && pushing->first_rises ? x : y;
            int64_t value = run->differ ? pushing->values[place] + 1 : least;
            if (value > pushing->high[place])
                return TOO_HIGH;
            pushing->values[place] = value;
            pushed = MOVED;
        }
        x += dx;
        y += dy;
        weight += sign * run->dweight;
    }
    return pushed;
}

static enum pushed push_all(struct pushing *pushing, const struct solver_run *runs, size_t count,
                            bool backwards) {
    enum pushed pushed = STILL;
    for (size_t i = 0; i < count; i++) {
        enum pushed one = push_run(pushing, &runs[backwards ? count - 1 - i : i], backwards);
        if (one == TOO_HIGH)
            return TOO_HIGH;
        if (one == MOVED)
            pushed = MOVED;
    }
    return pushed;
}

/* 0: even a few would take too long. */
static unsigned count_passes(const struct solver_run *runs, size_t count) {
    uint64_t pushes = 1;
    for (size_t i = 0; i < count && pushes < PUSHES; i++)
        pushes += runs[i].count;
    if (pushes >= PUSHES)
        return 0;
    return PUSHES / pushes < 4        ? 4
           : PUSHES / pushes > PASSES ? PASSES
                                      : (unsigned)(PUSHES / pushes);
}

static bool settles(struct pushing *pushing, const struct solver_run *runs, size_t count,
                    bool from_zero) {
    unsigned passes = count_passes(runs, count);
    for (size_t i = 0; i <= pushing->count; i++) {
        bool zero_fits = pushing->low[i] <= 0 && pushing->high[i] >= 0;
        pushing->values[i] = from_zero && zero_fits ? 0 : pushing->low[i];
    }
    enum pushed pushed = MOVED;
    for (unsigned i = 0; pushed == MOVED && i < passes; i++)
        pushed = push_all(pushing, runs, count, i % 2 == 0);
    return pushed == STILL;
}

/* ---- all together ---- */

static bool solve(struct solver *solver, struct pushing *pushing, const struct solver_run *runs,
                  size_t count, bool is_signed) {
    set_bounds(pushing, is_signed);
    if ((pushing->bytes == 8 && !is_signed) || !add_ranges(pushing, solver, is_signed))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!is_usable(&runs[i], pushing))
            return false;
    for (unsigned i = 0; i < 4; i++) {
        pushing->first_rises = i % 2;
        if (settles(pushing, runs, count, i < 2))
            return true;
        if (solver->deadline > 0 && base_seconds() > solver->deadline)
            break;
    }
    return false;
}

enum solver_answer solver_solve_runs(struct solver *solver, const struct solver_run *runs,
                                     size_t count, unsigned bytes, bool is_signed, uint8_t *model,
                                     size_t size) {
    double start = base_seconds();
    struct pushing pushing = {.bytes = bytes, .count = size / bytes};
    if (solver->options.off[SOLVER_STAGE_ORDER])
        return SOLVER_UNKNOWN;
    pushing.values = base_alloc((pushing.count + 1) * sizeof *pushing.values);
    pushing.low = base_alloc((pushing.count + 1) * sizeof *pushing.low);
    pushing.high = base_alloc((pushing.count + 1) * sizeof *pushing.high);
    bool good = solve(solver, &pushing, runs, count, is_signed);
    memset(model, 0, size);
    for (size_t i = 0; good && i < pushing.count; i++)
        memcpy(model + i * bytes, &pushing.values[i], bytes);
    free(pushing.values);
    free(pushing.low);
    free(pushing.high);
    solver->statistics.sat[SOLVER_STAGE_ORDER] += good;
    solver->statistics.seconds += base_seconds() - start;
    return good ? SOLVER_SAT : SOLVER_UNKNOWN;
}
