/* SPDX-License-Identifier: Apache-2.0
 *
 * A suite's folder (folder.c), for the files of this library.
 */
#ifndef SLOWPATH_SUITE_INTERNAL_H
#define SLOWPATH_SUITE_INTERNAL_H

#include "suite/suite.h"

char *suite_path(const char *folder, const char *name); /* the caller frees it */
/* The suite.json of a suite; NULL: missing, or something else. */
json_t *suite_read_description(const char *folder);
/* The suite's own files besides suite.json and state. */
void suite_list_files(const json_t *root, struct base_strings *files);
/* Where a new suite is written before the commit: nobody reads it, and a later run removes it. */
char *suite_fresh_folder(const char *folder);

#endif
