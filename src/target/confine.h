/* SPDX-License-Identifier: Apache-2.0
 *
 * Restricts what a target may touch outside its own process.
 */
#ifndef SLOWPATH_TARGET_CONFINE_H
#define SLOWPATH_TARGET_CONFINE_H

#include "base/base.h"
#include <sys/types.h>

enum target_fence {
    TARGET_FENCE_NONE,
    TARGET_FENCE_LANDLOCK,
    TARGET_FENCE_NAMESPACE /* own view of the file system, where Landlock is missing */
};

/* What this kernel supports; checked once. */
enum target_fence target_fence_offered(void);

/* Confines this process, which has one thread and is about to become the target: it can write to
 * FOLDER only, has no network and cannot harm the process ENGINE. Makes system calls only. */
bool target_confine(enum target_fence fence, const char *folder, pid_t engine);

#endif
