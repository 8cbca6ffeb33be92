/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet: searches on any number of hosts that share a folder tell each other what they found.
 *
 * Each instance has a folder of its own inside, is the only one to write there, and reads those of
 * all others. So there is nothing to lock and nothing to serve: the folder may lie on one disk, on
 * a network, or be copied to and fro. A file is written beside its place and then renamed, holds
 * its own checksum and the key of what is searched, and never changes; what is torn, foreign or not
 * there yet is left alone.
 *
 * All of that happens in a thread of its own. A folder that is slow, full or gone is told, and the
 * search goes on.
 */
#ifndef SLOWPATH_FLEET_H
#define SLOWPATH_FLEET_H

#include "base/base.h"

#define FLEET_KINDS 8
#define FLEET_NAME_BYTES 64
#define FLEET_KEY_BYTES 32

/* ---- bundle.c: messages as the bytes of a file ---- */

struct fleet_message {
    uint32_t kind; /* less than FLEET_KINDS: what it means is the caller's matter */
    size_t size;
    uint8_t *data;
};
struct fleet_messages {
    struct fleet_message *data;
    size_t count, capacity;
};
void fleet_messages_add(struct fleet_messages *messages, uint32_t kind, const void *data,
                        size_t size);
void fleet_messages_done(struct fleet_messages *messages);

enum fleet_verdict {
    FLEET_GOOD,
    FLEET_TORN,   /* not one of our files, or not all of it */
    FLEET_FOREIGN /* whole, but of another key */
};
/* HASH becomes the name of the contents. KEY has FLEET_KEY_BYTES. */
void fleet_pack(const char *key, const struct fleet_message *messages, size_t count,
                struct base_buffer *out, char hash[33]);
/* Appends the messages if it is good. */
enum fleet_verdict fleet_unpack(const char *key, const char *data, size_t size,
                                struct fleet_messages *messages);

/* ---- folder.c: one instance's folder, and those of the others ---- */

/* Letters, digits, '.', '-' and '_', not beginning with '.'. */
bool fleet_check_name(const char *name, struct base_error *error);

struct fleet_other { /* an instance whose folder was seen */
    char name[FLEET_NAME_BYTES];
    struct base_map seen; /* files by name, with the size at which each was last read */
    uint64_t taken;       /* messages that came from it */
    double changed;       /* when its folder was last written to, by its own clock */
    bool is_own;
    bool has_torn; /* a file that may be on its way */
};

struct fleet_folder {
    char *path, *own; /* DIR and DIR/NAME */
    char name[FLEET_NAME_BYTES], key[FLEET_KEY_BYTES + 1];
    int lock;      /* held open as long as the instance lives; -1: none */
    uint64_t next; /* number of the next file */
    BASE_VECTOR(struct fleet_other) others;
    uint64_t torn, foreign; /* files that were left alone */
};
/* Makes the instance's own folder; false when another process has it, or it cannot be made. */
bool fleet_folder_open(struct fleet_folder *folder, struct base_error *error);
void fleet_folder_init(struct fleet_folder *folder, const char *path, const char *name,
                       const char *key);
void fleet_folder_done(struct fleet_folder *folder);
bool fleet_folder_write(struct fleet_folder *folder, const struct fleet_messages *messages,
                        struct base_error *error);
/* Reads files that were not read before until there are about MOST bytes of messages. False: some
 * are left. */
bool fleet_folder_read(struct fleet_folder *folder, size_t most, struct fleet_messages *messages);

/* ---- fleet.c: the thread ---- */

struct fleet_statistics {
    size_t others;                /* instances that something was read from */
    bool has_own;                 /* ... and from what an earlier run of this name has left */
    uint64_t taken[FLEET_KINDS];  /* messages that the search has taken */
    uint64_t given, files;        /* messages that were written, and in how many files */
    uint64_t torn, foreign, lost; /* files that were left alone; messages that found no room */
    double stalled;               /* seconds for which the folder did not answer */
    bool is_full;                 /* the last write failed */
};

struct fleet;
/* PATH is made if it is not there. Waits a few seconds for the first look at the folder; one that
 * does not answer by then is told, and the fleet is joined when it does. NULL and ERROR when it
 * cannot be used at all. WAITING, with FLEET_KINDS places, is kept up to date. */
struct fleet *fleet_join(const char *path, const char *name, const char *key,
                         _Atomic size_t *waiting, struct base_error *error);
void fleet_give(struct fleet *fleet, uint32_t kind, const void *data, size_t size);
/* The caller frees *DATA. */
bool fleet_take(struct fleet *fleet, uint32_t kind, uint8_t **data, size_t *size);
/* Waits up to so many seconds until something of this kind is there to take, or the folder was
 * looked at from now on and nothing is; is there something? */
bool fleet_await(struct fleet *fleet, uint32_t kind, double seconds);
/* Now and then, from any thread: tells when the folder has not answered for long. */
void fleet_check(struct fleet *fleet);
void fleet_statistics(struct fleet *fleet, struct fleet_statistics *statistics);
/* Writes what is left, for up to so many seconds. */
void fleet_leave(struct fleet *fleet, double seconds, struct fleet_statistics *statistics);

#endif
