/* SPDX-License-Identifier: Apache-2.0
 *
 * What is built for a target? That follows from its entry: a harness and a program are built as
 * they are; a function needs a driver, and for that its signature, which comes from the debug
 * information of a first build. Functions that the entry's arguments name, or that pointers of the
 * input may lead to, are kept in the build.
 */
#include "ir/missing.h"
#include "target/internal.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* ---- the kind of target ---- */

bool target_has_body(const struct ir_facts *facts, const char *name) {
    uint32_t function = ir_find_function(facts, name);
    return function != IR_NONE && facts->functions[function].block_count > 0;
}

static void list_functions(const struct ir_facts *facts, struct base_buffer *names) {
    unsigned listed = 0;
    for (uint32_t i = 0; i < facts->function_count && listed < 6; i++)
        if (facts->functions[i].block_count > 0) {
            base_buffer_print(names, "%s%s", listed++ ? ", " : "",
                              facts->strings + facts->functions[i].name);
        }
}

static bool choose_entry(struct target *target, const struct target_options *options,
                         struct base_error *error) {
    if (options->entry)
        target->kind = ABI_ENTRY_DRIVER;
    else if (target_has_body(&target->facts, ABI_SYMBOL_HARNESS))
        target->kind = ABI_ENTRY_HARNESS;
    else if (target_has_body(&target->facts, "main"))
        target->kind = ABI_ENTRY_PROGRAM;
    else {
        struct base_buffer names = {0};
        list_functions(&target->facts, &names);
        base_fail(error, BASE_TARGET,
                  "the target has no main and no " ABI_SYMBOL_HARNESS
                  ": name a function with --entry (it has %s)",
                  names.count ? names.data : "none with bitcode");
        base_buffer_done(&names);
        return false;
    }
    return true;
}

static bool fail_missing(const struct ir_facts *facts, const char *name, struct base_error *error) {
    struct base_strings names = {0};
    for (uint32_t i = 0; i < facts->function_count; i++)
        if (facts->functions[i].block_count > 0)
            base_strings_add(&names, facts->strings + facts->functions[i].name);
    ir_fail_missing(name, &names, error);
    base_strings_done(&names);
    return false;
}

/* A function passed as an argument has a body in the target, or is one of the C library. */
static bool check_callback(struct target *target, const struct target_item *item,
                           struct base_error *error) {
    struct ir_signature signature;
    const struct ir_type *wanted = item->type->element;
    if (!target_has_body(&target->facts, item->name))
        return dlsym(RTLD_DEFAULT, item->name) || fail_missing(&target->facts, item->name, error);
    if (!ir_read_signature(target->variant.types, item->name, &target->arena, &signature, error))
        return false;
    target->hands_on_static |= signature.is_static;
    return signature.is_variadic || wanted->is_variadic || !wanted->member_count ||
           signature.parameter_count == wanted->member_count ||
           base_fail(error, BASE_TARGET,
                     "entry '%s': %s takes %u parameter%s, but is called with %u",
                     target->entry.text, item->name, signature.parameter_count,
                     signature.parameter_count == 1 ? "" : "s", wanted->member_count);
}

static bool check_callbacks(struct target *target, struct base_error *error) {
    for (size_t i = 0; i < target->entry.items.count; i++)
        if (target->entry.items.data[i].kind == TARGET_CALLBACK &&
            !check_callback(target, &target->entry.items.data[i], error))
            return false;
    return true;
}

/* The invariant takes one pointer, and checks every argument of that pointer type. */
static bool check_invariant(struct target *target, struct base_error *error) {
    const char *name = target->entry.invariant;
    struct ir_signature signature;
    if (!name)
        return true;
    if (!target_has_body(&target->facts, name))
        return base_fail(error, BASE_USAGE, "--invariant %s: the target has no such function",
                         name);
    if (!ir_read_signature(target->variant.types, name, &target->arena, &signature, error))
        return false;
    target->entry.invariant_result = signature.result;
    if (signature.parameter_count == 1 && signature.result &&
        target_entry_find_checked(&target->entry, signature.parameters[0].type))
        return true;
    return base_fail(
        error, BASE_USAGE,
        "--invariant %s: it must take one pointer, such as an argument of '%s' is, and "
        "tell a truth",
        name, target->entry.text);
}

/* ---- functions that pointers may lead to ---- */

static bool has_code_pools(const struct target_entry *entry) {
    for (size_t i = 0; i < entry->heap.pools.count; i++)
        if (target_pool_is_code(&entry->heap.pools.data[i]))
            return true;
    return false;
}

/* Two function types are equal if their C text is. */
static char *spell_function(const struct ir_type *type) {
    struct ir_type bare = *type;
    struct base_buffer text = {0};
    struct ir_member *members = base_alloc((type->member_count + 1) * sizeof *members);
    for (uint32_t i = 0; i < type->member_count; i++)
        members[i] = (struct ir_member){.name = "", .type = type->members[i].type};
    bare.members = members;
    ir_print_declaration(&bare, "f", &text);
    free(members);
    return text.data;
}

static void offer_function(struct target *target, const char *name) {
    struct ir_signature signature;
    struct base_error error;
    if (!ir_read_signature(target->variant.types, name, &target->arena, &signature, &error))
        return;
    struct ir_type type = target_function_type(&target->arena, &signature, true);
    char *text = spell_function(&type);
    for (size_t i = 0; i < target->entry.heap.pools.count; i++) {
        struct target_pool *pool = &target->entry.heap.pools.data[i];
        char *wanted = target_pool_is_code(pool) ? spell_function(pool->type) : NULL;
        if (wanted && strcmp(text, wanted) == 0) {
            base_strings_add(&pool->functions, name);
            target->hands_on_static |= signature.is_static;
        }
        free(wanted);
    }
    free(text);
}

/* Builds all functions of the target, even those that nothing calls: their types are known only
 * then. */
static bool find_functions(struct target *target, struct cc_request *request,
                           struct base_error *error) {
    const struct ir_facts *facts = &target->facts;
    struct base_strings *names = &target->functions;
    if (!has_code_pools(&target->entry))
        return true;
    for (size_t i = 0; i < request->called_count; i++)
        base_strings_add(names, request->called[i]);
    for (uint32_t i = 0; i < facts->function_count; i++)
        if (facts->functions[i].block_count)
            base_strings_add(names, facts->strings + facts->functions[i].name);
    request->called = (const char *const *)names->data;
    request->called_count = names->count;
    cc_variant_done(&target->variant);
    ir_facts_done(&target->facts);
    if (!cc_build_variant(request, &target->variant, error) ||
        !ir_facts_load(target->variant.facts, &target->facts, error))
        return false;
    for (uint32_t i = 0; i < facts->function_count; i++)
        if (facts->functions[i].block_count)
            offer_function(target, facts->strings + facts->functions[i].name);
    return true;
}

static bool make_driver(struct target *target, struct cc_request *request,
                        struct base_buffer *driver, struct base_error *error) {
    const char *function = target->entry.function;
    if (!ir_read_signature(target->variant.types, function, &target->arena, &target->signature,
                           error) ||
        !target_entry_check(&target->entry, &target->signature, error) ||
        !check_callbacks(target, error) || !check_invariant(target, error) ||
        !find_functions(target, request, error))
        return false;
    target_entry_driver(&target->entry, &target->signature, function, driver);
    return true;
}

/* The driver is part of the symbolic variant, so that it gets instrumented. Writing it takes the
 * signature, which the measuring variant has. */
static bool build_symbolic(struct target *target, struct cc_request *request, bool tells_loops,
                           const char *driver, struct base_watch *watch, struct base_error *error) {
    cc_variant_done(&target->variant);
    request->kind = INSTRUMENT_SYMBOLIC;
    request->tells_loops = tells_loops;
    request->driver = driver;
    request->watch = watch;
    return cc_build_variant(request, &target->variant, error);
}

/* The entry, and every bare name: which of them are functions is known only from the types. */
static const char **list_called(const struct target_entry *entry, size_t *count) {
    const char **names = base_alloc((entry->items.count + 2) * sizeof *names);
    *count = 0;
    if (entry->invariant)
        names[(*count)++] = entry->invariant;
    if (entry->function)
        names[(*count)++] = entry->function;
    for (size_t i = 0; i < entry->items.count; i++)
        if (entry->items.data[i].kind == TARGET_SCALAR)
            names[(*count)++] = entry->items.data[i].name;
    return names;
}

bool target_make(struct target *target, const struct target_options *options,
                 struct base_error *error) {
    if (options->entry && !target_entry_parse(options->entry, &target->entry, error))
        return false;
    target->entry.assumptions = options->assumptions;
    target->entry.assumption_count = options->assumption_count;
    target->entry.form = (enum target_heap_form)options->form;
    target->entry.invariant = options->entry ? options->invariant : NULL;
    bool symbolic = options->kind == INSTRUMENT_SYMBOLIC;
    struct cc_request request = {.paths = options->paths,
                                 .path_count = options->path_count,
                                 .cflags = options->cflags,
                                 .cflag_count = options->cflag_count,
                                 .kind = symbolic ? INSTRUMENT_MEASURE : options->kind,
                                 .watch = options->watch,
                                 .entry = target->entry.function};
    const char **called = list_called(&target->entry, &request.called_count);
    for (size_t i = 0; i < options->path_count; i++)
        base_strings_add(&target->paths, options->paths[i]);
    request.called = called;
    struct base_buffer driver = {0};
    bool good = cc_build_variant(&request, &target->variant, error) &&
                ir_facts_load(target->variant.facts, &target->facts, error) &&
                choose_entry(target, options, error) &&
                (!options->entry || make_driver(target, &request, &driver, error)) &&
                (!symbolic || build_symbolic(target, &request, options->tells_loops, driver.data,
                                             options->watch, error)) &&
                cc_link_variant(&target->variant, symbolic ? NULL : driver.data, &target->linked,
                                &target->executable, error);
    base_buffer_done(&driver);
    free(called);
    return good;
}
