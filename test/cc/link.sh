#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compile and link in one call: the same files as clang's, with the frames in order.
. "$(dirname "$0")/helpers"

# files_of COMPILER ARG...: the names and the dependency files that a call leaves.
files_of() {
    compiler=$1
    shift
    rm -rf made
    mkdir -p made/sub
    cp main.c twice.c thrice.s made
    cp twice.c made/sub
    (cd made && "$compiler" "$@" && find . -type f | sort &&
        grep . $(find . -name '*.d' | sort) /dev/null)
}
same_files() {
    files_of "$clang" "$@" >clang.files 2>&1
    files_of "$cc" "$@" >cc.files 2>&1
    cmp -s clang.files cc.files ||
        fail "other files than clang's: $* ($(diff clang.files cc.files))"
}

silent main.c twice.c thrice.s -o prog -lm
[ "$(./prog)" = 42 ] || fail "prog does not run"
expect_frames prog main.c twice.c 2:thrice.s

silent -c twice.c -o given.o
silent thrice.s given.o main.c -o prog
expect_frames prog 2:thrice.s twice.c main.c
silent -x c main.c -x none given.o -o prog
expect_frames prog main.c twice.c
silent main.c twice.c
[ "$(./a.out)" = 42 ] || fail "a.out does not run"
expect_frames a.out main.c twice.c

# Sources of one name; an object of the user's that is named like a temporary one.
mkdir one two
echo 'int one(void) { return 1; }' >one/same.c
echo 'int two(void) { return 2; }' >two/same.c
"$clang" -c twice.c -o same-abcdef.o
silent one/same.c same-abcdef.o two/same.c main.c -o prog
expect_frames prog one/same.c two/same.c main.c

same_files main.c twice.c -MD -o prog
same_files main.c twice.c -MD
same_files main.c sub/twice.c -MMD -MP -MF deps.d -o prog
same_files main.c twice.c -MD -MT target -MQ 'a b' -o sub/prog
same_files main.c twice.c -save-temps -o prog
same_files main.c twice.c -save-temps=obj -o sub/prog
same_files main.c twice.c thrice.s -g -gsplit-dwarf -o prog
same_files main.c twice.c -Wp,-MD,wp.d -o prog
same_files -ftime-trace main.c twice.c -o prog

# Kinds of output.
echo '#include <math.h>' >half.c
echo 'double half(double x) { return floor(x / 2); }' >>half.c
silent -shared -fPIC twice.c half.c -o libtwice.so
expect_frames libtwice.so twice.c half.c
silent main.c -L. -ltwice -lm -Wl,-rpath,. -o prog
[ "$(./prog)" = 42 ] || fail "a program with a shared library does not run"
expect_frames prog main.c
silent -static main.c twice.c -o prog
expect_frames prog main.c twice.c
silent -r twice.c half.c -o both.o
expect_frames both.o twice.c half.c
silent -fuse-ld=lld main.c twice.c -o prog
expect_frames prog main.c twice.c
readelf -p .comment prog | grep -q LLD || fail "-fuse-ld=lld is not obeyed"
silent -fsanitize=undefined main.c twice.c -o prog
expect_frames prog main.c twice.c

# Standard input, languages that carry nothing, failures.
"$cc" -x c - -x none twice.c -o prog <main.c || fail "standard input"
expect_frames prog - twice.c
echo 'extern "C" int twice(int x) { return 2 * x; }' >plus.cc
silent plus.cc main.c -o prog
expect_frames prog main.c
echo 'int broken(' >broken.c
same main.c broken.c twice.c -o fails
same main.c -o fails
same main.c twice.c -Wl,--no-such-option -o fails
[ ! -e fails ] || fail "a failed call leaves an executable"
finish
