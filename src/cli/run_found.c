/* SPDX-License-Identifier: Apache-2.0
 *
 * What remains of a run that is killed? Its state, from which --resume continues (progress.c), and
 * the laws it has found: one line of JSON each in found.jsonl, written as soon as the law is known.
 *
 * A run that ends normally has all of this in its suite and removes the file, except for lines left
 * by an earlier run.
 */
#include "cli/run.h"

#include <stdlib.h>

static char *print_pattern(const struct search_growth_law *law) {
    struct base_buffer text = {0};
    target_pattern_print(&law->pattern, &text);
    return text.data;
}

static char *print_command(const struct search_growth_law *law) {
    struct base_buffer text = {0};
    target_pattern_shell(&law->pattern, law->repetitions, &text);
    return text.data;
}

static char *print_line(const struct cli_run *run, const struct search_growth_law *law,
                        const char *function) {
    const struct measure_point *last = &law->series.data[law->series.count - 1];
    struct base_buffer class = {0};
    char *recipe = print_pattern(law), *command = print_command(law);
    measure_growth_class(&law->growth, &class);
    json_t *json =
        json_pack("{s:s, s:s, s:s, s:s, s:I, s:f, s:f}", "law", class.data, "function", function,
                  "recipe", recipe, "command", command, "size", (json_int_t)last->size, "cost",
                  last->cost, "seconds", base_seconds() - run->found.began);
    char *line = json ? json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
    json_decref(json);
    free(recipe);
    free(command);
    base_buffer_done(&class);
    return line;
}

static void announce(void *context, const struct search_growth_law *law, const char *function) {
    struct cli_run *run = context;
    struct base_error error;
    char *line = run->found.is_off ? NULL : print_line(run, law, function);
    if (line && !suite_add_found(run->out, line, &error)) {
        base_warn("findings are kept only when the run ends: %s", error.message);
        run->found.is_off = true;
    }
    free(line);
}

void cli_found_begin(struct cli_run *run) {
    run->found.is_older = suite_has_found(run->out);
    run->found.began = base_seconds();
    run->options.announce = announce;
    run->options.announce_context = run;
    if (run->found.is_older)
        base_note("%s/found.jsonl has findings of a run that was killed", run->out);
}

void cli_found_end(struct cli_run *run) {
    if (!run->found.is_older)
        suite_drop_found(run->out);
}
