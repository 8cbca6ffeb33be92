#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Pipelines are searched, told by stage, stored and replayed like any target; a stage that fails costs one run.
set -u
. "$(dirname "$0")/helpers"
cc=$slowpath-cc
examples=$(cd "$(dirname "$0")/../../examples/pipe" && pwd)

# says STATUS TEXT ARG...: exit code, and TEXT somewhere in what is printed.
says() {
    want=$1 text=$2
    shift 2
    "$slowpath" "$@" >out 2>err
    status=$?
    [ $status = "$want" ] || fail "exit code $status instead of $want: $* ($(cat out err))"
    cat out err | grep -qF -- "$text" || fail "does not say '$text': $* ($(cat out err))"
}

mkdir -p bin
for name in words lsort twice dedupe select; do
    "$cc" -O1 -o bin/$name "$examples/$name.c" || fail "$name does not build"
done
cat >arg.c <<'C'
#include <stdio.h>
int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        puts(argv[i]);
    return 0;
}
C
cat >bad.c <<'C'
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    int byte = getchar();
    if (byte == 'x')
        abort();
    while (byte == 'y')
        puts("and so on");
    while (byte == 'z')
        ;
    return puts("fine") == EOF;
}
C
"$cc" -o bin/arg arg.c && "$cc" -o bin/bad bad.c || fail "does not build"
clang-19 -o bin/plain arg.c 2>/dev/null || gcc -o bin/plain arg.c

# Counts are exact: two words in, two lines out, and the parts are those of the programs run alone.
printf 'b a' >in
says 0 'stage 2' pipe 'words <in | lsort' --path bin --stdin 3 --strategy random --runs 1 --jobs 1 --out two --seed 1 --json two.json
python3 - <<'P' || fail "the stages do not add up"
import json
test = json.load(open('two.json'))['tests'][0]
one, two = test['stages']
assert one['command'] == 'words <in' and two['command'] == 'lsort', test
assert one['cost']['instructions'] + two['cost']['instructions'] == test['cost']['instructions'], test
assert one['input_bytes'] == 3 and one['output_bytes'] == two['input_bytes'], test
P
"$slowpath" measure bin/words two/tests/0001.input --json alone.json >/dev/null
python3 - <<'P' || fail "a stage costs what the program costs alone"
import json
assert json.load(open('alone.json'))['tests'][0]['cost']['instructions'] == \
    json.load(open('two.json'))['tests'][0]['stages'][0]['cost']['instructions']
P

# The same seed makes the same suite, and replay finds it again from anywhere.
for out in a b; do
    says 0 'stage 2 (lsort) dominates' pipe 'words | lsort' --path bin --stdin 24 --strategy evolve --runs 3000 --jobs 1 --out $out
done
cmp -s a/tests/0001.input b/tests/0001.input || fail "the same seed makes another suite"
(cd / && "$slowpath" replay "$OLDPWD/a" >/dev/null) || fail "replay"
says 0 'tests hold' replay a

# The strategies that need no symbolic build, one run for each line, and branches.
for strategy in random climb patterns auto; do # auto composes as well, so its input is small
    size=$([ $strategy = auto ] && echo 8 || echo 64)
    says 0 'stages of' pipe 'words | twice | dedupe' --path bin --stdin $size --strategy $strategy --runs 500 --jobs 1 --out s
done
says 0 'xargs' pipe 'words | xargs -I{} arg -{}- | lsort' --path bin --stdin 16 --strategy climb --runs 500 --jobs 2 --out x
says 0 '  4  dedupe' pipe 'words | tee >(lsort) >(twice | dedupe) | select "a*"' --path bin --stdin 16 --strategy climb --runs 500 --jobs 1 --out t

# Paths are followed through all stages: every one of a small input, and none that was not meant.
says 0 'exhaustive' pipe 'words | twice | lsort' --path bin --stdin 3 --strategy exhaustive --jobs 1 --out p --json p.json
says 0 'climb' pipe 'words | twice | lsort' --path bin --stdin 3 --strategy climb --runs 5000 --jobs 1 --out q --json q.json
python3 - <<'P' || fail "paths through a pipeline: $(cat out)"
import json
all, some = json.load(open('p.json')), json.load(open('q.json'))
assert all['stats']['end'] == 'finished' and all['stats']['mismatches'] == 0, all['stats']
assert all['stats']['paths'] > 50, all['stats']
assert all['tests'][0]['cost']['instructions'] >= some['tests'][0]['cost']['instructions']
assert 'in[' in all['tests'][0]['condition'], all['tests'][0]
P
says 0 'beam' pipe 'words | tee >(lsort) | dedupe' --path bin --stdin 6 --strategy beam --runs 2000 --jobs 1 --out r
says 2 'through xargs' pipe 'words | xargs -I{} arg {}' --path bin --stdin 8 --strategy beam
says 2 'learns from one program' pipe 'words | lsort' --path bin --stdin 8 --strategy scale

# A stage that aborts, never ends or writes without end costs the runs that make it do so.
printf 'x' >seeds1 && printf 'y' >seeds2 && printf 'z' >seeds3 && printf 'a' >seeds4
mkdir -p seeds && cp seeds1 seeds2 seeds3 seeds4 seeds
says 0 'stage 1 (bad): Aborted' pipe 'bad | lsort' --path bin --seeds seeds --stdin 1 --strategy evolve --runs 4 --jobs 1 \
    --limit-time 2 --limit-file 1 --out f
grep -qF 'stage 1 (bad): it writes more than --limit-file allows' out || fail "endless output: $(cat out)"
grep -qF 'stage 1 (bad): over' out || fail "endless loop: $(cat out)"

# One that never ends, whatever it reads, is named.
printf 'int main(void) {\n    for (volatile int i = 1; i;)\n        continue;\n    return 0;\n}\n' >forever.c
"$cc" -o bin/forever forever.c || fail "forever does not build"
says 0 'stage 2 (forever) has not ended on the first input' pipe 'words | forever' --path bin --stdin 4 --strategy random --time 1 --jobs 1 \
    --limit-time 1 --out g

# Composition: a filter that few inputs pass, and a sort behind it. All lines pass, and the log says what was dropped.
export SLOWPATH_LIBRARY="$PWD/library"
says 0 'composed: 3 inputs of 8 bytes' pipe 'select "#" | lsort' --path bin --stdin 8 --compose 8 --strategy compose --tests 3 \
    --time 2 --jobs 1 --out c --json c.json
python3 - <<'P' || fail "composition: $(cat out)"
import json
root = json.load(open('c.json'))
made = root['composition']
assert made['summaries_made'] >= 2 and made['summaries_found'] == 0, made
assert any('drop from stage' in line for line in made['log']), made['log']
assert root['tests'][0]['stages'][1]['input_bytes'] >= 6, root['tests'][0]
assert root['tests'][0]['cost']['instructions'] > made['alone'], made
P
says 0 'lsort' pipe --library list
says 0 'conjuncts' pipe --library show "$(awk '/ lsort$/ {print $1; exit}' out)"
says 0 'from the library, the others made in 0.0 s' pipe 'select "#" | lsort' --path bin --stdin 8 --compose 8 --strategy compose --tests 1 --time 2 --jobs 1 --out d
for file in library/*; do
    sed -i '2s/.*/version 0.0.0 1 1/' "$file"
done
says 0 'was made by another version of slowpath' pipe 'select "#" | lsort' --path bin --stdin 8 --compose 8 --strategy compose --tests 1 \
    --time 2 --jobs 1 --out e
SLOWPATH_LIBRARY=$PWD/in says 0 'is not kept' pipe 'select "#" | lsort' --path bin --stdin 8 --compose 8 --strategy compose --tests 1 --time 1 --jobs 1 --out h

# In a short search it has time only where a stage gets little of what the one before it reads.
says 0 'composed' pipe 'select "###-####" | lsort' --path bin --stdin 300 --time 2 --jobs 1 --out m
says 0 'no stage is held back' pipe 'words | lsort' --path bin --stdin 300 --time 2 --jobs 1 --out n

# If nothing comes through, more tests of the first stage alone are not worth their time.
cat >mute.c <<'C'
#include <stdio.h>
int main(void) {
    volatile int seen = 0;
    for (int byte; (byte = getchar()) != EOF;)
        seen += byte == 'a' ? 2 : byte == 'b';
    return 0;
}
C
"$cc" -O1 -o bin/mute mute.c || fail "mute does not build"
says 0 'stage 2 (lsort) took no part' pipe 'mute | lsort' --path bin --stdin 8 --compose 8 --strategy compose --tests 6 --time 2 --jobs 1 --out q --json q.json
[ "$(grep -o '1 of 2 stages joined' q.json | wc -l)" = 2 ] || fail "too many tests of one stage: $(cat q.json)"

# A summary that lets nothing through and was made in a hurry is made again when there is more time.
export SLOWPATH_LIBRARY="$PWD/hasty"
for made in 1 0 1; do
    [ $made = 1 ] && [ -d hasty ] && sed -i 's/^given .*/given 0.010/' hasty/*.summary
    says 0 'stage 2 (lsort) took no part' pipe 'mute | lsort' --path bin --stdin 48 --strategy compose --tests 1 --time 2 --jobs 1 --out q --json q.json
    grep -q "\"summaries_made\": $made" q.json || fail "a hasty summary stays, or a good one is made again: $(grep summaries_ q.json)"
done
export SLOWPATH_LIBRARY="$PWD/library"

# A stage that is run for each line is explored with what can be one: no argument has an end of a line, quotes or a backslash.
cat >slow.c <<'C'
int main(int argc, char **argv) {
    for (char *at = argv[1]; argc > 1 && *at; at++)
        for (volatile int i = *at == '\n' || *at == '"' ? 500 : *at == '!' ? 100 : 0; i; i--)
            continue;
    return 0;
}
C
"$cc" -O1 -o bin/slow slow.c || fail "slow does not build"
says 0 'composed' pipe 'words | xargs -I{} slow {}' --path bin --stdin 6 --compose 6 --strategy compose --tests 2 --time 2 --jobs 1 --out l --json l.json
grep -q '2 of 2 stages joined' l.json || fail "lines are not joined: $(cat l.json)"
says 0 'slow' pipe --library list
says 0 '!' pipe --library show "$(awk '/ slow \{\}$/ {print $1; exit}' out)"
grep -q '\\012\|\\"' out && fail "an argument that no line gives: $(cat out)"
says 2 'the library has no summary' pipe --library drop nothing
says 0 'summaries dropped' pipe --library drop
says 2 'list, show KEY' pipe --library what

# What the command looks for is tried: no random change makes a line of it.
says 0 'stages of' pipe 'select "needle=*" | lsort' --path bin --stdin 64 --strategy evolve --runs 2000 --jobs 1 --seed 1 --out words --json words.json
python3 - <<'P' || fail "no line passes: $(cat out)"
import json
assert max(test['stages'][1]['input_bytes'] for test in json.load(open('words.json'))['tests']) >= 8
P

# Linear in each stage alone, quadratic together: the first one makes lines of what has none.
cat >fields.c <<'C'
#include <stdio.h>
int main(void) {
    char field[4096];
    int byte, size = 0;
    while ((byte = getchar()) != EOF)
        if (byte == ',') {
            field[size] = 0;
            printf("%s\n-%s\n", field, field);
            size = 0;
        } else if (byte != '\n' && size < 4000)
            field[size++] = (char)byte;
    return 0;
}
C
"$cc" -O1 -o bin/fields fields.c || fail "fields does not build"
says 0 'linear in each stage alone on this input, quadratic together: stage 2 (dedupe) is slow because stage 1 (fields) multiplies lines' \
    pipe 'fields | dedupe' --path bin --stdin 1024 --strategy patterns --runs 20000 --jobs 1 --out together --json together.json
python3 - <<'P' || fail "growth by stage: $(cat out)"
import json
growth = json.load(open('together.json'))['stage_growth']
assert growth['whole'] == 'O(n^2)' and [stage['apart'] for stage in growth['stages']] == ['O(n)', 'O(n)'], growth
P

# What is wrong is said in a line, with a caret where it is.
says 2 "only '|' connects programs" pipe 'a || b'
grep -q '^      ^$' err || fail "no caret: $(cat err)"
says 2 "where is 'words'?" pipe 'words | lsort' --stdin 4
says 2 "there is no program 'nothing' in --path bin" pipe 'words | nothing' --path bin --stdin 4
says 3 'slowpath-cc' pipe 'words | plain' --path bin --stdin 4
says 2 'one pipeline is wanted' pipe words lsort --path bin
says 2 'is for one program' pipe words --path bin --args x
# Whoever stops it while inputs are composed has what was found.
"$slowpath" pipe 'words | twice | lsort' --path bin --library off --stdin 200 --time 60 --quiet --out stopped >out 2>err &
run=$!
sleep 1
while kill -INT $run 2>/dev/null; do
    sleep 0.5
done
wait $run || fail "stopped while composing: $(cat err)"
grep -q '^stopping' err || fail "does not say that it stops: $(cat err)"
[ -s stopped/tests/0001.input ] || fail "nothing is left of a pipeline that was stopped: $(cat out)"

[ $failures = 0 ]
