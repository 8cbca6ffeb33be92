/* SPDX-License-Identifier: Apache-2.0
 *
 * A target that forks: the copy ends where its run ends, never goes on with the series, and leaves
 * nothing running. What it counts is part of the run.
 *
 * RUN: for c in a b c d e; do printf $c >in-$c; done
 * RUN: %slowpath measure %s in-a in-b in-c in-d --measure count:status >persistent; %check <persistent
 * RUN: %slowpath measure %s in-a in-b in-c in-d --measure count:status --fresh | %check
 * CHECK: in-a ok {{.*}} 0 {{[0-9.]+}} ms
 * CHECK-NEXT: in-b ok {{.*}} 3 {{[0-9.]+}} ms
 * CHECK-NEXT: in-c ok {{.*}} 5 {{[0-9.]+}} ms
 * CHECK-NEXT: in-d ok {{.*}} 0 {{[0-9.]+}} ms
 *
 * One of 400 copies that stay is refused. Which one depends on what else runs, so the costs differ.
 * RUN: %slowpath measure %s in-e >many 2>&1 || [ $? = 4 ]; if grep -i crash many; then exit 1; fi
 *
 * The copy that sleeps for an hour (d) was ended with the worker that made it.
 * RUN: if pgrep -f slowpath_forks_sleeper >/dev/null 2>&1; then echo "a copy is left" >&2; exit 1; fi
 */
#include <slowpath.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int act_as_copy(int what) {
    if (what == 'b')
        exit(3);
    if (what == 'c')
        _exit(5);
    return 0;
}

static int start_many(void) {
    for (int i = 0; i < 400; i++) {
        pid_t copy = fork();
        if (copy == 0)
            pause();
        if (copy < 0)
            return 0;
    }
    __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    int what = size ? data[0] : 0, status = 0;
    if (what == 'e')
        return start_many();
    pid_t copy = fork();
    if (copy == 0 && what == 'd') {
        execlp("sleep", "slowpath_forks_sleeper", "3600", (char *)NULL);
        _exit(1);
    }
    if (copy == 0)
        return act_as_copy(what);
    if (what != 'd')
        waitpid(copy, &status, 0);
    slowpath_count("status", WEXITSTATUS(status));
    return 0;
}
