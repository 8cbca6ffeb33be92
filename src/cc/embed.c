/* SPDX-License-Identifier: Apache-2.0
 *
 * What goes into an object beside its code? For a C source, its bitcode: the source is compiled
 * once more, with the user's options that decide what it means but always with the same
 * optimisation (none, though marked as optimisable) and debug information, so that analyses do
 * not depend on the user's -O. For an assembler source, the object itself. The frame's format is
 * abi/bundle.h, and objcopy puts it into the object.
 */
#include "cc/wrapper.h"

#define XXH_INLINE_ALL
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

/* The options that make bitcode. The preprocessor's come through -Wp, because clang puts those
 * after all others and so nothing of the user's can follow them. A precompiled header was made
 * with the user's -O, and is as good for ours. */
static const char *const bitcode_options[] = {"-O1",
                                              "-Xclang",
                                              "-disable-llvm-passes",
                                              "-Xclang",
                                              "-fno-validate-pch",
                                              "-g",
                                              "-w",
                                              "-Wno-error",
                                              "-fno-lto",
                                              "-fno-stack-protector",
                                              "-Wp,-U_FORTIFY_SOURCE,-D_FORTIFY_SOURCE=0",
                                              "-emit-llvm",
                                              "-c"};

static bool make_bitcode(const struct cc_call *call, const struct cc_input *input,
                         const char *output, const char *spool) {
    struct base_strings command = {0};
    base_strings_add(&command, cc_clang());
    if (cc_include_flag())
        base_strings_add(&command, cc_include_flag());
    for (size_t i = 0; i < call->kept.count; i++)
        base_strings_add(&command, call->kept.data[i]);
    for (size_t i = 0; i < BASE_COUNT(bitcode_options); i++)
        base_strings_add(&command, bitcode_options[i]);
    if (input->language) {
        base_strings_add(&command, "-x");
        base_strings_add(&command, input->language);
    }
    base_strings_add(&command, "-o");
    base_strings_add(&command, output);
    base_strings_add(&command, input->path);
    int status = cc_run(&command, spool, "/dev/null");
    base_strings_done(&command);
    return status == 0;
}

static bool write_frame(const char *path, enum abi_frame_kind kind, const char *name,
                        const char *data, size_t size, struct base_error *error) {
    struct abi_frame frame = {.kind = kind,
                              .name_size = (uint32_t)strlen(name),
                              .data_size = size,
                              .checksum = XXH3_64bits(data, size)};
    memcpy(frame.magic, ABI_BUNDLE_MAGIC, sizeof frame.magic);
    struct base_buffer buffer = {0};
    base_buffer_add(&buffer, &frame, sizeof frame);
    base_buffer_add(&buffer, name, frame.name_size);
    base_buffer_add(&buffer, data, size);
    bool good = base_write_file(path, buffer.data, buffer.count, error);
    base_buffer_done(&buffer);
    return good;
}

static bool add_section(const char *object, const char *content) {
    struct base_strings command = {0};
    char *section = base_format("--add-section=%s=%s", ABI_BUNDLE_SECTION, content);
    char *path = base_format("%s%s", object[0] == '-' ? "./" : "", object);
    base_strings_add(&command, SLOWPATH_LLVM_BINDIR "/llvm-objcopy");
    base_strings_add(&command, section);
    base_strings_add(&command, path);
    int status = cc_run(&command, NULL, "/dev/null");
    base_strings_done(&command);
    free(section);
    free(path);
    return status == 0;
}

bool cc_embed_frame(const char *object, enum abi_frame_kind kind, const char *name,
                    const char *data, struct base_error *error) {
    char *bytes;
    size_t size;
    if (!base_read_file(data, &bytes, &size, error))
        return false;
    char *frame = cc_temp_path("frame");
    bool good = write_frame(frame, kind, name, bytes, size, error);
    if (good && !add_section(object, frame))
        good = base_fail(error, BASE_USAGE, "llvm-objcopy cannot add a section to '%s'", object);
    unlink(frame);
    free(frame);
    free(bytes);
    return good;
}

/* An output such as /dev/null, or an object of a foreign format, is left alone. */
static bool is_elf(const char *path) {
    char magic[4] = "";
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    bool good = fread(magic, 1, 4, file) == 4 && memcmp(magic, "\177ELF", 4) == 0;
    fclose(file);
    return good;
}

void cc_embed_source(const struct cc_call *call, const struct cc_input *input, const char *object,
                     const char *spool) {
    if ((input->kind != CC_INPUT_C && input->kind != CC_INPUT_ASSEMBLER) || !is_elf(object))
        return;
    struct base_error error;
    bool good;
    if (input->kind == CC_INPUT_C) {
        char *bitcode = cc_temp_path("bitcode");
        good = make_bitcode(call, input, bitcode, spool) &&
               cc_embed_frame(object, ABI_FRAME_BITCODE, input->path, bitcode, &error);
        unlink(bitcode);
        free(bitcode);
    } else {
        good = cc_embed_frame(object, ABI_FRAME_OBJECT, input->path, object, &error);
    }
    if (!good)
        cc_say("warning", "no bitcode for %s", input->path);
}
