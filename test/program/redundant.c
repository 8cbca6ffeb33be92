/* SPDX-License-Identifier: Apache-2.0
 *
 * Nested loops that read the same again are reported with both places, what repeats and the kind of
 * mend; those that do not are not. Inputs are 16 or fewer words of four bytes, 0, 1, 2, ..., and half
 * of them are what the other half is searched in.
 *
 * RUN: words() { awk -v n=$1 'BEGIN { for (i = 0; i < n; i++) printf "%c%c%c%c", i + 1, 1, 1, 1 }'; }
 * RUN: for n in 12 14 16 32 64; do words $n >in$n; done
 *
 * The inner loop lies in a function that is called, and calls one back: seven turns of both are
 * enough, six are not. The inner loop has n * (count, items, two of the callback) and one more
 * count: with 8, 8 * 33 loads; fresh are count, items, key and 8 of the items, then a key each time.
 * RUN: %slowpath redundant %s --entry 'remove_all(a[n], b[n], n)' in16 --json json | %check --check-prefix=CALLED
 * CALLED: R1 {{.*}}redundant.c:[[@LINE+87]] (remove_all) > {{.*}}redundant.c:[[@LINE+78]] (contains)
 * CALLED: In up to 8 iterations of the loop at
 * CALLED: makes 8 iterations each time and reads the same data again: of its 264 loads
 * CALLED: called at {{.*}}redundant.c:[[@LINE+85]] (remove_all)
 * CALLED: similar: 7 of 7 iterations are like the one before (100%)
 * CALLED: shown by: in16
 * CALLED: fix: index or hash:
 * CALLED: 1 loop nest reads the same data again
 * RUN: grep '"mend": "index or hash"' json; grep '"similar": 7' json; grep '"turns_outer": 8' json
 * RUN: %slowpath redundant %s --entry 'remove_all(a[n], b[n], n)' in14 | grep -c 'fix: index'
 * RUN: %slowpath redundant %s --entry 'remove_all(a[n], b[n], n)' in12 | grep 'no loop nest'
 * RUN: %slowpath redundant %s --entry 'remove_all(a[n], b[n], n)' in12 --iterations 6 | grep -c 'fix: index'
 * RUN: %exit 1 %slowpath redundant %s --entry 'remove_all(a[n], b[n], n)' in14 --gate >out 2>err
 * RUN: grep 'slowpath redundant: 1 loop nest reads the same data again' err
 *
 * Several sizes tell how loads grow, and what is read.
 * RUN: %slowpath redundant %s --entry 'remove_all(a[n], b[n], n)' in16 in32 in64 --json - 2>text >json; grep '"grows": true' json
 * RUN: grep -E 'From size 8 to 32 the loads grow like n\^(1.9|2.0), what is read for the first time like n\^(0.9|1.0)' text
 *
 * What the inner loop works on stays the same: it can be moved out, whether it is a loop of the library's,
 * of another function, or of the same one.
 * RUN: %slowpath redundant %s --entry 'count_text(text[n], n)' in16 | %check --check-prefix=HOIST
 * HOIST: R1 {{.*}} (count_text) > strlen, called at {{.*}} (count_text)
 * HOIST: fix: hoist
 * RUN: %slowpath redundant %s --entry 'scale(a[n], b[n], n)' in16 | grep 'fix: hoist'
 *
 * A function that calls itself is a loop.
 * RUN: %slowpath redundant %s --entry 'remove_each(a[n], b[n], n)' in16 | %check --check-prefix=RECURSION
 * RECURSION: R1 {{.*}} (remove_each) > {{.*}} (calls of is_behind)
 * RECURSION: fix: index or hash
 *
 * Each turn changes nothing any more.
 * RUN: %slowpath redundant %s --entry 'relax(a[n], b[n], n)' in32 | grep 'fix: stop early'
 *
 * The same is asked for again: keys lie in different places, and are equal.
 * RUN: words 8 >same; for i in 1 2 3 4 5 6 7 8; do printf '\010\001\001\001' >>same; done
 * RUN: { tail -c 32 same; head -c 32 same; } >swapped
 * RUN: %slowpath redundant %s --entry 'remove_all(a[n], b[n], n)' swapped | grep 'fix: memoise'
 *
 * Three loops, over two calls: the outer two and the inner two are nests of their own.
 * RUN: %slowpath redundant %s --entry 'all_in_all(a[n], b[n], n)' in16 | grep '^R[123] '  >nests; [ $(wc -l <nests) = 2 ]
 * RUN: grep 'all_in_all) *> .*count_in)' nests; grep 'count_in) *> .*contains)' nests
 *
 * Loops that are left by longjmp, and by return, are left.
 * RUN: %slowpath redundant %s --entry 'jumps(a[n], b[n], n)' in16 | grep -c 'R. .*(jumps)  >  .*(search)'
 *
 * Rows that differ, memory that is written again, other memory of the same values: nothing.
 * RUN: %slowpath redundant %s --entry 'rows(a[n], b[n], n)' in64 | grep 'no loop nest'
 * RUN: %slowpath redundant %s --entry 'rewritten(a[n], b[n], n)' in64 | grep 'no loop nest'
 * RUN: %slowpath redundant %s --entry 'lines(a[n], n)' in64 | grep 'no loop nest'
 * RUN: cat in16 in16 in16 in16 in16 in16 in16 in16 >lines; %slowpath redundant %s --entry 'lines(a[n], n)' lines | grep 'no loop nest'
 * RUN: %slowpath redundant %s --entry 'lines(a[n], n)' lines --by values | grep -c '^R1 .*(lines)  >  .*(lines)'
 *
 * A program, by its standard input; runs that crash or take too long are told of, and the others count.
 * RUN: printf 'abcdefghijkl' >good; printf 'Cbcdefghijkl' >crash; printf 'Tbcdefghijkl' >long
 * RUN: %slowpath redundant %s good crash long --limit-time 1 --json json | %check --check-prefix=PROGRAM
 * PROGRAM: ok {{.*}} good
 * PROGRAM: crash {{.*}} crash
 * PROGRAM: timeout {{.*}} long
 * PROGRAM: R1 {{.*}} (main) > {{.*}} (is_known)
 * RUN: grep -c '"status": "timeout"' json
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct list {
    int *items;
    size_t count;
};

static int same(const void *a, const void *b) {
    return *(const int *)a == *(const int *)b;
}

static int contains(const struct list *list, const int *key,
                    int (*equal)(const void *, const void *)) {
    for (size_t i = 0; i < list->count; i++)
        if (equal(&list->items[i], key))
            return 1;
    return 0;
}

int remove_all(int *a, int *b, int n) {
    struct list list = {b, (size_t)n};
    int left = 0;
    for (int i = 0; i < n; i++)
        left += !contains(&list, &a[i], same);
    return left;
}

int count_text(char *text, int n) {
    int count = 0;
    text[n - 1] = 0;
    for (size_t i = 0; i < strlen(text); i++)
        count += text[i] == 1;
    return count;
}

void scale(int *a, int *b, int n) {
    for (int i = 0; i < n; i++) {
        int sum = 0;
        for (int k = 0; k < n; k++)
            sum += b[k];
        if (a[i] > sum)
            printf("%d\n", sum);
    }
}

static int is_behind(const int *items, int count, int key) {
    return count && (*items == key || is_behind(items + 1, count - 1, key) != 0);
}

int remove_each(int *a, int *b, int n) {
    int left = 0;
    for (int i = 0; i < n; i++)
        left += is_behind(b, n, a[i]) ? 0 : 1;
    return left;
}

/* Values may only sink, and have sunk after the first round. */
void relax(int *a, int *b, int n) {
    for (int round = 0; round < n; round++)
        for (int i = 1; i < n; i++)
            if (a[i] > b[i])
                a[i] = b[i];
}

static int count_in(const struct list *list, const struct list *other) {
    int count = 0;
    for (size_t i = 0; i < other->count; i++)
        count += contains(list, &other->items[i], same);
    return count;
}

int all_in_all(int *a, int *b, int n) {
    struct list first = {a, (size_t)n}, second = {b, (size_t)n};
    int count = 0;
    for (int i = 0; i < n; i++)
        if (a[i] > 0)
            count += count_in(&first, &second);
    return count;
}

static jmp_buf out;

static void search(const int *items, int count, int key) {
    for (int i = 0; i < count; i++)
        if (items[i] == key)
            longjmp(out, 1);
}

int jumps(int *a, int *b, int n) {
    volatile int found = 0, i = 0;
    for (i = 0; i < n; i++)
        if (setjmp(out) == 0)
            search(b, n, i % 2 ? a[i] : b[n - 1]);
        else
            found++;
    return found;
}

int rows(int *a, int *b, int n) {
    int sum = 0, side = 8;
    for (int i = 0; i < n / side; i++)
        for (int j = 0; j < side; j++)
            sum += a[i * side + j] * b[j];
    return sum;
}

int rewritten(int *a, int *b, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++)
            b[k] = 1;
        for (int k = 0; k < n; k++)
            sum += b[k];
        sum += a[i];
    }
    return sum;
}

int lines(const int *a, int n) {
    int sum = 0;
    for (int i = 0; i < n / 16; i++)
        for (int k = 0; k < 16; k++)
            sum += a[16 * i + k];
    return sum;
}

static int is_known(char letter) {
    static const char known[] = "zyxwvutsrqponm";
    for (size_t i = 0; i < sizeof known; i++)
        if (known[i] == letter)
            return 1;
    return 0;
}

int main(void) {
    int letter, count = 0;
    while ((letter = getchar()) != EOF) {
        if (letter == 'C')
            abort();
        while (letter == 'T')
            count++;
        count += is_known((char)letter);
    }
    return count > 100;
}
