/* SPDX-License-Identifier: Apache-2.0
 *
 * The thread between a search and a shared folder. The search puts messages into one box and takes
 * them out of others, under a lock that is never held during file access; the thread transfers
 * them. All boxes are bounded: outgoing messages that do not fit are dropped, oldest first, and
 * incoming ones stay in their file.
 *
 * Each message is passed on once: what was received is not sent again, as all read the same files.
 *
 * At first the thread looks ten times a second, later less and less often: much is found in the
 * first minutes of a search, and a file per second for a week would be too many.
 */
#include "fleet/fleet.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SHORTEST_WAIT 0.1              /* seconds between two looks ... */
#define WAIT_SHARE 0.01                /* ... plus this share of the time since joining ... */
#define LONGEST_WAIT 30.0              /* ... up to this */
#define LOOK_SHARE 20.0                /* pause after a look, as a multiple of its duration */
#define JOIN_SECONDS 5.0               /* for the first look */
#define STALL_SECONDS 5.0              /* then a folder counts as stalled */
#define MOST_GIVEN 4096u               /* outgoing messages ... */
#define GIVEN_BYTES ((size_t)16 << 20) /* ... and their bytes */
#define TAKEN_BYTES ((size_t)64 << 20) /* incoming */
#define LARGEST_MESSAGE ((size_t)8 << 20)
#define MOST_KNOWN ((size_t)1 << 20)

struct box {
    struct fleet_messages messages;
    size_t next; /* the first that is still there */
};

struct fleet {
    struct fleet_folder folder; /* used by the thread only */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct fleet_messages given;
    size_t given_bytes;
    struct box boxes[FLEET_KINDS];
    size_t taken_bytes;
    _Atomic size_t *waiting; /* the caller's; NULL: the caller is gone */
    struct base_map known;   /* hashes of messages sent or received */
    struct fleet_statistics statistics;
    struct base_error error;
    double began, busy_since; /* BUSY_SINCE 0: waiting */
    uint64_t asked, served;   /* looks requested, and the last of them that is done */
    bool has_joined, has_failed, is_leaving, has_ended;
    bool is_stalled; /* stalled, and the user was told */
};

/* ---- known messages ---- */

/* Needs the lock: is the message new? */
static bool note_message(struct fleet *fleet, uint32_t kind, const void *data, size_t size) {
    struct base_hash hash;
    char text[33];
    base_hash_init(&hash);
    base_hash_add(&hash, &kind, sizeof kind);
    base_hash_add(&hash, data, size);
    base_hash_done(&hash, text);
    if (base_map_get(&fleet->known, text) != BASE_MAP_NONE)
        return false;
    if (fleet->known.count >= MOST_KNOWN)
        base_map_done(&fleet->known);
    base_map_set(&fleet->known, text, 1);
    return true;
}

/* ---- the search's side ---- */

/* Needs the lock: drops the older half. */
static void drop_oldest(struct fleet *fleet) {
    struct fleet_messages *given = &fleet->given;
    size_t dropped = (given->count + 1) / 2;
    for (size_t i = 0; i < dropped; i++) {
        fleet->given_bytes -= given->data[i].size;
        free(given->data[i].data);
    }
    given->count -= dropped;
    memmove(given->data, given->data + dropped, given->count * sizeof *given->data);
    fleet->statistics.lost += dropped;
}

void fleet_give(struct fleet *fleet, uint32_t kind, const void *data, size_t size) {
    pthread_mutex_lock(&fleet->lock);
    if (size <= LARGEST_MESSAGE && note_message(fleet, kind, data, size)) {
        while (fleet->given.count &&
               (fleet->given.count >= MOST_GIVEN || fleet->given_bytes + size > GIVEN_BYTES))
            drop_oldest(fleet);
        fleet_messages_add(&fleet->given, kind, data, size);
        fleet->given_bytes += size;
    }
    pthread_mutex_unlock(&fleet->lock);
}

bool fleet_take(struct fleet *fleet, uint32_t kind, uint8_t **data, size_t *size) {
    struct box *box = &fleet->boxes[kind];
    pthread_mutex_lock(&fleet->lock);
    bool has_one = box->next < box->messages.count;
    if (has_one) {
        struct fleet_message *message = &box->messages.data[box->next++];
        *data = message->data;
        *size = message->size;
        fleet->taken_bytes -= message->size;
        fleet->statistics.taken[kind]++;
        fleet->waiting[kind]--;
    }
    if (box->next == box->messages.count)
        box->next = box->messages.count = 0;
    pthread_mutex_unlock(&fleet->lock);
    return has_one;
}

/* ---- waiting ---- */

static struct timespec moment(double seconds) {
    double at = base_seconds() + seconds;
    return (struct timespec){(time_t)at, (long)((at - (double)(time_t)at) * 1e9)};
}

/* Needs the lock; false: time is up. */
static bool wait_for(struct fleet *fleet, const struct timespec *until) {
    return pthread_cond_timedwait(&fleet->changed, &fleet->lock, until) != ETIMEDOUT;
}

static double stalled_for(const struct fleet *fleet) {
    return fleet->busy_since > 0 ? base_seconds() - fleet->busy_since : 0;
}

/* Needs the lock. */
static void check(struct fleet *fleet) {
    double seconds = stalled_for(fleet);
    if (seconds < STALL_SECONDS || fleet->is_stalled)
        return;
    fleet->is_stalled = true;
    base_warn("fleet: %s has not answered for %.0f seconds; the search goes on without it",
              fleet->folder.path, seconds);
}

void fleet_check(struct fleet *fleet) {
    pthread_mutex_lock(&fleet->lock);
    check(fleet);
    pthread_mutex_unlock(&fleet->lock);
}

static bool has_waiting(const struct fleet *fleet, uint32_t kind) {
    return fleet->boxes[kind].next < fleet->boxes[kind].messages.count;
}

bool fleet_await(struct fleet *fleet, uint32_t kind, double seconds) {
    struct timespec until = moment(seconds);
    pthread_mutex_lock(&fleet->lock);
    uint64_t mine = ++fleet->asked;
    pthread_cond_broadcast(&fleet->changed);
    while (!has_waiting(fleet, kind) && fleet->served < mine && !fleet->is_stalled &&
           !fleet->has_failed && wait_for(fleet, &until))
        ;
    check(fleet);
    bool has_one = has_waiting(fleet, kind);
    pthread_mutex_unlock(&fleet->lock);
    return has_one;
}

void fleet_statistics(struct fleet *fleet, struct fleet_statistics *statistics) {
    pthread_mutex_lock(&fleet->lock);
    *statistics = fleet->statistics;
    if (fleet->is_stalled)
        statistics->stalled += stalled_for(fleet);
    pthread_mutex_unlock(&fleet->lock);
}

/* ---- the thread's side: holds the lock except during file access ---- */

static void begin_work(struct fleet *fleet) {
    fleet->busy_since = base_seconds();
    pthread_mutex_unlock(&fleet->lock);
    if (base_fault("stall"))
        nanosleep(&(struct timespec){.tv_sec = 3600}, NULL);
}

/* Returns the seconds it took. */
static double end_work(struct fleet *fleet) {
    pthread_mutex_lock(&fleet->lock);
    double seconds = stalled_for(fleet);
    if (fleet->is_stalled) {
        fleet->statistics.stalled += seconds;
        fleet->is_stalled = false;
        base_note("fleet: %s answers again, after %.0f seconds", fleet->folder.path, seconds);
    }
    fleet->busy_since = 0;
    return seconds;
}

static void put_back(struct fleet *fleet, struct fleet_messages *messages) {
    for (size_t i = 0; i < fleet->given.count; i++)
        base_push(messages, fleet->given.data[i]);
    base_vector_done(&fleet->given);
    fleet->given = *messages;
    fleet->given_bytes = 0;
    for (size_t i = 0; i < fleet->given.count; i++)
        fleet->given_bytes += fleet->given.data[i].size;
    *messages = (struct fleet_messages){0};
}

static void tell_written(struct fleet *fleet, bool good, const struct base_error *error) {
    if (!good && !fleet->statistics.is_full)
        base_warn("fleet: %s; the search goes on, and what it finds waits", error->message);
    if (good && fleet->statistics.is_full)
        base_note("fleet: %s can be written again", fleet->folder.path);
    fleet->statistics.is_full = !good;
}

/* Needs the lock, and releases it meanwhile. */
static void write_given(struct fleet *fleet) {
    struct fleet_messages mine = fleet->given;
    struct base_error error;
    fleet->given = (struct fleet_messages){0};
    fleet->given_bytes = 0;
    if (!mine.count)
        return;
    begin_work(fleet);
    bool good = fleet_folder_write(&fleet->folder, &mine, &error);
    end_work(fleet);
    tell_written(fleet, good, &error);
    if (!good) {
        put_back(fleet, &mine);
        return;
    }
    fleet->statistics.given += mine.count;
    fleet->statistics.files++;
    fleet_messages_done(&mine);
}

static void deliver(struct fleet *fleet, struct fleet_messages *messages) {
    for (size_t i = 0; i < messages->count; i++) {
        struct fleet_message *message = &messages->data[i];
        if (!fleet->waiting || message->size > LARGEST_MESSAGE ||
            !note_message(fleet, message->kind, message->data, message->size))
            continue;
        base_push(&fleet->boxes[message->kind].messages, *message);
        fleet->taken_bytes += message->size;
        fleet->waiting[message->kind]++;
        message->data = NULL;
    }
    fleet_messages_done(messages);
}

static void count_others(struct fleet *fleet) {
    struct fleet_statistics *statistics = &fleet->statistics;
    statistics->torn = fleet->folder.torn;
    statistics->foreign = fleet->folder.foreign;
    statistics->others = 0;
    for (size_t i = 0; i < fleet->folder.others.count; i++) {
        const struct fleet_other *other = &fleet->folder.others.data[i];
        statistics->others += other->taken && !other->is_own;
        statistics->has_own |= other->taken && other->is_own;
    }
}

/* The same; true: everything in the folder was read. */
static bool read_others(struct fleet *fleet) {
    struct fleet_messages messages = {0};
    if (fleet->taken_bytes >= TAKEN_BYTES)
        return false;
    size_t room = TAKEN_BYTES - fleet->taken_bytes;
    begin_work(fleet);
    bool is_all = fleet_folder_read(&fleet->folder, room, &messages);
    end_work(fleet);
    count_others(fleet);
    deliver(fleet, &messages);
    return is_all;
}

static double pause_after(const struct fleet *fleet, double took) {
    double pause = SHORTEST_WAIT + WAIT_SHARE * (base_seconds() - fleet->began);
    pause = pause < LOOK_SHARE * took ? LOOK_SHARE * took : pause;
    return pause < LONGEST_WAIT ? pause : LONGEST_WAIT;
}

/* Opens its own folder first: without it an instance is not part of the fleet. */
static bool open_folder(struct fleet *fleet) {
    begin_work(fleet);
    bool good = fleet_folder_open(&fleet->folder, &fleet->error);
    end_work(fleet);
    fleet->has_failed = !good;
    if (!good && fleet->has_joined)
        base_warn("fleet: %s", fleet->error.message);
    return good;
}

static void exchange(struct fleet *fleet) {
    uint64_t serving = fleet->asked;
    double before = base_seconds();
    write_given(fleet);
    bool is_all = read_others(fleet);
    if (is_all)
        fleet->served = serving;
    fleet->has_joined = true;
    pthread_cond_broadcast(&fleet->changed);
    struct timespec until = moment(pause_after(fleet, base_seconds() - before));
    while (!fleet->is_leaving && fleet->asked == serving && wait_for(fleet, &until))
        ;
}

static void *carry(void *context) {
    struct fleet *fleet = context;
    pthread_mutex_lock(&fleet->lock);
    if (open_folder(fleet)) {
        while (!fleet->is_leaving)
            exchange(fleet);
        write_given(fleet);
    }
    fleet->has_ended = true;
    pthread_cond_broadcast(&fleet->changed);
    pthread_mutex_unlock(&fleet->lock);
    return NULL;
}

/* ---- joining and leaving ---- */

/* Signals are handled by the searching thread. */
static bool start_thread(struct fleet *fleet) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool good = pthread_create(&fleet->thread, NULL, carry, fleet) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return good;
}

static void fleet_free(struct fleet *fleet) {
    fleet_folder_done(&fleet->folder);
    fleet_messages_done(&fleet->given);
    for (size_t kind = 0; kind < FLEET_KINDS; kind++) {
        struct box *box = &fleet->boxes[kind];
        for (size_t i = box->next; i < box->messages.count; i++)
            free(box->messages.data[i].data);
        base_vector_done(&box->messages);
    }
    base_map_done(&fleet->known);
    pthread_mutex_destroy(&fleet->lock);
    pthread_cond_destroy(&fleet->changed);
    free(fleet);
}

static struct fleet *fleet_new(const char *path, const char *name, const char *key,
                               _Atomic size_t *waiting) {
    struct fleet *fleet = base_alloc(sizeof *fleet);
    pthread_condattr_t clock;
    fleet_folder_init(&fleet->folder, path, name, key);
    pthread_mutex_init(&fleet->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&fleet->changed, &clock);
    pthread_condattr_destroy(&clock);
    fleet->waiting = waiting;
    fleet->began = base_seconds();
    return fleet;
}

/* Needs the lock: waits until the first look is over, has failed, or the time is up. */
static void wait_to_join(struct fleet *fleet) {
    struct timespec until = moment(JOIN_SECONDS);
    while (!fleet->has_joined && !fleet->has_failed && wait_for(fleet, &until))
        ;
    check(fleet);
}

struct fleet *fleet_join(const char *path, const char *name, const char *key,
                         _Atomic size_t *waiting, struct base_error *error) {
    struct fleet *fleet = fleet_new(path, name, key, waiting);
    if (!start_thread(fleet)) {
        fleet_free(fleet);
        base_fail(error, BASE_BROKEN, "--fleet %s: there is no further thread", path);
        return NULL;
    }
    pthread_mutex_lock(&fleet->lock);
    wait_to_join(fleet);
    bool has_failed = fleet->has_failed;
    fleet->has_joined = true; /* failures from now on are only reported */
    pthread_mutex_unlock(&fleet->lock);
    if (!has_failed)
        return fleet;
    *error = fleet->error;
    pthread_join(fleet->thread, NULL);
    fleet_free(fleet);
    return NULL;
}

/* A thread that hangs in the folder cannot be ended: it is left behind, with all that it may
 * access. */
void fleet_leave(struct fleet *fleet, double seconds, struct fleet_statistics *statistics) {
    struct timespec until = moment(seconds);
    pthread_mutex_lock(&fleet->lock);
    fleet->is_leaving = true;
    pthread_cond_broadcast(&fleet->changed);
    while (!fleet->has_ended && !fleet->is_stalled && wait_for(fleet, &until))
        ;
    bool has_ended = fleet->has_ended;
    size_t left = fleet->given.count;
    fleet->waiting = NULL;
    pthread_mutex_unlock(&fleet->lock);
    fleet_statistics(fleet, statistics);
    if (left)
        base_warn("fleet: %zu finds could not be written to %s", left, fleet->folder.path);
    if (!has_ended) {
        base_warn("fleet: %s does not answer; it is left", fleet->folder.path);
        pthread_detach(fleet->thread);
        return;
    }
    pthread_join(fleet->thread, NULL);
    fleet_free(fleet);
}
