/* SPDX-License-Identifier: Apache-2.0
 *
 * Where did the cost go? Block counts times instructions, by function, by source line and by loop.
 * The iterations of a loop are the executions of its back edge if block counts show those (its last
 * block goes nowhere else), otherwise those of its first block.
 */
#include "measure/weights.h"

#include "measure/json.h"

#include <stdlib.h>
#include <string.h>

void measure_profile_init(struct measure_profile *profile, const struct ir_facts *facts) {
    profile->facts = facts;
    profile->slot_count = facts->block_count + 1;
    profile->counts = base_alloc(profile->slot_count * sizeof *profile->counts);
}

void measure_profile_add(struct measure_profile *profile, const uint64_t *counts) {
    for (uint32_t i = 0; i < profile->slot_count; i++)
        profile->counts[i] += counts[i];
}

void measure_profile_done(struct measure_profile *profile) {
    free(profile->counts);
}

/* ---- rows ---- */

const char *const measure_bytes_name = "(bytes in library memory and string functions)";

struct row {
    const char *name, *file;
    uint32_t line;
    uint64_t cost, times;
    uint32_t depth;
};
struct rows {
    struct row *data;
    size_t count, capacity;
};

static int by_cost(const void *a, const void *b) {
    const struct row *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
    int order = strcmp(x->file, y->file);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void sort_rows(struct rows *rows) {
    if (rows->count)
        qsort(rows->data, rows->count, sizeof *rows->data, by_cost);
}

static uint64_t block_cost(const struct measure_profile *profile, uint32_t block) {
    return profile->counts[block + 1] * profile->facts->blocks[block].instructions;
}

static void function_rows(const struct measure_profile *profile, struct rows *rows) {
    const struct ir_facts *facts = profile->facts;
    for (uint32_t i = 0; i < facts->function_count; i++) {
        const struct ir_function *function = &facts->functions[i];
        struct row row = {.name = facts->strings + function->name,
                          .file = facts->strings + function->file,
                          .line = function->line};
        for (uint32_t j = 0; j < function->block_count; j++)
            row.cost += block_cost(profile, function->first_block + j);
        if (!row.cost)
            continue;
        row.times = profile->counts[function->first_block + 1];
        base_push(rows, row);
    }
    if (profile->counts[0])
        base_push(rows,
                  (struct row){.name = measure_bytes_name, .file = "", .cost = profile->counts[0]});
    sort_rows(rows);
}

static int by_place(const void *a, const void *b) {
    const struct row *x = a, *y = b;
    int order = strcmp(x->file, y->file);
    if (!order && !*x->file) /* no source file: separate by function */
        return strcmp(x->name, y->name);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void line_rows(const struct measure_profile *profile, struct rows *rows) {
    const struct ir_facts *facts = profile->facts;
    struct rows parts = {0};
    for (uint32_t i = 0; i < facts->block_count; i++) {
        const struct ir_block *block = &facts->blocks[i];
        uint64_t times = profile->counts[i + 1];
        for (uint32_t j = 0; times && j < block->line_count; j++) {
            const struct ir_line *line = &facts->lines[block->first_line + j];
            base_push(&parts,
                      (struct row){.name = facts->strings + facts->functions[block->function].name,
                                   .file = facts->strings + line->file,
                                   .line = line->line,
                                   .cost = times * line->instructions,
                                   .times = times});
        }
    }
    if (parts.count)
        qsort(parts.data, parts.count, sizeof *parts.data, by_place);
    for (size_t i = 0; i < parts.count; i++) {
        struct row *last = rows->count ? &rows->data[rows->count - 1] : NULL;
        if (last && by_place(last, &parts.data[i]) == 0) {
            last->cost += parts.data[i].cost;
            if (parts.data[i].times > last->times)
                last->times = parts.data[i].times;
        } else
            base_push(rows, parts.data[i]);
    }
    base_vector_done(&parts);
    sort_rows(rows);
}

static bool in_loop(const struct ir_facts *facts, uint32_t block, uint32_t loop) {
    uint32_t at = facts->blocks[block].loop;
    while (at != IR_NONE && at != loop)
        at = facts->loops[at].parent;
    return at == loop;
}

static uint64_t iterations(const struct measure_profile *profile, uint32_t number) {
    const struct ir_facts *facts = profile->facts;
    const struct ir_loop *loop = &facts->loops[number];
    const struct ir_function *function = &facts->functions[loop->function];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < function->block_count; i++) {
        uint32_t number_of_block = function->first_block + i;
        const struct ir_block *block = &facts->blocks[number_of_block];
        for (uint32_t j = 0; j < block->successor_count; j++) {
            if (facts->successors[block->first_successor + j] != loop->header ||
                !in_loop(facts, number_of_block, number))
                continue;
            if (block->successor_count > 1)
                return profile->counts[loop->header + 1];
            sum += profile->counts[number_of_block + 1];
        }
    }
    return sum;
}

static void loop_rows(const struct measure_profile *profile, struct rows *rows) {
    const struct ir_facts *facts = profile->facts;
    for (uint32_t i = 0; i < facts->loop_count; i++) {
        const struct ir_loop *loop = &facts->loops[i];
        uint64_t times = iterations(profile, i);
        if (times)
            base_push(rows,
                      (struct row){.name = facts->strings + facts->functions[loop->function].name,
                                   .file = facts->strings + loop->file,
                                   .line = loop->line,
                                   .cost = times,
                                   .times = times,
                                   .depth = loop->depth});
    }
    sort_rows(rows);
}

/* ---- printing ---- */

uint64_t measure_total(const struct measure_profile *profile) {
    uint64_t total = profile->counts[0];
    for (uint32_t i = 0; i < profile->facts->block_count; i++)
        total += block_cost(profile, i);
    return total;
}

static char *place(const struct row *row) {
    if (*row->file)
        return base_format("%s:%u", row->file, row->line);
    return base_strdup(row->name == measure_bytes_name ? "" : "(no line)");
}

static void print_costs(FILE *out, const char *title, const char *times, const struct rows *rows,
                        unsigned most, uint64_t total) {
    fprintf(out, "\n%s\n  %15s  %6s  %12s  %s\n", title, "instructions", "share", times, "where");
    for (size_t i = 0; i < rows->count && i < most; i++) {
        const struct row *row = &rows->data[i];
        char *where = place(row);
        fprintf(out, "  %15llu  %5.1f%%  %12llu  %s%s%s\n", (unsigned long long)row->cost,
                total ? 100.0 * (double)row->cost / (double)total : 0.0,
                (unsigned long long)row->times, row->name, *where ? "  " : "", where);
        free(where);
    }
    if (rows->count > most)
        fprintf(out, "  (%zu more)\n", rows->count - most);
}

static void print_loops(FILE *out, const struct rows *rows, unsigned most) {
    fprintf(out, "\nloops\n  %15s  %6s  %s\n", "iterations", "depth", "where");
    for (size_t i = 0; i < rows->count && i < most; i++)
        fprintf(out, "  %15llu  %6u  %s  %s:%u\n", (unsigned long long)rows->data[i].cost,
                rows->data[i].depth, rows->data[i].name, rows->data[i].file, rows->data[i].line);
    if (rows->count > most)
        fprintf(out, "  (%zu more)\n", rows->count - most);
}

void measure_profile_print(const struct measure_profile *profile, FILE *out, unsigned rows) {
    uint64_t total = measure_total(profile);
    struct rows functions = {0}, lines = {0}, loops = {0};
    function_rows(profile, &functions);
    line_rows(profile, &lines);
    loop_rows(profile, &loops);
    print_costs(out, "functions", "calls", &functions, rows, total);
    print_costs(out, "lines", "times", &lines, rows, total);
    print_loops(out, &loops, rows);
    base_vector_done(&functions);
    base_vector_done(&lines);
    base_vector_done(&loops);
}

static json_t *rows_json(const struct rows *rows, unsigned most, const char *cost,
                         const char *times) {
    json_t *array = json_array();
    for (size_t i = 0; i < rows->count && i < most; i++) {
        const struct row *row = &rows->data[i];
        json_t *object = json_pack("{s:s, s:s, s:i, s:I}", "function", row->name, "file", row->file,
                                   "line", (int)row->line, cost, (json_int_t)row->cost);
        if (times)
            json_object_set_new(object, times, json_integer((json_int_t)row->times));
        else
            json_object_set_new(object, "depth", json_integer(row->depth));
        json_array_append_new(array, object);
    }
    return array;
}

json_t *measure_profile_json(const struct measure_profile *profile, unsigned most) {
    struct rows functions = {0}, lines = {0}, loops = {0};
    function_rows(profile, &functions);
    line_rows(profile, &lines);
    loop_rows(profile, &loops);
    json_t *result = json_pack("{s:o, s:o, s:o}", "functions",
                               rows_json(&functions, most, "instructions", "calls"), "lines",
                               rows_json(&lines, most, "instructions", "times"), "loops",
                               rows_json(&loops, most, "iterations", NULL));
    base_vector_done(&functions);
    base_vector_done(&lines);
    base_vector_done(&loops);
    return result;
}
