#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# --fleet: one run finds what only the seeds of another lead to; names, streams and resuming; a folder
# with torn, foreign and other files, one that does not answer and one that is full harm no search.
set -u
. "$(dirname "$0")/helpers"

best() { # SUITE: the cost of its first test
    sed -n 's/^ *"instructions": \([0-9]*\).*/\1/p' "$1/suite.json" | head -n 1
}

# Loops only behind eight bytes that nobody guesses, as their checksum alone is compared.
cat >lock.c <<'C'
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint64_t sum = 0;
    volatile int work = 0;
    if (size < 12)
        return 0;
    for (int i = 0; i < 8; i++)
        sum = (sum ^ data[i]) * 0x9e3779b97f4a7c15u;
    if (sum != 0xc7ab125af80c179cu)
        return 0;
    for (size_t i = 8; i < size; i++)
        for (int turns = data[i]; turns; turns--)
            work++;
    return work & 1;
}
C
mkdir seeds
printf 'sesame!!abcd' >seeds/one
run="$slowpath run lock.c --size 12 --jobs 1 --tests 2 --time 0"

# One has the seed, the other does not: it gets what the first one found.
$run --strategy evolve --runs 2000 --seeds seeds --fleet ships --fleet-name a >out 2>err || fail "a: $(cat err)"
[ -f ships/a/suite/suite.json ] || fail "a has no suite in its folder"
with=$(best ships/a/suite)
$run --strategy evolve --runs 2000 --out alone --quiet >out 2>err || fail "alone: $(cat err)"
[ "$with" -gt "$(($(best alone) * 5))" ] || fail "the seed does not matter: $with"
for strategy in evolve random climb auto; do
    $run --strategy $strategy --runs 50 --fleet ships --fleet-name b-$strategy >out 2>err || fail "$strategy: $(cat err)"
    [ "$(best ships/b-$strategy/suite)" -ge "$with" ] || fail "$strategy has not taken what a found: $(cat out)"
    grep -q '^fleet: [0-9]* inputs* of [0-9]* others* taken, [1-9]' out || fail "$strategy says $(cat out)"
done
"$slowpath" replay ships/b-random/suite --quiet >out 2>err || fail "replay: $(cat out err)"
grep -q '"fleet": {' ships/b-random/suite/suite.json || fail "the suite does not tell of the fleet"

# Alone with its name a search repeats itself; with another name it draws other numbers.
cat >sum.c <<'C'
void sum(unsigned char *a, int n) {
    volatile int work = 0;
    for (int i = 0; i < n; i++)
        for (int turns = a[i]; turns; turns--)
            work++;
}
C
for name in x/first x/second y/third; do
    "$slowpath" run sum.c --entry 'sum(a[n], n)' --size n=8 --strategy random --runs 300 --jobs 1 --time 0 \
        --fleet "${name#*/}" --fleet-name "${name%/*}" --quiet >out 2>err || fail "$(cat err)"
done
cmp -s first/x/suite/tests/0001.input second/x/suite/tests/0001.input || fail "x does not repeat itself"
cmp -s first/x/suite/tests/0001.input third/y/suite/tests/0001.input && fail "x and y do the same"

# Without a name: by the suite's folder, the same when it is resumed.
$run --strategy evolve --runs 500 --fleet ships --out c >out 2>err || fail "c: $(cat err)"
name=$(sed -n "s/.*this is '\(.*\)' in .*/\1/p" err)
$run --strategy evolve --runs 900 --fleet ships --out c --resume >out 2>err || fail "resume: $(cat err)"
grep -q "this is '$name' in" err || fail "a resumed run is not $name: $(cat err)"
$run --fleet ships --resume >out 2>err && fail "an unnamed run is resumed"
grep -q -- '--fleet-name NAME or --out DIR' err || fail "it does not say which to resume: $(cat err)"
for words in '--fleet-name d' '--fleet ships --fleet-name a/b' '--fleet lock.c'; do
    # shellcheck disable=SC2086 # several words
    $run --runs 1 $words >out 2>err
    code=$?
    [ "$code $(wc -l <err)" = '2 1' ] || fail "$words: exit $code, $(cat err)"
done

# Another target in the same folder is ignored, with one line; so are torn files and whatever else lies there.
sed 's/work++/work += 2/' lock.c >other.c
first=$(find ships/a -name '*.bundle' | head -n 1)
mkdir ships/torn
head -c 100 "$first" >"ships/torn/$(basename "$first")"
mkfifo "ships/torn/00000009-0123456789abcdef0123456789abcdef.bundle"
"$slowpath" run other.c --size 12 --jobs 1 --time 0 --strategy random --runs 9 --fleet ships --fleet-name o >out 2>err ||
    fail "other: $(cat err)"
[ "$(grep -c 'holds finds of another target' err)" = 1 ] || fail "another target: $(cat err)"
grep -q '^fleet: 0 inputs of 0 others taken, 0 records.*; 1 torn file' out || fail "another target: $(cat out)"

# A folder that stalls, or is full: told, and the suite is there.
SLOWPATH_FAULT=stall:3+ $run --strategy random --runs 99 --fleet ships --fleet-name s >out 2>err || fail "stall: $(cat err)"
grep -q 'ships does not answer' err || fail "a stall is not told: $(cat err)"
[ -f ships/s/suite/suite.json ] || fail "no suite where the folder stalls"

[ $failures = 0 ]
