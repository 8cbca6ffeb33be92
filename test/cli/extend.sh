#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A new strategy, a new stage of the solver and a new command are one file and one row each: the examples of
# test/extend are added to a copy of the sources, which is built and used.
set -eu
bin=$(readlink -f "$1")
here=$(dirname "$(readlink -f "$0")")/..
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
    echo "FAIL: $*"
    exit 1
}
cp -r "$here/../src" "$here/../include" "$here/../cmake" "$here/../CMakeLists.txt" "$scratch"
cd "$scratch"
sed -i '/add_subdirectory(test)/d; /enable_testing/d' CMakeLists.txt
cp "$here/extend/example_strategy.c" src/search/example.c
echo 'STRATEGY(example)' >>src/search/strategies.def
cp "$here/extend/example_stage.c" src/solver/example.c
sed -i '/^STAGE(SMT/i STAGE(EXAMPLE, example, "nothing much")' src/solver/stages.def
cp "$here/extend/example_command.c" src/cli/example.c
echo 'COMMAND(EXAMPLE, example, false, "WORD", "says a word", "Says a word, as an example.")' >>src/cli/commands.def
# Only the rooms that see one of these tables are compiled again.
cmake -S . -B build -G Ninja -DCMAKE_C_COMPILER=clang-19 -DCMAKE_BUILD_TYPE=None \
    -DSLOWPATH_READY_FROM="$bin/../src" '-DSLOWPATH_READY_ROOMS=base;ir;instrument;cc;expr;target;measure;cluster;fleet;redundant;suite;report;api' >/dev/null
ninja -C build slowpath >log 2>&1 || fail "does not build: $(tail -n 20 log)"
cp -r "$bin/../lib" build/ # the runtime of targets is the same
mine=$scratch/build/bin/slowpath

"$mine" | grep -q 'slowpath example *says a word' || fail "the overview does not name the command"
[ "$("$mine" example this)" = "an example of this" ] || fail "the command does not run"
"$mine" example --help | grep -q 'usage: slowpath example WORD' || fail "the command has no help"
"$mine" --man example | grep -q 'TH SLOWPATH' || fail "the command has no man page"
"$mine" --man-list | grep -qx example || fail "its man page is not listed"
"$mine" run --help | tr -s ' \n' ' ' | grep -q 'evolve, example' || fail "help does not name the strategy"

cat >sort.c <<'END'
int sort(int *a, int n) {
    int swaps = 0;
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && a[j - 1] > a[j]; j--, swaps++) {
            int t = a[j];
            a[j] = a[j - 1];
            a[j - 1] = t;
        }
    return swaps;
}
END
sort() { "$mine" run sort.c --entry 'sort(a[n], n)' --size n=4 --out suite --quiet "$@"; }
sort --strategy example >out || fail "the strategy does not run"
grep -q 'tests/0001.input .* yes' out || fail "the strategy found nothing"
grep -q '"strategy": "example"' suite/suite.json || fail "the suite does not name the strategy"
sort --strategy exhaustive >out
grep -q '"paths": 24,' suite/suite.json || fail "the stage changed the number of paths"
grep -q '"example": {' suite/suite.json || fail "the statistics do not name the stage"
sort --strategy exhaustive --no-stage example >out || fail "the stage cannot be switched off"
sort --no-stage magic 2>err && fail "there is no stage of that name"
grep -q 'enumerate, example, smt)' err || fail "the stage is not listed: $(cat err)"
"$mine" run --help | tr -s ' \n' ' ' | grep -q 'enumerate, example, smt ' || fail "help does not name the stage"
echo "one file and one row each"
