#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A search that is killed, interrupted or out of time goes on with --resume and ends like one that
# was left alone; a suite folder is never half-written; replay is a gate.
set -u
. "$(dirname "$0")/helpers"

number() { # NAME FILE
    sed -n "s/^ *\"$1\": \([0-9]*\),/\1/p" "$2" | head -n 1
}

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
run="$slowpath run sort.c --entry sort(arr[n],n) --size n=7 --strategy exhaustive --jobs 1"

$run --out whole --quiet >out 2>err || fail "the whole search: $(cat err)"
[ "$(number paths whole/suite.json)" = 5040 ] || fail "the whole has $(number paths whole/suite.json)"

# In pieces of some hundred runs, each with its own suite.
$run --out pieces --runs 600 --quiet >out 2>err || fail "the first piece: $(cat err)"
grep -q 'not complete: all runs are used up' out || fail "the first piece says $(cat out)"
grep -q -- '--resume continues' out || fail "the first piece does not tell of --resume"
[ "$(number paths pieces/suite.json)" -ge 600 ] || fail "the first piece has too few paths"
for runs in 2000 3500 100000; do
    $run --out pieces --runs $runs --resume --quiet >out 2>err || fail "a piece: $(cat err)"
done
[ "$(number paths pieces/suite.json)" = 5040 ] || fail "pieces: $(number paths pieces/suite.json)"
[ "$(number runs pieces/suite.json)" = 5040 ] || fail "pieces: $(number runs pieces/suite.json) runs"
grep -q '"complete": true' pieces/suite.json || fail "the pieces are not complete"
diff -r whole/tests pieces/tests >diff || fail "the pieces give other tests: $(head -n 3 diff)"

# A range of sizes: what a size could not finish goes on where it was.
run="$slowpath run sort.c --entry sort(arr[n],n) --size n=0..6 --strategy exhaustive --jobs 1 --quiet"
$run --out sizes >out 2>err || fail "the whole range: $(cat err)"
$run --out some --runs 100 >out 2>err || fail "the first piece of a range: $(cat err)"
grep -q -- '--resume continues' out || fail "the first piece of a range does not tell of --resume"
for runs in 400 100000; do
    $run --out some --runs $runs --resume >out 2>err || fail "a piece of a range: $(cat err)"
done
grep -q 'paths by n: 1 at 0, 1 at 1, 2 at 2, 6 at 3, 24 at 4, 120 at 5, 720 at 6' out || fail "a range in pieces: $(cat out)"
[ "$(number runs some/suite.json)" = 874 ] || fail "a range in pieces: $(number runs some/suite.json) runs"
grep -q '^complete: ' out || fail "a range in pieces is not complete"
diff -r sizes/tests some/tests >diff || fail "a range in pieces gives other tests: $(head -n 3 diff)"

# driven proposes what it proposed before, and tries only what was not tried.
cat >heap.c <<'C'
static int heap[16], size;
int run(const int *a, int n) {
    int sum = 0;
    size = 0;
    for (int i = 0; i < n; i++) {
        int at = size++;
        for (; at && heap[(at - 1) / 2] > a[i]; at = (at - 1) / 2)
            heap[at] = heap[(at - 1) / 2];
        heap[at] = a[i];
    }
    while (size) {
        int at = 0, x = heap[--size];
        sum ^= heap[0];
        for (int child; (child = 2 * at + 1) < size; at = child) {
            if (child + 1 < size && heap[child + 1] < heap[child])
                child++;
            if (heap[child] >= x)
                break;
            heap[at] = heap[child];
        }
        heap[at] = x;
    }
    return sum;
}
C
run="$slowpath run heap.c --entry run(a[n],n) --strategy driven --policy worst --jobs 1 --quiet"
for size in n=6 n=4..6; do
    $run --size $size --out driven --force >out 2>err || fail "driven at $size: $(cat err)"
    proposed=$(sed -n 's/^ *\([0-9]*\) traces that.*/\1/p' out)
    $run --size $size --out part --force --runs 4 >out 2>err || fail "a piece of driven: $(cat err)"
    grep -q -- '--resume continues' out || fail "a piece of driven ends with $(tail -n 2 out)"
    $run --size $size --out part --resume >out 2>err || fail "driven goes on at $size: $(cat err)"
    grep -q "^complete: nothing costs more" out || fail "driven in pieces at $size: $(cat out)"
    grep -q "^ *$proposed traces that" out || [ $size != n=6 ] || fail "$proposed traces, then $(cat out)"
    diff -r driven/tests part/tests >diff || fail "driven in pieces gives other tests: $(head -n 3 diff)"
done

# Killed in mid-search: the state is there and whole, and what goes on from it ends as it should.
run="$slowpath run sort.c --entry sort(arr[n],n) --size n=11 --strategy exhaustive --jobs 1"
$run --out killed >out 2>err &
child=$!
for wait in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    grep -q 'paths' err && break
    sleep 0.5
done
kill -9 $child
wait $child 2>/dev/null
reported=$(sed -n 's/^ *[0-9.]* s  \([0-9]*\) paths.*/\1/p' err | tail -n 1)
best=$(sed -n 's/.*best \([0-9]*\) .*/\1/p' err | tail -n 1)
[ -n "$reported" ] || fail "no status line: $(cat err)"
[ -f killed/state ] || fail "no state after kill -9"
[ ! -e killed/suite.json ] || fail "a suite that was not finished"
$run --out killed --resume --runs 1 --quiet >out 2>err || fail "after kill -9: $(cat err)"
[ "$(number paths killed/suite.json)" -ge "${reported:-1}" ] || fail "paths were lost by kill -9"
[ "$(number instructions killed/suite.json)" -ge "${best:-1}" ] || fail "a test was lost by kill -9"
[ "$(ls)" = "$(ls | grep -v tmp)" ] || fail "temporary folders are left: $(ls)"

# Ctrl-C keeps what was found.
$run --out stopped >out 2>err &
child=$!
sleep 1.5
kill -INT $child
wait $child
status=$?
[ $status = 0 ] || fail "exit code $status after Ctrl-C: $(cat err)"
grep -q 'interrupted' out || fail "after Ctrl-C: $(cat out)"
[ -f stopped/tests/0010.input ] || fail "no tests after Ctrl-C"
grep -q '"end": "stopped"' stopped/suite.json || fail "suite.json does not say that it was stopped"

# Time.
$run --out timed --time 1 --quiet >out 2>err || fail "--time 1: $(cat err)"
grep -q 'time is up' out || fail "--time 1 says $(cat out)"

# replay: the same, dearer, within a tolerance, cheaper, crashing.
replay() { # STATUS TEXT ARG...
    want=$1 text=$2
    shift 2
    "$slowpath" replay "$@" >out 2>err
    status=$?
    [ $status = "$want" ] || fail "replay $*: exit code $status instead of $want ($(cat err))"
    grep -qF -- "$text" out || fail "replay $*: does not say '$text' ($(cat out))"
}
replay 0 '10 of 10 tests hold' whole
sed 's/int x = a/volatile int more = 1; more++; int x = a/' sort.c >slower.c
replay 1 'COSTS MORE' whole --target slower.c
replay 0 'within the tolerance' whole --target slower.c --threshold 50
sed 's/int x = a/if (n > 6) break; int x = a/' sort.c >faster.c
replay 0 'cheaper' whole --target faster.c
sed 's/int x = a/if (n > 6) __builtin_trap(); int x = a/' sort.c >worse.c
replay 1 'DOES NOT END WELL (crash)' whole --target worse.c
"$slowpath" replay whole --json - 2>/dev/null | grep -q '"holds": true' || fail "replay --json"

# A second search takes the place of the first; --json is the suite.
"$slowpath" run sort.c --entry 'sort(arr[n], n)' --size n=3 --strategy random --runs 100 --seed 7 \
    --tests 3 --out whole --json - 2>err >json || fail "replacing: $(cat err)"
cmp -s json whole/suite.json || fail "--json is not suite.json"
[ "$(ls whole/tests | wc -l)" = 6 ] || fail "the old tests are still there: $(ls whole/tests)"
grep -q '"strategy": "random"' json || fail "it is not random's"

[ $failures = 0 ] && echo "searches go on where they were" || exit 1
