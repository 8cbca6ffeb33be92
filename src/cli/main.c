/* SPDX-License-Identifier: Apache-2.0
 *
 * slowpath: chooses the command, and prints what there is without one.
 */
#include "cli/cli.h"
#include "solver/solver.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_command commands[] = {
#define COMMAND(id, name, runs_target, synopsis, summary, text)                                    \
    {#name, synopsis, summary, text, id##_COMMAND, cli_##name},
#include "cli/commands.def"
#undef COMMAND
};

static void print_overview(FILE *out) {
    fprintf(out, "slowpath " SLOWPATH_VERSION
                 ": finds the inputs that make a C program slow\n\ncommands:\n");
    for (size_t i = 0; i < BASE_COUNT(commands); i++)
        fprintf(out, "  slowpath %-10s %s\n", commands[i].name, commands[i].summary);
    fprintf(out, "  slowpath-cc ARGS...  a C compiler (clang's options) whose programs carry their "
                 "bitcode\n\n'slowpath COMMAND --help' explains a command.\n");
}

/* Each has a man page: --man NAME. */
static void list_commands(FILE *out) {
    for (size_t i = 0; i < BASE_COUNT(commands); i++)
        fprintf(out, "%s\n", commands[i].name);
}

static const struct cli_command *find_command(const char *name) {
    for (size_t i = 0; i < BASE_COUNT(commands); i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static int unknown_command(const char *name) {
    const char *best = NULL;
    size_t distance = base_near_distance(name) + 1;
    for (size_t i = 0; i < BASE_COUNT(commands); i++)
        if (base_edit_distance(name, commands[i].name) < distance) {
            distance = base_edit_distance(name, commands[i].name);
            best = commands[i].name;
        }
    fprintf(stderr, "slowpath: there is no command '%s'%s%s%s; 'slowpath' lists them\n", name,
            best ? "; did you mean " : "", best ? best : "", best ? "?" : "");
    return BASE_USAGE;
}

static int run_command(const struct cli_command *command, int argc, char **argv) {
    struct base_error error = {0};
    struct cli_values values;
    int code = BASE_USAGE;
    if (cli_parse(command, argc, argv, &values, &error)) {
        if (values.given[CLI_HELP]) {
            cli_help(stdout, command);
            cli_values_done(&values);
            return BASE_OK;
        }
        base_log_level(values.given[CLI_QUIET] ? 0 : values.given[CLI_VERBOSE] ? 2 : 1);
        if (!values.given[CLI_QUIET])
            cli_progress_of_builds();
        code = command->run(&values, &error);
    }
    cli_values_done(&values);
    if (code != BASE_OK && *error.message)
        fprintf(stderr, "slowpath %s: %s\n", command->name, error.message);
    return code;
}

static int answer(int argc, char **argv) {
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_overview(stdout);
        return BASE_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("slowpath " SLOWPATH_VERSION);
        return BASE_OK;
    }
    if (strcmp(argv[1], "--man-list") == 0) {
        list_commands(stdout);
        return BASE_OK;
    }
    if (strcmp(argv[1], "--completions") == 0 && argc == 3 && cli_completions(stdout, argv[2]))
        return BASE_OK;
    if (strcmp(argv[1], "--man") == 0 && argc == 3 && find_command(argv[2])) {
        cli_man(stdout, find_command(argv[2]));
        return BASE_OK;
    }
    const struct cli_command *command = find_command(argv[1]);
    int code = command ? run_command(command, argc - 2, argv + 2) : unknown_command(argv[1]);
    solver_leave(code);
    return code;
}

/* Output may still be buffered, and the disk full. A reader that has closed the pipe is not an
 * error. */
static int close_output(int code) {
    bool failed = ferror(stdout);
    int reason = fclose(stdout) ? errno : 0;
    if ((!failed && !reason) || reason == EPIPE)
        return code;
    fprintf(stderr, "slowpath: cannot write to the standard output%s%s\n", reason ? ": " : "",
            reason ? strerror(reason) : "");
    return code == BASE_OK ? BASE_USAGE : code;
}

/* Keeps a file opened later from becoming the standard output. */
static void hold_standard_files(void) {
    int fd;
    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd > STDERR_FILENO)
        close(fd);
}

int main(int argc, char **argv) {
    hold_standard_files();
    signal(SIGPIPE, SIG_IGN); /* errors of writing to a dead target are handled there */
    int code = answer(argc, argv);
    return close_output(code);
}
