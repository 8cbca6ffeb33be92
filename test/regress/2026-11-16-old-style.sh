#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A function in the old style takes its small parameters as int and double. The driver passed them as
# they are declared: arguments were wrong, and nothing of them was symbolic.
set -u
. "$(dirname "$0")/../cli/helpers"

cat >t.c <<'C'
int f(c, s, n) char c; short s; int n; {
    int r = 0;
    if (c == 'q') r += 10;
    if (s == -300) r += 20;
    if (n == 77) r += 80;
    return r;
}
#include <slowpath.h>
void all(c, u, s, w, x, d) signed char c; unsigned char u; short s; unsigned short w; float x; double d; {
    if (c == -1 && u == 200 && s == -2 && w == 65535 && x == 1.5f && d == 2.5)
        slowpath_count("seen", 1);
}
C
flags='-std=gnu89 -Wno-everything'
"$slowpath" run t.c --cflags "$flags" --entry 'f(c, s, n)' --strategy exhaustive --jobs 1 --quiet \
    >out 2>err || fail "$(cat err)"
grep -q '^ *8 different paths' out && grep -q '^complete' out || fail "not all paths: $(cat out)"
"$(dirname "$slowpath")/slowpath-cc" -w -std=gnu89 t.c t.c.slowpath/tests/0001.c -o program ||
    fail "the test does not link"
# 1 + 1 + 2 + 2 + 4 + 8 bytes
printf '\377\310\376\377\377\377\0\0\300\77\0\0\0\0\0\0\4\100' >all
"$slowpath" measure t.c --cflags "$flags" --entry all --measure count:seen all >out 2>err || fail "$(cat err)"
awk 'NR > 1 { print $(NF - 2) }' out | grep -qx 1 || fail "other arguments: $(cat out err)"

[ $failures = 0 ] && echo "small parameters arrive" || exit 1
