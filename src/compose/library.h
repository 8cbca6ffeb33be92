/* SPDX-License-Identifier: Apache-2.0
 *
 * The library: summaries in a folder, one file each, named by what they are of. A file appears by a
 * rename, so it is whole or not there, whoever else writes at the same time.
 */
#ifndef SLOWPATH_COMPOSE_LIBRARY_H
#define SLOWPATH_COMPOSE_LIBRARY_H

#include "compose/summary.h"

#define COMPOSE_LIBRARY_BYTES                                                                      \
    ((uint64_t)1 << 28) /* of all; those not used for longest go first                             \
                         */

/* Where it is: $SLOWPATH_LIBRARY, or a folder beside the cache of builds. The caller frees it. */
char *compose_library_folder(void);

/* The summary of that key; false: there is none, or none that can be used, which is then said. */
bool compose_library_find(const char *folder, const char *key, struct compose_summary *summary);
/* Keeps it and makes room. A full disk costs a warning: the summary itself is there. */
void compose_library_keep(const char *folder, const struct compose_summary *summary);

/* As it lies in a file, for another process of the same version. */
void compose_library_write(const struct compose_summary *summary, struct base_buffer *out);
bool compose_library_read(const char *data, size_t size, struct compose_summary *summary);

/* ---- for a person ---- */

void compose_library_list(const char *folder, FILE *out);
/* KEY may be the beginning of one. */
bool compose_library_show(const char *folder, const char *key, FILE *out, struct base_error *error);
/* NULL: all of them. */
bool compose_library_drop(const char *folder, const char *key, size_t *dropped,
                          struct base_error *error);

#endif
