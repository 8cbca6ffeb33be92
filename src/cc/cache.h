/* SPDX-License-Identifier: Apache-2.0
 *
 * The cache of built things: a folder per entry, named by the hash of everything that went into
 * it. An entry appears by a rename, so it is whole or not there; it is held by a shared lock while
 * in use, so that making room never takes it away.
 */
#ifndef SLOWPATH_CC_CACHE_H
#define SLOWPATH_CC_CACHE_H

#include "base/base.h"

struct cc_entry {
    char *folder;
    int lock; /* file descriptor of the folder, shared lock; -1 when not held */
};

/* Looks an entry up and holds it. */
bool cc_cache_find(const char *key, struct cc_entry *entry);
/* Whose turn is it to build an entry? Waits while another process does, unless WATCH says that
 * nobody wants it any more; look again then. Always to be ended. */
struct cc_turn {
    char *file;
    int lock; /* -1: the cache has no locks, or the wait was given up */
};
void cc_cache_take_turn(const char *key, const struct base_watch *watch, struct cc_turn *turn);
void cc_cache_end_turn(struct cc_turn *turn);
/* A private folder in the cache to build an entry in; the caller frees the name. */
char *cc_cache_begin(struct base_error *error);
/* Makes the folder the entry of that key (or drops it when another process was faster), holds it,
 * and removes the entries not used for longest while the cache is over its limit. Frees BUILT. */
bool cc_cache_commit(char *built, const char *key, struct cc_entry *entry,
                     struct base_error *error);
/* The same, but holds nothing and makes no room: for many small entries, before a large one. */
void cc_cache_keep(char *built, const char *key);
/* Removes an entry that does not hold any more, unless somebody holds it. */
void cc_cache_drop(const char *key);
/* Gives up a folder that was begun. Frees BUILT. */
void cc_cache_abandon(char *built);
void cc_entry_done(struct cc_entry *entry);

#endif
