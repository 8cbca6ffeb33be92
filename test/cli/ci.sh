#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# examples/ci on a project whose function becomes quadratic in the second commit: each way in is green before and red
# there, from a clean clone; what the YAML files run is what is tested here.
set -u
. "$(dirname "$0")/helpers"
source=${0%/test/cli/*}
export SLOWPATH="$slowpath"

commit() { git add -A && git -c user.name=a -c user.email=a@example.org commit -qm "$1"; }
mkdir project && cd project || exit 1
git init -q . && mkdir ci src
cp "$source"/examples/ci/slowpath-gate.sh "$source"/examples/ci/slowpath.mk "$source"/examples/ci/SlowpathGate.cmake ci/
cp "$source"/examples/ci/project/fields.c src/fields.c
printf 'include ci/slowpath.mk\n' >Makefile
printf 'cmake_minimum_required(VERSION 3.20)\nproject(p NONE)\nenable_testing()\ninclude(ci/SlowpathGate.cmake)\nslowpath_add_gate(fields SUITE slowpath/fields)\n' >CMakeLists.txt
sh ci/slowpath-gate.sh slowpath >/dev/null 2>err
[ $? = 5 ] || fail "no suite is not 5: $(cat err)"
# The commands of docs/ci.md.
"$slowpath" run src/fields.c --out slowpath/fields --strategy patterns --jobs 1 --time 0 --runs 4000 --max-size 2048 --quiet >out 2>err ||
    fail "run: $(cat err)"
"$slowpath" accept slowpath/fields >out 2>err || fail "accept: $(cat err)"
rm -f slowpath/fields/state
commit one
cp "$source"/examples/ci/project/fields-quadratic.c src/fields.c
commit two

check() { # STATUS WORDS COMMAND...: in a clean clone of the commit
    want=$1 words=$2
    shift 2
    "$@" >out 2>&1
    status=$?
    [ $status = "$want" ] || { [ "$want" = red ] && [ $status != 0 ]; } || fail "$words: $status instead of $want: $(cat out)"
}
for at in one two; do
    git clone -q . "../$at" && cd "../$at" || exit 1
    [ $at = one ] && git checkout -q HEAD~1
    want=0
    [ $at = two ] && want=1
    check $want "gate, commit $at" sh ci/slowpath-gate.sh slowpath
    [ $at = one ] || grep -q 'A WORSE LAW' out || fail "the gate does not tell why: $(cat out)"
    [ -s reports/fields/findings.sarif ] && [ -s reports/fields/report.html ] || fail "no reports in commit $at"
    [ $want = 0 ] || want=red
    check $want "make gate, commit $at" make -s gate SLOWPATH="$slowpath"
    cp "$source"/examples/ci/pre-push .git/hooks/pre-push
    git init -q --bare "../bare-$at"
    check $want "pre-push, commit $at" git push -q "../bare-$at" HEAD:refs/heads/main
    cmake -S . -B build -DSLOWPATH_PROGRAM="$slowpath" >cmake.log 2>&1 || fail "cmake: $(cat cmake.log)"
    check $want "CTest, commit $at" ctest --test-dir build
    [ -z "$(git status --porcelain -- slowpath)" ] || fail "a gate changes the suite: $(git status --porcelain)"
    cd ../project || exit 1
done
# What the YAML files run.
grep -q 'sh ci/slowpath-gate.sh slowpath' "$source/examples/ci/github.yml" &&
    grep -q 'sh ci/slowpath-gate.sh slowpath' "$source/examples/ci/gitlab.yml" || fail "the YAML files run something else"
if python3 -c 'import yaml' 2>/dev/null; then
    for file in github gitlab; do
        python3 -c 'import sys, yaml; yaml.safe_load(open(sys.argv[1]))' "$source/examples/ci/$file.yml" || fail "$file.yml is no YAML"
    done
else
    echo "skipped: YAML, for want of python3-yaml"
fi
[ $failures = 0 ] && echo "green before, red there" || exit 1
