/* SPDX-License-Identifier: Apache-2.0
 *
 * Trees of files as inputs (abi/tree.h): those that a search begins with, and the same tree in
 * cells of another size.
 */
#ifndef SLOWPATH_COMPOSE_CELLS_H
#define SLOWPATH_COMPOSE_CELLS_H

#include "abi/tree.h"
#include "base/base.h"

/* Few objects with short cells, whose files may be as long as those of the whole: so what is found
 * for it holds there. SLICE: bytes of content in a cell. */
struct abi_tree compose_small_tree(const struct abi_tree *whole, uint64_t slice);
/* As many cells as fit into the other form; contents are cut, or repeated as files repeat them. */
void compose_recell(const struct abi_tree *from, const uint8_t *input, size_t size,
                    const struct abi_tree *to, struct base_buffer *out);

#define COMPOSE_PLAIN_TREES 5u
/* Flat, nested, spread over folders, all files in the deepest one, mixed: fills a whole input. */
void compose_plain_tree(const struct abi_tree *tree, unsigned form, uint8_t *input);

/* All files of a whole input get that size. */
void compose_size_files(const struct abi_tree *tree, uint32_t size, uint8_t *input);

/* How names of the same cell are told apart when it is repeated: a number is put into each. */
struct compose_naming {
    bool is_off;     /* it is not: the tree marks names that are taken */
    bool from_end;   /* AT counts back from the end of the name */
    unsigned at;     /* behind so many bytes */
    unsigned digits; /* at most ABI_TREE_NAME_BYTES */
};
/* TO has ABI_TREE_NAME_BYTES bytes. */
void compose_number_name(const uint8_t *name, const struct compose_naming *naming, uint64_t number,
                         uint8_t *to);

/* A small tree again and again, up to COUNT objects, in the cells of the whole. STEP: words of
 * contents are numbered by it (see compose_number), 0: they are repeated. */
struct compose_tree_growth {
    struct compose_naming naming;
    bool counts_down;
    bool fills; /* files get as long as they can all be */
    int step;
    bool mixes;
};
void compose_repeat_tree(const struct abi_tree *small, const uint8_t *input, size_t size,
                         const struct abi_tree *whole, uint32_t count,
                         const struct compose_tree_growth *growth, struct base_buffer *out);

#endif
