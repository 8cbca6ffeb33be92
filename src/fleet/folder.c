/* SPDX-License-Identifier: Apache-2.0
 *
 * Which files does an instance write, and which of the others' has it not read yet?
 *
 * DIR/NAME/00000012-HASH.bundle is the twelfth file of NAME. Names are remembered, not numbers: if
 * folders are copied, files arrive in any order. A partial file may still be arriving, so it is
 * read again when its size has changed. A folder not written to since the last look is not listed
 * again.
 */
#include "fleet/fleet.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ENDING ".bundle"
#define NUMBER_DIGITS 8u
#define HASH_DIGITS 32u
#define LARGEST_FILE ((off_t)256 << 20)
#define MOST_OTHERS 4096u
/* Seconds after which a folder's time reliably shows that nothing was added. */
#define SETTLED 3.0

bool fleet_check_name(const char *name, struct base_error *error) {
    size_t length = strlen(name);
    size_t good = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_");
    if (length && length == good && length < FLEET_NAME_BYTES && *name != '.')
        return true;
    return base_fail(
        error, BASE_USAGE,
        "--fleet-name %s: up to %d letters, digits, '.', '-' and '_' are wanted, and no "
        "'.' at the beginning",
        name, FLEET_NAME_BYTES - 1);
}

/* The number of one of our files; false: another name. */
static bool parse_file(const char *name, uint64_t *number) {
    char *end;
    size_t length = NUMBER_DIGITS + 1 + HASH_DIGITS + strlen(ENDING);
    if (strlen(name) != length || strspn(name, "0123456789") != NUMBER_DIGITS ||
        name[NUMBER_DIGITS] != '-' ||
        strspn(name + NUMBER_DIGITS + 1, "0123456789abcdef") != HASH_DIGITS ||
        strcmp(name + length - strlen(ENDING), ENDING) != 0)
        return false;
    *number = strtoull(name, &end, 10);
    return true;
}

/* ---- the instance's own folder ---- */

void fleet_folder_init(struct fleet_folder *folder, const char *path, const char *name,
                       const char *key) {
    *folder = (struct fleet_folder){.path = base_strdup(path), .lock = -1, .next = 1};
    folder->own = base_format("%s/%s", path, name);
    snprintf(folder->name, sizeof folder->name, "%s", name);
    snprintf(folder->key, sizeof folder->key, "%s", key);
}

void fleet_folder_done(struct fleet_folder *folder) {
    for (size_t i = 0; i < folder->others.count; i++)
        base_map_done(&folder->others.data[i].seen);
    base_vector_done(&folder->others);
    if (folder->lock >= 0)
        close(folder->lock);
    free(folder->path);
    free(folder->own);
}

/* Two processes of one name would also overwrite each other's suites. Without support for locks in
 * the file system, there is none. */
static bool take_lock(struct fleet_folder *folder, struct base_error *error) {
    char *path = base_format("%s/lock", folder->own);
    folder->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    free(path);
    if (folder->lock < 0 || flock(folder->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return true;
    return base_fail(error, BASE_USAGE,
                     "--fleet %s: an instance called '%s' is running; give this one another "
                     "--fleet-name",
                     folder->path, folder->name);
}

/* Skips the numbers of files from an earlier run with this name. */
static void find_next(struct fleet_folder *folder) {
    DIR *listing = opendir(folder->own);
    struct dirent *entry;
    uint64_t number;
    while (listing && (entry = readdir(listing)))
        if (parse_file(entry->d_name, &number) && number >= folder->next)
            folder->next = number + 1;
    if (listing)
        closedir(listing);
}

bool fleet_folder_open(struct fleet_folder *folder, struct base_error *error) {
    if (!base_make_dirs(folder->own, error) || !take_lock(folder, error))
        return false;
    find_next(folder);
    return true;
}

static struct fleet_other *find_other(struct fleet_folder *folder, const char *name) {
    for (size_t i = 0; i < folder->others.count; i++)
        if (strcmp(folder->others.data[i].name, name) == 0)
            return &folder->others.data[i];
    struct fleet_other other = {.is_own = strcmp(name, folder->name) == 0};
    snprintf(other.name, sizeof other.name, "%s", name);
    base_push(&folder->others, other);
    return &folder->others.data[folder->others.count - 1];
}

bool fleet_folder_write(struct fleet_folder *folder, const struct fleet_messages *messages,
                        struct base_error *error) {
    struct base_buffer bytes = {0};
    char hash[33];
    fleet_pack(folder->key, messages->data, messages->count, &bytes, hash);
    char *name =
        base_format("%0*llu-%s" ENDING, (int)NUMBER_DIGITS, (unsigned long long)folder->next, hash);
    char *path = base_format("%s/%s", folder->own, name);
    bool good =
        base_make_dirs(folder->own, error) && base_write_file(path, bytes.data, bytes.count, error);
    if (good) {
        folder->next++;
        base_map_set(&find_other(folder, folder->name)->seen, name, (uint32_t)bytes.count);
    }
    free(path);
    free(name);
    base_buffer_done(&bytes);
    return good;
}

/* ---- the others ---- */

static void leave_alone(struct fleet_folder *folder, struct fleet_other *other,
                        enum fleet_verdict verdict) {
    folder->torn += verdict == FLEET_TORN;
    other->has_torn |= verdict == FLEET_TORN;
    folder->foreign += verdict == FLEET_FOREIGN;
    if (folder->foreign != 1 || verdict != FLEET_FOREIGN)
        return;
    base_note("fleet: '%s' in %s holds finds of another target, measure or version of slowpath; "
              "such files are ignored",
              other->name, folder->path);
}

/* A file that cannot be opened or read now may become readable later: it is not remembered. Returns
 * the bytes read. */
static size_t read_file(struct fleet_folder *folder, struct fleet_other *other, const char *name,
                        struct fleet_messages *messages) {
    char *path = base_format("%s/%s/%s", folder->path, other->name, name), *data = NULL;
    struct stat status;
    struct base_error error;
    size_t size, before = messages->count;
    bool is_file = stat(path, &status) == 0 && S_ISREG(status.st_mode);
    uint32_t seen = base_map_get(&other->seen, name);
    if (is_file && status.st_size <= LARGEST_FILE &&
        (seen == BASE_MAP_NONE || seen != status.st_size) &&
        base_read_file(path, &data, &size, &error)) {
        enum fleet_verdict verdict = fleet_unpack(folder->key, data, size, messages);
        base_map_set(&other->seen, name, (uint32_t)size);
        if (verdict != FLEET_GOOD)
            leave_alone(folder, other, verdict);
        other->taken += messages->count - before;
    }
    bool is_new = data && messages->count > before;
    free(data);
    free(path);
    return is_new ? size : 0;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lists the names in DIR for which IS_WANTED, sorted; false on failure. */
static bool list_names(const char *path, bool (*is_wanted)(const char *name),
                       struct base_strings *names) {
    DIR *listing = opendir(path);
    struct dirent *entry;
    if (!listing)
        return false;
    while ((entry = readdir(listing)))
        if (is_wanted(entry->d_name))
            base_strings_add(names, entry->d_name);
    closedir(listing);
    if (names->count)
        qsort(names->data, names->count, sizeof *names->data, compare_names);
    return true;
}

static bool is_bundle(const char *name) {
    uint64_t number;
    return parse_file(name, &number);
}

static bool is_instance(const char *name) {
    struct base_error error;
    return fleet_check_name(name, &error);
}

/* Has the folder changed since the last look? Very recent times are not reliable. */
static bool has_changed(struct fleet_other *other, const char *path) {
    struct stat status;
    struct timespec now;
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        return false;
    double changed = (double)status.st_mtim.tv_sec + (double)status.st_mtim.tv_nsec / 1e9;
    clock_gettime(CLOCK_REALTIME, &now);
    if (changed == other->changed && !other->has_torn)
        return false;
    if ((double)now.tv_sec - changed > SETTLED)
        other->changed = changed;
    return true;
}

/* False: not everything had room. */
static bool read_other(struct fleet_folder *folder, struct fleet_other *other, size_t most,
                       struct fleet_messages *messages) {
    char *path = base_format("%s/%s", folder->path, other->name);
    struct base_strings files = {0};
    size_t bytes = 0, next = 0;
    double before = other->changed;
    if (has_changed(other, path) && list_names(path, is_bundle, &files))
        for (; next < files.count && bytes < most; next++)
            bytes += read_file(folder, other, files.data[next], messages);
    bool is_all = next == files.count;
    if (!is_all)
        other->changed = before;
    base_strings_done(&files);
    free(path);
    return is_all;
}

bool fleet_folder_read(struct fleet_folder *folder, size_t most, struct fleet_messages *messages) {
    struct base_strings names = {0};
    bool is_all = true;
    list_names(folder->path, is_instance, &names);
    for (size_t i = 0; i < names.count; i++)
        if (folder->others.count < MOST_OTHERS)
            find_other(folder, names.data[i]);
    base_strings_done(&names);
    size_t share = folder->others.count ? most / folder->others.count + 1 : most;
    for (size_t i = 0; i < folder->others.count; i++)
        is_all &= read_other(folder, &folder->others.data[i], share, messages);
    return is_all;
}
