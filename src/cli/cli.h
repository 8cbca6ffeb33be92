/* SPDX-License-Identifier: Apache-2.0
 *
 * cli: options, help, commands. A command is one file with one function and one row in
 * commands.def.
 */
#ifndef SLOWPATH_CLI_H
#define SLOWPATH_CLI_H

#include "base/base.h"
#include "target/pipeline.h"
#include "target/target.h"
#include <jansson.h>

enum cli_number {
#define COMMAND(id, name, runs_target, synopsis, summary, text) id##_NUMBER,
#include "cli/commands.def"
#undef COMMAND
};

/* Sets of commands, one bit each. */
enum cli_commands {
#define COMMAND(id, name, runs_target, synopsis, summary, text) id##_COMMAND = 1 << id##_NUMBER,
#include "cli/commands.def"
#undef COMMAND
    SEARCH_COMMANDS = RUN_COMMAND | PIPE_COMMAND,
    ANY_COMMAND = ~0,
    COMMON = 0 /* all commands that run a target */
#define COMMAND(id, name, runs_target, synopsis, summary, text) | ((runs_target) ? id##_COMMAND : 0)
#include "cli/commands.def"
#undef COMMAND
    ,
    ENTERED = COMMON & ~API_COMMAND,        /* ... and let the user choose its entry */
    MEASURED = ENTERED & ~REDUNDANT_COMMAND /* ... and the measure */
};

enum cli_option {
#define OPTION(id, name, argument, fallback, commands, help) CLI_##id,
#include "cli/options.def"
#undef OPTION
    CLI_OPTION_COUNT
};

struct cli_values {
    const char *command;
    const char *given[CLI_OPTION_COUNT]; /* the last value, "" for a switch, NULL if not given */
    struct base_strings sizes, ranges, stages; /* every --size, --range, --no-stage */
    /* Values converted from other tools' units to ours. */
    struct base_strings translated;
    struct base_strings assumptions;        /* every --assume */
    struct base_strings headers, functions; /* every --header, --function */
    struct base_strings before, after;      /* positional, before and after "--" */
    bool has_separator;
};

struct cli_command {
    const char *name, *synopsis, *summary, *text;
    enum cli_commands bit;
    int (*run)(const struct cli_values *values, struct base_error *error);
};

/* options.c */
bool cli_parse(const struct cli_command *command, int argc, char **argv, struct cli_values *values,
               struct base_error *error);
void cli_values_done(struct cli_values *values);
/* The value given, or the table's default. */
const char *cli_value(const struct cli_values *values, enum cli_option option);
bool cli_number(const struct cli_values *values, enum cli_option option, double low, double high,
                double *number, struct base_error *error);

/* help.c */
void cli_help(FILE *out, const struct cli_command *command);
void cli_man(FILE *out, const struct cli_command *command);

/* completions.c: for bash, zsh or fish; false: there are none for that shell. */
bool cli_completions(FILE *out, const char *shell);

/* target_options.c: the options that describe a target, for every command that runs one. */
struct cli_target {
    struct target_options options;
    struct base_strings paths, cflags, args;
    struct target_pipeline pipeline; /* its text is NULL if there is none */
    struct target_given *sizes;
    int64_t input_bytes; /* of an input without entry; -1: not given */
    const char *swept;   /* a size whose values from FIRST on are all searched; or NULL */
    int64_t first;
};
bool cli_target_init(struct cli_target *target, const struct cli_values *values,
                     const struct base_strings *paths, struct base_error *error);
void cli_target_done(struct cli_target *target);
/* pipe_programs.c: parses a pipeline and finds its programs in --path. */
bool cli_pipe_find(struct cli_target *target, const struct cli_values *values, const char *text,
                   struct base_error *error);
/* pipe_files.c: --files and --bytes. */
bool cli_pipe_files(struct cli_target *target, const struct cli_values *values,
                    struct base_error *error);
/* Where the user gave no options, uses the entry stored in the suite. OPTIONS are TARGET's, or a
 * copy. */
struct suite;
bool cli_target_from_suite(struct cli_target *target, struct target_options *options,
                           const struct cli_values *values, const struct suite *suite,
                           struct base_error *error);

bool cli_pipe_library(const struct cli_values *values, struct base_error *error);

/* there.c: names in a suite are relative to the folder where it was made. Call go, path, done in
 * this order; PATH is the suite's folder. */
struct cli_there {
    char *here; /* the previous current folder; NULL: unchanged */
};
void cli_there_go(struct cli_there *there, const struct cli_values *values,
                  const struct suite *suite, const char *path);
/* A name given by the user, relative to the current folder; the caller frees it. */
char *cli_there_path(const struct cli_there *there, const char *name);
void cli_there_done(struct cli_there *there);

/* json.c: can the file be written? Call it before the work; PATH may be NULL. */
bool cli_try_json(const char *path, struct base_error *error);
/* Writes to a file, or for "-" to stdout. */
bool cli_write_json(const json_t *root, const char *path, struct base_error *error);

/* inputs.c: folders and files of inputs. */
struct cli_input {
    char *name, *data;
    size_t size;
};
struct cli_inputs {
    struct cli_input *data;
    size_t count, capacity;
};
/* Appends a file, or all files of a folder that are not hidden, sorted by name. */
bool cli_inputs_read(struct cli_inputs *inputs, const char *path, struct base_error *error);
/* The same; for an output folder of AFL++, its queues. */
bool cli_seeds_read(struct cli_inputs *inputs, const char *path, struct base_error *error);
/* dictionary.c: appends the entries of a dictionary; their names are NULL. */
bool cli_dictionary_read(const char *path, struct cli_inputs *words, struct base_error *error);
/* Literal text in the arguments of a pipeline's programs (the user@ of 'user@[a-z]+'): what they
 * search for may be useful in an input. */
void cli_pipe_words(const struct target_pipeline *pipeline, struct cli_inputs *words);
void cli_inputs_done(struct cli_inputs *inputs);

/* fields.c: names for the bytes of an input. */
struct target_fields;
/* An expr_name; CONTEXT is a struct target_fields. */
struct cli_names {
    const struct target_fields *fields;
    const struct target_shape *shape; /* NULL: no pointers in the input */
};
/* CONTEXT is a struct cli_names for both; see expr_name and search_link_name. */
bool cli_link_name(uint32_t offset, int64_t value, void *context, struct base_buffer *out);
bool cli_field_name(uint32_t offset, unsigned bytes, void *context, struct base_buffer *out);

/* progress.c: the status line, checkpoints, Ctrl-C. */
struct search;
struct cli_ranks;
struct cli_progress {
    bool quiet, is_terminal, is_verbose, has_line;
    double printed, saved, save_seconds;
    const char *out, *key; /* the file of the state, and its key; or NULL */
    const struct search_target *target;
    struct fleet *fleet;     /* NULL: not in a fleet */
    struct cli_ranks *ranks; /* NULL: a single process */
    uint64_t last_runs;
    double last_seconds;
};
void cli_progress_begin(struct cli_progress *progress, struct search *search,
                        const struct search_target *target, bool quiet, const char *out,
                        const char *key, struct cli_ranks *ranks);
void cli_progress_of_builds(void); /* shows builds from now on, on a terminal */
void cli_progress_end(struct cli_progress *progress);

/* stop.c: ends a search in time and keeps its results. Call begin, finish, end in this order. */
const _Atomic double *cli_stop_halt(void); /* for target_options */
/* For work before the search: a signal ends its runs. ..._heard returns whether there was one, and
 * allows later work to run again. */
void cli_stop_listen(void);
void cli_stop_until(double time); /* limits its runs */
/* Limits the whole command to SECONDS from now. Until cli_stop_shorten is called it acts like a
 * signal; that returns how much of the SECONDS of a search is left. */
void cli_stop_within(double seconds);
double cli_stop_shorten(double seconds);
bool cli_stop_was_asked(void);
bool cli_stop_heard(void);
/* SECONDS for everything, 0: no limit; the search itself ends RESERVE seconds earlier. */
void cli_stop_begin(struct search *search, double seconds, double reserve);
void cli_stop_finish(void); /* the search has ended; tests may be run again for a short time */
double cli_stop_seconds_left(void); /* of that time */
void cli_stop_end(void);            /* everything is written */

/* commands */
#define COMMAND(id, name, runs_target, synopsis, summary, text)                                    \
    int cli_##name(const struct cli_values *values, struct base_error *error);
#include "cli/commands.def"
#undef COMMAND

#endif
