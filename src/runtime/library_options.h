/* SPDX-License-Identifier: Apache-2.0
 *
 * getopt and its kin as explored code, with the argument order and the variables of glibc. What it
 * prints about wrong options follows from what was decided about them, so the library prints it.
 * Part of sym_library.c.
 */
#ifndef SLOWPATH_RUNTIME_LIBRARY_OPTIONS_H
#define SLOWPATH_RUNTIME_LIBRARY_OPTIONS_H

#include <getopt.h>
#include <stdio.h>

enum option_order { OPTIONS_PERMUTE, OPTIONS_FIRST, OPTIONS_IN_ORDER };

static struct {
    bool is_started;
    char *next; /* in a cluster of short options */
    int first_other, last_other;
    enum option_order order;
} options;

struct option_call {
    int count;
    char **arguments;
    const char *letters;
    const struct option *names;
    int *index;
    bool is_long_only;
    bool tells; /* prints errors */
};

/* ---- the order of arguments ---- */

/* Moves options found behind other arguments before them. */
static void exchange_options(char **arguments) {
    int others = options.last_other - options.first_other, found = optind - options.last_other;
    for (int i = 0; i < found; i++) {
        char *option = arguments[options.last_other + i];
        for (int at = options.last_other + i; at > options.first_other + i; at--)
            arguments[at] = arguments[at - 1];
        arguments[options.first_other + i] = option;
    }
    options.first_other += found;
    options.last_other = options.first_other + others;
}

static bool is_other(const char *argument) {
    return argument[0] != '-' || !argument[1];
}

static void start_options(const struct option_call *call) {
    OWN(leave_options)();
    if (optind == 0)
        optind = 1;
    options.first_other = options.last_other = optind;
    options.next = NULL;
    options.order = *call->letters == '-'                                ? OPTIONS_IN_ORDER
                    : *call->letters == '+' || OWN(is_posixly_correct)() ? OPTIONS_FIRST
                                                                         : OPTIONS_PERMUTE;
    options.is_started = true;
}

static void exchange_if_needed(char **arguments) {
    if (options.first_other != options.last_other && options.last_other != optind)
        exchange_options(arguments);
    else if (options.last_other != optind)
        options.first_other = optind;
}

static void skip_others(const struct option_call *call) {
    if (options.order != OPTIONS_PERMUTE)
        return;
    exchange_if_needed(call->arguments);
    while (optind < call->count && is_other(call->arguments[optind]))
        optind++;
    options.last_other = optind;
}

static bool is_end_mark(const char *argument) {
    return argument[0] == '-' && argument[1] == '-' && !argument[2];
}

static void take_end_mark(const struct option_call *call) {
    optind++;
    exchange_if_needed(call->arguments);
    if (options.first_other == options.last_other)
        options.first_other = optind;
    options.last_other = call->count;
    optind = call->count;
}

/* ---- long options ---- */

static size_t option_name_length(const char *text) {
    size_t length = 0;
    while (text[length] && text[length] != '=')
        length++;
    return length;
}

static bool starts_with(const char *name, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (name[i] != text[i])
            return false;
    return true;
}

/* The index of the option that is meant, or -1: none, -2: ambiguous. An exact name wins. */
static int find_option(const struct option_call *call, const char *text, size_t length) {
    int found = -1;
    bool is_ambiguous = false;
    for (int i = 0; call->names[i].name; i++) {
        const struct option *name = &call->names[i];
        if (!starts_with(name->name, text, length))
            continue;
        if (!name->name[length])
            return i;
        if (found < 0)
            found = i;
        else if (call->is_long_only || call->names[found].has_arg != name->has_arg ||
                 call->names[found].flag != name->flag || call->names[found].val != name->val)
            is_ambiguous = true;
    }
    return is_ambiguous ? -2 : found;
}

static int wrong_option(const struct option_call *call, const char *format, const char *what) {
    if (call->tells)
        LIB(fprintf)(stderr, format, call->arguments[0], what);
    options.next = NULL;
    return '?';
}

static int take_long_option(const struct option_call *call, int found, const char *end) {
    const struct option *option = &call->names[found];
    options.next = NULL;
    if (*end) {
        if (!option->has_arg) {
            optopt = option->val;
            return wrong_option(call, "%s: option '%s' doesn't allow an argument\n", option->name);
        }
        optarg = (char *)end + 1;
    } else if (option->has_arg == required_argument) {
        if (optind >= call->count) {
            optopt = option->val;
            wrong_option(call, "%s: option '%s' requires an argument\n", option->name);
            return call->letters[0] == ':' ? ':' : '?';
        }
        optarg = call->arguments[optind++];
    }
    if (call->index)
        *call->index = found;
    if (!option->flag)
        return option->val;
    *option->flag = option->val;
    return 0;
}

/* -1: it is a short option instead. */
static int read_long_option(const struct option_call *call, bool has_two_dashes) {
    const char *text = options.next;
    size_t length = option_name_length(text);
    int found = find_option(call, text, length);
    if (found == -2) {
        optind++;
        optopt = 0;
        return wrong_option(call, "%s: option '%s' is ambiguous\n", text);
    }
    if (found >= 0) {
        optind++;
        return take_long_option(call, found, text + length);
    }
    if (!has_two_dashes && is_one_of(text[0], call->letters))
        return -1;
    wrong_option(call, "%s: unrecognized option '%s'\n", text);
    optind++;
    optopt = 0;
    return '?';
}

/* ---- short options ---- */

/* The option's entry in the string of letters, or NULL. */
static const char *find_letter(const char *letters, char c) {
    for (; *letters; letters++)
        if (*letters == c)
            return letters;
    return NULL;
}

static int take_argument(const struct option_call *call, char c) {
    if (*options.next) {
        optarg = options.next;
        optind++;
    } else if (optind == call->count) {
        wrong_option(call, "%s: option requires an argument -- '%s'\n", (char[]){c, 0});
        optopt = c; // NOLINT(bugprone-signed-char-misuse): as glibc does
        return call->letters[0] == ':' ? ':' : '?';
    } else
        optarg = call->arguments[optind++];
    options.next = NULL;
    return c;
}

static int read_letter(const struct option_call *call) {
    char c = *options.next++;
    const char *found = find_letter(call->letters, c);
    if (!*options.next)
        optind++;
    if (!found || c == ':' || c == ';') {
        if (call->tells)
            LIB(fprintf)(stderr, "%s: invalid option -- '%c'\n", call->arguments[0], c);
        optopt = c; // NOLINT(bugprone-signed-char-misuse): as glibc does
        return '?';
    }
    if (found[1] == ';' && found[0] == 'W' && call->names)
        __slowpath_sym_lose("getopt of W;");
    if (found[1] != ':')
        return c;
    if (found[2] != ':')
        return take_argument(call, c);
    optarg = *options.next ? options.next : NULL;
    if (*options.next)
        optind++;
    options.next = NULL;
    return c;
}

/* ---- both ---- */

/* Does the current argument have a long name? */
static int begin_argument(const struct option_call *call) {
    char *argument = call->arguments[optind];
    if (call->names && argument[1] == '-') {
        options.next = argument + 2;
        return read_long_option(call, true);
    }
    options.next = argument + 1;
    if (call->names && call->is_long_only &&
        (argument[2] || !find_letter(call->letters, argument[1])))
        return read_long_option(call, false);
    return -1;
}

static int read_option(struct option_call *call) {
    if (call->count < 1)
        return -1;
    optarg = NULL;
    if (optind == 0 || !options.is_started)
        start_options(call);
    if (*call->letters == '-' || *call->letters == '+')
        call->letters++;
    call->tells = opterr && *call->letters != ':';
    if (!options.next || !*options.next) {
        if (options.last_other > optind)
            options.last_other = optind;
        if (options.first_other > optind)
            options.first_other = optind;
        skip_others(call);
        if (optind != call->count && is_end_mark(call->arguments[optind]))
            take_end_mark(call);
        if (optind == call->count) {
            if (options.first_other != options.last_other)
                optind = options.first_other;
            return -1;
        }
        if (is_other(call->arguments[optind])) {
            if (options.order == OPTIONS_FIRST)
                return -1;
            optarg = call->arguments[optind++];
            return 1;
        }
        int result = begin_argument(call);
        if (result != -1)
            return result;
    }
    return read_letter(call);
}

int LIB(getopt)(int count, char *const *arguments, const char *letters) {
    struct option_call call = {.count = count, .arguments = (char **)arguments, .letters = letters};
    return read_option(&call);
}

int LIB(getopt_long)(int count, char *const *arguments, const char *letters,
                     const struct option *names, int *index) {
    struct option_call call = {.count = count,
                               .arguments = (char **)arguments,
                               .letters = letters,
                               .names = names,
                               .index = index};
    return read_option(&call);
}

int LIB(getopt_long_only)(int count, char *const *arguments, const char *letters,
                          const struct option *names, int *index) {
    struct option_call call = {.count = count,
                               .arguments = (char **)arguments,
                               .letters = letters,
                               .names = names,
                               .index = index,
                               .is_long_only = true};
    return read_option(&call);
}

/* "name=value,..." */
int LIB(getsubopt)(char **text, char *const *names, char **value) {
    char *start = *text, *end = start;
    if (!*start)
        return -1;
    while (*end && *end != ',')
        end++;
    size_t length = 0, whole = (size_t)(end - start);
    while (length < whole && start[length] != '=')
        length++;
    *text = *end ? end + 1 : end;
    for (int i = 0; names[i]; i++)
        if (starts_with(names[i], start, length) && !names[i][length]) {
            *value = length < whole ? start + length + 1 : NULL;
            *end = 0;
            return i;
        }
    *value = start;
    *end = 0;
    return -1;
}

#endif
