/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a sequence of calls misuse? A build with address and undefined-behaviour sanitizers tells.
 * Sources are compiled with both. Of binaries there is bitcode, from before any checks were added:
 * its functions are marked for the address sanitizer, which adds its checks late; those for
 * undefined behaviour come with the source alone.
 */
#include "cc/checked.h"

#include "abi/bundle.h"
#include "ir/module.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char clang_path[] = SLOWPATH_LLVM_BINDIR "/clang";
static const char *const check_flags[] = {
    "-g",
    "-O1",
    "-w",
    "-fno-omit-frame-pointer",
    "-fno-lto",
    "-fsanitize=address,undefined",
    "-fno-sanitize=function,alignment",
    "-fno-sanitize-recover=all",
    "-U_FORTIFY_SOURCE",
    "-Qunused-arguments",
};

struct command {
    const char **data;
    size_t count, capacity;
};

/* FAILS says what does not work. */
static bool run(struct command *command, const char *fails, struct base_error *error) {
    struct base_buffer messages = {0};
    base_push(command, NULL);
    struct base_process process = {.argv = command->data, .out = &messages, .err = &messages};
    bool good = base_run(&process) == 0;
    if (!good)
        base_fail(error, BASE_TARGET, "%s:\n%.3000s", fails,
                  messages.count ? messages.data : "(no message)");
    base_buffer_done(&messages);
    base_vector_done(command);
    return good;
}

static void begin(struct command *command, const struct cc_checked *wanted) {
    base_push(command, clang_path);
    for (size_t i = 0; i < wanted->cflag_count; i++)
        base_push(command, wanted->cflags[i]);
}

static void add_checks(struct command *command) {
    for (size_t i = 0; i < BASE_COUNT(check_flags); i++)
        base_push(command, check_flags[i]);
}

static bool finish_compiling(struct command *begun, const char *source, const char *object,
                             const char *fails, struct base_error *error) {
    struct command command = *begun;
    char *include = base_format("-idirafter%s/include", base_install_prefix());
    const char *const rest[] = {include, "-c", source, "-o", object};
    for (size_t i = 0; i < BASE_COUNT(rest); i++)
        base_push(&command, rest[i]);
    bool good = run(&command, fails, error);
    free(include);
    return good;
}

static bool compile(const struct cc_checked *wanted, const char *source, const char *object,
                    struct base_error *error) {
    struct command command = {0};
    begin(&command, wanted);
    add_checks(&command);
    char *fails = base_format("'%s' does not compile with sanitizers", source);
    bool good = finish_compiling(&command, source, object, fails, error);
    free(fails);
    return good;
}

/* What calls the library is not checked itself: it is long, and compiling it with checks took most
 * of the time. */
static bool compile_main(const struct cc_checked *wanted, const char *source, const char *object,
                         struct base_error *error) {
    struct command command = {0};
    begin(&command, wanted);
    base_push(&command, "-O0");
    base_push(&command, "-g0");
    base_push(&command, "-w");
    base_push(&command, "-fno-lto");
    return finish_compiling(&command, source, object,
                            "calls of the library do not compile with its headers", error);
}

static void mark(LLVMModuleRef module) {
    static const char name[] = "sanitize_address";
    unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof name - 1);
    LLVMAttributeRef attribute = LLVMCreateEnumAttribute(LLVMGetModuleContext(module), kind, 0);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}

static bool write_marked(const struct ir_frame *frame, const char *path, struct base_error *error) {
    LLVMContextRef context = LLVMContextCreate();
    LLVMMemoryBufferRef bytes =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(frame->data, frame->size, frame->name);
    LLVMModuleRef module;
    bool good = !LLVMParseBitcodeInContext2(context, bytes, &module);
    LLVMDisposeMemoryBuffer(bytes);
    if (good) {
        mark(module);
        good = LLVMWriteBitcodeToFile(module, path) == 0;
        LLVMDisposeModule(module);
    }
    LLVMContextDispose(context);
    return good || base_fail(error, BASE_TARGET, "'%s': its bitcode cannot be read", frame->name);
}

static bool take_frame(const struct cc_checked *wanted, const struct ir_frame *frame,
                       const char *stem, struct base_strings *objects, struct base_error *error) {
    char *object = base_format("%s.o", stem), *bitcode = base_format("%s.bc", stem);
    bool good =
        access(object, R_OK) == 0 ||
        (frame->kind == ABI_FRAME_BITCODE
             ? write_marked(frame, bitcode, error) && compile(wanted, bitcode, object, error)
             : base_write_file(object, frame->data, frame->size, error));
    base_strings_add(objects, object);
    free(object);
    free(bitcode);
    return good;
}

static bool take_binary(const struct cc_checked *wanted, size_t number,
                        struct base_strings *objects, struct base_error *error) {
    struct ir_frames frames = {0};
    bool good = ir_extract(wanted->paths[number], &frames, error);
    for (size_t i = 0; good && i < frames.count; i++) {
        char *stem = base_format("%s/checked-%zu-%zu", wanted->folder, number, i);
        good = take_frame(wanted, &frames.data[i], stem, objects, error);
        free(stem);
    }
    ir_frames_done(&frames);
    return good;
}

static bool take_source(const struct cc_checked *wanted, size_t number,
                        struct base_strings *objects, struct base_error *error) {
    char *object = base_format("%s/checked-%zu.o", wanted->folder, number);
    bool good = access(object, R_OK) == 0 || compile(wanted, wanted->paths[number], object, error);
    base_strings_add(objects, object);
    free(object);
    return good;
}

/* What the binaries became, kept as one list: they are looked at once. */
static bool take_all(const struct cc_checked *wanted, struct base_strings *objects,
                     struct base_error *error) {
    for (size_t i = 0; i < wanted->path_count; i++) {
        size_t length = strlen(wanted->paths[i]);
        bool is_source = length > 2 && strcmp(wanted->paths[i] + length - 2, ".c") == 0;
        if (!(is_source ? take_source(wanted, i, objects, error)
                        : take_binary(wanted, i, objects, error)))
            return false;
    }
    return true;
}

static bool link_all(const struct cc_checked *wanted, const struct base_strings *objects,
                     const char *main, struct base_error *error) {
    struct command command = {0};
    begin(&command, wanted);
    add_checks(&command);
    base_push(&command, "-fuse-ld=lld");
    base_push(&command, main);
    for (size_t i = 0; i < objects->count; i++)
        base_push(&command, objects->data[i]);
    const char *const rest[] = {"-lm", "-lpthread", "-ldl", "-o", wanted->output};
    for (size_t i = 0; i < BASE_COUNT(rest); i++)
        base_push(&command, rest[i]);
    return run(&command, "the build with sanitizers does not link", error);
}

bool cc_build_checked(const struct cc_checked *wanted, struct base_error *error) {
    struct base_strings objects = {0};
    char *source = base_format("%s/checked-main.c", wanted->folder),
         *object = base_format("%s/checked-main.o", wanted->folder);
    bool good = base_write_file(source, wanted->main, strlen(wanted->main), error) &&
                compile_main(wanted, source, object, error) && take_all(wanted, &objects, error) &&
                link_all(wanted, &objects, object, error);
    base_strings_done(&objects);
    free(source);
    free(object);
    return good;
}
