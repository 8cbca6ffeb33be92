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
/* Gives it as long as one from the cache takes. */
void search_builder_pause(const struct search_builder *builder);
/* Is it over, well or not? */
bool search_builder_is_over(const struct search_builder *builder);
/* Waits for it; false and the reason when it failed. */
bool search_builder_wait(struct search_builder *builder, struct base_error *error);
void search_builder_look(const struct search_builder *builder, struct search_aside *aside);
/* Ends it if it still runs. What it has finished is kept. */
void search_builder_free(struct search_builder *builder);

#endif
