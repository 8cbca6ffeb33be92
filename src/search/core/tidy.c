/* SPDX-License-Identifier: Apache-2.0
 *
 * Which objects of a test does its path not depend on? An input has room for more objects than the
 * path looks at, and pointers that nobody followed may lead anywhere. They are set to null, so that
 * a test has only the objects that its path needs.
 */
#include "search/core/core.h"

#include <stdlib.h>
#include <string.h>

static bool has_links(const struct search_layout *layout) {
    for (size_t i = 0; i < layout->fields.count; i++)
        if (layout->fields.data[i].is_link)
            return true;
    return false;
}

struct tidying {
    struct search_walk walk;
    uint8_t *used; /* by byte: the path depends on it */
    size_t size;
    bool has_trace;
};

static void note_condition(struct tidying *tidying, const struct search_step *step) {
    uint32_t condition = search_condition(&tidying->walk, step);
    struct expr_support support = {0};
    if (condition)
        support = expr_support(tidying->walk.trace.pool, condition);
    for (uint32_t i = 0; i < support.count; i++)
        if (support.offsets[i] < tidying->size)
            tidying->used[support.offsets[i]] = 1;
}

static void read_trace(size_t index, const struct abi_result *result, const void *trace,
                       size_t size, void *context) {
    struct tidying *tidying = context;
    struct search_step step;
    (void)index;
    (void)result;
    tidying->has_trace = trace && search_walk_open(&tidying->walk, trace, size) &&
                         !search_walk_is_truncated(&tidying->walk) &&
                         search_walk_import(&tidying->walk);
    while (tidying->has_trace && search_walk_next(&tidying->walk, &step))
        note_condition(tidying, &step);
}

static void clear_links(const struct search_layout *layout, const struct tidying *tidying,
                        uint8_t *input) {
    for (size_t i = 0; i < layout->fields.count; i++) {
        const struct target_field *field = &layout->fields.data[i];
        uint64_t end = field->offset + field->count * field->element_size;
        for (uint64_t at = field->offset; field->is_link && at < end && at < tidying->size; at++)
            if (!tidying->used[at])
                input[at] = 0;
    }
}

static void tidy_input(struct search *search, uint8_t *input, size_t size) {
    const struct search_program *program = &search->subject.programs[0];
    const struct search_layout *layout = search_layout_for(&search->subject, size);
    struct tidying tidying = {.used = base_alloc(size + 1), .size = size};
    struct target_input run = {input, size};
    struct base_error error;
    search_walk_init(&tidying.walk, &search->sites);
    if (program->trace(program->self, &run, 1, read_trace, &tidying, &error) && tidying.has_trace)
        clear_links(layout, &tidying, input);
    search_walk_done(&tidying.walk);
    free(tidying.used);
}

static void tidy_tests(struct search *search, struct search_archive *archive) {
    for (size_t i = 0; i < archive->count; i++) {
        struct search_test *test = &archive->tests[i];
        tidy_input(search, test->input, test->size);
        if (test->has_first)
            tidy_input(search, test->input + test->size, test->size);
    }
}

void search_tidy(struct search *search) {
    const struct search_program *program = &search->subject.programs[0];
    if (!program->trace || (program->can_trace && !program->can_trace(program->self)) ||
        !has_links(&search->subject.layout))
        return;
    tidy_tests(search, &search->archive);
    tidy_tests(search, &search->faults);
}
