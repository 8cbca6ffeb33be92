/* SPDX-License-Identifier: Apache-2.0
 *
 * How is a sequence written as a C program that needs the library alone? Slots become variables,
 * repeated statements loops, arrays a few lines before the call. The program does what the harness
 * does with the same sequence, as long as everything that makes a handle succeeds.
 */
#include "api/harness.h"
#include "api/sequence.h"

#include "api/program.h"

#include <stdlib.h>
#include <string.h>

struct printer {
    const struct api_model *model;
    const struct api_sequence *sequence;
    struct base_buffer *out;
    struct api_alive alive;
    bool used[API_MOST_TYPES][API_SLOTS];
    bool is_brief;     /* for people: no checks */
    bool is_swapping;  /* what the call makes takes the place of another handle afterwards */
    const char *index; /* of the loop under way; NULL: there is none */
};

static const struct api_function *called(const struct printer *printer, uint32_t number) {
    return &printer->model->functions.data[printer->model->called.data[number]];
}

static uint32_t function_of(const struct printer *printer, const struct api_statement *statement) {
    return printer->model->called.data[statement->function];
}

static const struct ir_type *pointee(const struct ir_type *type) {
    return type && type->kind == IR_TYPE_POINTER ? type->element : NULL;
}

/* ---- expressions ---- */

static void print_scaled(int32_t base, int32_t step, const char *by, struct base_buffer *out) {
    if (base)
        base_buffer_print(out, "%d %c ", base, step < 0 ? '-' : '+');
    else if (step < 0)
        base_buffer_print(out, "-");
    int32_t size = step < 0 ? -step : step;
    if (size == 1)
        base_buffer_print(out, "%s", by);
    else
        base_buffer_print(out, "%d * %s", size, by);
}

/* I is the loop's index; NULL: there is no loop, and it is 0. */
static void print_number(const struct api_argument *argument, const char *i,
                         struct base_buffer *out) {
    int32_t base = argument->base % (1 << 20), step = argument->step,
            width = step < 0 ? 1 - step : step + 1;
    char *text = NULL;
    unsigned mode = argument->mode & 7;
    if (!i &&
        (mode == API_COUNTER || mode == API_SCATTERED || mode == API_CYCLE || mode == API_STEPS))
        mode = API_CONSTANT;
    if (!i && mode == API_BACKWARDS)
        mode = API_LAST;
    switch (mode) {
    case API_COUNTER:
        print_scaled(base, step, i, out);
        return;
    case API_LAST:
        print_scaled(base, step, "(n - 1)", out);
        return;
    case API_WHOLE:
        print_scaled(base, step, "n", out);
        return;
    case API_SCATTERED:
        text = base_format("sp_scatter(%s)", i);
        break;
    case API_BACKWARDS:
        text = base_format("(n - 1 - %s)", i);
        print_scaled(base, step, text, out);
        free(text);
        return;
    case API_CYCLE:
        text = base_format("%s %% %d", i, width);
        break;
    case API_STEPS:
        text = base_format("%s / %d", i, width);
        break;
    default:
        base_buffer_print(out, "%d", base);
        return;
    }
    if (base)
        base_buffer_print(out, "%d + ", base);
    base_buffer_print(out, "%s", text);
    free(text);
}

static void print_text(const struct api_argument *argument, const char *i,
                       struct base_buffer *out) {
    char letter = (char)('a' + argument->pick % 26), next = (char)('a' + (argument->pick + 1) % 26);
    switch (argument->mode >> 3 & 7) {
    case API_KEY:
        base_buffer_print(out, "sp_key(");
        print_number(argument, i, out);
        base_buffer_print(out, ")");
        break;
    case API_ALTERNATING:
        base_buffer_print(out, "sp_cycle(n, '%c', 2)", letter);
        break;
    case API_ALPHABET:
        base_buffer_print(out, "sp_cycle(n, 'a', 26)");
        break;
    case API_SHORT_RUN:
        base_buffer_print(out, "sp_letters(%d, '%c', '%c', '%c')", argument->pick & 15, letter,
                          letter, letter);
        break;
    case API_LAST_DIFFERS:
        base_buffer_print(out, "sp_letters(n, '%c', '%c', '%c')", letter, letter, next);
        break;
    case API_FIRST_DIFFERS:
        base_buffer_print(out, "sp_letters(n, '%c', '%c', '%c')", next, letter, letter);
        break;
    case API_WORD:
        base_buffer_print(out, "sp_words[%u %% (sizeof sp_words / sizeof *sp_words)]",
                          argument->pick);
        break;
    default:
        base_buffer_print(out, "sp_letters(n, '%c', '%c', '%c')", letter, letter, letter);
        break;
    }
}

static void print_extent(const struct api_argument *argument, struct base_buffer *out) {
    if (argument->pick & 128)
        base_buffer_print(out, "%d", argument->pick & 15);
    else
        base_buffer_print(out, "n");
}

static void print_index(const struct printer *printer, const struct api_function *function,
                        uint32_t at, const struct api_statement *statement, int slot) {
    const struct api_parameter *parameter = &function->parameters[at];
    const struct api_type *type =
        &printer->model->types.data[function->parameters[parameter->other].handle];
    const char *name = printer->model->functions.data[type->sizer].signature->name;
    const char *plus = parameter->kind == API_POSITION ? " + 1" : "";
    struct base_buffer *out = printer->out;
    switch (statement->arguments[at].mode & 3) {
    case 1:
        base_buffer_print(out, "%s(%s%d)%s", name, type->name, slot, *plus ? "" : " - 1");
        break;
    case 2:
        base_buffer_print(out, "(%s(%s%d)%s) / 2", name, type->name, slot, plus);
        break;
    case 3:
        if (printer->index) {
            base_buffer_print(out, "i %% (%s(%s%d)%s)", name, type->name, slot, plus);
            break;
        }
        /* fall through */
    default:
        base_buffer_print(out, "0");
        break;
    }
}

static void print_callback(const struct printer *printer, uint32_t function, uint32_t at,
                           unsigned pick) {
    struct base_strings names = {0};
    api_list_callbacks(printer->model, function, at, &names);
    base_buffer_print(printer->out, "(void *)%s", names.data[pick % names.count]);
    base_strings_done(&names);
}

static void print_object(const struct printer *printer, const struct ir_type *record,
                         unsigned pick) {
    struct base_strings names = {0};
    api_list_objects(printer->model, record, &names);
    base_buffer_print(printer->out, "(void *)&%s", names.data[pick % names.count]);
    base_strings_done(&names);
}

static void print_length(const struct printer *printer, const struct api_function *function,
                         uint32_t other, const struct api_statement *statement) {
    const struct api_argument *argument = &statement->arguments[other];
    switch (function->parameters[other].kind) {
    case API_ARRAY:
    case API_TEXTS:
    case API_CELLS:
        print_extent(argument, printer->out);
        break;
    case API_BYTES:
    case API_TEXT:
    case API_OWNED_TEXT:
        base_buffer_print(printer->out, "strlen(");
        print_text(argument, printer->index, printer->out);
        base_buffer_print(printer->out, ")");
        break;
    case API_ROOM:
        base_buffer_print(printer->out, "16 * n + 64");
        break;
    default:
        base_buffer_print(printer->out, "0");
        break;
    }
}

static void print_handle(const struct printer *printer, const struct api_parameter *parameter,
                         int slot) {
    bool is_place = parameter->kind == API_DESTROYED_AT || parameter->kind == API_MADE_AT;
    if (parameter->kind == API_MADE_AT && printer->is_swapping) {
        base_buffer_print(printer->out, "(void *)&made");
        return;
    }
    base_buffer_print(printer->out, "%s%s%d", is_place ? "(void *)&" : "",
                      printer->model->types.data[parameter->handle].name, slot);
}

static void print_argument(const struct printer *printer, uint32_t number, uint32_t at,
                           const struct api_statement *statement, const int *found) {
    const struct api_function *function = &printer->model->functions.data[number];
    const struct api_parameter *parameter = &function->parameters[at];
    const struct api_argument *argument = &statement->arguments[at];
    struct base_buffer *out = printer->out;
    uint64_t size = pointee(parameter->type) ? pointee(parameter->type)->size : 1;
    bool is_folded,
        is_char = pointee(parameter->type) && pointee(parameter->type)->kind == IR_TYPE_CHAR;
    switch (parameter->kind) {
    case API_SCALAR:
        is_folded =
            parameter->type->kind == IR_TYPE_UNSIGNED && (argument->base < 0 || argument->step < 0);
        base_buffer_print(out, is_folded ? "labs(" : "");
        print_number(argument, printer->index, out);
        base_buffer_print(out, is_folded ? ")" : "");
        break;
    case API_INDEX:
    case API_POSITION:
        print_index(printer, function, at, statement, found[parameter->other]);
        break;
    case API_LENGTH:
        print_length(printer, function, parameter->other, statement);
        break;
    case API_TEXT:
        base_buffer_print(out, api_is_written(parameter) ? "sp_written(" : "");
        print_text(argument, printer->index, out);
        base_buffer_print(out, api_is_written(parameter) ? ")" : "");
        break;
    case API_OWNED_TEXT:
        base_buffer_print(out, "strdup(");
        print_text(argument, printer->index, out);
        base_buffer_print(out, ")");
        break;
    case API_BYTES:
        base_buffer_print(out, "sp_bytes(");
        print_text(argument, printer->index, out);
        base_buffer_print(out, ")");
        break;
    case API_ARRAY:
    case API_TEXTS:
    case API_CELLS:
        base_buffer_print(out, "array%u", at);
        break;
    case API_CELL:
    case API_OWNED_CELL:
        base_buffer_print(out, parameter->kind == API_CELL ? "sp_item(" : "sp_own(sp_cell(");
        print_number(argument, printer->index, out);
        base_buffer_print(out, parameter->kind == API_CELL ? ")" : "), sizeof(struct cell))");
        break;
    case API_OUT:
    case API_RECORD:
        base_buffer_print(out, "sp_keep(%llu)", is_char ? 65536ull : (unsigned long long)size);
        break;
    case API_ROOM:
        base_buffer_print(out, "sp_keep((16 * n + 64) * %llu)", (unsigned long long)size);
        break;
    case API_OBJECT:
        print_object(printer, pointee(parameter->type), argument->pick);
        break;
    case API_CALLBACK:
        print_callback(printer, number, at, argument->pick);
        break;
    case API_MADE_AT:
    case API_PREPARED:
        print_handle(printer, parameter, statement->result % API_SLOTS);
        break;
    case API_HANDLE:
    case API_FILLED:
    case API_TAKEN:
    case API_DESTROYED:
    case API_DESTROYED_AT:
        print_handle(printer, parameter, found[at]);
        break;
    case API_ZERO:
        base_buffer_print(out, "0");
        break;
    default:
        base_buffer_print(out, "NULL");
        break;
    }
}

/* ---- statements ---- */

/* What tells the arrays of different turns apart. */
static void print_last(const struct printer *printer, const struct api_parameter *parameter,
                       uint32_t at, const struct api_statement *statement, const char *indent) {
    const struct api_argument *argument = &statement->arguments[at];
    const struct api_argument *length =
        parameter->shares == IR_NONE ? argument : &statement->arguments[parameter->shares];
    struct base_buffer *out = printer->out, extent = {0};
    const char *opening = parameter->kind == API_ARRAY   ? ""
                          : parameter->kind == API_TEXTS ? "sp_key("
                                                         : "sp_item(";
    print_extent(length, &extent);
    base_buffer_print(out, "%sif (%s > 0)\n%s    array%u[%s - 1] = %s%d%s%s;\n", indent,
                      extent.data, indent, at, extent.data, opening,
                      argument->base % (1 << 20) + 1000 * (1 + (argument->pick & 7)),
                      printer->index ? " + i" : "", *opening ? ")" : "");
    base_buffer_done(&extent);
}

static void print_array(const struct printer *printer, const struct api_parameter *parameter,
                        uint32_t at, const struct api_statement *statement, const char *indent) {
    const struct api_argument *argument = &statement->arguments[at];
    const struct api_argument *length =
        parameter->shares == IR_NONE ? argument : &statement->arguments[parameter->shares];
    struct base_buffer *out = printer->out;
    const struct ir_type *element = pointee(parameter->type);
    bool is_numbers = parameter->kind == API_ARRAY;
    base_buffer_print(out, "%s", indent);
    if (is_numbers)
        ir_print_declaration(element, "", out);
    else
        base_buffer_print(out, "void *");
    base_buffer_print(out, " *array%u = sp_keep((", at);
    print_extent(length, out);
    base_buffer_print(out, " + 1) * sizeof *array%u);\n%sfor (long j = 0; j < ", at, indent);
    print_extent(length, out);
    base_buffer_print(out, "; j++)\n%s    array%u[j] = ", indent, at);
    if (!is_numbers)
        base_buffer_print(out, parameter->kind == API_TEXTS ? "sp_key(" : "sp_item(");
    print_number(argument, "j", out);
    base_buffer_print(out, "%s;\n", is_numbers ? "" : ")");
    if (argument->mode & API_LAST_ELEMENT)
        print_last(printer, parameter, at, statement, indent);
}

static void print_destruction(const struct printer *printer, uint32_t number, int slot,
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
            print_callback(printer, type->destroyer, i, 0);
        }
        base_buffer_print(out, ");\n");
    } else if (type->is_made) {
        base_buffer_print(out, "%sfree(%s%d);\n", indent, type->name, slot);
    }
    if (type->is_memory)
        base_buffer_print(out, "%sfree(%s%d);\n", indent, type->name, slot);
}

/* The handle that a statement makes; IR_NONE: none. */
static uint32_t made_type(const struct api_function *function) {
    for (uint32_t i = 0; i < function->count; i++)
        if (function->parameters[i].kind == API_MADE_AT ||
            function->parameters[i].kind == API_PREPARED)
            return function->parameters[i].handle;
    return function->result == API_NEW || function->result == API_BORROWED ? function->handle
                                                                           : IR_NONE;
}

/* Without elements there is no call. */
static void print_condition(const struct printer *printer, const struct api_function *function,
                            const int *found, const char *indent) {
    for (uint32_t i = 0; i < function->count; i++) {
        const struct api_parameter *parameter = &function->parameters[i];
        if (parameter->kind != API_FILLED)
            continue;
        const struct api_type *type = &printer->model->types.data[parameter->handle];
        if (type->sizer != IR_NONE)
            base_buffer_print(printer->out, "%sif (%s(%s%d))\n    ", indent,
                              printer->model->functions.data[type->sizer].signature->name,
                              type->name, found[i]);
    }
}

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
        print_argument(printer, number, i, statement, found);
    }
    base_buffer_print(out, function->result == API_FRESH && !printer->is_brief ? "));\n" : ");\n");
}

/* Memory that becomes a handle: what was there before goes first. */
static void print_memory(const struct printer *printer, uint32_t type, int slot, bool is_taken,
                         const char *indent) {
    const char *name = printer->model->types.data[type].name;
    if (is_taken) {
        char *deeper = base_format("%s    ", indent);
        base_buffer_print(printer->out, "%sif (%s%d) {\n", indent, name, slot);
        print_destruction(printer, type, slot, deeper);
        base_buffer_print(printer->out, "%s}\n", indent);
        free(deeper);
    }
    base_buffer_print(printer->out, "%s%s%d = calloc(1, %llu);\n", indent, name, slot,
                      (unsigned long long)printer->model->types.data[type].type->size);
}

/* The new handle may be made from the one whose place it takes, so that goes last. */
static void print_swap(const struct printer *printer, uint32_t type, int slot, bool is_owned,
                       const char *indent) {
    const char *name = printer->model->types.data[type].name;
    char *deeper = base_format("%s        ", indent);
    base_buffer_print(printer->out, "%sif (made) {\n", indent);
    if (is_owned) {
        base_buffer_print(printer->out, "%s    if (%s%d && %s%d != made) {\n", indent, name, slot,
                          name, slot);
        print_destruction(printer, type, slot, deeper);
        base_buffer_print(printer->out, "%s    }\n", indent);
    }
    base_buffer_print(printer->out, "%s    %s%d = made;\n%s}\n", indent, name, slot, indent);
    free(deeper);
}

static void print_after(const struct printer *printer, const struct api_function *function,
                        const int *found, const char *indent) {
    for (uint32_t i = 0; i < function->count && !printer->is_brief; i++) {
        const struct api_parameter *parameter = &function->parameters[i];
        bool is_gone = parameter->kind == API_DESTROYED || parameter->kind == API_TAKEN ||
                       parameter->kind == API_DESTROYED_AT;
        if (!is_gone)
            continue;
        const struct api_type *type = &printer->model->types.data[parameter->handle];
        if (type->is_memory && parameter->kind == API_DESTROYED)
            base_buffer_print(printer->out, "%sfree(%s%d);\n", indent, type->name, found[i]);
        base_buffer_print(printer->out, "%s%s%d = NULL;\n", indent, type->name, found[i]);
    }
}

/* A call on handles that an earlier turn of its loop took away would crash here. */
static void print_guard(const struct printer *printer, const struct api_function *function,
                        const int *found, const char *indent) {
    bool is_first = true;
    for (uint32_t i = 0; i < function->count && !printer->is_brief; i++) {
        const struct api_parameter *parameter = &function->parameters[i];
        if (!api_is_handle(parameter->kind))
            continue;
        base_buffer_print(printer->out, is_first ? "%sif (!%s%d" : "%.0s || !%s%d", indent,
                          printer->model->types.data[parameter->handle].name, found[i]);
        is_first = false;
    }
    if (!is_first)
        base_buffer_print(printer->out, ")\n%s    break;\n", indent);
}

static void print_statement(struct printer *printer, const struct api_statement *statement,
                            bool is_looped, const char *indent) {
    uint32_t number = function_of(printer, statement);
    const struct api_function *function = called(printer, statement->function);
    int found[API_ARGUMENTS];
    struct api_alive before = printer->alive;
    if (!api_alive_step(&printer->alive, printer->model, statement, found)) {
        printer->alive = before;
        return;
    }
    struct api_alive after = printer->alive;
    printer->alive = before;
    uint32_t type = printer->is_brief ? IR_NONE : made_type(function);
    int slot = statement->result % API_SLOTS;
    bool is_made = type < API_MOST_TYPES;
    bool is_taken = is_made && (is_looped || before.slots[type][slot]);
    bool is_memory = is_made && printer->model->types.data[type].is_memory;
    if (is_memory)
        print_memory(printer, type, slot, is_taken, indent);
    bool takes = memcmp(&before, &after, sizeof before) != 0;
    if (is_looped && takes)
        print_guard(printer, function, found, indent);
    for (uint32_t i = 0; i < function->count; i++)
        if ((function->parameters[i].kind == API_ARRAY ||
             function->parameters[i].kind == API_TEXTS ||
             function->parameters[i].kind == API_CELLS))
            print_array(printer, &function->parameters[i], i, statement, indent);
    printer->is_swapping = is_taken && !is_memory;
    char *deeper = base_format("%s%s", indent, printer->is_swapping ? "    " : "");
    if (printer->is_swapping)
        base_buffer_print(printer->out, "%s{\n%svoid *made = NULL;\n", indent, deeper);
    print_condition(printer, function, found, deeper);
    print_call(printer, number, statement, found, deeper);
    print_after(printer, function, found, deeper);
    if (printer->is_swapping) {
        print_swap(printer, type, slot, !api_is_lent(printer->model, type), deeper);
        base_buffer_print(printer->out, "%s}\n", indent);
    }
    printer->is_swapping = false;
    free(deeper);
    printer->alive = after;
}

static bool has_array(const struct printer *printer, const struct api_statement *statement) {
    const struct api_function *function = called(printer, statement->function);
    for (uint32_t i = 0; i < function->count; i++)
        if (function->parameters[i].kind == API_ARRAY ||
            function->parameters[i].kind == API_TEXTS || function->parameters[i].kind == API_CELLS)
            return true;
    return false;
}

static void print_block(struct printer *printer, uint32_t first, uint32_t count,
                        const char *indent) {
    const struct api_statement *block = &printer->sequence->statements[first];
    bool is_looped = block->repeat % 3 != API_ONCE, is_inner = is_looped;
    char *deeper = base_format("%s    ", indent);
    if (is_looped && block->repeat % 3 == API_N_TIMES)
        base_buffer_print(printer->out, "%sfor (long i = 0; i < n; i++) {\n", indent);
    else if (is_looped)
        base_buffer_print(printer->out, "%sfor (long i = 0; i < %u; i++) {\n", indent,
                          block->count);
    for (uint32_t i = 0; i < count && !is_looped; i++)
        is_inner |= has_array(printer, &block[i]);
    if (is_inner && !is_looped)
        base_buffer_print(printer->out, "%s{\n", indent);
    printer->index = is_looped ? "i" : NULL;
    for (uint32_t i = 0; i < count; i++)
        print_statement(printer, &block[i], is_looped, is_inner ? deeper : indent);
    if (is_inner)
        base_buffer_print(printer->out, "%s}\n", indent);
    free(deeper);
}

static void print_statements(struct printer *printer, const char *indent) {
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
    print_statements(&printer, "");
}

/* ---- the program ---- */

/* The stubs that the program names. */
static void print_callbacks(const struct printer *printer, const struct base_buffer *program) {
    const struct api_model *model = printer->model;
    for (uint32_t f = 0; f < model->functions.count; f++)
        for (uint32_t i = 0; i < model->functions.data[f].count; i++)
            if (model->functions.data[f].parameters[i].kind == API_CALLBACK)
                api_print_stubs(model, f, i, program->data, printer->out);
}

static void note_slots(struct printer *printer) {
    struct api_alive alive = {0};
    int found[API_ARGUMENTS];
    for (uint32_t i = 0; i < printer->sequence->count; i++) {
        api_alive_step(&alive, printer->model, &printer->sequence->statements[i], found);
        for (size_t t = 0; t < API_MOST_TYPES; t++)
            for (unsigned s = 0; s < API_SLOTS; s++)
                printer->used[t][s] |= alive.slots[t][s];
    }
}

static void print_end(struct printer *printer) {
    for (size_t t = printer->model->types.count; t-- > 0;)
        for (int s = 0; s < API_SLOTS && t < API_MOST_TYPES; s++)
            if (printer->used[t][s] && (printer->model->types.data[t].is_made ||
                                        printer->model->types.data[t].is_memory)) {
                base_buffer_print(printer->out, "    if (%s%d) {\n",
                                  printer->model->types.data[t].name, s);
                print_destruction(printer, (uint32_t)t, s, "        ");
                base_buffer_print(printer->out, "    }\n");
            }
}

/* ---- what it needs ---- */

/* The parts of program.inc begin with a line "@NAME"; the first one is always needed, another one
 * if the program or a later part uses that name. They are taken in their order. */
struct part {
    char name[32];
    const char *text;
    size_t size;
    bool is_needed;
};
#define MOST_PARTS 16

static size_t split_parts(struct part *parts) {
    const char *at = (const char *)program_inc, *end = at + sizeof program_inc;
    size_t count = 0;
    while (at < end && count < MOST_PARTS) {
        struct part *part = &parts[count++];
        const char *next = memmem(at + 1, (size_t)(end - at - 1), "\n@", 2);
        *part = (struct part){.text = at, .is_needed = count == 1};
        if (*at == '@') {
            size_t length = strcspn(at + 1, "\n");
            memcpy(part->name, at + 1, length < 31 ? length : 31);
            part->text = at + length + 2;
        }
        part->size = (size_t)((next ? next + 1 : end) - part->text);
        at = next ? next + 1 : end;
    }
    return count;
}

static bool mentions(const char *text, size_t size, const char *name) {
    return memmem(text, size, name, strlen(name)) != NULL;
}

static void print_parts(const struct base_buffer *program, struct base_buffer *out) {
    struct part parts[MOST_PARTS];
    size_t count = split_parts(parts);
    for (size_t i = count; i-- > 1;) {
        parts[i].is_needed = mentions(program->data, program->count, parts[i].name);
        for (size_t k = i + 1; k < count; k++)
            parts[i].is_needed |=
                parts[k].is_needed && mentions(parts[k].text, parts[k].size, parts[i].name);
    }
    for (size_t i = 0; i < count; i++)
        if (parts[i].is_needed)
            base_buffer_add(out, parts[i].text, parts[i].size);
}

static void print_words(const struct printer *printer, const struct base_buffer *program,
                        struct base_buffer *out) {
    struct base_buffer words = {0};
    if (!mentions(program->data, program->count, "sp_words"))
        return;
    api_harness_words(printer->model, &words);
    base_buffer_print(out, "static char *sp_words[] = {%s\"\"};\n", words.data);
    base_buffer_done(&words);
}

static void print_main(struct printer *printer) {
    struct base_buffer *out = printer->out;
    const struct api_model *model = printer->model;
    base_buffer_print(out,
                      "\nint main(int argc, char **argv) {\n"
                      "    n = argc > 1 ? atol(argv[1]) : %u;\n",
                      printer->sequence->header.n);
    for (size_t t = 0; t < model->types.count && t < API_MOST_TYPES; t++)
        for (int s = 0; s < API_SLOTS; s++)
            if (printer->used[t][s])
                base_buffer_print(out, "    void *%s%d = NULL;\n", model->types.data[t].name, s);
    print_statements(printer, "    ");
    print_end(printer);
    base_buffer_print(out, "    sp_forget_all();\n    return 0;\n}\n");
}

void api_sequence_print(const struct api_model *model, const struct api_sequence *sequence,
                        struct base_buffer *out) {
    struct base_buffer main = {0}, stubs = {0};
    struct printer printer = {.model = model, .sequence = sequence, .out = &main};
    note_slots(&printer);
    print_main(&printer);
    printer.out = &stubs;
    print_callbacks(&printer, &main);
    base_buffer_add(&stubs, main.data, main.count);
    base_buffer_print(
        out,
        "/* A performance test made by slowpath. Build it with the library; the first "
        "argument is n. */\n#define ITEMS_ARE_TEXTS %d\n",
        sequence->header.kind & 1);
    print_parts(&stubs, out);
    print_words(&printer, &main, out);
    api_print_declarations(model, out);
    base_buffer_add(out, stubs.data, stubs.count);
    base_buffer_done(&main);
    base_buffer_done(&stubs);
}
