#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# api: what it writes can go elsewhere. The C tests name headers as users of the library do and tell in their first line how
# they are built; a suite replays after its project was moved, and from the project when the suite alone was.
set -u
. "$(dirname "$0")/helpers"

mkdir -p project/include/box project/lib
cd project || exit 1
cat >include/box/box.h <<'END'
#include <box/types.h>
struct box *box_new(void);
void box_free(struct box *box);
int box_has(const struct box *box, number_of_box wanted);
END
echo 'typedef int number_of_box;' >include/box/types.h
echo 'void box_add(struct box *box, int number);' >lib/strings.h # a name that the system has, too
cat >lib/box.c <<'END'
#include <box/box.h>
#include "strings.h"
#include <stdlib.h>
struct box { int *data, count, room; };
struct box *box_new(void) { return calloc(1, sizeof(struct box)); }
void box_free(struct box *box) { free(box->data); free(box); }
void box_add(struct box *box, int number) {
    if (box->count == box->room) box->data = realloc(box->data, (box->room = 2 * box->room + 8) * sizeof *box->data);
    box->data[box->count++] = number;
}
int box_has(const struct box *box, int wanted) {
    for (int i = 0; i < box->count; i++)
        if (box->data[i] == wanted) return 1;
    return 0;
}
END
"$slowpath" api lib/box.c --header include/box/box.h --header lib/strings.h --cflags '-Iinclude -DA="a b"' --runs 60 --time 60 \
    --out suite --emit-harness fuzz.c >out 2>err || fail "no suite ($(cat err))"
grep -q '^box_has *O(n) *O(n^2)' out || fail "no law: $(cat out)"
grep -q '^#include "box/box.h"' suite/tests/0001.c && grep -q '^#include "strings.h"' suite/tests/0001.c ||
    fail "headers are not included by name: $(grep include suite/tests/0001.c)"
grep -l "$(pwd -P)" suite/tests/*.c suite/harness.c suite/suite.json fuzz.c && fail "a file names the folder it was made in"

# The first line of a test, in a copy of the project elsewhere.
build() { # FILE: what its first line says, with this clang
    sed -n '1s!^/\* \(.*\)!\1!p' "$1" | sed "s!^[a-z]*!$LLVM_BINDIR/clang -fuse-ld=lld -w!; s! \*/\$!!; s!&& time!\&\&!"
}
cp -r ../project ../copy
cd ../copy || exit 1
sh -c "$(build suite/tests/0001.c)" >out 2>&1 || fail "'$(build suite/tests/0001.c)': $(cat out)"
sh -c "$(build fuzz.c) && ./fuzz -runs=50" >out 2>&1 || fail "'$(build fuzz.c)': $(cat out)"
rm -r ../project
(cd / && "$slowpath" replay "$OLDPWD/suite") >out 2>err && grep -q 'tests hold' out || fail "a moved project does not replay ($(cat err))"
mv suite ../alone
"$slowpath" replay ../alone >out 2>err && grep -q 'tests hold' out || fail "a moved suite does not replay ($(cat err))"
exit $((failures > 0))
