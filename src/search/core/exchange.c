/* SPDX-License-Identifier: Apache-2.0
 *
 * How do searches of the same target exchange inputs? All strategies share this code: they call
 * search_take_inputs between batches, and what they book is given away when it is the costliest so
 * far. A strategy that keeps more than the costliest gives the rest away itself.
 *
 * Runs of inputs from others count neither as runs nor as paths of this search, so --runs and the
 * number of paths mean the same with and without others.
 */
#include "search/core/core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AT_ONCE 64u /* inputs run before the search goes on */

static struct search *outermost(struct search *search) {
    while (search->outer)
        search = search->outer;
    return search;
}

/* ---- giving ---- */

void search_give(const struct search *search, enum search_message kind, const void *data,
                 size_t size) {
    const struct search_exchange *exchange = search->options.exchange;
    if (exchange)
        exchange->give(exchange->self, kind, data, size);
}

void search_give_best(struct search *search) {
    struct search *outer = outermost(search);
    if (!search->options.exchange || !search->archive.count)
        return;
    const struct search_test *best = &search->archive.tests[0];
    if (best->cost <= outer->given || best->is_unmeasured)
        return;
    outer->given = best->cost;
    search_give(search, SEARCH_INPUT, best->input, best->size);
}

void search_give_tests(const struct search *search) {
    for (size_t i = 0; i < search->archive.count; i++)
        if (!search->archive.tests[i].is_unmeasured)
            search_give(search, SEARCH_INPUT, search->archive.tests[i].input,
                        search->archive.tests[i].size);
}

/* ---- taking ---- */

bool search_has_waiting(const struct search *search, enum search_message kind) {
    const struct search_exchange *exchange = search->options.exchange;
    return exchange && atomic_load_explicit(&exchange->waiting[kind], memory_order_relaxed) > 0;
}

bool search_take(const struct search *search, enum search_message kind, uint8_t **data,
                 size_t *size) {
    const struct search_exchange *exchange = search->options.exchange;
    return search_has_waiting(search, kind) && exchange->take(exchange->self, kind, data, size);
}

void search_note_taken(const struct search *search, enum search_message kind, bool is_record) {
    const struct search_exchange *exchange = search->options.exchange;
    exchange->note(exchange->self, kind, is_record);
}

/* Does an existing test say all that this one says? */
static bool is_known(const struct search *search, const struct search_test *test) {
    for (size_t i = 0; i < search->archive.count; i++) {
        const struct search_test *kept = &search->archive.tests[i];
        if (kept->result.counts_hash == test->result.counts_hash && kept->cost >= test->cost)
            return true;
    }
    return search_archive_has(&search->archive, test);
}

/* With the lock held. */
static void book(struct search *search, size_t worker, const struct search_test *test,
                 search_adopt *adopt) {
    const struct search_policy *policy = search->subject.policy;
    double best = search->archive.count ? search->archive.tests[0].cost : -INFINITY;
    bool is_good =
        search_ended_well(&test->result) && (!policy || search_policy_holds(policy, &test->result));
    bool is_record = is_good && test->cost > best;
    if (is_good && !is_known(search, test)) {
        search_archive_offer(&search->archive, test);
        search_offer_kind(search, test);
    }
    if (is_good && adopt)
        is_record |= adopt(search, worker, test);
    search_note_taken(search, SEARCH_INPUT, is_record);
}

static bool fits(const struct search *search, size_t size) {
    return search->subject.sizes_vary || size == search->subject.layout.bytes;
}

static bool run_one(struct search *search, size_t worker, const struct target_input *input,
                    search_adopt *adopt, struct base_error *error) {
    const struct search_program *program = &search->subject.programs[worker];
    struct search_test test = {.input = (uint8_t *)input->data, .size = input->size};
    if (!fits(search, input->size))
        return true;
    if (!program->measure(program->self, input, 1, &test.result, &test.cost, error))
        return false;
    test.path = (struct search_path){test.result.counts_hash, test.result.status};
    pthread_mutex_lock(&search->lock);
    book(search, worker, &test, adopt);
    pthread_mutex_unlock(&search->lock);
    return true;
}

static bool take_some(struct search *search, size_t worker, search_adopt *adopt, bool at_the_end,
                      struct base_error *error) {
    bool good = true;
    uint8_t *data;
    size_t size;
    for (unsigned i = 0; good && i < AT_ONCE; i++) {
        if ((!at_the_end && search_is_ending(search)) ||
            !search_take(search, SEARCH_INPUT, &data, &size))
            break;
        good = run_one(search, worker, &(struct target_input){data, size}, adopt, error);
        free(data);
    }
    return good;
}

bool search_take_inputs(struct search *search, size_t worker, search_adopt *adopt,
                        struct base_error *error) {
    return take_some(search, worker, adopt, false, error);
}

void search_take_waiting(struct search *search) {
    const struct search_exchange *exchange = search->options.exchange;
    struct base_error error;
    while (exchange && exchange->ask(exchange->self, SEARCH_INPUT))
        if (!take_some(search, 0, NULL, true, &error))
            return; /* there is no time: what is left stays where it is for the next run */
}
