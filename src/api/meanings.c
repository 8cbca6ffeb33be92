/* SPDX-License-Identifier: Apache-2.0
 *
 * What else may an argument be? Code and names sometimes mislead: the number is an index, the text
 * must come from malloc, the handle belongs to the library afterwards, the result must be
 * destroyed. Each alternative reading of a function is a function of its own here, and learn.c runs
 * them side by side. The likeliest come first.
 */
#include "api/check.h"

struct list {
    const struct api_model *model;
    const struct api_function *function;
    struct api_function *meanings;
    uint32_t count;
};

/* Adds a copy of the function for the caller to change; NULL: the list is full. */
static struct api_function *add(struct list *list) {
    if (list->count == API_MEANINGS)
        return NULL;
    struct api_function *meaning = &list->meanings[list->count++];
    *meaning = *list->function;
    return meaning;
}

static void add_kind(struct list *list, uint32_t at, enum api_kind kind, uint32_t other) {
    struct api_function *meaning = add(list);
    if (!meaning)
        return;
    meaning->parameters[at].kind = kind;
    meaning->parameters[at].other = other;
}

static bool may_count(const struct ir_type *type) {
    return type->kind == IR_TYPE_SIGNED || type->kind == IR_TYPE_UNSIGNED;
}

static bool has_elements(enum api_kind kind) {
    return kind == API_BYTES || kind == API_ARRAY || kind == API_CELLS || kind == API_TEXTS ||
           kind == API_TEXT;
}

/* Like pop: not on an empty container. */
static void add_filled(struct list *list) {
    for (uint32_t i = 0; i < list->function->count; i++) {
        const struct api_parameter *parameter = &list->function->parameters[i];
        if (parameter->kind == API_HANDLE &&
            list->model->types.data[parameter->handle].sizer != IR_NONE) {
            add_kind(list, i, API_FILLED, 0);
            return;
        }
    }
}

static bool is_index(const struct api_parameter *parameter) {
    return parameter->kind == API_INDEX || parameter->kind == API_POSITION;
}

/* Two adjacent indices are a range, which must not end before it starts. */
static void add_range(struct list *list) {
    const struct api_function *function = list->function;
    for (uint32_t i = 0; i + 1 < function->count; i++) {
        if (!is_index(&function->parameters[i]) || !is_index(&function->parameters[i + 1]))
            continue;
        struct api_function *meaning = add(list);
        if (!meaning)
            return;
        meaning->parameters[i].kind = API_ZERO;
        meaning->parameters[i + 1].kind = API_POSITION;
    }
}

static void add_numbers(struct list *list, uint32_t at) {
    const struct api_function *function = list->function;
    if (function->parameters[at].kind == API_POSITION)
        add_kind(list, at, API_INDEX, function->parameters[at].other);
    if (function->parameters[at].kind != API_SCALAR || !may_count(function->parameters[at].type))
        return;
    for (uint32_t i = 0; i < function->count; i++) {
        const struct api_parameter *other = &function->parameters[i];
        if (other->kind == API_HANDLE && list->model->types.data[other->handle].sizer != IR_NONE)
            add_kind(list, at, API_INDEX, i);
        if (has_elements(other->kind))
            add_kind(list, at, API_LENGTH, i);
    }
}

/* A buffer that the function fills, followed by its size. */
static void add_room(struct list *list, uint32_t at) {
    struct api_function *meaning = add(list);
    if (!meaning)
        return;
    meaning->parameters[at].kind = API_ROOM;
    for (uint32_t i = at + 1; i < meaning->count; i++)
        if (may_count(meaning->parameters[i].type)) {
            meaning->parameters[i].kind = API_LENGTH;
            meaning->parameters[i].other = at;
            return;
        }
}

static void add_data(struct list *list, uint32_t at) {
    enum api_kind kind = list->function->parameters[at].kind;
    if (kind == API_CELL) {
        add_kind(list, at, API_OWNED_CELL, 0);
        add_kind(list, at, API_TEXT, 0);
    }
    if (!list->function->parameters[at].type->is_const &&
        (kind == API_TEXT || kind == API_ARRAY || kind == API_OUT))
        add_room(list, at);
    if (kind == API_TEXT)
        add_kind(list, at, API_OWNED_TEXT, 0);
    if (kind == API_OUT || kind == API_CALLBACK || kind == API_RECORD || kind == API_CELL)
        add_kind(list, at, API_NONE, 0);
}

/* A const object may be read, not taken over, unless the code keeps it. */
static bool is_kept(const struct api_parameter *parameter) {
    return parameter->roles && (parameter->roles->roles & IR_ROLE_KEPT);
}

/* As in list = list_append(list, item), or a = merge(a, b). */
static void add_passed_on(struct list *list) {
    const struct api_function *function = list->function;
    uint32_t handles = 0;
    for (uint32_t i = 0; i < function->count; i++) {
        struct api_function *meaning = NULL;
        if (function->parameters[i].kind != API_HANDLE)
            continue;
        handles++;
        if (function->handle == function->parameters[i].handle)
            meaning = add(list);
        if (meaning) {
            meaning->parameters[i].kind = API_TAKEN;
            meaning->result = API_NEW;
        }
    }
    if (handles < 2)
        return;
    struct api_function *meaning = add(list);
    for (uint32_t i = 0; meaning && i < meaning->count; i++)
        if (meaning->parameters[i].kind == API_HANDLE)
            meaning->parameters[i].kind = API_TAKEN;
    if (meaning && meaning->handle != IR_NONE)
        meaning->result = API_NEW;
}

static void add_taken(struct list *list, bool kept) {
    for (uint32_t i = 0; i < list->function->count; i++)
        if (list->function->parameters[i].kind == API_HANDLE &&
            is_kept(&list->function->parameters[i]) == kept &&
            (kept || !list->function->parameters[i].type->is_const))
            add_kind(list, i, API_TAKEN, 0);
}

static void add_lent(struct list *list) {
    for (uint32_t i = 0; i < list->function->count; i++)
        if (list->function->parameters[i].kind == API_TAKEN)
            add_kind(list, i, API_HANDLE, 0);
}

/* Zeros, or nothing, instead of something prepared by a function. */
static void add_records(struct list *list, enum api_kind kind) {
    struct api_function *meaning = NULL;
    for (uint32_t i = 0; i < list->function->count; i++) {
        const struct api_parameter *parameter = &list->function->parameters[i];
        if (parameter->kind != API_HANDLE || !list->model->types.data[parameter->handle].is_record)
            continue;
        meaning = meaning ? meaning : add(list);
        if (meaning)
            meaning->parameters[i].kind = kind;
    }
}

static void add_results(struct list *list) {
    const struct api_function *function = list->function;
    struct api_function *meaning = NULL;
    if (function->result == API_NEW && api_first_handle(function) < function->count) {
        meaning = add(list); /* it belongs to the handle it came from */
        if (meaning)
            meaning->result = API_BORROWED;
    }
    if (function->result == API_FRESH || function->result == API_NEW) {
        meaning = add(list);
        if (meaning)
            meaning->result = API_IGNORED;
    } else if (function->result == API_IGNORED && api_returns_pointer(function)) {
        meaning = add(list);
        if (meaning)
            meaning->result = function->handle == IR_NONE ? API_FRESH : API_NEW;
    }
}

uint32_t api_list_meanings(const struct api_model *model, const struct api_function *function,
                           struct api_function meanings[API_MEANINGS]) {
    struct list list = {.model = model, .function = function, .meanings = meanings};
    add_taken(&list, true);
    add_lent(&list);
    add_records(&list, API_RECORD);
    add_records(&list, API_NONE);
    add_filled(&list);
    add_range(&list);
    add_results(&list);
    for (uint32_t i = 0; i < function->count; i++) {
        add_numbers(&list, i);
        add_data(&list, i);
    }
    add_passed_on(&list);
    add_taken(&list, false);
    return list.count;
}
