/* SPDX-License-Identifier: Apache-2.0
 *
 * Trees of files as inputs (abi/tree.h): plain ones to start from, and conversions to cells of
 * another size.
 */
#ifndef SLOWPATH_COMPOSE_CELLS_H
#define SLOWPATH_COMPOSE_CELLS_H

#include "abi/tree.h"
#include "base/base.h"

/* A tree of few objects with short cells, whose files may still be as long as those of the whole,
 * so that finds for it apply there. SLICE: bytes of content in a cell. */
struct abi_tree compose_small_tree(const struct abi_tree *whole, uint64_t slice);
/* Converts as many cells as fit into the other form; contents are cut, or repeated as in files. */
void compose_recell(const struct abi_tree *from, const uint8_t *input, size_t size,
                    const struct abi_tree *to, struct base_buffer *out);

#define COMPOSE_PLAIN_TREES 5u
/* Fills a whole input: flat, nested, spread over folders, all files in the deepest one, or mixed.
 */
void compose_plain_tree(const struct abi_tree *tree, unsigned form, uint8_t *input);

/* Sets the size of all files of a whole input. */
void compose_size_files(const struct abi_tree *tree, uint32_t size, uint8_t *input);

/* How a number is inserted into the names of repetitions of a cell, so that they differ. */
struct compose_naming {
    bool is_off;     /* no numbers: the tree itself resolves clashes */
    bool from_end;   /* AT counts from the end of the name */
    unsigned at;     /* position, in bytes */
    unsigned digits; /* at most ABI_TREE_NAME_BYTES */
};
/* TO has ABI_TREE_NAME_BYTES bytes. */
void compose_number_name(const uint8_t *name, const struct compose_naming *naming, uint64_t number,
                         uint8_t *to);

/* Repeats a small tree up to COUNT objects in the cells of the whole. STEP: words of contents are
 * numbered with this step (see compose_number), 0: they are repeated unchanged. */
struct compose_tree_growth {
    struct compose_naming naming;
    bool counts_down;
    bool fills; /* files get the maximum size */
    int step;
    bool mixes;
};
void compose_repeat_tree(const struct abi_tree *small, const uint8_t *input, size_t size,
                         const struct abi_tree *whole, uint32_t count,
                         const struct compose_tree_growth *growth, struct base_buffer *out);

#endif
