#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# api: an interface is understood, corrected by hand and by crashes; sequences of calls become a suite that replays,
# C tests that need the library alone, and a harness.
set -u
here=$(dirname "$(readlink -f "$0")")
. "$(dirname "$0")/helpers"
. "$here/api/clean-tests"
cp "$here/api/list.c" "$here/api/list.h" .

wrong 'which library?' api
wrong "unknown option '--serach'" api list.c --serach mio
wrong "unknown option '--entry' of api" api list.c --entry 'f(x)'
wrong "unknown option '--measure' of redundant" redundant list.c --measure calls
wrong '--search ant: mio, mosa, suite or single' api list.c --search ant
wrong "cannot read the target 'none.c'" api none.c
"$slowpath" api list.c --function nothing >out 2>err
[ $? = 3 ] && grep -qF 'the library has no such function' err || fail "--function nothing ($(cat err))"

printf '#include "missing.h"\nint list_size(void *list);\n' >broken.h
"$slowpath" api list.c --header broken.h >out 2>err
[ $? = 3 ] && grep -q 'do not compile with its headers' err && grep -qF "'missing.h' file not found" err || fail "a broken header ($(cat err))"

# What the code says.
"$slowpath" api list.c --header list.h --show-api --no-learn >shown 2>err || fail "--show-api ($(cat err))"
for line in 'type list = destroyed by list_free, sized by list_size' 'func list_new[$r] = new' \
    'func list_new[$0] = callback' 'func list_at[$1] = index($0)' 'func list_free[$0] = destroyed' \
    'func list_append[$1] = cell' 'func sum_squares[$1] = length($0)' 'func text_distance[$0] = text'; do
    grep -qxF "$line" shown || fail "not understood: $line"
done

# Corrections, and what is wrong with them.
printf 'skip list_debug_*\nfunc list_at[$1] = number # no\n' >mine
"$slowpath" api list.c --header list.h --show-api --no-learn --api mine >out 2>err || fail "--api ($(cat err))"
grep -q '^skip list_debug_check' out && grep -qxF 'func list_at[$1] = number' out || fail "not corrected"
for text in 'func none[$0] = text' 'func list_at[$7] = text' 'func list_at[$1] = wish' 'func list_at[$1] = index' \
    'hope for the best' 'type set = destroyed by free' 'skip none_*' 'func list_at[$1] = handle'; do
    echo "$text" >bad
    "$slowpath" api list.c --header list.h --show-api --no-learn --api bad >out 2>err
    [ $? = 2 ] && grep -q 'bad:1: ' err && [ "$(wc -l <err)" = 1 ] || fail "'$text' is taken ($(cat err))"
done

# A search: laws, a suite that replays, tests that compile without slowpath.
cat >skips <<END
skip list_debug_*
END
"$slowpath" api list.c --header list.h --api skips --time 60 --runs 4000 --seed 1 --out suite --json told \
    --emit-harness fuzz.c >out 2>err || fail "no suite ($(cat err))"
for line in '^text_distance *O(n^2) .*superlinear call' '^list_contains_all *O(n^2) .*superlinear call' \
    '^list_contains *O(n) *O(n^2) *superlinear in calls' '^list_remove_at *O(n) *O(n^2) *superlinear in calls' \
    '^sum_squares *O(n) .*linear call .*by its argument 1' '^list_append *O(1) *O(n)' \
    'misuse: .* 0 of .* after learning' \
    ' 2 of 2 loops nested 2 deep'; do
    grep -q "$line" out || fail "no line '$line': $(cat out)"
done
# The table of docs/api.md has lines of this one.
sed -n '/^    function  /,/^$/s/^    //p' "$here/../../docs/api.md" >shown
[ "$(wc -l <shown)" -ge 4 ] || fail "docs/api.md shows no table"
grep -vxFf out shown && fail "docs/api.md shows what is not printed"
grep -q '"verified": false' told && fail "a test costs something else"
"$slowpath" replay suite >out 2>err || fail "does not replay ($(cat err))"
grep -q 'tests hold' out || fail "does not hold: $(cat out)"
"$slowpath" show suite F1 >out 2>err && grep -q 'O(n^2)' out || fail "no finding to show ($(cat err))"
[ -f suite/api.txt ] && [ -f suite/harness.c ] || fail "no description beside the suite"
"$slowpath" api list.c --header list.h --show-api --no-learn --api suite/api.txt >again 2>err || fail "what it wrote it cannot read ($(cat err))"
grep -v '^#\|^skip\|^$' suite/api.txt >told
grep -vxFf again told && fail "what it wrote it reads otherwise"
clean_tests suite list.c

# The harness takes any bytes.
cat >main.c <<'END'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int main(int argc, char **argv) {
    static uint8_t bytes[512];
    srand(argc > 1 ? atoi(argv[1]) : 0);
    for (int i = 0; i < 60; i++) {
        size_t size = rand() % sizeof bytes;
        for (size_t k = 0; k < size; k++)
            bytes[k] = rand();
        bytes[0] &= 15, bytes[1] = bytes[2] = bytes[3] = 0; /* n */
        LLVMFuzzerTestOneInput(bytes, size);
    }
}
END
"$LLVM_BINDIR/clang" -w -g -O1 -fuse-ld=lld -fsanitize=address,undefined -fno-sanitize=function main.c fuzz.c library.o -o fuzz ||
    fail "the harness does not compile"
seed=$$
ASAN_OPTIONS=detect_leaks=0 timeout 60 ./fuzz $seed >out 2>&1 || fail "the harness crashes, seed $seed: $(head -n 5 out)"

# The other ways to search, with what was learnt; the same seed, the same suite; more turns come from a larger n, also where two
# loops have to make them.
by() { # METHOD FUNCTION RUNS OPTION...
    method=$1 function=$2 runs=$3
    shift 3
    "$slowpath" api list.c --header list.h --api suite/api.txt --function "$function" --search "$method" --runs "$runs" --time 60 \
        --seed 3 --out "by-$method" "$@" >out 2>err || fail "--search $method ($(cat err))"
    grep -q "^$function " out || fail "--search $method has no law for $function"
    grep -q '^text_distance ' out && fail "--function does not restrict --search $method"
}
by suite list_contains 50
by single list_contains 50
for _ in 1 2; do
    [ -d by-mosa ] && mv by-mosa before
    by mosa list_contains_all 150 --turns 1000
    grep -q ' 1 of 1 loops nested 2 deep and more make 1000 turns' out || fail "too few turns: $(cat out)"
done
diff -r before/tests by-mosa/tests >out || fail "another suite for the same seed: $(cat out)"
# Whatever the seed, the same laws, even of a short search; and three loops around each other.
for seed in 5 6; do
    "$slowpath" api list.c --header list.h --api suite/api.txt --time 60 --runs 300 --seed $seed --out short-$seed >out 2>err ||
        fail "a short search ($(cat err))"
    sed -n '/^function/,/^$/p' out | cut -c1-77 | sort >laws-$seed
done
grep -q '^list_contains_all *O(n^2)' laws-5 && diff laws-5 laws-6 >out || fail "laws depend on the seed: $(cat out)"
cp "$here/../../bench/api.d/table.c" "$here/../../bench/api.d/table.h" .
for seed in 1 2; do
    "$slowpath" api table.c --header table.h --function table_common_rows --depth 3 --runs 150 --time 60 --seed $seed \
        --out "deep-$seed" >out 2>err || fail "--depth 3 ($(cat err))"
    grep -q ' 1 of 1 loops nested 3 deep' out || fail "three loops are not reached, seed $seed: $(cat out)"
done
exit $((failures > 0))
