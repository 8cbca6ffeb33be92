/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of a target, for the files that build and run it.
 */
#ifndef SLOWPATH_TARGET_INTERNAL_H
#define SLOWPATH_TARGET_INTERNAL_H

#include "cc/variant.h"
#include "ir/facts.h"
#include "target/chain.h"
#include "target/entry.h"
#include "target/process.h"
#include "target/target.h"

#define TARGET_SLICE ((size_t)4096) /* inputs per batch */

struct target {
    struct chain *chain; /* set for a pipeline, which has no process of its own; otherwise NULL */
    struct cc_variant variant;
    struct cc_entry linked;
    char *executable;
    char whole_path[4096]; /* its absolute path, if it starts in another folder */
    struct ir_facts facts;
    enum abi_entry kind;
    struct target_process process;
    struct target_launch launch;
    double run_seconds; /* current limit per run */
    char *folder;       /* the only folder it may write to, removed at the end */

    /* The entry: parsed text, signature and sizes. */
    struct base_arena arena;
    struct target_entry entry;
    struct ir_signature signature;
    struct base_strings functions; /* built because a pointer may lead to them */
    bool hands_on_static;          /* a static function is passed as an argument */
    struct base_strings paths;     /* as given by the user */
    int64_t size_values[ABI_MAX_SIZES];
    bool size_known[ABI_MAX_SIZES];
    const char *size_names[ABI_MAX_SIZES];
    size_t size_count;

    size_t slice;                           /* current limit of inputs per batch */
    BASE_VECTOR(struct abi_result) results; /* of the last batch */
    BASE_VECTOR(uint64_t) counts;           /* of the last run with counts */
    struct base_buffer trace;               /* the complete current trace */
    struct base_buffer damaged;             /* the same, damaged on purpose for a test */

    double build_seconds;
    double waited; /* seconds spent waiting for batches */
    struct base_buffer located;
    struct base_buffer fresh_reason;
};

/* Builds what the options name; sets the entry, its kind and signature, and the facts. */
bool target_make(struct target *target, const struct target_options *options,
                 struct base_error *error);
bool target_has_body(const struct ir_facts *facts, const char *name);

/* Switches on that the counters of the last run are kept; valid until the next run. */
void target_keep_counts(struct target *target, bool are_kept);
const uint64_t *target_kept_counts(struct target *target);

/* Appends the output of the last run of the last batch; RESULT is its result, which is updated. */
void target_take_output(const struct target *target, struct abi_result *result,
                        struct base_buffer *output);

/* Starts the target's server, which must not be running. */
bool target_start(struct target *target, struct base_error *error);

#endif
