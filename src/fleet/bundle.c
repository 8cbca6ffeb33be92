/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages in a file: a header with the key of what is searched and a hash of everything that
 * follows, then each message with its kind and size. Partial or foreign files have no such hash.
 * Numbers are little-endian, so that all kinds of hosts can read each other's files.
 */
#include "fleet/fleet.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC "SLOWFLT1"
#define MAGIC_BYTES 8u
#define HASH_BYTES 32u
#define BODY (MAGIC_BYTES + HASH_BYTES) /* the hashed part starts here */
#define HEAD (BODY + FLEET_KEY_BYTES + 4)

void fleet_messages_add(struct fleet_messages *messages, uint32_t kind, const void *data,
                        size_t size) {
    uint8_t *copy = base_alloc(size + 1);
    if (size)
        memcpy(copy, data, size);
    base_push(messages, (struct fleet_message){kind, size, copy});
}

void fleet_messages_done(struct fleet_messages *messages) {
    for (size_t i = 0; i < messages->count; i++)
        free(messages->data[i].data);
    base_vector_done(messages);
}

static void put_number(struct base_buffer *out, uint64_t number, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++) {
        char byte = (char)(number >> 8 * i);
        base_buffer_add(out, &byte, 1);
    }
}

static uint64_t get_number(const char *data, unsigned bytes) {
    uint64_t number = 0;
    for (unsigned i = 0; i < bytes; i++)
        number |= (uint64_t)(uint8_t)data[i] << 8 * i;
    return number;
}

static void hash_body(const char *data, size_t size, char hash[33]) {
    struct base_hash state;
    base_hash_init(&state);
    base_hash_add(&state, data + BODY, size - BODY);
    base_hash_done(&state, hash);
}

void fleet_pack(const char *key, const struct fleet_message *messages, size_t count,
                struct base_buffer *out, char hash[33]) {
    static const char room[HASH_BYTES];
    size_t start = out->count;
    base_buffer_add(out, MAGIC, MAGIC_BYTES);
    base_buffer_add(out, room, sizeof room);
    base_buffer_add(out, key, FLEET_KEY_BYTES);
    put_number(out, count, 4);
    for (size_t i = 0; i < count; i++) {
        put_number(out, messages[i].kind, 4);
        put_number(out, messages[i].size, 8);
        base_buffer_add(out, messages[i].data, messages[i].size);
    }
    hash_body(out->data + start, out->count - start, hash);
    memcpy(out->data + start + MAGIC_BYTES, hash, HASH_BYTES);
}

/* The hash is correct, so inconsistent contents come from another program. */
static bool read_messages(const char *data, size_t size, struct fleet_messages *messages) {
    size_t at = HEAD;
    for (uint64_t left = get_number(data + HEAD - 4, 4); left; left--) {
        if (size - at < 12)
            return false;
        uint64_t kind = get_number(data + at, 4), bytes = get_number(data + at + 4, 8);
        at += 12;
        if (bytes > size - at || kind >= FLEET_KINDS)
            return false;
        fleet_messages_add(messages, (uint32_t)kind, data + at, (size_t)bytes);
        at += bytes;
    }
    return at == size;
}

enum fleet_verdict fleet_unpack(const char *key, const char *data, size_t size,
                                struct fleet_messages *messages) {
    char hash[33];
    if (size < HEAD || memcmp(data, MAGIC, MAGIC_BYTES) != 0)
        return FLEET_TORN;
    hash_body(data, size, hash);
    if (memcmp(data + MAGIC_BYTES, hash, HASH_BYTES) != 0)
        return FLEET_TORN;
    if (memcmp(data + BODY, key, FLEET_KEY_BYTES) != 0)
        return FLEET_FOREIGN;
    struct fleet_messages all = {0};
    bool good = read_messages(data, size, &all);
    for (size_t i = 0; good && i < all.count; i++) {
        base_push(messages, all.data[i]);
        all.data[i].data = NULL;
    }
    fleet_messages_done(&all);
    return good ? FLEET_GOOD : FLEET_TORN;
}
