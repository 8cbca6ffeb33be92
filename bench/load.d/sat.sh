#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Formulas that are a load for a SAT solver (PicoSAT): number of variables, clauses and literals per
# clause are those of an original, its literals are searched for the peak of the heap. The originals
# are members of well-known families, written by formulas.c: uniform random 3-SAT, flat graph
# colouring, parity, Latin squares and pigeons, whose originals are as hard as formulas of that
# shape seem to get. With the figures of "Automatic Generation of Load Tests"
# (Zhang, Elbaum, Dwyer; table I), whose program is SAT4J.
#
#   bench/load [-b BUILD] [-t SECONDS] [-w FOLDER] sat
#
# FORMULAS is a list of FAMILY:SIZE; STRATEGY is beam and climb, one after the other, unless it is set.
set -eu
. "$(dirname "$0")/options"
picosat=$("$here/../sources" -d "$work/sources" picosat | tail -1)
cc -O1 "$here/formulas.c" -o "$work/formulas"
rows=$work/sat.table
: >"$rows"

search() { # FAMILY SIZE STRATEGY
    rm -rf "$work/sat-$1-$2" # a suite that is there would be kept, also that of another strategy
    "$work/formulas" "$1" "$2" >"$work/$1-$2.template"
    "$slowpath" run "$here/formula.c" "$picosat/picosat.c" \
        --cflags "-I$picosat -DNDEBUG -DNGETRUSAGE" --template "$work/$1-$2.template" \
        --strategy "$3" --measure memory --tests 10 --time "$seconds" --limit-time 60 ${jobs:+--jobs "$jobs"} \
        --quiet --out "$work/sat-$1-$2" >"$work/sat-$1-$2.txt" ||
        { cat "$work/sat-$1-$2.txt" >&2; exit 1; }
    shape=$("$work/formulas" "$1" "$2" plain | sed -n 's/^p cnf //p')
    awk -v name="$1 $2" -v strategy="$3" -v shape="$shape" \
        -v runs="$(sed -n 's/^ *"runs": \([0-9]*\),*$/\1/p' "$work/sat-$1-$2/suite.json" | head -1)" '
        /^baseline/ { base = $2 }
        /^tests\// { sum += $2; n++; if (n == 1) best = $2 }
        END { split(shape, s, " ")
            printf "%-12s %-8s %9d %8d %10d %10.0f %10d %6.2f %6.2f %6d %8d\n", name, strategy, s[1], s[2], base, sum / n,
                best, sum / n / base, best / base, n, runs }' "$work/sat-$1-$2.txt" >>"$rows"
}

for formula in ${FORMULAS:-random:75 colours:50 parity:30 squares:6 pigeons:6}; do
    for strategy in ${STRATEGY:-beam climb}; do
        search "${formula%:*}" "${formula#*:}" $strategy
    done
done
echo "PicoSAT, peak of the heap in bytes; suites of 10, $seconds s for each search"
printf '%-12s %-8s %9s %8s %10s %10s %10s %6s %6s %6s %8s\n' original strategy variables clauses bytes "suite's mean" \
    best ratio best tests runs
cat "$rows"
echo "paper (MB of SAT4J, 10 tests): chnl11-13 6 -> 22, longmult15 35 -> 92, braun-8 11 -> 35,"
echo "xits-06 (hard) 38 -> 45, unif-k3-r4.25 6 -> 17: 1.2x to 3.7x"
