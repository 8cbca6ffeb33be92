/* SPDX-License-Identifier: Apache-2.0
 *
 * Which meaning of its arguments can a function bear? One build with sanitizers contains every
 * function with all its meanings (meanings.c), so trying one takes a few short sequences and no
 * build.
 *
 * First each function is tested alone: its sequences call nothing else except makers of its
 * handles, and only makers that have proved themselves. So a failure is its own fault. The first
 * meaning that is clean and leaks nothing is chosen; a function without one is not called. Then all
 * are mixed; one that spoils sequences gets its next clean meaning, or is dropped. A crash costs
 * only the sequence it is in.
 */
#include "api/school.h"

#include <stdlib.h>
#include <string.h>

#define ALONE 3                /* sequences per meaning, each at two sizes */
#define MAKERS 6               /* ... if others will depend on it */
#define AMONG_OTHERS 24        /* ... on handles that others may have filled, or not */
#define PASSES 4               /* depth of makers that need handles themselves */
#define BAD 0.2                /* maximum share of bad sequences for a function that is called */
#define PROBE_MILLISECONDS 100 /* CPU time limit per sequence: n is small */
#define BATCH ((size_t)200)    /* sequences between two checks of the clock */

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

uint32_t api_school_meaning(const struct school *school, uint32_t function, uint32_t number) {
    return number ? school->pupils[function].first + number - 1 : function;
}

bool api_school_is_destroyer(const struct api_model *model, uint32_t function) {
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

/* Does a known function make this type from nothing? Children, copies and references come later. */
static bool is_made_simply(const struct school *school, uint32_t type) {
    for (uint32_t i = 0; i < school->model->functions.count; i++) {
        const struct api_function *known = &school->wide.functions.data[school->pupils[i].chosen];
        if (school->pupils[i].is_known && !school->meanings[school->pupils[i].chosen].bad &&
            api_makes(known, type) && api_first_handle(known) == known->count)
            return true;
    }
    return false;
}

static bool is_maker(const struct school *school, uint32_t number) {
    const struct api_function *known = &school->wide.functions.data[number];
    if (school->meanings[number].bad)
        return false;
    for (uint32_t i = 0; i < school->model->types.count; i++)
        if (api_makes(known, i) &&
            (api_first_handle(known) == known->count || !is_made_simply(school, i)))
            return true;
    return false;
}

/* A view with the known makers and one meaning. FILLED: and everything else known to be good. */
static void see_alone(const struct school *school, uint32_t meaning, bool filled,
                      struct api_model *view) {
    *view = school->wide;
    memset(&view->called, 0, sizeof view->called);
    base_push(&view->called, meaning);
    for (uint32_t i = 0; i < school->model->functions.count; i++) {
        uint32_t chosen = school->pupils[i].chosen;
        if (school->pupils[i].is_known && chosen != meaning &&
            (is_maker(school, chosen) || (filled && is_sound(&school->meanings[chosen]))))
            base_push(&view->called, chosen);
    }
}

/* Converts numbers of a view into those of the wide model. */
void api_school_rename(const struct school *school, const struct api_model *view,
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
    unsigned count = filled ? AMONG_OTHERS
                     : makes_any(&school->wide, &school->wide.functions.data[meaning]) ? MAKERS
                                                                                       : ALONE;
    for (unsigned i = 0; i < count; i++) {
        struct api_sequence sequence;
        api_sequence_make(&view, school->teacher->random, 0, &sequence);
        if (!sequence.count)
            break;
        api_school_rename(school, &view, &sequence);
        for (unsigned k = 1; k <= 2; k++) {
            sequence.header.n = k * (5 + 4 * (i % MAKERS));
            base_push(lessons, sequence);
            base_push(subjects, meaning);
        }
    }
    base_vector_done(&view.called);
}

bool api_school_is_over(const struct school *school) {
    return base_seconds() >= school->end;
}

bool api_school_run(struct school *school, const char *doing, const struct lessons *lessons,
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
            meaning->late += results[i + k].verdict == API_TOO_LONG;
            meaning->clean += results[i + k].verdict == API_CLEAN && results[i + k].calls > 0;
            if (results[i + k].verdict == API_MISUSED && !meaning->bad++)
                memcpy(meaning->reason, results[i + k].reason, sizeof meaning->reason);
            meaning->calls += results[i + k].calls > 0;
            meaning->handles += results[i + k].handles;
        }
        meaning->makes = makes_any(&school->wide, &school->wide.functions.data[subjects->data[i]]);
        meaning->leaks += less->verdict == API_CLEAN && more->verdict == API_CLEAN &&
                          less->live > 0 && more->live >= less->live;
    }
    for (size_t i = 0; i < subjects->count; i++) {
        struct meaning *meaning = &school->meanings[subjects->data[i]];
        /* A failure only at times is slowness. */
        meaning->bad += meaning->clean ? 0 : meaning->late;
        meaning->late = 0;
    }
}

/* It always returns a null pointer for a handle. */
static bool is_fruitless(const struct meaning *meaning) {
    return meaning->makes && meaning->calls && !meaning->handles;
}

/* Rates a meaning: 0: good; 1: never called, makes nothing or leaks; 2: bad at times; 3: bad. */
static unsigned rate(const struct meaning *meaning) {
    double share = meaning->runs ? (double)meaning->bad / meaning->runs : 0;
    if (!meaning->runs || share > BAD)
        return 3;
    return meaning->bad ? 2 : meaning->leaks > 0 || !meaning->calls || is_fruitless(meaning);
}

/* An index into something empty: keep the first guess for later. */
static bool needs_others(const struct meaning *first) {
    return first->bad > 0 || first->leaks > 0 || is_fruitless(first);
}

/* Chooses a meaning and returns its rating. */
static unsigned choose(struct school *school, uint32_t function) {
    struct pupil *pupil = &school->pupils[function];
    unsigned best = 3;
    for (uint32_t i = 0; i <= pupil->count; i++) {
        uint32_t number = api_school_meaning(school, function, i);
        const struct meaning *meaning = &school->meanings[number];
        unsigned now = i && !meaning->calls ? 3 : rate(meaning); /* another guess needs proof */
        if (now == 0 && is_fruitless(&school->meanings[function]) && !meaning->makes)
            now = 1; /* ignoring the null pointer is no better */
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

/* Is there a maker for the handles it needs? */
static bool is_ready(const struct school *school, uint32_t function) {
    const struct api_function *known = &school->wide.functions.data[function];
    for (uint32_t i = 0; i < known->count; i++)
        if (api_is_handle(known->parameters[i].kind) &&
            !can_be_made(school, known->parameters[i].handle))
            return false;
    return true;
}

/* In this order: the first meaning alone; then the other meanings of functions that need one; then,
 * if still needed, all meanings on filled handles. */
enum stage { FIRST, OTHERS, FILLED };
static const char *const stages[] = {"each function", "other meanings", "filled handles"};

static bool is_due(const struct school *school, uint32_t function, enum stage stage) {
    const struct pupil *pupil = &school->pupils[function];
    return stage == FIRST || (stage == OTHERS ? needs_others(&school->meanings[function]) ||
                                                    !is_ready(school, function)
                                              : pupil->is_needy);
}

static void add_stage(struct school *school, uint32_t function, enum stage stage,
                      struct lessons *lessons, struct subjects *subjects) {
    uint32_t last = stage == FIRST ? 0 : school->pupils[function].count;
    for (uint32_t k = stage == OTHERS; k <= last; k++) {
        uint32_t meaning = api_school_meaning(school, function, k);
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
    bool good = api_school_run(school, stages[stage], &lessons, results, error);
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
        if (school->meanings[api_school_meaning(school, function, i)].runs)
            return true;
    return false;
}

static bool has_tried_all(const struct school *school, uint32_t function) {
    const struct pupil *pupil = &school->pupils[function];
    for (uint32_t i = 0; i <= pupil->count; i++)
        if (!school->meanings[api_school_meaning(school, function, i)].runs)
            return false;
    return true;
}

static bool is_ready_otherwise(const struct school *school, uint32_t function) {
    for (uint32_t i = 1; i <= school->pupils[function].count; i++)
        if (is_ready(school, api_school_meaning(school, function, i)))
            return true;
    return false;
}

/* Selects functions whose handles can be made and that were not tested yet; if there are none,
 * those with another meaning that needs fewer handles. False: none of either. */
static bool take_turns(struct school *school, bool *turn) {
    bool any = false;
    for (unsigned otherwise = 0; !any && otherwise < 2; otherwise++)
        for (uint32_t i = 0; i < school->model->functions.count; i++) {
            turn[i] = !school->pupils[i].is_probed &&
                      (otherwise ? is_ready_otherwise(school, i) : is_ready(school, i));
            any |= turn[i];
        }
    return any;
}

static bool probe_all(struct school *school, struct base_error *error) {
    bool *turn = base_alloc(school->model->functions.count + 1), good = true;
    for (unsigned pass = 0; good && pass < PASSES && !api_school_is_over(school); pass++) {
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

/* ---- the result ---- */

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

/* Notes what went wrong before: with the first guess alone, or among others. */
static void note_why(struct school *school, uint32_t function, struct api_function *known) {
    const struct pupil *pupil = &school->pupils[function];
    const char *why = pupil->why[0] ? pupil->why : school->meanings[function].reason;
    if (why[0] && (pupil->chosen != function || !pupil->is_known))
        known->learnt = base_arena_strdup(&school->model->arena, why);
}

/* Applies the chosen meanings to the model. Functions not tested are not called. */
static void settle(struct school *school) {
    struct base_buffer *told = &school->teacher->told;
    for (uint32_t i = 0; i < school->model->functions.count; i++) {
        const struct pupil *pupil = &school->pupils[i];
        struct api_function *function = &school->model->functions.data[i];
        const struct api_function *chosen = &school->wide.functions.data[pupil->chosen];
        function->checked_as = chosen->checked_as;
        if (function->why_not || api_school_is_destroyer(school->model, i))
            continue;
        if (pupil->is_known) {
            tell(function, chosen, told);
            bool is_goal = function->is_goal;
            *function = *chosen;
            function->is_meaning = false;
            function->is_goal = is_goal;
            note_why(school, i, function);
        } else if (pupil->is_probed) {
            note_why(school, i, function);
            drop(function,
                 pupil->is_spoiling         ? "sequences that call it crash"
                 : has_tried_all(school, i) ? "it crashes with every meaning of its arguments"
                                            : "it crashes, and --time was too short to learn why",
                 told);
        } else {
            drop(function,
                 api_school_is_over(school) ? "--time was too short to try it"
                                            : "nothing makes the handles that it needs",
                 told);
        }
    }
    api_model_number(school->model);
}

bool api_learn(struct api_model *model, struct api_teacher *teacher, struct base_error *error) {
    struct school school = {.model = model, .teacher = teacher};
    teacher->lesson = (struct api_lesson){0};
    school.pupils = base_alloc((model->functions.count + 1) * sizeof *school.pupils);
    widen(&school);
    bool good = api_checker_build(teacher->checker, &school.wide, error);
    unsigned usual = teacher->checker->milliseconds;
    teacher->checker->milliseconds = PROBE_MILLISECONDS;
    school.end = base_seconds() + teacher->seconds;
    good = good && probe_all(&school, error);
    good = good && api_school_mix(&school, error);
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
