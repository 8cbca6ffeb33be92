/* SPDX-License-Identifier: Apache-2.0
 *
 * The source of the important functions, line by line: executions, share of the cost, and growth
 * exponent; cold lines are folded. If a source file is missing or has changed, only numbers are
 * shown.
 */
#include "report/html.h"

#include "suite/finding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FOLDED 6   /* minimum number of consecutive cold lines to fold */
#define COLD 0.001 /* maximum share of the cost of a cold line */
#define MOST_FUNCTIONS 6
#define MOST_LINES 600 /* per function */
#define MOST_LOOPS 25

struct line {
    double times, cost, less;
};

struct listing {
    const struct report_profile *profile;
    uint32_t function, file, first, last; /* lines */
    struct line *lines;                   /* from FIRST on */
    double total;
    char *text;         /* of the file; NULL: unreadable */
    const char *cursor; /* at line FIRST */
};

/* ---- counts per line ---- */

static bool belongs(const struct listing *listing, const struct ir_line *line) {
    const struct ir_facts *facts = listing->profile->pair.facts;
    return line->line && strcmp(facts->strings + line->file, facts->strings + listing->file) == 0;
}

static void find_range(struct listing *listing) {
    const struct ir_facts *facts = listing->profile->pair.facts;
    const struct ir_function *function = &facts->functions[listing->function];
    listing->file = function->file;
    listing->first = function->line ? function->line : UINT32_MAX;
    listing->last = function->line;
    for (uint32_t i = 0; i < function->block_count; i++) {
        const struct ir_block *block = &facts->blocks[function->first_block + i];
        for (uint32_t j = 0; j < block->line_count; j++) {
            const struct ir_line *line = &facts->lines[block->first_line + j];
            if (!belongs(listing, line))
                continue;
            listing->first = line->line < listing->first ? line->line : listing->first;
            listing->last = line->line > listing->last ? line->line : listing->last;
        }
    }
    if (listing->last > listing->first + MOST_LINES)
        listing->last = listing->first + MOST_LINES;
}

static void sum_lines(struct listing *listing) {
    const struct report_profile *profile = listing->profile;
    const struct ir_facts *facts = profile->pair.facts;
    const struct ir_function *function = &facts->functions[listing->function];
    for (uint32_t i = 0; i < function->block_count; i++) {
        uint32_t number = function->first_block + i;
        const struct ir_block *block = &facts->blocks[number];
        for (uint32_t j = 0; j < block->line_count; j++) {
            const struct ir_line *line = &facts->lines[block->first_line + j];
            if (!belongs(listing, line) || line->line < listing->first ||
                line->line > listing->last)
                continue;
            struct line *sum = &listing->lines[line->line - listing->first];
            double times = (double)profile->more[number + 1];
            sum->times = fmax(sum->times, times);
            sum->cost += times * line->instructions;
            if (profile->less)
                sum->less += (double)profile->less[number + 1] * line->instructions;
        }
    }
}

static double total_cost(const struct report_profile *profile) {
    double sum = (double)profile->more[0];
    for (uint32_t i = 0; i < profile->pair.facts->block_count; i++)
        sum += (double)profile->more[i + 1] * profile->pair.facts->blocks[i].instructions;
    return sum > 0 ? sum : 1;
}

static void read_source(struct listing *listing) {
    struct base_error error;
    size_t size;
    const struct ir_facts *facts = listing->profile->pair.facts;
    const char *path = facts->strings + listing->file;
    char *whole = base_format("%s/%s", ir_file_folder(facts, listing->file), path);
    bool found = *path && ((*path != '/' && base_read_file(whole, &listing->text, &size, &error)) ||
                           base_read_file(path, &listing->text, &size, &error));
    free(whole);
    if (!found) {
        listing->text = NULL;
        return;
    }
    listing->cursor = listing->text;
    for (uint32_t i = 1; i < listing->first && listing->cursor; i++) {
        listing->cursor = strchr(listing->cursor, '\n');
        listing->cursor += listing->cursor != NULL;
    }
}

/* ---- rows ---- */

static void add_exponent(const struct listing *listing, const struct line *line,
                         struct base_buffer *out) {
    double doublings = log2(listing->profile->pair.more_size / listing->profile->pair.less_size);
    if (line->less > 0 && line->cost > 0 && doublings > 0)
        base_buffer_print(out, "n^%.1f", fabs(log2(line->cost / line->less) / doublings));
}

static void add_row(struct listing *listing, uint32_t number, struct base_buffer *out) {
    const struct line *line = &listing->lines[number - listing->first];
    double share = line->cost / listing->total;
    int heat = share >= 0.3 ? 4 : share >= 0.1 ? 3 : share >= 0.03 ? 2 : share >= 0.01 ? 1 : 0;
    base_buffer_print(out, heat ? "<tr class=\"h%d\">" : "<tr>", heat);
    base_buffer_print(out, "<td class=\"n\">%u</td><td class=\"n\">", number);
    if (line->times > 0)
        html_number(line->times, out);
    base_buffer_print(out, "</td><td class=\"n\">");
    if (share >= 0.0005)
        base_buffer_print(out, "%.1f%%", share * 100);
    base_buffer_print(out, "</td><td class=\"n\">");
    add_exponent(listing, line, out);
    base_buffer_print(out, "</td><td><code>");
    if (listing->cursor) {
        size_t length = strcspn(listing->cursor, "\r\n");
        char *text = base_format("%.*s", (int)(length < 400 ? length : 400), listing->cursor);
        report_xml(text, out);
        free(text);
        listing->cursor = strchr(listing->cursor, '\n');
        listing->cursor += listing->cursor != NULL;
    }
    base_buffer_print(out, "</code></td></tr>\n");
}

static bool is_cold(const struct listing *listing, uint32_t number) {
    return listing->lines[number - listing->first].cost / listing->total < COLD;
}

static void open_table(struct base_buffer *out) {
    base_buffer_print(out,
                      "<table class=\"source\"><thead><tr><th class=\"n\" scope=\"col\">line</th>"
                      "<th class=\"n\" scope=\"col\">times</th><th class=\"n\" scope=\"col\">share"
                      "</th><th class=\"n\" scope=\"col\">grows</th><th scope=\"col\">source</th>"
                      "</tr></thead><tbody>\n");
}

/* The number of cold lines that start here. */
static uint32_t count_cold(const struct listing *listing, uint32_t from) {
    uint32_t to = from;
    while (to <= listing->last && is_cold(listing, to))
        to++;
    return to - from;
}

static void add_lines(struct listing *listing, struct base_buffer *out) {
    bool is_open = false;
    for (uint32_t at = listing->first; at <= listing->last;) {
        uint32_t cold = count_cold(listing, at), end = at + (cold ? cold : 1);
        bool folds = cold >= FOLDED;
        if (is_open && folds)
            base_buffer_print(out, "</tbody></table>\n");
        if (folds)
            base_buffer_print(out, "<details><summary>%u lines that cost little</summary>\n", cold);
        if (folds || !is_open)
            open_table(out);
        for (; at < end; at++)
            add_row(listing, at, out);
        if (folds)
            base_buffer_print(out, "</tbody></table></details>\n");
        is_open = !folds;
    }
    if (is_open)
        base_buffer_print(out, "</tbody></table>\n");
}

static void add_function(const struct report_profile *profile, uint32_t function,
                         size_t *lines_left, struct base_buffer *out) {
    struct listing listing = {.profile = profile, .function = function};
    const struct ir_facts *facts = profile->pair.facts;
    find_range(&listing);
    size_t count = listing.last - listing.first + 1;
    if (!listing.last || listing.first > listing.last || count > *lines_left)
        return;
    *lines_left -= count;
    listing.lines = base_alloc(count * sizeof *listing.lines);
    listing.total = total_cost(profile);
    sum_lines(&listing);
    read_source(&listing);
    base_buffer_print(out, "<details open><summary><code>");
    report_xml(facts->strings + facts->functions[function].name, out);
    base_buffer_print(out, "</code> in ");
    report_xml(report_relative(facts->strings + listing.file), out);
    base_buffer_print(out, "%s</summary>\n<div class=\"wide\">\n",
                      listing.text ? "" : " (the source cannot be read)");
    add_lines(&listing, out);
    base_buffer_print(out, "</div></details>\n");
    free(listing.lines);
    free(listing.text);
}

/* ---- choosing functions ---- */

static void add_once(uint32_t *list, size_t *count, uint32_t function) {
    for (size_t i = 0; i < *count; i++)
        if (list[i] == function)
            return;
    if (*count < MOST_FUNCTIONS && function != IR_NONE)
        list[(*count)++] = function;
}

/* For a finding: the functions of its factors and its hottest one. For a test: the costliest. */
static size_t choose_functions(const struct report_profile *profile, const json_t *finding,
                               uint32_t *list) {
    const struct ir_facts *facts = profile->pair.facts;
    size_t count = 0, index;
    const json_t *step;
    json_array_foreach(json_object_get(finding, "cause"), index, step)
        add_once(list, &count, ir_find_function(facts, suite_text(step, "function", "")));
    const json_t *hottest = json_object_get(finding, "hottest");
    if (hottest)
        add_once(list, &count, ir_find_function(facts, suite_text(hottest, "function", "")));
    uint32_t best = IR_NONE;
    double most = 0;
    for (uint32_t f = 0; f < facts->function_count; f++) {
        double cost = 0;
        for (uint32_t i = 0; i < facts->functions[f].block_count; i++) {
            uint32_t block = facts->functions[f].first_block + i;
            cost += (double)profile->more[block + 1] * facts->blocks[block].instructions;
        }
        best = cost > most ? f : best;
        most = fmax(most, cost);
    }
    add_once(list, &count, best);
    return count;
}

void html_source(const struct report_profile *profile, const json_t *finding, size_t *lines_left,
                 struct base_buffer *out) {
    uint32_t functions[MOST_FUNCTIONS];
    size_t count = choose_functions(profile, finding, functions);
    for (size_t i = 0; i < count; i++)
        if (profile->pair.facts->functions[functions[i]].block_count)
            add_function(profile, functions[i], lines_left, out);
}

/* ---- loops ---- */

struct turns {
    uint32_t loop;
    double more, less;
};

static int by_turns(const void *a, const void *b) {
    const struct turns *x = a, *y = b;
    if (x->more != y->more)
        return x->more > y->more ? -1 : 1;
    return (x->loop > y->loop) - (x->loop < y->loop);
}

void html_loops(const struct report_profile *profile, struct base_buffer *out) {
    const struct ir_facts *facts = profile->pair.facts;
    double doublings = log2(profile->pair.more_size / profile->pair.less_size);
    BASE_VECTOR(struct turns) loops = {0};
    for (uint32_t i = 0; i < facts->loop_count; i++) {
        uint32_t slot = facts->loops[i].header + 1;
        if (profile->more[slot])
            base_push(&loops, (struct turns){i, (double)profile->more[slot],
                                             profile->less ? (double)profile->less[slot] : 0});
    }
    if (loops.count)
        qsort(loops.data, loops.count, sizeof *loops.data, by_turns);
    base_buffer_print(out, "<details><summary>Loops</summary>\n<table><thead><tr><th class=\"n\" "
                           "scope=\"col\">turns</th><th class=\"n\" scope=\"col\">grows</th><th "
                           "class=\"n\" scope=\"col\">depth</th><th scope=\"col\">where</th></tr>"
                           "</thead><tbody>\n");
    for (size_t i = 0; i < loops.count && i < MOST_LOOPS; i++) {
        const struct ir_loop *loop = &facts->loops[loops.data[i].loop];
        base_buffer_print(out, "<tr>");
        html_cell(loops.data[i].more, out);
        base_buffer_print(out, "<td class=\"n\">");
        if (loops.data[i].less > 0 && doublings > 0)
            base_buffer_print(out, "n^%.1f",
                              fabs(log2(loops.data[i].more / loops.data[i].less) / doublings));
        base_buffer_print(out, "</td>");
        html_cell(loop->depth, out);
        base_buffer_print(out, "<td><code>");
        report_xml(facts->strings + facts->functions[loop->function].name, out);
        base_buffer_print(out, "</code> ");
        report_xml(report_relative(facts->strings + loop->file), out);
        base_buffer_print(out, ":%u</td></tr>\n", loop->line);
    }
    base_buffer_print(out, "</tbody></table></details>\n");
    base_vector_done(&loops);
}
