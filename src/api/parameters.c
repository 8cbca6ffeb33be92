/* SPDX-License-Identifier: Apache-2.0
 *
 * What is each argument of a function? Its type leaves few choices, the function's use of it fewer,
 * and its name decides among the rest. Then the result, and whether the function can be called at
 * all.
 */
#include "api/guess.h"
#include "api/names.h"
#include "api/types.h"

static bool has_length(const struct api_function *function, uint32_t pointer) {
    for (uint32_t i = 0; i < function->count; i++)
        if (function->parameters[i].roles && function->parameters[i].roles->length_of == pointer)
            return true;
    return false;
}

static enum api_kind kind_of_handle(const struct api_model *model, uint32_t number,
                                    uint32_t function, uint32_t at) {
    const struct api_function *owner = &model->functions.data[function];
    const struct api_parameter *parameter = &owner->parameters[at];
    const struct api_type *type = &model->types.data[number];
    if (type->destroyer == function && at == 0)
        return API_DESTROYED;
    if (type->is_memory && at == 0 && api_guess_prepares(owner, type->type))
        return API_PREPARED;
    if (type->is_record)
        return api_guess_writes(owner, at) ? API_PREPARED : API_HANDLE;
    if (api_has_role(parameter, IR_ROLE_FREED))
        return api_name_says(owner->signature->name, API_DESTROYING) ? API_DESTROYED : API_TAKEN;
    return API_HANDLE;
}

static enum api_kind kind_of_place(const struct api_function *function, uint32_t at) {
    if (api_guess_fills(function, at))
        return API_MADE_AT;
    return api_has_role(&function->parameters[at], IR_ROLE_FREED_BEHIND) ? API_DESTROYED_AT
                                                                         : API_UNFIT;
}

static enum api_kind kind_of_bytes(const struct api_function *function, uint32_t at, bool is_void) {
    const struct api_parameter *parameter = &function->parameters[at];
    bool only_written =
        api_has_role(parameter, IR_ROLE_WRITTEN) && !api_has_role(parameter, IR_ROLE_READ);
    if (api_has_role(parameter, IR_ROLE_FREED))
        return is_void ? API_OWNED_CELL : API_OWNED_TEXT;
    if (has_length(function, at))
        return API_BYTES;
    if (is_void)
        return API_CELL;
    return only_written ? API_OUT : API_TEXT;
}

static enum api_kind kind_of_pointers(const struct api_function *function, uint32_t at,
                                      bool is_void) {
    const struct api_parameter *parameter = &function->parameters[at];
    if (has_length(function, at) || api_has_role(parameter, IR_ROLE_INDEXED))
        return is_void ? API_CELLS : API_TEXTS;
    return api_has_role(parameter, IR_ROLE_WRITTEN) || is_void ? API_OUT : API_TEXTS;
}

static enum api_kind kind_of_numbers(const struct api_function *function, uint32_t at) {
    const struct api_parameter *parameter = &function->parameters[at];
    return has_length(function, at) || api_has_role(parameter, IR_ROLE_INDEXED) ? API_ARRAY
                                                                                : API_OUT;
}

/* Can a stub of this type be written without the library's types? */
static bool can_be_written(const struct ir_type *function) {
    const struct ir_type *result = function->element;
    if (function->is_variadic || (result && !api_is_number(result) && !api_is_pointer(result)))
        return false;
    for (uint32_t i = 0; i < function->member_count; i++)
        if (!api_is_number(function->members[i].type) && !api_is_pointer(function->members[i].type))
            return false;
    return true;
}

static bool has_object(const struct api_model *model, const struct ir_type *record) {
    for (size_t i = 0; i < model->objects.count; i++)
        if (model->objects.data[i].type == record)
            return true;
    return false;
}

static enum api_kind kind_of_pointer(struct api_model *model, uint32_t number, uint32_t at) {
    struct api_function *function = &model->functions.data[number];
    struct api_parameter *parameter = &function->parameters[at];
    const struct ir_type *element = api_pointee(parameter->type);
    if (!element || element->kind == IR_TYPE_CHAR)
        return kind_of_bytes(function, at, !element);
    if (element->kind == IR_TYPE_FUNCTION)
        return can_be_written(element) ? API_CALLBACK : API_NONE;
    if (api_is_number(element))
        return kind_of_numbers(function, at);
    if (api_is_record(element)) {
        parameter->handle = api_find_type(model, element);
        if (parameter->handle != IR_NONE)
            return kind_of_handle(model, parameter->handle, number, at);
        if (has_object(model, element))
            return API_OBJECT;
        return api_is_file(element) || !element->size || has_length(function, at) ? API_UNFIT
                                                                                  : API_RECORD;
    }
    if (!api_is_pointer(element))
        return API_UNFIT;
    if (api_is_record(api_pointee(element))) {
        parameter->handle = api_find_type(model, api_pointee(element));
        return parameter->handle == IR_NONE ? API_UNFIT : kind_of_place(function, at);
    }
    const struct ir_type *last = api_pointee(element);
    return !last || last->kind == IR_TYPE_CHAR ? kind_of_pointers(function, at, !last) : API_UNFIT;
}

/* The handle whose elements an index counts: the first. */
static uint32_t find_sized(const struct api_model *model, const struct api_function *function) {
    for (uint32_t i = 0; i < function->count; i++)
        if (function->parameters[i].kind == API_HANDLE &&
            model->types.data[function->parameters[i].handle].sizer != IR_NONE)
            return i;
    return IR_NONE;
}

static void choose_number(struct api_model *model, struct api_function *function, uint32_t at) {
    struct api_parameter *parameter = &function->parameters[at];
    parameter->kind = API_SCALAR;
    if (parameter->roles && parameter->roles->length_of < function->count) {
        enum api_kind counted = function->parameters[parameter->roles->length_of].kind;
        if (counted == API_BYTES || counted == API_ARRAY || counted == API_TEXTS ||
            counted == API_CELLS) {
            parameter->kind = API_LENGTH;
            parameter->other = parameter->roles->length_of;
            return;
        }
    }
    uint32_t sized = find_sized(model, function);
    if (sized != IR_NONE && api_is_integer(parameter->type) &&
        api_name_says(parameter->name, API_INDEXING)) {
        bool adds = api_name_says(function->signature->name, API_PLACING);
        parameter->kind = adds ? API_POSITION : API_INDEX;
        parameter->other = sized;
    }
}

static bool is_array(enum api_kind kind) {
    return kind == API_ARRAY || kind == API_CELLS || kind == API_TEXTS;
}

/* Pointers next to a number called a count are arrays, if no write is known: writes may be
 * invisible, behind a table of functions. */
static void find_counted(struct api_function *function) {
    for (uint32_t i = 0; i + 1 < function->count; i++)
        for (uint32_t k = 0; k < 2; k++) {
            struct api_parameter *number = &function->parameters[i + k];
            struct api_parameter *memory = &function->parameters[i + 1 - k];
            const struct ir_type *element = api_pointee(memory->type);
            if (number->kind != API_SCALAR || !api_is_integer(number->type) ||
                memory->kind != API_OUT || !element || api_is_written(memory) ||
                !(api_name_says(number->name, API_SIZING) || strcmp(number->name, "n") == 0))
                continue;
            memory->kind = !api_is_pointer(element) ? API_ARRAY
                           : api_pointee(element)   ? API_TEXTS
                                                    : API_CELLS;
            number->kind = API_LENGTH;
            number->other = i + 1 - k;
        }
}

/* An array of unknown length takes the next number as its length, if there is one. */
static void find_lengths(struct api_function *function) {
    find_counted(function);
    for (uint32_t i = 0; i + 1 < function->count; i++) {
        struct api_parameter *next = &function->parameters[i + 1];
        enum api_kind kind = function->parameters[i].kind;
        if (is_array(kind) && next->kind == API_SCALAR && api_is_integer(next->type) &&
            !has_length(function, i)) {
            next->kind = API_LENGTH;
            next->other = i;
        }
    }
}

static bool is_counted(const struct api_function *function, uint32_t array) {
    for (uint32_t i = 0; i < function->count; i++)
        if (function->parameters[i].kind == API_LENGTH && function->parameters[i].other == array)
            return true;
    return false;
}

/* Adjacent arrays have the same length. */
static void share_lengths(struct api_function *function) {
    for (uint32_t i = 0; i < function->count; i++) {
        struct api_parameter *parameter = &function->parameters[i];
        if (!is_array(parameter->kind) || is_counted(function, i))
            continue;
        for (uint32_t k = 0; k < function->count; k++)
            if (is_array(function->parameters[k].kind) && is_counted(function, k))
                parameter->shares = k;
    }
}

static void choose_kinds(struct api_model *model, uint32_t number) {
    struct api_function *function = &model->functions.data[number];
    for (uint32_t i = 0; i < function->count; i++) {
        struct api_parameter *parameter = &function->parameters[i];
        if (api_is_pointer(parameter->type))
            parameter->kind = kind_of_pointer(model, number, i);
        else if (!api_is_number(parameter->type))
            parameter->kind = API_UNFIT;
    }
    for (uint32_t i = 0; i < function->count; i++)
        if (api_is_number(function->parameters[i].type))
            choose_number(model, function, i);
    find_lengths(function);
    share_lengths(function);
}

static void choose_result(struct api_model *model, struct api_function *function) {
    const struct ir_type *record = api_pointee(function->signature->result);
    bool is_new = function->roles && function->roles->returns_new;
    function->handle = api_is_record(record) ? api_find_type(model, record) : IR_NONE;
    if (function->handle == IR_NONE) {
        bool is_bytes = api_is_pointer(function->signature->result);
        function->result = is_new && is_bytes ? API_FRESH : API_IGNORED;
        return;
    }
    if (api_guess_makes(function, record) && !api_is_lent(model, function->handle))
        function->result = API_NEW;
    else
        function->result = model->types.data[function->handle].is_made ||
                                   model->types.data[function->handle].is_memory
                               ? API_IGNORED
                               : API_BORROWED;
}

static void check_function(struct api_function *function) {
    const struct ir_type *result = function->signature->result;
    if (function->signature->is_variadic)
        function->why_not = "it takes any number of arguments";
    else if (function->signature->parameter_count > API_ARGUMENTS)
        function->why_not = "it has too many parameters";
    else if (api_is_record(result))
        function->why_not = "it returns a struct";
    for (uint32_t i = 0; i < function->count && !function->why_not; i++)
        if (function->parameters[i].kind == API_UNFIT)
            function->why_not = "there is nothing to hand to one of its parameters";
}

void api_guess_function(struct api_model *model, uint32_t function) {
    choose_kinds(model, function);
    choose_result(model, &model->functions.data[function]);
    check_function(&model->functions.data[function]);
}
