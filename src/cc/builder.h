/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds in processes of their own: they can be watched, given less of the machine, and ended at
 * any time, and what LLVM leaves in memory goes with them.
 */
#ifndef SLOWPATH_CC_BUILDER_H
#define SLOWPATH_CC_BUILDER_H

#include "cc/variant.h"

struct cc_reporter; /* the builder's end of the line */
void cc_report_progress(struct cc_reporter *reporter, unsigned done, unsigned all);

typedef bool cc_work(void *context, struct cc_reporter *reporter, struct base_error *error);
/* Runs WORK to its end in another process; WHAT names it for progress. WATCH may be NULL. Fails
 * with BASE_STOPPED when somebody does not want it any more. */
bool cc_run_builder(cc_work *work, void *context, const char *what, struct base_watch *watch,
                    struct base_error *error);

/* Between these two a signal that would end this process ends builders and compilers first; the
 * caller cleans up, and the process ends in the second one. Nothing happens when others handle the
 * signal. */
void cc_begin_catching(void);
void cc_end_catching(void);

#endif
