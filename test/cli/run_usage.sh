#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run and replay: wrong options and broken suites get one clear line on stderr, nothing on stdout,
# and exit code 2; nothing is left where a suite would be.
set -u
. "$(dirname "$0")/helpers"

cat >t.c <<'C'
struct pair { int x; float y; };
int most(const int *a, int n, struct pair p) {
    int best = p.x;
    for (int i = 0; i < n; i++)
        if (a[i] > best)
            best = a[i];
    return best;
}
C
echo '#include <stdint.h>
#include <stddef.h>
int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n) { return n && d[0] == 7; }' >h.c
echo '#include <stdio.h>
int main(int argc, char **argv) { return getchar() == argc + argv[0][0]; }' >m.c
mkdir empty other
echo data >other/file

entry='most(a[n], n, p)'
wrong 'no target' run
wrong "the size 'n' is not given: --size n=8" run t.c --entry "$entry"
wrong 'write NAME=VALUE' run t.c --entry "$entry" --size n
wrong 'the entry tells the bytes of its input' run t.c --entry "$entry" --size n=3 --size 12
wrong 'there are auto, random, exhaustive' run t.c --entry "$entry" --size n=3 --strategy luck
wrong '--tests 0' run t.c --entry "$entry" --size n=3 --tests 0
wrong '--tests many' run t.c --entry "$entry" --size n=3 --tests many
wrong '--time -1' run t.c --entry "$entry" --size n=3 --time -1
wrong '--runs 0' run t.c --entry "$entry" --size n=3 --runs 0
wrong '--jobs 0' run t.c --entry "$entry" --size n=3 --jobs 0
wrong '--seed x' run t.c --entry "$entry" --size n=3 --seed x
wrong '--max-path 0' run t.c --entry "$entry" --size n=3 --max-path 0
wrong '--loop-bound -1' run t.c --entry "$entry" --size n=3 --loop-bound -1
wrong "no field 'b' (it has a, p)" run t.c --entry "$entry" --size n=3 --range b=0..9
wrong 'NAME=LOW..HIGH' run t.c --entry "$entry" --size n=3 --range a=0
wrong 'NAME=LOW..HIGH' run t.c --entry "$entry" --size n=3 --range a=9..0
wrong 'NAME=LOW..HIGH' run t.c --entry "$entry" --size n=3 --range a=0..9x
wrong 'more than an element of 4 bytes holds' run t.c --entry "$entry" --size n=3 --range a=0..9999999999
wrong "'p' is not made of integers" run t.c --entry "$entry" --size n=3 --range p=0..9
wrong "--prospect luck: there is no such prospect (there are so-far, rate, whole)" \
    run t.c --entry "$entry" --size n=3 --prospect luck
wrong '--no-stage magic: there is no such stage (there are model, domain, order,' run t.c --entry "$entry" --size n=3 --no-stage order --no-stage magic
wrong 'cannot read' run t.c --entry "$entry" --size n=3 --seeds none
wrong 'it holds no inputs' run t.c --entry "$entry" --size n=3 --seeds empty
wrong 'it is no folder' run t.c --entry "$entry" --size n=3 --out h.c
wrong 'is not overwritten' run t.c --entry "$entry" --size n=3 --out other
wrong 'cannot make the folder' run t.c --entry "$entry" --size n=3 --out h.c/inside/suite
wrong 'there is no search to go on with' run t.c --entry "$entry" --size n=3 --resume
wrong 'how large is the input? --size BYTES' run h.c --strategy exhaustive
wrong 'how large is the input? --stdin BYTES' run m.c --strategy random
wrong '--max-size 0' run h.c --max-size 0
wrong 'a number of bytes is wanted' run m.c --stdin few
wrong 'write K or K:BYTES' run m.c --arg 1:x
wrong '--file needs @@' run m.c --file 4
wrong "'speed' is not known" run t.c --entry "$entry" --size n=3 --measure speed
wrong "unknown option '--strat'" run t.c --strat random
[ "$(cat other/file)" = data ] || fail "the other folder was changed"

# What is not a suite, and suites that were damaged in every way that has a message of its own.
"$slowpath" run t.c --entry "$entry" --size n=3 --jobs 1 --out good --quiet >out 2>err ||
    fail "no suite to begin with ($(cat err))"
damaged() { # TEXT SED-SCRIPT
    rm -rf bad
    cp -r good bad
    sed "$2" good/suite.json >bad/suite.json
    wrong "$1" replay bad
}
wrong 'name its folder' replay
wrong 'one suite is wanted' replay good good
wrong 'no file suite.json' replay none
wrong 'no file suite.json' replay empty
wrong '--threshold -1' replay good --threshold -1
damaged 'suite.json' '3s/"/x/'
damaged 'line' '$d'
damaged '"tests" is missing' 's/"tests":/"toasts":/'
damaged '"measure" is missing' 's/"measure":/"treasure":/'
damaged '"target" is missing' 's/"target":/"gadget":/'
damaged '"sizes" is missing' 's/"sizes":/"seizes":/'
damaged 'is no size' 's/"n": 3/"n": "three"/'
damaged 'no cost by the measure' 's/"instructions": [0-9]*/"instructions": "many"/'
damaged "no file in the suite's folder" 's,tests/0001.input,../good/tests/0001.input,'
damaged "no file in the suite's folder" 's,tests/0001.input,/etc/passwd,'
damaged 'cannot read' 's,tests/0001.input,tests/0099.input,'
damaged "'speed' is not known" 's/"measure": "instructions"/"measure": "speed"/; s/"instructions":/"speed":/'

# A state that is damaged, or of another search.
cp -r good again
wrong 'belongs to another target or to other options' \
    run t.c --entry "$entry" --size n=4 --out again --resume
printf x | dd of=again/state bs=1 seek=200 conv=notrunc 2>/dev/null
wrong 'is damaged' run t.c --entry "$entry" --size n=3 --out again --resume
echo short >again/state
wrong 'is not a state' run t.c --entry "$entry" --size n=3 --out again --resume

[ $failures = 0 ] && echo "wrong usage of run and replay is told" || exit 1
