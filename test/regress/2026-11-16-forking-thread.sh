#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A target that a worker thread had started died with that thread, and the engine with it when it wrote to
# the target. Here evolution stalls, opens the symbolic build in a worker, and other parts follow.
set -eu
slowpath=$1/slowpath
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >t.c <<'C'
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    volatile int sum = 0;
    if (size >= 4 && data[0] * 256 + data[1] == 31337 && (data[2] ^ data[3]) == 77)
        for (size_t i = 0; i < size; i++)
            sum += data[i];
    return sum;
}
C
"$slowpath" run t.c --jobs 2 --time 4 --quiet --out s >out 2>err || { cat out err; exit 1; }
[ -s s/suite.json ] || { echo "FAILED: no suite"; cat out err; exit 1; }
grep -q 'followed' out || { echo "FAILED: nothing was followed, so nothing was tested"; cat out; exit 1; }
