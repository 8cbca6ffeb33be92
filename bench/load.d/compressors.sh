#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Load tests of compressors from Debian's source packages: what does a suite of beam search cost
# against the best random inputs of the same time, against the input that it started from, and
# against what `auto` finds? All options at their defaults.
#
#   bench/load [-b BUILD] [-t SECONDS] [-s SIZES] [-w FOLDER] compressors
#
# SECONDS is the time of each search (default 60), SIZES the bytes of an input (default "1024 10240
# 102400 1048576"). ONLY="bzip2 lz4hc" chooses compressors, NO_AUTO=1 leaves `auto` out. libdeflate, lzo,
# brotli, xz, ucl, zstd and lzlib were chosen before the search was tried on them, and each was first measured untuned.
#
# No strategy found twice the cost of random inputs for deflate-1 at 100 KB and 1 MB: beam's suites cost 1.74 and 1.67 times
# random's best in 60 s, and up to 1.81 times at 100 KB with 20 s, where the best of auto costs 1.73 times that, of evolve 1.61, of
# climb 1.00, of patterns less. At this level deflate looks at 4 earlier places for each position and ends at the first match of 8 bytes,
# so what a byte can cost beyond coding it is bounded.
#
# "start" is the costliest input that the search began with: its ratio is what the start alone
# brings; "suite" includes it; "search" is the suite against the start.
set -eu
. "$(dirname "$0")/options"
. "$here/compressor"
rows=$work/compressors.table
: >"$rows"

for name in ${ONLY:-deflate-1 deflate-6 deflate-9 bzip2 lz4hc libdeflate lzo brotli xz ucl zstd lzlib}; do
    for bytes in ${sizes:-1024 10240 102400 1048576}; do
        random=$(search "$name" "$bytes" random)
        beam=$(search "$name" "$bytes" beam)
        auto="0 0 0 0 0 0"
        [ -n "${NO_AUTO-}" ] || auto=$(search "$name" "$bytes" auto)
        echo "$name $bytes $random $beam $auto" >>"$rows"
    done
done

echo "compressors; means of suites of 10; IR instructions; $seconds s for each search"
printf '%-11s %8s %14s %14s %14s %14s   %s   %s\n' compressor bytes "random's best" "beam's start" \
    "beam's suite" "auto's best" "to random: start suite auto" "search  seconds"
awk 'function ratio(a, b) { return b ? a / b : 0 }
    { printf "%-11s %8d %14.0f %14.0f %14.0f %14.0f %16.2f %6.2f %5.2f %8.2f %8.1f\n", $1, $2, $3, $11, $9, $16,
        ratio($11, $3), ratio($9, $3), ratio($16, $3), ratio($9, $11), $12
        rows++; doubles += ratio($9, $3) >= 2; gains += ratio($9, $11) >= 1.3 }
    END { printf "at least 2 times random: %d of %d rows; at least 1.3 times the start: %d\n", doubles, rows, gains }' "$rows"
