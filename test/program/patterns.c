/* SPDX-License-Identifier: Apache-2.0
 *
 * Growing patterns: a scanner that looks for the end of what two bytes open, from each opener to the
 * end of the input, is quadratic and found with no seed. A loop over the bytes alone is called linear. The recipe
 * gives the same bytes again, at the size of the test and at others.
 *
 * RUN: %slowpath run %s --strategy patterns --jobs 1 --time 0 --runs 60000 --max-size 8192 --out a --quiet > out
 * RUN: %check --check-prefix=STEEP --input-file out
 * RUN: %slowpath run %s --strategy patterns --jobs 1 --time 0 --runs 60000 --max-size 8192 --out b --quiet > again
 * RUN: cmp a/tests/0001.input b/tests/0001.input
 * RUN: %check --check-prefix=JSON --input-file a/suite.json
 * RUN: %slowpath replay a --quiet
 * RUN: size=$(wc -c < a/tests/0001.input); %slowpath grow a 1 --size $size | cmp - a/tests/0001.input
 * RUN: %slowpath grow a tests/0001.input --size 64 --out small && test $(wc -c < small) = 64
 * RUN: head -c 64 a/tests/0001.input | cmp - small
 * RUN: sed -n 's/^  shell:  //p' out | head -n 1 > line.sh && sh line.sh | cmp - a/tests/0001.input
 * RUN: %slowpath run %s --strategy patterns --jobs 1 --time 0 --runs 20000 --max-size 3000 --out d --quiet > largest
 * RUN: test $(wc -c < d/tests/0001.input) = 3000 # where doubling ends below what is wanted, the last step is smaller
 * RUN: %slowpath run %s --cflags -DLINEAR --strategy patterns --jobs 1 --time 0 --runs 20000 --out c --quiet > out
 * RUN: %check --check-prefix=TAME --input-file out
 *
 * STEEP: grows as
 * STEEP-NEXT: O(n^2) (exponent 2.00 over
 * STEEP-NEXT: spent in find_end ({{.*}}patterns.c:[[#]])
 * STEEP-NEXT: recipe: repeat unit="{{<[?]|[?]<}}"
 * STEEP-NEXT: shell:  printf '{{<[?]|[?]<}}%.0s' $(seq 4096)
 * STEEP-NEXT: linear:
 * STEEP: superlinear in 1 place
 *
 * JSON: "class": "O(n^2)"
 * JSON: "exponent": {{1\.9|2\.0}}
 * JSON: "superlinear": true
 * JSON: "recipe": "repeat unit=\"{{<[?]|[?]<}}\""
 * JSON: "function": "find_end"
 * JSON: "linear_relative": {
 *
 * TAME: grows as
 * TAME-NEXT: O(n)
 * TAME: none was superlinear: the steepest costs {{[0-9.]+}} instructions per byte
 */
#include <stddef.h>
#include <stdint.h>

static volatile int ends;

static void find_end(const uint8_t *data, size_t size) {
    for (size_t i = 0; i + 1 < size; i++)
        if (data[i] == '?' && data[i + 1] == '>') {
            ends++;
            return;
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (size_t i = 0; i + 1 < size; i++) {
        ends += data[i] == '<';
#ifndef LINEAR
        if (data[i] == '<' && data[i + 1] == '?')
            find_end(data + i + 2, size - i - 2);
#endif
    }
    return 0;
}
