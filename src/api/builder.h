/* SPDX-License-Identifier: Apache-2.0
 *
 * Assembles statements so that each has the handles it needs: sequence.c does that at random,
 * usual.c by a plan.
 */
#ifndef SLOWPATH_API_BUILDER_H
#define SLOWPATH_API_BUILDER_H

#include "api/sequence.h"

#define API_MAKERS_DEEP 3 /* depth of recursion, as a maker may need handles itself */

struct api_builder {
    const struct api_model *model;
    struct api_random *random;
    struct api_sequence *sequence;
    struct api_alive alive;
    bool renews; /* each iteration of a loop always gets a new lent handle */
};

/* A single call with random arguments. */
void api_some_statement(const struct api_model *model, struct api_random *random, uint32_t number,
                        struct api_statement *statement);
/* The number of a function that makes this type, or IR_NONE; usually one that needs no handles. */
uint32_t api_some_maker(const struct api_model *model, struct api_random *random, uint32_t type);
/* Is it called, with a handle of this type that remains the caller's? */
bool api_uses(const struct api_function *function, uint32_t type);

/* Makes another handle, in a free slot if there is one. */
bool api_builder_make(struct api_builder *builder, uint32_t type, unsigned depth);
/* Makes handles that the statement needs and that do not exist yet. */
bool api_builder_provide(struct api_builder *builder, const struct api_statement *statement,
                         unsigned depth);
/* False: no room, or a handle is missing. */
bool api_builder_append(struct api_builder *builder, const struct api_statement *statement);
/* Appends the statement with everything it needs. A handle that a loop consumes is made in each
 * iteration; one that is lent may be. */
bool api_builder_add(struct api_builder *builder, struct api_statement *statement);

#endif
