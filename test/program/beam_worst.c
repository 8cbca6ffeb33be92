/* SPDX-License-Identifier: Apache-2.0
 *
 * Beam search where all paths are too many to see: 12! orders, and yet the worst one is found. Each
 * function counts its steps; the worst is known by hand: 12 * 11 / 2 = 66 moves of either sort, also
 * if the path with the most decisions so far is the cheaper one (insertion sort), and with any
 * judge.
 *
 * RUN: %cc -DCOUNT %s -o count
 * RUN: for f in isort bubble; do for judge in so-far whole; do \
 * RUN:   %slowpath run %s --entry "$f(arr[n], n)" --size n=12 --strategy beam --tests 4 --judge $judge --jobs 1 --time 0 --out s --quiet >out; \
 * RUN:   [ "$(./count $f <s/tests/0001.input)" = 66 ]; done; done
 *
 * A state machine over six bytes, all paths of which `exhaustive` sees: the beam comes within 5% of
 * their worst.
 * RUN: best() { grep -o '"instructions": [0-9]+' -E $1/suite.json | head -1 | cut -d' ' -f2; }
 * RUN: for s in beam exhaustive; do %slowpath run %s --entry 'scanner(text[n], n)' --size n=6 --strategy $s --jobs 1 --time 0 --out $s --quiet >out; done
 * RUN: [ $(best beam) -ge $(($(best exhaustive) * 95 / 100)) ]
 *
 * A search that left nothing out does not go through a second time: each path counts once.
 * RUN: %slowpath run %s --entry 'isort(arr[n], n)' --size n=4 --strategy beam --jobs 1 --time 0 --out s --quiet >out
 * RUN: grep -q '"paths": 24,' s/suite.json
 */
#include <stdio.h>
#include <string.h>

static int steps;

void bubble(int *a, int n) {
    for (int i = 0; i < n - 1; i++)
        for (int j = 0; j < n - 1 - i; j++)
            if (a[j] > a[j + 1]) {
                int other = a[j];
                a[j] = a[j + 1];
                a[j + 1] = other;
                steps++;
            }
}

void isort(int *a, int n) {
    for (int i = 1; i < n; i++) {
        int x = a[i], j = i - 1;
        while (j >= 0 && a[j] > x) {
            a[j + 1] = a[j];
            j--;
            steps++;
        }
        a[j + 1] = x;
    }
}

int scanner(const char *text, int n) {
    enum { BETWEEN, WORD, WHOLE, FRACTION } state = BETWEEN;
    int found = 0;
    for (int i = 0; i < n; i++) {
        char c = text[i];
        switch (state) {
        case BETWEEN:
            if (c >= 'a' && c <= 'z')
                state = WORD;
            else if (c >= '0' && c <= '9')
                state = WHOLE;
            break;
        case WORD:
            if (c < 'a' || c > 'z')
                state = BETWEEN, found++;
            break;
        case WHOLE:
            if (c == '.')
                state = FRACTION;
            else if (c < '0' || c > '9')
                state = BETWEEN, found++;
            break;
        case FRACTION:
            if (c < '0' || c > '9')
                state = BETWEEN, found += 2;
            break;
        }
    }
    return found;
}

#ifdef COUNT
int main(int argc, char **argv) {
    int a[12];
    if (argc < 2 || fread(a, sizeof a, 1, stdin) != 1)
        return 1;
    if (strcmp(argv[1], "isort") == 0)
        isort(a, 12);
    else
        bubble(a, 12);
    printf("%d\n", steps);
    return 0;
}
#endif
