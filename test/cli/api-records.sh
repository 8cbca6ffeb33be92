#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# api: structs in the caller's memory. Options and iterators that a function of the library fills come from it; a constructor that
# gives nothing for a struct of zeros gets a null pointer. Callbacks that go on, and a cursor that is sent from end to end.
set -u
here=$(dirname "$(readlink -f "$0")")
. "$(dirname "$0")/helpers"
. "$here/api/clean-tests"
cp "$here/api/shelf.c" "$here/api/shelf.h" .

"$slowpath" api shelf.c --header shelf.h --time 60 --runs 1500 --out suite >out 2>err || fail "no suite ($(cat err))"
for line in 'func shelf_defaults[$0] = prepared' 'func shelf_alloc[$0] = null' 'func shelf_alloc[$1] = handle' \
    'func shelf_alloc[$r] = new' 'func shelf_iterate[$0] = prepared' 'func shelf_next[$0] = handle'; do
    grep -qxF "$line" suite/api.txt || fail "not understood: $line ($(cat suite/api.txt))"
done
for line in '^shelf_each *O(n) *O(n^2) *superlinear in calls' '^shelf_go *O(n) *O(n^2) *superlinear in calls' \
    '^shelf_next *O(1) *O(n)' '^shelf_iterate *O(1) *O(n)' '^9 of 9 functions'; do
    grep -q "$line" out || fail "no line '$line': $(cat out)"
done
grep -q 'shelf_go(shelf0, i % 2 ? shelf_count(shelf0) - 1 : 0);' suite/tests/*.c || fail "the cursor does not go from end to end"
clean_tests suite shelf.c
"$slowpath" api shelf.c --header shelf.h --show-api --no-learn --api suite/api.txt >again 2>err || fail "what it wrote it cannot read ($(cat err))"

# What is no handle cannot become one by hand; functions whose handles nobody makes are told.
echo 'func shelf_alloc[$0] = prepared' >bad
"$slowpath" api shelf.c --header shelf.h --show-api --no-learn --api bad >out 2>err
[ $? = 2 ] && grep -qF 'bad:1: it is no handle' err || fail "a struct that nobody fills is prepared ($(cat err))"
printf 'func shelf_alloc[$0] = record\nfunc shelf_alloc[$r] = new\n' >wrong
"$slowpath" api shelf.c --header shelf.h --api wrong --time 60 --runs 300 --out none >out 2>err || fail "no suite ($(cat err))"
grep -q '^shelf_put *no law: no call of it came about' out || fail "says nothing of missing handles: $(cat out)"

# Beyond a size there is no handle, and with it no call: laws end there.
cat >grid.c <<'END'
#include <stdlib.h>
struct grid { int width, *cells; };
struct grid *grid_new(int width) {
    if (width <= 0 || width > 5000) return NULL;
    struct grid *grid = malloc(sizeof *grid);
    *grid = (struct grid){width, calloc((size_t)width, sizeof(int))};
    return grid;
}
void grid_free(struct grid *grid) { free(grid->cells); free(grid); }
int grid_sum(const struct grid *grid) { int sum = 0; for (int i = 0; i < grid->width; i++) sum += grid->cells[i]; return sum; }
END
"$slowpath" api grid.c --function grid_sum --time 60 --runs 300 --out grids >out 2>err || fail "no suite ($(cat err))"
grep -q '^grid_sum *O(n) *O(n^2) *superlinear in calls' out || fail "no law up to the largest grid: $(cat out)"
exit $((failures > 0))
