/* SPDX-License-Identifier: Apache-2.0
 *
 * What the drivers share: items are integers, lists of them are made from arrays.
 */
#ifndef DRIVE_H
#define DRIVE_H

#include "array_list.h"

#include <stdint.h>

bool drive_equal(const void *a, const void *b);
int drive_compare(const void *a, const void *b);
uint32_t drive_hash(const void *item);
struct array_list *drive_list(int *items, int count);

#endif
