/* SPDX-License-Identifier: Apache-2.0
 *
 * Questions that Z3 has refused. A "no" holds whatever else is asserted, even in later traces with
 * other node numbers: conditions are identified by content.
 */
#ifndef SLOWPATH_SOLVER_CORES_H
#define SLOWPATH_SOLVER_CORES_H

#include "solver/internal.h"

struct cores;
struct cores *cores_new(void);
void cores_free(struct cores *cores);
void cores_begin(struct cores *cores); /* a new trace: node numbers have a new meaning */
/* Do the assertions contain all that made the same question impossible before? */
bool cores_refuse(struct solver *solver, struct cores *cores, const struct question *question,
                  const uint32_t *assertions, size_t count);
/* The question contradicts those of the assertions that are in the core. */
void cores_learn(struct solver *solver, struct cores *cores, const struct question *question,
                 const uint32_t *assertions, size_t count, const bool *in_core);

#endif
