/* SPDX-License-Identifier: Apache-2.0
 *
 * Are frames found again, whatever a linker did to the section, and is damage noticed? The files
 * under test are made here with libelf, so that every byte of them is known.
 */
#include "abi/bundle.h"
#include "ir/frames.h"

#define XXH_INLINE_ALL
#include <fcntl.h>
#include <gelf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include <cmocka.h>

static char *folder;

static char *in_folder(const char *name) {
    return base_format("%s/%s", folder, name);
}

static int make_folder(void **state) {
    (void)state;
    folder = base_temp_dir();
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    base_remove_tree(folder);
    free(folder);
    return 0;
}

static void add_frame(struct base_buffer *section, const char *name, const char *data,
                      size_t size) {
    struct abi_frame frame = {.kind = ABI_FRAME_BITCODE,
                              .name_size = (uint32_t)strlen(name),
                              .data_size = size,
                              .checksum = XXH3_64bits(data, size)};
    memcpy(frame.magic, ABI_BUNDLE_MAGIC, sizeof frame.magic);
    base_buffer_add(section, &frame, sizeof frame);
    base_buffer_add(section, name, strlen(name));
    base_buffer_add(section, data, size);
}

/* Adds a section to an ELF file that is being written. */
static void add_section(Elf *elf, size_t name, void *data, size_t size, unsigned type) {
    Elf_Scn *section = elf_newscn(elf);
    Elf_Data *content = elf_newdata(section);
    GElf_Shdr header;
    content->d_buf = data;
    content->d_size = size;
    content->d_align = 1;
    assert_non_null(gelf_getshdr(section, &header));
    header.sh_name = (GElf_Word)name;
    header.sh_type = type;
    header.sh_addralign = 1;
    assert_true(gelf_update_shdr(section, &header));
}

/* A relocatable object whose only content is the bundle section. */
static void write_object(const char *path, struct base_buffer *section) {
    static char names[] = "\0" ABI_BUNDLE_SECTION "\0.shstrtab";
    elf_version(EV_CURRENT);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    Elf *elf = elf_begin(fd, ELF_C_WRITE, NULL);
    assert_non_null(elf);
    assert_non_null(gelf_newehdr(elf, ELFCLASS64));
    add_section(elf, 1, section->data, section->count, SHT_PROGBITS);
    add_section(elf, sizeof ABI_BUNDLE_SECTION + 1, names, sizeof names, SHT_STRTAB);
    GElf_Ehdr header;
    assert_non_null(gelf_getehdr(elf, &header));
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_REL;
    header.e_machine = EM_X86_64;
    header.e_version = EV_CURRENT;
    header.e_shstrndx = 2;
    assert_true(gelf_update_ehdr(elf, &header));
    assert_true(elf_update(elf, ELF_C_WRITE) > 0);
    elf_end(elf);
    close(fd);
}

/* Extracts from an object with this section; NAME becomes the file's name. */
static bool extract_section(const char *name, struct base_buffer *section, struct ir_frames *frames,
                            struct base_error *error) {
    char *path = in_folder(name);
    write_object(path, section);
    bool good = ir_extract(path, frames, error);
    free(path);
    return good;
}

static void assert_frame(const struct ir_frame *frame, const char *name, const char *data) {
    assert_int_equal(frame->kind, ABI_FRAME_BITCODE);
    assert_string_equal(frame->name, name);
    assert_int_equal(frame->size, strlen(data));
    assert_memory_equal(frame->data, data, frame->size);
}

static void one_frame(void **state) {
    (void)state;
    struct base_buffer section = {0};
    struct ir_frames frames = {0};
    struct base_error error;
    add_frame(&section, "src/a.c", "content", 7);
    assert_true(extract_section("one.o", &section, &frames, &error));
    assert_int_equal(frames.count, 1);
    assert_frame(&frames.data[0], "src/a.c", "content");
    ir_frames_done(&frames);
    base_buffer_done(&section);
}

/* Any amount of padding before, between and after, and frames without data or name. */
static void frames_with_padding(void **state) {
    (void)state;
    for (size_t padding = 0; padding <= 16; padding++) {
        static const char zeros[16];
        struct base_buffer section = {0};
        struct ir_frames frames = {0};
        struct base_error error;
        base_buffer_add(&section, zeros, padding);
        add_frame(&section, "a.c", "first", 5);
        base_buffer_add(&section, zeros, padding);
        add_frame(&section, "", "", 0);
        base_buffer_add(&section, zeros, padding);
        add_frame(&section, "b.c", "second", 6);
        base_buffer_add(&section, zeros, padding);
        assert_true(extract_section("padded.o", &section, &frames, &error));
        assert_int_equal(frames.count, 3);
        assert_frame(&frames.data[0], "a.c", "first");
        assert_frame(&frames.data[1], "", "");
        assert_frame(&frames.data[2], "b.c", "second");
        ir_frames_done(&frames);
        base_buffer_done(&section);
    }
}

static void no_frames_is_no_error(void **state) {
    (void)state;
    struct base_buffer section = {0};
    struct ir_frames frames = {0};
    struct base_error error;
    base_buffer_add(&section, "\0\0\0\0", 4);
    assert_true(extract_section("empty.o", &section, &frames, &error));
    assert_true(ir_extract("/proc/self/exe", &frames, &error));
    assert_int_equal(frames.count, 0);
    base_buffer_done(&section);
}

/* Every proper prefix of a section is either whole frames or an error, never a wrong frame. */
static void truncated_frames(void **state) {
    (void)state;
    struct base_buffer section = {0};
    add_frame(&section, "a.c", "first", 5);
    size_t first = section.count;
    add_frame(&section, "b.c", "second", 6);
    size_t whole = section.count;
    for (size_t length = 1; length < whole; length++) {
        struct ir_frames frames = {0};
        struct base_error error;
        section.count = length;
        bool good = extract_section("short.o", &section, &frames, &error);
        assert_int_equal(good, length == first);
        if (!good) {
            assert_int_equal(error.code, BASE_TARGET);
            assert_non_null(strstr(error.message, "short.o"));
        }
        ir_frames_done(&frames);
    }
    base_buffer_done(&section);
}

/* Every single changed bit in a frame is noticed, but for those of the name. */
static void corrupted_frames(void **state) {
    (void)state;
    struct base_buffer section = {0};
    add_frame(&section, "a.c", "content", 7);
    size_t name = sizeof(struct abi_frame);
    for (size_t bit = 0; bit < section.count * 8; bit++) {
        size_t byte = bit / 8;
        if (byte >= name && byte < name + 3)
            continue;
        struct ir_frames frames = {0};
        struct base_error error;
        section.data[byte] ^= (char)(1 << bit % 8);
        assert_false(extract_section("bad.o", &section, &frames, &error));
        assert_int_equal(error.code, BASE_TARGET);
        section.data[byte] ^= (char)(1 << bit % 8);
        ir_frames_done(&frames);
    }
    base_buffer_done(&section);
}

/* An archive of the two objects, made with the ar of this machine. */
static char *make_archive(const char *flags, const char *name) {
    struct base_buffer section = {0};
    char *first = in_folder("first_member_with_a_long_name.o"), *second = in_folder("second.o");
    char *path = in_folder(name);
    add_frame(&section, "a.c", "first", 5);
    write_object(first, &section);
    section.count = 0;
    add_frame(&section, "b.c", "second", 6);
    write_object(second, &section);
    const char *const argv[] = {"ar", flags, path, first, second, NULL};
    assert_int_equal(base_run(&(struct base_process){.argv = argv, .discard_err = true}), 0);
    base_buffer_done(&section);
    free(first);
    free(second);
    return path;
}

static void archives(void **state) {
    (void)state;
    static const char *const flags[] = {"rcs", "rcsT"};
    for (size_t i = 0; i < BASE_COUNT(flags); i++) {
        struct ir_frames frames = {0};
        struct base_error error;
        char *path = make_archive(flags[i], i ? "thin.a" : "fat.a");
        assert_true(ir_extract(path, &frames, &error));
        assert_int_equal(frames.count, 2);
        assert_frame(&frames.data[0], "a.c", "first");
        assert_frame(&frames.data[1], "b.c", "second");
        ir_frames_done(&frames);
        free(path);
    }
}

static void thin_archive_without_its_member(void **state) {
    (void)state;
    struct ir_frames frames = {0};
    struct base_error error;
    char *path = make_archive("rcsT", "lost.a"), *member = in_folder("second.o");
    unlink(member);
    assert_false(ir_extract(path, &frames, &error));
    assert_int_equal(error.code, BASE_USAGE);
    assert_non_null(strstr(error.message, "second.o"));
    ir_frames_done(&frames);
    free(member);
    free(path);
}

static void refuse(const char *path, const char *reason) {
    struct ir_frames frames = {0};
    struct base_error error;
    assert_false(ir_extract(path, &frames, &error));
    assert_int_equal(error.code, BASE_USAGE);
    assert_non_null(strstr(error.message, reason));
    assert_null(strchr(error.message, '\n'));
}

static void other_files(void **state) {
    (void)state;
    struct base_error error;
    char *text = in_folder("text"), *script = in_folder("prog"), *libs = in_folder(".libs");
    char *hidden = in_folder(".libs/prog"), *empty = in_folder("nothing");
    refuse(empty, "No such file");
    refuse(folder, "directory");
    assert_true(base_write_file(empty, "", 0, &error));
    refuse(empty, "ELF");
    assert_true(base_write_file(text, "int x;\n", 7, &error));
    refuse(text, "ELF");
    assert_true(base_write_file(script, "#!/bin/sh\n", 10, &error));
    refuse(script, "is a script");
    assert_true(base_make_dirs(libs, &error));
    assert_true(base_write_file(hidden, "", 0, &error));
    refuse(script, ".libs/prog");
    free(text), free(script), free(libs), free(hidden), free(empty);
}

static void needed_libraries(void **state) {
    (void)state;
    struct base_strings paths = {0};
    struct base_error error;
    assert_true(ir_needed_libraries("/proc/self/exe", &paths, &error));
    bool found = false;
    for (size_t i = 0; i < paths.count; i++) {
        assert_int_equal(access(paths.data[i], R_OK), 0);
        found |= strcmp(base_basename(paths.data[i]), "libc.so.6") == 0;
    }
    assert_true(found);
    base_strings_done(&paths);
    char *text = in_folder("text");
    assert_false(ir_needed_libraries(text, &paths, &error));
    assert_int_equal(error.code, BASE_USAGE);
    free(text);
}

static void run(const char *const *argv) {
    assert_int_equal(base_run(&(struct base_process){.argv = argv}), 0);
}

/* Links an empty shared library that needs NEEDS (or nothing) and looks beside itself. */
static void make_library(const char *output, const char *needs) {
    char *search = base_format("-L%s", folder);
    run((const char *const[]){SLOWPATH_LLVM_BINDIR "/clang", "-shared", "-nostdlib", "-x", "c",
                              "/dev/null", "-o", output, search, "-Wl,--no-as-needed",
                              "-Wl,-rpath,$ORIGIN", needs, NULL});
    free(search);
}

static bool needs(const char *path, const char *name) {
    struct base_strings paths = {0};
    struct base_error error;
    bool found = false;
    assert_true(ir_needed_libraries(path, &paths, &error));
    for (size_t i = 0; i < paths.count; i++)
        found |= strcmp(base_basename(paths.data[i]), name) == 0;
    base_strings_done(&paths);
    return found;
}

/* Found beside the file; followed further only through a library that carries bitcode. */
static void libraries_of_libraries(void **state) {
    (void)state;
    char *inner = in_folder("libinner.so"), *outer = in_folder("libouter.so");
    char *top = in_folder("libtop.so");
    make_library(inner, NULL);
    make_library(outer, "-linner");
    make_library(top, "-louter");
    assert_true(needs(top, "libouter.so"));
    assert_false(needs(top, "libinner.so"));
    char *section = base_format("--add-section=%s=%s", ABI_BUNDLE_SECTION, inner);
    run((const char *const[]){SLOWPATH_LLVM_BINDIR "/llvm-objcopy", section, outer, NULL});
    assert_true(needs(top, "libinner.so"));
    unlink(outer);
    assert_false(needs(top, "libouter.so"));
    free(section), free(inner), free(outer), free(top);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_frame),
        cmocka_unit_test(frames_with_padding),
        cmocka_unit_test(no_frames_is_no_error),
        cmocka_unit_test(truncated_frames),
        cmocka_unit_test(corrupted_frames),
        cmocka_unit_test(archives),
        cmocka_unit_test(thin_archive_without_its_member),
        cmocka_unit_test(other_files),
        cmocka_unit_test(needed_libraries),
        cmocka_unit_test(libraries_of_libraries),
    };
    return cmocka_run_group_tests_name("extract", tests, make_folder, remove_folder);
}
