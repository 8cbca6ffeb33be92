/* SPDX-License-Identifier: Apache-2.0
 *
 * What Z3 has refused before. A "no" holds whatever else is asserted, also in later traces, whose
 * expressions have other numbers: conditions are known by what they say.
 */
#ifndef SLOWPATH_SOLVER_CORES_H
#define SLOWPATH_SOLVER_CORES_H

#include "solver/internal.h"

struct cores;
struct cores *cores_new(void);
void cores_free(struct cores *cores);
void cores_begin(struct cores *cores); /* a new trace: node numbers mean something else */
/* Do the assertions contain all that made such a question impossible before? */
bool cores_refuse(struct solver *solver, struct cores *cores, const struct question *question,
                  const uint32_t *assertions, size_t count);
/* The question has no solution together with those of the assertions that are in the core. */
void cores_learn(struct solver *solver, struct cores *cores, const struct question *question,
                 const uint32_t *assertions, size_t count, const bool *in_core);

#endif
