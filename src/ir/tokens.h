/* SPDX-License-Identifier: Apache-2.0
 *
 * The constants that a program looks for in its input; see tokens.c. Private to this room.
 */
#ifndef SLOWPATH_IR_TOKENS_H
#define SLOWPATH_IR_TOKENS_H

#include "ir/module.h"

/* Fills tokens and token_bytes of FACTS. */
void ir_tokens_make(const struct ir_module *module, struct ir_facts *facts);

#endif
