/* SPDX-License-Identifier: Apache-2.0
 *
 * Which parts of an input are needed? Stretches are removed as long as the property of interest
 * stays: halves first, then quarters, down to single bytes, and again as long as something is
 * removed. The idea is that of "Simplifying and Isolating Failure-Inducing Input" (Zeller,
 * Hildebrandt), without its complements, which cost more than they gain if most of an input can be
 * removed.
 */
#include "suite/minimize.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

/* Removes what it can in stretches of one length. */
static bool remove_stretches(const struct suite_shrinking *shrinking, uint8_t *bytes, size_t *size,
                             size_t length, size_t *tries) {
    uint8_t *trial = base_alloc(*size + 1);
    bool any = false;
    for (size_t at = 0; at < *size && *tries > 0;) {
        size_t gone = length < *size - at ? length : *size - at;
        memcpy(trial, bytes, at);
        memcpy(trial + at, bytes + at + gone, *size - at - gone);
        --*tries;
        if (shrinking->keeps(shrinking->context, trial, *size - gone)) {
            *size -= gone;
            memcpy(bytes, trial, *size);
            any = true;
        } else
            at += gone;
    }
    free(trial);
    return any;
}

size_t suite_minimize(const struct suite_shrinking *shrinking, uint8_t *bytes, size_t size) {
    size_t tries = shrinking->tries;
    bool any = true;
    while (any && size && tries) {
        any = false;
        for (size_t length = (size + 1) / 2; length && tries; length = length / 2)
            any |= remove_stretches(shrinking, bytes, &size, length, &tries);
    }
    return size;
}
