/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of bench/claims: what is handed to the system and comes back from it.
 */
#include "claim.h"

#include <fcntl.h>
#include <fenv.h>
#include <math.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

CASE(limit_and_back, 1, "") {
    struct rlimit limit = {s[0], RLIM_INFINITY}, now = {0};
    getrlimit(RLIMIT_CORE, &now);
    limit.rlim_max = now.rlim_max;
    setrlimit(RLIMIT_CORE, &limit);
    getrlimit(RLIMIT_CORE, &now);
    return now.rlim_cur > 90 ? 9 : 3;
}

CASE(mask_and_back, 1, "") {
    sigset_t set, old;
    memset(&set, 0, sizeof set);
    memcpy(&set, s, 1);
    sigprocmask(SIG_SETMASK, &set, NULL);
    sigprocmask(SIG_SETMASK, NULL, &old);
    return sigismember(&old, SIGHUP) ? 9 : 3;
}

CASE(member_of_set, 1, "") {
    sigset_t set;
    sigemptyset(&set);
    memcpy(&set, s, 1);
    return sigismember(&set, SIGINT) ? 9 : 3;
}

CASE(set_by_input, 1, "") {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, 1 + s[0] % 20);
    return sigismember(&set, SIGINT) ? 9 : 3;
}

CASE(set_over_input, 1, "") { /* what a library function writes is not what was there */
    sigset_t set;
    memset(&set, s[0], sizeof set);
    sigemptyset(&set);
    return ((byte *)&set)[0] == 7 ? 9 : 3;
}

CASE(action_and_back, 1, "") {
    struct sigaction action = {.sa_handler = SIG_IGN}, old = {0};
    action.sa_flags = s[0] & 1 ? SA_NODEFER : 0;
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR1, NULL, &old);
    signal(SIGUSR1, SIG_DFL);
    return old.sa_flags & SA_NODEFER ? 9 : 3;
}

CASE(position_of_stream, 1, "") {
    FILE *file = fopen("/proc/self/exe", "r");
    fpos_t place;
    if (!file)
        return 60;
    fgetpos(file, &place);
    memcpy(&place, s, 1);
    fsetpos(file, &place);
    int c = getc(file);
    fclose(file);
    return c & 15;
}

CASE(read_at_input, 1, "") {
    FILE *file = fopen("/proc/self/exe", "r");
    if (!file)
        return 60;
    fseek(file, s[0] & 3, SEEK_SET);
    int c = getc(file);
    fclose(file);
    return c == 'E' ? 9 : c == 'L' ? 5 : 3;
}

CASE(pipe_of_one, 1, "") {
    int p[2];
    byte c = 0;
    if (pipe(p))
        return 60;
    write(p[1], s, 1);
    read(p[0], &c, 1);
    close(p[0]);
    close(p[1]);
    return c > 99 ? 9 : 3;
}

CASE(how_much_is_in_a_pipe, 1, "") {
    int p[2];
    byte all[16];
    if (pipe(p))
        return 60;
    write(p[1], "abcdefgh", s[0] & 7);
    fcntl(p[0], F_SETFL, O_NONBLOCK);
    long got = read(p[0], all, sizeof all);
    close(p[0]);
    close(p[1]);
    return got + 2;
}

CASE(pipe_of_vectors, 1, "") {
    int p[2];
    byte c = 0;
    struct iovec part = {s, 1}, to = {&c, 1};
    if (pipe(p))
        return 60;
    writev(p[1], &part, 1);
    readv(p[0], &to, 1);
    close(p[0]);
    close(p[1]);
    return c > 99 ? 9 : 3;
}

CASE(pair_of_sockets, 1, "") {
    int p[2];
    byte c = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, p))
        return 60;
    send(p[1], s, 1, 0);
    recv(p[0], &c, 1, 0);
    close(p[0]);
    close(p[1]);
    return c > 99 ? 9 : 3;
}

CASE(sockets_by_message, 1, "") {
    int p[2];
    byte c = 0;
    struct iovec part = {s, 1}, to = {&c, 1};
    struct msghdr out = {.msg_iov = &part, .msg_iovlen = 1}, in = {.msg_iov = &to, .msg_iovlen = 1};
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, p))
        return 60;
    sendmsg(p[1], &out, 0);
    recvmsg(p[0], &in, 0);
    close(p[0]);
    close(p[1]);
    return c > 99 ? 9 : 3;
}

CASE(event_descriptor, 1, "") {
    int fd = eventfd(s[0], EFD_NONBLOCK);
    uint64_t value = 0;
    if (fd < 0)
        return 60;
    read(fd, &value, sizeof value);
    close(fd);
    return value > 99 ? 9 : 3;
}

CASE(event_written, 1, "") {
    int fd = eventfd(1, EFD_NONBLOCK);
    uint64_t value = s[0];
    if (fd < 0)
        return 60;
    eventfd_write(fd, value);
    eventfd_read(fd, &value);
    close(fd);
    return value > 99 ? 9 : 3;
}

CASE(memory_file, 1, "") {
    int fd = memfd_create("m", 0);
    byte c = 0;
    if (fd < 0)
        return 60;
    pwrite(fd, s, 1, 3);
    pread(fd, &c, 1, 3);
    close(fd);
    return c > 99 ? 9 : 3;
}

CASE(memory_file_mapped, 1, "") {
    int fd = memfd_create("m", 0);
    if (fd < 0 || ftruncate(fd, 4096))
        return 60;
    byte *a = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    byte *b = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    a[7] = s[0];
    long result = b[7] > 99 ? 9 : 3;
    munmap(a, 4096);
    munmap(b, 4096);
    return result;
}

CASE(mapped_and_moved, 1, "") {
    byte *a = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    a[7] = s[0];
    byte *b = mremap(a, 4096, 1 << 20, MREMAP_MAYMOVE);
    long result = b[7] > 99 ? 9 : 3;
    munmap(b, 1 << 20);
    return result;
}

CASE(memory_given_back, 1, "") {
    byte *a = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    a[7] = s[0];
    madvise(a, 4096, MADV_DONTNEED);
    long result = a[7] > 99 ? 9 : 3;
    munmap(a, 4096);
    return result;
}

CASE(mapped_over, 1, "") {
    byte *a = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    a[7] = s[0];
    a = mmap(a, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    long result = a[7] > 99 ? 9 : 3;
    munmap(a, 4096);
    return result;
}

CASE(own_memory_as_file, 1, "") {
    byte keep = s[0], c = 0;
    int fd = open("/proc/self/mem", O_RDONLY);
    if (fd < 0)
        return 60;
    pread(fd, &c, 1, (off_t)(uintptr_t)&keep);
    close(fd);
    return c > 99 ? 9 : 3;
}

CASE(own_memory_by_the_system, 1, "") {
    byte keep = s[0], c = 0;
    struct iovec from = {&keep, 1}, to = {&c, 1};
    process_vm_readv(getpid(), &to, 1, &from, 1, 0);
    return c > 99 ? 9 : 3;
}

CASE(system_call, 1, "") {
    int p[2];
    byte c = 0;
    if (pipe(p))
        return 60;
    syscall(SYS_write, p[1], s, 1L);
    syscall(SYS_read, p[0], &c, 1L);
    close(p[0]);
    close(p[1]);
    return c > 99 ? 9 : 3;
}

CASE(queue_of_messages, 1, "") {
    struct {
        long kind;
        byte text[1];
    } out = {1, {s[0]}}, in = {0};
    int queue = msgget(IPC_PRIVATE, 0600);
    if (queue < 0)
        return 60;
    msgsnd(queue, &out, 1, 0);
    msgrcv(queue, &in, 1, 0, 0);
    msgctl(queue, IPC_RMID, NULL);
    return in.text[0] > 99 ? 9 : 3;
}

CASE(semaphore_value, 1, "") {
    sem_t sem;
    int value = 0;
    sem_init(&sem, 0, s[0]);
    sem_getvalue(&sem, &value);
    sem_destroy(&sem);
    return value > 99 ? 9 : 3;
}

CASE(shared_segment, 1, "") {
    int id = shmget(IPC_PRIVATE, 4096, 0600);
    byte *a = shmat(id, NULL, 0), *b = shmat(id, NULL, SHM_RDONLY);
    shmctl(id, IPC_RMID, NULL);
    if (a == (byte *)-1 || b == (byte *)-1)
        return 60;
    a[3] = s[0];
    long result = b[3] > 99 ? 9 : 3;
    shmdt(a);
    shmdt(b);
    return result;
}

static volatile sig_atomic_t told;
static void with_value(int number, siginfo_t *info, void *context) {
    told = info->si_value.sival_int;
}

CASE(value_of_signal, 1, "") {
    struct sigaction action = {.sa_sigaction = with_value, .sa_flags = SA_SIGINFO};
    told = 0;
    sigaction(SIGUSR1, &action, NULL);
    sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = s[0]});
    signal(SIGUSR1, SIG_DFL);
    return told > 99 ? 9 : 3;
}

CASE(signal_waited_for, 1, "") {
    sigset_t set, old;
    siginfo_t info = {0};
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, &old);
    sigqueue(getpid(), SIGUSR2, (union sigval){.sival_int = s[0]});
    sigtimedwait(&set, &info, &(struct timespec){0});
    sigprocmask(SIG_SETMASK, &old, NULL);
    return info.si_value.sival_int > 99 ? 9 : 3;
}

static volatile uintptr_t fault_at;
#include <setjmp.h>
static sigjmp_buf back;
static void with_address(int number, siginfo_t *info, void *context) {
    fault_at = (uintptr_t)info->si_addr;
    siglongjmp(back, 1);
}

CASE(address_of_fault, 1, "") {
    struct sigaction action = {.sa_sigaction = with_address, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    fault_at = 0;
    if (!sigsetjmp(back, 1))
        *(volatile byte *)(uintptr_t)(16 + s[0]) = 1;
    signal(SIGSEGV, SIG_DFL);
    return fault_at > 99 ? 9 : 3;
}

CASE(status_of_child, 1, "") {
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(s[0]);
    waitpid(child, &status, 0);
    return WEXITSTATUS(status) > 99 ? 9 : 3;
}

CASE(child_shares_memory, 1, "") {
    byte *a = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child = fork();
    if (child == 0) {
        a[0] = s[0] > 99 ? 9 : 3;
        _exit(0);
    }
    waitpid(child, NULL, 0);
    long result = a[0];
    munmap(a, 4096);
    return result;
}

CASE(name_of_process, 1, "") {
    char name[16] = {(char)s[0], 0}, now[16] = "";
    prctl(PR_SET_NAME, name);
    prctl(PR_GET_NAME, now);
    return (long)strlen(now) * 4 + (now[0] == 'b');
}

CASE(times_of_file, 1, "") {
    int fd = open("a-file", O_CREAT | O_RDWR, 0600);
    struct timespec when[2] = {{s[0], 0}, {s[0] * 2, 0}};
    struct stat st = {0};
    if (fd < 0)
        return 60;
    futimens(fd, when);
    fstat(fd, &st);
    close(fd);
    return st.st_mtime > 99 ? 9 : 3;
}

CASE(mode_of_file, 1, "") {
    int fd = open("a-file", O_CREAT | O_RDWR, 0600);
    struct stat st = {0};
    if (fd < 0)
        return 60;
    fchmod(fd, 0600 | (s[0] & 7));
    fstat(fd, &st);
    close(fd);
    return st.st_mode & 7;
}

CASE(length_of_file, 1, "") {
    int fd = open("a-file", O_CREAT | O_RDWR, 0600);
    struct stat st = {0};
    if (fd < 0)
        return 60;
    ftruncate(fd, s[0] & 31);
    fstat(fd, &st);
    close(fd);
    return st.st_size;
}

CASE(attribute_of_file, 1, "") {
    int fd = open("a-file", O_CREAT | O_RDWR, 0600);
    byte value = 0;
    if (fd < 0)
        return 60;
    fsetxattr(fd, "user.x", s, 1, 0);
    fgetxattr(fd, "user.x", &value, 1);
    close(fd);
    return value > 99 ? 9 : 3;
}

CASE(name_of_file, 2, "ab/\0") {
    char name[8] = {'x', '-', (char)s[0], (char)s[1], 0};
    int fd = open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
    close(fd);
    long result = access("x-b", F_OK) == 0 ? 9 : 3;
    unlink(name);
    return result;
}

CASE(link_and_back, 2, "ab\0") {
    char name[4] = {(char)s[0], (char)s[1], 0}, to[16] = "";
    unlink("a-link");
    symlink(name, "a-link");
    long got = readlink("a-link", to, sizeof to);
    return got + 2 + (to[0] == 'b') * 8;
}

CASE(mask_of_modes, 1, "") {
    mode_t old = umask(s[0] & 7);
    long result = umask(old);
    return result;
}

CASE(flags_of_descriptor, 1, "") {
    int fd = dup(1);
    fcntl(fd, F_SETFD, s[0] & 1);
    long result = fcntl(fd, F_GETFD) ? 9 : 3;
    close(fd);
    return result;
}

CASE(lowest_descriptor, 1, "") {
    int fd = dup2(1, 10 + (s[0] & 3)), other = fcntl(1, F_DUPFD, 10);
    close(fd);
    close(other);
    return other;
}

CASE(timer_and_back, 1, "") {
    struct itimerval timer = {.it_value = {1000 + s[0] * 1000, 0}}, now = {0};
    setitimer(ITIMER_VIRTUAL, &timer, NULL);
    getitimer(ITIMER_VIRTUAL, &now);
    setitimer(ITIMER_VIRTUAL, &(struct itimerval){0}, NULL);
    return now.it_value.tv_sec > 99000 ? 9 : 3;
}

CASE(timer_descriptor, 1, "") {
    int fd = timerfd_create(CLOCK_MONOTONIC, 0);
    struct itimerspec timer = {.it_interval = {s[0], 0}, .it_value = {5000, 0}}, now = {0};
    timerfd_settime(fd, 0, &timer, NULL);
    timerfd_gettime(fd, &now);
    close(fd);
    return now.it_interval.tv_sec > 99 ? 9 : 3;
}

CASE(slept, 1, "") {
    struct timespec left = {7, 7}, nap = {0, s[0] > 200 ? -1 : 1};
    return nanosleep(&nap, &left) ? 9 : 3;
}

CASE(rounding_mode, 1, "") {
    fesetround(s[0] & 1 ? FE_UPWARD : FE_DOWNWARD);
    volatile double third = 1.0;
    long result = third / 3.0 * 3.0 > 1.0 ? 9 : 3;
    fesetround(FE_TONEAREST);
    return result;
}

CASE(exceptions, 1, "") {
    feclearexcept(FE_ALL_EXCEPT);
    volatile double x = s[0];
    x = x / 3.0;
    return fetestexcept(FE_INEXACT) ? 9 : 3;
}

CASE(error_number, 1, "") {
    errno = 0;
    close(1000 + s[0] % 2);
    int first = errno;
    errno = 0;
    lseek(s[0] & 1 ? -1 : 1, 0, SEEK_CUR);
    return first + errno % 32;
}

CASE(error_of_mathematics, 1, "") {
    errno = 0;
    volatile double x = sqrt((double)s[0] - 100);
    return (errno == EDOM ? 9 : 3) + (isnan(x) != 0);
}

CASE(error_number_as_input, 1, "") {
    errno = s[0];
    return errno > 99 ? 9 : 3;
}

CASE(set_of_descriptors, 1, "") {
    fd_set set;
    FD_ZERO(&set);
    FD_SET(s[0] & 3, &set);
    return FD_ISSET(2, &set) ? 9 : 3;
}

CASE(priority, 1, "") {
    errno = 0;
    setpriority(PRIO_PROCESS, 0, 5 + (s[0] & 3));
    return getpriority(PRIO_PROCESS, 0);
}
