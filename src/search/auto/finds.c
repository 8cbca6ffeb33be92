/* SPDX-License-Identifier: Apache-2.0
 *
 * auto: what have its parts found? The tests of all go into one archive. What a guest found is told
 * from what the others found without it.
 */
#include "search/auto/auto.h"

#include <string.h>

void auto_take_tests(struct search_archive *to, const struct search_archive *from,
                     const struct search_archive *without) {
    for (size_t i = 0; i < from->count; i++)
        if (!search_archive_has(to, &from->tests[i]) &&
            !(without && search_archive_has(without, &from->tests[i])))
            search_archive_offer(to, &from->tests[i]);
}

const struct search_archive *auto_guest_tests(const struct search *search) {
    const struct auto_state *state = search->state;
    for (size_t i = 0; i < state->count; i++)
        if (auto_is_guest(&state->parts[i]) && state->parts[i].search)
            return &state->parts[i].search->archive;
    return NULL;
}

void auto_collect_others(const struct search *search, struct search_archive *to) {
    const struct auto_state *state = search->state;
    const struct search_archive *guest = auto_guest_tests(search);
    for (size_t i = 0; i < state->count; i++)
        if (state->parts[i].search && !auto_is_guest(&state->parts[i]))
            auto_take_tests(to, &state->parts[i].search->archive, guest);
}

void auto_gather(struct search *search) {
    struct auto_state *state = search->state;
    struct search_counters sum = {0};
    memset(&search->solver, 0, sizeof search->solver);
    for (size_t i = 0; i < state->count; i++) {
        struct search *part = state->parts[i].search;
        struct search_statistics now;
        if (!part)
            continue;
        search_statistics(part, &now);
        search_add_solver(&search->solver, &now.solver);
        search_add_counters(&sum, &now.counters);
        auto_take_tests(&search->archive, &part->archive, NULL);
        auto_take_tests(&search->faults, &part->faults, NULL);
        auto_take_tests(&search->kinds, &part->kinds, NULL);
    }
    search->counters = sum;
    search_note_tests(search);
}
