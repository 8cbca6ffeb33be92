#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The main job: a finding in a harness, with its law, cause and recipe; a gate that turns red when a function becomes
# quadratic; where the report lies. Then every path of a small function: which inputs make insertion sort slow?
#
#   examples/demo.sh BINDIR
#
# BINDIR holds the slowpath program ('make demo' passes build/bin).
set -eu
export LC_ALL=C
slowpath=$(cd "${1:?usage: examples/demo.sh BINDIR}" && pwd)/slowpath
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$(dirname "$0")/isort.c" "$(dirname "$0")/unquote.c" "$(dirname "$0")"/ci/project/*.c "$scratch"
page=${SLOWPATH_DEMO:-$PWD}/slowpath-demo.html
cd "$scratch"

# show COMMAND...: the command as a person would type it, then what it prints.
show() {
    echo "\$ slowpath $*"
    "$slowpath" "$@" --quiet
    echo
}

show run unquote.c --strategy patterns --runs 60000 --time 30 --jobs 1
show show unquote.c.slowpath
"$slowpath" report unquote.c.slowpath -o "$page" >/dev/null
echo "the report: $page"
echo

show run fields.c --strategy patterns --runs 4000 --max-size 2048 --jobs 1 --out gate >/dev/null
show accept gate
cp fields-quadratic.c fields.c
echo "... somebody changes fields.c ..."
echo "\$ slowpath replay gate --gate"
if "$slowpath" replay gate --gate --quiet; then
    echo "the gate should be red"
    exit 1
else
    echo "exit code $?: the gate is red"
fi
echo
sizes="16 32 64 128 256 512"

# The bytes of N little-endian ints, counting up or down, as octal escapes for printf.
numbers() {
    awk -v n="$1" -v down="$2" 'BEGIN {
        for (i = 0; i < n; i++) {
            value = down ? n - i : i
            printf "\\%03o\\%03o\\000\\000", value % 256, int(value / 256)
        }
    }'
}

for n in $sizes; do
    printf "$(numbers "$n" 0)" >"up-$n"
    printf "$(numbers "$n" 1)" >"down-$n"
done

# measure ORDER: the table of all sizes, and the command that makes it.
measure() {
    files=""
    for n in $sizes; do
        files="$files $1-$n"
    done
    echo "\$ slowpath measure isort.c --entry 'isort(arr[n], n)'$files"
    # shellcheck disable=SC2086
    "$slowpath" measure isort.c --entry 'isort(arr[n], n)' $files
    echo
}

# growth TABLE WORDS: by what factor the last doubling of n multiplied the instructions.
growth() {
    awk -v words="$2" '$3 == "ok" { gsub(",", "", $4); before = last; last = $4 }
        END { printf "%s: %.2f times the instructions when n doubles\n", words, last / before }' "$1"
}

search="isort.c --entry 'isort(arr[n], n)' --size n=8 --strategy exhaustive --tests 3 --out worst.suite"
echo "\$ slowpath run $search"
eval "\"$slowpath\" run --quiet $search"
echo
echo "\$ cat worst.suite/tests/0001.c"
cat worst.suite/tests/0001.c
echo
echo "\$ slowpath replay worst.suite"
"$slowpath" replay worst.suite
echo

measure up | tee best
measure down | tee worst
growth best "ascending, the best case"
growth worst "descending, the worst case"
echo
echo "\$ slowpath measure isort.c --entry 'isort(arr[n], n)' down-512 --profile --rows 3"
"$slowpath" measure isort.c --entry 'isort(arr[n], n)' down-512 --profile --rows 3
