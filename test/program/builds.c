/* SPDX-License-Identifier: Apache-2.0
 *
 * Whatever the target comes as, it is the same target: a source, an object, an archive, an
 * executable, an executable with a shared library, sources that are compiled with options. What
 * does not build, or carries no bitcode, is said so, with exit code 3.
 *
 * RUN: printf abc >in-abc
 * RUN: echo 'int twice(int x) { return x + x; }' >twice.c
 * RUN: cp %s main.c
 * RUN: cost() { %slowpath measure "$@" in-abc | awk '/^in-abc/ { print $2, $3, $4 }'; }
 * RUN: cost main.c twice.c >from-sources; grep -q '^ok [0-9]' from-sources
 * RUN: %cc -O2 -c main.c; %cc -O0 -g0 -c twice.c
 * RUN: cost main.o twice.o | cmp - from-sources
 * RUN: rm -f both.a; ar rc both.a main.o twice.o; cost both.a | cmp - from-sources
 * RUN: %cc -O3 main.c twice.c -o prog; %slowpath measure prog in-abc | awk '/^in-abc/ { print $2, $3, $4 }' | cmp - from-sources
 * RUN: strip -g prog; %slowpath measure prog in-abc | awk '/^in-abc/ { print $2, $3, $4 }' | cmp - from-sources
 * RUN: %cc -shared -fPIC twice.c -o libtwice.so; %cc main.c -o dynamic -L. -ltwice -Wl,-rpath,$PWD
 * RUN: %slowpath measure dynamic in-abc | awk '/^in-abc/ { print $2, $3, $4 }' | cmp - from-sources
 * RUN: %slowpath measure main.c twice.c -- in-abc | awk '/^in-abc/ { print $2, $3, $4 }' | cmp - from-sources
 *
 * --cflags: macros, quotes, include folders, libraries.
 * RUN: mkdir headers; echo '#define EXTRA "a b"' >headers/extra.h
 * RUN: %slowpath measure main.c twice.c --cflags '-I headers -include extra.h "-DTEXT=\"c d\"" -lm' in-abc --measure count:length | %check --check-prefix=LENGTH
 * LENGTH: in-abc {{.*}} 6 {{[0-9.]+}} ms
 *
 * Trouble.
 * RUN: echo 'int main(void) { return undeclared; }' >bad.c
 * RUN: %exit 3 %slowpath measure bad.c in-abc 2>errors; %check --check-prefix=COMPILE <errors
 * COMPILE: bad.c:1:25: error: use of undeclared identifier 'undeclared'
 * COMPILE: slowpath measure: 'bad.c' does not compile
 * RUN: %exit 3 %slowpath measure main.c in-abc 2>errors; %check --check-prefix=LINK <errors
 * LINK: slowpath measure: the target does not link:
 * LINK: undefined symbol: twice
 * RUN: echo 'int main(void) { return 0; }' >plain.c; $LLVM_BINDIR/clang plain.c -o plain
 * RUN: %exit 3 %slowpath measure plain in-abc 2>errors; %check --check-prefix=PLAIN <errors
 * PLAIN: slowpath measure: 'plain' carries no bitcode: build it with CC=slowpath-cc
 * RUN: strip -R .slowpath.bc prog -o stripped; %exit 3 %slowpath measure stripped in-abc 2>errors
 * RUN: %exit 2 %slowpath measure missing.c in-abc 2>errors; %check --check-prefix=MISSING <errors
 * MISSING: slowpath measure: cannot read the target 'missing.c': no such file
 * RUN: %exit 2 %slowpath measure in-abc in-abc 2>errors; %check --check-prefix=FOREIGN <errors
 * FOREIGN: slowpath measure: 'in-abc' is not an object, archive or executable
 * RUN: %exit 3 %slowpath measure twice.c in-abc 2>errors; %check --check-prefix=ENTRY <errors
 * ENTRY: the target has no main and no LLVMFuzzerTestOneInput: name a function with --entry (it has twice)
 * RUN: cp twice.c again.c; %exit 3 %slowpath measure main.c twice.c again.c -- in-abc 2>errors; %check --check-prefix=TWICE <errors
 * TWICE: symbol 'twice' is defined in both twice.c and again.c
 */
#include <slowpath.h>
#include <stdio.h>
#include <string.h>

int twice(int x);

int main(void) {
    int sum = 0, byte;
    while ((byte = getchar()) != EOF)
        sum += twice(byte);
#if defined(EXTRA) && defined(TEXT)
    slowpath_count("length", (long)strlen(EXTRA TEXT));
#endif
    return sum == 0;
}
