/* SPDX-License-Identifier: Apache-2.0
 *
 * slowpath campaign: many targets under one budget. The file is read and checked completely before
 * anything runs. Then slices run (campaign_slices.c), and the current results are always on disk:
 * campaign.json for programs and --resume, index.html for people, a suite per target.
 */
#include "cli/campaign.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define PAGE_SECONDS 2.0
#define LINE_SECONDS 3.0
#define REPORT_SECONDS 60.0
#define SLICES 8.0   /* per target, if all got the same */
#define SHORTEST 2.0 /* default length of the first slice, in seconds */
#define LONGEST 60.0

/* ---- the file ---- */

static bool is_ours(enum cli_option option) {
    static const enum cli_option ours[] = {CLI_OUT,     CLI_TIME,       CLI_RESUME, CLI_FORCE,
                                           CLI_FLEET,   CLI_FLEET_NAME, CLI_JSON,   CLI_QUIET,
                                           CLI_VERBOSE, CLI_HELP};
    for (size_t i = 0; i < BASE_COUNT(ours); i++)
        if (ours[i] == option)
            return true;
    return false;
}

static const char *const option_names[] = {
#define OPTION(id, name, argument, fallback, commands, help) name,
#include "cli/options.def"
#undef OPTION
};

static bool has_range(const struct base_strings *sizes) {
    for (size_t i = 0; i < sizes->count; i++)
        if (strstr(sizes->data[i], ".."))
            return true;
    return false;
}

/* A target is described by words of `slowpath run`, except those that the campaign decides. */
static bool check_target(const char *file, struct campaign_target *target,
                         struct base_error *error) {
    static const struct cli_command run = {.name = "run", .bit = RUN_COMMAND};
    struct cli_values values;
    struct base_error reason;
    bool good = cli_parse(&run, (int)target->words.count, target->words.data, &values, &reason) ||
                base_fail(error, BASE_USAGE, "%s:%u: %s", file, target->line, reason.message);
    for (int i = 0; good && i < CLI_OPTION_COUNT; i++)
        if (values.given[i] && is_ours((enum cli_option)i))
            good = base_fail(error, BASE_USAGE,
                             "%s:%u: --%s is the campaign's to say; take it out of the file", file,
                             target->line, option_names[i]);
    if (good && !values.before.count)
        good = base_fail(error, BASE_USAGE, "%s:%u: a target is wanted", file, target->line);
    target->is_whole = good && has_range(&values.sizes);
    cli_values_done(&values);
    return good;
}

static bool read_file(struct cli_campaign *campaign, struct base_error *error) {
    const struct base_strings *before = &campaign->values->before;
    if (before->count != 1 || campaign->values->after.count)
        return base_fail(error, BASE_USAGE, "one file is wanted: slowpath campaign FILE");
    campaign->file = before->data[0];
    if (!campaign_read(campaign->file, &campaign->campaign, error))
        return false;
    for (size_t i = 0; i < campaign->campaign.targets.count; i++)
        if (!check_target(campaign->file, &campaign->campaign.targets.data[i], error))
            return false;
    campaign->is_anew = base_alloc(campaign->campaign.targets.count * sizeof *campaign->is_anew);
    return true;
}

/* ---- options ---- */

static bool choose_numbers(struct cli_campaign *campaign, struct base_error *error) {
    const struct cli_values *values = campaign->values;
    double jobs = (double)sysconf(_SC_NPROCESSORS_ONLN), seed;
    double count = (double)campaign->campaign.targets.count;
    if (!cli_number(values, CLI_TIME, 0, 1e9, &campaign->seconds, error) ||
        !cli_number(values, CLI_SEED, 0, 1e15, &seed, error) ||
        (values->given[CLI_JOBS] && !cli_number(values, CLI_JOBS, 1, 256, &jobs, error)))
        return false;
    campaign->jobs = jobs < 1 ? 1 : (size_t)jobs;
    campaign->seed = (uint64_t)seed;
    double fair = campaign->seconds * (double)campaign->jobs / (count * SLICES);
    campaign->first = campaign->seconds > 0 ? fmin(fmax(fair, SHORTEST), LONGEST) : LONGEST / 2;
    return !values->given[CLI_SLICE] ||
           cli_number(values, CLI_SLICE, 0.1, 1e6, &campaign->first, error);
}

static char *real_folder(const char *path, struct base_error *error) {
    char *place = realpath(path, NULL);
    if (!place)
        base_fail(error, BASE_USAGE, "'%s' is not there", path);
    return place;
}

/* Under mpirun or srun each rank is a campaign of its own, in its own folder, and all share a
 * fleet. -1: started alone. Slices are not ranks, so the launcher's variables are removed. */
static int take_rank(void) {
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                        "PMI2_RANK"};
    int rank = -1;
    for (size_t i = 0; i < BASE_COUNT(ranks); i++) {
        const char *text = getenv(ranks[i]);
        if (text && rank < 0)
            rank = atoi(text);
        unsetenv(ranks[i]);
    }
    unsetenv("OMPI_COMM_WORLD_SIZE");
    if (rank >= 0) /* nothing else would report that the launcher was killed */
        prctl(PR_SET_PDEATHSIG, SIGTERM);
    return rank;
}

static char *name_out(struct cli_campaign *campaign) {
    const char *given = campaign->values->given[CLI_OUT];
    char *out = given ? base_strdup(given) : base_format("%s.slowpath", campaign->file);
    int rank = take_rank();
    if (rank < 0)
        return out;
    char *own = base_format("%s/rank-%d", out, rank);
    campaign->shared = base_format("%s/fleet", out);
    free(out);
    return own;
}

static bool choose_places(struct cli_campaign *campaign, struct base_error *error) {
    const struct cli_values *values = campaign->values;
    char *out = name_out(campaign);
    char *logs = base_format("%s/logs", out), *folder = base_strdup(campaign->file);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = 0;
    bool good = base_make_dirs(logs, error) && (campaign->out = real_folder(out, error)) &&
                (campaign->folder = real_folder(slash ? folder : ".", error)) &&
                cli_try_json(values->given[CLI_JSON], error);
    free(out);
    free(logs);
    free(folder);
    const char *fleet = values->given[CLI_FLEET] ? values->given[CLI_FLEET] : campaign->shared;
    if (good && fleet)
        good = base_make_dirs(fleet, error) && (campaign->fleet = real_folder(fleet, error));
    else if (good)
        campaign->fleet = base_format("%s/fleet", campaign->out);
    return good;
}

/* The name of this campaign's slices in a fleet; a number is appended. */
static void choose_instance(struct cli_campaign *campaign) {
    char host[33] = "", hash[33];
    struct base_hash state;
    if (gethostname(host, sizeof host - 1) != 0)
        strcpy(host, "host");
    for (char *at = host; *at; at++)
        if (*at == '.' ||
            !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", *at))
            *at = '-';
    base_hash_init(&state);
    base_hash_add_text(&state, campaign->out);
    base_hash_add(&state, &campaign->seed, sizeof campaign->seed);
    base_hash_done(&state, hash);
    snprintf(campaign->instance, sizeof campaign->instance, "%s-%.8s", host, hash);
    if (campaign->values->given[CLI_FLEET] || campaign->shared) /* others start elsewhere */
        campaign->seed += strtoull(hash + 24, NULL, 16);
}

static bool go_on(struct cli_campaign *campaign, struct base_error *error) {
    char *path = base_format("%s/campaign.json", campaign->out);
    bool is_there = access(path, F_OK) == 0, good = true;
    if (campaign->values->given[CLI_RESUME] && !is_there)
        good = base_fail(error, BASE_USAGE, "--resume: there is no campaign to go on with in '%s'",
                         campaign->out);
    else if (campaign->values->given[CLI_RESUME])
        good = campaign_load(&campaign->campaign, path, error);
    else if (is_there && !campaign->values->given[CLI_FORCE])
        good = base_fail(error, BASE_USAGE,
                         "'%s' has a campaign: --resume goes on with it, --force begins anew",
                         campaign->out);
    for (size_t i = 0; good && i < campaign->campaign.targets.count; i++)
        campaign->is_anew[i] = campaign->values->given[CLI_FORCE] != NULL;
    campaign->before = campaign->campaign.seconds;
    free(path);
    return good;
}

/* ---- progress ---- */

static void write_part(const struct cli_campaign *campaign, const char *name, const char *data,
                       size_t size) {
    static bool was_told;
    struct base_error error;
    char *path = base_format("%s/%s", campaign->out, name);
    if (!base_write_file(path, data, size, &error) && !was_told) {
        base_warn("campaign: %s; it goes on", error.message);
        was_told = true;
    }
    free(path);
}

static void write_page(const struct cli_campaign *campaign, bool is_over) {
    struct base_buffer page = {0};
    char *title = base_format("slowpath campaign %s", base_basename(campaign->file));
    campaign_page(&campaign->campaign, title, is_over, &page);
    write_part(campaign, "index.html", page.data, page.count);
    base_buffer_done(&page);
    free(title);
}

static void write_record(const struct cli_campaign *campaign, const char *state) {
    json_t *json = campaign_json(&campaign->campaign, state);
    char *text = json ? json_dumps(json, JSON_INDENT(2) | JSON_ENSURE_ASCII) : NULL;
    if (text)
        write_part(campaign, "campaign.json", text, strlen(text));
    free(text);
    json_decref(json);
}

static void changed(struct cli_campaign *campaign) {
    write_record(campaign, "running");
    write_page(campaign, false);
}

static void print_line(const struct cli_campaign *campaign, bool is_terminal) {
    struct base_buffer line = {0};
    uint64_t findings = 0;
    for (size_t i = 0; i < campaign->campaign.targets.count; i++)
        findings += campaign->campaign.targets.data[i].findings;
    base_buffer_print(&line, "%.0f s", campaign->campaign.seconds);
    if (campaign->seconds > 0)
        base_buffer_print(&line, " of %.0f", campaign->seconds);
    base_buffer_print(&line, "  %llu slices  %llu findings  running:",
                      (unsigned long long)campaign->campaign.slices, (unsigned long long)findings);
    for (size_t i = 0; i < campaign->slices.count; i++)
        base_buffer_print(&line, " %s",
                          campaign->campaign.targets.data[campaign->slices.data[i].target].name);
    fprintf(stderr, is_terminal ? "\r%.79s\033[K" : "%s\n", line.data);
    base_buffer_done(&line);
}

static void beat(struct cli_campaign *campaign) {
    static double printed, written;
    bool is_terminal = isatty(STDERR_FILENO);
    double now = base_seconds();
    if (now - written > PAGE_SECONDS) {
        write_page(campaign, false);
        written = now;
    }
    if (!campaign->values->given[CLI_QUIET] && now - printed > (is_terminal ? 0.3 : LINE_SECONDS)) {
        print_line(campaign, is_terminal);
        printed = now;
    }
}

/* ---- the end ---- */

static void write_reports(struct cli_campaign *campaign) {
    for (size_t i = 0; i < campaign->campaign.targets.count; i++) {
        struct campaign_target *target = &campaign->campaign.targets.data[i];
        char *page = base_format("%s/%s/report.html", campaign->out, target->name);
        if (target->tests && !cli_slices_were_stopped())
            cli_slices_report(campaign, i, REPORT_SECONDS);
        target->has_report = access(page, F_OK) == 0;
        free(page);
    }
}

static bool tell(struct cli_campaign *campaign, struct base_error *error) {
    const char *path = campaign->values->given[CLI_JSON];
    bool is_stdout = path && strcmp(path, "-") == 0, good = true;
    FILE *out = is_stdout ? stderr : stdout;
    if (path) {
        json_t *json = campaign_json(&campaign->campaign, "over");
        good = cli_write_json(json, path, error);
        json_decref(json);
    }
    campaign_print(&campaign->campaign, out);
    if (cli_slices_were_stopped())
        fprintf(out, "interrupted: --resume goes on\n");
    fprintf(out, "page: %s/index.html\n", campaign->out);
    return good;
}

static bool has_any(const struct campaign *campaign) {
    for (size_t i = 0; i < campaign->targets.count; i++)
        if (campaign->targets.data[i].status != CAMPAIGN_FAILED)
            return true;
    return false;
}

static bool finish(struct cli_campaign *campaign, struct base_error *error) {
    if (isatty(STDERR_FILENO) && !campaign->values->given[CLI_QUIET])
        fputs("\r\033[K", stderr);
    write_record(campaign, "over"); /* the reports take a while */
    write_reports(campaign);
    write_page(campaign, true);
    return tell(campaign, error) &&
           (has_any(&campaign->campaign) ||
            base_fail(error, BASE_TARGET, "no target of %s could be searched", campaign->file));
}

int cli_campaign(const struct cli_values *values, struct base_error *error) {
    struct cli_campaign campaign = {.values = values};
    bool good = read_file(&campaign, error) && choose_numbers(&campaign, error) &&
                choose_places(&campaign, error) && go_on(&campaign, error);
    if (good) {
        choose_instance(&campaign);
        campaign.began = base_seconds();
        changed(&campaign);
        cli_slices_run(&campaign, beat, changed);
        good = finish(&campaign, error);
    }
    campaign_done(&campaign.campaign);
    base_vector_done(&campaign.slices);
    free(campaign.is_anew);
    free(campaign.folder);
    free(campaign.out);
    free(campaign.fleet);
    free(campaign.shared);
    return good ? BASE_OK : (int)error->code;
}
