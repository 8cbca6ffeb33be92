/* SPDX-License-Identifier: Apache-2.0
 *
 * What pointers of the input can lead to, what is said about them, and how they are told.
 *
 * RUN: number() { sed -n "s/^ *\"$1\": \([0-9]*\),/\1/p" s/suite.json | head -n 1; }
 * RUN: search() { %slowpath run %s --strategy exhaustive --jobs 1 --out s --force --quiet --tests 99 "$@" >out; }
 * RUN: paths() { wanted=$1; shift; search "$@"; [ "$(number paths)" = $wanted ] || { echo "$*: not $wanted"; cat out; exit 1; }; }
 *
 * What the code does not look at makes no second test.
 * RUN: paths 3 --entry 'first(&a, &b)'
 * RUN: grep '"condition"' s/suite.json | %check --check-prefix FIRST
 * FIRST-DAG: "a != NULL && a->v > 0"
 * FIRST-DAG: "a != NULL && a->v <= 0"
 * FIRST-DAG: "a == NULL"
 *
 * Functions of the target that have the type, numbers, pointers, rows of them, bit-fields.
 * RUN: paths 4 --entry 'call(&o, x)'; grep -q 'o->compare == less' s/suite.json
 * RUN: paths 3 --entry 'choose(&f, x)'; grep -q '"f == less"' s/suite.json
 * RUN: paths 4 --entry 'number(&n)'; grep -q '"n != NULL && n->at != NULL && \*n->at > 3"' s/suite.json
 * RUN: paths 4 --entry 'text(&n)'; grep -q "n->text\[0\] == 120" s/suite.json
 * RUN: paths 4 --entry 'behind(&p)'; grep -q '"p != NULL && \*p != NULL && p\[0\]->v == 3"' s/suite.json
 * RUN: paths 12 --entry 'row(&r)' --size elements=2; grep -q 'r->values\[1\] > 0' s/suite.json
 * RUN: paths 7 --entry 'members(&m)'; grep -q 'm->all\[1\] == m->inner\[1\].node' s/suite.json
 *
 * A union holds what it is read as.
 * RUN: paths 6 --entry 'either(&e)'; [ "$(number crashes)" = 0 ]; grep -q '"complete": true' s/suite.json
 * RUN: grep -q '"e != NULL && e->is.node != NULL && e->is_node != 0 && e->is.node->v == 7"' s/suite.json
 * RUN: grep -q '"e != NULL && e->is_node == 0 && e->is.number == 5"' s/suite.json
 *
 * Tests are programs, which do what they are to do: no test of these crashes.
 * RUN: for f in 'call(&o, x)' 'behind(&p)' 'row(&r)' 'members(&m)' 'either(&e)'; do search --entry "$f"; \
 * RUN:   for t in s/tests/0001.c; do %cc -w $t %s -o one; ./one; done; done
 *
 * RUN: paths 8 --entry 'both(&l)' --objects 2; grep -q 'l->next->prev == l"' s/suite.json
 *
 * Preconditions; the invariant costs nothing.
 * RUN: paths 3 --entry 'large(&l)' --objects 2 --heap tree --assume 'l == NULL || l->v > 10'
 * RUN: ! grep -q 'l->v <= 10' s/suite.json
 * RUN: paths 3 --entry 'length(&l)' --invariant is_short; grep -q '"complete": true' s/suite.json
 * RUN: cp s/tests/0001.input longest; %slowpath measure %s --entry 'length(&l)' longest | awk '{ print $4, $5, $6 }' >plain
 * RUN: %slowpath measure %s --entry 'length(&l)' --invariant is_short longest | awk '{ print $4, $5, $6 }' >checked; cmp plain checked
 * RUN: expect 2 search --entry 'length(&l)' --invariant less 2>err; grep -q 'it must take one pointer' err
 * RUN: expect 2 search --entry 'length(&l)' --heap round 2>err; grep -q 'any, acyclic or tree' err
 *
 * Rings never end; they are told of one by one, and what ends is covered.
 * RUN: search --entry 'length(&l)' --objects 2; grep -q 'endless: a loop that never ends' out
 * RUN: [ "$(number paths)" = 6 ]; [ "$(number timeouts)" = 3 ]
 *
 * Input objects are freed at no gain; what is drawn at random has the form, too.
 * RUN: paths 3 --entry 'clear(&l)' --objects 2 --heap tree --measure memory; grep -q '"memory": 0,' s/suite.json
 * RUN: %slowpath run %s --entry 'length(&l)' --heap tree --strategy evolve --runs 2000 --jobs 1 --out s --force --quiet >out
 * RUN: [ "$(number timeouts)" = 0 ]
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

struct node {
    int v;
    struct node *next;
};

struct twin {
    struct twin *next, *prev;
};

struct ops {
    int (*compare)(int a, int b);
    int key;
};

struct named {
    int *at;
    const char *text;
};

struct row {
    int count;
    short values[];
};

struct mixed {
    struct node *all[2];
    struct {
        int x;
        struct node *node;
    } inner[2];
    unsigned flag : 3;
    bool truth;
};

struct either {
    int is_node;
    union {
        int number;
        struct node *node;
    } is;
};

int first(const struct node *a, const struct node *b) {
    (void)b;
    if (!a)
        return 0;
    if (a->v > 0)
        return 1;
    return 2;
}

int less(int a, int b) {
    return a < b;
}

int more(int a, int b) {
    return a > b;
}

int call(const struct ops *o, int x) {
    if (!o || !o->compare)
        return 0;
    return o->compare(o->key, x);
}

int choose(int (*f)(int a, int b), int x) {
    return f ? f(x, 3) : 0;
}

int number(const struct named *n) {
    if (!n || !n->at)
        return 0;
    if (*n->at > 3)
        return 1;
    return 2;
}

int text(const struct named *n) {
    if (!n || !n->text)
        return 0;
    if (n->text[0] == 'x')
        return 1;
    return 2;
}

int behind(struct node **p) {
    if (!p || !*p)
        return 0;
    if ((*p)->v == 3)
        return 1;
    return 2;
}

int row(const struct row *r) {
    int large = 0;
    if (!r)
        return 0;
    for (int i = 0; i < r->count && i < 2; i++)
        if (r->values[i] > 0)
            large++;
    return large;
}

int members(const struct mixed *m) {
    if (!m || m->all[0])
        return 0;
    if (m->flag == 5 || !m->all[1])
        return 1;
    return m->inner[1].node == m->all[1];
}

int either(const struct either *e) {
    if (!e)
        return 0;
    if (!e->is_node && e->is.number == 5)
        return 1;
    if (!e->is_node || !e->is.node)
        return 2;
    if (e->is.node->v == 7)
        return 3;
    return 4;
}

int both(struct twin *l) {
    if (!l || !l->next)
        return 0;
    return l->next->prev == l;
}

int large(const struct node *l) {
    int count = 0;
    for (; l; l = l->next)
        count++;
    return count;
}

bool is_short(struct node *l) {
    int count = 0;
    for (; l && count < 3; l = l->next)
        count++;
    return count < 3;
}

int length(const struct node *l) {
    return large(l);
}

void clear(struct node *l) {
    while (l) {
        struct node *next = l->next;
        free(l);
        l = next;
    }
}
