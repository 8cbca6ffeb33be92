/* SPDX-License-Identifier: Apache-2.0
 *
 * A library as it is, without an entry and without running it: its functions, their types, and what
 * they do with their parameters.
 */
#ifndef SLOWPATH_TARGET_DESCRIBE_H
#define SLOWPATH_TARGET_DESCRIBE_H

#include "ir/facts.h"
#include "ir/roles.h"
#include "ir/types.h"

struct target_description {
    struct ir_facts facts;
    struct ir_all_roles roles;
    struct ir_signatures signatures; /* visible to other files */
    struct ir_objects objects;       /* visible structs */
    struct base_arena arena;
};

bool target_describe(const char *const *paths, size_t path_count, const char *const *cflags,
                     size_t cflag_count, struct target_description *description,
                     struct base_error *error);
void target_description_done(struct target_description *description);

/* Builds an executable with address and undefined-behaviour sanitizers, at OUTPUT, from the same
 * files and the C source MAIN. Bitcode from binaries has no checks for undefined behaviour. Keeps
 * its objects in FOLDER and reuses them when only MAIN has changed. */
struct target_checked {
    const char *const *paths;
    size_t path_count;
    const char *const *cflags;
    size_t cflag_count;
    const char *main, *folder, *output;
};
bool target_build_checked(const struct target_checked *wanted, struct base_error *error);

#endif
