/* SPDX-License-Identifier: Apache-2.0
 *
 * With --loop-bound, a loop that turns on and on without a decision ends the run at once: here lists
 * that the input makes rings of, of one node or two. Each such run would take all of its 10 seconds.
 * A loop that is only long passes, if need be with a larger bound.
 *
 * RUN: search() { %slowpath run %s --strategy exhaustive --jobs 1 --out s --quiet "$@" >out; }
 * RUN: number() { sed -n "s/^ *\"$1\": \([0-9]*\),/\1/p" s/suite.json | head -n 1; }
 *
 * RUN: search --entry 'sum(&list)' --size list=2 --loop-bound 4
 * RUN: %check <out
 * CHECK: faults/0001.input endless: a loop that never ends
 * CHECK-NOT: over 10 s
 * CHECK: not complete
 * RUN: [ "$(number timeouts)" -ge 3 ]; [ "$(number mismatches)" = 0 ]
 * RUN: grep -q '"status": "endless",' s/suite.json; ! grep -q '"status": "timeout",' s/suite.json
 *
 * RUN: search --entry 'lasts(60000, x)' --loop-bound 4
 * RUN: [ "$(number paths)" = 2 ]; [ "$(number timeouts)" = 0 ]; grep -q '"complete": true' s/suite.json
 * RUN: expect 4 search --entry 'lasts(100000, x)' --loop-bound 4
 * RUN: search --entry 'lasts(100000, x)' --loop-bound 10000
 * RUN: [ "$(number paths)" = 2 ]; [ "$(number timeouts)" = 0 ]; grep -q '"complete": true' s/suite.json
 */
struct node {
    int value;
    struct node *next;
};

int sum(const struct node *list) {
    int large = 0;
    while (list) {
        if (list->value > 10)
            large++;
        list = list->next;
    }
    return large;
}

int lasts(int turns, unsigned char x) {
    int a = 0;
    for (int i = 0; i < turns; i++)
        a ^= i;
    if (x > 5)
        a++;
    return a;
}
