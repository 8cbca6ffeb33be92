#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The demo of the README runs and finds what it says: a quadratic harness with its cause, a gate that turns red, a report; the worst of all 40,320 paths of insertion sort is
# a descending array, and it is linear at best, quadratic at worst.
set -eu
SLOWPATH_DEMO=$(mktemp -d)
export SLOWPATH_DEMO
trap 'rm -rf "$SLOWPATH_DEMO"' EXIT
out=$("$(dirname "$0")/../../examples/demo.sh" "$1" 2>/dev/null)
echo "$out" | grep -q '^F1  O(n^2), quadratic'
echo "$out" | grep -q 'because   loop in unquote (unquote.c:20)'
echo "$out" | grep -qx "the report: $SLOWPATH_DEMO/slowpath-demo.html"
grep -q 'O(n^2)' "$SLOWPATH_DEMO/slowpath-demo.html"
echo "$out" | grep -q 'grew as O(n), now as O(n^2): A WORSE LAW'
echo "$out" | grep -qx 'exit code 1: the gate is red'
echo "$out" | grep -q '^up-512  *512  ok  *10,224 '
echo "$out" | grep -q '^down-512  *512  ok  *2,100,214 '
echo "$out" | grep -qx 'ascending, the best case: 2.00 times the instructions when n doubles'
echo "$out" | grep -qx 'descending, the worst case: 3.99 times the instructions when n doubles'
echo "$out" | grep -q '130816  *2  isort  isort.c:8$'
echo "$out" | grep -q '^ *40320 different paths$'
echo "$out" | grep -qx 'complete: every path was covered'
echo "$out" | grep -qx '    int arr\[8\] = {7, 6, 5, 4, 3, 2, 1, 0};'
