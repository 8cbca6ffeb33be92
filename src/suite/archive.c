/* SPDX-License-Identifier: Apache-2.0
 *
 * How is a test's input stored if it is a tree of files? As an archive that any tar unpacks (POSIX
 * ustar; a path that is too long is written as GNU tar does). Objects come in the order in which a
 * run creates them.
 */
#include "suite/archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 512u
#define NAME_BYTES 100u

struct header { /* header of an entry in ustar format */
    char name[NAME_BYTES], mode[8], user[8], group[8], size[12], time[12], sum[8], kind;
    char link[NAME_BYTES], magic[6], version[2], user_name[32], group_name[32], major[8], minor[8];
    char prefix[155], rest[12];
};
_Static_assert(sizeof(struct header) == BLOCK, "a header is one block");

/* The checksum covers the header with blanks in the checksum's place. */
static void seal(struct header *header) {
    unsigned sum = 0;
    memset(header->sum, ' ', sizeof header->sum);
    for (size_t i = 0; i < sizeof *header; i++)
        sum += ((const unsigned char *)header)[i];
    snprintf(header->sum, sizeof header->sum, "%06o", sum);
}

static void add_header(struct base_buffer *archive, const char *name, char kind, unsigned mode,
                       uint64_t size, uint32_t time) {
    struct header header = {.kind = kind, .version = {'0', '0'}};
    memcpy(header.magic, "ustar", sizeof header.magic);
    memcpy(header.name, name, strnlen(name, NAME_BYTES));
    snprintf(header.mode, sizeof header.mode, "%07o", mode);
    snprintf(header.user, sizeof header.user, "%07o", 0u);
    snprintf(header.group, sizeof header.group, "%07o", 0u);
    snprintf(header.size, sizeof header.size, "%011llo", (unsigned long long)size);
    snprintf(header.time, sizeof header.time, "%011llo", (unsigned long long)time);
    seal(&header);
    base_buffer_add(archive, &header, sizeof header);
}

static void fill_block(struct base_buffer *archive) {
    static const char zeros[BLOCK];
    base_buffer_add(archive, zeros, (BLOCK - archive->count % BLOCK) % BLOCK);
}

/* A long path is the content of an extra entry before the file's own. */
static void add_name(struct base_buffer *archive, const char *name) {
    size_t length = strlen(name);
    if (length <= NAME_BYTES)
        return;
    add_header(archive, "././@LongLink", 'L', 0, length + 1, 0);
    base_buffer_add(archive, name, length + 1);
    fill_block(archive);
}

static void print_path(const struct abi_tree_object *objects, uint32_t number,
                       struct base_buffer *path) {
    const struct abi_tree_object *object = &objects[number - 1];
    if (object->folder)
        print_path(objects, object->folder, path);
    else
        base_buffer_print(path, "./");
    base_buffer_print(path, "%s%s", object->name, object->is_folder ? "/" : "");
}

static void add_content(struct base_buffer *archive, const struct abi_tree *tree,
                        const struct abi_tree_object *object, const uint8_t *input, size_t size) {
    for (uint64_t i = 0; i < object->size; i++) {
        uint8_t byte = abi_tree_byte(input, size, abi_tree_content(tree, object, i));
        base_buffer_add(archive, &byte, 1);
    }
    fill_block(archive);
}

void suite_archive_tree(const struct abi_tree *tree, const void *input, size_t size,
                        struct base_buffer *archive) {
    static const char zeros[2 * BLOCK];
    struct abi_tree_object *objects = base_alloc((tree->objects + 1) * sizeof *objects);
    uint32_t count = abi_tree_read(tree, input, size, objects);
    for (uint32_t i = 0; i < count; i++) {
        struct base_buffer path = {0};
        print_path(objects, i + 1, &path);
        add_name(archive, path.data);
        add_header(archive, path.data, objects[i].is_folder ? '5' : '0', objects[i].mode,
                   objects[i].size, objects[i].time);
        add_content(archive, tree, &objects[i], input, size);
        base_buffer_done(&path);
    }
    base_buffer_add(archive, zeros, sizeof zeros);
    free(objects);
}
