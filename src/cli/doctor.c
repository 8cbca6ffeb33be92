/* SPDX-License-Identifier: Apache-2.0
 *
 * slowpath doctor: what is missing or unusual on this machine? One row for each thing that slowpath
 * depends on. It also says what is not needed, because people look for it.
 */
#include "cc/cc.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define MIB 1048576.0
#define LEAST_SHARED 256.0 /* MiB */
#define LEAST_FILES 256

struct diagnosis {
    unsigned bad;
};

static void tell(struct diagnosis *diagnosis, bool good, const char *name, char *text) {
    printf("%-5s %-18s %s\n", good ? "ok" : "ODD", name, text);
    diagnosis->bad += !good;
    free(text);
}

/* ---- programs ---- */

static void check_compiler(struct diagnosis *diagnosis) {
    struct base_buffer out = {0};
    const char *argv[] = {SLOWPATH_LLVM_BINDIR "/clang", "--version", NULL};
    int status = base_run(&(struct base_process){.argv = argv, .out = &out, .discard_err = true});
    const char *version = out.data ? strstr(out.data, "version ") : NULL;
    bool good = status == 0 && version && strncmp(version + 8, "19.", 3) == 0;
    int length = version ? (int)strcspn(version, "\n (") : 0;
    if (version)
        length = 8 + (int)strcspn(version + 8, "\n (");
    tell(diagnosis, good, "clang",
         status == 0 && version ? base_format("%.*s in " SLOWPATH_LLVM_BINDIR, length, version)
                                : base_strdup("not in " SLOWPATH_LLVM_BINDIR ": install clang-19"));
    base_buffer_done(&out);
}

static void check_file(struct diagnosis *diagnosis, const char *name, const char *path,
                       const char *hint) {
    bool good = access(path, R_OK) == 0;
    tell(diagnosis, good, name, good ? base_strdup(path) : base_format("no %s: %s", path, hint));
}

static void check_runtime(struct diagnosis *diagnosis) {
    char *path = base_format("%s/lib/slowpath/libruntime.a", base_install_prefix());
    check_file(diagnosis, "runtime", path, "install slowpath again");
    free(path);
    check_file(diagnosis, "linker", SLOWPATH_LLVM_BINDIR "/ld.lld", "install lld-19");
}

/* ---- the machine ---- */

static void check_space(struct diagnosis *diagnosis, const char *name, const char *path,
                        double least) {
    struct statvfs info;
    bool known = statvfs(path, &info) == 0;
    double free_mib = known ? (double)info.f_bavail * (double)info.f_frsize / MIB : 0;
    tell(diagnosis, known && free_mib >= least, name,
         known ? base_format("%.0f MiB are free in %s%s", free_mib, path,
                             free_mib < least ? ": traces of large inputs may not fit" : "")
               : base_format("there is no %s", path));
}

static void check_limits(struct diagnosis *diagnosis) {
    struct rlimit limit;
    bool known = getrlimit(RLIMIT_NOFILE, &limit) == 0;
    tell(diagnosis, known && limit.rlim_cur >= LEAST_FILES, "open files",
         base_format("%llu may be open (ulimit -n)", (unsigned long long)limit.rlim_cur));
    known = getrlimit(RLIMIT_AS, &limit) == 0;
    tell(diagnosis, known && limit.rlim_cur == RLIM_INFINITY, "address space",
         limit.rlim_cur == RLIM_INFINITY
             ? base_strdup("not limited")
             : base_strdup("limited (ulimit -v): shadow memory needs terabytes of addresses"));
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    tell(diagnosis, cores >= 1, "cores", base_format("%ld, as many workers by default", cores));
}

/* A missing folder will be created when needed, if its parent permits it. */
static bool can_be_written(const char *path) {
    char *above = base_strdup(path), *slash;
    while (access(above, F_OK) != 0 && (slash = strrchr(above, '/')) && slash > above)
        *slash = 0;
    struct stat status;
    bool can = stat(above, &status) == 0 && S_ISDIR(status.st_mode) && access(above, W_OK) == 0;
    free(above);
    return can;
}

static void check_cache(struct diagnosis *diagnosis) {
    char *path = cc_cache_folder();
    bool good = can_be_written(path);
    tell(diagnosis, good, "cache", base_format("%s%s", path, good ? "" : " cannot be written to"));
    free(path);
}

static void tell_unneeded(void) {
    printf("%-5s %-18s %s\n", "-", "ptrace, perf", "not needed: costs are counted in the program");
    printf("%-5s %-18s %s\n", "-", "root, network", "not needed");
    printf("%-5s %-18s %s\n", "-", "core pattern",
           "does not matter: crashes are seen without core files");
}

int cli_doctor(const struct cli_values *values, struct base_error *error) {
    struct diagnosis diagnosis = {0};
    const char *temporary = getenv("TMPDIR");
    (void)values;
    check_compiler(&diagnosis);
    check_runtime(&diagnosis);
    check_space(&diagnosis, "shared memory", "/dev/shm", LEAST_SHARED);
    check_space(&diagnosis, "temporary files", temporary ? temporary : "/tmp", LEAST_SHARED);
    check_limits(&diagnosis);
    check_cache(&diagnosis);
    tell_unneeded();
    if (!diagnosis.bad)
        return BASE_OK;
    base_fail(error, BASE_GATE, "%u thing%s odd: see above", diagnosis.bad,
              diagnosis.bad == 1 ? " is" : "s are");
    return (int)error->code;
}
