/* SPDX-License-Identifier: Apache-2.0
 *
 * How does a sequence become a C program that needs only the library? Around its statements it gets
 * the parts of program.inc that they use, declarations of the library, stubs for callbacks, and at
 * the end the destruction of the remaining handles.
 */
#include "api/harness.h"
#include "api/printer.h"

#include "api/program.h"

#include <stdlib.h>
#include <string.h>

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
                api_print_destruction(printer, (uint32_t)t, s, "        ");
                base_buffer_print(printer->out, "    }\n");
            }
}

/* ---- what it needs ---- */

/* Each part of program.inc starts with a line "@NAME". The first is always included, others if the
 * program or a later part uses that name, in their order. */
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

/* Lent handles are not destroyed; without a use the compiler could remove them. */
static void print_unread(const struct printer *printer) {
    const struct api_model *model = printer->model;
    for (uint32_t t = 0; t < model->types.count && t < API_MOST_TYPES; t++)
        for (int s = 0; s < API_SLOTS; s++)
            if (printer->used[t][s] && api_is_lent(model, t))
                base_buffer_print(printer->out, "    (void)%s%d;\n", model->types.data[t].name, s);
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
    api_print_statements(printer, "    ");
    print_end(printer);
    print_unread(printer);
    base_buffer_print(out, "    sp_forget_all();\n    return 0;\n}\n");
}

void api_sequence_print(const struct api_model *model, const struct api_sequence *sequence,
                        const char *command, struct base_buffer *out) {
    struct base_buffer main = {0}, stubs = {0};
    struct printer printer = {.model = model, .sequence = sequence, .out = &main};
    note_slots(&printer);
    print_main(&printer);
    printer.out = &stubs;
    print_callbacks(&printer, &main);
    base_buffer_add(&stubs, main.data, main.count);
    base_buffer_print(out,
                      "/* %s\n * A performance test made by slowpath. Its first argument is n. */\n"
                      "#define ITEMS_ARE_TEXTS %d\n",
                      command, sequence->header.kind & 1);
    print_parts(&stubs, out);
    api_print_declarations(model, out);
    base_buffer_add(out, stubs.data, stubs.count);
    base_buffer_done(&main);
    base_buffer_done(&stubs);
}
