/* SPDX-License-Identifier: Apache-2.0
 *
 * A template as something that strategies can search: vectors of choices take the place of inputs.
 */
#ifndef SLOWPATH_SEARCH_TEMPLATE_H
#define SLOWPATH_SEARCH_TEMPLATE_H

#include "search/search.h"
#include "target/template.h"

struct search_form;
/* INNER measures rendered texts. FIRST_SITE: the number of the first choice among the sites of
 * decisions, beyond those of the target's blocks. FORM is borrowed. */
struct search_form *search_form_new(const struct target_template *form,
                                    const struct search_programs *inner, uint32_t first_site);
void search_form_free(struct search_form *self);
struct search_programs search_programs_of_form(struct search_form *self);

#endif
