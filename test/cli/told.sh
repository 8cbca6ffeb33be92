#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a search says of its end: why it is not complete, which inputs it ended and by which limit, and
# which functions of one name are counted. Its status line is no wider than the terminal.
set -u
. "$(dirname "$0")/helpers"

# Each input that begins with a bang never ends, and the search gives it less than the user does.
cat >slow.c <<'C'
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    volatile int go = size > 1 && data[0] == '!';
    while (go)
        ;
    return 0;
}
C
mkdir seeds
printf '!!!!' >seeds/bang
printf 'abcd' >seeds/plain
# The first seed is looked at before the search begins; it must not take all that a run may take.
began=$(date +%s)
"$slowpath" run slow.c --strategy evolve --seeds seeds --time 1 --jobs 1 --quiet --out s >out 2>err ||
    fail "slow.c: $(cat err)"
took=$(($(date +%s) - began))
[ $took -lt 10 ] || fail "a search of one second took $took"
grep -q '^slow/0001.input    over 0.[0-9]* s: input of [0-9]* bytes (the search gives a run no longer; --limit-time is 10 s)' out ||
    fail "the limit is not told: $(cat out)"
sed -n 2p out | grep -q '^slow/.*over' || fail "slow inputs do not come first: $(cat out)"
"$slowpath" run slow.c --strategy random --size 4 --seeds seeds --limit-time 0.1 --runs 20 --jobs 1 --quiet \
    --out s >out 2>err || fail "slow.c: $(cat err)"
grep -q '^slow/0001.input    over 0.1 s: input of 4 bytes$' out || fail "--limit-time is not told: $(cat out)"

grep -q '"file": "slow/0001.input"' s/suite.json && [ ! -e s/faults ] && [ "$(head -c 1 s/slow/0001.input)" = '!' ] ||
    fail "it is not with the result: $(cat s/suite.json)"

# Why: in the words of the counters, or of the strategy.
grep -q '^not complete: all runs are used up (--runs); .* runs that took too long' out || fail "$(cat out)"
grep -q '"incomplete": \[' s/suite.json || fail "suite.json does not tell why"
cat >t.c <<'C'
int f(int x) { if (x > 3) return 1; return 2; }
C
"$slowpath" run t.c --entry f --strategy climb --runs 50 --jobs 1 --quiet >out 2>err
grep '^not complete' out | grep -q ': .' || fail "no reason: $(cat out)"
"$slowpath" run t.c --entry f --strategy exhaustive --jobs 1 --quiet >out 2>err
grep -q '^complete' out && grep -q '"incomplete": \[\]' t.c.slowpath/suite.json || fail "$(cat out)"

# Static functions of one name are numbered by name, in the order of the files.
echo 'static int one(int x) { return x + 1; } static int two(int x) { return x * 2; } int a(int x) { return one(x) + two(x); }' >a.c
echo 'static int one(int x) { return x + 3; } static int two(int x) { return x * 4; } int b(int x) { return one(x) + two(x) + two(x); }' >b.c
echo 'static int two(int x) { return x * 5; } int a(int), b(int); int top(int x) { return a(x) + b(x) + two(x) + two(x) + two(x); }' >c.c
printf '\1\0\0\0' >input
calls() { # COUNT FUNCTION
    "$slowpath" measure a.c b.c c.c --entry 'top(x)' --measure "calls:$2" -- input >out 2>err
    awk 'NR > 1 { print $(NF - 2) }' out | grep -qx "$1" || fail "calls:$2: $(cat out err)"
}
calls 2 one
grep -q 'counts all 2 functions of that name' err || fail "does not say which are counted: $(cat err)"
calls 1 one.1
[ ! -s err ] || fail "one function is not enough: $(cat err)"
calls 6 two
calls 2 two.1
calls 3 two.2
"$slowpath" measure a.c b.c c.c --entry 'two.2(x)' -- input >out 2>err || fail "two.2: $(cat err)"
"$slowpath" measure a.c b.c c.c --entry 'two.3(x)' -- input >out 2>err && fail "there is no two.3"

# A narrow terminal: no status line is wider.
cat >sort.c <<'C'
void sort(int *a, int n) {
    for (int i = 1; i < n; i++) {
        int x = a[i], j = i - 1;
        for (; j >= 0 && a[j] > x; j--)
            a[j + 1] = a[j];
        a[j + 1] = x;
    }
}
C
if command -v script >/dev/null; then
    script -qec "stty cols 30; $slowpath run sort.c --entry 'sort(a[n],n)' --size n=10 --strategy exhaustive --jobs 1 --time 1 --out narrow >out" \
        /dev/null </dev/null >typed 2>&1
    tr '\r' '\n' <typed | sed 's/\x1b\[K//g' | grep ' paths\| s  ' >lines
    [ -s lines ] || fail "no status line: $(cat typed)"
    awk 'length($0) > 29' lines >wide
    [ ! -s wide ] || fail "wider than the terminal: $(head -n 1 wide)"
fi

[ $failures = 0 ] && echo "it is told" || exit 1
