/* SPDX-License-Identifier: Apache-2.0
 *
 * slowpath grow: writes the input of a test at another size, from its recipe.
 */
#include "cli/session.h"
#include "target/pattern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LARGEST (1 << 30) /* bytes, as for --max-size */

static bool find_recipe(const struct suite *suite, const char *name, struct target_pattern *pattern,
                        struct base_error *error) {
    size_t number;
    if (!cli_find_test(suite, name, &number, error))
        return false;
    const json_t *test = json_array_get(json_object_get(suite->root, "tests"), number++);
    const char *recipe = json_string_value(json_object_get(test, "recipe"));
    if (!recipe)
        return base_fail(error, BASE_USAGE,
                         "test %zu has no recipe: it was not made by growing a pattern", number);
    return target_pattern_parse(recipe, pattern) ||
           base_fail(error, BASE_USAGE, "the recipe of test %zu is damaged", number);
}

static bool read_size(const struct cli_values *values, double *size, struct base_error *error) {
    if (!values->given[CLI_SIZE])
        return base_fail(error, BASE_USAGE, "how large is the input to be? --size BYTES");
    return cli_number(values, CLI_SIZE, 1, LARGEST, size, error);
}

static bool write_out(const struct cli_values *values, const struct base_buffer *bytes,
                      struct base_error *error) {
    const char *path = values->given[CLI_OUT];
    if (path && strcmp(path, "-") != 0)
        return base_write_file(path, bytes->data, bytes->count, error);
    if (isatty(STDOUT_FILENO) && !path)
        return base_fail(error, BASE_USAGE, "this is a terminal: --out FILE, or --out - for here");
    if (fwrite(bytes->data, 1, bytes->count, stdout) != bytes->count || fflush(stdout) != 0)
        return base_fail(error, BASE_USAGE, "cannot write the input: %s", strerror(errno));
    return true;
}

static bool grow(const struct cli_values *values, const struct target_pattern *pattern, double size,
                 struct base_error *error) {
    uint64_t wanted = (uint64_t)size, k = target_pattern_fit(pattern, wanted);
    if (!k)
        return base_fail(error, BASE_USAGE, "--size %llu: the recipe has at least %llu bytes",
                         (unsigned long long)wanted,
                         (unsigned long long)target_pattern_size(pattern, 1));
    struct base_buffer bytes = {0};
    target_pattern_write(pattern, k, &bytes);
    bool good = write_out(values, &bytes, error);
    if (good && bytes.count != wanted)
        base_note("%zu bytes: the recipe has no input of %llu", bytes.count,
                  (unsigned long long)wanted);
    base_buffer_done(&bytes);
    return good;
}

int cli_grow(const struct cli_values *values, struct base_error *error) {
    const struct base_strings *words = &values->before;
    struct target_pattern pattern;
    struct suite suite;
    double size = 0;
    if (words->count != 2) {
        base_fail(error, BASE_USAGE, "a suite and one of its tests are wanted: grow SUITE 1");
        return (int)error->code;
    }
    if (!read_size(values, &size, error) || !suite_load(words->data[0], &suite, error))
        return (int)error->code;
    bool good =
        find_recipe(&suite, words->data[1], &pattern, error) && grow(values, &pattern, size, error);
    suite_done(&suite);
    return good ? BASE_OK : (int)error->code;
}
