/* SPDX-License-Identifier: Apache-2.0
 *
 * --fleet: how does a run take part in a fleet, and what does it report? Everything that the search
 * gives and takes goes through the shared folder (fleet/fleet.h).
 *
 * An instance is identified by its name, which must be the same when it is resumed. Its random
 * numbers depend on the seed and the name, so that no two instances do the same. The key identifies
 * what is searched: the program, the measure and the form of inputs, but not how they are searched.
 */
#include "cli/run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEAVE_SECONDS 3.0 /* for writing the last results */
#define ASK_SECONDS 2.0   /* for a last look at the others' results */
#define HOST_BYTES 40

/* ---- names ---- */

static void read_host(char host[HOST_BYTES]) {
    if (gethostname(host, HOST_BYTES) != 0 || !*host)
        strcpy(host, "host");
    host[HOST_BYTES - 1] = 0;
    for (char *at = host; *at; at++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", *at))
            *at = '-';
}

static void hash_text(const char *text, char hash[33]) {
    struct base_hash state;
    base_hash_init(&state);
    base_hash_add_text(&state, text);
    base_hash_done(&state, hash);
}

/* The place of the suite identifies the instance. */
static void name_by_place(const char *out, char name[FLEET_NAME_BYTES]) {
    char host[HOST_BYTES], hash[33], *place = base_relative_path("/", out);
    read_host(host);
    hash_text(place, hash);
    snprintf(name, FLEET_NAME_BYTES, "%s-%.8s", host, hash);
    free(place);
}

static void name_by_process(char name[FLEET_NAME_BYTES]) {
    char host[HOST_BYTES];
    read_host(host);
    snprintf(name, FLEET_NAME_BYTES, "%s-%d", host, (int)getpid());
}

bool cli_fleet_read(struct cli_run *run, struct base_error *error) {
    const struct cli_values *values = run->values;
    const char *folder = values->given[CLI_FLEET], *name = values->given[CLI_FLEET_NAME];
    const char *out = values->given[CLI_OUT];
    if (!folder)
        return !name || base_fail(error, BASE_USAGE, "--fleet-name: it is for --fleet DIR");
    if (!*folder)
        return base_fail(error, BASE_USAGE, "--fleet: the folder has no name: --fleet DIR");
    if (run->description.swept)
        return base_fail(error, BASE_USAGE, "--fleet does not work with a range of sizes");
    if (name && !fleet_check_name(name, error))
        return false;
    if (values->given[CLI_RESUME] && !name && !out)
        return base_fail(error, BASE_USAGE,
                         "--resume: say which instance of the fleet goes on: --fleet-name NAME or "
                         "--out DIR");
    if (run->ranks && !name && !out)
        return base_fail(error, BASE_USAGE,
                         "--fleet on several ranks: give all of them one --fleet-name or --out");
    if (name)
        snprintf(run->fleet.name, sizeof run->fleet.name, "%s", name);
    else if (out)
        name_by_place(out, run->fleet.name);
    else
        name_by_process(run->fleet.name);
    return true;
}

char *cli_fleet_out(const struct cli_run *run) {
    return base_format("%s/%s/suite", run->values->given[CLI_FLEET], run->fleet.name);
}

/* ---- the key ---- */

static void add_words(struct base_hash *hash, const struct base_strings *words) {
    base_hash_add(hash, &words->count, sizeof words->count);
    for (size_t i = 0; i < words->count; i++)
        base_hash_add_text(hash, words->data[i]);
}

/* A plain number limits the size of inputs, which each instance may choose for itself. */
static void add_sizes(struct base_hash *hash, const struct base_strings *sizes) {
    for (size_t i = 0; i < sizes->count; i++)
        if (strchr(sizes->data[i], '='))
            base_hash_add_text(hash, sizes->data[i]);
}

/* With the same key an input has the same meaning and the same cost. */
static void make_key(const struct cli_run *run, char key[33]) {
    static const enum cli_option options[] = {CLI_ENTRY,   CLI_INVARIANT, CLI_HEAP,
                                              CLI_OBJECTS, CLI_ARG,       CLI_WEIGHTS};
    const struct cli_values *values = run->values;
    const struct search_layout *layout = &run->subject->layout;
    uint64_t bytes = layout->is_typed ? layout->bytes : 0;
    struct base_hash hash;
    base_hash_init(&hash);
    base_hash_add_text(&hash, target_key(run->measuring));
    base_hash_add_text(&hash, SLOWPATH_VERSION);
    base_hash_add_text(&hash, run->measure_text);
    base_hash_add_text(&hash, cli_template_key(run));
    base_hash_add(&hash, &bytes, sizeof bytes);
    for (size_t i = 0; i < BASE_COUNT(options); i++) {
        const char *value = cli_value(values, options[i]);
        base_hash_add_text(&hash, value ? value : "");
    }
    add_sizes(&hash, &values->sizes);
    add_words(&hash, &values->assumptions);
    add_words(&hash, &values->ranges);
    add_words(&hash, &run->description.args);
    base_hash_done(&hash, key);
}

/* ---- the search's side ---- */

static void give(void *self, enum search_message kind, const void *data, size_t size) {
    fleet_give(((struct cli_fleet *)self)->joined, kind, data, size);
}

static bool take(void *self, enum search_message kind, uint8_t **data, size_t *size) {
    return fleet_take(((struct cli_fleet *)self)->joined, kind, data, size);
}

static void note(void *self, enum search_message kind, bool is_record) {
    struct cli_fleet *fleet = self;
    atomic_fetch_add(&fleet->noted[kind], 1);
    atomic_fetch_add(&fleet->records[kind], is_record);
}

static bool ask(void *self, enum search_message kind) {
    return fleet_await(((struct cli_fleet *)self)->joined, kind, ASK_SECONDS);
}

/* Old claims may belong to instances that have ended. */
static void forget_claims(struct cli_fleet *fleet) {
    uint8_t *data;
    size_t size;
    while (fleet_take(fleet->joined, SEARCH_CLAIM, &data, &size))
        free(data);
}

bool cli_fleet_begin(struct cli_run *run, struct base_error *error) {
    struct cli_fleet *fleet = &run->fleet;
    char key[33], stream[33];
    const char *folder = run->values->given[CLI_FLEET];
    if (!folder || cli_ranks_own(run->ranks)) /* rank 0 acts for all */
        return true;
    make_key(run, key);
    fleet->joined = fleet_join(folder, fleet->name, key, fleet->exchange.waiting, error);
    if (!fleet->joined)
        return false;
    forget_claims(fleet);
    fleet->exchange.self = fleet;
    fleet->exchange.give = give;
    fleet->exchange.take = take;
    fleet->exchange.note = note;
    fleet->exchange.ask = ask;
    run->options.exchange = &fleet->exchange;
    hash_text(fleet->name, stream);
    stream[16] = 0;
    run->options.stream = strtoull(stream, NULL, 16);
    base_note("fleet: this is '%s' in %s", fleet->name, folder);
    return true;
}

void cli_fleet_end(struct cli_run *run) {
    struct cli_fleet *fleet = &run->fleet;
    if (!fleet->joined)
        return;
    fleet_leave(fleet->joined, LEAVE_SECONDS, &fleet->statistics);
    fleet->joined = NULL;
    fleet->has_left = true;
}

/* ---- output ---- */

static uint64_t patterns_of(const struct cli_fleet *fleet) {
    return fleet->noted[SEARCH_CLAIM] + fleet->noted[SEARCH_LAW];
}

json_t *cli_fleet_json(const struct cli_run *run) {
    const struct fleet_statistics *now = &run->fleet.statistics;
    return run->fleet.has_left
               ? json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f}", "name",
                           run->fleet.name, "others", (json_int_t)now->others, "taken",
                           (json_int_t)now->taken[SEARCH_INPUT], "records",
                           (json_int_t)run->fleet.records[SEARCH_INPUT], "patterns",
                           (json_int_t)patterns_of(&run->fleet), "laws",
                           (json_int_t)run->fleet.records[SEARCH_LAW], "given",
                           (json_int_t)now->given, "lost", (json_int_t)now->lost, "torn",
                           (json_int_t)now->torn, "foreign", (json_int_t)now->foreign,
                           "stalled_seconds", now->stalled)
               : NULL;
}

static void print_left_alone(FILE *out, const struct fleet_statistics *now) {
    if (now->torn)
        fprintf(out, "; %llu torn files left alone", (unsigned long long)now->torn);
    if (now->foreign)
        fprintf(out, "; %llu files of other targets left alone", (unsigned long long)now->foreign);
    if (now->stalled > 0)
        fprintf(out, "; the folder did not answer for %.0f s", now->stalled);
    if (now->is_full)
        fprintf(out, "; the folder cannot be written");
}

static void print_count(FILE *out, uint64_t count, const char *what) {
    fprintf(out, "%llu %s%s", (unsigned long long)count, what, count == 1 ? "" : "s");
}

void cli_fleet_print(FILE *out, const struct cli_run *run) {
    const struct fleet_statistics *now = &run->fleet.statistics;
    if (!run->fleet.has_left)
        return;
    fputs("fleet: ", out);
    print_count(out, now->taken[SEARCH_INPUT], "input");
    fputs(" of ", out);
    print_count(out, now->others, "other");
    fprintf(out, "%s taken, ", now->has_own ? " and of its own earlier runs" : "");
    print_count(out, run->fleet.records[SEARCH_INPUT], "record");
    if (patterns_of(&run->fleet)) {
        fputs("; ", out);
        print_count(out, patterns_of(&run->fleet), "pattern");
        fputs(", ", out);
        print_count(out, run->fleet.records[SEARCH_LAW], "law");
    }
    fputs("; ", out);
    print_count(out, now->given, "find");
    fputs(" given", out);
    print_left_alone(out, now);
    fputc('\n', out);
}
