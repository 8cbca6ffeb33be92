#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# api: numbers that lead past a guard are solved for, also where another call hands them over.
set -u
here=$(dirname "$(readlink -f "$0")")
. "$(dirname "$0")/helpers"
. "$here/api/clean-tests"
cp "$here/api/codec.c" "$here/api/codec.h" .

"$slowpath" api codec.c --header codec.h --time 60 --runs 500 --seed 2 --out suite >out 2>err || fail "no suite ($(cat err))"
for line in ' 2 of 2 loops nested 2 deep' '^codec_scan *O(n^2) .*superlinear call' \
    '^codec_pass *O(n^2) .*superlinear call .*by its argument 3' 'codec_pass(codec0, 24301, 5 + 37 \* n)'; do
    grep -q "$line" out || fail "no line '$line': $(cat out)"
done
clean_tests suite codec.c
exit $((failures > 0))
