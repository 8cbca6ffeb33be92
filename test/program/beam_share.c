/* SPDX-License-Identifier: Apache-2.0
 *
 * What one state of the beam finds for the rest of the input, the others take over: all tests of the
 * suite cost nearly what the costliest does. Bytes that grow by 5 every third place are long runs,
 * and nothing that the search begins with has any.
 *
 * RUN: for seed in 1 3; do \
 * RUN:   %slowpath run %s --entry 'follow(text[n], n)' --size n=1000 --strategy beam --lookahead 8 --max-constraints 16 --tests 5 --jobs 1 --time 0 --runs 9000 --seed $seed --out s --force --quiet >out; \
 * RUN:   awk '/^tests/ { if (!most) most = $2; least = $2; n++ } END { exit n != 5 || 10 * least < 9 * most }' out; done
 */
int follow(const unsigned char *text, int n) {
    int work = 0;
    for (int i = 8; i < n; i++) {
        int k = 0;
        while (k < 64 && i + k < n && text[i + k] == (unsigned char)(text[i + k - 3] + 5))
            k++;
        for (int j = 0; j < k; j++)
            work += j ^ i;
    }
    return work;
}
