/* SPDX-License-Identifier: Apache-2.0
 *
 * What do words mean? Names come last: they decide only if types and code leave a choice.
 */
#include "api/names.h"

#include <ctype.h>
#include <string.h>

#define MOST 14
#define LONG                                                                                       \
    3 /* letters that say something at the end of a longer word: buflen, but not hi or format */

static const char *const dictionary[][MOST] = {
    [API_DESTROYING] = {"free", "destroy", "delete", "release", "dispose", "close", "fini",
                        "deinit", "done", "unref", "decref", "cleanup", "uninit"},
    [API_PREPARING] = {"init", "create", "new", "setup", "ctor", "alloc", "open", "make"},
    [API_INITIALISING] = {"init"},
    [API_SIZING] = {"size", "count", "length", "len", "num", "elements"},
    [API_INDEXING] = {"index", "idx", "pos", "position", "at", "nth", "i", "j", "rank", "slot",
                      "from", "start"},
    [API_REMOVING] = {"remove", "delete", "clear", "pop", "erase", "reset", "detach", "take",
                      "drop", "sort", "unlink", "empty"},
    [API_PLACING] = {"insert", "add", "put"},
};

static bool says(const char *name, const char *word) {
    size_t length = strlen(word);
    for (const char *at = name; *at; at++)
        if (strncasecmp(at, word, length) == 0 &&
            (at == name || at[-1] == '_' || isupper((unsigned char)*at) ||
             (!at[length] && length >= LONG)) &&
            !islower((unsigned char)at[length]))
            return true;
    return false;
}

bool api_name_says(const char *name, enum api_words words) {
    for (size_t i = 0; i < MOST && dictionary[words][i]; i++)
        if (says(name, dictionary[words][i]))
            return true;
    return false;
}
