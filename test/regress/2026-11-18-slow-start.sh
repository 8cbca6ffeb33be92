#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A start that takes longer than a run may take in a short search: evolution counted it among what is too slow, and it was in no suite.
set -u
slowpath=$(cd "$1" && pwd)/slowpath
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
cat >slow.c <<'C'
#include <stdio.h>
#include <unistd.h>
int main(void) {
    volatile int sum = 0;
    if (getchar() != 'x')
        return 0;
    usleep(300000);
    for (int i = 0; i < 1000; i++)
        sum += i;
    return 0;
}
C
printf x >in
"$slowpath-cc" -o slow slow.c || exit 1
"$slowpath" run slow --stdin 1 --seeds in --strategy evolve --time 10 --runs 8 --jobs 1 --seed 1 --out suite --quiet >out 2>&1 || {
    echo "FAIL: $(cat out)"
    exit 1
}
[ "$(cat suite/tests/0001.input)" = x ] || {
    echo "FAIL: the start is not the costliest test: $(cat out)"
    exit 1
}
