#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Calls that make no object are clang's own, word for word, and so are clang's errors.
. "$(dirname "$0")/helpers"

same --version
same -dumpversion
same -dumpmachine
same -print-prog-name=ld
same --help
same -v
same
same -c
same -S main.c -o -
same -S -emit-llvm main.c -o -
same -fsyntax-only main.c
same -c -emit-llvm main.c -o main.bc
same -x c -E /dev/null
same -E -P twice.c
same -M main.c
same -MM main.c

# Errors: of the source, of the driver, of the linker; the status is clang's.
echo 'int broken(void) { return }' >broken.c
echo 'int f(void) { int unused; return 0; }' >warns.c
same -c broken.c
same broken.c -o broken
same -c -Wall warns.c
same -c -Wall -Werror warns.c
same -c main.c twice.c -o both.o
same -c missing.c
same missing.o -o prog
same -c main.c -o missing/main.o
same -c main.c --no-such-option
same -c main.c -o
same main.c -o prog
same -Werror -Wunused-command-line-argument -mbranch-protection=none -nostdinc++ -c twice.c
same -c -lm -L. twice.c
same -
[ ! -e prog ] || fail "an executable in spite of an undefined symbol"

# A precompiled header stays one.
echo 'int from_header;' >pre.h
silent pre.h -o pre.h.pch
[ "$(head -c 4 pre.h.pch)" = CPCH ] || fail "pre.h.pch is not a precompiled header"
silent -x c-header pre.h -o pre.pch
[ "$(head -c 4 pre.pch)" = CPCH ] || fail "pre.pch is not a precompiled header"

# Link only.
"$clang" -c main.c twice.c
silent main.o twice.o -o prog
[ "$(./prog)" = 42 ] || fail "prog does not run"
expect_frames prog
finish
