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

    struct search_builds *builds; /* one for each worker */
    struct search_programs *programs;
    struct measure measure;
    struct measure_weights weights;
    double build_seconds;
    pthread_mutex_t opening; /* builds that are made while workers run */

    uint64_t input_size; /* or the largest, of strategies that vary it */
    uint64_t max_size;   /* of inputs whose size nobody gave */
    struct target_fields fields;
    struct ir_type byte_type; /* of the bytes of an input without entry */
    struct cli_ranges ranges;
    struct cli_inputs seed_files;
    struct target_input *seeds;
    struct cli_inputs dictionary;
    struct target_input *words; /* of the dictionary */
    struct search_options options;
    char *key; /* what a state belongs to */

    struct search_scale scale;   /* of strategies that learn from small sizes */
    size_t scaled;               /* which size of the entry varies */
    size_t grows[ABI_MAX_SIZES]; /* those that scale.names speaks of, by number */

    struct cli_template *template; /* NULL: inputs are bytes */

    struct search *search;
    struct search_statistics statistics;
    double session_seconds; /* of the search, without earlier sessions */
    double target_seconds;  /* of the search, in which the targets ran; of all workers */
};

/* run_scale.c: which sizes grow, and how inputs of other sizes look. */
bool cli_scale_prepare(struct cli_run *run, struct base_error *error);
void cli_scale_start(struct cli_run *run); /* once all builds are there: sizes vary from now on */
/* The bytes of a small input; a large one might take as long as a run may. */
uint64_t cli_scale_sample(struct cli_run *run);
json_t *cli_scale_json(const struct search_model *model);
void cli_scale_print(FILE *out, const struct search_model *model, const char *measure);

/* run_growth.c: how costs grow. RECIPE and GROWTH may be NULL: then there is nothing to say. */
json_t *cli_growth_json(const struct search_recipe *recipe, const struct ir_facts *facts);
json_t *cli_growth_summary_json(const struct search_growth *growth);
void cli_growth_print(FILE *out, const struct search_recipe *recipe, const struct ir_facts *facts,
                      size_t number);
void cli_growth_print_summary(FILE *out, const struct search_growth *growth, const char *measure);

/* run_template.c: a text with holes in place of an input. All but the first two need one. */
bool cli_template_read(struct cli_run *run, struct base_error *error);
void cli_template_free(struct cli_run *run);
/* Size and bounds of the vectors of choices, and those to start from. */
void cli_template_prepare(struct cli_run *run);
struct target_input cli_template_baseline(const struct cli_run *run);
void cli_template_choose(struct cli_run *run); /* the strategy */
/* The worker's programs take vectors from now on. */
void cli_template_enter(struct cli_run *run, size_t worker);
bool cli_template_measure(struct cli_run *run, struct base_error *error);
/* Texts in place of vectors, with what the user is told about them. */
struct suite_test;
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
