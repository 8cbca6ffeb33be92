/* SPDX-License-Identifier: Apache-2.0
 *
 * What does a library contain? See describe.h.
 */
#include "target/describe.h"

#include "cc/checked.h"
#include "cc/variant.h"

#include <stdlib.h>

bool target_describe(const char *const *paths, size_t path_count, const char *const *cflags,
                     size_t cflag_count, struct target_description *description,
                     struct base_error *error) {
    struct cc_request request = {.paths = paths,
                                 .path_count = path_count,
                                 .cflags = cflags,
                                 .cflag_count = cflag_count,
                                 .kind = INSTRUMENT_MEASURE,
                                 .describes = true};
    struct cc_variant variant;
    *description = (struct target_description){0};
    if (!cc_build_variant(&request, &variant, error))
        return false;
    bool good = ir_facts_load(variant.facts, &description->facts, error) &&
                ir_roles_load(variant.roles, &description->roles, error) &&
                ir_read_signatures(variant.types, &description->arena, &description->signatures,
                                   &description->objects, error);
    cc_variant_done(&variant);
    if (!good)
        target_description_done(description);
    return good;
}

void target_description_done(struct target_description *description) {
    ir_facts_done(&description->facts);
    ir_roles_done(&description->roles);
    base_vector_done(&description->signatures);
    base_vector_done(&description->objects);
    base_arena_done(&description->arena);
}

bool target_build_checked(const struct target_checked *wanted, struct base_error *error) {
    struct cc_checked request = {wanted->paths,       wanted->path_count, wanted->cflags,
                                 wanted->cflag_count, wanted->main,       wanted->folder,
                                 wanted->output};
    return cc_build_checked(&request, error);
}
