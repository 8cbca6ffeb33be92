/* SPDX-License-Identifier: Apache-2.0
 *
 * slowpath export: a suite in a format that another tool reads. Some formats contain what is in
 * suite.json; those that show where the cost goes run a test again.
 */
#include "cli/reports.h"
#include "cli/session.h"

#include "measure/tree.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_SHARE 1e-4 /* minimum share of the cost for a stack */

typedef void writer(const struct report *report, struct base_buffer *out);

static const struct {
    const char *name;
    writer *write;
} formats[] = {
#define FORMAT(id, file, text) {#id, report_##id},
    REPORT_FORMATS(FORMAT)
#undef FORMAT
};

/* ---- where the cost goes ---- */

static bool callgrind(const struct measure_profile *profile, const char *name,
                      struct base_buffer *out, struct base_error *error) {
    char *folder = base_temp_dir(), *path = base_format("%s/callgrind.out", folder), *text = NULL;
    size_t size;
    bool good = measure_profile_callgrind(profile, name, path, error) &&
                base_read_file(path, &text, &size, error);
    if (good)
        base_buffer_add(out, text, size);
    base_remove_tree(folder);
    free(text);
    free(path);
    free(folder);
    return good;
}

static bool write_profile(const char *format, const struct measure_profile *profile,
                          const char *name, struct base_buffer *out, struct base_error *error) {
    struct measure_tree tree;
    if (strcmp(format, "callgrind") == 0)
        return callgrind(profile, name, out, error);
    measure_tree_make(profile, LEAST_SHARE, &tree);
    if (strcmp(format, "folded") == 0)
        measure_tree_folded(&tree, out);
    else
        report_speedscope(&tree, name, out);
    measure_tree_done(&tree);
    return true;
}

bool cli_profile_run(struct target *target, const struct target_input *input,
                     struct measure_profile *profile, struct base_error *error) {
    struct abi_result result;
    const uint64_t *counts = target_run_counted(target, input, &result, error);
    if (!counts)
        return false;
    measure_profile_init(profile, target_facts(target));
    measure_profile_add(profile, counts);
    return true;
}

static bool is_profile(const char *format) {
    return strcmp(format, "folded") == 0 || strcmp(format, "speedscope") == 0 ||
           strcmp(format, "callgrind") == 0;
}

static bool export_profile(struct cli_session *session, const char *format, struct base_buffer *out,
                           struct base_error *error) {
    const char *test = session->values->given[CLI_TEST];
    struct measure_profile profile;
    size_t index;
    if (!cli_find_test(&session->suite, test ? test : "1", &index, error) ||
        !cli_session_start(session, error))
        return false;
    const struct suite_item *item = &session->suite.items[index];
    struct target_input input = {item->input, item->size};
    if (!cli_profile_run(session->target, &input, &profile, error))
        return false;
    bool good = write_profile(format, &profile, item->file, out, error);
    measure_profile_done(&profile);
    return good;
}

/* ---- the command ---- */

static bool export_suite(struct cli_session *session, const char *format, const char *path,
                         struct base_buffer *out, struct base_error *error) {
    struct report report = {.root = session->suite.root, .folder = path};
    if (is_profile(format))
        return export_profile(session, format, out, error);
    for (size_t i = 0; i < BASE_COUNT(formats); i++)
        if (strcmp(formats[i].name, format) == 0) {
            formats[i].write(&report, out);
            return true;
        }
    struct base_buffer names = {0};
    for (size_t i = 0; i < BASE_COUNT(formats); i++)
        base_buffer_print(&names, ", %s", formats[i].name);
    base_fail(error, BASE_USAGE,
              "--format %s: there is no such format (there are folded, speedscope, callgrind%s)",
              format, names.data);
    base_buffer_done(&names);
    return false;
}

static bool write_out(const struct cli_session *session, const struct base_buffer *out,
                      struct base_error *error) {
    const char *given = session->values->given[CLI_OUT];
    if (!given || strcmp(given, "-") == 0) {
        fwrite(out->data ? out->data : "", 1, out->count, stdout);
        return true;
    }
    char *path = cli_session_path(session, given);
    bool good = base_write_file(path, out->data ? out->data : "", out->count, error);
    free(path);
    return good;
}

int cli_export(const struct cli_values *values, struct base_error *error) {
    struct cli_session session = {0};
    struct base_buffer out = {0};
    const char *format = values->given[CLI_FORMAT];
    bool good = false;
    if (values->before.count != 1)
        base_fail(error, BASE_USAGE, "one suite is wanted: name its folder");
    else if (!format)
        base_fail(error, BASE_USAGE,
                  "which format? --format folded, speedscope, callgrind, csv, "
                  "sarif, junit, gitlab or markdown");
    else
        good = cli_session_load(&session, values, values->before.data[0], error) &&
               export_suite(&session, format, values->before.data[0], &out, error) &&
               write_out(&session, &out, error);
    base_buffer_done(&out);
    cli_session_done(&session);
    return good ? BASE_OK : (int)error->code;
}
