/* SPDX-License-Identifier: Apache-2.0
 *
 * Costs and profiles as JSON.
 */
#ifndef SLOWPATH_MEASURE_JSON_H
#define SLOWPATH_MEASURE_JSON_H

#include "measure/measure.h"
#include <jansson.h>

/* The `cost` object of a test in a suite; the caller owns it. */
json_t *measure_cost_json(const struct measure *measure, const struct target *target,
                          const struct abi_result *result);
/* The costliest functions, lines and loops; the caller owns it. */
json_t *measure_profile_json(const struct measure_profile *profile, unsigned rows);

#endif
