/* SPDX-License-Identifier: Apache-2.0
 *
 * What goes into a variant and its executable beside the target: the tools that make it, the
 * runtime, and the driver that calls an entry.
 */
#ifndef SLOWPATH_CC_LINK_H
#define SLOWPATH_CC_LINK_H

#include "cc/cache.h"

/* The hash of the sources of all that makes variants; the build writes it. */
extern const char cc_tool_sources[];

/* A part of the runtime for targets; the caller frees the path. */
char *cc_runtime_file(const char *name);

/* The bitcode of a driver's C source, compiled once for the same text. Holds ENTRY, in which it
 * lies; the caller frees *PATH. */
bool cc_compile_driver(const char *source, struct cc_entry *entry, char **path,
                       struct base_error *error);
/* The same as an object. */
bool cc_assemble_driver(const char *source, const char *object, struct base_error *error);

#endif
