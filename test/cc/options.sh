#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Whatever the options, the bitcode means what the object means, is not optimised, has debug
# information and no instrumentation, and making it leaves no file of its own.
. "$(dirname "$0")/helpers"

cat >options.c <<'C'
#include <string.h>
#if defined(ANSWER) && defined(FROM_HEADER)
int answer(void) { return ANSWER + FROM_HEADER; }
#endif
const char *text(void) { return TEXT; }
void copy(char *to, const char *from) { strcpy(to, from); }
int loop(int n) { int sum = 0; for (int i = 0; i < n; i++) sum += i; return sum; }
C
mkdir headers
echo '#define FROM_HEADER 2' >headers/given.h

# check OPTIONS...: compiles options.c and looks at its bitcode.
check() {
    silent -DANSWER=40 '-DTEXT="a b"' -Iheaders -include given.h "$@" -c options.c -o options.o
    expect_frames options.o options.c
    bitcode options.o >text.ll || fail "no readable bitcode: $*"
    grep -q '@answer' text.ll || fail "macros or headers are lost: $*"
    grep -q 'a b\\00' text.ll || fail "a macro with a space is lost: $*"
    grep -q '!DISubprogram' text.ll || fail "no debug information: $*"
    grep -q 'alloca i32' text.ll || fail "the bitcode is optimised: $*"
    grep -Eq 'optnone|__asan|__ubsan|__sancov|__profc|mcount|__strcpy_chk|sspstrong' text.ll &&
        fail "the bitcode is marked or instrumented: $*"
    files=$(ls)
    [ "$files" = "$expected" ] || fail "other files: $* ($files)"
}
touch cc.out cc.err options.o text.ll section
expected=$(ls)

check
check -O0
check -O3 -g0
check -Os -gdwarf-4 -gline-tables-only
check -O2 -D_FORTIFY_SOURCE=2
check -O2 -Wp,-D_FORTIFY_SOURCE=2 -fstack-protector-strong -fstack-clash-protection
check -fsanitize=address,undefined -fno-sanitize-recover=all -fsanitize-coverage=trace-pc-guard
check -fprofile-instr-generate -fcoverage-mapping
check -pg
check -Wall -Wextra -Wno-unused-parameter -pedantic
check -mllvm -inline-threshold=5 -Xclang -fno-pch-timestamp
check -std=gnu99 -fPIC -fvisibility=hidden -march=x86-64-v2 -ffast-math -fno-strict-aliasing
check -target x86_64-pc-linux-gnu
check -isystem headers -idirafter headers -iquote headers -I headers
check -U NOTHING -D SOMETHING -D SOME=thing
check --param ssp-buffer-size=4 -fno-plt -pthread

# Files beside the object are clang's alone.
expected=$(printf '%s\n%s\n' "$expected" options.d | LC_ALL=C sort)
: >options.d
expected=$(ls)
check -MD -MP
check -MMD -MF options.d -MT x.o
check -Wp,-MD,options.d
grep -q given.h options.d || fail "the dependency file is not clang's: $(cat options.d)"
check -Werror -pedantic-errors -Wno-unused-command-line-argument

# -Werror is the user's and applies to the user's compilation.
echo 'int f(void) { return undeclared(); }' >implicit.c
silent -c -Wno-implicit-function-declaration implicit.c
expect_frames implicit.o implicit.c
same -c -Werror=implicit-function-declaration implicit.c

# A precompiled header, made with another -O than the bitcode's, named or found.
echo '#define FROM_HEADER 2' >pre.h
for level in -O0 -O2; do
    silent $level -x c-header pre.h -o pre.h.pch
    silent $level -DANSWER=40 -DTEXT=0 -include pre.h -c options.c -o pre.o
    expect_frames pre.o options.c
    silent $level -DANSWER=40 -DTEXT=0 -include-pch pre.h.pch -c options.c -o pre.o
    expect_frames pre.o options.c
done

# Link-time optimisation is undone, with a word about it.
for option in -flto -flto=thin "-flto -ffat-lto-objects"; do
    "$cc" $option -c twice.c -o lto.o 2>cc.err || fail "$option"
    grep -q '^slowpath-cc: note: -flto is undone: ' cc.err || fail "no note about $option"
    [ "$(wc -l <cc.err)" = 1 ] || fail "more than a note about $option: $(cat cc.err)"
    expect_frames lto.o twice.c
    "$cc" $option main.c lto.o -o prog 2>cc.err || fail "link with $option"
    [ "$(wc -l <cc.err)" = 1 ] || fail "more than a note about $option: $(cat cc.err)"
    expect_frames prog main.c twice.c
done
silent -flto -fno-lto -c twice.c -o lto.o

# Response files, nested, with quotes.
printf '%s\n' '-DTEXT="\"a b\""' "'-DANSWER=40' -DQUOTE='\\'x\\'' @more" >args
printf -- '-Iheaders\t-include given.h -c\n"options.c" -o resp\\onse.o' >more
silent @args
expect_frames response.o options.c
bitcode response.o >text.ll
grep -q '@answer' text.ll || fail "options of a response file are lost"
grep -q 'a b\\00' text.ll || fail "quotes of a response file are lost"
same -c @missing
printf 'main.c twice.c -o prog' >args
silent @args
expect_frames prog main.c twice.c
finish
