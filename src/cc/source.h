/* SPDX-License-Identifier: Apache-2.0
 *
 * Sources as bitcode: compiled once for the same text, headers and options, then cached.
 */
#ifndef SLOWPATH_CC_SOURCE_H
#define SLOWPATH_CC_SOURCE_H

#include "base/base.h"
#include "ir/frames.h"

/* Adds the bitcode of the C file at PATH to FRAMES. What clang says goes to stderr. */
bool cc_add_source(const char *path, const char *const *cflags, size_t cflag_count,
                   struct ir_frames *frames, struct base_error *error);

#endif
