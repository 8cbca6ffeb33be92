/* SPDX-License-Identifier: Apache-2.0
 *
 * Parses the command line by the table of options: --name VALUE, --name=VALUE, switches, positional
 * words, and "--".
 */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

struct option_row {
    const char *name, *argument, *fallback;
    int commands;
};

static const struct option_row option_rows[] = {
#define OPTION(id, name, argument, fallback, commands, help) {name, argument, fallback, commands},
#include "cli/options.def"
#undef OPTION
};

static const struct {
    const char *name;
    enum cli_option option;
} aliases[] = {
#define OPTION(id, name, argument, fallback, commands, help)
#define ALIAS(name, id) {name, CLI_##id},
#include "cli/options.def"
#undef OPTION
};

enum unit { PLAIN, MILLISECONDS, SPAN };

/* Option names that people know from other tools. */
static const struct {
    const char *word;
    enum cli_option option;
    enum unit unit;
} foreign[] = {
#define OPTION(id, name, argument, fallback, commands, help)
#define FOREIGN(word, id, unit) {word, CLI_##id, unit},
#include "cli/options.def"
#undef OPTION
};

static bool is_named(const char *candidate, const char *name, size_t length) {
    return strlen(candidate) == length && strncmp(candidate, name, length) == 0;
}

static int find_option(const struct cli_command *command, const char *name, size_t length) {
    int found = -1;
    for (int i = 0; i < CLI_OPTION_COUNT; i++)
        if (is_named(option_rows[i].name, name, length))
            found = i;
    for (size_t i = 0; i < BASE_COUNT(aliases); i++)
        if (is_named(aliases[i].name, name, length))
            found = (int)aliases[i].option;
    return found >= 0 && option_rows[found].commands & (int)command->bit ? found : -1;
}

/* The row of another tool's option (LENGTH letters) for this command; -1: none. */
static int find_foreign(const struct cli_command *command, const char *word, size_t length) {
    for (size_t i = 0; i < BASE_COUNT(foreign); i++)
        if (is_named(foreign[i].word, word, length) &&
            option_rows[foreign[i].option].commands & (int)command->bit)
            return (int)i;
    return -1;
}

/* Converts a value to our units; it lives as long as VALUES. */
static const char *translate(enum unit unit, const char *value, struct cli_values *values) {
    char *end;
    double number = strtod(value, &end);
    if (unit == PLAIN || end == value)
        return value;
    if (unit == MILLISECONDS && (!*end || strcmp(end, "+") == 0))
        number /= 1000;
    else if (unit == SPAN && strcmp(end, "min") == 0)
        number *= 60;
    else if (unit == SPAN && strcmp(end, "h") == 0)
        number *= 3600;
    else if (*end && strcmp(end, "s") != 0)
        return value; /* the option's own parser reports errors */
    char *text = base_format("%.15g", number);
    base_strings_add(&values->translated, text);
    free(text);
    return values->translated.data[values->translated.count - 1];
}

static bool unknown_option(const struct cli_command *command, const char *word,
                           struct base_error *error) {
    char *name = base_strdup(word + strspn(word, "-"));
    name[strcspn(name, "=")] = 0;
    for (int i = 0; i < CLI_OPTION_COUNT; i++)
        if (strcmp(name, option_rows[i].name) == 0) {
            free(name);
            return base_fail(error, BASE_USAGE,
                             "unknown option '%s' of %s; 'slowpath %s --help' lists them", word,
                             command->name, command->name);
        }
    const char *best = NULL;
    size_t best_distance = base_near_distance(name) + 1;
    for (int i = 0; i < CLI_OPTION_COUNT; i++) {
        size_t distance = base_edit_distance(name, option_rows[i].name);
        if ((option_rows[i].commands & (int)command->bit) && distance < best_distance) {
            best = option_rows[i].name;
            best_distance = distance;
        }
    }
    free(name);
    if (best)
        return base_fail(error, BASE_USAGE, "unknown option '%s'; did you mean --%s?", word, best);
    return base_fail(error, BASE_USAGE, "unknown option '%s'; 'slowpath %s --help' lists them",
                     word, command->name);
}

static bool take_option(const struct cli_command *command, int argc, char **argv, int *at,
                        struct cli_values *values, struct base_error *error) {
    const char *word = argv[*at], *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) - 2 : strlen(word) - 2;
    int option = word[1] == '-' ? find_option(command, word + 2, length) : -1;
    int other = option < 0
                    ? find_foreign(command, word, equals ? (size_t)(equals - word) : strlen(word))
                    : -1;
    if (option < 0 && strcmp(word, "-h") == 0)
        option = CLI_HELP;
    if (other >= 0)
        option = (int)foreign[other].option;
    if (option < 0)
        return unknown_option(command, word, error);
    const char *value = "";
    if (!option_rows[option].argument && equals)
        return base_fail(error, BASE_USAGE, "--%s takes no value", option_rows[option].name);
    if (option_rows[option].argument) {
        if (!equals && *at + 1 >= argc)
            return base_fail(error, BASE_USAGE, "--%s needs a value: --%s %s",
                             option_rows[option].name, option_rows[option].name,
                             option_rows[option].argument);
        value = equals ? equals + 1 : argv[++*at];
    }
    if (other >= 0)
        value = translate(foreign[other].unit, value, values);
    values->given[option] = value;
    if (option == CLI_SIZE)
        base_strings_add(&values->sizes, value);
    else if (option == CLI_RANGE)
        base_strings_add(&values->ranges, value);
    else if (option == CLI_NO_STAGE)
        base_strings_add(&values->stages, value);
    else if (option == CLI_ASSUME)
        base_strings_add(&values->assumptions, value);
    else if (option == CLI_HEADER)
        base_strings_add(&values->headers, value);
    else if (option == CLI_FUNCTION)
        base_strings_add(&values->functions, value);
    return true;
}

bool cli_parse(const struct cli_command *command, int argc, char **argv, struct cli_values *values,
               struct base_error *error) {
    *values = (struct cli_values){.command = command->name};
    for (int at = 0; at < argc; at++) {
        const char *word = argv[at];
        if (values->has_separator)
            base_strings_add(&values->after, word);
        else if (strcmp(word, "--") == 0)
            values->has_separator = true;
        else if (word[0] != '-' || !word[1])
            base_strings_add(&values->before, word);
        else if (!take_option(command, argc, argv, &at, values, error))
            return false;
    }
    return true;
}

void cli_values_done(struct cli_values *values) {
    base_strings_done(&values->sizes);
    base_strings_done(&values->ranges);
    base_strings_done(&values->stages);
    base_strings_done(&values->translated);
    base_strings_done(&values->assumptions);
    base_strings_done(&values->headers);
    base_strings_done(&values->functions);
    base_strings_done(&values->before);
    base_strings_done(&values->after);
}

const char *cli_value(const struct cli_values *values, enum cli_option option) {
    return values->given[option] ? values->given[option] : option_rows[option].fallback;
}

bool cli_number(const struct cli_values *values, enum cli_option option, double low, double high,
                double *number, struct base_error *error) {
    const char *text = cli_value(values, option);
    char *end;
    *number = strtod(text, &end);
    if (end == text || *end || !(*number >= low && *number <= high))
        return base_fail(error, BASE_USAGE, "--%s %s: a number from %.15g to %.15g is wanted",
                         option_rows[option].name, text, low, high);
    return true;
}
