/* SPDX-License-Identifier: Apache-2.0
 *
 * How does a small tree of files become a large one? A cell describes one object wherever it is, so
 * cells can be resized and repeated. Three things need care: names must not clash, an object must
 * stay in the folders of its own repetition, and equal contents in all files are of little use with
 * programs that look for what they have seen before.
 */
#include "compose/cells.h"
#include "compose/number.h"

#include <stdio.h>
#include <stdlib.h>

#define SMALL_OBJECTS 6u
#define SPREAD_FILES 8 /* in a folder */

/* ---- converting trees ---- */

struct abi_tree compose_small_tree(const struct abi_tree *whole, uint64_t slice) {
    return (struct abi_tree){.objects =
                                 whole->objects < SMALL_OBJECTS ? whole->objects : SMALL_OBJECTS,
                             .slice = slice < whole->slice ? (uint32_t)slice : whole->slice,
                             .bytes = whole->bytes,
                             .longest = (uint32_t)abi_tree_largest(whole)};
}

static void put_content(const uint8_t *content, uint64_t have, uint64_t wanted,
                        struct base_buffer *out) {
    static const uint8_t zero;
    for (uint64_t i = 0; i < wanted; i++)
        base_buffer_add(out, have ? &content[i % have] : &zero, 1);
}

void compose_recell(const struct abi_tree *from, const uint8_t *input, size_t size,
                    const struct abi_tree *to, struct base_buffer *out) {
    uint64_t cell = abi_tree_cell(from);
    uint32_t count = 0;
    for (uint64_t at = 0; at + cell <= size && count < to->objects; at += cell, count++) {
        base_buffer_add(out, input + at, ABI_TREE_CONTENT);
        put_content(input + at + ABI_TREE_CONTENT, from->slice, to->slice, out);
    }
}

/* ---- trees to start from ---- */

enum form { FLAT, NESTED, SPREAD, DEEP, MIXED };

static bool is_folder(const struct abi_tree *tree, enum form form, uint32_t number) {
    switch (form) {
    case NESTED:
        return number % 2 == 0;
    case SPREAD:
        return number % (SPREAD_FILES + 1) == 0;
    case DEEP:
        return number < tree->objects / 2 && number < ABI_TREE_DEEPEST;
    default:
        return false;
    }
}

/* Pseudo-random bytes, the same in every search. */
static void mix_cell(const struct abi_tree *tree, uint32_t number, uint8_t *cell) {
    uint64_t state = number + 1;
    for (uint64_t i = 0; i < abi_tree_cell(tree); i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        cell[i] = (uint8_t)(state >> 56);
    }
}

/* Names differ, sizes fill the cell, contents are lines of words. */
static void fill_cell(const struct abi_tree *tree, enum form form, uint32_t number, uint8_t *cell) {
    static const char line[] = "the quick brown fox\n";
    char name[ABI_TREE_NAME_BYTES];
    bool holds = is_folder(tree, form, number);
    if (form == MIXED) {
        mix_cell(tree, number, cell);
        return;
    }
    int width = form == DEEP ? (int)sizeof name - 11 : 4; /* as long as names can be */
    snprintf(name, sizeof name, "%s%0*u%s", holds ? "folder" : "file", width, number,
             holds ? "" : ".txt");
    memcpy(cell + ABI_TREE_NAME, name, strlen(name));
    memcpy(cell + ABI_TREE_SIZE, &tree->slice, sizeof tree->slice);
    memcpy(cell + ABI_TREE_TIME, &(uint32_t){1000000000u + number}, sizeof(uint32_t));
    cell[ABI_TREE_KIND] = !holds;
    cell[ABI_TREE_PLACE] = form == SPREAD && holds ? (uint8_t)(number / (SPREAD_FILES + 1)) : 0;
    for (uint32_t i = 0; i < tree->slice; i++)
        cell[ABI_TREE_CONTENT + i] = (uint8_t)line[i % (sizeof line - 1)];
}

void compose_plain_tree(const struct abi_tree *tree, unsigned form, uint8_t *input) {
    for (uint32_t i = 0; i < tree->objects; i++)
        fill_cell(tree, (enum form)form, i, input + i * abi_tree_cell(tree));
}

void compose_size_files(const struct abi_tree *tree, uint32_t size, uint8_t *input) {
    for (uint32_t i = 0; i < tree->objects; i++)
        memcpy(input + i * abi_tree_cell(tree) + ABI_TREE_SIZE, &size, sizeof size);
}

/* ---- repeating ---- */

void compose_number_name(const uint8_t *name, const struct compose_naming *naming, uint64_t number,
                         uint8_t *to) {
    char digits[ABI_TREE_NAME_BYTES + 24];
    size_t length = strnlen((const char *)name, ABI_TREE_NAME_BYTES), count = naming->digits;
    size_t at = naming->at < length ? naming->at : length;
    at = naming->from_end ? length - at : at;
    memset(to, 0, ABI_TREE_NAME_BYTES);
    snprintf(digits, sizeof digits, "%0*llu", (int)count, (unsigned long long)number);
    size_t front = at + count > ABI_TREE_NAME_BYTES ? ABI_TREE_NAME_BYTES - count : at;
    size_t room = ABI_TREE_NAME_BYTES - front - count, tail = length - at;
    size_t cut = tail > room ? tail - room : 0; /* bytes cut out of the name */
    memcpy(to, name, front);
    memcpy(to + front, digits, count);
    memcpy(to + front + count, name + at + cut, tail - cut);
}

struct repeating {
    const struct abi_tree *small, *whole;
    const struct compose_tree_growth *growth;
    uint32_t count, folders, own_folders; /* so far: in total, and in this repetition */
    struct base_buffer *out;
    struct base_buffer *contents; /* per cell of the small tree: contents of all its repetitions */
};

/* An object outside of all folders of its repetition is put into none. */
static uint8_t place_of(const struct repeating *in, uint8_t place) {
    uint32_t back = place % (in->own_folders + 1);
    back = back < in->own_folders ? back : in->folders;
    return (uint8_t)(back < UINT8_MAX ? back : UINT8_MAX);
}

static void add_cell(struct repeating *in, const uint8_t *cell, uint32_t number, uint32_t unit) {
    const struct compose_tree_growth *growth = in->growth;
    const struct base_buffer *content = &in->contents[number % unit];
    uint64_t turn = number / unit;
    uint8_t head[ABI_TREE_CONTENT];
    memcpy(head, cell, sizeof head);
    head[ABI_TREE_PLACE] = place_of(in, cell[ABI_TREE_PLACE]);
    if (!growth->naming.is_off)
        compose_number_name(cell + ABI_TREE_NAME, &growth->naming,
                            growth->counts_down ? in->count - 1 - number : number, head);
    if (growth->fills)
        memcpy(head + ABI_TREE_SIZE, &in->whole->slice, sizeof in->whole->slice);
    base_buffer_add(in->out, head, sizeof head);
    base_buffer_add(in->out, content->data + turn * in->whole->slice, in->whole->slice);
    bool is_folder = (cell[ABI_TREE_KIND] & 3) == 0;
    in->folders += is_folder;
    in->own_folders += is_folder;
}

/* Concatenates the contents of all files made from one cell. */
static void make_contents(struct repeating *in, const uint8_t *cell, uint64_t turns,
                          struct base_buffer *contents) {
    const struct compose_tree_growth *growth = in->growth;
    uint64_t slice = in->whole->slice;
    base_buffer_reserve(contents, turns * slice + 1);
    if (growth->step || growth->mixes)
        compose_number(cell + ABI_TREE_CONTENT, in->small->slice, turns * slice,
                       (struct compose_numbering){.step = growth->step, .mixes = growth->mixes},
                       contents);
    for (uint64_t i = 0; i < turns && contents->count < turns * slice; i++)
        put_content(cell + ABI_TREE_CONTENT, in->small->slice, slice, contents);
}

void compose_repeat_tree(const struct abi_tree *small, const uint8_t *input, size_t size,
                         const struct abi_tree *whole, uint32_t count,
                         const struct compose_tree_growth *growth, struct base_buffer *out) {
    uint32_t unit = (uint32_t)(size / abi_tree_cell(small));
    struct repeating in = {
        .small = small, .whole = whole, .growth = growth, .count = count, .out = out};
    if (!unit)
        return;
    in.contents = base_alloc(unit * sizeof *in.contents);
    for (uint32_t i = 0; i < unit; i++)
        make_contents(&in, input + i * abi_tree_cell(small), count / unit + 1, &in.contents[i]);
    for (uint32_t i = 0; i < count; i++) {
        in.own_folders = i % unit ? in.own_folders : 0;
        add_cell(&in, input + i % unit * abi_tree_cell(small), i, unit);
    }
    for (uint32_t i = 0; i < unit; i++)
        base_buffer_done(&in.contents[i]);
    free(in.contents);
}
