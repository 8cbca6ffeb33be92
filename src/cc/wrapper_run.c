/* SPDX-License-Identifier: Apache-2.0
 *
 * How the wrapper runs other programs and leaves nothing behind. A signal that asks this process
 * to end is handed to the child that is running; when the child has ended, the temporary folder
 * goes and the signal is raised again. So nothing happens inside a handler that may not.
 */
#include "cc/wrapper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const int endings[] = {SIGINT, SIGTERM, SIGHUP};
static volatile sig_atomic_t caught;
static volatile sig_atomic_t child;
static char *temp_folder;
static bool temp_borrowed;

void cc_say(const char *kind, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fprintf(stderr, "slowpath-cc: %s: ", kind);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

/* ---- temporary files ---- */

char *cc_temp_path(const char *name) {
    if (!temp_folder) {
        const char *parent = getenv("TMPDIR");
        temp_folder = base_format("%s/slowpath-cc-XXXXXX", parent && *parent ? parent : "/tmp");
        if (!mkdtemp(temp_folder)) {
            cc_say("error", "cannot make a temporary folder '%s': %s", temp_folder,
                   strerror(errno));
            exit(1);
        }
    }
    return base_format("%s/%s", temp_folder, name);
}

void cc_temp_borrow(const char *folder) {
    temp_folder = base_strdup(folder);
    temp_borrowed = true;
}

void cc_temp_done(void) {
    if (temp_folder && !temp_borrowed)
        base_remove_tree(temp_folder);
    free(temp_folder);
    temp_folder = NULL;
}

/* ---- children ---- */

static void pass_signal(int number) {
    caught = number;
    if (child > 0)
        kill((pid_t)child, number);
}

static sigset_t ending_signals(void) {
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < BASE_COUNT(endings); i++)
        sigaddset(&set, endings[i]);
    return set;
}

/* A signal that the caller ignores (nohup) stays ignored. */
static void catch_signals(void) {
    static bool caught_already;
    if (caught_already)
        return;
    caught_already = true;
    for (size_t i = 0; i < BASE_COUNT(endings); i++) {
        struct sigaction action = {.sa_handler = pass_signal}, before;
        if (sigaction(endings[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(endings[i], &action, NULL);
    }
}

static void end_if_asked(void) {
    if (!caught)
        return;
    cc_temp_done();
    signal(caught, SIG_DFL);
    raise(caught);
}

static void redirect(const char *path, int flags, int to) {
    int fd = path ? open(path, flags, 0600) : -1;
    if (fd >= 0 && fd != to) {
        dup2(fd, to);
        close(fd);
    }
}

static char **terminated(const struct base_strings *command) {
    char **argv = base_alloc((command->count + 1) * sizeof *argv);
    memcpy(argv, command->data, command->count * sizeof *argv);
    return argv;
}

int cc_become(const struct base_strings *command) {
    char **argv = terminated(command);
    execvp(argv[0], argv);
    cc_say("error", "cannot run '%s': %s", argv[0], strerror(errno));
    free(argv);
    return 127;
}

int cc_run(const struct base_strings *command, const char *input, const char *errors) {
    catch_signals();
    sigset_t blocked = ending_signals(), before;
    fflush(NULL);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    pid_t pid = fork();
    if (pid == 0) {
        child = 0;
        sigprocmask(SIG_SETMASK, &before, NULL);
        redirect(input, O_RDONLY, STDIN_FILENO);
        redirect(errors, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
        _exit(cc_become(command));
    }
    child = pid;
    sigprocmask(SIG_SETMASK, &before, NULL);
    int status = 127 << 8;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    child = 0;
    end_if_asked();
    if (pid < 0)
        cc_say("error", "cannot start '%s': %s", command->data[0], strerror(errno));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- where things are ---- */

const char *cc_clang(void) {
    const char *chosen = getenv("SLOWPATH_CLANG");
    return chosen && *chosen ? chosen : SLOWPATH_LLVM_BINDIR "/clang";
}

const char *cc_include_flag(void) {
    static char *flag;
    const char *prefix = base_install_prefix();
    char *folder = base_format("%s/include", prefix);
    /* The system's own folder is searched anyway, and its place in the order matters. */
    if (!flag && strcmp(prefix, "/usr") != 0 && base_is_directory(folder))
        flag = base_format("-idirafter%s", folder);
    free(folder);
    return flag;
}
