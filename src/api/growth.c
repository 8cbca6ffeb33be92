/* SPDX-License-Identifier: Apache-2.0
 *
 * How does the cost grow? Every sequence depends on n, so it is run with n doubled again and again:
 * once for the cost of its last call, once with that call made n times. A call that gets costlier
 * while n calls together stay linear is amortised; some consecutive sizes show whether single calls
 * stand out. The cost may also follow a number passed to the function: then it does not grow if
 * only that number is held constant.
 */
#include "api/growth.h"

#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE 16
#define LAST_SIZE 16384
#define ENOUGH_POINTS 7
#define ENOUGH_COST 4e6  /* with this many points, do not double a costlier sequence */
#define LARGEST_COST 3e7 /* ... with fewer points */
#define STEEP_COST 1e6   /* of one call at the first size: start with a smaller one */
#define TEST_COST 1e7    /* approximate cost of a test in a suite */
#define NEIGHBOURS 33    /* consecutive sizes checked for calls that stand out */
/* ... and around this many powers of two beyond them, where vectors grow */
#define DOUBLINGS 5
#define AROUND 2     /* ... sizes on either side */
#define STANDS_OUT 8 /* times the median */

bool api_run_at(struct api_runner *runner, const struct api_sequence *sequence, uint32_t n,
                struct api_outcome *outcome, struct base_error *error) {
    struct api_sequence sized = *sequence;
    sized.header.n = n;
    return api_runner_run(runner, &sized, outcome, error);
}

struct api_sequence api_repeat_last(const struct api_sequence *sequence) {
    struct api_sequence many = *sequence;
    many.statements[many.count - 1].repeat = API_N_TIMES;
    return many;
}

static bool is_data(enum api_kind kind) {
    return kind == API_CELL || kind == API_TEXT || kind == API_SCALAR || kind == API_BYTES;
}

/* How a value changes over the iterations of a call: constant; up from the first; down from the
 * last; down from the first in steps, like inserting before everything else; far from the previous
 * one, which defeats cursors and caches. */
enum way { SAME, UP, BACK, DOWN, APART, WAYS };
#define DOWNWARDS (-16)
#define WAY_COST 2e5 /* limit for comparing these ways at a larger size */
#define WAY_LARGER 4

static void vary(const struct api_model *model, struct api_sequence *sequence, enum way way) {
    struct api_statement *last = &sequence->statements[sequence->count - 1];
    const struct api_function *function =
        &model->functions.data[model->called.data[last->function]];
    for (uint32_t i = 0; way != SAME && i < function->count; i++) {
        struct api_argument *argument = &last->arguments[i];
        unsigned number = argument->mode & 7;
        enum api_kind kind = function->parameters[i].kind;
        bool is_size = kind == API_SCALAR && number == API_WHOLE;
        if (way == APART && (kind == API_INDEX || kind == API_POSITION))
            argument->mode = API_INDEX_ENDS;
        if (!is_data(kind) || is_size)
            continue;
        argument->mode = (uint8_t)((argument->mode & ~7u) | (way == APART  ? API_SCATTERED
                                                             : way == BACK ? API_BACKWARDS
                                                                           : API_COUNTER));
        argument->step = way == DOWN ? DOWNWARDS : argument->step ? argument->step : 1;
    }
}

bool api_repeat_costliest(struct api_runner *runner, const struct api_sequence *sequence,
                          struct api_sequence *repeated, struct base_error *error) {
    double most = -1;
    uint32_t size = 2 * API_QUICK_SIZE;
    struct api_outcome outcome;
    struct api_sequence many = api_repeat_last(sequence);
    if (!api_run_at(runner, &many, size, &outcome, error))
        return false;
    if (outcome.is_good && outcome.all < WAY_COST) /* buckets of tables differ when they are full */
        size *= WAY_LARGER;
    for (enum way way = SAME; way < WAYS; way++) {
        many = api_repeat_last(sequence);
        vary(runner->model, &many, way);
        if (!api_run_at(runner, &many, size, &outcome, error))
            return false;
        if (outcome.is_limited) /* the others would take as long */
            break;
        if (outcome.is_good && outcome.last > most * 1.5) {
            most = outcome.last;
            *repeated = many;
        }
    }
    return true;
}

/* A call without cost was not made: its handle cannot be made that large. */
static bool happens(const struct api_outcome *outcome) {
    return outcome->is_good && outcome->last > 0;
}

/* Doubles n as long as runs end well and are cheap. KEPT: counts of the last two runs. */
static bool measure_series(struct api_runner *runner, const struct api_sequence *sequence,
                           struct api_series *series, uint64_t *kept[2], struct base_error *error) {
    double all = 0, peak = 0;
    struct api_outcome first;
    if (!api_run_at(runner, sequence, FIRST_SIZE, &first, error))
        return false;
    bool is_steep = first.is_limited || first.last > STEEP_COST;
    series->count = 0;
    for (uint32_t n = is_steep ? API_SMALL_SIZE : FIRST_SIZE; n <= LAST_SIZE; n *= 2) {
        if (all > (series->count < ENOUGH_POINTS ? LARGEST_COST : ENOUGH_COST))
            break;
        struct api_outcome outcome;
        if (!api_run_at(runner, sequence, n, &outcome, error))
            return false;
        if (!happens(&outcome) || series->count == API_POINTS)
            break;
        all = outcome.all;
        series->memory = peak > 0 ? log2((double)outcome.peak / peak) : 0;
        peak = (double)outcome.peak;
        series->points[series->count++] = (struct measure_point){n, outcome.last};
        uint64_t *older = kept[0];
        kept[0] = kept[1];
        kept[1] = older;
        memcpy(kept[1], runner->last, runner->slot_count * sizeof *kept[1]);
    }
    measure_growth_fit(series->points, series->count, &series->growth);
    return true;
}

static double exponent_of(const struct api_series *series) {
    const struct measure_growth *growth = &series->growth;
    if (growth->kind == MEASURE_GROWTH_EXPONENTIAL)
        return 99;
    return growth->kind >= MEASURE_GROWTH_SUBLINEAR && isfinite(growth->exponent) ? growth->exponent
                                                                                  : 0;
}

static bool is_superlinear(const struct api_series *series) {
    return measure_is_superlinear(&series->growth);
}

/* ---- calls that stand out ---- */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The n of each check: consecutive ones, then those around powers of two. */
static uint32_t neighbour(uint32_t look) {
    uint32_t width = 2 * AROUND + 1;
    if (look < NEIGHBOURS)
        return FIRST_SIZE + look;
    look -= NEIGHBOURS;
    return (4u * FIRST_SIZE << look / width) + look % width - AROUND;
}

/* The cost of the costliest call at these sizes, relative to the median of the consecutive ones.
 * With n CALLS, one call costs the difference to n - 1 calls. */
static bool look_around(struct api_runner *runner, const struct api_sequence *sequence, bool calls,
                        double *worst, struct base_error *error) {
    double costs[NEIGHBOURS], most = 0, before = 0;
    size_t count = 0;
    for (uint32_t look = 0; look < NEIGHBOURS + DOUBLINGS * (2 * AROUND + 1); look++) {
        struct api_outcome outcome;
        if (!api_run_at(runner, sequence, neighbour(look), &outcome, error))
            return false;
        if (!outcome.is_good || outcome.all > ENOUGH_COST)
            break;
        bool is_next = look && neighbour(look) == neighbour(look - 1) + 1;
        double cost = calls ? outcome.last - before : outcome.last;
        before = outcome.last;
        if (calls && !is_next)
            continue;
        if (look < NEIGHBOURS)
            costs[count++] = cost;
        most = fmax(most, cost);
    }
    qsort(costs, count, sizeof *costs, by_value);
    if (count && costs[count / 2] > 0)
        *worst = fmax(*worst, most / costs[count / 2]);
    return true;
}

/* Is the cost of n calls at most proportional to n, although one of them may be high? */
static bool is_cheap_together(const struct api_law *law) {
    return law->many.growth.kind != MEASURE_GROWTH_UNCLEAR &&
           law->many.growth.kind != MEASURE_GROWTH_LINEAR_LOG &&
           exponent_of(&law->many) < API_GROWS;
}

/* Single calls that stand out matter only if nothing else does. */
static bool look_for_single(struct api_runner *runner, struct api_law *law,
                            struct base_error *error) {
    if (exponent_of(&law->one) > 0.5 || !is_cheap_together(law) || law->drives != IR_NONE)
        return true;
    return look_around(runner, &law->sequence, false, &law->worst, error) &&
           look_around(runner, &law->repeated, true, &law->worst, error);
}

static void judge(struct api_law *law) {
    double one = exponent_of(&law->one);
    bool many = is_superlinear(&law->many) && law->drives == IR_NONE;
    bool is_built = law->one.memory > API_GROWS; /* n calls build more than in proportion to n */
    if (is_superlinear(&law->one) && (!is_built || one > API_GROWS * law->one.memory))
        law->verdict = API_LAW_CALL;
    else if (many && !is_built)
        law->verdict = API_LAW_CALLS;
    else if (law->drives == IR_NONE && !is_built && is_cheap_together(law) &&
             (one > 0.5 || law->worst > STANDS_OUT))
        law->verdict = API_LAW_AMORTISED;
    else
        law->verdict = one > 0.5 ? API_LAW_LINEAR_CALL : API_LAW_FLAT;
}

/* ---- is it the size of the arguments, or the earlier calls? ---- */

static double ratio(const struct api_series *series) {
    size_t count = series->count;
    return count < 2 ? 1 : series->points[count - 1].cost / fmax(1, series->points[count - 2].cost);
}

/* Replaces a growing argument by one of constant size; false: it does not grow. */
bool api_hold_still(const struct api_parameter *parameter, struct api_argument *argument) {
    unsigned number = argument->mode & 7, shape = argument->mode >> 3 & 7;
    switch (parameter->kind) {
    case API_SCALAR:
        if (number != API_LAST && number != API_WHOLE && number != API_BACKWARDS)
            return false;
        *argument = (struct api_argument){.mode = API_CONSTANT, .base = FIRST_SIZE};
        return true;
    case API_TEXT:
    case API_OWNED_TEXT:
    case API_BYTES:
        if (shape == API_KEY || shape == API_SHORT_RUN || shape == API_WORD)
            return false;
        argument->mode = (uint8_t)(number | API_SHORT_RUN << 3);
        return true;
    case API_ARRAY:
    case API_TEXTS:
    case API_CELLS:
        if (argument->pick & 128)
            return false;
        argument->pick = 128 | 15;
        return true;
    default:
        return false;
    }
}

void api_hold_before(const struct api_model *model, struct api_sequence *sequence) {
    for (uint32_t i = 0; i + 1 < sequence->count; i++) {
        struct api_statement *statement = &sequence->statements[i];
        const struct api_function *function =
            &model->functions.data[model->called.data[statement->function]];
        for (uint32_t k = 0; k < function->count; k++)
            api_hold_still(&function->parameters[k], &statement->arguments[k]);
    }
}

/* Keeps everything before the last call as it is with a small n. */
static void hold_before(const struct api_model *model, struct api_sequence *sequence) {
    api_hold_before(model, sequence);
    for (uint32_t i = 0; i + 1 < sequence->count; i++) {
        struct api_statement *statement = &sequence->statements[i];
        if (statement->repeat % 3 == API_N_TIMES) {
            statement->repeat = API_COUNTED;
            statement->count = FIRST_SIZE;
        }
    }
}

/* A number that drives the cost is a size, unless it needs the earlier calls as well: an index of
 * the last element costs nothing if there are few. */
static bool is_size(struct api_runner *runner, const struct api_model *model, struct api_law *law,
                    uint32_t n, uint32_t argument, struct base_error *error) {
    struct api_sequence alone = law->sequence;
    struct api_outcome less, more;
    hold_before(model, &alone);
    if (!api_run_at(runner, &alone, n / 2, &less, error) ||
        !api_run_at(runner, &alone, n, &more, error))
        return false;
    if (!less.is_good || !more.is_good || more.last >= 1.2 * less.last)
        law->drives = argument;
    return true;
}

/* The first argument that drives the cost, if all together do. */
static bool find_driver(struct api_runner *runner, const struct api_model *model,
                        struct api_law *law, struct base_error *error) {
    const struct api_function *function = &model->functions.data[law->function];
    struct api_sequence still = law->sequence;
    struct api_outcome less, more;
    uint32_t first = IR_NONE;
    if (law->one.count < 2 || ratio(&law->one) < 1.5)
        return true;
    for (uint32_t i = function->count; i-- > 0;)
        if (api_hold_still(&function->parameters[i],
                           &still.statements[still.count - 1].arguments[i]))
            first = i;
    uint32_t n = (uint32_t)law->one.points[law->one.count - 1].size;
    if (first == IR_NONE)
        return true;
    if (!api_run_at(runner, &still, n / 2, &less, error) ||
        !api_run_at(runner, &still, n, &more, error))
        return false;
    if (!less.is_good || !more.is_good || more.last >= 1.2 * less.last)
        return true;
    if (function->parameters[first].kind == API_SCALAR)
        return is_size(runner, model, law, n, first, error);
    law->drives = first;
    return true;
}

/* n calls with different numbers cost more together. If a larger number alone costs more, too, it
 * is a size. */
static bool find_varied(struct api_runner *runner, const struct api_model *model,
                        struct api_law *law, struct base_error *error) {
    const struct api_function *function = &model->functions.data[law->function];
    if (law->drives != IR_NONE || !is_superlinear(&law->many) || is_superlinear(&law->one))
        return true;
    uint32_t last = law->sequence.count - 1;
    uint32_t n = (uint32_t)law->many.points[law->many.count - 1].size;
    for (uint32_t i = 0; i < function->count && law->drives == IR_NONE; i++) {
        unsigned number = law->repeated.statements[last].arguments[i].mode & 7;
        struct api_sequence alone = law->sequence;
        struct api_outcome less, more;
        if (function->parameters[i].kind != API_SCALAR ||
            (number != API_COUNTER && number != API_BACKWARDS))
            continue;
        hold_before(model, &alone);
        alone.statements[last].arguments[i] = (struct api_argument){.mode = API_WHOLE, .step = 16};
        if (!api_run_at(runner, &alone, n / 2, &less, error) ||
            !api_run_at(runner, &alone, n, &more, error))
            return false;
        if (less.is_good && more.is_good && more.last >= 1.5 * less.last)
            law->drives = i;
    }
    return true;
}

/* ---- the location ---- */

static uint32_t find_hottest(const struct api_runner *runner, const uint64_t *counts) {
    uint32_t best = IR_NONE;
    double most = (double)counts[0] * runner->weights[0] / 10; /* copies have no source line */
    for (uint32_t i = 1; i < runner->slot_count; i++) {
        double cost = (double)counts[i] * runner->weights[i];
        if (cost > most) {
            most = cost;
            best = i - 1;
        }
    }
    return best;
}

static void find_cause(const struct api_runner *runner, const struct api_series *series,
                       uint64_t *const kept[2], struct api_law *law) {
    law->hottest = find_hottest(runner, kept[1]);
    if (series->count < 2)
        return;
    struct measure_pair pair = {.facts = runner->facts,
                                .less = kept[0],
                                .more = kept[1],
                                .less_size = (double)series->points[series->count - 2].size,
                                .more_size = (double)series->points[series->count - 1].size};
    measure_cause_find(&pair, law->hottest, &law->cause);
}

static bool look_for_leaks(struct api_runner *runner, struct api_law *law,
                           struct base_error *error) {
    struct api_outcome less, more;
    struct api_sequence test;
    api_law_test(law, &test);
    if (!api_run_at(runner, &test, FIRST_SIZE, &less, error) ||
        !api_run_at(runner, &test, 2 * FIRST_SIZE, &more, error))
        return false;
    law->leaks = less.is_good && more.is_good && more.live > less.live;
    return true;
}

/* As large as the cost limit of a test allows. */
static void choose_size(struct api_law *law) {
    const struct api_series *series = law->verdict == API_LAW_CALLS ? &law->many : &law->one;
    law->test_size = FIRST_SIZE;
    for (size_t i = 0; i < series->count; i++)
        if (series->points[i].cost <= TEST_COST || i == 0)
            law->test_size = (uint32_t)series->points[i].size;
}

/* If a single call is superlinear, n of them take long and say nothing new. */
static bool measure_both(struct api_runner *runner, const struct api_sequence *sequence,
                         struct api_law *law, uint64_t *ones[2], uint64_t *manys[2],
                         struct base_error *error) {
    if (!measure_series(runner, sequence, &law->one, ones, error) ||
        !api_confirm(runner, sequence, &law->one, error))
        return false;
    if (is_superlinear(&law->one) && law->one.is_confirmed)
        return true;
    return api_repeat_costliest(runner, sequence, &law->repeated, error) &&
           measure_series(runner, &law->repeated, &law->many, manys, error) &&
           api_confirm(runner, &law->repeated, &law->many, error);
}

/* If n calls each get an argument of size n, they say less about the calls than about the
 * arguments. If short arguments show a law as well, that one counts. */
static bool shorten_repeated(struct api_runner *runner, const struct api_model *model,
                             struct api_law *law, uint64_t *manys[2], struct base_error *error) {
    const struct api_function *function = &model->functions.data[law->function];
    struct api_sequence held = law->repeated;
    struct api_series series = {0};
    uint64_t *kept[2];
    bool is_shorter = false;
    for (uint32_t i = 0; i < function->count; i++)
        is_shorter |=
            function->parameters[i].kind != API_SCALAR &&
            api_hold_still(&function->parameters[i], &held.statements[held.count - 1].arguments[i]);
    if (!is_shorter || !is_superlinear(&law->many))
        return true;
    for (int i = 0; i < 2; i++)
        kept[i] = base_alloc(runner->slot_count * sizeof *kept[i]);
    bool good = measure_series(runner, &held, &series, kept, error) &&
                api_confirm(runner, &held, &series, error);
    if (good && series.is_confirmed && is_superlinear(&series)) {
        law->repeated = held;
        law->many = series;
        for (int i = 0; i < 2; i++)
            memcpy(manys[i], kept[i], runner->slot_count * sizeof *kept[i]);
    }
    free(kept[0]);
    free(kept[1]);
    return good;
}

bool api_grow(struct api_runner *runner, const struct api_model *model,
              const struct api_sequence *sequence, struct api_law *law, struct base_error *error) {
    uint64_t *ones[2], *manys[2];
    size_t bytes = runner->slot_count * sizeof(uint64_t);
    for (int i = 0; i < 2; i++) {
        ones[i] = base_alloc(bytes);
        manys[i] = base_alloc(bytes);
    }
    *law = (struct api_law){.sequence = *sequence, .hottest = IR_NONE, .drives = IR_NONE};
    law->repeated = api_repeat_last(sequence);
    law->function = model->called.data[sequence->statements[sequence->count - 1].function];
    bool good = measure_both(runner, sequence, law, ones, manys, error) &&
                shorten_repeated(runner, model, law, manys, error) &&
                find_driver(runner, model, law, error) && find_varied(runner, model, law, error) &&
                look_for_single(runner, law, error);
    if (good) {
        judge(law);
        choose_size(law);
        bool by_calls = law->verdict == API_LAW_CALLS;
        find_cause(runner, by_calls ? &law->many : &law->one, by_calls ? manys : ones, law);
        good = look_for_leaks(runner, law, error);
    }
    for (int i = 0; i < 2; i++) {
        free(ones[i]);
        free(manys[i]);
    }
    return good;
}

bool api_law_hides(const struct api_law *law) {
    return law->drives != IR_NONE || law->one.memory > API_GROWS ||
           law->one.growth.kind == MEASURE_GROWTH_UNCLEAR;
}

bool api_law_is_confirmed(const struct api_law *law) {
    switch (law->verdict) {
    case API_LAW_CALLS:
    case API_LAW_AMORTISED:
        return law->many.is_confirmed;
    default:
        return law->one.is_confirmed;
    }
}

bool api_law_is_finding(const struct api_law *law) {
    return (law->verdict == API_LAW_CALL || law->verdict == API_LAW_CALLS) &&
           api_law_is_confirmed(law);
}

const char *api_law_text(const struct api_law *law) {
    static const char *const texts[] = {
#define VERDICT(id, text) text,
        API_VERDICTS(VERDICT)
#undef VERDICT
    };
    return texts[law->verdict];
}

void api_law_test(const struct api_law *law, struct api_sequence *test) {
    *test = law->verdict == API_LAW_CALLS ? law->repeated : law->sequence;
    test->header.n = law->test_size;
}

static double cost_at_end(const struct api_series *series) {
    return series->count ? series->points[series->count - 1].cost /
                               (double)series->points[series->count - 1].size
                         : 0;
}

bool api_law_is_worse(const struct api_law *a, const struct api_law *b) {
    double x = exponent_of(&a->one), y = exponent_of(&b->one);
    if (a->leaks != b->leaks)
        return b->leaks;
    if (api_law_is_finding(a) != api_law_is_finding(b))
        return api_law_is_finding(a);
    if (a->verdict != b->verdict)
        return a->verdict > b->verdict;
    if (fabs(x - y) > 0.3)
        return x > y;
    x = exponent_of(&a->many), y = exponent_of(&b->many);
    if (fabs(x - y) > 0.3)
        return x > y;
    return cost_at_end(&a->one) > cost_at_end(&b->one);
}
