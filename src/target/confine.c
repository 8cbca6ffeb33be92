/* SPDX-License-Identifier: Apache-2.0
 *
 * How is a target kept from the user's files, the network and other processes? It may read
 * everything and write in one folder. Landlock does that without any privilege; where the kernel
 * has none, the target gets a read-only view of the file system in namespaces of its own. A filter
 * on system calls forbids sockets that leave the machine and signals to the engine.
 *
 * The constants of landlock are written out, since the headers of a system are often older than its
 * kernel; they are part of the kernel's stable interface.
 */
#include "target/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- landlock ---- */

#define CREATE_RULESET 444
#define ADD_RULE 445
#define RESTRICT_SELF 446
#define ASK_VERSION 1
#define PATH_BENEATH 1

#define WRITE_FILE ((uint64_t)1 << 1)
#define REMOVE_AND_MAKE ((uint64_t)0x1ff << 4) /* files, folders, links, devices of any kind */
#define REFER ((uint64_t)1 << 13)              /* moving to another folder; from version 2 on */
#define TRUNCATE ((uint64_t)1 << 14)           /* from version 3 on */
#define SCOPES ((uint64_t)3) /* abstract sockets and signals stay inside; from version 6 on */

struct ruleset {
    uint64_t files, network, scopes;
};

struct beneath {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

static uint64_t writes_of(long version) {
    return WRITE_FILE | REMOVE_AND_MAKE | (version >= 2 ? REFER : 0) |
           (version >= 3 ? TRUNCATE : 0);
}

static bool allow_beneath(int ruleset, const char *path, uint64_t allowed) {
    struct beneath rule = {allowed, open(path, O_PATH | O_CLOEXEC)};
    if (rule.parent < 0)
        return false;
    bool good = syscall(ADD_RULE, ruleset, PATH_BENEATH, &rule, 0) == 0;
    close(rule.parent);
    return good;
}

static bool fence_with_landlock(const char *folder) {
    static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/tty"};
    long version = syscall(CREATE_RULESET, NULL, 0, ASK_VERSION);
    uint64_t writes = writes_of(version);
    struct ruleset rules = {.files = writes, .scopes = version >= 6 ? SCOPES : 0};
    size_t known = version >= 6 ? sizeof rules : sizeof rules.files;
    int ruleset = (int)syscall(CREATE_RULESET, &rules, known, 0);
    if (ruleset < 0)
        return false;
    for (size_t i = 0; i < BASE_COUNT(devices); i++) /* some systems have fewer of them */
        allow_beneath(ruleset, devices[i], writes & (WRITE_FILE | TRUNCATE));
    bool good = allow_beneath(ruleset, folder, writes) && syscall(RESTRICT_SELF, ruleset, 0) == 0;
    close(ruleset);
    return good;
}

/* ---- namespaces ---- */

static bool write_text(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    bool good = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
    if (file >= 0)
        close(file);
    return good;
}

/* We stay who we are, in a user namespace that lets us arrange our own view. */
static bool enter_namespaces(void) {
    char users[64], groups[64];
    snprintf(users, sizeof users, "%u %u 1", (unsigned)geteuid(), (unsigned)geteuid());
    snprintf(groups, sizeof groups, "%u %u 1", (unsigned)getegid(), (unsigned)getegid());
    return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
           write_text("/proc/self/setgroups", "deny") && write_text("/proc/self/uid_map", users) &&
           write_text("/proc/self/gid_map", groups);
}

static bool set_read_only(const char *path, bool is_read_only, unsigned flags) {
    struct mount_attr change = {.attr_set = is_read_only ? MOUNT_ATTR_RDONLY : 0,
                                .attr_clr = is_read_only ? 0 : MOUNT_ATTR_RDONLY};
    return syscall(SYS_mount_setattr, AT_FDCWD, path, flags, &change, sizeof change) == 0;
}

static bool fence_with_namespaces(const char *folder) {
    char here[4096];
    return getcwd(here, sizeof here) && enter_namespaces() &&
           mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount(folder, folder, NULL, MS_BIND, NULL) == 0 &&
           set_read_only("/", true, AT_RECURSIVE) && set_read_only(folder, false, 0) &&
           chdir(here) == 0;
}

/* ---- system calls ---- */

#define LOAD(field)                                                                                \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, field))
#define SKIP_UNLESS(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), 0, count)
#define SKIP_IF(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), count, 0)
#define REFUSE(number) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (number))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* Sockets other than local ones fail, and so do signals to the engine, to its group and to
 * everyone. Numbers of processes compare by their lower half: they have no other. */
static bool filter_calls(pid_t engine) {
    struct sock_filter rules[] = {
        LOAD(arch),
        SKIP_IF(AUDIT_ARCH_X86_64, 1),
        ALLOW,
        LOAD(nr),
        SKIP_UNLESS(SYS_socket, 4),
        LOAD(args[0]),
        SKIP_IF(AF_UNIX, 1),
        REFUSE(EACCES),
        ALLOW,
        SKIP_UNLESS(SYS_ptrace, 1),
        REFUSE(EPERM),
        SKIP_UNLESS(SYS_process_vm_writev, 1),
        REFUSE(EPERM),
        SKIP_UNLESS(SYS_pidfd_send_signal, 1),
        REFUSE(EPERM),
        SKIP_IF(SYS_kill, 5),
        SKIP_IF(SYS_tkill, 4),
        SKIP_IF(SYS_tgkill, 3),
        SKIP_IF(SYS_rt_sigqueueinfo, 2),
        SKIP_IF(SYS_rt_tgsigqueueinfo, 1),
        ALLOW,
        LOAD(args[0]),
        SKIP_UNLESS(-1, 1),
        REFUSE(EPERM),
        SKIP_UNLESS(engine, 1),
        REFUSE(EPERM),
        SKIP_UNLESS(-getpgid(engine), 1),
        REFUSE(EPERM),
        ALLOW,
    };
    struct sock_fprog program = {BASE_COUNT(rules), rules};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* ---- the whole ---- */

static bool raise_fence(enum target_fence fence, const char *folder) {
    if (fence == TARGET_FENCE_LANDLOCK)
        return fence_with_landlock(folder);
    return fence == TARGET_FENCE_NONE || fence_with_namespaces(folder);
}

bool target_confine(enum target_fence fence, const char *folder, pid_t engine) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && raise_fence(fence, folder) &&
           filter_calls(engine);
}

/* Are namespaces to be had? A child tries, since it cannot be undone. */
static bool can_enter_namespaces(void) {
    int status = 1;
    pid_t child = fork();
    if (child == 0)
        _exit(fence_with_namespaces("/tmp") ? 0 : 1);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return child > 0 && status == 0;
}

enum target_fence target_fence_offered(void) {
    static int offered = -1;
    if (offered < 0 && syscall(CREATE_RULESET, NULL, 0, ASK_VERSION) >= 1 &&
        !base_fault("landlock"))
        offered = TARGET_FENCE_LANDLOCK;
    if (offered < 0)
        offered = can_enter_namespaces() ? TARGET_FENCE_NAMESPACE : TARGET_FENCE_NONE;
    return (enum target_fence)offered;
}
