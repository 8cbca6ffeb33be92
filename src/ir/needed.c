/* SPDX-License-Identifier: Apache-2.0
 *
 * Which shared libraries does an executable load? The names are in its dynamic section; a file is
 * found for each in the loader's order: RPATH (when there is no RUNPATH), LD_LIBRARY_PATH, RUNPATH,
 * the system's folders; a file for another machine is passed over. The libraries that a library
 * needs count too when it carries bitcode; the system's own libraries are not followed further.
 * A library that is not found is left out: running the program says so better.
 */
#include "abi/bundle.h"
#include "ir/frames.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <glob.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What one file says about the libraries it needs. */
struct dynamic {
    struct base_strings names;
    char *rpath, *runpath; /* or NULL */
    char *origin;          /* the folder of the file */
    int machine;
    bool has_frames;
};

static void dynamic_done(struct dynamic *dynamic) {
    base_strings_done(&dynamic->names);
    free(dynamic->rpath);
    free(dynamic->runpath);
    free(dynamic->origin);
}

/* ---- reading ---- */

static void read_entries(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                         struct dynamic *dynamic) {
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Dyn entry;
    for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
        char **path = entry.d_tag == DT_RPATH     ? &dynamic->rpath
                      : entry.d_tag == DT_RUNPATH ? &dynamic->runpath
                                                  : NULL;
        if (!path && entry.d_tag != DT_NEEDED)
            continue;
        const char *text = elf_strptr(elf, header->sh_link, entry.d_un.d_val);
        if (text && !path)
            base_strings_add(&dynamic->names, text);
        else if (text && !*path)
            *path = base_strdup(text);
    }
}

static char *folder_of(const char *path) {
    char *real = realpath(path, NULL);
    const char *name = base_basename(real ? real : path);
    size_t length = (size_t)(name - (real ? real : path));
    char *folder =
        length ? base_format("%.*s", (int)length, real ? real : path) : base_strdup("./");
    free(real);
    return folder;
}

static bool read_elf(const char *path, Elf *elf, struct dynamic *dynamic) {
    GElf_Ehdr file;
    size_t names;
    if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &file))
        return false;
    dynamic->machine = file.e_machine;
    dynamic->origin = folder_of(path);
    if (elf_getshdrstrndx(elf, &names) != 0)
        return true;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            continue;
        const char *name = elf_strptr(elf, names, header.sh_name);
        if (header.sh_type == SHT_DYNAMIC)
            read_entries(elf, section, &header, dynamic);
        else if (name && strcmp(name, ABI_BUNDLE_SECTION) == 0)
            dynamic->has_frames = true;
    }
    return true;
}

static bool read_dynamic(const char *path, struct dynamic *dynamic) {
    *dynamic = (struct dynamic){0};
    elf_version(EV_CURRENT);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    bool good = elf && read_elf(path, elf, dynamic);
    elf_end(elf);
    close(fd);
    return good;
}

/* ---- searching ---- */

static bool fits(const char *path, int machine) {
    struct dynamic found;
    bool good = access(path, R_OK) == 0 && read_dynamic(path, &found);
    if (!good)
        return false;
    good = found.machine == machine;
    dynamic_done(&found);
    return good;
}

/* FOLDER (LENGTH characters) with $ORIGIN replaced, and NAME in it; the caller frees. */
static char *join(const char *folder, size_t length, const char *name, const char *origin) {
    static const char *const tokens[] = {"$ORIGIN", "${ORIGIN}"};
    struct base_buffer path = {0};
    for (size_t i = 0; i < length;) {
        size_t used = 0;
        for (size_t t = 0; t < BASE_COUNT(tokens) && !used; t++)
            if (strncmp(folder + i, tokens[t], strlen(tokens[t])) == 0)
                used = strlen(tokens[t]);
        if (used)
            base_buffer_print(&path, "%s", origin);
        else
            base_buffer_add(&path, folder + i, used = 1);
        i += used;
    }
    base_buffer_print(&path, "%s%s", length ? "/" : "", name);
    return path.data;
}

/* Looks in each folder of a colon-separated list (NULL: none); the caller frees. */
static char *find_in_list(const char *list, const char *name, const struct dynamic *from) {
    while (list && *list) {
        size_t length = strcspn(list, ":;");
        char *path = join(list, length, name, from->origin);
        if (fits(path, from->machine))
            return path;
        free(path);
        list += length + (list[length] != 0);
    }
    return NULL;
}

static char *find_in_system(const char *name, const struct dynamic *from) {
    static const char *const folders[] = {"/usr/local/lib/*-linux-gnu*",
                                          "/usr/local/lib",
                                          "/lib/*-linux-gnu*",
                                          "/usr/lib/*-linux-gnu*",
                                          "/lib64",
                                          "/usr/lib64",
                                          "/lib",
                                          "/usr/lib"};
    char *found = NULL;
    for (size_t i = 0; i < BASE_COUNT(folders) && !found; i++) {
        glob_t matches = {0};
        if (glob(folders[i], 0, NULL, &matches) == 0)
            for (size_t m = 0; m < matches.gl_pathc && !found; m++)
                found = find_in_list(matches.gl_pathv[m], name, from);
        globfree(&matches);
    }
    return found;
}

static char *find_library(const char *name, const struct dynamic *from) {
    if (strchr(name, '/'))
        return fits(name, from->machine) ? base_strdup(name) : NULL;
    char *path = from->runpath ? NULL : find_in_list(from->rpath, name, from);
    if (!path)
        path = find_in_list(getenv("LD_LIBRARY_PATH"), name, from);
    if (!path)
        path = find_in_list(from->runpath, name, from);
    return path ? path : find_in_system(name, from);
}

static bool is_known(const struct base_strings *paths, const char *path) {
    for (size_t i = 0; i < paths->count; i++)
        if (strcmp(paths->data[i], path) == 0)
            return true;
    return false;
}

static void add_libraries(const struct dynamic *from, struct base_strings *paths) {
    for (size_t i = 0; i < from->names.count; i++) {
        char *path = find_library(from->names.data[i], from);
        if (path && !is_known(paths, path))
            base_strings_add(paths, path);
        free(path);
    }
}

bool ir_needed_libraries(const char *path, struct base_strings *paths, struct base_error *error) {
    struct dynamic dynamic;
    if (access(path, R_OK) != 0)
        return base_fail(error, BASE_USAGE, "cannot read '%s': %s", path, strerror(errno));
    if (!read_dynamic(path, &dynamic))
        return base_fail(error, BASE_USAGE, "'%s' is not an executable (ELF)", path);
    size_t next = paths->count;
    add_libraries(&dynamic, paths);
    dynamic_done(&dynamic);
    for (; next < paths->count; next++) { /* grows while libraries with bitcode need others */
        if (read_dynamic(paths->data[next], &dynamic) && dynamic.has_frames)
            add_libraries(&dynamic, paths);
        dynamic_done(&dynamic);
    }
    return true;
}
