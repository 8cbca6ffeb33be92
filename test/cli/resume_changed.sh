#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A search does not go on with a program that is not the same any more, down to a number in a table,
# nor with other options than those that only say when and how fast.
set -u
. "$(dirname "$0")/helpers"

cat >t.c <<'C'
static const int table[4] = {3, 4, 5, 6};
static int start = 2;
int work(const unsigned char *s, int n) {
    volatile int sum = start;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < table[s[i] & 3]; j++)
            sum = sum + 1;
    return sum;
}
C
cp t.c original.c
echo '"ab"' >word.dict
entry='work(s[n],n)'
run() { "$slowpath" run t.c --entry "$entry" --size n=4 --strategy exhaustive --jobs 1 --quiet --out s "$@" >out 2>err; }

run --runs 20 --time 0 || fail "the first piece: $(cat err)"
refused() { # WHAT ARG...: the state of s is refused
    what=$1
    shift
    run --resume "$@" && fail "goes on although $what"
    [ "$(wc -l <err)" = 1 ] || fail "not one line: $(cat err)"
    grep -qF -- "start again without --resume" err || fail "$what: $(cat err)"
}
sed 's/{3, 4/{3000, 4/' original.c >t.c
refused "a table has changed"
grep -q 'it has changed since' err || fail "does not say what: $(cat err)"
sed 's/start = 2/start = 3/' original.c >t.c
refused "a variable has changed"
sed 's/sum + 1/sum + 2/' original.c >t.c
refused "a constant has changed"
cp original.c t.c
refused "it is compiled in another way" --cflags -DX=1
refused "the weights are others" --weights load=7
echo 'work()=3' >weights
run --runs 20 --time 0 --weights @weights || fail "the first piece, by weight: $(cat err)"
echo 'work()=4' >weights
refused "the weights in a file are others" --weights @weights
run --runs 20 --time 0 || fail "the first piece again: $(cat err)"
refused "the limit is another" --limit-time 3
refused "the seed is another" --seed 4
refused "there is a dictionary" --dict word.dict
refused "the measure is another" --measure calls
run --resume --runs 40 --tests 3 --json j.json || fail "the same program: $(cat err)"
run --resume --seed 0 --time 30 || fail "a default that is written out: $(cat err)"
grep -q '^complete' out || fail "it did not end: $(cat out)"

[ $failures = 0 ] && echo "a changed program is another one" || exit 1
