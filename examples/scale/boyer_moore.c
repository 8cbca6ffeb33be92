/* SPDX-License-Identifier: Apache-2.0
 *
 * Boyer-Moore search for "abc" with the bad character rule: the worst text makes the pattern move
 * on by one place at a time, after as many comparisons as possible.
 */
#include <string.h>

int search(const char *text, int n) {
    static const char pattern[] = "abc";
    enum { LENGTH = sizeof pattern - 1 };
    int matches = 0;
    for (int at = 0; at + LENGTH <= n;) {
        int i = LENGTH - 1;
        while (i >= 0 && pattern[i] == text[at + i])
            i--;
        if (i < 0) {
            matches++;
            at++;
            continue;
        }
        int last = i - 1;
        while (last >= 0 && pattern[last] != text[at + i])
            last--;
        at += i - last > 0 ? i - last : 1;
    }
    return matches;
}
