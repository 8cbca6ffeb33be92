/* SPDX-License-Identifier: Apache-2.0
 *
 * Does what an inner loop works on differ from turn to turn of the outer one? If it does not, and
 * what it reads is the same as well, the inner loop can be moved out. A guess to name the mend by,
 * on the safe side: what is not known to be the same varies.
 */
#ifndef SLOWPATH_INSTRUMENT_RECORD_H
#define SLOWPATH_INSTRUMENT_RECORD_H

#include "instrument/internal.h"

struct record_varies;
/* Before anything is instrumented. */
struct record_varies *record_varies_new(LLVMModuleRef module, const struct instrument_map *sites,
                                        const struct ir_facts *facts);
void record_varies_free(struct record_varies *varies);
/* The callee or an argument of a call, in the turns of a loop around it. */
bool record_call_varies(struct record_varies *varies, LLVMValueRef call, uint32_t loop);
/* What comes into loop INNER, in the turns of OUTER. */
bool record_loop_varies(struct record_varies *varies, uint32_t inner, uint32_t outer);

#endif
