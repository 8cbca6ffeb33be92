#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Load tests of zlib's deflate (level 6, raw): what does a suite of beam search cost, against the
# best that random inputs of the same size reach in the same time? With the figures of "Automatic
# Generation of Load Tests" (Zhang, Elbaum, Dwyer; figures 4 to 6), whose program is JZlib.
#
#   bench/load.d/deflate.sh [-b BUILD] [-t SECONDS] [-w FOLDER] [SIZE...]
#
# BUILD is the build folder (default build), SECONDS the time of each search (default 60), SIZE the
# bytes of the input (default 1024 10240 102400 1048576; also 10485760 and 104857600, with suites of
# 2). SWEEP=1 adds the sweeps over look-ahead and constraints at 10240 bytes, each search with the
# same SECONDS. Two columns for the beam: the input that it starts from (the costliest of a few of
# different texture) and the mean of its suite, so that one sees what the start brings and what
# the search adds. The last column is the largest process of the search (MiB), of the engine or the
# target, without the memory file that they share.
set -eu
. "$(dirname "$0")/options"
zlib=$("$here/../sources" -d "$work/sources" zlib | tail -1)
rows=$work/deflate.table
: >"$rows"
timer=$(command -v time || true)

# search NAME BYTES OPTION...: prints mean, best, decisions of the deepest test, MiB
search() {
    name=$1 bytes=$2
    shift 2
    tests=10
    [ "$bytes" -lt 10000000 ] || tests=2
    rm -f "$work/$name.memory"
    ${timer:+"$timer" -f %M -o "$work/$name.memory"} "$slowpath" run "$here/compress.c" \
        "$zlib/deflate.c" "$zlib/trees.c" "$zlib/zutil.c" "$zlib/adler32.c" "$zlib/crc32.c" \
        --cflags "-I$zlib -DCOMPRESSOR=ZLIB -DLEVEL=6" --size "$bytes" --tests $tests --time "$seconds" --limit-time 300 \
        --out "$work/suite.$name" "$@" >"$work/$name.txt" 2>&1 ||
        { cat "$work/$name.txt" >&2; exit 1; }
    memory=$(tail -1 "$work/$name.memory" 2>/dev/null || echo 0)
    awk -v memory="$memory" '
        /^tests\// { sum += $2; n++; if (n == 1) best = $2; if ($3 > deep) deep = $3 }
        END { printf "%.0f %.0f %d %d\n", n ? sum / n : 0, best, deep, memory / 1024 }' \
        "$work/$name.txt"
    rm -rf "$work/suite.$name"
}

# Z3 and the local search of the solver are switched off: bytes that the path does not depend on yet
# are tried out, and in a compressor hardly any other question has an answer.
beam="--strategy beam --no-stage smt --no-stage repair --max-frontier 20"

compare_size() {
    bytes=$1
    set -- $(search "random-$bytes" "$bytes" --strategy random)
    random=$1
    set -- $(search "beam-$bytes" "$bytes" $beam --lookahead 10 --max-constraints 100 --verbose)
    start=$(sed -n 's/.*starts from the costliest of.*costs //p' "$work/beam-$bytes.txt")
    awk -v b="$bytes" -v r="$random" -v m="$1" -v top="$2" -v s="${start:-0}" -v d="$3" -v k="$4" '
        BEGIN { printf "%9d %14.0f %14.0f %14.0f %14.0f %6.2f %8.2f%% %9d %6d\n", b, r, s, m, top,
            r ? m / r : 0, s ? 100 * (m / s - 1) : 0, d, k }' >>"$rows"
}

sweep() { # NAME VALUE OPTION...: one row
    name=$1 value=$2
    shift 2
    set -- $(search "sweep-$name-$value" 10240 $beam "$@")
    printf '%-12s %6d %14d %14d %9d\n' "$name" "$value" "$1" "$2" "$3" >>"$work/deflate.sweep"
}

for bytes in ${*:-1024 10240 102400 1048576}; do
    compare_size "$bytes"
done
if [ -n "${SWEEP-}" ]; then
    : >"$work/deflate.sweep"
    for value in 10 50 100 500; do
        sweep look-ahead $value --lookahead $value --max-constraints 1000
    done
    for value in 100 500 1000; do
        sweep constraints $value --lookahead 50 --max-constraints $value
    done
fi

echo "deflate, level 6, raw; means of suites; IR instructions; $seconds s for each search"
printf '%9s %14s %14s %14s %14s %6s %9s %9s %6s\n' bytes "random's best" "beam's start" \
    "beam's suite" "its best" ratio "on start" decisions MiB
cat "$rows"
echo "paper (seconds of JZlib): 2x random from 100 KB to 1 MB, about 5x at 10 MB (1000 constraints),"
echo "3x at 100 MB (100 constraints), with 3 hours for each search"
if [ -n "${SWEEP-}" ]; then
    printf '\n%-12s %6s %14s %14s %9s\n' "10240 bytes" value "suite's mean" "its best" decisions
    cat "$work/deflate.sweep"
    echo "paper: figure 4, quality rises up to a look-ahead of 50 and falls behind 100 (30 minutes"
    echo "each); figure 6, at 10 MB 1000 constraints cost twice what 100 do, and end at 15 MB"
fi
