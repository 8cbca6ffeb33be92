/* SPDX-License-Identifier: Apache-2.0
 *
 * The page behind the runtime's state, which share.c makes inaccessible: a target that writes past
 * its own variables faults here. This object is linked last.
 */
#include "runtime/runtime.h"

_Alignas(ABI_PAGE) char __slowpath_state_last[ABI_PAGE] RUNTIME_STATE;
