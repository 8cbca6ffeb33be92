/* SPDX-License-Identifier: Apache-2.0
 *
 * Files as an input: the bytes of an input stand for a tree of files and folders.
 *
 * The input is a row of cells of the same size, one for each object: a name, a size, a time, a
 * mode, where it lies, what it is, and the first bytes of its content. Reading it is total: any
 * bytes are a tree, and fewer bytes are a tree of fewer objects. What a cell says is at the same
 * place whatever the other cells say, so an object can be changed alone. Both sides read it in the
 * same way: the runtime lays the tree out for a run, the engine stores it as an archive.
 */
#ifndef SLOWPATH_ABI_TREE_H
#define SLOWPATH_ABI_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Where things are in a cell. Numbers have their lowest byte first. */
#define ABI_TREE_NAME 0u   /* up to a zero byte */
#define ABI_TREE_SIZE 24u  /* 4 bytes, modulo one more than the largest */
#define ABI_TREE_TIME 28u  /* 4 bytes, seconds since 1970 */
#define ABI_TREE_MODE 32u  /* 2 bytes */
#define ABI_TREE_PLACE 34u /* counts back in the folders there are so far */
#define ABI_TREE_KIND 35u  /* a folder if its two lowest bits are zero */
#define ABI_TREE_CONTENT 36u

#define ABI_TREE_NAME_BYTES 24u
#define ABI_TREE_ROOM 40u    /* for a name, a mark that tells it from another, and a zero */
#define ABI_TREE_DEEPEST 40u /* folders within each other */
#define ABI_TREE_MOST 16384u /* objects */

/* How much there may be. */
struct abi_tree {
    uint32_t objects; /* 0: there is no tree */
    uint32_t slice;   /* bytes of content in a cell; longer contents repeat them */
    uint64_t bytes;   /* of all contents together */
    uint32_t longest; /* bytes of a file; 0: twice its slice */
};

struct abi_tree_object {
    char name[ABI_TREE_ROOM];
    uint64_t cell;   /* where its cell begins in the input */
    uint64_t hash;   /* of its folder and its name */
    uint64_t size;   /* of a file */
    uint32_t folder; /* the one it lies in: its number from 1 on; 0: the tree itself */
    uint32_t depth;
    uint32_t time;
    uint16_t mode;
    bool is_folder;
    bool is_renamed; /* another had the name, or nothing can have it */
    bool is_cut;     /* there was no room for all of its content */
};

static inline uint64_t abi_tree_cell(const struct abi_tree *tree) {
    return ABI_TREE_CONTENT + (uint64_t)tree->slice;
}

/* The bytes of an input that has all objects. */
static inline uint64_t abi_tree_input(const struct abi_tree *tree) {
    return tree->objects * abi_tree_cell(tree);
}

static inline uint64_t abi_tree_largest(const struct abi_tree *tree) {
    uint64_t longest = tree->longest ? tree->longest : 2 * (uint64_t)tree->slice;
    return longest < tree->bytes ? longest : tree->bytes;
}

/* A byte of the input; what is missing is zero. */
static inline uint8_t abi_tree_byte(const uint8_t *input, uint64_t bytes, uint64_t at) {
    return at < bytes ? input[at] : 0;
}

static inline uint32_t abi_tree_number(const uint8_t *input, uint64_t bytes, uint64_t at,
                                       unsigned count) {
    uint32_t value = 0;
    for (unsigned i = 0; i < count; i++)
        value |= (uint32_t)abi_tree_byte(input, bytes, at + i) << 8 * i;
    return value;
}

static inline uint64_t abi_tree_hash(uint32_t folder, const char *name) {
    uint64_t hash = 0x9e3779b97f4a7c15u * (folder + 1u);
    for (; *name; name++) {
        hash = (hash ^ (uint8_t)*name) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    return hash;
}

static inline bool abi_tree_has_name(const struct abi_tree_object *objects, uint32_t count,
                                     uint32_t folder, uint64_t hash, const char *name) {
    for (uint32_t i = 0; i < count; i++)
        if (objects[i].hash == hash && objects[i].folder == folder &&
            strcmp(objects[i].name, name) == 0)
            return true;
    return false;
}

static inline bool abi_tree_may_be_name(const char *name) {
    return *name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* Appends "~NUMBER". */
static inline void abi_tree_mark_name(char *name, uint32_t number) {
    char digits[12];
    unsigned count = 0, length = (unsigned)strlen(name);
    do
        digits[count++] = (char)('0' + number % 10);
    while ((number /= 10));
    name[length++] = '~';
    while (count)
        name[length++] = digits[--count];
    name[length] = 0;
}

/* The number makes it different from all but a name that looks the same by chance: then the next
 * one that is free does. */
static inline void abi_tree_name(const uint8_t *input, uint64_t bytes,
                                 struct abi_tree_object *objects, uint32_t at) {
    struct abi_tree_object *object = &objects[at];
    unsigned length = 0;
    for (; length < ABI_TREE_NAME_BYTES; length++) {
        char byte = (char)abi_tree_byte(input, bytes, object->cell + ABI_TREE_NAME + length);
        if (!byte)
            break;
        object->name[length] = byte == '/' ? '_' : byte;
    }
    object->name[length] = 0;
    object->hash = abi_tree_hash(object->folder, object->name);
    bool is_free = abi_tree_may_be_name(object->name);
    for (uint32_t number = at + 1;
         !is_free || abi_tree_has_name(objects, at, object->folder, object->hash, object->name);
         number += ABI_TREE_MOST) {
        is_free = object->is_renamed = true;
        object->name[length] = 0;
        abi_tree_mark_name(object->name, number);
        object->hash = abi_tree_hash(object->folder, object->name);
    }
}

/* The folder so many before the last one that lies not too deep; 0: the tree itself. */
static inline uint32_t abi_tree_find_folder(const struct abi_tree_object *objects, uint32_t count,
                                            uint32_t folders, uint32_t back) {
    back %= folders + 1;
    for (uint32_t i = count; i > 0; i--)
        if (objects[i - 1].is_folder && back-- == 0)
            return objects[i - 1].depth < ABI_TREE_DEEPEST ? i : 0;
    return 0;
}

/* Fills OBJECTS, which has room for all of the tree; how many there are. A folder comes before
 * what lies in it. */
static inline uint32_t abi_tree_read(const struct abi_tree *tree, const uint8_t *input,
                                     uint64_t bytes, struct abi_tree_object *objects) {
    uint64_t cell = abi_tree_cell(tree), left = tree->bytes;
    uint32_t count = 0, folders = 0;
    for (uint64_t at = 0; at < bytes && count < tree->objects; at += cell, count++) {
        struct abi_tree_object *object = &objects[count];
        memset(object, 0, sizeof *object);
        object->cell = at;
        object->folder = abi_tree_find_folder(objects, count, folders,
                                              abi_tree_byte(input, bytes, at + ABI_TREE_PLACE));
        object->depth = object->folder ? objects[object->folder - 1].depth + 1 : 0;
        object->is_folder = (abi_tree_byte(input, bytes, at + ABI_TREE_KIND) & 3) == 0;
        object->time = abi_tree_number(input, bytes, at + ABI_TREE_TIME, 4);
        object->mode = (uint16_t)((object->is_folder ? 0700 : 0600) |
                                  (abi_tree_number(input, bytes, at + ABI_TREE_MODE, 2) & 0177));
        abi_tree_name(input, bytes, objects, count);
        folders += object->is_folder;
        if (object->is_folder)
            continue;
        object->size =
            abi_tree_number(input, bytes, at + ABI_TREE_SIZE, 4) % (abi_tree_largest(tree) + 1);
        object->is_cut = object->size > left;
        if (object->is_cut)
            object->size = left;
        left -= object->size;
    }
    return count;
}

/* A byte of a file's content: where it is in the input. */
static inline uint64_t abi_tree_content(const struct abi_tree *tree,
                                        const struct abi_tree_object *object, uint64_t at) {
    return object->cell + ABI_TREE_CONTENT + (tree->slice ? at % tree->slice : 0);
}

#endif
