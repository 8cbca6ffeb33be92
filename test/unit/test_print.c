/* SPDX-License-Identifier: Apache-2.0
 *
 * Does the printed C mean what the expression means, and is it what a person would write? Random
 * expressions of all operations and widths, conjunctions and sums are printed into one C file,
 * which is compiled and run on random inputs; its values must be those of the evaluator. Shifts,
 * divisions and look-ups that C does not define end the program. The forms themselves are written
 * down below.
 */
#include "expr/expr.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formula.h"

#define EXPRESSIONS 300
#define CONJUNCTIONS 150
#define SUMS 150
#define INPUTS 40
#define BYTES 16

/* ---- random expressions ---- */

static uint32_t tree(struct formula *f, unsigned width, unsigned depth);

static uint32_t leaf(struct formula *f, unsigned width) {
    if (width % 8 || !formula_pick(f, 5))
        return formula_constant(f, width);
    return expr_make_input(f->pool, width, formula_pick(f, BYTES + 1 - width / 8));
}

static unsigned any_width(struct formula *f) {
    return formula_pick(f, 3) ? 8u << formula_pick(f, 4) : 1 + formula_pick(f, 64);
}

static uint32_t cast(struct formula *f, unsigned width, unsigned depth) {
    unsigned other = any_width(f), low = width > 1 ? 1 + formula_pick(f, width - 1) : 0;
    if (low && !formula_pick(f, 3)) {
        uint32_t high = tree(f, width - low, depth);
        return expr_make(f->pool, ABI_OP_CONCAT, width, 0, high, tree(f, low, depth), 0);
    }
    if (other < width)
        return formula_cast(f, tree(f, other, depth), width);
    return expr_make(f->pool, ABI_OP_EXTRACT, width, formula_pick(f, other - width + 1),
                     tree(f, other, depth), 0, 0);
}

static uint32_t look_up(struct formula *f, unsigned width, unsigned depth) {
    uint64_t elements[20];
    for (unsigned i = 0; i < BASE_COUNT(elements); i++)
        elements[i] = formula_random(f);
    uint32_t count = 1 + formula_pick(f, BASE_COUNT(elements));
    uint32_t table = expr_make_table(f->pool, width, count, elements);
    uint32_t index = tree(f, any_width(f), depth);
    return expr_make(f->pool, ABI_OP_TABLE, width, 0, index, table, 0);
}

static uint32_t operation(struct formula *f, unsigned width, unsigned depth) {
    uint32_t a = tree(f, width, depth), b = tree(f, width, depth);
    enum abi_op op = ABI_OP_ADD + formula_pick(f, ABI_OP_EQ - ABI_OP_ADD);
    bool shifts = op == ABI_OP_SHL || op == ABI_OP_LSHR || op == ABI_OP_ASHR;
    if (shifts && formula_pick(f, 3)) /* else most are by more than the width */
        b = expr_make_constant(f->pool, width, formula_pick(f, width + 2));
    return expr_make(f->pool, op, width, 0, a, b, 0);
}

/* A floating-point number. Only comparisons look at it: the bits of a NaN are nobody's promise. */
static uint32_t number(struct formula *f, unsigned width, unsigned depth) {
    static const double numbers[] = {0, -0.0, 1, -2.5, 1e10, 1e-310, 0.1, INFINITY, NAN};
    if (!depth--)
        return formula_pick(f, 4)
                   ? leaf(f, width)
                   : expr_make_constant(
                         f->pool, width,
                         expr_float_bits(width, numbers[formula_pick(f, BASE_COUNT(numbers))]));
    enum abi_op op = ABI_OP_FADD + formula_pick(f, 4);
    uint64_t sign = (uint64_t)1 << (width - 1);
    uint32_t sign_bit = expr_make_constant(f->pool, width, sign);
    uint32_t rest = expr_make_constant(f->pool, width, sign - 1);
    switch (formula_pick(f, 9)) {
    case 0:
        return expr_make(f->pool, ABI_OP_FCVT, width, 0, number(f, 96 - width, depth), 0, 0);
    case 1:
        return expr_make(f->pool, ABI_OP_STOF, width, 0, tree(f, 32u << formula_pick(f, 2), depth),
                         0, 0);
    case 2:
        return expr_make(f->pool, ABI_OP_UTOF, width, 0, tree(f, 64, depth), 0, 0);
    case 3:
        return expr_make(f->pool, ABI_OP_XOR, width, 0, number(f, width, depth), sign_bit, 0);
    case 4:
        return expr_make(f->pool, ABI_OP_AND, width, 0, number(f, width, depth), rest, 0);
    case 5:
        return expr_make(f->pool, ABI_OP_FSQRT, width, 0, number(f, width, depth), 0, 0);
    case 6:
        return expr_make(f->pool, ABI_OP_FLOOR + formula_pick(f, 5), width, 0,
                         number(f, width, depth), 0, 0);
    default: {
        uint32_t a = number(f, width, depth);
        return expr_make(f->pool, op, width, 0, a, number(f, width, depth), 0);
    }
    }
}

static uint32_t comparison(struct formula *f, unsigned depth) {
    unsigned width = any_width(f);
    if ((width == 32 || width == 64) && formula_pick(f, 2)) {
        uint32_t x = number(f, width, depth);
        return expr_make(f->pool, ABI_OP_FEQ + formula_pick(f, 3), 1, 0, x, number(f, width, depth),
                         0);
    }
    uint32_t a = tree(f, width, depth);
    return formula_compare(f, a, tree(f, width, depth));
}

static uint32_t tree(struct formula *f, unsigned width, unsigned depth) {
    if (!depth)
        return leaf(f, width);
    depth--;
    switch (formula_pick(f, 10)) {
    case 0:
    case 1:
        return cast(f, width, depth);
    case 2: {
        uint32_t condition = tree(f, 1, depth), a = tree(f, width, depth);
        return expr_make(f->pool, ABI_OP_ITE, width, 0, condition, a, tree(f, width, depth));
    }
    case 3:
        return expr_make_not(f->pool, tree(f, width, depth));
    case 4:
        if (width == 8 || width == 16 || width == 32 || width == 64)
            return look_up(f, width, depth);
        return operation(f, width, depth);
    default:
        return width == 1 && formula_pick(f, 2) ? comparison(f, depth) : operation(f, width, depth);
    }
}

/* A variable against a constant, which bounds what follows. */
static uint32_t bound(struct formula *f) {
    unsigned width = 8u << formula_pick(f, 4);
    uint32_t variable = expr_make_input(f->pool, width, 16 - width / 4);
    return formula_compare(f, variable, formula_constant(f, width));
}

/* Of sums, products and extensions; x << 3 | 5 is a sum, too. */
static uint32_t polynomial(struct formula *f, unsigned width, unsigned depth) {
    static const enum abi_op ops[] = {ABI_OP_ADD, ABI_OP_ADD, ABI_OP_SUB, ABI_OP_MUL, ABI_OP_SHL};
    if (!depth--)
        return formula_pick(f, 4) ? expr_make_input(f->pool, width, 16 - width / 4)
                                  : formula_constant(f, width);
    if (width > 8 && formula_pick(f, 2))
        return formula_cast(f, polynomial(f, formula_pick(f, 3) ? width / 2 : 8, depth), width);
    uint32_t a = polynomial(f, width, depth), b = polynomial(f, width, depth);
    enum abi_op op = ops[formula_pick(f, BASE_COUNT(ops))];
    if (op != ABI_OP_SHL)
        return expr_make(f->pool, op, width, 0, a, b, 0);
    unsigned by = formula_pick(f, 4);
    a = expr_make(f->pool, op, width, 0, a, expr_make_constant(f->pool, width, by), 0);
    b = expr_make_constant(f->pool, width, formula_pick(f, 1u << by));
    return expr_make(f->pool, ABI_OP_OR, width, 0, a, b, 0);
}

/* ---- as C ---- */

/* Functions of the input, and what each must give. */
struct batch {
    struct formula f;
    struct base_buffer source, main;
    uint8_t inputs[INPUTS][BYTES];
    struct {
        unsigned width;
        bool valid[INPUTS];
        uint64_t values[INPUTS];
        char *text;
    } functions[EXPRESSIONS + CONJUNCTIONS + SUMS];
    unsigned count;
};

/* Every second integer is signed. */
static bool is_signed(uint32_t offset, unsigned bytes) {
    return (offset / 2 + bytes) % 2;
}

static bool name_input(uint32_t offset, unsigned bytes, void *context, struct base_buffer *out) {
    (void)context;
    if (bytes & EXPR_FLOAT)
        return expr_name_bytes(offset, bytes, NULL, out);
    if (bytes == 1 && !is_signed(offset, bytes))
        base_buffer_print(out, "in[%u]", offset);
    else
        base_buffer_print(out, "*(%sint%u_t *)&in[%u]", is_signed(offset, bytes) ? "" : "u",
                          bytes * 8, offset);
    return is_signed(offset, bytes);
}

/* Sums are read in 64-bit arithmetic: here, names and casts are of 64 bits. */
static bool name_wide(uint32_t offset, unsigned bytes, void *context, struct base_buffer *out) {
    base_buffer_print(out, "(int64_t)");
    return name_input(offset, bytes, context, out);
}

static void widen_casts(struct base_buffer *text) {
    struct base_buffer wide = {0};
    for (const char *at = text->data; *at; at++) {
        bool is_cast = strncmp(at, "(int", 4) == 0 || strncmp(at, "(uint", 5) == 0;
        size_t length = strcspn(at, " )");
        base_buffer_print(&wide, "%s%c", is_cast && at[length] == ')' ? "(int64_t)" : "", *at);
    }
    base_buffer_done(text);
    *text = wide;
}

static void begin_batch(struct batch *batch) {
    struct formula *f = &batch->f;
    *f = (struct formula){.pool = expr_pool_new(), .random = formula_seed("printing")};
    base_buffer_print(&batch->source,
                      "#include <inttypes.h>\n#include <stdio.h>\n"
                      "static const uint8_t inputs[][%d] = {",
                      BYTES);
    for (unsigned i = 0; i < INPUTS; i++) {
        unsigned bytes = 1u << formula_pick(f, 3);
        uint64_t value = 0;
        for (unsigned k = 0; k < BYTES; k++) {
            value = k % bytes ? value >> 8 : formula_value(f, bytes * 8);
            batch->inputs[i][k] = (uint8_t)value;
            base_buffer_print(&batch->source, "%s%u,%s", k ? "" : "{", batch->inputs[i][k],
                              k + 1 < BYTES ? "" : "},\n");
        }
    }
    base_buffer_print(&batch->source, "};\n");
}

/* Adds a function that returns TEXT, with the tables of the expressions that it was printed from.
 */
static void add_function(struct batch *batch, struct base_buffer *text, const uint32_t *ids,
                         size_t count, unsigned width) {
    base_buffer_print(&batch->source, "static uint64_t f%u(const uint8_t *in) {\n", batch->count);
    expr_print_tables(batch->f.pool, ids, count, &batch->source);
    base_buffer_print(&batch->source, "return %s;\n}\n", text->count ? text->data : "1");
    base_buffer_print(&batch->main, "    show(f%u);\n", batch->count);
    batch->functions[batch->count].width = width;
    batch->functions[batch->count].text = text->data;
    batch->count++;
}

static void add_expression(struct batch *batch) {
    struct formula *f = &batch->f;
    struct base_buffer text = {0};
    uint32_t id;
    do {
        expr_pool_clear(f->pool);
        id = tree(f, any_width(f), 1 + formula_pick(f, 4));
    } while (expr_node(f->pool, id)->op == ABI_OP_CONST);
    for (unsigned i = 0; i < INPUTS; i++) {
        expr_eval_begin(f->pool, batch->inputs[i], BYTES);
        batch->functions[batch->count].values[i] = expr_eval(f->pool, id);
        batch->functions[batch->count].valid[i] = true;
    }
    expr_print(f->pool, id, name_input, NULL, &text);
    add_function(batch, &text, &id, 1, expr_node(f->pool, id)->width);
}

static bool hold(struct expr_pool *pool, const uint8_t *input, const uint32_t *conditions,
                 size_t count) {
    expr_eval_begin(pool, input, BYTES);
    for (size_t i = 0; i < count; i++)
        if (!expr_eval(pool, conditions[i]))
            return false;
    return true;
}

static void add_conjunction(struct batch *batch) {
    struct formula *f = &batch->f;
    struct base_buffer text = {0};
    uint32_t ids[6];
    expr_pool_clear(f->pool);
    unsigned count = 1 + formula_pick(f, BASE_COUNT(ids)), bounds = formula_pick(f, count);
    for (unsigned i = 0; i < count; i++)
        ids[i] = i < bounds ? bound(f) : comparison(f, 1 + formula_pick(f, 3));
    for (unsigned i = 0; i < INPUTS; i++) {
        batch->functions[batch->count].values[i] = hold(f->pool, batch->inputs[i], ids, count);
        batch->functions[batch->count].valid[i] = true;
    }
    expr_print_all(f->pool, ids, count, name_input, NULL, SIZE_MAX, &text);
    add_function(batch, &text, ids, count, 1);
}

static void add_sum(struct batch *batch) {
    struct formula *f = &batch->f;
    struct base_buffer text = {0};
    uint32_t sizes[3], conditions[3];
    expr_pool_clear(f->pool);
    unsigned count = 1 + formula_pick(f, BASE_COUNT(sizes));
    struct expr_given given = {conditions, formula_pick(f, BASE_COUNT(conditions))};
    for (unsigned i = 0; i < given.count; i++)
        conditions[i] = bound(f);
    for (unsigned i = 0; i < count; i++)
        sizes[i] = polynomial(f, formula_pick(f, 3) ? 64 : 32, 1 + formula_pick(f, 4));
    uint64_t constant = formula_value(f, 64);
    for (unsigned i = 0; i < INPUTS; i++) {
        batch->functions[batch->count].valid[i] =
            hold(f->pool, batch->inputs[i], conditions, given.count);
        uint64_t *value = &batch->functions[batch->count].values[i];
        *value = constant;
        for (unsigned k = 0; k < count; k++)
            *value += expr_eval(f->pool, sizes[k]);
    }
    expr_print_sum(f->pool, constant, sizes, count, &given, name_wide, NULL, SIZE_MAX, &text);
    widen_casts(&text);
    add_function(batch, &text, sizes, count, 64);
}

static char *compile(const char *folder, const struct base_buffer *source) {
    struct base_error error;
    char *file = base_format("%s/print.c", folder), *program = base_format("%s/print", folder);
    assert_true(base_write_file(file, source->data, source->count, &error));
    const char *const arguments[] = {
        SLOWPATH_LLVM_BINDIR "/clang",
        "-w",
        "-O1",
        "-fwrapv",
        "-fno-strict-aliasing",
        "-fsanitize=shift-exponent,integer-divide-by-zero,array-bounds",
        "-fsanitize-trap=all",
        file,
        "-lm",
        "-o",
        program,
        NULL};
    assert_int_equal(base_run(&(struct base_process){.argv = arguments}), 0);
    free(file);
    return program;
}

static void run(struct batch *batch, struct base_buffer *values) {
    char *folder = base_temp_dir();
    base_buffer_print(&batch->source,
                      "static void show(uint64_t (*f)(const uint8_t *)) {\n"
                      "    for (int i = 0; i < %d; i++)\n"
                      "        printf(\"%%\" PRIx64 \"\\n\", f(inputs[i]));\n}\n"
                      "int main(void) {\n%s}\n",
                      INPUTS, batch->main.data);
    char *program = compile(folder, &batch->source);
    const char *const arguments[] = {program, NULL};
    assert_int_equal(base_run(&(struct base_process){.argv = arguments, .out = values}), 0);
    base_remove_tree(folder);
    free(program);
    free(folder);
}

static uint64_t extend(unsigned width, uint64_t value) {
    return (uint64_t)((int64_t)(value << (64 - width)) >> (64 - width));
}

static void compare(struct batch *batch, const char *values) {
    for (unsigned i = 0; i < batch->count; i++)
        for (unsigned k = 0; k < INPUTS; k++) {
            char *end;
            uint64_t value = strtoull(values, &end, 16), right = batch->functions[i].values[k];
            assert_ptr_not_equal(end, values);
            values = end;
            if (batch->functions[i].valid[k] && value != right &&
                value != extend(batch->functions[i].width, right))
                fail_msg("f%u, input %u: %" PRIx64 ", not %" PRIx64 ": %s", i, k, value, right,
                         batch->functions[i].text);
        }
}

static void test_random(void **state) {
    (void)state;
    struct batch *batch = base_alloc(sizeof *batch);
    struct base_buffer values = {0};
    begin_batch(batch);
    for (unsigned i = 0; i < EXPRESSIONS; i++)
        add_expression(batch);
    for (unsigned i = 0; i < CONJUNCTIONS; i++)
        add_conjunction(batch);
    for (unsigned i = 0; i < SUMS; i++)
        add_sum(batch);
    run(batch, &values);
    compare(batch, values.data);
    for (unsigned i = 0; i < batch->count; i++)
        free(batch->functions[i].text);
    base_buffer_done(&values);
    base_buffer_done(&batch->source);
    base_buffer_done(&batch->main);
    expr_pool_free(batch->f.pool);
    free(batch);
}

/* ---- forms ---- */

struct variable {
    const char *name;
    unsigned offset, bytes;
    bool is_signed;
};

static const struct variable variables[] = {
    {"i", 0, 4, true},  {"j", 4, 4, true},  {"u", 8, 4, false}, {"c", 12, 1, false},
    {"s", 13, 1, true}, {"h", 14, 2, true}, {"l", 16, 8, true}, {"w", 24, 8, false}};

static bool name_variable(uint32_t offset, unsigned bytes, void *context, struct base_buffer *out) {
    (void)context;
    for (unsigned i = 0; i < BASE_COUNT(variables); i++)
        if (variables[i].offset == offset && variables[i].bytes == bytes) {
            base_buffer_print(out, "%s", variables[i].name);
            return variables[i].is_signed;
        }
    return expr_name_bytes(offset, bytes, NULL, out);
}

static struct expr_pool *forms;

static uint32_t var(char name) {
    for (unsigned i = 0; i < BASE_COUNT(variables); i++)
        if (variables[i].name[0] == name)
            return expr_make_input(forms, variables[i].bytes * 8, variables[i].offset);
    return 0;
}

static unsigned width_of(uint32_t id) {
    return expr_node(forms, id)->width;
}

static uint32_t op(enum abi_op op, uint32_t a, uint32_t b) {
    bool compares = op >= ABI_OP_EQ && op <= ABI_OP_SLE;
    return expr_make(forms, op, compares ? 1 : width_of(a), 0, a, b, 0);
}

static uint32_t with(enum abi_op operation, uint32_t a, uint64_t constant) {
    return op(operation, a, expr_make_constant(forms, width_of(a), constant));
}

static uint32_t to(enum abi_op op, unsigned width, uint32_t a) {
    return expr_make(forms, op, width, 0, a, 0, 0);
}

static void expect(uint32_t id, const char *expected) {
    struct base_buffer text = {0};
    expr_print(forms, id, name_variable, NULL, &text);
    assert_string_equal(text.data, expected);
    base_buffer_done(&text);
}

static int start_forms(void **state) {
    (void)state;
    forms = expr_pool_new();
    return 0;
}

static int end_forms(void **state) {
    (void)state;
    expr_pool_free(forms);
    return 0;
}

static void test_precedence(void **state) {
    (void)state;
    uint32_t i = var('i'), j = var('j');
    uint32_t sum = op(ABI_OP_ADD, i, j), shifted = with(ABI_OP_SHL, i, 2);
    expect(with(ABI_OP_ADD, shifted, 16), "(i << 2) + 16");
    expect(with(ABI_OP_SHL, sum, 2), "i + j << 2");
    expect(op(ABI_OP_MUL, sum, i), "i * (i + j)");
    expect(op(ABI_OP_SUB, i, sum), "i - (i + j)");
    expect(op(ABI_OP_ADD, op(ABI_OP_SUB, i, j), sum), "i + j + i - j");
    expect(with(ABI_OP_ADD, with(ABI_OP_AND, i, 7), 1), "(i & 7) + 1");
    expect(with(ABI_OP_EQ, with(ABI_OP_AND, i, 0xf0f), 0), "(i & 0xf0f) == 0");
    expect(with(ABI_OP_AND, i, (uint64_t)-8), "i & -8");
    expect(expr_make_not(forms, sum), "~(i + j)");
    expect(with(ABI_OP_SDIV, op(ABI_OP_MUL, i, j), 3), "i * j / 3");
    uint32_t rest = with(ABI_OP_MUL, with(ABI_OP_SREM, i, 3), 7);
    expect(op(ABI_OP_MUL, j, rest), "j * (i % 3 * 7)");
    expect(op(ABI_OP_MUL, j, with(ABI_OP_MUL, i, 7)), "j * i * 7");
    uint32_t less = op(ABI_OP_SLT, i, j), same = op(ABI_OP_EQ, i, j);
    uint32_t either = op(ABI_OP_OR, less, same);
    expect(op(ABI_OP_AND, op(ABI_OP_ULT, var('u'), i), either),
           "(i < j || i == j) && u < (uint32_t)i");
    expect(expr_make_not(forms, either), "!(i < j || i == j)");
    expect(expr_make(forms, ABI_OP_ITE, 32, 0, less, i, with(ABI_OP_ADD, j, 1)),
           "i < j ? i : j + 1");
}

static void test_types(void **state) {
    (void)state;
    uint32_t i = var('i'), u = var('u'), c = var('c'), s = var('s'), h = var('h'), l = var('l');
    uint32_t wide_c = to(ABI_OP_ZEXT, 32, c), wide_s = to(ABI_OP_SEXT, 32, s);
    expect(op(ABI_OP_SLT, i, var('j')), "i < j");
    expect(op(ABI_OP_ULT, i, var('j')), "(uint32_t)i < (uint32_t)j");
    expect(op(ABI_OP_SLT, i, u), "i < (int32_t)u");
    expect(op(ABI_OP_EQ, i, u), "i == u");
    expect(with(ABI_OP_ULT, i, 10), "(uint32_t)i < 10u");
    expect(with(ABI_OP_ULT, u, 3000000000), "u < 3000000000u");
    expect(with(ABI_OP_EQ, c, 200), "c == 200");
    expect(with(ABI_OP_EQ, s, 200), "s == -56");
    expect(with(ABI_OP_ULT, s, 200), "(uint8_t)s < 200");
    expect(op(ABI_OP_SLT, expr_make_constant(forms, 32, UINT64_MAX), i), "i >= 0");
    expect(op(ABI_OP_SLT, wide_c, i), "c < i");
    expect(op(ABI_OP_SLT, wide_s, i), "s < i");
    expect(op(ABI_OP_SLT, to(ABI_OP_ZEXT, 32, s), i), "(uint8_t)s < i");
    expect(with(ABI_OP_ULT, op(ABI_OP_ADD, wide_c, wide_c), 300), "c + c < 300");
    /* eight bits wrap around, int does not */
    expect(with(ABI_OP_EQ, with(ABI_OP_ADD, op(ABI_OP_MUL, c, c), 1), 7), "(uint8_t)(c * c) == 6");
    expect(with(ABI_OP_SLT, op(ABI_OP_ADD, s, s), 7), "(int8_t)(s + s) < 7");
    expect(op(ABI_OP_EQ, op(ABI_OP_ADD, h, h), h), "h == (int16_t)(h + h)");
    /* neither does a sum of two ints in 64 bits */
    uint32_t long_sum = op(ABI_OP_ADD, to(ABI_OP_SEXT, 64, i), to(ABI_OP_SEXT, 64, var('j')));
    expect(op(ABI_OP_SLT, long_sum, l), "(int64_t)i + j < l");
    expect(op(ABI_OP_SLT, op(ABI_OP_ADD, to(ABI_OP_SEXT, 64, h), to(ABI_OP_ZEXT, 64, c)), l),
           "h + c < l");
    expect(to(ABI_OP_EXTRACT, 8, i), "(uint8_t)i");
    expect(expr_make(forms, ABI_OP_EXTRACT, 5, 3, u, 0, 0), "u >> 3 & 0x1f");
    expect(expr_make(forms, ABI_OP_CONCAT, 16, 0, s, c, 0), "s << 8 | c");
    expect(expr_make_input(forms, 24, 40), "in[42] << 16 | (uint16_t)*(int16_t *)&in[40]");
}

static void test_guards(void **state) {
    (void)state;
    uint32_t i = var('i'), u = var('u'), c = var('c'), l = var('l');
    uint32_t wide_c = to(ABI_OP_ZEXT, 32, c);
    expect(with(ABI_OP_UDIV, u, 10), "u / 10");
    expect(with(ABI_OP_SREM, i, 10), "i % 10");
    expect(op(ABI_OP_UDIV, u, wide_c), "c ? u / c : -1");
    expect(op(ABI_OP_UREM, u, with(ABI_OP_ADD, wide_c, 1)), "u % (c + 1)");
    expect(op(ABI_OP_SREM, i, var('j')), "j ? (int64_t)i % j : (int64_t)i");
    expect(with(ABI_OP_SDIV, l, UINT64_MAX - 1), "l / -2");
    expect(with(ABI_OP_SHL, i, 31), "i << 31");
    expect(op(ABI_OP_SHL, i, with(ABI_OP_AND, wide_c, 31)), "i << (c & 31)");
    expect(op(ABI_OP_LSHR, u, wide_c), "c < 32 ? u >> c : 0");
    expect(op(ABI_OP_ASHR, i, wide_c), "i >> (c < 32 ? c : 31)");
    const uint8_t squares[] = {0, 1, 4, 9};
    uint32_t table = expr_make_table(forms, 8, 4, squares);
    uint32_t masked = with(ABI_OP_AND, c, 3), two = expr_make_constant(forms, 64, 4);
    expect(expr_make(forms, ABI_OP_TABLE, 8, 0, masked, table, 0), "table0[c & 3]");
    expect(expr_make(forms, ABI_OP_TABLE, 8, 0, c, table, 0), "c < 4 ? table0[c] : 0");
    uint32_t scaled = op(ABI_OP_ADD, with(ABI_OP_SHL, to(ABI_OP_ZEXT, 64, masked), 1), two);
    expect(with(ABI_OP_LSHR, scaled, 1), "(c & 3) + 2");
    struct base_buffer text = {0};
    uint32_t id = expr_make(forms, ABI_OP_TABLE, 8, 0, masked, table, 0);
    expr_print_tables(forms, &id, 1, &text);
    assert_string_equal(text.data, "static const uint8_t table0[4] = {0, 1, 4, 9};\n");
    base_buffer_done(&text);
}

static void expect_all(const uint32_t *ids, size_t count, size_t limit, const char *expected) {
    struct base_buffer text = {0};
    expr_print_all(forms, ids, count, name_variable, NULL, limit, &text);
    assert_string_equal(text.data, expected);
    base_buffer_done(&text);
}

/* What was said before holds for what follows. */
static void test_conjunction(void **state) {
    (void)state;
    uint32_t i = var('i'), j = var('j');
    uint32_t positive = op(ABI_OP_SLT, expr_make_constant(forms, 32, 0), i);
    uint32_t either = op(ABI_OP_OR, op(ABI_OP_SLT, i, j), with(ABI_OP_EQ, j, 5));
    uint32_t unequal = expr_make_not(forms, with(ABI_OP_EQ, j, 0));
    uint32_t below = with(ABI_OP_ULT, i, 10), rest = with(ABI_OP_EQ, op(ABI_OP_SREM, i, j), 1);
    const uint32_t ids[] = {positive, either,  below, with(ABI_OP_ULT, i, 11),
                            positive, unequal, rest};
    expect_all(ids, 7, 1000, "i > 0 && (i < j || j == 5) && i < 10 && j != 0 && i % j == 1");
    expect_all(ids, 7, 20, "i > 0 && (i < j || j == 5) && …");
    expect_all(ids + 1, 1, 1000, "i < j || j == 5");
    expect_all(ids + 2, 1, 1000, "(uint32_t)i < 10u");
}

static void expect_sum(uint64_t constant, const uint32_t *ids, size_t count, uint32_t given,
                       const char *expected) {
    struct base_buffer text = {0};
    struct expr_given conditions = {&given, given ? 1 : 0};
    expr_print_sum(forms, constant, ids, count, &conditions, name_variable, NULL, 1000, &text);
    assert_string_equal(text.data, expected);
    base_buffer_done(&text);
}

static void test_sums(void **state) {
    (void)state;
    uint32_t i = to(ABI_OP_SEXT, 64, var('i')), c = to(ABI_OP_ZEXT, 64, var('c')), l = var('l');
    uint32_t four = with(ABI_OP_SHL, i, 2);
    expect_sum(12, (uint32_t[]){four, four}, 2, 0, "12 + 8*i");
    expect_sum(0, (uint32_t[]){with(ABI_OP_OR, four, 3)}, 1, 0, "3 + 4*i");
    expect_sum(4, (uint32_t[]){with(ABI_OP_ADD, four, (uint64_t)-4)}, 1, 0, "4*i");
    expect_sum(5, (uint32_t[]){op(ABI_OP_SUB, c, four), four, four}, 3, 0, "5 + 4*i + c");
    expect_sum(0, (uint32_t[]){op(ABI_OP_SUB, l, four)}, 1, 0, "-4*i + l");
    expect_sum(1, (uint32_t[]){op(ABI_OP_SUB, l, four)}, 1, 0, "1 - 4*i + l");
    expect_sum(0, (uint32_t[]){op(ABI_OP_SUB, l, l)}, 1, 0, "0");
    uint32_t product = op(ABI_OP_MUL, with(ABI_OP_ADD, l, 2), i);
    expect_sum(0, (uint32_t[]){product}, 1, 0, "i*l + 2*i");
    expect_sum(16, (uint32_t[]){with(ABI_OP_AND, l, 15)}, 1, 0, "16 + (l & 15)");
    expect_sum(16, (uint32_t[]){with(ABI_OP_UDIV, var('w'), 3)}, 1, 0, "16 + w / 3");
    expect_sum(16, (uint32_t[]){with(ABI_OP_MUL, with(ABI_OP_UDIV, var('w'), 3), 5)}, 1, 0,
               "16 + 5*(w / 3)");
}

/* 32 bits: a sum is opened where it cannot wrap around. */
static void test_narrow_sums(void **state) {
    (void)state;
    uint32_t i = var('i'), u = var('u'), c = to(ABI_OP_ZEXT, 32, var('c'));
    uint32_t bytes = to(ABI_OP_ZEXT, 64, with(ABI_OP_ADD, with(ABI_OP_SHL, c, 2), 12));
    expect_sum(0, (uint32_t[]){bytes}, 1, 0, "12 + 4*c");
    expect_sum(1, (uint32_t[]){to(ABI_OP_SEXT, 64, with(ABI_OP_SHL, i, 2))}, 1, 0,
               "1 + (int32_t)(4*i)");
    expect_sum(1, (uint32_t[]){to(ABI_OP_ZEXT, 64, with(ABI_OP_SHL, i, 2))}, 1, 0,
               "1 + (uint32_t)(4*i)");
    uint32_t grid = to(ABI_OP_ZEXT, 64, op(ABI_OP_MUL, u, c));
    expect_sum(0, &grid, 1, 0, "(uint32_t)(u*c)");
    expect_sum(0, &grid, 1, with(ABI_OP_ULT, u, 100), "u*c");
    uint32_t size = to(ABI_OP_ZEXT, 64, i); /* as compilers have it where i is not negative */
    expect_sum(8, &size, 1, 0, "8 + (uint32_t)i");
    const uint32_t sizes[] = {size, with(ABI_OP_SHL, to(ABI_OP_SEXT, 64, i), 1)};
    uint32_t positive = op(ABI_OP_SLT, expr_make_constant(forms, 32, 3), i);
    expect_sum(8, sizes, 2, positive, "8 + 3*i");
}

int main(void) {
#define FORMS(test) cmocka_unit_test_setup_teardown(test, start_forms, end_forms)
    const struct CMUnitTest tests[] = {
        FORMS(test_precedence),        FORMS(test_types), FORMS(test_guards),
        FORMS(test_conjunction),       FORMS(test_sums),  FORMS(test_narrow_sums),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
