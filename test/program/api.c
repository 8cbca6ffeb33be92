/* SPDX-License-Identifier: Apache-2.0
 *
 * <slowpath.h>: memory filled from the input in order, sizes by name, conditions that end a run,
 * counters of the program's own. Bytes beyond the input's end are zero.
 *
 * RUN: printf '\2abcdef' >in-two; printf '\11abcdef' >in-nine; printf '\3' >in-short
 * RUN: for mode in '' --fresh; do
 * RUN:   %slowpath measure %s --size n=3 --measure count:letters $mode in-two in-nine in-short >table
 * RUN:   %check <table
 * RUN:   %slowpath measure %s --size n=3 $mode in-two in-nine in-short --json - 2>/dev/null >json
 * RUN:   %check --check-prefix=JSON <json
 * RUN: done
 * CHECK: count:letters
 * CHECK-NEXT: in-two {{.*}} 12 {{[0-9.]+}} ms
 * CHECK-NEXT: in-nine {{.*}} 0 {{[0-9.]+}} ms (slowpath_assume was false)
 * CHECK-NEXT: in-short {{.*}} 0 {{[0-9.]+}} ms
 * JSON: "file": "in-two"
 * JSON: "count:letters": 12,
 * JSON: "count:down": -2
 * JSON: "n": 3
 * JSON: "file": "in-nine"
 * JSON: "reason": "slowpath_assume was false"
 * JSON: "rejected": true
 * JSON: "file": "in-short"
 * JSON-NOT: "rejected"
 *
 * A counter that is never used is 0; --size that is not given is 0 as well.
 * RUN: %slowpath measure %s in-two --measure count:nothing | %check --check-prefix=NOTHING
 * NOTHING: in-two {{.*}} 0 {{[0-9.]+}} ms
 *
 * Sixteen names fit; what goes to further ones is reported as lost.
 * RUN: printf '\377' >in-many; %slowpath measure %s in-many 2>&1 | %check --check-prefix=LOST
 * LOST: warning: {{[0-9]+}} counts were lost: slowpath_count has room for 16 names
 *
 * As an ordinary program the functions do nothing.
 * RUN: %cc %s -o prog; ./prog
 */
#include <slowpath.h>
#include <stdio.h>

int main(void) {
    unsigned char repeat = 0;
    char text[3] = "zzz";
    slowpath_symbolic(&repeat, 1, "repeat");
    if (repeat == 255)
        for (int i = 0; i < 20; i++) {
            char name[16];
            snprintf(name, sizeof name, "name %d", i);
            slowpath_count(name, 1);
        }
    slowpath_assume(repeat < 9);
    slowpath_symbolic(text, (size_t)slowpath_size("n"), "text");
    for (int round = 0; round < repeat; round++) {
        for (long i = 0; i < slowpath_size("n"); i++)
            if (text[i])
                slowpath_count("letters", text[i] - 'a' + 1);
        slowpath_count("down", -1);
    }
    return 0;
}
