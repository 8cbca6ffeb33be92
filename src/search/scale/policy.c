/* SPDX-License-Identifier: Apache-2.0
 *
 * policy: in which direction must each branch go, judging by the decisions before it?
 *
 * The worst path of a small size is turned into rules: this branch, after these decisions, goes in
 * that direction. The history is empty at first and grows until no two decisions of the path
 * contradict each other; a decision without an alternative cannot contradict. The rules must lead
 * to the worst cost at every other trained size. Then the program runs once at the wanted size with
 * the rules deciding its branches (a forced run), and the solver makes an input that takes this
 * path without force. If the path is contradictory, the last branch of the contradiction takes the
 * other direction: "unless infeasible".
 *
 * Histories of length 0 are the branch policies of "WISE: Automated Test Generation for Worst-Case
 * Complexity" (Burnim, Juvekar, Sen), longer ones those of "Symbolic Complexity Analysis Using
 * Context-Preserving Histories" (Luckow, Kersten, Pasareanu).
 */
#include "search/scale/scale.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_HISTORY 12
#define SIZES 5          /* the largest ones, whose worst paths are used */
#define POLICY_SHARE 0.2 /* of the learning time, for one search for rules */
#define REPAIRS 200      /* contradictions of one forced path that are repaired */

struct decision {
    uint32_t site;
    bool direction, is_free; /* FREE: the other direction is feasible */
    bool is_first;           /* of its site since its function was entered */
};

struct decisions { /* a vector */
    struct decision *data;
    size_t count, capacity;
};

struct policy {
    struct abi_policy policy;
    struct abi_rule *rules;
    uint32_t count;
};

struct forcing {
    struct scale_scaling *scaling;
    struct scale_follower follower;
    BASE_VECTOR(struct decisions) paths; /* of worst inputs, the largest size first */
    size_t followed;                     /* number of sizes whose paths are among them */
    BASE_VECTOR(uint64_t) tried;         /* hashes of rules */
    BASE_VECTOR(uint32_t) conditions;    /* of a forced run */
    BASE_VECTOR(uint32_t) branches;      /* by condition: number of its branch, or UINT32_MAX */
    BASE_VECTOR(uint8_t) taken;          /* directions of its branches */
    struct policy policy;
};

/* ---- reading traces ---- */

/* Reads the decisions of a worst input, and which of them were free. */
static bool follow(struct forcing *forcing, const uint8_t *input, size_t bytes,
                   struct decisions *path, struct base_error *error) {
    if (!scale_follow(&forcing->follower, input, bytes, error))
        return false;
    if (!forcing->follower.has_trace)
        return true;
    struct search_walk *walk = &forcing->follower.walk;
    struct solver *solver = forcing->follower.solver;
    struct expr_pool *pool = walk->trace.pool;
    struct search_step step;
    uint8_t *model = base_alloc(bytes + 1);
    solver_begin(solver, pool, input, bytes);
    while (search_walk_next(walk, &step) && step.kind != SEARCH_REFUSAL) {
        uint32_t condition = search_condition(walk, &step);
        bool is_branch = step.kind == SEARCH_BRANCH;
        bool is_free = condition && is_branch &&
                       solver_ask(solver, expr_make_not(pool, condition), model) != SOLVER_UNSAT;
        if (is_branch)
            base_push(path,
                      (struct decision){step.site, step.outcome != 0, is_free, step.is_first});
        if (condition)
            solver_assert(solver, condition);
    }
    free(model);
    return true;
}

/* ---- learning ---- */

static uint64_t key_of(const struct decision *path, const struct abi_policy *policy, size_t at) {
    uint64_t key = abi_extend_key(0, path[at].site);
    uint32_t found = 0;
    if (policy->memory == ABI_MEMORY_PATH) {
        for (size_t i = at; i-- > 0 && found < policy->history; found++)
            key = abi_extend_key(key, (uint64_t)path[i].site << 1 | path[i].direction);
        return key;
    }
    uint64_t bits = 0;
    bool begins = policy->memory == ABI_MEMORY_FRAME && path[at].is_first;
    for (size_t i = at; !begins && i-- > 0 && found < policy->history;)
        if (path[i].site == path[at].site) {
            bits |= (uint64_t)path[i].direction << found++;
            begins = policy->memory == ABI_MEMORY_FRAME && path[i].is_first;
        }
    return abi_extend_key(key, bits | (uint64_t)1 << found);
}

static struct abi_rule *find_rule(const struct policy *policy, uint64_t key) {
    uint32_t mask = policy->policy.rule_slots - 1;
    struct abi_rule *rule = &policy->rules[key & mask];
    for (uint32_t i = 1; rule->is_used && rule->key != key; i++)
        rule = &policy->rules[(key + i) & mask];
    return rule;
}

static uint32_t slots_for(size_t decisions) {
    uint32_t slots = 16;
    while (slots < 2 * decisions && slots < ABI_MAX_RULES)
        slots *= 2;
    return slots;
}

/* Makes rules from a path; false when two of its free decisions contradict each other. */
static bool learn_rules(struct forcing *forcing, const struct decisions *path, uint32_t history,
                        enum abi_memory memory) {
    struct policy *policy = &forcing->policy;
    free(policy->rules);
    *policy = (struct policy){
        .policy = {.rule_slots = slots_for(path->count), .history = history, .memory = memory}};
    policy->rules = base_alloc(policy->policy.rule_slots * sizeof *policy->rules);
    if (!path->count || path->count >= policy->policy.rule_slots)
        return false;
    for (int free_ones = 1; free_ones >= 0; free_ones--)
        for (size_t i = 0; i < path->count; i++) {
            const struct decision *decision = &path->data[i];
            if (decision->is_free != (free_ones == 1))
                continue;
            uint64_t key = key_of(path->data, &policy->policy, i);
            struct abi_rule *rule = find_rule(policy, key);
            if (rule->is_used && rule->direction != decision->direction && decision->is_free)
                return false;
            if (!rule->is_used) {
                *rule =
                    (struct abi_rule){.key = key, .direction = decision->direction, .is_used = 1};
                policy->count++;
            }
        }
    return true;
}

/* ---- forcing ---- */

static void collect(struct forcing *forcing) {
    uint32_t branch = 0;
    forcing->conditions.count = forcing->branches.count = forcing->taken.count = 0;
    struct search_walk *walk = &forcing->follower.walk;
    struct search_step step;
    while (search_walk_next(walk, &step) && step.kind != SEARCH_REFUSAL) {
        uint32_t condition = search_condition(walk, &step);
        bool is_branch = step.kind == SEARCH_BRANCH;
        if (condition) {
            base_push(&forcing->conditions, condition);
            base_push(&forcing->branches, is_branch ? branch : UINT32_MAX);
        }
        if (is_branch) {
            base_push(&forcing->taken, step.outcome != 0);
            branch++;
        }
    }
}

static bool run_forced(struct forcing *forcing, const uint8_t *input, size_t bytes,
                       struct base_error *error) {
    const struct search_program *program = forcing->follower.program;
    forcing->follower.has_trace = false;
    if (!search_runs_left(forcing->scaling->search))
        return true;
    struct target_force force = {.script = forcing->taken.data,
                                 .script_count = (uint32_t)forcing->taken.count,
                                 .policy = forcing->policy.policy,
                                 .rules = forcing->policy.rules};
    program->force(program->self, &force);
    bool good = scale_follow(&forcing->follower, input, bytes, error);
    program->force(program->self, NULL);
    forcing->scaling->search->counters.runs++;
    return good;
}

/* Flips the last branch of a contradiction; false when there is none. */
static bool mend(struct forcing *forcing, const bool *core) {
    for (size_t i = forcing->conditions.count; i-- > 0;) {
        uint32_t branch = forcing->branches.data[i];
        if (!core[i] || branch == UINT32_MAX)
            continue;
        forcing->taken.count = branch + 1;
        forcing->taken.data[branch] ^= 1;
        return true;
    }
    return false;
}

/* Makes an input of SIZE that takes the policy's path; *MADE is NULL when there is none. */
static bool force(struct forcing *forcing, int64_t size, uint8_t **made, size_t *bytes,
                  struct base_error *error) {
    struct search_layout layout = {0};
    *made = NULL;
    if (!scale_layout(forcing->scaling->search, size, &layout)) {
        search_layout_done(&layout);
        return true;
    }
    *bytes = layout.bytes;
    uint8_t *zeros = base_alloc(layout.bytes + 1), *model = base_alloc(layout.bytes + 1);
    search_clamp(&layout, zeros, layout.bytes);
    solver_set_ranges(forcing->follower.solver, layout.ranges.data, layout.ranges.count);
    forcing->taken.count = 0;
    bool good = true, again = true;
    for (unsigned i = 0; again && i < REPAIRS; i++) {
        again = false;
        good = run_forced(forcing, zeros, layout.bytes, error);
        if (!good || !forcing->follower.has_trace || search_must_stop(forcing->scaling->search))
            break;
        collect(forcing);
        size_t count = forcing->conditions.count;
        bool *core = base_alloc(count + 1);
        enum solver_answer answer =
            solver_solve(forcing->follower.solver, forcing->follower.walk.trace.pool,
                         forcing->conditions.data, count, model, layout.bytes, core);
        if (answer == SOLVER_SAT)
            *made = model;
        else if (answer == SOLVER_UNSAT)
            again = mend(forcing, core);
        free(core);
    }
    if (!*made)
        free(model);
    free(zeros);
    search_layout_done(&layout);
    return good;
}

/* ---- checking at other sizes ---- */

static bool check_size(struct forcing *forcing, const struct scale_trained *trained, bool *agrees,
                       struct base_error *error) {
    uint8_t *input;
    size_t bytes;
    double cost = NAN;
    struct abi_result result;
    bool good = force(forcing, trained->size, &input, &bytes, error);
    if (good && input)
        good = scale_measure(forcing->scaling->search, input, bytes, &cost, &result, error);
    free(input);
    *agrees = good && cost == trained->worst;
    return good;
}

static bool check(struct forcing *forcing, bool *agrees, struct base_error *error) {
    const struct scale_scaling *scaling = forcing->scaling;
    *agrees = true;
    for (size_t i = scaling->training.sizes.count; *agrees && i-- > 0;) {
        const struct scale_trained *trained = &scaling->training.sizes.data[i];
        if (scaling->has_curve && trained->size < scaling->curve.first)
            break;
        if (!check_size(forcing, trained, agrees, error))
            return false;
    }
    return true;
}

/* Traces one more size, largest first: all of its worst inputs. Small sizes have so few that the
 * regular ones are among them. */
static bool follow_size(struct forcing *forcing, struct base_error *error) {
    const struct scale_training *training = &forcing->scaling->training;
    const struct scale_trained *trained =
        &training->sizes.data[training->sizes.count - 1 - forcing->followed++];
    for (size_t i = 0; i < trained->inputs.count; i++) {
        struct decisions path = {0};
        if (!follow(forcing, trained->inputs.data[i], trained->layout.bytes, &path, error))
            return false;
        base_push(&forcing->paths, path);
    }
    return true;
}

/* Have these rules not been tried? Many paths lead to the same rules. */
static bool is_new(struct forcing *forcing) {
    const struct policy *policy = &forcing->policy;
    uint64_t hash = policy->policy.history * (uint64_t)ABI_MEMORY_COUNT + policy->policy.memory;
    for (uint32_t i = 0; i < policy->policy.rule_slots; i++)
        if (policy->rules[i].is_used)
            hash += abi_extend_key(policy->rules[i].key, policy->rules[i].direction);
    for (size_t i = 0; i < forcing->tried.count; i++)
        if (forcing->tried.data[i] == hash)
            return false;
    base_push(&forcing->tried, hash);
    return true;
}

static bool try_paths(struct forcing *forcing, size_t first, double end, bool *found,
                      struct base_error *error) {
    for (uint32_t i = 0; i < MOST_HISTORY * ABI_MEMORY_COUNT; i++)
        for (size_t k = first; k < forcing->paths.count; k++) {
            if (search_must_stop(forcing->scaling->search) || base_seconds() > end)
                return true;
            if (!learn_rules(forcing, &forcing->paths.data[k], i / ABI_MEMORY_COUNT,
                             (enum abi_memory)(i % ABI_MEMORY_COUNT)) ||
                !is_new(forcing))
                continue;
            if (!check(forcing, found, error))
                return false;
            if (*found)
                return true;
        }
    return true;
}

/* Finds the shortest history that works; it does not matter which of the tied paths it comes from.
 */
static bool find_policy(struct forcing *forcing, bool *found, struct base_error *error) {
    double end = base_seconds() + forcing->scaling->budget * POLICY_SHARE;
    const struct scale_training *training = &forcing->scaling->training;
    *found = false;
    while (!*found && forcing->followed < SIZES && forcing->followed + 2 < training->sizes.count &&
           base_seconds() < end) {
        size_t first = forcing->paths.count;
        if (!follow_size(forcing, error) || !try_paths(forcing, first, end, found, error))
            return false;
    }
    return true;
}

/* ---- the method ---- */

static void forcing_done(struct forcing *forcing) {
    scale_follower_done(&forcing->follower);
    for (size_t i = 0; i < forcing->paths.count; i++)
        base_vector_done(&forcing->paths.data[i]);
    base_vector_done(&forcing->paths);
    base_vector_done(&forcing->conditions);
    base_vector_done(&forcing->branches);
    base_vector_done(&forcing->taken);
    base_vector_done(&forcing->tried);
    free(forcing->policy.rules);
}

static void tell_policy(const struct forcing *forcing) {
    const struct abi_policy *policy = &forcing->policy.policy;
    static const char *const memories[] = {"path", "same branch", "same branch in the same call"};
    char *text = base_format("policy: %u rules, by the last %u decisions of the %s",
                             forcing->policy.count, policy->history, memories[policy->memory]);
    base_strings_done(&forcing->scaling->model->generators);
    base_strings_add(&forcing->scaling->model->generators, text);
    free(text);
}

/* Makes an input of the wanted size and verifies it. */
static bool use_policy(struct forcing *forcing, struct base_error *error) {
    struct scale_scaling *scaling = forcing->scaling;
    uint8_t *input;
    size_t bytes;
    tell_policy(forcing);
    if (!force(forcing, scaling->size, &input, &bytes, error))
        return false;
    bool good = true;
    if (input)
        good = scale_verify(scaling, input, bytes, "policy", error);
    else
        search_note(scaling->model, "policy: its path at size %" PRId64 " %s", scaling->size,
                    forcing->follower.has_trace
                        ? "has no input that the solver could find"
                        : "is too long to be recorded, or the run did not end");
    free(input);
    return good;
}

bool scale_propose_policy(struct scale_scaling *scaling, struct base_error *error) {
    struct forcing forcing = {.scaling = scaling};
    bool found = false;
    scale_follower_init(&forcing.follower, scaling->search);
    bool good = !forcing.follower.program->force || find_policy(&forcing, &found, error);
    if (good && found)
        good = use_policy(&forcing, error);
    else if (good)
        search_note(scaling->model,
                    "policy: no rules by up to %d decisions lead to the worst cost at all trained "
                    "sizes",
                    MOST_HISTORY - 1);
    forcing_done(&forcing);
    return good;
}

static bool run(struct search *search, struct base_error *error) {
    static scale_propose *const methods[] = {scale_propose_policy};
    return scale_scaling_run(search, methods, BASE_COUNT(methods), error);
}

const struct search_strategy search_strategy_policy = {
    .name = "policy",
    .summary = "large worst cases by rules for branches that lead to the worst at small sizes",
    .is_symbolic = true,
    .is_scaled = true,
    .run = run,
    .serve = scale_serve,
    .joins = true,
    .done = scale_done};
