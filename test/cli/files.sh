#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A pipeline whose input is a tree of files: all stages see it, tests can be laid out and run by the shell, what a run does to its
# files is undone, and paths are followed through names, sizes, modes, times and contents.
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
cat >needle.c <<'C'
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static int is_it(const char *name) {
    struct stat status;
    char text[4] = "";
    if (name[0] != 'q' || name[1] != 'Z' || stat(name, &status) != 0 || !S_ISREG(status.st_mode))
        return 0;
    if (status.st_size != 21 || (status.st_mode & 0111) != 0111 || status.st_mtime != 123456789)
        return 0;
    int file = open(name, O_RDONLY);
    return file >= 0 && read(file, text, 4) == 4 && memcmp(text, "deep", 4) == 0;
}
int main(void) {
    DIR *folder = opendir(".");
    struct dirent *item;
    volatile int work = 0;
    while ((item = readdir(folder)))
        if (is_it(item->d_name))
            for (int i = 0; i < 1000; i++)
                work++;
    return 0;
}
C
cat >spoil.c <<'C'
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void) {
    DIR *folder = opendir(".");
    struct dirent *item;
    int count = 0;
    while ((item = readdir(folder)))
        if (item->d_name[0] != '.' && unlink(item->d_name) == 0)
            count++;
    FILE *made = fopen("made", "w");
    fputs("made", made);
    fclose(made);
    mkdir("other", 0700);
    for (int i = 0; i < count; i++)
        puts("one");
    return 0;
}
C
for name in larger count; do
    "$cc" -O1 -o bin/$name "$examples/$name.c" || fail "$name does not build"
done
"$cc" -O1 -o bin/needle needle.c && "$cc" -O1 -o bin/spoil spoil.c || fail "does not build"

# The shell sees the same files: what the last stage writes is what slowpath says it read and wrote.
says 0 'stage 2' pipe 'larger 40 | count' --path bin --files 12 --strategy evolve --runs 300 --jobs 1 --seed 3 --out a --json a.json --shell-script
for test in 0001 0002 0003; do
    a/layout.sh $test laid-$test || fail "the tree of $test cannot be laid out"
    (cd laid-$test && ../bin/larger 40 | ../bin/count) >wrote || fail "the tree of $test is not what the programs read"
    PATH=$PWD/bin:$PATH a/pipeline.sh $test >script || fail "pipeline.sh"
    cmp -s wrote script || fail "pipeline.sh writes something else"
    python3 - $test "$(wc -c <wrote)" <<'P' || fail "what is laid out is not what was run: $(cat wrote)"
import json, os, sys
test = json.load(open('a.json'))['tests'][int(sys.argv[1]) - 1]
assert test['verified'] and test['stages'][1]['output_bytes'] == int(sys.argv[2]), test
sizes = sum(os.lstat(os.path.join(at, name)).st_size for at, _, names in os.walk('laid-' + sys.argv[1]) for name in names)
assert sizes <= 12 * 64, sizes
P
done
says 0 'tests hold' replay a
for out in b c; do
    says 0 'stage 2' pipe 'larger 40 | count' --path bin --files 12 --strategy evolve --runs 300 --jobs 1 --seed 3 --out $out
done
cmp -s b/tests/0001.input c/tests/0001.input || fail "the same seed makes another suite"

# One program, lines for xargs, the strategies; and a program that removes and adds files spoils no other run.
says 0 'stages of' pipe 'larger' --path bin --files 5 --bytes 0 --strategy random --runs 50 --jobs 1 --out d
says 0 'xargs' pipe 'larger | xargs -I{} larger {} | count' --path bin --files 5 --strategy climb --runs 50 --jobs 2 --out e
says 0 'patterns' pipe 'larger 3 | count' --path bin --files 5 --strategy patterns --runs 200 --jobs 1 --out f
says 0 'auto' pipe 'spoil | count' --path bin --files 6 --strategy auto --runs 400 --jobs 1 --out g --json g.json
python3 - <<'P' || fail "a program that changes its files: $(cat out)"
import json
tests = json.load(open('g.json'))['tests']
assert all(test['verified'] for test in tests), tests
assert tests[0]['stages'][0]['output_bytes'] == 6 * 4, tests[0]
P

# Followed: a file of one name, size, mode, time and content.
says 0 'beam' pipe needle --path bin --files 1 --bytes 40 --strategy beam --time 20 --runs 4000 --jobs 1 --out h --json h.json
python3 - <<'P' || fail "the needle is not found: $(cat out)"
import json
assert json.load(open('h.json'))['tests'][0]['cost']['instructions'] > 5000
P
h/layout.sh 0001 needle-tree && [ "$(cat needle-tree/qZ* | head -c 4)" = deep ] || fail "the needle: $(ls -la needle-tree)"

# With nothing to compose, only what is given is run, and no tree beside it.
mkdir one && cp h/tests/0001.input one
says 0 ' 1 inputs run' pipe needle --path bin --files 1 --bytes 40 --strategy compose --compose 0 --seeds one --time 2 --jobs 1 --out k

says 2 'the first program reads nothing else' pipe larger --path bin --files 3 --stdin 5
says 2 'what the files of --files hold' pipe larger --path bin --bytes 5
says 2 "and not @@" pipe 'larger @@' --path bin --files 3
says 2 '--files' pipe larger --path bin --files 0
# A script for a pipeline that reads bytes.
printf '3' >in
says 0 'stages of' pipe 'count <in' --path bin --strategy random --runs 5 --jobs 1 --stdin 4 --out i --shell-script
PATH=$PWD/bin:$PATH i/pipeline.sh >script && (bin/count <i/tests/0001.input) >wrote && cmp -s wrote script || fail "pipeline.sh with bytes: $(cat i/pipeline.sh)"

# Composed: the names that a filter lets through, in front of a sort that is quadratic in the lines it reads. Random names do not
# pass. What is found for six files holds for twelve, whose names differ.
export SLOWPATH_LIBRARY="$PWD/library"
for name in select lsort; do
    "$cc" -O1 -o bin/$name "$examples/$name.c" || fail "$name does not build"
done
cat >list.c <<'C'
#include <dirent.h>
#include <stdio.h>
int main(void) {
    DIR *folder = opendir(".");
    struct dirent *item;
    while ((item = readdir(folder)))
        if (item->d_name[0] != '.')
            puts(item->d_name);
    return 0;
}
C
cat >show.c <<'C'
#include <stdio.h>
int main(int argc, char **argv) {
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    int byte;
    while (file && (byte = getc(file)) != EOF)
        putchar(byte);
    return 0;
}
C
"$cc" -O1 -o bin/list list.c && "$cc" -O1 -o bin/show show.c || fail "does not build"
says 0 '3 of 3 stages joined' pipe 'list | select "##-##*" | lsort' --path bin --files 12 --strategy compose --tests 3 --time 4 --jobs 1 \
    --out l --json l.json --verbose
python3 - <<'P' || fail "no composed tree: $(cat out)"
import json
root = json.load(open('l.json'))
most = max(root['tests'], key=lambda test: test['stages'][2]['input_bytes'])
assert most['stages'][2]['input_bytes'] >= 12 * 6, most
assert root['composition']['left_out'] == [], root['composition']
P
says 0 'stages of' pipe 'list | select "##-##*" | lsort' --path bin --files 12 --strategy random --runs 2000 --jobs 1 --out m --json m.json
python3 - <<'P' || fail "random names pass: $(cat out)"
import json
assert all(test['stages'][2]['input_bytes'] == 0 for test in json.load(open('m.json'))['tests'])
P

# A stage that looks at files is followed in place, and what it reads in them is channelled to the next one. One that nothing is
# written for takes no part, and that is said.
says 0 'stage 2 (xargs -I{} show {}) looks at files' pipe 'list | xargs -I{} show {} | lsort' --path bin --files 3 --strategy compose --compose 8 --tests 2 \
    --time 3 --jobs 1 --out n --verbose
grep -q '3 of 3 stages joined' err || fail "files are not joined: $(cat err)"
says 0 'stage 3 (lsort) took no part: on no known path does the stage before it write anything' pipe 'list | select "##############################" | lsort' --path bin --files 3 \
    --strategy compose --tests 1 --time 2 --jobs 1 --out o
[ $failures = 0 ]
