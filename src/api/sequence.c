/* SPDX-License-Identifier: Apache-2.0
 *
 * How are sequences of calls made and changed? A new one makes the handles that its last call
 * needs, fills them with loops of other calls on them, and then makes that call. Changes preserve
 * this form: after each, statements with missing handles get makers, or are dropped.
 */
#include "api/builder.h"

#include <stdlib.h>
#include <string.h>

uint32_t api_random_below(struct api_random *random, uint32_t limit) {
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return limit ? (uint32_t)((z ^ (z >> 31)) % limit) : 0;
}

static const struct api_function *called(const struct api_model *model, uint32_t number) {
    return &model->functions.data[model->called.data[number % model->called.count]];
}

/* ---- arguments ---- */

/* Large values are for data only: a count must not take the place of a size that n should be. */
static int32_t some_base(struct api_random *random, bool is_data) {
    static const int32_t usual[] = {0, 0, 0, 0, 1, 1, 2, 3, 7, -1, 1000, 100000};
    return usual[api_random_below(random, BASE_COUNT(usual) - (is_data ? 0 : 2))];
}

static void some_number(struct api_random *random, bool is_data, struct api_argument *argument) {
    static const uint8_t usual[] = {
        API_COUNTER, API_COUNTER, API_COUNTER, API_CONSTANT,  API_CONSTANT,  API_LAST, API_LAST,
        API_WHOLE,   API_WHOLE,   API_CYCLE,   API_SCATTERED, API_BACKWARDS, API_STEPS};
    static const int16_t steps[] = {1, 1, 1, 1, 2, -1, 3};
    argument->mode = usual[api_random_below(random, BASE_COUNT(usual))];
    argument->step = steps[api_random_below(random, BASE_COUNT(steps))];
    argument->base = some_base(random, is_data);
}

static void some_argument(struct api_random *random, const struct api_parameter *parameter,
                          struct api_argument *argument) {
    some_number(random, parameter->kind != API_SCALAR, argument);
    argument->pick = (uint8_t)api_random_below(random, 128);
    if (parameter->roles && parameter->roles->constant_count && parameter->kind == API_SCALAR &&
        api_random_below(random, 2)) {
        uint32_t which = api_random_below(random, parameter->roles->constant_count);
        argument->mode = API_CONSTANT;
        argument->base = (int32_t)parameter->roles->constants[which];
    }
    if (parameter->kind == API_SCALAR && parameter->roles &&
        (parameter->roles->roles & (IR_ROLE_AMOUNT | IR_ROLE_BOUND)) && api_random_below(random, 4))
        *argument = (struct api_argument){.mode = API_WHOLE, .step = 1, .base = 0};
    if (parameter->kind == API_TEXT || parameter->kind == API_BYTES ||
        parameter->kind == API_OWNED_TEXT)
        argument->mode |= (uint8_t)(api_random_below(random, 8) << 3);
    else if (parameter->kind == API_ARRAY || parameter->kind == API_CELLS ||
             parameter->kind == API_TEXTS) {
        argument->pick |= api_random_below(random, 6) == 0 ? 128 : 0;
        argument->mode |= api_random_below(random, 3) == 0 ? API_LAST_ELEMENT : 0;
    } else if (parameter->kind == API_INDEX || parameter->kind == API_POSITION)
        argument->mode = (uint8_t)api_random_below(random, 4);
    else if (parameter->kind == API_CALLBACK)
        argument->pick = (uint8_t)api_random_below(random, 4);
}

void api_some_statement(const struct api_model *model, struct api_random *random, uint32_t number,
                        struct api_statement *statement) {
    const struct api_function *function = called(model, number);
    *statement = (struct api_statement){.function = (uint16_t)number};
    statement->result = (uint8_t)api_random_below(random, 2);
    for (uint32_t i = 0; i < function->count; i++)
        some_argument(random, &function->parameters[i], &statement->arguments[i]);
}

static void some_repeat(struct api_random *random, struct api_statement *statement) {
    uint32_t dice = api_random_below(random, 8);
    statement->repeat = dice < 5 ? API_N_TIMES : dice < 7 ? API_ONCE : API_COUNTED;
    statement->count = 2 + api_random_below(random, 7);
}

/* ---- what a statement needs ---- */

bool api_uses(const struct api_function *function, uint32_t type) {
    for (uint32_t i = 0; i < function->count; i++)
        if (!function->is_avoided &&
            (function->parameters[i].kind == API_HANDLE ||
             function->parameters[i].kind == API_FILLED) &&
            function->parameters[i].handle == type)
            return true;
    return false;
}

/* A random maker of this type; those that need no handles come first. */
uint32_t api_some_maker(const struct api_model *model, struct api_random *random, uint32_t type) {
    uint32_t best = IR_NONE, seen = 0;
    unsigned fewest = UINT32_MAX;
    for (uint32_t i = 0; i < model->called.count; i++) {
        const struct api_function *function = called(model, i);
        unsigned handles = 0;
        if (function->is_avoided || !api_makes(function, type))
            continue;
        for (uint32_t p = 0; p < function->count; p++)
            handles += api_is_handle(function->parameters[p].kind);
        if (handles > fewest && api_random_below(random, 8))
            continue;
        seen = handles < fewest ? 0 : seen;
        fewest = handles < fewest ? handles : fewest;
        if (api_random_below(random, ++seen) == 0)
            best = i;
    }
    return best;
}

static uint32_t some_user(const struct api_model *model, struct api_random *random, uint32_t type) {
    uint32_t best = IR_NONE, seen = 0;
    for (uint32_t i = 0; i < model->called.count; i++)
        if (api_uses(called(model, i), type) && api_random_below(random, ++seen) == 0)
            best = i;
    return best;
}

bool api_builder_append(struct api_builder *builder, const struct api_statement *statement) {
    int found[API_ARGUMENTS];
    struct api_alive before = builder->alive;
    if (builder->sequence->count == API_STATEMENTS ||
        !api_alive_step(&builder->alive, builder->model, statement, found)) {
        builder->alive = before;
        return false;
    }
    builder->sequence->statements[builder->sequence->count++] = *statement;
    return true;
}

bool api_builder_make(struct api_builder *builder, uint32_t type, unsigned depth) {
    struct api_statement statement;
    uint32_t maker = api_some_maker(builder->model, builder->random, type);
    if (maker == IR_NONE || !depth || type >= API_MOST_TYPES)
        return false;
    api_some_statement(builder->model, builder->random, maker, &statement);
    for (unsigned i = 0; i < API_SLOTS; i++)
        if (!builder->alive.slots[type][i]) {
            statement.result = (uint8_t)i;
            break;
        }
    return api_builder_provide(builder, &statement, depth - 1) &&
           api_builder_append(builder, &statement);
}

bool api_builder_provide(struct api_builder *builder, const struct api_statement *statement,
                         unsigned depth) {
    const struct api_function *function = called(builder->model, statement->function);
    int found[API_ARGUMENTS];
    for (uint32_t tries = 0; tries <= API_ARGUMENTS; tries++) {
        if (api_alive_find_all(&builder->alive, builder->model, function, statement, found))
            return true;
        for (uint32_t i = 0; i < function->count; i++)
            if (api_is_handle(function->parameters[i].kind) && found[i] < 0) {
                if (!api_builder_make(builder, function->parameters[i].handle, depth))
                    return false;
                break;
            }
    }
    return false;
}

/* The first handle that the library takes over; IR_NONE: none. */
static uint32_t find_taken(const struct api_function *function) {
    for (uint32_t i = 0; i < function->count; i++)
        if (function->parameters[i].kind == API_TAKEN)
            return i;
    return IR_NONE;
}

/* A handle consumed in each iteration must be made in each: the maker moves into the loop, for a
 * slot that nothing else uses, and gets the loop's number of iterations. */
static bool append_with_maker(struct api_builder *builder, struct api_statement *statement,
                              uint32_t taken) {
    struct api_statement maker;
    const struct api_parameter *parameter =
        &called(builder->model, statement->function)->parameters[taken];
    uint32_t number = api_some_maker(builder->model, builder->random, parameter->handle);
    if (number == IR_NONE || parameter->handle >= API_MOST_TYPES ||
        builder->sequence->count + 2 > API_STATEMENTS)
        return false;
    api_some_statement(builder->model, builder->random, number, &maker);
    maker.result = (uint8_t)(1 + api_random_below(builder->random, API_SLOTS - 1));
    maker.repeat = statement->repeat;
    maker.count = statement->count;
    maker.joined = 1;
    statement->arguments[taken].pick = maker.result;
    struct api_alive before = builder->alive;
    uint32_t count = builder->sequence->count;
    if (api_builder_provide(builder, &maker, 1) && api_builder_append(builder, &maker) &&
        api_builder_provide(builder, statement, 0) && api_builder_append(builder, statement))
        return true;
    builder->alive = before;
    builder->sequence->count = count;
    return false;
}

/* The last of its handles, if it is lent by another one: n edges need n nodes. */
static uint32_t find_lent(const struct api_builder *builder, const struct api_function *function) {
    uint32_t last = function->count;
    while (last && !api_is_handle(function->parameters[last - 1].kind))
        last--;
    if (!last || api_first_handle(function) + 1 >= last ||
        !api_is_lent(builder->model, function->parameters[last - 1].handle) ||
        (!builder->renews && api_random_below(builder->random, 2)))
        return IR_NONE;
    return last - 1;
}

bool api_builder_add(struct api_builder *builder, struct api_statement *statement) {
    const struct api_function *function = called(builder->model, statement->function);
    uint32_t renewed = find_taken(function);
    if (statement->repeat != API_ONCE) {
        renewed = renewed == IR_NONE ? find_lent(builder, function) : renewed;
        if (renewed != IR_NONE && append_with_maker(builder, statement, renewed))
            return true;
    }
    return api_builder_provide(builder, statement, API_MAKERS_DEEP) &&
           api_builder_append(builder, statement);
}

/* Calls that use the type, mostly in loops. */
static void fill(struct api_builder *builder, uint32_t type) {
    uint32_t count = api_random_below(builder->random, 4);
    for (uint32_t i = 0; i < count; i++) {
        struct api_statement statement;
        uint32_t user = some_user(builder->model, builder->random, type);
        if (user == IR_NONE || builder->sequence->count + 4 > API_STATEMENTS)
            return;
        api_some_statement(builder->model, builder->random, user, &statement);
        some_repeat(builder->random, &statement);
        api_builder_add(builder, &statement);
    }
}

void api_sequence_make(const struct api_model *model, struct api_random *random, uint32_t function,
                       struct api_sequence *sequence) {
    struct api_builder builder = {.model = model, .random = random, .sequence = sequence};
    struct api_statement last;
    const struct api_function *goal = called(model, function);
    *sequence = (struct api_sequence){.header.kind = (uint8_t)api_random_below(random, 2)};
    api_some_statement(model, random, function, &last);
    for (unsigned tries = 0; tries < 4; tries++) {
        sequence->count = 0;
        builder.alive = (struct api_alive){0};
        bool good = api_builder_provide(&builder, &last, API_MAKERS_DEEP);
        for (uint32_t i = 0; good && i < goal->count; i++)
            if (api_is_handle(goal->parameters[i].kind))
                fill(&builder, goal->parameters[i].handle);
        if (good && api_builder_provide(&builder, &last, API_MAKERS_DEEP) &&
            api_builder_append(&builder, &last))
            return;
    }
}

/* ---- changes ---- */

/* Goes through the statements and repairs missing handles; the last statement must stay. */
static bool mend(const struct api_model *model, struct api_random *random,
                 const struct api_statement *statements, uint32_t count,
                 struct api_sequence *sequence) {
    struct api_builder builder = {.model = model, .random = random, .sequence = sequence};
    sequence->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool is_last = i + 1 == count;
        if (!is_last && (sequence->count + 3 > API_STATEMENTS ||
                         called(model, statements[i].function)->is_avoided))
            continue;
        bool good = api_builder_provide(&builder, &statements[i], API_MAKERS_DEEP) &&
                    api_builder_append(&builder, &statements[i]);
        if (!good && is_last)
            return false;
    }
    if (sequence->count) { /* the last call is made once */
        sequence->statements[sequence->count - 1].joined = 0;
        sequence->statements[sequence->count - 1].repeat = API_ONCE;
        if (sequence->count > 1)
            sequence->statements[sequence->count - 2].joined = 0;
    }
    return sequence->count > 0;
}

/* Copies the value of another argument: the same, or that of its last or first iteration. */
static void borrow_value(const struct api_model *model, struct api_random *random,
                         struct api_sequence *sequence, struct api_argument *argument) {
    const struct api_statement *from =
        &sequence->statements[api_random_below(random, sequence->count)];
    const struct api_function *function = called(model, from->function);
    if (!function->count)
        return;
    const struct api_argument *other = &from->arguments[api_random_below(random, function->count)];
    uint32_t dice = api_random_below(random, 4);
    argument->base = other->base;
    argument->step = other->step;
    if (dice == 0)
        argument->mode = other->mode;
    else
        argument->mode = (uint8_t)((argument->mode & ~7u) | (dice == 1   ? API_LAST
                                                             : dice == 2 ? API_CONSTANT
                                                                         : API_COUNTER));
}

static void change_argument(const struct api_model *model, struct api_random *random,
                            struct api_sequence *sequence) {
    struct api_statement *statement =
        &sequence->statements[api_random_below(random, sequence->count)];
    const struct api_function *function = called(model, statement->function);
    if (!function->count)
        return;
    uint32_t at = api_random_below(random, function->count);
    struct api_argument *argument = &statement->arguments[at];
    switch (api_random_below(random, 4)) {
    case 0:
        borrow_value(model, random, sequence, argument);
        if (function->parameters[at].kind == API_SCALAR &&
            (argument->base > 7 || argument->base < 0))
            argument->base = 0;
        break;
    case 1:
        argument->pick = (uint8_t)api_random_below(random, 256);
        break;
    default:
        some_argument(random, &function->parameters[at], argument);
        break;
    }
}

/* Inserts a call on a handle that the last statement needs, or any call. */
static void insert_call(const struct api_model *model, struct api_random *random,
                        struct api_statement *list, uint32_t *count) {
    const struct api_function *last = called(model, list[*count - 1].function);
    uint32_t number = api_random_below(random, (uint32_t)model->called.count);
    for (uint32_t i = 0; i < last->count; i++)
        if (api_is_handle(last->parameters[i].kind) && api_random_below(random, 3)) {
            uint32_t user = some_user(model, random, last->parameters[i].handle);
            number = user == IR_NONE ? number : user;
        }
    uint32_t at = api_random_below(random, *count);
    memmove(&list[at + 1], &list[at], (*count - at) * sizeof *list);
    (*count)++;
    api_some_statement(model, random, number, &list[at]);
    some_repeat(random, &list[at]);
    list[at].joined = api_random_below(random, 4) == 0;
}

/* Repeats a call for other handles, often with one argument changed: comparing is costliest for
 * structures that are almost equal. */
static void copy_call(const struct api_model *model, struct api_random *random,
                      struct api_statement *list, uint32_t *count) {
    if (*count < 2)
        return;
    uint32_t from = api_random_below(random, *count - 1), at = api_random_below(random, *count);
    struct api_statement copy = list[from];
    const struct api_function *function = called(model, copy.function);
    for (uint32_t i = 0; i < function->count; i++)
        if (api_is_handle(function->parameters[i].kind))
            copy.arguments[i].pick++;
    if (function->count && api_random_below(random, 2)) {
        uint32_t changed = api_random_below(random, function->count);
        some_argument(random, &function->parameters[changed], &copy.arguments[changed]);
    }
    memmove(&list[at + 1], &list[at], (*count - at) * sizeof *list);
    (*count)++;
    list[at] = copy;
}

static void remove_call(struct api_random *random, struct api_statement *list, uint32_t *count) {
    if (*count < 2)
        return;
    uint32_t at = api_random_below(random, *count - 1);
    memmove(&list[at], &list[at + 1], (*count - at - 1) * sizeof *list);
    (*count)--;
}

static void move_call(struct api_random *random, struct api_statement *list, uint32_t count) {
    if (count < 3)
        return;
    uint32_t a = api_random_below(random, count - 1), b = api_random_below(random, count - 1);
    struct api_statement kept = list[a];
    list[a] = list[b];
    list[b] = kept;
}

static void change_once(const struct api_model *model, struct api_random *random,
                        struct api_sequence *sequence) {
    struct api_statement list[API_STATEMENTS + 1];
    struct api_sequence changed = *sequence;
    uint32_t count = sequence->count;
    uint32_t dice = api_random_below(random, 18);
    if (dice < 6)
        change_argument(model, random, &changed);
    else if (dice == 6)
        changed.header.kind ^= 1;
    else if (dice < 9)
        some_repeat(random, &changed.statements[api_random_below(random, count)]);
    else if (dice == 9)
        changed.statements[api_random_below(random, count)].joined ^= 1;
    memcpy(list, changed.statements, count * sizeof *list);
    if (dice >= 10 && dice < 13)
        insert_call(model, random, list, &count);
    else if (dice >= 13 && dice < 15)
        remove_call(random, list, &count);
    else if (dice == 15)
        move_call(random, list, count);
    else if (dice > 15)
        copy_call(model, random, list, &count);
    if (mend(model, random, list, count, &changed))
        *sequence = changed;
}

void api_sequence_mutate(const struct api_model *model, struct api_random *random,
                         struct api_sequence *sequence) {
    uint32_t changes = 1 + api_random_below(random, 3);
    for (uint32_t i = 0; i < changes && sequence->count; i++)
        change_once(model, random, sequence);
}

bool api_sequence_insert(const struct api_model *model, struct api_random *random,
                         uint32_t function, struct api_sequence *sequence) {
    struct api_statement list[API_STATEMENTS + 1];
    struct api_sequence changed = *sequence;
    uint32_t count = sequence->count;
    if (!count || count == API_STATEMENTS)
        return false;
    memcpy(list, sequence->statements, count * sizeof *list);
    list[count] = list[count - 1];
    api_some_statement(model, random, model->functions.data[function].number, &list[count - 1]);
    if (!mend(model, random, list, count + 1, &changed))
        return false;
    *sequence = changed;
    return true;
}

void api_sequence_cross(const struct api_model *model, struct api_random *random,
                        const struct api_sequence *a, const struct api_sequence *b,
                        struct api_sequence *child) {
    struct api_statement list[2 * API_STATEMENTS];
    uint32_t head = api_random_below(random, a->count + 1),
             from = api_random_below(random, b->count), count = 0;
    for (uint32_t i = 0; i < head && i + 1 < a->count; i++)
        list[count++] = a->statements[i];
    for (uint32_t i = from; i < b->count; i++)
        list[count++] = b->statements[i];
    *child = *b;
    struct api_sequence mended = *b;
    if (count && mend(model, random, list, count, &mended))
        *child = mended;
}

/* ---- bytes ---- */

static void name_slots(struct api_alive *alive, const struct api_model *model,
                       struct api_statement *statement) {
    const struct api_function *function = called(model, statement->function);
    int found[API_ARGUMENTS];
    bool is_made = api_alive_step(alive, model, statement, found);
    statement->slots = 0;
    for (uint32_t i = 0; i < function->count; i++)
        if (api_is_handle(function->parameters[i].kind) &&
            function->parameters[i].handle < API_MOST_TYPES)
            statement->slots |= (is_made ? (uint32_t)found[i] + 1 : API_NO_SLOT) << 4 * i;
}

void api_sequence_encode(const struct api_model *model, const struct api_sequence *sequence,
                         uint32_t count, struct base_buffer *bytes) {
    struct api_alive alive = {0};
    base_buffer_add(bytes, &sequence->header, sizeof sequence->header);
    for (uint32_t i = 0; i < count; i++) {
        struct api_statement statement = sequence->statements[i];
        name_slots(&alive, model, &statement);
        base_buffer_add(bytes, &statement, sizeof statement);
    }
}

bool api_sequence_decode(const struct api_model *model, const void *bytes, size_t size,
                         struct api_sequence *sequence) {
    *sequence = (struct api_sequence){0};
    if (size < sizeof sequence->header)
        return false;
    memcpy(&sequence->header, bytes, sizeof sequence->header);
    sequence->count = (uint32_t)((size - sizeof sequence->header) / sizeof(struct api_statement));
    if (!sequence->count || sequence->count > API_STATEMENTS)
        return false;
    memcpy(sequence->statements, (const char *)bytes + sizeof sequence->header,
           sequence->count * sizeof *sequence->statements);
    for (uint32_t i = 0; i < sequence->count; i++) {
        sequence->statements[i].function %= (uint16_t)model->called.count;
        sequence->statements[i].slots = 0;
    }
    return true;
}
