/* SPDX-License-Identifier: Apache-2.0
 *
 * How does a source become bitcode, and when is it the same as before? Clang tells which files it
 * has read. A search opens its target many times (for measuring, for following, for each worker),
 * so this process remembers them, and asks clang again only when one of them has changed.
 *
 * Across processes, clang is always asked, and mostly for the bitcode itself: it takes hardly
 * longer than the preprocessed text of a small source. For a large one it does, so there the text,
 * with all headers, names the bitcode in the cache.
 */
#include "cc/source.h"

#include "abi/bundle.h"
#include "cc/cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
    word_list words; /* of the command, without what to do */
    char name[33];   /* the hash of both */
    char key[33];    /* and of the text, or of the bitcode when that is small */
    char large[33];  /* the entry that says that it is not */
};

static void make_key(const struct source *source, const void *content, size_t size, char key[33]) {
    struct base_hash hash;
    base_hash_init(&hash);
    base_hash_add_text(&hash, source->name);
    base_hash_add(&hash, content, size);
    base_hash_done(&hash, key);
}

static void source_init(struct source *source, const char *path, const char *const *cflags,
                        size_t cflag_count, const char *include) {
    struct base_hash hash;
    word_list *words = &source->words;
    *source = (struct source){.path = path};
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
    base_hash_done(&hash, source->name);
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

/* ---- what this process knows ---- */

struct part { /* a file that is in the text */
    char *path;
    struct stat status;
};
struct known {
    char name[33], key[33];
    BASE_VECTOR(struct part) parts;
};
static BASE_VECTOR(struct known) all_known;
static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_before(const struct timespec *a, const struct timespec *b) {
    return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

static bool is_same(const struct part *part) {
    struct stat now;
    const struct stat *then = &part->status;
    return stat(part->path, &now) == 0 && now.st_dev == then->st_dev &&
           now.st_ino == then->st_ino && now.st_size == then->st_size &&
           !is_before(&now.st_mtim, &then->st_mtim) && !is_before(&then->st_mtim, &now.st_mtim);
}

static void forget(struct known *known) {
    for (size_t i = 0; i < known->parts.count; i++)
        free(known->parts.data[i].path);
    base_vector_done(&known->parts);
}

static bool holds(const struct known *known) {
    for (size_t i = 0; i < known->parts.count; i++)
        if (!is_same(&known->parts.data[i]))
            return false;
    return true;
}

static bool recall(struct source *source) {
    bool found = false;
    pthread_mutex_lock(&known_lock);
    for (size_t i = 0; !found && i < all_known.count; i++) {
        struct known *known = &all_known.data[i];
        if (strcmp(known->name, source->name) != 0)
            continue;
        found = holds(known);
        if (found) {
            memcpy(source->key, known->key, sizeof source->key);
        } else {
            forget(known);
            *known = all_known.data[--all_known.count];
            break;
        }
    }
    pthread_mutex_unlock(&known_lock);
    return found;
}

/* The next name of a rule such as `a.o: a.c \\` newline ` b\ c.h`; the caller frees it. */
static char *next_name(const char **text) {
    struct base_buffer name = {0};
    const char *at = *text;
    while (*at == ' ' || *at == '\n' || (*at == '\\' && at[1] == '\n'))
        at++;
    for (; *at && *at != ' ' && *at != '\n'; at++) {
        if ((*at == '\\' && (at[1] == ' ' || at[1] == '#' || at[1] == '\\')) ||
            (*at == '$' && at[1] == '$'))
            at++;
        base_buffer_add(&name, at, 1);
    }
    *text = at;
    return name.data;
}

/* False: a file cannot be looked at, or has changed since BEGAN, perhaps while clang read it. */
static bool add_part(struct known *known, struct base_map *seen, char *path,
                     const struct timespec *began) {
    struct part part = {.path = path};
    if (base_map_get(seen, path) != BASE_MAP_NONE) {
        free(path);
        return true;
    }
    base_map_set(seen, path, 1);
    bool good = stat(path, &part.status) == 0 && is_before(&part.status.st_mtim, began);
    base_push(&known->parts, part);
    return good;
}

static bool add_parts(struct known *known, const char *rule, const struct timespec *began) {
    struct base_map seen = {0};
    bool good = true;
    rule += strcspn(rule, ":") + (*rule != 0);
    for (char *path; good && (path = next_name(&rule));)
        good = add_part(known, &seen, path, began);
    base_map_done(&seen);
    return good && known->parts.count;
}

/* FOLDER has the rule that clang wrote. */
static void remember(const struct source *source, const char *folder,
                     const struct timespec *began) {
    struct known known = {0};
    struct base_error error;
    char *path = base_format("%s/" RULE, folder), *rule = NULL;
    size_t size;
    memcpy(known.name, source->name, sizeof known.name);
    memcpy(known.key, source->key, sizeof known.key);
    bool good = base_read_file(path, &rule, &size, &error) && add_parts(&known, rule, began);
    free(rule);
    free(path);
    if (!good) {
        forget(&known);
        return;
    }
    pthread_mutex_lock(&known_lock);
    base_push(&all_known, known);
    pthread_mutex_unlock(&known_lock);
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
    if (good)
        remember(source, folder, &began);
    found = found || (good && !large && cc_cache_find(source->key, entry));
    if (!good || found) {
        cc_cache_abandon(folder);
        return good;
    }
    char *rule = base_format("%s/" RULE, folder);
    unlink(rule);
    free(rule);
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
    bool good =
        (recall(&source) && cc_cache_find(source.key, &entry)) || make(&source, &entry, error);
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
