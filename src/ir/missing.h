/* SPDX-License-Identifier: Apache-2.0
 *
 * The message about a function that is not in the target.
 */
#ifndef SLOWPATH_IR_MISSING_H
#define SLOWPATH_IR_MISSING_H

#include "base/base.h"

/* Fails with BASE_TARGET and up to three of the names that are PRESENT, the nearest ones. */
bool ir_fail_missing(const char *function, const struct base_strings *present,
                     struct base_error *error);
/* Is that what it says? */
bool ir_is_missing(const struct base_error *error);

#endif
