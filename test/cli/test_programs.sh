#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/0001.c compiles, links and calls the function with the test's input, also where the function
# is static, is handed a static one, or lies in a file that has a main of its own.
set -u
. "$(dirname "$0")/helpers"
cc=$(dirname "$slowpath")/slowpath-cc

mkdir -p code/include
echo 'typedef struct { short a; char b; } pair;' >code/include/pair.h
cat >code/t.c <<'C'
#include "pair.h"
#include <stdio.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
enum color { RED, GREEN };
static int helper(int x) { printf("helper %d\n", x > 3); return x > 3; }
static int pairs(const pair *p, int n, enum color c) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        if (p[i].b == 'x')
            sum += p[i].a == 7;
    printf("pairs %d\n", sum);
    return sum + c;
}
static int chain(struct node *list) {
    int length = 0;
    for (; list && length < 3; list = list->next)
        length++;
    printf("chain %d\n", length);
    return length;
}
static int less(int a, int b) { return a < b; }
int order(int (*f)(int, int), int x) { int r = f(x, 2) ? 5 : x; printf("order %d\n", r); return r; }
int open_one(pair p) { printf("open %d\n", p.a > 3); return p.a > 3; }
int main(void) {
    pair p = {7, 'x'};
    return helper(1) + pairs(&p, 1, RED) + chain(NULL) + order(less, 3);
}
C
# works NAME ENTRY ARG...: every test compiles without a word, and one of them prints NAME and a number.
works() {
    name=$1 entry=$2
    shift 2
    rm -rf deep
    "$slowpath" run code/t.c --cflags -Icode/include --entry "$entry" --strategy exhaustive --jobs 1 \
        --quiet --out deep/suite "$@" >out 2>err || fail "$entry: $(cat err)"
    for test in deep/suite/tests/*.c; do
        "$cc" -w -Icode/include "$test" -o program >err 2>&1 || fail "$test of $entry: $(cat err)"
        ./program >printed
        grep -q "^$name [0-9]" printed || fail "$test of $entry prints $(cat printed)"
    done
}
works helper 'helper(x)'
works pairs 'pairs(p[n], n, c)' --size n=2
works chain 'chain(&list)' --size list=2
works order 'order(less, x)'
works open 'open_one(p)'

# Without any of that the two are linked.
sed '/^int main/,$d; s/^static //' code/t.c >code/open.c
"$slowpath" run code/open.c --cflags -Icode/include --entry 'order(less, x)' --strategy exhaustive \
    --jobs 1 --quiet --out open >out 2>err || fail "open.c: $(cat err)"
"$cc" -w -Icode/include open/tests/0001.c code/open.c -o program || fail "the two do not link"
./program >printed
grep -q '^order ' printed || fail "it prints $(cat printed)"

# A function as an argument: measured, explored, and refused when it is none or another kind.
printf '\1\0\0\0' >one
for entry in 'order(less, x)' 'order(NULL, x)'; do
    "$slowpath" measure code/t.c --cflags -Icode/include --entry "$entry" one >out 2>err ||
        fail "$entry: $(cat err)"
done
expect() { # TEXT ENTRY
    "$slowpath" measure code/t.c --cflags -Icode/include --entry "$2" one >out 2>err
    [ $? = 3 ] && grep -qF -- "$1" err || fail "$2: $(cat err)"
}
expect 'did you mean less?' 'order(les, x)'
expect 'helper takes 1 parameter, but is called with 2' 'order(helper, x)'

[ $failures = 0 ] && echo "tests are programs" || exit 1
