/* SPDX-License-Identifier: Apache-2.0
 *
 * Questions with known answers: the files of test/query. A file has lines
 *
 *     input BYTES          the current input, in hexadecimal
 *     assert FORMULA       a condition that it satisfies
 *     ask FORMULA ANSWER   a question, and sat or unsat
 *
 * A formula is a number, an input integer (u8@3, i32@4: bits and offset; u and i mean the same), or
 * an operation on formulas: (slt a b). Numbers take their width from the other operand. Every
 * question is asked of the whole chain, cross-checked, and of Z3 alone.
 */
#include "solver/solver.h"

#include <ctype.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *name;
    enum abi_op op;
    unsigned width; /* of the result; 0: that of the operands */
} operations[] = {
    {"add", ABI_OP_ADD, 0},      {"sub", ABI_OP_SUB, 0},      {"mul", ABI_OP_MUL, 0},
    {"and", ABI_OP_AND, 0},      {"or", ABI_OP_OR, 0},        {"xor", ABI_OP_XOR, 0},
    {"not", ABI_OP_NOT, 0},      {"eq", ABI_OP_EQ, 1},        {"ult", ABI_OP_ULT, 1},
    {"ule", ABI_OP_ULE, 1},      {"slt", ABI_OP_SLT, 1},      {"sle", ABI_OP_SLE, 1},
    {"zext16", ABI_OP_ZEXT, 16}, {"zext32", ABI_OP_ZEXT, 32}, {"sext16", ABI_OP_SEXT, 16},
    {"sext32", ABI_OP_SEXT, 32}, {"lshr", ABI_OP_LSHR, 0},    {"shl", ABI_OP_SHL, 0},
};

/* What was read: an expression, or a number without width. */
struct operand {
    uint32_t id;
    uint64_t number;
};

static struct operand read_formula(struct expr_pool *pool, const char **text);

static uint32_t with_width(struct expr_pool *pool, struct operand operand, struct operand other) {
    if (operand.id)
        return operand.id;
    assert_int_not_equal(other.id, 0);
    return expr_make_constant(pool, expr_node(pool, other.id)->width, operand.number);
}

static struct operand read_operation(struct expr_pool *pool, const char **text) {
    size_t length = strcspn(++*text, " "), i = 0;
    while (strlen(operations[i].name) != length || strncmp(operations[i].name, *text, length) != 0)
        assert_true(++i < BASE_COUNT(operations));
    *text += length;
    struct operand a = read_formula(pool, text), b = {0};
    if (**text != ')')
        b = read_formula(pool, text);
    bool two = expr_operands(operations[i].op) > 1;
    uint32_t left = with_width(pool, a, b), right = two ? with_width(pool, b, a) : 0;
    unsigned width = operations[i].width ? operations[i].width : expr_node(pool, left)->width;
    *text += strspn(*text, " )") ? 1 : 0;
    return (struct operand){expr_make(pool, operations[i].op, width, 0, left, right, 0), 0};
}

static struct operand read_formula(struct expr_pool *pool, const char **text) {
    *text += strspn(*text, " ");
    if (**text == '(')
        return read_operation(pool, text);
    char *end = NULL;
    if (**text == 'u' || **text == 'i') {
        unsigned width = (unsigned)strtoul(*text + 1, &end, 10);
        assert_int_equal(*end, '@');
        uint32_t offset = (uint32_t)strtoul(end + 1, &end, 10);
        *text = end;
        return (struct operand){expr_make_input(pool, width, offset), 0};
    }
    struct operand number = {0, strtoull(*text, &end, 0)};
    assert_true(end != *text);
    *text = end;
    return number;
}

struct query {
    struct expr_pool *pool;
    struct solver *chain, *alone;
    uint8_t input[64];
    size_t size;
};

static void read_input(struct query *query, const char *text) {
    memset(query->input, 0, sizeof query->input);
    query->size = 8;
    char *end = NULL;
    for (size_t i = 0; i < sizeof query->input; i++, text = end) {
        unsigned long byte = strtoul(text, &end, 16);
        if (end == text)
            break;
        query->input[i] = (uint8_t)byte;
    }
    solver_begin(query->chain, query->pool, query->input, query->size);
    solver_begin(query->alone, query->pool, query->input, query->size);
}

static void run_line(struct query *query, const char *line) {
    uint8_t model[64];
    if (strncmp(line, "input ", 6) == 0) {
        read_input(query, line + 6);
    } else if (strncmp(line, "assert ", 7) == 0) {
        const char *text = line + 7;
        uint32_t condition = read_formula(query->pool, &text).id;
        solver_assert(query->chain, condition);
        solver_assert(query->alone, condition);
    } else if (strncmp(line, "ask ", 4) == 0) {
        const char *text = line + 4;
        uint32_t condition = read_formula(query->pool, &text).id;
        text += strspn(text, " ");
        enum solver_answer expected = strcmp(text, "sat") == 0 ? SOLVER_SAT : SOLVER_UNSAT;
        assert_int_equal(solver_ask(query->chain, condition, model), expected);
        assert_int_equal(solver_ask(query->alone, condition, model), expected);
    } else {
        assert_true(line[0] == '#' || line[0] == 0);
    }
}

static void run_file(const char *path) {
    struct solver_options options = {.cross_check = true, .timeout_ms = 10000}, z3 = options;
    for (unsigned i = 0; i < SOLVER_STAGE_SMT; i++)
        z3.off[i] = true;
    struct query query = {
        .pool = expr_pool_new(), .chain = solver_new(&options), .alone = solver_new(&z3)};
    struct base_error error;
    char *text = NULL, *rest = NULL;
    size_t size = 0;
    printf("%s\n", base_basename(path));
    assert_true(base_read_file(path, &text, &size, &error));
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        run_line(&query, line);
    free(text);
    solver_free(query.chain);
    solver_free(query.alone);
    expr_pool_free(query.pool);
}

static void test_files(void **state) {
    (void)state;
    char *pattern = base_format("%.*s../query/*.txt",
                                (int)(base_basename(__FILE__) - (const char *)__FILE__), __FILE__);
    glob_t found;
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        run_file(found.gl_pathv[i]);
    globfree(&found);
    free(pattern);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
