/* SPDX-License-Identifier: Apache-2.0
 *
 * How does a search end when its time is up or the user stops it, so that its results are kept?
 *
 * One moment says when runs of the target end at the latest, whoever waits for them: first it is a
 * little after the end of the search, so that most of what is under way still counts; then a little
 * after that, for running the tests again. A signal makes the moment soon, a second one immediate:
 * the suite is still written, but less of it is verified.
 *
 * A deadline covers everything, including builds before the search. It ends a build like a signal;
 * the search gets the rest.
 */
#include "cli/cli.h"
#include "search/search.h"

#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <unistd.h>

#define GRACE 0.25  /* seconds for runs under way */
#define FINISH 0.45 /* seconds to run the tests again and describe them */
#define CLOSE 0.2   /* seconds to write the suite */
#define LATE 0.2    /* seconds to run the tests again if a signal came before the search */

static struct search *volatile running;
static _Atomic double halt = HUGE_VAL;
static atomic_uint signals;
static double planned_end;
static volatile bool is_between; /* between the earlier work and the search */
static double deadline = HUGE_VAL;
static bool was_heard; /* a signal ended it: make the search as short as possible */

static void bring_near(double time) {
    if (time < atomic_load(&halt))
        atomic_store(&halt, time);
}

static void on_signal(int number) {
    static const char text[] = "\nstopping: keeping what was found\n";
    (void)number;
    bool is_first = atomic_fetch_add(&signals, 1) == 0;
    struct search *search = running;
    if (search)
        search_stop(search);
    else if (is_between)
        return; /* cli_stop_begin checks it */
    bring_near(base_seconds() + (is_first ? GRACE : 0));
    if (is_first) {
        bool on_a_line = isatty(STDERR_FILENO); /* where progress is shown */
        if (write(STDERR_FILENO, text + !on_a_line, sizeof text - 1 - !on_a_line) < 0)
            return; /* nobody reads it */
    }
}

/* Under nohup, SIGHUP stays ignored. */
static void catch_signals(bool on) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < BASE_COUNT(numbers); i++) {
        struct sigaction action = {.sa_handler = on ? on_signal : SIG_DFL, .sa_flags = SA_RESTART};
        struct sigaction before;
        sigaction(numbers[i], NULL, &before);
        if (numbers[i] != SIGHUP || before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
}

/* A build ends and raises the signal again; anything else that does not end is abandoned a second
 * later. */
static void on_deadline(int number) {
    static const char text[] = "slowpath: --deadline has passed, and the target is not yet built\n";
    static volatile bool is_told;
    if (is_told)
        _exit(BASE_TARGET);
    is_told = true;
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written; /* nobody has to read it */
    base_stop_children(number);
    alarm(1);
}

static void set_alarm(double seconds) {
    time_t whole = (time_t)seconds;
    struct itimerval timer = {.it_value = {whole, (suseconds_t)((seconds - (double)whole) * 1e6)}};
    signal(SIGALRM, seconds > 0 ? on_deadline : SIG_DFL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

void cli_stop_within(double seconds) {
    deadline = base_seconds() + seconds;
    set_alarm(seconds);
}

double cli_stop_shorten(double seconds) {
    if (deadline == HUGE_VAL)
        return seconds;
    set_alarm(0);
    double left = fmax(deadline - base_seconds() - FINISH - CLOSE, 0.001);
    return seconds > 0 ? fmin(seconds, left) : left;
}

const _Atomic double *cli_stop_halt(void) {
    return &halt;
}

double cli_stop_seconds_left(void) {
    return atomic_load(&halt) - base_seconds();
}

void cli_stop_listen(void) {
    catch_signals(true);
}

void cli_stop_until(double time) {
    if (!cli_stop_was_asked())
        atomic_store(&halt, time);
}

bool cli_stop_was_asked(void) {
    return atomic_load(&signals) > 0;
}

bool cli_stop_heard(void) {
    is_between = true;
    was_heard = cli_stop_was_asked();
    atomic_store(&signals, 0);
    atomic_store(&halt, HUGE_VAL);
    return was_heard;
}

void cli_stop_begin(struct search *search, double seconds, double reserve) {
    planned_end = seconds > 0 ? base_seconds() + seconds : HUGE_VAL;
    atomic_store(&halt, planned_end - reserve + (was_heard ? 0 : GRACE));
    running = search;
    is_between = false;
    catch_signals(true);
    if (was_heard)
        atomic_store(&signals, 0);
    else if (cli_stop_was_asked())
        search_stop(search);
}

void cli_stop_finish(void) {
    double now = base_seconds();
    running = NULL;
    bool is_now = now > planned_end || was_heard || atomic_load(&signals);
    double end = (is_now ? now : planned_end) + (was_heard ? LATE : FINISH);
    atomic_store(&halt, atomic_load(&signals) > 1 ? now : end);
}

void cli_stop_end(void) {
    catch_signals(false);
    atomic_store(&halt, HUGE_VAL);
}
