/* SPDX-License-Identifier: Apache-2.0
 *
 * The whole program as one module: the only header here that needs LLVM, for those who change code
 * (instrument) or have it changed (cc).
 *
 * The journey: ir_extract takes frames out of objects, archives and executables; ir_link joins
 * their bitcode to one module; ir_clean brings it into the form that is measured and explored
 * (decisions of the source stay decisions); ir_facts_make numbers its blocks and describes them.
 * Block numbers are the order of functions and blocks in the cleaned module, and the instrumenter
 * uses the same numbers.
 */
#ifndef SLOWPATH_IR_MODULE_H
#define SLOWPATH_IR_MODULE_H

#include "ir/facts.h"
#include "ir/frames.h"
#include "ir/roles.h"
#include <llvm-c/Core.h>

struct ir_module {
    LLVMContextRef context;
    LLVMModuleRef module;
};

/* Links the bitcode frames to one module. LIBRARY frames (may be NULL) come from shared libraries:
 * a definition of the program wins over theirs. */
bool ir_link(const struct ir_frames *program, const struct ir_frames *library,
             struct ir_module *module, struct base_error *error);
/* Fails with BASE_TARGET and the nearest names when the module does not define this function. */
bool ir_check_function(const struct ir_module *module, const char *function,
                       struct base_error *error);
/* Memory to registers, constants, dead code, common subexpressions; no branch is removed by
 * turning it into a select, no loop is changed. Also gives bodies that are only available for
 * inlining (available_externally) a real, internal definition. */
bool ir_clean(struct ir_module *module, struct base_error *error);
void ir_module_done(struct ir_module *module);

/* Analyses every defined function of a cleaned module. */
void ir_facts_make(const struct ir_module *module, struct ir_facts *facts);
/* What every defined function of a cleaned module does with its parameters. */
void ir_roles_make(const struct ir_module *module, struct ir_all_roles *all);
/* An instruction that costs something: not a phi, debug, lifetime or assume instruction. */
bool ir_counts(LLVMValueRef instruction);

#endif
