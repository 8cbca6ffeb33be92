/* SPDX-License-Identifier: Apache-2.0
 *
 * Help texts and man pages, both from the table of options.
 */
#include "cli/cli.h"
#include "search/search.h"

#include <stdlib.h>
#include <string.h>

struct help_row {
    const char *name, *argument, *fallback;
    int commands;
    const char *help;
};

static const struct help_row help_rows[] = {
#define OPTION(id, name, argument, fallback, commands, help)                                       \
    {name, argument, fallback, commands, help},
#include "cli/options.def"
#undef OPTION
};

#define HELP_COLUMN 26
#define HELP_WIDTH 100

/* Prints words from COLUMN on, wrapped at the right margin. */
static void print_wrapped(FILE *out, const char *text, int column) {
    int at = column;
    while (*text) {
        size_t length = strcspn(text, " ");
        if (at > column && at + 1 + (int)length > HELP_WIDTH) {
            fprintf(out, "\n%*s", column, "");
            at = column;
        } else if (at > column) {
            fputc(' ', out);
            at++;
        }
        fprintf(out, "%.*s", (int)length, text);
        at += (int)length;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

static const struct {
    const char *name; /* as shown in a help text */
    void (*print)(struct base_buffer *names);
} lists[] = {{"{strategies}", search_list_strategies}, {"{stages}", solver_list_stages}};

/* The help of an option, with the lists it mentions and its default; the caller frees it. */
static char *describe(const struct help_row *row) {
    struct base_buffer text = {0};
    const char *rest = row->help;
    for (size_t i = 0; i < BASE_COUNT(lists); i++) {
        const char *at = strstr(rest, lists[i].name);
        if (!at)
            continue;
        base_buffer_print(&text, "%.*s", (int)(at - rest), rest);
        lists[i].print(&text);
        rest = at + strlen(lists[i].name);
    }
    base_buffer_print(&text, "%s", rest);
    if (row->fallback)
        base_buffer_print(&text, " (default: %s)", row->fallback);
    return text.data;
}

static void print_option(FILE *out, const struct help_row *row) {
    int width = fprintf(out, "  --%s%s%s", row->name, row->argument ? " " : "",
                        row->argument ? row->argument : "");
    if (width >= HELP_COLUMN - 1) {
        fputc('\n', out);
        width = 0;
    }
    fprintf(out, "%*s", HELP_COLUMN - width, "");
    char *text = describe(row);
    print_wrapped(out, text, HELP_COLUMN);
    free(text);
}

void cli_help(FILE *out, const struct cli_command *command) {
    fprintf(out, "usage: slowpath %s %s\n\n", command->name, command->synopsis);
    print_wrapped(out, command->text, 0);
    fprintf(out, "\noptions:\n");
    for (size_t i = 0; i < BASE_COUNT(help_rows); i++)
        if (help_rows[i].commands & (int)command->bit)
            print_option(out, &help_rows[i]);
    fprintf(out,
            "\nexit codes: 0 done, 1 a gate failed, 2 wrong usage, 3 the target does not build "
            "or has no entry,\n4 the target misbehaves, 5 a gate cannot tell\n");
}

/* Escapes what roff would interpret: a dot or quote at the start of a line, and backslashes. */
static void print_roff(FILE *out, const char *text) {
    if (*text == '.' || *text == '\'')
        fputs("\\&", out);
    for (; *text; text++)
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else
            fputc(*text, out);
}

void cli_man(FILE *out, const struct cli_command *command) {
    fprintf(out, ".TH SLOWPATH\\-%s 1 \"\" \"slowpath " SLOWPATH_VERSION "\"\n", command->name);
    fprintf(out, ".SH NAME\nslowpath\\-%s \\- ", command->name);
    print_roff(out, command->summary);
    fprintf(out, "\n.SH SYNOPSIS\n.B slowpath %s\n", command->name);
    print_roff(out, command->synopsis);
    fprintf(out, "\n.SH DESCRIPTION\n");
    print_roff(out, command->text);
    fprintf(out, "\n.SH OPTIONS\n");
    for (size_t i = 0; i < BASE_COUNT(help_rows); i++) {
        const struct help_row *row = &help_rows[i];
        if (!(row->commands & (int)command->bit))
            continue;
        fprintf(out, ".TP\n.B \\-\\-");
        print_roff(out, row->name);
        if (row->argument)
            fprintf(out, " \\fI%s\\fR", row->argument);
        fputc('\n', out);
        char *text = describe(row);
        print_roff(out, text);
        fputc('\n', out);
        free(text);
    }
    fprintf(out, ".SH EXIT STATUS\n0 done; 1 a gate failed; 2 wrong usage; 3 the target does not "
                 "build or has no entry; 4 the target misbehaves; 5 a gate cannot tell.\n");
}
