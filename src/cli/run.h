/* SPDX-License-Identifier: Apache-2.0
 *
 * One search from the command line: run.c prepares it, run_result.c reports the results.
 */
#ifndef SLOWPATH_CLI_RUN_H
#define SLOWPATH_CLI_RUN_H

#include "cli/cli.h"
#include "cli/ranks.h"
#include "fleet/fleet.h"
#include "search/search.h"
#include "suite/suite.h"
#include "target/entry.h"
#include <pthread.h>

struct cli_fleet { /* for --fleet */
    char name[FLEET_NAME_BYTES];
    struct fleet *joined; /* NULL: none, or the search is over */
    struct search_exchange exchange;
    _Atomic uint64_t noted[SEARCH_MESSAGE_KINDS];   /* messages taken and used ... */
    _Atomic uint64_t records[SEARCH_MESSAGE_KINDS]; /* ... that were better than ours */
    struct fleet_statistics statistics;             /* valid after leaving */
    bool has_left;
};

struct cli_run {
    const struct cli_values *values;
    struct cli_target description;
    const struct search_strategy *strategy;
    const char *measure_text;
    char *out;
    size_t jobs;
    struct cli_ranks_exchange *ranks_exchange; /* or NULL */
    struct cli_ranks *ranks;                   /* ... and its ranks; NULL: a single process */
    struct measure_weights weights;
    struct cli_inputs seed_files, dictionary;
    struct cli_inputs composed;          /* initial trees made for a pipeline */
    struct compose_outcome *composition; /* or NULL */
    struct compose_request *compose_request;
    struct composing *composing;        /* fills it, until the search is over */
    struct search_guest guest;          /* the strategy for that */
    struct target_input *seeds, *words; /* from these files */
    struct cli_template *template;      /* NULL: inputs are bytes */

    struct search_target *target;
    const struct search_subject *subject;
    struct target *measuring; /* a build that answers questions about the entry */
    const struct measure *measure;
    struct search_options options;
    struct search_trail *trail;  /* for --trace; or NULL */
    struct search_policy policy; /* from its text, without measures */
    char *key;                   /* key of the state */

    struct suite earlier;         /* a compatible suite in OUT; or empty */
    bool earlier_is_same_program; /* made with the present version of the target */

    struct search *search;
    struct cli_fleet fleet;
    struct search_statistics statistics;
    struct {
        bool is_off;   /* cannot be written */
        bool is_older; /* contains findings of a killed run */
        double began;
    } found;
    bool has_short_inputs;  /* the program requested more bytes than inputs have */
    double session_seconds; /* of this search, without resumed time */
    double target_seconds;  /* time that the targets ran in this search, over all workers */
};

/* run_scale.c: cost as a function of size. */
json_t *cli_scale_json(const struct search_model *model);
void cli_scale_print(FILE *out, const struct search_model *model, const char *measure);

/* run_growth.c: growth laws. LAW and GROWTH may be NULL: nothing to report. */
json_t *cli_growth_json(const struct search_growth_law *law, const struct ir_facts *facts);
json_t *cli_growth_summary_json(const struct search_growth *growth);
void cli_growth_print(FILE *out, const struct search_growth_law *law, const struct ir_facts *facts,
                      size_t number);
void cli_growth_print_summary(FILE *out, const struct search_growth *growth, const char *measure);

/* run_findings.c: causes of superlinear cost. */
struct cli_result;
json_t *cli_findings_json(const struct cli_result *result);
void cli_findings_print(FILE *out, const json_t *findings);

/* run_fleet.c: --fleet. Without it, all but the first do nothing. */
bool cli_fleet_read(struct cli_run *run, struct base_error *error);
char *cli_fleet_out(const struct cli_run *run); /* the suite's default folder */
bool cli_fleet_begin(struct cli_run *run, struct base_error *error);
void cli_fleet_end(struct cli_run *run);
json_t *cli_fleet_json(const struct cli_run *run); /* or NULL */
void cli_fleet_print(FILE *out, const struct cli_run *run);

/* run_found.c: a file with the results so far that survives a kill. */
void cli_found_begin(struct cli_run *run);
void cli_found_end(struct cli_run *run); /* the suite is stored and contains everything */

/* run_family.c: costs that a test's path leaves open, if any. */
void cli_family_tell(const struct cli_run *run, const struct search_description *told,
                     struct suite_test *test);
void cli_family_print(FILE *out, const struct cli_run *run, const struct search_description *told);

/* run_policy.c: --policy and --gate. */
bool cli_policy_read(struct cli_run *run, struct base_error *error);
/* The cost of the costliest test of constant cost if the policy wants the costliest, else NAN. */
double cli_policy_rival(const struct cli_run *run);
void cli_policy_print(FILE *out, const struct cli_result *result);
json_t *cli_policy_json(const struct cli_result *result); /* or NULL */
bool cli_policy_gate(const struct cli_run *run, struct base_error *error);

/* run_template.c: a text with holes instead of an input. All but the first two need one. */
bool cli_template_read(struct cli_run *run, struct base_error *error);
void cli_template_free(struct cli_run *run);
const struct target_template *cli_template_form(const struct cli_run *run);
bool cli_template_measure(struct cli_run *run, struct base_error *error); /* the baseline */
/* A text for a vector, with the details for the user. */
void cli_template_test(struct cli_run *run, const struct search_test *found,
                       struct suite_test *test);
void cli_template_fault(struct cli_run *run, struct suite_fault *fault);
/* These do nothing without a template. */
const char *cli_template_key(const struct cli_run *run); /* identifies its text */
json_t *cli_template_json(const struct cli_run *run);
void cli_template_print_baseline(FILE *out, const struct cli_run *run);
void cli_template_print_ratio(FILE *out, const struct cli_run *run, double cost);

/* The results. */
struct cli_row { /* of a test */
    struct search_test found;
    struct search_description described;
    struct base_buffer program;
    json_t *stages;  /* of a pipeline: costs by stage; NULL: unknown */
    bool is_skipped; /* no time was left to run the test again */
    bool is_kept;    /* from an earlier suite */
    /* Its file in that suite, or the file of a test with the same path; or NULL. */
    const char *earlier;
};
struct cli_result {
    struct cli_run *run;
    struct cli_row *rows;
    struct suite_test *tests;
    size_t count;
    struct suite_fault *faults; /* inputs that crashed or were stopped */
    size_t fault_count;
    json_t *findings;
    json_t *stage_growth; /* of a pipeline: growth of its stages; or NULL */
};

/* run_tell.c: output of a search. */
json_t *cli_stats_json(const struct cli_result *result);
void cli_print_result(FILE *out, const struct cli_result *result);

/* run_faults.c: inputs that crashed or were stopped. */
void cli_faults_explain(struct cli_result *result);
/* For a test that leaves an object. */
void cli_faults_note_outside(struct cli_result *result, size_t index);
void cli_faults_print(FILE *out, const struct cli_result *result, bool slow);

/* run_keep.c: the existing suite. Call the first when all options are known. */
bool cli_keep_begin(struct cli_run *run, struct base_error *error);
/* Adds better tests to RESULT, which has room for them. */
bool cli_keep_tests(struct cli_result *result, struct base_error *error);
void cli_keep_findings(struct cli_result *result); /* then: findings whose tests still exist */
json_t *cli_options_json(const struct cli_run *run);
json_t *cli_sizes_json(const struct cli_run *run);

/* pipe_compose.c: composed inputs of a pipeline, and their output. */
bool cli_pipe_compose(struct cli_run *run, struct base_error *error); /* before the search */
void cli_pipe_composed(struct cli_run *run);                          /* after it */
json_t *cli_pipe_json(const struct cli_run *run);                     /* or NULL */
void cli_pipe_print_composition(FILE *out, const struct cli_run *run);
void cli_pipe_done(struct cli_run *run);

/* pipe_files.c: additional files of the suite: archives of trees, scripts. */
struct cli_extras {
    struct suite_extra *data;
    size_t count, capacity;
};
void cli_pipe_plain_trees(struct cli_run *run); /* additional initial inputs */
void cli_pipe_extras(const struct cli_result *result, struct cli_extras *extras);
void cli_extras_done(struct cli_extras *extras);

/* pipe_growth.c: growth of the stages' costs; NULL: unknown. */
json_t *cli_pipe_growth(const struct cli_result *result);
void cli_pipe_print_growth(FILE *out, const json_t *growth);

/* pipe_stages.c: output about a pipeline's stages. Without a pipeline these do nothing. */
char *
cli_pipe_folder(const struct cli_target *target); /* the suite's folder, unless one is given */
/* Call after a test was run again, alone. */
void cli_pipe_note(struct cli_result *result, size_t index, const struct target_input *input);
void cli_pipe_tell(struct cli_result *result); /* adds the recorded stages to the tests */
void cli_pipe_print(FILE *out, const struct cli_result *result);

/* run_result.c */
json_t *cli_words_json(const struct base_strings *words);
json_t *cli_cost_json(const struct cli_run *run, const struct abi_result *result);
bool cli_is_timed(const struct cli_run *run); /* does the measure vary between runs? */
bool cli_has_time_for(double instructions);   /* before everything must be written */
/* Runs every test again, writes the suite and prints a summary. */
bool cli_run_finish(struct cli_run *run, struct base_error *error);

#endif
