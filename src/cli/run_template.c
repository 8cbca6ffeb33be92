/* SPDX-License-Identifier: Apache-2.0
 *
 * slowpath run --template: a search over fillings of a text. The search finds vectors of choices;
 * the user gets texts, each with its choices by name and its cost relative to the baseline, which
 * is the template's default filling.
 */
#include "cli/run.h"
#include "measure/json.h"
#include "suite/suite.h"
#include "target/template.h"

#include <stdlib.h>
#include <string.h>

#define LOOKAHEAD 5u /* for beam: a filling has tens of decisions, not thousands */

struct cli_template {
    const char *path;
    struct target_template form;
    char hash[33];            /* of its text */
    struct base_buffer text;  /* of the baseline */
    struct abi_result result; /* of the baseline */
    double cost;
    struct base_arena texts; /* of the tests */
};

/* ---- options ---- */

static bool check_options(const struct cli_run *run, struct base_error *error) {
    const struct cli_values *values = run->values;
    const char *prospect = values->given[CLI_PROSPECT];
    const char *name = run->strategy ? run->strategy->name : "";
    if (values->given[CLI_SEEDS] || values->ranges.count)
        return base_fail(error, BASE_USAGE,
                         "--template tells which inputs there are: leave out --seeds and --range");
    if (run->description.input_bytes >= 0)
        return base_fail(error, BASE_USAGE,
                         "--template tells how large the input is: leave out the bytes");
    if (run->strategy && run->strategy->is_scaled)
        return base_fail(error, BASE_USAGE,
                         "--template has one size only: --strategy %s has nothing to learn from",
                         name);
    if (prospect && strcmp(prospect, "whole") != 0)
        return base_fail(error, BASE_USAGE,
                         "--template: a filling can only be weighed as a whole, not '%s'",
                         prospect);
    return true;
}

bool cli_template_read(struct cli_run *run, struct base_error *error) {
    const char *path = run->values->given[CLI_TEMPLATE];
    char *text = NULL;
    size_t size;
    if (!path)
        return true;
    struct cli_template *self = run->template = base_alloc(sizeof *self);
    self->path = path;
    bool good = check_options(run, error) && base_read_file(path, &text, &size, error) &&
                target_template_parse(path, text, size, &self->form, error);
    if (good) {
        struct base_hash hash;
        base_hash_init(&hash);
        base_hash_add(&hash, text, size);
        base_hash_done(&hash, self->hash);
    }
    free(text);
    if (!run->values->given[CLI_LOOKAHEAD])
        run->options.beam.lookahead = LOOKAHEAD;
    return good;
}

const char *cli_template_key(const struct cli_run *run) {
    return run->template ? run->template->hash : "";
}

const struct target_template *cli_template_form(const struct cli_run *run) {
    return run->template ? &run->template->form : NULL;
}

/* The first initial input is the default filling. */
bool cli_template_measure(struct cli_run *run, struct base_error *error) {
    struct cli_template *self = run->template;
    const struct search_program *program = &run->subject->programs[0];
    base_buffer_add(&self->text, "", 0);
    target_template_render(&self->form, run->subject->starts[0].data, &self->text);
    if (!program->measure(program->self, run->subject->starts, 1, &self->result, &self->cost,
                          error))
        return false;
    if (self->result.status != ABI_STATUS_OK)
        base_warn("the template's default filling does not end well (%s): there is no baseline",
                  measure_status_name(self->result.status));
    return true;
}

/* ---- results ---- */

static bool has_baseline(const struct cli_template *self) {
    return self->result.status == ABI_STATUS_OK && self->cost > 0;
}

static json_t *choices_json(const struct cli_template *self, const uint8_t *vector) {
    json_t *choices = json_object();
    for (uint32_t i = 0; i < self->form.holes.count; i++) {
        struct base_buffer value = {0};
        base_buffer_add(&value, "", 0);
        target_template_render_hole(&self->form, i, vector, &value);
        json_t *text = json_stringn(value.data, value.count);
        json_object_set_new(choices, self->form.holes.data[i].name,
                            text ? text : json_null()); /* null for bytes that are not UTF-8 */
        base_buffer_done(&value);
    }
    return choices;
}

static struct target_input render(struct cli_template *self, const uint8_t *vector) {
    struct base_buffer text = {0};
    target_template_render(&self->form, vector, &text);
    char *copy = base_arena_alloc(&self->texts, text.count + 1);
    if (text.count)
        memcpy(copy, text.data, text.count);
    struct target_input input = {copy, text.count};
    base_buffer_done(&text);
    return input;
}

void cli_template_test(struct cli_run *run, const struct search_test *found,
                       struct suite_test *test) {
    struct cli_template *self = run->template;
    struct target_input text = render(self, found->input);
    test->input = text.data;
    test->size = text.size;
    test->more = json_pack("{s:o}", "choices", choices_json(self, found->input));
    if (has_baseline(self))
        json_object_set_new(test->more, "ratio", json_real(found->cost / self->cost));
}

void cli_template_fault(struct cli_run *run, struct suite_fault *fault) {
    struct target_input text = render(run->template, fault->input);
    fault->input = text.data;
    fault->size = text.size;
}

json_t *cli_template_json(const struct cli_run *run) {
    const struct cli_template *self = run->template;
    if (!self)
        return NULL;
    json_t *text = json_stringn(self->text.data, self->text.count);
    json_t *cost = has_baseline(self)
                       ? measure_cost_json(run->measure, run->measuring, &self->result)
                       : json_null();
    if (json_is_object(cost)) { /* as in the tests: no times among counts */
        json_object_del(cost, "time");
        json_object_del(cost, "cpu");
    }
    return json_pack("{s:s, s:f, s:o, s:o, s:o}", "template", self->path, "fillings",
                     target_template_fillings(&self->form), "text", text ? text : json_null(),
                     "choices", choices_json(self, run->subject->starts[0].data), "cost", cost);
}

void cli_template_print_baseline(FILE *out, const struct cli_run *run) {
    if (run->template && has_baseline(run->template))
        fprintf(out, "%-16s   %15.15g\n", "baseline", run->template->cost);
}

void cli_template_print_ratio(FILE *out, const struct cli_run *run, double cost) {
    if (run->template && has_baseline(run->template))
        fprintf(out, "  %.2fx the baseline", cost / run->template->cost);
}

void cli_template_free(struct cli_run *run) {
    struct cli_template *self = run->template;
    if (!self)
        return;
    base_buffer_done(&self->text);
    base_arena_done(&self->texts);
    target_template_done(&self->form);
    free(self);
}
