/* SPDX-License-Identifier: Apache-2.0
 *
 * How the filter on system calls tells the runtime from the program under test: the program's calls
 * that change modes and times of files have no effect (target/confine.c), but the runtime has to
 * lay out files and to empty folders. It makes such calls with this key in the upper half of an
 * argument of which the kernel looks at the lower half only.
 */
#ifndef SLOWPATH_ABI_OWN_H
#define SLOWPATH_ABI_OWN_H

#include <stdint.h>

#define ABI_OWN_KEY 0x51047a74u
#define ABI_OWN(argument) ((uint64_t)ABI_OWN_KEY << 32 | (uint32_t)(argument))

/* OWN(call, argument): which one has the key. */
#define ABI_OWN_CALLS(OWN)                                                                         \
    OWN(SYS_fchmod, 1)                                                                             \
    OWN(SYS_fchmodat, 2)                                                                           \
    OWN(SYS_utimensat, 3)

#endif
