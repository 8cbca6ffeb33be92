/* SPDX-License-Identifier: Apache-2.0
 *
 * How fast does the solver answer? Questions per second of each stage, the worst path of insertion
 * sort at once and question by question, and the same of Z3 on sizes that it can bear; in CPU time.
 * The arguments are further sizes to solve at once. Built by hand, after a build of the project:
 *
 *   clang-19 -std=gnu11 -O2 -Isrc bench/solver.c build/src/libsolver.a build/src/libexpr.a \
 *     build/src/libbase.a -lz3 -lxxhash -lm -o build/bench-solver && build/bench-solver [n...]
 */
#include "solver/solver.h"

#include <stdlib.h>
#include <time.h>

/* Of this process, so that others on the machine do not count. */
static double cpu_seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static struct solver *solver_only(enum solver_stage stage, bool all) {
    struct solver_options options = {.timeout_ms = 60000};
    for (unsigned i = 0; i < SOLVER_STAGE_COUNT && !all; i++)
        options.off[i] = i != stage;
    return solver_new(&options);
}

static uint32_t less(struct expr_pool *pool, uint32_t a, uint32_t b) {
    return expr_make(pool, ABI_OP_SLT, 1, 0, a, b, 0);
}

/* ---- insertion sort, all permutations, as an exhaustive search asks ---- */

/* Runs insertion sort on the input, giving the condition of each comparison. */
static size_t sort_path(struct expr_pool *pool, const int32_t *input, unsigned n, uint32_t *path) {
    int32_t values[16];
    uint32_t terms[16];
    size_t count = 0;
    for (unsigned i = 0; i < n; i++) {
        values[i] = input[i];
        terms[i] = expr_make_input(pool, 32, i * 4);
    }
    for (unsigned i = 1; i < n; i++)
        for (unsigned j = i; j > 0; j--) {
            uint32_t condition = less(pool, terms[j], terms[j - 1]);
            bool taken = values[j] < values[j - 1];
            path[count++] = taken ? condition : expr_make_not(pool, condition);
            if (!taken)
                break;
            int32_t value = values[j];
            uint32_t term = terms[j];
            values[j] = values[j - 1], terms[j] = terms[j - 1];
            values[j - 1] = value, terms[j - 1] = term;
        }
    return count;
}

struct work {
    int32_t input[16];
    size_t bound; /* decisions before this one were flipped by others */
};

/* Every path once: each question has an answer that begins another path. */
static void bench_exhaustive(unsigned n, bool all, double limit) {
    struct solver *solver = solver_only(SOLVER_STAGE_SMT, all);
    struct expr_pool *pool = expr_pool_new();
    BASE_VECTOR(struct work) stack = {0};
    uint32_t path[128];
    size_t paths = 0, asks = 0;
    double start = cpu_seconds();
    base_push(&stack, (struct work){.bound = 0});
    while (stack.count && (paths % 256 || cpu_seconds() - start < limit)) {
        struct work work = stack.data[--stack.count];
        expr_pool_clear(pool);
        size_t count = sort_path(pool, work.input, n, path);
        paths++;
        solver_begin(solver, pool, (const uint8_t *)work.input, n * 4);
        for (size_t i = 0; i < count; i++) {
            struct work next = {.bound = i + 1};
            if (i >= work.bound) {
                asks++;
                if (solver_ask(solver, expr_make_not(pool, path[i]), (uint8_t *)next.input) ==
                    SOLVER_SAT)
                    base_push(&stack, next);
            }
            solver_assert(solver, path[i]);
        }
    }
    double seconds = cpu_seconds() - start;
    printf("insertion sort %u, %s: %zu paths, %zu asks in %.3f s, %.2f us per path%s\n", n,
           all ? "chain" : "Z3 alone", paths, asks, seconds, seconds / (double)paths * 1e6,
           stack.count ? " (stopped)" : "");
    base_vector_done(&stack);
    solver_free(solver);
    expr_pool_free(pool);
}

/* ---- one long path, question by question ---- */

static void bench_long_path(unsigned n) {
    struct solver *solver = solver_only(SOLVER_STAGE_SMT, true);
    struct expr_pool *pool = expr_pool_new();
    int32_t *input = base_alloc(n * sizeof *input), *model = base_alloc(n * sizeof *model);
    size_t asks = 0, sat = 0;
    for (unsigned i = 0; i < n; i++)
        input[i] = (int32_t)(n - i);
    double start = cpu_seconds();
    solver_begin(solver, pool, (uint8_t *)input, n * sizeof *input);
    for (unsigned i = 1; i < n; i++)
        for (unsigned j = 0; j < i; j++) {
            uint32_t condition =
                less(pool, expr_make_input(pool, 32, i * 4), expr_make_input(pool, 32, j * 4));
            sat +=
                solver_ask(solver, expr_make_not(pool, condition), (uint8_t *)model) == SOLVER_SAT;
            asks++;
            solver_assert(solver, condition);
        }
    double seconds = cpu_seconds() - start;
    printf("worst path of %u, asked one by one: %zu asks (%zu sat) in %.3f s, %.2f us each\n", n,
           asks, sat, seconds, seconds / (double)asks * 1e6);
    free(input);
    free(model);
    solver_free(solver);
    expr_pool_free(pool);
}

/* ---- all at once ---- */

static void bench_solve(unsigned n, bool all) {
    struct solver *solver = solver_only(SOLVER_STAGE_SMT, all);
    struct expr_pool *pool = expr_pool_new();
    size_t count = 0, total = (size_t)n * (n - 1) / 2;
    uint32_t *conditions = base_alloc(total * sizeof *conditions);
    uint8_t *model = base_alloc((size_t)n * 4);
    double start = cpu_seconds();
    for (unsigned i = 1; i < n; i++)
        for (unsigned j = i; j-- > 0;)
            conditions[count++] =
                less(pool, expr_make_input(pool, 32, i * 4), expr_make_input(pool, 32, j * 4));
    double built = cpu_seconds();
    enum solver_answer answer =
        solver_solve(solver, pool, conditions, count, model, (size_t)n * 4, NULL);
    printf("worst path of %u at once, %s: %zu conditions, %s in %.4f s (built in %.3f s)\n", n,
           all ? "chain" : "Z3 alone", count,
           answer == SOLVER_SAT     ? "sat"
           : answer == SOLVER_UNSAT ? "unsat"
                                    : "unknown",
           cpu_seconds() - built, built - start);
    free(conditions);
    free(model);
    solver_free(solver);
    expr_pool_free(pool);
}

/* The same as runs of orders, without a term for each. */
static void bench_runs(unsigned n) {
    struct solver *solver = solver_only(SOLVER_STAGE_SMT, true);
    struct solver_run *runs = base_alloc(n * sizeof *runs);
    uint8_t *model = base_alloc((size_t)n * 4);
    for (unsigned i = 1; i < n; i++)
        runs[i - 1] =
            (struct solver_run){.x = i * 4ll, .y = i * 4ll - 4, .weight = -1, .dy = -4, .count = i};
    double start = cpu_seconds();
    bool good = solver_solve_runs(solver, runs, n - 1, 4, true, model, (size_t)n * 4) == SOLVER_SAT;
    printf("worst path of %u as runs: %zu conditions, %s in %.4f s\n", n, (size_t)n * (n - 1) / 2,
           good ? "sat" : "unknown", cpu_seconds() - start);
    free(runs);
    free(model);
    solver_free(solver);
}

/* ---- single stages ---- */

static uint32_t stage_question(struct expr_pool *pool, enum solver_stage stage, unsigned i) {
    uint32_t byte = expr_make_input(pool, 8, i % 16), next = expr_make_input(pool, 8, (i + 1) % 16);
    uint32_t x = expr_make_input(pool, 32, 16 + i % 16 * 4);
    uint32_t y = expr_make_input(pool, 32, 16 + (i + 1) % 16 * 4);
    switch (stage) {
    case SOLVER_STAGE_MODEL:
        return expr_make(pool, ABI_OP_SLE, 1, 0, x, y, 0);
    case SOLVER_STAGE_DOMAIN:
        return expr_make(pool, ABI_OP_EQ, 1, 0, byte, expr_make_constant(pool, 8, 65 + i % 26), 0);
    case SOLVER_STAGE_SUMS:
        return less(pool, expr_make(pool, ABI_OP_ADD, 32, 0, x, y, 0),
                    expr_make_input(pool, 32, 16 + (i + 2) % 16 * 4));
    case SOLVER_STAGE_EQUAL:
        return expr_make_not(pool, expr_make(pool, ABI_OP_EQ, 1, 0, byte, next, 0));
    default:
        return less(pool, x, y);
    }
}

static void bench_stage(enum solver_stage stage, const char *name, size_t asks) {
    struct solver *solver = solver_only(stage, false);
    struct expr_pool *pool = expr_pool_new();
    uint8_t input[80] = {0}, model[80];
    uint32_t questions[16];
    size_t known = 0;
    for (unsigned i = 0; i < 16; i++)
        questions[i] = stage_question(pool, stage, i);
    solver_begin(solver, pool, input, sizeof input);
    double start = cpu_seconds();
    for (size_t i = 0; i < asks; i++)
        known += solver_ask(solver, questions[i % 16], model) != SOLVER_UNKNOWN;
    double seconds = cpu_seconds() - start;
    printf("stage %-7s %10.0f answers per second (%.3f us each, %zu of %zu known)\n", name,
           (double)asks / seconds, seconds / (double)asks * 1e6, known, asks);
    solver_free(solver);
    expr_pool_free(pool);
}

int main(int argc, char **argv) {
#define STAGE(id, name, text)                                                                      \
    bench_stage(SOLVER_STAGE_##id, #name, SOLVER_STAGE_##id == SOLVER_STAGE_SMT ? 500 : 500000);
#include "solver/stages.def"
#undef STAGE
    bench_exhaustive(8, true, 60);
    bench_exhaustive(6, false, 5);
    bench_long_path(100);
    bench_long_path(500);
    bench_solve(20, false);
    bench_solve(50, false);
    bench_solve(20, true);
    bench_solve(50, true);
    bench_runs(500);
    bench_runs(10000);
    for (int i = 1; i < argc; i++)
        bench_solve((unsigned)atoi(argv[i]), true);
    return 0;
}
