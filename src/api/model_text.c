/* SPDX-License-Identifier: Apache-2.0
 *
 * How is a model printed, and corrected by hand? One line says one thing:
 *
 *     type list = destroyed by list_free, sized by list_size
 *     func list_at[$1] = index($0)
 *     func list_new[$r] = new
 *     skip debug_*
 *
 * The output can be read again, so a correction is a changed line of it.
 */
#include "api/model.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    bool refers;
} kinds[] = {
#define KIND(id, name, refers) {name, refers},
    API_KINDS(KIND)
#undef KIND
};
static const char *const results[] = {[API_IGNORED] = "ignored",
                                      [API_NEW] = "new",
                                      [API_BORROWED] = "borrowed",
                                      [API_FRESH] = "fresh"};

const char *api_kind_name(enum api_kind kind) {
    return kinds[kind].name;
}

/* ---- printing ---- */

static void print_type(const struct api_model *model, const struct api_type *type,
                       struct base_buffer *out) {
    if (type->is_record)
        return;
    base_buffer_print(out, "type %s = destroyed by %s", type->name,
                      type->destroyer == IR_NONE
                          ? "free"
                          : model->functions.data[type->destroyer].signature->name);
    if (type->sizer != IR_NONE)
        base_buffer_print(out, ", sized by %s", model->functions.data[type->sizer].signature->name);
    base_buffer_print(out, "\n");
}

static void print_signature(const struct ir_signature *signature, struct base_buffer *out) {
    base_buffer_print(out, "\n# ");
    ir_print_declaration(signature->result, signature->name, out);
    base_buffer_print(out, "(");
    for (uint32_t i = 0; i < signature->parameter_count; i++) {
        base_buffer_print(out, "%s", i ? ", " : "");
        ir_print_declaration(signature->parameters[i].type, signature->parameters[i].name, out);
    }
    base_buffer_print(out, ")\n");
}

static void print_function(const struct api_function *function, struct base_buffer *out) {
    const char *name = function->signature->name;
    print_signature(function->signature, out);
    if (function->learnt)
        base_buffer_print(out, "# learnt from a crash: %s\n", function->learnt);
    if (function->why_not) {
        base_buffer_print(out, "skip %s # %s\n", name, function->why_not);
        return;
    }
    for (uint32_t i = 0; i < function->count; i++) {
        const struct api_parameter *parameter = &function->parameters[i];
        base_buffer_print(out, "func %s[$%u] = %s", name, i, kinds[parameter->kind].name);
        if (kinds[parameter->kind].refers)
            base_buffer_print(out, "($%u)", parameter->other);
        else if (parameter->shares != IR_NONE)
            base_buffer_print(out, "($%u)", parameter->shares);
        base_buffer_print(out, "\n");
    }
    if (function->result != API_IGNORED || api_returns_pointer(function))
        base_buffer_print(out, "func %s[$r] = %s\n", name, results[function->result]);
}

void api_model_print(const struct api_model *model, struct base_buffer *out) {
    for (size_t i = 0; i < model->types.count; i++)
        print_type(model, &model->types.data[i], out);
    for (size_t i = 0; i < model->functions.count; i++)
        print_function(&model->functions.data[i], out);
}

/* ---- reading ---- */

struct line {
    const char *path;
    unsigned number;
    struct base_error *error;
};

static bool complain(const struct line *line, const char *what, const char *word) {
    return base_fail(line->error, BASE_USAGE, "%s:%u: %s '%s'", line->path, line->number, what,
                     word);
}

static bool skip_functions(struct api_model *model, const char *pattern, const struct line *line) {
    bool found = false;
    for (size_t i = 0; i < model->functions.count; i++)
        if (fnmatch(pattern, model->functions.data[i].signature->name, 0) == 0) {
            struct api_function *function = &model->functions.data[i];
            function->why_not = function->why_not ? function->why_not : "it was named by skip";
            function->is_goal = false;
            found = true;
        }
    return found || complain(line, "no function is called", pattern);
}

static bool correct_result(struct api_function *function, const char *word,
                           const struct line *line) {
    for (size_t i = 0; i < BASE_COUNT(results); i++)
        if (strcmp(word, results[i]) == 0) {
            bool needs_handle = i == API_NEW || i == API_BORROWED;
            if (needs_handle && function->handle == IR_NONE)
                return complain(line, "its result is no handle:", word);
            function->result = (enum api_result)i;
            return true;
        }
    return complain(line, "a result is ignored, new, borrowed or fresh, not", word);
}

static bool needs_handle(enum api_kind kind) {
    return api_is_handle(kind) || kind == API_MADE_AT || kind == API_PREPARED;
}

static bool correct_parameter(struct api_function *function, uint32_t at, const char *word,
                              const struct line *line) {
    char name[64];
    unsigned other = 0;
    int fields = sscanf(word, "%63[a-z-]($%u)", name, &other);
    for (size_t i = 0; fields >= 1 && i < BASE_COUNT(kinds); i++) {
        if (strcmp(name, kinds[i].name) != 0)
            continue;
        if (kinds[i].refers && (fields < 2 || other >= function->count))
            return complain(line, "which parameter does it refer to:", word);
        if (needs_handle((enum api_kind)i) && function->parameters[at].handle == IR_NONE)
            return complain(line, "it is no handle:", word);
        function->parameters[at].kind = (enum api_kind)i;
        function->parameters[at].other = other;
        function->parameters[at].shares =
            fields == 2 && !kinds[i].refers && other < function->count ? other : IR_NONE;
        return true;
    }
    return complain(line, "there is no such kind of argument:", word);
}

static bool read_func(struct api_model *model, const char *text, const struct line *line) {
    char name[512], place[16], word[128];
    if (sscanf(text, "%511[^[ ][$%15[^]]] = %127s", name, place, word) != 3)
        return complain(line, "expected 'func NAME[$K] = KIND', not", text);
    uint32_t number = api_find_function(model, name);
    if (number == IR_NONE)
        return complain(line, "no function is called", name);
    struct api_function *function = &model->functions.data[number];
    function->is_corrected = true;
    if (strcmp(place, "r") == 0)
        return correct_result(function, word, line);
    unsigned at = (unsigned)strtoul(place, NULL, 10);
    if (!isdigit((unsigned char)*place) || at >= function->count)
        return complain(line, "it has no parameter", place);
    return correct_parameter(function, at, word, line);
}

static bool read_type(struct api_model *model, const char *text, const struct line *line) {
    char name[512], destroyer[512], sizer[512];
    int fields =
        sscanf(text, "%511s = destroyed by %511[^, \t], sized by %511s", name, destroyer, sizer);
    if (fields < 2)
        return complain(line, "expected 'type NAME = destroyed by FUNCTION', not", text);
    for (size_t i = 0; i < model->types.count; i++) {
        struct api_type *type = &model->types.data[i];
        if (strcmp(type->name, name) != 0)
            continue;
        type->destroyer = api_find_function(model, destroyer);
        if (type->destroyer == IR_NONE && strcmp(destroyer, "free") != 0)
            return complain(line, "no function is called", destroyer);
        type->sizer = fields == 3 ? api_find_function(model, sizer) : IR_NONE;
        if (fields == 3 && type->sizer == IR_NONE)
            return complain(line, "no function is called", sizer);
        return true;
    }
    return complain(line, "no handle has the type", name);
}

static bool read_line(struct api_model *model, char *text, const struct line *line) {
    text[strcspn(text, "#")] = 0;
    text += strspn(text, " \t");
    for (size_t length = strlen(text); length && isspace((unsigned char)text[length - 1]);)
        text[--length] = 0;
    if (!*text)
        return true;
    if (strncmp(text, "skip ", 5) == 0)
        return skip_functions(model, text + 5 + strspn(text + 5, " "), line);
    if (strncmp(text, "func ", 5) == 0)
        return read_func(model, text + 5 + strspn(text + 5, " "), line);
    if (strncmp(text, "type ", 5) == 0)
        return read_type(model, text + 5 + strspn(text + 5, " "), line);
    return complain(line, "a line begins with type, func or skip, not", text);
}

bool api_model_correct(struct api_model *model, const char *text, const char *path,
                       struct base_error *error) {
    struct line line = {path, 1, error};
    bool good = true;
    while (good && *text) {
        size_t length = strcspn(text, "\n");
        char *copy = base_format("%.*s", (int)length, text);
        good = read_line(model, copy, &line);
        free(copy);
        text += length + (text[length] == '\n');
        line.number++;
    }
    api_model_number(model);
    return good;
}
