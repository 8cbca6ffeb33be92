#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A current folder that is removed while a search runs: its absolute path was looked for without end. The search says
# that it cannot write, and does not die of a signal.
set -u
slowpath=$(cd "$1" && pwd)/slowpath
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/t.c" <<'C'
int f(int x) {
    return x > 3 ? 1 : 2;
}
C
mkdir "$scratch/here"
cd "$scratch/here" || exit 1
rmdir "$scratch/here"
"$slowpath" run "$scratch/t.c" --entry 'f(x)' --runs 5 --out suite --quiet >"$scratch/out" 2>&1
status=$?
[ $status = 2 ] || { echo "FAIL: exit code $status: $(cat "$scratch/out")"; exit 1; }
"$slowpath" run "$scratch/t.c" --entry 'f(x)' --runs 5 --out "$scratch/suite" --quiet >"$scratch/out" 2>&1
status=$?
[ $status -lt 128 ] || { echo "FAIL: exit code $status: $(cat "$scratch/out")"; exit 1; }
