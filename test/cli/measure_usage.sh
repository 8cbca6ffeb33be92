#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Wrong usage gets one clear line on stderr that says what to do, nothing on stdout, and exit
# code 2; help and version are there.
set -u
. "$(dirname "$0")/helpers"

# right TEXT ARG...: exit code 0 and TEXT on stdout, nothing on stderr.
right() {
    text=$1
    shift
    "$slowpath" "$@" >out 2>err </dev/null || fail "exit code $?: $*"
    grep -qF -- "$text" out || fail "does not print '$text': $* ($(cat out))"
    [ ! -s err ] || fail "prints to stderr: $* ($(cat err))"
}

echo 'int twice(int x) { return x + x; }' >t.c
printf '\1\0\0\0' >one
mkdir empty

right 'slowpath measure'
right 'slowpath measure' --help
right 'slowpath 0.' --version
right 'usage: slowpath measure TARGET' measure --help
right '--limit-memory MIB' measure --help
right '.TH SLOWPATH' --man measure
right 'one' measure t.c --entry 'twice(x)' one
right 'one' measure --entry='twice(x)' t.c one

wrong "did you mean measure?" mesure
wrong "there is no command 'banana'" banana
wrong "no target: name .c files" measure
wrong "did you mean --entry?" measure t.c --entri 'twice(x)' one
wrong "'slowpath measure --help' lists them" measure t.c --bananas one
wrong "unknown option '-x'" measure t.c -x one
wrong "--entry needs a value: --entry CALL" measure t.c --entry
wrong "--fresh takes no value" measure t.c --fresh=yes one
wrong "cannot read 'nothing': No such file" measure t.c --entry 'twice(x)' nothing
wrong "cannot read the target 'nothing.c'" measure nothing.c one
wrong "'empty' holds no inputs" measure t.c --entry 'twice(x)' empty
for value in 0 -1 x 5x 1e9 nan ''; do
    wrong "--limit-time $value: a number from 0.001 to 1000000" measure t.c --limit-time "$value" one
done
wrong "--limit-memory 0: a number" measure t.c --limit-memory 0 one
wrong "--limit-file x: a number" measure t.c --limit-file x one
wrong "--repeat 0: a number from 1" measure t.c --entry 'twice(x)' --repeat 0 one
wrong "--rows 0: a number from 1" measure t.c --entry 'twice(x)' --rows 0 one
wrong "--size n: write NAME=VALUE, such as n=8" measure t.c --size n one
wrong "--size n=x: write NAME=VALUE" measure t.c --size n=x one
wrong "--size n=-1: write NAME=VALUE" measure t.c --size n=-1 one
wrong "the entry has no size of that name (it has none)" measure t.c --entry 'twice(x)' --size n=1 one
wrong "it takes 4" measure t.c --entry 'twice(x)' -- t.c one
wrong "only one of --stdin, --file and --arg" measure t.c --stdin 4 --arg 1 one
wrong "--file needs @@ among the program's arguments" measure t.c --file 4 one
wrong "--arg 0: write K or K:BYTES, K from 1" measure t.c --arg 0 one
wrong "--arg x: write K or K:BYTES" measure t.c --arg x one
wrong "--args: a quote is not closed" measure t.c --args "'a" one
wrong "--cflags: a quote is not closed" measure t.c --cflags '"a' one
for text in '' '+calls' 'calls+' '3calls' 'nonsense' 'calls:' 'count:' 'block:t.c' 'block:t.c:0' \
    'calls:twice+calls:twice'; do
    wrong "--measure" measure t.c --entry 'twice(x)' --measure "$text" one
done
wrong "did you mean twice?" measure t.c --entry 'twice(x)' --measure calls:twic one
wrong "there is no code with bitcode on that line" measure t.c --entry 'twice(x)' --measure block:t.c:9 one
for text in load load= load=x load=-1 load=9999999 banana=1 =1; do
    wrong "--weights" measure t.c --entry 'twice(x)' --weights "$text" one
done
wrong "cannot read 'no-table'" measure t.c --entry 'twice(x)' --weights @no-table one
[ $failures = 0 ]
