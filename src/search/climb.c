/* SPDX-License-Identifier: Apache-2.0
 *
 * climb: how far can a good input be improved by small changes that do not make it cheaper?
 *
 * There are as many climbers as tests wanted. Every other one starts from a mutated copy of the
 * first input given (the default filling of a template), which may be more promising than its cost
 * suggests; the rest start from the costliest of the other inputs given, of random ones and of
 * mixtures of these (core/mix.c). In each step a few mutated copies of a climber are measured, and
 * the costliest replaces it unless it is cheaper. Equal cost is accepted, so that climbers can
 * cross a plateau, but no climber may move onto the path of another. Now and then the cheapest
 * climber gives up and continues as a copy of another one; from there the two diverge again.
 *
 * An input is a list of fields: those with a range, and single bytes elsewhere. A change gives
 * fields new values: random ones, neighbours of the old ones, or those of other fields. Where it
 * matters which fields are equal, any such change may destroy the pattern; so there are also
 * changes that swap two values wherever they occur, or two rows of fields.
 *
 * Only whole runs in the measuring build are compared; nothing is symbolic. Decisions are not seen,
 * so a path is identified by its block counts.
 */
#include "search/core/core.h"

#include <stdlib.h>
#include <string.h>

#define COPIES 6u        /* of a climber, measured in one batch */
#define ANYONE 2u        /* see find_cheapest */
#define MOST_CHANGES 64u /* fields of one copy */
#define LONGEST_ROW 16u  /* fields that are swapped with others */
#define PATIENCE 32u     /* steps of each climber before the cheapest gives up */
#define TURNS 16.0       /* ... or one part in so many of the time, where runs are slow */
#define FEWEST 8u        /* inputs to make mixtures from */

struct field {
    uint32_t offset, bytes;
    uint64_t low, span; /* span 0: all values */
};

struct climber {
    uint8_t *input;
    double cost;
    struct search_path path;
    struct abi_result result;
    bool is_set;
};

struct state {
    BASE_VECTOR(struct field) fields;
    struct climber *climbers;
    size_t count;
    struct search_archive pool; /* the costliest inputs to start from */
};

struct worker {
    struct search *search;
    const struct search_program *program;
    uint64_t random;
    uint8_t *inputs; /* COPIES of them */
    struct abi_result results[COPIES];
    double costs[COPIES];
};

/* ---- fields ---- */

static void find_fields(const struct search_layout *layout, struct state *state) {
    uint8_t *covered = base_alloc(layout->bytes + 1);
    for (size_t i = 0; i < layout->ranges.count; i++) {
        const struct solver_range *range = &layout->ranges.data[i];
        if (range->offset + range->width / 8 > layout->bytes)
            continue;
        base_push(&state->fields,
                  (struct field){range->offset, range->width / 8, (uint64_t)range->low,
                                 (uint64_t)range->high - (uint64_t)range->low + 1});
        memset(covered + range->offset, 1, range->width / 8);
    }
    for (size_t i = 0; i < layout->bytes; i++)
        if (!covered[i])
            base_push(&state->fields, (struct field){(uint32_t)i, 1, 0, 256});
    free(covered);
}

static uint64_t get(const struct field *field, const uint8_t *input) {
    uint64_t value = 0;
    memcpy(&value, input + field->offset, field->bytes);
    return value;
}

static void set(const struct field *field, uint8_t *input, uint64_t value) {
    memcpy(input + field->offset, &value, field->bytes);
}

static uint64_t draw_value(const struct field *field, uint64_t *random) {
    uint64_t bits = search_random(random);
    return field->low + (field->span ? bits % field->span : bits);
}

static bool is_within(const struct field *field, uint64_t value) {
    uint64_t mask = field->bytes < 8 ? ((uint64_t)1 << field->bytes * 8) - 1 : UINT64_MAX;
    return !field->span || ((value - field->low) & mask) < field->span;
}

/* ---- changes ---- */

static void change_field(const struct state *state, uint64_t *random, uint8_t *input) {
    size_t count = state->fields.count;
    const struct field *field = &state->fields.data[search_random(random) % count];
    const struct field *other = &state->fields.data[search_random(random) % count];
    uint64_t old = get(field, input), value = draw_value(field, random);
    switch (search_random(random) % 4) {
    case 0: /* a neighbour */
        value = old + (search_random(random) & 1 ? 1 : UINT64_MAX);
        break;
    case 1: /* the value of another field; half the time the two are swapped */
        if (other->bytes == field->bytes && other->span == field->span) {
            value = get(other, input);
            if (search_random(random) & 1)
                set(other, input, old);
        }
        break;
    default:
        break;
    }
    if (is_within(field, value))
        set(field, input, value);
}

static bool are_alike(const struct field *a, const struct field *b) {
    return a->bytes == b->bytes && a->low == b->low && a->span == b->span;
}

/* Swaps two values in all fields of one kind: what was equal stays equal. */
static void swap_values(const struct state *state, uint64_t *random, uint8_t *input) {
    size_t count = state->fields.count;
    const struct field *kind = &state->fields.data[search_random(random) % count];
    uint64_t a = get(kind, input), b = draw_value(kind, random);
    for (size_t i = 0; i < count; i++) {
        const struct field *field = &state->fields.data[i];
        if (!are_alike(field, kind))
            continue;
        uint64_t value = get(field, input);
        if (value == a || value == b)
            set(field, input, value == a ? b : a);
    }
}

/* Swaps two rows of fields, as far as their fields are of the same kind. */
static void swap_rows(const struct state *state, uint64_t *random, uint8_t *input) {
    size_t count = state->fields.count, first = search_random(random) % count;
    size_t second = search_random(random) % count, length = 1 + search_random(random) % LONGEST_ROW;
    for (size_t i = 0; i < length && first + i < count && second + i < count; i++) {
        const struct field *a = &state->fields.data[first + i];
        const struct field *b = &state->fields.data[second + i];
        uint64_t value = get(a, input);
        if (!are_alike(a, b))
            return;
        set(a, input, get(b, input));
        set(b, input, value);
    }
}

/* One change half the time, two a quarter of the time, and so on; all of the same kind. */
static void change(const struct state *state, uint64_t *random, uint8_t *input) {
    static void (*const kinds[])(const struct state *, uint64_t *,
                                 uint8_t *) = {change_field, change_field, swap_values, swap_rows};
    void (*change_one)(const struct state *, uint64_t *, uint8_t *) =
        kinds[search_random(random) % BASE_COUNT(kinds)];
    unsigned changes = 1;
    while (changes < MOST_CHANGES && (search_random(random) & 1))
        changes *= 2;
    for (unsigned i = 0; i < changes && state->fields.count; i++)
        change_one(state, random, input);
}

/* ---- measuring ---- */

/* Reduces WANTED to what --runs allows. */
static bool measure(struct worker *worker, size_t *wanted, struct base_error *error) {
    struct target_input inputs[COPIES];
    size_t size = worker->search->subject.layout.bytes;
    size_t count = *wanted = search_grant_locked(worker->search, *wanted);
    for (size_t i = 0; i < count; i++)
        inputs[i] = (struct target_input){worker->inputs + i * size, size};
    const struct search_program *program = worker->program;
    if (!program->measure(program->self, inputs, count, worker->results, worker->costs, error))
        return false;
    search_book_measured(worker->search, inputs, count, worker->results, worker->costs);
    return true;
}

static void settle(const struct worker *worker, struct climber *climber, size_t copy) {
    size_t size = worker->search->subject.layout.bytes;
    const struct abi_result *result = &worker->results[copy];
    memcpy(climber->input, worker->inputs + copy * size, size);
    climber->cost = worker->costs[copy];
    climber->path = (struct search_path){result->counts_hash, result->status};
    climber->result = *result;
    climber->is_set = true;
}

/* ---- starting ---- */

/* Among every other climber, from the first (0) or the second (1) on, or among ANYONE. */
static struct climber *find_cheapest(const struct state *state, size_t group) {
    struct climber *cheapest = NULL;
    for (size_t i = 0; i < state->count; i++) {
        struct climber *climber = &state->climbers[i];
        if (group != ANYONE && state->count > 1 && i % 2 != group)
            continue;
        if (!cheapest || (cheapest->is_set && (!climber->is_set || climber->cost < cheapest->cost)))
            cheapest = climber;
    }
    return cheapest;
}

static bool is_taken(const struct state *state, uint64_t counts_hash) {
    for (size_t i = 0; i < state->count; i++)
        if (state->climbers[i].is_set && state->climbers[i].path.a == counts_hash)
            return true;
    return false;
}

/* With the lock held: TEST replaces the cheapest climber of the group if it costs more. */
static bool replace_cheapest(const struct state *state, size_t group,
                             const struct search_test *test) {
    struct climber *cheapest = find_cheapest(state, group);
    if (is_taken(state, test->path.a) || (cheapest->is_set && cheapest->cost >= test->cost))
        return false;
    memcpy(cheapest->input, test->input, test->size);
    *cheapest = (struct climber){cheapest->input, test->cost, test->path, test->result, true};
    return true;
}

/* A copy on a path that no climber has replaces the cheapest of the group if it costs more. */
static void offer_start(const struct worker *worker, struct state *state, size_t copy,
                        size_t group) {
    struct climber *cheapest = find_cheapest(state, group);
    const struct abi_result *result = &worker->results[copy];
    if (search_ended_well(result) && !is_taken(state, result->counts_hash) &&
        (!cheapest->is_set || cheapest->cost < worker->costs[copy]))
        settle(worker, cheapest, copy);
}

/* The first input given and its copies form one group, all others the other. */
static size_t group_of(const struct search_subject *subject, size_t number) {
    if (number < subject->start_count)
        return number > 0;
    return (number - subject->start_count) % 2;
}

static void make_start(struct worker *worker, const struct state *state, size_t number,
                       uint8_t *input) {
    const struct search_subject *subject = &worker->search->subject;
    size_t starts = subject->start_count, size = subject->layout.bytes;
    memset(input, 0, size);
    if (number < starts)
        memcpy(input, subject->starts[number].data, size);
    else if (!starts || group_of(subject, number))
        search_draw_input(&subject->layout, &worker->random, input);
    else {
        memcpy(input, subject->starts[0].data, size);
        change(state, &worker->random, input);
    }
    search_clamp(&subject->layout, input, size);
}

static bool is_random(const struct search_subject *subject, size_t number) {
    return number >= subject->start_count && (!subject->start_count || group_of(subject, number));
}

static bool choose_starts(struct worker *worker, struct state *state, struct base_error *error) {
    struct search *search = worker->search;
    size_t size = search->subject.layout.bytes,
           total = search->subject.start_count + 4 * state->count;
    for (size_t done = 0; done < total && !search_is_over(search); done += COPIES) {
        size_t count = total - done < COPIES ? total - done : COPIES;
        for (size_t i = 0; i < count; i++)
            make_start(worker, state, done + i, worker->inputs + i * size);
        if (!measure(worker, &count, error))
            return false;
        for (size_t i = 0; i < count; i++) {
            if (search_ended_well(&worker->results[i]))
                search_note_start(search, worker->costs[i], is_random(&search->subject, done + i));
            offer_start(worker, state, i, group_of(&search->subject, done + i));
            search_pool_offer(&state->pool, worker->inputs + i * size, size, worker->costs[i],
                              &worker->results[i]);
        }
    }
    if (!search_mix(search, &state->pool, error))
        return false;
    for (size_t i = 0; i < state->pool.count; i++)
        replace_cheapest(state, 1, &state->pool.tests[i]);
    return true;
}

/* ---- climbing ---- */

static bool climb(struct worker *worker, const struct state *state, struct climber *climber,
                  struct base_error *error) {
    size_t size = worker->search->subject.layout.bytes, best = 0, count = COPIES;
    pthread_mutex_lock(&worker->search->lock); /* another worker may replace it, see give_up */
    for (size_t i = 0; i < COPIES; i++)
        memcpy(worker->inputs + i * size, climber->input, size);
    pthread_mutex_unlock(&worker->search->lock);
    for (size_t i = 0; i < COPIES; i++)
        change(state, &worker->random, worker->inputs + i * size);
    if (!measure(worker, &count, error))
        return false;
    if (!count)
        return true;
    for (size_t i = 1; i < count; i++)
        if (search_ended_well(&worker->results[i]) &&
            (!search_ended_well(&worker->results[best]) || worker->costs[i] > worker->costs[best]))
            best = i;
    pthread_mutex_lock(&worker->search->lock);
    uint64_t hash = worker->results[best].counts_hash;
    if (search_ended_well(&worker->results[best]) && worker->costs[best] >= climber->cost &&
        (hash == climber->path.a || !is_taken(state, hash)))
        settle(worker, climber, best);
    pthread_mutex_unlock(&worker->search->lock);
    return true;
}

/* The cheapest climber continues from the input of a costlier one. */
static void give_up(struct worker *worker, const struct state *state) {
    const struct climber *other = &state->climbers[search_random(&worker->random) % state->count];
    size_t size = worker->search->subject.layout.bytes;
    pthread_mutex_lock(&worker->search->lock);
    struct climber *cheapest = find_cheapest(state, ANYONE);
    if (other->is_set && other->cost > cheapest->cost) {
        uint8_t *input = cheapest->input;
        memcpy(input, other->input, size);
        *cheapest = *other;
        cheapest->input = input;
    }
    pthread_mutex_unlock(&worker->search->lock);
}

/* With the lock held: a test of another search. */
static bool adopt(struct search *search, size_t worker, const struct search_test *test) {
    (void)worker;
    return test->size == search->subject.layout.bytes &&
           replace_cheapest(search->state, ANYONE, test);
}

static void worker_init(struct worker *worker, struct search *search, size_t index) {
    *worker = (struct worker){.search = search,
                              .program = &search->subject.programs[index],
                              .random = search_seed(search, index),
                              .inputs = base_alloc(COPIES * search->subject.layout.bytes + 1)};
}

/* Each worker owns every jobs-th climber. */
static bool work(struct search *search, size_t index, struct base_error *error) {
    struct state *state = search->state;
    struct worker worker;
    bool good = true;
    double turn = search->options.limits.seconds / TURNS, began = base_seconds();
    worker_init(&worker, search, index);
    for (size_t round = 1; index < state->count && good && !search_is_over(search); round++) {
        for (size_t i = index; good && i < state->count && !search_is_over(search);
             i += search->subject.jobs)
            good = climb(&worker, state, &state->climbers[i], error);
        if (round % PATIENCE == 0 || (turn > 0 && base_seconds() - began > turn)) {
            give_up(&worker, state);
            began = base_seconds();
        }
        good = good && search_take_inputs(search, index, adopt, error);
    }
    free(worker.inputs);
    return good;
}

/* ---- the search ---- */

/* The suite consists of the climbers and the costliest inputs they started from. Places that are
 * still empty, because climbers met, go to other inputs found on the way. */
static void make_suite(struct search *search, const struct state *state) {
    struct search_archive earlier = search->archive;
    search_archive_init(&search->archive, search->options.tests);
    for (size_t i = 0; i < state->count; i++) {
        const struct climber *climber = &state->climbers[i];
        if (climber->is_set)
            search_pool_offer(&search->archive, climber->input, search->subject.layout.bytes,
                              climber->cost, &climber->result);
    }
    for (size_t i = 0; i < state->pool.count; i++)
        search_archive_offer(&search->archive, &state->pool.tests[i]);
    for (size_t i = 0; i < earlier.count && search->archive.count < search->options.tests; i++)
        search_archive_offer(&search->archive, &earlier.tests[i]);
    search_archive_done(&earlier);
}

static bool run(struct search *search, struct base_error *error) {
    struct state *state = search->state = base_alloc(sizeof *state);
    struct worker first;
    find_fields(&search->subject.layout, state);
    state->count = search->options.tests;
    search_archive_init(&state->pool, state->count < FEWEST ? FEWEST : state->count);
    state->climbers = base_alloc(state->count * sizeof *state->climbers);
    for (size_t i = 0; i < state->count; i++)
        state->climbers[i].input = base_alloc(search->subject.layout.bytes + 1);
    worker_init(&first, search, 0);
    bool good = choose_starts(&first, state, error);
    free(first.inputs);
    good = good && search_run_workers(search, work, error);
    if (good)
        make_suite(search, state);
    return good;
}

static void done(struct search *search) {
    struct state *state = search->state;
    if (!state)
        return;
    for (size_t i = 0; i < state->count; i++)
        free(state->climbers[i].input);
    free(state->climbers);
    search_archive_done(&state->pool);
    base_vector_done(&state->fields);
    free(state);
    search->state = NULL;
}

const struct search_strategy search_strategy_climb = {
    .name = "climb",
    .summary = "small changes to several inputs, each kept unless it costs less",
    .has_islands = true,
    .run = run,
    .done = done};
