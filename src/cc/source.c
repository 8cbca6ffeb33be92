/* SPDX-License-Identifier: Apache-2.0
 *
 * How does a source become bitcode? A search opens its target many times (for measuring, for
 * following, for each worker), and users run many searches, so clang is asked only when a file that
 * it read has changed (known.c).
 *
 * It is mostly asked for the bitcode itself: that takes hardly longer than the preprocessed text of
 * a small source. For a large one it does, so there the text, with all headers, names the bitcode
 * in the cache.
 */
#include "cc/source.h"

#include "abi/bundle.h"
#include "cc/cache.h"
#include "cc/known.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LARGE_BITCODE ((size_t)256 << 10) /* bytes: compiling takes several times the start */

static const char clang_path[] = SLOWPATH_LLVM_BINDIR "/clang";

static const char *const bitcode_flags[] = {
    "-O1",      "-Xclang",           "-disable-llvm-passes", "-g",
    "-w",       "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=0",  "-fno-stack-protector",
    "-fno-lto", "-fno-sanitize=all"};

#define RULE "source.d"

typedef BASE_VECTOR(const char *) word_list;

struct source {
    const char *path;
    word_list words;            /* of the command, without what to do */
    struct cc_source_name name; /* the hash of both */
    char key[33];               /* and of the text, or of the bitcode when that is small */
    char large[33];             /* the entry that says that it is not */
};

static void make_key(const struct source *source, const void *content, size_t size, char key[33]) {
    struct base_hash hash;
    base_hash_init(&hash);
    base_hash_add_text(&hash, source->name.text);
    base_hash_add(&hash, content, size);
    base_hash_done(&hash, key);
}

static void source_init(struct source *source, const char *path, const char *const *cflags,
                        size_t cflag_count, const char *include) {
    struct base_hash hash;
    word_list *words = &source->words;
    *source = (struct source){.path = path, .name = {.cflags = cflags, .cflag_count = cflag_count}};
    base_push(words, clang_path);
    for (size_t i = 0; i < cflag_count; i++)
        base_push(words, cflags[i]);
    for (size_t i = 0; i < BASE_COUNT(bitcode_flags); i++)
        base_push(words, bitcode_flags[i]);
    base_push(words, "-idirafter");
    base_push(words, include);
    base_push(words, "-Qunused-arguments");
    base_hash_init(&hash);
    base_hash_add_text(&hash, "bitcode " SLOWPATH_VERSION);
    for (size_t i = 1; i < words->count; i++)
        base_hash_add_text(&hash, words->data[i]);
    base_hash_add_text(&hash, path);
    base_hash_done(&hash, source->name.text);
    make_key(source, "large", 5, source->large);
}

/* Leaves in FOLDER a rule with the files that were read. */
static bool run_clang(const struct source *source, const char *folder, const char *const *rest,
                      size_t count, struct base_buffer *out, struct base_error *error) {
    word_list words = {0};
    char *rule = base_format("%s/" RULE, folder);
    const char *const tell[] = {"-MD", "-MT", "source", "-MF", rule};
    for (size_t i = 0; i < source->words.count; i++)
        base_push(&words, source->words.data[i]);
    for (size_t i = 0; i < BASE_COUNT(tell); i++)
        base_push(&words, tell[i]);
    for (size_t i = 0; i < count; i++)
        base_push(&words, rest[i]);
    base_push(&words, NULL);
    int status = base_run(&(struct base_process){.argv = words.data, .out = out});
    free(rule);
    base_vector_done(&words);
    return status == 0 || base_fail(error, BASE_TARGET, "'%s' does not compile", source->path);
}

/* ---- compiling ---- */

static bool compile_into(const char *folder, const struct source *source,
                         struct base_error *error) {
    char *output = base_format("%s/source.bc", folder);
    const char *const rest[] = {"-emit-llvm", "-c", source->path, "-o", output};
    bool good = run_clang(source, folder, rest, BASE_COUNT(rest), NULL, error);
    free(output);
    return good;
}

/* The text of a large source names its bitcode. */
static bool find_key(struct source *source, const char *folder, struct base_error *error) {
    const char *const rest[] = {"-E", source->path};
    struct base_buffer text = {0};
    bool good = run_clang(source, folder, rest, BASE_COUNT(rest), &text, error);
    if (good)
        make_key(source, text.data, text.count, source->key);
    base_buffer_done(&text);
    return good;
}

static bool read_bitcode(const char *folder, struct ir_frame *frame, struct base_error *error) {
    char *path = base_format("%s/source.bc", folder);
    bool good = base_read_file(path, &frame->data, &frame->size, error);
    free(path);
    return good;
}

/* The next process asks for the text of this source before it compiles it. */
static void call_large(const struct source *source) {
    struct base_error error;
    char *folder = cc_cache_begin(&error);
    if (!folder)
        return;
    char *path = base_format("%s/large", folder);
    if (base_write_file(path, source->path, strlen(source->path), &error))
        cc_cache_keep(folder, source->large);
    else
        cc_cache_abandon(folder);
    free(path);
}

static bool is_large(const struct source *source) {
    struct cc_entry entry = {.lock = -1};
    bool found = cc_cache_find(source->large, &entry);
    cc_entry_done(&entry);
    return found;
}

static bool name_bitcode(struct source *source, const char *folder, struct base_error *error) {
    struct ir_frame frame = {0};
    if (!read_bitcode(folder, &frame, error))
        return false;
    bool large = frame.size >= LARGE_BITCODE, good = true;
    if (large) {
        call_large(source);
        good = find_key(source, folder, error);
    } else {
        make_key(source, frame.data, frame.size, source->key);
    }
    free(frame.data);
    return good;
}

/* Finds or makes the entry; what it needs in between lies in FOLDER, which it uses up. */
static bool make_in(char *folder, struct source *source, struct cc_entry *entry,
                    struct base_error *error) {
    struct timespec began;
    clock_gettime(CLOCK_REALTIME_COARSE, &began); /* the clock of files */
    bool large = is_large(source), good = !large || find_key(source, folder, error);
    bool found = good && large && cc_cache_find(source->key, entry);
    if (good && !found)
        good =
            compile_into(folder, source, error) && (large || name_bitcode(source, folder, error));
    char *rule = base_format("%s/" RULE, folder);
    if (good)
        cc_known_keep(&source->name, source->key, rule, &began);
    unlink(rule);
    free(rule);
    found = found || (good && !large && cc_cache_find(source->key, entry));
    if (!good || found) {
        cc_cache_abandon(folder);
        return good;
    }
    return cc_cache_commit(folder, source->key, entry, error);
}

static bool make(struct source *source, struct cc_entry *entry, struct base_error *error) {
    char *folder = cc_cache_begin(error);
    return folder && make_in(folder, source, entry, error);
}

bool cc_add_source(const char *path, const char *const *cflags, size_t cflag_count,
                   struct ir_frames *frames, struct base_error *error) {
    struct cc_entry entry = {.lock = -1};
    struct source source;
    char *include = base_format("%s/include", base_install_prefix());
    source_init(&source, path, cflags, cflag_count, include);
    bool good = (cc_known_find(&source.name, source.key) && cc_cache_find(source.key, &entry)) ||
                make(&source, &entry, error);
    if (good) {
        struct ir_frame frame = {.kind = ABI_FRAME_BITCODE, .name = base_strdup(path)};
        good = read_bitcode(entry.folder, &frame, error);
        base_push(frames, frame);
        cc_entry_done(&entry);
    }
    base_vector_done(&source.words);
    free(include);
    return good;
}
