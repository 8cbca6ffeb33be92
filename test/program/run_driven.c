/* SPDX-License-Identifier: Apache-2.0
 *
 * The costliest path first: `driven` finds the worst case that `exhaustive` finds, and proves it.
 *
 * RUN: search() { %slowpath run %s --jobs 1 --out s --force --quiet --policy worst "$@" >out 2>err || cat err; }
 * RUN: same() { search "$@" --strategy exhaustive; grep '^worst' out >one; search "$@" --strategy driven; grep '^worst' out >two
 * RUN:   cmp one two && grep -q 'costs more, by the oracle' out || { cat one out; exit 1; }; }
 * RUN: for k in 2 3 4 5; do same --entry 'sort(a[n], n)' --size n=$k --loop-bound $k; same --entry 'balance(a[n], n)' --size n=$k --loop-bound $k
 * RUN:   same --entry 'fill(steps[n], n)' --size n=$k --loop-bound $k; done
 * RUN: same --entry 'sort(a[n], n)' --size n=0..3 --loop-bound 3; same --entry 'fill(steps[n], n)' --size n=5 --loop-bound 8 --measure memory
 * RUN: same --entry 'fill(steps[n], n)' --size n=5 --loop-bound 8 --measure calls:grow
 *
 * What the oracle proposes: the first trace of `pick` takes both branches of a number, which no number does. What was learned
 * is not proposed again: of the four that remain, the next is the worst case.
 * RUN: search --entry 'pick(x, y)' --strategy driven --show-traces; cat out | %check
 * CHECK: trace 1, cost [[#]]: infeasible at decision 2, pick:[[#]] true
 * CHECK-NEXT: pick: if@[[#]] then, if@[[#]] then, *
 * CHECK: trace 2, cost [[#]]: feasible, costs [[#]]
 * CHECK: 2 traces that the oracle proposed
 * CHECK: complete: nothing costs more, by the oracle's bound
 *
 * Several workers find the same.
 * RUN: cp s/tests/0001.input first; search --entry 'pick(x, y)' --strategy driven --jobs 2; cmp first s/tests/0001.input
 * RUN: search --entry 'sort(a[n], n)' --size n=5 --strategy driven; cp s/tests/0001.input first
 * RUN: search --entry 'sort(a[n], n)' --size n=5 --strategy driven --jobs 2; cmp first s/tests/0001.input
 *
 * The naive oracle knows no values: it proposes more, and since nothing tells it how often loops turn, there is no proof.
 * RUN: search --entry 'fill(steps[n], n)' --size n=2 --loop-bound 2 --strategy driven --oracle naive --time 5
 * RUN: grep -q '^not complete: ' out; ! grep -q "oracle's bound" out
 * RUN: %exit 2 %slowpath run %s --entry 'pick(x, y)' --strategy driven --oracle wise 2>err; grep -q "'naive' or 'enhanced'" err
 *
 * A partial trace of the user's own: nothing is pushed at the second step.
 * RUN: line() { grep -n "$1" %s | tail -n 1 | cut -d: -f1; }
 * RUN: echo "fill: if@$(line 'steps\[i\] >= 0') then else then, *" >trace
 * RUN: same --entry 'fill(steps[n], n)' --size n=4 --loop-bound 4 --trace trace
 * RUN: echo "fill: loop@$(line 'i < n; i++') x4, if@$(line 'steps\[i\] >= 0') else, *" >trace
 * RUN: search --entry 'fill(steps[n], n)' --size n=4 --strategy driven --trace trace --show-traces; grep -q 'fill: if@[0-9]* else else else else, .$' out
 * RUN: echo "fill: if@$(line 'steps\[i\] >= 0') then else x4, *" >trace
 * RUN: %slowpath run %s --entry 'fill(steps[n], n)' --size n=6 --strategy exhaustive --trace trace --out s --force >out; grep -q '^complete: ' out; test $(grep -c '"trace": "fill: loop@[0-9]* x6, if@[0-9]* then else' s/suite.json) = 2
 * RUN: grep -q '"trace": "fill: loop@[0-9]* x6, if@[0-9]* then else x5, .*"' s/suite.json
 * RUN: for turns in x0 x x9999999 y; do echo "fill: if@$(line 'steps\[i\] >= 0') then $turns, *" >trace
 * RUN:   %exit 2 %slowpath run %s --entry 'fill(steps[n], n)' --size n=4 --strategy exhaustive --trace trace 2>err; grep -q "'$turns'" err || { cat err; exit 1; }; done
 *
 * RUN: for turns in x-1 x x99999999999999999999 4; do echo "fill: loop@$(line 'i < n; i++') $turns, *" >trace
 * RUN:   %exit 2 %slowpath run %s --entry 'fill(steps[n], n)' --size n=4 --strategy driven --trace trace 2>err; grep -q 'turns a number of times' err || { cat err; exit 1; }; done
 *
 * The costliest three, in order.
 * RUN: search --entry 'sort(a[n], n)' --size n=3 --strategy exhaustive --policy top:3; grep '^tests/' out >one
 * RUN: search --entry 'sort(a[n], n)' --size n=3 --strategy driven --policy top:3; grep '^tests/' out >two; cmp one two
 *
 * A call whose cost nobody knows beforehand forbids a proof.
 * RUN: search --entry 'compare(a[n], b[n], n)' --size n=4 --strategy driven; grep -q 'not complete: .*calls whose cost the oracle does not know' out
 */
#include <stdlib.h>
#include <string.h>

void sort(int *a, int n) {
    for (int i = 1; i < n; i++) {
        int x = a[i], j = i - 1;
        for (; j >= 0 && a[j] > x; j--)
            a[j + 1] = a[j];
        a[j + 1] = x;
    }
}

int balance(const char *a, int n) {
    int depth = 0;
    for (int i = 0; i < n; i++) {
        if (a[i] == '(')
            depth++;
        else if (a[i] == ')' && --depth < 0)
            return -1;
    }
    return depth;
}

struct stack {
    int *items;
    int size, room;
};

static void grow(struct stack *stack) {
    int *items = malloc(sizeof(int) * 2 * (size_t)stack->room);
    for (int i = 0; i < stack->size; i++)
        items[i] = stack->items[i];
    free(stack->items);
    stack->items = items;
    stack->room *= 2;
}

int fill(const signed char *steps, int n) {
    struct stack stack = {malloc(sizeof(int)), 0, 1};
    for (int i = 0; i < n; i++) {
        if (steps[i] >= 0) {
            if (stack.size == stack.room)
                grow(&stack);
            stack.items[stack.size++] = steps[i];
        } else if (stack.size)
            stack.size--;
    }
    free(stack.items);
    return stack.size;
}

int pick(int x, int y) {
    volatile int cost = 0;
    if ((x ^ y) == 1)
        cost++, cost++, cost++;
    if (x == y)
        cost++, cost++;
    return cost;
}

int compare(const char *a, const char *b, int n) {
    return memcmp(a, b, (size_t)n);
}
