/* SPDX-License-Identifier: Apache-2.0
 *
 * cc: the compiler wrapper that leaves bitcode in ordinary objects.
 */
#ifndef SLOWPATH_CC_H
#define SLOWPATH_CC_H

#include "base/base.h"

/* ---- the compiler wrapper ---- */

/* All of slowpath-cc: runs clang as asked, and adds to each object made from C or assembler the
 * frame that abi/bundle.h describes. Returns the exit status, or does not return at all when clang
 * takes over the process. */
int cc_wrapper_main(int argc, char **argv);

/* Where built things are kept; the caller frees it. */
char *cc_cache_folder(void);

#endif
