/* SPDX-License-Identifier: Apache-2.0
 *
 * Straight-line code, counted by hand. The cleaned function is one block:
 *
 *     mul a, a; mul b, b; add; ret              4 instructions
 *
 * There is no branch, so every input costs the same, and one function is called.
 *
 * RUN: printf '\3\0\0\0\4\0\0\0' >a; printf '\377\377\377\377\0\0\0\0' >b
 * RUN: %slowpath measure %s --entry 'squares(a, b)' a b --json - 2>/dev/null | %check
 * CHECK: "file": "a"
 * CHECK: "status": "ok"
 * CHECK: "instructions": 4,
 * CHECK: "weighted": 4,
 * CHECK: "calls": 1,
 * CHECK: "memory": 0,
 * CHECK: "file": "b"
 * CHECK: "instructions": 4,
 */
unsigned squares(unsigned a, unsigned b) {
    return a * a + b * b;
}
