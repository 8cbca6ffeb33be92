/* SPDX-License-Identifier: Apache-2.0
 *
 * Which searches look for costly paths of a single stage? All paths where inputs are tiny; else a
 * beam, single decisions (ascend.c), then evolution and climbers from their finds. In some of them
 * output counts as cost, because a later stage will have to read it; a stage without any path that
 * writes something is searched for longer. Where bytes are fixed by the previous stage, inputs are
 * run with these bytes, whatever a search proposes.
 */
#include "compose/exploring.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TINY 3          /* bytes; up to this size every path is explored */
#define FOUND 40        /* tests that each search keeps */
#define MOST_RUNS 40000 /* of one search, so that fast ones end in the same way each time */
#define MOST_STARTS 6   /* of a search that starts from earlier finds */
#define INSISTING 3     /* factor on the usual time, if no path has output */

/* ---- inputs ---- */

/* xargs strips quotes, backslashes and leading blanks from a line, and a line cannot contain a line
 * end. */
bool exploring_is_readable(const struct exploring *self, const uint8_t *input, size_t size) {
    bool is_line = self->program->is_line;
    bool good = !is_line || (size && *input != ' ' && *input != '\t');
    for (size_t i = 0; is_line && good && i < size; i++)
        good = !memchr("\n\"'\\", input[i], 5); /* also the NUL at its end */
    return good;
}

void exploring_bind(const struct exploring *self, uint8_t *input) {
    const struct compose_frame *frame = self->settings->frame;
    for (size_t i = 0; frame && i < self->bytes && i < frame->size; i++)
        if (frame->is_bound[i])
            input[i] = frame->values[i];
}

/* A copy that the caller frees. */
static uint8_t *bound_copy(const struct exploring *self, const void *input) {
    uint8_t *copy = base_alloc(self->bytes + 1);
    memcpy(copy, input, self->bytes);
    exploring_bind(self, copy);
    return copy;
}

/* ---- searches ---- */

/* A search that counts output as cost reports something other than the weight, so inputs are
 * measured again. */
static bool add_found(struct exploring *self, const struct search *search,
                      struct base_error *error) {
    const struct search_program *program = &self->target->subject.programs[0];
    const struct search_test *tests;
    size_t count = search_tests(search, &tests);
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        struct abi_result result;
        double weight;
        if (tests[i].size != self->bytes || tests[i].is_unmeasured)
            continue;
        uint8_t *copy = bound_copy(self, tests[i].input);
        struct target_input input = {copy, self->bytes};
        good = program->measure(program->self, &input, 1, &result, &weight, error);
        if (good)
            exploring_add(self, copy, weight, &result);
        free(copy);
    }
    return good;
}

struct payer { /* adds output to the cost, and rejects what cannot be a line */
    const struct search_program *inner;
    const struct exploring *exploring;
    double per_byte;
};

/* Inputs of other sizes are passed through. */
static void bind_all(const struct exploring *self, const struct target_input *inputs, size_t count,
                     struct target_input *bound) {
    for (size_t i = 0; i < count; i++)
        bound[i] = inputs[i].size == self->bytes
                       ? (struct target_input){bound_copy(self, inputs[i].data), inputs[i].size}
                       : inputs[i];
}

static void release_bound(const struct target_input *inputs, size_t count,
                          struct target_input *bound) {
    for (size_t i = 0; i < count; i++)
        if (bound[i].data != inputs[i].data)
            free((void *)bound[i].data);
    free(bound);
}

static bool measure_paid(void *self, const struct target_input *inputs, size_t count,
                         struct abi_result *results, double *costs, struct base_error *error) {
    const struct payer *payer = self;
    const struct search_program *inner = payer->inner;
    struct target_input *bound = base_alloc((count + 1) * sizeof *bound);
    bind_all(payer->exploring, inputs, count, bound);
    bool good = inner->measure(inner->self, bound, count, results, costs, error);
    for (size_t i = 0; good && i < count; i++)
        costs[i] = exploring_is_readable(payer->exploring, bound[i].data, bound[i].size)
                       ? costs[i] + payer->per_byte * (double)results[i].output_bytes
                       : 0;
    release_bound(inputs, count, bound);
    return good;
}

static bool run_search(struct exploring *self, const char *name,
                       const struct search_subject *subject, double seconds,
                       struct base_error *error) {
    struct search_options options = *self->settings->search;
    double left = self->end - base_seconds();
    options.tests = FOUND;
    options.limits.seconds = seconds < left ? seconds : left;
    options.limits.reserve = 0; /* its tests are not run again */
    options.limits.runs = MOST_RUNS;
    options.exchange = NULL; /* other searches search the whole */
    options.cluster = NULL;
    options.guest = NULL;
    if (options.limits.seconds <= 0)
        return true;
    struct search *search = search_new(search_find_strategy(name), &options, subject);
    struct search_statistics statistics;
    bool good = search_run(search, error) && add_found(self, search, error);
    search_statistics(search, &statistics);
    self->summary->is_complete |= good && statistics.complete;
    search_free(search);
    return good;
}

/* Lists the most valuable inputs so far, to start from. */
static size_t list_best(const struct exploring *self, struct target_input *starts) {
    const struct candidate *best[MOST_STARTS];
    size_t count = 0;
    for (size_t i = 0; i < self->candidates.count; i++) {
        const struct candidate *one = &self->candidates.data[i];
        size_t at = count < MOST_STARTS ? count++ : MOST_STARTS - 1;
        if (i >= MOST_STARTS && exploring_value(self, one) <= exploring_value(self, best[at]))
            continue;
        for (; at && exploring_value(self, one) > exploring_value(self, best[at - 1]); at--)
            best[at] = best[at - 1];
        best[at] = one;
    }
    for (size_t i = 0; i < count; i++)
        starts[i] = (struct target_input){best[i]->input, self->bytes};
    return count;
}

static bool run_from_best(struct exploring *self, const char *name,
                          const struct search_program *programs, double seconds,
                          struct base_error *error) {
    struct target_input starts[MOST_STARTS];
    struct search_subject subject = self->target->subject;
    subject.programs = programs ? programs : subject.programs;
    subject.prices.is_partial |= programs != NULL;
    subject.starts = starts;
    subject.start_count = list_best(self, starts);
    return run_search(self, name, &subject, seconds, error);
}

/* Runs searches in which output counts as cost, or which only accept possible lines. */
static bool run_paid(struct exploring *self, double per_byte, double seconds,
                     struct base_error *error) {
    const struct search_subject *subject = &self->target->subject;
    struct search_program *programs = base_alloc(subject->jobs * sizeof *programs);
    struct payer *payers = base_alloc(subject->jobs * sizeof *payers);
    for (size_t i = 0; i < subject->jobs; i++) {
        payers[i] = (struct payer){&subject->programs[i], self, per_byte};
        programs[i] = (struct search_program){.self = &payers[i], .measure = measure_paid};
    }
    bool good = run_from_best(self, "evolve", programs, seconds / 2, error) &&
                run_from_best(self, "climb", programs, seconds / 2, error);
    free(programs);
    free(payers);
    return good;
}

/* If no path has output, searches longer: later stages would have nothing to read. */
static bool insist(struct exploring *self, double seconds, struct base_error *error) {
    if (!self->program->is_read || exploring_writes(self))
        return true;
    double end = self->end;
    self->end = fmin(base_seconds() + seconds, self->settings->end);
    self->insists = true;
    bool good = exploring_ascend(self, seconds, error);
    self->insists = false;
    self->end = fmin(end + seconds, self->settings->end);
    return good;
}

bool exploring_search(struct exploring *self, double seconds, struct base_error *error) {
    const struct search_subject *subject = &self->target->subject;
    if (self->bytes <= TINY && !self->settings->frame &&
        !run_search(self, "exhaustive", subject, seconds / 2, error))
        return false;
    if (self->settings->frame) /* a beam would not keep to it */
        return exploring_ascend(self, seconds / 4, error) &&
               insist(self, INSISTING * seconds, error) &&
               run_paid(self, EXPLORING_PER_BYTE, seconds / 4, error) &&
               exploring_ascend(self, seconds / 4, error) && run_paid(self, 0, seconds / 4, error);
    if (self->program->is_line) /* its output is not read, and a beam's inputs are rarely lines */
        return run_paid(self, 0, seconds / 2, error) &&
               exploring_ascend(self, seconds / 4, error) && run_paid(self, 0, seconds / 4, error);
    return self->summary->is_complete ||
           (run_search(self, "beam", subject, seconds / 4, error) &&
            exploring_ascend(self, seconds / 4, error) &&
            insist(self, INSISTING * seconds, error) &&
            run_paid(self, EXPLORING_PER_BYTE, seconds / 4, error) &&
            run_from_best(self, "evolve", NULL, seconds * 0.15, error) &&
            run_from_best(self, "climb", NULL, seconds * 0.1, error));
}
