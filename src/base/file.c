/* SPDX-License-Identifier: Apache-2.0
 *
 * Files and folders: whole-file reading, atomic writing, temporary folders, where we live.
 */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LARGEST_FILE ((size_t)4 << 30)
#define LARGEST_STREAM ((size_t)1 << 30)

/* What was opened already, by whoever started us: a pipe as good as any file. */
static bool is_descriptor(const char *path) {
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdin") == 0 ||
           strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/proc/self/fd/", 14) == 0;
}

/* What never ends, or waits for someone to write, is no file; NULL if it is one. */
static const char *find_flaw(const char *path, const struct stat *status) {
    if (S_ISDIR(status->st_mode))
        return strerror(EISDIR);
    if (S_ISREG(status->st_mode) || is_descriptor(path) || strcmp(path, "/dev/null") == 0)
        return NULL;
    return S_ISFIFO(status->st_mode)   ? "it is a pipe; standard input is called -"
           : S_ISSOCK(status->st_mode) ? "it is a socket"
                                       : "it is a device";
}

/* Opening a pipe must not wait for a writer. */
static int open_file(const char *path, struct base_error *error) {
    int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO)
                                    : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status;
    const char *flaw = NULL;
    bool good = fd >= 0 && fstat(fd, &status) == 0 && !(flaw = find_flaw(path, &status));
    if (good && !S_ISREG(status.st_mode) && strcmp(path, "-") != 0)
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    if (good)
        return fd;
    int problem = errno;
    if (fd < 0 && stat(path, &status) == 0) /* a socket cannot even be opened */
        flaw = find_flaw(path, &status);
    base_fail(error, BASE_USAGE, "cannot read '%s': %s", path, flaw ? flaw : strerror(problem));
    if (fd >= 0)
        close(fd);
    return -1;
}

static size_t most_of(int fd, struct base_buffer *buffer) {
    struct stat status;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        return LARGEST_STREAM;
    if (status.st_size > 0 && (size_t)status.st_size <= LARGEST_FILE) {
        buffer->capacity = (size_t)status.st_size + 2;
        buffer->data = base_realloc(buffer->data, buffer->capacity);
    }
    return (size_t)status.st_size <= LARGEST_FILE ? LARGEST_FILE : 0;
}

/* 0 at the end, or what is wrong. */
static int read_all(int fd, size_t most, struct base_buffer *buffer) {
    for (;;) {
        if (buffer->count > most || !most)
            return EFBIG;
        if (buffer->capacity - buffer->count < 2)
            buffer->data = base_grow(buffer->data, &buffer->capacity, 1);
        size_t room = buffer->capacity - buffer->count - 1;
        ssize_t got = base_fault("read") ? -1 : read(fd, buffer->data + buffer->count, room);
        if (got > 0)
            buffer->count += (size_t)got;
        else if (got == 0)
            return 0;
        else if (errno != EINTR)
            return errno ? errno : EIO;
    }
}

bool base_read_file(const char *path, char **data, size_t *size, struct base_error *error) {
    int fd = open_file(path, error);
    if (fd < 0)
        return false;
    struct base_buffer buffer = {0};
    base_buffer_add(&buffer, "", 0);
    int problem = read_all(fd, most_of(fd, &buffer), &buffer);
    close(fd);
    if (problem) {
        base_buffer_done(&buffer);
        return base_fail(error, BASE_USAGE, "cannot read '%s': %s", path, strerror(problem));
    }
    buffer.data[buffer.count] = 0;
    *data = buffer.data;
    *size = buffer.count;
    return true;
}

static ssize_t write_some(int fd, const char *data, size_t size) {
    if (base_fault("write")) {
        errno = ENOSPC;
        return -1;
    }
    return write(fd, data, base_fault("short") ? (size + 1) / 2 : size);
}

static bool write_all(int fd, const char *data, size_t size) {
    while (size) {
        ssize_t done = write_some(fd, data, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        data += done;
        size -= (size_t)done;
    }
    return true;
}

static bool cannot_write(const char *path, int problem, struct base_error *error) {
    return base_fail(error, BASE_USAGE, "cannot write '%s': %s", path, strerror(problem));
}

/* Opens, writes and closes; errno says what went wrong. */
static bool write_bytes(const char *path, int flags, const void *data, size_t size) {
    int fd = base_fault("open") ? -1 : open(path, O_WRONLY | O_CLOEXEC | flags, 0666);
    if (fd < 0)
        return false;
    bool good = write_all(fd, data, size);
    int problem = errno;
    if (close(fd) != 0 && good)
        return false;
    errno = problem;
    return good;
}

/* Something that a rename must not replace: a device, a pipe. */
static bool is_special(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

static char *follow_links(const char *path) {
    char *real = realpath(path, NULL);
    return real ? real : base_strdup(path);
}

bool base_rename(const char *from, const char *to) {
    if (base_fault("rename")) {
        errno = EIO;
        return false;
    }
    return rename(from, to) == 0;
}

bool base_write_file(const char *path, const void *data, size_t size, struct base_error *error) {
    if (is_special(path))
        return write_bytes(path, 0, data, size) || cannot_write(path, errno, error);
    char *place = follow_links(path), *neighbour = base_format("%s.tmp.%d", place, (int)getpid());
    bool good =
        write_bytes(neighbour, O_CREAT | O_TRUNC, data, size) && base_rename(neighbour, place);
    if (!good) {
        cannot_write(path, errno, error);
        unlink(neighbour);
    }
    free(place);
    free(neighbour);
    return good;
}

bool base_try_file(const char *path, struct base_error *error) {
    if (is_special(path))
        return access(path, W_OK) == 0 || cannot_write(path, errno, error);
    if (base_is_directory(path))
        return cannot_write(path, EISDIR, error);
    char *place = follow_links(path), *neighbour = base_format("%s.tmp.%d", place, (int)getpid());
    bool good =
        write_bytes(neighbour, O_CREAT | O_TRUNC, "", 0) || cannot_write(path, errno, error);
    if (good)
        unlink(neighbour);
    free(place);
    free(neighbour);
    return good;
}

bool base_make_dirs(const char *path, struct base_error *error) {
    char *partial = base_strdup(path);
    bool good = true;
    for (char *slash = partial; good && slash;) {
        slash = strchr(slash + 1, '/');
        if (slash)
            *slash = 0;
        if (base_fault("mkdir") || (mkdir(partial, 0777) != 0 && errno != EEXIST))
            good = base_fail(error, BASE_USAGE, "cannot make the folder '%s': %s", partial,
                             strerror(errno));
        if (slash)
            *slash = '/';
    }
    if (good && !base_is_directory(path))
        good = base_fail(error, BASE_USAGE, "'%s' is in the way: it is not a folder", path);
    free(partial);
    return good;
}

bool base_is_directory(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk) {
    (void)status, (void)kind, (void)walk;
    return remove(path);
}

bool base_remove_tree(const char *path) {
    return nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS) == 0;
}

const char *base_basename(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The absolute path of something that may be yet to be made. The current folder itself may be gone:
 * then nothing has one. */
static char *real_place(const char *path) {
    char *place = realpath(path, NULL);
    if (place)
        return place;
    if (strcmp(path, ".") == 0 || strcmp(path, "/") == 0)
        return base_strdup(path);
    char *copy = base_strdup(path);
    for (size_t end = strlen(copy); end > 1 && copy[end - 1] == '/';)
        copy[--end] = 0;
    char *slash = strrchr(copy, '/');
    if (slash)
        *slash = 0;
    char *parent = real_place(!slash ? "." : *copy ? copy : "/");
    place = base_format("%s/%s", strcmp(parent, "/") == 0 ? "" : parent, slash ? slash + 1 : copy);
    free(parent);
    free(copy);
    return place;
}

/* How much of two absolute paths is the same, in whole names. */
static size_t common_length(const char *a, const char *b) {
    size_t common = 0;
    for (size_t i = 0;; i++) {
        if ((!a[i] || a[i] == '/') && (!b[i] || b[i] == '/'))
            common = i;
        if (!a[i] || a[i] != b[i])
            return common;
    }
}

char *base_relative_path(const char *folder, const char *path) {
    char *from = real_place(folder), *to = real_place(path);
    struct base_buffer way = {0};
    size_t common = common_length(from, to);
    for (const char *at = from + common; *at; at++)
        if (*at == '/' && at[1])
            base_buffer_print(&way, "%s..", way.count ? "/" : "");
    if (to[common] && to[common + 1])
        base_buffer_print(&way, "%s%s", way.count ? "/" : "", to + common + 1);
    if (!way.count)
        base_buffer_print(&way, ".");
    free(from);
    free(to);
    return way.data;
}

char *base_temp_dir(void) {
    return base_temp_dir_in(NULL);
}

char *base_temp_dir_in(const char *parent) {
    if (!parent || access(parent, W_OK | X_OK) != 0)
        parent = getenv("TMPDIR");
    char *name = base_format("%s/slowpath-XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(name))
        base_give_up("cannot make a temporary folder '%s': %s", name, strerror(errno));
    return name;
}

const char *base_install_prefix(void) {
    static char prefix[4096];
    if (prefix[0])
        return prefix;
    ssize_t length = readlink("/proc/self/exe", prefix, sizeof prefix - 1);
    if (length <= 0)
        base_give_up("cannot find the running executable: %s", strerror(errno));
    prefix[length] = 0;
    for (int level = 0; level < 2; level++) {
        char *slash = strrchr(prefix, '/');
        if (slash)
            *slash = 0;
    }
    return prefix;
}
