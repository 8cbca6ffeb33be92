/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports on the command line: what run, replay, export and report share.
 */
#ifndef SLOWPATH_CLI_REPORTS_H
#define SLOWPATH_CLI_REPORTS_H

#include "cli/cli.h"
#include "measure/measure.h"
#include "report/report.h"

/* Where the cost of one input goes; the caller frees what PROFILE holds. */
bool cli_profile_run(struct target *target, const struct target_input *input,
                     struct measure_profile *profile, struct base_error *error);

/* --report-to DIR: can it be written? Makes the folder. */
bool cli_report_prepare(const char *folder, struct base_error *error);
/* Writes every format there; SUITE is the suite's folder. TARGET may be NULL: then without what it
 * takes a run to know. */
bool cli_report_write(const char *folder, const struct report *report, const char *suite,
                      struct target *target, struct base_error *error);
/* One HTML page; FOLDER is the suite's. NOTE: why there is no TARGET, or NULL. */
bool cli_report_page(const char *path, const struct report *report, const char *folder,
                     struct target *target, const char *note, struct base_error *error);
/* Annotations, where GITHUB_ACTIONS says that somebody reads them. */
void cli_report_annotate(const struct report *report);

#endif
