/* SPDX-License-Identifier: Apache-2.0
 *
 * Pointers of the input are null, fresh or an alias when the code looks at them, and not before:
 * there are as many paths as a run of all heaps of up to K objects has, with all contents that
 * matter. No path is run twice.
 *
 * A heap is enumerated as all that its pointers can lead to, whoever looks at them. LOOK writes
 * down what can be seen: null, the object that was the n-th to be seen, or one more.
 *
 * RUN: number() { sed -n "s/^ *\"$1\": \([0-9]*\),/\1/p" s/suite.json | head -n 1; }
 * RUN: %cc -O2 -DENUMERATE %s -o count
 * RUN: check() { f=$1; k=$2; shift 2; \
 * RUN:   %slowpath run %s --entry "$f" --objects $k --strategy exhaustive --jobs 1 --out s --force --quiet "$@" >out; \
 * RUN:   all=$(./count ${f%%(*} $k ${2:-}); \
 * RUN:   [ "$(number paths)" = "$all" ] || { echo "$f of $k $*: not $all"; cat out; exit 1; }; \
 * RUN:   grep -q '"complete": true' s/suite.json || { cat out; exit 1; }; \
 * RUN:   [ "$(number mismatches)" = 0 ]; [ "$(number runs)" = $((all + $(number rejected))) ] || { cat out; exit 1; }; }
 * RUN: for f in 'list(&l)' 'ring(&l)' 'tree(&t)' 'table(&h)' 'parents(&p)' 'two(&l, &m)'; do \
 * RUN:   for k in 1 2 3; do check "$f" $k; done; done
 * RUN: check 'list(&l)' 4; check 'ring(&l)' 4; check 'table(&h)' 4
 * RUN: for form in acyclic tree; do for f in 'list(&l)' 'tree(&t)' 'parents(&p)' 'two(&l, &m)'; do \
 * RUN:   check "$f" 3 --heap $form; done; done; check 'tree(&t)' 4 --heap tree
 */
#include <stdbool.h>
#include <stddef.h>

struct node {
    int v;
    struct node *next;
};

struct both {
    struct both *next, *prev;
};

struct branch {
    int key;
    struct branch *left, *right;
};

struct child {
    struct child *left, *right, *parent;
};

struct hash {
    struct node *chains[2];
};

#ifdef ENUMERATE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t trail = 1;
static const void *seen[64];
static int seen_count;

static bool note(bool outcome) {
    trail = (trail * 2 + outcome + 1) * 0x9e3779b97f4a7c15u;
    trail ^= trail >> 29;
    return outcome;
}

static const void *look(const void *at) {
    bool found = false;
    if (!note(at))
        return NULL;
    for (int i = 0; i < seen_count && !found; i++)
        found = note(seen[i] == at);
    if (!found)
        seen[seen_count++] = at;
    return at;
}
#define D(condition) note(condition)
#define LOOK(at) ((__typeof__(at))look(at))
#define SAME(a, b) ((b) ? D(LOOK(a) == (b)) : D((a) == NULL)) /* null is asked for, not looked at */
#else
#define D(condition) (condition)
#define LOOK(at) (at)
#define SAME(a, b) ((a) == (b))
#endif

int list(struct node *l) {
    int large = 0;
    for (int i = 0; i < 5 && D(l != NULL); i++, l = l->next)
        if (D(LOOK(l)->v > 10))
            large++;
    return large;
}

int ring(struct both *l) {
    struct both *at = l;
    for (int i = 0; i < 6; i++, at = at->next) {
        if (D(at == NULL))
            return i;
        if (D(LOOK(at)->next != NULL) && D(LOOK(LOOK(at->next)->prev) != at))
            return -1;
        if (D(LOOK(at->next) == l))
            return -2;
    }
    return 7;
}

static int visit(struct branch *t, int depth) {
    if (depth == 4 || D(t == NULL))
        return 0;
    int below = visit(LOOK(t)->left, depth + 1);
    if (D(t->key > 10))
        below += visit(t->right, depth + 1);
    return below + 1;
}

int tree(struct branch *t) {
    return visit(t, 0);
}

static bool is_child(struct child *c, struct child *parent, int depth) {
    if (depth == 3 || D(c == NULL))
        return true;
    return SAME(LOOK(c)->parent, parent) && is_child(c->left, c, depth + 1) &&
           is_child(c->right, c, depth + 1);
}

int parents(struct child *p) {
    return is_child(p, NULL, 0);
}

int table(struct hash *h) {
    int found = 0;
    if (D(h == NULL))
        return 0;
    for (int chain = 0; chain < 2; chain++) {
        struct node *at = LOOK(h)->chains[chain];
        for (int i = 0; i < 5 && D(at != NULL); i++, at = at->next)
            if (D(LOOK(at)->v == 7))
                found++;
    }
    return found;
}

int two(struct node *l, struct node *m) {
    for (int i = 0; i < 4 && D(l != NULL) && D(m != NULL); i++, l = l->next, m = m->next) {
        if (D(LOOK(l) == LOOK(m)))
            return 1;
        if (D(l->v == m->v))
            return 2;
    }
    return 3;
}

#ifdef ENUMERATE
/* ---- all heaps ---- */

#define MOST 4

static struct node nodes[MOST];
static struct both boths[MOST];
static struct branch branches[MOST];
static struct child children[MOST];
static struct hash hashes[1];
static void *first, *second;
static int objects, form; /* 0 any, 1 acyclic, 2 tree */

struct pointer {
    void **at;
    char *targets;
    size_t size;
    int count;
    int owner, digit; /* the object that it is in; -1: an argument */
};

static struct pointer pointers[64];
static int *contents[64], content_values[4], content_kinds = 2;
static int pointer_count, content_count;

static void add_pointer(void *at, void *targets, size_t size, int count, int owner) {
    pointers[pointer_count++] = (struct pointer){at, targets, size, count, owner, 0};
}

static void add_nodes(void) {
    for (int i = 0; i < objects; i++) {
        add_pointer(&nodes[i].next, nodes, sizeof *nodes, objects, i);
        contents[content_count++] = &nodes[i].v;
    }
}

/* ---- forms: of what an argument leads to ---- */

static int state[MOST]; /* 1: on the way, 2: done */

static bool is_good_from(const struct pointer *pointer) {
    if (!pointer->digit)
        return true;
    int object = pointer->digit - 1;
    if (state[object] == 1 || (state[object] == 2 && form == 2))
        return false;
    if (state[object] == 2)
        return true;
    state[object] = 1;
    for (int i = 0; i < pointer_count; i++)
        if (pointers[i].owner == object && !is_good_from(&pointers[i]))
            return false;
    state[object] = 2;
    return true;
}

static bool is_good(void) {
    memset(state, 0, sizeof state);
    for (int i = 0; form && i < pointer_count; i++)
        if (pointers[i].owner < 0 && !is_good_from(&pointers[i]))
            return false;
    return true;
}

/* ---- trails ---- */

#define SLOTS (1u << 20)
static uint64_t trails[SLOTS];
static int trail_count;

static void keep_trail(void) {
    uint32_t at = (uint32_t)(trail >> 40) % SLOTS;
    while (trails[at] && trails[at] != trail)
        at = (at + 1) % SLOTS;
    trail_count += !trails[at];
    trails[at] = trail;
    trail = 1;
    seen_count = 0;
}

static void run(const char *name) {
    for (int i = 0; i < pointer_count; i++)
        *pointers[i].at = pointers[i].digit
                              ? pointers[i].targets + (pointers[i].digit - 1) * pointers[i].size
                              : NULL;
    int codes = 1;
    for (int i = 0; i < content_count; i++)
        codes *= content_kinds;
    for (int code = 0; code < codes; code++) {
        for (int i = 0, rest = code; i < content_count; i++, rest /= content_kinds)
            *contents[i] = content_values[rest % content_kinds];
        if (name[0] == 'l')
            list(first);
        else if (name[0] == 'r')
            ring(first);
        else if (name[0] == 'p')
            parents(first);
        else if (strcmp(name, "tree") == 0)
            tree(first);
        else if (strcmp(name, "table") == 0)
            table(first);
        else
            two(first, second);
        keep_trail();
    }
}

static void lay_out(const char *name) {
    content_values[1] = 20;
    if (strcmp(name, "list") == 0 || strcmp(name, "two") == 0) {
        add_pointer(&first, nodes, sizeof *nodes, objects, -1);
        if (strcmp(name, "two") == 0) {
            add_pointer(&second, nodes, sizeof *nodes, objects, -1);
            content_values[2] = 30; /* which of them are the same */
            content_values[3] = 40;
            content_kinds = 4;
        }
        add_nodes();
    } else if (strcmp(name, "table") == 0) {
        content_values[1] = 7;
        add_pointer(&first, hashes, sizeof *hashes, 1, -1);
        add_pointer(&hashes[0].chains[0], nodes, sizeof *nodes, objects, -2);
        add_pointer(&hashes[0].chains[1], nodes, sizeof *nodes, objects, -2);
        add_nodes();
    } else if (strcmp(name, "ring") == 0) {
        add_pointer(&first, boths, sizeof *boths, 1, -1);
        for (int i = 0; i < objects; i++) {
            add_pointer(&boths[i].next, boths, sizeof *boths, objects, i);
            add_pointer(&boths[i].prev, boths, sizeof *boths, objects, i);
        }
    } else if (strcmp(name, "tree") == 0) {
        add_pointer(&first, branches, sizeof *branches, 1, -1);
        for (int i = 0; i < objects; i++) {
            add_pointer(&branches[i].left, branches, sizeof *branches, objects, i);
            add_pointer(&branches[i].right, branches, sizeof *branches, objects, i);
            contents[content_count++] = &branches[i].key;
        }
    } else {
        add_pointer(&first, children, sizeof *children, 1, -1);
        for (int i = 0; i < objects; i++) {
            add_pointer(&children[i].left, children, sizeof *children, objects, i);
            add_pointer(&children[i].right, children, sizeof *children, objects, i);
            add_pointer(&children[i].parent, children, sizeof *children, objects, i);
        }
    }
}

int main(int argc, char **argv) {
    objects = atoi(argv[2]);
    form = argc < 4 ? 0 : argv[3][0] == 'a' ? 1 : 2;
    lay_out(argv[1]);
    for (int digit = 0; digit < pointer_count;) {
        if (is_good())
            run(argv[1]);
        for (digit = 0; digit < pointer_count; digit++) {
            pointers[digit].digit = (pointers[digit].digit + 1) % (pointers[digit].count + 1);
            if (pointers[digit].digit)
                break;
        }
    }
    printf("%d\n", trail_count);
}
#endif
