/* SPDX-License-Identifier: Apache-2.0
 *
 * `driven` on inputs that its oracle knows nothing about: shapes on the heap, and what a program reads. Which object a pointer leads to is tried
 * out, and where a run ends is learned, so that the worst case is found; that nothing costs more is not proved.
 *
 * RUN: search() { %slowpath run %s --jobs 1 --out s --force --quiet --policy worst --time 20 "$@" >out 2>err || cat err; }
 * RUN: same() { search "$@" --strategy exhaustive; grep '^worst' out >one; search "$@" --strategy driven; grep '^worst' out >two
 * RUN:   cmp one two && grep -q '^not complete: [0-9]* loops cut by the oracle that may not depend on the input$' out || { cat one out; exit 1; }; }
 * RUN: for k in 2 3; do same --entry 'sum(&list)' --heap acyclic --objects $k --loop-bound $k; done
 * RUN: same --entry 'both(&a, &b)' --heap acyclic --objects 3 --loop-bound 3
 *
 * A list that leads back into itself never ends, and is no path.
 * RUN: same --entry 'sum(&list)' --objects 1 --loop-bound 1
 *
 * The program: brackets that are closed.
 * RUN: same --stdin 3 --loop-bound 3
 */
#include <stdio.h>

struct node {
    struct node *next;
    int value;
};

int sum(const struct node *list) {
    int sum = 0;
    for (; list; list = list->next)
        if (list->value > 0)
            sum += list->value;
    return sum;
}

int both(const struct node *a, const struct node *b) {
    int steps = 0;
    while (a && b)
        if (a->value < b->value)
            a = a->next;
        else {
            b = b->next;
            steps++;
        }
    return steps;
}

int main(void) {
    int c, open = 0, closed = 0;
    while ((c = getchar()) != EOF)
        if (c == '(')
            open++;
        else if (c == ')') {
            if (!open)
                return 1;
            open--;
            closed++;
        }
    return closed > 100;
}
