/* SPDX-License-Identifier: Apache-2.0
 *
 * What does the path of a test demand of its input? The test is followed once more and the
 * conditions of its decisions are printed as C; the sizes of its allocations add up to what it
 * costs in terms of the input.
 */
#include "search/core/walk.h"

#include <stdlib.h>
#include <string.h>

struct telling {
    struct search_walk walk;
    expr_name *names;
    void *context;
    size_t limit;
    struct base_buffer condition;
    uint32_t last;               /* the condition that was told last */
    BASE_VECTOR(uint32_t) sizes; /* of allocations, where they depend on the input */
    uint64_t sized;              /* bytes of these */
};

static bool binds_loosely(enum abi_op op) {
    return op == ABI_OP_OR || op == ABI_OP_XOR || op == ABI_OP_AND || op == ABI_OP_ITE;
}

static void print_part(struct telling *telling, uint32_t expr, const char *separator,
                       struct base_buffer *out) {
    bool wrap = binds_loosely(expr_node(telling->walk.trace.pool, expr)->op);
    base_buffer_print(out, "%s%s", out->count ? separator : "", wrap ? "(" : "");
    expr_print(telling->walk.trace.pool, expr, telling->names, telling->context, out);
    if (wrap)
        base_buffer_add(out, ")", 1);
}

/* A condition that was said already, as in a loop that asks the same again, is not repeated when
 * it follows at once. */
static void tell_condition(struct telling *telling, uint32_t condition) {
    struct base_buffer *text = &telling->condition;
    if (condition == telling->last || text->count >= telling->limit)
        return;
    print_part(telling, condition, " && ", text);
    if (text->count >= telling->limit)
        base_buffer_print(text, " && …");
    telling->last = condition;
}

static void tell_step(struct telling *telling, const struct search_step *step) {
    uint32_t condition = search_condition(&telling->walk, step);
    if (step->kind == SEARCH_ALLOCATION &&
        !search_is_constant(telling->walk.trace.pool, step->expr)) {
        base_push(&telling->sizes, step->expr);
        telling->sized += step->value;
    } else if (condition && step->kind != SEARCH_REFUSAL)
        tell_condition(telling, condition);
}

/* The sum of all allocations; NULL when none depends on the input. */
static char *tell_allocations(struct telling *telling, uint64_t allocated) {
    struct base_buffer text = {0};
    if (!telling->sizes.count)
        return NULL;
    if (allocated > telling->sized)
        base_buffer_print(&text, "%llu", (unsigned long long)(allocated - telling->sized));
    for (size_t i = 0; i < telling->sizes.count && text.count < telling->limit; i++)
        print_part(telling, telling->sizes.data[i], " + ", &text);
    if (text.count >= telling->limit)
        base_buffer_print(&text, " + …");
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
    bool good = search_follow(&subject->programs[0], &telling.walk, input, &has_trace, error);
    if (has_trace) {
        base_buffer_add(&telling.condition, "", 0);
        while (search_walk_next(&telling.walk, &step))
            tell_step(&telling, &step);
        description->condition = telling.condition.data;
        description->decisions = telling.walk.depth;
        description->allocated = tell_allocations(&telling, allocated);
    }
    base_vector_done(&telling.sizes);
    search_walk_done(&telling.walk);
    search_sites_done(&sites);
    return good;
}

void search_description_done(struct search_description *description) {
    free(description->condition);
    free(description->allocated);
}
