/* SPDX-License-Identifier: Apache-2.0
 *
 * Where in the source is a loop or a call? And how is a finding described in words?
 */
#include "redundant/internal.h"

/* ---- from numbers to lines ---- */

static void place_block(const struct ir_facts *facts, uint32_t block,
                        struct redundant_place *place) {
    const struct ir_function *function = &facts->functions[facts->blocks[block].function];
    place->function = facts->strings + function->name;
    place->file =
        facts->strings + (facts->blocks[block].file ? facts->blocks[block].file : function->file);
    place->line = facts->blocks[block].line;
}

void redundant_find_call(const struct ir_facts *facts, uint32_t site,
                         struct redundant_place *place) {
    uint32_t block = (site & ~ABI_CALL_VARIES) >> ABI_CALL_INDEX_BITS;
    uint32_t index = site & ABI_CALL_INDEX;
    *place = (struct redundant_place){.function = "", .file = ""};
    if (block >= facts->block_count)
        return;
    place_block(facts, block, place);
    if (index >= facts->blocks[block].call_count)
        return;
    const struct ir_call *call = &facts->calls[facts->blocks[block].first_call + index];
    if (call->line)
        place->line = call->line;
    if (call->callee != IR_NONE && !facts->functions[call->callee].block_count)
        place->library = facts->strings + facts->functions[call->callee].name;
}

void redundant_find_place(const struct ir_facts *facts, uint32_t loop,
                          struct redundant_place *place) {
    uint32_t number = loop & ABI_LOOP_NUMBER;
    *place = (struct redundant_place){.function = "", .file = ""};
    if (loop & ABI_LOOP_LIBRARY) {
        redundant_find_call(facts, number, place);
        if (!place->library)
            place->library = "a library function";
        return;
    }
    if (number < facts->loop_count) {
        place_block(facts, facts->loops[number].header, place);
        place->line = facts->loops[number].line ? facts->loops[number].line : place->line;
        return;
    }
    number -= facts->loop_count;
    if (number >= facts->function_count)
        return;
    place->is_recursion = true;
    place->function = facts->strings + facts->functions[number].name;
    place->file = facts->strings + facts->functions[number].file;
    place->line = facts->functions[number].line;
}

/* ---- words ---- */

static const struct {
    const char *name, *text;
} mends[] = {
#define MEND(id, name, text) {name, text},
    REDUNDANT_MENDS(MEND)
#undef MEND
};

const char *redundant_mend_name(enum redundant_mend mend) {
    return mends[mend].name;
}

const char *redundant_mend_text(enum redundant_mend mend) {
    return mends[mend].text;
}

void redundant_name_place(const struct redundant_place *place, struct base_buffer *out) {
    if (place->library)
        base_buffer_print(out, "%s, called ", place->library);
    base_buffer_print(out, "%s%s:%u (%s%s)", place->library ? "at " : "",
                      *place->file ? place->file : "?", place->line,
                      place->is_recursion ? "calls of " : "", place->function);
}

static void explain_loop(const struct redundant_place *place, struct base_buffer *out) {
    base_buffer_print(out, place->library        ? ""
                           : place->is_recursion ? "the recursion "
                                                 : "the loop at ");
    redundant_name_place(place, out);
}

static void explain_growth(const struct redundant_growth *growth, struct base_buffer *out) {
    if (growth->is_known)
        base_buffer_print(out,
                          " From size %lld to %lld the loads grow like n^%.1f, what is read for "
                          "the first time like n^%.1f.",
                          (long long)growth->first, (long long)growth->last, growth->loads,
                          growth->fresh);
}

void redundant_explain(const struct redundant_finding *finding, struct base_buffer *out) {
    double again = finding->loads
                       ? 100.0 * (double)(finding->loads - finding->fresh) / (double)finding->loads
                       : 0;
    base_buffer_print(out, "In up to %llu iterations of ", (unsigned long long)finding->most);
    explain_loop(&finding->outer, out);
    base_buffer_print(out, ", ");
    explain_loop(&finding->inner, out);
    base_buffer_print(
        out,
        " makes %.4g iterations each time and reads the same data again: of its "
        "%llu loads, %.1f%% read what had been read before and not been written since.",
        finding->turns, (unsigned long long)finding->loads, again);
    explain_growth(&finding->growth, out);
}
