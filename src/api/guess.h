/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps that build a model; for model.c only.
 */
#ifndef SLOWPATH_API_GUESS_H
#define SLOWPATH_API_GUESS_H

#include "api/model.h"

/* headers.c: what the headers declare, from their text. Without headers everything counts as
 * declared. */
bool api_headers_read(struct api_model *model, const struct base_strings *headers,
                      const struct base_strings *flags, struct base_strings *texts,
                      struct base_error *error);
bool api_headers_declare(const struct base_strings *texts, const char *function);
bool api_headers_mention(const struct base_strings *texts, const char *variable);
bool api_headers_define(const struct base_strings *texts, const char *macro);

/* handles.c: which types are handles, and which functions make, prepare and destroy them. */
void api_guess_types(struct api_model *model);
bool api_guess_makes(const struct api_function *function, const struct ir_type *record);
bool api_guess_fills(const struct api_function *function, uint32_t at);  /* with a new handle */
bool api_guess_writes(const struct api_function *function, uint32_t at); /* ... nothing else */
bool api_guess_prepares(const struct api_function *function, const struct ir_type *record);

/* parameters.c: the meaning of a function's arguments and result, or why it is not called. */
void api_guess_function(struct api_model *model, uint32_t function);

#endif
