/* SPDX-License-Identifier: Apache-2.0
 *
 * Which sequences are worth growing, and which of their parts are needed? A first look at two sizes
 * estimates the weight. Then statements are removed, and texts and arrays made constant, as long as
 * the last call still grows as before.
 */
#include "api/growth.h"

#include <math.h>
#include <string.h>

#define ALIKE 0.85     /* minimum share of the original growth over two doublings */
#define SIZED 0.8      /* minimum share of the weight, if an argument's size may explain it */
#define MUCH 0.1       /* minimum share of the cost */
#define QUICK_COST 1e7 /* if the larger size costs more than this, both are divided by three */

static bool choose_quick(struct api_runner *runner, const struct api_sequence *sequence,
                         uint32_t *size, struct base_error *error) {
    struct api_outcome outcome;
    if (!api_run_at(runner, sequence, API_QUICK_SIZE << 2, &outcome, error))
        return false;
    *size = outcome.is_limited         ? API_SMALL_SIZE
            : outcome.all > QUICK_COST ? API_QUICK_SIZE / 3
                                       : API_QUICK_SIZE;
    return true;
}

/* Does an argument of the last call grow with n? It alone may make the call costly. */
static bool has_size(const struct api_model *model, const struct api_sequence *sequence) {
    const struct api_statement *last = &sequence->statements[sequence->count - 1];
    const struct api_function *function =
        &model->functions.data[model->called.data[last->function]];
    for (uint32_t i = 0; i < function->count; i++) {
        struct api_argument argument = last->arguments[i];
        if ((argument.mode & 7) != API_LAST && api_hold_still(&function->parameters[i], &argument))
            return true;
    }
    return false;
}

bool api_look(struct api_runner *runner, const struct api_sequence *sequence, double *weight,
              struct base_error *error) {
    struct api_sequence many = api_repeat_last(sequence);
    double one[2], all[2], memory[2];
    uint32_t size;
    *weight = 0;
    if (!choose_quick(runner, sequence, &size, error) ||
        !api_repeat_costliest(runner, sequence, &many, error))
        return false;
    for (unsigned i = 0; i < 2; i++) {
        struct api_outcome outcome;
        if (!api_run_at(runner, sequence, size << (2 * i), &outcome, error))
            return false;
        if (!outcome.is_good)
            return true;
        one[i] = outcome.last;
        memory[i] = (double)outcome.peak;
        if (!api_run_at(runner, &many, size << (2 * i), &outcome, error))
            return false;
        all[i] = outcome.is_good ? outcome.last : 0;
    }
    double by_one = log2((one[1] + 1) / (one[0] + 1)) / 2;
    double by_all = all[0] > 0 && all[1] > 0 ? log2((all[1] + 1) / (all[0] + 1)) / 2 : 0;
    double by_memory = log2((memory[1] + 1) / (memory[0] + 1)) / 2;
    *weight = 10 * fmax(by_one, 0) + 5 * fmax(by_all, 0) + 0.1 * log2(1 + one[1]);
    if (by_memory > API_GROWS)
        *weight *= 0.3;
    if (has_size(runner->model, sequence))
        *weight *= SIZED;
    return true;
}

/* The original cost, and the size at which it was measured. */
struct measured {
    uint32_t size;
    double costs[2];
};

/* Costs of the last call at two sizes; zeros if it does not end well. */
static bool sample(struct api_runner *runner, const struct api_sequence *sequence, uint32_t size,
                   double costs[2], struct base_error *error) {
    for (unsigned i = 0; i < 2; i++) {
        struct api_outcome outcome;
        if (!api_run_at(runner, sequence, size << (2 * i), &outcome, error))
            return false;
        costs[i] = outcome.is_good ? outcome.last : 0;
    }
    return true;
}

/* Accepts LESS if the last call still grows as before and costs about as much. */
static bool keep(struct api_runner *runner, struct api_sequence *sequence,
                 struct api_sequence *less, struct measured *measured, bool *is_kept,
                 struct base_error *error) {
    double now[2];
    if (less->count > 1) /* the last call is made once */
        less->statements[less->count - 2].joined = 0;
    const double *costs = measured->costs;
    if (!sample(runner, less, measured->size, now, error))
        return false;
    *is_kept = now[0] > 0 && now[1] >= MUCH * costs[1] &&
               now[1] / now[0] >= ALIKE * costs[1] / fmax(costs[0], 1);
    if (*is_kept) {
        *sequence = *less;
        memcpy(measured->costs, now, sizeof now);
    }
    return true;
}

static void leave_out(const struct api_sequence *sequence, uint32_t at, struct api_sequence *less) {
    *less = *sequence;
    memmove(&less->statements[at], &less->statements[at + 1],
            (less->count - at - 1) * sizeof *less->statements);
    less->count--;
    memset(&less->statements[less->count], 0, sizeof *less->statements);
}

/* Made once, with the values of the last iteration. */
static void make_once(const struct api_model *model, struct api_statement *statement) {
    const struct api_function *function =
        &model->functions.data[model->called.data[statement->function]];
    statement->repeat = API_ONCE;
    for (uint32_t i = 0; i < function->count; i++)
        if ((statement->arguments[i].mode & 7) == API_COUNTER)
            statement->arguments[i].mode =
                (uint8_t)((statement->arguments[i].mode & ~7u) | API_LAST);
}

static bool drop_statements(struct api_runner *runner, const struct api_model *model,
                            struct api_sequence *sequence, struct measured *measured,
                            struct base_error *error) {
    for (uint32_t i = sequence->count - 1; i-- > 0;) {
        struct api_sequence less;
        bool is_kept;
        leave_out(sequence, i, &less);
        if (!keep(runner, sequence, &less, measured, &is_kept, error))
            return false;
        if (is_kept || sequence->statements[i].repeat % 3 == API_ONCE)
            continue;
        less = *sequence;
        make_once(model, &less.statements[i]);
        if (!keep(runner, sequence, &less, measured, &is_kept, error))
            return false;
    }
    return true;
}

/* Makes texts and arrays constant if possible, so that what was built before the call stays
 * proportional to n. */
static bool hold_arguments(struct api_runner *runner, const struct api_model *model,
                           struct api_sequence *sequence, struct measured *measured,
                           struct base_error *error) {
    for (uint32_t i = 0; i < sequence->count; i++) {
        const struct api_function *function =
            &model->functions.data[model->called.data[sequence->statements[i].function]];
        for (uint32_t k = 0; k < function->count; k++) {
            struct api_sequence less = *sequence;
            bool is_kept;
            if (function->parameters[k].kind != API_SCALAR &&
                api_hold_still(&function->parameters[k], &less.statements[i].arguments[k]) &&
                !keep(runner, sequence, &less, measured, &is_kept, error))
                return false;
        }
    }
    return true;
}

bool api_simplify(struct api_runner *runner, const struct api_model *model,
                  struct api_sequence *sequence, struct base_error *error) {
    struct measured measured;
    return choose_quick(runner, sequence, &measured.size, error) &&
           sample(runner, sequence, measured.size, measured.costs, error) &&
           drop_statements(runner, model, sequence, &measured, error) &&
           hold_arguments(runner, model, sequence, &measured, error);
}

/* A key instead of a long text; in a loop, a different one in each iteration. */
static void hold_text(const struct api_statement *statement, struct api_argument *argument) {
    bool varies = statement->repeat % 3 == API_N_TIMES && (argument->mode & 7) == API_CONSTANT;
    argument->mode = (uint8_t)((varies ? API_COUNTER : argument->mode & 7) | API_KEY << 3);
    argument->step = argument->step ? argument->step : 1;
}

void api_hold_sizes(const struct api_model *model, struct api_sequence *sequence) {
    for (uint32_t s = 0; s < sequence->count; s++) {
        struct api_statement *statement = &sequence->statements[s];
        const struct api_function *function =
            &model->functions.data[model->called.data[statement->function]];
        bool is_last = s + 1 == sequence->count;
        for (uint32_t i = 0; i < function->count; i++) {
            enum api_kind kind = function->parameters[i].kind;
            if (kind == API_TEXT || kind == API_OWNED_TEXT || kind == API_BYTES)
                hold_text(statement, &statement->arguments[i]);
            else if (is_last)
                api_hold_still(&function->parameters[i], &statement->arguments[i]);
        }
    }
}
