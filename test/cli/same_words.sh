#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The same words describe the same target, whether it is searched, measured, replayed or compared.
set -u
. "$(dirname "$0")/helpers"

right() { # ARG...
    "$slowpath" "$@" >out 2>err </dev/null || fail "exit code $?: $* ($(cat err))"
}

# A harness and the bytes of its input.
cat >h.c <<'C'
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    volatile int sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += data[i];
    return 0;
}
C
right run h.c --size 4 --strategy random --runs 100 --jobs 1 --quiet --out s
right measure h.c --size 4 s/tests/0001.input
with=$(sed 's/[0-9.]* ms//' out)
right measure h.c s/tests/0001.input
[ "$with" = "$(sed 's/[0-9.]* ms//' out)" ] || fail "--size 4 changes what 4 bytes cost: $with / $(cat out)"
right replay s --size 4
right compare h.c h.c s --size 4

# An entry says itself how many bytes it takes.
cat >t.c <<'C'
int total(const int *a, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i];
    return sum;
}
C
head -c 8 /dev/zero >eight
wrong 'write --size NAME=VALUE' run t.c --entry 'total(a[n], n)' --size 8
wrong 'write --size NAME=VALUE' measure t.c --entry 'total(a[n], n)' --size 8 eight
right run t.c --entry 'total(a[n], n)' --size n=2 --strategy random --runs 100 --jobs 1 --quiet --out e
wrong 'write --size NAME=VALUE' replay e --size 8
wrong 'write --size NAME=VALUE' compare t.c t.c e --size 8

# Arguments of a program behind "--".
cat >p.c <<'C'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    volatile int turns = argc > 1 ? atoi(argv[1]) : 0, sum = 0;
    for (int i = 0; i < turns; i++)
        sum += getchar();
    return 0;
}
C
right run p.c --stdin 2 --strategy random --runs 20 --jobs 1 --quiet --out p -- 10
right replay p
right replay p -- 10
"$slowpath" replay p -- 20 >out 2>err && fail "more turns do not cost more"
grep -q 'COSTS MORE' out || fail "replay with other arguments says $(cat out)"
right replay p --args 5
grep -q cheaper out || fail "replay --args says $(cat out)"
[ $failures = 0 ] && echo "the same words everywhere"
