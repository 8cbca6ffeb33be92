/* SPDX-License-Identifier: Apache-2.0
 *
 * A pipeline whose input is a tree of files: how large the tree is, and how to use a test without
 * slowpath. Each test has an archive next to its bytes; layout.sh unpacks one. pipeline.sh, which
 * any pipeline can have, lets the shell run the pipeline on a test.
 */
#include "cli/run.h"
#include "compose/cells.h"
#include "suite/archive.h"

#include <stdlib.h>
#include <string.h>

#define USUAL_BYTES 64 /* default size of each object's content */
#define MOST_BYTES ((double)(1 << 30))
#define ARCHIVE "tests/%04zu.tar"

/* ---- options ---- */

static bool check_input(const struct cli_target *target, const struct cli_values *values,
                        struct base_error *error) {
    const struct target_pipeline *pipeline = &target->pipeline;
    if (values->given[CLI_STDIN] || values->given[CLI_FILE] || pipeline->file)
        return base_fail(error, BASE_USAGE,
                         "with --files the input is a folder: the first program reads nothing "
                         "else");
    for (size_t k = 1; k < pipeline->stages.data[0].words.count; k++)
        if (strstr(pipeline->stages.data[0].words.data[k], "@@"))
            return target_pipeline_blame(
                pipeline, 0, BASE_USAGE,
                "the programs are run in the folder of --files: it is '.', "
                "and not @@",
                error);
    return true;
}

bool cli_pipe_files(struct cli_target *target, const struct cli_values *values,
                    struct base_error *error) {
    struct abi_tree *tree = &target->options.tree;
    double objects, bytes;
    if (!values->given[CLI_FILES])
        return !values->given[CLI_BYTES] ||
               base_fail(error, BASE_USAGE, "--bytes is what the files of --files hold");
    if (!cli_number(values, CLI_FILES, 1, ABI_TREE_MOST, &objects, error) ||
        !check_input(target, values, error))
        return false;
    bytes = objects * USUAL_BYTES;
    if (values->given[CLI_BYTES] && !cli_number(values, CLI_BYTES, 0, MOST_BYTES, &bytes, error))
        return false;
    *tree = (struct abi_tree){.objects = (uint32_t)objects,
                              .slice = (uint32_t)(bytes / objects),
                              .bytes = (uint64_t)bytes};
    target->input_bytes = (int64_t)abi_tree_input(tree);
    return true;
}

/* ---- initial trees ---- */

void cli_pipe_plain_trees(struct cli_run *run) {
    const struct abi_tree *tree = &run->description.options.tree;
    for (unsigned form = 0; form < COMPOSE_PLAIN_TREES; form++) {
        size_t size = (size_t)abi_tree_input(tree);
        struct cli_input input = {.data = base_alloc(size + 1), .size = size};
        compose_plain_tree(tree, form, (uint8_t *)input.data);
        base_push(&run->composed, input);
    }
}

/* ---- additional files of a suite ---- */

static void add_file(struct cli_extras *extras, char *name, struct base_buffer *text,
                     bool is_program) {
    base_push(
        extras,
        ((struct suite_extra){
            .name = name, .data = text->data, .size = text->count, .is_program = is_program}));
}

static void add_archive(struct cli_extras *extras, const struct abi_tree *tree,
                        const struct suite_test *test, size_t number) {
    struct base_buffer archive = {0};
    suite_archive_tree(tree, test->input, test->size, &archive);
    add_file(extras, base_format(ARCHIVE, number), &archive, false);
}

static void add_layout(struct cli_extras *extras) {
    struct base_buffer text = {0};
    base_buffer_print(&text,
                      "#!/bin/sh\n"
                      "# Lays out the files of a test: layout.sh 0001 FOLDER\n"
                      "set -eu\n"
                      "here=$(cd \"$(dirname \"$0\")\" && pwd)\n"
                      "mkdir -p \"$2\"\n"
                      "tar -xp --no-same-owner --delay-directory-restore --warning=no-timestamp "
                      "-f \"$here/tests/$1.tar\" -C \"$2\"\n");
    add_file(extras, base_strdup("layout.sh"), &text, true);
}

/* The original text, with the input's origin replaced. */
static void print_pipeline(const struct target_pipeline *pipeline, struct base_buffer *text) {
    for (const char *at = pipeline->text; *at; at++) {
        size_t place = (size_t)(at - pipeline->text);
        if (pipeline->file && place >= pipeline->file_first && place < pipeline->file_end)
            continue;
        if (strncmp(at, "@@", 2) == 0) {
            base_buffer_print(text, "\"$input\"");
            at++;
        } else
            base_buffer_add(text, at, 1);
    }
    base_buffer_add(text, "", 0);
}

static void add_pipeline(struct cli_extras *extras, const struct target_pipeline *pipeline,
                         bool has_files) {
    struct base_buffer text = {0};
    base_buffer_print(&text, "#!/bin/bash\n"
                             "# Runs the pipeline on a test, with the programs that are installed: "
                             "pipeline.sh [0001]\n"
                             "here=$(cd \"$(dirname \"$0\")\" && pwd)\n"
                             "test=${1:-0001}\n"
                             "input=$here/tests/$test.input\n");
    if (has_files)
        base_buffer_print(&text, "folder=$(mktemp -d) || exit 1\n"
                                 "trap 'rm -rf \"$folder\"' EXIT\n"
                                 "\"$here/layout.sh\" \"$test\" \"$folder\" && cd \"$folder\" || "
                                 "exit 1\n");
    base_buffer_print(&text, "{\n    ");
    print_pipeline(pipeline, &text);
    base_buffer_print(&text, "\n} <%s\n", has_files ? "/dev/null" : "\"$input\"");
    add_file(extras, base_strdup("pipeline.sh"), &text, true);
}

void cli_pipe_extras(const struct cli_result *result, struct cli_extras *extras) {
    const struct cli_run *run = result->run;
    const struct abi_tree *tree = &run->description.options.tree;
    for (size_t i = 0; tree->objects && i < result->count; i++)
        add_archive(extras, tree, &result->tests[i], i + 1);
    if (tree->objects)
        add_layout(extras);
    if (run->values->given[CLI_SHELL_SCRIPT])
        add_pipeline(extras, &run->description.pipeline, tree->objects > 0);
}

void cli_extras_done(struct cli_extras *extras) {
    for (size_t i = 0; i < extras->count; i++) {
        free(extras->data[i].name);
        free(extras->data[i].data);
    }
    base_vector_done(extras);
}
