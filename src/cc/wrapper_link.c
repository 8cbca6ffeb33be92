/* SPDX-License-Identifier: Apache-2.0
 *
 * How do sources that are compiled and linked in one call get their frames? The driver makes their
 * objects in temporary files and hands them to the linker at once. So slowpath-cc asks the driver
 * which linker it would run, puts itself in that place (--ld-path), embeds into the temporary
 * objects when the driver calls it, and then becomes the real linker. The driver does all the
 * rest by itself: names of dependency files, order of arguments, diagnostics, clean-up.
 *
 * The plan is a file of NUL-terminated strings: the linker, the spooled stdin ("" if none), and
 * the arguments of the call. Its folder serves for temporary files too.
 */
#include "cc/wrapper.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- in the call ---- */

/* The last command that `clang -###` prints is the linker's: ` "/usr/bin/ld" "-z" ...`. */
static char *last_program(const char *text) {
    char *program = NULL;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += strspn(line, "\n");
        if (strncmp(line, " \"", 2) != 0)
            continue;
        struct base_strings words = {0};
        size_t length = strcspn(line, "\n");
        char *copy = base_format("%.*s", (int)length, line);
        cc_split_response(copy, &words);
        free(program);
        program = base_strdup(words.data[0]);
        base_strings_done(&words);
        free(copy);
    }
    return program;
}

/* The linker that the driver would run for this command, or NULL when it would not get there. */
static char *find_linker(const struct base_strings *command) {
    struct base_strings dry = {0};
    base_strings_add(&dry, command->data[0]);
    base_strings_add(&dry, "-###");
    for (size_t i = 1; i < command->count; i++)
        base_strings_add(&dry, command->data[i]);
    char *output = cc_temp_path("commands"), *text, *linker = NULL;
    size_t size;
    struct base_error error;
    if (cc_run(&dry, NULL, output) == 0 && base_read_file(output, &text, &size, &error)) {
        linker = last_program(text);
        free(text);
    }
    base_strings_done(&dry);
    free(output);
    return linker;
}

static bool write_plan(const char *path, const char *linker, const char *spool,
                       const struct cc_call *call) {
    struct base_buffer plan = {0};
    struct base_error error;
    base_buffer_add(&plan, linker, strlen(linker) + 1);
    base_buffer_add(&plan, spool ? spool : "", strlen(spool ? spool : "") + 1);
    for (size_t i = 0; i < call->arguments.count; i++)
        base_buffer_add(&plan, call->arguments.data[i], strlen(call->arguments.data[i]) + 1);
    bool good = base_write_file(path, plan.data, plan.count, &error);
    base_buffer_done(&plan);
    return good;
}

static char *own_path(void) {
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    return length > 0 ? base_format("%.*s", (int)length, path) : NULL;
}

int cc_link_call(const struct cc_call *call, struct base_strings *command, const char *spool) {
    char *linker = find_linker(command), *self = own_path(), *plan = cc_temp_path("plan");
    if (linker && self && write_plan(plan, linker, spool, call)) {
        char *option = base_format("--ld-path=%s", self);
        cc_add_option(command, option);
        setenv(CC_PLAN_VARIABLE, plan, 1);
        free(option);
    }
    int status = cc_run(command, spool, NULL);
    free(linker);
    free(self);
    free(plan);
    return status;
}

/* ---- in the linker's place ---- */

static bool is_given(const struct cc_call *call, const char *path) {
    for (size_t i = 0; i < call->inputs.count; i++)
        if (call->inputs.data[i].kind == CC_INPUT_LINKER &&
            strcmp(call->inputs.data[i].path, path) == 0)
            return true;
    return false;
}

static size_t next_source(const struct cc_call *call, size_t index) {
    while (index < call->inputs.count && call->inputs.data[index].kind == CC_INPUT_LINKER)
        index++;
    return index;
}

/* The temporary objects stand in the order of their sources, among the user's own inputs. */
static void embed_all(const struct cc_call *call, const struct base_strings *arguments,
                      const char *spool) {
    size_t source = next_source(call, 0);
    for (size_t i = 0; i < arguments->count && source < call->inputs.count; i++) {
        const char *object = arguments->data[i];
        const struct cc_input *input = &call->inputs.data[source];
        if (object[0] == '-' || is_given(call, object) || !cc_is_temporary_object(input, object))
            continue;
        bool is_stdin = strcmp(input->path, "-") == 0;
        cc_embed_source(call, input, object, is_stdin ? spool : NULL);
        source = next_source(call, source + 1);
    }
    for (; source < call->inputs.count; source = next_source(call, source + 1))
        if (call->inputs.data[source].kind != CC_INPUT_OTHER)
            cc_say("warning", "no bitcode for %s", call->inputs.data[source].path);
}

static bool read_plan(const char *path, struct base_strings *plan) {
    char *text;
    size_t size;
    struct base_error error;
    if (!base_read_file(path, &text, &size, &error))
        return false;
    for (size_t at = 0; at < size; at += strlen(text + at) + 1)
        base_strings_add(plan, text + at);
    free(text);
    return plan->count >= 2;
}

int cc_link_hook(const char *plan_path, int argc, char **argv) {
    struct base_strings plan = {0}, linker = {0};
    if (!read_plan(plan_path, &plan)) {
        cc_say("error", "cannot read the link plan '%s'", plan_path);
        return 1;
    }
    char *folder = base_format("%.*s", (int)(base_basename(plan_path) - plan_path - 1), plan_path);
    cc_temp_borrow(folder);
    free(folder);
    unsetenv(CC_PLAN_VARIABLE);
    struct cc_call call;
    struct base_strings seen = {0};
    cc_call_init(&call, plan.count - 2, (const char *const *)plan.data + 2);
    cc_expand_arguments((size_t)argc - 1, (const char *const *)argv + 1, &seen);
    embed_all(&call, &seen, *plan.data[1] ? plan.data[1] : NULL);
    base_strings_add(&linker, plan.data[0]);
    for (int i = 1; i < argc; i++)
        base_strings_add(&linker, argv[i]);
    cc_temp_done();
    return cc_become(&linker);
}
