/* SPDX-License-Identifier: Apache-2.0
 *
 * How a model comes about, step by step; for model.c alone.
 */
#ifndef SLOWPATH_API_GUESS_H
#define SLOWPATH_API_GUESS_H

#include "api/model.h"

/* headers.c: what the headers say, by their text. Without headers everything is declared. */
bool api_headers_read(struct api_model *model, const struct base_strings *headers,
                      const struct base_strings *flags, struct base_strings *texts,
                      struct base_error *error);
bool api_headers_declare(const struct base_strings *texts, const char *function);
bool api_headers_mention(const struct base_strings *texts, const char *variable);
bool api_headers_define(const struct base_strings *texts, const char *macro);

/* handles.c: which types are handles, who makes, prepares and destroys them. */
void api_guess_types(struct api_model *model);
bool api_guess_makes(const struct api_function *function, const struct ir_type *record);
bool api_guess_fills(const struct api_function *function, uint32_t at);  /* with a new handle */
bool api_guess_writes(const struct api_function *function, uint32_t at); /* ... nothing else */
bool api_guess_prepares(const struct api_function *function, const struct ir_type *record);

/* parameters.c: what the arguments and the result of a function are, or why it is not called. */
void api_guess_function(struct api_model *model, uint32_t function);

#endif
