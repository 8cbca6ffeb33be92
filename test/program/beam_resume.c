/* SPDX-License-Identifier: Apache-2.0
 *
 * A beam that was ended goes on where it was: nothing that was found is lost, earlier runs count, and in
 * the end the worst of 10! orders is found, 10 * 9 / 2 = 45 moves.
 *
 * RUN: %cc -DCOUNT %s -o count
 * RUN: number() { grep -oE "\"$1\": [0-9]+" s/suite.json | head -n 1 | cut -d' ' -f2; }
 * RUN: beam() { %slowpath run %s --entry 'isort(arr[n], n)' --size n=10 --strategy beam --tests 4 --jobs 1 --time 0 --out s --quiet "$@" >out; }
 * RUN: beam --lookahead 10 --max-constraints 20 --runs 1000
 * RUN: before=$(number instructions); early=$(number runs)
 * RUN: grep -q 'resume continues' out; [ $early -lt 2000 ]
 * RUN: beam --lookahead 10 --max-constraints 20 --resume
 * RUN: [ $(number instructions) -ge $before ]; [ $(number runs) -gt $early ]; grep -q '"mismatches": 0,' s/suite.json
 * RUN: [ "$(./count <s/tests/0001.input)" = 45 ]
 */
#include <stdio.h>

static int moves;

void isort(int *a, int n) {
    for (int i = 1; i < n; i++) {
        int x = a[i], j = i - 1;
        while (j >= 0 && a[j] > x) {
            a[j + 1] = a[j];
            j--;
            moves++;
        }
        a[j + 1] = x;
    }
}

#ifdef COUNT
int main(void) {
    int a[10];
    if (fread(a, sizeof a, 1, stdin) != 1)
        return 1;
    isort(a, 10);
    printf("%d\n", moves);
    return 0;
}
#endif
