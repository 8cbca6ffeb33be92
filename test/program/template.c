/* SPDX-License-Identifier: Apache-2.0
 *
 * A text with holes: fillings are paths, so exhaustive covers their product; the default filling is
 * the baseline; the suite holds texts, which replay without the template.
 *
 * Each 'a' costs one count, so the worst filling of 3 * 4 * 9 has aa, aaa and the largest number,
 * which counts as itself: 2 + 3 + 9 + 2 of the word that is repeated. The default has 1 + 0 + 4 + 1.
 * RUN: printf '{{word: a|aa|}} {{b|a|aaa|aba}} {{1..9=4}} \\{{word}} {{word}}' >t
 * RUN: %slowpath run %s --template t --measure count:cost --strategy exhaustive --tests 2 --out s --quiet | %check
 * CHECK: baseline 6
 * CHECK: tests/0001.input 16 {{.*}} yes 2.67x the baseline
 * CHECK: 108 inputs run
 * CHECK: 108 different paths
 * CHECK: complete: every path was covered
 * RUN: [ "$(cat s/tests/0001.input)" = 'aa aaa 9 {{word}} aa' ]
 * RUN: %check --check-prefix=JSON <s/suite.json
 * JSON: "word": "aa",
 * JSON: "hole2": "aaa",
 * JSON: "hole3": "9"
 * JSON: "ratio": 2.6666
 * JSON: "baseline": {
 * JSON: "fillings": 108.0,
 * JSON: "text": "a b 4 {{[{][{]}}word}} a"
 * JSON: "count:cost": 6
 * RUN: rm t; %slowpath replay s | %check --check-prefix=REPLAY
 * REPLAY: 2 of 2 tests hold
 *
 * The other strategies find the same worst; auto takes exhaustive for few fillings, beam
 * for more, climb for many choices.
 * RUN: printf '{{word: a|aa|}} {{b|a|aaa|aba}} {{1..9=4}} \\{{word}} {{word}}' >t
 * RUN: for way in beam random climb auto; do \
 * RUN:   %slowpath run %s --template t --measure count:cost --strategy $way --runs 2000 --jobs 1 --tests 2 --out w --quiet >out; \
 * RUN:   grep -q '^tests/0001.input *16 ' out; done
 * RUN: printf '{{8*[b-z]=bcdefghi}}{{8*[b-x]}}{{a|b}}' >many
 * RUN: %slowpath run %s --template many --measure count:cost --runs 500 --jobs 1 --out m 2>&1 | %check --check-prefix=MANY
 * MANY: fillings: strategy beam
 * MANY: baseline 1
 *
 * RUN: printf '{{80*[b-z]}}{{a|b}}' >long
 * RUN: %slowpath run %s --template long --measure count:cost --runs 500 --jobs 1 --out l >out 2>&1; grep -q 'fillings: strategy climb' out
 *
 * One seed, one job: one suite.
 * RUN: %slowpath run %s --template many --strategy climb --runs 500 --jobs 1 --out c1 --quiet >out
 * RUN: %slowpath run %s --template many --strategy climb --runs 500 --jobs 1 --out c2 --quiet >out
 * RUN: diff -r c1/tests c2/tests
 *
 * Two climbers that meet leave a place to an earlier test; a search goes on with the same text only.
 * RUN: printf 'a{{a|b|c}}' >few
 * RUN: %slowpath run %s --template few --measure count:cost --strategy climb --runs 3000 --jobs 1 --tests 2 --out g --quiet >out
 * RUN: [ -e g/tests/0002.input ]
 * RUN: %slowpath run %s --template many --strategy exhaustive --runs 100 --jobs 1 --out r --quiet >out
 * RUN: %slowpath run %s --template many --strategy exhaustive --runs 200 --jobs 1 --out r --quiet --resume >out
 * RUN: printf '{{a|c}}' >>many
 * RUN: %exit 2 %slowpath run %s --template many --strategy exhaustive --runs 300 --jobs 1 --out r --quiet --resume >out
 *
 * A function that takes the text gets it with its length.
 * RUN: printf 'a{{b|aa}}' >short
 * RUN: %slowpath run %s --entry 'count(text[n], n)' --template short --measure count:cost --out e --quiet | %check --check-prefix=ENTRY
 * ENTRY: baseline 1
 * ENTRY: tests/0001.input 3 {{.*}} yes 3.00x the baseline
 * RUN: %slowpath replay e >out; grep -q '2 of 2 tests hold' out
 */
#include <slowpath.h>
#include <stddef.h>
#include <stdint.h>

int count(const char *text, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (text[i] == 'a')
            slowpath_count("cost", 1);
        else if (text[i] >= '1' && text[i] <= '9')
            slowpath_count("cost", text[i] - '0');
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return count((const char *)data, size);
}
