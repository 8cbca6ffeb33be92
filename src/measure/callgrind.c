/* SPDX-License-Identifier: Apache-2.0
 *
 * A profile in callgrind's file format, for KCachegrind and callgrind_annotate. Costs per line and
 * numbers of calls are exact. The inclusive cost of a call cannot be derived from block counts if a
 * function has several callers: its total cost is divided among them by their numbers of calls, as
 * in gprof, and the file says so. Recursive calls carry no cost.
 */
#include "measure/weights.h"

#include <stdlib.h>
#include <string.h>

#define UNKNOWN_FILE "???"

struct shares {
    const struct measure_profile *profile;
    double *inclusive; /* per function; negative: not computed yet */
    bool *active;      /* being computed: a cycle if met again */
    uint64_t *entries; /* calls of each function, as far as known from direct calls */
};

static uint64_t calls_of(const struct shares *shares, uint32_t function) {
    const struct ir_function *at = &shares->profile->facts->functions[function];
    return at->block_count ? shares->profile->counts[at->first_block + 1]
                           : shares->entries[function];
}

static double inclusive_cost(struct shares *shares, uint32_t function);

/* The cost charged for COUNT calls of a function. */
static double call_cost(struct shares *shares, uint32_t callee, uint64_t count) {
    uint64_t calls = calls_of(shares, callee);
    if (!calls || shares->active[callee])
        return 0;
    return inclusive_cost(shares, callee) * ((double)count / (double)calls);
}

static double inclusive_cost(struct shares *shares, uint32_t function) {
    const struct ir_facts *facts = shares->profile->facts;
    if (shares->inclusive[function] >= 0)
        return shares->inclusive[function];
    shares->active[function] = true;
    double sum = 0;
    const struct ir_function *at = &facts->functions[function];
    for (uint32_t i = 0; i < at->block_count; i++) {
        const struct ir_block *block = &facts->blocks[at->first_block + i];
        uint64_t times = shares->profile->counts[at->first_block + i + 1];
        if (!times)
            continue;
        sum += (double)times * block->instructions;
        for (uint32_t j = 0; j < block->call_count; j++) {
            uint32_t callee = facts->calls[block->first_call + j].callee;
            if (callee != IR_NONE)
                sum += call_cost(shares, callee, times);
        }
    }
    shares->active[function] = false;
    return shares->inclusive[function] = sum;
}

static void count_entries(struct shares *shares) {
    const struct ir_facts *facts = shares->profile->facts;
    for (uint32_t i = 0; i < facts->block_count; i++)
        for (uint32_t j = 0; j < facts->blocks[i].call_count; j++) {
            uint32_t callee = facts->calls[facts->blocks[i].first_call + j].callee;
            if (callee != IR_NONE)
                shares->entries[callee] += shares->profile->counts[i + 1];
        }
}

/* Instructions without a source line get line 0 of the function's own file. */
static void print_lines(const struct shares *shares, uint32_t number, const char *file,
                        struct base_buffer *out) {
    const struct ir_facts *facts = shares->profile->facts;
    const struct ir_block *block = &facts->blocks[number];
    uint64_t times = shares->profile->counts[number + 1];
    uint32_t left = block->instructions;
    for (uint32_t i = 0; i < block->line_count; i++) {
        const struct ir_line *line = &facts->lines[block->first_line + i];
        const char *own = facts->strings + line->file;
        bool elsewhere = *own && strcmp(own, file) != 0;
        if (elsewhere)
            base_buffer_print(out, "fi=%s\n", own);
        base_buffer_print(out, "%u %llu\n", *own ? line->line : 0,
                          (unsigned long long)(times * line->instructions));
        if (elsewhere)
            base_buffer_print(out, "fe=%s\n", file);
        left -= line->instructions;
    }
    if (left)
        base_buffer_print(out, "0 %llu\n", (unsigned long long)(times * left));
}

static void print_calls(struct shares *shares, uint32_t number, struct base_buffer *out) {
    const struct ir_facts *facts = shares->profile->facts;
    const struct ir_block *block = &facts->blocks[number];
    uint64_t times = shares->profile->counts[number + 1];
    for (uint32_t i = 0; i < block->call_count; i++) {
        const struct ir_call *call = &facts->calls[block->first_call + i];
        if (call->callee == IR_NONE)
            continue;
        const struct ir_function *callee = &facts->functions[call->callee];
        bool known = callee->block_count && callee->file;
        base_buffer_print(out, "cfi=%s\ncfn=%s\ncalls=%llu %u\n%u %llu\n",
                          known ? facts->strings + callee->file : UNKNOWN_FILE,
                          facts->strings + callee->name, (unsigned long long)times,
                          known ? callee->line : 0, call->line,
                          (unsigned long long)call_cost(shares, call->callee, times));
    }
}

static void print_function(struct shares *shares, uint32_t number, struct base_buffer *out) {
    const struct ir_facts *facts = shares->profile->facts;
    const struct ir_function *function = &facts->functions[number];
    const char *file = facts->strings + function->file;
    bool ran = false;
    for (uint32_t i = 0; i < function->block_count; i++)
        ran |= shares->profile->counts[function->first_block + i + 1] != 0;
    if (!ran)
        return;
    file = *file ? file : UNKNOWN_FILE;
    base_buffer_print(out, "\nfl=%s\nfn=%s\n", file, facts->strings + function->name);
    for (uint32_t i = 0; i < function->block_count; i++)
        if (shares->profile->counts[function->first_block + i + 1]) {
            print_lines(shares, function->first_block + i, file, out);
            print_calls(shares, function->first_block + i, out);
        }
}

/* The bytes touched by the library's memory and string functions, as a function of its own, so that
 * the file's total is the measured number of instructions. */
static void print_rest(const struct measure_profile *profile, struct base_buffer *out) {
    if (profile->counts[0])
        base_buffer_print(out, "\nfl=" UNKNOWN_FILE "\nfn=%s\n0 %llu\n", measure_bytes_name,
                          (unsigned long long)profile->counts[0]);
    base_buffer_print(out, "\ntotals: %llu\n", (unsigned long long)measure_total(profile));
}

bool measure_profile_callgrind(const struct measure_profile *profile, const char *command,
                               const char *path, struct base_error *error) {
    const struct ir_facts *facts = profile->facts;
    struct shares shares = {.profile = profile,
                            .inclusive =
                                base_alloc(facts->function_count * sizeof *shares.inclusive),
                            .active = base_alloc(facts->function_count * sizeof *shares.active),
                            .entries = base_alloc(facts->function_count * sizeof *shares.entries)};
    for (uint32_t i = 0; i < facts->function_count; i++)
        shares.inclusive[i] = -1;
    count_entries(&shares);
    struct base_buffer out = {0};
    base_buffer_print(&out,
                      "# callgrind format\nversion: 1\ncreator: slowpath " SLOWPATH_VERSION
                      "\ncmd: %s\ndesc: Inclusive costs: shared out by number of calls\n"
                      "positions: line\nevents: Instructions\n",
                      command);
    for (uint32_t i = 0; i < facts->function_count; i++)
        print_function(&shares, i, &out);
    print_rest(profile, &out);
    bool good = base_write_file(path, out.data, out.count, error);
    base_buffer_done(&out);
    free(shares.inclusive);
    free(shares.active);
    free(shares.entries);
    return good;
}
