/* SPDX-License-Identifier: Apache-2.0
 *
 * One search from the command line: what run.c prepares, run_result.c tells about.
 */
#ifndef SLOWPATH_CLI_RUN_H
#define SLOWPATH_CLI_RUN_H

#include "cli/cli.h"
#include "search/search.h"
#include "target/entry.h"

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

    uint64_t input_size;
    struct target_fields fields;
    struct ir_type byte_type; /* of the bytes of an input without entry */
    struct cli_ranges ranges;
    struct cli_inputs seed_files;
    struct target_input *seeds;
    struct search_options options;
    char *key; /* what a state belongs to */

    struct search_scale scale;   /* of strategies that learn from small sizes */
    size_t scaled;               /* which size of the entry varies */
    size_t grows[ABI_MAX_SIZES]; /* those that scale.names speaks of, by number */

    struct search *search;
    struct search_statistics statistics;
};

/* run_scale.c: which sizes grow, and how inputs of other sizes look. */
bool cli_scale_prepare(struct cli_run *run, struct base_error *error);
void cli_scale_start(struct cli_run *run); /* once all builds are there: sizes vary from now on */
/* The bytes of a small input; a large one might take as long as a run may. */
uint64_t cli_scale_sample(struct cli_run *run);
json_t *cli_scale_json(const struct search_model *model);
void cli_scale_print(FILE *out, const struct search_model *model, const char *measure);

/* Runs every test again, writes the suite and says what there is. */
bool cli_run_finish(struct cli_run *run, struct base_error *error);

#endif
