/* SPDX-License-Identifier: Apache-2.0
 *
 * One search from the command line: what run.c prepares, run_result.c tells about.
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

struct cli_fleet { /* of --fleet */
    char name[FLEET_NAME_BYTES];
    struct fleet *joined; /* NULL: there is none, or the search is over */
    struct search_exchange exchange;
    _Atomic uint64_t noted[SEARCH_MESSAGE_KINDS];   /* what was taken and looked at ... */
    _Atomic uint64_t records[SEARCH_MESSAGE_KINDS]; /* ... and was better than ours */
    struct fleet_statistics statistics;             /* once it is left */
    bool has_left;
};

struct cli_run {
    const struct cli_values *values;
    struct cli_target description;
    const struct search_strategy *strategy;
    const char *measure_text;
    char *out;
    size_t jobs;
    struct cli_ranks_exchange *ranks_exchange; /* NULL: there are none */
    struct cli_ranks *ranks;                   /* that search, too; NULL: this process is alone */
    struct measure_weights weights;
    struct cli_inputs seed_files, dictionary;
    struct cli_inputs composed;          /* of a pipeline: trees to start with, made for it */
    struct compose_outcome *composition; /* NULL: there is none */
    struct compose_request *compose_request;
    struct composing *composing;        /* what fills it, until the search is over */
    struct search_guest guest;          /* the strategy that does so */
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

    struct suite earlier;         /* that lies in OUT and is alike; empty: there is none */
    bool earlier_is_same_program; /* it was made with the target as it is now */

    struct search *search;
    struct cli_fleet fleet;
    struct search_statistics statistics;
    struct {
        bool is_off;   /* it cannot be written */
        bool is_older; /* there are findings of a run in it that was killed */
        double began;
    } found;
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
struct cli_result;
json_t *cli_findings_json(const struct cli_result *result);
void cli_findings_print(FILE *out, const json_t *findings);

/* run_fleet.c: --fleet. All but the first do nothing without it. */
bool cli_fleet_read(struct cli_run *run, struct base_error *error);
char *cli_fleet_out(const struct cli_run *run); /* the suite's folder, unless one is given */
bool cli_fleet_begin(struct cli_run *run, struct base_error *error);
void cli_fleet_end(struct cli_run *run);
json_t *cli_fleet_json(const struct cli_run *run); /* NULL: there is none */
void cli_fleet_print(FILE *out, const struct cli_run *run);

/* run_found.c: what was found so far, in a file that survives us. */
void cli_found_begin(struct cli_run *run);
void cli_found_end(struct cli_run *run); /* the suite is stored: it says all of this and more */

/* run_family.c: costs that the path of a test leaves open. Nothing, if it has none. */
void cli_family_tell(const struct cli_run *run, const struct search_description *told,
                     struct suite_test *test);
void cli_family_print(FILE *out, const struct cli_run *run, const struct search_description *told);

/* run_policy.c: --policy and --gate. */
bool cli_policy_read(struct cli_run *run, struct base_error *error);
/* What the costliest test of constant cost costs, if the policy wants the costliest; else NAN. */
double cli_policy_rival(const struct cli_run *run);
void cli_policy_print(FILE *out, const struct cli_result *result);
json_t *cli_policy_json(const struct cli_result *result); /* NULL: there is none */
bool cli_policy_gate(const struct cli_run *run, struct base_error *error);

/* run_template.c: a text with holes in place of an input. All but the first two need one. */
bool cli_template_read(struct cli_run *run, struct base_error *error);
void cli_template_free(struct cli_run *run);
const struct target_template *cli_template_form(const struct cli_run *run);
bool cli_template_measure(struct cli_run *run, struct base_error *error); /* the baseline */
/* A text in place of a vector, with what the user is told about it. */
void cli_template_test(struct cli_run *run, const struct search_test *found,
                       struct suite_test *test);
void cli_template_fault(struct cli_run *run, struct suite_fault *fault);
/* These do nothing without a template. */
const char *cli_template_key(const struct cli_run *run); /* names its text */
json_t *cli_template_json(const struct cli_run *run);
void cli_template_print_baseline(FILE *out, const struct cli_run *run);
void cli_template_print_ratio(FILE *out, const struct cli_run *run, double cost);

/* What came of it. */
struct cli_row { /* of a test */
    struct search_test found;
    struct search_description described;
    struct base_buffer program;
    json_t *stages;      /* of a pipeline: what each of them did; NULL: not known */
    bool is_skipped;     /* there was no time to run the test again */
    bool is_kept;        /* it is of an earlier suite */
    const char *earlier; /* its file in that suite, or that of a test whose path it has; or NULL */
};
struct cli_result {
    struct cli_run *run;
    struct cli_row *rows;
    struct suite_test *tests;
    size_t count;
    struct suite_fault *faults; /* inputs that did not end well */
    size_t fault_count;
    json_t *findings;
    json_t *stage_growth; /* of a pipeline: how its stages grow; or NULL */
};

/* run_tell.c: what is told of a search. */
json_t *cli_stats_json(const struct cli_result *result);
void cli_print_result(FILE *out, const struct cli_result *result);

/* run_faults.c: inputs that did not end well. */
void cli_faults_explain(struct cli_result *result);
void cli_faults_note_outside(struct cli_result *result, size_t index); /* a test that does so */
void cli_faults_print(FILE *out, const struct cli_result *result, bool slow);

/* run_keep.c: the suite that was there before. Call the first when all options are known. */
bool cli_keep_begin(struct cli_run *run, struct base_error *error);
/* Adds what is better to RESULT, which has room for it. */
bool cli_keep_tests(struct cli_result *result, struct base_error *error);
void cli_keep_findings(struct cli_result *result); /* then, of tests that are still there */
json_t *cli_options_json(const struct cli_run *run);
json_t *cli_sizes_json(const struct cli_run *run);

/* pipe_compose.c: of a pipeline, inputs that are composed, and what is told of them. */
bool cli_pipe_compose(struct cli_run *run, struct base_error *error); /* before the search */
void cli_pipe_composed(struct cli_run *run);                          /* behind it */
json_t *cli_pipe_json(const struct cli_run *run);                     /* NULL: there is none */
void cli_pipe_print_composition(FILE *out, const struct cli_run *run);
void cli_pipe_done(struct cli_run *run);

/* pipe_files.c: files of the suite besides its tests: archives of their trees, scripts. */
struct cli_extras {
    struct suite_extra *data;
    size_t count, capacity;
};
void cli_pipe_plain_trees(struct cli_run *run); /* more inputs to start with */
void cli_pipe_extras(const struct cli_result *result, struct cli_extras *extras);
void cli_extras_done(struct cli_extras *extras);

/* pipe_growth.c: how the costs of stages grow; NULL: that is not known. */
json_t *cli_pipe_growth(const struct cli_result *result);
void cli_pipe_print_growth(FILE *out, const json_t *growth);

/* pipe_stages.c: what is told of the stages of a pipeline. These do nothing if it is none. */
char *
cli_pipe_folder(const struct cli_target *target); /* the suite's folder, unless one is given */
/* A test was just run again, alone. */
void cli_pipe_note(struct cli_result *result, size_t index, const struct target_input *input);
void cli_pipe_tell(struct cli_result *result); /* adds what was noted to the tests */
void cli_pipe_print(FILE *out, const struct cli_result *result);

/* run_result.c */
json_t *cli_words_json(const struct base_strings *words);
json_t *cli_cost_json(const struct cli_run *run, const struct abi_result *result);
bool cli_is_timed(const struct cli_run *run); /* does the measure differ from run to run? */
bool cli_has_time_for(double instructions);   /* before all must be written */
/* Runs every test again, writes the suite and says what there is. */
bool cli_run_finish(struct cli_run *run, struct base_error *error);

#endif
