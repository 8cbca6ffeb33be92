/* SPDX-License-Identifier: Apache-2.0
 *
 * What does the path of a test demand of its input? The test is followed once more and the
 * conditions of its decisions are printed as C; the sizes of its allocations add up to what it
 * costs in terms of the input.
 */
#include "search/core/core.h"

#include <stdlib.h>
#include <string.h>

struct telling {
    struct search_sites sites;
    struct expr_trace trace;
    expr_name *names;
    void *context;
    size_t limit;
    struct search_description *description;
};

static bool binds_loosely(enum abi_op op) {
    return op == ABI_OP_OR || op == ABI_OP_XOR || op == ABI_OP_AND || op == ABI_OP_ITE;
}

static void print_part(struct telling *telling, uint32_t expr, const char *separator,
                       struct base_buffer *out) {
    bool wrap = binds_loosely(expr_node(telling->trace.pool, expr)->op);
    base_buffer_print(out, "%s%s", out->count ? separator : "", wrap ? "(" : "");
    expr_print(telling->trace.pool, expr, telling->names, telling->context, out);
    if (wrap)
        base_buffer_add(out, ")", 1);
}

static bool is_constant(const struct expr_pool *pool, uint32_t expr) {
    return !expr || expr_node(pool, expr)->op == ABI_OP_CONST;
}

/* A condition that was said already, as in a loop that asks the same again, is not repeated when
 * it follows at once. */
static void tell_condition(struct telling *telling) {
    struct expr_trace *trace = &telling->trace;
    struct base_buffer text = {0};
    uint32_t last = 0;
    base_buffer_add(&text, "", 0);
    for (size_t i = 0; i < trace->count; i++) {
        const struct expr_event *event = &trace->events[i];
        bool decides = search_is_decision(event->kind, event->site);
        telling->description->decisions += decides;
        if ((!decides && event->kind != ABI_EVENT_ASSUME) || is_constant(trace->pool, event->expr))
            continue;
        const struct expr_cases *cases =
            event->kind == ABI_EVENT_SWITCH ? search_cases(&telling->sites, event->site) : NULL;
        uint32_t condition = expr_event_condition(trace->pool, event, cases);
        if (is_constant(trace->pool, condition) || condition == last ||
            text.count >= telling->limit)
            continue;
        print_part(telling, condition, " && ", &text);
        if (text.count >= telling->limit)
            base_buffer_print(&text, " && …");
        last = condition;
    }
    telling->description->condition = text.data;
}

static void tell_allocations(struct telling *telling, uint64_t allocated) {
    struct expr_trace *trace = &telling->trace;
    struct base_buffer text = {0};
    uint64_t symbolic = 0;
    for (size_t i = 0; i < trace->count; i++) {
        const struct expr_event *event = &trace->events[i];
        if (event->kind == ABI_EVENT_ALLOC && !is_constant(trace->pool, event->expr))
            symbolic += event->value;
    }
    if (allocated > symbolic)
        base_buffer_print(&text, "%llu", (unsigned long long)(allocated - symbolic));
    bool told = false;
    for (size_t i = 0; i < trace->count; i++) {
        const struct expr_event *event = &trace->events[i];
        if (event->kind != ABI_EVENT_ALLOC || is_constant(trace->pool, event->expr))
            continue;
        if (text.count < telling->limit)
            print_part(telling, event->expr, " + ", &text);
        told = true;
    }
    if (told && text.count >= telling->limit)
        base_buffer_print(&text, " + …");
    if (told)
        telling->description->allocated = text.data;
    else
        base_buffer_done(&text);
}

static void tell(size_t index, const struct abi_result *result, const void *bytes, size_t size,
                 void *context) {
    struct telling *telling = context;
    struct base_error error;
    size_t next;
    (void)index;
    if (!bytes || !expr_trace_read(&telling->trace, bytes, size, &next, &error))
        return;
    tell_condition(telling);
    tell_allocations(telling, result->costs.allocated);
}

bool search_describe(const struct search_programs *programs, const struct ir_facts *facts,
                     const struct target_input *input, expr_name *names, void *context,
                     size_t limit, struct search_description *description,
                     struct base_error *error) {
    *description = (struct search_description){0};
    struct telling telling = {.trace = {.pool = expr_pool_new()},
                              .names = names,
                              .context = context,
                              .limit = limit,
                              .description = description};
    search_sites_init(&telling.sites, facts);
    bool good = programs->trace(programs->self, input, 1, tell, &telling, error);
    search_sites_done(&telling.sites);
    expr_trace_done(&telling.trace);
    return good;
}

void search_description_done(struct search_description *description) {
    free(description->condition);
    free(description->allocated);
}
