/* SPDX-License-Identifier: Apache-2.0
 *
 * Sources whose text is the same as before, so that clang need not be asked. What is known is kept
 * in this process and in the cache, for the next one.
 */
#ifndef SLOWPATH_CC_KNOWN_H
#define SLOWPATH_CC_KNOWN_H

#include "base/base.h"

#include <time.h>

/* What a source is known by: its command, where it runs, and what clang reads from the environment.
 */
struct cc_source_name {
    char text[33];
    const char *const *cflags; /* borrowed */
    size_t cflag_count;
};

/* The key under which the bitcode of this source was kept, if every file that clang read is the
 * same. */
bool cc_known_find(const struct cc_source_name *name, char key[33]);
/* RULE is the file with the make rule that clang wrote, BEGAN a moment before it was started. */
void cc_known_keep(const struct cc_source_name *name, const char key[33], const char *rule,
                   const struct timespec *began);

#endif
