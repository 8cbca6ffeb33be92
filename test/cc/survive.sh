#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Frames survive what builds do to objects. GNU strip keeps them; llvm-strip, which drops all that
# is not loaded, takes them away unless it is asked for debug information only (-g).
. "$(dirname "$0")/helpers"

echo 'int unused(void) { return 0; }' >unused.c
silent -ffunction-sections -c main.c twice.c unused.c thrice.s
ar rcs libboth.a twice.o unused.o
"$llvm/llvm-ar" rcs libllvm.a twice.o unused.o
expect_frames libboth.a twice.c unused.c
expect_frames libllvm.a twice.c unused.c
ranlib libboth.a

for linker in bfd lld; do
    silent -fuse-ld=$linker main.o twice.o thrice.o -o prog.$linker
    expect_frames prog.$linker main.c twice.c 2:thrice.s
    silent -fuse-ld=$linker main.o -L. -lboth -o archive.$linker
    expect_frames archive.$linker main.c twice.c
    silent -fuse-ld=$linker -Wl,--gc-sections main.o twice.o -o gc.$linker
    expect_frames gc.$linker main.c twice.c
    silent -fuse-ld=$linker -Wl,-O1,-z,relro,-z,now,--build-id,--as-needed main.o twice.o \
        -o hard.$linker
    expect_frames hard.$linker main.c twice.c
    silent -fuse-ld=$linker -static main.o twice.o -o static.$linker
    expect_frames static.$linker main.c twice.c
    silent -fuse-ld=$linker -Wl,-s main.o twice.o -o small.$linker
    expect_frames small.$linker main.c twice.c
    silent -fuse-ld=$linker -r main.o twice.o -o joined.o
    expect_frames joined.o main.c twice.c
    silent -fuse-ld=$linker joined.o -o joined
    expect_frames joined main.c twice.c
    [ "$(./gc.$linker)" = 42 ] || fail "gc.$linker does not run"
done
silent -fPIC -c twice.c -o pic.o
silent -shared pic.o -o libtwice.so
expect_frames libtwice.so twice.c

for tool in strip "strip -g" "strip --strip-unneeded" "$llvm/llvm-strip -g" "objcopy -S"; do
    cp prog.bfd stripped
    $tool stripped
    expect_frames stripped main.c twice.c 2:thrice.s
    [ "$(./stripped)" = 42 ] || fail "after $tool it does not run"
done
cp prog.bfd stripped
"$llvm/llvm-strip" stripped
expect_frames stripped
finish
