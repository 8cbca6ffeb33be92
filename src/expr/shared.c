/* SPDX-License-Identifier: Apache-2.0
 *
 * Which bytes of the input does a trace read in more than one way? An int of which single bytes are
 * read too, or two integers that overlap: their bytes become variables before anything is built, so
 * that the wide ones are put together from them.
 */
#include "expr/reader.h"

#include <stdlib.h>

/* Makes byte variables of the bytes that inputs of different place or width share: these come
 * first, so that expr_make_input puts the wide ones together from them. */
static bool split_input(struct reader *from, const uint32_t *claims, struct abi_node node,
                        uint32_t end) {
    bool shared = false;
    for (uint32_t byte = 0; byte < node.width / 8u && node.a + byte < end; byte++)
        shared |= claims[node.a + byte] == UINT32_MAX;
    if (!shared)
        return false;
    for (uint32_t byte = 0; byte < node.width / 8u; byte++)
        expr_make_input(from->pool, 8, node.a + byte);
    return true;
}

/* The place and width of an input as one number, never 0 or UINT32_MAX. */
static uint32_t claim_of(struct abi_node node) {
    return node.a << 4 | node.width / 8u;
}

static uint32_t inputs_end(const struct reader *from, const uint8_t *needed) {
    uint32_t end = 0;
    for (uint32_t id = 1; id < from->header.node_count; id++) {
        struct abi_node node = node_at(from, id);
        if (needed[id] && is_input(node) && node.a + node.width / 8u > end)
            end = node.a + node.width / 8u;
    }
    return end;
}

/* Who reads each byte; true when inputs of different place or width share one. */
static bool claim_bytes(const struct reader *from, const uint8_t *needed, uint32_t *claims,
                        uint32_t end) {
    bool any = false;
    for (uint32_t id = 1; id < from->header.node_count; id++) {
        struct abi_node node = node_at(from, id);
        if (!needed[id] || !is_input(node))
            continue;
        for (uint32_t at = node.a; at < node.a + node.width / 8u && at < end; at++) {
            bool is_shared = claims[at] && claims[at] != claim_of(node);
            claims[at] = is_shared ? UINT32_MAX : claim_of(node);
            any |= is_shared;
        }
    }
    return any;
}

/* A split wide input makes bytes of all it covers, which may split others again. */
static bool split_again(struct reader *from, const uint8_t *needed, uint32_t *claims,
                        uint32_t end) {
    bool again = false;
    for (uint32_t id = 1; id < from->header.node_count; id++) {
        struct abi_node node = node_at(from, id);
        if (!needed[id] || !is_input(node) || node.width == 8 ||
            !split_input(from, claims, node, end))
            continue;
        for (uint32_t at = node.a; at < node.a + node.width / 8u && at < end; at++) {
            again |= claims[at] != UINT32_MAX;
            claims[at] = UINT32_MAX;
        }
    }
    return again;
}

/* Claims of each byte of the input, to be freed unless they are SMALL; NULL: nothing is shared. */
static uint32_t *find_shared_inputs(const struct reader *from, const uint8_t *needed,
                                    uint32_t *small, uint32_t most, uint32_t *end) {
    *end = inputs_end(from, needed);
    if (!*end)
        return NULL;
    uint32_t *claims = *end <= most ? small : base_alloc(*end * sizeof *claims);
    memset(claims, 0, *end * sizeof *claims);
    if (claim_bytes(from, needed, claims, *end))
        return claims;
    if (claims != small)
        free(claims);
    return NULL;
}

bool split_shared_inputs(struct reader *from, const uint8_t *needed, bool only_asks) {
    uint32_t small[512], end;
    uint32_t *claims = find_shared_inputs(from, needed, small, BASE_COUNT(small), &end);
    while (claims && !only_asks && split_again(from, needed, claims, end))
        ;
    if (claims && claims != small)
        free(claims);
    return claims != NULL;
}
