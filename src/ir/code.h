/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside ir: the instructions themselves, as part of the facts.
 */
#ifndef SLOWPATH_IR_CODE_H
#define SLOWPATH_IR_CODE_H

#include "ir/module.h"

/* Adds codes, operands, globals and their first contents to facts that have all else. */
void ir_code_make(const struct ir_module *module, struct ir_facts *facts);

#endif
