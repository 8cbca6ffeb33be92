/* SPDX-License-Identifier: Apache-2.0
 *
 * How is a baseline written and read? It is made to be looked at in a review:
 *
 *   # slowpath baseline 1; 'slowpath accept' writes it
 *   key compiler=clang-19 flags= counters=1 weights=call=10,other=1
 *   test tests/0001.input instructions=550 memory=0 law=O(n^2) exponent=2.00 input=9f3a…
 *   finding 4bdfc17a01833011 law=O(n^2) in=unquote
 *
 * A file that somebody has edited, or merged badly, is refused with the number of the line.
 */
#include "suite/baseline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TITLE "# slowpath baseline 1; 'slowpath accept' writes it\n"

/* ---- writing ---- */

/* Laws have spaces ("O(n log n)"), which the file writes as underscores. */
static void print_law(const char *law, struct base_buffer *out) {
    base_buffer_print(out, " law=");
    for (; *law; law++)
        base_buffer_add(out, *law == ' ' ? "_" : law, 1);
}

static void print_line(const struct suite_line *line, struct base_buffer *out) {
    base_buffer_print(out, "test %s", line->file);
    for (size_t i = 0; i < line->prices.count; i++)
        base_buffer_print(out, " %s=%.15g", line->prices.data[i].name, line->prices.data[i].cost);
    if (line->law)
        print_law(line->law, out);
    if (line->law && isfinite(line->exponent))
        base_buffer_print(out, " exponent=%.2f", line->exponent);
    base_buffer_print(out, " input=%s\n", line->input);
}

static void print_known(const struct suite_known *known, struct base_buffer *out) {
    base_buffer_print(out, "finding %s", known->fingerprint);
    print_law(known->law, out);
    base_buffer_print(out, " in=%s\n", known->function);
}

void suite_baseline_print(const struct suite_baseline *baseline, struct base_buffer *out) {
    base_buffer_print(out, TITLE "key %s\n", baseline->key);
    for (size_t i = 0; i < baseline->lines.count; i++)
        print_line(&baseline->lines.data[i], out);
    for (size_t i = 0; i < baseline->findings.count; i++)
        print_known(&baseline->findings.data[i], out);
}

/* ---- reading ---- */

struct reading {
    const char *path;
    unsigned number; /* of the line */
    struct suite_baseline *baseline;
    struct base_error *error;
};

static bool wrong(const struct reading *reading, const char *what) {
    return base_fail(reading->error, BASE_USAGE, "'%s', line %u: %s", reading->path,
                     reading->number, what);
}

static char *take_law(const char *text) {
    char *law = base_strdup(text);
    for (char *at = law; *at; at++)
        *at = *at == '_' ? ' ' : *at;
    return law;
}

static bool take_number(const char *text, double *number) {
    char *end;
    *number = strtod(text, &end);
    return end != text && !*end && isfinite(*number);
}

/* NAME=VALUE; a name may contain anything but spaces, so split at the last =. */
static bool read_item(const struct reading *reading, char *word, struct suite_line *line) {
    char *value = strrchr(word, '=');
    double cost;
    if (!value || value == word)
        return wrong(reading, "NAME=VALUE is wanted");
    *value++ = 0;
    if (strcmp(word, "input") == 0 && !line->input)
        line->input = base_strdup(value);
    else if (strcmp(word, "law") == 0 && !line->law)
        line->law = take_law(value);
    else if (!take_number(value, &cost))
        return wrong(reading, "a number is wanted behind =");
    else if (strcmp(word, "exponent") == 0)
        line->exponent = cost;
    else
        base_push(&line->prices, (struct suite_price){base_strdup(word), cost});
    return true;
}

static bool read_test(const struct reading *reading, char *rest) {
    char *place = NULL, *word = strtok_r(rest, " ", &place);
    if (!word || !suite_is_inside(word) || suite_baseline_find(reading->baseline, word))
        return wrong(reading,
                     word ? "a test outside of the suite, or twice" : "a test without file");
    base_push(&reading->baseline->lines,
              (struct suite_line){.file = base_strdup(word), .exponent = NAN});
    struct suite_line *line = &reading->baseline->lines.data[reading->baseline->lines.count - 1];
    while ((word = strtok_r(NULL, " ", &place)))
        if (!read_item(reading, word, line))
            return false;
    return (line->input && line->prices.count) || wrong(reading, "a cost or the input is missing");
}

static bool read_known(const struct reading *reading, char *rest) {
    char *place = NULL, *name = strtok_r(rest, " ", &place), *law = strtok_r(NULL, " ", &place);
    const char *function = place ? place : "";
    if (!name || !law || strncmp(law, "law=", 4) != 0 || strncmp(function, "in=", 3) != 0)
        return wrong(reading, "'finding NAME law=LAW in=FUNCTION' is wanted");
    base_push(
        &reading->baseline->findings,
        (struct suite_known){base_strdup(name), take_law(law + 4), base_strdup(function + 3)});
    return true;
}

static bool read_line(const struct reading *reading, char *line) {
    if (!*line || *line == '#')
        return true;
    if (strncmp(line, "key ", 4) == 0 && !reading->baseline->key) {
        reading->baseline->key = base_strdup(line + 4);
        return true;
    }
    if (strncmp(line, "test ", 5) == 0)
        return read_test(reading, line + 5);
    if (strncmp(line, "finding ", 8) == 0)
        return read_known(reading, line + 8);
    return wrong(reading, "neither key nor test nor finding");
}

static void tidy(char *line) {
    size_t length = strlen(line);
    if (length && line[length - 1] == '\r')
        line[length - 1] = 0;
}

bool suite_baseline_parse(const char *text, const char *path, struct suite_baseline *baseline,
                          struct base_error *error) {
    struct reading reading = {path, 0, baseline, error};
    *baseline = (struct suite_baseline){0};
    char *copy = base_strdup(text), *at = copy;
    bool good = true;
    while (good && at && *at) {
        char *end = strchr(at, '\n');
        if (end)
            *end = 0;
        reading.number++;
        tidy(at);
        good = read_line(&reading, at);
        at = end ? end + 1 : NULL;
    }
    free(copy);
    if (good && !baseline->key)
        good = base_fail(error, BASE_USAGE, "'%s' is not a baseline: it has no key", path);
    if (!good)
        suite_baseline_done(baseline);
    return good;
}

void suite_baseline_done(struct suite_baseline *baseline) {
    for (size_t i = 0; i < baseline->lines.count; i++) {
        struct suite_line *line = &baseline->lines.data[i];
        for (size_t j = 0; j < line->prices.count; j++)
            free(line->prices.data[j].name);
        base_vector_done(&line->prices);
        free(line->file);
        free(line->input);
        free(line->law);
    }
    for (size_t i = 0; i < baseline->findings.count; i++) {
        free(baseline->findings.data[i].fingerprint);
        free(baseline->findings.data[i].law);
        free(baseline->findings.data[i].function);
    }
    base_vector_done(&baseline->lines);
    base_vector_done(&baseline->findings);
    free(baseline->key);
    *baseline = (struct suite_baseline){0};
}

/* ---- look-up ---- */

const struct suite_line *suite_baseline_find(const struct suite_baseline *baseline,
                                             const char *file) {
    for (size_t i = 0; i < baseline->lines.count; i++)
        if (strcmp(baseline->lines.data[i].file, file) == 0)
            return &baseline->lines.data[i];
    return NULL;
}

bool suite_baseline_knows(const struct suite_baseline *baseline, const char *fingerprint) {
    for (size_t i = 0; i < baseline->findings.count; i++)
        if (strcmp(baseline->findings.data[i].fingerprint, fingerprint) == 0)
            return true;
    return false;
}

/* Prints lines of ONE that are not in OTHER; returns their number. */
static size_t tell_missing(const char *one, const char *other, char sign, struct base_buffer *out) {
    size_t count = 0;
    while (*one) {
        size_t length = strcspn(one, "\n");
        char *line = base_format("\n%.*s\n", (int)length, one);
        if (!strstr(other, line)) {
            base_buffer_print(out, "%c %.*s\n", sign, (int)length, one);
            count++;
        }
        free(line);
        one += length + (one[length] != 0);
    }
    return count;
}

size_t suite_baseline_compare(const struct suite_baseline *before,
                              const struct suite_baseline *after, struct base_buffer *out) {
    struct base_buffer old = {0}, new = {0};
    if (before->key)
        suite_baseline_print(before, &old);
    else
        base_buffer_print(&old, TITLE);
    suite_baseline_print(after, &new);
    size_t count = tell_missing(old.data + strlen(TITLE), new.data, '-', out);
    count += tell_missing(new.data + strlen(TITLE), old.data, '+', out);
    base_buffer_done(&old);
    base_buffer_done(&new);
    return count;
}

/* ---- the key ---- */

char *suite_key(const struct suite *suite, const char *weights) {
    struct base_buffer key = {0};
    base_buffer_print(&key,
                      "compiler=clang-" SLOWPATH_LLVM_VERSION " counters=%d weights=%s flags=",
                      MEASURE_COUNTERS, weights);
    for (size_t i = 0; i < suite->cflags.count; i++)
        base_buffer_print(&key, "%s%s", i ? " " : "", suite->cflags.data[i]);
    for (char *at = key.data; *at; at++)
        *at = *at == '\n' || *at == '\r' ? ' ' : *at;
    return key.data;
}

void suite_hash_input(const struct suite_item *item, char text[33]) {
    struct base_hash hash;
    base_hash_init(&hash);
    base_hash_add(&hash, item->input, item->size);
    base_hash_done(&hash, text);
    text[16] = 0;
}
