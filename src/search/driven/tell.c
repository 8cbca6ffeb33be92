/* SPDX-License-Identifier: Apache-2.0
 *
 * What did the oracle propose, and what was the verdict? For --show-traces; traces are printed in
 * the format of --trace.
 */
#include "search/driven/driven.h"

#include <string.h>

static void print_place(const struct ir_facts *facts, uint32_t site, struct base_buffer *out) {
    const struct ir_block *block = &facts->blocks[site];
    uint32_t line = block->line_count ? facts->lines[block->first_line + block->line_count - 1].line
                                      : block->line;
    base_buffer_print(out, "%s:%u", facts->strings + facts->functions[block->function].name, line);
}

static void print_fate(const struct ir_facts *facts, const struct driven_trace *trace,
                       const struct driven_verdict *verdict, struct base_buffer *out) {
    static const char *const fates[] = {[DRIVEN_FEASIBLE] = "feasible",
                                        [DRIVEN_INFEASIBLE] = "infeasible",
                                        [DRIVEN_BEYOND] = "beyond the bound on loops",
                                        [DRIVEN_FAULTY] = "its runs fail",
                                        [DRIVEN_STRAYED] = "the run goes another way",
                                        [DRIVEN_UNCERTAIN] = "not known"};
    base_buffer_print(out, "%s", fates[verdict->fate]);
    if (verdict->fate == DRIVEN_FEASIBLE)
        base_buffer_print(out, ", costs %.15g", verdict->cost);
    bool is_cut = verdict->fate == DRIVEN_INFEASIBLE || verdict->fate == DRIVEN_BEYOND;
    if (is_cut && verdict->at < trace->marks.count) {
        const struct driven_mark *mark = &trace->marks.data[verdict->at];
        size_t number = 0;
        for (size_t i = 0; i <= verdict->at; i++)
            number += trace->marks.data[i].depends != DRIVEN_PLAIN;
        base_buffer_print(out, " at decision %zu, ", number);
        print_place(facts, mark->site, out);
        if (mark->access)
            base_buffer_print(out, " %u bytes behind the start of its object", mark->outcome);
        else if (!mark->is_switch)
            base_buffer_print(out, " %s", mark->outcome ? "true" : "false");
    }
}

/* The trace in the format of --trace, with all lines but the first indented. */
static void print_trace(const struct ir_facts *facts, const struct driven_trace *trace,
                        struct base_buffer *out) {
    struct search_recount recount = {.trail = {.facts = facts}};
    struct base_buffer text = {0};
    for (size_t i = 0; i < trace->marks.count; i++) {
        const struct driven_mark *mark = &trace->marks.data[i];
        struct search_step step = {.kind = mark->is_switch ? SEARCH_SWITCH : SEARCH_BRANCH,
                                   .site = mark->site,
                                   .outcome = mark->outcome};
        if (mark->depends != DRIVEN_PLAIN && !mark->access)
            search_recount_step(&recount, &step);
    }
    search_recount_print(&recount, 4096, &text);
    for (const char *line = text.data; *line;) {
        size_t length = strcspn(line, "\n");
        base_buffer_print(out, "\n    %.*s", (int)length, line);
        line += length + (line[length] != 0);
    }
    search_recount_done(&recount);
    base_buffer_done(&text);
}

void driven_print_proposal(const struct ir_facts *facts, const struct driven_trace *trace,
                           const struct driven_verdict *verdict, struct base_buffer *out) {
    base_buffer_print(out, "%s %.15g: ", trace->is_open ? "at most" : "cost", trace->bound);
    print_fate(facts, trace, verdict, out);
    print_trace(facts, trace, out);
}
