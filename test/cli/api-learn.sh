#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# api: what running teaches. Children belong to their parents, also one that comes back, and results to the caller,
# although the allocator is called through a variable; a function that hangs, one that ends the program and one that prints cost their own sequences only.
# Ctrl-C keeps what was found, and --time is for the whole command.
set -u
here=$(dirname "$(readlink -f "$0")")
. "$(dirname "$0")/helpers"
cp "$here/api/tree.c" "$here/api/tree.h" .

"$slowpath" api tree.c --header tree.h --show-api --time 300 --runs 1 --verbose >shown 2>err || fail "--show-api ($(cat err))"
for line in 'type node = destroyed by node_delete, sized by node_count' 'func node_new[$r] = new' 'func node_new[$1] = object' \
    'func node_add[$0] = handle' 'func node_add[$1] = taken' 'func node_copy[$r] = new' 'func node_path[$r] = fresh' \
    'func node_grow[$0] = handle' 'func node_replace[$1] = taken' '# learnt from a crash: heap-use-after-free' 'skip node_fail # sequences that call it crash' \
    'func node_print[$0] = handle' 'func node_upper[$0] = text' 'skip node_wait # it crashes with every meaning of its arguments'; do
    grep -q "^$(printf %s "$line" | sed 's/[][$]/\\&/g')" shown || fail "not learnt: $line"
done
grep -qxF 'func node_grow[$r] = new' shown && fail "a child that belongs to its parent is destroyed"

# The search has seconds to spare, but is ended as soon as it has told of something.
"$slowpath" api tree.c --header tree.h --time 600 --out suite >out 2>err &
job=$!
for _ in $(seq 900); do
    grep -q 'superlinear' err && break
    sleep 0.1
done
kill -INT $job
wait $job || fail "it does not end well when it is stopped ($(cat err))"
grep -q 'superlinear' out || fail "what was told is not kept: $(cat out)"
"$slowpath" replay suite >out 2>err || fail "what was kept does not replay ($(cat err))"

# Each test compiles with the header alone, and is clean.
for test in suite/tests/*.c; do
    "$LLVM_BINDIR/clang" -g -fsanitize=address,undefined -fno-sanitize=function -Werror -Wall -I. "$test" tree.c -o test 2>err ||
        fail "$test does not compile: $(cat err)"
    ASAN_OPTIONS=detect_leaks=0 ./test 50 >out 2>&1 || fail "$test is not clean: $(cat out)"
done
exit $((failures > 0))
