/* SPDX-License-Identifier: Apache-2.0
 *
 * How is a path found that writes something, when hardly any input takes one? From the known paths,
 * one decision at a time: the conjuncts of a path are negated one after another, the resulting
 * inputs are run, and those that do something for the first time (their counts have other
 * magnitudes) are explored in the same way. So a filter that lets few lines pass is led towards
 * them, a byte at a time.
 */
#include "compose/exploring.h"

#include <stdlib.h>
#include <string.h>

#define STARTS 8
#define MOST_LOOKS 400 /* so that small programs do not always use up their time */

struct ascent {
    struct exploring *exploring;
    const struct search_program *program;
    struct solver *solver;
    struct compose_reading reading;
    struct exploring_others others;
    bool is_read; /* the last trace was readable */
    size_t turns;
    unsigned random;
};

static bool run_inputs(struct ascent *self, uint8_t *bytes, size_t count,
                       struct base_error *error) {
    struct exploring *in = self->exploring;
    struct abi_result *results = base_alloc((count + 1) * sizeof *results);
    double *costs = base_alloc((count + 1) * sizeof *costs);
    for (size_t i = 0; i < count; i++)
        exploring_bind(in, bytes + i * in->bytes);
    bool good = exploring_run(in, bytes, &count, results, costs, error);
    for (size_t i = 0; good && i < count; i++)
        exploring_add(in, bytes + i * in->bytes, costs[i], &results[i]);
    free(results);
    free(costs);
    return good;
}

/* Inputs of a repeated byte, and of a few different ones: letters, digits, blanks, line ends. */
static bool run_starts(struct ascent *self, struct base_error *error) {
    static const char *const fillings[STARTS] = {"a",    "0",    "\n",   " ",
                                                 "\xff", "ab\n", "b a ", "9\n"};
    uint64_t bytes = self->exploring->bytes;
    uint8_t *inputs = base_alloc(STARTS * bytes + 1);
    for (size_t i = 0; i < STARTS; i++)
        for (uint64_t k = 0; k < bytes; k++)
            inputs[i * bytes + k] = (uint8_t)fillings[i][k % strlen(fillings[i])];
    bool good = run_inputs(self, inputs, STARTS, error);
    free(inputs);
    return good;
}

static void read_trace(size_t index, const struct abi_result *result, const void *trace,
                       size_t size, void *context) {
    struct ascent *self = context;
    (void)index;
    self->is_read =
        result->status == ABI_STATUS_OK && trace && compose_read(&self->reading, trace, size);
}

static bool look_at(struct ascent *self, struct candidate *candidate, struct base_error *error) {
    struct exploring *in = self->exploring;
    struct target_input input = {candidate->input, in->bytes};
    candidate->is_followed = true;
    if (!target_run_traced(in->symbolic, &input, 1, read_trace, self, error))
        return false;
    if (!self->is_read)
        return true;
    exploring_ask(in, &self->reading, candidate->input, self->solver, &self->others);
    return run_inputs(self, self->others.inputs, self->others.numbers.count, error);
}

/* Picks the next one to explore: the most valuable, the newest and a random one, in turn, because a
 * step towards a goal need not look valuable. NULL: all have been explored. */
static struct candidate *choose(struct ascent *self) {
    struct exploring *in = self->exploring;
    struct candidate *best = NULL;
    size_t seen = 0, turn = self->turns++ % 3;
    for (size_t i = 0; i < in->candidates.count; i++) {
        struct candidate *one = &in->candidates.data[i];
        if (!one->is_new || one->is_followed)
            continue;
        bool is_better = turn == 0   ? !best || exploring_value(in, one) > exploring_value(in, best)
                         : turn == 1 ? true
                                     : (rand_r(&self->random) % ++seen) == 0;
        if (is_better)
            best = one;
    }
    return best;
}

bool exploring_ascend(struct exploring *in, double seconds, struct base_error *error) {
    struct ascent self = {.exploring = in,
                          .program = &in->target->subject.programs[0],
                          .solver = solver_new(&in->settings->search->solver),
                          .random = (unsigned)in->settings->search->seed + 1};
    double end = base_seconds() + seconds;
    size_t count;
    end = end < in->end ? end : in->end;
    solver_set_deadline(self.solver, end);
    compose_reading_init(&self.reading, &in->sites);
    exploring_others_init(&self.others, in->bytes);
    if (self.program->records)
        self.program->records(self.program->self, &count);
    bool good = run_starts(&self, error);
    struct candidate *next;
    while (good && (in->insists || self.turns < MOST_LOOKS) && base_seconds() < end &&
           !(in->insists && exploring_writes(in)) && (next = choose(&self)))
        good = look_at(&self, next, error);
    compose_reading_done(&self.reading);
    exploring_others_done(&self.others);
    solver_free(self.solver);
    return good;
}
