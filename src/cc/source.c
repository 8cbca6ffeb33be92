/* SPDX-License-Identifier: Apache-2.0
 *
 * How does a source become bitcode, and when is it the same as before? Its preprocessed text, with
 * all headers, names the bitcode in the cache.
 *
 * A search opens its target many times: for measuring, for following, for each worker. So this
 * process remembers which files a text came from, and asks clang again only when one of them has
 * changed.
 */
#include "cc/source.h"

#include "abi/bundle.h"
#include "cc/cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static const char clang_path[] = SLOWPATH_LLVM_BINDIR "/clang";

static const char *const bitcode_flags[] = {
    "-O1",      "-Xclang",           "-disable-llvm-passes", "-g",
    "-w",       "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=0",  "-fno-stack-protector",
    "-fno-lto", "-fno-sanitize=all"};

typedef BASE_VECTOR(const char *) word_list;

struct source {
    const char *path;
    word_list words; /* of the command, without what to do */
    char name[33];   /* the hash of both */
    char key[33];    /* and of the text */
};

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
}

static bool run_clang(const struct source *source, const char *const *rest, size_t count,
                      struct base_buffer *out, struct base_error *error) {
    word_list words = {0};
    for (size_t i = 0; i < source->words.count; i++)
        base_push(&words, source->words.data[i]);
    for (size_t i = 0; i < count; i++)
        base_push(&words, rest[i]);
    base_push(&words, NULL);
    int status = base_run(&(struct base_process){.argv = words.data, .out = out});
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

/* The file of a line `# 12 "file.h" 1`; the caller frees it. NULL: it is another line. */
static char *file_of_line(const char *line) {
    if (line[0] != '#' || line[1] != ' ')
        return NULL;
    line += 2 + strspn(line + 2, "0123456789");
    if (line[0] != ' ' || line[1] != '"' || line[2] == '<')
        return NULL;
    return base_format("%.*s", (int)strcspn(line + 2, "\"\n"), line + 2);
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

static void remember(const struct source *source, const char *text, const struct timespec *began) {
    struct known known = {0};
    struct base_map seen = {0};
    bool good = true;
    memcpy(known.name, source->name, sizeof known.name);
    memcpy(known.key, source->key, sizeof known.key);
    for (const char *line = text; good && line; line = strchr(line, '\n')) {
        line += *line == '\n';
        char *path = file_of_line(line);
        good = !path || add_part(&known, &seen, path, began);
    }
    base_map_done(&seen);
    if (!good) {
        forget(&known);
        return;
    }
    pthread_mutex_lock(&known_lock);
    base_push(&all_known, known);
    pthread_mutex_unlock(&known_lock);
}

/* ---- compiling ---- */

static bool find_key(struct source *source, struct base_error *error) {
    const char *const rest[] = {"-E", source->path};
    struct base_buffer text = {0};
    struct timespec began;
    if (recall(source))
        return true;
    clock_gettime(CLOCK_REALTIME_COARSE, &began); /* the clock of files */
    bool good = run_clang(source, rest, BASE_COUNT(rest), &text, error);
    if (good) {
        struct base_hash hash;
        base_buffer_add(&text, "", 0);
        base_hash_init(&hash);
        base_hash_add_text(&hash, source->name);
        base_hash_add(&hash, text.data, text.count);
        base_hash_done(&hash, source->key);
        remember(source, text.data, &began);
    }
    base_buffer_done(&text);
    return good;
}

static bool build(const struct source *source, struct cc_entry *entry, struct base_error *error) {
    char *folder = cc_cache_begin(error);
    if (!folder)
        return false;
    char *output = base_format("%s/source.bc", folder);
    const char *const rest[] = {"-emit-llvm", "-c", source->path, "-o", output};
    bool good = run_clang(source, rest, BASE_COUNT(rest), NULL, error);
    free(output);
    if (!good) {
        cc_cache_abandon(folder);
        return false;
    }
    return cc_cache_commit(folder, source->key, entry, error);
}

bool cc_add_source(const char *path, const char *const *cflags, size_t cflag_count,
                   struct ir_frames *frames, struct base_error *error) {
    struct cc_entry entry = {.lock = -1};
    struct source source;
    char *include = base_format("%s/include", base_install_prefix());
    source_init(&source, path, cflags, cflag_count, include);
    bool good = find_key(&source, error) &&
                (cc_cache_find(source.key, &entry) || build(&source, &entry, error));
    if (good) {
        struct ir_frame frame = {.kind = ABI_FRAME_BITCODE, .name = base_strdup(path)};
        char *file = base_format("%s/source.bc", entry.folder);
        good = base_read_file(file, &frame.data, &frame.size, error);
        base_push(frames, frame);
        free(file);
        cc_entry_done(&entry);
    }
    base_vector_done(&source.words);
    free(include);
    return good;
}
