/* SPDX-License-Identifier: Apache-2.0
 *
 * A state machine on bytes: 'a' and 'A' are one way of the switch, because they lead to one block.
 * Its state is computed from decisions alone, so the branch on it is none of its own.
 *
 * RUN: paths() { sed -n 's/^ *"paths": \([0-9]*\),/\1/p' "$1"; }
 * RUN: %cc -DENUMERATE %s -o count
 * RUN: for n in 1 2 3 4 5; do \
 * RUN:   %slowpath run %s --entry 'machine(s[n], n)' --size n=$n --strategy exhaustive --jobs 1 --out s --quiet >out; \
 * RUN:   [ "$(paths s/suite.json)" = "$(./count $n)" ]; grep -q '"complete": true' s/suite.json; \
 * RUN:   grep -q '"mismatches": 0,' s/suite.json; done
 */
#include "trail.h"

int machine(const unsigned char *s, int n) {
    int state = 0;
    for (int i = 0; i < n; i++) {
#ifdef ENUMERATE
        note(strchr("aA", s[i]) ? 1 : s[i] == 'b' ? 2 : s[i] == 'c' ? 3 : 4);
#endif
        switch (s[i]) {
        case 'a':
        case 'A':
            state = state * 2 + 1;
            break;
        case 'b':
            state += 3;
            break;
        case 'c':
            if (state > 4)
                return state;
            break;
        default:
            return -1;
        }
    }
    return state;
}

#ifdef ENUMERATE
int main(int argc, char **argv) {
    static const unsigned char letters[] = "aAbcd";
    int n = argc > 1 ? atoi(argv[1]) : 1, all = 1;
    for (int i = 0; i < n; i++)
        all *= 5;
    for (int code = 0; code < all; code++) {
        unsigned char s[8];
        int rest = code;
        for (int i = 0; i < n; i++, rest /= 5)
            s[i] = letters[rest % 5];
        machine(s, n);
        keep_trail();
    }
    print_count();
}
#endif
