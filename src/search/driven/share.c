/* SPDX-License-Identifier: Apache-2.0
 *
 * What does another rank need to try a trace, and what does it return? It gets the trace with its
 * length and bound, and returns the verdict, with the input if there is one. The trace's nodes in
 * the oracle's tree stay on rank 0.
 */
#include "search/driven/driven.h"

#include <stdlib.h>
#include <string.h>

struct trace_head {
    uint64_t marks, instructions;
    double bound;
    uint32_t is_open, is_inexact;
};

void driven_put_trace(const struct driven_trace *trace, struct base_buffer *out) {
    struct trace_head head = {.marks = trace->marks.count,
                              .instructions = trace->instructions,
                              .bound = trace->bound,
                              .is_open = trace->is_open,
                              .is_inexact = trace->is_inexact};
    search_put(out, &head, sizeof head);
    search_put(out, trace->marks.data, trace->marks.count * sizeof *trace->marks.data);
}

bool driven_get_trace(const char *data, size_t size, const struct ir_facts *facts,
                      struct driven_trace *trace) {
    const char *end = data + size;
    struct trace_head head;
    if (!search_get(&data, end, &head, sizeof head) ||
        (size_t)(end - data) / sizeof *trace->marks.data != head.marks)
        return false;
    for (uint64_t i = 0; i < head.marks; i++) {
        struct driven_mark mark;
        search_get(&data, end, &mark, sizeof mark);
        if (mark.site >= facts->block_count)
            return false;
        base_push(&trace->marks, mark);
    }
    trace->instructions = head.instructions;
    trace->bound = head.bound;
    trace->is_open = head.is_open != 0;
    trace->is_inexact = head.is_inexact != 0;
    return true;
}

/* A verdict's input has room for two; see guide.c. */
void driven_put_verdict(const struct driven_verdict *verdict, size_t bytes,
                        struct base_buffer *out) {
    search_put(out, verdict, sizeof *verdict);
    if (verdict->input)
        search_put(out, verdict->input, 2 * bytes);
}

bool driven_get_verdict(const char *data, size_t size, struct driven_verdict *verdict) {
    const char *end = data + size;
    if (!search_get(&data, end, verdict, sizeof *verdict))
        return false;
    bool has_input = verdict->input != NULL; /* the pointer is from another process */
    size_t rest = (size_t)(end - data);
    verdict->input = has_input ? base_alloc(rest + 1) : NULL;
    return !has_input || search_get(&data, end, verdict->input, rest);
}
