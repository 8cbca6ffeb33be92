#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Large inputs: zlib's deflate (level 6), suites of 2, against random inputs of the same time. The last
# column is the largest process of the search, of the engine or the target (0: `time` is not installed), without the memory file
# that they share. A start of 0: there was no time to run it.
#
#   bench/load [-b BUILD] [-t SECONDS] [-s SIZES] [-w FOLDER] large
#
# SIZES are 10485760 and 104857600 unless given.
set -eu
. "$(dirname "$0")/options"
. "$here/compressor"
rows=$work/large.table
: >"$rows"

for bytes in ${sizes:-10485760 104857600}; do
    random=$(search deflate-6 "$bytes" random)
    beam=$(search deflate-6 "$bytes" beam)
    echo "$bytes $random $beam" | awk '{ printf "%10d %15.0f %15.0f %15.0f %9.2f %8.2f %8.1f %6d\n", $1, $2, $10, $8,
        $2 ? $8 / $2 : 0, $10 ? $8 / $10 : 0, $11, $13 }' >>"$rows"
done
echo "deflate, level 6, large inputs; means of suites of 2; IR instructions; $seconds s for each search"
printf '%10s %15s %15s %15s %9s %8s %8s %6s\n' bytes "random's best" "beam's start" "beam's suite" \
    "to random" search seconds MiB
cat "$rows"
echo "paper (seconds of JZlib): 2x random from 100 KB to 1 MB, about 5x at 10 MB (1000 constraints),"
echo "3x at 100 MB (100 constraints), with 3 hours for each search"
