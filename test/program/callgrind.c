/* SPDX-License-Identifier: Apache-2.0
 *
 * --callgrind writes the profile in callgrind's format. Parsed here: the costs of all lines (those
 * of calls left out) add up to the total that the file states, which is what was measured, and
 * every call appears with its exact number.
 *
 * RUN: printf 'some text to look at' >in-text
 * RUN: %slowpath measure %s --entry 'look(text[n], n)' in-text --callgrind out --json json >/dev/null
 * RUN: measured=$(awk '/"instructions":/ { gsub(",", ""); print $2; exit }' json)
 * RUN: awk '/^calls=/ { skip = 1; next } /^[0-9]+ [0-9]+$/ { if (!skip) sum += $2; skip = 0 } END { print sum }' out | grep -qx $measured
 * RUN: grep -qx "totals: $measured" out
 * RUN: %check <out
 * CHECK: # callgrind format
 * CHECK-NEXT: version: 1
 * CHECK-NEXT: creator: slowpath
 * CHECK: cmd: {{.*}}callgrind.c
 * CHECK: positions: line
 * CHECK-NEXT: events: Instructions
 * CHECK: fn=look
 * CHECK: cfn=vowel
 * CHECK-NEXT: calls=20 [[#]]
 * CHECK: fn=vowel
 * CHECK: cfn={{strchr|memchr}}
 * CHECK-NEXT: calls=20 0
 * CHECK: fn=(bytes in library memory and string functions)
 *
 * callgrind_annotate, where there is one, reads it and finds the same total.
 * RUN: if command -v callgrind_annotate >/dev/null; then
 * RUN:   callgrind_annotate out >annotated
 * RUN:   grep -q "$(echo $measured | sed ':a;s/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/;ta') (100.0%)  PROGRAM TOTALS" annotated
 * RUN:   grep -q 'callgrind.c:vowel' annotated
 * RUN: fi
 *
 * A file that cannot be written is said so.
 * RUN: %exit 2 %slowpath measure %s --entry 'look(text[n], n)' in-text --callgrind no/such/file 2>&1 >/dev/null | %check --check-prefix=WRITE
 * WRITE: slowpath measure: cannot write 'no/such/file': No such file or directory
 */
#include <string.h>

__attribute__((noinline)) static int vowel(char letter) {
    return strchr("aeiou", letter) != NULL;
}

int look(const char *text, int n) {
    int found = 0;
    for (int i = 0; i < n; i++)
        found += vowel(text[i]);
    return found;
}
