/* SPDX-License-Identifier: Apache-2.0
 *
 * One module of programs: built once for measuring and once for following, then explored program
 * after program. The size "program" selects one, so no build is made anew. Each module has a
 * process of its own, so an engine that dies or hangs loses no more than that.
 */
#include "exact/check.h"

#include "measure/measure.h"
#include "search/search.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define BUILD_SECONDS 300u /* for a module, on a machine with much else to do */
#define PATIENCE 10        /* times the seconds of a program: then the engine hangs */

#define MOST_FORMULAS 20 /* paths whose formulas are looked at */

struct module {
    struct target *measuring, *symbolic;
    struct measure measure;
    struct search_program program;
    double *prices; /* of blocks */
    bool is_whole;
    uint64_t losses[ABI_MAX_LOSSES]; /* that were told of before */
};

/* ---- the builds as a program to search ---- */

static bool run_traced(void *self, const struct target_input *inputs, size_t count,
                       target_visit *visit, void *context, struct base_error *error) {
    struct module *module = self;
    return target_run_traced(module->symbolic, inputs, count, visit, context, error);
}

static bool run_measured(void *self, const struct target_input *inputs, size_t count,
                         struct abi_result *results, double *costs, struct base_error *error) {
    struct module *module = self;
    if (!target_run(module->measuring, inputs, count, results, error))
        return false;
    for (size_t i = 0; i < count; i++)
        costs[i] = measure_value(&module->measure, module->measuring, &results[i]);
    return true;
}

static void aim(void *self, const struct target_aim *aim) {
    struct module *module = self;
    target_set_aim(module->symbolic, aim);
}

static void force(void *self, const struct target_force *force) {
    struct module *module = self;
    target_set_force(module->symbolic, force);
}

static bool find_sizes(void *self, uint64_t bytes, int64_t *values) {
    struct module *module = self;
    struct base_error error;
    return target_sizes_of(module->measuring, bytes, values, &error);
}

static struct target *open_build(const char *path, uint32_t features, enum instrument_kind kind,
                                 bool tells_loops, struct base_error *error) {
    static const char *const flags[] = {"-w", "-fwrapv", "-I" TEST_SOURCES "/include"};
    static const char *const words[] = {"@@"};
    static const struct target_given sizes[] = {{"program", 0}};
    struct target_options options = {.paths = &path,
                                     .path_count = 1,
                                     .cflags = flags,
                                     .cflag_count = BASE_COUNT(flags),
                                     .args = words,
                                     .arg_count = EXACT_HAS(features, FILE),
                                     .entry = EXACT_HAS(features, ENTRY) ? EXACT_ENTRY_TEXT : NULL,
                                     .sizes = sizes,
                                     .size_count = 1,
                                     .limits = {5, (uint64_t)1 << 30, (uint64_t)1 << 20},
                                     .kind = kind,
                                     .tells_loops = tells_loops};
    return target_open(&options, error);
}

static char *write_source(const struct exact_program *programs, uint32_t count, const char *folder,
                          struct base_error *error) {
    struct base_buffer source = {0};
    char *path = base_format("%s/module-%u-%llu.c", folder, programs->features,
                             (unsigned long long)programs->seed);
    exact_write_module(programs, count, &source);
    bool good = base_write_file(path, source.data, source.count, error);
    base_buffer_done(&source);
    if (good)
        return path;
    free(path);
    return NULL;
}

static bool open_module(struct module *module, const struct exact_program *programs, uint32_t count,
                        const struct exact_limits *limits, struct base_error *error) {
    struct measure_weights weights;
    char *path = write_source(programs, count, limits->folder, error);
    uint32_t features = programs->features;
    bool good =
        path &&
        (module->measuring = open_build(path, features, INSTRUMENT_MEASURE, false, error)) &&
        (module->symbolic =
             open_build(path, features, INSTRUMENT_SYMBOLIC, limits->loop_bound != 0, error)) &&
        measure_parse("instructions", target_facts(module->measuring), &module->measure, error);
    if (good) {
        measure_weights_init(&weights);
        measure_apply(&module->measure, &weights, module->measuring);
        module->prices = measure_block_prices(&module->measure, &weights,
                                              target_facts(module->measuring), &module->is_whole);
        measure_weights_done(&weights);
    }
    module->program = (struct search_program){
        .self = module, .trace = run_traced, .measure = run_measured, .aim = aim, .force = force};
    free(path);
    return good;
}

static void close_module(struct module *module) {
    if (module->measuring)
        target_close(module->measuring);
    if (module->symbolic)
        target_close(module->symbolic);
    measure_done(&module->measure);
    free(module->prices);
}

/* ---- every input ---- */

struct enumeration {
    uint8_t *bytes; /* the inputs, one after the other */
    struct target_input *inputs;
    struct abi_result *results;
    double *costs;
    size_t count;
};

static void enumeration_init(struct enumeration *all, const struct exact_domain *domain) {
    uint32_t radix = domain->high - domain->low + 1;
    all->count = exact_domain_size(domain);
    all->bytes = base_alloc(all->count * domain->bytes);
    all->inputs = base_alloc(all->count * sizeof *all->inputs);
    all->results = base_alloc(all->count * sizeof *all->results);
    all->costs = base_alloc(all->count * sizeof *all->costs);
    for (size_t i = 0; i < all->count; i++) {
        uint8_t *input = all->bytes + i * domain->bytes;
        size_t number = i;
        for (uint32_t at = 0; at < domain->bytes; at++, number /= radix)
            input[at] = (uint8_t)(domain->low + number % radix);
        all->inputs[i] = (struct target_input){input, domain->bytes};
    }
}

static size_t index_of(const uint8_t *input, const struct exact_domain *domain) {
    uint32_t radix = domain->high - domain->low + 1;
    size_t index = 0;
    for (uint32_t at = domain->bytes; at-- > 0;)
        index = index * radix + (size_t)(input[at] - domain->low);
    return index;
}

static void enumeration_done(struct enumeration *all) {
    free(all->bytes);
    free(all->inputs);
    free(all->results);
    free(all->costs);
}

static int compare_hashes(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Sorts, and drops what is there twice. */
static size_t make_set(uint64_t *hashes, size_t count) {
    size_t kept = 0;
    qsort(hashes, count, sizeof *hashes, compare_hashes);
    for (size_t i = 0; i < count; i++)
        if (!i || hashes[i] != hashes[i - 1])
            hashes[kept++] = hashes[i];
    return kept;
}

/* ---- the comparison ---- */

/* The first input whose path is not in FOUND, or the end. */
static size_t find_missed(const struct enumeration *all, const uint64_t *found, size_t count) {
    for (size_t i = 0; i < all->count; i++)
        if (!bsearch(&all->results[i].blocks_hash, found, count, sizeof *found, compare_hashes))
            return i;
    return all->count;
}

/* Each test must lie in the domain and cost what its input costs. */
static bool tests_agree(const struct search_test *tests, size_t count,
                        const struct enumeration *all, const struct exact_domain *domain) {
    for (size_t i = 0; i < count; i++) {
        for (uint32_t at = 0; at < domain->bytes; at++)
            if (tests[i].input[at] < domain->low || tests[i].input[at] > domain->high)
                return false;
        size_t index = index_of(tests[i].input, domain);
        if (tests[i].cost != all->costs[index] ||
            tests[i].result.counts_hash != all->results[index].counts_hash)
            return false;
    }
    return true;
}

static uint64_t *hashes_of_tests(const struct search_test *tests, size_t *count) {
    uint64_t *hashes = base_alloc((*count + 1) * sizeof *hashes);
    for (size_t i = 0; i < *count; i++)
        hashes[i] = tests[i].result.blocks_hash;
    *count = make_set(hashes, *count);
    return hashes;
}

static uint64_t count_paths(const struct enumeration *all) {
    uint64_t *hashes = base_alloc(all->count * sizeof *hashes);
    for (size_t i = 0; i < all->count; i++)
        hashes[i] = all->results[i].blocks_hash;
    uint64_t paths = make_set(hashes, all->count);
    free(hashes);
    return paths;
}

/* The first input that costs something else than the formulas of its path say, or the end. */
static size_t find_wrong(const struct search_subject *subject, const struct search_test *tests,
                         size_t count, const struct enumeration *all) {
    size_t wrong;
    for (size_t i = 0; i < count && i < MOST_FORMULAS; i++)
        if (!exact_formulas_hold(subject, &tests[i], all->inputs, all->results, all->count, &wrong))
            return wrong;
    return all->count;
}

static void compare(const struct search *search, const struct search_subject *subject,
                    const struct enumeration *all, const struct exact_domain *domain,
                    const struct exact_limits *limits, struct exact_outcome *outcome) {
    bool is_driven = limits->is_driven, is_bounded = limits->loop_bound != 0;
    const struct search_test *tests;
    struct search_statistics statistics;
    search_statistics(search, &statistics);
    size_t count = search_tests(search, &tests), distinct = count;
    uint64_t *found = hashes_of_tests(tests, &distinct);
    size_t missed = is_driven ? all->count : find_missed(all, found, distinct);
    outcome->inputs = all->count;
    outcome->paths = count_paths(all);
    outcome->found = distinct;
    outcome->found_worst = count ? tests[0].cost : 0;
    for (size_t i = 0; !is_bounded && i < all->count; i++)
        if (all->costs[i] > outcome->worst)
            outcome->worst = all->costs[i];
    size_t wrong = find_wrong(subject, tests, count, all);
    missed = missed < all->count ? missed : wrong;
    if (missed < all->count)
        memcpy(outcome->missed, all->inputs[missed].data, domain->bytes);
    if (!tests_agree(tests, count, all, domain) || wrong < all->count)
        outcome->verdict = EXACT_UNVERIFIED;
    else if (is_bounded ? !statistics.within_bounds : !statistics.complete)
        outcome->verdict = statistics.end == SEARCH_FINISHED ? EXACT_INCOMPLETE : EXACT_LATE;
    else
        outcome->verdict = missed < all->count || outcome->found_worst != outcome->worst
                               ? EXACT_FALSE
                               : EXACT_COMPLETE;
    free(found);
}

/* ---- reasons ---- */

static void add_reason(struct exact_outcome *outcome, const char *name) {
    size_t used = strlen(outcome->reason);
    snprintf(outcome->reason + used, sizeof outcome->reason - used, "%s%s", used ? ", " : "", name);
}

static void tell_reasons(struct module *module, const struct search *search,
                         struct exact_outcome *outcome) {
    struct search_statistics statistics;
    struct abi_loss loss;
    search_statistics(search, &statistics);
#define COUNTER(id, blocks, text)                                                                  \
    if ((blocks) && statistics.counters.id)                                                        \
        add_reason(outcome, #id);
    SEARCH_COUNTERS(COUNTER)
#undef COUNTER
    for (uint32_t i = 0; i < ABI_MAX_LOSSES && target_loss(module->symbolic, i, &loss); i++) {
        if (loss.count != module->losses[i])
            add_reason(outcome, loss.name);
        module->losses[i] = loss.count;
    }
}

/* ---- one program ---- */

static bool enumerate(struct module *module, struct enumeration *all, struct base_error *error) {
    if (!run_measured(module, all->inputs, all->count, all->results, all->costs, error))
        return false;
    for (size_t i = 0; i < all->count; i++)
        if (all->results[i].status != ABI_STATUS_OK)
            return base_fail(error, BASE_TARGET, "input %zu: status %u", i, all->results[i].status);
    return true;
}

static bool search_for(struct module *module, const char *strategy,
                       const struct search_subject *subject, const struct exact_domain *domain,
                       const struct enumeration *all, const struct exact_limits *limits,
                       struct exact_outcome *outcome, struct base_error *error) {
    struct search_options options = {
        .tests = all->count + 1,
        .seed = 1,
        .limits = {.seconds = limits->seconds},
        .path = {30000, limits->loop_bound ? limits->loop_bound : SEARCH_NO_BOUND, 1024},
        .solver = {.timeout_ms = 10000}};
    struct search *search = search_new(search_find_strategy(strategy), &options, subject);
    bool good = search_run(search, error);
    if (good) {
        compare(search, subject, all, domain, limits, outcome);
        tell_reasons(module, search, outcome);
    }
    search_free(search);
    return good;
}

/* What there is within the bound, `exhaustive` tells. If it does not know, nothing is compared but
 * what it has found. */
static bool search_bounded(struct module *module, const struct search_subject *subject,
                           const struct exact_domain *domain, const struct enumeration *all,
                           const struct exact_limits *limits, struct exact_outcome *outcome,
                           struct base_error *error) {
    struct exact_outcome first = {0};
    if (!search_for(module, "exhaustive", subject, domain, all, limits, &first, error))
        return false;
    outcome->worst = first.found_worst;
    if (!search_for(module, "driven", subject, domain, all, limits, outcome, error))
        return false;
    bool is_known = first.verdict == EXACT_COMPLETE || first.verdict == EXACT_FALSE;
    if (outcome->verdict == EXACT_FALSE && !is_known && outcome->found_worst >= outcome->worst)
        outcome->verdict = EXACT_INCOMPLETE;
    return true;
}

static bool explore(struct module *module, const struct exact_domain *domain,
                    const struct enumeration *all, const struct exact_limits *limits,
                    struct exact_outcome *outcome, struct base_error *error) {
    struct search_subject subject = {.programs = &module->program,
                                     .jobs = 1,
                                     .facts = target_facts(module->measuring),
                                     .entry = {.form = target_entry(module->measuring),
                                               .sizes = find_sizes,
                                               .self = module,
                                               .prices = module->prices,
                                               .is_whole = module->is_whole},
                                     .run_seconds = 5};
    char *range = base_format("in=%u..%u", domain->low, domain->high);
    measure_so_far(&module->measure, subject.prices.of);
    search_layout_of_bytes(domain->bytes, &subject.layout);
    bool good = search_layout_bound(&subject.layout, range, error);
    if (good && limits->loop_bound)
        good = search_bounded(module, &subject, domain, all, limits, outcome, error);
    else if (good)
        good = search_for(module, limits->is_driven ? "driven" : "exhaustive", &subject, domain,
                          all, limits, outcome, error);
    search_layout_done(&subject.layout);
    free(range);
    return good;
}

static void break_outcome(struct exact_outcome *outcome, const struct base_error *error) {
    outcome->verdict = EXACT_BROKEN;
    snprintf(outcome->reason, sizeof outcome->reason, "%.*s", (int)strcspn(error->message, "\n"),
             error->message);
}

static void select_program(struct target *target, uint32_t number) {
    const char *const *names;
    size_t count = target_size_names(target, &names);
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], "program") == 0)
            target_fix_size(target, i, number);
}

static void check_program(struct module *module, const struct exact_program *program,
                          uint32_t number, const struct exact_limits *limits,
                          struct exact_outcome *outcome) {
    struct exact_domain domain = exact_choose_domain(program);
    struct enumeration all;
    struct base_error error;
    select_program(module->measuring, number);
    select_program(module->symbolic, number);
    enumeration_init(&all, &domain);
    if (!enumerate(module, &all, &error) ||
        !explore(module, &domain, &all, limits, outcome, &error))
        break_outcome(outcome, &error);
    enumeration_done(&all);
}

static void check_module(const struct exact_program *programs, uint32_t count,
                         const struct exact_limits *limits, struct exact_outcome *outcomes) {
    struct module module = {0};
    struct base_error error;
    bool good = open_module(&module, programs, count, limits, &error);
    for (uint32_t i = 0; i < count; i++) {
        if (good)
            check_program(&module, &programs[i], i, limits, &outcomes[i]);
        else
            break_outcome(&outcomes[i], &error);
    }
    close_module(&module);
}

bool exact_check_module(const struct exact_program *programs, uint32_t count,
                        const struct exact_limits *limits, struct exact_outcome *outcomes) {
    size_t bytes = count * sizeof *outcomes;
    struct exact_outcome *shared =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fflush(stdout);
    pid_t child = shared == MAP_FAILED ? -1 : fork();
    if (child == 0) {
        alarm(BUILD_SECONDS + count * (unsigned)(PATIENCE * limits->seconds + 1));
        check_module(programs, count, limits, shared);
        _exit(0);
    }
    bool good = child > 0 && waitpid(child, NULL, 0) == child;
    if (good)
        memcpy(outcomes, shared, bytes);
    if (shared != MAP_FAILED)
        munmap(shared, bytes);
    return good;
}
