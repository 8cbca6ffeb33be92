#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The headers of slowpath are found without an option, after all others, and no call hears of it.
. "$(dirname "$0")/helpers"

# A copy of the wrapper in an installation whose only header is ours.
mkdir -p place/bin place/include/klee mine
cp "$cc" place/bin
cc=$scratch/work/place/bin/slowpath-cc
echo '#define FOUND 1' >place/include/slowpath.h
echo '#define FOUND_KLEE 1' >place/include/klee/klee.h
printf '#include <slowpath.h>\n#include <klee/klee.h>\nint found = FOUND + FOUND_KLEE;\n' >uses.c
silent -c uses.c
expect_frames uses.o uses.c
silent -fsyntax-only uses.c
silent -shared -fPIC uses.c -o libuses.so
expect_frames libuses.so uses.c
"$cc" -E uses.c | grep -q '1 + 1' || fail "-E does not find the headers"

echo '#define FOUND 5' >mine/slowpath.h
silent -Imine -c uses.c -o mine.o
"$cc" -Imine -E uses.c | grep -q '5 + 1' || fail "the user's folder does not come first"

silent -c twice.c
silent -c thrice.s
silent thrice.s -shared -o libthrice.so
silent -c main.c
silent main.o twice.o -o prog
expect_frames prog main.c twice.c
finish
