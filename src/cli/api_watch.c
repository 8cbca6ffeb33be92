/* SPDX-License-Identifier: Apache-2.0
 *
 * What does the user see of api while it works, and when does it end? --time covers the whole
 * command: a share goes to learning, most to the search, the rest to laws; first laws are
 * determined after a few seconds and printed at once. Ctrl-C ends the current and all later parts,
 * and keeps the results. With
 * --runs the clock matters only at the end, so that the same seed gives the same suite.
 */
#include "cli/api.h"

#include "measure/growth.h"

#include <stdlib.h>
#include <unistd.h>

#define LEARNING 0.3 /* maximum share of the time */
#define MORE_LEARNING 0.2
#define SEARCHING 0.7 /* share of the time after which the search ends */
#define WORKING 0.6   /* share of that for the search itself; the rest is for laws in between */
#define LEAST 0.2     /* minimum share for each, even if building took long */
#define LINE_SECONDS 3.0
#define SCREEN_SECONDS 0.2

void cli_api_watch_begin(struct cli_api *api) {
    api->started = base_seconds();
    api->is_terminal = isatty(STDERR_FILENO);
    api->printed = api->started;
}

static double left_until(const struct cli_api *api, double share) {
    return api->started + share * api->all_seconds - base_seconds();
}

static double span_until(const struct cli_api *api, double share) {
    double left = left_until(api, share), least = LEAST * api->all_seconds;
    if (api->is_stopped)
        return 0;
    return api->search.runs ? api->all_seconds : left > least ? left : least;
}

double cli_api_learning_seconds(const struct cli_api *api) {
    return span_until(api, LEARNING);
}

double cli_api_more_learning(const struct cli_api *api) {
    return MORE_LEARNING * api->all_seconds;
}

double cli_api_search_seconds(const struct cli_api *api) {
    return WORKING * span_until(api, SEARCHING);
}

double cli_api_seconds_left(const struct cli_api *api) {
    return span_until(api, 1);
}

bool cli_api_goes_on(struct cli_api *api) {
    if (!api->listens) {
        cli_stop_listen();
        api->listens = true;
    }
    if (cli_stop_was_asked()) {
        cli_stop_heard(); /* a second signal ends the rest, too */
        api->is_stopped = true;
    }
    return !api->is_stopped;
}

/* ---- the line ---- */

static bool is_due(struct cli_api *api) {
    double now = base_seconds();
    if (api->values->given[CLI_QUIET] ||
        now - api->printed < (api->is_terminal ? SCREEN_SECONDS : LINE_SECONDS))
        return false;
    api->printed = now;
    return true;
}

static void print_line(struct cli_api *api, const char *text) {
    fprintf(stderr, api->is_terminal ? "\r%6.1f s  %s\033[K" : "%8.1f s  %s\n",
            base_seconds() - api->started, text);
    fflush(stderr);
    api->has_line = api->is_terminal;
}

void cli_api_clear_line(struct cli_api *api) {
    if (api->has_line)
        fputs("\r\033[K", stderr);
    api->has_line = false;
}

bool cli_api_watch_learning(void *context, const char *doing, size_t done, size_t all) {
    struct cli_api *api = context;
    if (is_due(api)) {
        char *text = base_format("learning, %s: %zu of %zu sequences", doing, done, all);
        print_line(api, text);
        free(text);
    }
    return cli_api_goes_on(api);
}

bool cli_api_watch_search(void *context, const struct api_search *search) {
    struct cli_api *api = context;
    if (is_due(api)) {
        size_t reached = 0;
        for (size_t i = 0; i < search->goals->all.count; i++)
            reached += api_search_is_covered(search, i);
        double seconds = api_search_seconds(search);
        char *text = base_format("%llu sequences, %.0f a second; %zu of %zu loops; %zu laws",
                                 (unsigned long long)search->evaluations,
                                 (double)search->evaluations / seconds, reached,
                                 search->goals->all.count, api->picked.laws.count);
        print_line(api, text);
        free(text);
    }
    return cli_api_goes_on(api);
}

/* Prints a law that is a finding as soon as it is known. */
bool cli_api_watch_laws(void *context, const struct api_law *law) {
    struct cli_api *api = context;
    if (law && api_law_is_finding(law) && !law->leaks && !api->values->given[CLI_QUIET]) {
        struct base_buffer class = {0};
        bool by_calls = law->verdict == API_LAW_CALLS;
        measure_growth_class(by_calls ? &law->many.growth : &law->one.growth, &class);
        cli_api_clear_line(api);
        fprintf(stderr, "%8.1f s  %s: %s, %s\n", base_seconds() - api->started,
                api->model.functions.data[law->function].signature->name, api_law_text(law),
                class.data);
        base_buffer_done(&class);
    } else if (is_due(api)) {
        char *text = base_format("growing: %zu laws", api->picked.laws.count);
        print_line(api, text);
        free(text);
    }
    return cli_api_goes_on(api);
}
