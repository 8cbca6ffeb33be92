/* SPDX-License-Identifier: Apache-2.0
 *
 * Which input bytes does a trace read in more than one way? An int of which single bytes are read
 * as well, or two overlapping integers: their bytes become variables before anything is built, so
 * that the wide integers are built from them.
 */
#include "expr/reader.h"

#include <stdlib.h>

/* Makes byte variables of the bytes shared by inputs of different offset or width: they must come
 * first, so that expr_make_input builds the wide ones from them. */
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

/* Offset and width of an input as one number, never 0 or UINT32_MAX. */
static uint32_t claim_of(struct abi_node node) {
    return node.a << 4 | node.width / 8u;
}

/* Notes the reader of each byte; true if inputs of different offset or width share one. */
static bool claim_bytes(const struct abi_node *node, uint32_t *claims, uint32_t end) {
    uint32_t claim = claim_of(*node);
    bool any = false;
    for (uint32_t at = node->a; at < node->a + node->width / 8u && at < end; at++) {
        bool is_shared = claims[at] && claims[at] != claim;
        claims[at] = is_shared ? UINT32_MAX : claim;
        any |= is_shared;
    }
    return any;
}

/* Collects the needed inputs; returns the end of the last one. */
static uint32_t gather_inputs(const struct reader *from, const uint8_t *needed) {
    struct expr_origin *origin = from->origin;
    uint32_t end = 0;
    origin->inputs.count = 0;
    for (uint32_t id = 1; id < from->header.node_count; id++) {
        if (!needed[id])
            continue;
        struct abi_node node = node_at(from, id);
        if (!is_input(node))
            continue;
        base_push(&origin->inputs, node);
        if (node.a + node.width / 8u > end)
            end = node.a + node.width / 8u;
    }
    return end;
}

/* Splitting a wide input splits all of its bytes, which may split others. */
static bool split_again(struct reader *from, uint32_t *claims, uint32_t end) {
    bool again = false;
    for (size_t i = 0; i < from->origin->inputs.count; i++) {
        struct abi_node node = from->origin->inputs.data[i];
        if (node.width == 8 || !split_input(from, claims, node, end))
            continue;
        for (uint32_t at = node.a; at < node.a + node.width / 8u && at < end; at++) {
            again |= claims[at] != UINT32_MAX;
            claims[at] = UINT32_MAX;
        }
    }
    return again;
}

/* Claims of each byte of the input, to be freed unless they are SMALL; NULL: nothing is shared. */
static uint32_t *find_shared_inputs(const struct reader *from, uint32_t end, uint32_t *small,
                                    uint32_t most) {
    uint32_t *claims = end <= most ? small : base_alloc(end * sizeof *claims);
    bool any = false;
    memset(claims, 0, end * sizeof *claims);
    for (size_t i = 0; i < from->origin->inputs.count; i++)
        any |= claim_bytes(&from->origin->inputs.data[i], claims, end);
    if (any)
        return claims;
    if (claims != small)
        free(claims);
    return NULL;
}

bool split_shared_inputs(struct reader *from, const uint8_t *needed, bool only_asks) {
    uint32_t small[512], end = gather_inputs(from, needed);
    uint32_t *claims = end ? find_shared_inputs(from, end, small, BASE_COUNT(small)) : NULL;
    while (claims && !only_asks && split_again(from, claims, end))
        ;
    if (claims && claims != small)
        free(claims);
    return claims != NULL;
}
