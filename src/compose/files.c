/* SPDX-License-Identifier: Apache-2.0
 *
 * Stages that use files besides their input: which ones are they, and how do they take part? Every
 * stage of a pipeline with --files runs in the folder of the tree, but few of them use it. A stage
 * that behaves the same with and without the files is summarised like any other. Summaries of the
 * others would say little, as their input has to name files that the tree must contain. They are
 * traced in place: on the output of the previous stages for the current tree, and with that tree.
 * Bytes of the tree stay symbolic on that path, so the contents of files are channelled to later
 * stages.
 */
#include "compose/composing.h"

#include <stdlib.h>
#include <string.h>

#define MOST_TRACE ((size_t)64 << 20)

/* ---- does it use files? ---- */

/* Lists the names in the outermost folder, one per line: most programs that use files get their
 * names from the previous stage. */
static void list_names(const struct abi_tree *tree, const struct target_input *input,
                       struct base_buffer *out) {
    struct abi_tree_object *objects = base_alloc((tree->objects + 1) * sizeof *objects);
    uint32_t count = abi_tree_read(tree, input->data, input->size, objects);
    for (uint32_t i = 0; i < count; i++)
        if (!objects[i].folder)
            base_buffer_print(out, "%s\n", objects[i].name);
    free(objects);
}

/* The first line, as an argument made by xargs. */
static void make_argument(const struct target_stage *stage, struct base_buffer *text) {
    struct base_buffer line = {0};
    size_t at = 0;
    bool is_there = target_next_line(text->data, text->count, &at, &line);
    text->count = 0;
    if (is_there && stage->hole)
        base_buffer_print(text, "%s%s%s", stage->before, line.data, stage->behind);
    base_buffer_done(&line);
}

static bool run_alone(struct composing *self, size_t stage, const struct target_input *own,
                      const struct target_input *tree, struct abi_result *result) {
    struct base_buffer given = {0};
    struct base_error error;
    target_add_tree(own, tree, &given);
    struct target_input input = {given.data, given.count};
    bool good = target_run(target_stage(self->target, stage), &input, 1, result, &error);
    base_buffer_done(&given);
    return good;
}

static bool differs(struct composing *self, size_t stage, const struct base_buffer *text,
                    const struct target_input *tree) {
    struct abi_result with, without;
    struct target_input own = {text->count ? text->data : "", text->count}, none = {"", 0};
    return run_alone(self, stage, &own, tree, &with) &&
           run_alone(self, stage, &own, &none, &without) &&
           (with.counts_hash != without.counts_hash || with.output_bytes != without.output_bytes ||
            with.status != without.status);
}

static bool looks_at(struct composing *self, size_t stage, const struct target_input *tree) {
    const struct target_stage *what = &self->pipeline->stages.data[stage];
    struct base_buffer seen = {0}, names = {0};
    struct abi_result by_stage[TARGET_MOST_STAGES];
    struct base_error error;
    if (target_run_stages(self->target, tree, by_stage, &error)) {
        struct target_input read = target_stage_input(self->target, tree, stage);
        base_buffer_add(&seen, read.data, read.size);
    }
    list_names(&self->request->target.tree, tree, &names);
    if (what->is_per_line) {
        make_argument(what, &seen);
        make_argument(what, &names);
    }
    bool does = differs(self, stage, &seen, tree) || differs(self, stage, &names, tree);
    base_buffer_done(&seen);
    base_buffer_done(&names);
    return does;
}

bool composing_reads_files(struct composing *self, size_t stage) {
    struct composing_files *files = &self->files[stage];
    bool is_known = files->is_known || !composing_has_tree(self);
    for (size_t i = 0; !is_known && i < self->known.count && !files->reads; i++) {
        struct target_input tree = {self->known.data[i].input, self->known.data[i].size};
        files->reads = looks_at(self, stage, &tree);
    }
    files->is_known = true;
    if (!is_known && files->reads)
        composing_note(self, "stage %zu (%s) looks at files: it is followed in place", stage + 1,
                       composing_name(self, stage));
    return files->reads;
}

/* ---- tracing it ---- */

static bool open_symbolic(struct composing *self, size_t stage) {
    struct composing_files *files = &self->files[stage];
    struct target_options options = self->programs[stage].target;
    struct base_error error;
    options.tree = self->request->target.tree;
    options.kind = INSTRUMENT_SYMBOLIC;
    options.keep_output = true;
    if (!files->symbolic && (files->symbolic = target_open(&options, &error)))
        target_set_output(files->symbolic, true);
    return files->symbolic != NULL;
}

static void take_trace(size_t index, const struct abi_result *result, const void *trace,
                       size_t size, void *context) {
    struct compose_path *path = context;
    (void)index;
    if (result->status != ABI_STATUS_OK || !trace || size > MOST_TRACE)
        return;
    path->trace = base_alloc(size + 1);
    memcpy(path->trace, trace, size);
    path->trace_size = size;
}

/* Conjuncts were not weighed individually: all get the same share. */
static void share_weight(struct composing *self, size_t stage, struct compose_path *path) {
    struct compose_reading reading;
    compose_reading_init(&reading, &self->sites[stage]);
    if (compose_read(&reading, path->trace, path->trace_size))
        path->conjunct_count = (uint32_t)reading.conditions.count;
    compose_reading_done(&reading);
    path->losses = base_alloc((path->conjunct_count + 1) * sizeof *path->losses);
    for (uint32_t i = 0; i < path->conjunct_count; i++)
        path->losses[i] = path->weight / path->conjunct_count;
}

bool composing_follow(struct composing *self, size_t stage, const struct target_input *own,
                      const struct target_input *tree, struct compose_path *path) {
    struct base_buffer given = {0};
    struct base_error error;
    struct abi_result result;
    *path = (struct compose_path){0};
    if (!open_symbolic(self, stage) || !run_alone(self, stage, own, tree, &result) ||
        result.status != ABI_STATUS_OK)
        return false;
    target_add_tree(own, tree, &given);
    struct target_input input = {given.data, given.count};
    bool good =
        target_run_traced(self->files[stage].symbolic, &input, 1, take_trace, path, &error) &&
        path->trace;
    path->weight = measure_value(&self->measure, target_stage(self->target, stage), &result);
    path->output_bytes = result.output_bytes;
    path->input = (uint8_t *)given.data;
    if (good)
        share_weight(self, stage, path);
    if (good && path->weight > self->files[stage].heaviest)
        self->files[stage].heaviest = path->weight;
    return good;
}

void composing_files_done(struct composing *self) {
    for (size_t i = 0; i < TARGET_MOST_STAGES; i++)
        if (self->files[i].symbolic)
            target_close(self->files[i].symbolic);
}
