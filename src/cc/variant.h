/* SPDX-License-Identifier: Apache-2.0
 *
 * Variants of a whole program: from the files a user names to an instrumented object with its
 * facts, and on to an executable that the target room can drive. All of it cached.
 */
#ifndef SLOWPATH_CC_VARIANT_H
#define SLOWPATH_CC_VARIANT_H

#include "cc/cache.h"
#include "instrument/kind.h"

struct cc_request {
    const char *const *paths; /* .c sources, objects, archives, shared libraries, executables */
    size_t path_count;
    const char *const *cflags;
    size_t cflag_count;
    enum instrument_kind kind;
    bool tells_loops;          /* symbolic: calls and loops are in the trace */
    const char *entry;         /* function that a driver will call, or NULL */
    const char *const *called; /* it, and names of what may be functions that it is given */
    size_t called_count;
    const char *driver;       /* C source of the driver, for the symbolic variant only, or NULL */
    struct base_watch *watch; /* or NULL */
    bool describes; /* facts, roles and the types of all functions are wanted, and no code */
};

struct cc_variant {
    struct cc_entry entry;
    char key[33];
    char *object;                  /* the instrumented object; its lines are for ir_locate */
    char *types;                   /* object for ir_read_signature of the entry, or NULL */
    char *facts;                   /* file for ir_facts_load */
    char *roles;                   /* file for ir_roles_load; NULL: not asked for */
    struct base_strings link_with; /* native objects and libraries, and options */
    bool was_cached;
};

/* Builds, or takes from the cache. What clang says about a source goes to stderr. */
bool cc_build_variant(const struct cc_request *request, struct cc_variant *variant,
                      struct base_error *error);
/* Links the variant with the runtime and a driver's C source (or NULL) to an executable. */
bool cc_link_variant(const struct cc_variant *variant, const char *driver, struct cc_entry *entry,
                     char **executable, struct base_error *error);
void cc_variant_done(struct cc_variant *variant);

#endif
