#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Queries that are a load for SQLite: the query of query.template keeps its shape, its fields, tables,
# join and conditions are searched. Three suites of 5, for instructions, for memory and for both,
# against the template's own query and against the 5 costliest of its fillings at random with the same
# time; with the figures of "Automatic Generation of Load Tests" (Zhang,
# Elbaum, Dwyer; table II), whose program is TinySQL. In the third suite both weigh the same in the
# template's own query.
#
#   bench/load [-b BUILD] [-t SECONDS] [-w FOLDER] sql
#
# STRATEGY is beam unless it is set.
set -eu
. "$(dirname "$0")/options"
strategy=${STRATEGY:-beam}
[ -f "$work/sqlite3/sqlite3.c" ] ||
    "$here/../build-real" "$(dirname "$slowpath")" "$work" sqlite3 >&2
flags="-I$work/sqlite3 -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_DEFAULT_MEMSTATUS=0"

search() { # NAME MEASURE STRATEGY
    rm -rf "$work/sql-$1" # a suite that is there would be kept, also that of another strategy
    "$slowpath" run "$here/query.c" "$work/sqlite3/sqlite3.c" --cflags "$flags" \
        --template "$here/query.template" --strategy "$3" --measure "$2" --tests 5 \
        --time "$seconds" --limit-time 60 ${jobs:+--jobs "$jobs"} --quiet --out "$work/sql-$1" >"$work/sql-$1.txt" ||
        { cat "$work/sql-$1.txt" >&2; exit 1; }
}

# costs NAME MEASURE: of each test, then of the template's own query
costs() {
    sed -n "s/^ *\"$2\": \([0-9]*\),*\$/\1/p" "$work/sql-$1/suite.json"
}

# row NAME: mean of the tests and ratio to the last line, for both measures; the least ratio of a
# test by the measure that it was made for
row() {
    for measure in instructions memory; do
        costs "$1" $measure | awk '{ sum += last; n++; last = $1 }
            END { printf "%.0f %.2f ", sum / (n - 1), sum / (n - 1) / last }'
    done | awk -v name="$1" -v least="$(least "$1")" \
        '{ printf "%-20s %14.0f %9.2f %12.0f %9.2f %9.2f", name, $1, $2, $3, $4, least }'
}

least() {
    sed -n 's/^ *"ratio": \([0-9.]*\),*$/\1/p' "$work/sql-$1/suite.json" | sort -g | head -n 1
}

# kind QUERY: how the tables are joined, and whether a table is joined with itself
kind() {
    join=$(sed -n '1s/^-- //p' "$1")
    first=$(sed -n 's/^from \([a-z]*\) a$/\1/p' "$1")
    second=$(sed -n 's/.*join \([a-z]*\) b$/\1/p' "$1")
    [ "$first" != "$second" ] || join="$join (self)"
    echo "$join"
}

search instructions instructions $strategy
search random-instructions instructions random
weight=$(for measure in instructions memory; do costs instructions $measure | tail -1; done |
    awk 'NR == 1 { i = $1 } NR == 2 { printf "%d", i / ($1 ? $1 : 1) }')
search memory memory $strategy
search random-memory memory random
search both "instructions+$weight*memory" $strategy
search random-both "instructions+$weight*memory" random

echo "SQLite, queries by template; suites of 5 by $strategy, $seconds s for each search; means"
printf '%-20s %14s %9s %12s %9s %9s   %s\n' suite instructions ratio memory ratio least \
    "paper (time, memory; ratios)"
printf '%-20s %14d %9s %12d %9s\n' baseline "$(costs memory instructions | tail -1)" 1 \
    "$(costs memory memory | tail -1)" 1
echo "$(row instructions)   2.34 1.96"
echo "$(row random-instructions)"
echo "$(row memory)   2.17 2.19"
echo "$(row random-memory)"
echo "$(row both)   2.13 2.01   (instructions + $weight memory)"
echo "$(row random-both)"
for suite in instructions memory both; do
    for query in "$work/sql-$suite"/tests/*.input; do
        echo "$suite: $(tail -n +2 "$query" | tr '\n' ' ')"
    done
done
echo "kinds of joins:"
for query in "$work"/sql-instructions/tests/*.input "$work"/sql-memory/tests/*.input \
    "$work"/sql-both/tests/*.input; do
    kind "$query"
done | sort | uniq -c
