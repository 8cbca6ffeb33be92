#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Small programs, all paths of which can be run: does beam search find the worst of them? The true
# worst is that of `exhaustive` where it is complete. Exit code 1 when beam's best is below 95% of
# it on any program.
#
#   bench/load.d/small.sh [-b BUILD] [-w FOLDER]
#
# Both searches end by themselves; counts are the same on every machine.
set -eu
. "$(dirname "$0")/options"

field() { # NAME: its first number in the suite
    sed -n "s/.*\"$1\": \([0-9a-z]*\).*/\1/p" "$work/small.suite/suite.json" | head -n 1
}

explore() { # STRATEGY FILE ENTRY SIZE
    rm -rf "$work/small.suite"
    "$slowpath" run "$here/small/$2" --entry "$3" ${4:+--size "$4"} --strategy "$1" --jobs 1 \
        --time 0 --quiet --out "$work/small.suite" >"$work/small.txt" 2>&1 ||
        { cat "$work/small.txt" >&2; exit 2; }
}

compare() { # NAME FILE ENTRY [SIZE]
    explore exhaustive "$2" "$3" "${4-}"
    worst=$(field instructions) all=$(field runs) complete=$(field complete)
    explore beam "$2" "$3" "${4-}"
    awk -v name="$1" -v size="${4-}" -v worst="$worst" -v best="$(field instructions)" \
        -v all="$all" -v runs="$(field runs)" -v complete="$complete" 'BEGIN {
            share = worst ? 100 * best / worst : 0
            printf "%-22s %-5s %8d %8d %7.1f%% %9d %9d%s%s\n", name, size, worst, best, share, all,
                runs, complete == "true" ? "" : "  not all paths", share < 95 ? "  BELOW 95%" : "" }'
}

table() {
    for n in 6 7 8 9; do
        compare "insertion sort" sort.c 'insertion(a[n], n)' n=$n
    done
    for n in 4 6 8; do
        compare "bubble sort" sort.c 'bubble(a[n], n)' n=$n
    done
    for n in 6 7; do
        compare "bubble sort, early end" sort.c 'bubble_early(a[n], n)' n=$n
        compare quicksort sort.c 'quick(a[n], n)' n=$n
        compare "merge sort" sort.c 'merge_sort(a[n], n)' n=$n
        compare heapsort sort.c 'heap(a[n], n)' n=$n
    done
    compare merge sort.c 'merge(a[n], b[n], n)' n=8
    compare "binary search" store.c 'binary_search(x)'
    for n in 6 7; do
        compare "search tree" store.c 'tree(keys[n], n)' n=$n
        compare "sorted list" store.c 'list(keys[n], n)' n=$n
    done
    compare "hash table" store.c 'table(keys[n], n)' n=4
    compare "expression parser" text.c 'parser(text[n], n)' n=8
    compare scanner text.c 'scanner(text[n], n)' n=7
    compare glob text.c 'glob(bytes[n], n)' n=8
    compare "naive find" text.c 'find(hay[n], n)' n=10
    compare "common subsequence" text.c 'common(text[n], n)' n=6
    compare Dijkstra number.c 'dijkstra(weight[n*n], n)' n=4
    compare Dijkstra number.c 'dijkstra(weight[n*n], n)' n=5
    compare "greatest divisor" number.c 'divisor(a, b)'
    compare "3x + 1" number.c 'collatz(x)'
    compare "bit count" number.c 'bits(x)'
    compare "subset sum" number.c 'sack(weight[n], n)' n=3
}

printf '%-22s %-5s %8s %8s %8s %9s %9s\n' program size worst beam share "all runs" "beam runs"
table | tee "$work/small"
! grep -q 'BELOW' "$work/small"
