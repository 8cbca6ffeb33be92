/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports, shared by run, replay, export and report.
 */
#ifndef SLOWPATH_CLI_REPORTS_H
#define SLOWPATH_CLI_REPORTS_H

#include "cli/cli.h"
#include "measure/measure.h"
#include "report/report.h"

/* Profiles one input; the caller frees the contents of PROFILE. */
bool cli_profile_run(struct target *target, const struct target_input *input,
                     struct measure_profile *profile, struct base_error *error);

/* --report-to DIR: can it be written? Creates the folder. */
bool cli_report_prepare(const char *folder, struct base_error *error);
/* Writes every format there; SUITE is the suite's folder. TARGET may be NULL: then omits what takes
 * a run to know. */
bool cli_report_write(const char *folder, const struct report *report, const char *suite,
                      struct target *target, struct base_error *error);
/* One HTML page; FOLDER is the suite's. NOTE: why there is no TARGET, or NULL. */
bool cli_report_page(const char *path, const struct report *report, const char *folder,
                     struct target *target, const char *note, struct base_error *error);
/* For users of libFuzzer: writes a test as slow-unit-HASH in FOLDER. */
bool cli_write_slow_unit(const char *folder, const void *bytes, size_t size,
                         struct base_error *error);
/* Prints annotations if GITHUB_ACTIONS is set. */
void cli_report_annotate(const struct report *report);

#endif
