#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A run replaces its own files and nothing else, and what cannot be written is said before the
# search, or at least said.
set -u
. "$(dirname "$0")/helpers"

cat >t.c <<'C'
int total(int *a, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        if (a[i] > 0)
            sum += a[i];
    return sum;
}
int other(int *a, int n) { return n && a[0] > 0; }
C
cp t.c u.c
entry='total(a[n], n)'
common="--size n=2 --strategy exhaustive --jobs 1 --quiet"

# run STATUS TEXT ARG...: a run of t.c; TEXT is on stderr, in one line, when it is refused.
run() {
    want=$1 text=$2
    shift 2
    "$slowpath" run t.c $common "$@" >out 2>err
    status=$?
    [ $status = "$want" ] || fail "exit code $status instead of $want: $* ($(cat err))"
    [ -z "$text" ] || grep -qF -- "$text" err || fail "does not say '$text': $* ($(cat err))"
    [ "$want" = 0 ] || [ "$(wc -l <err)" = 1 ] || fail "not one line: $* ($(cat err))"
}

# The suite.json of somebody else, and a folder that is no suite.
mkdir foreign stuff
echo '{"name": "my tests", "tests": []}' >foreign/suite.json
echo dear >foreign/diary
echo dear >stuff/diary
run 2 "is not a suite of slowpath" --entry "$entry" --out foreign
run 2 "is not a suite of slowpath" --entry "$entry" --out foreign --force
run 2 "holds something else than a suite" --entry "$entry" --out stuff
[ "$(cat foreign/diary)$(cat stuff/diary)" = deardear ] || fail "a diary is lost"
grep -q 'my tests' foreign/suite.json || fail "somebody's suite.json is lost"

# Files beside a suite's survive every run; its own are replaced.
run 0 '' --entry "$entry" --out mine
mkdir mine/notes mine/tests/more
echo dear >mine/notes/diary
echo dear >mine/tests/README
echo dear >mine/tests/more/0001.input
run 0 '' --entry "$entry" --out mine
run 0 '' --entry "$entry" --out mine --tests 1
[ -e mine/tests/0001.input ] && [ ! -e mine/tests/0002.input ] || fail "old tests: $(ls mine/tests)"
[ "$(cat mine/notes/diary mine/tests/README mine/tests/more/0001.input | tr -d '\n')" = deardeardear ] ||
    fail "a file beside the suite is lost"
[ "$(ls -A mine | tr '\n' ' ')" = "notes state suite.json tests " ] || fail "in the suite: $(ls -A mine)"
echo dear >mine/tests/0007.input
run 2 "mine/tests/0007.input' is in the way" --entry "$entry" --out mine
[ "$(cat mine/tests/0007.input)" = dear ] || fail "a test of the user is lost"
rm mine/tests/0007.input

# The better of both: a run that finds less keeps what there was, and says so; --force does not.
cost() { sed -n 's/^ *"instructions": \([0-9]*\).*/\1/p' "$1/suite.json" | tr '\n' ' '; }
run 0 '' --entry "$entry" --out best --tests 3
cp -r best best.copy
run 0 '' --entry "$entry" --out best --tests 3
diff -r best/tests best.copy/tests >diff || fail "the same run again gives other tests: $(cat diff)"
grep -q kept best/suite.json && fail "what is found again was not kept"
run 0 '' --entry "$entry" --out best --tests 3 --strategy random --runs 1 --seed 3
[ "$(cost best)" = "$(cost best.copy)" ] || fail "$(cost best)instead of $(cost best.copy)"
grep -q '  yes, from an earlier run$' out || fail "does not tell what was kept: $(cat out)"
grep -q '"kept": true' best/suite.json && grep -q '"strategy": "random"' best/suite.json || fail "$(cat best/suite.json)"
"$slowpath" replay best --quiet >out 2>err || fail "what was kept does not replay: $(cat out err)"
[ -e best/tests/0003.c ] && [ ! -e best/tests/0004.input ] && [ ! -e best/earlier-1 ] || fail "$(ls best best/tests)"
run 0 '' --entry "$entry" --out best --tests 3 --strategy random --runs 1 --seed 3 --force
[ "$(cost best | wc -w)" = 1 ] || fail "--force keeps $(cost best)"

# A test that no longer costs what it did is dropped with a word; one that still does stays.
cp t.c v.c
sum() { "$slowpath" run v.c ${common% --quiet} --entry "$entry" --out changed "$@" >out 2>err || fail "v.c: $(cat err)"; }
sum
sed -i 's/sum += a\[i\]/sum += a[i] * n/' v.c
sum --strategy random --runs 1 --seed 3
grep -q "of the 4 tests that were in 'changed' are dropped" err || fail "no word of tests that were dropped: $(cat err)"
"$slowpath" replay changed --quiet >out 2>err || fail "a changed target: $(cat out err)"

# An input that crashed is kept, too, as long as the program is the same.
echo 'int f(unsigned char c) { if (c == 77) __builtin_trap(); return c > 5; }' >w.c
crash() { "$slowpath" run w.c --entry f --jobs 1 --quiet --out faulty "$@" >out 2>err || fail "w.c: $(cat err)"; }
crash --strategy exhaustive
crash --strategy random --runs 2
[ "$(od -An -tu1 faulty/faults/0001.input | tr -d ' ')" = 77 ] || fail "a crash is lost: $(cat out)"

# A suite of something else is set aside as a suite, and a note says so; the user's files stay.
cp -r mine mine.copy
"$slowpath" run u.c ${common% --quiet} --entry 'other(a[n], n)' --out mine >out 2>err ||
    fail "the suite of another target: $(cat err)"
grep -q "the suite of another target that was in 'mine' is now in 'mine/earlier-1'" err || fail "no note: $(cat err)"
diff -r mine.copy/tests mine/earlier-1/tests | grep -v '^Only in mine.copy' >diff
[ ! -s diff ] || fail "the suite of t.c is not what it was: $(cat diff)"
cmp -s mine.copy/state mine/earlier-1/state || fail "its state is lost"
"$slowpath" replay mine/earlier-1 --quiet >out 2>err || fail "it does not replay where it is now: $(cat out err)"
run 0 '' --entry 'other(a[n], n)' --out mine --force
[ "$(cat mine/notes/diary)" = dear ] && [ ! -e mine/earlier-2 ] || fail "a diary beside another suite is lost"
run 0 '' --entry 'other(a[n], n)' --out mine --measure calls
[ -e mine/earlier-2/tests/0001.input ] || fail "the suite by another measure is lost"
run 0 '' --entry "$entry"
run 0 '' --entry 'other(a[n], n)'
mkdir deep
(cd deep && "$slowpath" run ../t.c --entry 'other(a[n], n)' $common --out ../mine) >out 2>err ||
    fail "the same target, seen from elsewhere: $(cat err)"

# A folder of one's own that cannot be moved; one that cannot be written.
mkdir here
(cd here && "$slowpath" run ../t.c --entry "$entry" $common --out . && [ -e tests/0001.input ]) \
    >out 2>err || fail "--out .: $(cat err)"
(cd here && "$slowpath" run ../t.c --entry "$entry" $common --out .) >out 2>err ||
    fail "--out . again: $(cat err)"
ln -s here linked
run 0 '' --entry "$entry" --out linked
[ -L linked ] && [ -e here/suite.json ] || fail "a link to a folder is replaced"
run 2 'cannot' --entry "$entry" --out /proc/self/suite

# A crash while the files were moved: the next one to look finishes it.
run 0 '' --entry "$entry" --out crashed
mkdir crashed/.slowpath.ready crashed/.slowpath.new.999999999
mv crashed/tests crashed/suite.json crashed/.slowpath.ready/
"$slowpath" replay crashed >out 2>err || fail "after a crash: $(cat err)"
[ -e crashed/tests/0001.input ] && [ ! -e crashed/.slowpath.ready ] || fail "nothing was finished"
run 0 '' --entry "$entry" --out crashed
[ ! -e crashed/.slowpath.new.999999999 ] || fail "what a crash left is still there"

# JSON: a place that cannot be written is refused before anything runs; a full one is an error.
run 2 "cannot write 'none/x.json'" --entry "$entry" --out j1 --json none/x.json
run 2 "cannot write 'stuff'" --entry "$entry" --out j1 --json stuff
[ ! -e j1 ] || fail "it searched before it knew where to write"
run 0 '' --entry "$entry" --out j1 --json j1/result.json
: >real.json && ln -s real.json link.json
run 0 '' --entry "$entry" --out j1 --json link.json
[ -L link.json ] && [ -s real.json ] || fail "a link is replaced by a file"
for command in "run t.c --entry $(echo "$entry" | tr -d ' ') --size n=2 --jobs 1 --out j2" "replay mine" \
    "compare t.c t.c mine" "measure t.c --entry other(a[n],n) mine/tests/0001.input"; do
    for output in "--json -" "--json /dev/full" ""; do
        case $output in
        *full) "$slowpath" $command $output >out 2>err ;;
        *) "$slowpath" $command $output >/dev/full 2>err ;;
        esac
        [ $? = 2 ] || fail "exit code $? on a full device: $command $output"
        grep -q 'cannot write .*No space' err || fail "says nothing: $command $output: $(cat err)"
    done
done
[ -c /dev/full ] || fail "a device is replaced by a file"
"$slowpath" --help >/dev/full 2>err && fail "--help on a full device"
"$slowpath" run --help 2>err | head -n 1 >out
[ ! -s err ] || fail "a reader that is gone: $(cat err)"

[ $failures = 0 ] && echo "only its own files are replaced" || exit 1
