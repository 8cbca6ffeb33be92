/* SPDX-License-Identifier: Apache-2.0
 *
 * A beam sees the first decisions of a long path; what it finds there it repeats over the rest. A
 * streak costs with the square of its length, and nothing that the search begins with has one.
 *
 * RUN: %slowpath run %s --entry 'streak(text[n], n)' --size n=600 --strategy beam --lookahead 6 --max-constraints 12 --tests 3 --jobs 1 --time 0 --runs 8000 --out s --quiet >out
 * RUN: part() { sed -n '/"start": {/,/}/p' s/suite.json | grep -oE "\"$1\": [0-9]+" | tail -1 | cut -d' ' -f2; }
 * RUN: [ $(part suite) -ge $((10 * $(part start))) ]
 * RUN: [ $(part random) -le $(part start) ]
 * RUN: grep -q 'times the cost of the best starting input' out
 */
int streak(const unsigned char *text, int n) {
    int length = 0, work = 0;
    for (int i = 0; i < n; i++) {
        if (text[i] == "abc"[i % 3])
            length++;
        else
            length = 0;
        for (int k = 0; k < length; k++)
            work += k ^ i;
    }
    return work;
}
