#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# --template: what is wrong is said at its place, with exit code 2, and leaves no suite.
set -u
slowpath=$(cd "$1" && pwd)/slowpath
failures=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
printf 'int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { return n && *d; }\n' >t.c

# wrong TEXT OPTION...
wrong() {
    text=$1
    shift
    "$slowpath" run t.c "$@" >out 2>err </dev/null
    status=$?
    [ $status = 2 ] && grep -qF -- "$text" err && [ ! -s out ] && [ ! -e t.c.slowpath ] && return
    echo "FAIL: exit code $status: $* ($(cat err))"
    failures=$((failures + 1))
}

printf 'one {{a|b}}\ntwo {{a|b' >open
printf 'one {{a|b}}\n' >good
wrong "open:2:5: the hole is not closed" --template open
wrong "    two {{a|b" --template open
grep -q '^        ^$' err || {
    echo "FAIL: no caret under the hole ($(cat err))"
    failures=$((failures + 1))
}
wrong "missing" --template missing
wrong "leave out --seeds" --template good --seeds good
wrong "leave out --seeds and --range" --template good --range in=0..1
wrong "leave out the bytes" --template good --size 8
wrong "weighed as a whole" --template good --judge so-far
wrong "nothing to learn from" --template good --strategy scale
exit $failures
