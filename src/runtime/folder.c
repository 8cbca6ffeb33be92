/* SPDX-License-Identifier: Apache-2.0
 *
 * The folder of a run: the only place a confined target may write to. It is emptied between runs.
 * Temporary files that a program creates under names of its own in /tmp are redirected here, so it
 * finds them again and touches nobody else's files.
 *
 * Nothing here allocates: the server's heap is inherited by all its workers.
 */
#include "abi/own.h"
#include "runtime/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEEPEST 64
#define INPUT "input" /* of ABI_CHANNEL_FILE: it is written anew for each run */

/* ---- emptying ---- */

static bool is_tree(const struct dirent64 *item, int depth) {
    return depth == 0 && runtime.control->tree.objects &&
           strcmp(item->d_name, ABI_TREE_FOLDER) == 0 && item->d_type == DT_DIR;
}

/* Keeps the input, unless the run has put a folder or a link in its place. */
static bool is_kept(const struct dirent64 *item, int depth) {
    const char *name = item->d_name;
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || is_tree(item, depth) ||
           (depth == 0 && strcmp(name, INPUT) == 0 && item->d_type != DT_DIR &&
            item->d_type != DT_LNK);
}

static bool empty(int folder, int depth, bool only_look);

static void remove_item(int folder, const char *name, int depth) {
    if (unlinkat(folder, name, 0) == 0 || depth == DEEPEST)
        return;
    syscall(SYS_fchmodat, folder, name, ABI_OWN(0700));
    int inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0)
        return;
    empty(inner, depth + 1, false);
    close(inner);
    unlinkat(folder, name, AT_REMOVEDIR);
}

/* Empties a folder, or with ONLY_LOOK only checks whether it is empty. */
static bool empty(int folder, int depth, bool only_look) {
    char items[2048];
    bool found = false;
    for (long got; (got = syscall(SYS_getdents64, folder, items, sizeof items)) > 0;)
        for (long at = 0; at < got;) {
            const struct dirent64 *item = (const struct dirent64 *)(items + at);
            at += item->d_reclen;
            if (is_kept(item, depth))
                continue;
            found = true;
            if (!only_look)
                remove_item(folder, item->d_name, depth);
        }
    return found;
}

static bool visit_folder(bool only_look) {
    int folder = open(runtime.control->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return false;
    bool found = empty(folder, 0, only_look);
    close(folder);
    return found;
}

bool runtime_folder_is_used(void) {
    return visit_folder(true);
}

void runtime_folder_empty_tree(int root) {
    lseek(root, 0, SEEK_SET);
    empty(root, 1, false);
}

/* Removes the files of the input; the next run makes them anew. */
static void empty_tree(void) {
    char path[RUNTIME_PATH];
    runtime_tree_forget();
    snprintf(path, sizeof path, "%s/" ABI_TREE_FOLDER, runtime.control->folder);
    int root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return;
    runtime_folder_empty_tree(root);
    close(root);
}

void runtime_folder_empty(void) {
    visit_folder(false);
    if (runtime_tree_is_there())
        empty_tree();
}

/* ---- temporary files ---- */

/* The name of a file directly in a folder for temporary files, or NULL for any other path. */
static const char *temporary_name(const char *path) {
    static const char *const folders[] = {"/tmp/", "/var/tmp/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t length = strlen(folders[i]);
        if (strncmp(path, folders[i], length) == 0 && !strchr(path + length, '/'))
            return path + length;
    }
    return NULL;
}

/* A file that exists under that path already is used itself; it can only be read. */
const char *runtime_place(const char *path, char place[RUNTIME_PATH]) {
    const struct abi_control *control = runtime.control;
    const char *name = control && control->is_confined && path ? temporary_name(path) : NULL;
    if (!name || faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ||
        snprintf(place, RUNTIME_PATH, "%s/%s", control->folder, name) >= RUNTIME_PATH)
        return path;
    return place;
}

/* The file may be the process itself (/proc/self/mem), where writes ignore page protection. */
void runtime_note_writing(bool is_good) {
    runtime.made_file |= is_good;
    if (is_good)
        runtime_guard_open_all();
    if (!is_good && (errno == EACCES || errno == EROFS) && runtime.control->is_confined)
        runtime.control->denied++;
}
