/* SPDX-License-Identifier: Apache-2.0
 *
 * Which value? Random expressions of C: integers of all widths, reads of memory, calls, floats.
 * Shifts, divisions, indexes and conversions are bounded where C leaves them undefined.
 */
#include "exact/generate.h"

typedef void say_value(struct exact_generator *g, uint32_t depth);

/* ---- leaves ---- */

void exact_say_constant(struct exact_generator *g) {
    static const char *const odd[] = {
        "-1",    "0x80",       "0x7f", "255",     "256",
        "65535", "0x80000000", "-128", "1000003", "0x0101010101010101"};
    if (exact_pick(g, 4))
        exact_say(g, "%u", exact_pick(g, exact_pick(g, 2) ? 8 : 128));
    else
        exact_say(g, "%s", odd[exact_pick(g, BASE_COUNT(odd))]);
}

static void say_leaf(struct exact_generator *g) {
    if (exact_pick(g, 4) == 0)
        exact_say_constant(g);
    else
        exact_say(g, "%s", g->readable[exact_pick(g, g->readable_count)]);
}

void exact_say_masked(struct exact_generator *g, uint32_t depth, uint32_t mask) {
    exact_say(g, "((");
    exact_say_value(g, depth);
    exact_say(g, ") & %u)", mask);
}

/* (TYPE)(value) */
static void say_cast(struct exact_generator *g, const struct exact_type *type, uint32_t depth) {
    exact_say(g, "(%s)(", type->name);
    exact_say_value(g, depth);
    exact_say(g, ")");
}

/* ---- arithmetic ---- */

static void say_binary(struct exact_generator *g, uint32_t depth) {
    static const char *const operators[] = {"+", "-", "*", "&", "|", "^", "+", "-"};
    const struct exact_type *type = exact_pick_type(g);
    exact_say(g, "(");
    say_cast(g, type, depth);
    exact_say(g, " %s ", operators[exact_pick(g, BASE_COUNT(operators))]);
    say_cast(g, exact_pick(g, 3) ? type : exact_pick_type(g), depth);
    exact_say(g, ")");
}

static void say_compare(struct exact_generator *g, uint32_t depth) {
    static const char *const operators[] = {"<", "<=", ">", ">=", "==", "!="};
    const struct exact_type *type = exact_pick_type(g);
    exact_say(g, "(");
    say_cast(g, type, depth);
    exact_say(g, " %s ", operators[exact_pick(g, BASE_COUNT(operators))]);
    say_cast(g, exact_pick(g, 3) ? type : exact_pick_type(g), depth);
    exact_say(g, ")");
}

static void say_shift(struct exact_generator *g, uint32_t depth) {
    const struct exact_type *type = exact_pick_type(g);
    exact_say(g, "(");
    say_cast(g, type, depth);
    exact_say(g, " %s ", exact_pick(g, 2) ? "<<" : ">>");
    exact_say_masked(g, depth, type->bits < 32 ? 31 : type->bits - 1);
    exact_say(g, ")");
}

/* The divisor is positive: 1 to 16, or odd. */
static void say_division(struct exact_generator *g, uint32_t depth) {
    const struct exact_type *type = exact_pick_type(g);
    exact_say(g, "(");
    say_cast(g, type, depth);
    exact_say(g, " %s ", exact_pick(g, 2) ? "/" : "%");
    if (type->is_signed && exact_pick(g, 3) == 0)
        exact_say(g, "-%u)", 2 + exact_pick(g, 9));
    else if (type->is_signed || type->bits == 1) {
        exact_say(g, "(%s)(", type->name);
        exact_say_masked(g, depth, type->bits == 1 ? 0 : 15);
        exact_say(g, " + 1))");
    } else {
        exact_say(g, "(%s)((", type->name);
        exact_say_value(g, depth);
        exact_say(g, ") | 1))");
    }
}

static void say_unary(struct exact_generator *g, uint32_t depth) {
    exact_say(g, "(%s", (const char *const[]){"-", "~", "!"}[exact_pick(g, 3)]);
    say_cast(g, exact_pick_type(g), depth);
    exact_say(g, ")");
}

static void say_logic(struct exact_generator *g, uint32_t depth) {
    exact_say(g, "(");
    exact_say_value(g, depth);
    exact_say(g, " %s ", exact_pick(g, 2) ? "&&" : "||");
    exact_say_value(g, depth);
    exact_say(g, ")");
}

static void say_choice(struct exact_generator *g, uint32_t depth) {
    exact_say(g, "(");
    exact_say_value(g, depth);
    exact_say(g, " ? ");
    say_cast(g, exact_pick_type(g), depth);
    exact_say(g, " : ");
    say_cast(g, exact_pick_type(g), depth);
    exact_say(g, ")");
}

static void say_conversion(struct exact_generator *g, uint32_t depth) {
    exact_say(g, "(");
    say_cast(g, exact_pick_type(g), depth);
    exact_say(g, ")");
}

/* ---- memory ---- */

static void say_element(struct exact_generator *g, uint32_t depth) {
    static const char names[][3] = {"c1", "c2", "c4", "m1", "m2", "m4", "c8", "m8"};
    uint32_t table = exact_pick(g, BASE_COUNT(names));
    exact_say(g, "p%u_%s[", g->number, names[table]);
    exact_say_masked(g, depth, table < 6 ? 15 : 7);
    exact_say(g, "]");
}

/* Reads that lie across elements; the tables hold 16 bytes and more. */
static void say_unaligned(struct exact_generator *g, uint32_t depth) {
    static const char names[][3] = {"c1", "m1", "c2", "m4", "m8"};
    exact_say(g, "load%u((const uint8_t *)p%u_%s + ", 16u << exact_pick(g, 3), g->number,
              names[exact_pick(g, BASE_COUNT(names))]);
    exact_say_masked(g, depth, 7);
    exact_say(g, ")");
}

static void say_member(struct exact_generator *g, uint32_t depth) {
    exact_say(g, "p%u_s[", g->number);
    exact_say_masked(g, depth, 3);
    exact_say(g, "].%c", 'a' + exact_pick(g, 7));
}

static void say_union_member(struct exact_generator *g, uint32_t depth) {
    static const struct {
        const char *text;
        uint32_t mask;
    } members[] = {{"b", 7}, {"h", 3}, {"w", 1}, {"q", 0}, {"c", 0}};
    uint32_t member = exact_pick(g, BASE_COUNT(members));
    exact_say(g, "p%u_u.%s", g->number, members[member].text);
    if (members[member].mask) {
        exact_say(g, "[");
        exact_say_masked(g, depth, members[member].mask);
        exact_say(g, "]");
    }
}

static void say_pointee(struct exact_generator *g, uint32_t depth) {
    static const char *const pointers[] = {"p0", "p1", "q0", "q1", "r0", "r1"};
    switch (exact_pick(g, 5)) {
    case 0:
        exact_say(g, "*%s", pointers[exact_pick(g, 6)]);
        break;
    case 1:
        exact_say(g, "(%s)", exact_pick(g, 2) ? "p0 == p1" : "q0 == q1");
        break;
    default:
        exact_say(g, "%s[", pointers[exact_pick(g, 6)]);
        exact_say_masked(g, depth, 3);
        exact_say(g, "]");
    }
}

/* ---- calls ---- */

static void say_call(struct exact_generator *g, uint32_t depth) {
    uint32_t kind = exact_pick(g, 4), n = g->number;
    if (g->is_helper) /* only those before this one: nothing calls itself without end */
        exact_say(g, "p%u_h%u(", n, g->helpers ? exact_pick(g, g->helpers) : 0);
    else if (kind == 0) {
        exact_say(g, "p%u_rec(", n);
        exact_say_masked(g, depth, exact_pick(g, 2) ? 3 : 7);
        exact_say(g, ", ");
        exact_say_value(g, depth);
        exact_say(g, ")");
        return;
    } else if (kind == 1 && exact_pick(g, 2)) {
        exact_say(g, "(");
        exact_say_value(g, depth);
        exact_say(g, " ? p%u_h0 : p%u_h%u)(", n, n, 1 + exact_pick(g, 2));
    } else if (kind == 1) {
        exact_say(g, "p%u_fn[", n);
        exact_say_masked(g, depth, 3);
        exact_say(g, "](");
    } else
        exact_say(g, "p%u_h%u(", n, exact_pick(g, 3));
    exact_say_value(g, depth);
    exact_say(g, ", ");
    exact_say_value(g, depth);
    exact_say(g, ")");
}

/* ---- floats ---- */

void exact_say_real(struct exact_generator *g, uint32_t depth) {
    static const char *const names[] = {"f0", "f1", "d0", "d1"};
    bool is_out = depth && exact_item_begin(g);
    if (!depth || exact_pick(g, 4) == 0) {
        if (exact_pick(g, 5) == 0)
            exact_say(g, "%u.%u%s", exact_pick(g, 40), exact_pick(g, 100),
                      exact_pick(g, 2) ? "f" : "");
        else
            exact_say(g, "%s", names[exact_pick(g, 4)]);
    } else if (exact_pick(g, 4) == 0) {
        exact_say(g, "(%s)", exact_pick(g, 2) ? "float" : "double");
        say_cast(g, exact_pick_type(g), depth - 1);
    } else if (exact_pick(g, 5) == 0) {
        exact_say(g, "-(");
        exact_say_real(g, depth - 1);
        exact_say(g, ")");
    } else {
        exact_say(g, "(");
        exact_say_real(g, depth - 1);
        exact_say(g, " %c ", "+-*+-*/"[exact_pick(g, 7)]);
        exact_say_real(g, depth - 1);
        exact_say(g, ")");
    }
    if (depth) {
        exact_item_end(g, is_out);
        exact_say(g, "%s", is_out ? "1.5" : "");
    }
}

static void say_real_value(struct exact_generator *g, uint32_t depth) {
    static const char *const operators[] = {"<", "<=", ">", ">=", "==", "!="};
    if (exact_pick(g, 3)) {
        exact_say(g, "(");
        exact_say_real(g, depth);
        exact_say(g, " %s ", operators[exact_pick(g, BASE_COUNT(operators))]);
        exact_say_real(g, depth);
        exact_say(g, ")");
    } else {
        exact_say(g, "whole(");
        exact_say_real(g, depth);
        exact_say(g, ")");
    }
}

/* ---- any value ---- */

static const struct {
    say_value *say;
    enum exact_feature feature;
    uint32_t weight;
    bool in_helper;
} values[] = {
    {say_binary, EXACT_BASE, 6, true},         {say_compare, EXACT_BASE, 4, true},
    {say_shift, EXACT_BASE, 2, true},          {say_division, EXACT_BASE, 2, true},
    {say_unary, EXACT_BASE, 2, true},          {say_logic, EXACT_BASE, 2, true},
    {say_choice, EXACT_BASE, 2, true},         {say_conversion, EXACT_BASE, 2, true},
    {say_call, EXACT_BASE, 2, true},           {say_element, EXACT_MEMORY, 4, true},
    {say_unaligned, EXACT_MEMORY, 2, true},    {say_member, EXACT_MEMORY, 3, true},
    {say_union_member, EXACT_MEMORY, 2, true}, {say_pointee, EXACT_POINTERS, 6, false},
    {say_real_value, EXACT_FLOAT, 6, false},   {exact_say_library_value, EXACT_LIBRARY, 7, false}};

static say_value *pick_value(struct exact_generator *g) {
    uint32_t total = 0;
    bool helper = g->is_helper;
#define FITS(i) ((!helper || values[i].in_helper) && exact_has(g, values[i].feature))
    for (size_t i = 0; i < BASE_COUNT(values); i++)
        total += FITS(i) ? values[i].weight : 0;
    uint32_t at = exact_pick(g, total);
    for (size_t i = 0;; i++)
        if (FITS(i)) {
            if (at < values[i].weight)
                return values[i].say;
            at -= values[i].weight;
        }
#undef FITS
}

void exact_say_value(struct exact_generator *g, uint32_t depth) {
    if (!depth || exact_pick(g, 5) == 0) {
        say_leaf(g);
        return;
    }
    bool is_out = exact_item_begin(g);
    say_value *say = pick_value(g);
    if (say == say_call && g->is_helper && !g->helpers)
        say = say_binary; /* there is none before the first */
    say(g, depth - 1);
    exact_item_end(g, is_out);
    exact_say(g, "%s", is_out ? "1" : "");
}
