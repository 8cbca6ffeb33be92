/* SPDX-License-Identifier: Apache-2.0
 *
 * Costs by call stack, for speedscope: each stack with a cost of its own is a sample with that
 * weight.
 */
#include "report/report.h"

#include "measure/tree.h"

#include "ir/facts.h"

#include <stdlib.h>

static json_t *frames_json(const struct measure_tree *tree) {
    json_t *frames = json_array();
    for (size_t i = 0; i < tree->nodes.count; i++)
        json_array_append_new(frames, json_pack("{s:s}", "name", tree->nodes.data[i].name));
    return frames;
}

/* Outermost first, without the root. */
static json_t *stack_json(const struct measure_tree *tree, uint32_t node) {
    json_t *stack = json_array();
    for (; tree->nodes.data[node].parent != IR_NONE; node = tree->nodes.data[node].parent)
        json_array_insert_new(stack, 0, json_integer(node));
    return stack;
}

void report_speedscope(const struct measure_tree *tree, const char *name, struct base_buffer *out) {
    json_t *samples = json_array(), *weights = json_array();
    double sum = 0;
    for (uint32_t i = 1; i < tree->nodes.count; i++) {
        double own = tree->nodes.data[i].own;
        if (own < 0.5)
            continue;
        json_array_append_new(samples, stack_json(tree, i));
        json_array_append_new(weights, json_real(own));
        sum += own;
    }
    json_t *root =
        json_pack("{s:s, s:s, s:s, s:i, s:{s:o}, s:[{s:s, s:s, s:s, s:i, s:f, s:o, s:o}]}",
                  "$schema", "https://www.speedscope.app/file-format-schema.json", "name", name,
                  "exporter", "slowpath " SLOWPATH_VERSION, "activeProfileIndex", 0, "shared",
                  "frames", frames_json(tree), "profiles", "type", "sampled", "name", name, "unit",
                  "none", "startValue", 0, "endValue", sum, "samples", samples, "weights", weights);
    char *text = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
    base_buffer_print(out, "%s\n", text ? text : "{}");
    free(text);
    json_decref(root);
}
