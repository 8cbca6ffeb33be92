#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# -c: every object has the name and the code that clang gives it, and one frame.
. "$(dirname "$0")/helpers"

silent -c twice.c
expect_frames twice.o twice.c
silent -c twice.c -o one.o
expect_frames one.o twice.c
silent -c twice.c -otwo.o
expect_frames two.o twice.c
silent -c --output=three.o twice.c
expect_frames three.o twice.c
mkdir folder
cp twice.c folder/other.name.c
silent -c ./folder/other.name.c main.c
expect_frames other.name.o ./folder/other.name.c
expect_frames main.o main.c
silent -c -- twice.c

# The code is exactly clang's.
"$clang" -O2 -g -c twice.c -o plain.o
silent -O2 -g -c twice.c -o carrying.o
for section in .text .debug_info .debug_line .eh_frame .symtab; do
    "$llvm/llvm-objcopy" --dump-section="$section=plain.bin" plain.o /dev/null 2>/dev/null
    "$llvm/llvm-objcopy" --dump-section="$section=carrying.bin" carrying.o /dev/null 2>/dev/null
    [ "$section" = .symtab ] || cmp -s plain.bin carrying.bin || fail "$section is not clang's"
done
[ "$("$llvm/llvm-nm" plain.o)" = "$("$llvm/llvm-nm" carrying.o)" ] || fail "symbols differ"
[ "$(stat -c %a plain.o)" = "$(stat -c %a carrying.o)" ] || fail "the object's mode differs"
section=$(readelf -SW carrying.o | grep -F .slowpath.bc | sed 's/.*PROGBITS//')
echo "$section" | grep -Eq ' 0 +0 +1$' || fail "the section's flags or alignment: $section"

# Twice the same call, twice the same bytes.
silent -O2 -g -c twice.c -o again.o
cmp -s carrying.o again.o || fail "two compilations of one source differ"

# Assembler, preprocessed C, -x and its end.
silent -c thrice.s
expect_frames thrice.o 2:thrice.s
printf '#define NAME thrice\n.globl NAME\nNAME: ret\n' >upper.S
silent -c upper.S
expect_frames upper.o 2:upper.S
"$clang" -E twice.c -o pre.i
silent -c pre.i
expect_frames pre.o pre.i
cp twice.c strange.ending
silent -x c -c strange.ending -o strange.o
expect_frames strange.o strange.ending
cp thrice.s strange2.ending
silent -c -xc strange.ending -x assembler strange2.ending -x none main.c
expect_frames strange.o strange.ending
expect_frames strange2.o 2:strange2.ending
expect_frames main.o main.c

# Standard input is compiled twice although it can be read once.
"$cc" -c -x c - -o stdin.o <twice.c || fail "standard input"
expect_frames stdin.o -
"$cc" -c -x c - <twice.c || fail "standard input without -o"
expect_frames ./-.o -
cat twice.c | "$cc" -xc -c -o stdin.o - || fail "standard input from a pipe"
expect_frames stdin.o -

# Other languages are compiled as ever, outputs that are not objects are left alone.
echo 'extern "C" int plus(int x) { return x + 1; }' >plus.cc
silent -c plus.cc
expect_frames plus.o
silent -c twice.c -o /dev/null
[ -c /dev/null ] || fail "/dev/null is gone"
finish
