/* SPDX-License-Identifier: Apache-2.0
 *
 * The slices of a campaign: each is a separate process, `slowpath run ... --resume --time SLICE`.
 * So a target that crashes, eats memory or cannot be built harms no other, and a slice leaves what
 * any run leaves: a suite and a state, consistent at every moment. Slices of one target exchange
 * their results through a fleet's folder, as do campaigns on other hosts.
 *
 * The processes have a group of their own: Ctrl-C reaches the campaign, which asks them to end.
 */
#include "cli/campaign.h"
#include "suite/finding.h"
#include "suite/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LEAST_SLICE 1.0    /* minimum seconds worth a process */
#define GRACE 5.0          /* seconds past their end after which processes are asked to stop ... */
#define PATIENCE 20.0      /* ... and after which they are killed */
#define MOST_DEATHS 3u     /* consecutive failures of a target's processes */
#define MOMENT 30000000    /* nanoseconds between two checks */
#define PROBLEM_BYTES 2000 /* read from the end of a log */

static volatile sig_atomic_t signals;

static void on_signal(int number) {
    (void)number;
    signals++;
}

static void catch_signals(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < BASE_COUNT(numbers); i++) {
        struct sigaction action = {.sa_handler = on_signal}, before;
        sigaction(numbers[i], NULL, &before);
        if (numbers[i] != SIGHUP || before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
}

bool cli_slices_were_stopped(void) {
    return signals > 0;
}

static void wait_a_moment(void) {
    nanosleep(&(struct timespec){.tv_nsec = MOMENT}, NULL);
}

/* ---- one process ---- */

static char *log_path(const struct cli_campaign *campaign, size_t index) {
    return base_format("%s/logs/%s.log", campaign->out,
                       campaign->campaign.targets.data[index].name);
}

/* After fork: only async-signal-safe calls. */
static _Noreturn void become(const struct cli_campaign *campaign, const char *log,
                             char *const *words) {
    int in = open("/dev/null", O_RDONLY);
    int out = open(log, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (in < 0)
        _exit(127);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(in, STDIN_FILENO);
    dup2(out >= 0 ? out : in, STDOUT_FILENO);
    dup2(out >= 0 ? out : in, STDERR_FILENO);
    if (chdir(campaign->folder) == 0)
        execv("/proc/self/exe", words);
    _exit(127);
}

/* -1: fork failed. */
static pid_t start(const struct cli_campaign *campaign, size_t index,
                   const struct base_strings *words) {
    char **argv = base_alloc((words->count + 1) * sizeof *argv);
    char *log = log_path(campaign, index);
    memcpy(argv, words->data, words->count * sizeof *argv);
    pid_t pid = base_fault("fork") ? -1 : fork();
    if (pid == 0)
        become(campaign, log, argv);
    if (pid > 0)
        setpgid(pid, pid);
    free(log);
    free(argv);
    return pid;
}

static void add_option(struct base_strings *words, const char *option, char *value) {
    base_strings_add(words, option);
    base_strings_add(words, value);
    free(value);
}

/* Words from the file come last, so that it may set the number of jobs of a target. */
static void make_words(const struct cli_campaign *campaign, const struct cli_slice *slice,
                       double seconds, struct base_strings *words) {
    const struct campaign_target *target = &campaign->campaign.targets.data[slice->target];
    base_strings_add(words, "slowpath");
    base_strings_add(words, "run");
    add_option(words, "--out", base_format("%s/%s", campaign->out, target->name));
    add_option(words, "--time", base_format("%.3f", seconds));
    add_option(words, "--jobs", base_strdup("1"));
    base_strings_add(words, "--quiet");
    if (slice->is_resumed)
        base_strings_add(words, "--resume");
    if (!target->is_whole) {
        add_option(words, "--fleet", base_format("%s/%s", campaign->fleet, target->name));
        add_option(
            words, "--fleet-name",
            base_format("%s-%04llu", campaign->instance, (unsigned long long)target->slices + 1));
    }
    for (size_t i = 0; i < target->words.count; i++)
        base_strings_add(words, target->words.data[i]);
}

/* ---- results ---- */

/* The last non-empty line of the log; the caller frees it. */
static char *read_problem(const struct cli_campaign *campaign, size_t index) {
    char *path = log_path(campaign, index), *text = NULL, *line = NULL;
    struct base_error error;
    size_t size;
    if (base_read_file(path, &text, &size, &error)) {
        char *start = size > PROBLEM_BYTES ? text + size - PROBLEM_BYTES : text;
        for (char *at = strtok(start, "\n"); at; at = strtok(NULL, "\n"))
            line = at;
    }
    char *problem = base_strdup(line ? line : "it has said nothing");
    free(text);
    free(path);
    return problem;
}

static void fail(struct cli_campaign *campaign, size_t index, char *problem) {
    struct campaign_target *target = &campaign->campaign.targets.data[index];
    target->status = CAMPAIGN_FAILED;
    free(target->problem);
    target->problem = problem;
    base_warn("campaign: %s: %s", target->name, problem);
}

/* Costs of all tests: if they differ, the suite has changed. */
static json_t *costs_of(const json_t *root) {
    json_t *costs = json_array();
    const json_t *test;
    size_t index;
    json_array_foreach(json_object_get(root, "tests"), index, test)
        json_array_append(costs, json_object_get(test, "cost"));
    return costs;
}

static json_t *load_suite(const struct cli_campaign *campaign, size_t index) {
    char *path =
        base_format("%s/%s/suite.json", campaign->out, campaign->campaign.targets.data[index].name);
    json_t *root = json_load_file(path, 0, NULL);
    free(path);
    return root;
}

static double best_of(const json_t *root) {
    const char *measure = json_string_value(json_object_get(root, "measure"));
    const json_t *first = json_array_get(json_object_get(root, "tests"), 0);
    const json_t *cost = json_object_get(first, "cost");
    const json_t *value = measure ? json_object_get(cost, measure) : NULL;
    return json_number_value(value ? value : json_object_get(cost, "instructions"));
}

static void book(struct cli_campaign *campaign, const struct cli_slice *slice, double seconds) {
    struct campaign_target *target = &campaign->campaign.targets.data[slice->target];
    json_t *root = load_suite(campaign, slice->target), *costs = costs_of(root);
    const json_t *stats = json_object_get(root, "stats");
    struct campaign_slice brought = {
        .seconds = seconds,
        .best = root ? best_of(root) : target->best,
        .tests = root ? json_array_size(costs) : target->tests,
        .findings = root ? json_array_size(json_object_get(root, "findings")) : target->findings,
        .has_new_test = root && !json_equal(costs, target->costs),
        .is_complete = json_is_true(json_object_get(stats, "complete")) ||
                       strcmp(suite_text(stats, "end", ""), "runs") == 0};
    campaign_book(&campaign->campaign, slice->target, &brought);
    json_decref(target->costs);
    target->costs = costs;
    if (root) {
        json_decref(target->found);
        target->found = json_incref(json_object_get(root, "findings"));
    }
    json_decref(root);
}

static void book_death(struct cli_campaign *campaign, const struct cli_slice *slice, int signal,
                       double seconds) {
    struct campaign_target *target = &campaign->campaign.targets.data[slice->target];
    unsigned deaths = target->deaths + 1;
    book(campaign, slice, seconds);
    target->deaths = deaths;
    if (deaths >= MOST_DEATHS)
        fail(campaign, slice->target,
             base_format("its process was killed by signal %d, %u times in a row", signal, deaths));
}

static void end_slice(struct cli_campaign *campaign, const struct cli_slice *slice, int status,
                      bool was_asked) {
    struct campaign_target *target = &campaign->campaign.targets.data[slice->target];
    double seconds = base_seconds() - slice->began;
    target->is_running = false;
    if (WIFSIGNALED(status))
        book_death(campaign, slice, WTERMSIG(status), seconds);
    else if (WEXITSTATUS(status) == BASE_OK || WEXITSTATUS(status) == BASE_GATE)
        book(campaign, slice, seconds);
    else if (WEXITSTATUS(status) == BASE_USAGE && slice->is_resumed)
        campaign->is_anew[slice->target] = true; /* the target has changed */
    else if (!was_asked)
        fail(campaign, slice->target, read_problem(campaign, slice->target));
}

/* ---- all of them ---- */

static double seconds_left(const struct cli_campaign *campaign) {
    double used = campaign->before + base_seconds() - campaign->began;
    return campaign->seconds > 0 ? campaign->seconds - used : HUGE_VAL;
}

static bool start_slice(struct cli_campaign *campaign, size_t index, double seconds) {
    struct campaign_target *target = &campaign->campaign.targets.data[index];
    char *folder = base_format("%s/%s", campaign->out, target->name);
    struct cli_slice slice = {.target = index, .began = base_seconds()};
    struct base_strings words = {0};
    slice.is_resumed = !campaign->is_anew[index] && !target->is_whole && suite_has_state(folder);
    make_words(campaign, &slice, seconds, &words);
    slice.pid = start(campaign, index, &words);
    base_strings_done(&words);
    free(folder);
    if (slice.pid < 0)
        return false;
    campaign->is_anew[index] = false;
    target->is_running = true;
    base_push(&campaign->slices, slice);
    return true;
}

static void fill_jobs(struct cli_campaign *campaign) {
    while (campaign->slices.count < campaign->jobs && !signals) {
        double left = seconds_left(campaign);
        size_t index = left < LEAST_SLICE ? CAMPAIGN_NONE
                                          : campaign_choose(&campaign->campaign, campaign->seed);
        if (index == CAMPAIGN_NONE)
            return;
        const struct campaign_target *target = &campaign->campaign.targets.data[index];
        double seconds = target->is_whole ? fmin(left, campaign->first * 8)
                                          : campaign_slice_seconds(target, campaign->first, left);
        if (!start_slice(campaign, index, seconds))
            return; /* later, when another process has ended */
    }
}

/* True: a process has ended. */
static bool gather(struct cli_campaign *campaign, bool was_asked) {
    size_t kept = 0, count = campaign->slices.count;
    for (size_t i = 0; i < count; i++) {
        struct cli_slice slice = campaign->slices.data[i];
        int status;
        if (waitpid(slice.pid, &status, WNOHANG) == slice.pid)
            end_slice(campaign, &slice, status, was_asked);
        else
            campaign->slices.data[kept++] = slice;
    }
    campaign->slices.count = kept;
    return kept < count;
}

static void signal_all(const struct cli_campaign *campaign, int number) {
    for (size_t i = 0; i < campaign->slices.count; i++)
        kill(campaign->slices.data[i].pid, number);
}

/* Slices end by themselves. Those that do not, because they are still building or the user wants to
 * stop, are asked to; those that do not react are killed. */
struct ending {
    sig_atomic_t heard; /* signals passed on */
    double asked;       /* time of the request; 0: none */
};

static void see_to_the_end(struct cli_campaign *campaign, struct ending *ending) {
    bool is_late = seconds_left(campaign) < -GRACE;
    if (signals > ending->heard || (is_late && ending->asked <= 0)) {
        ending->heard = signals;
        ending->asked = base_seconds();
        signal_all(campaign, SIGTERM);
    }
    if (ending->asked > 0 && base_seconds() - ending->asked > PATIENCE)
        signal_all(campaign, SIGKILL);
}

void cli_slices_run(struct cli_campaign *campaign, void (*beat)(struct cli_campaign *campaign),
                    void (*changed)(struct cli_campaign *campaign)) {
    struct ending ending = {0};
    catch_signals();
    for (;;) {
        fill_jobs(campaign);
        if (!campaign->slices.count)
            return;
        wait_a_moment();
        see_to_the_end(campaign, &ending);
        campaign->campaign.seconds = campaign->before + base_seconds() - campaign->began;
        if (gather(campaign, ending.asked > 0))
            changed(campaign);
        beat(campaign);
    }
}

void cli_slices_report(struct cli_campaign *campaign, size_t index, double seconds) {
    struct base_strings words = {0};
    double until = base_seconds() + seconds;
    int status;
    base_strings_add(&words, "slowpath");
    base_strings_add(&words, "report");
    char *folder = base_format("%s/%s", campaign->out, campaign->campaign.targets.data[index].name);
    base_strings_add(&words, folder);
    base_strings_add(&words, "--quiet");
    pid_t pid = start(campaign, index, &words);
    while (pid > 0 && waitpid(pid, &status, WNOHANG) == 0) {
        if (base_seconds() > until || signals)
            kill(pid, SIGKILL);
        wait_a_moment();
    }
    free(folder);
    base_strings_done(&words);
}
