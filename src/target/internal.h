/* SPDX-License-Identifier: Apache-2.0
 *
 * A target from the inside, for the files that make one and run it.
 */
#ifndef SLOWPATH_TARGET_INTERNAL_H
#define SLOWPATH_TARGET_INTERNAL_H

#include "cc/variant.h"
#include "ir/facts.h"
#include "target/chain.h"
#include "target/entry.h"
#include "target/process.h"
#include "target/target.h"

#define TARGET_SLICE ((size_t)4096) /* inputs per hand-over */

struct target {
    struct chain *chain; /* of a pipeline, which has no process of its own; NULL: it is none */
    struct cc_variant variant;
    struct cc_entry linked;
    char *executable;
    char whole_path[4096]; /* of it, where it is not started in our folder */
    struct ir_facts facts;
    enum abi_entry kind;
    struct target_process process;
    struct target_launch launch;
    double run_seconds; /* what a run may take now */
    char *folder;       /* all that it may write to, removed at the end */

    /* an entry's parsed text, its signature and sizes */
    struct base_arena arena;
    struct target_entry entry;
    struct ir_signature signature;
    struct base_strings functions; /* that are built because a pointer may lead to them */
    bool hands_on_static;          /* one of its arguments is a static function */
    struct base_strings paths;     /* as they were given */
    int64_t size_values[ABI_MAX_SIZES];
    bool size_known[ABI_MAX_SIZES];
    const char *size_names[ABI_MAX_SIZES];
    size_t size_count;

    size_t slice;                           /* inputs per hand-over at most, now */
    BASE_VECTOR(struct abi_result) results; /* of the last one */
    BASE_VECTOR(uint64_t) counts;           /* of the last run that was counted */
    struct base_buffer trace;               /* the one that is looked at, whole */
    struct base_buffer damaged;             /* the same, when a test wants it to be */

    double build_seconds;
    double waited; /* seconds, for batches */
    struct base_buffer located;
    struct base_buffer fresh_reason;
};

/* Builds what the options name; fills in the entry, its kind and signature, the facts. */
bool target_make(struct target *target, const struct target_options *options,
                 struct base_error *error);
bool target_has_body(const struct ir_facts *facts, const char *name);

/* The counters of the last run from now on; valid until the next one. */
void target_keep_counts(struct target *target, bool are_kept);
const uint64_t *target_kept_counts(struct target *target);

/* Appends what the last run of the last hand-over wrote; RESULT is its result, and changes. */
void target_take_output(const struct target *target, struct abi_result *result,
                        struct base_buffer *output);

/* Starts its server; it must not be running. */
bool target_start(struct target *target, struct base_error *error);

#endif
