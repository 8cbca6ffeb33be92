/* SPDX-License-Identifier: Apache-2.0
 *
 * A target that calls exit in mid-run ends the run, not the series; so do _exit and quick_exit. The
 * counts go up to there. In a fresh process the functions registered with atexit run as usual.
 *
 * RUN: for c in a b c d e; do printf $c >in-$c; done
 * RUN: %slowpath measure %s in-a in-b in-c in-d in-e --measure count:after --json json | %check
 * RUN: grep '"restarts": 0' json
 * RUN: %slowpath measure %s in-a in-b in-c in-d in-e --measure count:after --fresh | %check
 * CHECK: in-a ok {{.*}} 0 {{[0-9.]+}} ms (exit 7)
 * CHECK-NEXT: in-b ok {{.*}} 0 {{[0-9.]+}} ms (exit 8)
 * CHECK-NEXT: in-c ok {{.*}} 0 {{[0-9.]+}} ms (exit 9)
 * CHECK-NEXT: in-d ok {{.*}} 0 {{[0-9.]+}} ms{{$}}
 * CHECK-NEXT: in-e ok {{.*}} 1 {{[0-9.]+}} ms{{$}}
 */
#include <slowpath.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    switch (size ? data[0] : 0) {
    case 'a':
        exit(7);
    case 'b':
        _exit(8);
    case 'c':
        quick_exit(9);
    case 'd':
        exit(0);
    }
    slowpath_count("after", 1);
    return 0;
}
