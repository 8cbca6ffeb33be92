/* SPDX-License-Identifier: Apache-2.0
 *
 * auto: which inputs does each strategy start from?
 */
#include "search/auto/auto.h"

#include <stdlib.h>
#include <string.h>

static void add_start(struct auto_part *part, const void *data, size_t size, size_t length) {
    uint8_t *bytes = base_alloc(length + 1);
    memcpy(bytes, data, size < length ? size : length);
    part->starts[part->subject.start_count++] = (struct target_input){bytes, length};
}

void auto_start_as_given(struct auto_part *part, const struct search *search) {
    const struct search_subject *given = &search->subject;
    bool varies = auto_strategy(part, search)->varies_size;
    part->starts = base_alloc((given->start_count + 1) * sizeof *part->starts);
    for (size_t i = 0; i < given->start_count; i++) {
        size_t size = given->starts[i].size;
        add_start(part, given->starts[i].data, size, varies ? size : given->layout.bytes);
    }
}

void auto_start_with_nothing(struct auto_part *part, const struct search *search) {
    (void)search;
    part->starts = base_alloc(sizeof *part->starts);
}

void auto_start_from_best(struct auto_part *part, const struct search *search) {
    const struct search_test *best = search->archive.tests;
    if (!search->archive.count || !best->size || search->subject.layout.is_typed) {
        auto_start_as_given(part, search);
        return;
    }
    part->subject.layout.bytes = best->size;
    part->starts = base_alloc(sizeof *part->starts);
    add_start(part, best->input, best->size, best->size);
}

void auto_start_from_all(struct auto_part *part, const struct search *search) {
    const struct search_subject *given = &search->subject;
    size_t best = search->archive.count;
    best = best < search->options.tests ? best : search->options.tests;
    size_t count = given->start_count + best;
    part->starts = base_alloc((count + 1) * sizeof *part->starts);
    for (size_t i = 0; i < given->start_count; i++)
        add_start(part, given->starts[i].data, given->starts[i].size, given->starts[i].size);
    for (size_t i = 0; i < best; i++) {
        const struct search_test *test = &search->archive.tests[i];
        add_start(part, test->input, test->size, test->size);
    }
}
