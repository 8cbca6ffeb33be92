/* SPDX-License-Identifier: Apache-2.0
 *
 * The library: summaries in a folder, one file each, named by its key. Files are renamed into
 * place, so they are always complete, even if several processes write at the same time.
 */
#ifndef SLOWPATH_COMPOSE_LIBRARY_H
#define SLOWPATH_COMPOSE_LIBRARY_H

#include "compose/summary.h"

#define COMPOSE_LIBRARY_BYTES                                                                      \
    ((uint64_t)1 << 28) /* of all; those not used for longest go first                             \
                         */

/* Its folder: $SLOWPATH_LIBRARY, or one beside the cache of builds. The caller frees it. */
char *compose_library_folder(void);

/* Finds the summary with that key; false: there is none, or it is unusable, which is reported. */
bool compose_library_find(const char *folder, const char *key, struct compose_summary *summary);
/* Stores it and makes room. If the disk is full, only a warning is printed: the summary itself is
 * still usable. */
void compose_library_keep(const char *folder, const struct compose_summary *summary);

/* The file format, for another process of the same version. */
void compose_library_write(const struct compose_summary *summary, struct base_buffer *out);
bool compose_library_read(const char *data, size_t size, struct compose_summary *summary);

/* ---- for the user ---- */

void compose_library_list(const char *folder, FILE *out);
/* KEY may be a prefix of one. */
bool compose_library_show(const char *folder, const char *key, FILE *out, struct base_error *error);
/* NULL: all of them. */
bool compose_library_drop(const char *folder, const char *key, size_t *dropped,
                          struct base_error *error);

#endif
