/* SPDX-License-Identifier: Apache-2.0
 * Words in a tree with a branch for each letter. ENTRY: build(s[n], n) */
#include <stdlib.h>

struct node {
    struct node *child[4];
    int ends;
};

int build(const char *s, int n) {
    struct node *root = calloc(1, sizeof *root), *at = root;
    int made = 0;
    for (int i = 0; i < n; i++) {
        if (s[i] < 'a' || s[i] > 'd') {
            if (at != root)
                at->ends++;
            at = root;
            continue;
        }
        struct node **next = &at->child[s[i] - 'a'];
        if (!*next) {
            *next = calloc(1, sizeof **next);
            made++;
        }
        at = *next;
    }
    return made;
}
