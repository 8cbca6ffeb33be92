#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# api: numbers that lead past a guard are solved for, also where another call hands them over.
set -u
here=$(dirname "$(readlink -f "$0")")
. "$(dirname "$0")/helpers"
cp "$here/api/codec.c" "$here/api/codec.h" .

"$slowpath" api codec.c --header codec.h --time 60 --runs 500 --seed 2 --out suite >out 2>err || fail "no suite ($(cat err))"
for line in ' 2 of 2 loops nested 2 deep' '^codec_scan *O(n^2) .*superlinear call'; do
    grep -q "$line" out || fail "no line '$line': $(cat out)"
done
for test in suite/tests/*.c; do
    "$LLVM_BINDIR/clang" -g -fsanitize=address,undefined -Werror -Wall -I. "$test" codec.c -o test 2>err ||
        fail "$test does not compile: $(cat err)"
    ./test 50 >out 2>&1 || fail "$test is not clean: $(cat out)"
done
exit $((failures > 0))
