/* SPDX-License-Identifier: Apache-2.0
 *
 * What is wrong with a call that crashes? Short sequences are run in the checked build. A function
 * in which, or after which, they go wrong gets another meaning for one of its arguments: the first
 * number may be an index, the text may have to come from malloc, the handle may be gone
 * afterwards. The meaning under which it stays clean is kept; if there is none, the function is not
 * called at all. A crash costs the sequence it is in and nothing else.
 */
#include "api/check.h"

#include <stdlib.h>
#include <string.h>

#define PROBES 12       /* sequences for each function and round */
#define MOST_PROBES 600 /* sequences of one round */
#define ROUNDS 16
#define TRIALS 12 /* meanings that are tried for one function */

struct trial {          /* one other meaning */
    uint32_t parameter; /* IR_NONE: the result */
    enum api_kind kind;
    uint32_t other;
    enum api_result result;
};

struct suspect { /* a function, through the rounds */
    struct trial trials[TRIALS];
    uint32_t trial_count, next;
    bool is_tried; /* the model holds trial next - 1 */
    struct trial before;
    double worst; /* share of bad sequences with the meaning that it had first */
    uint32_t runs, bad;
};

/* ---- what else may an argument be? ---- */

static void add_trial(struct suspect *suspect, struct trial trial) {
    if (suspect->trial_count < TRIALS)
        suspect->trials[suspect->trial_count++] = trial;
}

static bool is_integer(const struct ir_type *type) {
    return type->kind == IR_TYPE_SIGNED || type->kind == IR_TYPE_UNSIGNED;
}

static void propose_number(const struct api_model *model, const struct api_function *function,
                           uint32_t at, struct suspect *suspect) {
    for (uint32_t i = 0; i < function->count && is_integer(function->parameters[at].type); i++) {
        enum api_kind kind = function->parameters[i].kind;
        if (kind == API_HANDLE &&
            model->types.data[function->parameters[i].handle].sizer != IR_NONE)
            add_trial(suspect, (struct trial){at, API_INDEX, i, API_IGNORED});
        if (kind == API_BYTES || kind == API_ARRAY || kind == API_CELLS || kind == API_TEXTS)
            add_trial(suspect, (struct trial){at, API_LENGTH, i, API_IGNORED});
    }
}

static void propose(const struct api_model *model, const struct api_function *function,
                    struct suspect *suspect) {
    for (uint32_t i = 0; i < function->count; i++) {
        enum api_kind kind = function->parameters[i].kind;
        if (kind == API_SCALAR)
            propose_number(model, function, i, suspect);
        if (kind == API_POSITION)
            add_trial(suspect, (struct trial){i, API_INDEX, function->parameters[i].other, 0});
        if (kind == API_CELL) {
            add_trial(suspect, (struct trial){i, API_OWNED_CELL, 0, API_IGNORED});
            add_trial(suspect, (struct trial){i, API_TEXT, 0, API_IGNORED});
        }
        if (kind == API_TEXT)
            add_trial(suspect, (struct trial){i, API_OWNED_TEXT, 0, API_IGNORED});
        if (kind == API_ARRAY)
            add_trial(suspect, (struct trial){i, API_ROOM, 0, API_IGNORED});
        if (kind == API_OUT || kind == API_CALLBACK || kind == API_RECORD || kind == API_CELL)
            add_trial(suspect, (struct trial){i, API_NONE, 0, API_IGNORED});
    }
    for (uint32_t i = 0; i < function->count; i++)
        if (function->parameters[i].kind == API_HANDLE)
            add_trial(suspect, (struct trial){i, API_TAKEN, 0, API_IGNORED});
    if (function->result == API_FRESH || function->result == API_NEW)
        add_trial(suspect, (struct trial){IR_NONE, API_UNFIT, 0, API_IGNORED});
}

static struct trial apply(struct api_function *function, struct trial trial) {
    struct trial before = {trial.parameter, API_UNFIT, 0, function->result};
    if (trial.parameter == IR_NONE) {
        function->result = trial.result;
        return before;
    }
    struct api_parameter *parameter = &function->parameters[trial.parameter];
    before.kind = parameter->kind;
    before.other = parameter->other;
    parameter->kind = trial.kind;
    parameter->other = trial.other;
    return before;
}

/* ---- whose fault is it? ---- */

static bool is_destroyer(const struct api_model *model, uint32_t number) {
    for (size_t i = 0; i < model->types.count; i++)
        if (model->types.data[i].destroyer == number)
            return true;
    return false;
}

/* Of which function is it the fault for certain? IR_NONE: it shows when handles are destroyed, and
 * any call before may have spoilt them. */
static uint32_t culprit(const struct api_model *model, const struct api_checked *checked) {
    if (checked->function < 0)
        return IR_NONE;
    uint32_t function = model->called.data[(uint32_t)checked->function % model->called.count];
    return is_destroyer(model, function) ? IR_NONE : function;
}

/* How many of the sequences that call a function end badly? */
struct record {
    uint32_t runs, bad;
};

static void note_record(const struct api_model *model, const struct api_sequence *sequence,
                        bool is_bad, struct record *records) {
    for (uint32_t i = 0; i < sequence->count; i++) {
        uint32_t function = model->called.data[sequence->statements[i].function];
        bool is_first = true;
        for (uint32_t k = 0; k < i; k++)
            is_first &= sequence->statements[k].function != sequence->statements[i].function;
        records[function].runs += is_first;
        records[function].bad += is_first && is_bad;
    }
}

/* Of the functions that a sequence calls, the one with the worst record. */
static uint32_t worst_of(const struct api_model *model, const struct api_sequence *sequence,
                         const struct record *records) {
    uint32_t worst = IR_NONE;
    double most = -1;
    for (uint32_t i = 0; i < sequence->count; i++) {
        uint32_t function = model->called.data[sequence->statements[i].function];
        double share = records[function].bad / (records[function].runs + 0.5);
        if (is_destroyer(model, function) || share <= most)
            continue;
        most = share;
        worst = function;
    }
    return worst;
}

static void tally(const struct api_model *model, const struct api_sequence *sequences,
                  const struct api_checked *results, size_t count, struct suspect *suspects) {
    struct record *records = base_alloc(model->functions.count * sizeof *records);
    for (size_t i = 0; i < count; i++)
        note_record(model, &sequences[i],
                    results[i].verdict != API_CLEAN && culprit(model, &results[i]) == IR_NONE,
                    records);
    for (size_t i = 0; i < count; i++) {
        uint32_t last =
            model->called.data[sequences[i].statements[sequences[i].count - 1].function];
        suspects[last].runs++;
        if (results[i].verdict == API_CLEAN)
            continue;
        uint32_t function = culprit(model, &results[i]);
        if (function == IR_NONE)
            function = worst_of(model, &sequences[i], records);
        if (function != IR_NONE)
            suspects[function].bad++;
    }
    free(records);
}

/* ---- rounds ---- */

/* Only those for which something is to be found out, but for the first and the last round. */
static size_t make_probes(const struct api_model *model, struct api_random *random,
                          const struct suspect *suspects, bool all,
                          struct api_sequence *sequences) {
    static const uint32_t sizes[] = {9, 3, 40}; /* n of a probe */
    size_t count = 0;
    uint32_t each = PROBES;
    while (each > 2 && each * model->called.count > MOST_PROBES)
        each--;
    for (uint32_t i = 0; i < model->called.count; i++) {
        if (!all && !suspects[model->called.data[i]].is_tried)
            continue;
        for (uint32_t k = 0; k < each && count < MOST_PROBES; k++) {
            struct api_sequence *sequence = &sequences[count];
            api_sequence_make(model, random, i, sequence);
            sequence->header.n = sizes[k % BASE_COUNT(sizes)];
            count += sequence->count > 0;
        }
    }
    return count;
}

static void tell_trial(const struct api_function *function, const struct trial *trial,
                       struct base_buffer *told) {
    if (trial->parameter == IR_NONE)
        base_buffer_print(told, "func %s[$r] = ignored\n", function->signature->name);
    else
        base_buffer_print(told, "func %s[$%u] = %s($%u)\n", function->signature->name,
                          trial->parameter, api_kind_name(trial->kind), trial->other);
}

static void give_up(struct api_function *function, struct base_buffer *told) {
    function->why_not = "it crashes with every meaning of its arguments";
    base_buffer_print(told, "skip %s\n", function->signature->name);
}

/* Ends the trial of a function, or begins the next one; true: the model has changed. */
static bool judge(struct api_model *model, uint32_t number, struct suspect *suspect,
                  struct base_buffer *told) {
    struct api_function *function = &model->functions.data[number];
    double share = suspect->runs ? (double)suspect->bad / suspect->runs : suspect->bad ? 1 : 0;
    bool is_bad = suspect->bad > 0 && share > 0.02;
    if (suspect->is_tried && !is_bad && suspect->runs) {
        tell_trial(function, &suspect->trials[suspect->next - 1], told);
        suspect->is_tried = false;
        return false;
    }
    if (!suspect->is_tried && !is_bad)
        return false;
    if (!suspect->is_tried && !suspect->next) {
        propose(model, function, suspect);
        suspect->worst = share;
    }
    if (suspect->is_tried)
        apply(function, suspect->before);
    suspect->is_tried = suspect->next < suspect->trial_count && !function->is_corrected;
    if (suspect->is_tried) {
        suspect->before = apply(function, suspect->trials[suspect->next++]);
        return true;
    }
    give_up(function, told);
    return true;
}

static bool judge_all(struct api_model *model, struct suspect *suspects, struct base_buffer *told) {
    bool has_changed = false;
    for (uint32_t i = 0; i < model->functions.count; i++) {
        if (!model->functions.data[i].why_not && !is_destroyer(model, i))
            has_changed |= judge(model, i, &suspects[i], told);
        suspects[i].runs = suspects[i].bad = 0;
    }
    api_model_number(model);
    return has_changed;
}

static bool run_round(struct api_model *model, struct api_checker *checker,
                      struct api_random *random, struct suspect *suspects, bool all,
                      struct api_lesson *lesson, struct base_error *error) {
    struct api_sequence *sequences = base_alloc(MOST_PROBES * sizeof *sequences);
    struct api_checked *results = base_alloc(MOST_PROBES * sizeof *results);
    size_t count = make_probes(model, random, suspects, all, sequences), bad = 0;
    checker->finds_leaks = !all;
    bool good = api_checker_build(checker, model, error) &&
                api_checker_run(checker, sequences, count, results, error);
    for (size_t i = 0; good && i < count; i++)
        bad += results[i].verdict != API_CLEAN;
    if (good)
        tally(model, sequences, results, count, suspects);
    if (!lesson->sequences) {
        lesson->first = count;
        lesson->first_bad = bad;
    }
    lesson->sequences += count;
    if (all) {
        lesson->last = count;
        lesson->last_bad = bad;
    }
    free(sequences);
    free(results);
    return good;
}

bool api_learn(struct api_model *model, struct api_checker *checker, struct api_random *random,
               struct api_lesson *lesson, struct base_buffer *told, struct base_error *error) {
    struct suspect *suspects = base_alloc(model->functions.count * sizeof *suspects);
    bool good = true, all = true;
    *lesson = (struct api_lesson){0};
    for (unsigned round = 0; good && round < ROUNDS && model->called.count; round++) {
        good = run_round(model, checker, random, suspects, all, lesson, error);
        bool is_open = judge_all(model, suspects, told);
        if (!is_open && all)
            break;
        all = !is_open;
    }
    for (uint32_t i = 0; i < model->functions.count; i++)
        if (suspects[i].is_tried)
            give_up(&model->functions.data[i], told);
    api_model_number(model);
    if (good && !model->called.count)
        good = base_fail(error, BASE_TARGET, "no function can be called without a crash");
    free(suspects);
    checker->finds_leaks = false;
    return good && api_checker_build(checker, model, error);
}
