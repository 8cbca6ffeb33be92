/* SPDX-License-Identifier: Apache-2.0
 *
 * What does a resource policy say? Either a conjunction of limits (`memory>=48 &&
 * instructions<=1000`), or which of the costliest tests are wanted (`worst`, `top:5`). Each limit
 * has a measure of its own. This file parses the text and decides for a run, a family and an
 * unfinished path whether the policy holds.
 */
#include "search/core/family.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

static const char *skip_blanks(const char *text) {
    return text + strspn(text, " \t");
}

static char *trimmed(const char *text, size_t length) {
    while (length && strchr(" \t", text[length - 1]))
        length--;
    char *copy = base_strdup(text);
    copy[length] = 0;
    return copy;
}

static bool fail_policy(const char *part, struct base_error *error) {
    return base_fail(error, BASE_USAGE,
                     "--policy: '%s' is neither a limit, such as memory>=48 or instructions<=1000, "
                     "nor 'worst' or 'top:5'",
                     part);
}

static bool read_top(const char *part, struct search_policy *policy) {
    char *end;
    bool is_worst = strcmp(part, "worst") == 0;
    if (!is_worst && strncmp(part, "top:", 4) != 0)
        return false;
    long count = is_worst ? 1 : strtol(part + 4, &end, 10);
    policy->top = count > 0 && (is_worst || !*end) ? (size_t)count : 0;
    return policy->top > 0;
}

static bool read_limit(const char *part, struct search_policy *policy) {
    const char *sign = strpbrk(part, "<>");
    char *end;
    if (!sign || sign == part)
        return false;
    bool is_strict = sign[1] != '=';
    const char *number = skip_blanks(sign + (is_strict ? 1 : 2));
    errno = 0;
    double bound = strtod(number, &end);
    if (end == number || *skip_blanks(end) || errno || !isfinite(bound))
        return false;
    struct search_limit limit = {.text = trimmed(part, (size_t)(sign - part)),
                                 .bound = bound,
                                 .at_most = *sign == '<',
                                 .is_strict = is_strict};
    base_push(&policy->limits, limit);
    return true;
}

bool search_policy_parse(const char *text, struct search_policy *policy, struct base_error *error) {
    for (const char *at = text; at;) {
        const char *joint = strstr(at, "&&");
        at = skip_blanks(at);
        char *part = trimmed(at, joint ? (size_t)(joint - at) : strlen(at));
        bool good = read_top(part, policy) || read_limit(part, policy) || fail_policy(part, error);
        free(part);
        if (!good)
            return false;
        at = joint ? joint + 2 : NULL;
    }
    return true;
}

void search_policy_done(struct search_policy *policy) {
    for (size_t i = 0; i < policy->limits.count; i++) {
        free(policy->limits.data[i].text);
        measure_done(&policy->limits.data[i].measure);
    }
    base_vector_done(&policy->limits);
}

/* ---- a run ---- */

static bool is_kept(const struct search_limit *limit, double value) {
    if (limit->is_strict ? value == limit->bound : false)
        return false;
    return limit->at_most ? value <= limit->bound : value >= limit->bound;
}

bool search_policy_holds(const struct search_policy *policy, const struct abi_result *result) {
    for (size_t i = 0; i < policy->limits.count; i++)
        if (!is_kept(&policy->limits.data[i], policy->value(policy->self, i, result)))
            return false;
    return true;
}

/* ---- an unfinished path ---- */

/* Costs that never decrease along a path. */
static bool only_grows(int cost) {
    return cost != ABI_COST_LIVE && cost < ABI_COST_USER;
}

static bool is_exceeded(const struct search_limit *limit, const uint64_t *costs, uint32_t open) {
    double value = 0;
    if (limit->prices.is_partial)
        return false;
    for (int i = 0; i < ABI_COST_COUNT; i++) {
        double price = limit->prices.of[i];
        if (price == 0)
            continue;
        if (price < 0 || !only_grows(i) || open >> i & 1)
            return false;
        value += price * (double)costs[i];
    }
    return limit->at_most && !is_kept(limit, value) && value >= limit->bound;
}

bool search_policy_exceeded(const struct search_policy *policy, const uint64_t *costs,
                            uint32_t open) {
    for (size_t i = 0; i < policy->limits.count; i++)
        if (is_exceeded(&policy->limits.data[i], costs, open))
            return true;
    return false;
}

/* ---- a family ---- */

/* What one limit requires of the input; 0: nothing of it is open. */
static uint32_t limit_condition(const struct search_limit *limit, struct search_family *family,
                                struct expr_pool *pool) {
    double scale;
    uint32_t cost = search_family_measure(family, &limit->prices, &scale);
    if (!cost)
        return 0;
    double edge = limit->bound * scale;
    int64_t whole = (int64_t)(limit->at_most ? floor(edge) : ceil(edge));
    if (limit->is_strict && (double)whole == edge)
        whole += limit->at_most ? -1 : 1;
    uint32_t bound = expr_make_constant(pool, 64, (uint64_t)whole);
    return limit->at_most ? expr_make(pool, ABI_OP_SLE, 1, 0, cost, bound, 0)
                          : expr_make(pool, ABI_OP_SLE, 1, 0, bound, cost, 0);
}

uint32_t search_policy_condition(const struct search_policy *policy, struct search_family *family) {
    struct expr_pool *pool = family->walk->trace.pool;
    uint32_t all = 0;
    for (size_t i = 0; i < policy->limits.count; i++) {
        uint32_t one = limit_condition(&policy->limits.data[i], family, pool);
        all = all && one ? expr_make(pool, ABI_OP_AND, 1, 0, all, one, 0) : one ? one : all;
    }
    return all;
}
