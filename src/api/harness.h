/* SPDX-License-Identifier: Apache-2.0
 *
 * The harness that turns bytes into calls: C source generated from a model.
 */
#ifndef SLOWPATH_API_HARNESS_H
#define SLOWPATH_API_HARNESS_H

#include "api/model.h"

void api_harness_print(const struct api_model *model, struct base_buffer *out);
/* Literals found in the library, each followed by a comma. */
void api_harness_words(const struct api_model *model, struct base_buffer *out);
/* #include lines, or declarations if there is no header. */
void api_print_declarations(const struct api_model *model, struct base_buffer *out);
/* The functions that may be passed for a callback parameter, by their names in the harness; there
 * is always one. */
void api_list_callbacks(const struct api_model *model, uint32_t function, uint32_t parameter,
                        struct base_strings *names);
/* Defines the stubs that PROGRAM names; all if it is NULL. */
void api_print_stubs(const struct api_model *model, uint32_t function, uint32_t parameter,
                     const char *program, struct base_buffer *out);

#endif
