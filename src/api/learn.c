/* SPDX-License-Identifier: Apache-2.0
 *
 * Which meaning of its arguments does a function bear? One build with sanitizers holds every
 * function with all its meanings (meanings.c), so that trying one costs a few short sequences and
 * no build.
 *
 * First each function stands alone: its sequences call nothing else but what makes its handles, and
 * only makers that have proved themselves. What goes wrong there is its own fault. The first
 * meaning that is clean and leaves nothing behind is taken; a function without one is not called.
 * Then all of them are mixed; one that spoils sequences gets its next clean meaning, or goes. A
 * crash costs the sequence it is in and nothing else.
 */
#include "api/check.h"

#include <stdlib.h>
#include <string.h>

#define ALONE 3                /* sequences for each meaning, each at two sizes */
#define MAKERS 6               /* ... if others will depend on it */
#define MIXED 8                /* sequences for each function among all others */
#define MOST_MIXED 600         /* ... in one round */
#define MIXED_ROUNDS 8         /* each of which may drop some functions */
#define PASSES 4               /* a maker may need handles itself, so deep */
#define BAD 0.2                /* share of bad sequences with which a function is still called */
#define SPOILT 0.02            /* ... of those in a mixed round for which it is blamed */
#define PROBE_MILLISECONDS 150 /* that a sequence may compute: n is small */
#define BATCH ((size_t)200)    /* sequences between two looks at the clock */

struct meaning { /* a function of the wide model */
    uint32_t runs, bad, leaks, calls;
};
struct pupil {                /* a function of the model */
    uint32_t first, count;    /* its other meanings in the wide model */
    uint32_t chosen;          /* in the wide model */
    bool is_probed, is_known; /* it has had its turn; a meaning was chosen */
    bool is_needy;            /* the first meaning was not good */
    bool is_spoiling;         /* it goes wrong among others */
    uint32_t blamed, runs;    /* in a mixed round */
};
struct school {
    struct api_model *model;
    struct api_model wide; /* all functions, then their other meanings */
    struct api_teacher *teacher;
    struct pupil *pupils;
    struct meaning *meanings;
    double end;
};
struct lessons { /* sequences that are to be run, and what for */
    struct api_sequence *data;
    size_t count, capacity;
};
struct subjects {
    uint32_t *data;
    size_t count, capacity;
};

/* ---- the wide model ---- */

static void widen(struct school *school) {
    const struct api_model *model = school->model;
    struct api_model *wide = &school->wide;
    *wide = *model;
    memset(&wide->functions, 0, sizeof wide->functions);
    memset(&wide->called, 0, sizeof wide->called);
    for (size_t i = 0; i < model->functions.count; i++)
        base_push(&wide->functions, model->functions.data[i]);
    for (uint32_t i = 0; i < model->functions.count; i++) {
        struct api_function other[API_MEANINGS];
        const struct api_function *function = &model->functions.data[i];
        bool is_open = !function->why_not && !function->is_corrected;
        uint32_t count = is_open ? api_list_meanings(model, function, other) : 0;
        school->pupils[i] = (struct pupil){.first = (uint32_t)wide->functions.count,
                                           .count = count,
                                           .chosen = i,
                                           .is_probed = function->why_not != NULL};
        for (uint32_t k = 0; k < count; k++) {
            other[k].is_meaning = true;
            base_push(&wide->functions, other[k]);
        }
    }
    api_model_number(wide);
    for (size_t i = 0; i < wide->functions.count; i++)
        wide->functions.data[i].checked_as = wide->functions.data[i].number;
    school->meanings = base_alloc((wide->functions.count + 1) * sizeof *school->meanings);
}

static uint32_t meaning_of(const struct school *school, uint32_t function, uint32_t number) {
    return number ? school->pupils[function].first + number - 1 : function;
}

static bool is_destroyer(const struct api_model *model, uint32_t function) {
    for (size_t i = 0; i < model->types.count; i++)
        if (model->types.data[i].destroyer == function)
            return true;
    return false;
}

static bool makes_any(const struct api_model *model, const struct api_function *function) {
    for (uint32_t i = 0; i < model->types.count; i++)
        if (api_makes(function, i))
            return true;
    return false;
}

/* ---- sequences ---- */

static bool is_sound(const struct meaning *meaning) {
    return meaning->calls && !meaning->bad && !meaning->leaks;
}

/* The makers that are known, and one meaning. FILLED: with all else that is in order. */
static void see_alone(const struct school *school, uint32_t meaning, bool filled,
                      struct api_model *view) {
    *view = school->wide;
    memset(&view->called, 0, sizeof view->called);
    base_push(&view->called, meaning);
    for (uint32_t i = 0; i < school->model->functions.count; i++) {
        uint32_t chosen = school->pupils[i].chosen;
        bool is_maker = !school->meanings[chosen].bad &&
                        makes_any(&school->wide, &school->wide.functions.data[chosen]);
        if (school->pupils[i].is_known && chosen != meaning &&
            (is_maker || (filled && is_sound(&school->meanings[chosen]))))
            base_push(&view->called, chosen);
    }
}

/* Turns numbers of a view into those of the wide model. */
static void rename_calls(const struct school *school, const struct api_model *view,
                         struct api_sequence *sequence) {
    for (uint32_t i = 0; i < sequence->count; i++) {
        uint32_t number = view->called.data[sequence->statements[i].function];
        sequence->statements[i].function = (uint16_t)school->wide.functions.data[number].number;
    }
}

static void add_alone(const struct school *school, uint32_t meaning, bool filled,
                      struct lessons *lessons, struct subjects *subjects) {
    struct api_model view;
    see_alone(school, meaning, filled, &view);
    unsigned count =
        makes_any(&school->wide, &school->wide.functions.data[meaning]) ? MAKERS : ALONE;
    for (unsigned i = 0; i < count; i++) {
        struct api_sequence sequence;
        api_sequence_make(&view, school->teacher->random, 0, &sequence);
        if (!sequence.count)
            break;
        rename_calls(school, &view, &sequence);
        for (unsigned k = 1; k <= 2; k++) {
            sequence.header.n = k * (5 + 4 * i);
            base_push(lessons, sequence);
            base_push(subjects, meaning);
        }
    }
    base_vector_done(&view.called);
}

static bool is_over(const struct school *school) {
    return base_seconds() >= school->end;
}

static bool run_lessons(struct school *school, const char *doing, const struct lessons *lessons,
                        struct api_checked *results, struct base_error *error) {
    struct api_teacher *teacher = school->teacher;
    bool good = true, goes_on = true;
    for (size_t at = 0; at < lessons->count && good; at += BATCH) {
        size_t count = lessons->count - at < BATCH ? lessons->count - at : BATCH;
        double left = school->end - base_seconds();
        goes_on = goes_on && teacher->goes_on(teacher->context, doing, at, lessons->count);
        if (!goes_on)
            school->end = 0;
        good = api_checker_run(teacher->checker, &school->wide, &lessons->data[at], count,
                               goes_on ? left : 0, &results[at], error);
    }
    for (size_t i = 0; good && i < lessons->count; i++)
        teacher->lesson.sequences += results[i].verdict != API_NOT_RUN;
    return good;
}

/* ---- alone ---- */

static void note(struct school *school, const struct subjects *subjects,
                 const struct api_checked *results) {
    for (size_t i = 0; i + 1 < subjects->count; i += 2) {
        struct meaning *meaning = &school->meanings[subjects->data[i]];
        const struct api_checked *less = &results[i], *more = &results[i + 1];
        for (unsigned k = 0; k < 2; k++) {
            meaning->runs += results[i + k].verdict != API_NOT_RUN;
            meaning->bad +=
                results[i + k].verdict == API_MISUSED || results[i + k].verdict == API_TOO_LONG;
            meaning->calls += results[i + k].calls > 0;
        }
        meaning->leaks += less->verdict == API_CLEAN && more->verdict == API_CLEAN &&
                          more->live > less->live && more->live > 0;
    }
}

/* What became of one meaning: 0 is good, 1 was never called or leaves memory behind, 2 is bad at
 * times, 3 is bad. */
static unsigned rate(const struct meaning *meaning) {
    double share = meaning->runs ? (double)meaning->bad / meaning->runs : 0;
    if (!meaning->runs || share > BAD)
        return 3;
    return meaning->bad ? 2 : meaning->leaks > 0 || !meaning->calls;
}

/* An index into something empty: the first guess stays, its time will come. */
static bool needs_others(const struct meaning *first) {
    return first->bad > 0 || first->leaks > 0;
}

/* The rating of the meaning that is chosen. */
static unsigned choose(struct school *school, uint32_t function) {
    struct pupil *pupil = &school->pupils[function];
    unsigned best = 3;
    for (uint32_t i = 0; i <= pupil->count; i++) {
        uint32_t number = meaning_of(school, function, i);
        const struct meaning *meaning = &school->meanings[number];
        unsigned now = i && !meaning->calls ? 3 : rate(meaning); /* a guess again needs proof */
        if (now >= best)
            continue;
        best = now;
        pupil->chosen = number;
    }
    pupil->is_known = best < 3;
    return best;
}

static bool can_be_made(const struct school *school, uint32_t type) {
    for (uint32_t i = 0; i < school->model->functions.count; i++)
        if (school->pupils[i].is_known &&
            api_makes(&school->wide.functions.data[school->pupils[i].chosen], type))
            return true;
    return false;
}

/* Is there somebody who makes the handles that it needs? */
static bool is_ready(const struct school *school, uint32_t function) {
    const struct api_function *known = &school->wide.functions.data[function];
    for (uint32_t i = 0; i < known->count; i++)
        if (api_is_handle(known->parameters[i].kind) &&
            !can_be_made(school, known->parameters[i].handle))
            return false;
    return true;
}

/* Of those whose turn it is: the first meaning alone; then the others of those that need one; then,
 * for those that need it still, all of them on handles that are filled. */
enum stage { FIRST, OTHERS, FILLED };
static const char *const stages[] = {"each function", "other meanings", "filled handles"};

static bool is_due(const struct school *school, uint32_t function, enum stage stage) {
    const struct pupil *pupil = &school->pupils[function];
    return stage == FIRST ||
           (stage == OTHERS ? needs_others(&school->meanings[function]) : pupil->is_needy);
}

static void add_stage(struct school *school, uint32_t function, enum stage stage,
                      struct lessons *lessons, struct subjects *subjects) {
    uint32_t last = stage == FIRST ? 0 : school->pupils[function].count;
    for (uint32_t k = stage == OTHERS; k <= last; k++) {
        uint32_t meaning = meaning_of(school, function, k);
        if (stage == FILLED)
            school->meanings[meaning] = (struct meaning){0};
        add_alone(school, meaning, stage == FILLED, lessons, subjects);
    }
}

static void note_first(struct school *school, const struct api_checked *results, size_t count) {
    struct api_lesson *lesson = &school->teacher->lesson;
    for (size_t i = 0; i < count; i++) {
        lesson->first += results[i].verdict != API_NOT_RUN;
        lesson->first_bad +=
            results[i].verdict == API_MISUSED || results[i].verdict == API_TOO_LONG;
    }
}

static bool probe(struct school *school, const bool *turn, enum stage stage,
                  struct base_error *error) {
    struct lessons lessons = {0};
    struct subjects subjects = {0};
    for (uint32_t i = 0; i < school->model->functions.count; i++)
        if (turn[i] && is_due(school, i, stage))
            add_stage(school, i, stage, &lessons, &subjects);
    struct api_checked *results = base_alloc((lessons.count + 1) * sizeof *results);
    bool good = run_lessons(school, stages[stage], &lessons, results, error);
    if (good)
        note(school, &subjects, results);
    if (good && stage == FIRST)
        note_first(school, results, lessons.count);
    for (uint32_t i = 0; good && i < school->model->functions.count; i++)
        if (turn[i])
            school->pupils[i].is_needy =
                choose(school, i) >= 2 || (stage == FIRST && needs_others(&school->meanings[i]));
    free(results);
    base_vector_done(&lessons);
    base_vector_done(&subjects);
    return good;
}

static bool has_run(const struct school *school, uint32_t function) {
    for (uint32_t i = 0; i <= school->pupils[function].count; i++)
        if (school->meanings[meaning_of(school, function, i)].runs)
            return true;
    return false;
}

static bool has_tried_all(const struct school *school, uint32_t function) {
    const struct pupil *pupil = &school->pupils[function];
    for (uint32_t i = 0; i <= pupil->count; i++)
        if (!school->meanings[meaning_of(school, function, i)].runs)
            return false;
    return true;
}

/* Those whose handles can be made and that have not had their turn; false: there are none. */
static bool take_turns(struct school *school, bool *turn) {
    bool any = false;
    for (uint32_t i = 0; i < school->model->functions.count; i++) {
        turn[i] = !school->pupils[i].is_probed && is_ready(school, i);
        any |= turn[i];
    }
    return any;
}

static bool probe_all(struct school *school, struct base_error *error) {
    bool *turn = base_alloc(school->model->functions.count + 1), good = true;
    for (unsigned pass = 0; good && pass < PASSES && !is_over(school); pass++) {
        if (!take_turns(school, turn))
            break;
        for (enum stage stage = FIRST; good && stage <= FILLED; stage++)
            good = probe(school, turn, stage, error);
        for (uint32_t i = 0; i < school->model->functions.count; i++)
            school->pupils[i].is_probed |= turn[i] && has_run(school, i);
    }
    free(turn);
    return good;
}

/* ---- mixed ---- */

static void see_all(const struct school *school, struct api_model *view) {
    *view = school->wide;
    memset(&view->called, 0, sizeof view->called);
    for (uint32_t i = 0; i < school->model->functions.count; i++)
        if (school->pupils[i].is_known)
            base_push(&view->called, school->pupils[i].chosen);
}

static void add_mixed(const struct school *school, struct lessons *lessons) {
    static const uint32_t sizes[] = {9, 3, 40};
    struct api_model view;
    see_all(school, &view);
    uint32_t each = MIXED;
    while (each > 2 && each * view.called.count > MOST_MIXED)
        each--;
    for (uint32_t k = 0; k < each; k++)
        for (uint32_t i = 0; i < view.called.count; i++) {
            struct api_sequence sequence;
            api_sequence_make(&view, school->teacher->random, i, &sequence);
            if (!sequence.count)
                continue;
            rename_calls(school, &view, &sequence);
            sequence.header.n = sizes[k % BASE_COUNT(sizes)];
            base_push(lessons, sequence);
        }
    base_vector_done(&view.called);
}

/* How many of the sequences that call a function end badly? */
struct record {
    uint32_t runs, bad;
    uint32_t named; /* it was under way when it showed */
};

static uint32_t called_by(const struct school *school, const struct api_sequence *sequence,
                          uint32_t statement) {
    return school->wide.called.data[sequence->statements[statement].function];
}

static bool calls(const struct school *school, const struct api_sequence *sequence,
                  uint32_t number) {
    for (uint32_t i = 0; i < sequence->count; i++)
        if (called_by(school, sequence, i) == number)
            return true;
    return false;
}

static void note_record(const struct school *school, const struct api_sequence *sequence,
                        bool is_bad, struct record *records) {
    for (uint32_t i = 0; i < sequence->count; i++) {
        bool is_first = true;
        for (uint32_t k = 0; k < i; k++)
            is_first &= sequence->statements[k].function != sequence->statements[i].function;
        records[called_by(school, sequence, i)].runs += is_first;
        records[called_by(school, sequence, i)].bad += is_first && is_bad;
    }
}

/* The one in whose sequences most are bad beyond what is usual in all, which are COUNT with BAD. A
 * maker is in nearly all of them, a stranger in a few by chance. IR_NONE: none is bad. */
static uint32_t find_worst(const struct school *school, const struct record *records, double count,
                           double bad) {
    uint32_t worst = IR_NONE;
    double most = -1e9;
    for (uint32_t i = 0; i < school->model->functions.count; i++) {
        const struct record *record = &records[school->pupils[i].chosen];
        double beyond = record->bad - record->runs * bad / count + record->named / 2.0;
        if (is_destroyer(school->model, i) || !record->bad || beyond <= most)
            continue;
        most = beyond;
        worst = i;
    }
    return worst;
}

static bool is_bad(const struct api_checked *result) {
    return result->verdict == API_MISUSED || result->verdict == API_TOO_LONG;
}

/* The sanitizer names the function in which it shows, not the one that spoilt the handle. So the
 * one with the worst record is blamed for all that it was part of; of what is left, the next one.
 */
static void blame(struct school *school, const struct lessons *lessons,
                  struct api_checked *results) {
    struct record *records = base_alloc(school->wide.functions.count * sizeof *records);
    for (size_t rounds = 0; rounds <= school->model->functions.count; rounds++) {
        memset(records, 0, school->wide.functions.count * sizeof *records);
        size_t count = 0, bad = 0;
        for (size_t i = 0; i < lessons->count; i++) {
            if (results[i].verdict == API_NOT_RUN)
                continue;
            note_record(school, &lessons->data[i], is_bad(&results[i]), records);
            if (is_bad(&results[i]) && results[i].function >= 0)
                records[school->wide.called.data[results[i].function]].named++;
            count++;
            bad += is_bad(&results[i]);
        }
        uint32_t worst = bad ? find_worst(school, records, (double)count, (double)bad) : IR_NONE;
        if (worst == IR_NONE)
            break;
        struct pupil *pupil = &school->pupils[worst];
        pupil->runs = records[pupil->chosen].runs;
        for (size_t i = 0; i < lessons->count; i++)
            if (calls(school, &lessons->data[i], pupil->chosen)) {
                pupil->blamed += is_bad(&results[i]);
                results[i].verdict = API_NOT_RUN;
            }
    }
    free(records);
}

/* The next meaning that was clean alone; false: there is none. */
static bool choose_next(struct school *school, uint32_t function) {
    struct pupil *pupil = &school->pupils[function];
    school->meanings[pupil->chosen].bad = school->meanings[pupil->chosen].runs; /* not again */
    choose(school, function);
    return pupil->is_known;
}

static bool demote(struct school *school) {
    bool has_changed = false;
    for (uint32_t i = 0; i < school->model->functions.count; i++) {
        struct pupil *pupil = &school->pupils[i];
        if (pupil->is_known && pupil->blamed && pupil->blamed >= SPOILT * pupil->runs) {
            choose_next(school, i);
            pupil->is_spoiling = true;
            has_changed = true;
        }
        pupil->blamed = pupil->runs = 0;
    }
    return has_changed;
}

static bool mix(struct school *school, bool *is_settled, struct base_error *error) {
    struct lessons lessons = {0};
    struct api_lesson *lesson = &school->teacher->lesson;
    add_mixed(school, &lessons);
    struct api_checked *results = base_alloc((lessons.count + 1) * sizeof *results);
    bool good = run_lessons(school, "all together", &lessons, results, error);
    size_t run = 0, bad = 0;
    for (size_t i = 0; good && i < lessons.count; i++) {
        run += results[i].verdict != API_NOT_RUN;
        bad += results[i].verdict == API_MISUSED || results[i].verdict == API_TOO_LONG;
    }
    if (run) {
        lesson->last = run;
        lesson->last_bad = bad;
    }
    if (good)
        blame(school, &lessons, results);
    *is_settled = !good || !demote(school);
    free(results);
    base_vector_done(&lessons);
    return good;
}

/* ---- what stays ---- */

static void tell(const struct api_function *before, const struct api_function *now,
                 struct base_buffer *told) {
    static const char *const results[] = {"ignored", "new", "borrowed", "fresh"};
    for (uint32_t i = 0; i < now->count; i++)
        if (now->parameters[i].kind != before->parameters[i].kind)
            base_buffer_print(told, "func %s[$%u] = %s\n", now->signature->name, i,
                              api_kind_name(now->parameters[i].kind));
    if (now->result != before->result)
        base_buffer_print(told, "func %s[$r] = %s\n", now->signature->name, results[now->result]);
}

static void drop(struct api_function *function, const char *why, struct base_buffer *told) {
    function->why_not = why;
    function->is_dropped = true;
    base_buffer_print(told, "skip %s # %s\n", function->signature->name, why);
}

/* Takes the chosen meanings over. What there was no time for stays as it was guessed. */
static void settle(struct school *school) {
    struct base_buffer *told = &school->teacher->told;
    for (uint32_t i = 0; i < school->model->functions.count; i++) {
        const struct pupil *pupil = &school->pupils[i];
        struct api_function *function = &school->model->functions.data[i];
        const struct api_function *chosen = &school->wide.functions.data[pupil->chosen];
        function->checked_as = chosen->checked_as;
        if (function->why_not || is_destroyer(school->model, i))
            continue;
        if (pupil->is_known) {
            tell(function, chosen, told);
            bool is_goal = function->is_goal;
            *function = *chosen;
            function->is_meaning = false;
            function->is_goal = is_goal;
        } else if (pupil->is_probed) {
            drop(function,
                 pupil->is_spoiling         ? "sequences that call it crash"
                 : has_tried_all(school, i) ? "it crashes with every meaning of its arguments"
                                            : "it crashes, and --time was too short to learn why",
                 told);
        } else if (!is_ready(school, i) && !is_over(school)) {
            drop(function, "nothing makes the handles that it needs", told);
        }
    }
    api_model_number(school->model);
}

bool api_learn(struct api_model *model, struct api_teacher *teacher, struct base_error *error) {
    struct school school = {.model = model, .teacher = teacher};
    bool is_settled = false;
    teacher->lesson = (struct api_lesson){0};
    school.pupils = base_alloc((model->functions.count + 1) * sizeof *school.pupils);
    widen(&school);
    bool good = api_checker_build(teacher->checker, &school.wide, error);
    unsigned usual = teacher->checker->milliseconds;
    teacher->checker->milliseconds = PROBE_MILLISECONDS;
    school.end = base_seconds() + teacher->seconds;
    good = good && probe_all(&school, error);
    for (unsigned round = 0; good && round < MIXED_ROUNDS && !is_settled && !is_over(&school);
         round++)
        good = mix(&school, &is_settled, error);
    if (good) {
        settle(&school);
        if (!model->called.count)
            good = base_fail(error, BASE_TARGET, "no function can be called without a crash");
    }
    teacher->checker->milliseconds = usual;
    free(school.pupils);
    free(school.meanings);
    base_vector_done(&school.wide.functions);
    base_vector_done(&school.wide.called);
    return good;
}
