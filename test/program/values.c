/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON of measure, field by field; '-' puts it on stdout and the table on stderr.
 *
 * RUN: printf '\1\0\0\0\2\0\0\0' >in-two
 * RUN: measure() { %slowpath measure %s --entry 'sum(values[n], n)' in-two "$@"; }
 * RUN: measure --json - >json 2>table; %check <json; grep -q '^in-two .* ok ' table
 * CHECK: {
 * CHECK-NEXT: "slowpath": "{{[0-9]+\.[0-9]+\.[0-9]+}}",
 * CHECK-NEXT: "target": [
 * CHECK-NEXT: "{{.*}}/values.c"
 * CHECK-NEXT: ],
 * CHECK-NEXT: "entry": "sum(values[n], n)",
 * CHECK-NEXT: "measure": "instructions",
 * CHECK-NEXT: "tests": [
 * CHECK-NEXT: {
 * CHECK-NEXT: "file": "in-two",
 * CHECK-NEXT: "status": "ok",
 * CHECK-NEXT: "cost": {
 * CHECK-NEXT: "instructions": 20,
 * CHECK-NEXT: "weighted": 20,
 * CHECK-NEXT: "calls": 1,
 * CHECK-NEXT: "memory": 0,
 * CHECK-NEXT: "allocated": 0,
 * CHECK-NEXT: "allocations": 0,
 * CHECK-NEXT: "files": 0,
 * CHECK-NEXT: "time": {{[0-9]+}},
 * CHECK-NEXT: "cpu": {{[0-9]+}}
 * CHECK-NEXT: },
 * CHECK-NEXT: "exit_code": 0,
 * CHECK-NEXT: "size": 8,
 * CHECK-NEXT: "sizes": {
 * CHECK-NEXT: "n": 2
 * CHECK-NEXT: }
 * CHECK-NEXT: }
 * CHECK-NEXT: ],
 * CHECK-NEXT: "stats": {
 * CHECK-NEXT: "seconds": {{[0-9.e-]+}},
 * CHECK-NEXT: "build_seconds": {{[0-9.e-]+}},
 * CHECK-NEXT: "cached": {{true|false}},
 * CHECK-NEXT: "restarts": 0,
 * CHECK-NEXT: "deterministic": true
 * CHECK-NEXT: }
 * CHECK-NEXT: }
 *
 * A file is written whole or not at all; the table is then on stdout. A measure of one's own is a
 * cost like the others.
 * RUN: measure --measure instructions+calls --json file >table; grep -q '^in-two ' table
 * RUN: %check --check-prefix=SUM <file
 * SUM: "measure": "instructions+calls",
 * SUM: "instructions+calls": 21,
 * RUN: %exit 2 %slowpath measure %s --entry 'sum(values[n], n)' in-two --json no/folder/file 2>&1 >/dev/null | %check --check-prefix=WRITE
 * WRITE: slowpath measure: cannot write 'no/folder/file'
 * RUN: measure --profile --json file >/dev/null; %check --check-prefix=PROFILE <file
 * PROFILE: "profile": {
 * PROFILE-NEXT: "functions": [
 * PROFILE-NEXT: {
 * PROFILE-NEXT: "function": "sum",
 * PROFILE-NEXT: "file": "{{.*}}values.c",
 * PROFILE-NEXT: "line": [[#]],
 * PROFILE-NEXT: "instructions": 20,
 * PROFILE-NEXT: "calls": 1
 * PROFILE: "lines": [
 * PROFILE: "times":
 * PROFILE: "loops": [
 * PROFILE: "iterations": 2,
 * PROFILE-NEXT: "depth": 1
 *
 * --uncounted: the same module without counting; time and the heap are all there is.
 * RUN: measure --uncounted --json file >/dev/null; %check --check-prefix=PLAIN <file
 * PLAIN: "instructions": 0,
 * PLAIN: "time": {{[0-9]+}},
 */
int sum(const int *values, int n) {
    int total = 0;
    for (int i = 0; i < n; i++)
        total += values[i];
    return total;
}
