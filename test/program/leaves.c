/* SPDX-License-Identifier: Apache-2.0
 *
 * What a run leaves in its process hits no other: timers, handlers, blocked signals, children (also
 * one in a session of its own), threads, the working folder, the environment, limits, the standard
 * streams. An input x calls trap() if it sees anything of them.
 *
 * RUN: for c in a b c d e f g h i j k l m n o; do printf $c >in-${c}1; printf x >in-${c}2; done
 * RUN: %slowpath measure %s --cflags -pthread in-* --json json >table; %check <table
 * CHECK: in-a1 ok
 * CHECK-NEXT: in-a2 ok
 * CHECK-NOT: {{crash|timeout}}
 * CHECK: in-o1 ok
 * CHECK-NEXT: in-o2 ok
 * RUN: grep '"deterministic": true' json
 * RUN: if pgrep -f slowpath_leaves_child >/dev/null 2>&1; then echo "a child is left" >&2; exit 1; fi
 *
 * Where nothing is left, the worker stays.
 * RUN: printf y >y; printf z >z; %slowpath measure %s --cflags -pthread y z --json json >table; grep '"restarts": 0' json
 */
#include <fcntl.h>
#include <getopt.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void check(int condition) {
    if (!condition)
        __builtin_trap();
}

static void *wait_long(void *nothing) {
    sleep(3600);
    return nothing;
}

static void on_signal(int number) {
    (void)number;
}

static void expect_fresh(void) {
    struct itimerval timer;
    struct sigaction action;
    struct rlimit files;
    struct stat tasks;
    sigset_t blocked;
    char folder[4096];
    getitimer(ITIMER_REAL, &timer);
    check(!timer.it_value.tv_sec && !timer.it_value.tv_usec);
    usleep(30000); /* a timer of an earlier run would end this one */
    check(sigaction(SIGUSR2, NULL, &action) == 0 && action.sa_handler == SIG_DFL);
    check(sigprocmask(SIG_BLOCK, NULL, &blocked) == 0 && !sigismember(&blocked, SIGINT));
    check(waitpid(-1, NULL, WNOHANG) < 0);
    check(stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink == 3);
    check(getcwd(folder, sizeof folder) && strcmp(folder, "/") != 0);
    check(!getenv("SLOWPATH_TEST_SEEN"));
    check(getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur != 50);
    check(umask(022) != 0777 && optind == 1);
    check(fcntl(STDOUT_FILENO, F_GETFD) >= 0);
    check(strcmp(setlocale(LC_ALL, NULL), "C") == 0);
}

static void start_child(int apart) {
    if (fork())
        return;
    if (apart)
        setsid();
    execlp("sleep", "slowpath_leaves_child", "3600", (char *)NULL);
    _exit(1);
}

static void start_timer(void) {
    struct itimerval soon = {.it_value = {.tv_usec = 10000}};
    setitimer(ITIMER_REAL, &soon, NULL);
}

static void start_posix_timer(void) {
    timer_t timer;
    struct itimerspec soon = {.it_value = {.tv_nsec = 10000000}};
    timer_create(CLOCK_MONOTONIC, NULL, &timer);
    timer_settime(timer, 0, &soon, NULL);
}

static void block_signals(void) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
}

static void limit_files(void) {
    struct rlimit few = {50, 50};
    setrlimit(RLIMIT_NOFILE, &few);
}

static void parse_options(void) {
    char *words[] = {(char *)"t", (char *)"-a", (char *)"-b", NULL};
    while (getopt(3, words, "ab") != -1)
        ;
}

static void start_thread(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, wait_long, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    switch (size ? data[0] : 0) {
    case 'a':
        start_timer();
        break;
    case 'b':
        alarm(1);
        break;
    case 'c':
        start_posix_timer();
        break;
    case 'd':
        signal(SIGUSR2, on_signal);
        break;
    case 'e':
        block_signals();
        break;
    case 'f':
        start_child(0);
        break;
    case 'g':
        start_child(1);
        break;
    case 'h':
        start_thread();
        break;
    case 'i':
        check(chdir("/") == 0);
        break;
    case 'j':
        setenv("SLOWPATH_TEST_SEEN", "1", 1);
        break;
    case 'k':
        limit_files();
        break;
    case 'l':
        umask(0777);
        break;
    case 'm':
        fclose(stdout);
        break;
    case 'n':
        parse_options();
        break;
    case 'o':
        setlocale(LC_ALL, "C.UTF-8");
        break;
    case 'x':
        expect_fresh();
        break;
    }
    return 0;
}
