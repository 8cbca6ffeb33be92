/* SPDX-License-Identifier: Apache-2.0
 *
 * How does the driver of an entry become code? It is compiled to bitcode once: the symbolic variant
 * instruments it, the others take it as it is. Starting clang takes longer than its work on so
 * short a text, so the object is made from the bitcode by LLVM in a copy of this process.
 */
#include "cc/builder.h"
#include "cc/link.h"
#include "instrument/instrument.h"

#include <stdlib.h>
#include <string.h>

/* What clang says of an assumption is the user's mistake: one line. */
static bool fail_driver(const char *messages, struct base_error *error) {
    static const char option[] = "--assume:", word[] = "error: ";
    const char *at = strncmp(messages, option, strlen(option)) == 0 ? strstr(messages, word) : NULL;
    if (!at)
        return base_fail(error, BASE_TARGET, "the entry's driver does not compile: %.1000s",
                         *messages ? messages : "(no message)");
    at += strlen(word);
    return base_fail(error, BASE_USAGE,
                     "--assume: %.*s; write C over the parameters of the entry, such as 'n > 0'",
                     (int)strcspn(at, "\n"), at);
}

static bool compile_into(const char *source, const char *folder, struct base_error *error) {
    char *text = base_format("%s/driver.c", folder), *bitcode = base_format("%s/driver.bc", folder);
    const char *const argv[] = {
        SLOWPATH_LLVM_BINDIR "/clang", "-O1", "-w", "-emit-llvm", "-c", text, "-o", bitcode, NULL};
    struct base_buffer messages = {0};
    struct base_process process = {.argv = argv, .err = &messages};
    bool good = base_write_file(text, source, strlen(source), error);
    if (good && base_run(&process) != 0)
        good = fail_driver(messages.count ? messages.data : "", error);
    base_buffer_done(&messages);
    free(text);
    free(bitcode);
    return good;
}

bool cc_compile_driver(const char *source, struct cc_entry *entry, char **path,
                       struct base_error *error) {
    struct base_hash hash;
    char key[33];
    base_hash_init(&hash);
    base_hash_add_text(&hash, "driver " SLOWPATH_VERSION);
    base_hash_add_text(&hash, source);
    base_hash_done(&hash, key);
    if (!cc_cache_find(key, entry)) {
        char *folder = cc_cache_begin(error);
        if (!folder)
            return false;
        if (!compile_into(source, folder, error)) {
            cc_cache_abandon(folder);
            return false;
        }
        if (!cc_cache_commit(folder, key, entry, error))
            return false;
    }
    *path = base_format("%s/driver.bc", entry->folder);
    return true;
}

struct assembly {
    const char *bitcode, *object;
};

static bool assemble(void *context, struct cc_reporter *reporter, struct base_error *error) {
    const struct assembly *assembly = context;
    (void)reporter;
    return instrument_assemble(assembly->bitcode, assembly->object, error);
}

bool cc_assemble_driver(const char *source, const char *object, struct base_error *error) {
    struct cc_entry entry = {.lock = -1};
    char *bitcode;
    if (!cc_compile_driver(source, &entry, &bitcode, error))
        return false;
    struct assembly assembly = {bitcode, object};
    bool good = cc_run_builder(assemble, &assembly, "driver", NULL, error);
    cc_entry_done(&entry);
    free(bitcode);
    return good;
}
