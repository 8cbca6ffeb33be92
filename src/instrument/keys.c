/* SPDX-License-Identifier: Apache-2.0
 *
 * Which parts of a large module have not changed? Reading each from the bitcode of the whole, to
 * see that it is what it was, takes longer than what has to be compiled. So a part's key is made
 * from what its functions say (content.c), and from what they refer to, which goes as far as
 * part.c reads: the bodies of functions that are copied, the values of small constants, of all
 * others what one has to know to refer to them. What that is, is written down once for all parts.
 *
 * Invariant: whatever part.c leaves in a part is in its key.
 */
#include "instrument/keys.h"

#include "abi/abi.h"
#include "instrument/content.h"

#include <stdlib.h>

/* A function or variable. */
struct piece {
    LLVMValueRef global;
    char head[33], body[33]; /* hashes; "": not made yet */
    bool has_unusual_head, has_unusual_body;
    BASE_VECTOR(LLVMValueRef) references; /* of its body */
    unsigned last_part;                   /* that has it */
};

struct instrument_keys {
    LLVMModuleRef module;
    LLVMValueRef counters;
    const struct base_map *homes;
    struct instrument_map *numbers; /* of pieces */
    BASE_VECTOR(struct piece) pieces;
    BASE_VECTOR(size_t)
    open; /* pieces of the part at hand, in the order in which they were found */
    char rest[33];
    bool is_rest_unusual, has_aliases;
};

static void hash_content(struct instrument_content *content, char key[33]) {
    struct base_hash hash;
    base_hash_init(&hash);
    base_hash_add(&hash, content->words.data, content->words.count * sizeof *content->words.data);
    base_hash_done(&hash, key);
    base_vector_done(&content->words);
}

struct instrument_keys *instrument_keys_new(LLVMModuleRef module, const struct base_map *homes) {
    struct instrument_content rest = {0};
    struct instrument_keys *keys = base_alloc(sizeof *keys);
    keys->module = module;
    keys->homes = homes;
    keys->counters = LLVMGetNamedGlobal(module, ABI_SYMBOL_COUNTERS);
    keys->numbers = instrument_map_new();
    keys->has_aliases = LLVMGetFirstGlobalAlias(module) || LLVMGetFirstGlobalIFunc(module);
    instrument_tell_module(module, &rest);
    keys->is_rest_unusual = rest.is_unusual;
    hash_content(&rest, keys->rest);
    base_vector_done(&rest.references);
    return keys;
}

void instrument_keys_free(struct instrument_keys *keys) {
    for (size_t i = 0; i < keys->pieces.count; i++)
        base_vector_done(&keys->pieces.data[i].references);
    base_vector_done(&keys->pieces);
    base_vector_done(&keys->open);
    instrument_map_free(keys->numbers);
    free(keys);
}

/* ---- pieces ---- */

static size_t number_of(struct instrument_keys *keys, LLVMValueRef global) {
    uintptr_t number;
    if (!instrument_map_get(keys->numbers, global, &number)) {
        number = keys->pieces.count;
        instrument_map_set(keys->numbers, global, number);
        base_push(&keys->pieces, (struct piece){.global = global});
    }
    return number;
}

static uint32_t home_of(const struct instrument_keys *keys, LLVMValueRef function) {
    size_t length;
    return base_map_get(keys->homes, LLVMGetValueName2(function, &length));
}

/* Has a part its body, or its value? */
static bool has_body(const struct instrument_keys *keys, LLVMValueRef global, unsigned part) {
    if (!LLVMIsAFunction(global))
        return instrument_keeps_value(keys->module, global);
    uint32_t home = home_of(keys, global);
    return !LLVMIsDeclaration(global) && (home == BASE_MAP_NONE || home % 2 || home / 2 == part);
}

static void make_head(const struct instrument_keys *keys, struct piece *piece) {
    struct instrument_content content = {0};
    instrument_tell_head(piece->global, &content);
    piece->has_unusual_head =
        content.is_unusual || (keys->has_aliases && !LLVMIsAFunction(piece->global) &&
                               instrument_has_alias(piece->global));
    hash_content(&content, piece->head);
    base_vector_done(&content.references);
}

/* Hooks and the like keep the numbers of their counters. */
static void make_body(const struct instrument_keys *keys, struct piece *piece) {
    struct instrument_content content = {0};
    LLVMValueRef global = piece->global;
    if (LLVMIsAFunction(global))
        instrument_tell_body(global, home_of(keys, global) == BASE_MAP_NONE ? NULL : keys->counters,
                             &content);
    else
        instrument_tell_initializer(global, &content);
    piece->has_unusual_body = content.is_unusual;
    hash_content(&content, piece->body);
    piece->references.data = content.references.data;
    piece->references.count = content.references.count;
    piece->references.capacity = content.references.capacity;
}

/* ---- parts ---- */

static void open_piece(struct instrument_keys *keys, LLVMValueRef global, unsigned part) {
    size_t number = number_of(keys, global);
    if (keys->pieces.data[number].last_part == part)
        return;
    keys->pieces.data[number].last_part = part;
    base_push(&keys->open, number);
}

/* False: it is unusual. */
static bool add_piece(struct instrument_keys *keys, size_t number, unsigned part,
                      struct base_hash *hash) {
    struct piece *piece = &keys->pieces.data[number];
    size_t length;
    if (!*piece->head)
        make_head(keys, piece);
    base_hash_add_text(hash, LLVMGetValueName2(piece->global, &length));
    base_hash_add_text(hash, piece->head);
    if (!has_body(keys, piece->global, part))
        return !piece->has_unusual_head;
    if (!*piece->body)
        make_body(keys, piece);
    base_hash_add_text(hash, piece->body);
    for (size_t i = 0; i < keys->pieces.data[number].references.count; i++)
        open_piece(keys, keys->pieces.data[number].references.data[i], part);
    piece = &keys->pieces.data[number];
    return !piece->has_unusual_head && !piece->has_unusual_body;
}

bool instrument_key_of_part(struct instrument_keys *keys, unsigned part,
                            const LLVMValueRef *functions, size_t count, char key[33]) {
    bool good = !keys->is_rest_unusual;
    struct base_hash hash;
    base_hash_init(&hash);
    base_hash_add_text(&hash, keys->rest);
    base_hash_add(&hash, &count, sizeof count);
    keys->open.count = 0;
    for (size_t i = 0; i < count; i++)
        open_piece(keys, functions[i], part);
    for (size_t i = 0; good && i < keys->open.count; i++)
        good = add_piece(keys, keys->open.data[i], part, &hash);
    base_hash_done(&hash, key);
    return good;
}
