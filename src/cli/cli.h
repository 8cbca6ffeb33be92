/* SPDX-License-Identifier: Apache-2.0
 *
 * cli: options, help, commands. A command is one file with one function and one row in the table
 * of main.c.
 */
#ifndef SLOWPATH_CLI_H
#define SLOWPATH_CLI_H

#include "base/base.h"
#include "target/target.h"

enum cli_commands { MEASURE_COMMAND = 1, COMMON = ~0 };

enum cli_option {
#define OPTION(id, name, argument, fallback, commands, help) CLI_##id,
#include "cli/options.def"
#undef OPTION
    CLI_OPTION_COUNT
};

struct cli_values {
    const char *command;
    const char *given[CLI_OPTION_COUNT]; /* the last value, "" for a switch, NULL if not given */
    struct base_strings sizes;           /* every --size */
    struct base_strings before, after;   /* positional, before and after "--" */
    bool has_separator;
};

struct cli_command {
    const char *name, *synopsis, *summary, *text;
    enum cli_commands bit;
    int (*run)(const struct cli_values *values, struct base_error *error);
};

/* options.c */
bool cli_parse(const struct cli_command *command, int argc, char **argv,
               struct cli_values *values, struct base_error *error);
void cli_values_done(struct cli_values *values);
/* The value given, or the default of the table. */
const char *cli_value(const struct cli_values *values, enum cli_option option);
bool cli_number(const struct cli_values *values, enum cli_option option, double low, double high,
                double *number, struct base_error *error);

/* help.c */
void cli_help(FILE *out, const struct cli_command *command);
void cli_man(FILE *out, const struct cli_command *command);

/* target_options.c: the options that describe a target, for every command that runs one. */
struct cli_target {
    struct target_options options;
    struct base_strings paths, cflags, args;
    struct target_given *sizes;
};
bool cli_target_init(struct cli_target *target, const struct cli_values *values,
                     const struct base_strings *paths, struct base_error *error);
void cli_target_done(struct cli_target *target);

/* commands */
int cli_measure(const struct cli_values *values, struct base_error *error);

#endif
