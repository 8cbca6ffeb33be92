/* SPDX-License-Identifier: Apache-2.0
 *
 * How is a sequence written as C? Slots become variables, repeated statements loops. The program
 * does what the harness does with the same sequence: both skip a call whose handles do not exist.
 */
#include "api/printer.h"

#include <stdlib.h>
#include <string.h>

static const struct api_function *called(const struct printer *printer, uint32_t number) {
    return &printer->model->functions.data[printer->model->called.data[number]];
}

static uint32_t function_of(const struct printer *printer, const struct api_statement *statement) {
    return printer->model->called.data[statement->function];
}

void api_print_destruction(const struct printer *printer, uint32_t number, int slot,
                           const char *indent) {
    const struct api_type *type = &printer->model->types.data[number];
    struct base_buffer *out = printer->out;
    const struct api_function *destroyer =
        type->destroyer == IR_NONE ? NULL : &printer->model->functions.data[type->destroyer];
    if (destroyer && !destroyer->why_not) {
        bool is_place = destroyer->parameters[0].kind == API_DESTROYED_AT;
        base_buffer_print(out, "%s%s(%s%s%d", indent, destroyer->signature->name,
                          is_place ? "(void *)&" : "", type->name, slot);
        for (uint32_t i = 1; i < destroyer->count; i++) {
            base_buffer_print(out, ", ");
            api_print_callback(printer, type->destroyer, i, 0);
        }
        base_buffer_print(out, ");\n");
    } else if (type->is_made) {
        base_buffer_print(out, "%sfree(%s%d);\n", indent, type->name, slot);
    }
    if (type->is_memory)
        base_buffer_print(out, "%sfree(%s%d);\n", indent, type->name, slot);
}

static bool is_record(const struct printer *printer, const struct api_parameter *parameter) {
    return parameter->kind == API_PREPARED &&
           printer->model->types.data[parameter->handle].is_record;
}

/* The handle that a statement makes; IR_NONE: none. */
static uint32_t made_type(const struct printer *printer, const struct api_function *function) {
    for (uint32_t i = 0; i < function->count; i++)
        if (function->parameters[i].kind == API_MADE_AT ||
            (function->parameters[i].kind == API_PREPARED &&
             !is_record(printer, &function->parameters[i])))
            return function->parameters[i].handle;
    return function->result == API_NEW || function->result == API_BORROWED ? function->handle
                                                                           : IR_NONE;
}

/* ---- conditions ---- */

static const char *sizer_of(const struct printer *printer, uint32_t type) {
    uint32_t sizer = printer->model->types.data[type].sizer;
    return sizer == IR_NONE ? NULL : printer->model->functions.data[sizer].signature->name;
}

static void print_operand(const struct printer *printer, bool *is_first, const char *indent) {
    base_buffer_print(printer->out, *is_first ? "%sif (" : "%.0s && ", indent);
    *is_first = false;
}

/* The condition that the call has its handles, and elements if it takes one. False: it needs
 * neither. */
static bool print_condition(const struct printer *printer, const struct api_function *function,
                            const int *found, const char *indent) {
    bool is_first = true;
    for (uint32_t i = 0; i < function->count && !printer->is_brief; i++)
        if (api_is_handle(function->parameters[i].kind)) {
            print_operand(printer, &is_first, indent);
            base_buffer_print(printer->out, "%s%d",
                              printer->model->types.data[function->parameters[i].handle].name,
                              found[i]);
        }
    for (uint32_t i = 0; i < function->count && !printer->is_brief; i++) {
        const struct api_parameter *parameter = &function->parameters[i];
        uint32_t of = parameter->kind == API_INDEX    ? parameter->other
                      : parameter->kind == API_FILLED ? i
                                                      : IR_NONE;
        uint32_t type = of == IR_NONE ? IR_NONE : function->parameters[of].handle;
        if (of == IR_NONE || !sizer_of(printer, type))
            continue;
        print_operand(printer, &is_first, indent);
        base_buffer_print(printer->out, "%s(%s%d)", sizer_of(printer, type),
                          printer->model->types.data[type].name, found[of]);
    }
    if (!is_first)
        base_buffer_print(printer->out, ") {\n");
    return !is_first;
}

/* ---- statements ---- */

static void print_call(const struct printer *printer, uint32_t number,
                       const struct api_statement *statement, const int *found,
                       const char *indent) {
    const struct api_function *function = &printer->model->functions.data[number];
    struct base_buffer *out = printer->out;
    bool returns_handle = function->result == API_NEW || function->result == API_BORROWED;
    base_buffer_print(out, "%s", indent);
    if (returns_handle && printer->is_swapping)
        base_buffer_print(out, "made = (void *)");
    else if (returns_handle)
        base_buffer_print(out, "%s%d = (void *)", printer->model->types.data[function->handle].name,
                          statement->result % API_SLOTS);
    if (function->result == API_FRESH && !printer->is_brief)
        base_buffer_print(out, "free(");
    base_buffer_print(out, "%s(", function->signature->name);
    for (uint32_t i = 0; i < function->count; i++) {
        base_buffer_print(out, "%s", i ? ", " : "");
        api_print_argument(printer, number, i, statement, found);
    }
    base_buffer_print(out, function->result == API_FRESH && !printer->is_brief ? "));\n" : ");\n");
}

/* A struct that becomes a handle: the old one is destroyed first. */
static void print_memory(const struct printer *printer, uint32_t type, int slot, bool is_taken,
                         const char *indent) {
    const char *name = printer->model->types.data[type].name;
    if (is_taken) {
        char *deeper = base_format("%s    ", indent);
        base_buffer_print(printer->out, "%sif (%s%d) {\n", indent, name, slot);
        api_print_destruction(printer, type, slot, deeper);
        base_buffer_print(printer->out, "%s}\n", indent);
        free(deeper);
    }
    base_buffer_print(printer->out, "%s%s%d = calloc(1, %llu);\n", indent, name, slot,
                      (unsigned long long)printer->model->types.data[type].type->size);
}

/* A struct without destructor lives until the end. */
static void print_records(const struct printer *printer, const struct api_function *function,
                          int slot, const char *indent) {
    for (uint32_t i = 0; i < function->count && !printer->is_brief; i++) {
        if (!is_record(printer, &function->parameters[i]))
            continue;
        const struct api_type *type = &printer->model->types.data[function->parameters[i].handle];
        base_buffer_print(printer->out, "%s%s%d = sp_keep(%llu);\n", indent, type->name, slot,
                          (unsigned long long)type->type->size);
    }
}

/* The new handle may be made from the one it replaces, so that is destroyed last. */
static void print_swap(const struct printer *printer, uint32_t type, int slot, bool is_owned,
                       const char *indent) {
    const char *name = printer->model->types.data[type].name;
    char *deeper = base_format("%s        ", indent);
    base_buffer_print(printer->out, "%sif (made) {\n", indent);
    if (is_owned) {
        base_buffer_print(printer->out, "%s    if (%s%d && %s%d != made) {\n", indent, name, slot,
                          name, slot);
        api_print_destruction(printer, type, slot, deeper);
        base_buffer_print(printer->out, "%s    }\n", indent);
    }
    base_buffer_print(printer->out, "%s    %s%d = made;\n%s}\n", indent, name, slot, indent);
    free(deeper);
}

/* Handles that are gone: taken, destroyed, or lent by one that may have removed them. */
static void print_after(const struct printer *printer, const struct api_statement *statement,
                        const int *found, const char *indent) {
    const struct api_function *function = called(printer, statement->function);
    struct api_alive now = printer->alive, later = printer->later;
    for (uint32_t i = 0; i < function->count; i++) {
        const struct api_parameter *parameter = &function->parameters[i];
        bool is_gone = parameter->kind == API_DESTROYED || parameter->kind == API_TAKEN ||
                       parameter->kind == API_DESTROYED_AT;
        if (!is_gone)
            continue;
        const struct api_type *type = &printer->model->types.data[parameter->handle];
        if (type->is_memory && parameter->kind == API_DESTROYED)
            base_buffer_print(printer->out, "%sfree(%s%d);\n", indent, type->name, found[i]);
        base_buffer_print(printer->out, "%s%s%d = NULL;\n", indent, type->name, found[i]);
        now.slots[parameter->handle][found[i]] = later.slots[parameter->handle][found[i]] = false;
    }
    struct api_alive before = now, before_later = later;
    api_alive_call(&now, printer->model, statement, found);
    api_alive_call(&later, printer->model, statement, found);
    for (size_t t = 0; t < printer->model->types.count && t < API_MOST_TYPES; t++)
        for (unsigned s = 0; s < API_SLOTS; s++)
            if ((before.slots[t][s] && !now.slots[t][s]) ||
                (before_later.slots[t][s] && !later.slots[t][s]))
                base_buffer_print(printer->out, "%s%s%u = NULL;\n", indent,
                                  printer->model->types.data[t].name, s);
}

static bool is_array(const struct api_parameter *parameter) {
    return parameter->kind == API_ARRAY || parameter->kind == API_TEXTS ||
           parameter->kind == API_CELLS;
}

static bool has_array(const struct api_function *function) {
    for (uint32_t i = 0; i < function->count; i++)
        if (is_array(&function->parameters[i]))
            return true;
    return false;
}

/* Does the new handle replace another one, or might it? */
static bool replaces(const struct printer *printer, uint32_t type, int slot) {
    return type < API_MOST_TYPES &&
           (printer->alive.slots[type][slot] || printer->later.slots[type][slot]);
}

static void print_body(struct printer *printer, const struct api_statement *statement,
                       const int *found, const char *indent) {
    const struct api_function *function = called(printer, statement->function);
    uint32_t type = printer->is_brief ? IR_NONE : made_type(printer, function);
    int slot = statement->result % API_SLOTS;
    bool is_memory = type < API_MOST_TYPES && printer->model->types.data[type].is_memory;
    bool is_taken = replaces(printer, type, slot);
    if (is_memory)
        print_memory(printer, type, slot, is_taken, indent);
    print_records(printer, function, slot, indent);
    for (uint32_t i = 0; i < function->count; i++)
        if (is_array(&function->parameters[i]))
            api_print_array(printer, &function->parameters[i], i, statement, indent);
    printer->is_swapping = is_taken && !is_memory;
    if (printer->is_swapping)
        base_buffer_print(printer->out, "%svoid *made = NULL;\n", indent);
    print_call(printer, function_of(printer, statement), statement, found, indent);
    if (!printer->is_brief)
        print_after(printer, statement, found, indent);
    if (printer->is_swapping)
        print_swap(printer, type, slot, !api_is_lent(printer->model, type), indent);
    printer->is_swapping = false;
}

static void print_statement(struct printer *printer, const struct api_statement *statement,
                            const char *indent) {
    const struct api_function *function = called(printer, statement->function);
    int found[API_ARGUMENTS];
    struct api_alive after = printer->alive;
    if (!api_alive_step(&after, printer->model, statement, found))
        return;
    bool is_inner = print_condition(printer, function, found, indent);
    if (!is_inner && (has_array(function) || replaces(printer, made_type(printer, function),
                                                      statement->result % API_SLOTS))) {
        is_inner = !printer->is_brief || (has_array(function) && !printer->index);
        base_buffer_print(printer->out, is_inner ? "%s{\n" : "%.0s", indent);
    }
    char *deeper = base_format("%s%s", indent, is_inner ? "    " : "");
    print_body(printer, statement, found, deeper);
    if (is_inner)
        base_buffer_print(printer->out, "%s}\n", indent);
    free(deeper);
    printer->alive = after;
    api_alive_call(&printer->later, printer->model, statement, found);
}

/* The handles alive at the start of the next iteration of a loop. */
static struct api_alive run_block(const struct printer *printer, const struct api_statement *block,
                                  uint32_t count) {
    struct api_alive alive = printer->alive;
    int found[API_ARGUMENTS];
    for (uint32_t i = 0; i < count; i++)
        api_alive_step(&alive, printer->model, &block[i], found);
    return alive;
}

static void print_block(struct printer *printer, uint32_t first, uint32_t count,
                        const char *indent) {
    const struct api_statement *block = &printer->sequence->statements[first];
    bool is_looped = block->repeat % 3 != API_ONCE;
    char *deeper = base_format("%s%s", indent, is_looped ? "    " : "");
    if (is_looped && block->repeat % 3 == API_N_TIMES)
        base_buffer_print(printer->out, "%sfor (long i = 0; i < n; i++) {\n", indent);
    else if (is_looped)
        base_buffer_print(printer->out, "%sfor (long i = 0; i < %u; i++) {\n", indent,
                          block->count & 255);
    printer->index = is_looped ? "i" : NULL;
    printer->later = is_looped ? run_block(printer, block, count) : printer->alive;
    for (uint32_t i = 0; i < count; i++)
        print_statement(printer, &block[i], deeper);
    if (is_looped)
        base_buffer_print(printer->out, "%s}\n", indent);
    free(deeper);
}

void api_print_statements(struct printer *printer, const char *indent) {
    for (uint32_t i = 0; i < printer->sequence->count;) {
        uint32_t count = 1;
        while (i + count < printer->sequence->count && count < 8 &&
               printer->sequence->statements[i + count - 1].joined)
            count++;
        print_block(printer, i, count, indent);
        i += count;
    }
}

void api_sequence_recipe(const struct api_model *model, const struct api_sequence *sequence,
                         struct base_buffer *out) {
    struct printer printer = {.model = model, .sequence = sequence, .out = out, .is_brief = true};
    api_print_statements(&printer, "");
}
