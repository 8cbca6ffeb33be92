/* SPDX-License-Identifier: Apache-2.0
 *
 * How are sequences checked? The checked build takes a file of many, forks for each and prints a
 * line: what became of it, in which function, and why.
 */
#include "api/check.h"

#include "api/harness.h"

#include <stdlib.h>
#include <string.h>

#define CHECK_SECONDS 5 /* that a sequence may take */

void api_checker_init(struct api_checker *checker, const struct api_library *library) {
    *checker = (struct api_checker){.library = *library, .folder = base_temp_dir()};
    checker->program = base_format("%s/checked", checker->folder);
}

bool api_checker_build(struct api_checker *checker, const struct api_model *model,
                       struct base_error *error) {
    struct base_buffer text = {0};
    base_buffer_print(&text, "#define SLOWPATH_API_CHECK %d\n", CHECK_SECONDS);
    api_harness_print(model, &text);
    if (checker->harness && strcmp(checker->harness, text.data) == 0) {
        base_buffer_done(&text);
        return true;
    }
    struct target_checked wanted = {checker->library.paths,
                                    checker->library.path_count,
                                    checker->library.cflags,
                                    checker->library.cflag_count,
                                    text.data,
                                    checker->folder,
                                    checker->program};
    bool good = target_build_checked(&wanted, error);
    free(checker->harness);
    checker->harness = good ? base_strdup(text.data) : NULL;
    base_buffer_done(&text);
    return good;
}

static bool write_inputs(const char *path, const struct api_sequence *sequences, size_t count,
                         struct base_error *error) {
    struct base_buffer all = {0};
    for (size_t i = 0; i < count; i++) {
        struct base_buffer bytes = {0};
        api_sequence_encode(&sequences[i], sequences[i].count, &bytes);
        uint32_t size = (uint32_t)bytes.count;
        base_buffer_add(&all, &size, sizeof size);
        base_buffer_add(&all, bytes.data, bytes.count);
        base_buffer_done(&bytes);
    }
    bool good = base_write_file(path, all.data ? all.data : "", all.count, error);
    base_buffer_done(&all);
    return good;
}

static void read_result(const char *line, struct api_checked *result) {
    char word[8] = "";
    *result = (struct api_checked){.verdict = API_MISUSED, .function = -2};
    if (sscanf(line, "%7s %d %63s", word, &result->function, result->reason) < 2)
        return;
    result->verdict = strcmp(word, "ok") == 0     ? API_CLEAN
                      : strcmp(word, "late") == 0 ? API_TOO_LONG
                                                  : API_MISUSED;
}

static bool run_all(struct api_checker *checker, const struct api_sequence *sequences, size_t count,
                    struct api_checked *results, struct base_error *error) {
    char *path = base_format("%s/inputs", checker->folder);
    const char *leaks = checker->finds_leaks && !checker->cannot_find
                            ? "ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1"
                            : "ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1";
    const char *const argv[] = {"env", leaks, checker->program, path, NULL};
    struct base_buffer out = {0};
    struct base_process process = {.argv = argv, .out = &out, .discard_err = true};
    bool good = write_inputs(path, sequences, count, error);
    if (good)
        base_run(&process);
    char *rest = NULL, *line = out.data ? strtok_r(out.data, "\n", &rest) : NULL;
    for (size_t i = 0; good && i < count; i++) {
        read_result(line ? line : "", &results[i]);
        line = line ? strtok_r(NULL, "\n", &rest) : NULL;
    }
    base_buffer_done(&out);
    free(path);
    return good;
}

/* Where no process may look into another one, nothing is clean when leaks are looked for. */
static bool try_leaks(struct api_checker *checker, struct base_error *error) {
    struct api_sequence nothing = {0};
    struct api_checked result;
    if (!checker->finds_leaks || checker->cannot_find)
        return true;
    if (!run_all(checker, &nothing, 1, &result, error))
        return false;
    checker->cannot_find = result.verdict != API_CLEAN;
    return true;
}

bool api_checker_run(struct api_checker *checker, const struct api_sequence *sequences,
                     size_t count, struct api_checked *results, struct base_error *error) {
    return try_leaks(checker, error) && run_all(checker, sequences, count, results, error);
}

void api_checker_done(struct api_checker *checker) {
    if (checker->folder)
        base_remove_tree(checker->folder);
    free(checker->folder);
    free(checker->program);
    free(checker->harness);
}
