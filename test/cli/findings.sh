#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Findings: the screen that a run ends with, show and minimize with their wrong usage, and a suite without near copies.
set -u
. "$(dirname "$0")/helpers"

cat >t.c <<'C'
#include <stddef.h>
#include <stdint.h>
static volatile int ends;
static void find_end(const uint8_t *data, size_t size) {
    for (size_t i = 0; i < size && data[i] != ']'; i++)
        ends++;
}
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (data[i] == '[')
            find_end(data + i, size - i);
    return 0;
}
C
# A screen is for a terminal; a pipe has the lines of old.
script -qec "$slowpath run t.c --strategy patterns --jobs 1 --time 0 --runs 6000 --max-size 4096 --out suite --time-it" \
    /dev/null >screen 2>&1 </dev/null || fail "run on a terminal: $(cat screen)"
grep -q 'F1   O(n^2) .*find_end (t.c:5) .*repeat unit="\["' screen || fail "no finding on the screen: $(cat screen)"
grep -q 'loop in LLVMFuzzerTestOneInput (t.c:9) x loop in find_end (t.c:5)' screen || fail "no cause: $(cat screen)"
[ "$(wc -l <screen)" -le 24 ] || fail "more than a screen: $(cat screen)"
grep -q 'grows as' screen && fail "the screen tells everything"
"$slowpath" run t.c --strategy patterns --jobs 1 --time 0 --runs 6000 --max-size 4096 --out plain --quiet >out 2>err ||
    fail "run: $(cat err)"
grep -q 'tests/0001.input grows as' out || fail "a pipe has not the lines of old"
grep -q 'F1   O(n^2)' out || fail "a pipe has no findings"
cmp -s plain/tests/0001.input suite/tests/0001.input || fail "--time-it changes the tests"
grep -q '"seconds": {' suite/suite.json || fail "--time-it takes no time"

[ ! -e plain/found.jsonl ] || fail "found.jsonl stays after a run that ended in order"

# Growth needs room: an input that is too short for it is told.
"$slowpath" run t.c --size 100 --jobs 1 --time 0 --runs 50 --out little >out 2>err || fail "run of small inputs: $(cat err)"
grep -q 'at most 100 bytes are too short to show how costs grow' err || fail "nothing is said of small inputs: $(cat err)"

# A law that comes as the search ends has its place all the same.
laws=0
for runs in 173 174 175 176; do
    "$slowpath" run t.c --strategy patterns --jobs 1 --time 0 --runs $runs --max-size 4096 --out late --force --quiet >out 2>err ||
        fail "run of $runs: $(cat err)"
    grep -q 'F1 ' out || continue
    laws=$((laws + 1))
    grep -q 'F1 .*find_end (t.c:5)' out || fail "after $runs runs a law without its place: $(cat out)"
done
[ $laws -gt 0 ] || fail "no run ended with a law"

# Patterns are compared in short runs; where inputs are large, a law's test grows on towards their size.
"$slowpath" run t.c --jobs 1 --time 5 --max-size 20000 --out large --seed 1 --quiet >out 2>err || fail "run of large inputs: $(cat err)"
size=$(awk '/^tests\// { print $3; exit }' out)
[ "$size" -ge 4096 ] && grep -q 'find_end (t.c:6)' out || fail "the law stops at $size bytes: $(cat out)"

# A run that is killed leaves what it found; the next one does not remove that.
"$slowpath" run t.c --strategy patterns --jobs 1 --time 60 --max-size 4096 --out killed --quiet >out 2>err &
run=$!
for _ in $(seq 200); do
    [ -s killed/found.jsonl ] && break
    sleep 0.1
done
kill -9 $run
wait $run 2>/dev/null
grep -q '"law":"O(n^2)","function":"find_end","recipe":"repeat' killed/found.jsonl || fail "a killed run lost its finding"
"$slowpath" run t.c --strategy patterns --jobs 1 --time 0 --runs 2000 --max-size 4096 --out killed >out 2>err ||
    fail "run after a killed one: $(cat err)"
grep -q 'found.jsonl has findings of a run that was killed' err || fail "nothing is said of a killed run's findings"
[ -s killed/found.jsonl ] || fail "what a killed run found is removed"

# Of a short time, too, every strategy has a part: none has a second turn before the others have had their first. A deadline
# shortens the time.
"$slowpath" run t.c --deadline 3 --verbose --out short >out 2>err || fail "a deadline: $(cat err)"
grep -q 'F1   O(n^2)' out || fail "nothing found in a short time: $(cat out err)"
[ "$(grep -o 'auto: [a-z]* had' err | head -2 | sort -u | wc -l)" = 2 ] || fail "a second turn came before a first: $(cat err)"
grep -q '^auto, [0-2]\.' out || fail "a deadline does not shorten the search: $(cat out)"
awk 'BEGIN { for (i = 0; i < 20000; i++) printf "int f%d(int x) { return x %% %d ? x * %d : 7; }\n", i, i + 2, i; print "int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { int s = 0;"; for (i = 0; i < 20000; i++) printf "s += f%d(n);\n", i; print "return 0; }" }' >large.c
"$slowpath" run large.c --deadline 1 --out never >out 2>err
[ $? = 3 ] || fail "a build beyond the deadline: $(cat err)"
grep -q 'deadline has passed, and the target is not yet built' err || fail "what the deadline ended is not told: $(cat err)"
"$slowpath" run t.c --deadline 0 --out never >out 2>err && fail "a deadline of nothing is accepted"
[ ! -e never ] || fail "a refused deadline leaves a suite"

# show
"$slowpath" show suite F1 >out 2>err || fail "show: $(cat err)"
for text in 'F1  O(n^2), quadratic: exponent' 'because   loop in LLVMFuzzerTestOneInput (t.c:9)' \
    'x loop in find_end (t.c:5)' 'call of find_end (t.c:11)' 'recipe    repeat unit="["' \
    "shell     printf '[" 'smallest' 'differs' 'by the law' '1 s at' 'in a plain build' 'tests/0001.input'; do
    grep -qF -- "$text" out || fail "show does not tell '$text': $(cat out)"
done
"$slowpath" show suite | cmp -s - out || fail "the only finding is not shown"
"$slowpath" show suite 1 | cmp -s - out || fail "1 is not F1"
wrong 'a suite and perhaps one of its findings' show
wrong 'a suite and perhaps one of its findings' show suite F1 F2
wrong "there is no finding 'F2': the suite has F1 to F1" show suite F2
wrong "there is no finding 'first'" show suite first
wrong 'no file suite.json' show none
# What is damaged is shown as far as it goes.
mkdir odd && echo '{"slowpath": "1", "target": ["t.c"], "measure": "instructions", "sizes": {}, "tests": [],
    "findings": [{"id": "F1", "cause": [3, {}], "series": [1, [2]], "cost_at": {}}, 7]}' >odd/suite.json
"$slowpath" show odd F1 >out 2>err || fail "show of something odd: $(cat err)"
"$slowpath" show odd >out 2>err || fail "show of all of something odd: $(cat err)"

# minimize, by law and by cost
"$slowpath" minimize suite 1 --out small 2>err || fail "minimize: $(cat err)"
[ "$(wc -c <small)" -le 64 ] && [ "$(wc -c <small)" -ge 4 ] || fail "minimized to $(wc -c <small) bytes"
sed 's/"superlinear": true/"superlinear": false/' suite/suite.json >json && cp json suite/suite.json
printf 'xxxx[abcxx]xxxx' >suite/tests/0001.input
"$slowpath" minimize suite 1 --keep 60 >small 2>err || fail "minimize by cost: $(cat err)"
grep -q ' of 15;' err || fail "does not tell the sizes: $(cat err)"
[ "$(wc -c <small)" -lt 12 ] || fail "is still '$(cat small)'"
wrong 'a suite and one of its tests are wanted' minimize suite
wrong "there is no test '7'" minimize suite 7
wrong '--keep 0' minimize suite 1 --keep 0
wrong 'no file suite.json' minimize none 1
wrong 'cannot' minimize suite 1 --out none/file

# No two tests that spend their cost in the same way.
"$slowpath" run t.c --strategy evolve --jobs 1 --time 0 --runs 20000 --max-size 64 --tests 20 --out e --quiet >out 2>err ||
    fail "evolve: $(cat err)"
tests=$(ls e/tests | wc -l)
[ "$tests" -ge 1 ] && [ "$tests" -le 8 ] || fail "$tests tests of a program with three ways: $(cat out)"

[ $failures = 0 ] && echo "findings are told, shown and minimized" || exit 1
