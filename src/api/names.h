/* SPDX-License-Identifier: Apache-2.0
 *
 * The meaning of names: words that authors of libraries use for the same things.
 */
#ifndef SLOWPATH_API_NAMES_H
#define SLOWPATH_API_NAMES_H

#include <stdbool.h>

enum api_words {
    API_DESTROYING,
    API_PREPARING,
    API_INITIALISING,
    API_SIZING,
    API_INDEXING,
    API_REMOVING,
    API_PLACING
};

/* Is one of these words a part of NAME, as in list_free, listFree or freelist? */
bool api_name_says(const char *name, enum api_words words);

#endif
