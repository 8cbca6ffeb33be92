/* SPDX-License-Identifier: Apache-2.0
 *
 * What a target may touch besides its own process.
 */
#ifndef SLOWPATH_TARGET_CONFINE_H
#define SLOWPATH_TARGET_CONFINE_H

#include "base/base.h"
#include <sys/types.h>

enum target_fence {
    TARGET_FENCE_NONE,
    TARGET_FENCE_LANDLOCK,
    TARGET_FENCE_NAMESPACE /* a view of the file system of its own, where landlock is missing */
};

/* What this kernel offers; found out once. */
enum target_fence target_fence_offered(void);

/* From now on this process, which has one thread and is about to become the target, can write in
 * FOLDER only, has no network and cannot hurt the process ENGINE. Calls nothing but the kernel. */
bool target_confine(enum target_fence fence, const char *folder, pid_t engine);

#endif
