/* SPDX-License-Identifier: Apache-2.0
 *
 * What a function or a variable is, as a row of numbers: with the same numbers, and the same for
 * all that it refers to, it compiles to the same code.
 */
#ifndef SLOWPATH_INSTRUMENT_CONTENT_H
#define SLOWPATH_INSTRUMENT_CONTENT_H

#include "instrument/parts.h"

struct instrument_content {
    BASE_VECTOR(uint64_t) words;
    BASE_VECTOR(LLVMValueRef) references; /* functions and variables that it names */
    bool is_unusual;                      /* it has something that the words do not tell */
};

/* All that follows adds to a content. */

/* What those see who refer to it. */
void instrument_tell_head(LLVMValueRef global, struct instrument_content *content);
/* Counters are told relative to the function's first one, as a part has them (slots.c), if there is
 * such a variable. */
void instrument_tell_body(LLVMValueRef function, LLVMValueRef counters,
                          struct instrument_content *content);
void instrument_tell_initializer(LLVMValueRef variable, struct instrument_content *content);
/* What is not in any function or variable. */
void instrument_tell_module(LLVMModuleRef module, struct instrument_content *content);

#endif
