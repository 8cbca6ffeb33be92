#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Does the runtime define exactly the hooks of abi/hooks.def, each once, and each under the prototype
# that comes from there?
src=$(cd "$(dirname "$0")/../../src" && pwd)
. "$(dirname "$0")/helpers"
lib=$(dirname "$cc")/../lib/slowpath

cat >rows.c <<'END'
#define HOOK(id, symbol, ...) __slowpath_##symbol
#define SLOW(symbol, ...) __slowpath_##symbol
#include "abi/hooks.def"
END
"$clang" -E -P -I "$src" rows.c | tr -s ' ' '\n' | sed '/^$/d' | sort >listed
[ "$(wc -l <listed)" -gt 40 ] || fail "hooks.def gives few rows: $(cat listed)"
for part in hooks.bc sym_hooks.bc record_hooks.bc libruntime.a; do
    "$llvm/llvm-nm" --defined-only "$lib/$part"
done | sed -n 's/^[^ ]* T \(__slowpath_\(hook\|sym\|native\|record\)_.*\)/\1/p' | sort >defined
cmp -s listed defined || fail "rows (<) and definitions (>) differ: $(diff listed defined)"

for file in "$src"/runtime/*.c; do
    "$clang" -std=gnu11 -D_GNU_SOURCE -fsyntax-only -Wmissing-prototypes -I "$src" "$file" 2>&1
done | grep -o "no previous prototype for function '__slowpath_\(hook\|sym\|native\|record\)_[a-z_]*'" &&
    fail "a definition was not compared with its row"

finish
