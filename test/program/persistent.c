/* SPDX-License-Identifier: Apache-2.0
 *
 * A program with a main runs in one process after another input, and no run sees anything of
 * another. Each looks at all that an earlier one could have changed, and what it sees is in its
 * counts; then it changes what the first byte of its input names, and ends as the second one says.
 * Whatever the order, the counts are those of fresh processes.
 *
 * RUN: for a in a b c d e f g h i j k l m n o p q r s t u v w x y z A B C D E F G H; do printf ${a}r >in-${a}r; done
 * RUN: for e in e q x h a l d; do printf a$e >in-a$e; printf h$e >in-h$e; printf u$e >in-u$e; done
 * RUN: take() { awk '/^in-/ { print $1, $2, $3, $4, $5, $6, $8, $9, $10 }' | sed 's/ [0-9.]* ms//' | sort -u; }
 * RUN: %slowpath measure %s --cflags -pthread --fresh in-* | take >fresh; [ $(wc -l <fresh) = 55 ]
 * RUN: for seed in 1 2 3; do \
 * RUN:   for i in 1 2 3; do ls in-* | shuf --random-source=<(yes $seed$i); done >order; \
 * RUN:   %slowpath measure %s --cflags -pthread in-ar in-br in-hr $(cat order) 2>err | take >persistent; \
 * RUN:   diff fresh persistent; if grep fresh err; then exit 1; fi; done
 *
 * The process is replaced only for what cannot be put back: threads (A), a child that lives on (B),
 * a limit that cannot be raised again (C), a timer of its own kind (D), an end that unwinds the stack
 * (h), and a crash (d).
 * RUN: rm in-[ABCD]r in-?[hd]; %slowpath measure %s --cflags -pthread in-* --json json >table; grep '"restarts": 0,' json
 * RUN: printf Ar >in-Ar; %slowpath measure %s --cflags -pthread in-Ar 2>&1 | %check
 * CHECK: warning: a run leaves what cannot be put back (threads): every input now gets a fresh process
 *
 * What changes behind our back shows when the state is looked at after a worker's first run.
 * RUN: %slowpath measure %s --cflags -pthread --args unseen in-ar >table 2>err
 * RUN: grep 'a run leaves what cannot be put back (memory or settings): every input now gets a fresh process' err
 *
 * The symbolic build takes the same paths.
 * RUN: %slowpath run %s --cflags -pthread --stdin 2 --strategy exhaustive --jobs 1 --time 60 --tests 100 --out p --quiet >out
 * RUN: %slowpath run %s --cflags -pthread --stdin 2 --strategy exhaustive --jobs 1 --time 60 --tests 100 --out f --fresh --quiet >out
 * RUN: same() { sed -n -e '/"paths"/p' -e '/"instructions"/p' -e '/"complete"/p' $1/suite.json; }; same p >a; same f | diff a -
 * RUN: [ $(grep -c '"instructions"' a) -gt 40 ]
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <locale.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static int counted, filled[5000] = {1};
static __thread int of_thread = 3;
static char words[] = "one two three", big[400000];
static const char file_left[] = "/tmp/slowpath_persistent_left";
static jmp_buf back;

/* ---- what a run sees ---- */

static void work(unsigned long n) {
    for (volatile unsigned long i = n % 97; i > 0; i--)
        ;
}

static void see(unsigned long value) {
    static unsigned long place;
    work(value + ++place);
}

static void see_text(const char *text) {
    unsigned long hash = 1;
    for (; text && *text; text++)
        hash = hash * 31 + (unsigned char)*text;
    see(hash);
}

static void see_memory(char **argv) {
    see((unsigned long)counted + (unsigned long)filled[0] + (unsigned long)filled[4999]);
    see((unsigned long)of_thread + (unsigned char)big[200000]);
    see_text(words);
    see_text(argv[0]);
    see((uintptr_t)malloc(24) >> 4);
    void *map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    see((uintptr_t)map >> 12);
    munmap(map, 4096);
    see((uintptr_t)sbrk(0));
}

static void see_library(int argc, char **argv) {
    see((unsigned long)errno);
    see((unsigned long)rand());
    see((unsigned long)lrand48());
    see_text(getenv("SLOWPATH_SEEN"));
    see_text(setlocale(LC_ALL, NULL));
    see((unsigned long)optind + (unsigned long)getopt(argc, argv, "a"));
    see((unsigned long)timezone);
}

static void see_streams(void) {
    see((unsigned long)(feof(stdin) + 2 * ferror(stdin)));
    see((unsigned long)lseek(STDIN_FILENO, 0, SEEK_CUR));
    see(__fpending(stdout) + __fbufsize(stdout));
    see((unsigned long)fwide(stdin, 0));
    for (int fd = 0; fd < 12; fd++)
        see((unsigned long)fcntl(fd, F_GETFL));
}

static void see_kernel(void) {
    struct sigaction action;
    struct itimerval timer;
    struct rlimit files;
    sigset_t blocked;
    char folder[4096];
    mode_t mask = umask(022);
    umask(mask);
    see(mask);
    sigaction(SIGUSR2, NULL, &action);
    see(action.sa_handler == SIG_DFL);
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    see((unsigned long)sigismember(&blocked, SIGINT));
    getitimer(ITIMER_REAL, &timer);
    see(timer.it_value.tv_sec > 0 || timer.it_value.tv_usec > 0);
    getrlimit(RLIMIT_NOFILE, &files);
    see(files.rlim_cur);
    see_text(getcwd(folder, sizeof folder));
    see(waitpid(-1, NULL, WNOHANG) < 0);
    see(fopen(file_left, "r") != NULL);
}

/* ---- what it changes ---- */

static void on_exit_called(void) {
    work(41);
}

static void on_signal(int number) {
    counted += number;
}

static void *do_nothing(void *nothing) {
    return nothing;
}

static void change_signals(void) {
    sigset_t all;
    signal(SIGUSR2, on_signal);
    raise(SIGUSR2);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
}

static void start_timer(void) {
    struct itimerval later = {.it_value = {.tv_sec = 1000}};
    setitimer(ITIMER_REAL, &later, NULL);
}

static void start_own_timer(void) {
    timer_t timer;
    timer_create(CLOCK_MONOTONIC, NULL, &timer);
}

static void limit_files(rlim_t hard) {
    struct rlimit few = {50, hard};
    setrlimit(RLIMIT_NOFILE, &few);
}

static void change_memory(void) {
    counted = 7;
    memset(filled, 5, sizeof filled);
    memset(big, 9, sizeof big);
    of_thread = 8;
    for (int i = 0; i < 100; i++)
        free(malloc((size_t)i * 100) ? NULL : &counted);
}

static void run_child(void) {
    FILE *child = popen("echo some text", "r");
    char line[64] = "";
    if (child && fgets(line, sizeof line, child))
        see_text(line);
    if (child)
        pclose(child);
    see((unsigned long)system("exit 3"));
    if (fork() == 0)
        _exit(0);
    wait(NULL);
}

/* What it does is counted, too, so it has done all of it when this goes on. */
static void leave_child(void) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        raise(SIGSTOP);
        sleep(3600);
    }
    see(waitpid(child, &status, WUNTRACED) == child);
    see((unsigned long)WIFSTOPPED(status));
}

static void start_thread(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, do_nothing, NULL);
    pthread_join(thread, NULL);
}

static int descend(int depth) {
    volatile char room[1000];
    memset((char *)room, depth, sizeof room);
    return depth > 300 ? room[0] : descend(depth + 1) + room[1];
}

/* No function of the library is called. */
static void change_folder_unseen(const char *path) {
    long number = SYS_chdir;
    __asm__ volatile("syscall" : "+a"(number) : "D"(path) : "rcx", "r11", "memory");
}

static void read_line(void) {
    char *line = NULL;
    size_t size = 0;
    ungetc('u', stdin);
    see((unsigned long)getline(&line, &size, stdin));
    see((unsigned long)getline(&line, &size, stdin));
}

static void change(int what, int argc, char **argv) {
    switch (what) {
    case 'b':
        change_memory();
        break;
    case 'c':
        errno = EDOM;
        break;
    case 'd':
        srand(5), srand48(5);
        break;
    case 'e':
        setenv("SLOWPATH_SEEN", "1", 1);
        break;
    case 'f':
        setlocale(LC_ALL, "C.UTF-8");
        break;
    case 'g':
        while (getopt(argc, argv, "a") != -1)
            ;
        optind = 5;
        break;
    case 'h':
        atexit(on_exit_called), at_quick_exit(on_exit_called);
        break;
    case 'i':
        change_signals();
        break;
    case 'j':
        start_timer();
        break;
    case 'k':
        see((unsigned long)chdir("/"));
        break;
    case 'l':
        umask(077);
        break;
    case 'm':
        see((unsigned long)dup2(STDOUT_FILENO, STDIN_FILENO));
        break;
    case 'n':
        see((unsigned long)open("/dev/null", O_RDONLY)), see((unsigned long)dup(1));
        break;
    case 'o':
        fclose(stdout), close(STDERR_FILENO);
        break;
    case 'p':
        fputs("pending", stdout), setvbuf(stderr, NULL, _IOFBF, 100);
        break;
    case 'q':
        read_line();
        break;
    case 'r':
        strtok(words, " ");
        break;
    case 's':
        argv[0][0] = '!';
        break;
    case 't':
        putenv((char *)"TZ=EST5"), tzset();
        break;
    case 'u':
        run_child();
        break;
    case 'v':
        mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        break;
    case 'w':
        see((uintptr_t)sbrk(8192));
        break;
    case 'x':
        fputs("x", fopen(file_left, "w"));
        break;
    case 'y':
        limit_files(RLIM_INFINITY);
        break;
    case 'H': /* also files that are not its own */
        for (int fd = 3; fd < 1024; fd++)
            ftruncate(fd, 0);
        break;
    case 'G':
        fcntl(STDIN_FILENO, F_SETFL, O_APPEND);
        break;
    case 'z':
        see((unsigned long)descend(0));
        break;
    case 'A':
        start_thread();
        break;
    case 'B':
        leave_child();
        break;
    case 'C':
        limit_files(50);
        break;
    case 'D':
        start_own_timer();
        break;
    case 'E':
        fwide(stdin, 1), freopen("/dev/null", "r", stdin);
        break;
    case 'F':
        see((unsigned long)ftruncate(STDIN_FILENO, 100));
        break;
    }
}

/* ---- how it ends ---- */

static int end(int how) {
    switch (how) {
    case 'e':
        exit(4);
    case 'q':
        quick_exit(5);
    case 'x':
        _exit(6);
    case 'h':
        pthread_exit(NULL);
    case 'a':
        abort();
    case 'l':
        longjmp(back, 9);
    case 'd':
        __builtin_trap();
    }
    return 0;
}

__attribute__((destructor)) static void see_the_end(void) {
    see((unsigned long)counted);
}

int main(int argc, char **argv) {
    char bytes[2] = {0};
    see_memory(argv);
    see_library(argc, argv);
    see_streams();
    see_kernel();
    int got = (int)fread(bytes, 1, 2, stdin), code;
    if ((code = setjmp(back)))
        return code;
    if (argc > 1)
        change_folder_unseen("/");
    if (got > 0)
        change(bytes[0], argc, argv);
    return got > 1 ? end(bytes[1]) : 0;
}
