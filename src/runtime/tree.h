/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that are part of the input (abi/tree.h): where they lie on disk, and which of them a
 * program is looking at.
 */
#ifndef SLOWPATH_RUNTIME_TREE_H
#define SLOWPATH_RUNTIME_TREE_H

#include "runtime/runtime.h"
#include <sys/types.h>

struct runtime_file {
    const struct abi_tree_object *object; /* NULL: the folder that contains all of them */
    uint32_t number;                      /* from 1; 0: that folder */
    uint64_t first;                       /* offset of the tree in the run's input */
    const uint8_t *bytes;                 /* of the tree */
    uint64_t byte_count;
};

/* tree.c */
bool runtime_tree_is_there(void);
bool runtime_tree_find(dev_t device, ino_t inode, struct runtime_file *file);
/* The object whose cell contains this byte of the input, and the offset in the cell; NULL: none. */
const struct abi_tree_object *runtime_tree_at(uint64_t offset, uint64_t *within);
/* folder.c: empties the folder, but does not remove it. */
void runtime_folder_empty_tree(int root);

/* tree_calls.c, the symbolic build */
/* Fixes the input bytes that decide how many files there are and where they lie. */
void runtime_tree_mark_form(uint64_t first, uint64_t count);
/* Does every symbolic byte of the path belong to an unchanged name of the tree? Then the file it
 * leads to does not depend on their values. */
bool runtime_tree_is_path(const char *path);
/* The input byte at this position of a file of the tree; false: the file is not in the tree. */
bool runtime_tree_place(int fd, off_t position, uint64_t *offset);
/* A read has reached the end of the file. */
void runtime_tree_note_end(int fd);

#endif
