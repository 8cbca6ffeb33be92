#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# api: what running teaches. Children belong to their parents, also one that comes back, and results to the caller,
# although the allocator is called through a variable; a function that hangs, one that ends the program and one that prints cost their own sequences only.
# Ctrl-C keeps what was found, and --time is for the whole command.
set -u
here=$(dirname "$(readlink -f "$0")")
. "$(dirname "$0")/helpers"
. "$here/api/clean-tests"
cp "$here/api/tree.c" "$here/api/tree.h" .

"$slowpath" api tree.c --header tree.h --show-api --time 300 --runs 1 --verbose >shown 2>err || fail "--show-api ($(cat err))"
for line in 'type node = destroyed by node_delete, sized by node_count' 'func node_new[$r] = new' 'func node_new[$1] = object' \
    'func node_add[$0] = handle' 'func node_add[$1] = taken' 'func node_copy[$r] = new' 'func node_path[$r] = fresh' \
    'func node_grow[$0] = handle' 'func node_grow[$r] = ignored' 'func node_replace[$1] = taken' '# learnt from a crash: heap-use-after-free' 'skip node_fail # sequences that call it crash' \
    'func node_print[$0] = handle' 'func node_upper[$0] = text' 'skip node_wait # it crashes with every meaning of its arguments'; do
    grep -q "^$(printf %s "$line" | sed 's/[][$]/\\&/g')" shown || fail "not learnt: $line"
done
grep -qxF 'func node_grow[$r] = new' shown && fail "a child that belongs to its parent is destroyed"

# What was learnt can be handed over, and is taken as it is. The search has seconds to spare, but is ended as soon as it has told of something.
"$slowpath" api tree.c --header tree.h --api shown --time 600 --out suite >out 2>err &
job=$!
for _ in $(seq 900); do
    grep -q 'superlinear' err && break
    sleep 0.1
done
kill -INT $job
wait $job || fail "it does not end well when it is stopped ($(cat err))"
grep -q 'superlinear' out || fail "what was told is not kept: $(cat out)"
"$slowpath" replay suite >out 2>err || fail "what was kept does not replay ($(cat err))"

grep -qxF 'func node_grow[$r] = ignored' suite/api.txt || fail "what was handed over is not taken"
clean_tests suite tree.c
exit $((failures > 0))
