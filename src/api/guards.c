/* SPDX-License-Identifier: Apache-2.0
 *
 * Which numbers pass a guard? Mutation does not get past `if (mode == 0x5eed && length % 37 == 5)`.
 * So the best sequence of a goal not yet reached is run in the symbolic build, with the numbers of
 * its calls symbolic and all other bytes fixed, and the other directions of its branches are solved
 * for. A sequence is an input like any other, so the strategy that covers all paths does this
 * unchanged; its results go through the search like other sequences.
 *
 * A number that passes a guard once is not a law. So each one is made to grow with n, by the
 * smallest step that still passes the guard, from as low as possible: 5 + 37 * n.
 */
#include "api/guards.h"

#include "search/search.h"

#include <stdlib.h>
#include <string.h>

#define SEQUENCES 8  /* tried per goal */
#define STEPS 128    /* steps by which a number may grow */
#define RUNS 300     /* for each */
#define SECONDS 2.0  /* ... at most, if there is a time limit */
#define MOST 20.0    /* ... in total, if there is none: a solver may never finish */
#define LONGEST 64   /* decisions to negate */
#define VALUES 2     /* values tried for a fixed one */
#define QUESTION 500 /* milliseconds per question */
#define RUN 0.2      /* seconds per run */
#define MOST_SIZE 1023
#define BITS (8 * sizeof(uint8_t))

void api_guards_init(struct api_guards *guards, struct api_search *search,
                     const struct target_options *target) {
    *guards = (struct api_guards){.search = search, .target = *target};
    guards->target.kind = INSTRUMENT_SYMBOLIC;
    guards->tried = base_alloc(search->goals->all.count + 1);
}

void api_guards_done(struct api_guards *guards) {
    if (guards->symbolic)
        target_close(guards->symbolic);
    free(guards->tried);
}

/* ---- symbolic numbers ---- */

struct opening {
    struct api_guards *guards;
    size_t goal;
    struct search *paths;
    unsigned more;  /* runs since the goal was reached */
    uint8_t *fixed; /* one bit per byte of the sequence */
    struct search_layout layout;
};

static void open_bytes(struct opening *opening, size_t first, size_t count) {
    for (size_t i = first; i < first + count; i++)
        opening->fixed[i / BITS] &= (uint8_t)~(1u << i % BITS);
}

static bool is_size(const struct api_parameter *parameter) {
    return parameter->roles && parameter->roles->roles & (IR_ROLE_AMOUNT | IR_ROLE_BOUND);
}

/* The harness copies byte by byte, so bounds are per byte. */
static void keep_small(struct search_layout *layout, uint32_t at) {
    for (uint32_t i = 1; i < sizeof(int32_t); i++)
        base_push(&layout->ranges,
                  (struct solver_range){.offset = at + i, .width = 8, .high = MOST_SIZE >> 8 * i});
}

static const struct api_function *called(const struct api_model *model,
                                         const struct api_statement *statement) {
    return &model->functions.data[model->called.data[statement->function]];
}

/* Makes the number arguments of all calls symbolic; returns how many there are. */
static size_t open_numbers(struct opening *opening, const struct api_sequence *sequence) {
    size_t count = 0;
    for (uint32_t s = 0; s < sequence->count; s++) {
        const struct api_function *function =
            called(opening->guards->search->model, &sequence->statements[s]);
        for (uint32_t i = 0; i < function->count; i++) {
            const struct api_parameter *parameter = &function->parameters[i];
            if (parameter->kind != API_SCALAR || parameter->type->kind == IR_TYPE_FLOAT)
                continue;
            size_t at = sizeof sequence->header + s * sizeof *sequence->statements +
                        offsetof(struct api_statement, arguments) +
                        i * sizeof(struct api_argument) + offsetof(struct api_argument, base);
            open_bytes(opening, at, sizeof(int32_t));
            if (is_size(parameter))
                keep_small(&opening->layout, (uint32_t)at);
            count++;
        }
    }
    return count;
}

/* ---- the sequence as a program to explore ---- */

static bool follow(void *self, const struct target_input *inputs, size_t count, target_visit *visit,
                   void *context, struct base_error *error) {
    const struct opening *opening = self;
    struct api_search *search = opening->guards->search;
    if (search->goes_on && !search->goes_on(search->context, search)) {
        search->is_stopped = true;
        search_stop(opening->paths);
    }
    return target_run_traced(opening->guards->symbolic, inputs, count, visit, context, error);
}

/* The cost is the closeness to the goal; the search itself keeps sequences that come closer. */
static bool try_all(void *self, const struct target_input *inputs, size_t count,
                    struct abi_result *results, double *costs, struct base_error *error) {
    struct opening *opening = self;
    struct api_guards *guards = opening->guards;
    struct api_search *search = guards->search;
    double *scores = base_alloc((search->count + 1) * sizeof *scores);
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        struct api_sequence sequence;
        results[i] = (struct abi_result){.status = ABI_STATUS_OK};
        costs[i] = 0;
        if (!good || api_search_is_covered(search, opening->goal) ||
            !api_sequence_decode(search->model, inputs[i].data, inputs[i].size, &sequence))
            continue;
        good = api_search_try(search, &sequence, scores, error);
        costs[i] = good ? 1 - scores[opening->goal] : 0;
        guards->solved++;
    }
    if (api_search_is_covered(search, opening->goal) || search->is_stopped)
        search_stop(opening->paths);
    free(scores);
    return good;
}

static void tell(const struct opening *opening) {
    const struct api_search *search = opening->guards->search;
    const struct api_goal *goal = &search->goals->all.data[opening->goal];
    struct search_statistics statistics;
    search_statistics(opening->paths, &statistics);
    base_detail("values for %s: %llu paths in %.2f s, %llu of them infeasible, loop %s",
                search->model->functions.data[goal->function].signature->name,
                (unsigned long long)statistics.counters.paths, statistics.seconds,
                (unsigned long long)statistics.counters.infeasible,
                api_search_is_covered(search, opening->goal) ? "reached" : "not reached");
}

static bool search_paths(struct opening *opening, const struct target_input *start, double seconds,
                         struct base_error *error) {
    struct search_program program = {.self = opening, .trace = follow, .measure = try_all};
    struct search_subject subject = {.programs = &program,
                                     .jobs = 1,
                                     .facts = opening->guards->search->goals->facts,
                                     .layout = opening->layout,
                                     .starts = start,
                                     .start_count = 1,
                                     .prices.is_partial = true};
    struct search_options options = {
        .tests = 1,
        .limits = {.seconds = seconds, .runs = RUNS},
        .path = {.longest = LONGEST, .loop_bound = SEARCH_NO_BOUND, .values = VALUES},
        .solver.timeout_ms = QUESTION};
    opening->paths = search_new(search_find_strategy("exhaustive"), &options, &subject);
    bool good = search_run(opening->paths, error);
    tell(opening);
    search_free(opening->paths);
    return good;
}

static bool solve(struct api_guards *guards, size_t goal, const struct api_sequence *sequence,
                  double seconds, struct base_error *error) {
    struct opening opening = {.guards = guards, .goal = goal};
    struct base_buffer bytes = {0};
    api_sequence_encode(guards->search->model, sequence, sequence->count, &bytes);
    size_t fixed = bytes.count / BITS + 1;
    opening.fixed = base_alloc(fixed);
    memset(opening.fixed, 0xff, fixed);
    bool good = true;
    if (open_numbers(&opening, sequence)) {
        struct target_input start = {bytes.data, bytes.count};
        struct target_aim aim = {.fixed = opening.fixed, .bytes = bytes.count};
        search_layout_of_bytes(bytes.count, &opening.layout);
        target_set_aim(guards->symbolic, &aim);
        good = search_paths(&opening, &start, seconds, error);
    }
    search_layout_done(&opening.layout);
    free(opening.fixed);
    base_buffer_done(&bytes);
    return good;
}

/* ---- sizes ---- */

/* Is the goal reached for another n as well, one without special factors? */
static bool holds(struct api_guards *guards, size_t goal, const struct api_sequence *line,
                  bool *is_held, struct base_error *error) {
    struct api_search *search = guards->search;
    struct api_sequence other = *line;
    struct api_outcome outcome;
    other.header.n = search->size + 1;
    if (!api_runner_run(search->runner, &other, &outcome, error))
        return false;
    *is_held = outcome.is_good && api_goal_fitness(search->goals, &search->goals->all.data[goal],
                                                   search->runner->last, search->turns) <= 0;
    return true;
}

/* 486 + 37 * n looks constant as long as n is small; 5 + 37 * n does not. */
static bool begin_low(struct api_guards *guards, size_t goal, struct api_sequence *line,
                      struct api_argument *argument, struct base_error *error) {
    int32_t found = argument->base;
    bool is_held = false;
    if (found <= argument->step)
        return true;
    argument->base = found % argument->step;
    if (!holds(guards, goal, line, &is_held, error))
        return false;
    if (!is_held)
        argument->base = found;
    return true;
}

/* The smallest step by which a number may grow and still pass the guard. */
static bool find_step(struct api_guards *guards, size_t goal, struct api_sequence *line,
                      struct api_argument *argument, struct base_error *error) {
    bool is_held = false;
    argument->mode = API_WHOLE;
    for (int16_t step = 1; step <= STEPS && !is_held; step++) {
        argument->step = step;
        if (!holds(guards, goal, line, &is_held, error))
            return false;
    }
    return !is_held || (begin_low(guards, goal, line, argument, error) &&
                        api_search_try(guards->search, line, NULL, error));
}

/* Turns numbers that pass a guard into growing ones, such as 5 + 37 * n. */
static bool find_lines(struct api_guards *guards, size_t goal, struct base_error *error) {
    struct api_search *search = guards->search;
    if (!api_search_is_covered(search, goal))
        return true;
    const struct api_sequence reached = search->objectives[goal].members[0]->sequence;
    bool good = true;
    for (uint32_t s = 0; s < reached.count; s++) {
        const struct api_function *function = called(search->model, &reached.statements[s]);
        for (uint32_t i = 0; good && i < function->count; i++) {
            struct api_sequence line = reached;
            if (function->parameters[i].kind == API_SCALAR)
                good = find_step(guards, goal, &line, &line.statements[s].arguments[i], error);
        }
    }
    return good;
}

/* ---- all goals ---- */

static bool has_number(const struct api_function *function) {
    for (uint32_t i = 0; i < function->count; i++)
        if (function->parameters[i].kind == API_SCALAR)
            return true;
    return false;
}

static bool has_numbers(const struct api_model *model, const struct api_sequence *sequence) {
    for (uint32_t s = 0; s < sequence->count; s++)
        if (has_number(called(model, &sequence->statements[s])))
            return true;
    return false;
}

static bool takes(const struct api_function *function, uint32_t type, bool is_written) {
    for (uint32_t i = 0; i < function->count; i++)
        if ((function->parameters[i].kind == API_HANDLE ||
             function->parameters[i].kind == API_FILLED) &&
            function->parameters[i].handle == type &&
            (!is_written || api_is_written(&function->parameters[i])))
            return true;
    return false;
}

/* Does it store a number in a handle that the other function uses? */
static bool sets_up(const struct api_model *model, const struct api_function *function,
                    const struct api_function *other) {
    for (uint32_t type = 0; !function->why_not && has_number(function) && type < model->types.count;
         type++)
        if (takes(function, type, true) && takes(other, type, false))
            return true;
    return false;
}

/* Numbers of calls made once keep their value at this n instead of a formula. */
static void fix_numbers(const struct api_search *search, struct api_sequence *sequence) {
    for (uint32_t s = 0; s < sequence->count; s++) {
        struct api_statement *statement = &sequence->statements[s];
        const struct api_function *function = called(search->model, statement);
        bool is_looped =
            statement->repeat % 3 != API_ONCE || (s && sequence->statements[s - 1].joined);
        for (uint32_t i = 0; !is_looped && i < function->count; i++) {
            struct api_argument *argument = &statement->arguments[i];
            unsigned mode = argument->mode & 7;
            if (function->parameters[i].kind != API_SCALAR)
                continue;
            int32_t times = mode == API_WHOLE                           ? (int32_t)search->size
                            : mode == API_LAST || mode == API_BACKWARDS ? (int32_t)search->size - 1
                                                                        : 0;
            argument->base += argument->step * times;
            argument->mode = API_CONSTANT;
        }
    }
}

/* The best sequence of a goal, first unchanged, then with a call before its last one that stores a
 * number in a handle. False: no more. */
static bool next_sequence(struct api_guards *guards, size_t goal, struct api_sequence *sequence) {
    struct api_search *search = guards->search;
    const struct api_objective *objective = &search->objectives[goal];
    const struct api_model *model = search->model;
    uint32_t at = guards->tried[goal], seen = 0;
    if (api_search_is_covered(search, goal) || !objective->count || at == UINT8_MAX)
        return false;
    *sequence = objective->members[0]->sequence;
    fix_numbers(search, sequence);
    guards->tried[goal]++;
    if (!at)
        return true;
    for (uint32_t i = 0; i < model->functions.count; i++)
        if (sets_up(model, &model->functions.data[i],
                    &model->functions.data[objective->function]) &&
            ++seen == at)
            return api_sequence_insert(model, &search->random, i, sequence);
    guards->tried[goal] = UINT8_MAX;
    return false;
}

static bool is_open(struct api_guards *guards) {
    struct base_error error;
    if (guards->symbolic || guards->is_out)
        return !guards->is_out;
    guards->symbolic = target_open(&guards->target, &error);
    guards->is_out = !guards->symbolic;
    if (guards->is_out)
        base_note("no values are solved for: %s", error.message);
    else
        target_limit_run(guards->symbolic, RUN);
    return !guards->is_out;
}

bool api_guards_solve(struct api_guards *guards, double seconds, struct base_error *error) {
    double end = base_seconds() + (seconds > 0 ? seconds : MOST);
    bool good = true;
    for (unsigned round = 0; round < SEQUENCES; round++)
        for (size_t i = 0; good && i < guards->search->goals->all.count; i++) {
            double left = end - base_seconds();
            struct api_sequence sequence;
            if (left <= 0 || guards->search->is_stopped)
                return true;
            if (!next_sequence(guards, i, &sequence) ||
                !has_numbers(guards->search->model, &sequence))
                continue;
            if (!is_open(guards))
                return true;
            left = seconds > 0 && left > SECONDS ? SECONDS : left;
            good = solve(guards, i, &sequence, left, error) && find_lines(guards, i, error);
            guards->reached += good && api_search_is_covered(guards->search, i);
        }
    return good;
}
