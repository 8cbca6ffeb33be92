/* SPDX-License-Identifier: Apache-2.0
 *
 * A build that is made while the search runs without it.
 */
#ifndef SLOWPATH_SEARCH_ASIDE_H
#define SLOWPATH_SEARCH_ASIDE_H

#include "search/subject.h"

struct search_builder;
/* Starts it; OPTIONS stay the caller's and must live as long. */
struct search_builder *search_builder_start(const struct target_options *options);
/* Waits for it, at most as long as opening a cached build takes. */
void search_builder_pause(const struct search_builder *builder);
/* Has it ended, successfully or not? */
bool search_builder_is_over(const struct search_builder *builder);
/* Waits for it; false and the reason when it failed. */
bool search_builder_wait(struct search_builder *builder, struct base_error *error);
void search_builder_look(const struct search_builder *builder, struct search_aside *aside);
/* Stops it if it is still running. What it has finished stays in the cache. */
void search_builder_free(struct search_builder *builder);

#endif
