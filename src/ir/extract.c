/* SPDX-License-Identifier: Apache-2.0
 *
 * Which frames does a file carry? Objects, shared libraries and executables have them in one
 * section, one after the other, with zero bytes in between where a linker aligned them; an archive
 * has them in its members. Also, which shared libraries does an executable load: their frames are
 * part of the program too.
 *
 * A file without frames is no error. A frame whose length or checksum is wrong is: half a program
 * analysed would be worse than none.
 */
#include "abi/bundle.h"
#include "ir/frames.h"

#define XXH_INLINE_ALL
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

/* ---- frames in a section ---- */

/* Takes one frame from the SIZE bytes at DATA; returns how many it used, 0 if it is damaged. */
static size_t take_frame(const char *data, size_t size, struct ir_frames *frames) {
    struct abi_frame header;
    if (size < sizeof header)
        return 0;
    memcpy(&header, data, sizeof header);
    size_t rest = size - sizeof header;
    if (memcmp(header.magic, ABI_BUNDLE_MAGIC, sizeof header.magic) != 0 ||
        (header.kind != ABI_FRAME_BITCODE && header.kind != ABI_FRAME_OBJECT) ||
        header.name_size > rest || header.data_size > rest - header.name_size)
        return 0;
    const char *name = data + sizeof header, *content = name + header.name_size;
    if (XXH3_64bits(content, header.data_size) != header.checksum)
        return 0;
    struct ir_frame frame = {.kind = header.kind, .size = header.data_size};
    frame.name = base_alloc(header.name_size + 1);
    memcpy(frame.name, name, header.name_size);
    frame.data = base_alloc(frame.size + 1);
    memcpy(frame.data, content, frame.size);
    base_push(frames, frame);
    return sizeof header + header.name_size + header.data_size;
}

static bool take_section(const char *path, const char *data, size_t size, struct ir_frames *frames,
                         struct base_error *error) {
    for (size_t at = 0; at < size;) {
        if (data[at] == 0) { /* padding: a frame begins with its magic */
            at++;
            continue;
        }
        size_t used = take_frame(data + at, size - at, frames);
        if (!used)
            return base_fail(error, BASE_TARGET,
                             "'%s' carries damaged bitcode (section %s, byte %zu): build it again",
                             path, ABI_BUNDLE_SECTION, at);
        at += used;
    }
    return true;
}

/* ---- sections in a file ---- */

static bool take_elf(const char *path, Elf *elf, struct ir_frames *frames,
                     struct base_error *error) {
    size_t names;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return true; /* without section headers (fully stripped) there are no frames */
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            continue;
        const char *name = elf_strptr(elf, names, header.sh_name);
        if (!name || strcmp(name, ABI_BUNDLE_SECTION) != 0 || header.sh_type == SHT_NOBITS)
            continue;
        Elf_Data *data = elf_rawdata(section, NULL);
        if (!data)
            return base_fail(error, BASE_TARGET, "'%s' is truncated: build it again", path);
        if (!take_section(path, data->d_buf, data->d_size, frames, error))
            return false;
    }
    return true;
}

/* Every member that is an object; the symbol table and others are skipped. */
static bool take_archive(const char *path, int fd, Elf *archive, struct ir_frames *frames,
                         struct base_error *error) {
    bool good = true;
    Elf_Cmd command = ELF_C_READ;
    for (Elf *member; good && (member = elf_begin(fd, command, archive));) {
        if (elf_kind(member) == ELF_K_ELF) {
            Elf_Arhdr *header = elf_getarhdr(member);
            char *name =
                base_format("%s(%s)", path, header && header->ar_name ? header->ar_name : "?");
            good = take_elf(name, member, frames, error);
            free(name);
        }
        command = elf_next(member);
        elf_end(member);
    }
    return good;
}

/* ---- thin archives: only names; libelf does not know them ---- */

#define THIN_MAGIC "!<thin>\n"
enum { MEMBER_HEADER = 60, MEMBER_NAME = 16, MEMBER_SIZE_AT = 48 };

/* The member's name: `name/` short, or `/OFFSET` into the table of long names. The caller frees. */
static char *thin_name(const char *header, const char *table, size_t table_size) {
    if (header[0] != '/')
        return base_format("%.*s", (int)strcspn(header, "/ "), header);
    size_t offset = strtoul(header + 1, NULL, 10);
    if (header[1] < '0' || header[1] > '9' || offset >= table_size)
        return NULL;
    size_t length = 0; /* names may hold slashes: `/\n` ends one */
    while (offset + length < table_size && table[offset + length] != '\n')
        length++;
    if (length && table[offset + length - 1] == '/')
        length--;
    return base_format("%.*s", (int)length, table + offset);
}

/* Members lie beside the archive; names are relative to its folder. */
static bool take_thin_member(const char *archive, const char *name, struct ir_frames *frames,
                             struct base_error *error) {
    int folder = name[0] == '/' ? 0 : (int)(base_basename(archive) - archive);
    char *path = base_format("%.*s%s", folder, archive, name);
    bool good = ir_extract(path, frames, error);
    free(path);
    return good;
}

static bool take_thin(const char *path, struct ir_frames *frames, struct base_error *error) {
    char *text;
    size_t size, table_size = 0;
    if (!base_read_file(path, &text, &size, error))
        return false;
    const char *table = NULL;
    bool good = true;
    for (size_t at = strlen(THIN_MAGIC); good && at + MEMBER_HEADER <= size;) {
        const char *header = text + at;
        size_t length = strtoul(header + MEMBER_SIZE_AT, NULL, 10);
        bool is_table = strncmp(header, "// ", 3) == 0;
        bool is_symbols = strncmp(header, "/ ", 2) == 0 || strncmp(header, "/SYM64/", 7) == 0;
        at += MEMBER_HEADER;
        if (is_table && length <= size - at) {
            table = text + at;
            table_size = length;
        }
        if (is_table || is_symbols) { /* the only members with content of their own */
            at += length + (length & 1);
            continue;
        }
        char *name = thin_name(header, table, table_size);
        good = name ? take_thin_member(path, name, frames, error)
                    : base_fail(error, BASE_USAGE, "'%s' is a damaged thin archive", path);
        free(name);
    }
    free(text);
    return good;
}

/* ---- files ---- */

static bool refuse(const char *path, const char *start, struct base_error *error) {
    const char *name = base_basename(path);
    if (strncmp(start, "#!", 2) == 0) {
        char *hidden = base_format("%.*s.libs/%s", (int)(name - path), path, name);
        bool is_libtool = access(hidden, R_OK) == 0;
        if (is_libtool)
            base_fail(error, BASE_USAGE, "'%s' is a libtool script: use '%s'", path, hidden);
        else
            base_fail(error, BASE_USAGE,
                      "'%s' is a script: give the executable that slowpath-cc made", path);
        free(hidden);
        return false;
    }
    return base_fail(error, BASE_USAGE,
                     "'%s' is not an object, archive or executable (ELF) made by slowpath-cc",
                     path);
}

static bool open_elf(const char *path, int *fd, Elf **elf, struct base_error *error) {
    elf_version(EV_CURRENT);
    *fd = open(path, O_RDONLY | O_CLOEXEC);
    if (*fd < 0 || base_is_directory(path)) {
        base_fail(error, BASE_USAGE, "cannot read '%s': %s", path,
                  strerror(*fd < 0 ? errno : EISDIR));
        if (*fd >= 0)
            close(*fd);
        return false;
    }
    *elf = elf_begin(*fd, ELF_C_READ_MMAP, NULL);
    if (*elf)
        return true;
    close(*fd);
    return base_fail(error, BASE_USAGE, "cannot read '%s': %s", path, elf_errmsg(-1));
}

bool ir_extract(const char *path, struct ir_frames *frames, struct base_error *error) {
    int fd;
    Elf *elf;
    if (!open_elf(path, &fd, &elf, error))
        return false;
    char start[9] = "";
    bool good;
    if (elf_kind(elf) == ELF_K_ELF)
        good = take_elf(path, elf, frames, error);
    else if (elf_kind(elf) == ELF_K_AR)
        good = take_archive(path, fd, elf, frames, error);
    else if (pread(fd, start, 8, 0) == 8 && strcmp(start, THIN_MAGIC) == 0)
        good = take_thin(path, frames, error);
    else
        good = refuse(path, start, error);
    elf_end(elf);
    close(fd);
    return good;
}

void ir_frames_done(struct ir_frames *frames) {
    for (size_t i = 0; i < frames->count; i++) {
        free(frames->data[i].name);
        free(frames->data[i].data);
    }
    base_vector_done(frames);
}
