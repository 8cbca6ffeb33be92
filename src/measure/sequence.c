/* SPDX-License-Identifier: Apache-2.0
 *
 * Which formula gives the elements of this array at every size?
 *
 * The elements are divided into a few parts: some at either end, the rest in halves, or by every
 * second, third, ... element, or by triangles if the field is a square. In each part the values
 * must form an arithmetic (or doubling) sequence. Two inputs of different sizes that are divided in
 * the same way give two values for each parameter, and a straight line through them. A sequence is
 * a guess until inputs of other sizes confirm it, which is left to extrapolate.c.
 *
 * The idea is that of the induction variable sequences of "XSTRESSOR: Automatic Generation of
 * Large-Scale Worst-Case Test Inputs by Inferring Path Conditions", section IV-B, applied to
 * positions of the input instead of constraints of the path.
 */
#include "measure/sequence.h"
#include "measure/rational.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- schemes ---- */

#define MOST_ENDS 3
#define MOST_MODULUS 4
#define SQUARES 4
#define PAIRED 64           /* points of a part that are compared to find its steps */
#define MOST_ELEMENTS 65536 /* limit for a field that is described */

static unsigned complexity(const struct measure_scheme *scheme) {
    return 3u * (scheme->prefix + scheme->suffix) + 4u * (scheme->modulus - 1u) +
           (scheme->split ? 5u + scheme->split : 0) + 2u * scheme->square + scheme->from_back;
}

static int compare_schemes(const void *a, const void *b) {
    unsigned left = complexity(a), right = complexity(b);
    return left < right ? -1 : left > right ? 1 : memcmp(a, b, sizeof(struct measure_scheme));
}

static void add_linear_schemes(struct measure_schemes *all) {
    for (unsigned ends = 0; ends < (MOST_ENDS + 1) * (MOST_ENDS + 1); ends++)
        for (uint8_t modulus = 1; modulus <= MOST_MODULUS; modulus++)
            for (uint8_t split = 0; split < 3; split++)
                for (uint8_t back = 0; back < 2; back++)
                    base_push(all,
                              (struct measure_scheme){.prefix = (uint8_t)(ends / (MOST_ENDS + 1)),
                                                      .suffix = (uint8_t)(ends % (MOST_ENDS + 1)),
                                                      .modulus = modulus,
                                                      .split = split,
                                                      .from_back = back});
}

void measure_schemes_init(struct measure_schemes *all) {
    *all = (struct measure_schemes){0};
    add_linear_schemes(all);
    for (uint8_t square = 1; square <= SQUARES; square++)
        base_push(all, (struct measure_scheme){.modulus = 1, .square = square});
    qsort(all->data, all->count, sizeof *all->data, compare_schemes);
}

static unsigned part_count(const struct measure_scheme *scheme) {
    static const unsigned of_square[SQUARES + 1] = {0, 1, 3, 4, 5};
    if (scheme->square)
        return of_square[scheme->square];
    return scheme->prefix + scheme->suffix + scheme->modulus * (scheme->split ? 2u : 1u);
}

/* ---- the part that an element belongs to ---- */

struct place {
    unsigned part;
    int64_t x, y;
};

static size_t side_of(size_t count) {
    size_t side = 0;
    while ((side + 1) * (side + 1) <= count)
        side++;
    return side;
}

static struct place place_in_square(const struct measure_scheme *scheme, size_t side, size_t i) {
    int64_t row = (int64_t)(i / side), column = (int64_t)(i % side);
    unsigned part = 0;
    if (scheme->square > 1)
        part = column < row ? 0 : column == row ? 1 : 2;
    if (scheme->square == 3 && column == row + 1)
        part = 3;
    if (scheme->square == 4 && (row == 0) != (column == 0))
        part = row == 0 ? 3 : 4;
    return (struct place){part, row, column};
}

static struct place place_in_line(const struct measure_scheme *scheme, size_t count, size_t i) {
    unsigned ends = scheme->prefix + scheme->suffix;
    if (i < scheme->prefix)
        return (struct place){(unsigned)i, 0, 0};
    if (i >= count - scheme->suffix)
        return (struct place){(unsigned)(scheme->prefix + i - (count - scheme->suffix)), 0, 0};
    size_t at = i - scheme->prefix, length = count - ends;
    unsigned part = ends;
    if (scheme->split) {
        size_t half = (length + (scheme->split == 2)) / 2;
        bool second = at >= half;
        part += second ? scheme->modulus : 0;
        at -= second ? half : 0;
        length = second ? length - half : half;
    }
    if (scheme->from_back)
        at = length - 1 - at;
    return (struct place){part + (unsigned)(at % scheme->modulus), (int64_t)(at / scheme->modulus),
                          0};
}

static struct place find_place(const struct measure_scheme *scheme, size_t count, size_t side,
                               size_t i) {
    return scheme->square ? place_in_square(scheme, side, i) : place_in_line(scheme, count, i);
}

/* ---- the form of one input ---- */

struct point {
    int64_t x, y, value;
};

static int64_t value_at(const struct measure_part *part, int64_t x, int64_t y) {
    if (part->is_geometric)
        return x < 62 ? (int64_t)((uint64_t)part->base << x) : INT64_MAX;
    return (int64_t)((uint64_t)part->base + (uint64_t)part->dx * (uint64_t)x +
                     (uint64_t)part->dy * (uint64_t)y);
}

static bool holds(const struct measure_part *part, const struct point *points, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (value_at(part, points[i].x, points[i].y) != points[i].value)
            return false;
    return true;
}

static bool is_doubling(struct measure_part *part, const struct point *points, size_t count) {
    if (count < 3 || !points[0].value)
        return false;
    *part = (struct measure_part){.base = points[0].x ? 0 : points[0].value,
                                  .has_dx = true,
                                  .is_geometric = true,
                                  .count = (uint32_t)count};
    for (size_t i = 0; i < count; i++)
        if (points[i].x == 0)
            part->base = points[i].value;
    return holds(part, points, count);
}

/* Finds the steps from points that differ in one direction only. */
static void find_steps(struct measure_part *part, const struct point *points, size_t count) {
    for (size_t k = 0; k + 1 < count && k < PAIRED && !(part->has_dx && part->has_dy); k++)
        for (size_t i = k + 1; i < count && i < PAIRED; i++) {
            int64_t x = points[i].x - points[k].x, y = points[i].y - points[k].y;
            int64_t rise = points[i].value - points[k].value;
            if (x && !y && !part->has_dx && rise % x == 0) {
                part->dx = rise / x;
                part->has_dx = true;
            }
            if (y && !x && !part->has_dy && rise % y == 0) {
                part->dy = rise / y;
                part->has_dy = true;
            }
        }
    const struct point *first = &points[0], *last = &points[count - 1];
    if (!part->has_dx && !part->has_dy && last->x != first->x &&
        (last->value - first->value) % (last->x - first->x) == 0) { /* along a diagonal */
        part->dx = (last->value - first->value) / (last->x - first->x);
        part->has_dx = true;
    }
}

static bool describe_part(struct measure_part *part, const struct point *points, size_t count) {
    *part = (struct measure_part){.count = (uint32_t)count};
    if (!count)
        return true;
    find_steps(part, points, count);
    part->x = points[0].x;
    part->y = points[0].y;
    part->value = points[0].value;
    part->base = part->value - part->dx * part->x - part->dy * part->y;
    return holds(part, points, count) || is_doubling(part, points, count);
}

bool measure_form_describe(const struct measure_scheme *scheme, const int64_t *values, size_t count,
                           struct measure_form *form) {
    *form = (struct measure_form){.scheme = *scheme, .count = part_count(scheme)};
    size_t side = side_of(count);
    if ((scheme->square && (side * side != count || side < 2)) || count > MOST_ELEMENTS ||
        (!scheme->square && count < (size_t)scheme->prefix + scheme->suffix))
        return false;
    bool good = true;
    struct point *points = base_alloc((count + 1) * sizeof *points);
    for (unsigned part = 0; good && part < form->count; part++) {
        size_t found = 0;
        for (size_t i = 0; i < count; i++) {
            struct place place = find_place(scheme, count, side, i);
            if (place.part == part)
                points[found++] = (struct point){place.x, place.y, values[i]};
        }
        good = describe_part(&form->parts[part], points, found);
    }
    free(points);
    return good;
}

/* ---- over the sizes ---- */

static struct measure_law law_through(int64_t a, int64_t size_a, int64_t b, int64_t size_b) {
    return (struct measure_law){.at = a, .from = size_a, .above = a - b, .below = size_a - size_b};
}

static struct measure_law constant_law(int64_t value) {
    return (struct measure_law){.at = value, .below = 1};
}

static bool law_value(const struct measure_law *law, int64_t size, int64_t *value) {
    int64_t rise;
    if (__builtin_mul_overflow(size - law->from, law->above, &rise) || rise % law->below != 0)
        return false;
    *value = law->at + rise / law->below;
    return true;
}

/* If only one of the two inputs shows a step, it is assumed to be the same in both. */
static struct measure_law step_law(bool has_a, int64_t a, int64_t size_a, bool has_b, int64_t b,
                                   int64_t size_b) {
    if (has_a && has_b)
        return law_through(a, size_a, b, size_b);
    return constant_law(has_a ? a : has_b ? b : 0);
}

/* The base of a part whose steps are visible only in the other input. */
static int64_t base_with(const struct measure_part *part, const struct measure_part *other) {
    int64_t dx = part->has_dx ? part->dx : other->dx, dy = part->has_dy ? part->dy : other->dy;
    return part->is_geometric ? part->base : part->value - dx * part->x - dy * part->y;
}

bool measure_sequence_through(const struct measure_form *a, int64_t size_a,
                              const struct measure_form *b, int64_t size_b,
                              struct measure_sequence *sequence) {
    *sequence = (struct measure_sequence){.scheme = a->scheme, .count = a->count};
    for (unsigned i = 0; i < a->count; i++) {
        const struct measure_part *left = &a->parts[i], *right = &b->parts[i];
        bool geometric = left->is_geometric || right->is_geometric;
        if (!left->count || !right->count ||
            (geometric && (left->is_geometric != right->is_geometric)))
            return false;
        sequence->parts[i].is_geometric = geometric;
        sequence->parts[i].base =
            law_through(base_with(left, right), size_a, base_with(right, left), size_b);
        sequence->parts[i].dx =
            step_law(left->has_dx, left->dx, size_a, right->has_dx, right->dx, size_b);
        sequence->parts[i].dy =
            step_law(left->has_dy, left->dy, size_a, right->has_dy, right->dy, size_b);
    }
    return true;
}

bool measure_sequence_write(const struct measure_sequence *sequence, int64_t size, size_t count,
                            int64_t *values) {
    const struct measure_scheme *scheme = &sequence->scheme;
    struct measure_part parts[MEASURE_PARTS] = {0};
    size_t side = side_of(count);
    if ((scheme->square && side * side != count) ||
        (!scheme->square && count < (size_t)scheme->prefix + scheme->suffix))
        return false;
    for (unsigned i = 0; i < sequence->count; i++) {
        parts[i].is_geometric = sequence->parts[i].is_geometric;
        if (!law_value(&sequence->parts[i].base, size, &parts[i].base) ||
            !law_value(&sequence->parts[i].dx, size, &parts[i].dx) ||
            !law_value(&sequence->parts[i].dy, size, &parts[i].dy))
            return false;
    }
    for (size_t i = 0; i < count; i++) {
        struct place place = find_place(scheme, count, side, i);
        values[i] = value_at(&parts[place.part], place.x, place.y);
    }
    return true;
}

/* ---- in words ---- */

/* "2*n - 1" */
static void print_law(const struct measure_law *law, const char *size, struct base_buffer *out) {
    struct measure_rational slope = measure_rational(law->above, law->below);
    struct measure_rational rest = measure_subtract(
        measure_rational(law->at, 1), measure_multiply(slope, measure_rational(law->from, 1)));
    if (!slope.above) {
        base_buffer_print(out, "%" PRId64, law->at);
        return;
    }
    if (slope.above == -1 && slope.below == 1)
        base_buffer_print(out, "-");
    else if (slope.above != 1 || slope.below != 1) {
        measure_rational_print(slope, out);
        base_buffer_print(out, "*");
    }
    base_buffer_print(out, "%s", size);
    if (!rest.above)
        return;
    base_buffer_print(out, rest.above < 0 ? " - " : " + ");
    rest.above = rest.above < 0 ? -rest.above : rest.above;
    measure_rational_print(rest, out);
}

static bool is_constant_law(const struct measure_law *law, int64_t value) {
    return !law->above && law->at == value;
}

static void print_step(const struct measure_law *law, const char *size, const char *index,
                       struct base_buffer *out) {
    if (is_constant_law(law, 0))
        return;
    bool is_first = out->count && out->data[out->count - 1] == ' ';
    if (is_constant_law(law, 1) || is_constant_law(law, -1)) {
        base_buffer_print(out, "%s%s",
                          law->at < 0 ? (is_first ? "-" : " - ")
                          : is_first  ? ""
                                      : " + ",
                          index);
        return;
    }
    base_buffer_print(out, "%s", is_first ? "" : " + ");
    bool plain = !law->above;
    base_buffer_print(out, plain ? "" : "(");
    print_law(law, size, out);
    base_buffer_print(out, "%s*%s", plain ? "" : ")", index);
}

/* The position of a part: "[0]", "[last]", "[i]", "[2nd half, 1 of 2]". */
static void print_place(const struct measure_scheme *scheme, unsigned part,
                        struct base_buffer *out) {
    static const char *const of_square[] = {"below the diagonal", "on the diagonal",
                                            "above the diagonal", "next to the diagonal",
                                            "in the first column"};
    unsigned ends = scheme->prefix + scheme->suffix, rest = part - ends;
    if (scheme->square == 1)
        base_buffer_print(out, "[x][y]");
    else if (scheme->square)
        base_buffer_print(out, "[x][y] %s",
                          scheme->square == 4 && part == 3 ? "in the first row" : of_square[part]);
    else if (part < scheme->prefix)
        base_buffer_print(out, "[%u]", part);
    else if (part < ends)
        base_buffer_print(out, "[last%s%.0d]", part + 1 < ends ? "-" : "", (int)(ends - part - 1));
    else {
        base_buffer_print(out, "[%s%s", scheme->from_back ? "last-" : "",
                          ends || scheme->split || scheme->modulus > 1 ? "x" : "i");
        if (scheme->modulus > 1)
            base_buffer_print(out, "*%u+%u", scheme->modulus, rest % scheme->modulus);
        if (scheme->split)
            base_buffer_print(out, " of the %s half", rest < scheme->modulus ? "first" : "second");
        else if (ends)
            base_buffer_print(out, " of the rest");
        base_buffer_print(out, "]");
    }
}

static void print_value(const struct measure_sequence *sequence, unsigned part, const char *size,
                        bool is_char, struct base_buffer *out) {
    const struct measure_law *base = &sequence->parts[part].base;
    const struct measure_scheme *scheme = &sequence->scheme;
    bool is_plain = !scheme->square && !scheme->prefix && !scheme->suffix && !scheme->split &&
                    scheme->modulus == 1;
    const char *index = is_plain ? "i" : "x";
    bool constant = !base->above && is_constant_law(&sequence->parts[part].dx, 0) &&
                    is_constant_law(&sequence->parts[part].dy, 0);
    if (is_char && constant && base->at >= 32 && base->at < 127) {
        base_buffer_print(out, "'%c'", (int)base->at);
        return;
    }
    bool is_zero = is_constant_law(base, 0) && !constant && !sequence->parts[part].is_geometric;
    if (!is_zero)
        print_law(base, size, out);
    if (sequence->parts[part].is_geometric) {
        base_buffer_print(out, " * 2^%s", index);
        return;
    }
    print_step(&sequence->parts[part].dx, size, index, out);
    print_step(&sequence->parts[part].dy, size, "y", out);
}

void measure_sequence_print(const struct measure_sequence *sequence, const char *field,
                            const char *size, bool is_array, bool is_char,
                            struct base_buffer *out) {
    for (unsigned part = 0; part < sequence->count; part++) {
        base_buffer_print(out, "%s%s", part ? "; " : "", field);
        if (is_array)
            print_place(&sequence->scheme, part, out);
        base_buffer_print(out, " = ");
        print_value(sequence, part, size, is_char, out);
    }
}
