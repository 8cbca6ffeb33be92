/* SPDX-License-Identifier: Apache-2.0
 *
 * Processes that want to build the same entry of the cache: one does, the others wait until it has,
 * or until nobody wants it any more.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cc/cache.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char *folder;

static int begin(void **state) {
    (void)state;
    folder = base_temp_dir();
    return setenv("SLOWPATH_CACHE", folder, 1);
}

static int end(void **state) {
    (void)state;
    base_remove_tree(folder);
    free(folder);
    return 0;
}

static void sleep_a_little(void) {
    const struct timespec moment = {.tv_nsec = 200000000};
    nanosleep(&moment, NULL);
}

/* A process whose turn it is; it leaves a mark just before it ends. */
static pid_t start_builder(const char *key, const char *mark) {
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (!child) {
        struct cc_turn turn;
        struct base_error error;
        cc_cache_take_turn(key, NULL, &turn);
        if (write(ready[1], "", 1) != 1)
            _exit(1);
        sleep_a_little();
        base_write_file(mark, "", 0, &error);
        cc_cache_end_turn(&turn);
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return child;
}

static void others_wait_for_the_builder(void **state) {
    char *mark = base_format("%s/mark", folder);
    struct cc_turn turn;
    (void)state;
    pid_t child = start_builder("some", mark);
    cc_cache_take_turn("another", NULL, &turn); /* has nothing to do with it */
    assert_true(turn.lock >= 0);
    assert_int_not_equal(access(mark, F_OK), 0);
    cc_cache_end_turn(&turn);
    cc_cache_take_turn("some", NULL, &turn);
    assert_int_equal(access(mark, F_OK), 0);
    cc_cache_end_turn(&turn);
    waitpid(child, NULL, 0);
    free(mark);
}

static void who_is_not_wanted_does_not_wait(void **state) {
    struct base_watch watch = {.is_unwanted = true};
    char *mark = base_format("%s/second", folder);
    struct cc_turn turn;
    (void)state;
    pid_t child = start_builder("some", mark);
    cc_cache_take_turn("some", &watch, &turn);
    assert_int_equal(turn.lock, -1);
    assert_int_not_equal(access(mark, F_OK), 0);
    cc_cache_end_turn(&turn);
    waitpid(child, NULL, 0);
    free(mark);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(others_wait_for_the_builder),
                                       cmocka_unit_test(who_is_not_wanted_does_not_wait)};
    return cmocka_run_group_tests(tests, begin, end);
}
