#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How do look-ahead and constraints change what beam search finds in the same time? zlib's deflate,
# level 6; figures 4 and 6 of "Automatic Generation of Load Tests" (Zhang, Elbaum, Dwyer), whose
# program is JZlib. All other options at their defaults.
#
#   bench/load [-b BUILD] [-t SECONDS] [-s SIZES] [-w FOLDER] sweeps
set -eu
. "$(dirname "$0")/options"
. "$here/compressor"
rows=$work/sweeps.table
: >"$rows"

row() { # WHAT VALUE BYTES OPTION...
    what=$1 value=$2 bytes=$3
    shift 3
    set -- $(search deflate-6 "$bytes" beam "$@")
    printf '%-12s %6d %9d %14.0f %14.0f %14.0f %8.2f %9d\n' "$what" "$value" "$bytes" "$3" "$1" "$2" \
        "$(echo "$1 $3" | awk '{ print $2 ? $1 / $2 : 0 }')" "$5" >>"$rows"
}

for bytes in ${sizes:-10240 102400}; do
    for value in 1 10 50 100 500 1000; do
        row look-ahead $value "$bytes" --lookahead $value
    done
    for value in 100 500 1000; do
        row constraints $value "$bytes" --max-constraints $value
    done
done
echo "deflate, level 6; suites by beam; IR instructions; $seconds s for each search"
printf '%-12s %6s %9s %14s %14s %14s %8s %9s\n' option value bytes "its start" "suite's mean" "its best" \
    "search" decisions
cat "$rows"
echo "paper: figure 4, quality rises up to a look-ahead of 50 and falls behind 100 (30 minutes each);"
echo "figure 6, at 10 MB 1000 constraints cost twice what 100 do, and end at 15 MB"
