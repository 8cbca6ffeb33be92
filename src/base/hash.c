/* SPDX-License-Identifier: Apache-2.0
 *
 * 128-bit content hashes, the names of cached things. xxHash does the work.
 */
#include "base/base.h"

#include <string.h>
#include <xxhash.h>

void base_hash_init(struct base_hash *hash) {
    hash->state = XXH3_createState();
    if (!hash->state)
        base_give_up("out of memory (hash)");
    XXH3_128bits_reset(hash->state);
}

void base_hash_add(struct base_hash *hash, const void *bytes, size_t count) {
    XXH3_128bits_update(hash->state, bytes, count);
}

void base_hash_add_text(struct base_hash *hash, const char *text) {
    size_t length = strlen(text);
    base_hash_add(hash, &length, sizeof length);
    base_hash_add(hash, text, length);
}

void base_hash_done(struct base_hash *hash, char text[33]) {
    XXH128_hash_t value = XXH3_128bits_digest(hash->state);
    XXH3_freeState(hash->state);
    hash->state = NULL;
    snprintf(text, 33, "%016llx%016llx", (unsigned long long)value.high64,
             (unsigned long long)value.low64);
}
