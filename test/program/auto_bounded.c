/* SPDX-License-Identifier: Apache-2.0
 *
 * Where inputs have at most 1,000 bytes, auto goes on from what patterns found: words with running numbers are quadratic, words
 * of two bytes are more of them and cost more. Both are in the suite, although they spend their cost in the same
 * way: the recipe, and first what is possible.
 *
 * RUN: %slowpath run %s --max-size 1000 --jobs 1 --time 0 --runs 190000 --out a --quiet > out
 * RUN: %check --input-file out
 * RUN: first=$(awk '$1 == "tests/0001.input" && $2 > 0 { print $2; exit }' out); \
 * RUN:   recipe=$(awk '/grows as/ { print $1; exit }' out); test "$recipe" != tests/0001.input; \
 * RUN:   cost=$(awk -v name="$recipe" '$1 == name { print $2; exit }' out); test $((20 * first)) -gt $((21 * cost))
 *
 * CHECK: tests/0001.input
 * CHECK: grows as
 * CHECK-NEXT: O(n^2)
 * CHECK: recipe: {{.*}}\#
 */
#include <stddef.h>
#include <stdint.h>

static struct word {
    const uint8_t *text;
    size_t size;
} words[500];

static int is_same(const struct word *one, const struct word *other) {
    if (one->size != other->size)
        return 0;
    for (size_t i = 0; i < one->size; i++)
        if (one->text[i] != other->text[i])
            return 0;
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t count = 0;
    for (size_t at = 0; at < size;) {
        struct word word = {data + at, 0};
        while (at < size && data[at] != ' ')
            at++, word.size++;
        at++;
        size_t known = 0;
        while (known < count && !is_same(&words[known], &word))
            known++;
        if (known == count && count < 500)
            words[count++] = word;
    }
    return 0;
}
