/* SPDX-License-Identifier: Apache-2.0
 *
 * Putting statements together so that each has the handles that it needs: what sequence.c does by
 * chance and usual.c by a plan.
 */
#ifndef SLOWPATH_API_BUILDER_H
#define SLOWPATH_API_BUILDER_H

#include "api/sequence.h"

#define API_MAKERS_DEEP 3 /* a maker may need handles itself, so deep */

struct api_builder {
    const struct api_model *model;
    struct api_random *random;
    struct api_sequence *sequence;
    struct api_alive alive;
    bool renews; /* loops get another one of what is lent in each turn, always */
};

/* A call with arguments by chance, once. */
void api_some_statement(const struct api_model *model, struct api_random *random, uint32_t number,
                        struct api_statement *statement);
/* The number of a function that makes this type, or IR_NONE; mostly one that needs no handles. */
uint32_t api_some_maker(const struct api_model *model, struct api_random *random, uint32_t type);
/* Is it called, with a handle of this type that stays the caller's? */
bool api_uses(const struct api_function *function, uint32_t type);

/* Makes one more handle, in a free slot if there is one. */
bool api_builder_make(struct api_builder *builder, uint32_t type, unsigned depth);
/* Makes what the statement needs and is not alive. */
bool api_builder_provide(struct api_builder *builder, const struct api_statement *statement,
                         unsigned depth);
/* False: there is no place, or a handle is missing. */
bool api_builder_append(struct api_builder *builder, const struct api_statement *statement);
/* The statement with all that it needs; what a loop takes away is made in each of its turns, and
 * what is lent may be. */
bool api_builder_add(struct api_builder *builder, struct api_statement *statement);

#endif
