#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A campaign over four small targets, one of which does not build: the others have their suites, one page
# links their reports; what is wrong with the file is one line with its number; Ctrl-C keeps everything and
# --resume goes on; campaigns that share a fleet's folder share what they find.
set -u
. "$(dirname "$0")/helpers"

mkdir targets
cat >targets/sort.c <<'C'
void sort(int *a, int n) {
    for (int i = 1; i < n; i++) {
        int x = a[i], j = i - 1;
        for (; j >= 0 && a[j] > x; j--)
            a[j + 1] = a[j];
        a[j + 1] = x;
    }
}
C
cat >targets/sum.c <<'C'
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    volatile int work = 0;
    for (size_t i = 0; i < size; i++)
        for (int turns = data[i]; turns; turns--)
            work++;
    return 0;
}
C
echo 'int broken(' >targets/broken.c
cat >targets/list <<'L'
# One line for each target, as it would follow 'slowpath run'.
all: --tests 2
sort: sort.c --entry 'sort(a[n], n)'
    --size n=4
broken.c
sum.c --size 64 --strategy evolve --runs 60000
other: sum.c --size 16 --strategy random --runs 1000
L

"$slowpath" campaign targets/list --time 0 --slice 0.1 --jobs 2 --out out --json result.json >text 2>err ||
    fail "the campaign: $(cat err)"
for name in sort sum other; do
    "$slowpath" replay out/$name --quiet >replayed 2>&1 || fail "replay of $name: $(cat replayed)"
    [ -f out/$name/report.html ] || fail "$name has no report"
    grep -q "href=\"$name/report.html\"" out/index.html || fail "the page does not link $name"
done
grep -q '^sort  *complete ' text || fail "sort is not complete: $(cat text)"
grep -q '^broken  *failed' text || fail "broken has not failed: $(cat text)"
grep -q 'broken.c.* does not compile' text || fail "why broken failed is not told: $(cat text)"
grep -q 'class=failed' out/index.html || fail "the page does not show what failed"
grep -q '"status": "complete"' result.json || fail "--json: $(cat result.json)"
[ "$(sed -n 's/^sum  *complete  *\([0-9]*\) .*/\1/p' text)" -ge 2 ] || fail "sum has had one slice: $(cat text)"

# The same again is refused; a target more and --resume goes on with it.
"$slowpath" campaign targets/list --time 0 --out out >text 2>err && fail "a campaign is begun twice"
grep -q -- '--resume goes on with it' err || fail "it does not tell of --resume: $(cat err)"
before=$(sed -n 's/^  "slices": \([0-9]*\),/\1/p' out/campaign.json)
sed -i '/^broken/d' targets/list
echo 'late: sum.c --size 8 --strategy random --runs 500' >>targets/list
"$slowpath" campaign targets/list --time 0 --slice 5 --out out --resume --quiet >text 2>err || fail "--resume: $(cat err)"
[ "$(sed -n 's/^  "slices": \([0-9]*\),/\1/p' out/campaign.json)" = $((before + 1)) ] || fail "--resume: $(cat text)"
grep -q '^late  *complete' text || fail "--resume has not searched what is new: $(cat text)"

# Ctrl-C: all that was found is there, and --resume goes on.
sed -i 's/--runs [0-9]*//' targets/list
"$slowpath" campaign targets/list --time 100 --jobs 2 --out stopped >text 2>err &
child=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ -f stopped/sum/state ] && break
    sleep 1
done
kill -INT $child
wait $child || fail "Ctrl-C: exit code $?, $(cat err)"
grep -q 'interrupted: --resume goes on' text || fail "Ctrl-C: $(cat text)"
"$slowpath" replay stopped/sum --quiet >replayed 2>&1 || fail "what was stopped: $(cat replayed)"
sed -i '/^sum/!d' targets/list
sed -i 's/$/ --runs 1/' targets/list # fewer than it has had
"$slowpath" campaign targets/list --time 0 --slice 1 --out stopped --resume --quiet >text 2>err || fail "after Ctrl-C: $(cat err)"
"$slowpath" replay stopped/sum --quiet >replayed 2>&1 || fail "what was resumed: $(cat replayed)"

# Another host: it has what the first one found.
echo 'other: sum.c --size 16 --strategy random --tests 2 --runs 500' >targets/one
for host in a b; do
    "$slowpath" campaign targets/one --time 0 --slice 5 --jobs 1 --out $host --fleet shared --quiet >text 2>err || fail "$host: $(cat err)"
done
grep -q '^fleet: [0-9]* inputs* of [1-9]' b/logs/other.log || fail "b has taken nothing: $(cat b/logs/other.log)"

# As one of two ranks of a launcher: a folder of its own, a fleet of both.
for rank in 0 1; do
    OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=$rank "$slowpath" campaign targets/one --time 0 --slice 5 --jobs 1 --out ranks --quiet >text 2>err ||
        fail "rank $rank: $(cat err)"
done
grep -q '^fleet: [0-9]* inputs* of [1-9]' ranks/rank-1/logs/other.log || fail "rank 1 has taken nothing: $(cat ranks/rank-1/logs/other.log)"

# A rank whose launcher is killed ends by itself, in order.
# shellcheck disable=SC2016 # the inner shell's
sh -c 'OMPI_COMM_WORLD_RANK=0 "$0" campaign targets/one --time 600 --slice 1 --jobs 1 --out orphan --quiet >text 2>err & echo $! >rank; wait' "$slowpath" &
launcher=$!
waits=0
until [ -e orphan/rank-0/campaign.json ] || [ $waits = 100 ]; do sleep 0.1 && waits=$((waits + 1)); done
kill -9 $launcher
wait $launcher 2>/dev/null
waits=0
while kill -0 "$(cat rank)" 2>/dev/null && [ $waits -lt 200 ]; do sleep 0.1 && waits=$((waits + 1)); done
kill "$(cat rank)" 2>/dev/null && fail "a rank goes on without its launcher"

# What is wrong with a file, and where.
check() { # TEXT MESSAGE
    printf '%b' "$1" >targets/bad
    "$slowpath" campaign targets/bad --time 1 --out bad >text 2>err
    code=$?
    [ "$code $(wc -l <err)" = '2 1' ] || fail "'$1': exit $code, $(cat err)"
    grep -q "$2" err || fail "'$1': $(cat err)"
}
check 'a: sum.c\nb: sum.c --sise 3\n' 'targets/bad:2: unknown option .--sise.; did you mean --size'
check 'a: sum.c --out x\n' 'targets/bad:1: --out is the campaign'
check 'a: "sum.c\n' 'targets/bad:1: a quote has no end'
check '# none\n' 'names no target'
"$slowpath" campaign >text 2>err
[ $? = 2 ] || fail "no file: $(cat err)"
echo 'broken.c' >targets/bad
"$slowpath" campaign targets/bad --time 0 --out bad --quiet >text 2>err
[ $? = 3 ] || fail "nothing builds: $(cat err)"

[ $failures = 0 ]
