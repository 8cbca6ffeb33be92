/* SPDX-License-Identifier: Apache-2.0
 *
 * exact: is `complete` ever false? Explores random programs, runs them with every input as well,
 * and says where the two differ. Fails when a claim was false, a test was not what it said, a
 * program was broken, or less than 99% are complete (--least); such programs are kept in the
 * folder, the first N of them shrunk, too. With
 * --print so are all that are not complete.
 *
 *   exact [--seed N] [--programs N] [--features LIST] [--time SECONDS] [--folder NAME]
 *         [--shrink N] [--least PERCENT] [--driven [--loop-bound K]] [--print]
 *
 * Programs have seeds N, N+1, ... (from $SEED, or 1, when it is not given) and take the features of
 * LIST in turn: names joined by `+`, with commas between (base,memory+pointers). With --driven it
 * is the worst case alone that is looked for, and compared, by the strategy of that name; under a
 * bound on loops it is compared with what `exhaustive` finds within it.
 */
#include "exact/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODULE = 20, MAX_GROUPS = 32 };
#define SHRINK_SECONDS 60

struct group {
    char *name;
    uint32_t features;
    uint64_t programs, verdicts[EXACT_VERDICT_COUNT], paths, inputs;
    double seconds;
};

struct exact {
    uint64_t seed, programs, shrinks;
    double least; /* percent that must be complete */
    struct exact_limits limits;
    bool prints;
    struct group groups[MAX_GROUPS];
    uint32_t group_count;
    struct base_map reasons;
    BASE_VECTOR(char *) names; /* of the reasons */
    BASE_VECTOR(uint64_t) counts;
};

static const char *const verdict_names[EXACT_VERDICT_COUNT] = {
    "engine died", "complete", "incomplete", "late", "FALSE", "UNVERIFIED", "broken"};

static bool is_failure(enum exact_verdict verdict) {
    return verdict == EXACT_PENDING || verdict >= EXACT_FALSE;
}

/* ---- options ---- */

static _Noreturn void refuse(const char *text) {
    fprintf(stderr, "exact: %s\n", text);
    exit(2);
}

static uint32_t feature_of(const char *name, size_t length) {
    static const char *const names[] = {
#define FEATURE(id, name) name,
        EXACT_FEATURES(FEATURE)
#undef FEATURE
    };
    for (uint32_t i = 0; i < EXACT_FEATURE_COUNT; i++)
        if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0)
            return 1u << i;
    refuse("no such feature");
}

static void add_group(struct exact *exact, const char *text, size_t length) {
    if (exact->group_count == MAX_GROUPS)
        refuse("too many groups of features");
    struct group *group = &exact->groups[exact->group_count++];
    group->name = base_format("%.*s", (int)length, text);
    group->features = 1u << EXACT_BASE;
    for (const char *part = group->name; *part;) {
        size_t size = strcspn(part, "+");
        group->features |= feature_of(part, size);
        part += size + (part[size] == '+');
    }
}

static void add_groups(struct exact *exact, const char *list) {
    while (*list) {
        size_t length = strcspn(list, ",");
        add_group(exact, list, length);
        list += length + (list[length] == ',');
    }
}

static void read_options(struct exact *exact, char **words) {
    const char *features = "base,memory,pointers,float,library,heap,foreign,stdin,file,"
                           "entry+pointers+heap,memory+pointers+float+library+heap";
    for (; *words; words++) {
        const char *name = *words;
        if (strcmp(name, "--print") == 0) {
            exact->prints = true;
            continue;
        }
        if (strcmp(name, "--driven") == 0) {
            exact->limits.is_driven = true;
            continue;
        }
        const char *value = *++words;
        if (!value)
            refuse("an option needs a value");
        if (strcmp(name, "--seed") == 0)
            exact->seed = strtoull(value, NULL, 0);
        else if (strcmp(name, "--programs") == 0)
            exact->programs = strtoull(value, NULL, 0);
        else if (strcmp(name, "--features") == 0)
            features = value;
        else if (strcmp(name, "--shrink") == 0)
            exact->shrinks = strtoull(value, NULL, 0);
        else if (strcmp(name, "--least") == 0)
            exact->least = strtod(value, NULL);
        else if (strcmp(name, "--time") == 0)
            exact->limits.seconds = strtod(value, NULL);
        else if (strcmp(name, "--loop-bound") == 0)
            exact->limits.loop_bound = strtoull(value, NULL, 0);
        else if (strcmp(name, "--folder") == 0)
            exact->limits.folder = value;
        else
            refuse("no such option");
    }
    add_groups(exact, features);
}

/* ---- reports ---- */

/* How to see it again. */
static void print_command(const struct exact_program *program, const char *path) {
    struct exact_domain domain = exact_choose_domain(program);
    bool is_file = EXACT_HAS(program->features, FILE);
    const char *bytes = EXACT_HAS(program->features, ENTRY) ? "entry '" EXACT_ENTRY_TEXT
                                                              "' --size n="
                        : is_file                             ? "file "
                        : EXACT_HAS(program->features, STDIN) ? "stdin "
                                                              : "size ";
    printf("  slowpath run %s --strategy exhaustive --cflags '-w -fwrapv' --size program=0 --%s%u "
           "--range in=%u..%u%s\n",
           path, bytes, domain.bytes, domain.low, domain.high, is_file ? " -- @@" : "");
}

static void keep_program(const struct exact *exact, const struct exact_program *program,
                         const char *kind) {
    struct base_buffer source = {0};
    struct base_error error;
    exact_write_module(program, 1, &source);
    char *path =
        base_format("%s/%s-%llu.c", exact->limits.folder, kind, (unsigned long long)program->seed);
    if (!base_write_file(path, source.data, source.count, &error))
        fprintf(stderr, "exact: %s\n", error.message);
    else
        print_command(program, path);
    base_buffer_done(&source);
    free(path);
}

static void print_failure(const struct exact *exact, const struct group *group,
                          const struct exact_program *program,
                          const struct exact_outcome *outcome) {
    struct exact_domain domain = exact_choose_domain(program);
    printf("seed %llu, %s: %s: %llu of %llu paths, worst %.0f of %.0f",
           (unsigned long long)program->seed, group->name, verdict_names[outcome->verdict],
           (unsigned long long)outcome->found, (unsigned long long)outcome->paths,
           outcome->found_worst, outcome->worst);
    printf(", bytes %u..%u, missed", domain.low, domain.high);
    for (uint32_t i = 0; i < domain.bytes; i++)
        printf(" %u", outcome->missed[i]);
    printf("%s%s\n", *outcome->reason ? ": " : "", outcome->reason);
    keep_program(exact, program, "whole");
}

static void shrink_and_keep(const struct exact *exact, const struct exact_program *program,
                            const struct exact_outcome *outcome) {
    struct exact_program small = *program;
    uint8_t *without;
    uint32_t count;
    exact_shrink(program, outcome->verdict, &exact->limits, SHRINK_SECONDS, &without, &count);
    small.without = without;
    small.without_count = count;
    keep_program(exact, &small, "small");
    free(without);
}

static void count_reasons(struct exact *exact, const struct exact_outcome *outcome) {
    char text[sizeof outcome->reason], *rest;
    memcpy(text, outcome->reason, sizeof text);
    for (char *name = strtok_r(text, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        name += *name == ' ';
        uint32_t index = base_map_get(&exact->reasons, name);
        if (index == BASE_MAP_NONE) {
            index = (uint32_t)exact->names.count;
            base_map_set(&exact->reasons, name, index);
            base_push(&exact->names, base_strdup(name));
            base_push(&exact->counts, 0);
        }
        exact->counts.data[index]++;
    }
}

static void book(struct exact *exact, struct group *group, const struct exact_program *program,
                 const struct exact_outcome *outcome) {
    group->programs++;
    group->verdicts[outcome->verdict]++;
    group->paths += outcome->paths;
    group->inputs += outcome->inputs;
    if (outcome->verdict == EXACT_COMPLETE)
        return;
    if (!is_failure(outcome->verdict)) {
        count_reasons(exact, outcome);
        if (!exact->prints)
            return;
    }
    print_failure(exact, group, program, outcome);
    if (outcome->verdict == EXACT_PENDING || outcome->verdict == EXACT_BROKEN || !exact->shrinks)
        return;
    exact->shrinks--;
    shrink_and_keep(exact, program, outcome);
}

static void print_table(const struct exact *exact) {
    printf("%-36s %8s %9s %9s %10s %6s %7s %10s %6s %11s %8s\n", "features", "programs", "paths",
           "complete", "incomplete", "late", "FALSE", "unverified", "broken", "engine died",
           "seconds");
    for (uint32_t i = 0; i < exact->group_count; i++) {
        const struct group *group = &exact->groups[i];
        const uint64_t *verdicts = group->verdicts;
        printf("%-36s %8llu %9llu %8.1f%% %10llu %6llu %7llu %10llu %6llu %11llu %8.1f\n",
               group->name, (unsigned long long)group->programs, (unsigned long long)group->paths,
               group->programs ? 100.0 * (double)verdicts[EXACT_COMPLETE] / (double)group->programs
                               : 0,
               (unsigned long long)verdicts[EXACT_INCOMPLETE],
               (unsigned long long)verdicts[EXACT_LATE], (unsigned long long)verdicts[EXACT_FALSE],
               (unsigned long long)verdicts[EXACT_UNVERIFIED],
               (unsigned long long)verdicts[EXACT_BROKEN],
               (unsigned long long)verdicts[EXACT_PENDING], group->seconds);
    }
    for (size_t i = 0; i < exact->names.count; i++)
        printf("%s%s %llu", i ? ", " : "not complete because of: ", exact->names.data[i],
               (unsigned long long)exact->counts.data[i]);
    printf("%s", exact->names.count ? "\n" : "");
}

/* ---- all of them ---- */

/* Programs of one group share a module. */
static void run_module(struct exact *exact, struct group *group, uint64_t first, uint32_t count) {
    struct exact_program programs[MODULE];
    struct exact_outcome outcomes[MODULE] = {0};
    double began = base_seconds();
    for (uint32_t i = 0; i < count; i++)
        programs[i] = (struct exact_program){.seed = first + i, .features = group->features};
    if (!exact_check_module(programs, count, &exact->limits, outcomes))
        refuse("no process");
    group->seconds += base_seconds() - began;
    for (uint32_t i = 0; i < count; i++)
        book(exact, group, &programs[i], &outcomes[i]);
}

/* A few programs are shared out among all groups. */
static void run_all(struct exact *exact) {
    uint64_t share = (exact->programs + exact->group_count - 1) / exact->group_count;
    uint64_t most = share < MODULE ? share : MODULE;
    for (uint64_t done = 0, module = 0; done < exact->programs; module++) {
        uint64_t left = exact->programs - done;
        uint32_t count = (uint32_t)(left < most ? left : most);
        run_module(exact, &exact->groups[module % exact->group_count], exact->seed + done, count);
        done += count;
    }
}

/* Prints it, too. */
static bool judge(const struct exact *exact) {
    uint64_t failures = 0, complete = 0;
    for (uint32_t i = 0; i < exact->group_count; i++)
        for (int verdict = 0; verdict < EXACT_VERDICT_COUNT; verdict++) {
            uint64_t count = exact->groups[i].verdicts[verdict];
            failures += is_failure((enum exact_verdict)verdict) ? count : 0;
            complete += verdict == EXACT_COMPLETE ? count : 0;
        }
    double share = 100.0 * (double)complete / (double)exact->programs;
    printf("%.1f%% of %llu programs are complete, %llu failures, seed %llu\n", share,
           (unsigned long long)exact->programs, (unsigned long long)failures,
           (unsigned long long)exact->seed);
    if (share < exact->least)
        printf("FAILED: less than %g%% are complete\n", exact->least);
    return failures == 0 && share >= exact->least;
}

static void done(struct exact *exact) {
    for (uint32_t i = 0; i < exact->group_count; i++)
        free(exact->groups[i].name);
    for (size_t i = 0; i < exact->names.count; i++)
        free(exact->names.data[i]);
    base_vector_done(&exact->names);
    base_vector_done(&exact->counts);
    base_map_done(&exact->reasons);
}

int main(int count, char **words) {
    const char *seed = getenv("SEED");
    struct exact exact = {.seed = seed ? strtoull(seed, NULL, 0) : 1,
                          .programs = 200,
                          .shrinks = 3,
                          .least = 99,
                          .limits = {.seconds = 10}};
    struct base_error error;
    (void)count;
    read_options(&exact, words + 1);
    char *temporary = exact.limits.folder ? NULL : base_temp_dir();
    if (temporary)
        exact.limits.folder = temporary;
    else if (!base_make_dirs(exact.limits.folder, &error))
        refuse(error.message);
    printf("seed %llu, %llu programs\n", (unsigned long long)exact.seed,
           (unsigned long long)exact.programs);
    run_all(&exact);
    print_table(&exact);
    bool good = judge(&exact);
    done(&exact);
    if (temporary && good)
        base_remove_tree(temporary);
    free(temporary);
    return good ? 0 : 1;
}
