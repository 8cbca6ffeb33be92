/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the cache lies ($SLOWPATH_CACHE, else $XDG_CACHE_HOME/slowpath, else ~/.cache/slowpath),
 * how entries appear, how a damaged one is noticed, and how the cache stays within its limit
 * ($SLOWPATH_CACHE_SIZE in MiB, 2048).
 */
#include "cc/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_LIMIT_MIB 2048
#define STALE_SECONDS 3600 /* a folder begun that long ago was left by a process that died */
#define LONGEST_WAIT 900.0 /* seconds for another process's build; then it is made here, too */
#define RECOUNT_SECONDS 86400

char *cc_cache_folder(void) {
    const char *own = getenv("SLOWPATH_CACHE"), *user = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    if (own && *own)
        return base_strdup(own);
    if (user && *user)
        return base_format("%s/slowpath", user);
    if (home && *home)
        return base_format("%s/.cache/slowpath", home);
    return base_format("/tmp/slowpath-cache-%u", (unsigned)getuid());
}

/* ---- is an entry whole? ---- */

/* Names and sizes of the files in an entry. A file that is gone or was cut off (a full disk, a
 * machine that stopped) shows in them. */
#define MANIFEST "manifest"

static void list_files(const char *folder, struct base_buffer *text) {
    struct dirent **items;
    int count = scandir(folder, &items, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char *path = base_format("%s/%s", folder, items[i]->d_name);
        struct stat status;
        if (lstat(path, &status) == 0 && S_ISREG(status.st_mode))
            base_buffer_print(text, "%s %lld\n", items[i]->d_name, (long long)status.st_size);
        free(path);
        free(items[i]);
    }
    if (count >= 0)
        free(items);
}

static bool write_manifest(const char *folder, struct base_error *error) {
    struct base_buffer text = {0};
    char *path = base_format("%s/" MANIFEST, folder);
    base_buffer_add(&text, "", 0);
    list_files(folder, &text);
    bool good = base_write_file(path, text.data, text.count, error);
    base_buffer_done(&text);
    free(path);
    return good;
}

static bool is_whole(const char *folder) {
    char *path = base_format("%s/" MANIFEST, folder), *text, *state = NULL;
    size_t size;
    struct base_error error;
    bool whole = base_read_file(path, &text, &size, &error);
    free(path);
    if (!whole)
        return false;
    whole = size > 0;
    for (char *line = strtok_r(text, "\n", &state); whole && line;
         line = strtok_r(NULL, "\n", &state)) {
        char *space = strrchr(line, ' ');
        struct stat status;
        whole = space != NULL;
        if (space)
            *space = 0;
        path = base_format("%s/%s", folder, line);
        whole = whole && stat(path, &status) == 0 && status.st_size == atoll(space + 1);
        free(path);
    }
    free(text);
    return whole;
}

/* ---- finding and making entries ---- */

static bool remove_entry(const char *path);

static bool hold(const char *folder, struct cc_entry *entry) {
    int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock < 0)
        return false;
    /* Whoever makes room renames first and holds the lock exclusively while removing. */
    struct stat held, named;
    if (flock(lock, LOCK_SH) != 0 || fstat(lock, &held) != 0 || stat(folder, &named) != 0 ||
        held.st_ino != named.st_ino) {
        close(lock);
        return false;
    }
    futimens(lock, NULL); /* used just now */
    entry->folder = base_strdup(folder);
    entry->lock = lock;
    return true;
}

bool cc_cache_find(const char *key, struct cc_entry *entry) {
    char *cache = cc_cache_folder();
    char *folder = base_format("%s/%s", cache, key);
    bool found = hold(folder, entry);
    if (found && !is_whole(folder)) {
        base_detail("'%s' is damaged and will be built again", folder);
        cc_entry_done(entry);
        remove_entry(folder);
        found = false;
    }
    free(folder);
    free(cache);
    return found;
}

/* ---- one builds, the others wait ---- */

static bool is_given_up(const struct base_watch *watch) {
    return base_stopped_by() || (watch && atomic_load(&watch->is_unwanted));
}

void cc_cache_take_turn(const char *key, const struct base_watch *watch, struct cc_turn *turn) {
    const struct timespec moment = {.tv_nsec = 5000000};
    double began = base_seconds();
    char *cache = cc_cache_folder();
    struct base_error error;
    turn->file = base_format("%s/.turn-%s", cache, key);
    turn->lock =
        base_make_dirs(cache, &error) ? open(turn->file, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
    while (turn->lock >= 0 && flock(turn->lock, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK || is_given_up(watch) || base_seconds() - began > LONGEST_WAIT) {
            close(turn->lock);
            turn->lock = -1;
        } else {
            nanosleep(&moment, NULL);
        }
    }
    free(cache);
}

/* Who waits holds a file without name then, and finds the entry. */
void cc_cache_end_turn(struct cc_turn *turn) {
    if (turn->lock >= 0) {
        unlink(turn->file);
        close(turn->lock);
    }
    free(turn->file);
}

char *cc_cache_begin(struct base_error *error) {
    char *cache = cc_cache_folder();
    char *folder = NULL;
    if (base_make_dirs(cache, error)) {
        folder = base_format("%s/begun-XXXXXX", cache);
        if (!mkdtemp(folder)) {
            base_fail(error, BASE_USAGE,
                      "cannot write to the cache '%s': %s (set SLOWPATH_CACHE to another folder)",
                      cache, strerror(errno));
            free(folder);
            folder = NULL;
        }
    }
    free(cache);
    return folder;
}

void cc_cache_abandon(char *built) {
    base_remove_tree(built);
    free(built);
}

void cc_entry_done(struct cc_entry *entry) {
    if (entry->lock >= 0 && entry->folder)
        close(entry->lock);
    free(entry->folder);
    *entry = (struct cc_entry){.lock = -1};
}

/* ---- making room ---- */

struct found {
    char *path;
    time_t used;
    uint64_t bytes;
};
struct found_list {
    struct found *data;
    size_t count, capacity;
};

static uint64_t folder_bytes(const char *path) {
    uint64_t bytes = 0;
    DIR *folder = opendir(path);
    for (struct dirent *item; folder && (item = readdir(folder));) {
        struct stat status;
        char *file = base_format("%s/%s", path, item->d_name);
        if (lstat(file, &status) == 0 && S_ISREG(status.st_mode))
            bytes += (uint64_t)status.st_size;
        free(file);
    }
    if (folder)
        closedir(folder);
    return bytes;
}

/* An entry, or a folder that was begun and left; PATH becomes the list's. */
static bool add_found(char *path, struct found_list *list) {
    struct stat status;
    bool begun = strncmp(base_basename(path), "begun-", 6) == 0;
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode) ||
        (begun && time(NULL) - status.st_mtime < STALE_SECONDS))
        return false;
    base_push(list, (struct found){path, begun ? 0 : status.st_mtime, folder_bytes(path)});
    return true;
}

static void list_entries(const char *cache, struct found_list *list) {
    DIR *folder = opendir(cache);
    for (struct dirent *item; folder && (item = readdir(folder));) {
        char *path = base_format("%s/%s", cache, item->d_name);
        if (item->d_name[0] == '.' || !add_found(path, list))
            free(path);
    }
    if (folder)
        closedir(folder);
}

static int by_use(const void *a, const void *b) {
    const struct found *x = a, *y = b;
    return x->used < y->used ? -1 : x->used > y->used;
}

static bool remove_entry(const char *path) {
    int lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock < 0)
        return false;
    bool free_to_go = flock(lock, LOCK_EX | LOCK_NB) == 0;
    if (free_to_go) {
        char *away = base_format("%s.gone.%d", path, (int)getpid());
        if (rename(path, away) == 0)
            base_remove_tree(away);
        free(away);
    }
    close(lock);
    return free_to_go;
}

/* Gives the bytes that are left. */
static uint64_t make_room(const char *cache, uint64_t limit) {
    struct found_list list = {0};
    uint64_t total = 0;
    list_entries(cache, &list);
    for (size_t i = 0; i < list.count; i++)
        total += list.data[i].bytes;
    if (list.count)
        qsort(list.data, list.count, sizeof *list.data, by_use);
    for (size_t i = 0; i < list.count && (total > limit || list.data[i].used == 0); i++)
        if (remove_entry(list.data[i].path))
            total -= list.data[i].bytes;
    for (size_t i = 0; i < list.count; i++)
        free(list.data[i].path);
    base_vector_done(&list);
    return total;
}

/* ---- when to make room ---- */

/* Looking at all entries takes longer the more there are, so their sum is kept in a file and each
 * new one is added to it. They are counted again when the sum is over the limit, unknown, or a
 * day old. What others removed makes it too high, and that is all right. */
struct sum {
    uint64_t bytes;
    int64_t counted; /* when, in seconds */
};

static bool read_sum(int file, struct sum *sum) {
    char text[64] = {0};
    unsigned long long bytes;
    long long counted;
    ssize_t size = pread(file, text, sizeof text - 1, 0);
    if (size <= 0 || text[size - 1] != '\n' || sscanf(text, "%llu %lld", &bytes, &counted) != 2)
        return false;
    int64_t age = (int64_t)time(NULL) - counted;
    *sum = (struct sum){bytes, counted};
    return age >= 0 && age < RECOUNT_SECONDS;
}

static void write_sum(int file, const struct sum *sum) {
    char text[64];
    int size = snprintf(text, sizeof text, "%llu %lld\n", (unsigned long long)sum->bytes,
                        (long long)sum->counted);
    if (ftruncate(file, 0) != 0 || pwrite(file, text, (size_t)size, 0) != size)
        base_detail("the size of the cache is not kept: %s", strerror(errno));
}

static void add_to_sum(const char *cache, uint64_t bytes, bool may_remove) {
    const char *text = getenv("SLOWPATH_CACHE_SIZE");
    uint64_t limit = (text && *text ? strtoull(text, NULL, 10) : DEFAULT_LIMIT_MIB) << 20;
    char *path = base_format("%s/.sum", cache);
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    struct sum sum = {0};
    bool is_known = file >= 0 && flock(file, LOCK_EX) == 0 && read_sum(file, &sum);
    sum.bytes += bytes;
    if (may_remove && (!is_known || sum.bytes > limit))
        sum = (struct sum){make_room(cache, limit), (int64_t)time(NULL)};
    if (file >= 0) {
        write_sum(file, &sum);
        close(file);
    }
    free(path);
}

bool cc_cache_commit(char *built, const char *key, struct cc_entry *entry,
                     struct base_error *error) {
    char *cache = cc_cache_folder();
    char *folder = base_format("%s/%s", cache, key);
    bool listed = write_manifest(built, error), moved = listed && rename(built, folder) == 0;
    int problem = errno;
    bool good = listed && hold(folder, entry);
    if (listed && !good)
        base_fail(error, BASE_USAGE, "cannot keep '%s' in the cache: %s", folder,
                  strerror(moved ? errno : problem));
    if (!moved)
        base_remove_tree(built);
    add_to_sum(cache, moved ? folder_bytes(folder) : 0, true);
    free(built);
    free(folder);
    free(cache);
    return good;
}

void cc_cache_drop(const char *key) {
    char *cache = cc_cache_folder();
    char *folder = base_format("%s/%s", cache, key);
    remove_entry(folder);
    free(folder);
    free(cache);
}

void cc_cache_keep(char *built, const char *key) {
    char *cache = cc_cache_folder();
    char *folder = base_format("%s/%s", cache, key);
    struct base_error error;
    if (!write_manifest(built, &error) || rename(built, folder) != 0)
        base_remove_tree(built);
    else
        add_to_sum(cache, folder_bytes(folder), false);
    free(built);
    free(folder);
    free(cache);
}
