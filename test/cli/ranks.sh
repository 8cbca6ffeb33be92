#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Under mpirun the same command is one search on several ranks: the same suite as one process makes,
# no path twice, nothing lost when a rank is killed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
slowpath=$(cd "$1" && pwd)/slowpath
if ! command -v mpirun >/dev/null || [ ! -e "$1/../lib/slowpath/slowpath-mpi.so" ]; then
    echo "skipped: for want of MPI (Debian: openmpi-bin, libopenmpi-dev)"
    exit 0
fi
failures=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
if [ "$(id -u)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

number() { # NAME FILE
    sed -n "s/^ *\"$1\": \([0-9]*\),/\1/p" "$2" | head -n 1
}

# All but times, and what there is of workers.
same_suite() { # FOLDER FOLDER
    diff -r "$1/tests" "$2/tests" >/dev/null || return 1
    for folder in "$1" "$2"; do
        grep -v -E '"(seconds|build_seconds|outside_target|jobs|ranks|smt_seconds|folder)":' "$folder/suite.json" >"$folder.told"
    done
    diff "$1.told" "$2.told"
}

ranks() { # NUMBER ARG...
    count=$1
    shift
    timeout 60 mpirun --oversubscribe -n "$count" "$slowpath" "$@"
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
run="run sort.c --entry sort(arr[n],n) --strategy exhaustive"

# The suite of one worker, and its runs.
$slowpath $run --size n=5 --jobs 1 --out one --quiet >out 2>&1 || fail "alone: $(cat out)"
ranks 3 $run --size n=5 --out three --quiet >out 2>&1 || fail "3 ranks: $(cat out)"
[ "$(number runs three/suite.json)" = 120 ] || fail "3 ranks make $(number runs three/suite.json) runs"
[ "$(number ranks three/suite.json)" = 3 ] || fail "ranks are not told"
same_suite one three || fail "3 ranks make another suite"
[ ! -e three/ranks ] || fail "files of ranks are left"

# A search that is cut short goes on, with any number of ranks, also alone.
ranks 3 $run --size n=7 --runs 1000 --out part --quiet >out 2>&1 || fail "1000 runs: $(cat out)"
[ "$(number runs part/suite.json)" -le 1000 ] || fail "more runs than --runs allows"
ranks 2 $run --size n=7 --runs 1600 --resume --out part --quiet >out 2>&1 || fail "1600 runs: $(cat out)"
[ "$(number runs part/suite.json)" -le 1600 ] && [ "$(number runs part/suite.json)" -gt 1200 ] ||
    fail "1600 runs in all: $(number runs part/suite.json)"
$slowpath $run --size n=7 --out part --resume --quiet >out 2>&1 || fail "alone again: $(cat out)"
[ "$(number runs part/suite.json)" = 5040 ] || fail "alone again: $(number runs part/suite.json) runs"
grep -q '"complete": true' part/suite.json || fail "alone again: not complete"

# A rank that is killed ends the job; what was on disk at one moment of all ranks is enough to go on.
cat >slow.c <<'C'
#include <unistd.h>
void slow(int *a, int n) {
    for (int i = 1; i < n; i++) {
        int x = a[i], j = i - 1;
        for (; j >= 0 && a[j] > x; j--)
            a[j + 1] = a[j];
        a[j + 1] = x;
    }
    usleep(4000);
}
C
slow="run slow.c --entry slow(arr[n],n) --size n=6 --strategy exhaustive --time 120 --quiet"
mpirun --oversubscribe -n 3 "$slowpath" $slow --out killed >out 2>&1 &
launcher=$!
waits=0
until [ -e killed/ranks/whole ] || [ "$waits" = 400 ]; do
    sleep 0.05
    waits=$((waits + 1))
done
victim=$(grep -l -s "^PPid:[^0-9]*$launcher\$" /proc/[0-9]*/status | tail -n 1)
victim=$(echo "$victim" | cut -d / -f 3)
[ -n "$victim" ] || fail "no rank is found"
kill -9 "$victim"
wait
ranks 2 $slow --out killed --resume >out 2>&1 || fail "after a kill: $(cat out)"
[ "$(number paths killed/suite.json)" = 720 ] || fail "after a kill: $(number paths killed/suite.json) paths"
grep -q '"complete": true' killed/suite.json || fail "after a kill: not complete"

# auto explores on all ranks as long as there are paths left.
ranks 2 run sort.c --entry 'sort(arr[n],n)' --size n=6 --time 60 --out auto --quiet >out 2>&1 || fail "auto: $(cat out)"
grep -q '"complete": true' auto/suite.json || fail "auto: not complete"

# What rank 0 does alone is still done by all: batches of the beam, traces of the oracle, small sizes of scale. The suite
# is that of one worker. Traces behind the one that is the proof are tried in vain, so runs and questions differ there.
for line in 'beam n=7 --time 0' 'scale n=40 --time 20' 'driven n=10 --time 20'; do
    set -- $line
    words="run sort.c --entry sort(arr[n],n) --size $2 --strategy $1 $3 $4"
    $slowpath $words --jobs 1 --out "$1.one" --quiet >out 2>&1 || fail "$1 alone: $(cat out)"
    ranks 3 $words --out "$1.three" --verbose >$1.told 2>&1 || fail "$1 on 3 ranks: $(cat $1.told)"
    diff -r "$1.one/tests" "$1.three/tests" >/dev/null || fail "$1 makes other tests on 3 ranks"
    [ "$1" = driven ] || same_suite "$1.one" "$1.three" >out || fail "$1 makes another suite on 3 ranks: $(cat out)"
done
grep -q '[1-9][0-9]* pieces of that done by other ranks' beam.told || fail "what others do for beam is not told: $(cat beam.told)"
ranks 2 run sort.c --entry 'sort(arr[n],n)' --size n=3..4 --strategy beam --runs 200 --out sizes >out 2>&1
grep -q 'beam over a range of sizes runs on one rank' out || fail "does not say that it is alone: $(cat out)"

# Summaries of a pipeline's stages.
for name in words lsort; do
    "$slowpath-cc" -O1 -o $name "$here/../../examples/pipe/$name.c" || fail "$name does not build"
done
ranks 3 pipe './words | ./lsort' --compose 8 --library off --strategy compose --time 2 --out pipe >out 2>&1 ||
    fail "a pipeline: $(cat out)"
grep -q 'inputs of 8 bytes from [2-9]' out || fail "nothing is composed: $(cat out)"
grep -q '[1-9] summaries were made by other ranks' out || fail "all summaries are rank 0's: $(cat out)"

# Islands: each rank has its share of the runs and its own random numbers.
cat >words.c <<'C'
#include <stddef.h>
#include <stdint.h>
volatile int sink;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (size_t i = 0; i < size; i++)
        for (size_t k = 0; data[i] == '<' && k < i; k++)
            sink++;
    return 0;
}
C
ranks 2 run words.c --size 32 --strategy evolve --runs 4000 --out islands --quiet >out 2>&1 || fail "islands: $(cat out)"
[ "$(number runs islands/suite.json)" -le 4000 ] && [ "$(number runs islands/suite.json)" -gt 2000 ] ||
    fail "islands make $(number runs islands/suite.json) runs"

# What is superlinear is found on any rank and grown by rank 0.
ranks 2 run words.c --strategy patterns --runs 10000 --time 0 --out grown --quiet >out 2>&1 || fail "patterns: $(cat out)"
grep -q '"law": "O(n^2)"' grown/suite.json || fail "patterns: no finding"

# One line says what is wrong, and not each rank.
ranks 3 run none.c --out none >out 2>&1 && fail "a file that is not there"
[ "$(grep -c '^slowpath run:' out)" = 1 ] || fail "said more than once: $(cat out)"

# Ranks that do not have the same to do do nothing.
timeout 60 mpirun --oversubscribe -n 1 "$slowpath" $run --size n=4 --out mixed : -n 1 "$slowpath" $run --size n=5 --out mixed >out 2>&1
[ $? = 2 ] && [ "$(grep -c '^slowpath run: rank 1 has another target or other options' out)" = 1 ] ||
    fail "other options on rank 1: $(cat out)"

[ "$failures" = 0 ] && echo "ranks make one search"
exit "$failures"
