/* SPDX-License-Identifier: Apache-2.0
 *
 * Who is to blame if functions that are clean alone crash together? The sanitizer names the
 * function where it shows, not the one that spoilt the handle. So a bad sequence is first shortened
 * as long as it stays bad; then each function in it gets each of its other meanings, and those that
 * make the sequence clean are cures. The meaning that cures most is chosen, then the next one for
 * what is left. If nothing cures, the function that occurs in most of these sequences is no longer
 * called.
 */
#include "api/school.h"

#include <stdlib.h>
#include <string.h>

#define MIXED 8         /* sequences per function */
#define MOST_MIXED 600  /* ... per round */
#define ROUNDS 10       /* each may change some functions */
#define SMALL 9         /* n */
#define SUSPECTS 20     /* bad sequences examined per round */
#define SUSPECTS_EACH 3 /* ... that show in the same function */
#define SHRINKING 8     /* statements removed from each, one after the other */
#define SPOILT 0.02     /* minimum share of bad sequences for dropping a function */
#define MADE 0.1        /* added score for making all calls */
#define TOLERATED 0.005 /* maximum share of bad sequences at the end */
#define NAMED_MORE 0.5  /* added score for the function where it shows */

struct suspect {
    struct api_sequence sequence; /* with numbers of the wide model */
    char reason[64];
    uint32_t named; /* function of the model where it shows, or IR_NONE */
    bool is_shortest, is_explained;
};
struct suspects {
    struct suspect *data;
    size_t count, capacity;
};
struct cure {
    size_t suspect;
    uint32_t function, meaning; /* of the model, in the wide model */
    double value;
};
struct cures {
    struct cure *data;
    size_t count, capacity;
};

/* A sequence too slow only with a large n may just double something in each iteration. */
static bool is_bad(const struct api_sequence *sequence, const struct api_checked *result) {
    return result->verdict == API_MISUSED ||
           (result->verdict == API_TOO_LONG && sequence->header.n <= SMALL);
}

/* The function of the model that a statement calls, in whatever meaning. */
static uint32_t function_of(const struct school *school, uint32_t number) {
    uint32_t wide = school->wide.called.data[number];
    for (uint32_t i = 0; i < school->model->functions.count; i++)
        if (wide == i || (wide >= school->pupils[i].first &&
                          wide - school->pupils[i].first < school->pupils[i].count))
            return i;
    return IR_NONE;
}

static bool calls(const struct school *school, const struct api_sequence *sequence,
                  uint32_t function) {
    for (uint32_t i = 0; i < sequence->count; i++)
        if (function_of(school, sequence->statements[i].function) == function)
            return true;
    return false;
}

/* ---- sequences ---- */

static void see_all(const struct school *school, struct api_model *view) {
    *view = school->wide;
    memset(&view->called, 0, sizeof view->called);
    for (uint32_t i = 0; i < school->model->functions.count; i++)
        if (school->pupils[i].is_known)
            base_push(&view->called, school->pupils[i].chosen);
}

static void add_mixed(const struct school *school, struct lessons *lessons) {
    static const uint32_t sizes[] = {SMALL, 3, 40};
    struct api_model view;
    see_all(school, &view);
    uint32_t each = MIXED;
    while (each > 2 && each * view.called.count > MOST_MIXED)
        each--;
    for (uint32_t k = 0; k < each; k++)
        for (uint32_t i = 0; i < view.called.count; i++) {
            struct api_sequence sequence;
            api_sequence_make(&view, school->teacher->random, i, &sequence);
            if (k % 2)
                api_sequence_mutate(&view, school->teacher->random, &sequence);
            if (!sequence.count)
                continue;
            api_school_rename(school, &view, &sequence);
            sequence.header.n = sizes[k % BASE_COUNT(sizes)];
            base_push(lessons, sequence);
        }
    base_vector_done(&view.called);
}

static void gather(const struct school *school, const struct lessons *lessons,
                   const struct api_checked *results, struct suspects *suspects) {
    uint32_t *seen = base_alloc((school->model->functions.count + 1) * sizeof *seen);
    for (size_t i = 0; i < lessons->count && suspects->count < SUSPECTS; i++) {
        if (!is_bad(&lessons->data[i], &results[i]))
            continue;
        struct suspect suspect = {.sequence = lessons->data[i], .named = IR_NONE};
        if (results[i].function >= 0)
            suspect.named = function_of(school, (uint32_t)results[i].function);
        memcpy(suspect.reason, results[i].reason, sizeof suspect.reason);
        uint32_t *count =
            &seen[suspect.named == IR_NONE ? school->model->functions.count : suspect.named];
        if ((*count)++ < SUSPECTS_EACH)
            base_push(suspects, suspect);
    }
    free(seen);
}

/* ---- shortening ---- */

static void leave_out(const struct api_sequence *sequence, uint32_t at, struct api_sequence *less) {
    *less = *sequence;
    memmove(&less->statements[at], &less->statements[at + 1],
            (less->count - at - 1) * sizeof *less->statements);
    less->count--;
    memset(&less->statements[less->count], 0, sizeof *less->statements);
}

/* Takes the first bad variant; RESULTS are those of each suspect without one statement. */
static bool take_shorter(struct suspects *suspects, const struct lessons *lessons,
                         const struct api_checked *results) {
    bool any = false;
    size_t at = 0;
    for (size_t i = 0; i < suspects->count; i++) {
        struct suspect *suspect = &suspects->data[i];
        uint32_t count =
            suspect->is_shortest || suspect->sequence.count < 2 ? 0 : suspect->sequence.count;
        suspect->is_shortest = true;
        for (uint32_t k = 0; k < count; k++, at++)
            if (suspect->is_shortest && is_bad(&lessons->data[at], &results[at])) {
                suspect->sequence = lessons->data[at];
                suspect->is_shortest = false;
                any = true;
            }
    }
    return any;
}

static bool shrink(struct school *school, struct suspects *suspects, struct base_error *error) {
    bool good = true, goes_on = true;
    for (unsigned step = 0; good && goes_on && step < SHRINKING; step++) {
        struct lessons lessons = {0};
        for (size_t i = 0; i < suspects->count; i++) {
            const struct suspect *suspect = &suspects->data[i];
            for (uint32_t k = 0; !suspect->is_shortest && suspect->sequence.count > 1 &&
                                 k < suspect->sequence.count;
                 k++) {
                struct api_sequence less;
                leave_out(&suspect->sequence, k, &less);
                base_push(&lessons, less);
            }
        }
        struct api_checked *results = base_alloc((lessons.count + 1) * sizeof *results);
        good = api_school_run(school, "what crashes", &lessons, results, error);
        goes_on = good && take_shorter(suspects, &lessons, results);
        free(results);
        base_vector_done(&lessons);
    }
    return good;
}

/* ---- cures ---- */

/* The number of calls if no handle is missing. */
static double all_calls(const struct api_sequence *sequence) {
    double sum = 0, times = 1;
    bool is_first = true;
    for (uint32_t i = 0; i < sequence->count; i++) {
        const struct api_statement *statement = &sequence->statements[i];
        if (is_first)
            times = statement->repeat % 3 == API_ONCE      ? 1
                    : statement->repeat % 3 == API_N_TIMES ? sequence->header.n
                                                           : statement->count & 255;
        sum += times;
        is_first = !statement->joined;
    }
    return sum > 0 ? sum : 1;
}

static bool is_possible(const struct school *school, uint32_t meaning) {
    const struct meaning *known = &school->meanings[meaning];
    return !known->is_refused && (!known->runs || !known->bad);
}

static void add_cures(const struct school *school, size_t number, const struct suspect *suspect,
                      struct lessons *lessons, struct cures *cures) {
    for (uint32_t f = 0; f < school->model->functions.count; f++) {
        const struct pupil *pupil = &school->pupils[f];
        if (!pupil->is_known || api_school_is_destroyer(school->model, f) ||
            !calls(school, &suspect->sequence, f))
            continue;
        for (uint32_t k = 0; k <= pupil->count; k++) {
            uint32_t meaning = api_school_meaning(school, f, k);
            struct api_sequence other = suspect->sequence;
            if (meaning == pupil->chosen || !is_possible(school, meaning))
                continue;
            for (uint32_t i = 0; i < other.count; i++)
                if (function_of(school, other.statements[i].function) == f)
                    other.statements[i].function =
                        (uint16_t)school->wide.functions.data[meaning].number;
            other.header.watched = (uint16_t)(school->wide.functions.data[meaning].number + 1);
            base_push(lessons, other);
            base_push(cures, (struct cure){number, f, meaning, 0});
        }
    }
}

static bool find_cures(struct school *school, const struct suspects *suspects, struct cures *cures,
                       struct base_error *error) {
    struct lessons lessons = {0};
    for (size_t i = 0; i < suspects->count; i++)
        add_cures(school, i, &suspects->data[i], &lessons, cures);
    struct api_checked *results = base_alloc((lessons.count + 1) * sizeof *results);
    bool good = api_school_run(school, "what would be clean", &lessons, results, error);
    for (size_t i = 0; good && i < lessons.count; i++) {
        if (results[i].verdict != API_CLEAN || results[i].live > 0 || !results[i].calls)
            continue; /* never calling or never destroying is harmless, but not a cure */
        double made = results[i].made / all_calls(&lessons.data[i]);
        cures->data[i].value = 1 + MADE * (made < 1 ? made : 1);
    }
    free(results);
    base_vector_done(&lessons);
    return good;
}

/* ---- verdicts ---- */

static double value_of(const struct suspects *suspects, const struct cures *cures,
                       uint32_t meaning) {
    double value = 0;
    for (size_t i = 0; i < cures->count; i++)
        if (cures->data[i].meaning == meaning &&
            !suspects->data[cures->data[i].suspect].is_explained)
            value += cures->data[i].value;
    return value;
}

/* The meaning that cures most unexplained suspects; NULL: none. */
static const struct cure *find_best(const struct suspects *suspects, const struct cures *cures) {
    const struct cure *best = NULL;
    double most = 0;
    for (size_t i = 0; i < cures->count; i++) {
        double value = value_of(suspects, cures, cures->data[i].meaning);
        if (value > most) {
            most = value;
            best = &cures->data[i];
        }
    }
    return best;
}

static void explain(struct school *school, uint32_t function, const struct suspect *by) {
    struct pupil *pupil = &school->pupils[function];
    const char *where = by->named == IR_NONE
                            ? "at the end"
                            : school->model->functions.data[by->named].signature->name;
    snprintf(pupil->why, sizeof pupil->why, "%s, %s", by->reason, where);
}

static bool apply_cures(struct school *school, struct suspects *suspects, struct cures *cures) {
    bool has_changed = false;
    const struct cure *best;
    while ((best = find_best(suspects, cures))) {
        struct pupil *pupil = &school->pupils[best->function];
        explain(school, best->function, &suspects->data[best->suspect]);
        school->meanings[pupil->chosen].is_refused = true;
        pupil->chosen = best->meaning;
        has_changed = true;
        for (size_t i = 0; i < cures->count; i++)
            if (cures->data[i].meaning == best->meaning && cures->data[i].value > 0)
                suspects->data[cures->data[i].suspect].is_explained = true;
        /* A function changes its meaning only once per round: what that does not cure is examined
         * again. */
        for (size_t i = 0; i < cures->count; i++)
            if (cures->data[i].function == best->function)
                cures->data[i].value = 0;
    }
    return has_changed;
}

static bool is_simple_maker(const struct school *school, uint32_t function) {
    const struct api_function *known =
        &school->wide.functions.data[school->pupils[function].chosen];
    return known->result == API_NEW && api_first_handle(known) == known->count;
}

/* The evidence against a function in unexplained suspects. */
static double weigh_guilt(const struct school *school, const struct suspects *suspects,
                          uint32_t function) {
    double guilt = 0;
    for (size_t i = 0; i < suspects->count; i++) {
        const struct suspect *suspect = &suspects->data[i];
        if (suspect->is_explained || !calls(school, &suspect->sequence, function))
            continue;
        guilt += 1 + (suspect->named == function ? NAMED_MORE : 0);
        if (is_simple_maker(school, function) && suspect->sequence.count > 1)
            guilt -= 0.9;
    }
    return guilt;
}

static bool spoils(const struct school *school, const struct lessons *lessons,
                   const struct api_checked *results, uint32_t function) {
    double runs = 0, bad = 0;
    for (size_t i = 0; i < lessons->count; i++)
        if (results[i].verdict != API_NOT_RUN && calls(school, &lessons->data[i], function)) {
            runs++;
            bad += is_bad(&lessons->data[i], &results[i]);
        }
    return bad > SPOILT * runs;
}

static bool drop_others(struct school *school, struct suspects *suspects,
                        const struct lessons *lessons, const struct api_checked *results) {
    bool has_changed = false;
    for (;;) {
        uint32_t worst = IR_NONE;
        double most = 0;
        for (uint32_t i = 0; i < school->model->functions.count; i++) {
            double guilt =
                api_school_is_destroyer(school->model, i) ? 0 : weigh_guilt(school, suspects, i);
            if (guilt > most) {
                most = guilt;
                worst = i;
            }
        }
        if (worst == IR_NONE)
            return has_changed;
        for (size_t i = 0; i < suspects->count; i++)
            if (!suspects->data[i].is_explained &&
                calls(school, &suspects->data[i].sequence, worst)) {
                explain(school, worst, &suspects->data[i]);
                suspects->data[i].is_explained = true;
            }
        if (!spoils(school, lessons, results, worst))
            continue;
        school->pupils[worst].is_known = false;
        school->pupils[worst].is_spoiling = true;
        has_changed = true;
    }
}

static bool judge(struct school *school, const struct lessons *lessons,
                  const struct api_checked *results, bool *has_changed, struct base_error *error) {
    struct suspects suspects = {0};
    struct cures cures = {0};
    gather(school, lessons, results, &suspects);
    bool good = shrink(school, &suspects, error) && find_cures(school, &suspects, &cures, error);
    if (good && !api_school_is_over(school)) {
        *has_changed = apply_cures(school, &suspects, &cures);
        *has_changed |= drop_others(school, &suspects, lessons, results);
    }
    base_vector_done(&suspects);
    base_vector_done(&cures);
    return good;
}

static bool mix(struct school *school, bool *has_changed, struct base_error *error) {
    struct lessons lessons = {0};
    struct api_lesson *lesson = &school->teacher->lesson;
    add_mixed(school, &lessons);
    struct api_checked *results = base_alloc((lessons.count + 1) * sizeof *results);
    bool good = api_school_run(school, "all together", &lessons, results, error);
    size_t run = 0, bad = 0;
    for (size_t i = 0; good && i < lessons.count; i++) {
        run += results[i].verdict != API_NOT_RUN;
        bad += is_bad(&lessons.data[i], &results[i]);
    }
    if (run) {
        lesson->last = run;
        lesson->last_bad = bad;
    }
    if (good && (double)bad > TOLERATED * (double)run)
        good = judge(school, &lessons, results, has_changed, error);
    free(results);
    base_vector_done(&lessons);
    return good;
}

/* A search whose sequences crash finds little, so learning may take more time. */
static void take_more_time(struct school *school) {
    struct api_teacher *teacher = school->teacher;
    bool is_bad = !teacher->lesson.last ||
                  (double)teacher->lesson.last_bad > SPOILT * (double)teacher->lesson.last;
    if (!api_school_is_over(school) || school->end <= 0 || !is_bad)
        return;
    school->end = base_seconds() + teacher->more;
    teacher->more = 0;
}

bool api_school_mix(struct school *school, struct base_error *error) {
    bool good = true, has_changed = true;
    for (unsigned round = 0; good && round < ROUNDS && has_changed; round++) {
        take_more_time(school);
        if (api_school_is_over(school))
            break;
        has_changed = false;
        good = mix(school, &has_changed, error);
    }
    return good;
}
