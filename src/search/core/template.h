/* SPDX-License-Identifier: Apache-2.0
 *
 * A template as something that strategies can search: vectors of choices replace inputs.
 */
#ifndef SLOWPATH_SEARCH_TEMPLATE_H
#define SLOWPATH_SEARCH_TEMPLATE_H

#include "search/search.h"
#include "target/template.h"

struct search_form;
/* INNER measures rendered texts. FIRST_SITE: the site number of the first choice, above those of
 * the target's blocks. FORM is borrowed. */
struct search_form *search_form_new(const struct target_template *form,
                                    const struct search_program *inner, uint32_t first_site);
void search_form_free(struct search_form *self);
struct search_program search_form_program(struct search_form *self);

/* The strategy that suits the number of fillings. */
const struct search_strategy *search_form_strategy(const struct target_template *form);
/* Size and bounds of the vectors. */
void search_form_layout(const struct target_template *form, struct search_layout *layout);
/* The fillings to start from: the default one, and random ones where there are many. */
size_t search_form_starts(const struct target_template *form);
void search_form_start(const struct target_template *form, size_t number, uint64_t *random,
                       uint8_t *vector);

#endif
