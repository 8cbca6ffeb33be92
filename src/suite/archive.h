/* SPDX-License-Identifier: Apache-2.0
 *
 * The tree of files that an input encodes, as an archive.
 */
#ifndef SLOWPATH_SUITE_ARCHIVE_H
#define SLOWPATH_SUITE_ARCHIVE_H

#include "abi/tree.h"
#include "base/base.h"

/* Appends a whole tar archive. */
void suite_archive_tree(const struct abi_tree *tree, const void *input, size_t size,
                        struct base_buffer *archive);

#endif
