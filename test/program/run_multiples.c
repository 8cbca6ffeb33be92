/* SPDX-License-Identifier: Apache-2.0
 *
 * The running example of "Resource-driven CLP-based Test Case Generation" (Albert, Gomez-Zamalloa,
 * Rojas), as C: loop-4 has 54 test cases, 33, 13, 5, 2 and 1 for arrays of 4 to 0 elements. The
 * capacity is open where the vector never grows. Every path is one run.
 *
 * RUN: search() { %slowpath run %s --entry 'multiples(ns[n], n, div, icap)' --range icap=1.. --range div=1.. --loop-bound 4 \
 * RUN:   --strategy exhaustive --jobs 1 --out s --force --quiet "$@" >out; }
 * RUN: search --size n=0..4 --tests 100 --measure memory
 * RUN: %check <out
 * CHECK: one of a family: memory = 16 + 4*icap, allocated = 16 + 4*icap when icap >= 4 (confirmed at 3 points)
 * CHECK: {{^ *}}54 inputs run
 * CHECK: {{^ *}}54 different paths
 * CHECK: paths by n: 1 at 0, 2 at 1, 5 at 2, 13 at 3, 33 at 4
 * CHECK: complete: every path was covered
 * RUN: grep -c '"family": "icap >= [1-4]"' s/suite.json | grep -qx 31
 * RUN: ! grep -q 'NOT confirmed\|NO:' out
 *
 * The suite runs again, whatever the size of a test.
 * RUN: %slowpath replay s >again; grep -q '54 of 54 tests hold' again || { cat again; exit 1; }
 *
 * Policies. 23 paths have a constant cost, the largest of which is 16 + 12 + 24 = 52 (capacity 3 grows to 6): at least 48
 * keeps that one and the 31 families, which reach 48 with 8 elements. At most 48 keeps all but that one. The families outdo
 * 52 from 10 elements on.
 * RUN: search --size n=0..4 --tests 100 --policy 'memory>=48'; grep -c '^tests/' out | grep -qx 32
 * RUN: grep -c 'adheres to the policy when icap >= 8$' out | grep -qx 31
 * RUN: grep -q 'policy memory>=48: 22 of 54 paths violate it, 31 adhere under a condition' out
 * RUN: search --size n=0..4 --policy worst --measure memory; grep -c '^tests/' out | grep -qx 2
 * RUN: grep -qx 'worst memory: 52, or 16 + 4\*icap when icap >= 10' out
 * RUN: %exit 1 %slowpath run %s --entry 'multiples(ns[n], n, div, icap)' --size n=4 --range icap=3..3 --range div=1.. --loop-bound 4 \
 * RUN:   --strategy exhaustive --jobs 1 --out s --force --quiet --policy 'memory<=48' --gate >out 2>err; grep -q '1 paths violate it' err
 * RUN: search --size n=4 --range icap=3..3 --policy 'memory<=52 && calls:grow<=1' --gate
 *
 * The partial trace of the paper's example 6: four turns, every element a multiple; where add goes is free. Its four paths
 * have the capacities 1, 2, 3, and 4 or more.
 * RUN: line() { grep -n "$1" %s | tail -n 1 | cut -d: -f1; }
 * RUN: echo "multiples: loop@$(line 'i < n; i++') x4, if@$(line 'div == 0') then, * # all of them" >trace
 * RUN: search --size n=0..4 --tests 100 --trace trace; grep -c '^tests/' out | grep -qx 4
 * RUN: grep -c 'one of a family.*when icap >= 4 ' out | grep -qx 1; grep -q 'every path that follows the trace was covered' out
 *
 * A test tells its own trace, by which it alone is found again.
 * RUN: search --size n=4; sed -n 's/^ *"trace": "\(.*\)",*$/\1/p' s/suite.json | head -n 1 | sed 's/\\n/\n/g' >trace
 * RUN: grep -q '^add: if@[0-9]* else then then else, .$' trace || { cat trace; exit 1; }
 * RUN: cp s/tests/0001.input first; search --size n=4 --trace trace; grep -c '^tests/' out | grep -qx 1; cmp first s/tests/0001.input
 * RUN: echo 'multiples: if@1 then' >trace; %exit 2 %slowpath run %s --entry 'multiples(ns[n], n, div, icap)' --size n=1 --strategy exhaustive \
 * RUN:   --trace trace --quiet 2>err; grep -q "trace:1: there is no branch at 'if@1" err
 *
 * Where div may be negative as well, the paths are the same.
 * RUN: %slowpath run %s --entry 'multiples(ns[n], n, div, icap)' --size n=0..4 --assume 'div != 0' --assume 'icap > 0' --loop-bound 4 \
 * RUN:   --strategy exhaustive --jobs 1 --out s --force --quiet >out; grep -q 'paths by n: 1 at 0, 2 at 1, 5 at 2, 13 at 3, 33 at 4' out
 * RUN: %exit 2 %slowpath run %s --entry 'multiples(ns[n], n, div, icap)' --size n=1 --assume 'no != 0' --quiet 2>err; grep -q -e "--assume: use of undeclared identifier 'no'" err
 *
 * A range is for one size, and for run.
 * RUN: %exit 2 %slowpath measure %s --entry 'multiples(ns[n], n, div, icap)' --size n=0..4 x 2>err; grep -q 'only run' err
 * A strategy without end gives each size its share.
 * RUN: %slowpath run %s --entry 'multiples(ns[n], n, div, icap)' --size n=0..4 --range icap=1..9 --range div=1.. --strategy random --runs 500 \
 * RUN:   --jobs 1 --out s --force --quiet >out; grep -q 'paths by n: .* at 4$' out
 * RUN: %exit 2 %slowpath run %s --entry 'multiples(ns[n], n, div, icap)' --size m=0..4 --quiet 2>err; grep -q 'no size of that name' err
 */
#include <stdlib.h>

struct vector {
    int *elements;
    int size, capacity;
};

static struct vector *vector_new(int capacity) {
    struct vector *vector = malloc(sizeof *vector);
    if (capacity <= 0)
        abort();
    vector->elements = malloc(sizeof(int) * (size_t)capacity);
    vector->capacity = capacity;
    vector->size = 0;
    return vector;
}

static void grow(struct vector *vector) {
    int capacity = vector->capacity * 2;
    int *elements = malloc(sizeof(int) * (size_t)capacity);
    for (int i = 0; i < vector->capacity; i++)
        elements[i] = vector->elements[i];
    vector->capacity = capacity;
    vector->elements = elements;
}

static void add(struct vector *vector, int element) {
    if (vector->size >= vector->capacity)
        grow(vector);
    vector->elements[vector->size++] = element;
}

struct vector *multiples(const int *ns, int n, int div, int icap) {
    struct vector *vector = vector_new(icap);
    for (int i = 0; i < n; i++)
        if (ns[i] % div == 0)
            add(vector, ns[i]);
    return vector;
}
