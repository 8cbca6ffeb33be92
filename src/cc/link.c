/* SPDX-License-Identifier: Apache-2.0
 *
 * How does a variant become an executable? Clang knows which files and folders of this system the
 * linker needs, but starting it takes as long as linking does. So it is asked once for the
 * linker's command, the recipe, which the cache keeps. When a recipe does not work any more, or
 * the target does not link at all, clang links, and its messages are told.
 */
#include "cc/link.h"

#include "cc/variant.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char clang_path[] = SLOWPATH_LLVM_BINDIR "/clang";
/* Most targets are small: starting the linker's threads would take a quarter of its time. */
static const char *const link_flags[] = {"-fuse-ld=lld", "-no-pie", "-Wl,-z,now,--threads=1"};
#define OUTPUT_MARK "slowpath-output"
#define INPUTS_MARK "--slowpath-inputs"

typedef BASE_VECTOR(const char *) word_list;

char *cc_runtime_file(const char *name) {
    return base_format("%s/lib/slowpath/%s", base_install_prefix(), name);
}

/* ---- the recipe ---- */

static struct base_strings recipe; /* the linker's words; empty: there is none */
static char recipe_key[33];

/* What clang looks at when it writes the command. */
static void make_recipe_key(void) {
    static const char *const variables[] = {"LIBRARY_PATH", "COMPILER_PATH", "CCC_OVERRIDE_OPTIONS",
                                            "PATH"};
    struct base_hash hash;
    struct stat clang = {0};
    base_hash_init(&hash);
    base_hash_add_text(&hash, "link " SLOWPATH_VERSION);
    base_hash_add_text(&hash, clang_path);
    if (stat(clang_path, &clang) == 0)
        base_hash_add(&hash, &clang.st_mtim, sizeof clang.st_mtim);
    for (size_t i = 0; i < BASE_COUNT(variables); i++) {
        const char *value = getenv(variables[i]);
        base_hash_add_text(&hash, value ? value : "");
    }
    base_hash_done(&hash, recipe_key);
}

/* The words of a line such as ` "/usr/bin/ld.lld" "-o" "a \"b\""`. */
static void split_command(const char *line, struct base_strings *words) {
    struct base_buffer word = {0};
    while ((line = strchr(line, '"'))) {
        base_buffer_add(&word, "", 0);
        word.count = 0;
        for (line++; *line && *line != '"'; line++) {
            line += *line == '\\' && line[1];
            base_buffer_add(&word, line, 1);
        }
        word.data[word.count] = 0;
        base_strings_add(words, word.data);
        line += *line == '"';
    }
    base_buffer_done(&word);
}

static bool has_word(const struct base_strings *words, const char *word) {
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->data[i], word) == 0)
            return true;
    return false;
}

/* The command is the last line that clang would run. */
static bool ask_clang(struct base_strings *words) {
    const char *const argv[] = {clang_path,    "-###", link_flags[0], link_flags[1],
                                link_flags[2], "-o",   OUTPUT_MARK,   "-Wl," INPUTS_MARK,
                                NULL};
    struct base_buffer text = {0};
    bool good = base_run(&(struct base_process){.argv = argv, .err = &text}) == 0;
    char *last = good ? strrchr(text.data, '\n') : NULL;
    if (last) {
        *last = 0;
        last = strrchr(text.data, '\n');
        split_command(last ? last : text.data, words);
    }
    base_buffer_done(&text);
    return has_word(words, OUTPUT_MARK) && has_word(words, INPUTS_MARK);
}

static bool read_recipe(struct base_strings *words) {
    struct cc_entry entry = {.lock = -1};
    struct base_error error;
    char *text, *state = NULL;
    size_t size;
    if (!cc_cache_find(recipe_key, &entry))
        return false;
    char *path = base_format("%s/recipe", entry.folder);
    bool good = base_read_file(path, &text, &size, &error);
    free(path);
    cc_entry_done(&entry);
    if (!good)
        return false;
    for (char *word = strtok_r(text, "\n", &state); word; word = strtok_r(NULL, "\n", &state))
        base_strings_add(words, word);
    free(text);
    return true;
}

static void keep_recipe(const struct base_strings *words) {
    struct base_error error;
    struct base_buffer text = {0};
    char *folder = cc_cache_begin(&error);
    if (!folder)
        return;
    for (size_t i = 0; i < words->count; i++)
        base_buffer_print(&text, "%s\n", words->data[i]);
    char *path = base_format("%s/recipe", folder);
    if (base_write_file(path, text.data, text.count, &error))
        cc_cache_keep(folder, recipe_key);
    else
        cc_cache_abandon(folder);
    base_buffer_done(&text);
    free(path);
}

static void find_recipe(void) {
    make_recipe_key();
    if (read_recipe(&recipe))
        return;
    if (ask_clang(&recipe))
        keep_recipe(&recipe);
    else
        base_strings_done(&recipe);
}

/* The next process asks clang again. */
static void forget_recipe(void) {
    struct cc_entry entry = {.lock = -1};
    if (!cc_cache_find(recipe_key, &entry))
        return;
    char *path = base_format("%s/recipe", entry.folder);
    unlink(path);
    free(path);
    cc_entry_done(&entry);
}

/* ---- linking ---- */

/* What the linker takes as clang does: files, and options that are whole. */
static bool are_plain(const struct base_strings *words) {
    for (size_t i = 0; i < words->count; i++)
        if (words->data[i][0] == '-' && strlen(words->data[i]) == 2)
            return false;
    return true;
}

static bool link_by_recipe(const word_list *inputs, const char *output) {
    word_list words = {0};
    struct base_buffer messages = {0};
    for (size_t i = 0; i < recipe.count; i++)
        if (strcmp(recipe.data[i], INPUTS_MARK) == 0)
            for (size_t k = 0; k < inputs->count; k++)
                base_push(&words, inputs->data[k]);
        else
            base_push(&words, strcmp(recipe.data[i], OUTPUT_MARK) == 0 ? output : recipe.data[i]);
    base_push(&words, NULL);
    struct base_process process = {.argv = words.data, .out = &messages, .err = &messages};
    bool good = base_run(&process) == 0;
    base_buffer_done(&messages);
    base_vector_done(&words);
    return good;
}

/* Options for the linker alone go there by way of clang. */
static bool link_by_clang(const word_list *inputs, const char *output, struct base_error *error) {
    word_list words = {0};
    struct base_buffer messages = {0};
    base_push(&words, clang_path);
    for (size_t i = 0; i < BASE_COUNT(link_flags); i++)
        base_push(&words, link_flags[i]);
    base_push(&words, "-o");
    base_push(&words, output);
    for (size_t i = 0; i < inputs->count; i++) {
        if (strncmp(inputs->data[i], "--", 2) == 0)
            base_push(&words, "-Xlinker");
        base_push(&words, inputs->data[i]);
    }
    base_push(&words, NULL);
    struct base_process process = {.argv = words.data, .err = &messages};
    bool good = base_run(&process) == 0;
    if (!good)
        base_fail(error, BASE_TARGET, "the target does not link:\n%.3000s",
                  messages.count ? messages.data : "(no message)");
    base_buffer_done(&messages);
    base_vector_done(&words);
    return good;
}

static bool link_words(const word_list *inputs, bool are_known, const char *output,
                       struct base_error *error) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_recipe);
    bool tries = are_known && recipe.count;
    if (tries && link_by_recipe(inputs, output))
        return true;
    if (!link_by_clang(inputs, output, error))
        return false;
    if (tries)
        forget_recipe();
    return true;
}

static bool link_into(const struct cc_variant *variant, bool with_driver, const char *folder,
                      struct base_error *error) {
    char *archive = cc_runtime_file("libruntime.a"), *output = base_format("%s/target", folder),
         *driver = base_format("%s/driver.o", folder);
    const char *const first[] = {variant->object, "--whole-archive", archive, "--no-whole-archive"},
                      *const last[] = {"-lm", "-lpthread", "-ldl"};
    word_list words = {0};
    for (size_t i = 0; i < BASE_COUNT(first); i++)
        base_push(&words, first[i]);
    if (with_driver)
        base_push(&words, driver);
    for (size_t i = 0; i < variant->link_with.count; i++)
        base_push(&words, variant->link_with.data[i]);
    for (size_t i = 0; i < BASE_COUNT(last); i++)
        base_push(&words, last[i]);
    bool good = link_words(&words, are_plain(&variant->link_with), output, error);
    base_vector_done(&words);
    free(archive);
    free(output);
    free(driver);
    return good;
}

/* The driver's object is in the executable, nobody needs it again. */
static bool build_into(const struct cc_variant *variant, const char *driver, const char *folder,
                       struct base_error *error) {
    char *object = base_format("%s/driver.o", folder);
    bool good = (!driver || cc_assemble_driver(driver, object, error)) &&
                link_into(variant, driver != NULL, folder, error);
    unlink(object);
    free(object);
    return good;
}

bool cc_link_variant(const struct cc_variant *variant, const char *driver, struct cc_entry *entry,
                     char **executable, struct base_error *error) {
    char key[33];
    struct base_hash hash;
    base_hash_init(&hash);
    base_hash_add_text(&hash, variant->key);
    base_hash_add_text(&hash, driver ? driver : "");
    for (size_t i = 0; i < variant->link_with.count; i++)
        base_hash_add_text(&hash, variant->link_with.data[i]);
    base_hash_done(&hash, key);
    if (!cc_cache_find(key, entry)) {
        char *folder = cc_cache_begin(error);
        if (!folder)
            return false;
        if (!build_into(variant, driver, folder, error)) {
            cc_cache_abandon(folder);
            return false;
        }
        if (!cc_cache_commit(folder, key, entry, error))
            return false;
    }
    *executable = base_format("%s/target", entry->folder);
    return true;
}
