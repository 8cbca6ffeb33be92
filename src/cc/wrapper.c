/* SPDX-License-Identifier: Apache-2.0
 *
 * slowpath-cc: a C compiler that leaves bitcode in the objects it makes. Every call runs clang
 * with the arguments as they came; what differs is what happens around it. Calls that make no
 * object, or only link, become clang at once. `-c` embeds into the objects afterwards; compile and
 * link in one call embeds between the two (wrapper_link.c).
 */
#include "cc/wrapper.h"
#include "cc/cc.h"

#include <stdlib.h>
#include <string.h>

static bool makes_frames(const struct cc_call *call) {
    for (size_t i = 0; i < call->inputs.count; i++)
        if (call->inputs.data[i].kind == CC_INPUT_C ||
            call->inputs.data[i].kind == CC_INPUT_ASSEMBLER)
            return true;
    return false;
}

/* The user's command with clang in front, our headers behind all others, and without link-time
 * optimisation, whose objects are bitcode of another kind and have no room for a section. */
static void make_command(const struct cc_call *call, int argc, char **argv,
                         struct base_strings *command) {
    base_strings_add(command, cc_clang());
    if (call->searches_headers && cc_include_flag())
        base_strings_add(command, cc_include_flag());
    for (int i = 1; i < argc; i++)
        base_strings_add(command, argv[i]);
    if (call->link_time)
        cc_add_option(command, "-fno-lto");
}

/* What stdin says, in a file, so that it can be compiled twice; NULL when no input is stdin. */
static char *spool_stdin(const struct cc_call *call) {
    bool reads = false;
    for (size_t i = 0; i < call->inputs.count; i++)
        reads |= strcmp(call->inputs.data[i].path, "-") == 0;
    if (!reads)
        return NULL;
    char *text, *path = cc_temp_path("stdin");
    size_t size;
    struct base_error error;
    if (!base_read_file("-", &text, &size, &error) || !base_write_file(path, text, size, &error)) {
        cc_say("error", "%s", error.message);
        cc_temp_done();
        exit(1);
    }
    free(text);
    return path;
}

static int compile_call(const struct cc_call *call, const struct base_strings *command,
                        const char *spool) {
    int status = cc_run(command, spool, NULL);
    for (size_t i = 0; status == 0 && i < call->inputs.count; i++) {
        const struct cc_input *input = &call->inputs.data[i];
        if (input->kind == CC_INPUT_LINKER)
            continue;
        char *object = cc_object_name(call, input);
        cc_embed_source(call, input, object, strcmp(input->path, "-") == 0 ? spool : NULL);
        free(object);
    }
    return status;
}

int cc_wrapper_main(int argc, char **argv) {
    const char *plan = getenv(CC_PLAN_VARIABLE);
    if (plan)
        return cc_link_hook(plan, argc, argv);
    struct cc_call call;
    struct base_strings command = {0};
    cc_call_init(&call, argc > 0 ? (size_t)argc - 1 : 0, (const char *const *)argv + 1);
    make_command(&call, argc, argv, &command);
    if (call.link_time && !call.pass_through)
        cc_say("note", "-flto is undone: objects with bitcode for slowpath are ordinary objects");
    int status;
    if (call.pass_through || !makes_frames(&call)) {
        status = cc_become(&command);
    } else {
        char *spool = spool_stdin(&call);
        status = call.compile_only ? compile_call(&call, &command, spool)
                                   : cc_link_call(&call, &command, spool);
        free(spool);
        cc_temp_done();
    }
    base_strings_done(&command);
    cc_call_done(&call);
    return status;
}
