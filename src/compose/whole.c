/* SPDX-License-Identifier: Apache-2.0
 *
 * The pipeline as a whole: the cost of an input, the cost of the worst inputs of single stages, and
 * the polishing of composed tests.
 */
#include "compose/cells.h"
#include "compose/composing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_SECONDS 0.3
#define HELD 0.1 /* share of what the previous stage reads: a stage that reads less is starved */

bool composing_measure(struct composing *self, const uint8_t *input, size_t size, double *cost,
                       struct base_error *error) {
    struct target_input one = {input, size};
    struct abi_result result;
    if (!target_run(self->target, &one, 1, &result, error))
        return false;
    bool is_good = result.status == ABI_STATUS_OK && !result.rejected;
    *cost = is_good ? measure_value(&self->measure, self->target, &result) : NAN;
    return true;
}

struct compose_test composing_new_test(const uint8_t *input, size_t size, double cost) {
    struct compose_test test = {.input = base_alloc(size + 1), .size = size, .cost = cost};
    memcpy(test.input, input, size);
    return test;
}

/* ---- finds of others ---- */

static void forget(struct composing *self) {
    for (size_t i = 0; i < self->known.count; i++)
        free(self->known.data[i].input);
    self->known.count = 0;
}

/* Converts an input of the search to the form that is composed: of a tree, the first cells. */
static struct compose_test small_test(const struct composing *self, const uint8_t *input,
                                      size_t size, double cost) {
    struct base_buffer bytes = {0};
    if (!composing_has_tree(self))
        return composing_new_test(input, size, cost);
    compose_recell(&self->request->whole, input, size, &self->request->target.tree, &bytes);
    struct compose_test test = composing_new_test((const uint8_t *)bytes.data, bytes.count, cost);
    base_buffer_done(&bytes);
    return test;
}

static void learn_tree(struct composing *self, unsigned form, uint32_t file_size) {
    const struct abi_tree *tree = &self->request->target.tree;
    struct compose_test plain = {.size = (size_t)abi_tree_input(tree)};
    plain.input = base_alloc(plain.size + 1);
    compose_plain_tree(tree, form, plain.input);
    if (file_size)
        compose_size_files(tree, file_size, plain.input);
    base_push(&self->known, plain);
}

/* Plain trees with short files, so that stages read little; and one with longer files, as some
 * programs need them. */
static void learn_plain_trees(struct composing *self) {
    if (!composing_has_tree(self))
        return;
    for (unsigned form = 0; form < COMPOSE_PLAIN_TREES; form++)
        learn_tree(self, form, 0);
    learn_tree(self, 0, self->request->whole.slice);
}

void compose_learn(struct composing *self, const struct search_test *tests, size_t count) {
    forget(self);
    for (size_t i = 0; i < count; i++)
        if (tests[i].size && !tests[i].is_unmeasured)
            base_push(&self->known, small_test(self, tests[i].input, tests[i].size, tests[i].cost));
    learn_plain_trees(self);
}

static void add_start(struct composing *self, size_t stage, const struct target_input *input,
                      struct composing_starts *starts) {
    struct abi_result by_stage[TARGET_MOST_STAGES];
    struct base_error error;
    if (!target_run_stages(self->target, input, by_stage, &error))
        return;
    struct target_input read = target_stage_input(self->target, input, stage);
    if (by_stage[stage].status != ABI_STATUS_OK || !read.size)
        return;
    struct compose_test copy = composing_new_test(read.data, read.size, 0);
    base_push(starts, ((struct target_input){copy.input, copy.size}));
}

/* First what it reads on the current input: if lines end there, a path of another stage can rarely
 * change that. */
void composing_list_starts(struct composing *self, size_t stage, struct composing_starts *starts) {
    if (self->pipeline->stages.data[stage].is_per_line)
        return;
    if (self->at_hand)
        add_start(self, stage, &(struct target_input){self->at_hand->input, self->request->bytes},
                  starts);
    for (size_t i = 0; i < self->known.count; i++)
        add_start(self, stage,
                  &(struct target_input){self->known.data[i].input, self->known.data[i].size},
                  starts);
}

static bool is_held_back(struct composing *self, const struct target_input *input) {
    struct abi_result by_stage[TARGET_MOST_STAGES];
    struct base_error error;
    bool is_held = !target_run_stages(self->target, input, by_stage, &error);
    for (size_t i = 0; i < self->pipeline->stages.count && !is_held; i++) {
        size_t from = self->pipeline->stages.data[i].from;
        if (from == TARGET_FIRST)
            continue;
        size_t before = target_stage_input(self->target, input, from).size,
               read = target_stage_input(self->target, input, i).size;
        is_held = self->pipeline->stages.data[i].is_per_line || /* others cannot trace it */
                  (by_stage[from].status == ABI_STATUS_OK && (double)read < HELD * (double)before);
    }
    return is_held;
}

bool compose_has_hope(struct composing *self, const struct search_test *best) {
    if (!best)
        return true;
    if (self->hoped_for != best->result.counts_hash) {
        struct compose_test small = small_test(self, best->input, best->size, 0);
        self->has_hope = is_held_back(self, &(struct target_input){small.input, small.size});
        free(small.input);
    }
    self->hoped_for = best->result.counts_hash;
    return self->has_hope;
}

/* ---- worst inputs of single stages ---- */

static int costliest_first(const void *a, const void *b) {
    const struct compose_test *x = a, *y = b;
    return x->cost != y->cost ? (x->cost > y->cost ? -1 : 1) : 0;
}

void composing_sort(struct compose_test *tests, size_t count) {
    if (count)
        qsort(tests, count, sizeof *tests, costliest_first);
}

static bool feed(struct composing *self, const struct compose_summary *summary,
                 struct base_error *error) {
    for (size_t i = 0; i < summary->paths.count; i++) {
        const uint8_t *input = summary->paths.data[i].input;
        double cost;
        if (!composing_measure(self, input, summary->bytes, &cost, error))
            return false;
        if (isnan(cost))
            continue;
        base_push(&self->outcome->alone, composing_new_test(input, summary->bytes, cost));
        if (!i)
            self->outcome->worst_alone = fmax(self->outcome->worst_alone, cost);
    }
    return true;
}

/* The costliest, as many as there are tests. */
bool composing_feed_alone(struct composing *self, struct base_error *error) {
    struct compose_outcome *outcome = self->outcome;
    bool good = true;
    for (size_t i = 0; good && i < self->summaries.count; i++)
        if (!composing_has_tree(self) || !self->summaries.data[i]->stage) /* others read no tree */
            good = feed(self, &self->summaries.data[i]->summary, error);
    composing_sort(outcome->alone.data, outcome->alone.count);
    while (outcome->alone.count > self->request->tests)
        free(outcome->alone.data[--outcome->alone.count].input);
    return good;
}

/* ---- polishing ---- */

static bool can_polish(const struct composing *self) {
    for (size_t i = 0; i < self->pipeline->stages.count; i++)
        if (self->pipeline->stages.data[i].is_per_line)
            return false;
    return self->outcome->tests.count > 0 && self->pipeline->stages.count > 1;
}

/* Composed tests, worst inputs of single stages, and finds of others, cut to the size of the input.
 */
static size_t list_starts(const struct composing *self, const uint8_t **inputs) {
    size_t count = 0;
    for (size_t i = 0; i < self->outcome->tests.count; i++)
        inputs[count++] = self->outcome->tests.data[i].input;
    for (size_t i = 0; i < self->outcome->alone.count; i++)
        if (self->outcome->alone.data[i].size >= self->request->bytes)
            inputs[count++] = self->outcome->alone.data[i].input;
    for (size_t i = 0; i < self->known.count; i++)
        if (self->known.data[i].size >= self->request->bytes)
            inputs[count++] = self->known.data[i].input;
    return count;
}

/* Takes those that cost more than the average composed test, because a suite has many tests. */
static void take_polished(struct composing *self, const struct compose_found *found) {
    for (size_t i = 0; i < found->count; i++) {
        struct compose_test test = {.input = found->data[i].input,
                                    .size = self->request->bytes,
                                    .cost = found->data[i].cost,
                                    .is_polished = true};
        if (test.cost > self->outcome->mean)
            base_push(&self->outcome->tests, test);
        else
            free(test.input);
    }
}

/* Tracing the whole pipeline can make up for what relaxing dropped: decisions of all stages are
 * changed one at a time, and each change preserves the paths of the previous stages. */
bool composing_polish(struct composing *self, struct base_error *error) {
    struct compose_outcome *outcome = self->outcome;
    double began = base_seconds(), best = 0;
    double left =
        fmin(self->settings.end - began, 2 * COMPOSING_POLISHING * self->request->seconds);
    bool was_stopped = self->request->is_over && self->request->is_over();
    if (was_stopped || !can_polish(self) || left < LEAST_SECONDS)
        return true;
    for (size_t i = 0; i < outcome->tests.count; i++)
        best = fmax(best, outcome->tests.data[i].cost);
    struct compose_program whole = {.target = self->request->target,
                                    .command = self->pipeline->text,
                                    .key = target_key(self->target),
                                    .facts = target_facts(self->target)};
    const uint8_t **inputs = base_alloc(
        (outcome->tests.count + outcome->alone.count + self->known.count) * sizeof *inputs);
    size_t count = list_starts(self, inputs);
    struct compose_found found = {.most = self->request->tests};
    found.data = base_alloc(found.most * sizeof *found.data);
    bool good = compose_polish(&whole, &self->settings, self->request->bytes, inputs, count, left,
                               &found, error);
    if (found.count)
        composing_note(self, "followed through all stages: the pipeline costs %.15g, before %.15g",
                       found.data[0].cost, best);
    take_polished(self, &found);
    outcome->polish_seconds = base_seconds() - began;
    free(inputs);
    free(found.data);
    return good;
}
