/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls, counted by hand:
 *
 *     add      add, ret                      2
 *     thrice   call, call, call, ret         4 and three calls
 *     pick     indirect call, ret            2 (the address is a select of two constants: icmp,
 *                                            select: 4 in all)
 *
 * thrice(x): 4 + 3 * 2 = 10 instructions, 4 functions entered; with a call weighing 10 (the
 * default of `weighted`) 10 + 3 * 9 = 37; with calls of add at 100, 10 + 3 * 99 = 307.
 *
 * RUN: printf '\5\0\0\0' >five
 * RUN: %slowpath measure %s --entry 'thrice(x)' five --json - 2>/dev/null | %check --check-prefix=THRICE
 * THRICE: "instructions": 10,
 * THRICE: "weighted": 37,
 * THRICE: "calls": 4,
 * RUN: %slowpath measure %s --entry 'thrice(x)' five --measure calls:add | %check --check-prefix=ADD
 * ADD: calls:add
 * ADD: five {{.*}} 3 {{[0-9.]+}} ms
 * RUN: %slowpath measure %s --entry 'thrice(x)' five --measure weighted --weights 'add()=100' | %check --check-prefix=W100
 * W100: five {{.*}} 307 {{[0-9.]+}} ms
 * RUN: echo 'call=2' >table; echo 'other=0' >>table
 * RUN: %slowpath measure %s --entry 'thrice(x)' five --measure weighted --weights @table | %check --check-prefix=TABLE
 * TABLE: five {{.*}} 6 {{[0-9.]+}} ms
 *
 * An indirect call counts like a direct one, and what it reaches counts as called.
 * RUN: %slowpath measure %s --entry 'pick(x)' five --measure calls:add | %check --check-prefix=PICK
 * PICK: five ok  6  2 {{.*}} 1 {{[0-9.]+}} ms
 */
__attribute__((noinline)) static int add(int x) {
    return x + 1;
}

__attribute__((noinline)) static int subtract(int x) {
    return x - 1;
}

int thrice(int x) {
    return add(add(add(x)));
}

int pick(int x) {
    int (*chosen)(int) = x > 3 ? add : subtract;
    return chosen(x);
}
