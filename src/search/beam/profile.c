/* SPDX-License-Identifier: Apache-2.0
 *
 * Where in a long path do decisions affect the cost? The front of the beam takes decisions one
 * after another from the beginning of the input. Where there is no time for all of them, some
 * episodes start elsewhere: at the most promising stretch of the path.
 *
 * A survey traces the costliest input with all of its open bytes symbolic. If that makes more
 * decisions than a path may have, only every second word of eight bytes is symbolic, or every
 * fourth, different ones each time. The score of a stretch is the sum over its sites of the change
 * of cost that is expected from changing a decision there: the average so far. For a site that has
 * not been changed yet it is a hundredth of the whole cost, or the highest cost seen after one of
 * its decisions if that is more (a loop whose number of iterations depends on the input). The cost
 * of the stretch itself counts a little. The bytes that its decisions depend on become the window
 * of an episode; all others stay as they are.
 *
 * What such an episode finds lies beyond the front, in bytes that no origin's path depends on, so
 * the front can take it over as it does with the results of spreading. Front and profile share the
 * time, or the runs if only they are limited, according to their gains; places that gained nothing
 * score less from then on.
 */
#include "search/beam/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NOVEL 0.01   /* of the path's cost: expected change at a new site */
#define DENSITY 0.1  /* weight of a stretch's own cost */
#define VAIN 0.25    /* factor on the score of a place where an episode found nothing */
#define WEIGHTY 0.25 /* of the best score in the stretch: decisions below it do not open bytes */
#define WORD 8u      /* bytes that are symbolic together */
#define MOST_SURVEYS 16u  /* for one episode */
#define MANY 8u           /* decisions of one site in a survey */
#define LEAST_SAMPLE 256u /* symbolic bytes in a survey, at least */
#define MOST_MARKS 8192u  /* decisions in a survey */
#define MOST_SUPPORT ((size_t)1 << 18)
#define FARTHEST ((size_t)16 << 20) /* bytes beyond the front that are surveyed */
#define MOST_SITES (1u << 22)
#define FRONT 2.0       /* weight of the front's gains */
#define LEAST_SHARE 0.1 /* of the time or runs, for episodes by profile, at least and at most */
#define MOST_SHARE 0.8
#define LEAST_GAIN 1e-3 /* that both are assumed to have brought */
#define GOLDEN 0.6180339887498949
#define SURVEY_SECONDS 0.5 /* fraction of an episode's time, for its surveys */

/* ---- effects of changed decisions ---- */

static struct beam_site *site_of(struct beam *beam, uint32_t site) {
    size_t number = site < MOST_SITES ? site + 1 : 0; /* 0: decisions without a block */
    while (beam->profile.sites.count <= number)
        base_push(&beam->profile.sites, (struct beam_site){0});
    return &beam->profile.sites.data[number];
}

void beam_note_move(struct beam *beam, const struct beam_state *state) {
    struct beam_site *site = site_of(beam, state->site);
    bool has_whole = state->whole > 0 && state->before_whole > 0;
    site->moved +=
        has_whole ? fabs(state->whole - state->before_whole) : fabs(state->cost - state->before);
    site->tries++;
}

/* ---- the survey ---- */

struct mark { /* a decision */
    uint32_t site, expr;
    double cost;    /* so far */
    double promise; /* expected change of cost when it is changed */
};

struct survey {
    struct beam *beam;
    struct search_walk walk;
    struct beam_origin origin; /* its window is the part to survey */
    BASE_VECTOR(struct mark) marks;
    double total;
    uint32_t longest;
    size_t support; /* total number of bytes that the decisions depend on */
};

static void read_marks(size_t index, const struct abi_result *result, const void *trace,
                       size_t size, void *context) {
    struct survey *survey = context;
    struct search *search = survey->beam->search;
    struct search_step step;
    struct search_counters counters = {0};
    (void)index;
    bool good = search_walk_open(&survey->walk, trace, size) && search_walk_import(&survey->walk);
    search_count_run(&counters, result, &survey->walk);
    search_book_locked(search, &counters);
    survey->marks.count = survey->support = 0;
    while (good && survey->support < MOST_SUPPORT && !search_is_late(search) &&
           search_walk_next(&survey->walk, &step)) {
        if (!search_is_decision(&step) || !step.expr)
            continue;
        survey->support += expr_support(survey->walk.trace.pool, step.expr).count;
        base_push(&survey->marks, ((struct mark){.site = step.site,
                                                 .expr = step.expr,
                                                 .cost = beam_cost_so_far(search, &survey->walk)}));
    }
    survey->total = beam_cost_so_far(search, &survey->walk);
}

static bool follow(struct survey *survey, struct base_error *error) {
    struct search *search = survey->beam->search;
    const struct search_program *program = &search->subject.programs[0];
    const struct beam_origin *origin = &survey->origin;
    size_t size = search->subject.layout.bytes, end = origin->first + origin->count;
    uint8_t *bytes = base_alloc(size + 1);
    memcpy(bytes, origin->head, end);
    memcpy(bytes + end, origin->ground->bytes + end, size - end);
    struct target_input input = {bytes, size};
    struct target_aim aim = {.fixed = origin->fixed,
                             .first = origin->first,
                             .bytes = origin->count,
                             .decisions = survey->longest};
    if (program->aim)
        program->aim(program->self, &aim);
    bool good = !search_grant_locked(search, 1) ||
                program->trace(program->self, &input, 1, read_marks, survey, error);
    free(bytes);
    return good;
}

/* Which part of a large input to survey this time: consecutive surveys are far apart. A test stores
 * all bytes up to its window, so the distance is limited. */
static size_t choose_first(const struct beam *beam, const struct beam_origin *from) {
    size_t open = beam->search->subject.layout.bytes - from->first;
    open = open < FARTHEST ? open : FARTHEST;
    size_t parts = (open + BEAM_WINDOW - 1) / BEAM_WINDOW;
    double turn = (double)(beam->profile.surveys + 1) * GOLDEN;
    return from->first + (size_t)((turn - floor(turn)) * (double)parts) * BEAM_WINDOW;
}

/* Words stay whole: what a program compares with a word depends on all of its bytes. */
static void thin_out(struct survey *survey) {
    size_t stride = survey->beam->profile.stride;
    for (size_t i = 0; i < survey->origin.count; i++)
        if ((i / WORD + survey->beam->profile.surveys) % stride)
            survey->origin.fixed[i / 8] |= (uint8_t)(1u << i % 8);
}

/* Has the whole path been seen? The trace may have been cut, or too many bytes are involved in its
 * decisions to look at all of them. */
static bool has_seen(const struct survey *survey) {
    return survey->support < MOST_SUPPORT && survey->walk.depth < survey->longest;
}

static bool is_late(const struct survey *survey) {
    return survey->walk.until > 0 && base_seconds() > survey->walk.until;
}

static void forget(struct survey *survey) {
    struct beam_origins seen = {0};
    base_push(&seen, survey->origin);
    beam_origins_done(&seen);
}

/* Makes the bytes sparser until the whole part is seen. */
static bool look_around(struct survey *survey, const struct beam_origin *from,
                        struct base_error *error) {
    struct beam *beam = survey->beam;
    size_t first = choose_first(beam, from);
    bool good = true;
    for (;; beam->profile.stride *= 2) {
        survey->origin = beam_look_behind(beam, from, first);
        thin_out(survey);
        good = follow(survey, error);
        if (!good || is_late(survey) || search_is_over(beam->search) ||
            survey->origin.count / beam->profile.stride < LEAST_SAMPLE || has_seen(survey))
            return good;
        forget(survey);
    }
}

/* ---- the most promising stretch ---- */

static double cost_behind(const struct survey *survey, size_t mark) {
    return mark < survey->marks.count ? survey->marks.data[mark].cost : survey->total;
}

static void count_marks(struct survey *survey) {
    const struct mark *marks = survey->marks.data;
    for (size_t i = 0; i < survey->marks.count; i++)
        site_of(survey->beam, marks[i].site)->marks = 0;
    for (size_t i = 0; i < survey->marks.count; i++)
        site_of(survey->beam, marks[i].site)->marks++;
    for (size_t i = 0; i < survey->marks.count; i++) {
        struct beam_site *site = site_of(survey->beam, marks[i].site);
        site->left = site->marks;
    }
}

/* Notes the highest cost that followed a decision of each site. What follows the last one of many
 * is left out: it may go on like that, with bytes that this survey does not look at. */
static void note_costs(struct survey *survey) {
    count_marks(survey);
    for (size_t i = 0; i < survey->marks.count; i++) {
        struct beam_site *site = site_of(survey->beam, survey->marks.data[i].site);
        if (--site->left || site->marks < MANY)
            site->most = fmax(site->most, cost_behind(survey, i + 1) - cost_behind(survey, i));
    }
}

/* How many fruitless episodes covered the bytes from FIRST to END? */
static double times_barren(const struct beam *beam, size_t first, size_t end) {
    double times = 0;
    for (size_t i = 0; i < beam->profile.barren.count; i++) {
        const struct beam_place *other = &beam->profile.barren.data[i];
        times += other->first <= first && end <= other->end;
    }
    return times;
}

/* The expected change of cost when a decision is changed. */
static double expect(struct survey *survey, const struct mark *mark) {
    const struct beam_site *site = site_of(survey->beam, mark->site);
    struct expr_support support = expr_support(survey->walk.trace.pool, mark->expr);
    double first = fmax(site->most, survey->total * NOVEL);
    if (!support.count)
        return 0;
    size_t begin = survey->origin.first + support.offsets[0];
    size_t end = survey->origin.first + support.offsets[support.count - 1] + 1;
    double vain = pow(VAIN, times_barren(survey->beam, begin, end));
    return (site->moved + first) / (double)(site->tries + 1) * vain;
}

/* Of the decisions of one site only the most promising one counts. */
static bool counts(const struct survey *survey, size_t from, size_t to, size_t mark) {
    const struct mark *marks = survey->marks.data;
    for (size_t i = from; i < to; i++)
        if (marks[i].site == marks[mark].site &&
            (marks[i].promise > marks[mark].promise ||
             (i < mark && marks[i].promise == marks[mark].promise)))
            return false;
    return true;
}

static double promise_of(const struct survey *survey, size_t from, size_t to) {
    double sum = (cost_behind(survey, to) - cost_behind(survey, from)) * DENSITY;
    for (size_t i = from; i < to; i++)
        if (counts(survey, from, to, i))
            sum += survey->marks.data[i].promise;
    return sum;
}

/* False: no decision there depends on the input. */
static bool choose_stretch(struct survey *survey, size_t *from, size_t *to) {
    size_t count = survey->marks.count, length = beam_place_length(survey->beam);
    double most = 0;
    note_costs(survey);
    for (size_t i = 0; i < count; i++)
        survey->marks.data[i].promise = expect(survey, &survey->marks.data[i]);
    for (size_t at = 0; at < count; at += (length + 1) / 2) {
        size_t end = at + length < count ? at + length : count;
        double promise = promise_of(survey, at, end);
        if (promise > most) {
            most = promise;
            *from = at;
            *to = end;
        }
    }
    return most > 0;
}

/* The bytes that the most promising decisions of a stretch depend on: OPEN gets their bits. */
static struct beam_place find_place(struct survey *survey, size_t from, size_t to, uint8_t *open) {
    const struct beam_origin *origin = &survey->origin;
    const struct mark *marks = survey->marks.data;
    struct beam_place place = {SIZE_MAX, 0};
    double most = 0;
    for (size_t i = from; i < to; i++)
        most = fmax(most, marks[i].promise);
    for (size_t i = from; i < to; i++) {
        struct expr_support support = expr_support(survey->walk.trace.pool, marks[i].expr);
        if (marks[i].promise < most * WEIGHTY)
            continue;
        for (uint32_t k = 0; k < support.count && support.offsets[k] < origin->count; k++) {
            size_t at = origin->first + support.offsets[k];
            place.first = at < place.first ? at : place.first;
            place.end = at >= place.end ? at + 1 : place.end;
            open[support.offsets[k] / 8] |= (uint8_t)(1u << support.offsets[k] % 8);
        }
    }
    return place;
}

/* ---- an episode ---- */

/* Opens the bytes of the stretch. */
static void open_stretch(struct survey *survey, const struct beam_origin *from, size_t begin,
                         size_t end, struct beam_place *place) {
    size_t count = survey->origin.count;
    uint8_t *open = base_alloc(count / 8 + 1);
    *place = find_place(survey, begin, end, open);
    struct beam_origin origin = beam_look_behind(survey->beam, from, survey->origin.first);
    for (size_t i = 0; i < count / 8 + 1; i++)
        origin.fixed[i] |= (uint8_t)~open[i];
    free(open);
    base_push(&survey->beam->origins, origin);
}

static size_t costliest_origin(const struct beam_origins *origins) {
    size_t best = 0;
    for (size_t i = 1; i < origins->count; i++)
        best = origins->data[i].cost > origins->data[best].cost ? i : best;
    return best;
}

/* Is there a decision of a site that has never been changed? */
static bool has_news(const struct survey *survey) {
    for (size_t i = 0; i < survey->marks.count; i++)
        if (!site_of(survey->beam, survey->marks.data[i].site)->tries)
            return true;
    return false;
}

/* Surveys other parts, and other bytes of them, until there is something new. */
static bool look_for_news(struct survey *survey, const struct beam_origin *from,
                          struct base_error *error) {
    struct beam *beam = survey->beam;
    for (unsigned i = 1;; i++) {
        bool good = look_around(survey, from, error);
        beam->profile.surveys++;
        base_detail("beam: surveyed bytes %zu to %zu, 1 of %zu words: %zu decisions",
                    survey->origin.first, survey->origin.first + survey->origin.count,
                    beam->profile.stride, survey->marks.count);
        if (!good || i == MOST_SURVEYS || has_news(survey) || is_late(survey) ||
            search_is_over(beam->search))
            return good;
        forget(survey);
    }
}

/* Chooses a place beyond FROM; the beam gets a single origin whose window lies there. */
static bool choose_place(struct beam *beam, const struct beam_origin *from,
                         struct beam_place *place, struct base_error *error) {
    uint32_t longest = beam->search->options.path.longest;
    struct survey survey = {.beam = beam, .longest = longest < MOST_MARKS ? longest : MOST_MARKS};
    size_t begin = 0, end = 0;
    search_walk_init(&survey.walk, &beam->search->sites);
    if (beam->search->options.limits.seconds > 0)
        survey.walk.until = base_seconds() + SURVEY_SECONDS * beam_episode_seconds(beam);
    bool good = look_for_news(&survey, from, error);
    if (good && choose_stretch(&survey, &begin, &end))
        open_stretch(&survey, from, begin, end, place);
    base_vector_done(&survey.marks);
    search_walk_done(&survey.walk);
    forget(&survey);
    return good;
}

static bool run_there(struct beam *beam, struct base_error *error) {
    struct search_counters counters = {.profiled = 1};
    beam_begin_frontier(beam);
    bool good = beam_run_episode(beam, beam_place_length(beam), error) &&
                (search_is_over(beam->search) || beam_end_episode(beam, error));
    search_book_locked(beam->search, &counters);
    return good;
}

/* Runs one episode where a survey suggests. *FOUND: there was such a place. */
static bool run_profiled(struct beam *beam, bool *found, struct base_error *error) {
    struct beam_place place = {0};
    double before = beam_record_cost(beam);
    bool is_unseen = beam->is_unseen;
    beam->profile.front = beam->origins;
    beam->origins = (struct beam_origins){0};
    beam->is_aside = true;
    const struct beam_origin *from =
        &beam->profile.front.data[costliest_origin(&beam->profile.front)];
    bool good = choose_place(beam, from, &place, error);
    *found = beam->origins.count > 0;
    good = good && (!*found || run_there(beam, error));
    bool pays = beam_record_cost(beam) > before;
    if (*found)
        base_detail("beam: an episode at bytes %zu to %zu, where the profile says: %s", place.first,
                    place.end, pays ? "it costs more" : "nothing");
    if (*found && !pays)
        base_push(&beam->profile.barren, place);
    beam_origins_done(&beam->origins);
    beam->origins = beam->profile.front;
    beam->profile.front = (struct beam_origins){0};
    beam->is_aside = false;
    good = good && (!pays || beam_adopt_record(beam, error));
    beam_begin_frontier(beam);
    beam->is_unseen = is_unseen || pays;
    return good;
}

/* ---- turns ---- */

static double gain_of(const struct beam_yield *yield) {
    return (yield->gain + LEAST_GAIN) / (yield->spent + 1e-9);
}

/* Seconds or runs that episodes by profile should have had by now. */
static double what_is_due(const struct beam *beam) {
    double front = gain_of(&beam->profile.fronts) * FRONT, own = gain_of(&beam->profile.asides);
    double share = own / (front + own);
    share = share < LEAST_SHARE ? LEAST_SHARE : share > MOST_SHARE ? MOST_SHARE : share;
    return beam->profile.front_spent * share / (1 - share);
}

double beam_spent(const struct beam *beam) {
    const struct search *search = beam->search;
    return search->options.limits.seconds > 0 ? base_seconds() : (double)search->counters.runs;
}

void beam_note_turn(struct beam *beam, struct beam_yield *yield, double began, double before) {
    double now = beam_record_cost(beam), spent = beam_spent(beam) - began;
    bool is_front = yield == &beam->profile.fronts;
    yield->gain = yield->gain / 2 + (before > 0 && now > before ? log(now / before) : 0);
    yield->spent = yield->spent / 2 + spent;
    *(is_front ? &beam->profile.front_spent : &beam->profile.aside_spent) += spent;
}

bool beam_run_profile(struct beam *beam, struct base_error *error) {
    bool found = beam->origins.count > 0, good = true;
    while (good && found && beam_is_long(beam) && beam->profile.aside_spent < what_is_due(beam) &&
           !search_is_over(beam->search)) {
        double began = beam_spent(beam), before = beam_record_cost(beam);
        good = run_profiled(beam, &found, error);
        beam_note_turn(beam, &beam->profile.asides, began, before);
    }
    return good;
}

void beam_profile_done(struct beam_profile *profile) {
    base_vector_done(&profile->sites);
    base_vector_done(&profile->barren);
}
