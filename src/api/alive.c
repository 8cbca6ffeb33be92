/* SPDX-License-Identifier: Apache-2.0
 *
 * Which handles are alive after some statements, and which of them does a call get? The harness
 * decides the same at run time (driver.inc); here it is predicted.
 */
#include "api/sequence.h"

static const struct api_function *called(const struct api_model *model, uint32_t number) {
    return &model->functions.data[model->called.data[number % model->called.count]];
}

int api_alive_find(const struct api_alive *alive, uint32_t type, unsigned pick, const int *used,
                   size_t used_count, uint16_t owner) {
    for (unsigned i = 0; type < API_MOST_TYPES && i < API_SLOTS; i++) {
        int at = (int)((pick + i) % API_SLOTS);
        bool is_used = false;
        for (size_t k = 0; k < used_count; k++)
            is_used |= used[k] == at;
        if (alive->slots[type][at] && !is_used && (!owner || alive->owners[type][at] == owner))
            return at;
    }
    return -1;
}

static uint16_t code_of(uint32_t type, int at) {
    return (uint16_t)(1 + type * API_SLOTS + (uint32_t)at % API_SLOTS);
}

static void forget_owned(struct api_alive *alive, uint16_t owner) {
    for (uint32_t type = 0; type < API_MOST_TYPES; type++)
        for (unsigned at = 0; at < API_SLOTS; at++)
            if (alive->owners[type][at] == owner) {
                alive->slots[type][at] = false;
                alive->owners[type][at] = 0;
            }
}

static void set_alive(struct api_alive *alive, uint32_t type, int at, bool is_alive) {
    if (type >= API_MOST_TYPES || at < 0)
        return;
    if (alive->slots[type][at % API_SLOTS])
        forget_owned(alive, code_of(type, at));
    alive->slots[type][at % API_SLOTS] = is_alive;
    alive->owners[type][at % API_SLOTS] = 0;
}

/* See print_owner in harness.c. */
static uint16_t owner_of(const struct api_alive *alive, const struct api_model *model,
                         const struct api_function *function, uint32_t before,
                         const int found[API_ARGUMENTS]) {
    uint32_t first = api_first_handle(function);
    if (first >= before || found[first] < 0)
        return 0;
    uint32_t type = function->parameters[first].handle;
    if (type >= API_MOST_TYPES)
        return 0;
    return api_is_lent(model, type) ? alive->owners[type][found[first]]
                                    : code_of(type, found[first]);
}

bool api_alive_find_all(const struct api_alive *alive, const struct api_model *model,
                        const struct api_function *function, const struct api_statement *statement,
                        int found[API_ARGUMENTS]) {
    for (uint32_t i = 0; i < API_ARGUMENTS; i++)
        found[i] = -1;
    for (uint32_t i = 0; i < function->count; i++) {
        int used[API_ARGUMENTS];
        size_t count = 0;
        if (!api_is_handle(function->parameters[i].kind))
            continue;
        for (uint32_t k = 0; k < i; k++)
            if (found[k] >= 0 && function->parameters[k].handle == function->parameters[i].handle)
                used[count++] = found[k];
        uint32_t type = function->parameters[i].handle;
        uint16_t owner = api_is_lent(model, type) ? owner_of(alive, model, function, i, found) : 0;
        found[i] = api_alive_find(alive, type, statement->arguments[i].pick, used,
                                  count > 2 ? 2 : count, owner);
        if (found[i] < 0)
            return false;
    }
    return true;
}

bool api_alive_step(struct api_alive *alive, const struct api_model *model,
                    const struct api_statement *statement, int found[API_ARGUMENTS]) {
    const struct api_function *function = called(model, statement->function);
    if (!api_alive_find_all(alive, model, function, statement, found))
        return false;
    api_alive_call(alive, model, statement, found);
    return true;
}

void api_alive_call(struct api_alive *alive, const struct api_model *model,
                    const struct api_statement *statement, const int found[API_ARGUMENTS]) {
    const struct api_function *function = called(model, statement->function);
    uint16_t owner = owner_of(alive, model, function, function->count, found);
    for (uint32_t i = 0; i < function->count; i++) {
        const struct api_parameter *parameter = &function->parameters[i];
        if (api_is_handle(parameter->kind) && !api_is_lent(model, parameter->handle) &&
            parameter->handle < API_MOST_TYPES && api_may_remove(function, i))
            forget_owned(alive, code_of(parameter->handle, found[i]));
        if (parameter->kind == API_TAKEN || parameter->kind == API_DESTROYED ||
            parameter->kind == API_DESTROYED_AT)
            set_alive(alive, parameter->handle, found[i], false);
        if (parameter->kind == API_MADE_AT || parameter->kind == API_PREPARED)
            set_alive(alive, parameter->handle, statement->result % API_SLOTS, true);
        if (parameter->kind == API_PREPARED && api_is_lent(model, parameter->handle) &&
            parameter->handle < API_MOST_TYPES)
            alive->owners[parameter->handle][statement->result % API_SLOTS] = owner;
    }
    if (function->result == API_NEW || function->result == API_BORROWED)
        set_alive(alive, function->handle, statement->result % API_SLOTS, true);
    if (function->result == API_BORROWED && function->handle < API_MOST_TYPES)
        alive->owners[function->handle][statement->result % API_SLOTS] = owner;
}
