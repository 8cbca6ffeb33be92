/* SPDX-License-Identifier: Apache-2.0
 *
 * What may one call with what? Types come first: a struct that some function makes is a handle, one
 * that a function prepares in the caller's memory as well, any other is plain data. Then each
 * parameter gets a kind, by its type, by what the function does with it, and last by its name.
 */
#include "api/model.h"

#include "abi/abi.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

/* Is WORD a part of NAME, as in list_free, listFree or freelist? */
static bool says(const char *name, const char *word) {
    size_t length = strlen(word);
    for (const char *at = name; *at; at++)
        if (strncasecmp(at, word, length) == 0 &&
            (at == name || at[-1] == '_' || isupper((unsigned char)*at) || !at[length]) &&
            !islower((unsigned char)at[length]))
            return true;
    return false;
}

static bool says_any(const char *name, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (says(name, words[i]))
            return true;
    return false;
}

static const char *const destroying[] = {"free",   "destroy", "delete", "release", "dispose",
                                         "close",  "fini",    "deinit", "done",    "unref",
                                         "decref", "cleanup", "uninit"};
static const char *const preparing[] = {"init", "create", "new", "setup", "ctor"};
static const char *const sizing[] = {"size", "count", "length", "len", "num", "elements"};
static const char *const indexing[] = {"index", "idx", "pos",  "position", "at",   "nth",
                                       "i",     "j",   "rank", "slot",     "from", "start"};
static const char *const removing[] = {"remove", "delete", "clear", "pop",  "erase",  "reset",
                                       "detach", "take",   "drop",  "sort", "unlink", "empty"};
static const char *const placing[] = {"insert", "add", "put"};

/* ---- types ---- */

static const struct ir_type *pointee(const struct ir_type *type) {
    return type && type->kind == IR_TYPE_POINTER ? type->element : NULL;
}

static bool is_record(const struct ir_type *type) {
    return type && (type->kind == IR_TYPE_STRUCT || type->kind == IR_TYPE_UNION);
}

static bool is_file(const struct ir_type *type) {
    return is_record(type) && strcmp(type->name, "_IO_FILE") == 0;
}

static bool is_number(const struct ir_type *type) {
    return type && (type->kind == IR_TYPE_BOOL || type->kind == IR_TYPE_SIGNED ||
                    type->kind == IR_TYPE_UNSIGNED || type->kind == IR_TYPE_CHAR ||
                    type->kind == IR_TYPE_FLOAT || type->kind == IR_TYPE_ENUM);
}

static bool is_integer(const struct ir_type *type) {
    return is_number(type) && type->kind != IR_TYPE_FLOAT && type->kind != IR_TYPE_BOOL;
}

static bool is_pointer(const struct ir_type *type) {
    return type && type->kind == IR_TYPE_POINTER;
}

static uint32_t find_type(const struct api_model *model, const struct ir_type *record) {
    for (uint32_t i = 0; i < model->types.count; i++)
        if (model->types.data[i].type == record)
            return i;
    return IR_NONE;
}

static void note_type(struct api_model *model, const struct ir_type *type) {
    const struct ir_type *record = pointee(type);
    if (is_pointer(record))
        record = pointee(record);
    if (!is_record(record) || is_file(record) || find_type(model, record) != IR_NONE)
        return;
    base_push(&model->types,
              (struct api_type){
                  .name = record->name, .type = record, .destroyer = IR_NONE, .sizer = IR_NONE});
}

static bool has_role(const struct api_parameter *parameter, uint32_t role) {
    return parameter->roles && (parameter->roles->roles & role);
}

static bool takes_handle(const struct api_function *function, const struct ir_type *record) {
    for (uint32_t i = 0; i < function->count; i++)
        if (pointee(function->parameters[i].type) == record)
            return true;
    return false;
}

/* ---- who makes a type? ---- */

static bool makes(const struct api_function *function, const struct ir_type *record) {
    const char *name = function->signature->name;
    if (pointee(function->signature->result) != record)
        return false;
    return (function->roles && function->roles->returns_new) ||
           (!takes_handle(function, record) && says_any(name, preparing, BASE_COUNT(preparing)));
}

static bool makes_at(const struct api_parameter *parameter, const struct ir_type *record) {
    return pointee(pointee(parameter->type)) == record && has_role(parameter, IR_ROLE_FILLED);
}

static bool prepares(const struct api_function *function, const struct ir_type *record) {
    return function->count && record && pointee(function->parameters[0].type) == record &&
           record->size && says(function->signature->name, "init") &&
           !has_role(&function->parameters[0], IR_ROLE_FREED);
}

static bool is_made(const struct api_model *model, const struct ir_type *record) {
    for (size_t i = 0; i < model->functions.count; i++) {
        const struct api_function *function = &model->functions.data[i];
        if (makes(function, record))
            return true;
        for (uint32_t p = 0; p < function->count; p++)
            if (makes_at(&function->parameters[p], record))
                return true;
    }
    return false;
}

static bool is_prepared(const struct api_model *model, const struct ir_type *record) {
    for (size_t i = 0; i < model->functions.count; i++)
        if (prepares(&model->functions.data[i], record))
            return true;
    return false;
}

static bool is_returned(const struct api_model *model, const struct ir_type *record) {
    for (size_t i = 0; i < model->functions.count; i++)
        if (pointee(model->functions.data[i].signature->result) == record)
            return true;
    return false;
}

/* ---- who destroys it? ---- */

static bool is_callback(const struct ir_type *type) {
    const struct ir_type *function = pointee(type);
    return function && function->kind == IR_TYPE_FUNCTION;
}

/* 0: it does not. */
static unsigned rate_destroyer(const struct api_function *function, const struct api_type *type) {
    bool is_named = says_any(function->signature->name, destroying, BASE_COUNT(destroying));
    const struct api_parameter *first = &function->parameters[0];
    if (!function->count)
        return 0;
    bool behind =
        pointee(pointee(first->type)) == type->type && has_role(first, IR_ROLE_FREED_BEHIND);
    bool freed = pointee(first->type) == type->type && has_role(first, IR_ROLE_FREED);
    bool emptied = pointee(first->type) == type->type && is_named;
    for (uint32_t i = 1; i < function->count; i++)
        if (!is_callback(function->parameters[i].type))
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
        if (function->count == 1 && pointee(function->parameters[0].type) == type->type &&
            is_integer(function->signature->result) &&
            says_any(function->signature->name, sizing, BASE_COUNT(sizing)))
            type->sizer = i;
    }
}

/* Nobody destroys it and nobody makes one from nothing: it belongs to something larger. */
static bool is_part(const struct api_model *model, const struct ir_type *record) {
    for (size_t i = 0; i < model->functions.count; i++) {
        const struct api_function *function = &model->functions.data[i];
        bool takes_any = false, fills = false;
        for (uint32_t p = 0; p < function->count; p++) {
            takes_any |= is_record(pointee(function->parameters[p].type));
            fills |= makes_at(&function->parameters[p], record);
        }
        if ((fills || makes(function, record)) && !takes_any)
            return false;
    }
    return true;
}

/* Plain data is no handle: types keep only what somebody makes, prepares or hands out. */
static void choose_types(struct api_model *model) {
    size_t kept = 0;
    for (size_t i = 0; i < model->types.count; i++) {
        struct api_type type = model->types.data[i];
        type.is_made = is_made(model, type.type);
        type.is_memory = !type.is_made && is_prepared(model, type.type);
        if (!type.is_made && !type.is_memory && !is_returned(model, type.type))
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

/* ---- parameters ---- */

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
    if (type->is_memory && at == 0 && prepares(owner, type->type))
        return API_PREPARED;
    if (has_role(parameter, IR_ROLE_FREED))
        return says_any(owner->signature->name, destroying, BASE_COUNT(destroying)) ? API_DESTROYED
                                                                                    : API_TAKEN;
    return API_HANDLE;
}

static enum api_kind kind_of_place(const struct api_parameter *parameter) {
    if (has_role(parameter, IR_ROLE_FILLED))
        return API_MADE_AT;
    return has_role(parameter, IR_ROLE_FREED_BEHIND) ? API_DESTROYED_AT : API_UNFIT;
}

static enum api_kind kind_of_bytes(const struct api_function *function, uint32_t at, bool is_void) {
    const struct api_parameter *parameter = &function->parameters[at];
    bool only_written = has_role(parameter, IR_ROLE_WRITTEN) && !has_role(parameter, IR_ROLE_READ);
    if (has_role(parameter, IR_ROLE_FREED))
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
    if (has_length(function, at) || has_role(parameter, IR_ROLE_INDEXED))
        return is_void ? API_CELLS : API_TEXTS;
    return has_role(parameter, IR_ROLE_WRITTEN) || is_void ? API_OUT : API_TEXTS;
}

static enum api_kind kind_of_numbers(const struct api_function *function, uint32_t at) {
    const struct api_parameter *parameter = &function->parameters[at];
    return has_length(function, at) || has_role(parameter, IR_ROLE_INDEXED) ? API_ARRAY : API_OUT;
}

/* Can a stub of this type be written without the types of the library? */
static bool can_be_written(const struct ir_type *function) {
    const struct ir_type *result = function->element;
    if (function->is_variadic || (result && !is_number(result) && !is_pointer(result)))
        return false;
    for (uint32_t i = 0; i < function->member_count; i++)
        if (!is_number(function->members[i].type) && !is_pointer(function->members[i].type))
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
    const struct ir_type *element = pointee(parameter->type);
    if (!element || element->kind == IR_TYPE_CHAR)
        return kind_of_bytes(function, at, !element);
    if (element->kind == IR_TYPE_FUNCTION)
        return can_be_written(element) ? API_CALLBACK : API_NONE;
    if (is_number(element))
        return kind_of_numbers(function, at);
    if (is_record(element)) {
        parameter->handle = find_type(model, element);
        if (parameter->handle != IR_NONE)
            return kind_of_handle(model, parameter->handle, number, at);
        if (has_object(model, element))
            return API_OBJECT;
        return is_file(element) || !element->size || has_length(function, at) ? API_UNFIT
                                                                              : API_RECORD;
    }
    if (!is_pointer(element))
        return API_UNFIT;
    if (is_record(pointee(element))) {
        parameter->handle = find_type(model, pointee(element));
        return parameter->handle == IR_NONE ? API_UNFIT : kind_of_place(parameter);
    }
    const struct ir_type *last = pointee(element);
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
    if (sized != IR_NONE && is_integer(parameter->type) &&
        says_any(parameter->name, indexing, BASE_COUNT(indexing))) {
        bool adds = says_any(function->signature->name, placing, BASE_COUNT(placing));
        parameter->kind = adds ? API_POSITION : API_INDEX;
        parameter->other = sized;
    }
}

static bool is_array(enum api_kind kind) {
    return kind == API_ARRAY || kind == API_CELLS || kind == API_TEXTS;
}

/* Pointers beside a number that is called a count are elements, if nothing is known to be written
 * there: what happens to them may be out of sight, behind a table of functions. */
static void find_counted(struct api_function *function) {
    for (uint32_t i = 0; i + 1 < function->count; i++)
        for (uint32_t k = 0; k < 2; k++) {
            struct api_parameter *number = &function->parameters[i + k];
            struct api_parameter *memory = &function->parameters[i + 1 - k];
            const struct ir_type *element = pointee(memory->type);
            if (number->kind != API_SCALAR || !is_integer(number->type) ||
                memory->kind != API_OUT || !element || api_is_written(memory) ||
                !(says_any(number->name, sizing, BASE_COUNT(sizing)) ||
                  strcmp(number->name, "n") == 0))
                continue;
            memory->kind = !is_pointer(element) ? API_ARRAY
                           : pointee(element)   ? API_TEXTS
                                                : API_CELLS;
            number->kind = API_LENGTH;
            number->other = i + 1 - k;
        }
}

/* An array whose length nobody tells takes the next number, if there is one. */
static void find_lengths(struct api_function *function) {
    find_counted(function);
    for (uint32_t i = 0; i + 1 < function->count; i++) {
        struct api_parameter *next = &function->parameters[i + 1];
        enum api_kind kind = function->parameters[i].kind;
        if (is_array(kind) && next->kind == API_SCALAR && is_integer(next->type) &&
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

/* Arrays side by side have one length. */
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
        if (is_pointer(parameter->type))
            parameter->kind = kind_of_pointer(model, number, i);
        else if (!is_number(parameter->type))
            parameter->kind = API_UNFIT;
    }
    for (uint32_t i = 0; i < function->count; i++)
        if (is_number(function->parameters[i].type))
            choose_number(model, function, i);
    find_lengths(function);
    share_lengths(function);
}

static void choose_result(struct api_model *model, struct api_function *function) {
    const struct ir_type *record = pointee(function->signature->result);
    bool is_new = function->roles && function->roles->returns_new;
    function->handle = is_record(record) ? find_type(model, record) : IR_NONE;
    if (function->handle == IR_NONE) {
        bool is_bytes = is_pointer(function->signature->result);
        function->result = is_new && is_bytes ? API_FRESH : API_IGNORED;
        return;
    }
    if (makes(function, record) && !api_is_lent(model, function->handle))
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
    else if (is_record(result))
        function->why_not = "it returns a struct";
    for (uint32_t i = 0; i < function->count && !function->why_not; i++)
        if (function->parameters[i].kind == API_UNFIT)
            function->why_not = "there is nothing to hand to one of its parameters";
}

/* ---- the functions ---- */

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Is it a word of the text? */
static bool mentions(const char *text, const char *name) {
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += length)
        if ((at == text || !is_word(at[-1])) && !is_word(at[length]))
            return true;
    return false;
}

/* What the headers do not name cannot be named beside them: its type is not known there. */
static void note_objects(struct api_model *model, const struct base_strings *texts) {
    const struct ir_objects *all = &model->library->objects;
    for (size_t i = 0; i < all->count; i++) {
        bool is_named = texts->count == 0;
        for (size_t k = 0; k < texts->count && !is_named; k++)
            is_named = mentions(texts->data[k], all->data[i].name);
        if (is_named)
            base_push(&model->objects, all->data[i]);
    }
}

/* NAME ( somewhere in the text? */
static bool declares(const char *text, const char *name) {
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += length) {
        const char *after = at + length;
        after += strspn(after, " \t\n)");
        if ((at == text || !is_word(at[-1])) && *after == '(' && !is_word(at[length]))
            return true;
    }
    return false;
}

/* Is there a line "#define NAME" in the text? */
static bool defines(const char *text, const char *name) {
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, "define")); at++) {
        const char *word = at + strlen("define");
        word += strspn(word, " \t");
        if (strncmp(word, name, length) == 0 && !is_word(word[length]))
            return true;
    }
    return false;
}

static void note_macro(struct api_model *model, const struct base_strings *texts,
                       const char *name) {
    for (size_t i = 0; i < texts->count; i++)
        if (defines(texts->data[i], name)) {
            base_strings_add(&model->macros, name);
            return;
        }
}

static bool is_declared(const struct base_strings *texts, const char *name) {
    for (size_t i = 0; i < texts->count; i++)
        if (declares(texts->data[i], name))
            return true;
    return texts->count == 0;
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
    base_push(&model->functions, function);
}

static bool read_headers(struct api_model *model, const struct base_strings *headers,
                         struct base_strings *texts, struct base_error *error) {
    for (size_t i = 0; i < headers->count; i++) {
        char *text, *path = realpath(headers->data[i], NULL);
        size_t size;
        bool good = base_read_file(headers->data[i], &text, &size, error);
        if (good) {
            base_strings_add(texts, text);
            base_strings_add(&model->headers, path ? path : headers->data[i]);
            free(text);
        }
        free(path);
        if (!good)
            return false;
    }
    return true;
}

static bool is_ours(const char *name) {
    return strcmp(name, "main") == 0 || strcmp(name, ABI_SYMBOL_HARNESS) == 0;
}

bool api_model_init(struct api_model *model, struct target_description *library,
                    const struct base_strings *headers, struct base_error *error) {
    struct base_strings texts = {0};
    *model = (struct api_model){.library = library};
    bool good = read_headers(model, headers, &texts, error);
    for (size_t i = 0; good && i < library->signatures.count; i++) {
        const struct ir_signature *signature = &library->signatures.data[i];
        if (is_ours(signature->name) || !is_declared(&texts, signature->name))
            continue;
        add_function(model, signature);
        note_macro(model, &texts, signature->name);
    }
    note_objects(model, &texts);
    base_strings_done(&texts);
    if (good && !model->functions.count)
        good = base_fail(error, BASE_TARGET, "there is no function to call%s",
                         headers->count ? " that the headers declare" : "");
    for (size_t i = 0; i < model->functions.count; i++) {
        struct api_function *function = &model->functions.data[i];
        note_type(model, function->signature->result);
        for (uint32_t p = 0; p < function->count; p++)
            note_type(model, function->parameters[p].type);
    }
    choose_types(model);
    for (uint32_t i = 0; i < model->functions.count; i++) {
        choose_kinds(model, i);
        choose_result(model, &model->functions.data[i]);
        check_function(&model->functions.data[i]);
    }
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
    base_strings_done(&model->macros);
    base_arena_done(&model->arena);
}

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

/* By what the function writes to; where that is out of sight, by its name. */
bool api_may_remove(const struct api_function *function, uint32_t parameter) {
    const struct api_parameter *handle = &function->parameters[parameter];
    if (handle->kind != API_HANDLE && handle->kind != API_FILLED)
        return true;
    return !handle->type->is_const &&
           (has_role(handle, IR_ROLE_WRITTEN) ||
            says_any(function->signature->name, removing, BASE_COUNT(removing)));
}

bool api_is_exact(const struct api_parameter *parameter) {
    return parameter->kind == API_SCALAR && parameter->roles && parameter->roles->constant_count &&
           !(parameter->roles->roles & (IR_ROLE_AMOUNT | IR_ROLE_BOUND));
}

bool api_is_written(const struct api_parameter *parameter) {
    return has_role(parameter, IR_ROLE_WRITTEN);
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
