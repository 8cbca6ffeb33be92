/* SPDX-License-Identifier: Apache-2.0
 *
 * How is a summary made? Searches look for costly inputs of the stage alone (seek.c, ascend.c). The
 * heaviest of the paths found are kept, and the heaviest of those with the longest output. Each is
 * then traced once more, for its condition and its output, and each of its conjuncts is negated,
 * keeping the ones before it, to see how much cheaper the path becomes without it.
 */
#include "compose/exploring.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HEAVIEST 10 /* paths kept for their weight */
#define LONGEST 6   /* ... and for the length of their output */
#define MOST_TRACE ((size_t)64 << 20)
#define LARGE 2048 /* bytes; for larger inputs few paths are kept */
#define FEW 2
#define AT_ONCE ((size_t)64) /* inputs between checks of the clock */
#define FOLLOWING 0.2 /* of the time, for tracing the kept paths and weighing their conjuncts */

/* ---- names ---- */

void compose_name(const struct compose_program *program, const struct compose_settings *settings,
                  uint64_t bytes, char key[33]) {
    struct base_hash hash;
    uint64_t numbers[] = {bytes, program->target.arg_index, ABI_VERSION, MEASURE_COUNTERS,
                          program->is_line};
    uint64_t tree[] = {program->target.tree.objects, program->target.tree.slice,
                       program->target.tree.bytes, program->target.tree.longest};
    base_hash_init(&hash);
    base_hash_add_text(&hash, SLOWPATH_VERSION);
    base_hash_add_text(&hash, program->key);
    base_hash_add(&hash, numbers, sizeof numbers);
    base_hash_add(&hash, tree, sizeof tree);
    for (size_t i = 0; i < program->target.arg_count; i++)
        base_hash_add_text(&hash, program->target.args[i]);
    base_hash_add_text(&hash, settings->measure);
    base_hash_add_text(&hash, settings->weights_text ? settings->weights_text : "");
    if (settings->frame) {
        base_hash_add(&hash, settings->frame->values, settings->frame->size);
        base_hash_add(&hash, settings->frame->is_bound, settings->frame->size);
    }
    base_hash_done(&hash, key);
}

/* ---- candidates ---- */

double exploring_value(const struct exploring *self, const struct candidate *candidate) {
    return candidate->weight + self->per_byte * (double)candidate->output_bytes;
}

bool exploring_writes(const struct exploring *self) {
    for (size_t i = 0; i < self->candidates.count; i++)
        if (self->candidates.data[i].output_bytes)
            return true;
    return false;
}

void exploring_add(struct exploring *self, const void *input, double weight,
                   const struct abi_result *result) {
    if (result->status != ABI_STATUS_OK || result->rejected ||
        !exploring_is_readable(self, input, self->bytes) ||
        !search_paths_add(&self->paths, (struct search_path){.a = result->counts_hash}))
        return;
    struct candidate candidate = {
        .input = base_alloc(self->bytes + 1),
        .weight = weight,
        .output_bytes = result->output_bytes,
        .path = result->counts_hash,
        .is_new =
            search_paths_add(&self->kinds, (struct search_path){.a = result->magnitude_hash})};
    memcpy(candidate.input, input, self->bytes);
    base_push(&self->candidates, candidate);
}

/* ---- which paths are kept ---- */

static int by_weight(const void *a, const void *b) {
    const struct candidate *x = a, *y = b;
    return x->weight != y->weight ? (x->weight > y->weight ? -1 : 1)
                                  : memcmp(&x->path, &y->path, sizeof x->path);
}

static void keep(struct exploring *self, struct candidate *candidate) {
    base_push(&self->summary->paths,
              (struct compose_path){.input = candidate->input,
                                    .weight = candidate->weight,
                                    .output_bytes = candidate->output_bytes});
    candidate->input = NULL;
}

/* The heaviest of those with the longest output below BELOW bytes. */
static struct candidate *find_longest(struct exploring *self, uint64_t below) {
    struct candidate *best = NULL;
    for (size_t i = 0; i < self->candidates.count; i++) {
        struct candidate *one = &self->candidates.data[i];
        if (one->output_bytes < below && (!best || one->output_bytes > best->output_bytes))
            best = one;
    }
    return best;
}

static void choose(struct exploring *self) {
    uint64_t below = UINT64_MAX;
    size_t longest_kept = self->bytes > LARGE ? FEW : LONGEST;
    size_t heaviest_kept = self->bytes > LARGE ? FEW : HEAVIEST;
    if (self->candidates.count)
        qsort(self->candidates.data, self->candidates.count, sizeof *self->candidates.data,
              by_weight);
    for (size_t i = 0; i < longest_kept; i++) {
        struct candidate *longest = find_longest(self, below);
        if (!longest || !longest->output_bytes)
            break;
        below = longest->output_bytes;
        keep(self, longest);
    }
    size_t wanted = self->summary->paths.count + heaviest_kept;
    for (size_t i = 0; i < self->candidates.count && self->summary->paths.count < wanted; i++)
        if (self->candidates.data[i].input)
            keep(self, &self->candidates.data[i]);
    for (size_t i = 0; i < self->candidates.count; i++)
        free(self->candidates.data[i].input);
    base_vector_done(&self->candidates);
}

/* ---- tracing them ---- */

static void take_trace(size_t index, const struct abi_result *result, const void *trace,
                       size_t size, void *context) {
    struct compose_path *path = (struct compose_path *)context + index;
    if (result->status != ABI_STATUS_OK || !trace || size > MOST_TRACE)
        return;
    path->trace = base_alloc(size + 1);
    memcpy(path->trace, trace, size);
    path->trace_size = size;
}

static bool follow(struct exploring *self, struct base_error *error) {
    struct compose_summary *summary = self->summary;
    struct target_input *inputs = base_alloc((summary->paths.count + 1) * sizeof *inputs);
    for (size_t i = 0; i < summary->paths.count; i++)
        inputs[i] = (struct target_input){summary->paths.data[i].input, self->bytes};
    bool good = target_run_traced(self->symbolic, inputs, summary->paths.count, take_trace,
                                  summary->paths.data, error);
    free(inputs);
    return good;
}

/* ---- weighing conjuncts ---- */

static size_t most_asked(uint64_t bytes) {
    uint64_t fit = bytes ? EXPLORING_ROOM / bytes : EXPLORING_ASKED;
    return fit < EXPLORING_ASKED ? (size_t)fit : EXPLORING_ASKED;
}

void exploring_others_init(struct exploring_others *others, uint64_t bytes) {
    *others = (struct exploring_others){.inputs = base_alloc(most_asked(bytes) * bytes + 1)};
}

void exploring_others_done(struct exploring_others *others) {
    base_vector_done(&others->numbers);
    free(others->inputs);
}

void exploring_ask(struct exploring *self, struct compose_reading *reading, const uint8_t *input,
                   struct solver *solver, struct exploring_others *others) {
    struct expr_pool *pool = reading->walk.trace.pool;
    uint8_t *model = base_alloc(self->bytes + 1);
    others->numbers.count = 0;
    solver_begin(solver, pool, input, self->bytes);
    for (size_t i = 0; i < reading->conditions.count && i < most_asked(self->bytes); i++) {
        uint32_t condition = reading->conditions.data[i];
        if (base_seconds() > self->end)
            break;
        if (solver_ask(solver, expr_make_not(pool, condition), model) == SOLVER_SAT) {
            memcpy(others->inputs + others->numbers.count * self->bytes, model, self->bytes);
            base_push(&others->numbers, (uint32_t)i);
        }
        if (!reading->is_value.data[i]) /* otherwise no decision after it could be negated */
            solver_assert(solver, condition);
    }
    free(model);
}

bool exploring_run(struct exploring *self, const uint8_t *bytes, size_t *count,
                   struct abi_result *results, double *costs, struct base_error *error) {
    const struct search_program *program = &self->target->subject.programs[0];
    struct target_input inputs[AT_ONCE];
    size_t done = 0, taken;
    bool good = true;
    for (size_t most = 1; good && done < *count && base_seconds() < self->end; done += taken) {
        taken = *count - done < most ? *count - done : most;
        for (size_t i = 0; i < taken; i++)
            inputs[i] = (struct target_input){bytes + (done + i) * self->bytes, self->bytes};
        good = program->measure(program->self, inputs, taken, results + done, costs + done, error);
        most = 2 * most < AT_ONCE ? 2 * most : AT_ONCE;
    }
    *count = done;
    return good;
}

/* Conjuncts that were not negated get the average loss of the others. */
static bool measure_losses(struct exploring *self, struct compose_path *path,
                           const struct exploring_others *others, struct base_error *error) {
    size_t count = others->numbers.count;
    struct abi_result *results = base_alloc((count + 1) * sizeof *results);
    double *costs = base_alloc((count + 1) * sizeof *costs), sum = 0;
    bool good = exploring_run(self, others->inputs, &count, results, costs, error);
    for (size_t i = 0; good && i < count; i++) {
        double left = results[i].status == ABI_STATUS_OK ? costs[i] : 0;
        double loss = fmax(path->weight - left, 0);
        path->losses[others->numbers.data[i]] = loss;
        sum += loss;
    }
    for (size_t i = most_asked(self->bytes); good && i < path->conjunct_count; i++)
        path->losses[i] = count ? sum / (double)count : 0;
    for (size_t i = count; good && i < others->numbers.count; i++)
        path->losses[others->numbers.data[i]] = count ? sum / (double)count : 0;
    free(results);
    free(costs);
    return good;
}

static bool weigh(struct exploring *self, struct compose_path *path, struct solver *solver,
                  struct base_error *error) {
    struct compose_reading reading;
    struct exploring_others others;
    exploring_others_init(&others, self->bytes);
    compose_reading_init(&reading, &self->sites);
    bool good = true;
    if (path->trace && compose_read(&reading, path->trace, path->trace_size) &&
        reading.output.count == path->output_bytes) {
        path->conjunct_count = (uint32_t)reading.conditions.count;
        path->losses = base_alloc((path->conjunct_count + 1) * sizeof *path->losses);
        exploring_ask(self, &reading, path->input, solver, &others);
        good = measure_losses(self, path, &others, error);
    } else {
        free(path->trace); /* its output is unknown, so it cannot be composed */
        path->trace = NULL;
    }
    compose_reading_done(&reading);
    exploring_others_done(&others);
    return good;
}

static void drop_untraced(struct compose_summary *summary) {
    size_t kept = 0;
    for (size_t i = 0; i < summary->paths.count; i++) {
        if (summary->paths.data[i].trace)
            summary->paths.data[kept++] = summary->paths.data[i];
        else
            compose_path_done(&summary->paths.data[i]);
    }
    if (kept < summary->paths.count)
        base_detail("%s: the output of %zu of %zu paths could not be followed", summary->command,
                    summary->paths.count - kept, summary->paths.count);
    summary->paths.count = kept;
}

static bool weigh_all(struct exploring *self, struct base_error *error) {
    struct solver *solver = solver_new(&self->settings->search->solver);
    bool good = true;
    solver_set_deadline(solver, self->end);
    for (size_t i = 0; good && i < self->summary->paths.count; i++)
        good = weigh(self, &self->summary->paths.data[i], solver, error);
    solver_free(solver);
    drop_untraced(self->summary);
    compose_summary_sort(self->summary);
    return good;
}

/* ---- exploring ---- */

static bool open_target(struct exploring *self, struct base_error *error) {
    static const struct base_strings none;
    struct search_request request = {.target = self->program->target,
                                     .measure = self->settings->measure,
                                     .weights = self->settings->weights,
                                     .strategy = search_find_strategy("beam"),
                                     .jobs = self->settings->jobs,
                                     .seed = self->settings->search->seed,
                                     .input_bytes = (int64_t)self->bytes,
                                     .most_bytes = self->bytes,
                                     .ranges = &none};
    request.target.keep_output = true;
    self->target = search_target_open(&request, error);
    request.target.kind = INSTRUMENT_SYMBOLIC;
    self->symbolic = self->target ? target_open(&request.target, error) : NULL;
    if (self->symbolic)
        target_set_output(self->symbolic, true);
    return self->symbolic != NULL;
}

/* ---- starting from inputs of another size ---- */

/* Repeats the whole lines of a unit, or all of it if it has none. */
static void repeat(const uint8_t *unit, uint64_t size, uint8_t *to, uint64_t bytes) {
    const uint8_t *last = size == bytes ? NULL : memrchr(unit, '\n', size);
    uint64_t step = last ? (uint64_t)(last - unit) + 1 : size;
    for (uint64_t i = 0; i < bytes; i++)
        to[i] = unit[i % step];
}

static bool begin_with(struct exploring *self, const uint8_t *const *inputs, size_t count,
                       struct base_error *error);

static bool begin_grown(struct exploring *self, const struct compose_summary *small,
                        struct base_error *error) {
    bool good = true;
    uint8_t *grown = base_alloc(self->bytes + 1);
    for (size_t i = 0; good && small && i < small->paths.count; i++) {
        repeat(small->paths.data[i].input, small->bytes, grown, self->bytes);
        exploring_bind(self, grown);
        good = begin_with(self, &(const uint8_t *){grown}, 1, error);
    }
    for (size_t i = 0; good && i < self->settings->start_count; i++) {
        repeat(self->settings->starts[i].data, self->settings->starts[i].size, grown, self->bytes);
        exploring_bind(self, grown);
        good = begin_with(self, &(const uint8_t *){grown}, 1, error);
    }
    free(grown);
    return good;
}

bool compose_explore(const struct compose_program *program, const struct compose_settings *settings,
                     uint64_t bytes, const struct compose_summary *small, double seconds,
                     struct compose_summary *summary, struct base_error *error) {
    struct exploring self = {.program = program,
                             .settings = settings,
                             .bytes = bytes,
                             .per_byte = EXPLORING_PER_BYTE,
                             .summary = summary};
    double before = base_seconds();
    *summary = (struct compose_summary){.command = base_strdup(program->command),
                                        .measure = base_strdup(settings->measure),
                                        .bytes = bytes,
                                        .given = seconds};
    compose_name(program, settings, bytes, summary->key);
    search_sites_init(&self.sites, program->facts);
    bool good = open_target(&self, error);
    double rest = seconds * FOLLOWING;
    self.end = fmin(before + seconds, settings->end) - rest;
    good =
        good && begin_grown(&self, small, error) && exploring_search(&self, seconds - rest, error);
    choose(&self);
    self.end = fmin(base_seconds() + rest, settings->end);
    good = good && follow(&self, error) && weigh_all(&self, error);
    summary->seconds = base_seconds() - before;
    if (self.symbolic)
        target_close(self.symbolic);
    if (self.target)
        search_target_close(self.target);
    search_sites_done(&self.sites);
    search_paths_done(&self.kinds);
    search_paths_done(&self.paths);
    if (!good)
        compose_summary_done(summary);
    return good;
}

/* ---- polishing: the whole pipeline ---- */

static bool begin_with(struct exploring *self, const uint8_t *const *inputs, size_t count,
                       struct base_error *error) {
    const struct search_program *program = &self->target->subject.programs[0];
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        struct target_input input = {inputs[i], self->bytes};
        struct abi_result result;
        double weight;
        good = program->measure(program->self, &input, 1, &result, &weight, error);
        if (good)
            exploring_add(self, inputs[i], weight, &result);
    }
    return good;
}

bool compose_polish(const struct compose_program *program, const struct compose_settings *settings,
                    uint64_t bytes, const uint8_t *const *inputs, size_t count, double seconds,
                    struct compose_found *found, struct base_error *error) {
    struct compose_summary none = {0};
    struct exploring self = {
        .program = program, .settings = settings, .bytes = bytes, .summary = &none};
    search_sites_init(&self.sites, program->facts);
    self.end = fmin(base_seconds() + seconds, settings->end);
    bool good = open_target(&self, error);
    good =
        good && begin_with(&self, inputs, count, error) && exploring_ascend(&self, seconds, error);
    if (self.candidates.count)
        qsort(self.candidates.data, self.candidates.count, sizeof *self.candidates.data, by_weight);
    for (size_t i = 0; i < self.candidates.count; i++) {
        struct candidate *one = &self.candidates.data[i];
        if (found->count < found->most)
            found->data[found->count++] = (struct compose_one){one->input, one->weight};
        else
            free(one->input);
    }
    base_vector_done(&self.candidates);
    search_paths_done(&self.kinds);
    search_paths_done(&self.paths);
    if (self.symbolic)
        target_close(self.symbolic);
    if (self.target)
        search_target_close(self.target);
    search_sites_done(&self.sites);
    return good;
}
