/* SPDX-License-Identifier: Apache-2.0
 *
 * Sources as bitcode: clang is asked once, and again when the file, a header or an option differs.
 */
#include "cc/source.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static char *folder;

static int make_folder(void **state) {
    (void)state;
    folder = base_temp_dir();
    char *cache = base_format("%s/cache", folder);
    setenv("SLOWPATH_CACHE", cache, 1);
    free(cache);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    base_remove_tree(folder);
    free(folder);
    return 0;
}

/* What changes while clang may read it is not remembered, so a tick of the clock goes by. */
static void write_text(const char *name, const char *text) {
    struct base_error error = {0};
    char *path = base_format("%s/%s", folder, name);
    assert_true(base_write_file(path, text, strlen(text), &error));
    free(path);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

static long faults_of_children(void) {
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return usage.ru_minflt;
}

/* Gives whether a process was started for it. */
static bool compile(const char *flag, struct ir_frames *frames) {
    struct base_error error = {0};
    char *path = base_format("%s/a.c", folder);
    long before = faults_of_children();
    assert_true(cc_add_source(path, &flag, flag != NULL, frames, &error));
    free(path);
    return faults_of_children() != before;
}

static bool are_same(const struct ir_frames *frames, size_t a, size_t b) {
    const struct ir_frame *x = &frames->data[a], *y = &frames->data[b];
    return x->size == y->size && memcmp(x->data, y->data, x->size) == 0;
}

static void test_once(void **state) {
    (void)state;
    struct ir_frames frames = {0};
    write_text("a.h", "#define TWO 2\n");
    write_text("a.c", "#include \"a.h\"\nint f(void) { return TWO; }\n");
    assert_true(compile(NULL, &frames));
    assert_false(compile(NULL, &frames));
    assert_true(are_same(&frames, 0, 1));
    write_text("a.h", "#define TWO 3\n"); /* as long as before */
    assert_true(compile(NULL, &frames));
    assert_false(are_same(&frames, 1, 2));
    write_text("a.c", "#include \"a.h\"\nint f(void) { return -TWO; }\n");
    assert_true(compile(NULL, &frames));
    assert_false(are_same(&frames, 2, 3));
    assert_false(compile(NULL, &frames));
    assert_true(compile("-DMORE", &frames));
    assert_false(compile("-DMORE", &frames));
    ir_frames_done(&frames);
}

/* Names with what make's rules escape. */
static void test_names(void **state) {
    (void)state;
    struct ir_frames frames = {0};
    write_text("a b#$c.h", "#define TWO 2\n");
    write_text("a.c", "#include \"a b#$c.h\"\nint f(void) { return TWO; }\n");
    assert_true(compile(NULL, &frames));
    assert_false(compile(NULL, &frames));
    write_text("a b#$c.h", "#define TWO 3\n");
    assert_true(compile(NULL, &frames));
    assert_false(are_same(&frames, 1, 2));
    ir_frames_done(&frames);
}

static unsigned count_entries(void) {
    char *path = base_format("%s/cache", folder);
    unsigned count = 0;
    DIR *entries = opendir(path);
    for (struct dirent *entry; (entry = readdir(entries));)
        count += entry->d_name[0] != '.';
    closedir(entries);
    free(path);
    return count;
}

/* In a process that knows nothing yet, twice: is clang asked the first time? */
static void compile_elsewhere(const char *flag, bool asks) {
    int status = 1;
    pid_t child = fork();
    if (child == 0) {
        struct ir_frames frames = {0};
        bool good =
            compile(flag, &frames) == asks && !compile(flag, &frames) && are_same(&frames, 0, 1);
        ir_frames_done(&frames);
        _exit(good ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* A large source is kept under the name of its text, beside what is known of it. */
static void test_large(void **state) {
    (void)state;
    struct base_buffer text = {0};
    base_buffer_print(&text, "char digits[] = \"");
    for (unsigned i = 0; i < 100000; i++)
        base_buffer_print(&text, "%u", 1000 + i % 9000);
    base_buffer_print(&text, "\";\n");
    write_text("a.c", text.data);
    unsigned entries = count_entries();
    compile_elsewhere(NULL, true);
    assert_int_equal(count_entries(), entries + 2); /* the bitcode, and that it is large */
    compile_elsewhere(NULL, false);
    write_text("a.c", text.data); /* as before, but written again: its text is asked for */
    compile_elsewhere(NULL, true);
    compile_elsewhere(NULL, false);
    assert_int_equal(count_entries(), entries + 2);
    base_buffer_done(&text);
}

/* Another process need not ask clang, unless a file has changed or one has come before it. */
static void test_elsewhere(void **state) {
    (void)state;
    char *sub = base_format("%s/sub", folder), *flag = base_format("-I%s", sub);
    struct base_error error;
    assert_true(base_make_dirs(sub, &error));
    write_text("sub/b.h", "#define TWO 2\n");
    write_text("a.c", "#include \"b.h\"\n#include <stdio.h>\nint f(void) { return TWO; }\n");
    compile_elsewhere(flag, true);
    compile_elsewhere(flag, false);
    write_text("sub/b.h", "#define TWO 3\n");
    compile_elsewhere(flag, true);
    compile_elsewhere(flag, false);
    write_text("other.h", "#define TWO 4\n"); /* nobody asks for it */
    compile_elsewhere(flag, false);
    write_text("b.h", "#define TWO 4\n"); /* found before the other */
    compile_elsewhere(flag, true);
    compile_elsewhere(flag, false);
    write_text("sub/stdio.h", "#define THREE 3\n"); /* hides the system's */
    compile_elsewhere(flag, true);
    compile_elsewhere(flag, false);
    setenv("CPATH", sub, 1);
    compile_elsewhere(flag, true);
    compile_elsewhere(flag, false);
    unsetenv("CPATH");
    compile_elsewhere(flag, false);
    free(flag);
    free(sub);
}

/* What only clang can tell is asked again. */
static void test_unknown(void **state) {
    (void)state;
    write_text("a.c", "int f(void) { return 1; }\n");
    compile_elsewhere("-DMORE=2", true);
    compile_elsewhere("-DMORE=2", false);
    compile_elsewhere("--include-directory=.", true);
    compile_elsewhere("--include-directory=.", true);
    write_text("a.c", "const char *f(void) { return __TIME__; }\n");
    compile_elsewhere(NULL, true);
    compile_elsewhere(NULL, true);
}

static void test_broken(void **state) {
    (void)state;
    struct ir_frames frames = {0};
    struct base_error error = {0};
    char *path = base_format("%s/none.c", folder);
    assert_false(cc_add_source(path, NULL, 0, &frames, &error));
    assert_non_null(strstr(error.message, "does not compile"));
    ir_frames_done(&frames);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_once),    cmocka_unit_test(test_names),
        cmocka_unit_test(test_large),   cmocka_unit_test(test_elsewhere),
        cmocka_unit_test(test_unknown), cmocka_unit_test(test_broken)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
