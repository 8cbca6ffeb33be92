#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# grow: wrong usage gets one clear line on stderr, nothing on stdout, and exit code 2.
set -u
. "$(dirname "$0")/helpers"

echo '#include <stdint.h>
#include <stddef.h>
int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n) { return n && d[0] == 7; }
int call(int a) { return a > 3; }' >h.c
"$slowpath" run h.c --size 2 --strategy random --runs 100 --jobs 1 --quiet --out plain >out 2>err ||
    fail "no suite to begin with ($(cat err))"
cp -r plain recipe
sed 's/"file": "tests\/0001.input"/"recipe": "repeat prefix=\\"<\\" unit=\\"ab\\\\#\\"", &/' \
    plain/suite.json >recipe/suite.json
cp -r plain damaged
sed 's/"file": "tests\/0001.input"/"recipe": "repeat unit=", &/' plain/suite.json >damaged/suite.json

wrong 'a suite and one of its tests are wanted' grow
wrong 'a suite and one of its tests are wanted' grow plain
wrong 'how large is the input to be? --size BYTES' grow plain 1
wrong '--size few' grow plain 1 --size few
wrong '--size 0' grow plain 1 --size 0
wrong 'no file suite.json' grow none 1 --size 10
wrong "there is no test '99'" grow plain 99 --size 10
wrong "there is no test 'first'" grow plain first --size 10
wrong "there is no test '0'" grow plain 0 --size 10
wrong 'has no recipe' grow plain 1 --size 10
wrong 'the recipe of test 1 is damaged' grow damaged 1 --size 10
wrong 'the recipe has at least 4 bytes' grow recipe 1 --size 3
wrong 'cannot' grow recipe 1 --size 10 --out none/file
wrong "unknown option '--jobs'" grow recipe 1 --size 10 --jobs 2
wrong 'not for --entry' run h.c --entry 'call(a)' --strategy patterns

# Sizes that the recipe has, and one that it has not.
[ "$("$slowpath" grow recipe 1 --size 10)" = '<ab0ab1ab2' ] || fail "10 bytes"
[ "$("$slowpath" grow recipe 0001.input --size 12 2>err)" = '<ab0ab1ab2' ] || fail "12 bytes"
grep -qF '10 bytes: the recipe has no input of 12' err || fail "does not tell the size ($(cat err))"
"$slowpath" grow recipe tests/0001.input --size 4 --out file && [ "$(cat file)" = '<ab0' ] || fail "--out"

[ $failures = 0 ] && echo "grow writes recipes, and its wrong usage is told" || exit 1
