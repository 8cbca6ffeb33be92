/* SPDX-License-Identifier: Apache-2.0
 *
 * How is a summary stored? As a header of readable lines, then the paths as they lie in memory, and
 * a hash of everything. Loaded data is trusted no more than what a target leaves behind: sizes are
 * checked here, traces where they are read.
 */
#include "compose/library.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

#define MAGIC "slowpath summary"
#define SUFFIX ".summary"
#define MOST_PATHS 4096
#define HASH_BYTES 33

/* ---- places ---- */

char *compose_library_folder(void) {
    const char *own = getenv("SLOWPATH_LIBRARY"), *cache = getenv("SLOWPATH_CACHE");
    const char *user = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (own && *own)
        return base_strdup(own);
    if (cache && *cache)
        return base_format("%s.summaries", cache);
    return user && *user ? base_format("%s/slowpath-summaries", user)
                         : base_format("%s/.cache/slowpath-summaries", home ? home : "/tmp");
}

static char *path_of(const char *folder, const char *key) {
    return base_format("%s/%s" SUFFIX, folder, key);
}

/* ---- writing ---- */

static void put(struct base_buffer *out, const void *data, size_t size) {
    base_buffer_add(out, data, size);
}

static void write_path(struct base_buffer *out, const struct compose_path *path, uint64_t bytes) {
    uint64_t sizes[] = {path->output_bytes, path->trace_size, path->conjunct_count};
    put(out, &path->weight, sizeof path->weight);
    put(out, sizes, sizeof sizes);
    put(out, path->input, bytes);
    put(out, path->losses, path->conjunct_count * sizeof *path->losses);
    put(out, path->trace, path->trace_size);
}

static void write_head(struct base_buffer *out, const struct compose_summary *summary) {
    base_buffer_print(out, MAGIC "\nversion " SLOWPATH_VERSION " %u %u\nkey %s\ncommand %s\n",
                      ABI_VERSION, MEASURE_COUNTERS, summary->key, summary->command);
    base_buffer_print(
        out, "measure %s\nbytes %" PRIu64 "\nseconds %.3f\ngiven %.3f\ncomplete %d\npaths %zu\n\n",
        summary->measure, summary->bytes, summary->seconds, summary->given, summary->is_complete,
        summary->paths.count);
}

static void hash_bytes(const void *data, size_t size, char text[HASH_BYTES]) {
    struct base_hash hash;
    base_hash_init(&hash);
    base_hash_add(&hash, data, size);
    base_hash_done(&hash, text);
}

/* ---- reading ---- */

struct reader {
    const char *at, *end;
};

static bool get(struct reader *reader, void *to, size_t size) {
    if ((size_t)(reader->end - reader->at) < size)
        return false;
    memcpy(to, reader->at, size);
    reader->at += size;
    return true;
}

static void *get_copy(struct reader *reader, uint64_t size) {
    if ((uint64_t)(reader->end - reader->at) < size)
        return NULL;
    void *copy = base_alloc(size + 1);
    get(reader, copy, size);
    return copy;
}

/* Reads "NAME VALUE\n" and returns the value, which the caller frees; NULL: the line differs. */
static char *get_line(struct reader *reader, const char *name) {
    size_t length = strlen(name);
    const char *end = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
    if (!end || strncmp(reader->at, name, length) != 0 || reader->at[length] != ' ')
        return NULL;
    char *value =
        base_format("%.*s", (int)(end - reader->at - (long)length - 1), reader->at + length + 1);
    reader->at = end + 1;
    return value;
}

static bool get_number(struct reader *reader, const char *name, double *number) {
    char *text = get_line(reader, name), *end;
    if (!text)
        return false;
    *number = strtod(text, &end);
    bool good = end != text && !*end && *number >= 0;
    free(text);
    return good;
}

static bool read_path(struct reader *reader, uint64_t bytes, struct compose_path *path) {
    uint64_t sizes[3];
    if (!get(reader, &path->weight, sizeof path->weight) || !get(reader, sizes, sizeof sizes) ||
        sizes[2] > ABI_TRACE_MAX_EVENTS)
        return false;
    path->output_bytes = sizes[0];
    path->trace_size = sizes[1];
    path->conjunct_count = (uint32_t)sizes[2];
    path->input = get_copy(reader, bytes);
    path->losses = path->input ? get_copy(reader, sizes[2] * sizeof *path->losses) : NULL;
    path->trace = path->losses ? get_copy(reader, sizes[1]) : NULL;
    return path->trace != NULL;
}

static bool read_head(struct reader *reader, struct compose_summary *summary, size_t *paths) {
    double bytes, complete, count;
    char *key = get_line(reader, "key");
    bool good = key && strlen(key) == sizeof summary->key - 1;
    if (good)
        memcpy(summary->key, key, sizeof summary->key);
    free(key);
    if (!good || !(summary->command = get_line(reader, "command")) ||
        !(summary->measure = get_line(reader, "measure")) || !get_number(reader, "bytes", &bytes) ||
        !get_number(reader, "seconds", &summary->seconds) ||
        !get_number(reader, "given", &summary->given) ||
        !get_number(reader, "complete", &complete) || !get_number(reader, "paths", &count) ||
        bytes > EXPR_MAX_OFFSET || count > MOST_PATHS || reader->at == reader->end ||
        *reader->at != '\n')
        return false;
    reader->at++;
    summary->bytes = (uint64_t)bytes;
    summary->is_complete = complete > 0;
    *paths = (size_t)count;
    return true;
}

/* The reason why it cannot be used; NULL: it is fine. */
static const char *parse(const char *data, size_t size, struct compose_summary *summary) {
    struct reader reader = {data, data + size};
    char hash[HASH_BYTES];
    size_t paths = 0;
    if (size < sizeof MAGIC + HASH_BYTES || memcmp(data, MAGIC "\n", sizeof MAGIC) != 0)
        return "is not a summary";
    reader.at += sizeof MAGIC;
    char *wanted = base_format(SLOWPATH_VERSION " %u %u", ABI_VERSION, MEASURE_COUNTERS);
    char *version = get_line(&reader, "version");
    bool is_ours = version && strcmp(version, wanted) == 0;
    free(wanted);
    free(version);
    if (!is_ours)
        return "was made by another version of slowpath";
    reader.end -= HASH_BYTES;
    hash_bytes(data, size - HASH_BYTES, hash);
    if (memcmp(hash, reader.end, HASH_BYTES) != 0 || !read_head(&reader, summary, &paths))
        return "is damaged";
    for (size_t i = 0; i < paths; i++) {
        struct compose_path path = {0};
        if (!read_path(&reader, summary->bytes, &path)) {
            compose_path_done(&path);
            return "is damaged";
        }
        base_push(&summary->paths, path);
    }
    return NULL;
}

static const char *load(const char *path, struct compose_summary *summary) {
    struct base_error error;
    char *data;
    size_t size;
    *summary = (struct compose_summary){0};
    if (!base_read_file(path, &data, &size, &error))
        return "cannot be read";
    const char *damage = parse(data, size, summary);
    free(data);
    if (damage)
        compose_summary_done(summary);
    return damage;
}

bool compose_library_find(const char *folder, const char *key, struct compose_summary *summary) {
    char *path = path_of(folder, key);
    const char *damage = access(path, F_OK) == 0 ? load(path, summary) : "";
    if (!damage && strcmp(summary->key, key) != 0) {
        compose_summary_done(summary);
        damage = "is of something else";
    }
    if (damage && *damage)
        base_warn("'%s' %s: the summary is made anew", path, damage);
    if (!damage) {
        summary->is_found = true;
        utime(path, NULL); /* mark it as recently used */
    }
    free(path);
    return !damage;
}

/* ---- limiting the size ---- */

struct file {
    char *path;
    uint64_t size;
    time_t used;
};
struct files {
    struct file *data;
    size_t count, capacity;
};

static bool is_summary(const char *name) {
    size_t length = strlen(name), suffix = strlen(SUFFIX);
    return length > suffix && strcmp(name + length - suffix, SUFFIX) == 0;
}

static int by_use(const void *a, const void *b) {
    const struct file *x = a, *y = b;
    return x->used != y->used ? (x->used < y->used ? -1 : 1) : strcmp(x->path, y->path);
}

static void list_files(const char *folder, struct files *files) {
    DIR *stream = opendir(folder);
    struct dirent *entry;
    struct stat status;
    while (stream && (entry = readdir(stream))) {
        if (!is_summary(entry->d_name))
            continue;
        char *path = base_format("%s/%s", folder, entry->d_name);
        if (stat(path, &status) == 0)
            base_push(files, (struct file){path, (uint64_t)status.st_size, status.st_mtime});
        else
            free(path);
    }
    if (stream)
        closedir(stream);
    if (files->count)
        qsort(files->data, files->count, sizeof *files->data, by_use);
}

static void files_done(struct files *files) {
    for (size_t i = 0; i < files->count; i++)
        free(files->data[i].path);
    base_vector_done(files);
}

/* Another process may delete the same files; processes that are reading one have it open. */
static void make_room(const char *folder) {
    struct files files = {0};
    uint64_t sum = 0;
    list_files(folder, &files);
    for (size_t i = 0; i < files.count; i++)
        sum += files.data[i].size;
    for (size_t i = 0; i < files.count && sum > COMPOSE_LIBRARY_BYTES; i++) {
        unlink(files.data[i].path);
        sum -= files.data[i].size;
    }
    files_done(&files);
}

void compose_library_write(const struct compose_summary *summary, struct base_buffer *out) {
    char hash[HASH_BYTES];
    size_t begin = out->count;
    write_head(out, summary);
    for (size_t i = 0; i < summary->paths.count; i++)
        write_path(out, &summary->paths.data[i], summary->bytes);
    hash_bytes(out->data + begin, out->count - begin, hash);
    put(out, hash, sizeof hash);
}

bool compose_library_read(const char *data, size_t size, struct compose_summary *summary) {
    *summary = (struct compose_summary){0};
    bool good = !parse(data, size, summary);
    if (!good)
        compose_summary_done(summary);
    return good;
}

void compose_library_keep(const char *folder, const struct compose_summary *summary) {
    struct base_buffer out = {0};
    struct base_error error;
    char *path = path_of(folder, summary->key);
    compose_library_write(summary, &out);
    if (out.count > COMPOSE_LIBRARY_BYTES / 4)
        base_warn("the summary of '%s' is too large to be kept", summary->command);
    else if (!base_make_dirs(folder, &error) || !base_write_file(path, out.data, out.count, &error))
        base_warn("the summary of '%s' is not kept: %s", summary->command, error.message);
    make_room(folder);
    base_buffer_done(&out);
    free(path);
}

/* ---- listing ---- */

static const char *key_of(const struct file *file) {
    return base_basename(file->path);
}

void compose_library_list(const char *folder, FILE *out) {
    struct files files = {0};
    list_files(folder, &files);
    fprintf(out, "%-12s  %8s  %6s  %15s  %s\n", "key", "bytes", "paths", "heaviest", "command");
    for (size_t i = files.count; i-- > 0;) {
        struct compose_summary summary;
        const char *damage = load(files.data[i].path, &summary);
        fprintf(out, "%-12.12s  ", key_of(&files.data[i]));
        if (damage)
            fprintf(out, "%s\n", damage);
        else
            fprintf(out, "%8" PRIu64 "  %6zu  %15.15g  %s\n", summary.bytes, summary.paths.count,
                    summary.paths.count ? summary.paths.data[0].weight : 0, summary.command);
        if (!damage)
            compose_summary_done(&summary);
    }
    fprintf(out, "%zu summaries in %s\n", files.count, folder);
    files_done(&files);
}

static void show(const struct compose_summary *summary, FILE *out) {
    fprintf(out, "%s on %" PRIu64 " bytes, by %s: made in %.2f s%s\n", summary->command,
            summary->bytes, summary->measure, summary->seconds,
            summary->is_complete ? ", every path" : "");
    fprintf(out, "%5s  %15s  %9s  %8s  %s\n", "path", summary->measure, "conjuncts", "written",
            "input");
    for (size_t i = 0; i < summary->paths.count; i++) {
        const struct compose_path *path = &summary->paths.data[i];
        fprintf(out, "%5zu  %15.15g  %9u  %8" PRIu64 "  \"", i + 1, path->weight,
                path->conjunct_count, path->output_bytes);
        for (uint64_t k = 0; k < summary->bytes && k < 40; k++)
            fprintf(out, path->input[k] >= ' ' && path->input[k] < 127 ? "%c" : "\\%03o",
                    path->input[k]);
        fprintf(out, "\"%s\n", summary->bytes > 40 ? "..." : "");
    }
}

bool compose_library_show(const char *folder, const char *key, FILE *out,
                          struct base_error *error) {
    struct files files = {0};
    size_t found = 0;
    list_files(folder, &files);
    for (size_t i = 0; i < files.count; i++) {
        struct compose_summary summary;
        if (strncmp(key_of(&files.data[i]), key, strlen(key)) != 0)
            continue;
        const char *damage = load(files.data[i].path, &summary);
        if (damage)
            fprintf(out, "'%s' %s\n", files.data[i].path, damage);
        else {
            show(&summary, out);
            compose_summary_done(&summary);
        }
        found++;
    }
    files_done(&files);
    return found || base_fail(error, BASE_USAGE,
                              "the library has no summary '%s'; --library list names them", key);
}

bool compose_library_drop(const char *folder, const char *key, size_t *dropped,
                          struct base_error *error) {
    struct files files = {0};
    *dropped = 0;
    list_files(folder, &files);
    for (size_t i = 0; i < files.count; i++)
        if ((!key || strncmp(key_of(&files.data[i]), key, strlen(key)) == 0) &&
            unlink(files.data[i].path) == 0)
            ++*dropped;
    files_done(&files);
    return *dropped || !key ||
           base_fail(error, BASE_USAGE,
                     "the library has no summary '%s'; --library list names them", key);
}
