/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this room know about a suite's folder (folder.c).
 */
#ifndef SLOWPATH_SUITE_INTERNAL_H
#define SLOWPATH_SUITE_INTERNAL_H

#include "suite/suite.h"

char *suite_path(const char *folder, const char *name); /* the caller frees it */
/* The suite.json of a suite; NULL: there is none, or it is something else. */
json_t *suite_read_description(const char *folder);
/* The suite's own files besides suite.json and state. */
void suite_list_files(const json_t *root, struct base_strings *files);
/* Where a suite is written before it counts: nobody reads it, and a later run sweeps it away. */
char *suite_fresh_folder(const char *folder);

#endif
