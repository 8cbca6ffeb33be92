/* SPDX-License-Identifier: Apache-2.0
 *
 * Which statement? Assignments to variables and memory, branches, loops with a bound, switches. A
 * statement is an item: it can be left out, and what is left still compiles.
 */
#include "exact/generate.h"

typedef void say_statement(struct exact_generator *g, uint32_t depth);

const char *exact_pick_variable(struct exact_generator *g) {
    return g->readable[exact_pick(g, g->writable_count)];
}

/* ---- assignments ---- */

static void say_assignment(struct exact_generator *g, uint32_t depth) {
    static const char *const operators[] = {"=", "=", "=", "+=", "-=", "^=", "|=", "*="};
    (void)depth;
    exact_say(g, "    %s %s ", exact_pick_variable(g),
              operators[exact_pick(g, BASE_COUNT(operators))]);
    exact_say_value(g, 2);
    exact_say(g, ";\n");
}

static void say_element_write(struct exact_generator *g) {
    static const char names[][3] = {"m1", "m2", "m4", "m8"};
    uint32_t table = exact_pick(g, BASE_COUNT(names));
    exact_say(g, "    p%u_%s[", g->number, names[table]);
    exact_say_masked(g, 1, table < 3 ? 15 : 7);
    exact_say(g, "] %s= ", exact_pick(g, 2) ? "" : "+");
}

static void say_unaligned_write(struct exact_generator *g) {
    static const char names[][3] = {"m1", "m2", "m8"};
    exact_say(g, "    store%u((uint8_t *)p%u_%s + ", 16u << exact_pick(g, 3), g->number,
              names[exact_pick(g, BASE_COUNT(names))]);
    exact_say_masked(g, 1, 7);
    exact_say(g, ", ");
    exact_say_value(g, 2);
    exact_say(g, ");\n");
}

static void say_member_write(struct exact_generator *g) {
    uint32_t n = g->number;
    if (exact_pick(g, 2)) {
        exact_say(g, "    p%u_s[", n);
        exact_say_masked(g, 1, 3);
        exact_say(g, "].%c = ", 'a' + exact_pick(g, 7));
    } else
        exact_say(g, "    p%u_u.%s = ", n,
                  (const char *const[]){"q", "b[3]", "h[1]", "w[1]", "c"}[exact_pick(g, 5)]);
}

static void say_struct_copy(struct exact_generator *g) {
    uint32_t n = g->number;
    exact_say(g, "    p%u_s[", n);
    exact_say_masked(g, 1, 3);
    exact_say(g, "] = p%u_s[", n);
    exact_say_masked(g, 1, 3);
    exact_say(g, "];\n");
}

static void say_memory(struct exact_generator *g, uint32_t depth) {
    (void)depth;
    switch (exact_pick(g, 6)) {
    case 0:
        say_unaligned_write(g);
        return;
    case 1:
        say_struct_copy(g);
        return;
    case 2:
    case 3:
        say_member_write(g);
        break;
    default:
        say_element_write(g);
    }
    exact_say_value(g, 2);
    exact_say(g, ";\n");
}

/* ---- pointers: each has four elements and more behind it ---- */

static void say_bytes(struct exact_generator *g) {
    static const char *const objects[] = {"m1", "k1"};
    uint32_t object = exact_pick(g, 8);
    if (object > 4) { /* plain addresses make a select of a choice */
        exact_say(g, "p%u_%s + %u", g->number, objects[object & 1], exact_pick(g, 2) * 3);
        return;
    }
    if (object == 4) {
        exact_say(g, "p%u_pt[", g->number);
        exact_say_masked(g, 1, 3);
        exact_say(g, "]");
        return;
    }
    if (object == 3)
        exact_say(g, "local + ");
    else if (object == 2)
        exact_say(g, "%s + 0 * ", exact_pick(g, 2) ? "p0" : "p1");
    else
        exact_say(g, "p%u_%s + ", g->number, objects[object]);
    exact_say_masked(g, 1, 7);
}

/* Constant objects, and now and then another. */
static void say_constants(struct exact_generator *g) {
    static const char *const objects[] = {"c1", "d1", "c1 + 2", "d1 + 5", "m1"};
    exact_say(g, "p%u_%s", g->number, objects[exact_pick(g, BASE_COUNT(objects))]);
    if (exact_pick(g, 3) == 0) {
        exact_say(g, " + ");
        exact_say_masked(g, 1, 7);
    }
}

static void say_words(struct exact_generator *g) {
    exact_say(g, "p%u_%s", g->number, exact_pick(g, 2) ? "m4" : "k4");
    if (exact_pick(g, 2))
        return;
    exact_say(g, " + ");
    exact_say_masked(g, 1, 7);
}

static void say_pointer_write(struct exact_generator *g) {
    exact_say(g, "    %s[", (const char *const[]){"p0", "p1", "q0", "q1"}[exact_pick(g, 4)]);
    exact_say_masked(g, 1, 3);
    exact_say(g, "] = ");
    exact_say_value(g, 2);
    exact_say(g, ";\n");
}

static void say_pointers(struct exact_generator *g, uint32_t depth) {
    static void (*const says[])(struct exact_generator *) = {say_bytes, say_words, say_constants};
    uint32_t kind = exact_pick(g, 4), which = exact_pick(g, 2);
    (void)depth;
    if (kind == 3) {
        say_pointer_write(g);
        return;
    }
    exact_say(g, "    %c%u = ", "pqr"[kind], which);
    if (exact_pick(g, 2)) {
        exact_say_value(g, 2);
        exact_say(g, " ? ");
        says[kind](g);
        exact_say(g, " : ");
    }
    says[kind](g);
    exact_say(g, ";\n");
}

/* ---- floats, library, heap, readers ---- */

static void say_floats(struct exact_generator *g, uint32_t depth) {
    static const char *const names[] = {"f0", "f1", "d0", "d1"};
    (void)depth;
    exact_say(g, "    %s = ", names[exact_pick(g, 4)]);
    exact_say_real(g, 2);
    exact_say(g, ";\n");
}

static void say_library(struct exact_generator *g, uint32_t depth) {
    (void)depth;
    exact_say_library(g);
}

static void say_foreign(struct exact_generator *g, uint32_t depth) {
    (void)depth;
    exact_say_foreign(g);
}

static void say_heap(struct exact_generator *g, uint32_t depth) {
    (void)depth;
    exact_say_heap(g);
}

static void say_reader(struct exact_generator *g, uint32_t depth) {
    (void)depth;
    exact_say_reader(g);
}

/* ---- control ---- */

static void say_if(struct exact_generator *g, uint32_t depth) {
    exact_say(g, "    if (");
    exact_say_value(g, 2);
    exact_say(g, ") {\n");
    exact_say_statements(g, 1 + exact_pick(g, 2), depth - 1);
    if (exact_pick(g, 2)) {
        exact_say(g, "    } else {\n");
        exact_say_statements(g, 1 + exact_pick(g, 2), depth - 1);
    }
    exact_say(g, "    }\n");
}

static void say_exit(struct exact_generator *g) {
    bool is_out = exact_item_begin(g);
    exact_say(g, "    if (");
    exact_say_value(g, 2);
    exact_say(g, ")\n        %s;\n", exact_pick(g, 2) ? "break" : "continue");
    exact_item_end(g, is_out);
}

static void say_body(struct exact_generator *g, uint32_t depth) {
    g->nested++;
    exact_say_statements(g, 1 + exact_pick(g, 2), depth - 1);
    if (exact_pick(g, 3) == 0)
        say_exit(g);
    g->nested--;
}

/* A counter that only the loop changes bounds it: below a mask, or down from a few. */
static void say_loop(struct exact_generator *g, uint32_t depth) {
    uint32_t counter = g->loops++;
    bool down = exact_pick(g, 3) == 0;
    exact_say(g,
              down ? "    for (uint32_t i%u = %u; i%u && " : "    for (uint32_t i%u = %u; i%u < ",
              counter, down ? 2 + exact_pick(g, 4) : exact_pick(g, 2), counter);
    if (down)
        exact_say_value(g, 2);
    else
        exact_say_masked(g, 2, g->nested || exact_pick(g, 2) ? 3 : 7);
    exact_say(g, "; i%u%s) {\n", counter, down ? "--" : "++");
    bool is_named = g->readable_count < EXACT_NAMES;
    if (is_named)
        snprintf(g->readable[g->readable_count++], sizeof *g->readable, "i%u", counter % 1000);
    say_body(g, depth);
    g->readable_count -= is_named;
    exact_say(g, "    }\n");
}

static void say_switch(struct exact_generator *g, uint32_t depth) {
    uint32_t count = 2 + exact_pick(g, 3), label = exact_pick(g, 4), step = 1 + exact_pick(g, 9);
    exact_say(g, "    switch (");
    if (exact_pick(g, 2))
        exact_say_masked(g, 2, 15);
    else {
        exact_say(g, "(%s)(", exact_pick_type(g)->name);
        exact_say_value(g, 2);
        exact_say(g, ")");
    }
    exact_say(g, ") {\n");
    for (uint32_t i = 0; i < count; i++) {
        if (i + 1 == count && exact_pick(g, 2))
            exact_say(g, "    default:\n");
        else
            exact_say(g, "    case %u:\n", label + i * step);
        if (exact_pick(g, 5))
            exact_say_statements(g, 1, depth - 1);
        exact_say(g, "%s", exact_pick(g, 3) ? "        break;\n" : "        ;\n");
    }
    exact_say(g, "    }\n");
}

/* A question, alone or in a loop that turns as often whatever the answer is. */
static void say_again(struct exact_generator *g, uint32_t depth) {
    bool is_loop = g->nested < EXACT_LOOPS && exact_pick(g, 3);
    uint32_t counter = g->loops;
    if (is_loop)
        exact_say(g, "    for (uint32_t i%u = 0; i%u < %u; i%u++) {\n", counter, counter,
                  1 + exact_pick(g, 9), counter);
    g->loops += is_loop;
    g->nested += is_loop;
    exact_say(g, "    if (p%u_q%u(in) %s %u) {\n", g->number, exact_pick(g, EXACT_QUESTIONS),
              (const char *const[]){"==", ">", "&"}[exact_pick(g, 3)], exact_pick(g, 8));
    exact_say_statements(g, 1, depth - 1);
    exact_say(g, "    }\n");
    g->nested -= is_loop;
    if (is_loop)
        exact_say(g, "    }\n");
}

/* ---- any statement ---- */

static const struct {
    say_statement *say;
    enum exact_feature feature;
    uint32_t weight;
    bool in_helper, is_nest;
} statements[] = {
    {say_assignment, EXACT_BASE, 6, true, false},  {say_if, EXACT_BASE, 6, true, true},
    {say_loop, EXACT_BASE, 3, true, true},         {say_switch, EXACT_BASE, 2, true, true},
    {say_memory, EXACT_MEMORY, 7, true, false},    {say_pointers, EXACT_POINTERS, 7, false, false},
    {say_floats, EXACT_FLOAT, 7, false, false},    {say_library, EXACT_LIBRARY, 6, false, false},
    {say_foreign, EXACT_FOREIGN, 6, false, false}, {say_heap, EXACT_HEAP, 6, false, false},
    {say_reader, EXACT_STDIN, 7, false, false},    {say_reader, EXACT_FILE, 7, false, false},
    {say_again, EXACT_AGAIN, 12, false, true}};

static bool fits(const struct exact_generator *g, size_t i, uint32_t depth) {
    return (!g->is_helper || statements[i].in_helper) && exact_has(g, statements[i].feature) &&
           (depth || !statements[i].is_nest) &&
           (statements[i].say != say_loop || g->nested < (g->is_helper ? 1 : EXACT_LOOPS));
}

static say_statement *pick_statement(struct exact_generator *g, uint32_t depth) {
    uint32_t total = 0;
    for (size_t i = 0; i < BASE_COUNT(statements); i++)
        total += fits(g, i, depth) ? statements[i].weight : 0;
    uint32_t at = exact_pick(g, total);
    for (size_t i = 0;; i++)
        if (fits(g, i, depth)) {
            if (at < statements[i].weight)
                return statements[i].say;
            at -= statements[i].weight;
        }
}

void exact_say_statements(struct exact_generator *g, uint32_t count, uint32_t depth) {
    for (uint32_t i = 0; i < count; i++) {
        bool is_out = exact_item_begin(g);
        pick_statement(g, depth)(g, depth);
        exact_item_end(g, is_out);
    }
}
