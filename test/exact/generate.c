/* SPDX-License-Identifier: Apache-2.0
 *
 * The frame of a random program: random numbers, numbered items, its tables and functions, the
 * module around many of them. What is not used by the program's text is not written.
 */
#include "exact/generate.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- random numbers ---- */

static uint64_t next_random(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint32_t exact_pick(struct exact_generator *g, uint32_t count) {
    return (uint32_t)(next_random(&g->state) % count);
}

bool exact_has(const struct exact_generator *g, enum exact_feature feature) {
    return g->program->features >> feature & 1u;
}

const struct exact_type *exact_pick_type(struct exact_generator *g) {
    static const struct exact_type types[] = {
        {"uint8_t", 8, false},   {"int8_t", 8, true},     {"uint16_t", 16, false},
        {"int16_t", 16, true},   {"uint32_t", 32, false}, {"int32_t", 32, true},
        {"uint64_t", 64, false}, {"int64_t", 64, true},   {"_Bool", 1, false}};
    return &types[exact_pick(g, 2 * BASE_COUNT(types) - 1) / 2];
}

/* ---- the domain ---- */

uint64_t exact_domain_size(const struct exact_domain *domain) {
    uint64_t size = 1;
    for (uint32_t i = 0; i < domain->bytes; i++)
        size *= domain->high - domain->low + 1;
    return size;
}

/* A fresh process for each input makes programs that read slow: fewer inputs, and among them
 * newlines or digits. */
struct exact_domain exact_choose_domain(const struct exact_program *program) {
    static const struct exact_domain few[] = {{1, 0, 255}, {2, 0, 15}, {2, 5, 20},
                                              {2, 44, 59}, {3, 8, 13}, {3, 9, 12}};
    static const struct exact_domain many[] = {
        {1, 0, 255},  {2, 0, 63}, {2, 32, 95}, {2, 48, 111}, {2, 96, 159},  {2, 192, 255},
        {2, 40, 103}, {3, 0, 15}, {3, 44, 59}, {3, 96, 103}, {3, 240, 255}, {2, 0, 255}};
    uint64_t state = program->seed ^ 0x646f6d61696eu;
    uint64_t number = next_random(&state);
    return EXACT_READS(program->features) ? few[number % BASE_COUNT(few)]
                                          : many[number % (2 * BASE_COUNT(many) - 1) / 2];
}

/* ---- numbered items ---- */

void exact_say(struct exact_generator *g, const char *format, ...) {
    va_list list;
    char text[1024];
    if (g->muted)
        return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    base_buffer_add(g->out, text, strlen(text));
}

bool exact_item_begin(struct exact_generator *g) {
    uint32_t item = g->item++;
    bool is_out = item < g->program->without_count && g->program->without[item];
    g->muted += is_out;
    return is_out;
}

void exact_item_end(struct exact_generator *g, bool is_out) {
    g->muted -= is_out;
}

/* ---- tables, structs, unions ---- */

static void say_table(struct exact_generator *g, const char *name, const char *type, uint32_t count,
                      const char *qualifier) {
    exact_say(g, "static %s%s p%u_%s[%u] = {", qualifier, type, g->number, name, count);
    for (uint32_t i = 0; i < count; i++)
        exact_say(g, "%s%u", i ? ", " : "",
                  exact_pick(g, 3) ? exact_pick(g, 256) : exact_pick(g, 65536));
    exact_say(g, "};\n");
}

static void say_sorted(struct exact_generator *g) {
    uint32_t value = 0;
    exact_say(g, "static const uint32_t p%u_sorted[8] = {", g->number);
    for (uint32_t i = 0; i < 8; i++)
        exact_say(g, "%s%u", i ? ", " : "", value += 1 + exact_pick(g, 40));
    exact_say(g, "};\n");
}

static void say_struct(struct exact_generator *g) {
    uint32_t n = g->number;
    exact_say(g, "struct p%u_struct {\n    int32_t a : %u;\n    uint32_t b : %u;\n", n,
              2 + exact_pick(g, 30), 1 + exact_pick(g, 31));
    exact_say(g, "    _Bool c : 1;\n    int64_t d : %u;\n    uint8_t e;\n    int16_t f;\n",
              2 + exact_pick(g, 60));
    exact_say(g, "    uint64_t g : %u;\n};\n", 1 + exact_pick(g, 63));
    exact_say(g, "static struct p%u_struct p%u_s[4] = {{1, 2, 1, 3, 4, 5, 6}, {0}, {-1, 1}};\n", n,
              n);
}

static void say_union(struct exact_generator *g) {
    uint32_t n = g->number;
    exact_say(g,
              "static union {\n    uint8_t b[8];\n    int16_t h[4];\n    uint32_t w[2];\n"
              "    uint64_t q;\n    int8_t c;\n} p%u_u = {.q = %u};\n",
              n, exact_pick(g, 1u << 30));
}

/* Each declaration goes into PARTS, named by what it declares. */
struct part {
    char name[16];
    struct base_buffer text;
};
typedef BASE_VECTOR(struct part) part_list;

static void begin_part(struct exact_generator *g, part_list *parts, const char *name) {
    base_push(parts, (struct part){{0}, {0}});
    struct part *part = &parts->data[parts->count - 1];
    snprintf(part->name, sizeof part->name, "p%u_%s", g->number, name);
    g->out = &part->text;
    base_buffer_add(g->out, "", 0);
}

static void add_data(struct exact_generator *g, part_list *parts) {
    static const struct {
        const char *name, *type;
        uint32_t count;
        const char *qualifier;
    } tables[] = {{"c1", "uint8_t", 16, "const "},  {"c2", "int16_t", 16, "const "},
                  {"c4", "uint32_t", 16, "const "}, {"c8", "uint64_t", 8, "const "},
                  {"m1", "uint8_t", 16, ""},        {"m2", "uint16_t", 16, ""},
                  {"m4", "int32_t", 16, ""},        {"m8", "uint64_t", 8, ""},
                  {"k1", "uint8_t", 16, ""},        {"d1", "uint8_t", 16, "const "},
                  {"k4", "int32_t", 16, ""}};
    for (size_t i = 0; i < BASE_COUNT(tables); i++) {
        begin_part(g, parts, tables[i].name);
        say_table(g, tables[i].name, tables[i].type, tables[i].count, tables[i].qualifier);
    }
    begin_part(g, parts, "sorted");
    say_sorted(g);
    begin_part(g, parts, "s");
    say_struct(g);
    begin_part(g, parts, "u");
    say_union(g);
}

static void add_pointer_table(struct exact_generator *g, part_list *parts) {
    uint32_t n = g->number;
    begin_part(g, parts, "pt");
    exact_say(g, "static uint8_t *const p%u_pt[4] = {", n);
    for (uint32_t i = 0; i < 4; i++)
        exact_say(g, "%sp%u_%s + %u", i ? ", " : "", n, exact_pick(g, 2) ? "m1" : "k1",
                  exact_pick(g, 8));
    exact_say(g, "};\n");
}

/* ---- functions ---- */

static void may_use(struct exact_generator *g, const char *const *names, uint32_t count,
                    uint32_t writable) {
    g->readable_count = count;
    g->writable_count = writable;
    for (uint32_t i = 0; i < count; i++)
        snprintf(g->readable[i], sizeof g->readable[i], "%s", names[i]);
}

static void add_helper(struct exact_generator *g, part_list *parts, uint32_t number) {
    static const char *const names[] = {"r", "a", "b"};
    char name[8];
    snprintf(name, sizeof name, "h%u", number);
    begin_part(g, parts, name);
    may_use(g, names, 3, 3);
    exact_say(
        g, "static uint32_t p%u_h%u(uint32_t a, uint32_t b) {\n    uint32_t r = a;\n    (void)b;\n",
        g->number, number);
    exact_say_statements(g, 1, 1);
    exact_say(g, "    return r;\n}\n");
    g->helpers++;
}

static void add_recursion(struct exact_generator *g, part_list *parts) {
    static const char *const names[] = {"r", "a", "n"};
    uint32_t n = g->number;
    begin_part(g, parts, "rec");
    may_use(g, names, 3, 2);
    exact_say(g, "static uint32_t p%u_rec(uint32_t n, uint32_t a) {\n    uint32_t r = n;\n", n);
    exact_say(g, "    if (n == 0)\n        return a;\n    if (");
    exact_say_value(g, 2);
    exact_say(g, ")\n        return p%u_rec(n - 1, ", n);
    exact_say_value(g, 1);
    exact_say(g, ");\n");
    exact_say_statements(g, 1, 1);
    exact_say(g, "    return r + p%u_rec(n / 2, ", n);
    exact_say_value(g, 1);
    exact_say(g, ");\n}\n");
}

static void add_function_table(struct exact_generator *g, part_list *parts) {
    uint32_t n = g->number;
    begin_part(g, parts, "fn");
    exact_say(g, "static uint32_t (*const p%u_fn[4])(uint32_t, uint32_t) = {", n);
    for (uint32_t i = 0; i < 4; i++)
        exact_say(g, "%sp%u_h%u", i ? ", " : "", n, exact_pick(g, 3));
    exact_say(g, "};\n");
}

/* Asked before a loop and in it, in several functions, the same is decided only once. */
static void add_question(struct exact_generator *g, part_list *parts, uint32_t number) {
    static const char *const names[] = {"in[0]", "in[1]", "in[2]"};
    char name[8];
    snprintf(name, sizeof name, "q%u", number);
    begin_part(g, parts, name);
    may_use(g, names, g->domain.bytes, 0);
    exact_say(g, "static uint32_t p%u_q%u(const uint8_t *in) {\n    return ", g->number, number);
    exact_say_value(g, 2);
    exact_say(g, ";\n}\n");
}

static void say_start_value(struct exact_generator *g, uint32_t i) {
    if (EXACT_READS(g->program->features) || i >= g->domain.bytes)
        exact_say_constant(g);
    else
        exact_say(g, "in[%u]", i);
}

static void say_locals(struct exact_generator *g) {
    uint32_t n = g->number;
    for (uint32_t i = 0; i < EXACT_VARIABLES; i++) {
        exact_say(g, "    %s v%u = ", exact_pick_type(g)->name, i);
        say_start_value(g, i);
        exact_say(g, ";\n");
    }
    if (exact_has(g, EXACT_POINTERS))
        exact_say(g,
                  "    uint8_t *p0 = p%u_m1, *p1 = p%u_k1 + 4, local[16] = {1, 2, 3};\n"
                  "    int32_t *q0 = p%u_m4, *q1 = p%u_k4 + 2;\n"
                  "    const uint8_t *r0 = p%u_c1, *r1 = p%u_d1;\n"
                  "    (void)p0, (void)p1, (void)q0, (void)q1, (void)r0, (void)r1, (void)local;\n",
                  n, n, n, n, n, n);
    if (exact_has(g, EXACT_FLOAT)) {
        static const char *const names[] = {"float f0", "float f1", "double d0", "double d1"};
        for (uint32_t i = 0; i < 4; i++) {
            exact_say(g, "    %s = (float)(", names[i]);
            say_start_value(g, i);
            exact_say(g, ") * %u.%u;\n", exact_pick(g, 4), exact_pick(g, 100));
        }
        exact_say(g, "    (void)f0, (void)f1, (void)d0, (void)d1;\n");
    }
    if (exact_has(g, EXACT_LIBRARY) || exact_has(g, EXACT_FOREIGN)) {
        exact_say(g, "    char s[24] = {(char)(");
        say_start_value(g, 0);
        exact_say(g, "), (char)(");
        say_start_value(g, 1);
        exact_say(
            g, "), '%c', 'b'}, t[24] = \"%s\";\n    (void)s, (void)t;\n", "a1 ," [exact_pick(g, 4)],
            (const char *const[]) { "a", "12", "b,c", "-7x" }[exact_pick(g, 4)]);
    }
}

/* What was computed must matter: a wrong value takes another path. */
static void say_sinks(struct exact_generator *g) {
    for (uint32_t i = 0; i < 2; i++) {
        bool is_out = exact_item_begin(g);
        uint32_t mask = (2u << exact_pick(g, 4)) - 1;
        exact_say(g, "    if (((uint32_t)(%s) >> %u & %u) %s %u)\n", exact_pick_variable(g),
                  exact_pick(g, 5), mask, exact_pick(g, 2) ? "==" : "<", exact_pick(g, mask + 1));
        exact_say(g, "        %s = %u;\n", exact_pick_variable(g), exact_pick(g, 100));
        exact_item_end(g, is_out);
    }
}

static void add_run(struct exact_generator *g, part_list *parts) {
    static const char *const names[] = {"v0", "v1",    "v2",    "v3",   "v4",
                                        "v5", "in[0]", "in[1]", "in[2]"};
    bool reads = EXACT_READS(g->program->features);
    begin_part(g, parts, "run");
    may_use(g, names, EXACT_VARIABLES + (reads ? 0 : g->domain.bytes), EXACT_VARIABLES);
    exact_say(g, "static void p%u_run(%s) {\n", g->number,
              reads ? "FILE *file, int fd" : "const uint8_t *in");
    exact_say(g, "    (void)%s;\n", reads ? "file, (void)fd" : "in");
    say_locals(g);
    if (reads)
        exact_say_reader(g);
    exact_say_statements(g, 2 + exact_pick(g, 4), exact_pick(g, 4) ? 2 : 3);
    say_sinks(g);
    for (uint32_t i = 0; i < EXACT_VARIABLES; i++)
        exact_say(g, "%s(void)v%u%s", i ? ", " : "    ", i, i + 1 < EXACT_VARIABLES ? "" : ";\n");
    exact_say(g, "}\n");
}

/* ---- programs and modules ---- */

/* Is the part named by any that comes after it and is needed? */
static bool is_needed(const part_list *parts, size_t index, const bool *needed) {
    const char *name = parts->data[index].name;
    size_t length = strlen(name);
    for (size_t i = index + 1; i < parts->count; i++)
        if (needed[i])
            for (const char *at = parts->data[i].text.data; (at = strstr(at, name)); at++)
                if (!strchr("0123456789abcdefghijklmnopqrstuvwxyz_", at[length]))
                    return true;
    return index + 1 == parts->count;
}

static void join_parts(part_list *parts, struct base_buffer *source) {
    bool *needed = base_alloc(parts->count * sizeof *needed);
    for (size_t i = parts->count; i-- > 0;)
        needed[i] = is_needed(parts, i, needed);
    for (size_t i = 0; i < parts->count; i++) {
        if (needed[i])
            base_buffer_add(source, parts->data[i].text.data, parts->data[i].text.count);
        base_buffer_done(&parts->data[i].text);
    }
    free(needed);
    base_vector_done(parts);
}

uint32_t exact_write_program(const struct exact_program *program, uint32_t number,
                             struct base_buffer *source) {
    struct exact_generator g = {.program = program,
                                .number = number,
                                .state = program->seed,
                                .domain = exact_choose_domain(program)};
    part_list parts = {0};
    add_data(&g, &parts);
    add_pointer_table(&g, &parts);
    g.is_helper = true;
    for (uint32_t i = 0; i < 3; i++)
        add_helper(&g, &parts, i);
    add_recursion(&g, &parts);
    add_function_table(&g, &parts);
    for (uint32_t i = 0; exact_has(&g, EXACT_AGAIN) && i < EXACT_QUESTIONS; i++)
        add_question(&g, &parts, i);
    g.is_helper = false;
    g.loops = 0;
    add_run(&g, &parts);
    base_buffer_print(source, "\n");
    join_parts(&parts, source);
    return g.item;
}

static const char prelude[] =
    "/* SPDX-License-Identifier: Apache-2.0 */\n"
    "#define _GNU_SOURCE\n"
    "#include <ctype.h>\n#include <fcntl.h>\n#include <fnmatch.h>\n#include <getopt.h>\n"
    "#include <regex.h>\n#include <search.h>\n#include <wctype.h>\n#include <slowpath.h>\n#include "
    "<stdint.h>\n"
    "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n#include "
    "<wchar.h>\n\n"
    "#define UNUSED __attribute__((unused))\n"
    "#define ACCESS(type, bits)                                                        \\\n"
    "    UNUSED static type load##bits(const void *from) {                             \\\n"
    "        type value;                                                               \\\n"
    "        memcpy(&value, from, sizeof value);                                       \\\n"
    "        return value;                                                             \\\n"
    "    }                                                                             \\\n"
    "    UNUSED static void store##bits(void *to, type value) {                        \\\n"
    "        memcpy(to, &value, sizeof value);                                         \\\n"
    "    }\n"
    "ACCESS(uint16_t, 16)\nACCESS(uint32_t, 32)\nACCESS(uint64_t, 64)\n"
    "UNUSED static int32_t whole(double value) {\n"
    "    return value > -1e6 && value < 1e6 ? (int32_t)value : 7;\n}\n";

static const char harness[] = "\nint LLVMFuzzerTestOneInput(const uint8_t *in, size_t size) {\n"
                              "    (void)size;\n";
static const char entered[] = "\nint enter(const uint8_t *in, int program) {\n";
static const char program_main[] =
    "\nint main(int count, char **words) {\n"
    "    FILE *file = stdin;\n    int fd = 0;\n"
    "    if (count > 1) {\n"
    "        file = fopen(words[1], \"r\");\n        fd = open(words[1], O_RDONLY);\n"
    "        if (!file || fd < 0)\n            return 1;\n    }\n";

void exact_write_module(const struct exact_program *programs, uint32_t count,
                        struct base_buffer *source) {
    bool reads = EXACT_READS(programs->features);
    base_buffer_print(source, "%s%s%s", prelude, exact_library_prelude, exact_reader_prelude);
    for (uint32_t i = 0; i < count; i++)
        exact_write_program(&programs[i], i, source);
    bool is_entry = EXACT_HAS(programs->features, ENTRY);
    base_buffer_print(source, "%s    switch (%s) {\n",
                      reads      ? program_main
                      : is_entry ? entered
                                 : harness,
                      is_entry ? "program" : "slowpath_size(\"program\")");
    for (uint32_t i = 0; i < count; i++)
        base_buffer_print(source, "    case %u:\n        p%u_run(%s);\n        break;\n", i, i,
                          reads ? "file, fd" : "in");
    base_buffer_print(source, "    }\n    return 0;\n}\n");
}
