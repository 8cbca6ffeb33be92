/* SPDX-License-Identifier: Apache-2.0
 *
 * How does an input become calls? driver.inc contains what is the same for every library: numbers,
 * texts, arrays, slots for handles, the order of statements. A model adds one case per function:
 * find the handles, make the arguments, call, update the handles. A call whose handles do not exist
 * is skipped.
 *
 * Handles are void pointers here, so no type of the library has to be named.
 */
#include "api/harness.h"

#include "api/driver.h"
#include "api/types.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MOST_WORDS 32

/* ---- declarations ---- */

/* A pointer that is only passed on is a void pointer. */
static void print_plain(const struct ir_type *type, struct base_buffer *out) {
    if (api_is_pointer(type))
        base_buffer_print(out, "void *");
    else
        ir_print_declaration(type, "", out);
}

static void print_prototype(const struct ir_signature *signature, struct base_buffer *out) {
    print_plain(signature->result, out);
    base_buffer_print(out, " %s(", signature->name);
    for (uint32_t i = 0; i < signature->parameter_count; i++) {
        base_buffer_print(out, "%s", i ? ", " : "");
        print_plain(signature->parameters[i].type, out);
    }
    base_buffer_print(out, "%s);\n", signature->parameter_count ? "" : "void");
}

void api_print_declarations(const struct api_model *model, struct base_buffer *out) {
    for (size_t i = 0; i < model->headers.count; i++)
        base_buffer_print(out, "#include \"%s\"\n", model->headers.data[i]);
    for (size_t i = 0; i < model->macros.count; i++)
        base_buffer_print(out, "#undef %s\n", model->macros.data[i]);
    for (size_t i = 0; !model->headers.count && i < model->called.count; i++)
        print_prototype(model->functions.data[model->called.data[i]].signature, out);
    for (size_t i = 0; !model->headers.count && i < model->objects.count; i++)
        base_buffer_print(out, "extern char %s[];\n", model->objects.data[i].name);
}

/* ---- callbacks ---- */

static bool is_same_shape(const struct ir_type *a, const struct ir_type *b) {
    if (!a || !b)
        return a == b;
    if (a->kind != b->kind || a->size != b->size)
        return false;
    return a->kind != IR_TYPE_POINTER || a->element == b->element ||
           (a->element && b->element && a->element->kind == b->element->kind &&
            a->element->kind != IR_TYPE_STRUCT);
}

static bool has_type(const struct ir_signature *signature, const struct ir_type *wanted) {
    if (signature->parameter_count != wanted->member_count || signature->is_variadic ||
        !is_same_shape(signature->result, wanted->element))
        return false;
    for (uint32_t i = 0; i < wanted->member_count; i++)
        if (!is_same_shape(signature->parameters[i].type, wanted->members[i].type))
            return false;
    return true;
}

static uint32_t count_pointers(const struct ir_type *function) {
    uint32_t count = 0;
    while (count < function->member_count && api_pointee(function->members[count].type) == NULL &&
           function->members[count].type->kind == IR_TYPE_POINTER)
        count++;
    return count;
}

static bool takes_text(const struct ir_type *function, uint32_t at) {
    const struct ir_type *element =
        at < function->member_count ? api_pointee(function->members[at].type) : NULL;
    return element && element->kind == IR_TYPE_CHAR;
}

static void print_stub(const char *name, const struct ir_type *function, const char *body,
                       struct base_buffer *out) {
    base_buffer_print(out, "static ");
    print_plain(function->element, out);
    base_buffer_print(out, " %s(", name);
    for (uint32_t i = 0; i < function->member_count; i++) {
        base_buffer_print(out, "%s", i ? ", " : "");
        print_plain(function->members[i].type, out);
        base_buffer_print(out, " p%u", i);
    }
    base_buffer_print(out, "%s) {\n    %s\n}\n", function->member_count ? "" : "void", body);
}

/* What a function of this type may do: the bodies of stubs. */
static size_t list_bodies(const struct api_parameter *parameter, const char *bodies[4]) {
    const struct ir_type *function = api_pointee(parameter->type);
    const struct ir_type *result = function->element;
    uint32_t pointers = count_pointers(function);
    size_t count = 0;
    if (!result) {
        bodies[count++] = "";
    } else if (result->kind == IR_TYPE_POINTER) {
        bool sized = function->member_count && function->members[0].type->kind == IR_TYPE_UNSIGNED;
        bodies[count++] = sized ? "return malloc(p0);" : pointers ? "return p0;" : "return 0;";
    } else if (takes_text(function, 0) && takes_text(function, 1)) {
        bodies[count++] = "return strcmp(p0, p1);";
    } else if (pointers >= 2 && result->kind == IR_TYPE_BOOL) {
        bodies[count++] = "return sp_compare_data(p0, p1) == 0;";
    } else if (pointers >= 2) { /* an order or an equality: the name may decide */
        bool is_order = strcasestr(parameter->name, "cmp") || strcasestr(parameter->name, "comp") ||
                        strcasestr(parameter->name, "order") || strcasestr(parameter->name, "less");
        bool is_equality = strcasestr(parameter->name, "eq") ||
                           strcasestr(parameter->name, "same") ||
                           strcasestr(parameter->name, "match");
        if (is_order || !is_equality)
            bodies[count++] = "return sp_compare_data(p0, p1);";
        if (is_equality || !is_order)
            bodies[count++] = "return sp_compare_data(p0, p1) == 0;";
    } else if (pointers == 1 && result->kind == IR_TYPE_UNSIGNED) {
        bodies[count++] = "return sp_hash_data(p0);";
    } else {
        bodies[count++] = "return 0;";
        bodies[count++] = "return 1;";
    }
    return count;
}

/* Prints the stubs that PROGRAM names; all if it is NULL. */
void api_print_stubs(const struct api_model *model, uint32_t function, uint32_t parameter,
                     const char *program, struct base_buffer *out) {
    const struct api_parameter *callback = &model->functions.data[function].parameters[parameter];
    const struct ir_type *wanted = api_pointee(callback->type);
    const char *bodies[4];
    size_t count = list_bodies(callback, bodies);
    for (size_t i = 0; i < count; i++) {
        char *name = base_format("callback_%u_%u_%zu", function, parameter, i);
        if (!program || strstr(program, name))
            print_stub(name, wanted, bodies[i], out);
        free(name);
    }
}

void api_list_callbacks(const struct api_model *model, uint32_t function, uint32_t parameter,
                        struct base_strings *names) {
    const struct api_parameter *callback = &model->functions.data[function].parameters[parameter];
    const struct ir_type *wanted = api_pointee(callback->type);
    const char *bodies[4];
    size_t count = list_bodies(callback, bodies);
    for (size_t i = 0; i < count; i++) {
        char *name = base_format("callback_%u_%u_%zu", function, parameter, i);
        base_strings_add(names, name);
        free(name);
    }
    for (size_t i = 0; i < model->functions.count; i++) {
        const struct ir_signature *signature = model->functions.data[i].signature;
        const struct api_function *candidate = &model->functions.data[i];
        bool is_left_out = candidate->why_not && !candidate->is_dropped;
        if (!candidate->is_meaning && !is_left_out && has_type(signature, wanted))
            base_strings_add(names, signature->name);
    }
}

static void print_callbacks(const struct api_model *model, uint32_t function, uint32_t parameter,
                            struct base_buffer *out) {
    struct base_strings names = {0};
    api_print_stubs(model, function, parameter, NULL, out);
    api_list_callbacks(model, function, parameter, &names);
    base_buffer_print(out, "static void *const callbacks_%u_%u[] = {", function, parameter);
    for (size_t i = 0; i < names.count; i++)
        base_buffer_print(out, "%s(void *)%s", i ? ", " : "", names.data[i]);
    base_buffer_print(out, "};\n");
    base_strings_done(&names);
}

/* ---- handles ---- */

static void print_destroyer(const struct api_model *model, uint32_t number,
                            struct base_buffer *out) {
    const struct api_type *type = &model->types.data[number];
    base_buffer_print(out, "    case %u:\n", number);
    if (type->destroyer != IR_NONE && !model->functions.data[type->destroyer].why_not) {
        const struct api_function *function = &model->functions.data[type->destroyer];
        bool is_place = function->parameters[0].kind == API_DESTROYED_AT;
        base_buffer_print(out, "        %s(%s", function->signature->name,
                          is_place ? "(void *)&handle" : "handle");
        for (uint32_t i = 1; i < function->count; i++)
            base_buffer_print(out, ", callbacks_%u_%u[0]", type->destroyer, i);
        base_buffer_print(out, ");\n");
    } else if (type->is_made) {
        base_buffer_print(out, "        free(handle);\n");
    }
    if (type->is_memory)
        base_buffer_print(out, "        free(handle);\n");
    base_buffer_print(out, "        break;\n");
}

static void print_destroyers(const struct api_model *model, struct base_buffer *out) {
    base_buffer_print(out, "\nstatic void sp_destroy(unsigned type, void *handle) {\n"
                           "    switch (type) {\n");
    for (uint32_t i = 0; i < model->types.count; i++)
        if (model->types.data[i].is_made || model->types.data[i].is_memory)
            print_destroyer(model, i, out);
    base_buffer_print(out, "    default:\n        break;\n    }\n}\n");
}

/* ---- one case of the switch ---- */

/* The owner of what the function lends, or of what it is passed: its first handle. */
static void print_owner(const struct api_model *model, const struct api_function *function,
                        uint32_t before, struct base_buffer *out) {
    uint32_t first = api_first_handle(function);
    if (first >= before)
        base_buffer_print(out, "0");
    else if (api_is_lent(model, function->parameters[first].handle))
        base_buffer_print(out, "sp_owners[%u][h%u]", function->parameters[first].handle, first);
    else
        base_buffer_print(out, "v%u", first);
}

static void print_find(const struct api_model *model, const struct api_function *function,
                       uint32_t at, struct base_buffer *out) {
    const struct api_parameter *parameter = &function->parameters[at];
    int others[2] = {-1, -1};
    unsigned found = 0;
    for (uint32_t i = 0; i < at && found < 2; i++)
        if (api_is_handle(function->parameters[i].kind) &&
            function->parameters[i].handle == parameter->handle)
            others[found++] = (int)i;
    base_buffer_print(out, "        int h%u = sp_find(s, %u, %u", at, at, parameter->handle);
    for (unsigned i = 0; i < 2; i++)
        if (others[i] < 0)
            base_buffer_print(out, ", -1");
        else
            base_buffer_print(out, ", h%d", others[i]);
    base_buffer_print(out, ", ");
    print_owner(model, function, api_is_lent(model, parameter->handle) ? at : 0, out);
    base_buffer_print(out, ");\n");
    base_buffer_print(out, "        if (h%u < 0)\n            break;\n", at);
    base_buffer_print(out, "        void *v%u = sp_slots[%u][h%u];\n", at, parameter->handle, at);
}

static void print_filled(const struct api_model *model, const struct api_parameter *parameter,
                         uint32_t at, struct base_buffer *out) {
    uint32_t sizer = model->types.data[parameter->handle].sizer;
    if (parameter->kind == API_FILLED && sizer != IR_NONE)
        base_buffer_print(out, "        if (!%s(v%u))\n            break;\n",
                          model->functions.data[sizer].signature->name, at);
}

static bool is_float(const struct ir_type *type) {
    return type->kind == IR_TYPE_FLOAT;
}

static uint64_t size_of(const struct ir_type *type) {
    return type && type->size ? type->size : 1;
}

static void print_index(const struct api_model *model, const struct api_function *function,
                        uint32_t at, struct base_buffer *out) {
    const struct api_parameter *parameter = &function->parameters[at];
    const struct api_parameter *owner = &function->parameters[parameter->other];
    uint32_t sizer = model->types.data[owner->handle].sizer;
    bool is_end = parameter->kind == API_POSITION;
    base_buffer_print(out, "        unsigned long s%u = %s(v%u)%s;\n", at,
                      model->functions.data[sizer].signature->name, parameter->other,
                      is_end ? " + 1" : "");
    base_buffer_print(out, "        if (!s%u)\n            break;\n", at);
    base_buffer_print(out, "        long v%u = sp_index_at(&a[%u], i, s%u);\n", at, at, at);
}

static void print_object(const struct api_model *model, const struct ir_type *record, uint32_t at,
                         struct base_buffer *out) {
    struct base_strings names = {0};
    api_list_objects(model, record, &names);
    base_buffer_print(out, "        void *o%u[] = {", at);
    for (size_t i = 0; i < names.count; i++)
        base_buffer_print(out, "(void *)&%s, ", names.data[i]);
    base_buffer_print(out, "};\n        void *v%u = o%u[a[%u].pick %% %zu];\n", at, at, at,
                      names.count);
    base_strings_done(&names);
}

static void print_argument(const struct api_model *model, uint32_t number, uint32_t at,
                           struct base_buffer *out) {
    const struct api_function *function = &model->functions.data[number];
    const struct api_parameter *parameter = &function->parameters[at];
    const struct ir_type *element = api_pointee(parameter->type);
    uint32_t length_at = parameter->shares == IR_NONE ? at : parameter->shares;
    switch (parameter->kind) {
    case API_SCALAR:
        base_buffer_print(out, "        long v%u = sp_%s_at(&a[%u], i);\n", at,
                          api_is_exact(parameter) ? "exact" : "number", at);
        if (parameter->type->kind == IR_TYPE_UNSIGNED)
            base_buffer_print(out, "        v%u = labs(v%u);\n", at, at);
        break;
    case API_TEXT:
    case API_OWNED_TEXT:
        base_buffer_print(out, "        unsigned long l%u;\n", at);
        base_buffer_print(out, "        void *v%u = sp_text_at(&a[%u], i, &l%u, %s);\n", at, at, at,
                          parameter->kind == API_OWNED_TEXT ? "sp_OWNED"
                          : api_is_written(parameter)       ? "sp_WRITABLE"
                                                            : "sp_SHARED");
        break;
    case API_BYTES:
        base_buffer_print(out, "        unsigned long l%u;\n", at);
        base_buffer_print(out, "        void *v%u = sp_bytes_at(&a[%u], i, &l%u);\n", at, at, at);
        break;
    case API_ARRAY:
        base_buffer_print(out, "        unsigned long l%u;\n", at);
        base_buffer_print(
            out, "        void *v%u = sp_array_at(&a[%u], &a[%u], %llu, %d, i, &l%u);\n", at, at,
            length_at, (unsigned long long)size_of(element), element && is_float(element), at);
        break;
    case API_TEXTS:
    case API_CELLS:
        base_buffer_print(out, "        unsigned long l%u;\n", at);
        base_buffer_print(out, "        void *v%u = sp_pointers_at(&a[%u], &a[%u], %d, i, &l%u);\n",
                          at, at, length_at, parameter->kind == API_TEXTS, at);
        break;
    case API_CELL:
        base_buffer_print(out, "        void *v%u = sp_data_of(sp_number_at(&a[%u], i));\n", at,
                          at);
        break;
    case API_OWNED_CELL:
        base_buffer_print(out, "        void *v%u = sp_owned_cell(&a[%u], i);\n", at, at);
        break;
    case API_OUT:
    case API_RECORD:
        base_buffer_print(out, "        void *v%u = sp_keep(%llu);\n", at,
                          element && element->kind == IR_TYPE_CHAR
                              ? 65536ull
                              : (unsigned long long)size_of(element));
        break;
    case API_ROOM:
        base_buffer_print(out, "        void *v%u = sp_keep((16 * sp_n + 64) * %llu);\n", at,
                          (unsigned long long)size_of(element));
        break;
    case API_OBJECT:
        print_object(model, element, at, out);
        break;
    case API_CALLBACK:
        base_buffer_print(out,
                          "        void *v%u = callbacks_%u_%u[a[%u].pick %% "
                          "(sizeof callbacks_%u_%u / sizeof *callbacks_%u_%u)];\n",
                          at, number, at, at, number, at, number, at);
        break;
    case API_MADE_AT:
        base_buffer_print(out, "        void *v%u = 0;\n", at);
        break;
    case API_PREPARED:
        if (api_is_lent(model, parameter->handle)) {
            base_buffer_print(out, "        void *v%u = sp_keep(%llu);\n", at,
                              (unsigned long long)size_of(element));
            break;
        }
        base_buffer_print(out, "        sp_put(%u, s->result, 0);\n", parameter->handle);
        base_buffer_print(out, "        void *v%u = calloc(1, %llu);\n", at,
                          (unsigned long long)size_of(element));
        break;
    case API_NONE:
        base_buffer_print(out, "        void *v%u = 0;\n", at);
        break;
    case API_ZERO:
        base_buffer_print(out, "        long v%u = 0;\n", at);
        break;
    default: /* handles, indices and lengths */
        break;
    }
}

/* If no length argument is left, a number gives the count. */
static void print_length(const struct api_function *function, uint32_t at,
                         struct base_buffer *out) {
    uint32_t other = function->parameters[at].other;
    enum api_kind kind = function->parameters[other].kind;
    bool has_length = kind == API_BYTES || kind == API_ARRAY || kind == API_TEXTS ||
                      kind == API_CELLS || kind == API_TEXT || kind == API_OWNED_TEXT;
    if (has_length)
        base_buffer_print(out, "        unsigned long v%u = l%u;\n", at, other);
    else if (kind == API_ROOM)
        base_buffer_print(out, "        unsigned long v%u = 16 * sp_n + 64;\n", at);
    else
        base_buffer_print(out, "        unsigned long v%u = 0;\n", at);
}

static void print_arguments(const struct api_model *model, uint32_t number,
                            struct base_buffer *out) {
    const struct api_function *function = &model->functions.data[number];
    for (uint32_t i = 0; i < function->count; i++)
        if (api_is_handle(function->parameters[i].kind)) {
            print_find(model, function, i, out);
            print_filled(model, &function->parameters[i], i, out);
        }
    for (uint32_t i = 0; i < function->count; i++)
        if (function->parameters[i].kind == API_INDEX ||
            function->parameters[i].kind == API_POSITION)
            print_index(model, function, i, out);
    for (uint32_t i = 0; i < function->count; i++)
        print_argument(model, number, i, out);
    for (uint32_t i = 0; i < function->count; i++)
        if (function->parameters[i].kind == API_LENGTH)
            print_length(function, i, out);
}

static void print_call(const struct api_function *function, struct base_buffer *out) {
    bool is_used = function->result == API_NEW || function->result == API_BORROWED ||
                   function->result == API_FRESH;
    base_buffer_print(out, "        sp_enter(%u);\n", function->number);
    base_buffer_print(out, "        %s%s(", is_used ? "void *result = (void *)" : "",
                      function->signature->name);
    for (uint32_t i = 0; i < function->count; i++) {
        enum api_kind kind = function->parameters[i].kind;
        bool is_place = kind == API_MADE_AT || kind == API_DESTROYED_AT;
        base_buffer_print(out, "%s%sv%u", i ? ", " : "", is_place ? "(void *)&" : "", i);
    }
    base_buffer_print(out, ");\n");
}

/* What the function wrote to memory belongs to its first handle. */
static void print_lending(const struct api_model *model, const struct api_function *function,
                          uint32_t type, uint32_t at, struct base_buffer *out) {
    base_buffer_print(out, "        sp_lend(%u, s->result, v%u, ", type, at);
    print_owner(model, function, function->count, out);
    base_buffer_print(out, ");\n");
}

static void print_outcome(const struct api_model *model, const struct api_function *function,
                          struct base_buffer *out) {
    for (uint32_t i = 0; i < function->count; i++) {
        const struct api_parameter *parameter = &function->parameters[i];
        if (api_is_handle(parameter->kind) && !api_is_lent(model, parameter->handle) &&
            api_may_remove(function, i))
            base_buffer_print(out, "        sp_forget_owned(v%u);\n", i);
        if (parameter->kind == API_DESTROYED || parameter->kind == API_DESTROYED_AT ||
            parameter->kind == API_TAKEN)
            base_buffer_print(out, "        sp_slots[%u][h%u] = 0;\n", parameter->handle, i);
        if (parameter->kind == API_DESTROYED && model->types.data[parameter->handle].is_memory)
            base_buffer_print(out, "        free(v%u);\n", i);
        if (parameter->kind == API_PREPARED && api_is_lent(model, parameter->handle))
            print_lending(model, function, parameter->handle, i, out);
        else if (parameter->kind == API_MADE_AT || parameter->kind == API_PREPARED)
            base_buffer_print(out, "        if (v%u)\n            sp_put(%u, s->result, v%u);\n", i,
                              parameter->handle, i);
    }
    if (function->result == API_NEW)
        base_buffer_print(out, "        if (result)\n            sp_put(%u, s->result, result);\n",
                          function->handle);
    if (function->result == API_BORROWED) {
        base_buffer_print(out, "        if (result)\n            sp_lend(%u, s->result, result, ",
                          function->handle);
        print_owner(model, function, function->count, out);
        base_buffer_print(out, ");\n");
    }
    if (function->result == API_FRESH)
        base_buffer_print(out, "        free(result);\n");
}

static void print_case(const struct api_model *model, uint32_t number, struct base_buffer *out) {
    const struct api_function *function = &model->functions.data[number];
    base_buffer_print(out, "    case %u: {\n", function->number);
    print_arguments(model, number, out);
    print_call(function, out);
    print_outcome(model, function, out);
    base_buffer_print(out, "        break;\n    }\n");
}

/* ---- all of it ---- */

void api_harness_words(const struct api_model *model, struct base_buffer *out) {
    const struct ir_facts *facts = &model->library->facts;
    unsigned count = 0;
    base_buffer_print(out, " ");
    for (uint32_t i = 0; i < facts->token_count && count < MOST_WORDS; i++) {
        const struct ir_token *token = &facts->tokens[i];
        const char *bytes = facts->token_bytes + token->first;
        bool is_plain = (token->kind == IR_TOKEN_WORD || token->kind == IR_TOKEN_TEXT) &&
                        token->size && token->size < 32;
        for (uint32_t k = 0; k < token->size && is_plain; k++)
            is_plain = isalnum((unsigned char)bytes[k]) || strchr(" _-+.,:;/=<>[]{}()", bytes[k]);
        if (is_plain && ++count)
            base_buffer_print(out, "\"%.*s\", ", (int)token->size, bytes);
    }
}

static void print_all_callbacks(const struct api_model *model, struct base_buffer *out) {
    for (uint32_t i = 0; i < model->functions.count; i++)
        for (uint32_t p = 0; p < model->functions.data[i].count; p++)
            if (model->functions.data[i].parameters[p].kind == API_CALLBACK)
                print_callbacks(model, i, p, out);
}

void api_harness_print(const struct api_model *model, struct base_buffer *out) {
    base_buffer_print(out, "#define sp_TYPES %zu\n#define sp_CALLS %zu\n", model->types.count,
                      model->called.count);
    base_buffer_print(out, "#define sp_WORDS");
    api_harness_words(model, out);
    base_buffer_print(out, "\n");
    base_buffer_add(out, driver_inc, sizeof driver_inc);
    base_buffer_print(out, "/* ---- this library ---- */\n\n");
    api_print_declarations(model, out);
    print_all_callbacks(model, out);
    print_destroyers(model, out);
    base_buffer_print(out,
                      "\nstatic void sp_call(const struct sp_statement *s, unsigned long i) {\n"
                      "    const struct sp_argument *a = s->arguments;\n");
    base_buffer_print(out, "    switch (s->function %% sp_CALLS) {\n");
    for (size_t i = 0; i < model->called.count; i++)
        print_case(model, model->called.data[i], out);
    base_buffer_print(out, "    }\n}\n");
}
