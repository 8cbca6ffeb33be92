/* SPDX-License-Identifier: Apache-2.0
 *
 * What does the user see of a search while it runs, and what survives it?
 *
 * On a terminal one line is rewritten again and again; otherwise a line is printed every few
 * seconds. The state is saved before such a line mentions it, so that whatever was reported can be
 * resumed. stop.c ends the search.
 */
#include "cli/cli.h"
#include "cli/ranks.h"
#include "fleet/fleet.h"
#include "search/search.h"
#include "search/subject.h"
#include "suite/suite.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LINE_SECONDS 3.0
#define SAVE_SECONDS 2.0

static void save(struct cli_progress *progress, struct search *search, double now) {
    struct base_buffer state = {0}, sealed = {0};
    struct base_error error;
    search_save(search, &state);
    suite_seal_state(progress->key, &state, &sealed);
    if (!suite_save_state(progress->out, &sealed, &error)) {
        base_warn("the search cannot be resumed: %s", error.message);
        progress->out = NULL;
    }
    base_buffer_done(&state);
    base_buffer_done(&sealed);
    progress->saved = base_seconds();
    progress->save_seconds = progress->saved - now;
}

/* Ranks save independently; this one measures how long saving takes. */
static void keep(struct cli_progress *progress, struct search *search, double now) {
    if (!progress->ranks) {
        save(progress, search, now);
        return;
    }
    cli_ranks_save(progress->ranks);
    progress->saved = base_seconds();
    progress->save_seconds = progress->saved - now;
}

/* A line wider than the terminal would scroll each time. */
static unsigned columns(void) {
    const char *text = getenv("COLUMNS");
    int given = text ? atoi(text) : 0;
    struct winsize window;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col)
        return window.ws_col;
    return given > 1 ? (unsigned)given : 80;
}

/* A build running during the search. */
static void print_build(const struct search_target *target, char *text, size_t size) {
    struct search_aside aside;
    *text = 0;
    if (!search_target_aside(target, &aside) || aside.is_over)
        return;
    if (aside.all)
        snprintf(text, size, "  building %u of %u functions", aside.done, aside.all);
    else
        snprintf(text, size, "  building");
}

/* Results and current activity; the rest as far as the line has room. */
static void print_screen_line(const struct search_statistics *now, double rate, const char *build) {
    struct base_buffer line = {0};
    base_buffer_print(&line, "%.0f s  ", now->seconds);
    if (now->news.count)
        base_buffer_print(&line, "F%zu %s, %.0f s  ", now->news.count, now->news.text,
                          now->news.seconds);
    base_buffer_print(&line, "best %.15g", now->best);
    if (now->best_size)
        base_buffer_print(&line, " (%zu bytes)", now->best_size);
    base_buffer_print(&line, "  %s: %.0f runs/s  %llu paths", now->doing, rate,
                      (unsigned long long)now->counters.paths);
    if (now->frontier)
        base_buffer_print(&line, "  frontier %zu", now->frontier);
    if (now->seconds > 0 && now->solver.seconds / now->seconds >= 0.01)
        base_buffer_print(&line, "  solver %.0f%%", now->solver.seconds / now->seconds * 100);
    base_buffer_print(&line, "%s", build);
    fprintf(stderr, "\r%.*s\033[K", (int)columns() - 1, line.data);
    base_buffer_done(&line);
}

static void print_status(struct cli_progress *progress, const struct search_statistics *now) {
    double seconds = now->seconds - progress->last_seconds;
    double rate = seconds > 0 ? (double)(now->counters.runs - progress->last_runs) / seconds : 0;
    double share = now->seconds > 0 ? now->solver.seconds / now->seconds * 100 : 0;
    char build[64];
    print_build(progress->target, build, sizeof build);
    if (progress->is_terminal)
        print_screen_line(now, rate, build);
    else
        fprintf(stderr,
                "%8.1f s  %llu paths  %.0f runs/s  best %.15g  frontier %zu  solver %.0f%%%s\n",
                now->seconds, (unsigned long long)now->counters.paths, rate, now->best,
                now->frontier, share, build);
    fflush(stderr);
    progress->has_line = progress->is_terminal;
    progress->last_runs = now->counters.runs;
    progress->last_seconds = now->seconds;
}

/* ---- before it runs ---- */

static void clear_line(void) {
    fputs("\r\033[K", stderr);
}

static void show_build(const char *what, unsigned done, unsigned all) {
    fprintf(stderr, "\rbuilding (%s): %u of %u functions\033[K", what, done, all);
    if (done >= all)
        clear_line();
    fflush(stderr);
}

void cli_progress_of_builds(void) {
    if (isatty(STDERR_FILENO))
        base_show_progress = show_build;
}

/* ---- while it runs ---- */

/* One line for all ranks, and with --verbose one for each. */
static void tell_of_ranks(const struct cli_progress *progress, struct search_statistics *now) {
    const struct search_statistics own = *now;
    cli_ranks_add(progress->ranks, now);
    if (progress->is_verbose && !progress->is_terminal)
        cli_ranks_print(progress->ranks, &own, stderr);
}

static void watch(struct search *search, void *context) {
    struct cli_progress *progress = context;
    double now = base_seconds();
    if (progress->fleet)
        fleet_check(progress->fleet);
    bool speaks =
        !progress->quiet && (progress->is_terminal ? now - progress->printed > 0.2
                                                   : now - progress->printed > LINE_SECONDS);
    bool is_due = now - progress->saved > SAVE_SECONDS + 20 * progress->save_seconds;
    if (progress->out && (is_due || (speaks && !progress->is_terminal)))
        keep(progress, search, now);
    if (!speaks)
        return;
    struct search_statistics statistics;
    search_statistics(search, &statistics);
    if (progress->ranks)
        tell_of_ranks(progress, &statistics);
    print_status(progress, &statistics);
    progress->printed = now;
}

/* Ranks save at once: without a complete checkpoint, losing a rank would lose its work. */
void cli_progress_begin(struct cli_progress *progress, struct search *search,
                        const struct search_target *target, bool quiet, const char *out,
                        const char *key, struct cli_ranks *ranks) {
    double now = base_seconds();
    *progress = (struct cli_progress){.quiet = quiet,
                                      .is_terminal = isatty(STDERR_FILENO),
                                      .target = target,
                                      .ranks = ranks,
                                      .printed = now,
                                      .saved = ranks ? now - 2 * SAVE_SECONDS : now,
                                      .out = out,
                                      .key = key};
    search_set_watch(search, watch, progress);
}

void cli_progress_end(struct cli_progress *progress) {
    if (progress->has_line)
        clear_line();
}
