/* SPDX-License-Identifier: Apache-2.0
 *
 * Smaller inputs that keep a property.
 */
#ifndef SLOWPATH_SUITE_MINIMIZE_H
#define SLOWPATH_SUITE_MINIMIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct suite_shrinking {
    bool (*keeps)(void *context, const uint8_t *bytes, size_t size); /* the property */
    void *context;
    size_t tries; /* limit for calls of it */
};
/* Changes BYTES in place and returns how many are left. */
size_t suite_minimize(const struct suite_shrinking *shrinking, uint8_t *bytes, size_t size);

#endif
