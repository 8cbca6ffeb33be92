/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of bench/hostile: programs that attack the process they run in, its neighbours and the
 * machine. CLAIM is the name of the case; it strikes when the first byte is odd, and goes on to
 * ordinary work if it can.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int spent;
extern char **environ;

#define ATTACK(name) static void name(const uint8_t *data, size_t size)

/* ---- descriptors ---- */

ATTACK(closes_everything) {
    for (int fd = 0; fd < 1024; fd++)
        close(fd);
}

ATTACK(closes_by_system_call) {
    syscall(SYS_close_range, 0u, ~0u, 0u);
}

ATTACK(replaces_descriptors) {
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 1024; fd++)
        if (fd != null)
            dup2(null, fd);
}

ATTACK(replaces_by_pipes) { /* what is written to them blocks */
    int p[2];
    if (pipe(p))
        return;
    fcntl(p[1], F_SETPIPE_SZ, 4096);
    for (int fd = 3; fd < 1024; fd++)
        if (fd != p[0] && fd != p[1])
            dup2(p[1], fd);
}

ATTACK(writes_into_descriptors) {
    char text[256];
    memset(text, 'A', sizeof text);
    for (int fd = 3; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) >= 0) {
            fcntl(fd, F_SETFL, O_NONBLOCK);
            for (int i = 0; i < 100 && write(fd, text, sizeof text) > 0; i++)
                ;
            ftruncate(fd, 0);
        }
}

ATTACK(reads_from_descriptors) {
    char text[256];
    for (int fd = 3; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            read(fd, text, sizeof text);
}

ATTACK(opens_until_full) {
    while (open("/dev/null", O_RDONLY) >= 0)
        ;
}

/* ---- memory ---- */

struct map {
    uintptr_t start, end;
};

static size_t find_maps(struct map *maps, size_t most, const char *without) {
    char line[512];
    size_t count = 0;
    FILE *file = fopen("/proc/self/maps", "r");
    while (file && count < most && fgets(line, sizeof line, file))
        if (!without || !strstr(line, without))
            count += sscanf(line, "%lx-%lx", &maps[count].start, &maps[count].end) == 2;
    if (file)
        fclose(file);
    return count;
}

ATTACK(unmaps_everything) {
    static struct map maps[512];
    size_t count = find_maps(maps, 512, "[stack]");
    for (size_t i = 0; i < count; i++)
        munmap((void *)maps[i].start, maps[i].end - maps[i].start);
}

ATTACK(unmaps_shared) {
    static struct map maps[512];
    size_t count = find_maps(maps, 512, "r-xp");
    for (size_t i = 0; i < count; i++)
        if (maps[i].end - maps[i].start > 65536)
            munmap((void *)maps[i].start, maps[i].end - maps[i].start);
}

ATTACK(protects_everything) {
    static struct map maps[512];
    size_t count = find_maps(maps, 512, "[stack]");
    for (size_t i = 0; i < count; i++)
        mprotect((void *)maps[i].start, maps[i].end - maps[i].start, PROT_READ);
}

ATTACK(opens_everything) { /* all memory may be written, and is */
    static struct map maps[512];
    size_t count = find_maps(maps, 512, "[v");
    for (size_t i = 0; i < count; i++)
        mprotect((void *)maps[i].start, maps[i].end - maps[i].start,
                 PROT_READ | PROT_WRITE | PROT_EXEC);
    for (size_t i = count; i-- > 0;)
        memset((void *)maps[i].start, 0xcc,
               maps[i].end - maps[i].start < 65536 ? maps[i].end - maps[i].start : 65536);
}

ATTACK(maps_over_everything) {
    static struct map maps[512];
    size_t count = find_maps(maps, 512, "r-xp");
    for (size_t i = 0; i < count; i++)
        mmap((void *)maps[i].start, maps[i].end - maps[i].start, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

ATTACK(rewrites_its_code) {
    uintptr_t page = (uintptr_t)rewrites_its_code & ~(uintptr_t)4095;
    mprotect((void *)page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
    memset((void *)page, 0x90, 4096);
}

static int find_got(struct dl_phdr_info *info, size_t size, void *to) {
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_GNU_RELRO)
            continue;
        uintptr_t start = (info->dlpi_addr + header->p_vaddr) & ~(uintptr_t)4095;
        uintptr_t end = info->dlpi_addr + header->p_vaddr + header->p_memsz;
        if (mprotect((void *)start, end - start, PROT_READ | PROT_WRITE) == 0)
            for (uintptr_t at = start; at + 8 <= end; at += 8)
                *(uintptr_t *)at ^= 0x10;
    }
    return 0;
}

ATTACK(rewrites_its_tables) {
    dl_iterate_phdr(find_got, NULL);
}

ATTACK(writes_by_guess) {
    for (uintptr_t at = 0x10000; at < 0x7fffffff0000; at += 0x1003001000)
        syscall(SYS_read, open("/dev/zero", O_RDONLY), at, 4096L);
}

ATTACK(writes_its_own_memory_file) {
    static struct map maps[512];
    size_t count = find_maps(maps, 512, "[v");
    int fd = open("/proc/self/mem", O_RDWR);
    char zeros[4096] = {0};
    for (size_t i = 0; i < count; i++)
        pwrite(fd, zeros, sizeof zeros, (off_t)maps[i].start);
}

ATTACK(takes_all_memory) {
    for (;;) {
        char *p = malloc(1 << 20);
        if (!p)
            break;
        memset(p, 1, 1 << 20);
    }
}

ATTACK(maps_all_memory) {
    for (;;) {
        char *p = mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED)
            break;
        memset(p, 1, 64 << 20);
    }
}

ATTACK(frees_what_is_not_its_own) {
    char *p = malloc(64);
    free(p);
    free(p);
    free(p + 8);
    free(stdout);
}

static int deeper(int n) {
    volatile char room[4096];
    room[0] = (char)n;
    return deeper(n + 1) + room[0];
}
ATTACK(never_returns) {
    spent = deeper(0);
}

ATTACK(jumps_over_the_stack) {
    volatile char *far = __builtin_alloca(1ul << 30);
    far[0] = 1;
    far[1 << 20] = 2;
}

ATTACK(returns_nowhere) {
    uintptr_t *frame = __builtin_frame_address(0);
    for (int i = -8; i < 64; i++)
        frame[i] = 0x4141414141414141;
}

/* ---- signals ---- */

ATTACK(raises_all) {
    for (int n = 1; n < 65; n++)
        if (n != data[0] % 64 && n != SIGKILL)
            signal(n, SIG_IGN);
    for (int n = 1; n < 65; n++)
        if (n != SIGKILL && n != SIGSTOP)
            raise(n);
}

ATTACK(stops_itself) {
    raise(SIGSTOP);
}

ATTACK(kills_its_parent) {
    kill(getppid(), SIGTERM);
    kill(getppid(), SIGSTOP);
    kill(getppid(), SIGKILL);
}

ATTACK(kills_its_group) {
    kill(0, SIGKILL);
}

ATTACK(kills_all) {
    kill(-1, SIGKILL);
}

ATTACK(kills_by_number) {
    for (pid_t p = getpid() - 20; p < getpid(); p++)
        if (p > 1)
            kill(p, SIGTERM);
}

ATTACK(blocks_all) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    for (;;)
        pause();
}

static void ignore(int n) {
    spent += n;
}
ATTACK(handles_all_and_hangs) {
    for (int n = 1; n < 65; n++)
        signal(n, ignore);
    for (;;)
        spent++;
}

static sigjmp_buf again;
static void jump(int n) {
    siglongjmp(again, n);
}
ATTACK(jumps_out_of_handlers) {
    signal(SIGSEGV, jump);
    for (volatile int i = 0; i < 2000; i++)
        if (!sigsetjmp(again, 1))
            *(volatile int *)(uintptr_t)8 = 1;
}

static void faults_again(int n) {
    *(volatile int *)(uintptr_t)8 = n;
}
ATTACK(faults_in_handlers) {
    struct sigaction action = {.sa_handler = faults_again, .sa_flags = SA_NODEFER};
    sigaction(SIGSEGV, &action, NULL);
    *(volatile int *)(uintptr_t)8 = 1;
}

ATTACK(overflows_the_other_stack) {
    static char small[8192];
    stack_t stack = {.ss_sp = small, .ss_size = sizeof small};
    struct sigaction action = {.sa_handler = (void (*)(int))never_returns, .sa_flags = SA_ONSTACK};
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
}

ATTACK(storm_of_timers) {
    struct itimerval often = {{0, 1}, {0, 1}};
    signal(SIGALRM, ignore);
    signal(SIGPROF, ignore);
    signal(SIGVTALRM, ignore);
    setitimer(ITIMER_REAL, &often, NULL);
    setitimer(ITIMER_PROF, &often, NULL);
    setitimer(ITIMER_VIRTUAL, &often, NULL);
}

ATTACK(timer_without_handler) {
    struct itimerval later = {{0, 0}, {0, 20000}};
    setitimer(ITIMER_REAL, &later, NULL);
}

/* ---- the end ---- */

static void exit_again(void) {
    atexit(exit_again);
    exit(3);
}
ATTACK(exits_for_ever) {
    atexit(exit_again);
    exit(1);
}

static void hang(void) {
    for (;;)
        spent++;
}
ATTACK(hangs_at_the_end) {
    atexit(hang);
    exit(0);
}

ATTACK(ends_by_system_call) {
    syscall(SYS_exit_group, 77);
}

ATTACK(ends_its_thread) {
    syscall(SYS_exit, 0);
}

ATTACK(becomes_another) {
    execl("/bin/sleep", "sleep", "1000", (char *)NULL);
}

static jmp_buf gone;
__attribute__((noinline)) static int set_gone(void) {
    return setjmp(gone);
}
ATTACK(jumps_to_what_is_gone) {
    if (set_gone() < 3)
        longjmp(gone, 5);
}

/* ---- children and threads ---- */

ATTACK(leaves_a_child) {
    if (fork() == 0) {
        setsid();
        if (fork() == 0)
            for (;;)
                pause();
        _exit(0);
    }
}

ATTACK(leaves_busy_children) {
    for (int i = 0; i < 4; i++)
        if (fork() == 0) {
            signal(SIGTERM, SIG_IGN);
            for (;;)
                spent++;
        }
}

ATTACK(becomes_a_daemon) {
    daemon(0, 0);
    for (;;)
        pause();
}

ATTACK(forks_for_ever) {
    for (;;)
        fork();
}

ATTACK(child_lives_on_as_the_run) { /* the child returns, too */
    fork();
}

ATTACK(vforks) {
    if (vfork() == 0)
        _exit(0);
}

static int in_clone(void *nothing) {
    for (;;)
        spent++;
    return nothing != NULL;
}
ATTACK(clones) {
    static char stack[65536];
    clone(in_clone, stack + sizeof stack, CLONE_VM | CLONE_FS | CLONE_FILES, NULL);
}

static void *spin(void *nothing) {
    for (;;)
        spent++;
    return nothing;
}
ATTACK(leaves_threads) {
    pthread_t thread;
    for (int i = 0; i < 4; i++)
        pthread_create(&thread, NULL, spin, NULL);
}

ATTACK(ends_by_a_thread) {
    pthread_t thread;
    pthread_create(&thread, NULL, (void *(*)(void *))exit, (void *)3);
    pthread_join(thread, NULL);
}

ATTACK(forks_in_a_thread) {
    pthread_t thread;
    pthread_create(&thread, NULL, (void *(*)(void *))(void (*)(void))fork, NULL);
    pthread_join(thread, NULL);
}

/* ---- settings ---- */

ATTACK(limits_itself) {
    static const int all[] = {RLIMIT_AS,   RLIMIT_NOFILE, RLIMIT_NPROC,
                              RLIMIT_DATA, RLIMIT_STACK,  RLIMIT_FSIZE};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        setrlimit(all[i], &(struct rlimit){0, 0});
}

ATTACK(limits_its_time) {
    setrlimit(RLIMIT_CPU, &(struct rlimit){0, 0});
    for (;;)
        spent++;
}

ATTACK(forbids_system_calls) {
    struct sock_filter kill_all[] = {{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_KILL_PROCESS}};
    struct sock_fprog program = {1, kill_all};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

ATTACK(system_calls_that_fail) {
    struct sock_filter fail_all[] = {{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM}};
    struct sock_fprog program = {1, fail_all};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

ATTACK(traces_its_parent) {
    ptrace(PTRACE_ATTACH, getppid(), NULL, NULL);
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
}

ATTACK(undumpable) {
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_PDEATHSIG, SIGUSR1);
    prctl(PR_SET_NAME, "slowpath");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

ATTACK(rounds_otherwise) {
    fesetround(FE_UPWARD);
    feenableexcept(FE_ALL_EXCEPT);
    volatile double x = 1.0;
    x /= 3.0;
}

ATTACK(overwrites_its_arguments) {
    for (char **e = environ; *e; e++)
        memset(*e, 'X', strlen(*e));
    environ = NULL;
    setlocale(LC_ALL, "C.UTF-8");
    umask(0777);
    chdir("/");
}

/* ---- files ---- */

ATTACK(fills_the_disk) {
    static char block[1 << 20];
    int fd = open("filler", O_CREAT | O_WRONLY, 0600);
    while (write(fd, block, sizeof block) > 0)
        ;
}

ATTACK(fills_shared_memory) {
    static char block[1 << 20];
    int fd = open("/dev/shm/slowpath-hostile", O_CREAT | O_WRONLY, 0600);
    for (int i = 0; fd >= 0 && i < 100000 && write(fd, block, sizeof block) > 0; i++)
        ;
    fd = memfd_create("filler", 0);
    for (int i = 0; fd >= 0 && i < 4000 && write(fd, block, sizeof block) > 0; i++)
        ;
}

ATTACK(many_files) {
    char name[32];
    for (int i = 0; i < 100000; i++) {
        snprintf(name, sizeof name, "file-%d", i);
        int fd = open(name, O_CREAT | O_WRONLY, 0600);
        if (fd < 0)
            break;
        close(fd);
    }
}

ATTACK(deep_folders) {
    for (int i = 0; i < 5000; i++)
        if (mkdir("d", 0000 | 0700) || chdir("d"))
            break;
    chmod(".", 0);
}

ATTACK(removes_all) {
    DIR *folder = opendir(".");
    struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        unlink(entry->d_name);
    unlink("../witness");
    rename("/tmp", "/tmp2");
    truncate("/proc/self/exe", 0);
}

ATTACK(writes_for_ever) {
    static char block[65536];
    for (;;) {
        write(1, block, sizeof block);
        write(2, block, sizeof block);
    }
}

ATTACK(waits_for_a_fifo) {
    mkfifo("fifo", 0600);
    open("fifo", O_RDONLY);
}

ATTACK(reads_the_terminal) {
    char c;
    int fd = open("/dev/tty", O_RDWR);
    read(fd >= 0 ? fd : 0, &c, 1);
    poll(NULL, 0, -1);
}

ATTACK(sleeps) {
    sleep(1000);
}

ATTACK(waits_for_itself) {
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
}

/* ---- the program ---- */

static int go(const uint8_t *data, size_t size) {
    if (size && data[0] & 1)
        CLAIM(data, size);
    for (size_t i = 0; i < size; i++)
        for (int k = 0; k < (data[i] > 'm' ? 9 : 2); k++)
            spent++;
    return 0;
}

#ifdef PROGRAM
int main(void) {
    static uint8_t data[64];
    ssize_t size = read(0, data, sizeof data);
    return go(data, size > 0 ? (size_t)size : 0);
}
#else
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return go(data, size);
}
#endif
