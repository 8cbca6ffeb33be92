/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet: searches on any number of hosts share their results through a folder.
 *
 * Each instance has a subfolder of its own, is the only one to write there, and reads those of all
 * others. So there are no locks and no server: the folder may be on a local disk, on a network, or
 * copied back and forth. A file is written under another name and then renamed, contains a checksum
 * and the key of what is searched, and never changes; partial, foreign and missing files are
 * skipped.
 *
 * All of this happens in a separate thread. A folder that is slow, full or gone is reported, and
 * the search goes on.
 */
#ifndef SLOWPATH_FLEET_H
#define SLOWPATH_FLEET_H

#include "base/base.h"

#define FLEET_KINDS 8
#define FLEET_NAME_BYTES 64
#define FLEET_KEY_BYTES 32

/* ---- bundle.c: messages as the bytes of a file ---- */

struct fleet_message {
    uint32_t kind; /* less than FLEET_KINDS; its meaning is up to the caller */
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
    FLEET_TORN,   /* not one of our files, or not complete */
    FLEET_FOREIGN /* complete, but with another key */
};
/* HASH gets a name derived from the contents. KEY has FLEET_KEY_BYTES. */
void fleet_pack(const char *key, const struct fleet_message *messages, size_t count,
                struct base_buffer *out, char hash[33]);
/* Appends the messages of a good file. */
enum fleet_verdict fleet_unpack(const char *key, const char *data, size_t size,
                                struct fleet_messages *messages);

/* ---- folder.c: an instance's own folder, and those of the others ---- */

/* Letters, digits, '.', '-' and '_', not starting with '.'. */
bool fleet_check_name(const char *name, struct base_error *error);

struct fleet_other { /* another instance whose folder was seen */
    char name[FLEET_NAME_BYTES];
    struct base_map seen; /* files by name, with their size when last read */
    uint64_t taken;       /* messages that came from it */
    double changed;       /* when its folder was last written to, by its host's clock */
    bool is_own;
    bool has_torn; /* a partial file that may still be arriving */
};

struct fleet_folder {
    char *path, *own; /* DIR and DIR/NAME */
    char name[FLEET_NAME_BYTES], key[FLEET_KEY_BYTES + 1];
    int lock;      /* held open while the instance lives; -1: none */
    uint64_t next; /* number of the next file */
    BASE_VECTOR(struct fleet_other) others;
    uint64_t torn, foreign; /* skipped files */
};
/* Creates the instance's own folder; false if another process has it, or it cannot be created. */
bool fleet_folder_open(struct fleet_folder *folder, struct base_error *error);
void fleet_folder_init(struct fleet_folder *folder, const char *path, const char *name,
                       const char *key);
void fleet_folder_done(struct fleet_folder *folder);
bool fleet_folder_write(struct fleet_folder *folder, const struct fleet_messages *messages,
                        struct base_error *error);
/* Reads new files until there are about MOST bytes of messages. False: some are left. */
bool fleet_folder_read(struct fleet_folder *folder, size_t most, struct fleet_messages *messages);

/* ---- fleet.c: the thread ---- */

struct fleet_statistics {
    size_t others;                /* instances from which something was read */
    bool has_own;                 /* ... and from an earlier run with this name */
    uint64_t taken[FLEET_KINDS];  /* messages taken by the search */
    uint64_t given, files;        /* messages written, and their files */
    uint64_t torn, foreign, lost; /* skipped files; messages dropped for lack of room */
    double stalled;               /* seconds without an answer from the folder */
    bool is_full;                 /* the last write failed */
};

struct fleet;
/* Creates PATH if it does not exist. Waits a few seconds for the first look at the folder; if the
 * folder does not answer by then this is reported, and joining completes later. NULL and ERROR if
 * it cannot be used at all. WAITING, with FLEET_KINDS entries, is kept up to date. */
struct fleet *fleet_join(const char *path, const char *name, const char *key,
                         _Atomic size_t *waiting, struct base_error *error);
void fleet_give(struct fleet *fleet, uint32_t kind, const void *data, size_t size);
/* The caller frees *DATA. */
bool fleet_take(struct fleet *fleet, uint32_t kind, uint8_t **data, size_t *size);
/* Waits up to so many seconds until a message of this kind can be taken, or a look at the folder
 * that started after this call has found none. Returns whether there is one. */
bool fleet_await(struct fleet *fleet, uint32_t kind, double seconds);
/* Call now and then, from any thread: reports a folder that does not answer. */
void fleet_check(struct fleet *fleet);
void fleet_statistics(struct fleet *fleet, struct fleet_statistics *statistics);
/* Writes what is left, for up to so many seconds. */
void fleet_leave(struct fleet *fleet, double seconds, struct fleet_statistics *statistics);

#endif
