/* SPDX-License-Identifier: Apache-2.0
 *
 * What does a program learn about files that are part of the input? The library's own calls answer.
 * Whatever does not come from the input is the same in each run: inodes, and the times at which the
 * files were really made. In the symbolic build, sizes, modes, times, names and contents carry the
 * expressions of the bytes they come from. Where a file lies and whether it is a folder is decided
 * at the start of the run; the length of a name, when it is first listed.
 */
#include "runtime/symbolic.h"
#include "runtime/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIB(name) __slowpath_lib_##name

static bool is_symbolic(void) {
    return runtime.control && runtime.control->symbolic && !runtime.control->concrete;
}

/* ---- expressions of a cell's bytes ---- */

/* The expression of up to 4 input bytes; 0: they are concrete. */
static uint32_t expr_of(const struct runtime_file *file, uint64_t at, unsigned count) {
    static RUNTIME_STATE uint8_t copy[8] __attribute__((aligned(16)));
    for (unsigned i = 0; i < count; i++)
        copy[i] = abi_tree_byte(file->bytes, file->byte_count, at + i);
    uint64_t left = at < file->byte_count ? file->byte_count - at : 0;
    runtime_sym_mark_input(copy, file->first + at, left < count ? left : count);
    uint32_t expr = runtime_sym_is_plain(copy, count) ? 0 : runtime_sym_bytes(copy, count);
    runtime_sym_clear(copy, count);
    return expr;
}

static uint32_t binary(enum abi_op op, unsigned width, uint32_t a, uint64_t b) {
    uint32_t constant = a ? runtime_sym_constant(width, b) : 0;
    bool compares = op == ABI_OP_EQ;
    return constant ? runtime_sym_node(op, compares ? 1 : width, 0, a, constant, 0) : 0;
}

static uint32_t widen(uint32_t a, unsigned width) {
    return a ? runtime_sym_node(ABI_OP_ZEXT, width, 0, a, 0, 0) : 0;
}

static uint32_t size_of(const struct runtime_file *file) {
    const struct abi_tree_object *object = file->object;
    if (object->is_folder || object->is_cut)
        return 0;
    uint32_t raw = expr_of(file, object->cell + ABI_TREE_SIZE, 4);
    uint64_t most = abi_tree_largest(&runtime.control->tree);
    return widen(most < UINT32_MAX ? binary(ABI_OP_UREM, 32, raw, most + 1) : raw, 64);
}

static uint32_t mode_of(const struct runtime_file *file, unsigned width, uint32_t mode) {
    uint32_t raw = expr_of(file, file->object->cell + ABI_TREE_MODE, 2);
    uint32_t bits = binary(ABI_OP_AND, 16, raw, 0177);
    return binary(ABI_OP_OR, width, width > 16 ? widen(bits, width) : bits, mode & ~0177u);
}

static uint32_t time_of(const struct runtime_file *file) {
    return widen(expr_of(file, file->object->cell + ABI_TREE_TIME, 4), 64);
}

static void put(void *memory, uint32_t expr, uint32_t bytes) {
    if (expr)
        runtime_sym_put(memory, expr, bytes);
}

/* ---- decisions ---- */

/* The path includes the condition's value in this run: otherwise the tree would differ. */
static void decide(uint32_t condition, bool holds) {
    if (condition)
        runtime_sym_fix(ABI_EVENT_CONCRETE, condition, holds);
}

static void mark_place(const struct runtime_file *file, uint64_t cell, uint32_t folders) {
    uint32_t place = widen(expr_of(file, cell + ABI_TREE_PLACE, 1), 32);
    uint8_t value = abi_tree_byte(file->bytes, file->byte_count, cell + ABI_TREE_PLACE);
    if (place && folders)
        runtime_sym_fix(ABI_EVENT_CONCRETE, binary(ABI_OP_UREM, 32, place, folders + 1),
                        value % (folders + 1));
}

void runtime_tree_mark_form(uint64_t first, uint64_t count) {
    uint32_t folders = 0;
    uint64_t within, step = abi_tree_cell(&runtime.control->tree);
    if (!is_symbolic())
        return;
    struct runtime_file file = {
        .first = first, .bytes = runtime.input + first, .byte_count = count};
    for (uint64_t cell = 0; cell < count; cell += step) {
        const struct abi_tree_object *object = runtime_tree_at(first + cell, &within);
        if (!object)
            break;
        mark_place(&file, cell, folders);
        uint32_t bits = binary(ABI_OP_AND, 8, expr_of(&file, cell + ABI_TREE_KIND, 1), 3);
        decide(binary(ABI_OP_EQ, 8, bits, 0), object->is_folder);
        folders += object->is_folder;
        if (object->is_cut)
            runtime_sym_lose("the size of a file there is no room for");
    }
}

/* ---- status ---- */

static void fix(unsigned index, uint64_t value) {
    if (__slowpath_sym_args[index])
        runtime_sym_fix(ABI_EVENT_CONCRETE, __slowpath_sym_args[index], value);
}

/* Fixes a call's arguments: a path, where it starts, where the answer goes, flags. */
static void look_at(const char *name, const char *path, unsigned arguments,
                    const uint64_t *values) {
    if (!is_symbolic())
        return;
    for (unsigned i = 0; i < arguments; i++)
        fix(i, values[i]);
    if (path)
        __slowpath_sym_give_text(name, path);
}

/* The file's size may depend on what was written to it. */
static void lose_size(const struct stat *status) {
    if (is_symbolic() && runtime_sym_is_open_ended(status))
        runtime_sym_lose("the size of a file that was written");
}

static int told(int result, struct stat *status) {
    struct runtime_file file;
    if (result != 0)
        return result;
    if (is_symbolic())
        __slowpath_sym_clear(status, sizeof *status);
    lose_size(status);
    if (!runtime_tree_find(status->st_dev, status->st_ino, &file))
        return result;
    status->st_ino = file.number + 1;
    status->st_atim = status->st_ctim = status->st_mtim;
    if (!is_symbolic() || !file.object)
        return result;
    put(&status->st_size, size_of(&file), sizeof status->st_size);
    put(&status->st_mode, mode_of(&file, 32, status->st_mode), sizeof status->st_mode);
    put(&status->st_mtim.tv_sec, time_of(&file), sizeof status->st_mtim.tv_sec);
    put(&status->st_ctim.tv_sec, time_of(&file), sizeof status->st_ctim.tv_sec);
    put(&status->st_atim.tv_sec, time_of(&file), sizeof status->st_atim.tv_sec);
    return result;
}

#define GIVEN(...)                                                                                 \
    (const uint64_t[]) {                                                                           \
        __VA_ARGS__                                                                                \
    }

#define STATUS_BY_PATH(name)                                                                       \
    int LIB(name)(const char *path, struct stat *status) {                                         \
        look_at(#name, path, 2, GIVEN((uintptr_t)path, (uintptr_t)status));                        \
        return told(name(path, status), status);                                                   \
    }                                                                                              \
    int LIB(name##64)(const char *path, struct stat *status) {                                     \
        return LIB(name)(path, status);                                                            \
    }
STATUS_BY_PATH(stat)
STATUS_BY_PATH(lstat)

int LIB(fstat)(int fd, struct stat *status) {
    look_at("fstat", NULL, 2, GIVEN((uint32_t)fd, (uintptr_t)status));
    return told(fstat(fd, status), status);
}

int LIB(fstat64)(int fd, struct stat *status) {
    return LIB(fstat)(fd, status);
}

int LIB(fstatat)(int folder, const char *path, struct stat *status, int flags) {
    look_at("fstatat", path, 4,
            GIVEN((uint32_t)folder, (uintptr_t)path, (uintptr_t)status, (uint32_t)flags));
    return told(fstatat(folder, path, status, flags), status);
}

int LIB(fstatat64)(int folder, const char *path, struct stat *status, int flags) {
    return LIB(fstatat)(folder, path, status, flags);
}

int LIB(statx)(int folder, const char *path, int flags, unsigned mask, struct statx *status) {
    struct runtime_file file;
    struct stat plain;
    look_at("statx", path, 5,
            GIVEN((uint32_t)folder, (uintptr_t)path, (uint32_t)flags, mask, (uintptr_t)status));
    int result = statx(folder, path, flags, mask, status);
    if (result != 0)
        return result;
    if (is_symbolic())
        __slowpath_sym_clear(status, sizeof *status);
    int saved = errno, found = fstatat(folder, path, &plain, flags & ~AT_STATX_SYNC_TYPE);
    errno = saved;
    if (found == 0)
        lose_size(&plain);
    if (found != 0 || !runtime_tree_find(plain.st_dev, plain.st_ino, &file))
        return result;
    status->stx_ino = file.number + 1;
    status->stx_atime = status->stx_ctime = status->stx_btime = status->stx_mtime;
    if (!is_symbolic() || !file.object)
        return result;
    put(&status->stx_size, size_of(&file), sizeof status->stx_size);
    put(&status->stx_mode, mode_of(&file, 16, status->stx_mode), sizeof status->stx_mode);
    put(&status->stx_mtime.tv_sec, time_of(&file), sizeof status->stx_mtime.tv_sec);
    put(&status->stx_ctime.tv_sec, time_of(&file), sizeof status->stx_ctime.tv_sec);
    return result;
}

/* ---- names ---- */

static void mark_name(const struct runtime_file *file, char *name) {
    const struct abi_tree_object *object = file->object;
    uint64_t first = object->cell + ABI_TREE_NAME;
    if (object->is_renamed && abi_tree_byte(file->bytes, file->byte_count, first))
        runtime_sym_lose("a name that another file has");
    size_t length = object->is_renamed ? 0 : strlen(name);
    for (size_t i = 0; i < length; i++) {
        uint32_t byte = expr_of(file, first + i, 1);
        bool is_slash = file->bytes[first + i] == '/';
        decide(binary(ABI_OP_EQ, 8, byte, 0), false);
        decide(binary(ABI_OP_EQ, 8, byte, '/'), is_slash);
        if (!is_slash)
            runtime_sym_mark_input(name + i, file->first + first + i, 1);
    }
    if (length < ABI_TREE_NAME_BYTES &&
        (length || !abi_tree_byte(file->bytes, file->byte_count, first)))
        decide(binary(ABI_OP_EQ, 8, expr_of(file, first + length, 1), 0), true);
}

static void listed(DIR *folder, struct dirent *item) {
    struct runtime_file file;
    struct stat status;
    int saved = errno, fd = dirfd(folder);
    if (item && is_symbolic())
        __slowpath_sym_clear(item, offsetof(struct dirent, d_name) + strlen(item->d_name) + 1);
    bool is_ours = item && runtime_tree_is_there() && fd >= 0 && fstat(fd, &status) == 0 &&
                   runtime_tree_find(status.st_dev, item->d_ino, &file);
    errno = saved;
    if (!is_ours)
        return;
    item->d_ino = file.number + 1;
    if (is_symbolic() && file.object && strcmp(item->d_name, file.object->name) == 0)
        mark_name(&file, item->d_name);
}

struct dirent *LIB(readdir)(DIR *folder) {
    look_at("readdir", NULL, 1, GIVEN((uintptr_t)folder));
    struct dirent *item = readdir(folder);
    listed(folder, item);
    return item;
}

struct dirent *LIB(readdir64)(DIR *folder) {
    return LIB(readdir)(folder);
}

/* Is this path component concrete, or one whole name of the tree? The first symbolic byte says
 * which name, and all its bytes must be there, unchanged. */
static bool is_name(const char *text, size_t length) {
    const uint32_t *entries = abi_shadow_entry(text);
    uint64_t within, start;
    if (runtime_sym_is_plain(text, length))
        return true;
    size_t at = 0;
    while (at < length && !(entries[at] & ABI_ENTRY_INPUT))
        at++;
    if (at == length)
        return false;
    start = (entries[at] & ~ABI_ENTRY_INPUT) + runtime.control->window_first;
    const struct abi_tree_object *object = runtime_tree_at(start, &within);
    if (!object || within != at || strlen(object->name) != length ||
        memcmp(object->name, text, length) != 0)
        return false;
    for (size_t i = at; i < length; i++)
        if (entries[i] && entries[i] != (ABI_ENTRY_INPUT | (entries[at] + (uint32_t)(i - at))))
            return false;
    return true;
}

bool runtime_tree_is_path(const char *path) {
    if (!runtime_tree_is_there())
        return false;
    for (const char *at = path; *at; at += strspn(at, "/")) {
        size_t length = strcspn(at, "/");
        if (!is_name(at, length))
            return false;
        at += length;
    }
    return true;
}

/* ---- contents ---- */

static bool find_open(int fd, struct runtime_file *file) {
    struct stat status;
    int saved = errno;
    bool found = runtime_tree_is_there() && fd >= 0 && fstat(fd, &status) == 0 &&
                 S_ISREG(status.st_mode) && runtime_tree_find(status.st_dev, status.st_ino, file);
    errno = saved;
    return found && file->object;
}

bool runtime_tree_place(int fd, off_t position, uint64_t *offset) {
    struct runtime_file file;
    if (position < 0 || !find_open(fd, &file))
        return false;
    *offset =
        file.first + abi_tree_content(&runtime.control->tree, file.object, (uint64_t)position);
    return true;
}

void runtime_tree_note_end(int fd) {
    struct runtime_file file;
    uint32_t size = find_open(fd, &file) ? size_of(&file) : 0;
    if (size)
        runtime_sym_fix(ABI_EVENT_CONCRETE, size, file.object->size);
}
