/* SPDX-License-Identifier: Apache-2.0
 *
 * How do files that are part of the input get to where a program finds them? They are real files in
 * a folder of the run, so what the program does with them needs no model. Consecutive inputs of a
 * worker are similar, so files stay and only differences are written. If names or the tree's
 * structure differ, everything is made anew: the order in which a folder lists its files is then
 * the same for the same input, whatever ran before.
 *
 * Files are identified by inode: tree_calls.c asks which object of the input one is.
 */
#include "runtime/tree.h"
#include "abi/own.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SLOTS (4u * ABI_TREE_MOST)
#define PATH_ROOM ((size_t)ABI_TREE_ROOM * (ABI_TREE_DEEPEST + 2))

struct state {
    struct abi_tree_object objects[2][ABI_TREE_MOST]; /* those on disk, and those wanted */
    uint64_t contents[ABI_TREE_MOST];                 /* hashes */
    ino_t inodes[ABI_TREE_MOST];
    uint32_t slots[SLOTS]; /* numbers of objects, from 1, by inode */
};

static RUNTIME_STATE struct state *state; /* NULL: files are not part of the input */
static RUNTIME_STATE struct abi_tree_object *laid, *wanted;
static RUNTIME_STATE uint32_t laid_count;
static RUNTIME_STATE bool is_laid;
static RUNTIME_STATE const uint8_t *bytes; /* of the tree */
static RUNTIME_STATE uint64_t byte_count, first_byte;
static RUNTIME_STATE dev_t device;
static RUNTIME_STATE ino_t root_inode;

void runtime_tree_open(void) {
    if (!runtime.control->tree.objects)
        return;
    void *memory = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        runtime_stop(ABI_STATUS_MEMORY);
    runtime_note_own(memory, sizeof *state);
    state = memory;
    laid = state->objects[0];
    wanted = state->objects[1];
}

bool runtime_tree_is_there(void) {
    return state != NULL;
}

void runtime_tree_forget(void) {
    is_laid = false;
}

/* ---- one object ---- */

static const char *path_of(const struct abi_tree_object *objects, uint32_t number,
                           char path[PATH_ROOM]) {
    char *at = path + PATH_ROOM - 1;
    *at = 0;
    for (uint32_t i = number; i; i = objects[i - 1].folder) {
        size_t length = strlen(objects[i - 1].name);
        at -= length;
        memcpy(at, objects[i - 1].name, length);
        if (objects[i - 1].folder)
            *--at = '/';
    }
    return at;
}

/* The bytes of a file's content that the input has; the rest is zeros. */
static uint64_t present(const struct abi_tree_object *object) {
    uint64_t start = object->cell + ABI_TREE_CONTENT;
    uint64_t left = start < byte_count ? byte_count - start : 0;
    return left < runtime.control->tree.slice ? left : runtime.control->tree.slice;
}

static uint64_t hash_content(const struct abi_tree_object *object) {
    uint64_t count = present(object);
    if (count > object->size)
        count = object->size;
    return runtime_hash(object->size, bytes + object->cell + ABI_TREE_CONTENT, count);
}

static bool write_content(int file, const struct abi_tree_object *object) {
    uint64_t slice = runtime.control->tree.slice, have = present(object);
    const uint8_t *content = bytes + object->cell + ABI_TREE_CONTENT;
    for (uint64_t at = 0; slice && have && at < object->size; at += slice) {
        uint64_t count = object->size - at < have ? object->size - at : have;
        if (pwrite(file, content, count, (off_t)at) != (ssize_t)count)
            return false;
    }
    return ftruncate(file, (off_t)object->size) == 0;
}

static bool set_mode(int root, const char *path, uint32_t mode) {
    return syscall(SYS_fchmodat, root, path, ABI_OWN(mode)) == 0;
}

static bool set_times(int root, const char *path, uint32_t seconds) {
    const struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    return syscall(SYS_utimensat, root, path, times, ABI_OWN(AT_SYMLINK_NOFOLLOW)) == 0;
}

static bool fill_file(int root, const char *path, uint32_t at, int flags) {
    const struct abi_tree_object *object = &wanted[at];
    int file = openat(root, path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | flags, 0600);
    bool good = file >= 0 && write_content(file, object) &&
                syscall(SYS_fchmod, file, ABI_OWN(object->mode)) == 0;
    struct stat status;
    if (good && fstat(file, &status) == 0)
        state->inodes[at] = status.st_ino;
    close(file);
    state->contents[at] = hash_content(object);
    return good && set_times(root, path, object->time);
}

static bool make_folder(int root, const char *path, uint32_t at) {
    struct stat status;
    if (mkdirat(root, path, 0700) != 0 || !set_mode(root, path, wanted[at].mode) ||
        fstatat(root, path, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    state->inodes[at] = status.st_ino;
    return true;
}

/* ---- all of them ---- */

static uint32_t slot_of(ino_t inode) {
    return (uint32_t)(inode * 0x9e3779b97f4a7c15u >> 40) % SLOTS;
}

static void index_inodes(uint32_t count) {
    memset(state->slots, 0, sizeof state->slots);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = slot_of(state->inodes[i]);
        while (state->slots[slot])
            slot = (slot + 1) % SLOTS;
        state->slots[slot] = i + 1;
    }
}

/* Times of folders are set last: creating an entry changes its folder's time. */
static bool lay_out_all(int root, uint32_t count) {
    char path[PATH_ROOM];
    runtime_folder_empty_tree(root);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = path_of(wanted, i + 1, path);
        if (wanted[i].is_folder ? !make_folder(root, name, i)
                                : !fill_file(root, name, i, O_CREAT | O_EXCL))
            return false;
    }
    for (uint32_t i = 0; i < count; i++)
        if (wanted[i].is_folder && !set_times(root, path_of(wanted, i + 1, path), wanted[i].time))
            return false;
    index_inodes(count);
    return set_times(root, ".", 0);
}

static bool change_one(int root, uint32_t at) {
    const struct abi_tree_object *new = &wanted[at], *old = &laid[at];
    char path[PATH_ROOM];
    if (!new->is_folder && (new->size != old->size || hash_content(new) != state->contents[at]))
        return fill_file(root, path_of(wanted, at + 1, path), at, 0);
    if (new->mode != old->mode && !set_mode(root, path_of(wanted, at + 1, path), new->mode))
        return false;
    return new->time == old->time || set_times(root, path_of(wanted, at + 1, path), new->time);
}

static bool has_same_names(uint32_t count) {
    if (!is_laid || count != laid_count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (wanted[i].hash != laid[i].hash || wanted[i].folder != laid[i].folder ||
            wanted[i].is_folder != laid[i].is_folder || strcmp(wanted[i].name, laid[i].name) != 0)
            return false;
    return true;
}

static bool lay_out(int root, uint32_t count) {
    if (!has_same_names(count))
        return lay_out_all(root, count);
    for (uint32_t i = 0; i < count; i++)
        if (!change_one(root, i))
            return false;
    return true;
}

static int open_root(void) {
    char path[RUNTIME_PATH];
    struct stat status;
    snprintf(path, sizeof path, "%s/" ABI_TREE_FOLDER, runtime.control->folder);
    int root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root >= 0 && fstat(root, &status) == 0) {
        device = status.st_dev;
        root_inode = status.st_ino;
    }
    return root;
}

/* The input ends with the tree's bytes and their number; the part before belongs to others. */
static bool cut_input(void) {
    size_t size = runtime.input_size;
    if (size < sizeof byte_count)
        return false;
    memcpy(&byte_count, runtime.input + size - sizeof byte_count, sizeof byte_count);
    if (byte_count > size - sizeof byte_count)
        return false;
    first_byte = runtime.input_size = size - sizeof byte_count - byte_count;
    bytes = runtime.input + first_byte;
    return true;
}

bool runtime_tree_begin(void) {
    if (!state)
        return true;
    int root = cut_input() ? open_root() : -1;
    if (root < 0)
        return false;
    uint32_t count = abi_tree_read(&runtime.control->tree, bytes, byte_count, wanted);
    is_laid = lay_out(root, count);
    laid_count = count;
    struct abi_tree_object *other = laid;
    laid = wanted;
    wanted = other;
    close(root);
    runtime_tree_mark_form(first_byte, byte_count);
    return is_laid;
}

/* ---- which object is it? ---- */

bool runtime_tree_find(dev_t of, ino_t inode, struct runtime_file *file) {
    if (!state || of != device)
        return false;
    *file = (struct runtime_file){.first = first_byte, .bytes = bytes, .byte_count = byte_count};
    if (inode == root_inode)
        return true;
    for (uint32_t slot = slot_of(inode); state->slots[slot]; slot = (slot + 1) % SLOTS)
        if (state->inodes[state->slots[slot] - 1] == inode) {
            file->number = state->slots[slot];
            file->object = &laid[file->number - 1];
            return true;
        }
    return false;
}

const struct abi_tree_object *runtime_tree_at(uint64_t offset, uint64_t *within) {
    if (!state || offset < first_byte || offset - first_byte >= byte_count)
        return NULL;
    uint64_t cell = abi_tree_cell(&runtime.control->tree), at = offset - first_byte;
    *within = at % cell;
    return at / cell < laid_count ? &laid[at / cell] : NULL;
}
