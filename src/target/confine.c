/* SPDX-License-Identifier: Apache-2.0
 *
 * How is a target kept away from the user's files, the network and other processes? It may read
 * everything but write to one folder only. Landlock does that without privileges; on kernels
 * without it, the target gets a read-only view of the file system in namespaces of its own. A
 * seccomp filter blocks sockets that leave the machine, signals to the engine, and changes to the
 * machine that only root may make. Landlock does not cover modes, owners, times and attributes of
 * files: calls that change them do nothing and report success.
 *
 * The constants of Landlock are written out, since a system's headers are often older than its
 * kernel; they are part of the kernel's stable interface.
 */
#include "target/confine.h"
#include "abi/own.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
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
#define REMOVE_AND_MAKE ((uint64_t)0x1ff << 4) /* files, folders, links, devices */
#define REFER ((uint64_t)1 << 13)              /* rename to another folder; since version 2 */
#define TRUNCATE ((uint64_t)1 << 14)           /* since version 3 */
#define SCOPES ((uint64_t)3) /* abstract sockets and signals stay inside; since version 6 */

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
    for (size_t i = 0; i < BASE_COUNT(devices); i++) /* not every system has all of them */
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

/* Keeps our user id, in a user namespace that lets us arrange our own mounts. */
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
#define LOAD_UPPER(argument) /* half of it */                                                      \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS,                                                             \
             (uint32_t)offsetof(struct seccomp_data, args) + 8 * (argument) + 4)
#define SKIP_UNLESS(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), 0, count)
#define SKIP_IF(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), count, 0)
#define REFUSE(number) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (number))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

#define FSETXATTR_AT 463 /* this and the other numbers are newer than some headers */
#define REMOVEXATTR_AT 466
#define FILE_SETATTR 469
#define FCHMODAT_2 452

static const uint32_t refused[] = {SYS_ptrace,
                                   SYS_process_vm_writev,
                                   SYS_pidfd_send_signal,
                                   SYS_reboot,
                                   SYS_clock_settime,
                                   SYS_settimeofday,
                                   SYS_adjtimex,
                                   SYS_clock_adjtime,
                                   SYS_sethostname,
                                   SYS_setdomainname,
                                   SYS_swapon,
                                   SYS_swapoff,
                                   SYS_init_module,
                                   SYS_finit_module,
                                   SYS_delete_module,
                                   SYS_kexec_load,
                                   SYS_acct,
                                   SYS_quotactl};

static const uint32_t pretended[] = {
    SYS_chmod,     SYS_fchmod,      SYS_fchmodat,     FCHMODAT_2,       SYS_chown,
    SYS_fchown,    SYS_lchown,      SYS_fchownat,     SYS_utime,        SYS_utimes,
    SYS_futimesat, SYS_utimensat,   SYS_setxattr,     SYS_lsetxattr,    SYS_fsetxattr,
    FSETXATTR_AT,  SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr, REMOVEXATTR_AT,
    FILE_SETATTR};

struct filter {
    struct sock_filter rules[4 + 2 * (BASE_COUNT(refused) + BASE_COUNT(pretended)) + 47];
    unsigned short count;
};

static void add_rules(struct filter *filter, const struct sock_filter *rules, size_t count) {
    memcpy(&filter->rules[filter->count], rules, count * sizeof *rules);
    filter->count = (unsigned short)(filter->count + count);
}

static void add_answers(struct filter *filter, const uint32_t *calls, size_t count,
                        uint32_t error) {
    for (size_t i = 0; i < count; i++) {
        const struct sock_filter rules[] = {SKIP_UNLESS(calls[i], 1), REFUSE(error)};
        add_rules(filter, rules, BASE_COUNT(rules));
    }
}

/* System calls of the runtime itself are allowed; comes before the rules for all others. */
static void add_own_calls(struct filter *filter) {
#define OWN(call, argument)                                                                        \
    SKIP_UNLESS(call, 4), LOAD_UPPER(argument), SKIP_UNLESS(ABI_OWN_KEY, 1), ALLOW, LOAD(nr),
    const struct sock_filter rules[] = {ABI_OWN_CALLS(OWN)};
#undef OWN
    add_rules(filter, rules, BASE_COUNT(rules));
}

/* Blocks all sockets except local ones, and signals to the engine, to its group and to everyone.
 * Only the lower half of a process number is compared: it has no more bits. */
static void add_questions(struct filter *filter, pid_t engine) {
    const struct sock_filter rules[] = {
        SKIP_UNLESS(SYS_socket, 4),
        LOAD(args[0]),
        SKIP_IF(AF_UNIX, 1),
        REFUSE(EACCES),
        ALLOW,
        SKIP_UNLESS(SYS_ioctl, 5), /* "immutable" and similar flags */
        LOAD(args[1]),
        SKIP_IF(FS_IOC_SETFLAGS, 2),
        SKIP_IF(FS_IOC_FSSETXATTR, 1),
        ALLOW,
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
    add_rules(filter, rules, BASE_COUNT(rules));
}

static bool filter_calls(enum target_fence fence, pid_t engine) {
    const struct sock_filter start[] = {LOAD(arch), SKIP_IF(AUDIT_ARCH_X86_64, 1), ALLOW, LOAD(nr)};
    struct filter filter = {.count = 0};
    add_rules(&filter, start, BASE_COUNT(start));
    add_answers(&filter, refused, BASE_COUNT(refused), EPERM);
    if (fence == TARGET_FENCE_LANDLOCK) {
        add_own_calls(&filter);
        add_answers(&filter, pretended, BASE_COUNT(pretended), 0);
    }
    add_questions(&filter, engine);
    struct sock_fprog program = {filter.count, filter.rules};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* ---- everything together ---- */

static bool raise_fence(enum target_fence fence, const char *folder) {
    if (fence == TARGET_FENCE_LANDLOCK)
        return fence_with_landlock(folder);
    return fence == TARGET_FENCE_NONE || fence_with_namespaces(folder);
}

bool target_confine(enum target_fence fence, const char *folder, pid_t engine) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && raise_fence(fence, folder) &&
           filter_calls(fence, engine);
}

/* Are namespaces available? A child tries, since entering them cannot be undone. */
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
