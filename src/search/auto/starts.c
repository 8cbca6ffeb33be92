/* SPDX-License-Identifier: Apache-2.0
 *
 * auto: which inputs does each strategy start from?
 */
#include "search/auto/auto.h"

#include <stdlib.h>
#include <string.h>

#define MOST_OF_GUEST 4u
#define FAR_MORE 2.0 /* times what the others found */

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

static void add_tests(struct auto_part *part, const struct search_archive *archive, size_t most) {
    for (size_t i = 0; i < archive->count && i < most; i++)
        add_start(part, archive->tests[i].input, archive->tests[i].size, archive->tests[i].size);
}

/* What a guest finds early may all be alike, and lead to less than what the others found. So a part
 * starts from it only if it costs far more. */
static void add_finds(struct auto_part *part, const struct search *search, size_t most) {
    const struct search_archive *guest = auto_guest_tests(search);
    struct search_archive others;
    search_archive_init(&others, search->archive.limit);
    auto_collect_others(search, &others);
    add_tests(part, &others, most);
    if (guest && guest->count &&
        (!others.count || guest->tests[0].cost >= FAR_MORE * others.tests[0].cost))
        add_tests(part, guest, MOST_OF_GUEST);
    search_archive_done(&others);
}

void auto_start_from_all(struct auto_part *part, const struct search *search) {
    const struct search_subject *given = &search->subject;
    size_t most = search->options.tests;
    part->starts =
        base_alloc((given->start_count + most + MOST_OF_GUEST + 1) * sizeof *part->starts);
    for (size_t i = 0; i < given->start_count; i++)
        add_start(part, given->starts[i].data, given->starts[i].size, given->starts[i].size);
    if (search->options.guest)
        add_finds(part, search, most);
    else
        add_tests(part, &search->archive, most);
}
