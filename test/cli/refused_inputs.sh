#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What never ends, what waits for a writer and what no memory holds is refused with one line.
set -u
. "$(dirname "$0")/helpers"

cat >t.c <<'C'
#include <stddef.h>
#include <stdint.h>
int sum;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (size_t i = 0; i < size; i++)
        sum += data[i];
    return 0;
}
C
cat >f.c <<'C'
int f(int *a, int n) {
    return n ? a[0] : 0;
}
C
mkfifo pipe
mkdir folder

for thing in pipe /dev/zero; do
    wrong "cannot read '$thing': it is a" measure t.c $thing
    wrong "cannot read '$thing': it is a" run t.c --seeds $thing --runs 1
    wrong "cannot read '$thing': it is a" run t.c --size 4 --dict $thing --runs 1
    wrong "cannot read '$thing': it is a" run t.c --template $thing --runs 1
done
wrong "cannot read 'folder': Is a directory" run t.c --size 4 --dict folder --runs 1
wrong "cannot read 'folder': Is a directory" run t.c --template folder --runs 1

wrong "at most 1073741824" run t.c --size 1e11 --runs 1
wrong "at most 1073741824" run t.c --size 100000000000 --runs 1
wrong "to 1073741824 is wanted" grow suite 1 --size 1e11
wrong "at most 4294967296" run f.c --entry 'f(a[n], n)' --size n=100000000000 --runs 1

# What somebody opened for us is as good as a file, and so is nothing at all.
printf hello | "$slowpath" measure t.c - >out 2>err || fail "standard input: $(cat err)"
printf hello | "$slowpath" measure t.c /dev/stdin >out 2>err || fail "/dev/stdin: $(cat err)"
"$slowpath" measure t.c /dev/null >out 2>err || fail "/dev/null: $(cat err)"

[ $failures = 0 ]
