/* SPDX-License-Identifier: Apache-2.0
 *
 * How is one test made? For each stage after the first, the heaviest path is taken that reads as
 * many bytes as the previous stage writes. A stage that runs once per line takes part once for each
 * line. All conditions are joined, relaxed by either rule, and the pipeline is run on the input
 * that satisfies the rest. A stage that cannot be included (it reads nothing, or its input is
 * unknown) is only run.
 */
#include "compose/composing.h"
#include "compose/unify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LINES 64
#define MOST_STEPS 500 /* of one test that are logged */
#define ALL_RULES 2    /* tests for which all rules are tried */
#define MOST_ALONE 2u  /* tests that may follow once one has joined nothing to the first stage */

/* Prefers paths that no test has used; then the heaviest, or the one with the longest output. */
static bool is_better(const struct compose_path *a, const struct compose_path *b, bool by_output) {
    if (a->is_used != b->is_used)
        return b->is_used;
    return by_output && a->output_bytes != b->output_bytes ? a->output_bytes > b->output_bytes
                                                           : a->weight > b->weight;
}

/* Every second test prefers the longest output: the heaviest path of a filter may let nothing
 * through to later stages. NULL: there is no path. */
static struct compose_path *choose_path(const struct composing *self, size_t stage,
                                        struct compose_summary *summary) {
    bool by_output = self->programs[stage].is_read && self->to_join % 2 == 0;
    struct compose_path *best = NULL;
    for (size_t i = 0; summary && i < summary->paths.count; i++)
        if (!best || is_better(&summary->paths.data[i], best, by_output))
            best = &summary->paths.data[i];
    return best;
}

static bool leave_out(struct composing *self, size_t stage, const char *why) {
    self->reason[stage] = why;
    return false;
}

/* For a stage that uses files: adds the path that it takes with the current tree. */
static bool add_in_place(struct composing *self, struct compose_unity *unity, size_t stage,
                         const uint32_t *bytes, size_t count) {
    struct target_input tree = compose_unity_input(unity);
    struct compose_path path;
    BASE_VECTOR(uint32_t) given = {0};
    uint8_t *own = base_alloc(count + 1);
    compose_unity_values(unity, bytes, count, own);
    for (size_t i = 0; bytes && i < count; i++)
        base_push(&given, bytes[i]);
    for (size_t i = 0; i < tree.size; i++)
        base_push(&given, compose_unity_byte(unity, i));
    struct compose_channel channel = {given.data, given.count};
    bool good = composing_follow(self, stage, &(struct target_input){own, count}, &tree, &path) &&
                compose_unity_add(unity, &self->sites[stage], stage, &path, &channel);
    compose_path_done(&path);
    base_vector_done(&given);
    free(own);
    return good || leave_out(self, stage, "its run could not be followed");
}

/* A summary for the output of the previous stage. What a stage writes about files (where names end,
 * which folder they are in) is fixed by its path, and the heaviest paths of a program that accepts
 * any bytes would contradict that; so these bytes are fixed in the summary. */
static struct compose_summary *find_fitting(struct composing *self, struct compose_unity *unity,
                                            size_t stage, const uint32_t *bytes, size_t count) {
    struct compose_frame frame = {base_alloc(count + 1), base_alloc(count + 1), count};
    for (size_t i = 0; bytes && i < count; i++)
        frame.is_bound[i] = compose_unity_is_constant(unity, bytes[i], &frame.values[i]);
    self->settings.frame = composing_has_tree(self) && bytes ? &frame : NULL;
    struct compose_summary *summary = composing_find_summary(self, stage, count);
    self->settings.frame = NULL;
    free(frame.values);
    free(frame.is_bound);
    return summary;
}

static bool add_instance(struct composing *self, struct compose_unity *unity, size_t stage,
                         const uint32_t *bytes, size_t count) {
    if (!count)
        return leave_out(self, stage,
                         "on no known path does the stage before it write anything for it");
    if (self->files[stage].reads)
        return add_in_place(self, unity, stage, bytes, count);
    struct compose_summary *summary = find_fitting(self, unity, stage, bytes, count);
    struct compose_path *path = choose_path(self, stage, summary);
    struct compose_channel channel = {bytes, count};
    if (!path || !compose_unity_add(unity, &self->sites[stage], stage, path, &channel))
        return leave_out(self, stage, "no path is known for what the stage before it writes");
    path->is_used = true;
    return true;
}

/* Lines whose length has no summary are only run. */
static bool add_lines(struct composing *self, struct compose_unity *unity, size_t stage) {
    const struct target_stage *what = &self->pipeline->stages.data[stage];
    struct compose_lines lines = {0};
    bool good = what->hole && compose_unity_lines(unity, stage, what, MOST_LINES, &lines);
    size_t added = 0;
    for (size_t i = 0; good && i < lines.count; i++)
        added += add_instance(self, unity, stage, lines.bytes.data + lines.starts.data[i],
                              lines.starts.data[i + 1] - lines.starts.data[i]);
    base_vector_done(&lines.bytes);
    base_vector_done(&lines.starts);
    return added;
}

/* The output of a middle stage belongs to its joined path, not to the input from which the first
 * path was made. So finds a new current input that satisfies what has been joined so far. */
static void settle(struct composing *self, struct compose_unity *unity, size_t stage) {
    size_t from = self->pipeline->stages.data[stage].from;
    bool is_needed = self->files[stage].reads || self->pipeline->stages.data[stage].is_per_line;
    if (!is_needed || !from)
        return;
    struct target_input hand = compose_unity_input(unity);
    struct compose_test test = composing_new_test(hand.data, hand.size, NAN);
    struct compose_relaxing relaxing;
    double now = base_seconds(), left = fmax(self->settings.end - now, 0);
    solver_set_deadline(self->solver, now + left / (double)(2 * self->to_join));
    compose_unity_relaxing(unity, self->solver, test.input, test.size, &relaxing);
    relaxing.rule = COMPOSE_UPSTREAM;
    compose_relax(&relaxing);
    compose_relaxing_done(&relaxing);
    compose_unity_take_input(unity, test.input);
    free(test.input);
}

/* Adds the stage to the unified set, if possible. */
static bool add_stage(struct composing *self, struct compose_unity *unity, size_t stage) {
    const struct target_stage *what = &self->pipeline->stages.data[stage];
    if (what->from == TARGET_FIRST)
        return add_instance(self, unity, stage, NULL, self->request->bytes);
    if (!compose_unity_has(unity, what->from))
        return leave_out(self, stage, "what it reads is not known");
    settle(self, unity, stage);
    if (what->is_per_line)
        return add_lines(self, unity, stage);
    const uint32_t *bytes;
    size_t count = compose_unity_output(unity, what->from, &bytes);
    return add_instance(self, unity, stage, bytes, count);
}

static void log_step(struct composing *self, const struct compose_relaxing *relaxing,
                     const struct compose_step *step) {
    const struct compose_conjunct *conjunct = &relaxing->conjuncts[step->conjunct];
    size_t stage = conjunct->path;
    struct base_buffer text = {0};
    expr_print_all(relaxing->pool, &conjunct->condition, 1, NULL, NULL, 200, &text);
    if (!text.count)
        base_buffer_print(&text, "a condition too long to show");
    if (step->is_late)
        composing_note(
            self,
            "  drop from stage %zu (%s): conjunct %u, %s: the input does not meet it, and "
            "there was no time to mend it",
            stage + 1, composing_name(self, stage), conjunct->number + 1, text.data);
    else if (step->kept)
        composing_note(self,
                       "  drop from stage %zu (%s): conjunct %u, %s: no input meets it and the %zu "
                       "that were kept; costs %.6g",
                       stage + 1, composing_name(self, stage), conjunct->number + 1, text.data,
                       step->kept, conjunct->loss);
    else if (conjunct->is_value && step->core)
        composing_note(self,
                       "  drop from stage %zu (%s): conjunct %u, %s: one of %zu in a core, a value "
                       "and no decision",
                       stage + 1, composing_name(self, stage), conjunct->number + 1, text.data,
                       step->core);
    else if (step->core)
        composing_note(
            self,
            "  drop from stage %zu (%s): conjunct %u, %s: one of %zu in a core, costs %.6g; weight "
            "%.1f%% -> %.1f%%",
            stage + 1, composing_name(self, stage), conjunct->number + 1, text.data, step->core,
            conjunct->loss, step->before, step->behind);
    else
        composing_note(self,
                       "  drop from stage %zu (%s): conjunct %u: no input of the pipeline meets it",
                       stage + 1, composing_name(self, stage), conjunct->number + 1);
    base_buffer_done(&text);
}

static bool solve_unity(struct composing *self, struct compose_unity *unity, enum compose_rule rule,
                        struct compose_test *test, struct base_error *error) {
    struct solver *solver = self->solver;
    struct compose_relaxing relaxing;
    double now = base_seconds(), left = fmax(self->settings.end - now, 0);
    solver_set_deadline(solver, now + left / (double)self->to_join);
    compose_unity_relaxing(unity, solver, test->input, test->size, &relaxing);
    relaxing.rule = rule;
    bool good = compose_relax(&relaxing);
    test->aim = compose_unity_weight(unity);
    test->conjuncts = relaxing.count;
    test->dropped = relaxing.steps.count;
    for (size_t i = 0; i < relaxing.steps.count && i < MOST_STEPS; i++)
        log_step(self, &relaxing, &relaxing.steps.data[i]);
    if (relaxing.steps.count > MOST_STEPS)
        composing_note(self, "  ... and %zu more", relaxing.steps.count - MOST_STEPS);
    if (!good)
        composing_note(self, "  the solver's time was up");
    compose_relaxing_done(&relaxing);
    return composing_measure(self, test->input, test->size, &test->cost, error);
}

/* A rule that never won for the first tests is not tried for the others. */
static bool is_tried(const struct composing *self, int rule) {
    return self->outcome->tests.count < ALL_RULES || self->wins[rule];
}

/* Solves with either rule; the costlier result is kept. */
static bool solve_both(struct composing *self, struct compose_unity *unity,
                       struct compose_test *test, struct base_error *error) {
    static const char *const names[] = {
        [COMPOSE_BALANCED] = "from the lightest stage", [COMPOSE_UPSTREAM] = "from the last stage"};
    struct compose_test best = composing_new_test(test->input, test->size, NAN);
    bool good = true;
    int winner = COMPOSE_BALANCED;
    for (int rule = COMPOSE_BALANCED; good && rule < COMPOSE_RULES; rule++) {
        if (!is_tried(self, rule))
            continue;
        struct compose_test next = composing_new_test(test->input, test->size, NAN);
        good = solve_unity(self, unity, (enum compose_rule)rule, &next, error);
        composing_note(self, "  %s: %zu of %zu conjuncts dropped; the pipeline costs %.15g",
                       names[next.conjuncts > COMPOSE_MANY ? COMPOSE_UPSTREAM : rule], next.dropped,
                       next.conjuncts, next.cost);
        bool is_better = good && (isnan(best.cost) || next.cost > best.cost);
        free(is_better ? best.input : next.input);
        winner = is_better ? rule : winner;
        best = is_better ? next : best;
        if (!next.dropped || next.conjuncts > COMPOSE_MANY)
            break; /* the other rule would drop none either, or the same */
    }
    self->wins[winner]++;
    free(test->input);
    *test = best;
    return good;
}

bool composing_join(struct composing *self, struct compose_path *first, struct base_error *error) {
    struct compose_unity *unity = compose_unity_new(self->pipeline->stages.count);
    struct compose_channel channel = {NULL, self->request->bytes};
    struct compose_test test = composing_new_test(first->input, self->request->bytes, NAN);
    bool good = true;
    first->is_used = true;
    self->at_hand = first;
    if (compose_unity_add(unity, &self->sites[0], 0, first, &channel)) {
        size_t joined = 1;
        for (size_t i = 1; i < self->pipeline->stages.count; i++) {
            bool is_added = add_stage(self, unity, i);
            self->is_joined[i] |= is_added;
            joined += is_added;
        }
        composing_note(self, "test %zu: %zu of %zu stages joined, %.15g by their summaries",
                       self->outcome->tests.count + 1, joined, self->pipeline->stages.count,
                       compose_unity_weight(unity));
        if (joined == 1 && self->pipeline->stages.count > 1 && self->to_join > MOST_ALONE)
            self->to_join = MOST_ALONE;
        memcpy(test.input, compose_unity_input(unity).data, test.size);
        good = solve_both(self, unity, &test, error);
    }
    if (good && !isnan(test.cost))
        base_push(&self->outcome->tests, test);
    else
        free(test.input);
    compose_unity_free(unity);
    return good;
}
