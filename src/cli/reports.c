/* SPDX-License-Identifier: Apache-2.0
 *
 * --report-to: writes every format at once, for CI. Each file is written completely or not at all.
 */
#include "cli/reports.h"

#include <stdlib.h>
#include <string.h>

#define ANNOTATIONS 10 /* number that GitHub shows per step */

bool cli_report_prepare(const char *folder, struct base_error *error) {
    char *probe = base_format("%s/result.json", folder);
    bool good = base_make_dirs(folder, error) && base_try_file(probe, error);
    free(probe);
    return good;
}

static bool put(const char *folder, const char *name, struct base_buffer *text,
                struct base_error *error) {
    char *path = base_format("%s/%s", folder, name);
    bool good = base_write_file(path, text->data ? text->data : "", text->count, error);
    base_buffer_done(text);
    free(path);
    return good;
}

static bool put_json(const char *folder, const struct report *report, struct base_error *error) {
    char *path = base_format("%s/result.json", folder);
    bool good = cli_write_json(report->root, path, error);
    free(path);
    return good;
}

static bool put_page(const char *folder, const struct report *report, const char *suite,
                     struct target *target, struct base_error *error) {
    char *path = base_format("%s/report.html", folder);
    bool good = cli_report_page(path, report, suite, target, NULL, error);
    free(path);
    return good;
}

bool cli_report_write(const char *folder, const struct report *report, const char *suite,
                      struct target *target, struct base_error *error) {
    bool good = put_json(folder, report, error);
#define FORMAT(id, file, text)                                                                     \
    if (good) {                                                                                    \
        struct base_buffer out = {0};                                                              \
        report_##id(report, &out);                                                                 \
        good = put(folder, file, &out, error);                                                     \
    }
    REPORT_FORMATS(FORMAT)
#undef FORMAT
    return good && put_page(folder, report, suite, target, error);
}

bool cli_write_slow_unit(const char *folder, const void *bytes, size_t size,
                         struct base_error *error) {
    struct base_hash hash;
    char name[33];
    base_hash_init(&hash);
    base_hash_add(&hash, bytes, size);
    base_hash_done(&hash, name);
    char *path = base_format("%s/slow-unit-%s", folder, name);
    bool good = base_write_file(path, bytes, size, error);
    free(path);
    return good;
}

void cli_report_annotate(const struct report *report) {
    struct base_buffer out = {0};
    const char *there = getenv("GITHUB_ACTIONS");
    if (!there || strcmp(there, "true") != 0)
        return;
    report_github(report, ANNOTATIONS, &out);
    fputs(out.data ? out.data : "", stdout);
    base_buffer_done(&out);
}
