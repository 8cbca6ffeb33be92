/* SPDX-License-Identifier: Apache-2.0
 *
 * Which types are handles? Structs that some function makes, or prepares in the caller's memory;
 * all others are plain data. Each handle type gets the function that destroys it and the one that
 * returns its size.
 */
#include "api/guess.h"
#include "api/names.h"
#include "api/types.h"

static void note_type(struct api_model *model, const struct ir_type *type) {
    const struct ir_type *record = api_pointee(type);
    if (api_is_pointer(record))
        record = api_pointee(record);
    if (!api_is_record(record) || api_is_file(record) || api_find_type(model, record) != IR_NONE)
        return;
    base_push(&model->types,
              (struct api_type){
                  .name = record->name, .type = record, .destroyer = IR_NONE, .sizer = IR_NONE});
}

static void note_types(struct api_model *model) {
    for (size_t i = 0; i < model->functions.count; i++) {
        struct api_function *function = &model->functions.data[i];
        note_type(model, function->signature->result);
        for (uint32_t p = 0; p < function->count; p++)
            note_type(model, function->parameters[p].type);
    }
}

static bool takes_handle(const struct api_function *function, const struct ir_type *record) {
    for (uint32_t i = 0; i < function->count; i++)
        if (api_pointee(function->parameters[i].type) == record)
            return true;
    return false;
}

/* ---- who makes a type? ---- */

bool api_guess_makes(const struct api_function *function, const struct ir_type *record) {
    const char *name = function->signature->name;
    if (api_pointee(function->signature->result) != record)
        return false;
    return (function->roles && function->roles->returns_new) ||
           (!takes_handle(function, record) && api_name_says(name, API_PREPARING));
}

/* If the caller passes in the allocator, only names show what is a new handle. */
bool api_guess_fills(const struct api_function *function, uint32_t at) {
    const struct api_parameter *parameter = &function->parameters[at];
    return api_has_role(parameter, IR_ROLE_FILLED) ||
           (api_has_role(parameter, IR_ROLE_WRITTEN) &&
            !api_has_role(parameter, IR_ROLE_READ | IR_ROLE_INDEXED) &&
            api_name_says(function->signature->name, API_PREPARING));
}

static bool makes_at(const struct api_function *function, uint32_t at,
                     const struct ir_type *record) {
    return api_pointee(api_pointee(function->parameters[at].type)) == record &&
           api_guess_fills(function, at);
}

bool api_guess_prepares(const struct api_function *function, const struct ir_type *record) {
    return function->count && record && api_pointee(function->parameters[0].type) == record &&
           record->size && api_name_says(function->signature->name, API_INITIALISING) &&
           !api_has_role(&function->parameters[0], IR_ROLE_FREED);
}

static bool is_made(const struct api_model *model, const struct ir_type *record) {
    for (size_t i = 0; i < model->functions.count; i++) {
        const struct api_function *function = &model->functions.data[i];
        if (api_guess_makes(function, record))
            return true;
        for (uint32_t p = 0; p < function->count; p++)
            if (makes_at(function, p, record))
                return true;
    }
    return false;
}

/* An iterator set to its start, options set to defaults: the function writes the struct without
 * reading it. */
bool api_guess_writes(const struct api_function *function, uint32_t at) {
    const struct api_parameter *parameter = &function->parameters[at];
    for (uint32_t i = 0; i < function->count; i++)
        if (function->parameters[i].roles && function->parameters[i].roles->length_of == at)
            return false;
    return !parameter->type->is_const && api_has_role(parameter, IR_ROLE_WRITTEN) &&
           !api_has_role(parameter, IR_ROLE_READ | IR_ROLE_FREED | IR_ROLE_INDEXED);
}

static bool is_written(const struct api_model *model, const struct ir_type *record) {
    for (size_t i = 0; record->size && i < model->functions.count; i++)
        for (uint32_t p = 0; p < model->functions.data[i].count; p++)
            if (api_pointee(model->functions.data[i].parameters[p].type) == record &&
                api_guess_writes(&model->functions.data[i], p))
                return true;
    return false;
}

static bool is_prepared(const struct api_model *model, const struct ir_type *record) {
    for (size_t i = 0; i < model->functions.count; i++)
        if (api_guess_prepares(&model->functions.data[i], record))
            return true;
    return false;
}

static bool is_returned(const struct api_model *model, const struct ir_type *record) {
    for (size_t i = 0; i < model->functions.count; i++)
        if (api_pointee(model->functions.data[i].signature->result) == record)
            return true;
    return false;
}

/* ---- who destroys it? ---- */

/* 0: it does not destroy it. */
static unsigned rate_destroyer(const struct api_function *function, const struct api_type *type) {
    bool is_named = api_name_says(function->signature->name, API_DESTROYING);
    const struct api_parameter *first = &function->parameters[0];
    if (!function->count)
        return 0;
    bool behind = api_pointee(api_pointee(first->type)) == type->type &&
                  api_has_role(first, IR_ROLE_FREED_BEHIND);
    bool freed = api_pointee(first->type) == type->type && api_has_role(first, IR_ROLE_FREED);
    bool emptied = api_pointee(first->type) == type->type && is_named;
    for (uint32_t i = 1; i < function->count; i++)
        if (!api_is_callback(function->parameters[i].type))
            return 0;
    if (!freed && !behind && !emptied)
        return 0;
    return 1 + 4 * (freed || behind || type->is_memory) + 3 * is_named +
           2 * (function->count == 1) + !function->signature->result;
}

static void choose_destroyer(struct api_model *model, struct api_type *type) {
    unsigned best = 0;
    for (uint32_t i = 0; i < model->functions.count; i++) {
        unsigned rate = rate_destroyer(&model->functions.data[i], type);
        if (rate > best) {
            best = rate;
            type->destroyer = i;
        }
    }
}

static void choose_sizer(struct api_model *model, struct api_type *type) {
    for (uint32_t i = 0; i < model->functions.count && type->sizer == IR_NONE; i++) {
        const struct api_function *function = &model->functions.data[i];
        if (function->count == 1 && api_pointee(function->parameters[0].type) == type->type &&
            api_is_integer(function->signature->result) &&
            api_name_says(function->signature->name, API_SIZING))
            type->sizer = i;
    }
}

/* Nothing destroys it and nothing makes one from nothing: it is part of something larger. */
static bool is_part(const struct api_model *model, const struct ir_type *record) {
    for (size_t i = 0; i < model->functions.count; i++) {
        const struct api_function *function = &model->functions.data[i];
        bool takes_any = false, fills = false;
        for (uint32_t p = 0; p < function->count; p++) {
            takes_any |= api_is_record(api_pointee(function->parameters[p].type));
            fills |= makes_at(function, p, record);
        }
        if ((fills || api_guess_makes(function, record)) && !takes_any)
            return false;
    }
    return true;
}

/* Keeps only types that some function makes, prepares or returns: plain data is not a handle. */
void api_guess_types(struct api_model *model) {
    size_t kept = 0;
    note_types(model);
    for (size_t i = 0; i < model->types.count; i++) {
        struct api_type type = model->types.data[i];
        type.is_made = is_made(model, type.type);
        type.is_memory = !type.is_made && is_prepared(model, type.type);
        bool is_lent = is_returned(model, type.type);
        type.is_record =
            !type.is_made && !type.is_memory && !is_lent && is_written(model, type.type);
        if (!type.is_made && !type.is_memory && !type.is_record && !is_lent)
            continue;
        if (type.is_made || type.is_memory)
            choose_destroyer(model, &type);
        if (type.is_made && type.destroyer == IR_NONE && is_part(model, type.type))
            type.is_made = false;
        choose_sizer(model, &type);
        model->types.data[kept++] = type;
    }
    model->types.count = kept;
}
