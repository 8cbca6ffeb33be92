/* SPDX-License-Identifier: Apache-2.0
 *
 * A build with sanitizers, see target/describe.h.
 */
#ifndef SLOWPATH_CC_CHECKED_H
#define SLOWPATH_CC_CHECKED_H

#include "base/base.h"

struct cc_checked {
    const char *const *paths;
    size_t path_count;
    const char *const *cflags;
    size_t cflag_count;
    const char *main, *folder, *output;
};
bool cc_build_checked(const struct cc_checked *wanted, struct base_error *error);

#endif
