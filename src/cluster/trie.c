/* SPDX-License-Identifier: Apache-2.0
 *
 * How small are many strings with common prefixes? They are stored as a trie, in their order: for
 * each string the length of the prefix shared with the one before, and the rest. Items that wait
 * together are siblings and cousins, so they share most of their bytes.
 */
#include "cluster/cluster.h"

#include <string.h>

static void put_number(struct base_buffer *out, size_t number) {
    uint8_t bytes[10];
    size_t count = 0;
    do {
        bytes[count] = (uint8_t)(number & 0x7f);
        number >>= 7;
        bytes[count++] |= number ? 0x80 : 0;
    } while (number);
    base_buffer_add(out, bytes, count);
}

static bool get_number(struct cluster_unpacker *unpacker, size_t *number) {
    *number = 0;
    for (unsigned shift = 0; shift < 63 && unpacker->data < unpacker->end; shift += 7) {
        uint8_t byte = (uint8_t)*unpacker->data++;
        *number |= (size_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

void cluster_pack(struct cluster_packer *packer, const void *bytes, size_t size) {
    struct base_buffer *last = &packer->last;
    size_t shared = 0, most = size < last->count ? size : last->count;
    while (shared < most && last->data[shared] == ((const char *)bytes)[shared])
        shared++;
    put_number(packer->out, shared);
    put_number(packer->out, size - shared);
    base_buffer_add(packer->out, (const char *)bytes + shared, size - shared);
    last->count = shared;
    base_buffer_add(last, (const char *)bytes + shared, size - shared);
}

void cluster_packer_done(struct cluster_packer *packer) {
    base_buffer_done(&packer->last);
}

bool cluster_unpack(struct cluster_unpacker *unpacker) {
    const char *start = unpacker->data;
    size_t shared, rest;
    if (unpacker->data == unpacker->end)
        return false;
    if (!get_number(unpacker, &shared) || !get_number(unpacker, &rest) ||
        shared > unpacker->string.count || rest > (size_t)(unpacker->end - unpacker->data)) {
        unpacker->data = start;
        return false;
    }
    unpacker->string.count = shared;
    base_buffer_add(&unpacker->string, unpacker->data, rest);
    unpacker->data += rest;
    return true;
}

void cluster_unpacker_done(struct cluster_unpacker *unpacker) {
    base_buffer_done(&unpacker->string);
}
