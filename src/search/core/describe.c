/* SPDX-License-Identifier: Apache-2.0
 *
 * What does the path of a test demand of its input? The test is followed once more and the
 * conditions of its decisions are printed as C; the sizes of its allocations add up to what it
 * costs in terms of the input.
 */
#include "search/core/walk.h"

#include <stdlib.h>

struct ids {
    uint32_t *data;
    size_t count, capacity;
};

struct telling {
    struct search_walk walk;
    expr_name *names;
    void *context;
    size_t limit;
    struct ids conditions; /* of the whole path */
    struct ids choices;    /* those of them that fix no value */
    struct ids sizes;      /* of allocations, where they depend on the input */
    uint64_t sized;        /* bytes of these */
};

static void note_step(struct telling *telling, const struct search_step *step) {
    uint32_t condition = search_condition(&telling->walk, step);
    if (step->kind == SEARCH_ALLOCATION &&
        !search_is_constant(telling->walk.trace.pool, step->expr)) {
        base_push(&telling->sizes, step->expr);
        telling->sized += step->value;
    } else if (condition && step->kind != SEARCH_REFUSAL) {
        base_push(&telling->conditions, condition);
        if (step->kind != SEARCH_VALUE)
            base_push(&telling->choices, condition);
    }
}

static char *tell_condition(const struct telling *telling) {
    struct base_buffer text = {0};
    base_buffer_add(&text, "", 0);
    expr_print_all(telling->walk.trace.pool, telling->conditions.data, telling->conditions.count,
                   telling->names, telling->context, telling->limit, &text);
    return text.data;
}

/* The sum of all allocations; NULL when none depends on the input. That sizes are fixed to what
 * they are in this run is not given: the sum shall tell more than that. */
static char *tell_allocations(const struct telling *telling, uint64_t allocated) {
    struct base_buffer text = {0};
    struct expr_given given = {telling->choices.data, telling->choices.count};
    if (!telling->sizes.count)
        return NULL;
    uint64_t rest = allocated > telling->sized ? allocated - telling->sized : 0;
    expr_print_sum(telling->walk.trace.pool, rest, telling->sizes.data, telling->sizes.count,
                   &given, telling->names, telling->context, telling->limit, &text);
    return text.data;
}

static char *tell_tables(const struct telling *telling) {
    struct base_buffer text = {0};
    struct expr_pool *pool = telling->walk.trace.pool;
    expr_print_tables(pool, telling->conditions.data, telling->conditions.count, &text);
    return text.data;
}

bool search_describe(const struct search_subject *subject, const struct target_input *input,
                     uint64_t allocated, expr_name *names, void *context, size_t limit,
                     struct search_description *description, struct base_error *error) {
    struct telling telling = {.names = names, .context = context, .limit = limit};
    struct search_sites sites;
    struct search_step step;
    bool has_trace;
    *description = (struct search_description){0};
    search_sites_init(&sites, subject->facts);
    search_walk_init(&telling.walk, &sites);
    struct abi_result result;
    bool good =
        search_follow(&subject->programs[0], &telling.walk, input, &has_trace, &result, error);
    description->is_outside = result.status == ABI_STATUS_BOUNDS;
    description->outside = result.outside;
    if (has_trace) {
        while (search_walk_next(&telling.walk, &step))
            note_step(&telling, &step);
        description->condition = tell_condition(&telling);
        description->tables = tell_tables(&telling);
        description->decisions = telling.walk.depth;
        description->allocated = tell_allocations(&telling, allocated);
        if (expr_pool_is_full(telling.walk.trace.pool)) {
            search_description_done(description);
            *description = (struct search_description){.decisions = telling.walk.depth};
        }
    }
    base_vector_done(&telling.conditions);
    base_vector_done(&telling.choices);
    base_vector_done(&telling.sizes);
    search_walk_done(&telling.walk);
    search_sites_done(&sites);
    return good;
}

void search_description_done(struct search_description *description) {
    free(description->condition);
    free(description->tables);
    free(description->allocated);
}
