/* SPDX-License-Identifier: Apache-2.0
 *
 * A switch is one instruction, whatever it chooses. The cleaned function:
 *
 *     entry    switch          1
 *     'a'      mul, br         2
 *     'b'      add, br         2 (falls into 'c')
 *     'c'      xor, br         2
 *     default  br              1
 *     exit     ret             1
 *
 * RUN: for c in a b c d; do printf "$c\7\0\0\0" >in-$c; done
 * RUN: %slowpath measure %s --entry 'apply(operation, x)' in-a in-b in-c in-d | %check
 * CHECK: in-a ok 4 1
 * CHECK: in-b ok 6 1
 * CHECK: in-c ok 4 1
 * CHECK: in-d ok 3 1
 */
int apply(char operation, int x) {
    switch (operation) {
    case 'a':
        x *= 3;
        break;
    case 'b':
        x += 5;
        /* fall through */
    case 'c':
        x ^= 9;
        break;
    default:
        break;
    }
    return x;
}
