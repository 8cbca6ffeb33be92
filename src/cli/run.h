/* SPDX-License-Identifier: Apache-2.0
 *
 * One search from the command line: what run.c prepares, run_result.c tells about.
 */
#ifndef SLOWPATH_CLI_RUN_H
#define SLOWPATH_CLI_RUN_H

#include "cli/cli.h"
#include "search/search.h"
#include "target/entry.h"
#include <pthread.h>

struct cli_run {
    const struct cli_values *values;
    struct cli_target description;
    const struct search_strategy *strategy;
    const char *measure_text;
    char *out;
    size_t jobs;
    struct measure_weights weights;
    struct cli_inputs seed_files, dictionary;
    struct target_input *seeds, *words; /* of these files */
    struct cli_template *template;      /* NULL: inputs are bytes */

    struct search_target *target;
    const struct search_subject *subject;
    struct target *measuring; /* a build to ask about the entry */
    const struct measure *measure;
    struct search_options options;
    struct search_trail *trail;  /* of --trace; NULL: none */
    struct search_policy policy; /* as its text says, without measures */
    char *key;                   /* what a state belongs to */

    struct search *search;
    struct search_statistics statistics;
    bool has_short_inputs;  /* the program asked for more than they had */
    double session_seconds; /* of the search, without what was resumed */
    double target_seconds;  /* of the search, in which the targets ran; of all workers */
};

/* run_scale.c: how costs grow with a size. */
json_t *cli_scale_json(const struct search_model *model);
void cli_scale_print(FILE *out, const struct search_model *model, const char *measure);

/* run_growth.c: how costs grow. LAW and GROWTH may be NULL: then there is nothing to say. */
json_t *cli_growth_json(const struct search_growth_law *law, const struct ir_facts *facts);
json_t *cli_growth_summary_json(const struct search_growth *growth);
void cli_growth_print(FILE *out, const struct search_growth_law *law, const struct ir_facts *facts,
                      size_t number);
void cli_growth_print_summary(FILE *out, const struct search_growth *growth, const char *measure);

/* run_findings.c: causes of superlinear cost. */
json_t *cli_findings_json(const struct cli_run *run);
void cli_findings_print(FILE *out, const json_t *findings);

/* run_family.c: costs that the path of a test leaves open. Nothing, if it has none. */
struct suite_test;
void cli_family_tell(const struct cli_run *run, const struct search_description *told,
                     struct suite_test *test);
void cli_family_print(FILE *out, const struct cli_run *run, const struct search_description *told);

/* run_policy.c: --policy and --gate. */
bool cli_policy_read(struct cli_run *run, struct base_error *error);
/* What the costliest test of constant cost costs, if the policy wants the costliest; else NAN. */
double cli_policy_rival(const struct cli_run *run);
void cli_policy_print(FILE *out, const struct cli_run *run, const struct search_description *told,
                      size_t count);
json_t *cli_policy_json(const struct cli_run *run, const struct search_description *told,
                        size_t count); /* NULL: there is none */
bool cli_policy_gate(const struct cli_run *run, struct base_error *error);

/* run_template.c: a text with holes in place of an input. All but the first two need one. */
bool cli_template_read(struct cli_run *run, struct base_error *error);
void cli_template_free(struct cli_run *run);
const struct target_template *cli_template_form(const struct cli_run *run);
bool cli_template_measure(struct cli_run *run, struct base_error *error); /* the baseline */
/* Texts in place of vectors, with what the user is told about them. */
struct suite_fault;
void cli_template_tests(struct cli_run *run, const struct search_test *found,
                        struct suite_test *tests, size_t count);
void cli_template_fault(struct cli_run *run, struct suite_fault *fault);
/* These do nothing without a template. */
const char *cli_template_key(const struct cli_run *run); /* names its text */
json_t *cli_template_json(const struct cli_run *run);
void cli_template_print_baseline(FILE *out, const struct cli_run *run);
void cli_template_print_ratio(FILE *out, const struct cli_run *run, double cost);

/* Runs every test again, writes the suite and says what there is. */
bool cli_run_finish(struct cli_run *run, struct base_error *error);

#endif
