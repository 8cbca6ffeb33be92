/* SPDX-License-Identifier: Apache-2.0
 *
 * Completions for shells, from the tables of commands and options: slowpath --completions bash, zsh
 * or fish.
 */
#include "cli/cli.h"

#include <string.h>

struct word {
    const char *name, *argument;
    int commands;
    const char *help;
};

static const struct word words[] = {
#define OPTION(id, name, argument, fallback, commands, help) {name, argument, commands, help},
#include "cli/options.def"
#undef OPTION
};

static const struct {
    const char *name, *summary;
    int bit;
} commands[] = {
#define COMMAND(id, name, runs_target, synopsis, summary, text) {#name, summary, id##_COMMAND},
#include "cli/commands.def"
#undef COMMAND
};

/* The first clause of a help text, in single quotes of a shell. */
static void print_short(FILE *out, const char *text) {
    size_t length = strcspn(text, ":;(,");
    for (size_t i = 0; i < length && i < 70; i++)
        if (text[i] != '\'' && text[i] != '[' && text[i] != ']' && text[i] != '"')
            fputc(text[i], out);
}

static void print_bash(FILE *out) {
    fprintf(
        out,
        "# bash completion for slowpath\n_slowpath() {\n    local word=${COMP_WORDS[COMP_CWORD]} "
        "options=\n    if [ \"$COMP_CWORD\" = 1 ]; then\n        COMPREPLY=($(compgen -W '");
    for (size_t i = 0; i < BASE_COUNT(commands); i++)
        fprintf(out, "%s%s", i ? " " : "", commands[i].name);
    fprintf(out, "' -- \"$word\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; i < BASE_COUNT(commands); i++) {
        fprintf(out, "    %s) options='", commands[i].name);
        for (size_t j = 0; j < BASE_COUNT(words); j++)
            if (words[j].commands & commands[i].bit)
                fprintf(out, "--%s ", words[j].name);
        fprintf(out, "' ;;\n");
    }
    fprintf(out, "    esac\n    case $word in\n    -*) COMPREPLY=($(compgen -W \"$options\" -- "
                 "\"$word\")) ;;\n    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n    esac\n}\n"
                 "complete -o filenames -F _slowpath slowpath\n");
}

static void print_zsh(FILE *out) {
    fprintf(
        out,
        "#compdef slowpath\n_slowpath() {\n  if (( CURRENT == 2 )); then\n    local -a all=(\n");
    for (size_t i = 0; i < BASE_COUNT(commands); i++) {
        fprintf(out, "      '%s:", commands[i].name);
        print_short(out, commands[i].summary);
        fprintf(out, "'\n");
    }
    fprintf(out, "    )\n    _describe command all\n    return\n  fi\n  case ${words[2]} in\n");
    for (size_t i = 0; i < BASE_COUNT(commands); i++) {
        fprintf(out, "  %s) _arguments", commands[i].name);
        for (size_t j = 0; j < BASE_COUNT(words); j++) {
            if (!(words[j].commands & commands[i].bit))
                continue;
            fprintf(out, " \\\n    '--%s[", words[j].name);
            print_short(out, words[j].help);
            fprintf(out, "]%s'", words[j].argument ? ":value:_files" : "");
        }
        fprintf(out, " \\\n    '*:file:_files' ;;\n");
    }
    fprintf(out, "  esac\n}\n_slowpath \"$@\"\n");
}

static void print_fish(FILE *out) {
    for (size_t i = 0; i < BASE_COUNT(commands); i++) {
        fprintf(out, "complete -c slowpath -n __fish_use_subcommand -a %s -d '", commands[i].name);
        print_short(out, commands[i].summary);
        fprintf(out, "'\n");
        for (size_t j = 0; j < BASE_COUNT(words); j++) {
            if (!(words[j].commands & commands[i].bit))
                continue;
            fprintf(out, "complete -c slowpath -n '__fish_seen_subcommand_from %s' -l %s%s -d '",
                    commands[i].name, words[j].name, words[j].argument ? " -r" : "");
            print_short(out, words[j].help);
            fprintf(out, "'\n");
        }
    }
}

bool cli_completions(FILE *out, const char *shell) {
    static const struct {
        const char *name;
        void (*print)(FILE *out);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; i < BASE_COUNT(shells); i++)
        if (strcmp(shells[i].name, shell) == 0) {
            shells[i].print(out);
            return true;
        }
    return false;
}
