/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a source the same as when clang compiled it last? Clang tells which files it has read. As long
 * as all of them are what they were (device, inode, size, time), and no file has appeared that an
 * #include would find before them, its answer would be the same. The second is checked for every
 * folder that is searched: those named by options and those of the files themselves.
 *
 * What only clang can tell is not remembered: options other than the usual ones (a response file, a
 * plug-in), and texts that ask for the time or whether a header exists.
 */
#include "cc/known.h"

#include "cc/cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LONGEST_TAIL 4 /* parts of a path that an #include may name */

struct known {
    char name[33], key[33], state[33];
    struct base_strings parts; /* the files that clang read */
};
static BASE_VECTOR(struct known) all_known;
static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;

static void forget(struct known *known) {
    base_strings_done(&known->parts);
}

/* ---- the state of all files that matter ---- */

static bool is_before(const struct timespec *a, const struct timespec *b) {
    return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

/* -I, -iquote, -isystem and -idirafter, with the folder behind them or as the next word. */
static const char *folder_of_option(const char *const *cflags, size_t count, size_t *at) {
    static const char *const options[] = {"-I", "-iquote", "-isystem", "-idirafter"};
    for (size_t i = 0; i < BASE_COUNT(options); i++) {
        size_t length = strlen(options[i]);
        if (strncmp(cflags[*at], options[i], length) != 0)
            continue;
        if (cflags[*at][length])
            return cflags[*at] + length;
        return *at + 1 < count ? cflags[++*at] : NULL;
    }
    return NULL;
}

static void add_folder(struct base_strings *folders, const char *path, size_t length) {
    for (size_t i = 0; i < folders->count; i++)
        if (strlen(folders->data[i]) == length && memcmp(folders->data[i], path, length) == 0)
            return;
    char *folder = base_format("%.*s", (int)length, path);
    base_strings_add(folders, folder);
    free(folder);
}

static void list_folders(const struct cc_source_name *name, const struct base_strings *parts,
                         struct base_strings *folders) {
    static const char local[] = "/usr/local/include"; /* comes before the system's */
    add_folder(folders, local, strlen(local));
    for (size_t i = 0; i < name->cflag_count; i++) {
        const char *folder = folder_of_option(name->cflags, name->cflag_count, &i);
        if (folder)
            add_folder(folders, folder, strlen(folder));
    }
    for (size_t i = 0; i < parts->count; i++) {
        const char *slash = strrchr(parts->data[i], '/');
        if (!slash)
            add_folder(folders, ".", 1);
        else
            add_folder(folders, parts->data[i], (size_t)(slash - parts->data[i]));
    }
}

static void add_status(struct base_hash *hash, const struct stat *status) {
    const uint64_t numbers[] = {status->st_dev, status->st_ino, (uint64_t)status->st_size,
                                (uint64_t)status->st_mtim.tv_sec,
                                (uint64_t)status->st_mtim.tv_nsec};
    base_hash_add(hash, numbers, sizeof numbers);
}

/* Other files that an #include of PATH might find, by all its tails in all folders. */
static void add_rivals(struct base_hash *hash, const char *path,
                       const struct base_strings *folders) {
    const char *tail = path + strlen(path);
    for (unsigned i = 0; i < LONGEST_TAIL && tail > path; i++) {
        for (tail--; tail > path && tail[-1] != '/';)
            tail--;
        for (size_t f = 0; f < folders->count; f++) {
            struct stat status;
            char *rival = base_format("%s/%s", folders->data[f], tail);
            if (stat(rival, &status) == 0 && S_ISREG(status.st_mode)) {
                base_hash_add_text(hash, rival);
                add_status(hash, &status);
            }
            free(rival);
        }
    }
}

/* False: a file cannot be looked at, or changed since BEGAN (when given), perhaps while clang read
 * it. */
static bool make_state(const struct cc_source_name *name, const struct base_strings *parts,
                       const struct timespec *began, char state[33]) {
    struct base_hash hash;
    struct base_strings folders = {0};
    bool good = parts->count > 0;
    list_folders(name, parts, &folders);
    base_hash_init(&hash);
    for (size_t i = 0; good && i < parts->count; i++) {
        struct stat status;
        good = stat(parts->data[i], &status) == 0 && (!began || is_before(&status.st_mtim, began));
        if (!good)
            break;
        add_status(&hash, &status);
        add_rivals(&hash, parts->data[i], &folders);
    }
    base_hash_done(&hash, state);
    base_strings_done(&folders);
    return good;
}

static bool holds(const struct cc_source_name *name, const struct known *known) {
    char state[33];
    return make_state(name, &known->parts, NULL, state) && strcmp(state, known->state) == 0;
}

/* ---- the rule that clang wrote ---- */

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

static void read_rule(const char *rule, struct base_strings *parts) {
    struct base_map seen = {0};
    rule += strcspn(rule, ":") + (*rule != 0);
    for (char *path; (path = next_name(&rule)); free(path)) {
        if (base_map_get(&seen, path) == BASE_MAP_NONE)
            base_strings_add(parts, path);
        base_map_set(&seen, path, 1);
    }
    base_map_done(&seen);
}

/* ---- what only clang can tell ---- */

/* In the process that asked, the time of the first answer is good enough. */
static bool asks_clang(const char *path) {
    static const char *const words[] = {"__DATE__",      "__TIME__",    "__TIMESTAMP__",
                                        "__has_include", "__has_embed", "#embed"};
    struct base_error error;
    char *text;
    size_t size;
    bool found = false;
    if (strncmp(path, "/usr/", 5) ==
        0) /* changes with its package, and so does what it looks for */
        return false;
    if (!base_read_file(path, &text, &size, &error))
        return true;
    for (size_t i = 0; !found && i < BASE_COUNT(words); i++)
        found = memmem(text, size, words[i], strlen(words[i])) != NULL;
    free(text);
    return found;
}

static bool is_usual_option(const char *option) {
    static const char *const usual[] = {"-D", "-U", "-O", "-g",    "-f",       "-m",       "-W",
                                        "-w", "-l", "-L", "-std=", "-pthread", "-pedantic"};
    static const char *const others[] = {"-fplugin", "-fmodule", "-fprofile", "-Wp,"};
    for (size_t i = 0; i < BASE_COUNT(others); i++)
        if (strncmp(option, others[i], strlen(others[i])) == 0)
            return false;
    for (size_t i = 0; i < BASE_COUNT(usual); i++)
        if (strncmp(option, usual[i], strlen(usual[i])) == 0)
            return true;
    return false;
}

static bool is_for_others(const struct cc_source_name *name, const struct base_strings *parts) {
    for (size_t i = 0; i < name->cflag_count; i++)
        if (!folder_of_option(name->cflags, name->cflag_count, &i) &&
            !is_usual_option(name->cflags[i]))
            return false;
    for (size_t i = 0; i < parts->count; i++)
        if (strchr(parts->data[i], '\n') || asks_clang(parts->data[i]))
            return false;
    return true;
}

/* ---- the cache: key, state, then a line for each file ---- */

static void entry_key(const struct cc_source_name *name, char key[33]) {
    static const char *const variables[] = {"CPATH", "C_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS",
                                            "COMPILER_PATH", "SOURCE_DATE_EPOCH"};
    struct base_hash hash;
    struct stat status = {0};
    char *folder = realpath(".", NULL);
    base_hash_init(&hash);
    base_hash_add_text(&hash, "known");
    base_hash_add_text(&hash, name->text);
    base_hash_add_text(&hash, folder ? folder : "");
    for (size_t i = 0; i < BASE_COUNT(variables); i++) {
        const char *value = getenv(variables[i]);
        base_hash_add_text(&hash, value ? value : "");
    }
    stat(SLOWPATH_LLVM_BINDIR "/clang", &status);
    add_status(&hash, &status);
    base_hash_done(&hash, key);
    free(folder);
}

static void write_known(const struct cc_source_name *name, const struct known *known) {
    char key[33];
    struct base_error error;
    struct base_buffer text = {0};
    char *folder = cc_cache_begin(&error);
    if (!folder)
        return;
    entry_key(name, key);
    base_buffer_print(&text, "%s\n%s\n", known->key, known->state);
    for (size_t i = 0; i < known->parts.count; i++)
        base_buffer_print(&text, "%s\n", known->parts.data[i]);
    char *path = base_format("%s/known", folder);
    cc_cache_drop(key); /* what was known before does not hold any more */
    if (base_write_file(path, text.data, text.count, &error))
        cc_cache_keep(folder, key);
    else
        cc_cache_abandon(folder);
    free(path);
    base_buffer_done(&text);
}

static bool parse_known(char *text, struct known *known) {
    char *rest = NULL, *key = strtok_r(text, "\n", &rest), *state = strtok_r(NULL, "\n", &rest);
    if (!key || !state || strlen(key) != 32 || strlen(state) != 32)
        return false;
    memcpy(known->key, key, sizeof known->key);
    memcpy(known->state, state, sizeof known->state);
    for (char *part; (part = strtok_r(NULL, "\n", &rest));)
        base_strings_add(&known->parts, part);
    return true;
}

static bool read_known(const struct cc_source_name *name, struct known *known) {
    struct cc_entry entry = {.lock = -1};
    struct base_error error;
    char key[33], *text = NULL;
    size_t size;
    entry_key(name, key);
    if (!cc_cache_find(key, &entry))
        return false;
    char *path = base_format("%s/known", entry.folder);
    bool good = base_read_file(path, &text, &size, &error) && parse_known(text, known);
    memcpy(known->name, name->text, sizeof known->name);
    free(text);
    free(path);
    cc_entry_done(&entry);
    return good;
}

/* ---- finding and keeping ---- */

/* With the lock. What does not hold any more is forgotten. */
static bool find_here(const struct cc_source_name *name, char key[33]) {
    for (size_t i = 0; i < all_known.count; i++) {
        struct known *known = &all_known.data[i];
        if (strcmp(known->name, name->text) != 0)
            continue;
        if (holds(name, known)) {
            memcpy(key, known->key, sizeof known->key);
            return true;
        }
        forget(known);
        *known = all_known.data[--all_known.count];
        break;
    }
    return false;
}

static void add_here(struct known *known) {
    pthread_mutex_lock(&known_lock);
    base_push(&all_known, *known);
    pthread_mutex_unlock(&known_lock);
}

bool cc_known_find(const struct cc_source_name *name, char key[33]) {
    struct known known = {0};
    pthread_mutex_lock(&known_lock);
    bool found = find_here(name, key);
    pthread_mutex_unlock(&known_lock);
    if (found)
        return true;
    if (!read_known(name, &known) || !holds(name, &known)) {
        forget(&known);
        return false;
    }
    memcpy(key, known.key, sizeof known.key);
    add_here(&known);
    return true;
}

void cc_known_keep(const struct cc_source_name *name, const char key[33], const char *rule,
                   const struct timespec *began) {
    struct known known = {0};
    struct base_error error;
    char *text = NULL;
    size_t size;
    memcpy(known.name, name->text, sizeof known.name);
    memcpy(known.key, key, sizeof known.key);
    if (base_read_file(rule, &text, &size, &error))
        read_rule(text, &known.parts);
    free(text);
    if (!make_state(name, &known.parts, began, known.state)) {
        forget(&known);
        return;
    }
    if (is_for_others(name, &known.parts))
        write_known(name, &known);
    add_here(&known);
}
