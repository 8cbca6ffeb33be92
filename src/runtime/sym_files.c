/* SPDX-License-Identifier: Apache-2.0
 *
 * Which descriptors and streams lead to the input, and at which position of it are they? And what
 * was written that could be read back? Shadows do not pass through a pipe or a file, so symbolic
 * bytes that come back that way are lost. Files are identified by device and inode. The memory of a
 * stream, the library's or a buffer of the program's own, is marked, so that accesses to it are
 * noticed.
 */
#include "runtime/symbolic.h"
#include "runtime/tree.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define MOST_WRITTEN 64u
#define MOST_STREAMS 64u

struct file {
    dev_t device;
    ino_t inode;
    bool is_open_ended; /* its size depends on the input */
    bool is_device;     /* stores nothing */
};

struct buffer { /* a buffer that the program gave a stream */
    FILE *stream;
    void *memory;
    size_t bytes;
};

struct range {
    const FILE *stream; /* whose buffer this is */
    uint8_t *first, *last;
};

static RUNTIME_STATE struct file written[MOST_WRITTEN];  /* contain symbolic bytes */
static RUNTIME_STATE unsigned written_count, kept_count; /* kept: not devices */
static RUNTIME_STATE bool is_anywhere;                   /* it may be read back from any file */
static RUNTIME_STATE const FILE *streams[MOST_STREAMS];  /* opened on the input */
static RUNTIME_STATE unsigned stream_count;
static RUNTIME_STATE int known = -1; /* the last descriptor looked at, and what it is */
static RUNTIME_STATE bool known_is_input, known_is_self;
static RUNTIME_STATE struct buffer buffers[MOST_STREAMS];
static RUNTIME_STATE unsigned buffer_count;
static RUNTIME_STATE struct range hidden[2 * MOST_STREAMS]; /* marks that were set */
static RUNTIME_STATE unsigned hidden_count;
static RUNTIME_STATE FILE *last_stream; /* the last stream whose descriptor was asked for */
static RUNTIME_STATE int last_descriptor;

/* ---- the memory of streams ---- */

static void hide(const FILE *stream, void *memory, size_t bytes) {
    struct range range = {stream, abi_shadow_mark(memory),
                          abi_shadow_mark((char *)memory + bytes - 1)};
    if (hidden_count == 2 * MOST_STREAMS) {
        runtime_sym_lose(RUNTIME_LOST_INSIDE);
        return;
    }
    for (uint8_t *at = range.first; at <= range.last; at++)
        *at |= ABI_MARK_STREAM;
    hidden[hidden_count++] = range;
}

static bool is_hidden(const FILE *stream) {
    return *abi_shadow_mark(stream) & ABI_MARK_STREAM;
}

/* The stream carries data of the input. */
void runtime_sym_hide_stream(FILE *stream) {
    if (is_hidden(stream))
        return;
    hide(stream, stream, sizeof *stream);
    for (unsigned i = 0; i < buffer_count; i++)
        if (buffers[i].stream == stream)
            hide(stream, buffers[i].memory, buffers[i].bytes);
}

/* NULL: all streams. */
static void show_again(const FILE *stream) {
    unsigned left = 0;
    for (unsigned i = 0; i < hidden_count; i++) {
        if (stream && hidden[i].stream != stream) {
            hidden[left++] = hidden[i];
            continue;
        }
        for (uint8_t *at = hidden[i].first; at <= hidden[i].last; at++)
            *at &= (uint8_t)~ABI_MARK_STREAM;
    }
    hidden_count = left;
}

void runtime_sym_note_buffer(FILE *stream, void *buffer, size_t bytes) {
    if (!runtime.control || !runtime.control->symbolic || !buffer || !bytes)
        return;
    if (is_hidden(stream))
        hide(stream, buffer, bytes);
    else if (buffer_count < MOST_STREAMS)
        buffers[buffer_count++] = (struct buffer){stream, buffer, bytes};
    else
        runtime_sym_lose(RUNTIME_LOST_INSIDE);
}

void runtime_sym_forget_stream(FILE *stream) {
    unsigned left = 0;
    if (last_stream == stream)
        last_stream = NULL;
    for (unsigned i = 0; i < buffer_count; i++)
        if (buffers[i].stream != stream)
            buffers[left++] = buffers[i];
    buffer_count = left;
    show_again(stream);
}

void runtime_sym_begin_files(void) {
    written_count = kept_count = stream_count = buffer_count = 0;
    is_anywhere = false;
    known = -1;
    last_stream = NULL;
    show_again(NULL);
    if (runtime.control && runtime.control->channel == ABI_CHANNEL_STDIN)
        runtime_sym_hide_stream(stdin);
}

void runtime_sym_forget_descriptors(void) {
    known = -1;
}

static bool same_file(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* ---- the input ---- */

static bool find_input(struct stat *input) {
    const struct abi_control *control = runtime.control;
    return !control                                ? false
           : control->channel == ABI_CHANNEL_FILE  ? stat(control->file_path, input) == 0
           : control->channel == ABI_CHANNEL_STDIN ? fstat(STDIN_FILENO, input) == 0
                                                   : false;
}

/* Is this the input file, or one of those that the input creates? */
static bool holds_input(const struct stat *file) {
    struct stat input;
    struct runtime_file made;
    return (find_input(&input) && same_file(file, &input)) ||
           runtime_tree_find(file->st_dev, file->st_ino, &made);
}

/* A file that tells about a process, such as its memory map. Addresses are the same for all inputs
 * of a path. */
static bool tells_of_process(int fd, const struct stat *file) {
    char link[32], path[64];
    struct stat proc;
    if (stat("/proc/self/stat", &proc) != 0 || proc.st_dev != file->st_dev)
        return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path);
    return length > 6 && path[6] >= '0' && path[6] <= '9' &&
           !(length > 5 && memcmp(path + length - 5, "/maps", 5) == 0);
}

static void look_at(int fd) {
    struct stat file;
    int saved = errno;
    if (fd < 0 || fd == known)
        return;
    bool is_file = fstat(fd, &file) == 0 && S_ISREG(file.st_mode);
    known_is_input = is_file && holds_input(&file);
    known_is_self = is_file && !known_is_input && tells_of_process(fd, &file);
    known = fd;
    errno = saved;
}

bool runtime_sym_is_input(int fd) {
    look_at(fd);
    return fd >= 0 && known_is_input;
}

bool runtime_sym_is_self(int fd) {
    look_at(fd);
    return fd >= 0 && known_is_self;
}

off_t runtime_sym_input_offset(int fd) {
    return runtime_sym_is_input(fd) ? lseek(fd, 0, SEEK_CUR) : -1;
}

int runtime_sym_descriptor(FILE *stream) {
    int saved = errno, fd = fileno(stream);
    errno = saved;
    last_stream = stream;
    last_descriptor = fd;
    return fd;
}

off_t runtime_sym_stream_offset(FILE *stream) {
    return runtime_sym_is_input(runtime_sym_descriptor(stream)) ? ftello(stream) : -1;
}

/* Streams are only compared, never read: unknown code may have been given any pointer. */
void runtime_sym_note_stream(FILE *stream) {
    if (!runtime.control || !runtime.control->symbolic || stream_count == MOST_STREAMS ||
        !runtime_sym_is_input(runtime_sym_descriptor(stream)))
        return;
    streams[stream_count++] = stream;
    runtime_sym_hide_stream(stream);
}

bool runtime_sym_is_input_stream(const void *stream) {
    for (unsigned i = 0; i < stream_count; i++)
        if (streams[i] == stream)
            return true;
    return stream == stdin && runtime_sym_is_input(STDIN_FILENO);
}

/* ---- what was written ---- */

/* /dev/full refuses all writes, except of no bytes. Terminals, /dev/null and the like accept
 * all. */
static bool may_refuse(const struct stat *device) {
    unsigned kind = major(device->st_rdev), number = minor(device->st_rdev);
    bool is_terminal = kind == 4 || kind == 5 || (kind >= 136 && kind <= 143);
    return !is_terminal && !(kind == 1 && number != 7);
}

/* Devices store nothing, but may refuse a write. */
bool runtime_sym_is_kept(int fd) {
    struct stat file;
    return fd < 0 || (fstat(fd, &file) == 0 && (!S_ISCHR(file.st_mode) || may_refuse(&file)));
}

static struct file *find_written(const struct stat *file) {
    for (unsigned i = 0; i < written_count; i++)
        if (written[i].device == file->st_dev && written[i].inode == file->st_ino)
            return &written[i];
    return NULL;
}

/* What a socket or another process gets may come back from anywhere. From a device, only the number
 * of bytes it accepted does. */
void runtime_sym_note_written(int fd, bool is_open_ended) {
    struct stat file;
    if (last_stream && fd == last_descriptor)
        runtime_sym_hide_stream(last_stream);
    if (fstat(fd, &file) != 0 || (S_ISCHR(file.st_mode) && !is_open_ended))
        return;
    bool is_device = S_ISCHR(file.st_mode);
    bool is_named = S_ISREG(file.st_mode) || S_ISFIFO(file.st_mode) || is_device;
    struct file *known_file = find_written(&file);
    if (is_device && may_refuse(&file))
        runtime_sym_lose("a device that may refuse what is written");
    if (known_file)
        known_file->is_open_ended |= is_open_ended;
    else if (is_named && written_count < MOST_WRITTEN) {
        written[written_count++] =
            (struct file){file.st_dev, file.st_ino, is_open_ended, is_device};
        kept_count += !is_device;
    } else
        is_anywhere = true;
}

bool runtime_sym_may_read_back(int fd) {
    struct stat file;
    if (fd < 0 || is_anywhere)
        return kept_count > 0 || is_anywhere;
    return kept_count && fstat(fd, &file) == 0 && !S_ISCHR(file.st_mode) && find_written(&file);
}

bool runtime_sym_is_open_ended(const struct stat *file) {
    const struct file *found = find_written(file);
    return found ? found->is_open_ended : is_anywhere;
}
