/* SPDX-License-Identifier: Apache-2.0
 *
 * slowpath show: one finding in full, or the table of all of them.
 */
#include "cli/run.h"
#include "cli/session.h"
#include "suite/finding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LABEL "  %-10s"

static void print_law(const json_t *finding) {
    double exponent = suite_number(finding, "exponent", NAN);
    double factor = suite_number(finding, "factor", NAN);
    const json_t *two = json_object_get(finding, "parameters");
    printf("%s  %s, %s", suite_text(finding, "id", "?"), suite_text(finding, "law", "?"),
           suite_text(finding, "name", ""));
    if (isfinite(exponent))
        printf(": exponent %.2f over %.0f doublings", exponent,
               suite_number(finding, "doublings", 0));
    if (isfinite(factor))
        printf(": a byte more costs %.3g times as much, a repetition more %.3g times", factor,
               suite_number(finding, "factor_per_repetition", factor));
    if (two)
        printf("; %s where a is %s and b %s", suite_text(two, "law", ""), suite_text(two, "a", ""),
               suite_text(two, "b", ""));
    putchar('\n');
}

static void print_cause(const json_t *finding) {
    size_t index;
    const json_t *step;
    json_array_foreach(json_object_get(finding, "cause"), index, step) {
        struct base_buffer text = {0};
        suite_tell_step(step, &text);
        printf(LABEL "%s%s: %.15g %s, n^%.2g\n", index ? "" : "because", index ? "x " : "",
               text.data, suite_number(step, "count", 0),
               json_object_get(step, "library") ? "bytes" : "times",
               suite_number(step, "grows", 0));
        base_buffer_done(&text);
    }
}

static void print_chain(const json_t *finding) {
    size_t index;
    const json_t *step;
    json_array_foreach(json_object_get(finding, "chain"), index, step) {
        struct base_buffer text = {0};
        suite_tell_step(step, &text);
        printf(LABEL "%s\n", index ? "" : "the way", text.data);
        base_buffer_done(&text);
    }
}

/* A recipe of calls has several lines. */
static void print_lines(const char *label, const char *text) {
    do {
        size_t length = strcspn(text, "\n");
        printf(LABEL "%.*s\n", label, (int)length, text);
        text += length + (text[length] != 0);
        label = "";
    } while (*text);
}

static void print_recipes(const json_t *finding) {
    const json_t *smallest = json_object_get(finding, "smallest");
    const json_t *relative = json_object_get(finding, "linear_relative");
    print_lines("recipe", suite_text(finding, "recipe", ""));
    if (*suite_text(finding, "shell", ""))
        printf(LABEL "%s\n", "shell", suite_text(finding, "shell", ""));
    if (json_is_object(smallest))
        printf(LABEL "%.0f bytes show it (cost %.15g): %s\n", "smallest",
               suite_number(smallest, "size", 0), suite_number(smallest, "cost", 0),
               suite_text(smallest, "shell", ""));
    if (json_is_object(relative))
        printf(LABEL "%s (%.0f bytes: %.15g)\n" LABEL "%s\n", "linear",
               suite_text(relative, "recipe", ""), suite_number(relative, "size", 0),
               suite_number(relative, "cost", 0), "differs", suite_text(relative, "differs", ""));
}

static void print_costs(const json_t *finding) {
    size_t index;
    const json_t *at, *second = json_object_get(finding, "one_second"),
                      *seconds = json_object_get(finding, "seconds");
    json_array_foreach(json_object_get(finding, "cost_at"), index, at) {
        struct base_buffer size = {0};
        double cost = suite_number(at, "cost", INFINITY);
        suite_tell_size(finding, suite_number(at, "size", 0), &size);
        printf(LABEL "%s: %.6g%s\n", index ? "" : "cost at", size.data, cost,
               json_is_true(json_object_get(at, "measured")) ? "" : ", by the law");
        base_buffer_done(&size);
    }
    struct base_buffer size = {0};
    suite_tell_size(finding, suite_number(second, "size", INFINITY), &size);
    printf(LABEL "%s%s\n", "1 s at", size.data,
           json_is_true(json_object_get(second, "timed")) ? ", by the time taken"
                                                          : ", at a billion instructions a second");
    if (seconds)
        printf(LABEL "%.3g s for %.0f bytes, in a plain build\n", "takes",
               suite_number(seconds, "seconds", 0), suite_number(seconds, "size", 0));
    base_buffer_done(&size);
}

static void print_series(const json_t *finding) {
    size_t index;
    const json_t *point;
    printf(LABEL, "measured");
    json_array_foreach(json_object_get(finding, "series"), index, point)
        printf("%s%s%.0f: %.6g", index ? ", " : suite_text(finding, "size_is", "bytes"),
               index ? "" : ": cost ", json_number_value(json_array_get(point, 0)),
               json_number_value(json_array_get(point, 1)));
    putchar('\n');
}

static void print_rest(const json_t *finding) {
    size_t index;
    const json_t *item;
    json_array_foreach(json_object_get(finding, "tests"), index, item)
        printf(LABEL "%s\n", index ? "" : "tests", json_string_value(item));
    json_array_foreach(json_object_get(finding, "variant_list"), index, item) {
        const json_t *place = json_object_get(item, "hottest");
        printf(LABEL "%s in %s (%s:%.0f): %s\n", index ? "" : "variants",
               suite_text(item, "law", "?"), suite_text(place, "function", "?"),
               suite_text(place, "file", ""), suite_number(place, "line", 0),
               suite_text(item, "recipe", ""));
    }
}

static void print_finding(const json_t *finding) {
    print_law(finding);
    print_cause(finding);
    print_chain(finding);
    print_recipes(finding);
    print_costs(finding);
    print_series(finding);
    print_rest(finding);
}

/* ---- loops that read the same data again, found by 'slowpath redundant' ---- */

static void print_redundant(const json_t *finding) {
    const json_t *outer = json_object_get(finding, "outer"),
                 *inner = json_object_get(finding, "inner");
    printf("%s  %s:%.0f (%s)  >  %s:%.0f (%s)\n", suite_text(finding, "id", "?"),
           base_basename(suite_text(outer, "file", "")), suite_number(outer, "line", 0),
           suite_text(outer, "function", "?"), base_basename(suite_text(inner, "file", "")),
           suite_number(inner, "line", 0), suite_text(inner, "function", "?"));
    printf("    %s\n    shown by: %s\n    fix: %s\n", suite_text(finding, "text", ""),
           suite_text(finding, "test", ""), suite_text(finding, "mend", ""));
}

static void print_redundancies(const struct suite *suite, const char *id) {
    size_t index;
    const json_t *finding;
    json_array_foreach(json_object_get(suite->root, "redundant"), index,
                       finding) if (!id || strcmp(id, suite_text(finding, "id", "")) == 0)
        print_redundant(finding);
}

static bool has_redundancy(const struct suite *suite, const char *id) {
    size_t index;
    const json_t *finding;
    json_array_foreach(json_object_get(suite->root, "redundant"), index,
                       finding) if (strcmp(id, suite_text(finding, "id", "")) == 0) return true;
    return false;
}

static bool show(const struct suite *suite, const char *name, struct base_error *error) {
    const json_t *list = json_object_get(suite->root, "findings");
    size_t count = json_array_size(list);
    const json_t *finding = name         ? suite_find_finding(suite->root, name)
                            : count == 1 ? json_array_get(list, 0)
                                         : NULL;
    if (name && !finding && has_redundancy(suite, name)) {
        print_redundancies(suite, name);
        return true;
    }
    if (name && !finding)
        return base_fail(error, BASE_USAGE, "there is no finding '%s': the suite has %s%zu", name,
                         count ? "F1 to F" : "", count);
    if (finding)
        print_finding(finding);
    else if (count)
        cli_findings_print(stdout, list);
    else
        printf("no findings: nothing that was tried is superlinear; %zu test%s\n", suite->count,
               suite->count == 1 ? "" : "s");
    if (!name)
        print_redundancies(suite, NULL);
    return true;
}

int cli_show(const struct cli_values *values, struct base_error *error) {
    const struct base_strings *words = &values->before;
    struct suite suite;
    if (words->count < 1 || words->count > 2) {
        base_fail(error, BASE_USAGE, "a suite and perhaps one of its findings: show SUITE F1");
        return (int)error->code;
    }
    if (!suite_load(words->data[0], &suite, error))
        return (int)error->code;
    bool good = show(&suite, words->count > 1 ? words->data[1] : NULL, error);
    suite_done(&suite);
    return good ? BASE_OK : (int)error->code;
}
