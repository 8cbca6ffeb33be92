/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that are a part of the input (abi/tree.h): where they lie, and which one a program looks
 * at.
 */
#ifndef SLOWPATH_RUNTIME_TREE_H
#define SLOWPATH_RUNTIME_TREE_H

#include "runtime/runtime.h"
#include <sys/types.h>

struct runtime_file {
    const struct abi_tree_object *object; /* NULL: the folder that all lie in */
    uint32_t number;                      /* from 1 on; 0: that folder */
    uint64_t first;                       /* where the tree begins in the input of the run */
    const uint8_t *bytes;                 /* of the tree */
    uint64_t byte_count;
};

/* tree.c */
bool runtime_tree_is_there(void);
bool runtime_tree_find(dev_t device, ino_t inode, struct runtime_file *file);
/* The object whose cell has this byte of the input, and where in the cell; NULL: none has. */
const struct abi_tree_object *runtime_tree_at(uint64_t offset, uint64_t *within);
/* folder.c: removes what lies in it, but not the folder itself. */
void runtime_folder_empty_tree(int root);

/* tree_calls.c, the symbolic build */
/* What decides where files lie and how many there are is what it is. */
void runtime_tree_mark_form(uint64_t first, uint64_t count);
/* Are all symbolic bytes of a path names of the tree, whole and unchanged? Where it leads does not
 * depend on what they are. */
bool runtime_tree_is_path(const char *path);
/* The input's byte that a file of the tree has at this position; false: it is no such file. */
bool runtime_tree_place(int fd, off_t position, uint64_t *offset);
/* Reading has met the end of the file. */
void runtime_tree_note_end(int fd);

#endif
