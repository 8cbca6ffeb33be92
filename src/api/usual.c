/* SPDX-License-Identifier: Apache-2.0
 *
 * What would a person try first? Before anything random, every function is called in the usual
 * ways: its handles are filled by n calls of one function, in rising order, all equal, in falling
 * order, or with long texts and arrays that differ at their end. Then it is asked for the first
 * value, the last one, one that does not exist, or something as long as n. Two handles of a type
 * get equal contents or different ones.
 *
 * The type does not say which function fills a handle. So each function that takes the handle is
 * tried; those that make some other calls costly are the fillers, and each function gets those that
 * make it cost most.
 *
 * Nothing here depends on the seed: what these sequences show, every search shows.
 */
#include "api/builder.h"
#include "api/search.h"

#include <stdlib.h>
#include <string.h>

#define KNOWN 16    /* functions that fill a type of handle; for each function under test: */
#define OBSERVERS 6 /* functions whose cost shows what fills a handle */
#define FILLERS 3   /* per type, for each function */
#define TYPES 2     /* types of handles that are filled, per function */
#define SHARE 0.35  /* maximum share of the search's time or runs */
#define ABSENT 100000

enum fill { UP, ALIKE, DOWN, LONG_LAST_DIFFERS, FILLS };
enum value { FIRST, LAST, MISSING, LONG, LONG_APART, MIXED, VALUES };

struct usual {
    struct api_search *search;
    double end;
    struct base_map seen;
    uint32_t *fillers; /* FILLERS for each type of each function: 1 + number, or 0 */
    bool is_cut;
};
struct plan {
    uint32_t function, rank; /* which of the fillers */
    enum fill fill;
    enum value value;
    bool apart; /* handles of one type get different contents */
};

static const struct api_function *called(const struct usual *usual, uint32_t number) {
    const struct api_model *model = usual->search->model;
    return &model->functions.data[model->called.data[number]];
}

/* ---- arguments ---- */

static bool is_text(enum api_kind kind) {
    return kind == API_TEXT || kind == API_OWNED_TEXT || kind == API_BYTES;
}

static bool is_array(enum api_kind kind) {
    return kind == API_ARRAY || kind == API_TEXTS || kind == API_CELLS;
}

static int32_t constant_of(const struct api_parameter *parameter, uint32_t which) {
    const struct ir_parameter_roles *roles = parameter->roles;
    return roles && roles->constant_count ? (int32_t)roles->constants[which % roles->constant_count]
                                          : (int32_t)which;
}

static struct api_argument number(enum api_number mode, int32_t base) {
    return (struct api_argument){.mode = (uint8_t)mode, .step = 1, .base = base};
}

static struct api_argument text(enum api_shape shape, unsigned pick) {
    return (struct api_argument){
        .mode = (uint8_t)(API_CONSTANT | shape << 3), .pick = (uint8_t)pick, .step = 1};
}

static struct api_argument fill_with(const struct api_parameter *parameter, enum fill fill,
                                     uint32_t handle) {
    static const enum api_number modes[] = {API_COUNTER, API_CONSTANT, API_BACKWARDS, API_COUNTER};
    struct api_argument argument = number(modes[fill], handle ? ABSENT : 0);
    bool is_long = fill == LONG_LAST_DIFFERS;
    if (is_text(parameter->kind))
        return is_long ? text(API_LAST_DIFFERS, 3 * handle) : argument;
    if (is_array(parameter->kind)) {
        argument = number(fill == DOWN ? API_COUNTER : API_CONSTANT, 0);
        argument.mode |= fill == ALIKE ? 0 : API_LAST_ELEMENT;
        argument.pick = (uint8_t)((is_long ? 0 : 128) | (handle ? 7 : 4));
    } else if (parameter->kind == API_SCALAR) {
        bool is_size = api_has_role(parameter, IR_ROLE_AMOUNT | IR_ROLE_BOUND);
        argument.base = fill == ALIKE || is_size ? constant_of(parameter, 1) : 0;
        if (is_size)
            argument.mode = is_long ? API_WHOLE : API_CONSTANT;
    } else if (parameter->kind == API_INDEX || parameter->kind == API_POSITION)
        argument.mode = fill == DOWN || fill == ALIKE ? 0 : 1;
    return argument;
}

static struct api_argument ask_for(const struct api_parameter *parameter, enum value value,
                                   uint32_t at) {
    static const enum api_number modes[] = {API_CONSTANT, API_LAST,  API_CONSTANT,
                                            API_WHOLE,    API_WHOLE, API_CONSTANT};
    struct api_argument argument = number(modes[value], value == MISSING ? ABSENT : 0);
    if (is_text(parameter->kind) && value >= LONG)
        return text(value == MIXED ? API_ALPHABET : API_RUN, value == LONG_APART ? at : 0);
    if (is_array(parameter->kind)) {
        bool is_counted = value == MISSING || value == LONG_APART || value == MIXED;
        argument = number(is_counted ? API_COUNTER : API_CONSTANT,
                          value == LONG_APART ? (int32_t)at * ABSENT : 0);
        if (value == LAST)
            argument.mode |= API_LAST_ELEMENT;
        argument.pick = 4; /* as long as n: only that gets past a guard */
    } else if (parameter->kind == API_SCALAR && value != LAST && value != LONG)
        argument = number(API_CONSTANT, constant_of(parameter, value));
    else if (parameter->kind == API_INDEX || parameter->kind == API_POSITION)
        argument.mode = (uint8_t)(value == FIRST ? 0 : value == MISSING ? 2 : 1);
    else if (parameter->kind == API_CALLBACK) /* one that stops at once, one that continues */
        argument.pick = (uint8_t)value;
    return argument;
}

/* ---- sequences ---- */

/* The types of its handles that can be filled, without repetition. */
static uint32_t list_types(const struct api_function *function, uint32_t types[TYPES]) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < function->count && count < TYPES; i++) {
        uint32_t type = function->parameters[i].handle;
        if (api_is_handle(function->parameters[i].kind) && type < API_MOST_TYPES &&
            (!count || types[0] != type))
            types[count++] = type;
    }
    return count;
}

static uint32_t count_handles(const struct api_function *function, uint32_t type) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < function->count; i++)
        count +=
            api_is_handle(function->parameters[i].kind) && function->parameters[i].handle == type;
    return count < API_SLOTS ? count : API_SLOTS - 1;
}

/* The handles of its call: SLOT for the first of this type, the next ones for the others. */
static void name_handles(const struct api_function *function, uint32_t slot,
                         struct api_statement *statement) {
    for (uint32_t i = 0; i < function->count; i++) {
        uint32_t before = 0;
        if (!api_is_handle(function->parameters[i].kind))
            continue;
        for (uint32_t k = 0; k < i; k++)
            before += api_is_handle(function->parameters[k].kind) &&
                      function->parameters[k].handle == function->parameters[i].handle;
        statement->arguments[i].pick = (uint8_t)(slot + before);
    }
}

static void fill_handle(const struct usual *usual, struct api_builder *builder, uint32_t filler,
                        uint32_t slot, const struct plan *plan) {
    const struct api_function *function = called(usual, filler);
    struct api_statement statement = {.function = (uint16_t)filler, .repeat = API_N_TIMES};
    for (uint32_t i = 0; i < function->count; i++)
        statement.arguments[i] =
            fill_with(&function->parameters[i], plan->fill, plan->apart ? slot : 0);
    name_handles(function, slot, &statement);
    api_builder_add(builder, &statement);
}

/* FILLERS: 1 + number, one for each of TYPES. */
static bool build(const struct usual *usual, const struct plan *plan, const uint32_t fillers[TYPES],
                  struct api_sequence *sequence) {
    const struct api_model *model = usual->search->model;
    const struct api_function *function = &model->functions.data[plan->function];
    struct api_random random = {plan->function + 1};
    struct api_builder builder = {
        .model = model, .random = &random, .sequence = sequence, .renews = true};
    struct api_statement last = {.function = (uint16_t)function->number};
    uint32_t types[TYPES], count = list_types(function, types);
    *sequence = (struct api_sequence){0};
    for (uint32_t t = 0; t < count; t++)
        for (uint32_t k = count_handles(function, types[t]); k-- > 0;)
            if (!api_builder_make(&builder, types[t], API_MAKERS_DEEP))
                return false;
    for (uint32_t t = 0; t < count; t++)
        for (uint32_t k = 0; fillers[t] && k < count_handles(function, types[t]); k++)
            fill_handle(usual, &builder, fillers[t] - 1, k, plan);
    for (uint32_t i = 0; i < function->count; i++)
        last.arguments[i] = ask_for(&function->parameters[i], plan->value, i);
    name_handles(function, 0, &last);
    return api_builder_provide(&builder, &last, API_MAKERS_DEEP) &&
           api_builder_append(&builder, &last);
}

static bool is_new(struct usual *usual, const struct api_sequence *sequence) {
    struct base_hash hash;
    char name[33];
    base_hash_init(&hash);
    base_hash_add(&hash, sequence, sizeof *sequence);
    base_hash_done(&hash, name);
    if (base_map_get(&usual->seen, name) != BASE_MAP_NONE)
        return false;
    base_map_set(&usual->seen, name, 1);
    return true;
}

/* ---- which functions fill a handle ---- */

static bool is_over(struct usual *usual) {
    const struct api_search *search = usual->search;
    bool is_cut = search->is_stopped || api_runner_is_over(search->runner) ||
                  (search->runs ? (double)search->evaluations >= SHARE * (double)search->runs
                                : base_seconds() >= usual->end);
    usual->is_cut |= is_cut;
    return is_cut;
}

/* The cost of the call if only the handles of one type are filled, by this function; negative if
 * filling alone costs too much. */
static bool weigh(struct usual *usual, uint32_t function, uint32_t type, uint32_t filler,
                  double *cost, struct base_error *error) {
    *cost = 0;
    for (enum value value = FIRST; value <= LAST; value++) {
        struct plan plan = {.function = function, .value = value, .apart = true};
        uint32_t fillers[TYPES] = {0};
        struct api_sequence sequence;
        struct api_outcome outcome;
        fillers[type] = filler + 1;
        if (!build(usual, &plan, fillers, &sequence))
            continue;
        sequence.header.n = usual->search->size;
        if (!api_runner_run(usual->search->runner, &sequence, &outcome, error))
            return false;
        if (outcome.is_limited_before || outcome.all - outcome.last > API_MOST_BEFORE) {
            *cost = -1;
            return true;
        }
        if (outcome.is_good && outcome.last > *cost)
            *cost = outcome.last;
    }
    return true;
}

/* The best so far, as 1 + number each, and their values. */
struct ranking {
    uint32_t best[KNOWN];
    double worth[KNOWN];
};

static void rank(struct ranking *ranking, uint32_t size, uint32_t filler, double worth) {
    uint32_t at = size;
    while (at && worth > ranking->worth[at - 1])
        at--;
    if (at == size)
        return;
    memmove(&ranking->worth[at + 1], &ranking->worth[at], (size - 1 - at) * sizeof(double));
    memmove(&ranking->best[at + 1], &ranking->best[at], (size - 1 - at) * sizeof(uint32_t));
    ranking->worth[at] = worth;
    ranking->best[at] = filler + 1;
}

static bool is_wanted(const struct api_search *search, uint32_t function) {
    const struct api_function *known = &search->model->functions.data[function];
    return known->is_goal && !known->why_not && !known->is_avoided;
}

/* Which of its types is this? TYPES: none. */
static uint32_t type_at(const struct usual *usual, uint32_t function, uint32_t handle) {
    uint32_t types[TYPES];
    uint32_t count = is_wanted(usual->search, function)
                         ? list_types(&usual->search->model->functions.data[function], types)
                         : 0;
    for (uint32_t t = 0; t < count; t++)
        if (types[t] == handle)
            return t;
    return TYPES;
}

/* Some functions that take this handle, spread over all of them. */
static uint32_t list_observers(const struct usual *usual, uint32_t handle,
                               uint32_t observers[OBSERVERS]) {
    uint32_t functions = (uint32_t)usual->search->model->functions.count, all = 0, seen = 0;
    for (uint32_t i = 0; i < functions; i++)
        all += type_at(usual, i, handle) < TYPES;
    uint32_t step = 1 + (all - (all > 0)) / OBSERVERS, count = 0;
    for (uint32_t i = 0; i < functions; i++)
        if (type_at(usual, i, handle) < TYPES && seen++ % step == 0)
            observers[count++] = i;
    return count;
}

/* A filler makes many calls costly, each compared with its minimum cost. */
static bool rank_for_type(struct usual *usual, uint32_t handle, struct ranking *ranking,
                          struct base_error *error) {
    uint32_t observers[OBSERVERS], count = list_observers(usual, handle, observers);
    double least[OBSERVERS] = {0};
    for (uint32_t f = 0; count && f < usual->search->model->called.count; f++) {
        double worth = 0;
        if (!api_uses(called(usual, f), handle))
            continue;
        for (uint32_t i = 0; i < count && !is_over(usual); i++) {
            double cost;
            if (!weigh(usual, observers[i], type_at(usual, observers[i], handle), f, &cost, error))
                return false;
            if (cost < 0) {
                worth = 0;
                break;
            }
            least[i] = cost > 0 && (cost < least[i] || least[i] <= 0) ? cost : least[i];
            worth += least[i] > 0 ? cost / least[i] : 0;
        }
        rank(ranking, KNOWN, f, worth);
    }
    return true;
}

static bool rank_for_function(struct usual *usual, uint32_t function, uint32_t type,
                              const struct ranking *known, struct base_error *error) {
    struct ranking ranking = {0};
    for (uint32_t i = 0; i < KNOWN && known->best[i] && !is_over(usual); i++) {
        double cost;
        if (!weigh(usual, function, type, known->best[i] - 1, &cost, error))
            return false;
        rank(&ranking, FILLERS, known->best[i] - 1, cost);
    }
    memcpy(&usual->fillers[((size_t)function * TYPES + type) * FILLERS], ranking.best,
           FILLERS * sizeof *ranking.best);
    return true;
}

static bool find_fillers(struct usual *usual, struct base_error *error) {
    const struct api_model *model = usual->search->model;
    bool good = true;
    usual->fillers =
        base_alloc((model->functions.count * TYPES * FILLERS + 1) * sizeof *usual->fillers);
    for (uint32_t handle = 0; good && handle < model->types.count; handle++) {
        struct ranking known = {0};
        good = rank_for_type(usual, handle, &known, error);
        for (uint32_t i = 0; good && i < model->functions.count; i++) {
            uint32_t type = type_at(usual, i, handle);
            good = type == TYPES || rank_for_function(usual, i, type, &known, error);
        }
    }
    return good;
}

/* ---- all of it ---- */

static bool try_plan(struct usual *usual, const struct plan *plan, struct base_error *error) {
    uint32_t fillers[TYPES];
    struct api_sequence sequence;
    for (uint32_t t = 0; t < TYPES; t++)
        fillers[t] = usual->fillers[((size_t)plan->function * TYPES + t) * FILLERS + plan->rank];
    if (!build(usual, plan, fillers, &sequence) || !is_new(usual, &sequence))
        return true;
    return api_search_try(usual->search, &sequence, NULL, error);
}

/* Starts with what matters most, for all functions: a lack of time costs variety. */
static bool try_all(struct usual *usual, struct base_error *error) {
    size_t functions = usual->search->model->functions.count;
    struct plan plan = {0};
    for (uint32_t i = 0; i < FILLERS * FILLS * VALUES * 2; i++) {
        plan.value = i % VALUES;
        plan.apart = i / VALUES % 2;
        plan.fill = i / VALUES / 2 % FILLS;
        plan.rank = i / VALUES / 2 / FILLS;
        for (plan.function = 0; plan.function < functions; plan.function++) {
            if (!is_wanted(usual->search, plan.function))
                continue;
            if (is_over(usual))
                return true;
            if (!try_plan(usual, &plan, error))
                return false;
        }
    }
    return true;
}

bool api_search_usual(struct api_search *search, struct base_error *error) {
    struct usual usual = {.search = search, .end = base_seconds() + SHARE * search->seconds};
    bool good = find_fillers(&usual, error) && try_all(&usual, error);
    search->has_tried_usual = good && !usual.is_cut;
    free(usual.fillers);
    base_map_done(&usual.seen);
    return good;
}
