/* SPDX-License-Identifier: Apache-2.0
 *
 * What can be called with what? The functions that the headers declare, in order: first their types
 * (handles.c), then the arguments and the result of each (parameters.c). Also queries about a
 * model.
 */
#include "api/model.h"

#include "abi/abi.h"
#include "api/guess.h"
#include "api/names.h"
#include "api/types.h"

#include <stdlib.h>
#include <string.h>

/* ---- making it ---- */

/* A variable that the headers do not name cannot be used: its type is not declared. */
static void note_objects(struct api_model *model, const struct base_strings *texts) {
    const struct ir_objects *all = &model->library->objects;
    for (size_t i = 0; i < all->count; i++)
        if (api_headers_mention(texts, all->data[i].name))
            base_push(&model->objects, all->data[i]);
}

static void add_function(struct api_model *model, const struct ir_signature *signature) {
    struct api_function function = {.signature = signature,
                                    .roles = ir_roles_find(&model->library->roles, signature->name),
                                    .count = signature->parameter_count,
                                    .is_goal = true};
    if (function.count > API_ARGUMENTS)
        function.count = API_ARGUMENTS;
    for (uint32_t i = 0; i < function.count; i++)
        function.parameters[i] = (struct api_parameter){
            .type = signature->parameters[i].type,
            .name = signature->parameters[i].name,
            .handle = IR_NONE,
            .shares = IR_NONE,
            .roles = function.roles && i < function.roles->count ? &function.roles->parameters[i]
                                                                 : NULL};
    function.in_facts = ir_find_function(&model->library->facts, signature->name);
    function.can_free = api_can_free(&model->library->facts, function.in_facts);
    base_push(&model->functions, function);
}

static bool is_ours(const char *name) {
    return strcmp(name, "main") == 0 || strcmp(name, ABI_SYMBOL_HARNESS) == 0;
}

static void note_functions(struct api_model *model, const struct base_strings *texts) {
    const struct target_description *library = model->library;
    for (size_t i = 0; i < library->signatures.count; i++) {
        const struct ir_signature *signature = &library->signatures.data[i];
        if (is_ours(signature->name) || !api_headers_declare(texts, signature->name))
            continue;
        add_function(model, signature);
        if (api_headers_define(texts, signature->name))
            base_strings_add(&model->macros, signature->name);
    }
}

bool api_model_init(struct api_model *model, struct target_description *library,
                    const struct base_strings *headers, const struct base_strings *flags,
                    struct base_error *error) {
    struct base_strings texts = {0};
    *model = (struct api_model){.library = library};
    bool good = api_headers_read(model, headers, flags, &texts, error);
    if (good) {
        note_functions(model, &texts);
        note_objects(model, &texts);
    }
    base_strings_done(&texts);
    if (good && !model->functions.count)
        good = base_fail(error, BASE_TARGET, "there is no function to call%s",
                         headers->count ? " that the headers declare" : "");
    api_guess_types(model);
    for (uint32_t i = 0; i < model->functions.count; i++)
        api_guess_function(model, i);
    api_model_number(model);
    return good;
}

void api_model_number(struct api_model *model) {
    model->called.count = 0;
    for (uint32_t i = 0; i < model->functions.count; i++) {
        struct api_function *function = &model->functions.data[i];
        function->number = (uint32_t)model->called.count;
        if (!function->why_not)
            base_push(&model->called, i);
    }
}

void api_model_done(struct api_model *model) {
    base_vector_done(&model->functions);
    base_vector_done(&model->types);
    base_vector_done(&model->called);
    base_vector_done(&model->objects);
    base_strings_done(&model->headers);
    base_strings_done(&model->folders);
    base_strings_done(&model->macros);
    base_arena_done(&model->arena);
}

/* ---- queries ---- */

bool api_is_handle(enum api_kind kind) {
    return kind == API_HANDLE || kind == API_FILLED || kind == API_TAKEN || kind == API_DESTROYED ||
           kind == API_DESTROYED_AT;
}

uint32_t api_first_handle(const struct api_function *function) {
    uint32_t first = 0;
    while (first < function->count && !api_is_handle(function->parameters[first].kind))
        first++;
    return first;
}

bool api_is_lent(const struct api_model *model, uint32_t type) {
    return !model->types.data[type].is_made && !model->types.data[type].is_memory;
}

/* Decided by what the function writes to; if that is unknown, by its name. */
bool api_may_remove(const struct api_function *function, uint32_t parameter) {
    const struct api_parameter *handle = &function->parameters[parameter];
    if (handle->kind != API_HANDLE && handle->kind != API_FILLED)
        return true;
    return function->can_free && !handle->type->is_const &&
           (api_has_role(handle, IR_ROLE_WRITTEN) ||
            api_name_says(function->signature->name, API_REMOVING));
}

bool api_is_exact(const struct api_parameter *parameter) {
    return parameter->kind == API_SCALAR && parameter->roles && parameter->roles->constant_count &&
           !(parameter->roles->roles & (IR_ROLE_AMOUNT | IR_ROLE_BOUND));
}

bool api_is_written(const struct api_parameter *parameter) {
    return api_has_role(parameter, IR_ROLE_WRITTEN);
}

void api_list_objects(const struct api_model *model, const struct ir_type *record,
                      struct base_strings *names) {
    for (size_t i = 0; i < model->objects.count; i++)
        if (model->objects.data[i].type == record)
            base_strings_add(names, model->objects.data[i].name);
}

uint32_t api_find_function(const struct api_model *model, const char *name) {
    for (uint32_t i = 0; i < model->functions.count; i++)
        if (strcmp(model->functions.data[i].signature->name, name) == 0)
            return i;
    return IR_NONE;
}

bool api_makes(const struct api_function *function, uint32_t type) {
    if ((function->result == API_NEW || function->result == API_BORROWED) &&
        function->handle == type)
        return true;
    for (uint32_t i = 0; i < function->count; i++)
        if ((function->parameters[i].kind == API_MADE_AT ||
             function->parameters[i].kind == API_PREPARED) &&
            function->parameters[i].handle == type)
            return true;
    return false;
}

uint32_t api_find_type(const struct api_model *model, const struct ir_type *record) {
    for (uint32_t i = 0; i < model->types.count; i++)
        if (model->types.data[i].type == record)
            return i;
    return IR_NONE;
}

bool api_has_role(const struct api_parameter *parameter, uint32_t role) {
    return parameter->roles && (parameter->roles->roles & role);
}

bool api_returns_pointer(const struct api_function *function) {
    return api_is_pointer(function->signature->result);
}
