/* SPDX-License-Identifier: Apache-2.0
 *
 * How are sequences checked? The checked build reads a file of many, forks for each and prints a
 * line: the outcome, the function in which it happened, and the reason.
 */
#include "api/check.h"

#include "api/harness.h"

#include <stdlib.h>
#include <string.h>

#define CHECK_MILLISECONDS 2000 /* CPU time limit per sequence */

void api_checker_init(struct api_checker *checker, const struct api_library *library) {
    *checker = (struct api_checker){
        .library = *library, .folder = base_temp_dir(), .milliseconds = CHECK_MILLISECONDS};
    checker->program = base_format("%s/checked", checker->folder);
}

bool api_checker_build(struct api_checker *checker, const struct api_model *model,
                       struct base_error *error) {
    struct base_buffer text = {0};
    base_buffer_print(&text, "#define SLOWPATH_API_CHECK\n");
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

static void encode_checked(const struct api_model *model, const struct api_sequence *sequence,
                           struct base_buffer *bytes) {
    api_sequence_encode(model, sequence, sequence->count, bytes);
    for (uint32_t i = 0; i < sequence->count; i++) {
        uint32_t number = model->called.data[sequence->statements[i].function];
        uint16_t checked_as = (uint16_t)model->functions.data[number].checked_as;
        memcpy(bytes->data + sizeof sequence->header + i * sizeof *sequence->statements +
                   offsetof(struct api_statement, function),
               &checked_as, sizeof checked_as);
    }
}

static bool write_inputs(const char *path, const struct api_model *model,
                         const struct api_sequence *sequences, size_t count,
                         struct base_error *error) {
    struct base_buffer all = {0};
    for (size_t i = 0; i < count; i++) {
        struct base_buffer bytes = {0};
        encode_checked(model, &sequences[i], &bytes);
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
    *result = (struct api_checked){.verdict = API_NOT_RUN, .function = -2};
    if (sscanf(line, "%7s %d %63s %ld %u %u %u", word, &result->function, result->reason,
               &result->live, &result->calls, &result->made, &result->handles) < 7)
        return;
    result->verdict = strcmp(word, "ok") == 0     ? API_CLEAN
                      : strcmp(word, "late") == 0 ? API_TOO_LONG
                                                  : API_MISUSED;
}

bool api_checker_run(struct api_checker *checker, const struct api_model *model,
                     const struct api_sequence *sequences, size_t count, double seconds,
                     struct api_checked *results, struct base_error *error) {
    char *path = base_format("%s/inputs", checker->folder);
    char *written = base_format("%s/written", checker->folder);
    char *limit = base_format("%.3f", seconds);
    char *each = base_format("%u", checker->milliseconds);
    const char *const argv[] = {"env",
                                "ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:"
                                "max_allocation_size_mb=256:quarantine_size_mb=16:symbolize=0:"
                                "print_legend=0:print_full_thread_history=0",
                                "UBSAN_OPTIONS=symbolize=0:print_stacktrace=0",
                                checker->program,
                                path,
                                written,
                                limit,
                                each,
                                NULL};
    struct base_buffer out = {0};
    struct base_process process = {.argv = argv, .out = &out, .discard_err = true};
    bool good =
        base_make_dirs(written, error) && write_inputs(path, model, sequences, count, error);
    if (good)
        base_run(&process);
    char *rest = NULL, *line = out.data ? strtok_r(out.data, "\n", &rest) : NULL;
    for (size_t i = 0; good && i < count; i++) {
        read_result(line ? line : "", &results[i]);
        line = line ? strtok_r(NULL, "\n", &rest) : NULL;
    }
    base_buffer_done(&out);
    free(path);
    free(written);
    free(limit);
    free(each);
    return good;
}

void api_checker_done(struct api_checker *checker) {
    if (checker->folder)
        base_remove_tree(checker->folder);
    free(checker->folder);
    free(checker->program);
    free(checker->harness);
}
