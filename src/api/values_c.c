/* SPDX-License-Identifier: Apache-2.0
 *
 * How is a value of a sequence written in C? Each kind of argument becomes an expression for what
 * the harness passes: numbers by a formula of i and n, texts and data by helpers of program.inc,
 * handles by the variables of their slots.
 */
#include "api/harness.h"
#include "api/printer.h"
#include "api/types.h"

#include <stdlib.h>
#include <string.h>

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

/* I is the loop's index; NULL: no loop, so it is 0. */
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

/* The word that the harness chooses: both ends of the list, and an empty one. */
static void print_word(const struct printer *printer, unsigned pick) {
    static const char between[] = "\", ";
    struct base_buffer words = {0};
    size_t count = 1; /* the empty one */
    api_harness_words(printer->model, &words);
    for (const char *at = words.data; (at = strstr(at, between)); at++)
        count++;
    base_buffer_print(&words, "\"\", ");
    const char *word = strchr(words.data, '"');
    for (size_t left = pick % count; left; left--)
        word = strstr(word, between) + strlen(between);
    base_buffer_print(printer->out, "%.*s\"", (int)(strstr(word, between) - word), word);
    base_buffer_done(&words);
}

/* If nobody writes to it, a literal is enough. */
static void print_run(unsigned length, char letter, bool is_const, struct base_buffer *out) {
    if (!is_const) {
        base_buffer_print(out, "sp_letters(%u, '%c', '%c', '%c')", length, letter, letter, letter);
        return;
    }
    base_buffer_print(out, "\"");
    for (unsigned i = 0; i < length; i++)
        base_buffer_print(out, "%c", letter);
    base_buffer_print(out, "\"");
}

static void print_text(const struct printer *printer, const struct api_argument *argument,
                       bool is_const) {
    struct base_buffer *out = printer->out;
    const char *i = printer->index;
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
        print_run(argument->pick & 15, letter, is_const, out);
        break;
    case API_LAST_DIFFERS:
        base_buffer_print(out, "sp_letters(n, '%c', '%c', '%c')", letter, letter, next);
        break;
    case API_FIRST_DIFFERS:
        base_buffer_print(out, "sp_letters(n, '%c', '%c', '%c')", next, letter, letter);
        break;
    case API_WORD:
        print_word(printer, argument->pick);
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
    enum api_index mode = statement->arguments[at].mode & 7;
    if (mode >= API_INDEX_EACH && !printer->index)
        mode = API_INDEX_FIRST;
    switch (mode) {
    case API_INDEX_ENDS:
        base_buffer_print(out, "i %% 2 ? %s(%s%d)%s : 0", name, type->name, slot,
                          *plus ? "" : " - 1");
        break;
    case API_INDEX_LAST:
        base_buffer_print(out, "%s(%s%d)%s", name, type->name, slot, *plus ? "" : " - 1");
        break;
    case API_INDEX_MIDDLE:
        base_buffer_print(out, "(%s(%s%d)%s) / 2", name, type->name, slot, plus);
        break;
    case API_INDEX_EACH:
        base_buffer_print(out, "i %% (%s(%s%d)%s)", name, type->name, slot, plus);
        break;
    default:
        base_buffer_print(out, "0");
        break;
    }
}

void api_print_callback(const struct printer *printer, uint32_t function, uint32_t at,
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
        print_text(printer, argument, true);
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

/* Unsigned parameters get no negative number. */
static void print_scalar(const struct printer *printer, const struct api_parameter *parameter,
                         const struct api_argument *argument) {
    struct base_buffer *out = printer->out;
    bool is_constant = (argument->mode & 7) == API_CONSTANT,
         is_folded = parameter->type->kind == IR_TYPE_UNSIGNED &&
                     (argument->base < 0 || argument->step < 0);
    if (is_constant) {
        long value = api_is_exact(parameter) ? argument->base : argument->base % (1 << 20);
        base_buffer_print(out, "%ld", is_folded ? labs(value) : value);
        return;
    }
    base_buffer_print(out, is_folded ? "labs(" : "");
    print_number(argument, printer->index, out);
    base_buffer_print(out, is_folded ? ")" : "");
}

void api_print_argument(const struct printer *printer, uint32_t number, uint32_t at,
                        const struct api_statement *statement, const int *found) {
    const struct api_function *function = &printer->model->functions.data[number];
    const struct api_parameter *parameter = &function->parameters[at];
    const struct api_argument *argument = &statement->arguments[at];
    struct base_buffer *out = printer->out;
    uint64_t size = api_pointee(parameter->type) ? api_pointee(parameter->type)->size : 1;
    bool is_char =
        api_pointee(parameter->type) && api_pointee(parameter->type)->kind == IR_TYPE_CHAR;
    switch (parameter->kind) {
    case API_SCALAR:
        print_scalar(printer, parameter, argument);
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
        print_text(printer, argument, api_is_written(parameter) || parameter->type->is_const);
        base_buffer_print(out, api_is_written(parameter) ? ")" : "");
        break;
    case API_OWNED_TEXT:
        base_buffer_print(out, "strdup(");
        print_text(printer, argument, true);
        base_buffer_print(out, ")");
        break;
    case API_BYTES:
        base_buffer_print(out, "sp_bytes(");
        print_text(printer, argument, true);
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
        print_object(printer, api_pointee(parameter->type), argument->pick);
        break;
    case API_CALLBACK:
        api_print_callback(printer, number, at, argument->pick);
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

/* ---- arrays: a few lines before the call ---- */

/* What makes the arrays of different iterations differ. */
static void print_last(const struct printer *printer, const struct api_parameter *parameter,
                       uint32_t at, const struct api_statement *statement, const char *indent) {
    const struct api_argument *argument = &statement->arguments[at];
    const struct api_argument *length =
        parameter->shares == IR_NONE ? argument : &statement->arguments[parameter->shares];
    struct base_buffer *out = printer->out;
    const char *opening = parameter->kind == API_ARRAY   ? ""
                          : parameter->kind == API_TEXTS ? "sp_key("
                                                         : "sp_item(";
    if (length->pick & 128 && !(length->pick & 15))
        return;
    if (length->pick & 128)
        base_buffer_print(out, "%sarray%u[%d]", indent, at, (length->pick & 15) - 1);
    else
        base_buffer_print(out, "%sif (n > 0)\n%s    array%u[n - 1]", indent, indent, at);
    base_buffer_print(out, " = %s%d%s%s;\n", opening,
                      argument->base % (1 << 20) + 1000 * (1 + (argument->pick & 7)),
                      printer->index ? " + i" : "", *opening ? ")" : "");
}

void api_print_array(const struct printer *printer, const struct api_parameter *parameter,
                     uint32_t at, const struct api_statement *statement, const char *indent) {
    const struct api_argument *argument = &statement->arguments[at];
    const struct api_argument *length =
        parameter->shares == IR_NONE ? argument : &statement->arguments[parameter->shares];
    struct base_buffer *out = printer->out;
    const struct ir_type *element = api_pointee(parameter->type);
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
