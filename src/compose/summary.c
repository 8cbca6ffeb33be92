/* SPDX-License-Identifier: Apache-2.0
 *
 * What does the trace of a path contain? Its decisions are conditions, and what it wrote to its
 * standard output are bytes, some of them expressions over its input.
 */
#include "compose/summary.h"

#include <stdlib.h>
#include <unistd.h>

void compose_path_done(struct compose_path *path) {
    free(path->input);
    free(path->trace);
    free(path->losses);
    *path = (struct compose_path){0};
}

void compose_summary_done(struct compose_summary *summary) {
    for (size_t i = 0; i < summary->paths.count; i++)
        compose_path_done(&summary->paths.data[i]);
    base_vector_done(&summary->paths);
    free(summary->command);
    free(summary->measure);
    *summary = (struct compose_summary){0};
}

static int by_weight(const void *a, const void *b) {
    const struct compose_path *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->output_bytes > y->output_bytes ? -1 : x->output_bytes < y->output_bytes;
}

void compose_summary_sort(struct compose_summary *summary) {
    if (summary->paths.count)
        qsort(summary->paths.data, summary->paths.count, sizeof *summary->paths.data, by_weight);
}

/* ---- reading ---- */

void compose_reading_init(struct compose_reading *reading, const struct search_sites *sites) {
    *reading = (struct compose_reading){0};
    search_walk_init(&reading->walk, sites);
}

void compose_reading_done(struct compose_reading *reading) {
    search_walk_done(&reading->walk);
    base_vector_done(&reading->conditions);
    base_vector_done(&reading->is_value);
    base_vector_done(&reading->output);
}

static void add_output(struct compose_reading *reading, const struct search_step *step) {
    struct expr_pool *pool = reading->walk.trace.pool;
    for (uint32_t i = 0; i < step->count; i++)
        base_push(&reading->output,
                  step->expr ? step->expr
                             : expr_make_constant(pool, 8, step->value >> (8 * i) & 0xff));
}

/* A repeated condition adds nothing; most repetitions are close together. */
static bool is_new(const uint8_t *seen, uint32_t condition, uint32_t count) {
    return condition >= count || !seen[condition];
}

static void read_steps(struct compose_reading *reading) {
    uint32_t room = 2 * expr_count(reading->walk.trace.pool) + 1024;
    uint8_t *seen = base_alloc(room);
    struct search_step step;
    while (search_walk_next(&reading->walk, &step)) {
        uint32_t condition = search_condition(&reading->walk, &step);
        if (condition && is_new(seen, condition, room)) {
            base_push(&reading->conditions, condition);
            base_push(&reading->is_value, step.kind == SEARCH_VALUE);
            if (condition < room)
                seen[condition] = 1;
        }
        if (step.kind == SEARCH_OUTPUT && step.site == STDOUT_FILENO)
            add_output(reading, &step);
        reading->is_lossy |= step.kind == SEARCH_LOSS;
    }
    free(seen);
}

bool compose_read(struct compose_reading *reading, const void *trace, size_t size) {
    reading->conditions.count = reading->is_value.count = reading->output.count = 0;
    reading->is_lossy = false;
    if (!search_walk_open(&reading->walk, trace, size) || !search_walk_import(&reading->walk))
        return false;
    read_steps(reading);
    return !reading->walk.is_broken && !search_walk_is_truncated(&reading->walk);
}
