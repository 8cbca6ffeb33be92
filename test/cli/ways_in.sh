#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ways in: words of other fuzzers mean what they do there, completions cover every command and option, the doctor looks.
set -u
. "$(dirname "$0")/helpers"

echo '#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n) { return n > 2 && d[0] == 7; }' >t.c
mkdir in && printf abc >in/one && echo '"word"' >words
runs() { # ARG...: a short search that ends well
    "$slowpath" run t.c --strategy evolve --jobs 1 --quiet "$@" >out 2>err || fail "run $*: $(cat err)"
}
runs -i in -o afl -t 1000 -m 100 -x words --runs 50
grep -q '"limit_time": 1.0' afl/suite.json || fail "-t is in milliseconds: $(grep limit_time afl/suite.json)"
grep -q '"limit_memory": 100' afl/suite.json || fail "-m is in MiB"
runs -max_len=16 -max_total_time=30 -dict=words -seed=5 -runs=50 -timeout=2 -rss_limit_mb=64 --out lib
grep -q '"seed": 5' lib/suite.json && grep -q '"limit_time": 2.0' lib/suite.json || fail "libFuzzer's words"
grep -q '"runs": 50' lib/suite.json || fail "-runs"
runs --max-time=1min --max-memory=32 --runs 50 --out klee
grep -q '"limit_memory": 32' klee/suite.json || fail "KLEE's words"
wrong '--time 1parsec: a number' run t.c --max-time=1parsec
wrong '--seeds needs a value' run t.c -i
wrong "unknown option '-fork=1'" run t.c -fork=1
wrong 'did you mean --time?' run t.c --tme 5
wrong "unknown option '-x'" grow suite 1 -x words

runs --runs 50 --slow-units units --out units.suite
cmp -s "$(ls units/slow-unit-* | head -n 1)" units.suite/tests/0001.input || fail "--slow-units: $(ls units)"

for shell in bash zsh fish; do
    "$slowpath" --completions $shell >completions.$shell || fail "completions for $shell"
    for command in $("$slowpath" --man-list); do
        grep -q "$command" completions.$shell || fail "$shell does not know $command"
    done
    grep -q -e 'report-to' completions.$shell || fail "$shell does not know --report-to"
done
sh -c 'command -v bash' >/dev/null && { bash -n completions.bash || fail "bash cannot read its completions"; }
command -v zsh >/dev/null 2>&1 && { zsh -n completions.zsh || fail "zsh cannot read its completions"; }
command -v fish >/dev/null 2>&1 && { fish -n completions.fish || fail "fish cannot read its completions"; }
bash -c '. ./completions.bash; COMP_WORDS=(slowpath rep); COMP_CWORD=1; _slowpath; echo "${COMPREPLY[*]}"' >out
[ "$(cat out)" = 'replay report' ] || fail "completing rep: $(cat out)"
bash -c '. ./completions.bash; COMP_WORDS=(slowpath grow --si); COMP_CWORD=2; _slowpath; echo "${COMPREPLY[*]}"' >out
[ "$(cat out)" = '--size' ] || fail "completing grow --si: $(cat out)"
"$slowpath" --completions tcsh >/dev/null 2>&1 && fail "completions for a shell that has none"

"$slowpath" doctor >out 2>err
[ $? -le 1 ] || fail "doctor: $(cat err)"
grep -q '^ok    clang .*19\.' out || fail "the doctor does not find the compiler: $(cat out)"
HOME=$PWD/nobody XDG_CACHE_HOME= SLOWPATH_CACHE= "$slowpath" doctor >fresh 2>err
grep -q '^ok    cache *.*/nobody/.cache/slowpath$' fresh || fail "the doctor minds a cache that is not there yet: $(cat fresh)"
mkdir -p closed && : >closed/file
SLOWPATH_CACHE=$PWD/closed/file/cache "$slowpath" doctor >fresh 2>err && fail "the doctor is content with a cache that cannot be"
grep -q '^ODD   cache .*cannot be written to' fresh || fail "the doctor does not see that the cache cannot be written: $(cat fresh)"
grep -q 'not needed' out || fail "the doctor does not say what is not needed"

[ $failures = 0 ] && echo "other tools' words, completions, doctor" || exit 1
