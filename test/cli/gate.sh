#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# replay and compare as gates: from any folder, by any measure, and never green for want of tests.
set -u
. "$(dirname "$0")/helpers"

# gate STATUS TEXT ARG...: exit code, and TEXT somewhere in what is printed.
gate() {
    want=$1 text=$2
    shift 2
    "$slowpath" "$@" >out 2>err
    status=$?
    [ $status = "$want" ] || fail "exit code $status instead of $want: $* ($(cat err))"
    cat out err | grep -qF -- "$text" || fail "does not say '$text': $* ($(cat out err))"
}

mkdir -p src/include suites
echo '#define LIMIT 3' >src/include/limit.h
cat >src/t.c <<'C'
#include "limit.h"
#include <slowpath.h>
#include <stdlib.h>
int helper(int x) { slowpath_count("work", 2); return x + 1; }
int total(int *a, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        if (a[i] > LIMIT)
            sum = helper(sum);
    free(malloc(n));
    return sum;
}
C
"$slowpath" run src/t.c --cflags '-Isrc/include' --entry 'total(a[n], n)' --size n=3 --quiet \
    --strategy exhaustive --jobs 1 --out suites/one >out 2>err || fail "run: $(cat err)"
grep -q '"folder": "../.."' suites/one/suite.json || fail "the suite does not tell where it was made"

# From anywhere: the target and its headers are found from the suite's folder.
gate 0 'tests hold' replay suites/one
cp src/t.c src/copy.c
mkdir -p else/where
(
    cd else/where || exit 1
    "$slowpath" replay ../../suites/one --json here.json >out 2>err || exit 1
    "$slowpath" replay ../../suites/one --target ../../src/copy.c >out 2>err || exit 1
    "$slowpath" replay ../../suites/one --cflags -I../../src/include --target ../../src/copy.c >out 2>err
) || fail "from another folder: $(cat else/where/err)"
[ -s else/where/here.json ] || fail "--json is written somewhere else"
# A suite that was moved finds its target in the current folder.
mkdir -p moved/on
cp -r suites/one moved/on/deeper
gate 0 'tests hold' replay moved/on/deeper

# --measure is honoured.
gate 0 'tests hold' replay suites/one --measure memory
sed 's/malloc(n)/malloc(n + 10)/' src/t.c >src/more.c
gate 0 'tests hold' replay suites/one --target src/more.c --threshold 100
gate 1 'COSTS MORE' replay suites/one --target src/more.c --measure memory --threshold 100
gate 1 'COSTS MORE' replay suites/one --target src/more.c --measure 'calls+2*memory' --threshold 100
gate 2 'no such cost of tests/0001.input' replay suites/one --measure calls:helper
(
    cd else/where || exit 1
    "$slowpath" compare ../../src/t.c ../../src/copy.c ../../suites/one --json both.json >out 2>err
) || fail "compare from another folder: $(cat else/where/err)"
grep -q '^A = ../../src/t.c$' else/where/out && [ -s else/where/both.json ] || fail "compare: $(cat else/where/out)"
gate 1 'BEYOND' compare src/t.c src/more.c suites/one --measure memory
gate 0 'calls:helper' compare src/t.c src/more.c suites/one --cflags -Isrc/include --measure calls:helper

# What is not counted is no measure.
gate 0 "did you mean count:work?" measure src/t.c --cflags -Isrc/include --entry 'total(a[n], n)' \
    --measure count:worc suites/one/tests/0001.input
gate 2 "did you mean helper?" measure src/t.c --cflags -Isrc/include --entry 'total(a[n], n)' \
    --measure calls:helpr suites/one/tests/0001.input
gate 0 "no run has counted anything as 'other'" run src/t.c --cflags -Isrc/include --size n=2 \
    --entry 'total(a[n], n)' --measure count:other --strategy exhaustive --jobs 1 --quiet
"$slowpath" run src/t.c --cflags -Isrc/include --entry 'total(a[n], n)' --size n=3 --quiet \
    --strategy exhaustive --jobs 1 --measure count:work --out counted >out 2>err || fail "$(cat err)"
grep -v slowpath_count src/t.c >src/silent.c
echo 'int helper(int x) { return x + 1; }' >>src/silent.c
sed -i '3a int helper(int x);' src/silent.c
gate 5 'does not count' replay counted --target src/silent.c
gate 5 'does not count' compare src/t.c src/silent.c counted --cflags -Isrc/include

# Nothing to hold is no success.
cp -r suites/one empty
printf '{"slowpath": "0", "target": "src/t.c", "entry": "total(a[n], n)", "measure": "instructions",
 "sizes": {"n": 3}, "options": {"cflags": ["-Isrc/include"], "args": []}, "tests": []}' >empty/suite.json
gate 5 'the suite has no tests' replay empty
gate 5 'the suite has no tests' compare src/t.c src/t.c empty --cflags -Isrc/include

# Suggestions only where they are near.
gate 2 "there is no command 'demolish'; 'slowpath'" demolish
gate 2 'did you mean replay?' reply
gate 2 "unknown option '--xyz'; 'slowpath run --help'" run src/t.c --xyz
gate 2 'did you mean --threshold?' replay suites/one --treshold=3
gate 2 "no such function" measure src/t.c --cflags -Isrc/include --entry 'total(a[n], n)' --measure calls:qux
grep -q 'did you mean' err && fail "a suggestion from afar: $(cat err)"

[ $failures = 0 ] && echo "gates tell" || exit 1
